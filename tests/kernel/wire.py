# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of the service's socket that makes its messages itself: quick, and able to make wrong
ones. Of D-Bus it knows little endian messages, and what the service is asked with."""
import os
import socket
import struct
import time

NAME = 'io.github.diskwipe.Diskwipe1'
ROOT = '/io/github/diskwipe/Diskwipe1'
MANAGER = ROOT + '/Manager'
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
PLAIN = {'y': 'B', 'b': 'I', 'n': 'h', 'q': 'H', 'i': 'i', 'u': 'I', 'x': 'q', 't': 'Q', 'd': 'd'}
ALIGNED = {'y': 1, 'n': 2, 'q': 2, 'x': 8, 't': 8, 'd': 8, '(': 8, '{': 8, 'g': 1, 'v': 1}


class Gone(Exception):
    """The connection has ended."""


class Refused(Exception):
    """An error was answered; its name and its words."""


def one_type(sig):
    """The first complete type, and what follows it."""
    if sig[0] == 'a':
        return 'a' + one_type(sig[1:])[0], sig[1 + len(one_type(sig[1:])[0]):]
    if sig[0] in '({':
        depth = 0
        for i, c in enumerate(sig):
            depth += (c in '({') - (c in ')}')
            if not depth:
                return sig[:i + 1], sig[i + 1:]
    return sig[0], sig[1:]


def types(sig):
    found = []
    while sig:
        first, sig = one_type(sig)
        found.append(first)
    return found


def fill(out, n):
    out.extend(b'\0' * (-len(out) % n))


def put(out, kind, value):
    fill(out, ALIGNED.get(kind[0], 4))
    if kind in PLAIN:
        out += struct.pack('<' + PLAIN[kind], value)
    elif kind == 'g':
        out += bytes([len(value)]) + value.encode() + b'\0'
    elif kind in 'so':
        data = value if isinstance(value, bytes) else value.encode()
        out += struct.pack('<I', len(data)) + data + b'\0'
    elif kind == 'v':
        put(out, 'g', value[0])
        put(out, value[0], value[1])
    elif kind[0] == 'a':
        at = len(out)
        out += b'\0\0\0\0'
        fill(out, ALIGNED.get(kind[1], 4))
        begin = len(out)
        for each in value.items() if isinstance(value, dict) else value:
            put(out, kind[1:], each)
        out[at:at + 4] = struct.pack('<I', len(out) - begin)
    else:
        for each, part in zip(types(kind[1:-1]), value):
            put(out, each, part)


def take(data, at, kind):
    """A value, and where the next begins."""
    at += -at % ALIGNED.get(kind[0], 4)
    if kind in PLAIN:
        form = '<' + PLAIN[kind]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if kind == 'g':
        return data[at + 1:at + 1 + data[at]].decode(), at + data[at] + 2
    if kind in 'so':
        n = struct.unpack_from('<I', data, at)[0]
        return data[at + 4:at + 4 + n].decode(), at + n + 5
    if kind == 'v':
        inner, at = take(data, at, 'g')
        return take(data, at, inner)
    if kind[0] == 'a':
        n = struct.unpack_from('<I', data, at)[0]
        at += 4
        at += -at % ALIGNED.get(kind[1], 4)
        found, end = [], at + n
        while at < end:
            value, at = take(data, at, kind[1:])
            found.append(value)
        return (dict(found) if kind[1] == '{' else found), at
    found = []
    for each in types(kind[1:-1]):
        value, at = take(data, at, each)
        found.append(value)
    return tuple(found), at


def message(serial, path, face, member, sig='', values=(), to=NAME):
    """A method call."""
    body = bytearray()
    for kind, value in zip(types(sig), values):
        put(body, kind, value)
    fields = [(1, ('o', path)), (2, ('s', face)), (3, ('s', member)), (6, ('s', to))]
    if sig:
        fields.append((8, ('g', sig)))
    out = bytearray(b'l') + bytes([CALL, 0, 1]) + struct.pack('<II', len(body), serial)
    put(out, 'a(yv)', fields)
    fill(out, 8)
    return bytes(out + body)


class Wire:
    """A connection; @hello: it is let in, as any client asks for it; @bus: by a bus, which wants to
    be greeted; @uid: who it says it is."""

    def __init__(self, path, timeout=120, hello=True, bus=False, uid=None):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(timeout)
        self.connect(path, time.monotonic() + timeout)
        self.serial = 0
        self.data = b''
        self.signals = []
        if hello:
            name = str(os.getuid() if uid is None else uid).encode().hex().encode()
            self.send(b'\0AUTH EXTERNAL ' + name + b'\r\n')
            while not self.data.endswith(b'\r\n'):
                self.more()
            if not self.data.startswith(b'OK'):
                raise Gone(self.data)
            self.data = b''
            self.send(b'BEGIN\r\n')
        if bus:
            self.serial += 1
            name = 'org.freedesktop.DBus'
            self.send(message(self.serial, '/org/freedesktop/DBus', name, 'Hello', to=name))
            self.answer(self.serial)

    def connect(self, path, end):
        """Waits in line where many connect at once."""
        while True:
            try:
                return self.s.connect(path)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def send(self, data):
        try:
            self.s.sendall(data)
        except OSError as e:
            raise Gone(e) from None

    def more(self):
        try:
            data = self.s.recv(65536)
        except OSError as e:
            raise Gone(e) from None
        if not data:
            raise Gone('end')
        self.data += data

    def stands(self):
        """Nobody has closed it; what has come is taken, so that the other side need not wait."""
        before = self.s.gettimeout()
        self.s.settimeout(0)
        try:
            while True:
                data = self.s.recv(65536)
                if not data:
                    return False
                self.data += data
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            self.s.settimeout(before)

    def next(self):
        """The next message: kind, header fields, values."""
        while True:
            if len(self.data) >= 16:
                body, fields = struct.unpack_from('<I', self.data, 4)[0], \
                    struct.unpack_from('<I', self.data, 12)[0]
                head = 16 + fields + (-fields % 8)
                if len(self.data) >= head + body:
                    break
            self.more()
        names = dict(take(self.data, 12, 'a(yv)')[0])
        values, at, inside = [], 0, self.data[head:head + body]
        for kind in types(names.get(8, '')):
            value, at = take(inside, at, kind)
            values.append(value)
        kind, self.data = self.data[1], self.data[head + body:]
        return kind, names, values

    def post(self, path, face, member, sig='', *values):
        self.serial += 1
        self.send(message(self.serial, path, face, member, sig, values))
        return self.serial

    def answer(self, serial):
        while True:
            kind, names, values = self.next()
            if kind == SIGNAL:
                self.signals.append((names, values))
            elif names.get(5) == serial and kind == ERROR:
                raise Refused(names.get(4), *values)
            elif names.get(5) == serial:
                return values

    def call(self, path, face, member, sig='', *values):
        return self.answer(self.post(path, face, member, sig, *values))

    def wait(self, true, seconds):
        """The first signal for which true(path, member, values), among those kept too; or None."""
        end = time.monotonic() + seconds
        while True:
            while self.signals:
                names, values = self.signals.pop(0)
                if true(names[1], names[3], values):
                    return names, values
            left = end - time.monotonic()
            if left <= 0:
                return None
            before = self.s.gettimeout()
            self.s.settimeout(left)
            try:
                kind, names, values = self.next()
            except Gone:
                if time.monotonic() < end:
                    raise
                return None
            finally:
                self.s.settimeout(before)
            if kind == SIGNAL:
                self.signals.append((names, values))

    def objects(self):
        found = {}
        answer = self.call(ROOT, 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        for path, faces in answer[0].items():
            for face, properties in faces.items():
                if face.startswith(NAME):
                    found.setdefault(path, {}).update(properties)
        return found

    @staticmethod
    def named(disks):
        return [{'serial': ('s', d['Serial']), 'wwn': ('s', d['WWN']),
                 'capacity': ('t', d['Capacity'])} for d in disks]

    @staticmethod
    def options(options):
        return {k: ('i' if isinstance(v, int) else 's', v) for k, v in options.items()}

    def post_submit(self, disks, options):
        return self.post(MANAGER, NAME + '.Manager', 'Submit', 'aa{sv}a{sv}', self.named(disks),
                         self.options(options))

    def submit(self, disks, **options):
        return self.answer(self.post_submit(disks, options))[0]

    def ask(self, job, method, disk=None):
        return self.call(job, NAME + '.Job', method, 'a{sv}', {'disk': ('o', disk)} if disk else {})

    def close(self):
        self.s.close()
