# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-wrong.sh does."""
import os
import subprocess
import time

from bays import await_all, rescan
from policy import UNATTENDED, in_the_middle, media, reload, written
from station import Refused, Shelf, Station, check, looked, refused, run, until

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


def submit_once_there(s, disks, **options):
    """A look that began while a stranger was in the place of a disk may end after it is back."""
    job = []

    def taken():
        try:
            job.append(s.submit(disks, **options))
        except Refused as e:
            if 'it is not there' not in str(e):
                raise
        return job
    until(taken, 'that it is there')
    return job[0]


def swapped_within(s, shelf, disks):
    """With an attention: without one the lease bounds what a stranger gets, as other tests show. It
    is told to one command: of two that are sent at once the other would get through."""
    two = disks[2]
    for how in ('3f/0e', '29/00'):
        shelf('plant 2 0 8192 0xa5')
        await_all(s, 'that it is seen in its place, and free', lambda: any(
            (d['Serial'], d['Device'], d['Refusal']) == (two['Serial'], two['Device'], '')
            for d in s.disks().values()))
        shelf(f'fault disk=2 op=write min=2 lba=3000 kind=swap with=3 sense={how} count=1')
        job = submit_once_there(s, disks[2:3], command='write', verify='off',
                                controller='fixed', fixed_blocks='512', depth='1')
        until(lambda: shelf.disk(2)['lu'] == 3, 'the swap')
        until(lambda: s.job(job)['ExitCode'] != -1 or s.disk(two['Serial'])['State'] != 'writing',
              'what comes of it')
        check(is_foreign(shelf, 3), f'the stranger is not written ({how})')
        shelf('swap 2 3 29/00')
        await_all(s, 'the end', lambda: s.job(job)['ExitCode'] != -1)
        check(s.job(job)['Outcome'] != 'erased' or shelf.is_erased(2), 'the record is true')
        check(is_foreign(shelf, 3), f'the stranger is not written at the end ({how})')


def swapped_unheard(s, shelf):
    """Nobody is told, in the middle of an erasure: neither disk is erased by any record, and the
    other has lost no more than the lease."""
    come(s, shelf, (24, 25))
    one, other = at(s, 24), at(s, 25)
    job = s.submit([one], command='write', controller='fixed', fixed_blocks='512', verify='off')
    j = s.await_end(job)
    check((j['Outcome'], j['ExitCode']) == ('failed', 4), f'{j}')
    r = s.records(serial=one['Serial'])[0]
    check(r['outcome'] == 'failed' and 'identity changed: another disk answers' in r['reason'],
          f'{r}')
    check(not s.records(serial=other['Serial']), 'the other is on no record')
    check(not any(d['outcome'] == 'erased' for d in s.result(job)['disks']), 'the result')
    lost = {d['lu']: d['medium_written'] + d['cache_bytes'] for d in shelf.stats()['disks']}[25]
    check(0 < lost <= LEASE, f'the stranger was written {lost} bytes')
    await_all(s, 'that each is where it is', lambda: at(s, 25)['Serial'] == one['Serial'])
    check('erased' not in (at(s, 24)['Outcome'], at(s, 25)['Outcome']), 'of neither it is said')


def kept(s, job):
    """Files of a job in the folder of the service."""
    uuid = s.job(job)['Id']
    return {f.rpartition('.')[2] for f in os.listdir(s.state) if f.startswith(uuid)}


def too_late(s, shelf, disks):
    """A disk that was pulled does not come back in time: its state and its key go, while the
    service runs, and it does not go on."""
    three = disks[3]
    # a look while it was swapped with one that was held saw it there, and held
    await_all(s, 'that it is seen in its place, and free', lambda: any(
        (d['Serial'], d['Device'], d['Refusal']) == (three['Serial'], three['Device'], '')
        for d in s.disks().values()))
    reload(s, shelf, '[queue]\nreturn-within = 2s\n[erase]\nmethod = random\n')
    in_the_middle(shelf, 3)
    job = s.submit(disks[3:4], command='write', verify='off')
    shelf.await_held(3)
    check(kept(s, job) == {'state', 'key'}, f'{kept(s, job)}')
    shelf('gone 3')
    await_all(s, 'its end', lambda: s.job(job)['Outcome'] == 'removed')
    ended = s.records(serial=three['Serial'])[0]['ended']
    until(lambda: not kept(s, job), 'that its files are gone')
    check(time.time() >= ended / 1e6 + 2, 'they are kept as long as it may come')
    shelf('back 3')
    await_all(s, 'that it is there', lambda: s.disk(three['Serial'])['Device'])
    looked(s, shelf)
    check(s.job(job)['Outcome'] == 'removed', 'it does not go on')
    reload(s, shelf, '')


