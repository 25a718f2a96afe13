# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-hotplug.sh does."""
import contextlib
import os
import signal

from station import Shelf, Station, check, until

CONFIG = '[erase]\nverify = off\ncommand = write\nflush-bytes = 1048576\ncontroller = fixed\n' \
         'fixed-blocks = 256\n[policy]\nunattended = yes\n' + \
         ''.join(f'[bay {n}]\naddress = *:0:{n}:0\naction = erase\n' for n in (1, 2))


def at(s, bay):
    return next((d for d in s.disks().values() if d['Bay'] == bay), None)


def opened(target):
    """A disk that has just come: its node is there before it can be opened."""
    folder = f'/sys/bus/scsi/devices/0:0:{target}:0/block'
    held = []

    def can_be():
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                held.append(open('/dev/' + name, 'rb', buffering=0))
        return held

    until(can_be, 'the node')
    return held[0]


def main():
    shelf = Shelf()
    s = Station(config=CONFIG).start()
    s.await_disks(1)
    check('no udev' not in s.said(), s.said())
    # as a program of udev's rules may, somebody has a disk open before the service looks at it
    s.process.send_signal(signal.SIGSTOP)
    shelf('back 2')
    with opened(2):
        s.process.send_signal(signal.SIGCONT)
        until(lambda: at(s, '2') and at(s, '2')['Refusal'] == 'open', 'that it is seen')
    shelf('fault kind=hold disk=1 op=write min=2 lba=8192 count=1')
    shelf('back 1')
    shelf.await_held(1, 90)
    serial = at(s, '1')['Serial']
    shelf('gone 1')
    shelf('back 1')
    until(lambda: s.disk(serial)['Outcome'] == 'erased', 'the end of the one that went', 90)
    check(sorted(r['outcome'] for r in s.records(serial=serial)) in
          (['erased'], ['erased', 'removed']), f'{s.records()}')
    until(lambda: at(s, '2') and at(s, '2')['Outcome'] == 'erased', 'the one that was held', 60)
    stats = {d['serial']: d for d in shelf.stats()['disks']}
    check(stats[serial]['medium_written'] < 12 << 20, f'{stats[serial]}')
    check(not next(d for d in stats.values() if d['lu'] == 0)['medium_written'],
          'the disk outside of bays')
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
