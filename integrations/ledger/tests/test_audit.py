#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Heads in a bucket with object lock, and diskwipe-ledger audit, which proves by them that the
table is whole: whoever owns the database can do nothing that is not seen."""
import hashlib
import json
import os
import subprocess
import unittest

import fleet
import s3

FREE = ('ALTER TABLE diskwipe.record DISABLE TRIGGER ALL; '
        'ALTER TABLE diskwipe.head DISABLE TRIGGER ALL; ')


class Audit(fleet.Fleet):
    def setUp(self):
        super().setUp()
        self.s3 = s3.Server()
        self.addCleanup(self.s3.end)
        self.login = self.dir + '/login'
        self.write_login(s3.SECRET)

    def write_login(self, secret, mode=0o600):
        with open(self.login, 'w', encoding='ascii') as f:
            f.write(f'[default]\naws_access_key_id = {s3.KEY}\naws_secret_access_key = {secret}\n')
        os.chmod(self.login, mode)

    def both(self, name, records=12):
        """A station that sends to both places."""
        s = self.station(name, records)
        self.target(s)
        return s

    def target(self, s, uri='s3://proof/fleet/one', database=True, more=''):
        s.configure((f'[target fleet]\nurl={self.db.uri("station")}\n' if database else '') +
                    f'[target proof]\nurl={uri}\nendpoint={self.s3.url}\nplain=yes\n'
                    f'region={s3.REGION}\ncredentials-file={self.login}\n{more}')

    def audit(self, code=0, *more, user='reader', env=None):
        run = subprocess.run(
            [fleet.LEDGER, 'audit', f'--signers={self.signers}', '--heads=s3://proof/fleet/one',
             f'--endpoint={self.s3.url}', '--plain', f'--region={s3.REGION}', '--grace=0',
             *([] if env else [f'--credentials-file={self.login}']), *more, self.db.uri(user)],
            capture_output=True, text=True, check=False, timeout=100, env=env)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertEqual(self.s3.wrong, [])
        return run.stdout + run.stderr

    def test_heads(self):
        """An object for each head, of the very bytes; written once, and signed as Amazon has it."""
        s = self.both('anna')
        s.send()
        s.grow(14)
        s.send()
        s.send()
        self.assertEqual(self.s3.wrong, [])
        self.assertEqual(len([1 for v, _, _ in self.s3.seen if v == 'PUT']), 2)
        for n in (12, 14):
            record = hashlib.sha256(s.file(f'record-{n:08}.json')).hexdigest()
            name = f'/proof/fleet/one/{s.chain()}/head-{n:08}-{record}.json'
            self.assertIn(name, self.s3.objects)
        kept = json.loads(self.s3.objects[name])
        self.assertEqual(kept['text'].encode(), s.file('head-00000014.json'))
        self.assertEqual(kept['signature'].encode(), s.file('head-00000014.json.sig'))
        # its state was lost: what is there stays, and that is no failure
        for f in os.listdir(s.dir + '/state'):
            os.unlink(f'{s.dir}/state/{f}')
        s.send()
        self.assertEqual(len(self.s3.objects), 2)
        self.assertTrue(all(s3.SECRET not in str(h) for _, _, h in self.s3.seen))

    def test_whole(self):
        for i, name in enumerate(('anna', 'bert', 'carl', 'dora')):  # more than a page of names
            s = self.both(name, 5 + i)
            s.send()
            s.grow(8 + i)
            s.send()
        self.assertIn('4 chains with 38 records are whole, 38 of them up to a head outside',
                      self.audit())
        # of each chain the newest was read, and nothing else
        self.assertEqual(len([p for v, p, _ in self.s3.seen if v == 'GET' and '?' not in p]), 4)
        self.s3.pages = False
        self.assertIn('its list is cut off', self.audit(1))
        self.s3.pages = True
        s.grow(15)
        self.s3.plan = [503]
        s.send(code=4)
        self.assertIn('4 chains with 42 records are whole, 38 of them', self.audit())

    def test_what_an_owner_can_do(self):
        s, other = self.both('anna', 20), self.both('bert')
        s.send()
        other.send()
        chain = f"chain = '\\x{s.chain()}'"
        for what, words in (
                (f'DELETE FROM diskwipe.record WHERE {chain} AND sequence > 15; '
                 f'DELETE FROM diskwipe.head WHERE {chain}', 'the table ends with 0'),
                (f'DELETE FROM diskwipe.record WHERE {chain}; DELETE FROM diskwipe.head '
                 f'WHERE {chain}', 'names record 20, and the table ends with 0'),
                (f'DELETE FROM diskwipe.record WHERE {chain} AND sequence = 20', 'is missing'),
                ('DELETE FROM diskwipe.record; DELETE FROM diskwipe.head', 'ends with 0')):
            self.db.sql('BEGIN; ' + FREE + what + '; COMMIT')
            said = self.audit(10)
            self.assertIn(words, said, what)
            self.db.renew()
            for x in (s, other):
                for f in os.listdir(x.dir + '/state'):
                    os.unlink(f'{x.dir}/state/{f}')
                x.send()
            self.audit()

    def test_old_dump(self):
        """Put back with all its heads, the database looks whole, and is not."""
        s = self.both('anna')
        s.send()
        self.db.sql('CREATE DATABASE older TEMPLATE records', database='postgres')
        s.grow(18)
        s.send()
        self.db.sql('DROP DATABASE records WITH (FORCE)', database='postgres')
        self.db.sql('ALTER DATABASE older RENAME TO records', database='postgres')
        self.assertIn('names record 18, and the table ends with 12', self.audit(10))
        # what was signed a moment ago may be on its way: that is said, and is no proof
        self.assertIn('look again when it has arrived', self.audit(9, '--grace=1'))

    def test_written_anew(self):
        """Somebody who has the key signs another past: the heads outside know the first one."""
        s = self.both('anna')
        s.keep()
        s.grow(15)
        s.send()
        s.put_back()
        s.grow(17, 7)
        self.db.renew()
        self.target(s)
        s.send()
        self.assertIn('record 15 is not the one that a head outside names', self.audit(10))

    def test_bucket_of_others(self):
        """What strangers put there is told, and proves nothing; no lock is no proof, either."""
        s = self.both('anna')
        s.send()
        name = next(iter(self.s3.objects))
        good = self.s3.objects[name]
        folder = name.rsplit('/', 1)[0]
        self.s3.objects[f'{folder}/head-00000099-{"0" * 64}.json'] = good
        self.s3.objects[f'{folder}/head-00000098-{"1" * 64}.json'] = 'nonsense'
        self.s3.objects[f'{folder}/head-00000005-{"2" * 64}.json'] = good
        self.s3.objects['/proof/fleet/one/readme.txt'] = 'x'
        said = self.audit(9)  # whoever put them there may have put them over a head
        self.assertIn('not proven: chain ' + folder.rsplit('/', 1)[1][:16] +
                      ': 3 objects outside are no heads', said)
        self.assertIn('1 objects outside are not named as heads are', said)
        self.s3.locked = False
        self.assertIn('has no lock', self.audit(9))
        self.s3.locked = True
        self.s3.objects = {name: good}
        self.audit()
        del self.s3.objects[name]
        self.assertIn('nobody can tell where it ends', self.audit(9))

    def test_newest_is_covered(self):
        """A lock keeps versions: what lies over the newest head is told, whatever is below it."""
        s = self.both('anna')
        s.send()
        s.grow(15)
        s.send()
        self.audit()
        newest = max(self.s3.objects)
        self.s3.objects[newest] = 'nonsense'
        self.db.sql('BEGIN; ' + FREE + 'DELETE FROM diskwipe.record WHERE sequence > 12; '
                    'DELETE FROM diskwipe.head WHERE sequence > 12; COMMIT')
        self.assertIn('1 objects outside are no heads', self.audit(9))

    def test_newest_is_hidden(self):
        """Behind a mark of deletion a locked head is not in the list any more; that is told."""
        s = self.both('anna')
        for n in range(13, 18):  # more than a page
            s.send()
            s.grow(n)
        s.send()
        self.audit()
        newest = max(self.s3.objects)
        self.db.sql('BEGIN; ' + FREE + 'DELETE FROM diskwipe.record WHERE sequence > 16; '
                    'DELETE FROM diskwipe.head WHERE sequence > 16; COMMIT')
        self.audit(10)
        del self.s3.objects[newest]
        self.s3.below.append(newest)
        self.s3.marks.append(newest)
        self.assertIn('2 versions of objects outside are hidden', self.audit(9))

    def test_trouble(self):
        s = self.both('anna')
        for plan, words in (([403], 'it answered 403 AccessDenied'), ([503], '503 SlowDown'),
                            ([500], 'it answered 500')):
            self.s3.plan = plan
            self.assertIn(words, s.send(code=4))
        self.write_login('wrong')
        self.assertIn('403 SignatureDoesNotMatch', s.send(code=4))
        self.write_login(s3.SECRET, 0o644)
        self.assertIn('others can read it', s.send(code=4))
        self.write_login(s3.SECRET)
        self.s3.wrong.clear()
        s.send()
        env = {'PATH': os.environ['PATH'], 'AWS_ACCESS_KEY_ID': s3.KEY,
               'AWS_SECRET_ACCESS_KEY': s3.SECRET}
        self.assertIn('12 of them up to a head outside', self.audit(env=env))
        env.pop('AWS_SECRET_ACCESS_KEY')
        self.assertIn('there is no key to ask it with', self.audit(1, env=env))
        self.s3.plan = [None, 403]
        self.assertIn('403', self.audit(1))
        for uri, more, words in (('s3://', '', 'not s3://BUCKET'), ('s3://a b/c', '', 'not s3://'),
                                 ('s3://b/p', 'plain=no\n', 'one of https://'),
                                 ('s3://b/p', f'region={"x" * 99}\n', 'region')):
            self.target(s, uri, database=False, more=more)
            self.assertIn(words, s.send(code=1))


if __name__ == '__main__':
    unittest.main()
