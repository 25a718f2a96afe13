#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Papers of some records: by customer, order, label, day ...; a file for each disk or lot. What
people and disks say is no path, and a paper for one customer has no disks of another."""
import csv
import glob
import io
import json
import os
import re
import subprocess
import unittest

from paper import PAPER_LEDGER, REPORT, Paper, erased

NAME = re.compile(r'[A-Za-z0-9_-][A-Za-z0-9._-]*-([0-9a-f]{12})\.(pdf|csv)')


def lot(record):
    return record.get('customer', ''), record.get('order', ''), record['label']


class Lots(Paper):
    count = 40

    def chosen(self, *words):
        text = self.report('summary', '--format=csv', *words, self.ledger).decode()
        return [int(r['sequence']) for r in csv.DictReader(io.StringIO(text, newline=''))]

    def test_chosen(self):
        for option, of in (('customer', lambda r: r.get('customer', '')),
                           ('order', lambda r: r.get('order', '')),
                           ('asset', lambda r: r.get('asset', '')),
                           ('operator', lambda r: r['operator']),
                           ('label', lambda r: r['label']),
                           ('serial', lambda r: r['disk']['serial'] or '')):
            for value in {of(r) for r in self.records}:
                if '\0' in value or not value:
                    continue
                want = [r['sequence'] for r in self.records if of(r) == value]
                self.assertEqual(self.chosen(f'--{option}={value}'), want, (option, value))
        both = [r['sequence'] for r in self.records
                if r.get('customer') == 'Müller & Söhne' and r['operator'] == 'Ada Lovelace']
        self.assertEqual(self.chosen('--customer=Müller & Söhne', '--operator=Ada Lovelace'), both)
        self.report('summary', '--customer=nobody', self.ledger, code=1)

    def test_job(self):
        """By its number, or a beginning that no other has."""
        one = self.records[5]
        jobs = {r['job']['id'] for r in self.records}
        for n in 8, 36:
            want = [r['sequence'] for r in self.records if r['job']['id'] == one['job']['id']]
            self.assertEqual(self.chosen(f'--job={one["job"]["id"][:n]}'), want)
        self.assertTrue(all(j.startswith('000') for j in jobs) and len(jobs) > 1)
        self.report('summary', '--job=000', self.ledger, code=1)
        self.report('certificate', '--job=000', self.ledger, code=1)
        self.report('summary', '--job=' + one['job']['id'] + '0', self.ledger, code=1)

    def test_erased_or_overwritten(self):
        """What a disk erases by itself was not overwritten."""
        said = {'write': 'Every block that a host can reach was overwritten',
                'sanitize': 'Every block that a host can reach was erased'}
        seen = set()
        for record, path in zip(self.records, self.files):
            if not erased(record) or record['passes'][0]['command'] in seen:
                continue
            how = record['passes'][0]['command']
            seen.add(how)
            pdf = f'{self.dir}/{how}.pdf'
            self.report('certificate', '-o', pdf, path)
            text = subprocess.run(['pdftotext', '-raw', pdf, '-'], check=True,
                                  capture_output=True, text=True).stdout
            self.assertIn(said[how], ' '.join(text.split()))
        self.assertEqual(seen, set(said))

    def test_days(self):
        day = self.records[0]['written'][:10]
        self.assertEqual(len(self.chosen(f'--since={day}', '--until=2999-01-01')), self.count)
        self.report('summary', '--until=2001-01-01', self.ledger, code=1)
        self.report('summary', '--until=tomorrow', self.ledger, code=1)
        # the day itself is in it, whatever the zone of this machine is
        last = subprocess.run(['date', '-u', '-d', self.records[-1]['written'], '+%F'], check=True,
                              capture_output=True, text=True).stdout.strip()
        self.assertEqual(len(self.chosen(f'--until={last}')), self.count)

    def test_all_is_not_silent(self):
        out = self.dir + '/all.pdf'
        words = [REPORT, 'certificate', f'--signers={self.signers}', '-o', out, self.ledger]
        p = subprocess.run(words, capture_output=True, text=True, check=False)
        lots = len({lot(r) for r in self.records})
        self.assertEqual(p.returncode, 1)
        self.assertIn(f'{self.count} records of {lots} lots', p.stderr)
        self.assertFalse(os.path.exists(out))
        for more in ['--all'], ['--order=4711']:
            p = subprocess.run([*words, *more], capture_output=True, text=True, check=True)
            self.assertRegex(p.stderr, r'all\.pdf: \d+ disks by \d+ records of \d+ lots')
            self.assertTrue(os.path.exists(out))
        self.report('certificate', '--per=disk', '-o', out, self.ledger, code=1)

    def made_in(self, where, *words):
        there = set(glob.glob(self.dir + '/**', recursive=True))
        folder = f'{self.dir}/{where}'
        self.report(*words, '-o', folder + '/', self.ledger)
        made = set(glob.glob(self.dir + '/**', recursive=True)) - there - {folder}
        for path in made:
            self.assertEqual(os.path.dirname(path), folder, 'nothing lies elsewhere')
            self.assertRegex(os.path.basename(path), NAME)
        return {NAME.fullmatch(os.path.basename(p))[1]: p for p in made if p != folder + '/'}

    def test_a_file_for_each_disk(self):
        made = self.made_in('disks', 'certificate', '--paper=a4')
        last = {}
        for r, digest in zip(self.records, self.hashes):
            of = r['disk']['serial'], r['disk']['wwn'], r['disk']['model']
            tells = (of[0] or of[1]) and not r['job'].get('simulation') and \
                r['outcome'] != 'as-expected' and not r['disk'].get('name_shared')
            last[of if tells else digest] = digest[:12]
        self.assertEqual(set(made), set(last.values()))
        for digest, path in made.items():
            p = subprocess.run(['pdfdetach', '-list', path], check=True, capture_output=True,
                               text=True)
            self.assertIn('record.json', p.stdout, digest)

    def test_a_file_for_each_lot(self):
        want = {}
        for r, digest in zip(self.records, self.hashes):
            want.setdefault(lot(r), [digest[:12], []])[1].append(r['sequence'])
        for words in (['summary', '--format=csv'], ['certificate', '--per=lot']):
            made = self.made_in(words[0], *words)
            self.assertEqual(set(made), {first for first, _ in want.values()})
        for first, numbers in want.values():
            path, = glob.glob(f'{self.dir}/summary/*-{first}.csv')
            with open(path, encoding='utf-8', newline='') as f:
                self.assertEqual([int(r['sequence']) for r in csv.DictReader(f)], numbers)
        self.report('summary', '--per=disk', '-o', self.dir + '/x/', self.ledger, code=1)
        self.report('certificate', '--per=day', '-o', self.dir + '/x/', self.ledger, code=1)

    def test_who_signed(self):
        with open(self.signers, encoding='ascii') as f:
            who = f.read().split()[0]
        text = self.report('summary', '--format=csv', self.ledger).decode()
        self.assertEqual({r['signer'] for r in csv.DictReader(io.StringIO(text, newline=''))},
                         {who})
        doc = json.loads(self.report('summary', '--format=json', self.ledger))
        self.assertEqual(sum(g['records'] for g in doc['by_customer']), self.count)
        self.assertEqual(sum(g['records'] for g in doc['by_order']), self.count)


class Later(Paper):
    """What was not chosen and speaks against a paper is named on it."""
    count = 2

    def grow(self, *what):
        subprocess.run([PAPER_LEDGER, self.ledger, self.key, *what], check=True)

    def named(self, *words):
        """Numbers of records, with what is said to be later, by the program and by the paper."""
        out = self.dir + '/one.pdf'
        p = subprocess.run([REPORT, 'certificate', f'--signers={self.signers}', '-o', out, *words,
                            self.ledger], capture_output=True, text=True, check=True)
        found = re.findall(r'record (\d+): a later record of its disk, (\d+)', p.stderr)
        self.assertEqual([b for _, b in found], self.on(out))
        return [(int(a), int(b)) for a, b in found]

    @staticmethod
    def on(path):
        text = subprocess.run(['pdftotext', '-layout', path, '-'], check=True, capture_output=True,
                              text=True).stdout
        return re.findall(r'Later attempt +record (\d+): not erased', text)

    def test_named(self):
        self.assertEqual(self.named('--label=lot 7'), [])
        self.grow('failed')  # record 3: the first disk, in lot 8
        self.assertEqual(self.named('--label=lot 7'), [(1, 3)])
        self.assertEqual(self.named('--label=lot 8'), [])
        self.assertEqual(self.named('--all'), [])
        # a label has no room for both: it goes by what came of the disk
        out = self.dir + '/labels.pdf'
        self.report('label', '--format=pdf', '-o', out, '--label=lot 7', self.ledger)
        pages = subprocess.run(['pdftotext', '-layout', out, '-'], check=True, capture_output=True,
                               text=True).stdout.split('\f')
        self.assertRegex(pages[0], r'^ *NOT ERASED\s+a later record of this disk, 3,')
        self.assertRegex(pages[1], r'^ *ERASED')
        self.report('certificate', '--per=lot', '-o', self.dir + '/lots/', self.ledger)
        self.assertEqual([n for p in glob.glob(self.dir + '/lots/*.pdf') for n in self.on(p)],
                         ['3'])
        self.grow('1', '0', '2')  # record 4: erased again, in lot 7
        self.assertEqual(self.named('--label=lot 7', '--last=1'), [])


if __name__ == '__main__':
    unittest.main()
