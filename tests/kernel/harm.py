# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-harm.sh does: bytes and calls that no honest client sends, drawn from a seed."""
import os
import random
import re
import struct
import sys
import time

from station import NAME, ROOT, Shelf, Station, check, until
from wire import MANAGER, Gone, Refused, Wire, message

SEED = int(os.environ.get('HARM_SEED') or random.SystemRandom().randrange(1 << 31))
HELLO = b'\0AUTH EXTERNAL 30\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n'
OBJECTS = 'org.freedesktop.DBus.ObjectManager'
PROPERTIES = 'org.freedesktop.DBus.Properties'
MANAGERS = {'Submit': 'aa{sv}a{sv}', 'Plan': 'aa{sv}a{sv}', 'SubmitPlan': 'sa{sv}',
            'Rescan': 'a{sv}', 'Reload': 'a{sv}', 'Records': 'a{sv}', 'Metrics': 'a{sv}'}
JOBS = {'Cancel': 'a{sv}', 'Pause': 'a{sv}', 'Resume': 'a{sv}', 'SetPriority': 'ia{sv}',
        'Result': 'a{sv}'}
KEYS = ('serial', 'wwn', 'capacity', 'method', 'pattern', 'verify', 'priority', 'label', 'note',
        'disk', 'since', 'limit', 'state_file', 'rules', 'strategy', 'flush_bytes', '')


def memory(s):
    with open(f'/proc/{s.process.pid}/status', encoding='utf-8') as f:
        return int(re.search(r'VmRSS:\s*(\d+)', f.read())[1])


def descriptors(s):
    return len(os.listdir(f'/proc/{s.process.pid}/fd'))


def lives(s):
    """The service is the one that was started, and answers."""
    check(s.process.poll() is None, f'the service ended: {s.process.returncode} {s.said()}')
    wire = Wire(s.socket)
    found = wire.objects()
    wire.close()
    return found


def has_no_job(s):
    check(not [p for p in lives(s) if '/job/' in p], 'a job that nobody has asked for')


# --- bytes ----------------------------------------------------------------------


def some_text(r, deep=0):
    return r.choice(('', 'x', 'zero', 'a' * r.choice((63, 64, 65, 300, 5000)), '\n', 'a=b\nc=d',
                     '../../etc/passwd', '%s%n', '\x01\x02', '\u20ac' * 40, '/', ROOT, '-1',
                     '18446744073709551616', str(r.random())))


def some_value(r, kind, deep=0):
    """A value of a type; of a variant, one of any."""
    if kind in ('s', 'g'):
        return some_text(r) if kind == 's' else ''
    if kind == 'o':
        return r.choice(('/', ROOT, MANAGER, ROOT + '/disk/x', ROOT + '/job/x'))
    if kind == 'v':
        inner = r.choice(('s', 's', 't', 'i', 'u', 'b', 'as', 'a{sv}', 'o',
                          'v' if deep < 20 else 's'))
        return (inner, some_value(r, inner, deep + 1))
    if kind == 'd':
        return r.choice((0.0, -1.0, float('nan'), float('inf')))
    if kind in 'ybnqiuxt':
        bits = {'y': 8, 'b': 1, 'n': 15, 'q': 16, 'i': 31, 'u': 32, 'x': 63, 't': 64}[kind]
        return r.choice((0, 1, (1 << bits) - 1, r.getrandbits(bits)))
    if kind == 'a{sv}':
        return {r.choice(KEYS): some_value(r, 'v', deep + 1)
                for _ in range(r.choice((0, 1, 1, 2, 3)))}
    if kind.startswith('a'):
        return [some_value(r, kind[1:], deep + 1)
                for _ in range(r.choice((0, 1, 2, 3, 200 if deep < 1 else 1)))]
    raise ValueError(kind)


