# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the ledger share: stations with records of their own, and a database."""
import glob
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import postgres

DISKWIPE, SEND = os.environ['DISKWIPE'], os.environ['SEND']
PAPER_LEDGER = os.environ['PAPER_LEDGER']
LEDGER, REPORT = os.environ.get('LEDGER'), os.environ.get('REPORT')


class Station:
    """A ledger, its key, and what sends it; those that are there stay."""

    def __init__(self, folder, name, records):
        self.dir, self.number = f'{folder}/{name}', sum(name.encode())
        self.ledger, self.key = self.dir + '/ledger', self.dir + '/key'
        os.makedirs(self.dir + '/state', exist_ok=True)
        if os.path.exists(self.key):
            self.line = pathlib.Path(self.key + '.signers').read_text(encoding='utf-8')
        else:
            self.line = subprocess.run(
                [DISKWIPE, 'records', 'key', f'--operator={name}', self.key], check=True,
                capture_output=True, text=True).stdout
            pathlib.Path(self.key + '.signers').write_text(self.line, encoding='utf-8')
        if records:
            self.grow(records)

    def grow(self, n, attempt=None):
        """To @n records."""
        subprocess.run([PAPER_LEDGER, self.ledger, self.key, str(n), str(self.count()),
                        str(attempt or self.number)], check=True)

    def keep(self):
        """A copy of all that it has."""
        shutil.copytree(self.dir, self.dir + '-older')

    def put_back(self):
        """It has what it had when the copy was made."""
        shutil.rmtree(self.dir)
        os.rename(self.dir + '-older', self.dir)

    def count(self):
        return len(glob.glob(self.ledger + '/record-*.json'))

    def file(self, name):
        return pathlib.Path(f'{self.ledger}/{name}').read_bytes()

    def state(self):
        """What is on record of the target called fleet."""
        return pathlib.Path(f'{self.dir}/state/fleet.state').read_text(encoding='ascii')

    def chain(self):
        return hashlib.sha256(self.file('record-00000001.json')).hexdigest()

    def configure(self, text):
        with open(self.dir + '/send.conf', 'w', encoding='utf-8') as f:
            f.write(f'[send]\nledger={self.ledger}\nstate={self.dir}/state\nevery=1\n{text}')

    def argv(self, *more):
        return [SEND, f'--config={self.dir}/send.conf', *more]

    def send(self, code=0, **more):
        run = subprocess.run(self.argv('--once'), capture_output=True, text=True, timeout=100,
                             check=False, **more)
        assert run.returncode == code, run.stderr
        return run.stderr


class Fleet(unittest.TestCase):
    """One server for all tests of a class; each test has a fresh database."""

    @classmethod
    def setUpClass(cls):
        postgres.need_server()
        cls.db = postgres.Postgres()
        cls.addClassCleanup(cls.db.end)

    def setUp(self):
        # stations make each file durable: in memory that costs nothing
        memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
        temp = tempfile.TemporaryDirectory(dir=memory)
        self.addCleanup(temp.cleanup)
        self.dir = temp.name
        self.db.renew()
        self.signers = self.dir + '/signers'

    def station(self, name, records=12):
        s = Station(self.dir, name, records)
        s.configure(f'[target fleet]\nurl={self.db.uri("station")}\n')
        with open(self.signers, 'a', encoding='utf-8') as f:
            f.write(s.line)
        return s
