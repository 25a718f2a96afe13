# SPDX-License-Identifier: GPL-2.0-or-later
"""A diskwiped in the guest, and what a caller of it does: for the tests of the service."""
import itertools
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
import xml.etree.ElementTree as ET

import wire
from wire import MANAGER, NAME, ROOT

BUILD = os.environ['DISKWIPE'].removesuffix('/tools/diskwipe')
DAEMON = BUILD + '/src/service/diskwiped'
COUNT = itertools.count()


def run(*command, seconds=180):
    """A program that may want a disk for itself: a service that looks at it has it for a moment."""
    end = time.monotonic() + seconds
    while (r := subprocess.run(command, capture_output=True, text=True, check=False)).returncode:
        if time.monotonic() > end:
            raise SystemExit(f'{r}')
        time.sleep(0.1)


class Refused(Exception):
    """The service, or the bus, said no; in its words."""


class Station:
    def __init__(self, folder='/run/station', args=(), system_bus=False, config=''):
        self.folder = folder
        self.state = folder + '/state'
        self.socket = folder + '/bus'
        self.config = folder + '/diskwiped.conf'
        self.errors = folder + '/errors'
        self.args = list(args)
        self.prefix = []
        self.process = None
        self.notices = None
        self.system_bus = system_bus
        self.links = threading.local()
        self.client = ['busctl', '--json=short', '--timeout=120']
        if not system_bus:
            self.client.append('--address=unix:path=' + self.socket)
        os.makedirs(folder, exist_ok=True)
        self.configure(config)

    def configure(self, text):
        with open(self.config, 'w', encoding='utf-8') as f:
            f.write(text)

    def start(self, wait=True):
        notify = self.folder + '/notify'  # as systemd listens to a service
        if os.path.exists(notify):
            os.unlink(notify)
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.settimeout(120)
        self.notices.bind(notify)
        with open(self.errors, 'a', encoding='utf-8') as err:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(
                [*self.prefix, DAEMON, *([] if self.system_bus else ['--no-bus']),
                 '--config', self.config,
                 '--state-dir', self.state, '--socket', self.socket, *self.args], stderr=err,
                env={**os.environ, 'NOTIFY_SOCKET': notify})
        if wait:
            until(self.answers, 'the service answers')
        return self

    def answers(self):
        try:
            self.objects()
        except Refused:
            if self.process.poll() is not None:
                raise SystemExit(f'the service ended: {self.said()}') from None
            return False
        return True

    def stop(self, sig=signal.SIGTERM, seconds=120):
        self.process.send_signal(sig)
        return self.process.wait(seconds)

    def begin_to_stop(self):
        """A signal, and it is obeyed: whatever is held may be let go then."""
        self.process.send_signal(signal.SIGTERM)
        while b'STOPPING=1' not in self.notices.recv(4096):
            pass

    def said(self):
        with open(self.errors, encoding='utf-8') as f:
            return f.read()

    def bus(self, *words, user=None):
        become = ['setpriv', f'--reuid={user}', f'--regid={user}', '--clear-groups'] if user else []
        r = subprocess.run(become + self.client + [str(w) for w in words], capture_output=True,
                           text=True, timeout=150, check=False)
        if r.returncode:
            raise Refused(r.stderr.strip())
        return json.loads(r.stdout)['data'] if r.stdout.strip() else None

    def message(self, path, face, method, signature='', words=()):
        """The same without a process for each call, which takes ten times as long, by one
        connection for each thread as long as the service keeps it."""
        rest = iter(words)
        values = [typed(kind, rest) for kind in wire.types(signature)]
        link = getattr(self.links, 'link', None)
        try:
            if not link or not link.stands():
                self.links.link = link = wire.Wire(self.socket)
            return link.call(path, face, method, signature, *values)
        except wire.Refused as e:
            raise Refused(str(e.args[-1])) from None
        except (wire.Gone, OSError) as e:
            self.links.link = None
            raise Refused(f'no answer: {e}') from None
        finally:
            if link:
                link.signals.clear()

    def call(self, path, face, method, signature='', *args, user=None):
        if user or self.system_bus:
            return self.bus('call', NAME, path, f'{NAME}.{face}', method, signature, *args,
                            user=user)
        return self.message(path, f'{NAME}.{face}', method, signature, args)

    def property(self, path, face, name):
        return self.message(path, 'org.freedesktop.DBus.Properties', 'Get', 'ss',
                            [f'{NAME}.{face}', name])[0]

    def objects(self):
        answer = self.message(ROOT, 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        found = {}
        for path, faces in answer[0].items():
            for face, properties in faces.items():
                if face.startswith(NAME):
                    found.setdefault(path, {}).update(properties)
        return found

    def disks(self):
        return {p: d for p, d in self.objects().items() if '/disk/' in p}

    def jobs(self):
        return {p: j for p, j in self.objects().items() if '/job/' in p}

    def disk(self, serial):
        return next((d for d in self.disks().values() if d['Serial'] == serial), None)

    def job(self, path):
        return self.message(path, 'org.freedesktop.DBus.Properties', 'GetAll', 's',
                            [f'{NAME}.Job'])[0]

    def await_disks(self, n):
        until(lambda: len([d for d in self.disks().values() if d['Device']]) == n, f'{n} disks')
        return sorted(self.disks().values(), key=lambda d: d['Device'])

    def submit(self, disks, member='Submit', user=None, **options):
        words = [len(disks)]
        for d in disks:
            asset = ['asset', 's', d['Asset']] if 'Asset' in d else []
            words += [4 if asset else 3, 'serial', 's', d['Serial'], 'wwn', 's', d['WWN'],
                      'capacity', 't', d['Capacity'], *asset]
        words.append(len(options))
        for key, value in options.items():
            words += [key, 'i' if isinstance(value, int) else 's', value]
        answer = self.call(MANAGER, 'Manager', member, 'aa{sv}a{sv}', *words, user=user)
        return answer[0] if member == 'Submit' else answer

    def ask(self, job, method, *disk):
        words = [1, 'disk', 'o', *disk] if disk else [0]
        return self.call(job, 'Job', method, 'a{sv}', *words)

    def await_end(self, job, seconds=240):
        until(lambda: self.job(job)['ExitCode'] != -1, f'the end of {job}', seconds)
        return self.job(job)

    def result(self, job):
        return json.loads(self.ask(job, 'Result')[0])

    def records(self, **options):
        words = [len(options)]
        for key, value in options.items():
            words += [key, 's' if isinstance(value, str) else 't', value]
        return self.call(MANAGER, 'Manager', 'Records', 'a{sv}', *words)[0]


class Clock:
    """That of a service which is about to start, as leap-clock.c has it: the steady one."""

    def __init__(self, s):
        self.file = s.folder + '/clock'
        self.seconds = 0
        self.write('wb')
        s.prefix = ['env', f'LD_PRELOAD={BUILD}/tests/kernel/leap-clock.so',
                    'LEAP_CLOCK=' + self.file]

    def write(self, mode):
        with open(self.file, mode, buffering=0) as f:
            f.write(struct.pack('=q', self.seconds * 10**9))

    def leap(self, seconds):
        """What was to happen by then happens now."""
        self.seconds += seconds
        self.write('r+b')


class Shelf:
    """The emulated enclosure that the guest sees: its control commands, its media from outside."""

    def __init__(self, var='ENCLOSURE_DIR'):
        self.folder = os.environ[var]

    def __call__(self, command):
        name = f'{self.folder}/ctl/{os.getpid()}-{next(COUNT)}'
        with open(name + '.tmp', 'w', encoding='utf-8') as f:
            f.write(command + '\n')
            f.flush()
            os.fsync(f.fileno())
        os.rename(name + '.tmp', name)
        until(lambda: os.path.exists(name + '.out'), 'the shelf')
        with open(name + '.out', encoding='utf-8') as f:
            word, _, answer = f.read().partition('\n')
        check(word == 'ok', f'the shelf, {command}: {word}')
        return answer

    def stats(self):
        return json.loads(self('stats'))

    def disk(self, number):
        return next(d for d in self.stats()['disks'] if d['disk'] == number)

    def await_held(self, number, seconds=180):
        """Until a fault kind=hold has a command of that disk; "clear N" lets it end."""
        until(lambda: self.disk(number)['held'], f'a command held at disk {number}', seconds)

    def medium(self, number):
        """Of the disk that came with that number, wherever it is now."""
        with open(f'{self.folder}/disk-{number:02d}.img', 'rb') as f:
            return f.read()

    def is_erased(self, number):
        return not any(self.medium(number))


def typed(kind, words):
    """The value of a type, from words as busctl takes them."""
    if kind == 'v':
        inner = next(words)
        return inner, typed(inner, words)
    if kind[0] == 'a':
        each = [typed(kind[1:], words) for _ in range(int(next(words)))]
        return dict(each) if kind[1] == '{' else each
    if kind[0] == '{':
        return tuple(typed(part, words) for part in wire.types(kind[1:-1]))
    return str(next(words)) if kind in 'sog' else int(next(words))


def look(s, shelf):
    """A look of the service has ended after this was called. A disk that is there for this alone
    has another name then, and the name is read like those of the others."""
    number = next(d['disk'] for d in shelf.stats()['disks'] if d['serial'].startswith('LOOK'))
    name = f'LOOK{next(COUNT)}'
    shelf(f'set {number} serial={name}')
    s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    until(lambda: s.disk(name) and s.disk(name)['Device'], 'a look', 120)


def looked(s, shelf):
    """Two looks of the service have ended: the second has begun after this was called, and what
    follows from the first was known before it."""
    for _ in range(2):
        look(s, shelf)


def until(true, what, seconds=180):
    """Asks less often the longer it takes: those that wait take their time from those that work."""
    begin = time.monotonic()
    while not true():
        waited = time.monotonic() - begin
        if waited > seconds:
            raise SystemExit(f'waited in vain for {what() if callable(what) else what}')
        time.sleep(min(0.02 + waited / 10, 0.2))


def check(condition, what):
    if not condition:
        raise SystemExit(f'FAILED: {what}')


def refused(words, do, *args, **options):
    """The call fails, and says so in these words."""
    try:
        answer = do(*args, **options)
    except Refused as e:
        check(words in str(e), f'"{words}" in "{e}"')
    else:
        check(False, f'refused: {args} {options}, not {answer}')


def holds_zeros(node, size):
    """Read past all caches, by another program."""
    r = subprocess.run(f'dd if={node} bs=1M iflag=direct status=none | cmp -n {size} - /dev/zero',
                       shell=True, capture_output=True, check=False)
    return r.returncode == 0


def interface(text):
    """Methods, signals and properties of our interfaces, as an introspection tells them."""
    found = set()
    for face in ET.fromstring(text).iter('interface'):
        if not face.get('name').startswith(NAME):
            continue
        for member in face:
            if member.tag in ('method', 'signal'):
                args = ' '.join(f'{a.get("name")}:{a.get("type")}:{a.get("direction") or "out"}'
                                for a in member.iter('arg'))
                found.add((face.get('name'), member.tag, member.get('name'), args))
            elif member.tag == 'property':
                found.add((face.get('name'), 'property', member.get('name'),
                           member.get('type') + ' ' + member.get('access')))
    return found