def real_messages(s):
    """Messages that are right, for others to be made of."""
    disk = next(d for d in s.disks().values() if d['Serial'])
    named = Wire.named([{**disk, 'Serial': disk['Serial'] + 'x'}])
    face = NAME + '.Manager'
    return [message(1, ROOT, OBJECTS, 'GetManagedObjects'),
            message(2, MANAGER, PROPERTIES, 'GetAll', 's', [face]),
            message(3, MANAGER, face, 'Submit', 'aa{sv}a{sv}', [named, {'method': ('s', 'zero')}]),
            message(4, MANAGER, face, 'Records', 'a{sv}', [{'limit': ('u', 5)}]),
            message(5, MANAGER, 'org.freedesktop.DBus.Introspectable', 'Introspect'),
            message(6, MANAGER, face, 'SubmitPlan', 'sa{sv}', ['f' * 64, {}])]


def harm_bytes(r, real):
    """What a connection sends."""
    kind = r.randrange(7)
    if kind == 0:
        return r.randbytes(r.choice((1, 16, 300, 70000)))
    if kind == 1:
        return b'\0' + b'AUTH ' + r.randbytes(r.choice((1, 100, 20000)))
    if kind == 2:
        return HELLO[:r.randrange(len(HELLO))]
    if kind == 3:
        return b'GET /' + r.randbytes(r.choice((0, 10, 3000))) + r.choice((b'', b'\r\n\r\n'))
    data = bytearray(r.choice(real))
    if kind == 4:
        return HELLO + bytes(data[:r.randrange(len(data))])
    if kind == 5:
        for _ in range(r.choice((1, 1, 2, 8))):
            data[r.randrange(len(data))] = r.randrange(256)
        return HELLO + bytes(data)
    at = r.choice((4, 12))  # its lengths
    data[at:at + 4] = struct.pack('<I', r.choice((0, 1, 0x7fffffff, 0xffffffff, 1 << 27,
                                                  r.getrandbits(32))))
    return HELLO + bytes(data) + r.randbytes(r.choice((0, 100)))


def fuzzed(s, r):
    real = real_messages(s)
    kept = []
    for i in range(600):
        try:
            wire = Wire(s.socket, 5, hello=False)
            wire.send(harm_bytes(r, real))
            kept.append(wire)
        except (Gone, OSError):
            continue
        while len(kept) > r.randrange(20):
            kept.pop(r.randrange(len(kept))).close()
        if i % 100 == 0:
            has_no_job(s)
    for wire in kept:
        wire.close()
    has_no_job(s)


def crowded(s):
    """Many that say nothing, half a word, or a byte now and then: the others are served."""
    silent = []
    for i in range(300):
        try:
            wire = Wire(s.socket, 5, hello=False)
            if i % 3:
                wire.send(HELLO[:i % len(HELLO)])
            silent.append(wire)
        except (Gone, OSError):
            pass
    check(descriptors(s) < 200, f'{descriptors(s)} descriptors')
    for wire in silent[40:]:
        wire.close()
    begin = time.monotonic()
    for n in range(20):
        lives(s)
        try:
            silent[n].send(b'A')
        except Gone:
            pass
    took = time.monotonic() - begin
    print(f'20 callers beside 40 silent ones: {took:.2f} s')
    check(took < 100, 'none waits for the ten seconds in which the silent ones may speak')
    for wire in silent[:40]:
        wire.close()


def greedy(s):
    """One that asks and never reads the answers."""
    wire = Wire(s.socket, 2)
    before = memory(s)
    sent = 0
    try:
        for _ in range(20000):
            wire.post(ROOT, OBJECTS, 'GetManagedObjects')
            sent += 1
    except Gone:
        pass
    lives(s)
    print(f'{sent} questions without a reader: {memory(s) - before} KiB more')
    check(memory(s) - before < 30 << 10, 'memory for who does not read')
    wire.close()


# --- calls ----------------------------------------------------------------------


