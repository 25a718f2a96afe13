#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a locale with a decimal comma every document, table, figure and order is what it is without.
Text alone goes by the locale, by LC_CTYPE: a program that took the rest would write "0,5" into
JSON."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from paper import DISKWIPE, Paper

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
STATION = TOP + '/examples/demo-shelf.station'
# What differs from run to run.
TIMES = re.compile(rb'[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.+-]+|D:\d{14}\S*|/ID \[.*')


class Locale(Paper):
    count = 12

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.dir + '/locales'
        os.mkdir(folder)
        tool = shutil.which('localedef')
        made = tool and not subprocess.run(
            [tool, '-f', 'UTF-8', '-i', 'de_DE', folder + '/de_DE.UTF-8'], check=False,
            capture_output=True).returncode
        cls.german = {'LOCPATH': folder, 'LC_ALL': 'de_DE.UTF-8', 'LANG': 'de_DE.UTF-8'}
        comma = made and subprocess.run(['locale', 'decimal_point'], capture_output=True,
                                        env={**os.environ, **cls.german}, check=False).stdout
        if comma != b',\n':
            print('SKIPPED: no locale de_DE can be made here; run tools/dev/setup',
                  file=sys.stderr)
            sys.exit(77)

    def both(self, *words):
        """What a command prints, the same in both."""
        said = []
        for env in {'LC_ALL': 'C.UTF-8'}, self.german:
            r = subprocess.run(words, capture_output=True, timeout=120, check=False,
                               stdin=subprocess.DEVNULL, cwd=self.dir, env={**os.environ, **env})
            self.assertEqual(r.returncode, 0, r.stderr)
            said.append(TIMES.sub(b'', r.stdout))
        self.assertEqual(*said)
        return said[0]

    def paper(self, *words):
        """The same of a file that a command makes; -o is added."""
        read = []
        for env in {'LC_ALL': 'C.UTF-8'}, self.german:
            out = f'{self.dir}/out.{words[0]}'
            r = subprocess.run([*words[1:], '-o', out], capture_output=True, timeout=120,
                               check=False, env={**os.environ, **env})
            self.assertEqual(r.returncode, 0, r.stderr)
            cat = ['pdftotext', '-layout', out, '-'] if words[0] == 'pdf' else ['cat', out]
            text = subprocess.run(cat, check=True, capture_output=True).stdout
            read.append(TIMES.sub(b'', text))
            os.unlink(out)
        self.assertEqual(*read)
        return read[0]

    def test_numbers(self):
        self.assertRegex(self.both(DISKWIPE, 'simulate', '--json', STATION), rb'"seconds": \d+\.\d')
        self.both(DISKWIPE, 'simulate', STATION)
        self.both(DISKWIPE, 'plan', '--topology=' + STATION, '--json')
        self.both(DISKWIPE, 'plan', '--topology=' + STATION, '--compare')
        self.assertIn(b'0.75', self.both(DISKWIPE, 'model', 'mirror', 'policy=CMQ', 'mu=45',
                                         'lambda=30.5', 'read_fraction=0.75', '--json'))

    def test_figures(self):
        with open(self.dir + '/job.json', 'wb') as f:
            subprocess.run([DISKWIPE, 'simulate', '--json', STATION], stdout=f, check=True,
                           stderr=subprocess.DEVNULL)
        for kind in 'svg', 'html', 'pdf':
            self.paper(kind, DISKWIPE, 'report', self.dir + '/job.json')
        self.assertRegex(self.paper('svg', DISKWIPE, 'model', 'mirror', 'policy=CMQ', 'mu=45',
                                    'read_fraction=.75', '--sweep=lambda=5:70:5.5'), rb'\d\.\d')

    def test_records(self):
        self.both(DISKWIPE, 'records', 'list', self.ledger)
        self.both(DISKWIPE, 'records', 'list', '--json', self.ledger)
        report = os.environ['REPORT'], 'summary', '--signers=' + self.signers
        for form in 'csv', 'json':
            self.both(*report, '--format=' + form, self.ledger)
        self.paper('html', *report, self.ledger)
        for language in 'en', 'de':
            self.paper('pdf', os.environ['REPORT'], 'certificate', '--all',
                       '--signers=' + self.signers, '--language=' + language, self.ledger)


if __name__ == '__main__':
    unittest.main()