# --- every reason not to erase a disk --------------------------------------------

LEASE = 64 << 20
WORDS = {  # what the bus calls it, and what is said of it
    6: ('mounted', 'mounted at /run/m'), 7: ('swap', 'swap'),
    8: ('holder', 'device-mapper map lin'), 9: ('holder', 'md array'),
    10: ('open', 'open in process'),
    11: ('reserved', 'reservation held'), 12: ('reserved', 'reservation held'),
    13: ('write-protected', 'write-protected by the disk'),
    14: ('write-protected', 'set read-only in the kernel'),
    15: ('configured', '/etc/fstab'), 16: ('system', 'holds /boot'),
    17: ('protected', 'protected'),
    18: ('zoned', 'host-managed zoned disk: its zones cannot be read'),
    19: ('logical-volume', 'logical volume'), 20: ('reserved', 'reservation held'),
}
NO_FLUSH = 21  # which only the claim finds
FREE = 22


def at(s, number):
    return next((d for d in s.disks().values()
                 if d['Device'] and d['Address'].split(':')[2] == str(number)), None)


def come(s, shelf, numbers):
    for n in numbers:
        shelf(f'back {n}')
    await_all(s, 'those that come', lambda: all(at(s, n) for n in numbers))


def make_ready(d):
    """What they carry, before the service has last looked: nothing is in use yet."""
    for n in (6, 15, 16):
        run('mkfs.ext4', '-q', '-F', d[n]['Block'])
    run('mkswap', d[7]['Block'])
    run('mkdir', '-p', '/run/m', '/boot', '/dev/mapper')
    if not os.path.exists('/dev/mapper/control'):
        run('mknod', '/dev/mapper/control', 'c', '10', '236')
    run('sync')


def put_to_use(s, shelf, d):
    """All at once; returns the process that has one open."""
    run('mount', '-o', 'ro', d[6]['Block'], '/run/m')
    run('swapon', d[7]['Block'])
    run('dmsetup', 'create', 'lin', '--noudevsync', '--table', f'0 2048 linear {d[8]["Block"]} 0')
    run('mdadm', '--create', '/dev/md0', '--run', '--level=1', '--assume-clean', '--bitmap=none',
        '--metadata=1.2', '--raid-devices=2', d[9]['Block'], 'missing')
    with open(d[10]['Block'], 'rb') as f:
        holder = subprocess.Popen(['sleep', '1000'], stdin=f)  # pylint: disable=consider-using-with
    shelf('reserve 11 1 0xabc')
    shelf('reserve 12 3 0xabc')
    shelf('set 13 wp=1')
    run('blockdev', '--setro', d[14]['Block'])
    uuid = subprocess.run(['blkid', '-p', '-s', 'UUID', '-o', 'value', d[15]['Block']],
                          capture_output=True, text=True, check=True).stdout.strip()
    with open('/etc/fstab', 'w', encoding='utf-8') as f:
        f.write(f'UUID={uuid} /srv ext4 noauto\n')
    run('mount', '-o', 'ro', d[16]['Block'], '/boot')
    with open(s.folder + '/safety', 'w', encoding='utf-8') as f:
        f.write(f'[safety]\nprotect = {d[17]["Serial"]}\n')
    run('sync')
    return holder


def claims(s, disks):
    """The service knows only that they were free: their claims find out."""
    try:
        job = s.submit(disks)
    except Refused as e:  # it has just looked after all
        print(f'not asked of the claim: {e}')
        return 0
    check(s.await_end(job)['Outcome'] == 'refused', f'{s.job(job)}')
    rows = s.records(job=s.job(job)['Id'])
    check([r['outcome'] for r in rows] == ['refused'] * len(disks), f'{rows}')
    return 1


def bay_at(number):
    return f'[bay a{number}]\naddress = *:*:{number}:*\naction = erase\n'


