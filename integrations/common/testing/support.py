# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests share: a folder with the fake diskwipe first on PATH, disks, and who was called."""

import hashlib
import json
import os
import re
import shutil
import tempfile
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))


def disk(n, **more):
    """A disk: as inspect has it, and what erase says of it. Its nodes exist on no machine."""
    letter = 'abcdefgh'[n]
    row = {
        'device': f'/dev/fake-sg{n}',
        'paths': [f'/dev/fake-sg{n}', f'/dev/fake-sd{letter}'],
        'address': f'{n // 2}:0:{n}:0',
        'serial': f'SERIAL{n:02}',
        'wwn': f'0x5000c5000000{n:04x}',
        'capacity_bytes': 1 << 30,
        'transport': 'sas',
        'abilities': {},
        'map': '',
        'model': 'fake',
        'erasable': True,
        'signatures': '',
        'presumed_paths': [],
        'outcome': 'erased',
        'reason': None,
        'exceptions': [],
        'level': 'clear',
        'level_limit': None,
        'verify': {'mode': 'full', 'done': 'full', 'mismatches': 0, 'text': 'full'},
        'command': 'write',
        'seconds': 1.5,
    }
    row.update(more)
    return row


def name(n):
    """Ironic's name of disk(n)."""
    return f'/dev/fake-sd{"abcdefgh"[n]}'


class Fake:
    """The fake program, ahead of all others while it is there."""

    def __init__(self, disks, **what):
        self.folder = tempfile.mkdtemp(prefix='fake-diskwipe.')
        shutil.copy(os.path.join(HERE, 'fake_diskwipe'), os.path.join(self.folder, 'diskwipe'))
        self.file = os.path.join(self.folder, 'fake.json')
        self.path = os.environ['PATH']
        os.environ['PATH'] = self.folder + os.pathsep + self.path
        os.environ['FAKE'] = self.file
        self.say(disks, **what)

    def say(self, disks, **what):
        """From now on it behaves so."""
        with open(self.file, 'w', encoding='utf-8') as f:
            json.dump({'disks': disks, **what}, f)
        if os.path.exists(self.file + '.calls'):
            os.remove(self.file + '.calls')

    def sender(self, status=0, sends=True):
        """From now on there is a diskwipe-send that ends so, and does what it says or nothing."""
        shutil.copy(os.path.join(HERE, 'fake_send'), os.path.join(self.folder, 'diskwipe-send'))
        with open(self.file + '.send', 'w', encoding='utf-8') as f:
            json.dump({'status': status, 'sends': sends}, f)

    def sent(self):
        """What diskwipe-send was configured with when it ran last; None if it did not run."""
        if not os.path.exists(self.file + '.conf'):
            return None
        with open(self.file + '.conf', encoding='utf-8') as f:
            return f.read()

    def calls(self, verb):
        """The calls of a verb, as lists of words."""
        if not os.path.exists(self.file + '.calls'):
            return []
        with open(self.file + '.calls', encoding='utf-8') as f:
            return [c for c in map(json.loads, f) if c[0] == verb]

    def pid(self):
        """The process of the last call."""
        with open(self.file + '.pid', encoding='utf-8') as f:
            return int(f.read())

    def close(self):
        os.environ['PATH'] = self.path
        shutil.rmtree(self.folder)


def chain(folder):
    """Puts the hashes of a folder of records right, after some of it was changed."""
    before = ''
    for name in sorted(n for n in os.listdir(folder) if re.fullmatch(r'record-\d{8}\.json', n)):
        with open(f'{folder}/{name}', encoding='utf-8') as f:
            made = json.load(f)
        made['previous'] = before
        text = json.dumps(made)
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as f:
            f.write(text)
        before = hashlib.sha256(text.encode()).hexdigest()


def begin(test, n=3, **what):
    """Give a test `disks`, a `fake` program that has them, and a `folder`; all until it ends."""
    test.disks = [disk(i) for i in range(n)]
    test.fake = Fake(test.disks, **what)
    test.addCleanup(test.fake.close)
    test.folder = tempfile.mkdtemp()
    test.addCleanup(shutil.rmtree, test.folder)


def patch(test, owner, attribute, value):
    """Put something else in the place of what an object has, until the test ends."""
    made = mock.patch.object(owner, attribute, value)
    made.start()
    test.addCleanup(made.stop)
