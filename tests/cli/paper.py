# SPDX-License-Identifier: GPL-2.0-or-later
"""A ledger of honest and hostile records, and what reads the papers that are made of it."""
import glob
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.parse

DISKWIPE = os.environ['DISKWIPE']
REPORT = os.environ['REPORT']
PAPER_LEDGER = os.environ['PAPER_LEDGER']
COUNT = 110  # each text of paper_ledger.c in each place
# What a terminal obeys, and what turns the direction of writing; lines may end.
HOSTILE = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069'
                     '\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]')


def printable(text):
    """What a paper or a terminal shows of it."""
    return HOSTILE.sub('?', text).replace('\n', '?')


def erased(record):
    """Is the disk of a record erased? From the record alone."""
    return record['outcome'] == 'erased' and record['level'] in ('clear', 'purge') \
        and not record['job'].get('simulation') and not record['exceptions']


class Paper(unittest.TestCase):
    count = COUNT

    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.dir = cls.temp.name
        cls.key = cls.dir + '/key'
        cls.signers = cls.dir + '/signers'
        cls.ledger = cls.dir + '/ledger'
        line = subprocess.run([DISKWIPE, 'records', 'key', cls.key], check=True,
                              capture_output=True).stdout
        with open(cls.signers, 'wb') as f:
            f.write(line)
        subprocess.run([PAPER_LEDGER, cls.ledger, cls.key, str(cls.count)], check=True)
        cls.files = sorted(glob.glob(cls.ledger + '/record-*.json'))
        cls.texts = [pathlib.Path(name).read_bytes() for name in cls.files]
        cls.records = [json.loads(text) for text in cls.texts]
        cls.hashes = [hashlib.sha256(text).hexdigest() for text in cls.texts]

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    def report(self, *args, code=0, signers=True):
        """The standard output of diskwipe-report."""
        more = ['--signers', self.signers] if signers else []
        run = subprocess.run([REPORT, args[0], *more, *args[1:]], capture_output=True,
                             timeout=120)
        self.assertEqual(run.returncode, code, run.stderr)
        if code:
            self.assertEqual(run.stdout, b'')
        return run.stdout

    def code_of(self, record, digest):
        """What a QR code has to say of a record."""
        simulated = record['job'].get('simulation')
        serial = urllib.parse.quote(record['disk']['serial'] or '', safe='').replace('~', '%7E')
        return (f'diskwipe:1:{serial}:{"simulated" if simulated else record["outcome"]}:'
                f'{digest}\nto check: diskwipe records verify')

    def scan(self, picture):
        run = subprocess.run(['zbarimg', '--raw', '-q', '-Sdisable', '-Sqrcode.enable', picture],
                             capture_output=True, timeout=120, check=True)
        return run.stdout.decode().rstrip('\n')
