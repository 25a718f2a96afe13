# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-bays.sh does."""
import threading
import time

from station import MANAGER, Shelf, Station, check, until

SIZE = 4 << 20
INQUIRY, KERNEL_READ = '12', '28'
ERASE = '[erase]\nverify = full\nflush-bytes = 1048576\ncontroller = fixed\nfixed-blocks = 256\n'


def bay(number, action):
    return f'[bay {number}]\nslot = *:Slot {number:02d}\naction = {action}\n'


# bays 0-8 and 15 for callers, 9-14 for whatever comes, 16 undeclared
CONFIG = ERASE + '[policy]\nunattended = yes\n' + \
    ''.join(bay(n, 'offer') for n in (*range(9), 15)) + \
    ''.join(bay(n, 'erase') for n in range(9, 15))


def rescan(s):
    s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)


def await_all(s, what, true, seconds=240):
    """There is no udev in this guest: the service looks when it is told to."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            tell(s)
            raise SystemExit(f'waited in vain for {what}')
        rescan(s)
        time.sleep(0.5)


def tell(s):
    """For whoever looks for the reason of a failure."""
    for d in s.disks().values():
        print(*(d[k] for k in ('Device', 'Serial', 'Bay', 'State', 'Outcome', 'Message', 'Reason')))
    for r in s.records():
        print(*(r[k] for k in ('job', 'serial', 'bay', 'outcome', 'reason')))
    print(s.said())


def in_bay(s, number):
    return next((d for d in s.disks().values() if d['Bay'] == str(number)), None)


def three_callers(s, disks):
    jobs = {}

    def caller(n):
        jobs[n] = s.submit(disks[n::3], label=f'caller {n}')

    threads = [threading.Thread(target=caller, args=(n,)) for n in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(len(jobs) == 3, 'three jobs')
    return list(jobs.values())


def are(s, serials, true):
    by_serial = {d['Serial']: d for d in s.disks().values()}
    return all(x in by_serial and true(by_serial[x]) for x in serials)


def sent(shelf, serial, opcode):
    told = next(d for d in shelf.stats()['disks'] if d['serial'] == serial)
    return told['opcodes'].get(opcode, 0)


def is_not_read(s, shelf, serial):
    """A discovery asks a claimed disk for its name, and leaves its contents alone: if the disk
    erased itself, the kernel would repeat the read for minutes."""
    before = sent(shelf, serial, KERNEL_READ)
    for _ in range(3):  # one of them has begun and ended meanwhile
        asked = sent(shelf, serial, INQUIRY)
        rescan(s)
        await_all(s, 'that it is asked',
                  lambda asked=asked: sent(shelf, serial, INQUIRY) > asked)
    check(sent(shelf, serial, KERNEL_READ) == before, 'it is not read')


def main():
    shelf = Shelf()
    s = Station(config=CONFIG).start()
    s.await_disks(9)
    disks = [in_bay(s, n) for n in range(9)]
    check(all(disks), 'each disk is in its bay')
    check(all(d['State'] == 'offered' for d in disks), 'they are offered')
    serial = [d['Serial'] for d in disks]
    for n in (0, 1, 3, 4, 9, 10):  # those that are pulled are held in the middle
        shelf(f'fault kind=hold disk={n} op=write,ws min=2 lba=4096 count=1')
    jobs = three_callers(s, disks)
    for n in range(9, 14):
        shelf(f'back {n}')
    rescan(s)

    # out in the middle, and back into the same bay, or into another
    gone = [serial[n] for n in (0, 3, 1, 4)]
    for n in (0, 1, 3, 4):
        shelf.await_held(n)
    for command in ('gone 0', 'gone 3', 'move 1 15', 'move 4 16'):
        shelf(command)
    await_all(s, 'those that came', lambda: all(in_bay(s, n) for n in range(9, 14)))
    came = [in_bay(s, n)['Serial'] for n in range(9, 14)]
    for n in (9, 10):
        shelf.await_held(n)
    is_not_read(s, shelf, came[0])
    for command in ('gone 10', 'move 9 14'):
        shelf(command)
    pulled = gone + came[:2]
    await_all(s, 'the end of those that went', lambda: set(pulled) ==
              {r['serial'] for r in s.records(outcome='removed')})
    for n in (0, 3, 10):
        shelf(f'back {n}')
    everything = serial + came
    await_all(s, 'the end of all',
              lambda: are(s, everything, lambda d: d['Outcome'] == 'erased'))
    check(s.disk(serial[1])['Bay'] == '15' and s.disk(serial[4])['Bay'] == '', 'where they are')
    check(s.disk(came[0])['Bay'] == '14', 'where the one that came is')
    check(all(s.job(s.disk(x)['Job'])['Label'] == f'bay {n}' for n, x in enumerate(came, 9)),
          'whose jobs those that came are')
    for job in jobs:
        j = s.job(job)
        check((j['ExitCode'], j['Outcome']) == (0, 'erased'), f'{j}')
    records = s.records()
    for x in everything:
        mine = [r for r in records if r['serial'] == x]
        check(sorted(r['outcome'] for r in mine) ==
              (['erased', 'removed'] if x in pulled else ['erased']), f'{mine}')
        check(all(r['ended'] >= r['started'] > 0 for r in mine), f'times of {mine}')
        check(mine[0]['outcome'] == 'erased' and len({r['job'] for r in mine}) == 1, 'one job')
    stats = {d['serial']: d for d in shelf.stats()['disks']}
    for x in everything:
        wrote = stats[x]['bytes_written'] if x not in pulled else stats[x]['medium_written']
        check(wrote < SIZE * 3 // 2, f'{x} was written {wrote} bytes')
    check(s.stop() == 0, 'the end')
    shelf('reset-all keep')
    for n in range(14):
        check(shelf.is_erased(n), f'disk {n} holds zeros')


if __name__ == '__main__':
    main()
