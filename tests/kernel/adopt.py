# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-adopt.sh does."""
import glob
import os
import signal
import subprocess

from station import Shelf, Station, check, until

CONFIG = '[erase]\nmethod = sanitize-overwrite\n'


def began(s):
    """It works, and the state file knows that it does."""
    for file in glob.glob(s.state + '/*.state'):
        with open(file, encoding='utf-8') as f:
            if '"operating":true' in f.read():
                return True
    return False


def sanitizes(shelf):
    return shelf('firmware 0').startswith('running')


def submit(s, shelf, disk):
    shelf('plant 0 0 16384 random')
    until(lambda: not s.disk(disk['Serial'])['Reason'], 'it is free')
    job = s.submit([disk])
    until(lambda: began(s), 'the state')
    check(sanitizes(shelf), 'it works')
    return job


def await_work(s, disk):
    until(lambda: s.disk(disk['Serial'])['State'] == 'sanitizing',
          lambda: f'the service that knows of its work: {s.disk(disk["Serial"])}')


def refused_often(s, disk):
    """It is open in another program, and more often claimed than the service tries for others."""
    seen, before = 0, ''

    def often():
        nonlocal seen, before
        now = s.disk(disk['Serial'])
        seen += now['State'] == 'claiming' != before
        before = now['State']
        return seen > 4
    until(often, lambda: f'{seen} attempts: {s.disk(disk["Serial"])}')


def restarted(s, shelf, disk):
    job = submit(s, shelf, disk)
    with open(disk['Block'], 'rb'):
        s.stop(signal.SIGKILL)
        check(sanitizes(shelf), 'it works on')
        s.start()
        refused_often(s, disk)
    await_work(s, disk)
    check(sanitizes(shelf), 'the attempt goes on before its end')
    shelf('finish 0')
    s.await_end(job)
    check([d['outcome'] for d in s.result(job)['disks']] == ['erased'], f'{s.result(job)}')


def without_power(s, shelf, disk):
    job = submit(s, shelf, disk)
    shelf('gone 0')
    until(lambda: not s.disk(disk['Serial'])['Device'], 'the pull is seen')
    shelf('back 0')
    shelf('cycle 0')
    await_work(s, disk)
    check(sanitizes(shelf), 'the new attempt begins before its end')
    shelf('finish 0')
    until(lambda: s.disk(disk['Serial'])['Outcome'] == 'erased', 'the end', 60)
    s.await_end(job)
    found = sorted(r['outcome'] for r in s.records(serial=disk['Serial']))
    check(found == ['erased', 'erased', 'removed'], f'{found}')


def no_probing():
    """The kernel lets a program that reads a disk wait for its SANITIZE: udevd would for minutes.
    Who has it open here is this test alone."""
    os.makedirs('/run/udev/rules.d', exist_ok=True)
    with open('/run/udev/rules.d/00-no-probing.rules', 'w', encoding='ascii') as f:
        f.write('SUBSYSTEM=="block", ENV{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}="1"\n')
    subprocess.run(['udevadm', 'control', '--reload'], check=True)


def main():
    no_probing()
    shelf = Shelf()
    s = Station(config=CONFIG).start()
    disk = s.await_disks(2)[0]
    for way in (restarted, without_power):
        way(s, shelf, disk)
        check(shelf('holds 0 0 16384').split()[:2] == ['0-16383', '0x00'], 'the medium')
    stats = {d['serial']: d for d in shelf.stats()['disks']}
    told = stats[disk['Serial']]['opcodes'].get('48', 0)
    check(told == 2, f'{told} commands SANITIZE')
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
