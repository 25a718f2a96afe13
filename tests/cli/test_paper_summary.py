#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Summaries and lists: each record is in them once, and no text of a disk is more than text."""
import collections
import csv
import html.parser
import io
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from paper import COUNT, DISKWIPE, HOSTILE, PAPER_LEDGER, REPORT, Paper, erased, printable


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = collections.Counter()
        self.attributes = []
        self.cells = []
        self.open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, *a) for a in attrs]
        if tag not in ('meta', 'rect', 'line', 'circle'):
            self.open.append(tag)
        if tag == 'tr':
            self.cells.append([])
        if tag == 'td':
            self.cells[-1].append('')

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, *a) for a in attrs]

    def handle_endtag(self, tag):
        if tag in ('rect', 'circle'):
            return
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if 'td' in self.open:
            self.cells[-1][-1] += data


class Summary(Paper):
    def rows(self, *args):
        text = self.report('summary', '--format=csv', *args).decode()
        self.assertEqual(text.count('\n'), text.count('\r\n'))
        self.assertNotRegex(text.replace('\r\n', '\n'), HOSTILE)
        return list(csv.DictReader(io.StringIO(text, newline='')))

    def test_csv(self):
        rows = self.rows(self.ledger)
        self.assertEqual([r['sha256'] for r in rows], self.hashes)
        for row, record in zip(rows, self.records):
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
            self.assertEqual(int(row['sequence']), record['sequence'])
            self.assertEqual(row['erased'], 'yes' if erased(record) else 'no')
            self.assertEqual(row['outcome'], record['outcome'])
            self.assertEqual(bool(row['reason']), not erased(record))
            self.assertEqual(row['level_limit'], record['level_limit'] or '')
            self.assertEqual(row['medium'], record['disk']['medium'] or '')
            self.assertEqual(row['purge_attested'],
                             'yes' if record.get('purge_attested') else
                             'no' if record.get('purge_requested') else '')
            for value in row.values():
                self.assertNotRegex(value, r'^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]')
            serial = record['disk']['serial'] or ''
            if all(' ' <= c <= '~' for c in serial):
                self.assertEqual(row['serial'].lstrip("'"), serial)
            self.assertEqual(row['label'].removeprefix("'"), printable(record['label']))

        self.assertEqual({r['purge_attested'] for r in rows}, {'', 'yes', 'no'})

    def test_cut(self):
        """Of a serial number that is cut off in a character the others are there."""
        cut = [r['disk']['serial'] for r in self.records
               if '\u6f22\u5b57' * 11 in (r['disk']['serial'] or '')]
        self.assertEqual(cut, ['\u6f22\u5b57' * 11 + '\u6f22??'])
        self.assertIn(cut[0], [r['serial'] for r in self.rows(self.ledger)])

    def test_each_once(self):
        """Whatever names a record, it counts once."""
        rows = self.rows(self.files[4], self.ledger, self.ledger, self.files[4], self.files[0])
        self.assertEqual(sorted(r['sha256'] for r in rows), sorted(self.hashes))

    def test_select(self):
        self.assertEqual([r['sha256'] for r in self.rows('--last=3', self.ledger)],
                         self.hashes[-3:])
        self.assertEqual([r['sequence'] for r in self.rows('--serial=ZR500011', self.ledger)],
                         ['12'])
        self.assertEqual(len(self.rows('--since=2026-01-01', self.ledger)), len(self.records))
        self.report('summary', '--since=2999-01-01', self.ledger, code=1)
        self.report('summary', '--since=tomorrow', self.ledger, code=1)
        self.report('summary', '--last=0', self.ledger, code=1)

    def test_json(self):
        doc = json.loads(self.report('summary', '--format=json', self.ledger))
        self.assertEqual([r['record'] for r in doc['records']], self.records)
        self.assertEqual([r['sha256'] for r in doc['records']], self.hashes)
        good = [r for r in self.records if erased(r)]
        self.assertEqual((doc['count'], doc['erased'], doc['not_erased']),
                         (len(self.records), len(good), len(self.records) - len(good)))
        self.assertEqual(doc['erased_bytes'],
                         sum(r['disk']['blocks'] * r['disk']['block_size'] for r in good))
        self.assertEqual(doc['missing_before'], [])
        for by in ('outcome', 'level', 'method', 'operator', 'day'):
            self.assertEqual(sum(g['records'] for g in doc['by_' + by]), len(self.records), by)
        levels = {g['name']: g['records'] for g in doc['by_level']}
        self.assertEqual(levels['None'], len(self.records) - len(good))
        self.assertEqual(levels['Purge'], sum(r['level'] == 'purge' for r in good))

    def test_missing(self):
        doc = json.loads(self.report('summary', '--format=json', *self.files[:3], self.files[6],
                                     *self.files[8:10]))
        self.assertEqual(doc['missing_before'], [7, 9])
        page = self.report('summary', *self.files[:3], self.files[6]).decode()
        self.assertIn('missing here before No. 7.', page)

    def test_html(self):
        text = self.report('summary', self.ledger).decode()
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertNotRegex(text, HOSTILE)
        self.assertFalse({'script', 'link', 'img', 'iframe', 'object'} & set(page.tags))
        self.assertEqual(page.tags['style'], 1)
        for tag, name, value in page.attributes:
            self.assertFalse(name.startswith('on') or name in ('href', 'src'), (tag, name))
        self.assertNotIn('url(', text)
        self.assertNotIn('@import', text)
        rows = [c for c in page.cells if len(c) == 14]
        self.assertEqual(sorted(int(c[0]) for c in rows), list(range(1, len(self.records) + 1)))
        for cells in rows:
            record = self.records[int(cells[0]) - 1]
            self.assertEqual(cells[2], 'ERASED' if erased(record)
                             else 'NOT ERASED: ' + ('simulated' if record['job'].get('simulation')
                                                    else record['outcome']))
            self.assertEqual(cells[13], self.hashes[int(cells[0]) - 1][:12])
        self.assertEqual([c[2] == 'ERASED' for c in rows],
                         sorted(c[2] == 'ERASED' for c in rows), 'what is not erased comes first')
        bars = sum(r['times'].get('started') is not None for r in self.records)
        self.assertEqual(len(re.findall(r'<rect class="[gb]"', text)), bars)
        self.assertEqual(len(re.findall(r'<rect class="g"', text)),
                         sum(map(erased, self.records)))
        self.assertEqual(page.tags['svg'], 3)

    def test_bars_apart(self):
        """Bars of one line do not cover each other; a line is named once, by bay and slot."""
        text = self.report('summary', self.ledger).decode()
        figure = text[text.index('Bays in time'):].split('</svg>')[0]
        lines = collections.defaultdict(list)
        for x, y, w in re.findall(r'<rect class="[gb]" x="(\S+)" y="(\S+)" width="(\S+)"', figure):
            lines[float(y)].append((float(x), float(x) + float(w)))
        self.assertEqual(len(lines), 8 + 8)
        for bars in lines.values():
            bars.sort()
            for (_, end), (begin, _) in zip(bars, bars[1:]):
                self.assertLessEqual(end, begin + 0.2, 'digits of the figure')
        names = re.findall(r'<text x="0.0" y="\S+" class="" text-anchor="start">([^<]+)', figure)
        self.assertEqual(names, [f'shelf 2 bay {i}' for i in range(1, 9)]
                         + [f'shelf 12, {i}' for i in range(1, 8)])

    def test_own_signers(self):
        page = self.report('summary', self.ledger, signers=False).decode()
        self.assertIn('list of signers came with the records', page)
        self.assertNotIn('list of signers came',
                         self.report('summary', self.ledger).decode())


