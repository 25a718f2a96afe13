# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-policy.sh does."""
import subprocess

from bays import await_all, bay, in_bay
from station import MANAGER, NAME, Shelf, Station, check, look, looked, refused, run, until

UNATTENDED = '[policy]\nunattended = yes\n'
SLOW = '[erase]\nverify = off\ncommand = write\nflush-bytes = 262144\n' \
       'controller = fixed\nfixed-blocks = 64\n'


def notes(s):
    return '\n'.join(s.bus('get-property', NAME, MANAGER, NAME + '.Manager', 'Notes'))


def written(shelf):
    """Bytes by the number that a disk came with, wherever it is now."""
    return {d['lu']: d['medium_written'] for d in shelf.stats()['disks']}


def media(shelf, numbers):
    """What they hold, and how much was ever written to them: some of that may be in a cache."""
    count = written(shelf)
    return [(shelf.medium(n), count[n]) for n in numbers]


def reload(s, shelf, config):
    s.configure(config)
    s.call(MANAGER, 'Manager', 'Reload', 'a{sv}', 0)
    looked(s, shelf)


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
        disks = s.await_disks(11)
        looked(s, shelf)
        check(s.disks()[next(p for p, d in s.disks().items() if d['Slot'].endswith('Slot 00'))]
              ['State'] == state, f'{config}: {disks}')
        check(not s.jobs(), f'no job: {config}')
        check(written(shelf) == before, f'nothing is written: {config}')
        check(s.stop() == 0, 'the stop')
    s.configure(UNATTENDED + bay(0, 'erase'))
    s.start()
    await_all(s, 'all three switches',
              lambda: in_bay(s, 0) and in_bay(s, 0)['Outcome'] == 'erased')
    looked(s, shelf)
    check(len(s.jobs()) == 1, 'the disks outside of bays are left alone')
    check({k: v for k, v in written(shelf).items() if k != 0} ==
          {k: v for k, v in before.items() if k != 0}, 'only that one is written')


def not_again(s, shelf):
    """It is erased, and comes again; the service restarts."""
    before = written(shelf)[0]
    shelf('gone 0')
    await_all(s, 'that it is gone', lambda: not in_bay(s, 0))
    shelf('back 0')
    await_all(s, 'that it is there', lambda: in_bay(s, 0))
    looked(s, shelf)
    check('it is erased' in notes(s), notes(s))
    check(s.stop() == 0, 'the stop')
    s.start()
    looked(s, shelf)
    check(len(s.records()) == 1 and written(shelf)[0] == before, 'it is not erased again')


def told_at_once(s, shelf):
    """Whoever sees a disk of a look sees the others as that look found them."""
    looked(s, shelf)  # no look is under way
    for protected in (1, 0) * 3:
        shelf(f'set 4 wp={protected}')
        look(s, shelf)
        check(node(s, 4)['Refusal'] == ('write-protected' if protected else ''),
              f'wp={protected}: {node(s, 4)}')


def node(s, number):
    return next(d for d in s.disks().values() if d['Slot'].endswith(f'Slot {number:02d}'))


def refusals(s, shelf):
    """Mounted, swapped on, protected, write protected: never; what was in use: not unasked."""
    reload(s, shelf, '')
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
    reload(s, shelf, all_bays)
    looked(s, shelf)
    for n, why in ((1, 'mounted'), (2, 'swap'), (3, 'protected'), (4, 'write-protected')):
        check(in_bay(s, n)['Refusal'] == why, f'{in_bay(s, n)}')
    run('umount', '/run/mnt')
    run('swapoff', two['Block'])
    looked(s, shelf)
    check(not in_bay(s, 1)['Refusal'] and not in_bay(s, 2)['Refusal'],
          f'they are free: {in_bay(s, 1)}, {in_bay(s, 2)}')
    for n in (1, 2):
        shelf(f'gone {n}')
    await_all(s, 'that they are gone', lambda: not in_bay(s, 1) and not in_bay(s, 2))
    check(s.stop() == 0, 'the stop')
    for n in (1, 2):
        shelf(f'back {n}')
    s.start()
    await_all(s, 'that they are there', lambda: in_bay(s, 1) and in_bay(s, 2))
    looked(s, shelf)
    check(notes(s).count('it was in use on this machine') == 2, notes(s))
    check(media(shelf, range(1, 5)) == before, 'none of them is touched')
    check(len(s.records()) == 1, 'no job')


def queue(s, shelf):
    reload(s, shelf, UNATTENDED + bay(5, 'queue'))
    await_all(s, 'a job that waits', lambda: in_bay(s, 5) and in_bay(s, 5)['State'] == 'paused')
    looked(s, shelf)
    check(in_bay(s, 5)['State'] == 'paused', 'it waits')
    s.ask(in_bay(s, 5)['Job'], 'Resume')
    await_all(s, 'its end', lambda: in_bay(s, 5)['Outcome'] == 'erased')


def in_the_middle(shelf, number):
    """An erasure of that disk is held there, once."""
    shelf(f'fault kind=hold disk={number} op=write min=2 lba=3000 count=1')


def wait(s, bays):
    """The disks of these bays are in jobs that have not begun."""
    return all(in_bay(s, n)['State'] in ('queued', 'paused') for n in bays)


def withdrawn(s, shelf):
    """unattended=no: what runs goes on, what waits behind it does not begin; nor does a job go on
    in a bay that is not declared."""
    bays = ''.join(bay(n, 'erase') for n in (7, 8, 9))
    line = '[queue]\nactive = 1\n'
    for n in (7, 8, 9):
        in_the_middle(shelf, n)
    reload(s, shelf, SLOW + line + UNATTENDED + bays)
    until(lambda: any(shelf.disk(n)['held'] for n in (7, 8, 9)), 'the first')
    reload(s, shelf, SLOW + line + bays)
    first = next(n for n in (7, 8, 9) if shelf.disk(n)['held'])
    others = [n for n in (7, 8, 9) if n != first]
    until(lambda: wait(s, others), 'that the others are held back')
    before = media(shelf, others)
    shelf(f'clear {first}')
    until(lambda: in_bay(s, first)['Outcome'] == 'erased', 'its end')
    looked(s, shelf)
    check(media(shelf, others) == before and wait(s, others), 'nothing begins after unattended=no')
    reload(s, shelf, SLOW + UNATTENDED + bays)
    until(lambda: any(shelf.disk(n)['held'] for n in others), 'the next one')
    second, third = sorted(others, key=lambda n: not shelf.disk(n)['held'])
    serial = in_bay(s, second)['Serial']
    last = in_bay(s, third)['Serial']
    s.ask(s.disk(last)['Job'], 'Cancel')
    shelf(f'clear {third}')
    shelf(f'move {second} 10')
    await_all(s, 'that it is elsewhere',
              lambda: s.records(serial=serial, outcome='removed') and
              s.disk(serial) and s.disk(serial)['Slot'].endswith('10'))
    looked(s, shelf)
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
    looked(s, shelf)
    check('was cancelled' in notes(s) and len(s.records(serial=last)) == 1, notes(s))


def put_to_use(s, shelf, number=7):
    """Pulled in the middle, it comes back with a file system: that is not erased unasked."""
    disk = in_bay(s, number)
    in_the_middle(shelf, number)
    job = s.submit([disk], command='write')
    shelf.await_held(number)
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
    looked(s, shelf)
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
    for step in switches, not_again, told_at_once, refusals, queue, withdrawn, put_to_use:
        print(step.__name__, flush=True)
        step(s, shelf)
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
