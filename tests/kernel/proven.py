# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-record.sh does."""
import fcntl
import glob
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time

from station import DAEMON, Shelf, Station, check, until

FOLDER = '/run/records'
KEY = '/run/record.key'
SIGNERS = '/run/signers'
ELSEWHERE = '/dev/nothing'
CONFIG = f'[station]\nrecords = {FOLDER}\nrecord-key = {KEY}\n[erase]\norder-number = 4711\n'


def program(*words):
    return subprocess.run([os.environ['DISKWIPE'], *words], capture_output=True, text=True,
                          timeout=120, check=False)


def documents(kind):
    found = []
    for path in sorted(glob.glob(FOLDER + '/record-*.json')):
        with open(path, encoding='ascii') as f:
            found.append(json.load(f))
    return [d for d in found if d['document'] == kind]


def on_record():
    """Of the service; not those that others add to the folder."""
    return [d for d in documents('erasure-record') if d['disk']['device'] != ELSEWHERE]


def added_by_another(*words):
    r = program(*words, f'--record={FOLDER}', f'--record-key={KEY}', '--operator=bert')
    check(r.returncode in (0, 2) and 'could not be written' not in r.stderr, f'{r}')


def record_of_another():
    added_by_another('erase', '--yes', '--expect-count=1', ELSEWHERE)


def audit_rows():
    return [r for d in documents('audit-record') for r in d['rows']]


def audited(s):
    """Of a service that was stopped: all of the audit trail is in the chain, once, as it stands."""
    db = sqlite3.connect(f'file:{s.state}/station.db?mode=ro', uri=True)
    want = db.execute('select seq, at, uid, pid, loginuid, comm, bus, what, job, text_'
                      ' from audit order by seq').fetchall()
    db.close()
    got = [tuple(r[k] for k in ('row', 'at', 'uid', 'pid', 'loginuid', 'comm', 'bus', 'what',
                                'job', 'text')) for r in audit_rows()]
    check(want and got == want, f'the chain has {got}, the store {want}')
    check({d['host']['kernel'] for d in documents('audit-record')} == {os.uname().release}, 'host')


def whole(n, seconds=180):
    until(lambda: len(glob.glob(FOLDER + '/head-*.sig')) == 1 and
          len(on_record()) == n, f'{n} records', seconds)
    r = program('records', 'verify', f'--signers={SIGNERS}', FOLDER)
    all_kinds = len(glob.glob(FOLDER + '/record-*.json'))
    check(r.returncode == 0 and f': {all_kinds} record' in r.stdout and not r.stderr, f'{r}')
    r = program('records', 'list', '--noheadings', '--limit=1000', FOLDER)
    ids = [p['id'] for p in documents('erasure-record')]
    check(r.returncode == 0 and len(r.stdout.splitlines()) == len(ids), f'{r}')
    check(len(set(ids)) == len(ids), f'an attempt has two: {ids}')


def ended(s, disks, **options):
    job = s.submit(disks, **options)
    s.await_end(job)
    return job


def begin(s):
    s.start()
    s.await_disks(5)


def without_records(s, shelf, disks):
    """What ended before there was a folder is recorded when there is one."""
    begin(s)
    ended(s, disks[:1], label='before')
    check(not os.path.exists(FOLDER), 'there is no folder')
    s.configure(CONFIG)
    s.process.send_signal(signal.SIGHUP)
    whole(1)
    until(lambda: [r['what'] for r in audit_rows()][:1] == ['submit'], 'the audit trail', 60)
    p = on_record()[0]
    check(p['outcome'] == 'erased' and p['level'] == 'clear' and p['label'] == 'before' and
          (p['operator'], p['asked_by']) == ('', 'root') and
          p['station'] == os.uname().nodename and 'customer' not in p and
          p['disk']['serial'] == disks[0]['Serial'] and
          p['verification']['done'] == 'full' and p['host']['kernel'], f'{p}')
    check(shelf.is_erased(int(disks[0]['Address'].split(':')[2])), 'its medium')