def between_looks(s):
    """Without udev the service looks by itself each half a minute."""
    until(lambda: 6 < (time.monotonic() - s.began) % 30 < 12, 'the middle between two looks', 60)


def all_reasons(s, shelf):
    numbers = [*WORDS, NO_FLUSH, FREE]
    come(s, shelf, numbers)
    d = {n: at(s, n) for n in numbers}
    make_ready(d)
    rescan(s)
    looked(s, shelf)
    check([n for n in numbers if at(s, n)['Refusal']] == [18, 19, 20], 'before')
    between_looks(s)
    holder = put_to_use(s, shelf, d)
    before = media(shelf, numbers)
    # not 12, of which not even the capacity is told any more: that one is absent
    asked = claims(s, [d[n] for n in (*range(6, 12), *range(13, 17), NO_FLUSH)])
    check(media(shelf, numbers) == before, 'a claim leaves them as they are')
    reload(s, shelf, '')
    await_all(s, 'that it is seen', lambda: all(at(s, n)['Refusal'] for n in WORDS))
    for n, (refusal, words) in WORDS.items():
        check((at(s, n)['Refusal'], words in at(s, n)['Reason']) == (refusal, True), f'{at(s, n)}')
        refused(words if d[n]['Capacity'] == at(s, n)['Capacity'] else 'its capacity',
                s.submit, [at(s, n)])
    refused('there is no disk', s.submit, [d[12]])
    unasked(s, numbers)
    mine = [r for r in s.records() if r['serial'] in {d[n]['Serial'] for n in numbers}]
    # the one that does not flush is not tried again, as something was tried on it before
    check(len(mine) == (12 if asked else 2), f'attempts, {mine}')
    check(at(s, FREE)['Outcome'] == 'erased', 'the one that nothing keeps')
    check(at(s, NO_FLUSH)['Outcome'] == 'refused', f'{at(s, NO_FLUSH)}')
    check(media(shelf, numbers[:-1]) == before[:-1], 'none of the others is touched')
    check(s.stop() == 0, 'the stop')
    unseen(s, shelf, holder)
    holder.kill()


def unasked(s, numbers):
    """Found again in bays whose disks are erased. What is open may not be in a moment, and is
    looked at again for a while."""
    check(s.stop() == 0, 'the stop')
    s.configure(UNATTENDED + ''.join(bay_at(n) for n in numbers))
    s.start()
    for n, (_, words) in WORDS.items():
        await_all(s, f'what is said of {n}', lambda n=n, words=words: any(
            f'bay a{n}:' in line and 'is offered only' in line and words in line
            for line in s.said().splitlines()))
    await_all(s, 'the others', lambda: all(at(s, n) and at(s, n)['Outcome']
                                           for n in (NO_FLUSH, FREE)))


def unseen(s, shelf, holder):
    """It cannot be seen who has what open: no disk is free."""
    number = (0, 1, 4, 5, FREE)
    before = media(shelf, number)
    s.prefix = ['unshare', '--mount', 'sh', '-c',
                f'mount -t tmpfs none /proc/{holder.pid} && exec "$@"', 'sh']
    s.start()
    await_all(s, 'the disks', lambda: at(s, 0))
    free = [d for n in number if (d := at(s, n))]
    check(len(free) == len(number), f'{free}')
    for d in free:
        check(d['Refusal'] == 'unseen', f'{d}')
        refused('cannot be seen', s.submit, [d])
    looked(s, shelf)
    check(media(shelf, number) == before and not any(
        j['State'] != 'done' for j in s.jobs().values()), 'nothing begins')


def in_turn(step, *args):
    print(step.__name__, flush=True)
    step(*args)


def main():
    shelf = Shelf()
    s = Station(args=['--safety', '/run/station/safety'])
    open(s.folder + '/safety', 'w', encoding='utf-8').close()
    s.began = time.monotonic()
    s.start()
    disks = s.await_disks(7)[:6]
    in_turn(named, s, disks)
    in_turn(twins, s, shelf, disks)
    in_turn(swapped_before, s, shelf, disks)
    in_turn(swapped_within, s, shelf, disks)
    in_turn(too_late, s, shelf, disks)
    in_turn(swapped_unheard, s, shelf)
    in_turn(all_reasons, s, shelf)
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
