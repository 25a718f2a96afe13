#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe-ledger verify: what arrives is checked; whoever owns the database, or may add to it, can
change, take away, put back or mix in nothing without that being told."""
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

import fleet

FREE = ('ALTER TABLE diskwipe.record DISABLE TRIGGER ALL; '
        'ALTER TABLE diskwipe.head DISABLE TRIGGER ALL; ')


class Verify(fleet.Fleet):
    def verify(self, code=0, *more, user='checker'):
        run = subprocess.run([fleet.LEDGER, 'verify', f'--signers={self.signers}',
                              f'--state={self.dir}/seen', *more, self.db.uri(user)],
                             capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertNotIn('\x1b', run.stderr)
        return run.stdout + run.stderr

    def own(self, text):
        """As the owner of the database, who takes triggers away first."""
        self.db.sql(FREE + text)

    def test_whole(self):
        a, b = self.station('anna'), self.station('bert', 225)  # more than a page
        a.send()
        b.send()
        self.assertIn('2 chains with 237 records are whole; 0 chains seem',
                      self.verify(0, '--mark'))
        self.assertIn('0 chains with 0 records are whole; 2 chains seem', self.verify())
        self.assertEqual(self.db.sql('SELECT sum(sequence) FROM diskwipe.checked'), [['237']])
        self.assertEqual(self.db.sql('SELECT bool_and(checked) FROM diskwipe.attempt'), [['t']])
        b.grow(230)
        b.send()
        self.assertEqual(self.db.sql('SELECT bool_and(checked) FROM diskwipe.attempt'), [['f']])
        self.assertIn('1 chains with 230 records are whole; 1 chains seem',
                      self.verify(0, '--mark'))
        self.assertIn('2 chains with 242 records are whole', self.verify(0, '--all'))
        self.assertIn('permission denied', self.verify(1, '--all', '--mark', user='reader'))

    def test_what_an_owner_can_do(self):
        """Each is found with the right status, whatever was checked before."""
        s = self.station('anna', 20)
        s.send()
        self.verify()
        chain = f"'\\x{s.chain()}'"
        swap = ("UPDATE diskwipe.record SET text = convert_to(replace(convert_from(text, 'UTF8'), "
                "'\"failed\"', '\"erased\"'), 'UTF8'), hash = sha256(convert_to(replace("
                "convert_from(text, 'UTF8'), '\"failed\"', '\"erased\"'), 'UTF8')) "
                "WHERE outcome = 'failed'")
        for what, code, words in (
                ('DELETE FROM diskwipe.record WHERE sequence = 7', 5, 'record-00000007.json: it is '
                 'missing'),
                ('DELETE FROM diskwipe.record WHERE sequence > 15', 10, 'it had come to 20'),
                ("DELETE FROM diskwipe.record WHERE sequence > 15; DELETE FROM diskwipe.head", 10,
                 'it ends with record 0, but it had come to 20'),
                (swap, 5, 'signature wrong'),
                ("UPDATE diskwipe.record SET signature = 'none' WHERE sequence = 3", 5,
                 'its signature is none'),
                ("UPDATE diskwipe.record SET sequence = 21 - sequence", 10, 'it is record'),
                ("UPDATE diskwipe.record SET chain = sha256('x'); "
                 "UPDATE diskwipe.head SET chain = sha256('x')", 10,
                 'first record is not the one whose hash it is named after'),
                ("UPDATE diskwipe.head SET text = convert_to(replace(convert_from(text, 'UTF8'), "
                 "'\"sequence\":20', '\"sequence\":19'), 'UTF8'), sequence = 19, hash = "
                 "sha256(convert_to(replace(convert_from(text, 'UTF8'), '\"sequence\":20', "
                 "'\"sequence\":19'), 'UTF8'))", 10, 'nobody in the list has signed its heads'),
                ('DELETE FROM diskwipe.record; DELETE FROM diskwipe.head', 10,
                 'it is gone: it had come to record 20')):
            self.own(what.replace('CHAIN', chain))
            said = self.verify(code, '--all')
            self.assertIn(words, said, what)
            # nothing is forgotten by being told
            self.assertIn(words, self.verify(code), what)
            self.db.renew()
            for name in os.listdir(s.dir + '/state'):
                os.unlink(f'{s.dir}/state/{name}')
            s.send()
            self.verify(0, '--all')

    def test_old_dump(self):
        """All of the database is put back to what it was; by itself it looks whole."""
        s = self.station('anna')
        s.send()
        self.db.sql('CREATE DATABASE older TEMPLATE records', database='postgres')
        s.grow(18)
        s.send()
        self.verify()
        self.db.sql('DROP DATABASE records WITH (FORCE)', database='postgres')
        self.db.sql('ALTER DATABASE older RENAME TO records', database='postgres')
        for _ in range(2):  # nothing is forgotten by being told
            self.assertIn('it ends with record 12, but it had come to 18', self.verify(10))
        os.rename(self.dir + '/seen', self.dir + '/other')
        self.verify(0)  # who has no memory sees nothing: that is what heads elsewhere are for

    def test_a_station_that_was_put_back(self):
        """It goes on in another way: a fork, whichever came first."""
        s = self.station('anna')
        s.keep()
        s.grow(15)
        s.send()
        self.verify()
        s.put_back()
        s.grow(17, 7)
        s.send()
        for _ in range(2):
            self.assertIn('there are two signed records 13', self.verify(10))

    def test_put_back_and_silent(self):
        """Nothing new comes from it yet, only its older head."""
        s = self.station('anna')
        s.keep()
        s.grow(15)
        s.send()
        self.verify()
        s.put_back()
        s.send()
        words = 'sent the head of record 12 when that of 15 was there'
        self.assertIn(words, self.verify(10))
        self.assertIn(words, self.verify(10, '--accept'))
        self.verify(0)

    def put(self, s, kind, sequence, text, sig):
        self.db.sql(f"SELECT diskwipe.put('\\x{s.chain()}', '{kind}', {sequence}, "
                    f"'\\x{text.hex()}', convert_from('\\x{sig.hex()}', 'UTF8'))")

    def test_what_a_sender_can_do(self):
        """Rows that nobody has signed are in nobody's way; what a stranger has signed is told."""
        a, b = self.station('anna'), self.station('bert', 14)
        a.send()
        b.send()
        sig = a.file('record-00000003.json.sig')
        for n in (3, 9, 500):
            self.put(a, 'record', n, b'{"serial":"\'; DROP TABLE diskwipe.record; --"}\n', sig)
            self.put(a, 'record', n, b'A\x1b[2J', sig)
        for n in range(120):
            self.put(a, 'head', 10**9 + n, b'{}', sig)
        self.put(a, 'head', 10**12, a.file('head-00000012.json'), a.file('head-00000012.json.sig')
                 [:-20] + b'A' * 20)
        self.put(a, 'day', 4, b'x', b'y')
        said = self.verify(0)
        self.assertIn('126 rows that nobody in the list has signed are in it', said)
        self.assertIn('2 records that no head names yet', said)
        self.assertIn('2 chains with 26 records are whole', said)

    def test_forged_twin(self):
        """What nobody has signed, at a place that was checked, is neither checked nor erased."""
        s = self.station('anna', 20)
        s.send()
        self.verify(0, '--mark')
        place = int(self.db.sql("SELECT sequence FROM diskwipe.attempt WHERE NOT erased "
                                "ORDER BY sequence LIMIT 1")[0][0])
        was = self.db.sql('SELECT count(*) FROM diskwipe.attempt WHERE erased AND checked')
        text = json.loads(s.file(f'record-{place:08}.json'))
        text.update(outcome='erased', level='purge', exceptions=[])
        text['disk']['serial'] = 'FORGED'
        self.put(s, 'record', place, json.dumps(text).encode(), b'none')
        self.assertEqual(self.db.sql("SELECT erased, checked FROM diskwipe.attempt "
                                     "WHERE serial = 'FORGED'"), [['f', 'f']])
        self.assertEqual(self.db.sql("SELECT erased, checked FROM diskwipe.disk "
                                     "WHERE serial = 'FORGED'"), [['f', 'f']])
        self.assertEqual(self.db.sql(f'SELECT bool_or(checked OR erased) FROM diskwipe.attempt '
                                     f'WHERE sequence = {place}'), [['f']])
        # other places are as they were
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.attempt WHERE erased '
                                     'AND checked'), was)
        self.assertEqual(self.db.sql('SELECT sequence, records FROM diskwipe.fork'),
                         [[str(place), '2']])
        self.assertIn('1 rows that nobody in the list has signed', self.verify(0, '--all'))

    def test_late_heads_of_strangers(self):
        """A head that nobody in the list has signed raises no alarm by coming late."""
        s = self.station('anna')
        s.send()
        self.put(s, 'head', 3, b'{}', b'none')
        self.put(s, 'head', 5, s.file('head-00000012.json').replace(b':12,', b':5,'),
                 s.file('head-00000012.json.sig'))
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.went_back'), [['2']])
        self.assertIn('2 heads that came late are signed by nobody in the list', self.verify(0))
        # where the head itself was taken away nobody can say who signed it
        self.own('DELETE FROM diskwipe.head WHERE sequence = 3')
        self.assertIn('sent the head of record 3 when that of 12 was there', self.verify(10))

    def test_who_is_not_in_the_list(self):
        a, b = self.station('anna'), self.station('bert')
        a.send()
        b.send()
        with open(self.signers, 'w', encoding='utf-8') as f:
            f.write(a.line)
        said = self.verify(5)
        self.assertIn('nobody in the list has signed its heads', said)
        self.assertIn('1 chains with 12 records are whole', said)

    def test_half_of_a_batch(self):
        """Records whose head is on its way do not count, and are nothing wrong."""
        s = self.station('anna')
        s.send()
        self.verify()
        s.grow(20)
        for n in range(13, 18):
            name = f'record-{n:08}.json'
            self.put(s, 'record', n, s.file(name), s.file(name + '.sig'))
        said = self.verify(0)
        self.assertIn('5 records that no head names yet do not count', said)
        self.assertIn('1 chains with 12 records are whole', said)
        s.send()
        self.assertIn('1 chains with 20 records are whole', self.verify(0))

    def many(self, n):
        """Chains of one record each, of one key; what they are called, sorted."""
        s = self.station('anna', 1)
        text, chains = '', []
        for i in range(n):
            one = f'{self.dir}/many-{i}'
            subprocess.run([fleet.PAPER_LEDGER, one, s.key, '1', '0', str(1000 + i)], check=True)
            files = [[pathlib.Path(f'{one}/{kind}-00000001.json{end}').read_bytes()
                      for end in ('', '.sig')] for kind in ('record', 'head')]
            chains.append(hashlib.sha256(files[0][0]).hexdigest())
            for kind, (what, sig) in zip(('record', 'head'), files):
                text += (f"SELECT diskwipe.put('\\x{chains[-1]}', '{kind}', 1, '\\x{what.hex()}', "
                         f"convert_from('\\x{sig.hex()}', 'UTF8'));\n")
        self.db.sql(text)
        return sorted(chains)

    def cut_off(self, chain, kill, *more):
        """A verify that has to wait for the mark of that chain, and ends there."""
        argv = [fleet.LEDGER, 'verify', f'--signers={self.signers}', f'--state={self.dir}/seen',
                '--mark', *more, self.db.uri('checker')]
        with self.db.session() as other:
            other.stdin.write(f"BEGIN; INSERT INTO diskwipe.checked (chain, sequence, hash) VALUES "
                              f"('\\x{chain}', 1, '\\x{chain}');\nSELECT 'there';\n")
            other.stdin.flush()
            self.assertEqual(other.stdout.readline(), 'there\n')
            with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as it:
                while not self.db.sql("SELECT 1 FROM pg_stat_activity WHERE usename = 'checker' "
                                      "AND wait_event_type = 'Lock'"):
                    self.assertIsNone(it.poll(), 'it did not wait')
                if kill:
                    it.kill()
                else:
                    self.db.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                "WHERE usename = 'checker'")
            self.assertEqual(it.returncode, -signal.SIGKILL if kill else 1)
            other.stdin.close()

    def remembered(self):
        with open(self.dir + '/seen', encoding='ascii') as f:
            return [line.split()[0] for line in f if len(line.split()) == 4]

    def test_cut_off(self):
        """What was looked at before a kill is remembered; after a failure, all of it."""
        chains = self.many(130)
        self.cut_off(chains[125], True, '--all')
        known = len(self.remembered())
        self.assertEqual(sorted(self.remembered()), chains[:known])
        self.assertGreaterEqual(known, 90)
        self.assertLess(known, 125)
        self.cut_off(chains[127], False)
        self.assertEqual(len(self.remembered()), 127)
        self.assertIn('3 chains with 3 records are whole; 127 chains seem',
                      self.verify(0, '--mark'))
        # all of them are marked, and none but once
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.checked'), [['130']])
        # the look at all goes on only for who says so, and begins anew when it has ended
        self.own("UPDATE diskwipe.record SET signature = 'none' WHERE chain IN "
                 f"('\\x{chains[3]}', '\\x{chains[129]}')")
        shutil.copy(self.dir + '/seen', self.dir + '/then')
        for more, faults in ((['--resume'], 1), (['--resume'], 2), ([], 2)):
            said = self.verify(5, '--all', *more)
            self.assertEqual(said.count('its signature is none'), faults, said)
            self.assertIn(f'; {known if faults == 1 else 0} chains seem', said)
            if faults == 2:
                shutil.copy(self.dir + '/then', self.dir + '/seen')
        self.assertIn('--resume goes on with --all', self.verify(1, '--resume'))

    def test_two_at_once(self):
        """The later one to write its memory would forget what the other has seen."""
        self.station('anna', 3).send()
        self.verify()
        before = pathlib.Path(self.dir, 'seen').read_text()
        with open(f'{self.dir}/seen.lock', encoding='utf-8') as f:
            fcntl.flock(f, fcntl.LOCK_EX)  # as another one holds it
            self.assertIn('seen: another verification uses it', self.verify(1, '--all'))
        self.assertEqual(pathlib.Path(self.dir, 'seen').read_text(), before)
        self.verify(0, '--all')

    def test_hidden(self):
        """A chain that was not there while all were looked at is looked at when it is back."""
        chains = self.many(130)
        self.verify(0)
        it = f"diskwipe.record WHERE chain = '\\x{chains[3]}'"
        self.own(f"UPDATE diskwipe.record SET signature = 'none' WHERE chain = '\\x{chains[3]}'; "
                 f'CREATE TABLE hidden AS SELECT * FROM {it}; DELETE FROM {it}')
        self.cut_off(chains[125], True, '--all')
        self.own('INSERT INTO diskwipe.record SELECT * FROM hidden')
        self.assertIn('its signature is none', self.verify(5, '--all', '--resume'))

    def test_mark_that_fails(self):
        """A chain whose mark could not be written is looked at once more."""
        self.many(2)
        self.assertIn('permission denied', self.verify(1, '--mark', user='reader'))
        self.assertIn('2 chains with 2 records are whole; 0 chains', self.verify(0, '--mark'))
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.checked'), [['2']])

    def test_use(self):
        for argv, words in (([], 'name a command'), (['nonsense'], 'nonsense: no such command'),
                            (['verify'], 'takes a database'),
                            (['verify', 'postgresql://x'], '--signers=FILE is missing'),
                            (['audit', '--state=x', 'postgresql://x'], '--state is not for audit'),
                            (['verify', f'--signers={self.signers}', 'postgresql://a:secret@b/c'],
                             'there is a password in it'),
                            (['verify', f'--signers={self.signers}', 'dbname=x'],
                             'does not begin with postgresql://'),
                            (['verify', f'--signers={self.dir}/none', self.db.uri('checker')],
                             'No such file')):
            self.station('anna') if not os.path.exists(self.signers) else None
            run = subprocess.run([fleet.LEDGER, *argv], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 1, argv)
            self.assertIn(words, run.stderr)
            self.assertNotIn('secret', run.stderr)
        shown = subprocess.run([fleet.LEDGER, '--help'], capture_output=True, text=True,
                               check=True).stdout
        self.assertTrue(all(len(line) < 81 for line in shown.splitlines()))
        self.assertEqual(len(re.findall(r'^  (\w+) {10,}', shown, re.M)), 3)


if __name__ == '__main__':
    unittest.main()
