# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service.sh does."""
import contextlib
import os
import signal
import sqlite3
import subprocess
import threading

from station import (BUILD, MANAGER, NAME, ROOT, Refused, Shelf, Station, check, interface, refused,
                     run, until)

HERE = os.path.dirname(os.path.abspath(__file__))


def described(s, disks):
    """The interface is the one of packaging/dbus."""
    with open(HERE + '/../../packaging/dbus/' + NAME + '.xml', encoding='utf-8') as f:
        want = interface(f.read())
    job = s.submit(disks[5:6], verify='off')
    found = set()
    for path in (MANAGER, next(iter(s.disks())), job):
        found |= interface(s.bus('call', NAME, path, 'org.freedesktop.DBus.Introspectable',
                                 'Introspect')[0])
    check(found == want, f'the interface: {sorted(found ^ want)}')
    check(s.await_end(job)['ExitCode'] == 0, 'the first job')


def number(disk):
    """Of the shelf's disk."""
    return int(disk['Address'].split(':')[2])


def is_erased(disk):
    """What the medium holds, whatever is in a cache."""
    check(Shelf().is_erased(number(disk)), f'{disk["Block"]} holds zeros')


def held(s, disks, **options):
    """A job of whose disks each is held in the middle, until "clear" of each."""
    shelf = Shelf()
    for d in disks:
        shelf(f'fault kind=hold disk={number(d)} op=write,ws min=2 lba=4096 count=1')
    job = s.submit(disks, command='write', controller='fixed', fixed_blocks='64', **options)
    for d in disks:
        shelf.await_held(number(d))
    return job


def let_go(*disks):
    for d in disks:
        Shelf()(f'clear {number(d)}')


