# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-policy.sh does."""
import subprocess
import time

from bays import await_all, bay, in_bay, rescan
from station import MANAGER, NAME, Shelf, Station, check, refused, run, until

UNATTENDED = '[policy]\nunattended = yes\n'
SLOW = '[erase]\nverify = off\ncommand = write\nflush-bytes = 262144\n' \
       'controller = fixed\nfixed-blocks = 64\n'
LOOKS = 3  # seconds in which what is wrong would happen


def notes(s):
    return '\n'.join(s.bus('get-property', NAME, MANAGER, NAME + '.Manager', 'Notes'))


def written(shelf):
    """Bytes by the number that a disk came with, wherever it is now."""
    return {d['lu']: d['medium_written'] for d in shelf.stats()['disks']}


def media(shelf, numbers):
    """What they hold, and how much was ever written to them: some of that may be in a cache."""
    count = written(shelf)
    return [(shelf.medium(n), count[n]) for n in numbers]


def reload(s, config):
    s.configure(config)
    s.call(MANAGER, 'Manager', 'Reload', 'a{sv}', 0)
    time.sleep(1)


def settle(s):
    end = time.monotonic() + LOOKS
    while time.monotonic() < end:
        rescan(s)
        time.sleep(0.5)


def switches(s, shelf):
    """Each one missing alone: nothing is written."""
    before = written(shelf)
    for config, state in ((UNATTENDED, 'free'),
                          (UNATTENDED + bay(0, 'offer'), 'offered'),
                          (UNATTENDED + bay(0, 'none'), 'free'),
                          (bay(0, 'erase'), 'offered'),
                          ('[policy]\nunattended = no\n' + bay(0, 'erase'), 'offered')):
        s.configure(config)
        s.start()
        disks = s.await_disks(10)
        settle(s)
        check(s.disks()[next(p for p, d in s.disks().items() if d['Slot'].endswith('Slot 00'))]
              ['State'] == state, f'{config}: {disks}')
        check(not s.jobs(), f'no job: {config}')
        check(written(shelf) == before, f'nothing is written: {config}')
        check(s.stop() == 0, 'the stop')
    s.configure(UNATTENDED + bay(0, 'erase'))
    s.start()
    await_all(s, 'all three switches',
              lambda: in_bay(s, 0) and in_bay(s, 0)['Outcome'] == 'erased')
    settle(s)
    check(len(s.jobs()) == 1, 'the disks outside of bays are left alone')
    check({k: v for k, v in written(shelf).items() if k != 0} ==
          {k: v for k, v in before.items() if k != 0}, 'only that one is written')


def not_again(s, shelf):
    """It is erased, and comes again; the service starts anew."""
    before = written(shelf)[0]
    shelf('gone 0')
    await_all(s, 'that it is gone', lambda: not in_bay(s, 0))
    shelf('back 0')
    await_all(s, 'that it is there', lambda: in_bay(s, 0))
    settle(s)
    check('it is erased' in notes(s), notes(s))
    check(s.stop() == 0, 'the stop')
    s.start()
    settle(s)
    check(len(s.records()) == 1 and written(shelf)[0] == before, 'it is not erased again')


def node(s, number):
    return next(d for d in s.disks().values() if d['Slot'].endswith(f'Slot {number:02d}'))


def refusals(s, shelf):
    """Mounted, swapped on, protected, write protected: never; what was in use: not unasked."""
    reload(s, '')
    one, two, three = (node(s, n) for n in (1, 2, 3))
    run('mkfs.ext4', '-q', '-F', one['Block'])
    run('mkdir', '-p', '/run/mnt')
    run('mount', '-o', 'ro', one['Block'], '/run/mnt')
    run('mkswap', two['Block'])
    run('swapon', two['Block'])
    run('sync')
    with open(s.folder + '/safety', 'w', encoding='utf-8') as f:
        f.write(f'[safety]\nprotect = {three["Serial"]}\n')
    shelf('set 4 wp=1')
    before = media(shelf, range(1, 5))
    all_bays = UNATTENDED + ''.join(bay(n, 'erase') for n in range(5))
    reload(s, all_bays)
    settle(s)
    for n, why in ((1, 'mounted'), (2, 'swap'), (3, 'protected'), (4, 'write-protected')):
        check(in_bay(s, n)['Refusal'] == why, f'{in_bay(s, n)}')
    run('umount', '/run/mnt')
    run('swapoff', two['Block'])
    settle(s)
    check(not in_bay(s, 1)['Refusal'] and not in_bay(s, 2)['Refusal'], 'they are free')
    for n in (1, 2):
        shelf(f'gone {n}')
    await_all(s, 'that they are gone', lambda: not in_bay(s, 1) and not in_bay(s, 2))
    check(s.stop() == 0, 'the stop')
    for n in (1, 2):
        shelf(f'back {n}')
    s.start()
    await_all(s, 'that they are there', lambda: in_bay(s, 1) and in_bay(s, 2))
    settle(s)
    check(notes(s).count('it was in use on this machine') == 2, notes(s))
    check(media(shelf, range(1, 5)) == before, 'none of them is touched')
    check(len(s.records()) == 1, 'no job')