class Mixed(Paper):
    """Draws and records of the audit trail are links of the chain, and no disks."""

    def setUp(self):
        self.folder = self.dir + '/mixed'
        if not os.path.exists(self.folder):
            self.grow('audit')
            self.alone = self.refuse('label', self.folder)
            self.grow('3')
            subprocess.run([DISKWIPE, 'qc', 'draw', '100%', '--record', self.folder,
                            '--record-key', self.key], check=True, capture_output=True)
            self.grow('5', '3')
            self.grow('audit')
        self.names = sorted(glob.glob(self.folder + '/record-*.json'))

    def grow(self, *what):
        subprocess.run([PAPER_LEDGER, self.folder, self.key, *what], check=True)

    def refuse(self, *args):
        p = subprocess.run([REPORT, *args, '--signers', self.signers], capture_output=True)
        self.assertEqual((p.returncode, p.stdout), (1, b''))
        return p.stderr.decode()

    def numbers(self, *args):
        text = self.report('summary', '--format=csv', *args).decode()
        return [int(line.split(',')[0]) for line in text.splitlines()[1:]]

    def test_folder(self):
        self.assertIn('no record of a disk', self.alone)
        self.assertEqual(self.numbers(self.folder), [2, 3, 4, 6, 7])
        self.assertEqual(self.numbers('--last=1', self.folder), [7])
        doc = json.loads(self.report('summary', '--format=json', self.folder))
        self.assertEqual((doc['count'], doc['missing_before']), (5, []))
        self.assertNotIn('missing', self.report('summary', self.folder).decode())
        self.assertEqual(self.report('label', '--format=zpl', self.folder).count(b'^XA'), 5)
        pdf = self.report('certificate', '--all', self.folder)
        self.assertEqual(pdf.count(b'/Type /Filespec'), 10)
        run = subprocess.run([DISKWIPE, 'records', 'list', '--noheadings', self.folder],
                             capture_output=True, check=True)
        self.assertEqual([int(line.split()[0]) for line in run.stdout.splitlines()],
                         [2, 3, 4, 6, 7])
        subprocess.run([DISKWIPE, 'records', 'verify', self.folder, '--signers', self.signers],
                       capture_output=True, check=True)

    def test_missing(self):
        """What is chosen of a folder is not all of it, and what is named file by file neither."""
        doc = json.loads(self.report('summary', '--format=json', '--last=2', self.folder))
        self.assertEqual(doc['missing_before'], [6])
        doc = json.loads(self.report('summary', '--format=json', self.names[3], self.names[5]))
        self.assertEqual(doc['missing_before'], [4, 6])

    def test_named(self):
        for verb in 'label', 'summary', 'certificate':
            for n in 1, 5, 8:
                self.assertIn(f'record-{n:08d}.json: it is not the record of a disk',
                              self.refuse(verb, self.names[n - 1]))
                self.refuse(verb, *self.names[1:4], self.names[n - 1])


