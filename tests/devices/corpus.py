# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of tests/devices: a kind of device, in the language of the shelf, and what must become
of it. README.md says what a file may hold."""
import glob
import os
import re
import shlex

HERE = os.path.dirname(os.path.abspath(__file__))
SHELF = ('disk', 'answer', 'fault')
WORDS = ('about', 'source', 'run', 'format', 'port', 'later', 'expect')
PORTS = ('usb',)
VERBS = {'erased': 0, 'erased-with-exceptions': 0, 'failed': 0, 'refused': 0, 'unlisted': 0,
         'format': 1, 'list': 1, 'inspect': 1, 'result': 1, 'notice': 1, 'silent': 1, 'never': 1,
         'most': 2, 'least': 2, 'holds': 2, 'within': 1}


class Wrong(Exception):
    """A file that cannot be read: where, and what is wrong."""


class Expectation:
    def __init__(self, disk, text):
        self.disk, self.text = disk, text
        self.verb, _, self.rest = text.partition(' ')


class Device:
    """One file."""

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.about, self.sources, self.run, self.port = '', [], '', ''
        self.format = ''
        self.shelf, self.later, self.expect = [], [], []
        self.disks = 0
        for number, line in logical_lines(path):
            try:
                self.take(line)
            except Wrong as e:
                raise Wrong(f'{path}:{number}: {e}') from None
        for what, there in (('about:', self.about), ('source:', self.sources),
                            ('expect:', self.expect), ('disk', self.disks)):
            if not there:
                raise Wrong(f'{path}: has no "{what}"')

    def take(self, line):
        key, colon, rest = line.partition(':')
        if line.split()[0] in SHELF:
            self.take_shelf(line)
            return
        words = key.split()
        rest = rest.strip()
        if not colon or not rest or words[0] not in WORDS or len(words) > 2:
            raise Wrong(f'not understood: {line}')
        if words[0] == 'expect':
            self.take_expectation(int(words[1]) if len(words) == 2 else 0, rest)
        elif words[0] == 'later':
            self.later.append(rest)
        elif words[0] == 'source':
            self.sources.append(rest)
        elif words[0] == 'port' and rest not in PORTS:
            raise Wrong(f'no such port: {rest}')
        else:
            setattr(self, words[0], rest)

    def take_shelf(self, line):
        self.shelf.append(line)
        if line.startswith('disk '):
            number = line.split()[1]
            if int(number) > self.disks:
                raise Wrong(f'disk {number} before disk {self.disks}')
            self.disks = max(self.disks, int(number) + 1)

    def take_expectation(self, disk, text):
        e = Expectation(disk, text)
        if e.verb not in VERBS or len(shlex.split(e.rest)) < VERBS[e.verb] or disk >= self.disks:
            raise Wrong(f'not understood: expect: {text}')
        self.expect.append(e)

    @property
    def ports(self):
        """Disks that are a further port of another one."""
        return [i for i in range(self.disks)
                if any(re.match(rf'disk {i} .*\bsame_as=', line) for line in self.shelf)]

    def lun_of(self, disk):
        for line in self.shelf:
            m = re.match(rf'disk {disk} .*\blun_of=(\d+)', line)
            if m:
                return int(m[1])
        return None

    def placed(self, line, base):
        """The line with its disks counted from base."""
        line = re.sub(r'^disk (\d+)', lambda m: f'disk {base + int(m[1])}', line)
        return re.sub(r'\b(disk|lun_of|same_as|with)=(\d+)',
                      lambda m: f'{m[1]}={base + int(m[2])}', line)

    def addressed(self, line, base):
        """The same for a control command, whose number comes after the word."""
        words = line.split(None, 2)
        if words[0] in ('answer', 'fault'):
            return self.placed(line, base)
        words[1] = str(base + int(words[1]))
        return ' '.join(words)


def logical_lines(path):
    """Lines without remarks and blank ones; those that end with a backslash go on."""
    whole, first = '', 0
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            first = first if whole else number
            whole += line.rstrip('\n')
            if whole.endswith('\\'):
                whole = whole[:-1] + ' '
                continue
            if whole.strip() and not whole.lstrip().startswith('#'):
                yield first, whole.strip()
            whole = ''


def read(names=()):
    """The devices, in the order of their names; all of them, or these."""
    paths = {os.path.splitext(os.path.basename(p))[0]: p
             for p in sorted(glob.glob(os.path.join(HERE, '*.conf')))}
    missing = set(names) - set(paths)
    if missing:
        raise Wrong(f'no such device: {", ".join(sorted(missing))}')
    return [Device(path) for name, path in paths.items() if not names or name in names]


def places(devices):
    """Where the disks of each device begin on the shelf."""
    base = 0
    for d in devices:
        yield d, base
        base += d.disks
