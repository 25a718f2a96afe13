# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-quarantine.sh does."""
import glob
import signal
import time

from station import Clock, Shelf, Station, check, looked, refused, until
from wire import MANAGER

CONFIG = '''[erase]
method = sanitize-overwrite
[bays]
spin-down = yes
[bay all]
address = *:*:*:*
action = offer
'''
LOOK_S = 61
STALL_S = 1900
INQUIRY, POLLS = '12', ('00', '03')


def state_of(s, disk):
    return s.disk(disk['Serial'])['State']


def outcomes(s, disk):
    return [r['outcome'] for r in reversed(s.records(serial=disk['Serial']))]


def states_kept(s):
    return len(glob.glob(s.state + '/*.state'))


def asked(shelf, disk, *opcodes):
    """How often the disk was asked so."""
    told = next(d for d in shelf.stats()['disks'] if d['serial'] == disk['Serial'])['opcodes']
    return sum(told.get(code, 0) for code in opcodes)


def stand_still(s, clock, shelf, disk):
    """It has reported no progress for half an hour. Whatever time has passed, it is asked first."""
    until(lambda: state_of(s, disk) == 'sanitizing',
          lambda: f'it works: {s.disk(disk["Serial"])}')
    for _ in range(5):  # the first answers are progress
        polls = asked(shelf, disk, *POLLS)
        clock.leap(STALL_S)
        until(lambda polls=polls: state_of(s, disk) != 'sanitizing' or
              asked(shelf, disk, *POLLS) > polls, 'a question')
        if state_of(s, disk) == 'quarantined':
            break
    until(lambda: state_of(s, disk) == 'quarantined', f'the quarantine: {s.disk(disk["Serial"])}')
    found = s.disk(disk['Serial'])
    check(found['Outcome'] == 'failed' and found['Message'].startswith('left working'), f'{found}')


def leap_until(clock, true, what):
    """The next look is due a minute after the end of one that may be under way now."""
    end = time.monotonic() + 180
    while not true():
        if time.monotonic() > end:
            raise SystemExit(f'waited in vain for {what}')
        clock.leap(LOOK_S)
        soon = time.monotonic() + 3
        while not true() and time.monotonic() < soon:
            time.sleep(0.02)


def begin(s, clock, shelf, disk):
    job = s.submit([disk])
    stand_still(s, clock, shelf, disk)
    check(s.await_end(job)['ExitCode'] == 4, 'the job has ended')
    check(s.result(job)['disks'][0]['left_working'], 'its result says so')
    return job


def look(s, clock, disk, shelf, number):
    """It is looked at, and nothing more than that: no reset, no motor, no other SANITIZE."""
    before = len(outcomes(s, disk))
    for _ in range(2):
        looks = asked(shelf, disk, INQUIRY)
        leap_until(clock, lambda looks=looks: asked(shelf, disk, INQUIRY) > looks,
                   'that it is looked at')
        looked(s, shelf)
    check(state_of(s, disk) == 'quarantined', 'it stays in quarantine')
    check(len(outcomes(s, disk)) == before, 'no new attempt')
    check(shelf(f'firmware {number}').startswith('running'), 'it works on')
    refused('in quarantine', s.submit, [disk])


def metric(s, name, disk):
    node = s.disk(disk['Serial'])['Device']
    text = s.call(MANAGER, 'Manager', 'Metrics', 'a{sv}', 0)[0]
    return next(line.split()[-1] for line in text.splitlines()
                if line.startswith(f'diskwipe_disk_{name}{{device="{node}"}}'))


