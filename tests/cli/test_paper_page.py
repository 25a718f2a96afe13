#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What docs/records.md tells an auditor and a customer to type is run as it is written there, on
the records of a machine of another name."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from paper import DISKWIPE, REPORT, Paper

PAGE = pathlib.Path(__file__).resolve().parents[2] / 'docs/records.md'
WHO = 'diskwipe@no-such-station'


def commands(section):
    """The lines after "$ " and what continues them."""
    text = PAGE.read_text(encoding='utf-8').split(f'\n## {section}\n')[1].split('\n## ')[0]
    blocks = re.findall(r'^```\n(.*?)^```', text, re.M | re.S)
    assert blocks, section
    return ['\n'.join(re.sub(r'^\$ ', '', line) for line in b.splitlines()) for b in blocks]


class Page(Paper):
    count = 3

    def setUp(self):
        self.auditor = f'{self.dir}/auditor'
        if os.path.exists(self.auditor):
            return
        shutil.copytree(self.ledger, self.auditor)
        os.mkdir(f'{self.dir}/bin')
        for name, program in (('diskwipe', DISKWIPE), ('diskwipe-report', REPORT)):
            os.symlink(program, f'{self.dir}/bin/{name}')
        line = pathlib.Path(self.signers).read_text(encoding='utf-8')
        pathlib.Path(f'{self.auditor}/signers').write_text(
            re.sub(r'^\S+', WHO, line), encoding='utf-8')
        pathlib.Path(f'{self.auditor}/firm.ini').write_text('[firm]\nname = Example\n',
                                                          encoding='utf-8')
        subprocess.run([REPORT, 'certificate', f'--signers={self.signers}',
                        f'--output={self.auditor}/disk.pdf', self.files[0]], check=True)

    def run_section(self, section):
        said = ''
        for block in commands(section):
            p = subprocess.run(
                ['bash', '-e', '-o', 'pipefail', '-c', block.replace('/srv/records', self.ledger)],
                cwd=self.auditor, capture_output=True, text=True, timeout=120, check=False,
                env={**os.environ, 'PATH': f'{self.dir}/bin:{os.environ["PATH"]}'})
            self.assertEqual(p.returncode, 0, f'{block}\n{p.stdout}{p.stderr}')
            said += p.stdout
        return said

    def test_auditor(self):
        said = self.run_section('What an auditor checks')
        self.assertIn(f'Good "diskwipe-record" signature for {WHO} with', said)
        previous = re.search(r'"previous":"([0-9a-f]{64})"', said)[1]
        self.assertIn(f'{previous}  record-00000001.json', said)

    def test_customer(self):
        said = self.run_section('What a customer gets')
        self.assertIn(f'Good "diskwipe-record" signature for {WHO} with', said)
        self.assertTrue(os.path.getsize(f'{self.auditor}/lot-7.pdf'))


if __name__ == '__main__':
    unittest.main()
