# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-security.sh does."""
import glob
import signal

from station import Refused, Shelf, Station, check, until

CONFIG = '[erase]\nmethod = ata-normal\n'
RECORDS = '/var/lib/diskwipe/passwords/*'


def erases(shelf):
    return shelf('firmware 0').startswith('running erase')


def taken(s, disk, jobs):
    """udev may open it again at any moment."""
    try:
        jobs.append(s.submit([disk]))
    except Refused as e:
        check('udev-worker' in str(e), f'{e}')
    return jobs


def submit(s, shelf, disk):
    shelf('plant 0 0 16384 random')
    until(lambda: not s.disk(disk['Serial'])['Reason'],
          lambda: f'it is free: {s.disk(disk["Serial"])}')
    jobs = []
    until(lambda: taken(s, disk, jobs), 'it is not open elsewhere')
    job = jobs[0]
    until(lambda: erases(shelf), 'it erases itself', 60)
    check(len(glob.glob(RECORDS)) == 1, 'its password is on record')
    return job


def killed(s, shelf, disk):
    """The command ends all the same; the service never heard of that, and has it repeated."""
    job = submit(s, shelf, disk)
    s.stop(signal.SIGKILL)
    until(lambda: not erases(shelf), 'the command ends', 60)
    shelf('plant 0 0 16384 random')
    s.start()
    s.await_end(job)
    check([d['outcome'] for d in s.result(job)['disks']] == ['erased'], f'{s.result(job)}')


def without_power(s, shelf, disk):
    job = submit(s, shelf, disk)
    shelf('gone 0')
    until(lambda: not s.disk(disk['Serial'])['Device'], 'the pull is seen', 60)
    check(len(glob.glob(RECORDS)) == 1, 'its password stays on record')
    shelf('back 0')
    shelf('cycle 0')
    until(lambda: s.disk(disk['Serial'])['Outcome'] == 'erased', 'the end', 90)
    s.await_end(job)
    found = sorted(r['outcome'] for r in s.records(serial=disk['Serial']))
    check(found == ['erased', 'erased', 'removed'], f'{found}')


def main():
    shelf = Shelf()
    s = Station(config=CONFIG).start()
    disk = next(d for d in s.await_disks(2) if d['Capacity'] and 'D0000' in d['Serial'])
    for way in (killed, without_power):
        way(s, shelf, disk)
        check(shelf('holds 0 0 16384').split()[:2] == ['0-16383', '0x00'], 'the medium')
        check(not glob.glob(RECORDS), 'no password is on record')
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
