#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Labels: what is not erased says so, the code names the record, no text is a command."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from paper import COUNT, HOSTILE, REPORT, Paper, erased, printable

KNOWN = {'XA', 'XZ', 'CI', 'PW', 'LL', 'LH', 'FO', 'GB', 'A0', 'FR', 'FH', 'FD', 'FS', 'GF'}


def commands(text):
    """A printer's reading of ZPL: each ^ or ~ begins a command, whatever stands around it."""
    return [(m[1], m[2], m[3]) for m in re.finditer(r'([\^~])(..)([^\^~]*)', text, re.S)]


def unescape(data):
    return re.sub(rb'_([0-9A-F]{2})', lambda m: bytes([int(m[1], 16)]), data.encode()).decode()


def labels(text):
    """Of each label its texts, and its code as rows of "0" and "1"."""
    ret = []
    for prefix, name, data in commands(text):
        if name == 'XA':
            ret.append(([], []))
        elif name == 'FD':
            ret[-1][0].append(unescape(data))
        elif name == 'GF':
            _, total, _, row, digits = data.split(',')
            bits = bin(int('1' + digits.strip(), 16))[3:]
            each = 8 * int(row)
            assert len(bits) == 8 * int(total)
            ret[-1][1].extend(bits[i:i + each] for i in range(0, len(bits), each))
    return ret


