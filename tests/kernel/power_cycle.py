# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-power-cycle.sh does."""
from station import Clock, Shelf, Station, check, until

AWAY_S = 20


def main():
    shelf = Shelf()
    s = Station(config='[erase]\n')
    clock = Clock(s)
    s.start()
    serial = next(d for d in s.await_disks(5) if d['Serial'].endswith('1'))['Serial']

    def disk():
        return s.disk(serial)

    def asks():
        return disk()['State'] == 'power-cycling' and 'unplug it' in disk()['Message']
    shelf('plant 1 0 8192 0x5a')
    until(lambda: not disk()['Refusal'], 'it is free')
    job = s.submit([disk()])
    until(asks, lambda: f'that it is asked for: {disk()}')
    written = shelf.disk(1)['medium_written']
    check(s.stop() == 0, 'the end')
    s.start()
    until(asks, lambda: f'that it is asked for again: {disk()}')
    check(shelf.disk(1)['medium_written'] - written < 1 << 20, 'it is written once')
    shelf('gone 1')
    until(lambda: 'is unplugged' in disk()['Message'], lambda: f'that this is seen: {disk()}')

    def enough():
        clock.leap(AWAY_S)
        return 'can be plugged in' in disk()['Message']
    until(enough, lambda: f'that it is long enough: {disk()}')
    shelf('back 1')
    s.await_end(job)
    result = s.result(job)['disks'][0]
    check(result['outcome'] == 'erased-with-exceptions' and
          result['reason'].startswith('nothing flushed its cache'), f'{result}')
    check(shelf.is_erased(1), 'the medium')
    # who cancels it is not told to resume what cannot be resumed
    # the service sees that it is there later than its job does
    until(lambda: disk()['Device'] and not disk()['Refusal'], 'it is free again')
    job = s.submit([disk()])
    until(asks, lambda: f'that it is asked for once more: {disk()}')
    s.ask(job, 'Cancel')
    s.await_end(job)
    reason = s.result(job)['disks'][0]['reason']
    check(reason.endswith('was not unplugged and verified; erase it again'), reason)
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
