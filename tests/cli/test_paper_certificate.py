#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Certificates: what they say, what they refuse to say, and that others can check them: ssh-keygen
the record that is attached, pdfsig the PDF, zbarimg the code."""
import glob
import hashlib
import json
import os
import pty
import random
import re
import select
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

REPORT = os.environ['REPORT']
LEDGER = os.environ['PAPER_LEDGER']
COUNT = 8
OTHERS = range(9, 20)  # numbers of the records with other outcomes
CHANGES = 60
# What a page of a disk that is not erased may say of erasing.
DENIALS = {'en': 'NOT (?:COMPLETELY )?ERASED|not (?:known to be )?erased',
           'de': 'NICHT (?:VOLLSTÄNDIG )?GELÖSCHT|nicht (?:nachweislich )?gelöscht'}


def run(*words, status=0, **more):
    p = subprocess.run([str(w) for w in words], capture_output=True, **more)
    if status is not None and p.returncode != status:
        raise AssertionError(f'{words}: {p.returncode}\n{p.stdout!r}\n{p.stderr!r}')
    return p


def write_png(path, width, height):
    """A picture of one colour."""
    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data
                + struct.pack('>I', zlib.crc32(kind + data)))
    rows = (b'\0' + b'\x20\x60\xa0' * width) * height
    with open(path, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n'
                + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0))
                + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


class Certificate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix='dw-paper-')
        cls.ledger = f'{cls.dir}/ledger'
        cls.signers = f'{cls.dir}/signers'
        line = run(LEDGER, cls.ledger, f'{cls.dir}/key', COUNT).stdout
        with open(cls.signers, 'wb') as f:
            f.write(line)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir)

    def path(self, n):
        return f'{self.ledger}/record-{n:08d}.json'

    def make(self, *words, status=0):
        """A PDF, or why there is none."""
        out = f'{self.dir}/out.pdf'
        if os.path.exists(out):
            os.unlink(out)
        p = run(REPORT, 'certificate', '--all', '-o', out, *words, status=status)
        self.assertEqual(os.path.exists(out), status == 0)
        return out if status == 0 else p.stderr.decode()

    def text(self, pdf):
        return run('pdftotext', '-raw', pdf, '-').stdout.decode().replace('\xa0', ' ')

    def single(self, n, *words):
        return self.make(f'--signers={self.signers}', *words, self.path(n))

    def test_certificate(self):
        with open(self.path(1)) as f:
            record = json.load(f)
        for size, points in ('a4', '595.276 x 841.89'), ('letter', '612 x 792'):
            pdf = self.single(1, f'--paper={size}')
            info = run('pdfinfo', pdf).stdout.decode()
            self.assertIn(points, info)
            self.assertRegex(info, 'Title: +Certificate of erasure')
            self.assertRegex(info, 'Tagged: +yes')
            self.assertRegex(info, 'Pages: +1\n')
            fonts = run('pdffonts', pdf).stdout.decode().splitlines()[2:]
            self.assertTrue(fonts)
            for font in fonts:
                self.assertRegex(font, r' yes yes ')
            text = self.text(pdf)
            with open(self.path(1), 'rb') as f:
                digest = hashlib.sha256(f.read()).hexdigest()
            disk = record['disk']
            for word in (disk['serial'], disk['wwn'], 'Ann Example', 'Clear',
                         'lot-2026-117', 'at most 76.8', '4.00 TB', record['id'], 'station-3',
                         digest):
                self.assertIn(word, re.sub(r'\s+', ' ', text))
            self.assertNotIn('NOT', text)
            if shutil.which('qpdf'):
                run('qpdf', '--check', pdf)
        key = run('ssh-keygen', '-lf', f'{self.dir}/key.pub').stdout.decode().split()[1]
        self.assertIn(key, text)

    def test_attested(self):
        """What the disk says of its purge stands beside what was proved."""
        for language, words in (('en', ('it has purged as IEEE 2883', 'told to purge (IEEE 2883',
                                        'What the disk attests')),
                                ('de', ('dass er getan hat, was IEEE 2883',
                                        'nichts, obwohl er dazu angewiesen war',
                                        'Was der Datenträger bescheinigt'))):
            text = {n: re.sub(r'\s+', ' ', self.text(self.single(n, f'--language={language}')))
                    for n in (1, 3, 5)}
            self.assertIn(words[0], text[1])
            self.assertIn(words[1], text[3])
            self.assertNotIn(words[0], text[3])
            self.assertNotIn(words[2], text[5])

    def test_bound(self):
        """What a sample proves is never said to be more than it is."""
        words = ('0.001', '0.999', '1.1', '99.9', '100.0', '101', '10 000', None, None)
        folder, signers = f'{self.dir}/bounds', f'{self.dir}/bounds.signers'
        with open(signers, 'wb') as f:
            n = OTHERS.stop + len(words) - 1
            f.write(run(LEDGER, folder, f'{self.dir}/bounds.key', n).stdout)
        for n, word in enumerate(words, OTHERS.stop):
            text = self.text(self.make(f'--signers={signers}', f'{folder}/record-{n:08d}.json'))
            text = re.sub(r'\s+', ' ', text)
            if word:
                self.assertIn(f'at most {word} of a million blocks', text)
            else:
                self.assertIn('The sample is too small to prove anything about the other', text)
                self.assertNotIn('of a million', text)

    def test_places(self):
        """What was read before and after is said of a disk that erased itself."""
        n = OTHERS.stop + 9
        folder, signers = f'{self.dir}/places', f'{self.dir}/places.signers'
        with open(signers, 'wb') as f:
            f.write(run(LEDGER, folder, f'{self.dir}/places.key', n).stdout)
        for language, words in (('en', '1 066 places were read before and after; all have changed'),
                                ('de', '1 066 Stellen vorher und nachher gelesen;')):
            text = self.text(self.make(f'--signers={signers}', f'--language={language}',
                                       f'{folder}/record-{n:08d}.json'))
            text = re.sub(r'\s+', ' ', text)
            self.assertIn(words, text)
            self.assertNotIn('nothing was read back', text)

    def test_compared(self):
        """What a disk found of itself stands beside the sample, never with more than 1 %."""
        n = OTHERS.stop + 11
        folder, signers = f'{self.dir}/compared', f'{self.dir}/compared.signers'
        with open(signers, 'wb') as f:
            f.write(run(LEDGER, folder, f'{self.dir}/compared.key', n).stdout)
        said = []
        for number in (n - 1, n):
            for language, words in (('en', '23 437 499 483 blocks compared; it found 517 of 517 '
                                     'planted differences. At most 9 983 of a million ranges'),
                                    ('de', '517 von 517 gesetzten Abweichungen gefunden. Höchstens '
                                     '9 983 von einer Million')):
                text = self.text(self.make(f'--signers={signers}', f'--language={language}',
                                           f'{folder}/record-{number:08d}.json'))
                text = re.sub(r'\s+', ' ', text)
                said.append(words in text)
                found = re.search('planted differences|gesetzten Abweichungen', text)
                self.assertEqual(said[-1], bool(found))
        self.assertEqual(sorted(said), [False, False, True, True])

    def test_no_certificate(self):
        """Only a disk that was erased has one, in either language."""
        for n in range(2, 7):
            if n == 4:
                continue
            text = self.text(self.single(n))
            self.assertNotIn('Certificate', text)
            self.assertIn('This is no certificate', re.sub(r'\s+', ' ', text))
            self.assertIn('NOT COMPLETELY ERASED' if n == 2 else 'AS EXPECTED' if n == 6
                          else 'NOT ERASED', text)
            text = self.text(self.single(n, '--language=de'))
            self.assertNotIn('Löschzertifikat', text)
            self.assertIn('WIE ERWARTET' if n == 6 else 'GELÖSCHT', text)
        self.assertIn('simulation', self.text(self.single(5)))
        text = self.text(self.single(2))
        self.assertIn('and 34 more', text)
        self.assertIn('1 320', text)  # the sixth
        self.assertNotIn('1 384', text)

    def test_other_outcomes(self):
        """However much of a record looks erased, its outcome and its level have to say so."""
        folder, signers, firm = (f'{self.dir}/others{end}' for end in ('', '.signers', '.ini'))
        with open(signers, 'wb') as f:
            f.write(run(LEDGER, folder, f'{self.dir}/others.key', OTHERS[-1]).stdout)
        with open(firm, 'w') as f:
            f.write('[firm]\nstatement = We are liable.\n')
        words = [f'--signers={signers}', f'--firm={firm}']
        for n in OTHERS:
            with open(f'{folder}/record-{n:08d}.json') as f:
                record = json.load(f)
            for language, none in ('en', 'none reached'), ('de', 'keine erreicht'):
                pdf = self.make(*words, f'--language={language}',
                                f'{folder}/record-{n:08d}.json')
                text = re.sub(r'\s+', ' ', self.text(pdf))
                self.assertRegex(text, DENIALS[language])
                rest = re.sub(DENIALS[language], '', text)
                self.assertNotRegex(rest, r'(?i)\b(?:erased|gelöscht)\b', record['outcome'])
                self.assertIn(none, text)
                self.assertNotRegex(text, r'\b(?:Clear|Purge)\b')
                self.assertNotRegex(re.sub('is no certificate|kein Zertifikat', '', text),
                                    '(?i)certificate|zertifikat')
                self.assertNotIn('overwritten', text)
                self.assertNotIn('liable', text)
                if record['outcome'] != 'erased':
                    self.assertIn(f'Outcome {record["outcome"]} '
                                  if language == 'en' else record['outcome'], text)
                self.assertIn(record['reason'] or record['level_limit'], text)
                self.assertNotRegex(run('pdfinfo', pdf).stdout.decode(),
                                    '(?i)title:.*(?:certificate|zertifikat)')
        pdf = self.make(*words, f'--last={len(OTHERS)}', folder)
        self.assertRegex(run('pdftotext', '-raw', '-l', '1', pdf, '-').stdout.decode(),
                         r'^Summary\s+0\s+Erased\s+2\s+NOT COMPLETELY ERASED\s+9\s+NOT ERASED')

    def test_simulation(self):
        for language, none in ('en', 'none reached'), ('de', 'keine erreicht'):
            text = re.sub(r'\s+', ' ', self.text(self.single(5, f'--language={language}')))
            self.assertIn(none, text)
            self.assertNotRegex(re.sub(DENIALS[language], '', text),
                                r'\b(?:erased|gelöscht|Clear|Purge|touched by)\b')

    def test_hostile(self):
        for words in ([], ['--language=de', '--paper=letter']):
            text = self.text(self.single(4, *words))
            self.assertIn('<script>alert(1)</script>', text)
            self.assertIn('<b>&amp; Łukasz %s%n', text)
            self.assertIn('(unbalanced \\ parenthesis', text)
            self.assertNotIn('\u202e', text)
            self.assertIn('note 7', text)

    def test_batch(self):
        pdf = self.make(self.ledger)
        self.assertRegex(run('pdfinfo', pdf).stdout.decode(), f'Pages: +{COUNT + 1}\n')
        first = run('pdftotext', '-raw', '-l', '1', pdf, '-').stdout.decode()
        self.assertRegex(first, r'^Summary\s+4\s+Erased\s+1\s+NOT COMPLETELY\s+ERASED\s+2\s+'
                         r'NOT ERASED\s+1\s+AS EXPECTED')
        self.assertIn('Erased capacity: 16.0 TB \u00b7 Disks: 8\n', first)
        self.assertIn('taken from the ledger itself', re.sub(r'\s+', ' ', self.text(pdf)))
        for words, pages in ((['--last=1'], 1), (['--serial=ZC100003'], 1), (['--last=2'], 3)):
            pdf = self.make(f'--signers={self.signers}', *words, self.ledger)
            self.assertRegex(run('pdfinfo', pdf).stdout.decode(), f'Pages: +{pages}\n')
            self.assertNotIn('taken from', self.text(pdf))
        self.assertIn('no record', self.make('--serial=ZC', self.ledger, status=1))

    def test_code(self):
        pdf = self.make(f'--signers={self.signers}', self.ledger)
        run('pdftoppm', '-r', 150, '-f', 2, '-png', pdf, f'{self.dir}/page')
        pages = sorted(glob.glob(f'{self.dir}/page-*.png'))
        self.assertEqual(len(pages), COUNT)
        for n, page in enumerate(pages, 1):
            with open(self.path(n), 'rb') as f:
                data = f.read()
            record = json.loads(data)
            serial = ''.join(c if re.match('[A-Za-z0-9._-]', c) else f'%{ord(c):02X}'
                             for c in record['disk']['serial'])
            outcome = 'simulated' if n == 5 else record['outcome']
            said = run('zbarimg', '-q', '--raw', page).stdout.decode().splitlines()
            self.assertEqual(said[0], f'diskwipe:1:{serial}:{outcome}:'
                             + hashlib.sha256(data).hexdigest())

    def test_changed(self):
        """Nothing is made of a record that is not as it was signed."""
        copy = f'{self.dir}/copy'
        for change in ('record', 'sig', 'missing', 'gap', 'stranger'):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(self.ledger, copy)
            signers, path = self.signers, f'{copy}/record-00000003.json'
            with open(path) as f:
                text = f.read()
            if change == 'record':  # a failed disk is made an erased one
                text = text.replace('"outcome":"failed"', '"outcome":"erased"')
                with open(path, 'w') as f:
                    f.write(text)
            elif change == 'sig':
                shutil.copy(f'{copy}/record-00000001.json.sig', path + '.sig')
            elif change == 'missing':
                os.unlink(path + '.sig')
            elif change == 'gap':
                os.unlink(path)
            else:
                signers = f'{self.dir}/strangers'
                run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', f'{self.dir}/other',
                    input=b'y\n')
                with open(f'{self.dir}/other.pub') as f, open(signers, 'w') as g:
                    g.write('stranger@here ' + f.read())
            self.make(f'--signers={signers}', copy, status=5)
            if change != 'gap':
                self.make(f'--signers={signers}', path, status=5)
        text = re.sub(r'\s+', ' ', self.text(self.make(self.path(1))))
        self.assertIn('Who may sign was taken from the ledger itself', text)

    def attached(self, pdf):
        """What is attached, as ssh-keygen believes it; else None."""
        out = tempfile.mkdtemp(dir=self.dir)
        run('pdfdetach', '-saveall', '-o', out, pdf, status=None)
        try:
            with open(f'{out}/record.json', 'rb') as f:
                data = f.read()
        except OSError:
            return None
        p = run('ssh-keygen', '-Y', 'verify', '-f', self.signers, '-I', 'station@here', '-n',
                'diskwipe-record', '-s', f'{out}/record.json.sig', input=data, status=None)
        return data if p.returncode == 0 else None

    def test_attached(self):
        with open(self.path(3), 'rb') as f:
            self.assertEqual(self.attached(self.single(3)), f.read())
        listed = run('pdfdetach', '-list', self.make(self.ledger)).stdout.decode()
        self.assertIn(f'{2 * COUNT} embedded files', listed)

    def signing(self, name='ca', between=False):
        """A certificate of a root of our own, which an NSS database trusts; or of another one,
        between.pem, which only the root has signed."""
        d = f'{self.dir}/{name}'
        os.makedirs(d, exist_ok=True)
        ext = f'{d}/ext'
        with open(ext, 'w') as f:
            f.write('keyUsage=digitalSignature,nonRepudiation\nbasicConstraints=CA:FALSE\n'
                    'extendedKeyUsage=emailProtection\n')
        run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj',
            '/CN=Test root', '-keyout', f'{d}/root.key', '-out', f'{d}/root.pem')
        issuer = 'root'
        if between:
            with open(f'{d}/ext.ca', 'w') as f:
                f.write('keyUsage=keyCertSign,cRLSign\nbasicConstraints=critical,CA:TRUE\n')
            self.issue(d, 'between', issuer, f'{d}/ext.ca')
            issuer = 'between'
        self.issue(d, 'firm', issuer, ext)
        run('certutil', '-N', '-d', f'sql:{d}', '--empty-password')
        run('certutil', '-A', '-d', f'sql:{d}', '-n', 'root', '-t', 'CT,CT,CT', '-i',
            f'{d}/root.pem')
        return d

    def issue(self, d, name, issuer, ext):
        run('openssl', 'req', '-newkey', 'rsa:2048', '-nodes', '-subj', f'/CN=Test {name}',
            '-keyout', f'{d}/{name}.key', '-out', f'{d}/{name}.csr')
        run('openssl', 'x509', '-req', '-in', f'{d}/{name}.csr', '-CA', f'{d}/{issuer}.pem',
            '-CAkey', f'{d}/{issuer}.key', '-CAcreateserial', '-days', '2', '-extfile', ext,
            '-out', f'{d}/{name}.pem')

    def is_signed(self, pdf, d):
        p = run('pdfsig', '-nssdir', f'sql:{d}', pdf, status=None)
        said = p.stdout.decode('utf8', 'replace')
        return ('Signature is Valid' in said and 'Certificate is Trusted' in said
                and 'Total document signed' in said)

    def test_signature(self):
        d = self.signing()
        pdf = self.single(1, f'--sign-cert={d}/firm.pem', f'--sign-key={d}/firm.key',
                          f'--chain={d}/root.pem')
        self.assertTrue(self.is_signed(pdf, d))
        # of a chain what the reader has himself is not needed: a change of that is none
        pdf = self.single(1, f'--sign-cert={d}/firm.pem', f'--sign-key={d}/firm.key')
        self.assertTrue(self.is_signed(pdf, d))
        self.assertIsNotNone(self.attached(pdf))
        if shutil.which('qpdf'):
            run('qpdf', '--check', pdf)
        with open(pdf, 'rb') as f:
            good = f.read()
        hexes = re.search(rb'/Contents <([0-9a-f]+)>', good)
        # every byte but those of the signature itself, whose coding has bits that nobody reads
        places = [i for i in range(len(good)) if not hexes.start(1) <= i < hexes.end(1)]
        chance = random.Random(14)
        bad, missed = f'{self.dir}/bad.pdf', []
        for _ in range(CHANGES):
            at = chance.choice(places)
            new = good[at] ^ (1 << chance.randrange(8))
            with open(bad, 'wb') as f:
                f.write(good[:at] + bytes([new]) + good[at + 1:])
            if self.is_signed(bad, d) and self.attached(bad):
                missed.append((at, good[at], new))
        self.assertEqual(missed, [])
        print(f'{CHANGES} changes, all found')
        other = self.make(f'--signers={self.signers}', f'--sign-cert={d}/firm.pem',
                          f'--sign-key={d}/root.key', self.path(1), status=1)
        self.assertIn('not the key of the certificate', other)

    def test_chain(self):
        """Whoever has only the root finds the way to it in the PDF."""
        d = self.signing('chain', between=True)
        key = [f'--sign-cert={d}/firm.pem', f'--sign-key={d}/firm.key']
        pdf = self.single(1, *key)
        said = run('pdfsig', '-nssdir', f'sql:{d}', pdf, status=None).stdout.decode()
        self.assertIn('Signature is Valid', said)
        self.assertIn('issuer is unknown', said)
        self.assertFalse(self.is_signed(pdf, d))
        both, cut, none = (f'{d}/{name}.pem' for name in ('both', 'cut', 'none'))
        with open(f'{d}/between.pem') as f, open(f'{d}/root.pem') as g:
            between, root = f.read(), g.read()
        with open(both, 'w') as f:
            f.write(root + between)
        for chain in f'{d}/between.pem', both:
            pdf = self.single(1, *key, f'--chain={chain}')
            self.assertTrue(self.is_signed(pdf, d), chain)
            self.assertIsNotNone(self.attached(pdf))
        with open(cut, 'w') as f:  # the one that is needed is not whole
            f.write(root + between[:len(between) // 2])
        with open(none, 'w') as f:
            f.write('none\n')
        for chain, why in (cut, 'not whole'), (none, 'no certificate'), (d, 'no certificate'):
            said = self.make(f'--signers={self.signers}', *key, f'--chain={chain}',
                             self.path(1), status=1)
            self.assertIn(why, said)

    def test_logo(self):
        """It is there once, beside the name, which stays on the page."""
        firm, logo, name = f'{self.dir}/logo.ini', f'{self.dir}/logo.png', 'Example Disks Ltd'
        with open(firm, 'w') as f:
            f.write(f'[firm]\nname = {name}\nlogo = logo.png\n')  # beside that file
        for width, height in (120, 60), (2000, 20), (20, 2000):
            write_png(logo, width, height)
            for words in ([self.path(1)], ['--last=3', self.ledger]):
                pdf = self.make(f'--signers={self.signers}', f'--firm={firm}', *words)
                rows = [line.split() for line in
                        run('pdfimages', '-list', pdf).stdout.decode().splitlines()[2:]]
                self.assertEqual(len(rows), 1 if len(words) == 1 else 4)
                self.assertEqual({tuple(r[2:5]) for r in rows},
                                 {('image', str(width), str(height))})
                self.assertEqual(len({r[10] for r in rows}), 1, 'the picture is there twice')
                boxes = run('pdftotext', '-bbox', '-l', '1', pdf, '-').stdout.decode()
                found = [re.search(rf'xMin="([\d.]+)".* xMax="([\d.]+)".*>{word}<', boxes)
                         for word in name.split()]
                self.assertTrue(all(51 < float(m[1]) < float(m[2]) < 545 for m in found), boxes)
        with open(logo, 'w') as f:
            f.write('none')
        said = self.make(f'--signers={self.signers}', f'--firm={firm}', self.path(1), status=1)
        self.assertIn('the logo is no PNG', said)

    def test_firm(self):
        firm = f'{self.dir}/firm.ini'
        with open(firm, 'w') as f:
            f.write('[firm]\nname = Exämple & Söhne (GmbH)\naddress = Ring 1, Wien\n'
                    'statement = We are liable.\nsigner1 = Technician\ncolour = #203060\n')
        text = self.text(self.single(1, f'--firm={firm}'))
        for word in 'Exämple & Söhne (GmbH)', 'Ring 1, Wien', 'We are liable.', 'Technician':
            self.assertIn(word, text)
        self.assertNotIn('We are liable', self.text(self.single(3, f'--firm={firm}')))
        with open(firm, 'a') as f:
            f.write('color = red\n')
        said = self.make(f'--signers={self.signers}', f'--firm={firm}', self.path(1), status=1)
        self.assertIn('firm.ini:7', said)

    def test_words(self):
        run(REPORT, status=1)
        run(REPORT, 'certificate', status=1)
        run(REPORT, 'certificate', '--paper=a3', self.ledger, status=1)
        run(REPORT, 'certificate', '--language=xx', self.ledger, status=1)
        run(REPORT, 'certificate', '--sign-cert=x', self.ledger, status=1)
        self.assertIn(b'certificate', run(REPORT, '--help').stdout)
        alone = f'{self.dir}/alone.pub'
        with open(self.signers, 'rb') as f, open(alone, 'wb') as out:
            out.write(b' '.join(f.read().split()[-2:]) + b'\n')
        self.assertIn('alone.pub:1: a public key alone; in a list of signers a name stands before',
                      self.make(f'--signers={alone}', self.path(1), status=1))
        with open(alone, 'rb') as f, open(f'{self.dir}/named', 'wb') as out:
            out.write(b'ssh-ed25519@firm ' + f.read())
        self.make(f'--signers={self.dir}/named', self.path(1))
        self.assertIn(b'nonsense: no such command', run(REPORT, 'nonsense', status=1).stderr)

    def test_no_paper_on_a_terminal(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        p = subprocess.run([REPORT, 'certificate', f'--signers={self.signers}', self.path(1)],
                           check=False, stdout=theirs, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(p.returncode, 1)
        self.assertIn(b'a terminal shows no PDF or PNG; name a file by -o', p.stderr)
        self.assertEqual(select.select([ours], [], [], 0)[0], [])

    def test_languages(self):
        """Each has every word of the list, and the same %s."""
        src = f'{os.environ["SOURCE"]}/src/print'
        texts = r'\(?((?:"(?:[^"\\]|\\.)*"\s*)+)\)?'
        with open(f'{src}/words.h') as f:
            text = re.sub(r' *\\$', '', f.read(), flags=re.M)
        english = dict(re.findall(rf'\bWORD\((\w+),\s+{texts}', text))
        self.assertGreater(len(english), 100)
        said = [{k: v.count('%s') for k, v in english.items()}]
        for path in sorted(glob.glob(f'{src}/words_*.c')):
            with open(path) as f:
                text = f.read()
            rows = dict(re.findall(rf'\[DW_WORD_(\w+)\] =\s+{texts},', text))
            self.assertEqual(sorted(rows), sorted(english), path)
            said.append({k: v.count('%s') for k, v in rows.items()})
        self.assertGreaterEqual(len(said), 2)
        self.assertTrue(all(s == said[0] for s in said))


unittest.main()
