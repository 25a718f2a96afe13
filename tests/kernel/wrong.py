# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-wrong.sh does."""
import subprocess

from bays import await_all, rescan
from policy import written
from station import Refused, Shelf, Station, check, refused, until

FOREIGN = b'\xa5' * 4096


def is_foreign(shelf, number):
    """Nothing was written to it, not even to its cache."""
    data = shelf.medium(number)
    return data == FOREIGN * (len(data) // 4096) and not written(shelf)[number]


def named(s, disks):
    zero, one = disks[:2]
    refused('there is no disk', s.submit, [{**zero, 'WWN': one['WWN']}])
    refused('there is no disk', s.submit, [{**zero, 'Serial': one['Serial']}])
    refused('there is no disk', s.submit, [{**zero, 'WWN': '', 'Capacity': 512}])
    refused('named twice', s.submit, [zero, {**zero, 'WWN': ''}])
    check(not s.jobs(), 'no job')
    for half in ('WWN', 'Serial'):
        job = s.submit([{**zero, half: ''}])
        check(s.await_end(job)['ExitCode'] == 0, f'a disk named without its {half}')
        check([d['serial'] for d in s.result(job)['disks']] == [zero['Serial']], 'that disk')


def refused_or_not_begun(s, disks):
    """Twins that agree in all are presumed paths, until the claim shows that they are not."""
    try:
        job = s.submit(disks)
    except Refused as e:
        check('not unique' in str(e), f'{e}')
    else:
        check(s.await_end(job)['Outcome'] == 'refused', f'{s.job(job)}')


def twins(s, shelf, disks):
    """Two that say the same serial, then the same WWN, too."""
    one, other = disks[4:6]
    shelf(f'set 5 serial={one["Serial"]}')
    await_all(s, 'the second of that serial', lambda: len(
        [d for d in s.disks().values() if d['Serial'] == one['Serial'] and d['Device']]) == 2)
    refused('two disks answer', s.submit, [{**one, 'WWN': ''}])
    shelf(f'set 5 wwn={one["WWN"]}')
    await_all(s, 'the twin', lambda: not any(
        d['WWN'] == other['WWN'] and d['Device'] for d in s.disks().values()))
    refused_or_not_begun(s, [one])
    # the claim writes a mark and takes it back, so what counts is what they hold
    for d in disks[4:6]:
        r = subprocess.run(['dd', f'if={d["Block"]}', 'bs=1M', 'iflag=direct', 'status=none'],
                           capture_output=True, check=True)
        check(r.stdout == FOREIGN * (4 << 20 >> 12), f'{d["Block"]}, a twin, is as it was')
    shelf(f'set 5 serial={other["Serial"]} wwn={other["WWN"]}')
    await_all(s, 'that they differ', lambda: s.disk(other['Serial']) and
              s.disk(other['Serial'])['Device'])


def swapped_before(s, shelf, disks):
    """Between the list and the claim, unseen by the kernel: whoever was named is erased, wherever
    it is, and nobody else."""
    shelf('swap 0 1 quiet')
    job = s.submit(disks[1:2])
    check(s.await_end(job)['Outcome'] in ('erased', 'refused'), f'{s.job(job)}')
    outcome = s.job(job)['Outcome']
    check(shelf.is_erased(1) == (outcome == 'erased'), 'the record is true')


def swapped_within(s, shelf, disks):
    """With an attention: without one the lease bounds what a stranger gets, as other tests show."""
    two = disks[2]
    for how in ('3f/0e', '29/00'):
        shelf('plant 2 0 8192 0xa5')
        rescan(s)
        job = s.submit(disks[2:3], command='write', verify='off')
        until(lambda: s.disk(two['Serial'])['Bytes'] > 500000, 'the middle')
        shelf(f'swap 2 3 {how}')
        rescan(s)
        until(lambda: s.job(job)['ExitCode'] != -1 or s.disk(two['Serial'])['State'] != 'writing',
              'what comes of it')
        check(is_foreign(shelf, 3), f'the stranger is not written ({how})')
        shelf('swap 2 3 29/00')
        await_all(s, 'the end', lambda: s.job(job)['ExitCode'] != -1)
        check(s.job(job)['Outcome'] != 'erased' or shelf.is_erased(2), 'the record is true')
        check(is_foreign(shelf, 3), f'the stranger is not written at the end ({how})')


def main():
    shelf = Shelf()
    s = Station().start()
    disks = s.await_disks(6)
    named(s, disks)
    twins(s, shelf, disks)
    swapped_before(s, shelf, disks)
    swapped_within(s, shelf, disks)
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
