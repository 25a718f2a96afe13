#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/records.md for who has no shell on the station: each of its commands is run as it is
written, on records of a machine with another name. Only the place of the folder is another."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

DISKWIPE, REPORT = os.environ['DISKWIPE'], os.environ['REPORT']
PAPER_LEDGER = os.environ['PAPER_LEDGER']
PAGE = os.path.join(os.path.dirname(__file__), '../../docs/records.md')
STATION = 'diskwipe@hall-3.example.org'


def commands(section):
    """The blocks of a section that anybody may run, each as one script."""
    with open(PAGE, encoding='utf-8') as f:
        text = re.split(r'^## ', f.read(), flags=re.M)
    text, = [t for t in text if t.startswith(section + '\n')]
    for block in re.findall(r'^```\n(.*?)^```\n', text, re.M | re.S):
        if block.startswith('$ '):
            yield re.sub(r'^\$ ', '', block, flags=re.M)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.dir = cls.temp.name
        cls.ledger = cls.dir + '/records'
        line = subprocess.run([DISKWIPE, 'records', 'key', cls.dir + '/key',
                               f'--operator={STATION}'], check=True, capture_output=True).stdout
        subprocess.run([PAPER_LEDGER, cls.ledger, cls.dir + '/key', '4'], check=True)
        # the auditor has the records, and his own list
        os.unlink(cls.ledger + '/allowed_signers')
        for folder in cls.dir, cls.ledger:
            with open(folder + '/signers', 'wb') as f:
                f.write(b'diskwipe@elsewhere ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMxjeY/LZTFtWfmAeh'
                        b'iJFEDBlCqq9xvEFXu6HZ9cTNwB\n' + line)
        with open(cls.dir + '/firm.ini', 'w', encoding='ascii') as f:
            f.write('[firm]\nname = Erasers\n')
        cls.path = os.pathsep.join([os.path.dirname(DISKWIPE), os.environ['PATH']])

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    def run_script(self, text, cwd, code=0):
        text = text.replace('/srv/records', self.ledger)
        text = re.sub(r'(--signers=signers) DIR$', r'\1 .', text, flags=re.M)
        p = subprocess.run(['bash', '-euo', 'pipefail', '-c', text], cwd=cwd, timeout=120,
                           capture_output=True, text=True, check=False,
                           env={**os.environ, 'PATH': self.path})
        self.assertEqual(p.returncode, code, f'{text}: {p.stdout}{p.stderr}')
        return p.stdout + p.stderr

    def test_auditor(self):
        said = [self.run_script(t, self.ledger) for t in commands('What an auditor checks')]
        self.assertIn(f'Good "diskwipe-record" signature for {STATION} with', said[0])
        hashes = re.findall('[0-9a-f]{64}', said[1])
        self.assertEqual(len(hashes), 2)
        self.assertEqual(*hashes)
        self.run_script('diskwipe records verify --signers=signers DIR', self.ledger)

    def test_forged(self):
        """The same way finds what was changed, and what somebody else has signed."""
        script = next(commands('What an auditor checks'))
        forged = self.dir + '/forged'
        shutil.copytree(self.ledger, forged)
        with open(forged + '/record-00000001.json', 'r+b') as f:
            f.seek(40)
            f.write(b'X')
        self.run_script(script, forged, code=255)
        shutil.copy(self.ledger + '/record-00000001.json', forged)
        with open(forged + '/signers', encoding='ascii') as f:
            others = f.readline()
        with open(forged + '/signers', 'w', encoding='ascii') as f:
            f.write(others)
        self.run_script(script, forged, code=255)

    def test_customer(self):
        made, alone = list(commands('What a customer gets'))
        # of that month are the records of the page
        made = made.replace('2026-11-01', '2025-01-01').replace('2026-11-30', '2999-01-01')
        self.run_script(made, self.dir)
        self.assertTrue(os.path.exists(self.dir + '/lot-7.pdf'))
        pdfs = [n for n in os.listdir(self.dir + '/acme') if n.endswith('.pdf')]
        self.assertTrue(pdfs)
        shown = self.dir + '/shown'
        os.mkdir(shown)
        shutil.copy(f'{self.dir}/acme/{pdfs[0]}', shown + '/disk.pdf')
        shutil.copy(self.dir + '/signers', shown)
        said = self.run_script(alone, shown)
        self.assertIn(f'Good "diskwipe-record" signature for {STATION} with', said)
        text = self.run_script('pdftotext -layout disk.pdf -', shown)
        self.assertIn(STATION, text)  # who signed is on the paper


if __name__ == '__main__':
    unittest.main()