def called(s, r):
    """Arguments of right and of wrong types to each method. Serials that are not there are asked
    for, or disks by halves: nothing may come of it."""
    wire = Wire(s.socket)
    paths = [MANAGER, ROOT, ROOT + '/disk/x', ROOT + '/job/x', '/', *s.disks()]
    counts = {'answered': 0, 'refused': 0}
    for _ in range(1500):
        methods = r.choice((MANAGERS, MANAGERS, JOBS))
        name = r.choice(list(methods))
        other = r.choice(('', 's', 'v', 'a{sv}', 'aa{sv}', 't'))
        sig = methods[name] if r.random() < 0.8 else other
        path = MANAGER if methods is MANAGERS and r.random() < 0.9 else r.choice(paths)
        face = NAME + ('.Manager' if methods is MANAGERS else '.Job')
        kinds = {'aa{sv}a{sv}': ['aa{sv}', 'a{sv}'], 'sa{sv}': ['s', 'a{sv}'],
                 'ia{sv}': ['i', 'a{sv}']}.get(sig, [sig] if sig else [])
        try:
            wire.call(path, face, name, sig, *[some_value(r, k) for k in kinds])
            counts['answered'] += 1
        except Refused as e:
            counts['refused'] += 1
            check(len(str(e.args[-1]).splitlines()) <= 1, f'one line: {e}')
        except Gone:  # not even D-Bus: a text with a control character in a path
            wire = Wire(s.socket)
    print(f'calls: {counts}')
    check(counts['answered'] > 20 and counts['refused'] > 500, 'calls of both kinds')
    has_no_job(s)


def halves(s, disks):
    """A disk that is named by something wrong, or without its capacity, is not that disk."""
    wire = Wire(s.socket)
    d = disks[0]
    true = {'serial': ('s', d['Serial']), 'wwn': ('s', d['WWN']), 'capacity': ('t', d['Capacity'])}
    for wrong in ({}, {'serial': true['serial']}, {'capacity': true['capacity']},
                  {**true, 'capacity': ('t', d['Capacity'] - 512)}, {**true, 'capacity': ('t', 0)},
                  {**true, 'serial': ('s', d['Serial'] + ' ')},
                  {**true, 'serial': ('s', d['Serial'][:-1])},
                  {**true, 'serial': ('s', ''), 'wwn': ('s', '')},
                  {**true, 'wwn': ('s', disks[1]['WWN'])},
                  {**true, 'device': ('s', d['Device'])}, {**true, 'capacity': ('s', 'all')}):
        for with_right in ([], [true]):
            try:
                answer = wire.call(MANAGER, NAME + '.Manager', 'Submit', 'aa{sv}a{sv}',
                                   [wrong, *with_right], {})
            except Refused:
                continue
            check(False, f'{wrong} is taken for a disk: {answer}')
    has_no_job(s)


def touches_only_what_is_named(s, disks):
    """A right job between wrong ones: its disk, and no other."""
    wire = Wire(s.socket)
    job = wire.submit([disks[0]])
    until(lambda: wire.objects()[job]['ExitCode'] != -1, 'the end of the job')
    jobs = [p for p in wire.objects() if '/job/' in p]
    check(jobs == [job] and wire.objects()[job]['Disks'] == 1, f'{jobs}')
    for d in disks[1:]:
        with open(d['Block'], 'rb') as f:
            check(f.read(4096) == b'\xa5' * 4096, f'{d["Block"]} is as it was')


def submitted(wire, disk):
    """The disk, which the last one had, is free when the service has looked at it again."""
    try:
        return wire.submit([disk], command='write', controller='fixed', fixed_blocks='8')
    except Refused:
        wire.call(MANAGER, NAME + '.Manager', 'Rescan', 'a{sv}', {})
        return None


def held(wire, shelf, disk):
    """A job that stands before it has written all."""
    jobs = []
    shelf('fault kind=hold disk=0 op=write min=2 count=1')
    until(lambda: jobs.append(submitted(wire, disk)) or jobs[-1], 'a job')
    shelf.await_held(0)
    wire.ask(jobs[-1], 'Pause')
    shelf('clear 0')
    until(lambda: wire.objects()[jobs[-1]]['State'] == 'paused', 'a paused job')
    return jobs[-1]