def all_ends(s, disks):
    job = ended(s, [{**disks[1], 'Asset': 'IT-1 "x"'}], customer='Müller & <b>', operator='bert')
    whole(2)
    p = on_record()[1]
    check((p['operator'], p['asked_by'], p['customer'], p['order'], p['asset']) ==
          ('bert', 'root', 'Müller & <b>', '4711', 'IT-1 "x"'), f'who and whose: {p}')
    r = s.records(serial=disks[1]['Serial'])[0]
    check((r['customer'], r['order_number'], r['asset']) == ('Müller & <b>', '4711', 'IT-1 "x"'),
          f'told to callers: {r}')
    check(p['outcome'] == 'erased-with-exceptions' and p['level'] == 'none' and
          p['exceptions'][0]['lba'] == 4000, f'{p}')
    bad = s.disk(disks[1]['Serial'])['BadBlocks']
    check(bad == sum(e['blocks'] for e in p['exceptions']) > 0, f'{bad} bad blocks: {p}')
    check(job.endswith(p['job']['id'].replace('-', '_')) or p['job']['id'], f'{job} {p["job"]}')
    job = s.submit(disks[4:5], write_cache='keep')
    until(lambda: s.disk(disks[4]['Serial'])['Bytes'] > 0, 'the beginning')
    s.ask(job, 'Cancel')
    s.await_end(job)
    whole(3)
    check((on_record()[2]['outcome'], on_record()[2]['level']) == ('stopped', 'none'), 'stopped')


def killed(s, disks):
    """At any moment: what ended has one record afterwards, and one only."""
    n = len(on_record())
    for i in range(4):
        # others look at a disk that was written to
        until(lambda: not any(s.disk(d['Serial'])['Reason'] for d in disks[2:4]),
              lambda: f'they are free: {s.disks()}')
        s.submit(disks[2:4])
        if i % 2:
            until(lambda: len(on_record()) > n, 'the first record', 60)
        else:
            until(lambda: s.disk(disks[2]['Serial'])['Outcome'] == 'erased', 'an end', 60)
        s.stop(signal.SIGKILL)
        if i == 2:  # and others come behind the one that the store does not know of
            added_by_another('qc', 'draw', '50%')
        if i > 1:
            record_of_another()
        begin(s)
        until(lambda: all(j['ExitCode'] != -1 for j in s.jobs().values()), 'the jobs end', 60)
        n = len([r for r in s.records() if r['outcome']])
        whole(n)


def others_add(s, disks):
    """While the service runs others add to the folder, too: a draw, the check of what it drew."""
    n = len(on_record())
    added_by_another('qc', 'draw', '100%')
    record_of_another()
    ended(s, disks[2:3])
    whole(n + 1)
    until(lambda: not s.disk(disks[2]['Serial'])['Reason'], 'it is free')
    added_by_another('verify', '--drawn', s.disk(disks[2]['Serial'])['Device'])
    checks = [p for p in documents('erasure-record') if 'second_check' in p]
    check([(p['outcome'], p['second_check']['erased_by']) for p in checks] ==
          [('as-expected', 'root')], f'{checks}')
    # killed before the store knew of a record, and another one came behind that
    s.stop()
    db = sqlite3.connect(s.state + '/station.db')
    db.execute('update attempt set record = 0 where id = (select max(id) from attempt)')
    db.commit()
    db.close()
    record_of_another()
    begin(s)
    ended(s, disks[3:4])
    whole(n + 3)
    # who holds it open for long does not stop the service
    with open(FOLDER + '/.lock', 'r', encoding='ascii') as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        ended(s, disks[2:3])
        check(s.disks(), 'it answers')
    whole(n + 4)


def quiet_day(s):
    """Nothing is asked for, and the day has its mark nevertheless."""
    s.stop()
    audited(s)
    begin(s)
    n = len(documents('audit-record'))
    last = len(glob.glob(FOLDER + '/record-*.json'))
    subprocess.run(['date', '-s', '+1 day'], check=True, stdout=subprocess.DEVNULL)
    until(lambda: len(documents('audit-record')) == n + 1, 'the record of the day', 30)
    check(documents('audit-record')[-1]['rows'] == [], 'nothing was asked for')
    until(lambda: os.path.exists(f'{FOLDER}/day-{last:08}.json.sig'), 'the mark of the day')
    whole(len(on_record()))
    os.rename(f'{FOLDER}/day-{last:08}.json', '/run/day')
    os.rename(f'{FOLDER}/day-{last:08}.json.sig', '/run/day.sig')
    r = program('records', 'verify', f'--signers={SIGNERS}', FOLDER)
    check(r.returncode == 5 and 'last of its day' in r.stdout + r.stderr, f'{r}')
    os.rename('/run/day', f'{FOLDER}/day-{last:08}.json')
    os.rename('/run/day.sig', f'{FOLDER}/day-{last:08}.json.sig')


