#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe-send to a fleet's ledger in a real PostgreSQL: byte for byte, nothing lost and nothing
twice, whatever is killed; and a sender can do nothing but add."""
import contextlib
import glob
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import threading
import time
import unittest

import fleet

KILLS = 16


def no_tls(server):
    """A server that speaks no TLS, and ends what is spoken without."""
    with server.accept()[0] as c:
        if c.recv(8)[4:] == b'\x04\xd2\x16\x2f':  # SSLRequest
            c.sendall(b'N')
            c.recv(1000)


class Send(fleet.Fleet):
    def has_all(self, s):
        """Each file of the ledger once, with the same bytes and the same signature."""
        chain = s.chain()
        rows = self.db.sql(f"SELECT sequence, encode(text, 'hex'), encode(signature::bytea, 'hex') "
                           f"FROM diskwipe.record WHERE chain = '\\x{chain}' ORDER BY sequence")
        self.assertEqual([int(r[0]) for r in rows], list(range(1, s.count() + 1)))
        for n, text, sig in rows:
            name = f'record-{int(n):08}.json'
            self.assertEqual(bytes.fromhex(text), s.file(name))
            self.assertEqual(bytes.fromhex(sig), s.file(name + '.sig'))
        heads = self.db.sql(f"SELECT kind, sequence, encode(text, 'hex') FROM diskwipe.head "
                            f"WHERE chain = '\\x{chain}' ORDER BY sequence DESC")
        self.assertEqual(bytes.fromhex(heads[0][2]), s.file(f'head-{s.count():08}.json'))
        for view in ('fork', 'gap', 'went_back'):
            self.assertEqual(self.db.sql(f'SELECT count(*) FROM diskwipe.{view}'), [['0']], view)

    def test_bytes(self):
        a, b = self.station('anna'), self.station('bert', 30)
        for s in (a, b):
            self.assertIn(f'{s.count()} records sent', s.send())
            self.assertEqual(s.send(), '')
        self.has_all(a)
        self.has_all(b)
        # what was sent is sent again: its state was lost
        for name in glob.glob(a.dir + '/state/*'):
            os.unlink(name)
        a.grow(15)
        self.assertIn('15 records sent', a.send())
        self.has_all(a)
        self.assertEqual(self.db.sql('SELECT DISTINCT sender FROM diskwipe.record'), [['station']])

    def test_kills(self):
        """Of senders and servers, at any time."""
        r = random.Random(os.environ.get('DW_SEED', 1))
        s = self.station('anna')
        for i in range(KILLS):
            s.grow(s.count() + 1 + i % 3)
            with subprocess.Popen(s.argv('--once'), stderr=subprocess.DEVNULL) as p:
                time.sleep(r.uniform(0, 0.08))
                if i % 8 == 7:
                    self.db.crash()
                else:
                    p.kill()
        s.send()
        self.has_all(s)

    def watch_commits(self, then=''):
        """The table "seen" gets how each record is committed; @then: SQL that follows."""
        self.db.sql(f"""CREATE TABLE seen (way text); GRANT INSERT ON seen TO PUBLIC;
            CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO public.seen VALUES (current_setting('synchronous_commit'));
            {then} RETURN NULL; END $$;
            CREATE TRIGGER look AFTER INSERT ON diskwipe.record EXECUTE FUNCTION look()""")

    def set_server(self, name, value):
        """For all sessions, those that stand as well; until the end of the test."""
        self.addCleanup(self.reset_server, name)
        self.db.sql(f"ALTER SYSTEM SET {name} = '{value}'", database='postgres')
        self.db.sql('SELECT pg_reload_conf()', database='postgres')
        self.await_setting(name, value)

    def reset_server(self, name):
        """To "on", which both of those that are set are by default."""
        self.db.sql(f'ALTER SYSTEM RESET {name}', database='postgres')
        self.db.sql('SELECT pg_reload_conf()', database='postgres')
        self.await_setting(name, 'on')

    @contextlib.contextmanager
    def held_at_the_first_record(self):
        """No record comes in meanwhile; until a sender waits for that, and what is done then."""
        with subprocess.Popen([f'{self.db.bin}/psql', '-X', '-q', self.db.uri('owner')],
                              stdin=subprocess.PIPE, text=True, env=self.db.env) as p:
            p.stdin.write('BEGIN; LOCK TABLE diskwipe.record IN EXCLUSIVE MODE;\n')
            p.stdin.flush()
            self.await_rows("SELECT FROM pg_locks WHERE granted AND mode = 'ExclusiveLock' "
                            "AND relation = 'diskwipe.record'::regclass")
            yield
            p.stdin.write('COMMIT;\n')
            p.stdin.close()

    def await_rows(self, query):
        for _ in range(600):
            if self.db.sql(f'SELECT count(*) FROM ({query}) q') != [['0']]:
                return
        self.fail(f'never: {query}')

    def send_and_set(self, s, name, value):
        """A setting of the server that changes while its first record is on its way. Returns the
        exit status and what was said."""
        with self.held_at_the_first_record():
            # pylint: disable=consider-using-with
            p = subprocess.Popen(s.argv('--once'), stderr=subprocess.PIPE, text=True)
            self.await_rows("SELECT FROM pg_locks WHERE NOT granted "
                            "AND relation = 'diskwipe.record'::regclass")
            self.set_server(name, value)
        said = p.communicate(timeout=100)[1]
        return p.returncode, said

    def test_durable_whatever_is_set(self):
        """An owner who has asked for less than a durable commit gets one, and for more, more."""
        self.watch_commits()
        s = self.station('anna', 0)
        self.addCleanup(self.db.sql, 'ALTER ROLE station RESET synchronous_commit')
        ways = {'off': 'on', 'local': 'on', 'remote_write': 'on', 'on': 'on',
                'remote_apply': 'remote_apply'}
        for n, way in enumerate(ways, 1):
            self.db.sql(f"ALTER ROLE station SET synchronous_commit = '{way}'")
            s.grow(n)
            s.send()
            self.assertEqual(self.db.sql('SELECT way FROM seen'), [[ways[way]]], way)
            self.db.sql('TRUNCATE seen')
        self.db.sql('ALTER ROLE station RESET synchronous_commit')
        self.set_server('synchronous_commit', 'off')
        s.grow(len(ways) + 1)
        s.send()
        self.assertEqual(self.db.sql('SELECT way FROM seen'), [['on']])

    def test_durable_whatever_changes(self):
        """The owner lowers it for the whole server, or raises it, on a connection that stands."""
        for name, value, later in (('anna', 'off', 'on'), ('bert', 'remote_apply', 'remote_apply')):
            self.db.renew()
            self.watch_commits()
            s = self.station(name)
            code, said = self.send_and_set(s, 'synchronous_commit', value)
            self.assertEqual(code, 0, said)
            self.assertEqual(self.db.sql('SELECT way FROM seen'), [['on']] + [[later]] * 11)
            self.has_all(s)
            self.reset_server('synchronous_commit')

    def test_durable_in_a_session_of_others(self):
        """As behind a pooler: what a session was told before does not hold for the next record."""
        self.watch_commits("PERFORM set_config('synchronous_commit', 'off', false);")
        s = self.station('anna')
        s.send()
        self.assertEqual(self.db.sql('SELECT way FROM seen'), [['on']] * 12)

    def test_server_that_does_not_flush(self):
        """What it says of a commit is not true: nothing counts as sent, nothing is put there at
        each attempt, and somebody is told."""
        s = self.station('anna')
        self.set_server('fsync', 'off')
        self.assertIn('the server says fsync = off', s.send(code=4))
        self.assertIn('sequence 0\n', s.state())
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.record'), [['0']])
        self.reset_server('fsync')
        self.assertIn('12 records sent', s.send())
        self.has_all(s)

    def test_server_that_flushes_no_more(self):
        """It is asked with each record, on a connection that stands, too."""
        s = self.station('anna')
        code, said = self.send_and_set(s, 'fsync', 'off')
        self.assertEqual(code, 4)
        self.assertIn('the server says fsync = off', said)
        self.assertIn('sequence 1\n', s.state())

    def await_setting(self, name, value):
        for _ in range(600):
            if self.db.sql(f'SHOW {name}') == [[value]]:
                return
        self.fail(f'{name} is not {value}')

    def test_texts_of_strangers(self):
        """What a disk says of itself is a value, and no part of a statement."""
        s = self.station('anna', 100)
        s.send()
        want = []
        for n in range(1, 101):
            doc = json.loads(s.file(f'record-{n:08}.json'))
            want.append([doc['disk'].get('serial'), doc['disk']['model'], doc['label'],
                         doc.get('customer'), doc.get('order')])
        got = self.db.sql("SELECT jsonb_build_array(serial, model, label, customer, order_number) "
                          "FROM diskwipe.record ORDER BY sequence")
        self.assertEqual([json.loads(g[0]) for g in got], want)

    def test_views(self):
        """They count as the papers do."""
        s = self.station('anna', 100)
        subprocess.run([fleet.PAPER_LEDGER, s.ledger, s.key, 'second'], check=True)
        s.send()
        self.has_all(s)
        for customer in ('ACME', 'Müller & Söhne', ''):
            run = subprocess.run([fleet.REPORT, 'summary', '--format=json',
                                  f'--customer={customer}', f'--signers={self.signers}',
                                  s.ledger], capture_output=True, text=True, check=True)
            paper = json.loads(run.stdout)
            is_it = f"customer = '{customer}'" if customer else 'customer IS NULL'
            row = self.db.sql('SELECT coalesce(sum(erased), 0), coalesce(sum(erased_bytes), 0) '
                              f'FROM diskwipe.customer WHERE {is_it}')[0]
            self.assertEqual([int(v) for v in row], [paper['erased'], paper['erased_bytes']])
        lot = self.db.sql("SELECT disks, erased FROM diskwipe.lot WHERE customer = 'ACME'")
        days = self.db.sql('SELECT sum(attempts), sum(erased) FROM diskwipe.station_day')
        self.assertEqual(self.db.sql('SELECT sum(erased) FROM diskwipe.capacity'), [[days[0][1]]])
        self.assertGreater(int(lot[0][0]), int(lot[0][1]))
        # a second check found something else on record 2: it is erased nowhere
        self.assertEqual(self.db.sql('SELECT erased FROM diskwipe.attempt WHERE sequence IN (1, 2) '
                                     'ORDER BY sequence'), [['t'], ['f']])

    def put(self, doc, sequence=1):
        text = json.dumps(doc, sort_keys=True) if isinstance(doc, dict) else doc
        self.db.sql("SELECT diskwipe.put(sha256('a'), 'record', "
                    f"{sequence}, convert_to($t${text}$t$, 'UTF8'), '')")

    def test_what_cannot_be_read(self):
        """A station that signs nonsense, or whose clock jumps, is kept and never in the way."""
        when = {1: '2999-01-01T00:00:00+00:00', 2: '1970-01-01T00:00:00+00:00', 3: 'infinity',
                4: 'yesterday', 5: '2027-02-03T04:05:06+00:00'}
        for n, written in when.items():
            self.put({'document': 'erasure-record', 'written': written, 'outcome': 'erased',
                      'disk': {'serial': 'S', 'model': 'M'}, 'level': 'purge', 'exceptions': []}, n)
        self.put('{"disk":{"serial":"a\\u0000b"}}', 6)
        self.put('{"disk":' * 20000, 7)
        self.put('{"disk":{"blocks":1e400,"block_size":512}}', 8)
        self.assertEqual(self.db.sql('SELECT count(*), count(*) FILTER (WHERE at <= arrived) '
                                     'FROM diskwipe.record'), [['8', '8']])
        self.assertEqual(self.db.sql('SELECT sequence FROM diskwipe.attempt WHERE from_the_future '
                                     'ORDER BY sequence'),
                         [['1'], ['5']] if time.gmtime().tm_year < 2027 else [['1']])
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.record_other'), [['7']])

    def test_who_may_do_what(self):
        s = self.station('anna')
        s.send()
        for text in ('SELECT * FROM diskwipe.record', 'DELETE FROM diskwipe.record',
                     'SELECT * FROM diskwipe.disk', 'TRUNCATE diskwipe.head',
                     "UPDATE diskwipe.record SET serial = 'x'",
                     'INSERT INTO diskwipe.record SELECT', 'DROP TABLE diskwipe.record',
                     'CREATE TABLE diskwipe.x ()', 'SELECT diskwipe.make_years(2050, 2051)',
                     "INSERT INTO diskwipe.checked VALUES ('', 1, '')"):
            env = dict(os.environ, PGPASSFILE=self.db.passfile)
            run = subprocess.run([f'{self.db.bin}/psql', '-X', self.db.uri('station'), '-c', text],
                                 capture_output=True, text=True, check=False, env=env)
            self.assertRegex(run.stderr, 'permission denied|must be owner', text)
        for user in ('reader', 'checker'):
            for text in ("SELECT diskwipe.put('', 'head', 1, '', '')", 'DELETE FROM diskwipe.head'):
                self.assertIn('permission denied', self.db.refused(text, user))
        self.assertIn('permission denied', self.db.refused(
            "INSERT INTO diskwipe.checked (chain, sequence, hash) VALUES ('', 1, '')", 'reader'))
        # not even its owner, by accident
        for text in ('DELETE FROM diskwipe.record', 'TRUNCATE diskwipe.record',
                     'TRUNCATE diskwipe.record_2026', 'DELETE FROM diskwipe.record_2026',
                     "UPDATE diskwipe.record SET serial = 'x'", 'TRUNCATE diskwipe.record_other',
                     'TRUNCATE diskwipe.head', "UPDATE diskwipe.head SET kind = 'day'"):
            self.assertIn('records are only added', self.db.refused(text, 'owner'))
        # bytes that are not those of their hash, and a column that a sender made up: no way in
        self.assertIn('violates check', self.db.refused(
            "INSERT INTO diskwipe.head SELECT chain, kind, 99, hash, 'x', signature, sender, "
            'arrived FROM diskwipe.head', 'owner'))

    def test_older_head(self):
        """A ledger that was put back, and whose state with it, is on record at once."""
        s = self.station('anna')
        older = {n: s.file(os.path.basename(n)) for n in glob.glob(s.ledger + '/*')}
        s.grow(15)
        s.send()
        for name in glob.glob(s.ledger + '/*') + glob.glob(s.dir + '/state/*'):
            os.unlink(name)
        for name, text in older.items():
            pathlib.Path(name).write_bytes(text)
        s.send()
        self.assertEqual(self.db.sql('SELECT sequence, highest FROM diskwipe.went_back'),
                         [['12', '15']])
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.fork'), [['0']])
        s.grow(13, 7)
        s.send()
        self.assertEqual(self.db.sql('SELECT sequence, records FROM diskwipe.fork'), [['13', '2']])

    def test_server_that_does_not_answer(self):
        """It holds up nobody else, and is tried again."""
        s = self.station('anna')
        os.mkdir(s.dir + '/copy')
        s.configure(f'[target fleet]\nurl={self.db.uri("station", more="&connect_timeout=2")}\n'
                    f'[target stick]\ndirectory={s.dir}/copy\n')
        self.db.hold(True)
        try:
            self.assertRegex(s.send(code=4), 'target fleet: .*(timeout|expired)')
        finally:
            self.db.hold(False)
        self.assertEqual(len(glob.glob(s.dir + '/copy/record-*.json')), 12)
        s.configure(f'[target fleet]\nurl={self.db.uri("station")}\n')
        s.send()
        self.has_all(s)

    def test_addresses(self):
        s = self.station('anna')
        for url, words in (('postgresql://u:secret@h/d', 'there is a password in it'),
                           ('postgresql://u@h/d?password=secret', 'there is a password in it'),
                           ('postgresql://u@h/d?nonsense=1', 'nonsense'),
                           ('mysql://h', 'none of https://')):
            s.configure(f'[target fleet]\nurl={url}\n')
            said = s.send(code=1)
            self.assertIn(words, said)
            self.assertNotIn('secret', said)
        # over a network a server has to prove its name, unless the address says otherwise
        for more, words in (('', 'does not support SSL, but SSL was required'),
                            ('?sslmode=disable', 'closed the connection')):
            with socket.create_server(('127.0.0.1', 0)) as server:
                threading.Thread(target=no_tls, args=(server,), daemon=True).start()
                s.configure('[target fleet]\nurl=postgresql://u@127.0.0.1:'
                            f'{server.getsockname()[1]}/d{more}\n')
                self.assertIn(words, s.send(code=4))
        os.chmod(self.db.passfile, 0o644)
        try:
            s.configure(f'[target fleet]\nurl={self.db.uri("station")}\n')
            self.assertRegex(s.send(code=4), 'password')
        finally:
            os.chmod(self.db.passfile, 0o600)

    def test_migrations(self):
        """Each runs once, in order, and a second time is none."""
        self.db.migrate()
        steps = [int(r[0]) for r in self.db.sql('SELECT step FROM diskwipe.migration ORDER BY 1')]
        text = pathlib.Path(fleet.postgres.SCHEMA).read_text(encoding='utf-8')
        self.assertEqual(steps, [int(n) for n in re.findall(r'WHERE step = (\d+)\)', text)
                                 if n != '2' or 'step = 2) AS due' in text])
        self.db.sql('CREATE DATABASE latin ENCODING \'SQL_ASCII\' TEMPLATE template0',
                    database='postgres')
        run = subprocess.run([f'{self.db.bin}/psql', '-X', '-v', 'ON_ERROR_STOP=1', '-f',
                              fleet.postgres.SCHEMA, self.db.uri('owner', 'latin')],
                             capture_output=True, text=True, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn('has to have the encoding UTF8', run.stderr)


if __name__ == '__main__':
    unittest.main()