def three_callers(s, disks):
    jobs = []

    def caller(mine):
        jobs.append((s.submit(mine, verify='full'), mine))

    Shelf()(f'fault kind=hold disk={number(disks[0])} op=write,ws min=2 nth=1')
    threads = [threading.Thread(target=caller, args=(disks[i::3],)) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(len(jobs) == 3, 'three jobs')
    refused('has it', s.submit, disks[:1])
    let_go(disks[0])
    for job, mine in jobs:
        j = s.await_end(job)
        check((j['ExitCode'], j['Outcome'], j['DisksDone']) == (0, 'erased', len(mine)), f'{j}')
        check(sorted(x['serial'] for x in s.result(job)['disks']) ==
              sorted(d['Serial'] for d in mine), 'the disks of the result')
        check(all(x['outcome'] == 'erased' and x['verify']['mode'] == 'full'
                  for x in s.result(job)['disks']), 'the outcomes of the result')
    for d in disks:
        is_erased(d)
        check(s.disk(d['Serial'])['Outcome'] == 'erased', 'the outcome of the disk')
    check(len([r for r in s.records() if r['outcome'] == 'erased']) == len(disks) + 1, 'records')
    check(len(s.records(serial=disks[5]['Serial'])) == 2, 'records of a disk')


def refusals(s, disks):
    d = dict(disks[0])
    # what has read the disks is gone, but they may have been looked at before that
    s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    until(lambda: not any(x['Refusal'] for x in s.disks().values()), 'nobody has a disk open')
    refused('there is no disk with serial', s.submit, [{**d, 'Serial': 'another'}])
    refused('there is no disk with serial', s.submit, [{**d, 'Capacity': d['Capacity'] + 512}])
    refused('a disk is named by', s.submit, [{**d, 'Serial': '', 'WWN': ''}])
    refused('named twice', s.submit, [d, d])
    refused('no disk is named', s.submit, [])
    refused('longer than 63 bytes', s.submit, [d], label='x' * 64)
    refused('longer than 63 bytes', s.submit, [{**d, 'Asset': 'x' * 64}])
    refused('control characters', s.submit, [{**d, 'Asset': 'IT\x1b[2J'}])
    refused('control characters', s.submit, [d], customer='Müller\x9b')
    refused('marks of direction', s.submit, [d], operator='\u202eanna')
    refused('too long', s.submit, [d], order_number='1' * 64)
    refused("not a value", s.submit, [d], verify='perhaps')
    for key in ('state_file', 'key_file', 'trace_file', 'rules', 'active', 'mirror', 'nonsense'):
        refused('no such option', s.submit, [d], **{key: '/etc/passwd'})
    refused('is not known', s.submit, [d], method='no-such-method')
    refused('there is no option', s.call, MANAGER, 'Manager', 'Rescan', 'a{sv}', 1, 'x', 's', 'y')
    run('mkfs.ext4', '-q', d['Block'])
    os.makedirs('/run/mnt', exist_ok=True)
    run('mount', d['Block'], '/run/mnt')
    s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    until(lambda: s.disk(d['Serial'])['Refusal'] == 'mounted', 'the mounted disk')
    refused('umount', s.submit, [d])
    refused('umount', s.submit, disks)
    check(len(s.jobs()) == 4, 'nothing was queued')
    run('umount', '/run/mnt')
    s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    until(lambda: s.disk(d['Serial'])['Refusal'] == '', 'the disk is free again')
    # nothing of what was refused is an option of the job
    check('ext4' in s.disk(d['Serial'])['Signatures'], 'its signature is told')


def plans(s, disks):
    digest, text = s.submit(disks[4:6], member='Plan', verify='full')
    check('"forecast"' in text and disks[4]['Serial'] in text, 'a plan with its forecast')
    again = s.submit(disks[4:6], member='Plan', verify='full')
    check(again[0] == digest, 'the same plan has the same digest')
    refused('there is no plan', s.call, MANAGER, 'Manager', 'SubmitPlan', 'sa{sv}', 'f' * 64, 0)
    job = s.call(MANAGER, 'Manager', 'SubmitPlan', 'sa{sv}', digest, 0)[0]
    check(s.await_end(job)['ExitCode'] == 0, 'the job of a plan')


def seen_meanwhile(s, disks):
    """Disks are looked for while a job begins and ends. What was held by it then is free now, also
    for a discovery that ends later, since another disk is slow to answer."""
    shelf = Shelf()
    mine, slow = (number(d) for d in (disks[0], disks[7]))
    for name in 'LOOK1', disks[7]['Serial']:
        shelf(f'fault kind=hold disk={mine} op=write,ws min=2 nth=1')
        job = s.submit(disks[:1], verify='off')
        shelf.await_held(mine)
        shelf(f'fault kind=hold disk={slow} op=0x12 count=1')
        before = shelf.disk(mine)['commands']
        s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
        shelf.await_held(slow)
        until(lambda before=before: shelf.disk(mine)['commands'] > before, 'a look at its disk')
        shelf(f'clear {mine}')
        check(s.await_end(job)['ExitCode'] == 0, 'the job')
        shelf(f'set {slow} serial={name}')  # that look finds it by this name
        shelf(f'clear {slow}')
        until(lambda name=name: s.disk(name) and s.disk(name)['Device'], 'the end of the look')
        found = s.disk(disks[0]['Serial'])
        check(not found['Reason'], f'it is free: {found}')


def asked(s, disks):
    """Pause holds a disk, cancel ends one and then the job."""
    job = held(s, disks[:3])
    paths = {d['Serial']: p for p, d in s.disks().items()}
    serial = [d['Serial'] for d in disks]
    s.ask(job, 'Pause', paths[serial[0]])
    s.ask(job, 'Cancel', paths[serial[1]])
    let_go(*disks[:3])
    until(lambda: s.disk(serial[0])['State'] == 'paused', 'the pause')
    stands = s.disk(serial[0])['Bytes']
    until(lambda: s.disk(serial[1])['Outcome'] == 'stopped', 'the cancelled disk')
    refused('no disk of the job', s.ask, job, 'Cancel', paths[serial[5]])
    refused('ended already', s.ask, job, 'Pause', paths[serial[1]])
    until(lambda: s.disk(serial[2])['Outcome'] == 'erased', 'the other disk')
    check(s.disk(serial[0])['Bytes'] == stands, 'a paused disk stands')
    check(s.result(job)['job']['outcome'] not in ('erased', 'stopped'), 'a job that goes on')
    check(s.job(job)['ExitCode'] == -1, 'a job with a paused disk goes on')
    s.ask(job, 'Resume', paths[serial[0]])
    j = s.await_end(job)
    check(j['ExitCode'] == 6, f'exit code of a job with a cancelled disk: {j["ExitCode"]}')
    check(s.disk(serial[0])['Outcome'] == 'erased', 'the resumed disk')
    refused('ended already', s.ask, job, 'Cancel')
    job = s.submit(disks[:2], command='write')
    s.ask(job, 'Cancel')
    check(s.await_end(job)['ExitCode'] == 6, 'a cancelled job')


def queued(s, disks):
    """One at a time: the greater priority goes first, and each is told when it begins."""
    s.configure('[queue]\nactive = 1\n')
    s.process.send_signal(signal.SIGHUP)
    until(lambda: 'read again' in s.said(), 'the new configuration')
    check(s.said().count('started: version') == 1, 'that it has started is said once')
    first = held(s, disks[:1], verify='full')
    low = s.submit(disks[6:7], command='write')
    high = s.submit(disks[7:8], command='write', priority=5)
    began = s.job(first)['StartTime']
    until(lambda: s.jobs()[low]['ExpectedStartTime'] > began, 'a forecast')
    for d in disks[6:8]:  # the claim of either may take longer than the first disk
        until(lambda d=d: s.disk(d['Serial'])['State'] == 'waiting', 'that it is its turn to wait')
    let_go(disks[0])
    ends = [s.await_end(j)['EndTime'] for j in (first, high, low)]
    check(ends == sorted(ends), f'the order: {[s.job(j) for j in (first, high, low)]}')
    slow = held(s, disks[1:2])
    quick = s.submit(disks[6:7], command='write')
    let_go(disks[1])
    ends = [s.await_end(j)['EndTime'] for j in (slow, quick)]
    check(ends == sorted(ends), 'jobs that want another length count, too')
    s.configure('')
    s.call(MANAGER, 'Manager', 'Reload', 'a{sv}', 0)


def stopped(s, disks):
    """Ended by a signal it flushes; started again it goes on, and nothing is done twice."""
    job = held(s, disks[:4], verify='full', note='for the\tauditor')
    s.begin_to_stop()
    let_go(*disks[:4])
    check(s.process.wait(60) == 0, 'the exit code of a stop')
    with contextlib.closing(sqlite3.connect(s.state + '/station.db')) as db:
        notes = db.execute("select job, text_ from audit where what = 'note'").fetchall()
    check(len(notes) == 1 and notes[0][1] == 'for the?auditor' and
          notes[0][0] in job.replace('_', '-'), f'the note: {notes}')
    s.start()
    check(s.jobs()[job]['ExitCode'] == -1, 'the job goes on')
    until(lambda: f'{len(disks)} disks, 1 job goes on' in s.said(), 'what it says of its start')
    j = s.await_end(job)
    check((j['ExitCode'], j['DisksDone']) == (0, 4), f'{j}')
    for d in disks[:4]:
        is_erased(d)
    other = Station('/run/other')
    other.state = s.state
    other.start(wait=False)
    check(other.process.wait(20) == 1 and 'another diskwiped' in other.said(), 'two of them')


def damaged(s, disks):
    """A record that is damaged is kept aside, and said; a configuration with a fault stops the
    start, and leaves the running service as it is."""
    check(s.stop() == 0, 'the stop')
    with open(s.state + '/station.db', 'r+b') as f:
        f.seek(4096)
        f.write(b'\xa5' * 4096)
    s.start()
    check('is kept as' in s.said(), 'what it says of the damage')
    check(any('is kept as' in n for n in s.property(MANAGER, 'Manager', 'Notes')), 'the note')
    check(any(f.startswith('station.db.damaged-') for f in os.listdir(s.state)), 'kept aside')
    s.await_disks(len(disks))
    check(s.await_end(s.submit(disks[5:6]))['ExitCode'] == 0, 'it goes on')
    # and what the old one knew of the disks, nobody knows: none is erased unasked
    jobs = len(s.jobs())
    s.configure('[bay all]\naddress = *\naction = erase\n[policy]\nunattended = yes\n')
    s.call(MANAGER, 'Manager', 'Reload', 'a{sv}', 0)
    until(lambda: s.disk(disks[0]['Serial'])['State'] == 'offered', 'the bays')
    until(lambda: s.said().count('a damaged record was kept aside') == len(disks), 'why not')
    check(len(s.jobs()) == jobs, 'nothing is erased unasked')
    s.configure('[queue]\nactive = many\n')
    refused('[queue] active', s.call, MANAGER, 'Manager', 'Reload', 'a{sv}', 0)
    check(s.await_end(s.submit(disks[5:6]))['ExitCode'] == 0, 'with the old configuration')
    bad = Station('/run/bad', config='[bay 1]\naction = erase\n')
    bad.start(wait=False)
    check(bad.process.wait(20) == 1 and 'it needs slot=, phy= or address=' in bad.said(),
          bad.said())


def script(path, text):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('#!/bin/sh\n' + text)
    os.chmod(path, 0o755)


def hooks(s, disks):
    os.makedirs('/run/hooks', exist_ok=True)
    os.makedirs('/run/hooks/out', exist_ok=True)
    os.chmod('/run/hooks/out', 0o777)
    script('/run/hooks/pre', 'id -u >/run/hooks/out/uid\n'
           f'grep -q \'"serial":"{disks[0]["Serial"]}"\' && exit 3\nexit 0\n')
    script('/run/hooks/post', 'cat >/run/hooks/out/post\n')
    script('/run/hooks/slow', 'exec sleep 100\n')
    conf = '[hooks]\npre-erase = /run/hooks/{}\npost-erase = /run/hooks/post\nuser = nobody\n' \
           'timeout = 5s\n[metrics]\ntextfile = /run/hooks/out/diskwipe.prom\n'
    s.configure(conf.format('pre'))
    s.call(MANAGER, 'Manager', 'Reload', 'a{sv}', 0)
    job = s.submit([disks[0], disks[5]])
    check(s.await_end(job)['ExitCode'] == 3, 'a job of which a hook stops one disk')
    check(s.disk(disks[0]['Serial'])['Outcome'] == 'refused', 'the disk that was stopped')
    check('exit code 3' in s.disk(disks[0]['Serial'])['Message'], 'why')
    check(s.disk(disks[5]['Serial'])['Outcome'] == 'erased', 'the other')
    r = s.result(job)
    check((r['job']['outcome'], len(r['disks'])) == ('failed', 1),
          'erased without one of its disks')
    check([x['device'] for x in r['refused']] == [disks[0]['Serial']], f'{r["refused"]}')
    with open('/run/hooks/out/uid', encoding='utf-8') as f:
        check(f.read().strip() == '65534', 'the user of a hook')
    until(lambda: os.path.exists('/run/hooks/out/post'), 'the hook after it')
    s.configure(conf.format('slow'))
    s.call(MANAGER, 'Manager', 'Reload', 'a{sv}', 0)
    job = s.submit(disks[5:6])
    check(s.await_end(job)['ExitCode'] == 2, 'a hook that takes too long')
    check('not done within 5 s' in s.disk(disks[5]['Serial'])['Message'], 'why')
    check(s.stop() == 0, 'the stop')
    s.prefix = ['setpriv', '--bounding-set=-setuid,-kill']
    s.start()
    s.await_disks(len(disks))
    check(s.await_end(s.submit(disks[5:6]))['ExitCode'] == 2, 'a hook without the rights to it')
    check('CAP_SETUID CAP_KILL' in s.disk(disks[5]['Serial'])['Message'], 'which rights')
    until(lambda: os.path.exists('/run/hooks/out/diskwipe.prom'), 'the file of metrics')
    text = subprocess.run(['curl', '-s', '--unix-socket', s.socket, 'http://station/metrics'],
                          capture_output=True, text=True, check=True).stdout
    check(f'serial="{disks[0]["Serial"]}"' in text, 'metrics by HTTP')
    lines = [line for line in text.splitlines() if line and line[0] != '#']
    check(all(len(line.rsplit(' ', 1)) == 2 for line in lines), 'no time stamps')


def outsider(s, disks):
    for path, face, method in ((MANAGER, 'Manager', 'Rescan'), (MANAGER, 'Manager', 'Metrics')):
        refused('', s.call, path, face, method, 'a{sv}', 0, user=65534)
    os.chmod(s.socket, 0o666)  # even with the file's mode out of the way
    refused('', s.call, MANAGER, 'Manager', 'Metrics', 'a{sv}', 0, user=65534)
    refused('', s.submit, disks[:1], user=65534)
    check('denied to user 65534' in s.said(), 'what it says of that')


def main():
    s = Station().start()
    disks = s.await_disks(8)
    described(s, disks)
    three_callers(s, disks)
    refusals(s, disks)
    plans(s, disks)
    seen_meanwhile(s, disks)
    asked(s, disks)
    queued(s, disks)
    stopped(s, disks)
    damaged(s, disks)
    hooks(s, disks)
    outsider(s, disks)
    try:
        s.bus('call', NAME, ROOT, 'org.freedesktop.DBus.Peer', 'Ping')
    except Refused as e:
        check(False, f'it does not answer any more: {e}')
    check(s.stop() == 0, f'the end; {BUILD}')


main()