class Attempts(Paper):
    """A disk counts once, by the last attempt at it among the records that are chosen."""
    count = 3

    def grow(self, *what):
        subprocess.run([PAPER_LEDGER, self.ledger, self.key, *what], check=True)

    def counts(self, *args):
        doc = json.loads(self.report('summary', '--format=json', *args, self.ledger))
        size = doc['records'][0]['record']['disk']
        self.assertEqual(doc['erased_bytes'],
                         doc['erased'] * size['blocks'] * size['block_size'])
        return [doc[k] for k in ('count', 'disks', 'erased', 'not_erased', 'earlier_attempts')]

    def test_attempts(self):
        self.assertEqual(self.counts(), [3, 3, 3, 0, 0])
        self.grow('failed')  # the first disk
        self.assertEqual(self.counts(), [4, 3, 2, 1, 1])
        self.grow('3', '1', '1')  # the others once more
        self.assertEqual(self.counts(), [6, 3, 2, 1, 3])
        self.assertEqual(self.counts('--last=2'), [2, 2, 2, 0, 0])
        rows = list(csv.DictReader(io.StringIO(self.report(
            'summary', '--format=csv', self.ledger).decode(), newline='')))
        self.assertEqual([r['last_attempt'] for r in rows],
                         ['no', 'no', 'no', 'yes', 'yes', 'yes'])
        page = self.report('summary', self.ledger).decode()
        self.assertIn('<b>2</b>disks erased', page)
        self.assertIn('<b>1</b>not erased', page)
        self.assertIn('<b>3</b>earlier attempts', page)
        self.assertIn('Earlier attempts at these disks', page)
        self.grow('1', '0', '2')
        self.assertEqual(self.counts(), [7, 3, 3, 0, 4])
        page = self.report('summary', self.ledger).decode()
        self.assertIn('<b>3</b>disks erased', page)
        self.assertIn('<b>0</b>not erased', page)
        self.grow('shared')  # two disks that say the serial number of one
        self.assertEqual(self.counts('--last=2'), [2, 2, 2, 0, 0])


