#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A second check on papers: the erasure names it, it names the erasure, and a disk on which it
found something else is nowhere said to be erased."""
import csv
import io
import json
import re
import subprocess
import unittest

from paper import PAPER_LEDGER, Paper, erased


class Second(Paper):
    count = 12  # each outcome once

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([PAPER_LEDGER, cls.ledger, cls.key, 'second'], check=True)
        drawn = [r for r in cls.records if erased(r)]
        cls.good, cls.bad, cls.open = (r['sequence'] for r in drawn[:3])
        cls.draw = len(cls.records) + 1
        cls.redraw = cls.draw + 3
        cls.n_erased = len(drawn)

    def place(self, n):
        """Of record @n among those of disks, from 1."""
        return n - (n > self.draw) - (n > self.redraw)

    def at(self, n, *words):
        """A PDF of the ledger, and the page of record @n in it."""
        out = f'{self.dir}/second.pdf'
        self.report('certificate', '--all', *words, '-o', out, self.ledger)
        pages = int(re.search(r'Pages: +(\d+)', subprocess.run(
            ['pdfinfo', out], check=True, capture_output=True, text=True).stdout).group(1))
        return out, str(pages - len(self.records) - 3 + self.place(n))

    def page(self, n, *words):
        out, at = self.at(n, *words)
        text = subprocess.run(['pdftotext', '-raw', '-f', at, '-l', at, out, '-'],
                              check=True, capture_output=True).stdout.decode()
        return re.sub(r'\s+', ' ', text.replace('\xa0', ' '))

    def test_erasure(self):
        text = self.page(self.good)
        self.assertIn(f'Second check by Bert, record {self.draw + 1}', text)
        self.assertIn('Certificate of erasure', text)
        text = self.page(self.open)
        self.assertNotIn('Second check', text)
        self.assertIn('Certificate of erasure', text)
        text = self.page(self.good, '--language=de')
        self.assertIn(f'Zweite Prüfung durch Bert, Protokoll {self.draw + 1}', text)

    def test_differs(self):
        for language, loud, none in (('en', 'NOT COMPLETELY ERASED', 'none reached'),
                                     ('de', 'NICHT VOLLSTÄNDIG GELÖSCHT', 'keine erreicht')):
            text = self.page(self.bad, f'--language={language}')
            self.assertIn(loud, text)
            self.assertIn(none, text)
            self.assertIn('a second check found other contents', text)
            self.assertIn('Bert', text)
            self.assertNotRegex(text, 'Certificate of|Löschzertifikat|Clear|Purge')

    def test_check(self):
        by = self.records[self.good - 1]['operator']
        text = self.page(self.draw + 1)
        self.assertIn('Record of a check', text)
        self.assertIn('AS EXPECTED', text)
        self.assertIn(f'Second check of record {self.good} of {by}, drawn in record {self.draw}',
                      text)
        self.assertNotRegex(text, 'NOT ERASED|Certificate|Clear|Purge|none reached')
        self.assertIn('WIE ERWARTET', self.page(self.draw + 1, '--language=de'))
        text = self.page(self.draw + 2)
        self.assertIn('NOT ERASED', text)
        self.assertIn('not-as-expected', text)

    def test_summary(self):
        doc = json.loads(self.report('summary', '--format=json', self.ledger))
        others = len(self.records) - self.n_erased
        self.assertEqual((doc['count'], doc['erased'], doc['not_erased'], doc['as_expected']),
                         (len(self.records) + 3, self.n_erased - 1, others + 1, 2))
        # the check that found other contents came after its disk was erased
        self.assertEqual(doc['earlier_attempts'], 1)
        rows = list(csv.DictReader(io.StringIO(self.report(
            'summary', '--format=csv', self.ledger).decode(), newline='')))
        by = {int(r['sequence']): r for r in rows}
        self.assertEqual([by[n]['erased'] for n in (self.good, self.bad, self.open, self.draw + 1,
                                                    self.draw + 2)],
                         ['yes', 'no', 'yes', 'check', 'no'])
        self.assertEqual([(by[n]['second_record'], by[n]['second_person'])
                          for n in (self.good, self.bad, self.open)],
                         [(str(self.draw + 1), 'Bert'), (str(self.draw + 2), 'Bert'), ('0', '')])
        self.assertEqual(by[self.draw + 1]['second_record'], str(self.good))
        page = self.report('summary', self.ledger).decode()
        self.assertIn(f'; checked by Bert, No. {self.draw + 1}', page)
        self.assertEqual(page.count('NOT ERASED: not-as-expected'), 2)
        self.assertEqual(page.count('AS EXPECTED'), 2)
        self.assertIn('</b>checked, as expected', page)

    def test_label(self):
        text = self.report('label', '--format=zpl', self.ledger).decode('ascii')
        label = [re.findall(r'\^FD([^^]*)\^FS', part) for part in text.split('^XA')[1:]]
        said = {n: label[self.place(n) - 1][0]
                for n in (self.good, self.bad, self.open, self.draw + 1, self.draw + 2)}
        self.assertEqual(list(said.values()), ['ERASED', 'NOT ERASED', 'ERASED', 'AS EXPECTED',
                                               'NOT ERASED'])

    def test_code(self):
        for n, outcome in ((self.good, 'erased'), (self.bad, 'not-as-expected'),
                           (self.draw + 1, 'as-expected')):
            out, at = self.at(n)
            subprocess.run(['pdftoppm', '-r', '150', '-singlefile', '-f', at, '-png', out,
                            f'{self.dir}/code'], check=True)
            self.assertIn(f':{outcome}:', self.scan(f'{self.dir}/code.png'))

    def test_alone(self):
        """A record by itself does not know of it, and says that it is by itself."""
        rows = list(csv.DictReader(io.StringIO(self.report(
            'summary', '--format=csv', self.files[self.bad - 1]).decode(), newline='')))
        self.assertEqual([r['erased'] for r in rows], ['yes'])


unittest.main()