def stays(s, clock, shelf, disk):
    """Also after a restart of the service, and out of its bay and back."""
    check(metric(s, 'quarantined', disk) == '1' and metric(s, 'active', disk) == '0', 'metrics')
    look(s, clock, disk, shelf, 0)
    s.stop(signal.SIGKILL)
    s.start()
    until(lambda: (s.disk(disk['Serial']) or {}).get('State') == 'quarantined', 'it is known')
    look(s, clock, disk, shelf, 0)
    shelf('gone 0')
    until(lambda: state_of(s, disk) == 'absent', 'the pull is seen')
    clock.leap(4 * 86400)
    looked(s, shelf)
    shelf('back 0')
    until(lambda: state_of(s, disk) == 'quarantined', 'it is the one that was left')
    look(s, clock, disk, shelf, 0)
    check(states_kept(s) == 1, 'its state is kept')


def goes_on(s, clock, shelf, disk, job):
    """Somebody asks, in vain; then it has ended, and that is noticed."""
    s.ask(job, 'Resume')
    stand_still(s, clock, shelf, disk)
    check(outcomes(s, disk) == ['failed', 'failed'], f'{outcomes(s, disk)}')
    look(s, clock, disk, shelf, 0)
    shelf('set 0 stuck_at=0')
    until(lambda: not shelf('firmware 0').startswith('running'), 'its end')
    leap_until(clock, lambda: s.disk(disk['Serial'])['Outcome'] == 'erased', 'it is proven')
    check(s.await_end(job)['ExitCode'] == 0, 'the job')
    check(outcomes(s, disk) == ['failed', 'failed', 'erased'], f'{outcomes(s, disk)}')
    check(shelf('holds 0 0 16384').split()[:2] == ['0-16383', '0x00'], 'the medium')
    check(state_of(s, disk) == 'done' and states_kept(s) == 0, 'nothing is left of it')


def is_free(s, disk):
    """A look may come too early, or find the disk open elsewhere for a moment."""
    if s.disk(disk['Serial'])['Reason']:
        s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    return not s.disk(disk['Serial'])['Reason']


def is_refused(s, disk):
    if state_of(s, disk) != 'refused':
        s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    return state_of(s, disk) == 'refused'


def given_up(s, clock, shelf, disk):
    """Cancelled: its state is forgotten; it is refused as long as it works, and free after that."""
    job = begin(s, clock, shelf, disk)
    refused('ended already', s.ask, job, 'Pause')
    s.ask(job, 'Cancel')
    until(lambda: is_refused(s, disk), lambda: f'it works: {s.disk(disk["Serial"])}')
    check(states_kept(s) == 0, 'its state is forgotten')
    refused('ended already', s.ask, job, 'Resume')
    refused('sanitize in progress', s.submit, [disk])
    shelf('set 1 stuck_at=0')
    until(lambda: not shelf('firmware 1').startswith('running'), 'its end')
    until(lambda: is_free(s, disk), lambda: f'it is free: {s.disk(disk["Serial"])}')
    check(outcomes(s, disk) == ['failed'], f'{outcomes(s, disk)}')


def lies(s, clock, shelf, disk):
    """It has erased half of itself, and says that it is done."""
    begin(s, clock, shelf, disk)
    shelf('set 2 stuck_at=0')
    until(lambda: not shelf('firmware 2').startswith('running'), 'its end')
    leap_until(clock, lambda: len(outcomes(s, disk)) == 2 and '' not in outcomes(s, disk),
               'the proof')
    found = s.disk(disk['Serial'])
    check(found['Outcome'] == 'failed' and 'DID NOT ERASE' in found['Message'], f'{found}')
    check(found['State'] == 'done', f'{found}')


def main():
    shelf = Shelf()
    s = Station(config=CONFIG)
    clock = Clock(s)
    s.start()
    disks = s.await_disks(5)
    job = begin(s, clock, shelf, disks[0])
    stays(s, clock, shelf, disks[0])
    goes_on(s, clock, shelf, disks[0], job)
    given_up(s, clock, shelf, disks[1])
    lies(s, clock, shelf, disks[2])
    stats = {d['serial']: d for d in shelf.stats()['disks']}
    for disk in disks[:3]:
        told = stats[disk['Serial']]['opcodes']
        check(told.get('48', 0) == 1, f'one SANITIZE: {told}')
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
