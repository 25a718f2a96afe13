# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-denied.sh does."""
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import xml.etree.ElementTree as ET

from station import BUILD, Shelf, Station, check, interface, until
from wire import MANAGER, NAME, ROOT, Gone, Refused, Wire

HERE = os.path.dirname(os.path.abspath(__file__))
SYSTEM_BUS = '/run/dbus/system_bus_socket'
NOBODY = 65534
DENIED = NAME + '.Error.NotAuthorized'
INVALID = NAME + '.Error.Invalid'
LISTS = ('Plan', 'Rescan', 'Records', 'Metrics', 'Result')  # what everybody may
INTROSPECT = 'org.freedesktop.DBus.Introspectable'
PROPERTIES = 'org.freedesktop.DBus.Properties'
PLAIN = {'s': 'x', 'o': ROOT, 'b': 1, 'i': 7, 'u': 7, 't': 7, 'd': 0.5, 'as': [], 'ao': []}
RULE = '/etc/polkit-1/rules.d/10-nobody.rules'


def values(member, kinds, face, disk, digest, option):
    """Arguments with which the call would have an effect if it were allowed."""
    if kinds == ['a{sv}']:
        return [option]
    if kinds == ['aa{sv}', 'a{sv}']:
        return [Wire.named([disk]), {}]
    if kinds == ['s', 'a{sv}']:
        return [digest, {}]
    if kinds == ['i', 'a{sv}']:
        return [7, {}]
    if kinds in ([], ['s'], ['s', 's']):
        return [face, 'Version'][:len(kinds)]
    raise SystemExit(f'FAILED: nobody has tried {member} with {kinds}: say with what')


def everything(wire, disk, digest):
    """All calls there are: path, interface, member, signature, values, as the service describes
    itself; and what it described."""
    calls, described = [], set()
    for path, faces in sorted(wire.objects().items()) + [(ROOT, {})]:
        text = wire.call(path, INTROSPECT, 'Introspect')[0]
        described |= interface(text)
        options = [{}] + [{'disk': ('o', p)} for p in faces.get('Objects', [])]
        for face in ET.fromstring(text).iter('interface'):
            name = face.get('name')
            for m in face.iter('method'):
                kinds = [a.get('type') for a in m.iter('arg') if a.get('direction') != 'out']
                if (name, m.get('name')) == (PROPERTIES, 'Set'):
                    continue
                for option in options if kinds == ['a{sv}'] else [{}]:
                    calls.append((path, name, m.get('name'), ''.join(kinds),
                                  values(m.get('name'), kinds, name, disk, digest, option)))
            for p in face.iter('property'):
                calls.append((path, PROPERTIES, 'Set', 'ssv',
                              [name, p.get('name'), (p.get('type'), PLAIN[p.get('type')])]))
    return calls, described


def as_nobody(do):
    """What a function returns as another user; it is a process of its own."""
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with open(into, 'w', encoding='utf-8') as f:
                json.dump(do(), f)
            status = 0
        finally:
            os._exit(status)
    os.close(into)
    with open(out, encoding='utf-8') as f:
        text = f.read()
    check(os.waitpid(pid, 0)[1] == 0, 'the other user')
    return json.loads(text)


def answers(calls, connect):
    """Of each call, the name of its error, or that it was answered, or not even heard."""
    found, wire = [], None
    for path, face, member, sig, args in calls:
        try:
            wire = wire or connect()
            wire.call(path, face, member, sig, *args)
            found.append('answered')
        except Refused as e:
            found.append(e.args[0])
        except (Gone, OSError):
            found.append('gone')
            wire = None
    return found


def on_record(s):
    """From a copy, made while the service, which locks its record, stands still."""
    with tempfile.TemporaryDirectory() as folder:
        s.process.send_signal(signal.SIGSTOP)
        for name in ('station.db', 'station.db-wal'):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(f'{s.state}/{name}', folder)
        s.process.send_signal(signal.SIGCONT)
        with contextlib.closing(sqlite3.connect(folder + '/station.db')) as db:
            return {'audit': db.execute('select * from audit').fetchall(),
                    'jobs': db.execute('select * from job').fetchall(),
                    'attempts': db.execute('select id, job, disk, outcome, paused, cancelled'
                                           ' from attempt').fetchall()}


def is_untouched(disk):
    with open(disk['Block'], 'rb', buffering=0) as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return f.read(disk['Capacity']).count(b'\xa5') == disk['Capacity']


def snapshot(s, wire, disks):
    """What a call could change; not what goes on by itself. The job that waits has not begun, as
    one has its turn at a time; while it compares addresses blocks hold stamps, which go again."""
    for d in disks[1:]:
        until(lambda disk=d: is_untouched(disk), f'the medium of {d["Serial"]}')
    keys = ('State', 'Outcome', 'ExitCode', 'Priority', 'Label', 'Method', 'Verify', 'Disks')
    jobs = {p: [j.get(k) for k in keys] for p, j in wire.objects().items() if '/job/' in p}
    return {**on_record(s), 'at work': jobs,
            'configured': s.said().count('read again')}


def told(calls, found, what):
    counts = {n: found.count(n) for n in sorted(set(found))}
    print(f'{what}: {len(calls)} calls: {counts}')
    return zip(calls, found)