def many_rows(s):
    """Of 500 rows a record is made at once, however young they are; the others may wait."""
    s.stop()
    n = len(audit_rows())
    db = sqlite3.connect(s.state + '/station.db')
    for _ in range(1100):
        db.execute("insert into audit(at, uid, pid, loginuid, comm, bus, what, text_)"
                   " values(?, 0, 1, 0, 'caller', ':1.1', 'asked', 'many rows')",
                   (int(time.time() * 1000000),))
    db.commit()
    db.close()
    begin(s)
    until(lambda: len(audit_rows()) >= n + 1000, 'two records of 500 rows', 60)
    check(len(audit_rows()) < n + 1100, f'{len(audit_rows()) - n} of 1,100 rows: none waits')
    most = max(len(d['rows']) for d in documents('audit-record'))
    check(most == 500, f'a record has {most} rows')
    s.stop()
    audited(s)
    begin(s)


def compared(s, change=None, triggers=True, words=(), sealed=False):
    """Exit code of a look at a copy of the store in which that was changed, or its triggers."""
    folder = '/run/compared'
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(s.state, folder)
    if not sealed:
        os.unlink(folder + '/station.db.sha256')
    if change or not triggers:
        db = sqlite3.connect(folder + '/station.db')
        kept = db.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
        for name, _ in kept:
            db.execute('drop trigger ' + name)
        check(not change or db.execute(change).rowcount == 1, change)
        for _, sql in kept if triggers else ():
            db.execute(sql)
        db.commit()
        db.close()
    r = subprocess.run([DAEMON, '--check', f'--config={s.config}', f'--state-dir={folder}',
                        *words],
                       capture_output=True, text=True, timeout=120, check=False)
    if not change and triggers and not words:
        check('they say the same; not yet signed: 0 attempts, 0 rows' in r.stdout and
              ('as the service left it' if sealed else 'has no seal') in r.stdout, f'{r}')
    return r.returncode


def seal_of(s):
    """Each byte of what the service has closed is signed; what it uses is not."""
    seal = f'{s.state}/station.db.sha256'
    check(compared(s, sealed=True) == 0, 'as the service left it')
    check(subprocess.run(['sha256sum', '-c', '--quiet', seal], cwd=s.state).returncode == 0, seal)
    who = pathlib.Path(f'{FOLDER}/allowed_signers').read_text(encoding='ascii').split()[0]
    with open(seal, 'rb') as f:
        subprocess.run(['ssh-keygen', '-Y', 'verify', '-f', f'{FOLDER}/allowed_signers', '-I', who,
                        '-n', 'diskwipe-record', '-s', seal + '.sig'], stdin=f, check=True,
                       capture_output=True)
    check(compared(s, "update disk set vendor = 'x' where id = 1", sealed=True) == 5, 'vendor')
    with open(f'{s.state}/station.db-wal', 'wb') as f:
        f.write(b'x')
    check(compared(s, sealed=True, words=['--']) == 5, 'a journal that was put there')
    os.unlink(f'{s.state}/station.db-wal')
    s.start()
    check(not os.path.exists(seal) and not os.path.exists(seal + '.sig'), 'it is used again')
    s.stop(signal.SIGKILL)
    check(not os.path.exists(seal), 'it was killed')
    s.start()
    s.stop()
    check(os.path.exists(seal), 'it has stopped')


def store_changed(s):
    """What is changed in the store is found by the records."""
    s.stop()
    seal_of(s)
    check(compared(s) == 0, 'a store that nobody changed')
    pathlib.Path('/run/nobody').write_text('', encoding='ascii')
    check(compared(s, words=[f'--signers={FOLDER}/allowed_signers']) == 0, 'those may sign')
    check(compared(s, words=['--signers=/run/nobody']) == 5, 'nobody may sign')
    first = ' where id = (select min(id) from attempt)'
    row = ' where seq = (select max(seq) from audit)'
    disk = f' where id = (select disk from attempt{first})'
    job = f' where id = (select job from attempt{first})'
    for change in ("update attempt set outcome = 'stopped'" + first,
                   "update attempt set reason = 'x'" + first,
                   'update attempt set ended = ended + 1, record = record + 1' + first,
                   "update attempt set result = replace(result, '\"samples\":', '\"samples\":1')"
                   + first, 'delete from attempt' + first, "update attempt set bay = 'x'" + first,
                   "update audit set text_ = 'x'" + row, 'update audit set uid = 7' + row,
                   'update audit set at = at + 1' + row, 'update audit set pid = pid + 1' + row,
                   'update audit set loginuid = 7' + row, "update audit set comm = 'x'" + row,
                   "update audit set bus = 'x'" + row, "update audit set what = 'x'" + row,
                   "update audit set job = 'x'" + row, 'delete from audit' + row,
                   'update job set uid = 4242425' + job,
                   'update job set submitted = submitted + 1' + job,
                   "update disk set serial = 'x'" + disk, "update disk set wwn = 'x'" + disk,
                   'insert into attempt select 99999, job, disk, bay, signatures, expected,'
                   ' started, ended, outcome, reason, code, paused, cancelled, result,'
                   ' max_temperature, health_before, health_after, heat_pause, do_not_reuse,'
                   ' left_working, record, asset from attempt' + first,
                   'update job set loginuid = 4242425' + job,
                   "update attempt set asset = 'x'" + first,
                   "update job set options = options || 'customer=x' || char(10)" + job,
                   "update job set options = options || 'operator=x' || char(10)" + job):
        check(compared(s, change) == 5, change)
    check(compared(s, triggers=False) == 5, 'its triggers are gone')
    begin(s)