class Headless(Paper):
    """Cut down to its first record, a ledger proves nothing."""
    count = 3

    def test_cut_down(self):
        folder = f'{self.dir}/cut'
        shutil.copytree(self.ledger, folder)
        for name in os.listdir(folder):
            if not name.startswith(('record-00000001.', 'allowed_signers', '.lock')):
                os.remove(f'{folder}/{name}')
        p = subprocess.run([DISKWIPE, 'records', 'verify', folder, '--signers', self.signers],
                           capture_output=True, text=True, check=False)
        self.assertEqual((p.returncode, p.stdout), (9, f'{folder}: NOT finished\n'))
        self.assertIn('record 1 is signed, and no head names it', p.stderr)
        for verb in 'certificate', 'label', 'summary':
            self.report(verb, folder, code=9)
        p = subprocess.run([DISKWIPE, 'qc', 'status', f'--record={folder}'], capture_output=True,
                           text=True, check=False)
        self.assertEqual(p.returncode, 9)
        self.assertIn('no head names its last record', p.stderr)


class Head(Paper):
    """A head that was noted tells a folder that was put back, or rewritten."""
    count = 3

    def verify(self, *words, code=0):
        p = subprocess.run([DISKWIPE, 'records', 'verify', '--signers', self.signers, *words],
                           capture_output=True, text=True, check=False)
        self.assertEqual(p.returncode, code, p.stderr)
        return p

    def test_head(self):
        head = f'{len(self.files)}:{self.hashes[-1]}'
        self.assertIn(f'{self.ledger}: head {head}\n', self.verify(self.ledger).stdout)
        earlier = f'2:{self.hashes[1]}'
        for expect in head, earlier:
            self.verify(f'--expect={expect}', self.ledger)
        older = f'{self.dir}/older'
        subprocess.run([PAPER_LEDGER, older, self.key, '1'], check=True)
        self.verify(older)
        p = self.verify(f'--expect={head}', older, code=5)
        self.assertIn('put back', p.stderr)
        self.assertNotIn('head', p.stdout)
        p = self.verify(f'--expect=1:{self.hashes[1]}', self.ledger, code=5)
        self.assertIn('record-00000001.json: it is not the one that the expected head names',
                      p.stderr)

    def test_wrong(self):
        for head in ('', '1', '1:', self.hashes[0], f'0:{self.hashes[0]}', f'1:{self.hashes[0]}0',
                     f'-1:{self.hashes[0]}', f'1:{self.hashes[0].upper()}'):
            self.assertIn('--expect', self.verify(f'--expect={head}', self.ledger, code=1).stderr)
        head = f'1:{self.hashes[0]}'
        for words in ([self.files[0]], ['--all'], [self.ledger, self.ledger]):
            self.assertIn('--expect', self.verify(f'--expect={head}', *words, code=1).stderr)

    def test_certificate(self):
        pdf = f'{self.dir}/head.pdf'
        self.report('certificate', '--all', '-o', pdf, self.ledger)
        text = subprocess.run(['pdftotext', '-raw', pdf, '-'], capture_output=True,
                              check=True).stdout.decode()
        self.assertIn(f'{len(self.files)}:{self.hashes[-1]}', re.sub(r'\s+', '', text))
        self.report('certificate', '-o', pdf, self.files[0])
        text = subprocess.run(['pdftotext', '-raw', pdf, '-'], capture_output=True,
                              check=True).stdout.decode()
        self.assertNotIn('End of the ledger', text)