def by_bus(calls, denied_all, invalid=()):
    """Each method of ours is denied, or is one that everybody may call; what is invalid, whoever
    calls, is refused as that before anybody is asked. Those calls."""
    found = as_nobody(lambda: answers(calls, lambda: Wire(SYSTEM_BUS, bus=True)))
    for call, answer in told(calls, found, 'by the bus'):
        path, face, member = call[:3]
        if face.startswith(NAME) and (denied_all or member not in LISTS):
            want = INVALID if call in invalid else DENIED
            check(answer == want, f'{path} {member} by the bus: {answer}')
        if member == 'Set':
            check(answer not in ('answered', 'gone'), f'{path} {call[4]}: {answer}')
    return [call for call, answer in zip(calls, found) if answer == INVALID]


def by_socket(s, calls):
    """Whatever the modes of the files, whoever he says he is. It does not depend on what is set."""
    calls = [c for c in calls if c[2] != 'Set' or c[4][1] in ('Version', 'Serial', 'Priority')]
    os.chmod(s.folder, 0o755)
    os.chmod(s.socket, 0o666)
    for uid in NOBODY, 0:
        found = as_nobody(lambda: answers(calls, lambda: Wire(s.socket, uid=uid)))
        for call, answer in told(calls, found, f'by the socket as {uid}'):
            check(answer == 'gone', f'{call[:3]} by the socket: {answer}')
    os.chmod(s.socket, 0o660)


def by_root(s, calls):
    """Who may do all cannot set a property, either."""
    mine = [c for c in calls if c[2] == 'Set']
    found = answers(mine, lambda: Wire(s.socket))
    for call, answer in told(mine, found, 'properties set by root'):
        check(answer not in ('answered', 'gone'), f'{call[4]}: {answer}')


def deny_nobody():
    with open(RULE, 'w', encoding='utf-8') as f:
        f.write('polkit.addRule(function(action, subject) {\n'
                '\tif (action.id.indexOf("io.github.diskwipe.") == 0 && subject.user == "nobody")\n'
                '\t\treturn polkit.Result.NO;\n});\n')
    os.chmod(RULE, 0o644)
    subprocess.run(['systemctl', 'restart', 'polkit'], check=True)


def inhibitors():
    r = subprocess.run(['systemd-inhibit', '--list', '--no-legend'], capture_output=True, text=True,
                       check=False)
    return [line for line in r.stdout.splitlines() if 'diskwiped' in line]


def main():
    # pylint: disable=consider-using-with
    login = subprocess.Popen(['/lib/systemd/systemd-logind'], stderr=subprocess.DEVNULL)
    until(lambda: subprocess.run(['systemd-inhibit', '--list'], capture_output=True,
                                 check=False).returncode == 0, 'who keeps the list of inhibitors')
    s = Station(system_bus=True, config='[queue]\nactive = 1\n').start()
    disks = s.await_disks(3)
    wire = Wire(s.socket)
    digest = wire.call(MANAGER, NAME + '.Manager', 'Plan', 'aa{sv}a{sv}', Wire.named(disks[2:]),
                       {})[0]
    check(not inhibitors(), 'nothing keeps the machine on without a job')
    alike = {'command': 'write', 'controller': 'fixed', 'fixed_blocks': '64'}  # so that one waits
    shelf = Shelf()
    shelf('fault kind=hold disk=0 op=write min=2 nth=8')
    runs = wire.submit(disks[:1], verify='off', **alike)
    shelf.await_held(0)
    until(lambda: wire.objects()[runs]['State'] == 'running', 'the job')
    waits = wire.submit(disks[1:2], **alike)
    wire.ask(waits, 'Pause')
    until(lambda: wire.objects()[waits]['State'] == 'paused', 'the job that waits')
    until(lambda: len(inhibitors()) == 1, 'what keeps the machine on')
    check('shutdown:sleep' in inhibitors()[0] and 'block' in inhibitors()[0], f'{inhibitors()}')

    calls, described = everything(wire, disks[2], digest)
    with open(f'{HERE}/../../packaging/dbus/{NAME}.xml', encoding='utf-8') as f:
        lacking = interface(f.read()) - described
    check(not lacking, f'described, and not there: {lacking}')
    before = snapshot(s, wire, disks)
    invalid = by_bus(calls, denied_all=False)
    by_root(s, calls)
    by_socket(s, calls)
    deny_nobody()
    by_bus([c for c in calls if c[2] != 'Set'], True, invalid)
    after = snapshot(s, wire, disks)
    for key, was in before.items():
        check(after[key] == was, f'{key} has changed: {was}, {after[key]}')
    check(f'denied to user {NOBODY}' in s.said(), 'what it says of that')

    for job in runs, waits:
        wire.ask(job, 'Cancel')
    shelf('clear 0')
    until(lambda: all(wire.objects()[j]['ExitCode'] != -1 for j in (runs, waits)), 'the end')
    until(lambda: not inhibitors(), 'nothing keeps the machine on any more')
    check(s.stop() == 0, f'the end; {BUILD}')
    login.terminate()
    login.wait(30)


main()