def no_room(s, disks):
    """A full folder is told of; when it has room again, what ended in between is recorded, though
    nothing else happens."""
    n = len(on_record())
    told = s.said().count('no signed records can be written')
    shutil.copytree(FOLDER, FOLDER + '.kept')
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'records', FOLDER], check=True)
    shutil.copytree(FOLDER + '.kept', FOLDER, dirs_exist_ok=True)
    shutil.rmtree(FOLDER + '.kept')
    filler = FOLDER + '/filler'
    subprocess.run(['dd', 'if=/dev/zero', f'of={filler}', 'bs=4096', 'status=none'], check=False,
                   stderr=subprocess.DEVNULL)
    ended(s, disks[2:3])
    until(lambda: s.said().count('no signed records can be written') > told, 'it says so')
    check(len(on_record()) == n, 'no record')
    os.unlink(filler)
    whole(n + 1, 120)  # it is tried once a minute
    s.stop()
    shutil.copytree(FOLDER, FOLDER + '.kept')
    subprocess.run(['umount', FOLDER], check=True)
    shutil.rmtree(FOLDER)
    os.rename(FOLDER + '.kept', FOLDER)
    begin(s)


def troubles(s, disks):
    """A folder that is full, gone or spoilt is told of, and nothing is lost."""
    no_room(s, disks)
    n = len(on_record())
    os.rename(KEY, KEY + '.away')
    s.stop()
    begin(s)
    ended(s, disks[2:3])
    until(lambda: 'no signed records can be written' in s.said(), 'it says so')
    check(len(on_record()) == n, 'no record')
    os.rename(KEY + '.away', KEY)
    s.configure(CONFIG + '[queue]\nactive = 4\n')
    s.stop()
    s.start()
    whole(n + 1)
    # what was changed is not built on
    s.stop()
    shutil.copytree(FOLDER, FOLDER + '.good')
    last = sorted(glob.glob(FOLDER + '/record-*.json'))[-1]
    with open(last, 'r+', encoding='ascii') as f:
        text = f.read()
        f.seek(0)
        f.write(text.replace('-record"', '-Record"'))
    begin(s)
    ended(s, disks[2:3])
    until(lambda: 'its end is not whole' in s.said(), 'the change is found')
    check(program('records', 'verify', f'--signers={SIGNERS}', FOLDER).returncode == 5, 'verify')
    s.stop()
    shutil.rmtree(FOLDER)
    os.rename(FOLDER + '.good', FOLDER)
    s.start()
    whole(n + 2)
    s.stop()
    s.configure(f'[station]\nrecords = {FOLDER}\n')
    s.start(wait=False)
    check(s.process.wait(20) != 0 and 'belong together' in s.said(), 'a folder without a key')


def main():
    r = program('records', 'key', KEY, '--operator=station@here')
    check(r.returncode == 0, f'{r}')
    with open(SIGNERS, 'w', encoding='ascii') as f:
        f.write(r.stdout)
    shelf = Shelf()
    s = Station().start()
    disks = sorted(s.await_disks(5), key=lambda d: int(d['Address'].split(':')[2]))
    s.stop()
    without_records(s, shelf, disks)
    all_ends(s, disks)
    killed(s, disks)
    others_add(s, disks)
    quiet_day(s)
    many_rows(s)
    store_changed(s)
    troubles(s, disks)


if __name__ == '__main__':
    main()