class Label(Paper):
    def zpl(self, size):
        return self.report('label', '--format=zpl', '--size=' + size, self.ledger).decode('ascii')

    def test_zpl_commands(self):
        for size in ('62', '4x6'):
            text = self.zpl(size)
            found = commands(text)
            self.assertEqual({p for p, _, _ in found}, {'^'})
            self.assertLessEqual({n for _, n, _ in found}, KNOWN)
            self.assertEqual(text.count('^XA'), len(self.records))
            self.assertEqual(text.count('^XZ'), len(self.records))
            for _, name, data in found:
                if name == 'FD':
                    self.assertRegex(data, r'^[A-Za-z0-9 .\-_]*$')

    def test_zpl_words(self):
        for size in ('62', '4x6'):
            for record, (texts, _) in zip(self.records, labels(self.zpl(size))):
                self.assertEqual(texts[0], 'ERASED' if erased(record) else 'NOT ERASED')
                serial = record['disk']['serial'] or 'no serial number'
                if all(' ' <= c <= '~' for c in serial):
                    self.assertIn(serial, ''.join(texts))
                if record['operator'].isalpha():
                    self.assertIn('by: ' + record['operator'], texts)
                for text in texts:
                    self.assertNotRegex(text, HOSTILE)
                    self.assertNotIn('\n', text)

    def test_locked(self):
        """Whoever holds a disk that is locked by our password has to know it."""
        for size in ('62', '4x6'):
            locked = ['LOCKED, ATA password: diskwipe' in texts
                      for texts, _ in labels(self.zpl(size))]
            self.assertEqual(locked, [r['disk'].get('password_left', False) for r in self.records])
            self.assertIn(True, locked)

    def test_failed_has_no_erased(self):
        seen = 0
        for record, (texts, _) in zip(self.records, labels(self.zpl('62'))):
            if erased(record) or record['operator'] not in ('Ada Lovelace', 'José Muñoz'):
                continue
            seen += 1
            self.assertNotIn('ERASED', ''.join(texts).replace('NOT ERASED', ''))
            self.assertNotIn('NIST', ''.join(texts))
        self.assertGreater(seen, 20)

    def test_zpl_codes(self):
        if not shutil.which('zbarimg'):
            self.skipTest('no zbarimg')
        for i in (0, 3, 8, 18, 28, 39):
            rows = labels(self.zpl('4x6'))[i][1]
            white = 16
            wide = len(rows[0]) + 2 * white
            lines = ['0' * wide] * white + ['0' * white + r + '0' * white for r in rows] \
                + ['0' * wide] * white
            name = self.dir + '/code.pbm'
            with open(name, 'w', encoding='ascii') as f:
                f.write(f'P1\n{wide} {len(lines)}\n' + '\n'.join(' '.join(r) for r in lines))
            self.assertEqual(self.scan(name), self.code_of(self.records[i], self.hashes[i]))

    def test_png(self):
        if not shutil.which('zbarimg'):
            self.skipTest('no zbarimg')
        for size in ('62', '4x6'):
            folder = self.dir + '/png' + size
            os.mkdir(folder)
            self.report('label', '--size=' + size, '-o', folder, self.ledger)
            names = sorted(os.listdir(folder))
            self.assertEqual(len(names), len(self.records))
            for i, name in enumerate(names):
                if i >= 10 and i % 10 != 8:
                    continue  # one of each kind, and each hostile one
                self.assertEqual(self.scan(folder + '/' + name),
                                 self.code_of(self.records[i], self.hashes[i]), name)

    def test_pdf(self):
        if not shutil.which('pdftotext'):
            self.skipTest('no pdftotext')
        name = self.dir + '/label.pdf'
        self.report('label', '-o', name, self.ledger)
        with open(name, 'rb') as f:
            first = f.read()
        pages = subprocess.run(['pdftotext', '-layout', name, '-'], check=True,
                               capture_output=True).stdout.decode().split('\f')[:-1]
        self.assertEqual(len(pages), len(self.records))
        for record, page, digest in zip(self.records, pages, self.hashes):
            self.assertEqual('NOT ERASED' in page.split('\n')[0], not erased(record))
            self.assertIn('ERASED', page.split('\n')[0])
            self.assertIn(digest[:16], page)
            self.assertNotRegex(page, HOSTILE)
        self.report('label', '-o', name, self.ledger)
        with open(name, 'rb') as f:
            self.assertEqual(f.read(), first, 'two prints of one ledger differ')

    def test_certificate(self):
        """The same texts on a page: all of each is there, and nothing else."""
        if not shutil.which('pdftotext'):
            self.skipTest('no pdftotext')
        if not subprocess.run(['fc-list', ':charset=6f22'], capture_output=True, check=True).stdout:
            self.skipTest('no font has 漢')
        pdf = self.dir + '/hostile.pdf'
        for i in range(8, COUNT, 10):
            record = self.records[i]
            self.report('certificate', '-o', pdf, self.files[i])
            page = subprocess.run(['pdftotext', '-raw', pdf, '-'], check=True,
                                  capture_output=True).stdout.decode().rstrip('\f')
            self.assertNotRegex(page, HOSTILE)
            page = ''.join(page.split())
            for text in (record['disk']['serial'], record['disk']['model'], record['label'],
                         record['operator'], record['notes'][0]):
                self.assertIn(''.join(printable(text).split()), page)

    def test_fonts(self):
        """What no font has is printed as its code, and that is said."""
        font = subprocess.run(['fc-match', '-f', '%{family} %{file}', 'DejaVu Sans'],
                              capture_output=True, text=True, check=True).stdout
        if not font.startswith('DejaVu Sans '):
            self.skipTest('no DejaVu Sans')
        with open(self.dir + '/fonts.conf', 'w', encoding='utf-8') as f:
            f.write(f'<fontconfig><dir>{os.path.dirname(font.split(" ", 2)[2])}</dir>'
                    f'<cachedir>{self.dir}/fonts</cachedir></fontconfig>')
        pdf = self.dir + '/fonts.pdf'
        for i, n in ((0, None), (8, 4)):
            for words in (['certificate', '-o', pdf], ['label', '-o', self.dir + '/fonts.png'],
                          ['label', '-o', self.dir + '/label.pdf']):
                run = subprocess.run([REPORT, *words, '--signers', self.signers, self.files[i]],
                                     env={**os.environ,
                                          'FONTCONFIG_FILE': self.dir + '/fonts.conf'},
                                     capture_output=True, text=True, check=True)
                said = re.match(r'.*no font of this machine has (\d+) characters', run.stderr)
                self.assertEqual(int(said[1]) if said else None, n, run.stderr)
        self.assertEqual(self.records[8]['label'].count('漢'), 4)
        if shutil.which('pdftotext'):
            page = subprocess.run(['pdftotext', '-raw', pdf, '-'], check=True,
                                  capture_output=True).stdout.decode()
            self.assertEqual(''.join(page.split()).count('6F22'), 4)

    def test_one_file_for_many_pictures(self):
        self.report('label', '--format=png', '-o', self.dir + '/x.png', self.ledger, code=1)
        self.assertFalse(os.path.exists(self.dir + '/x.png'))

    def test_this_folder(self):
        """The dot of "." ends no file's name."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([REPORT, 'label', '--signers', self.signers, '-o', '.',
                            self.files[0]], check=True, cwd=folder, timeout=120)
            self.assertEqual(len(glob.glob(folder + '/label-*.png')), 1)

    def test_usage(self):
        self.report('label', '--size=9', self.ledger, code=1)
        self.report('label', '--format=gif', self.ledger, code=1)
        self.report('label', code=1)
        self.report('summary', '--size=62', self.ledger, code=1)
        self.report('label', self.dir + '/missing', code=1)

    def test_changed(self):
        """A record that is not as it was signed is on no label."""
        folder = self.dir + '/changed'
        for i in (3, 40, COUNT):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.ledger, folder)
            name = f'{folder}/record-{i:08}.json'
            with open(name, 'rb') as f:
                text = f.read()
            at = text.index(b'"outcome":"') + 11
            with open(name, 'wb') as f:
                f.write(text[:at] + b'E' + text[at + 1:])
            for verb in ('label', 'summary'):
                self.report(verb, folder, code=5)
                self.report(verb, folder, code=5, signers=False)
                self.report(verb, name, code=5)
            os.remove(name)
            self.report('summary', folder, code=5)
        os.remove(folder + '/record-00000009.json.sig')
        self.report('label', folder + '/record-00000009.json', code=5)

    def test_stranger(self):
        """The signature of a key that is not in the list is none."""
        with open(self.dir + '/others', 'w', encoding='ascii') as f:
            f.write('')
        run = subprocess.run([os.environ['REPORT'], 'label', '--signers', self.dir + '/others',
                              self.files[0]], capture_output=True)
        self.assertEqual((run.returncode, run.stdout), (5, b''))


if __name__ == '__main__':
    unittest.main()