def queue(s):
    reload(s, UNATTENDED + bay(5, 'queue'))
    await_all(s, 'a job that waits', lambda: in_bay(s, 5) and in_bay(s, 5)['State'] == 'paused')
    settle(s)
    check(in_bay(s, 5)['State'] == 'paused', 'it waits')
    s.ask(in_bay(s, 5)['Job'], 'Resume')
    await_all(s, 'its end', lambda: in_bay(s, 5)['Outcome'] == 'erased')


def withdrawn(s, shelf):
    """unattended=no: what runs goes on, what waits behind it does not begin; nor does a job go on
    in a bay that is not declared."""
    bays = ''.join(bay(n, 'erase') for n in (7, 8, 9))
    line = '[queue]\nactive = 1\n'
    reload(s, SLOW + line + UNATTENDED + bays)
    await_all(s, 'the first',
              lambda: any(in_bay(s, n) and in_bay(s, n)['Bytes'] for n in (7, 8, 9)))
    reload(s, SLOW + line + bays)
    time.sleep(1)
    first = next(n for n in (7, 8, 9) if in_bay(s, n)['Bytes'])
    others = [n for n in (7, 8, 9) if n != first]
    before = media(shelf, others)
    await_all(s, 'its end', lambda: in_bay(s, first)['Outcome'] == 'erased')
    settle(s)
    check(media(shelf, others) == before, 'nothing begins after unattended=no')
    second, third = others
    reload(s, SLOW + UNATTENDED + bays)
    serial = in_bay(s, second)['Serial']
    last = in_bay(s, third)['Serial']
    until(lambda: s.disk(serial)['Bytes'] > 600000, 'the middle')
    s.ask(s.disk(last)['Job'], 'Cancel')
    shelf(f'move {second} 10')
    await_all(s, 'that it is elsewhere',
              lambda: s.records(serial=serial, outcome='removed') and
              s.disk(serial) and s.disk(serial)['Slot'].endswith('10'))
    settle(s)
    check(len(s.records(serial=serial)) == 1, 'not in a bay that is not declared')
    shelf(f'move 10 {second}')
    await_all(s, 'its end', lambda: s.records(serial=serial, outcome='erased'))
    check(len(s.records(serial=serial)) == 2, 'it went on')
    # cancelled, and plugged in again
    check(s.disk(last)['Outcome'] == 'stopped', f'{s.disk(last)}')
    shelf(f'gone {third}')
    await_all(s, 'that it is gone', lambda: not in_bay(s, third))
    shelf(f'back {third}')
    await_all(s, 'that it is there', lambda: in_bay(s, third))
    settle(s)
    check('was cancelled' in notes(s) and len(s.records(serial=last)) == 1, notes(s))
    return third


def put_to_use(s, shelf, number):
    """Pulled in the middle, it comes back with a file system: that is not erased unasked."""
    disk = in_bay(s, number)
    job = s.submit([disk], command='write')
    until(lambda: s.disk(disk['Serial'])['Bytes'] > 600000, 'the middle')
    shelf(f'gone {number}')
    await_all(s, 'its end', lambda: s.job(job)['Outcome'] == 'removed')
    check(s.stop() == 0, 'the stop')
    shelf(f'back {number}')
    block = None
    until(lambda: find_block(number), 'its node')
    block = find_block(number)
    run('mkfs.ext4', '-q', '-F', block)
    run('sync')
    before = media(shelf, [number])
    s.start()
    await_all(s, 'that it is there', lambda: in_bay(s, number))
    settle(s)
    check('ext4' in in_bay(s, number)['Signatures'], f'{in_bay(s, number)}')
    check('when it was pulled' in notes(s), notes(s))
    check(media(shelf, [number]) == before, 'it is not touched')
    check(s.records(serial=disk['Serial'])[0]['outcome'] == 'removed', 'its last row')


def find_block(number):
    out = subprocess.run(f'ls /sys/bus/scsi/devices/0:0:{number}:0/block', shell=True,
                         capture_output=True, text=True, check=False).stdout.split()
    return '/dev/' + out[0] if out else None


def main():
    shelf = Shelf()
    s = Station(args=['--safety', '/run/station/safety'])
    open(s.folder + '/safety', 'w', encoding='utf-8').close()
    switches(s, shelf)
    not_again(s, shelf)
    refusals(s, shelf)
    queue(s)
    third = withdrawn(s, shelf)
    put_to_use(s, shelf, third)
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