def resumed(wire, job):
    for disk in (*wire.objects()[job]['Objects'], None):
        try:
            wire.ask(job, 'Resume', disk)
        except Refused:
            pass  # it goes on already, or has ended


def lived(s, r, disks):
    """Calls on a job that stands, by who may: what is answered has the effect that was asked for,
    what is refused has none, and nobody else's disk or job is concerned."""
    wire = Wire(s.socket)
    places = [*s.disks(), *(p for p, d in s.disks().items() if d['Serial'] == disks[0]['Serial'])]
    counts = {'answered': 0, 'refused': 0, 'jobs': 0}
    shelf, job = Shelf(), None
    for _ in range(160):
        if not job:
            job, want = held(wire, shelf, disks[0]), {'Priority': 0, 'State': 'paused'}
            counts['jobs'] += 1
        name = r.choice(('SetPriority', 'Pause', 'Result', *JOBS))
        sig = JOBS[name] if r.random() < 0.8 else r.choice(('', 's', 'v', 'aa{sv}', 'ti'))
        options = r.choice(({}, {'disk': ('o', r.choice(places))}, some_value(r, 'a{sv}')))
        values = {'a{sv}': [options], 'ia{sv}': [some_value(r, 'i'), options], '': [], 's': ['x'],
                  'v': [('s', 'x')], 'aa{sv}': [[options]], 'ti': [1, 1]}[sig]
        try:
            wire.call(job, NAME + '.Job', name, sig, *values)
        except Refused as e:
            counts['refused'] += 1
            check(len(str(e.args[-1]).splitlines()) <= 1, f'one line: {e}')
        except Gone:
            wire = Wire(s.socket)
        else:
            counts['answered'] += 1
            check(sig == JOBS[name] and set(options) <= {'disk'}, f'{name}, {sig}, {options}')
            if name == 'SetPriority':
                want['Priority'] = values[0]
            if name == 'Resume':  # of what else the disk, or the job, may be held by
                resumed(wire, job)
            if name in ('Cancel', 'Resume'):
                want.update(State='done', Outcome='stopped' if name == 'Cancel' else 'erased')
                until(lambda: wire.objects()[job]['ExitCode'] != -1, f'the end after {name}')
        now = wire.objects()
        check({k: now[job][k] for k in want} == want, f'{name}{values}: {now[job]}, not {want}')
        if want['State'] == 'done':
            job = None
    if job:
        wire.ask(job, 'Cancel')
    print(f'calls on jobs: {counts}')
    check(min(counts.values()) > 3, f'calls of all kinds: {counts}')
    until(lambda: all(j['ExitCode'] != -1 for j in s.jobs().values()), 'the end of the last')
    check(all(j['Disks'] == 1 for j in s.jobs().values()), 'jobs of one disk')
    for d in disks[1:]:
        with open(d['Block'], 'rb') as f:
            check(f.read(d['Capacity']).count(b'\xa5') == d['Capacity'], f'{d["Block"]} as it was')


def main():
    print(f'HARM_SEED={SEED}')
    r = random.Random(SEED)
    s = Station().start()
    disks = s.await_disks(4)
    fuzzed(s, r)
    called(s, r)
    at_first = memory(s), descriptors(s)
    fuzzed(s, r)
    called(s, r)
    halves(s, disks)
    print(f'memory: {at_first[0]} KiB, then {memory(s)} KiB')
    check(memory(s) < at_first[0] + 8192, f'memory grows: {at_first[0]} to {memory(s)} KiB')
    crowded(s)
    greedy(s)
    until(lambda: descriptors(s) <= at_first[1] + 2, f'no more than {at_first[1]} descriptors')
    touches_only_what_is_named(s, disks)
    lived(s, r, disks)
    check(s.stop() == 0, f'the end: {s.said()}')
    check('Sanitizer' not in s.said() and 'runtime error' not in s.said(), s.said())


if __name__ == '__main__':
    sys.exit(main())