class List(Paper):
    def list(self, *args, code=0):
        run = subprocess.run([DISKWIPE, 'records', 'list', *args], capture_output=True,
                             timeout=120)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(b'not checked' if not code else b'', run.stderr)
        return run.stdout

    def test_json(self):
        self.assertEqual(self.list(self.ledger, '--json'), b''.join(self.texts))

    def test_table(self):
        text = self.list(self.ledger, '--noheadings').decode()
        self.assertNotRegex(text, HOSTILE)
        lines = text.splitlines()
        self.assertEqual([int(line.split()[0]) for line in lines],
                         [r['sequence'] for r in self.records])
        for line, record in zip(lines, self.records):
            self.assertIn(record['outcome'], line)
            self.assertEqual('simulated' in line, bool(record['job'].get('simulation')))
            for text in (record['disk']['serial'] or '-').split():
                self.assertIn(printable(text), line)

    def test_verify(self):
        """Whatever files, folders and signers are called."""
        folder = f'{self.dir}/\x1b[2J\u202eledger\r'
        shutil.copytree(self.ledger, folder)
        with open(folder + '/signers', 'w', encoding='utf8') as f:
            f.write('\x1b]0;x\x07\u202e ssh-ed25519 \x9b\n')
        os.rename(folder + '/record-00000003.json', folder + '/record-00000003.json\x1b[2J\u202e')
        with open(folder + '/record-00000109.json', 'a', encoding='utf8') as f:
            f.write('\x1b[2J\u202e=cmd()\n')
        for what in ([folder], [folder + '/record-00000109.json'], [folder + '/record-1.json\x9b'],
                     [folder + '/record-00000009.json', f'--signers={folder}/signers']):
            for command in ([DISKWIPE, 'records', 'verify'], [REPORT, 'label']):
                more = [] if '--signers' in what[-1] else ['--signers', self.signers]
                p = subprocess.run([*command, *what, *more], capture_output=True)
                self.assertNotRegex(p.stdout.decode(), HOSTILE)
                self.assertNotRegex(p.stderr.decode(), HOSTILE)
                self.assertGreater(p.returncode, 0)
                self.assertTrue(p.stderr)
        p = subprocess.run([DISKWIPE, 'records', 'list', folder], capture_output=True)
        self.assertNotRegex((p.stdout + p.stderr).decode(), HOSTILE)

    def test_verify_all(self):
        """The service's program does it, if it is there."""
        with tempfile.TemporaryDirectory() as folder:
            def verify(*words):
                return subprocess.run([DISKWIPE, 'records', *words], capture_output=True, text=True,
                                      env=os.environ | {'PATH': folder}, timeout=120)
            self.assertIn('is not installed', verify('verify', '--all').stderr)
            with open(folder + '/diskwiped', 'w', encoding='ascii') as f:
                f.write('#!/bin/sh\necho "$@"\nexit 5\n')
            os.chmod(folder + '/diskwiped', 0o755)
            for words, passed in ((['--all'], '--check'),
                                  (['--all', '--signers=a b'], '--check --signers a b')):
                p = verify('verify', *words)
                self.assertEqual((p.returncode, p.stdout, p.stderr), (5, passed + '\n', ''))
            for words in (['verify', '--all', self.ledger], ['list', '--all', self.ledger],
                          ['key', '--all', folder + '/key'], ['--all']):
                p = verify(*words)
                self.assertEqual((p.returncode, p.stdout), (1, ''))
                self.assertIn('--all', p.stderr)

    def test_select(self):
        def numbers(*args):
            return [json.loads(line)['sequence']
                    for line in self.list(self.ledger, '--json', *args).splitlines()]
        self.assertEqual(numbers('--limit=2'), [COUNT - 1, COUNT])
        self.assertEqual(numbers('--serial=ZR500011'), [12])
        self.assertEqual(numbers('--outcome=failed'),
                         [r['sequence'] for r in self.records if r['outcome'] == 'failed'])
        self.assertEqual(numbers('--bay=shelf 2 bay 4'),
                         [r['sequence'] for r in self.records if r['bay'] == 'shelf 2 bay 4'])
        self.assertEqual(numbers('--since=1h'), [r['sequence'] for r in self.records])

    def test_usage(self):
        self.list(code=1)
        self.list(self.ledger, '--csv', code=1)
        self.list(self.dir + '/missing', code=1)


if __name__ == '__main__':
    unittest.main()
