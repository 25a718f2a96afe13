#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe-report --from a fleet's ledger: what it prints is what it prints of the folders; of what
is not as it was signed it prints nothing."""
import hashlib
import json
import os
import re
import subprocess
import tempfile
import unittest

import fleet
import page
import s3


class Papers(fleet.Fleet):
    def report(self, *argv, code=0):
        # a folder of its own, as others that run beside leave and take theirs in /tmp
        with tempfile.TemporaryDirectory() as tmp:
            run = subprocess.run([fleet.REPORT, *argv], capture_output=True, check=False,
                                 timeout=100, env={**os.environ, 'TMPDIR': tmp})
            self.assertEqual(os.listdir(tmp), [], 'it leaves a folder behind')
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run.stdout, run.stderr.decode()

    def of(self, user='reader'):
        return f'--from={self.db.uri(user)}', f'--signers={self.signers}'

    def test_same(self):
        stations = [self.station('anna', 30), self.station('bert', 25)]
        for s in stations:
            s.send()
        folders = [s.ledger for s in sorted(stations, key=lambda s: s.chain())]
        for choice in ([], ['--lot=lot 7'], ['--customer=ACME'], ['--serial=ZR500007'],
                       ['--label=lot 7', '--customer=Müller & Söhne', '--order=4711'],
                       ["--serial=<script>alert(1)</script>\"'&"]):
            ours, theirs = (json.loads(self.report('summary', '--format=json', *choice, *where)[0])
                            for where in (self.of(), [f'--signers={self.signers}', *folders]))
            # the folders come in the order of their chains
            self.assertEqual(ours, theirs, choice)
            self.assertGreater(ours['count'], 0)
        pdf, _ = self.report('certificate', '--lot=lot 7', *self.of())
        self.assertTrue(pdf.startswith(b'%PDF-'))
        self.assertGreater(len(pdf), 50000)

    def test_nothing_of_what_was_changed(self):
        s = self.station('anna', 30)
        s.send()
        free = 'ALTER TABLE diskwipe.record DISABLE TRIGGER ALL; '
        for what, words in (
                ("UPDATE diskwipe.record SET signature = replace(signature, 'A', 'B') "
                 'WHERE sequence = 2', 'signature'),
                ('DELETE FROM diskwipe.record WHERE sequence = 5', 'it is missing'),
                ('ALTER TABLE diskwipe.head DISABLE TRIGGER ALL; DELETE FROM diskwipe.head',
                 'no head of it is signed')):
            self.db.sql(free + what)
            for verb in ('certificate', 'summary', 'label'):
                out, said = self.report(verb, '--lot=lot 7', *self.of(), code=5)
                self.assertEqual(out, b'')
                self.assertIn(words, said)
                self.assertIn('nothing was printed', said)

    def test_what_somebody_made_up(self):
        """A chain without a signed head is in nobody's way, and nothing of it is printed."""
        s = self.station('anna', 30)
        s.send()
        choice = ['--format=json', '--lot=lot 7', *self.of()]
        was = self.report('summary', *choice)[0]
        text = next(t for t in (s.file(f'record-{n:08}.json') for n in range(1, 31))
                    if b'"lot 7"' in t and b'"erased"' in t)
        forged = text.replace(b'"serial":"', b'"serial":"FORGED')
        self.assertNotEqual(forged, text)
        for chain, data, sig in ((hashlib.sha256(forged).digest(), forged, b'none'),
                                 (b'x' * 32, text, s.file('record-00000001.json.sig')),
                                 (b'y' * 32, s.file('record-00000001.json'),
                                  s.file('record-00000001.json.sig'))):
            for kind, n, body, by in (('record', 1, data, sig), ('record', 2, text, b'none'),
                                      ('head', 2, s.file('head-00000030.json'), b'none')):
                self.db.sql(f"SELECT diskwipe.put('\\x{chain.hex()}', '{kind}', {n}, "
                            f"'\\x{body.hex()}', convert_from('\\x{by.hex()}', 'UTF8'))")
        out, said = self.report('summary', *choice)
        self.assertEqual(out, was)
        self.assertNotIn(b'FORGED', out)
        self.assertEqual(said.count('note: chain '), 3)
        self.assertEqual(said.count('no head of it is signed'), 3)

    def test_names_of_folders(self):
        """The owner of the database says what chains are called, and names become folders."""
        s = self.station('anna')
        s.send()
        own = ("CREATE FUNCTION diskwipe.encode(bytea, text) RETURNS text LANGUAGE sql AS "
               "$$ SELECT '../made-up'::text $$; GRANT EXECUTE ON FUNCTION diskwipe.encode TO "
               "PUBLIC; ")
        self.db.sql(own + 'ALTER DATABASE records SET search_path = diskwipe, pg_catalog')
        to = self.dir + '/to'
        argv = [fleet.LEDGER, 'fetch', f'--signers={self.signers}', self.db.uri('reader'), to]
        os.mkdir(to)
        subprocess.run(argv, check=True, timeout=100)
        self.assertEqual(os.listdir(to), [s.chain()])
        # without functions of his own: the column is another one
        self.db.sql("ALTER TABLE diskwipe.record RENAME TO r; CREATE VIEW diskwipe.record AS "
                    "SELECT convert_to('../made-up', 'UTF8') AS chain, sequence, hash, text, "
                    "signature, serial, label, customer, order_number, asset, operator "
                    "FROM diskwipe.r; GRANT SELECT ON diskwipe.record TO diskwipe_read")
        run = subprocess.run(argv, check=False, timeout=100, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn('is not named as one', run.stderr)
        self.assertEqual(os.listdir(to), [s.chain()])
        self.assertFalse(os.path.exists(self.dir + '/made-up'))

    def test_a_fork(self):
        s = self.station('anna')
        s.keep()
        s.grow(15)
        s.send()
        s.put_back()
        s.grow(17, 7)
        s.send()
        out, said = self.report('certificate', '--all', *self.of(), code=5)
        self.assertEqual(out, b'')
        self.assertIn('two signed records 13', said)

    def test_use(self):
        self.station('anna').send()
        for argv, words in (([self.of()[0]], '--from needs --signers'),
                            ([*self.of(), '/tmp'], 'not both'),
                            (['--from=postgresql://a:secret@b/c', self.of()[1]],
                             'a password in it'),
                            ([*self.of('station')], 'password|permission denied'),
                            ([*self.of(), '--lot=none'], 'no record of a disk of that kind')):
            out, said = self.report('summary', *argv, code=1)
            self.assertEqual(out, b'')
            self.assertRegex(said, words)
            self.assertNotIn('secret', said)


class Page(fleet.Fleet):
    """Each command of docs/ledger.md does what the page says; those of aws are in test_moto.py."""

    def setUp(self):
        super().setUp()
        self.s3 = s3.Server()
        self.addCleanup(self.s3.end)
        os.mkdir(self.dir + '/bin')
        for name, path in (('diskwipe-ledger', fleet.LEDGER), ('diskwipe-report', fleet.REPORT)):
            os.symlink(os.path.abspath(path), f'{self.dir}/bin/{name}')
        with open(self.dir + '/login', 'w', encoding='ascii') as f:
            f.write(f'[default]\naws_access_key_id = {s3.KEY}\n'
                    f'aws_secret_access_key = {s3.SECRET}\n')
        os.chmod(self.dir + '/login', 0o600)

    def commands(self):
        """In their order, with the places of this test in the place of the page's."""
        for line in page.commands():
            if line.startswith('aws '):
                continue
            for old, new in ((r'postgresql:///records', f"'{self.db.uri('owner')}'"),
                             (r'postgresql://(\w+)@[\w.]+/records',
                              lambda m: f"'{self.db.uri(m[1])}'"),
                             ('/usr/share/diskwipe/ledger/schema.sql', fleet.postgres.SCHEMA),
                             ('/var/lib/ledger/seen', self.dir + '/seen'),
                             ('--region=[-a-z0-9]+', f'--region={s3.REGION} --plain '
                              f'--endpoint={self.s3.url} --credentials-file={self.dir}/login')):
                line = re.sub(old, new, line)
            yield line

    def run_one(self, command):
        run = subprocess.run(
            ['bash', '-c', command], cwd=self.dir, capture_output=True, text=True, check=False,
            timeout=100, env={'PATH': f'{self.dir}/bin:{self.db.bin}:/usr/bin:/bin',
                              'HOME': self.dir, 'PGHOST': self.db.dir, 'PGUSER': 'owner',
                              'LC_ALL': 'C.UTF-8'})
        self.assertEqual(run.returncode, 0, f'{command}\n{run.stdout}{run.stderr}')
        return run.stdout

    def test_commands(self):
        self.db.sql('DROP DATABASE records', database='postgres')
        self.addCleanup(self.db.sql, 'DROP ROLE station17', database='postgres')
        said, commands = {}, list(self.commands())
        for n, command in enumerate(commands):
            if n == 3:  # what follows is about a database with records
                s = self.station('diskwipe@station17', 30)
                s.configure(f'[target fleet]\nurl={self.db.uri("station")}\n[target proof]\n'
                            f'url=s3://proof/fleet\nendpoint={self.s3.url}\nplain=yes\n'
                            f'region={s3.REGION}\ncredentials-file={self.dir}/login\n')
                s.send()
            said[command.split()[0]] = self.run_one(command)
        self.assertEqual(10, len(commands))
        self.assertIn('1 chains with 30 records are whole, 30 of them', said['diskwipe-ledger'])
        self.assertIn('Good "diskwipe-record" signature', said['ssh-keygen'])
        with open(self.dir + '/lot-7.pdf', 'rb') as f:
            self.assertEqual(f.read(5), b'%PDF-')


if __name__ == '__main__':
    unittest.main()
