#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Through a real PgBouncer that pools transactions: each statement may be carried out in another
session, which others have before and after. Nothing is lost, there twice or left behind."""
import contextlib
import glob
import os
import shutil
import subprocess
import sys
import unittest

import fleet

PORT = 6432  # of a socket in a folder of its own


def find_program():
    """PgBouncer, with the libraries that tools/dev/setup has unpacked; or as it is installed."""
    cache = os.environ.get('DISKWIPE_CACHE') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'diskwipe')
    if os.path.exists(f'{cache}/proxies/usr/sbin/pgbouncer'):
        return [f'{cache}/proxies/usr/sbin/pgbouncer',
                *glob.glob(f'{cache}/proxies/usr/lib/*-linux-gnu/*.so.*')]
    installed = shutil.which('pgbouncer', path='/usr/sbin:/usr/bin')
    return [installed] if installed else []


class Pooler(fleet.Fleet):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # who runs it may not read the cache
        for path in find_program():
            shutil.copy(path, cls.db.dir)
        with open(f'{cls.db.dir}/users', 'w', encoding='ascii') as f:
            f.write('"station" "pass word"\n' + ''.join(
                f'"{name}" ""\n' for name in ('owner', 'checker', 'reader')))

    def pooler(self, sessions=1, mode='transaction'):
        """Starts one; all that have the same role share so many sessions of the server."""
        with open(f'{self.db.dir}/pooler.ini', 'w', encoding='ascii') as f:
            f.write(f'[databases]\nrecords = host={self.db.dir}\n[pgbouncer]\n'
                    f'listen_port = {PORT}\nunix_socket_dir = {self.db.dir}\nauth_type = trust\n'
                    f'auth_file = {self.db.dir}/users\npool_mode = {mode}\n'
                    f'default_pool_size = {sessions}\nlogfile = {self.db.dir}/pooler.log\n')
        # pylint: disable=consider-using-with
        it = subprocess.Popen([*self.db.prefix, f'{self.db.dir}/pgbouncer', '-q',
                               f'{self.db.dir}/pooler.ini'], stderr=subprocess.DEVNULL,
                              env={**self.db.env, 'LD_LIBRARY_PATH': self.db.dir})
        self.addCleanup(it.wait)
        self.addCleanup(it.kill)
        while self.ask('SELECT 1').returncode:
            self.assertIsNone(it.poll(), 'it does not start')

    def uri(self, user):
        return self.db.uri(user, more=f'&port={PORT}')

    def ask(self, text, user='owner'):
        """Through the pooler."""
        return subprocess.run([f'{self.db.bin}/psql', '-X', '-q', '-A', '-t', '-c', text,
                               self.uri(user)], capture_output=True, text=True, check=False,
                              env=self.db.env, timeout=100)

    def pooled(self, name, records=12):
        s = self.station(name, records)
        s.configure(f'[target fleet]\nurl={self.uri("station")}\n')
        return s

    def ledger(self, *words, user='checker'):
        run = subprocess.run([fleet.LEDGER, *words, f'--signers={self.signers}', self.uri(user)],
                             capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def nothing_is_left(self, user):
        """The only session of that role is as the server begins one, for whoever has it next."""
        asked = 'SHOW search_path; SHOW lock_timeout; SHOW tcp_keepalives_idle'
        for name in asked.replace('SHOW ', '').split('; '):
            reset = self.db.sql(f"SELECT reset_val FROM pg_settings WHERE name = '{name}'")
            now = self.ask(f"SELECT setting FROM pg_settings WHERE name = '{name}'", user).stdout
            self.assertEqual([[now.strip()]], reset, name)
        self.assertEqual(self.db.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
                         [['0']], 'a chain is locked for good')

    def test_one_session_for_all(self):
        self.pooler()
        a, b = self.pooled('anna'), self.pooled('bert', 20)
        for s in (a, b):
            self.assertIn('records sent', s.send())
            self.nothing_is_left('station')
        self.assertIn('2 chains with 32 records are whole', self.ledger('verify', '--mark'))
        self.nothing_is_left('checker')
        self.assertEqual(self.db.sql('SELECT sum(sequence) FROM diskwipe.checked'), [['32']])
        # what is refused leaves no transaction that has failed to whoever comes next
        run = subprocess.run(
            [fleet.LEDGER, 'verify', '--all', '--mark', f'--signers={self.signers}',
             self.uri('reader')], capture_output=True, text=True, check=False)
        self.assertIn('permission denied', run.stderr)
        self.assertIn('2 chains', self.ledger('verify', user='reader'))

    def test_durable(self):
        """As without a pooler: each commit is, and a server that does not flush gets nothing."""
        self.pooler()
        s = self.pooled('anna')
        self.db.sql('CREATE TABLE seen (way text); GRANT INSERT ON seen TO PUBLIC; '
                    'CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN '
                    "INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); "
                    'RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER t AFTER INSERT ON '
                    'diskwipe.record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW '
                    'EXECUTE FUNCTION note()')
        self.db.sql("ALTER ROLE station SET synchronous_commit = 'off'")
        self.addCleanup(self.db.sql, 'ALTER ROLE station RESET synchronous_commit')
        s.send()
        self.assertEqual(self.db.sql('SELECT way FROM seen'), [['on']] * 12)  # when it commits

    @contextlib.contextmanager
    def held(self):
        """No record comes in meanwhile."""
        with self.db.session() as p:
            p.stdin.write("BEGIN; LOCK TABLE diskwipe.record IN EXCLUSIVE MODE;\nSELECT 'held';\n")
            p.stdin.flush()
            self.assertEqual(p.stdout.readline(), 'held\n')
            yield
            p.stdin.close()

    def await_waiting(self, n, event):
        for _ in range(600):
            if self.db.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'station' AND "
                           f"wait_event = '{event}'") == [[str(n)]]:
                return
        self.fail(f'not {n} wait')

    def start(self, s):
        # pylint: disable=consider-using-with
        return subprocess.Popen(s.argv('--once'), stderr=subprocess.DEVNULL)

    def test_killed(self):
        """Senders that are killed with a record on its way: the next ones have the chain, and what
        was on its way is there once."""
        self.pooler(sessions=4)
        stations = [self.pooled(name, 8) for name in ('anna', 'bert')]
        with self.held():
            first = [self.start(s) for s in stations]
            self.await_waiting(2, 'relation')
            for p in first:
                p.kill()
                p.wait()
            later = [self.start(s) for s in stations]
            self.await_waiting(2, 'advisory')  # behind what was on its way, for the chains
        for p in later:
            self.assertEqual(p.wait(100), 0)
        self.assertEqual(self.db.sql('SELECT count(*), count(DISTINCT hash) FROM diskwipe.record'),
                         [['16', '16']])
        self.assertEqual(self.db.sql('SELECT count(*) FROM diskwipe.went_back'), [['0']])
        self.assertIn('2 chains with 16 records are whole', self.ledger('verify'))
        self.assertEqual(self.db.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
                         [['0']])

    def test_sessions(self):
        """A pooler of sessions is no different."""
        self.pooler(mode='session')
        self.pooled('anna').send()
        self.assertIn('1 chains with 12 records', self.ledger('verify'))
        self.nothing_is_left('station')


if __name__ == '__main__':
    if not find_program():
        print('SKIPPED: there is no PgBouncer here; tools/dev/setup proxies unpacks it',
              file=sys.stderr)
        sys.exit(77)
    unittest.main()
