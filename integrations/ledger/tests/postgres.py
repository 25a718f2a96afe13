# SPDX-License-Identifier: GPL-2.0-or-later
"""A real PostgreSQL for tests: an unprivileged process on a socket in a folder of its own."""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'schema.sql')


def need_server():
    """Ends a test that has no server here, and says why."""
    if not find_server():
        print('SKIPPED: there is no PostgreSQL here: install postgresql', file=sys.stderr)
        sys.exit(77)


def find_server():
    """The folder of initdb and postgres, as it is installed or as tools/dev/setup unpacks it; or
    None."""
    cache = os.environ.get('DISKWIPE_CACHE') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'diskwipe')
    found = [p for top in ('', f'{cache}/postgresql')
             for p in glob.glob(f'{top}/usr/lib/postgresql/*/bin/initdb')]
    return os.path.dirname(found[0]) if found else None


def in_memory():
    """Where each commit is durable at no cost; None: there is no room, so on a disk."""
    try:
        room = os.statvfs('/dev/shm')
    except FileNotFoundError:
        return None
    enough = room.f_bavail * room.f_frsize >= 1 << 30 and os.access('/dev/shm', os.W_OK)
    return '/dev/shm' if enough else None


class Postgres:
    """A server with an empty database that has the schema; roles station, checker and reader. The
    station has a password, in the file self.passfile; others are let in by the folder's mode.

    @folder: of one that was there before; it is started as it is. @options: of the server.
    """

    def __init__(self, folder=None, options=()):
        self.bin = find_server()
        self.dir = folder or tempfile.mkdtemp(prefix='dw-pg-', dir=in_memory())
        self.passfile = f'{self.dir}/pass'
        self.options = [word for o in options for word in ('-c', o)]
        self.process = None
        self.prefix = []
        if os.geteuid() == 0:
            user = os.stat(folder).st_uid if folder else 65534
            self.prefix = ['setpriv', f'--reuid={user}', f'--regid={user}', '--clear-groups']
            os.chown(self.dir, user, user)
        self.env = {'PATH': f'{self.bin}:/usr/bin:/bin', 'LC_ALL': 'C.UTF-8', 'HOME': self.dir}
        if folder:
            self.start()
        else:
            self.make()

    def make(self):
        self.run_as([f'{self.bin}/initdb', '-D', f'{self.dir}/data', '-U', 'owner', '-E', 'UTF8',
                     '--auth=trust', '--no-sync'])
        with open(f'{self.dir}/data/pg_hba.conf', 'w', encoding='ascii') as f:
            f.write('local all station scram-sha-256\nlocal all all trust\n')
        self.start()
        self.sql("CREATE DATABASE empty ENCODING 'UTF8' TEMPLATE template0", database='postgres')
        self.migrate('empty')
        self.renew()
        self.sql("CREATE ROLE station LOGIN PASSWORD 'pass word' IN ROLE diskwipe_send")
        self.sql('CREATE ROLE checker LOGIN IN ROLE diskwipe_check')
        self.sql('CREATE ROLE reader LOGIN IN ROLE diskwipe_read')
        with open(self.passfile, 'w', encoding='ascii') as f:
            f.write('*:*:*:station:pass word\n')
        os.chmod(self.passfile, 0o600)

    def run_as(self, argv):
        subprocess.run(self.prefix + argv, check=True, env=self.env, cwd=self.dir,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        """Until it lets in; after a crash it has to recover first."""
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            self.prefix + [f'{self.bin}/postgres', '-D', f'{self.dir}/data', '-k', self.dir,
                           '-c', 'listen_addresses=', '-c', 'max_wal_size=2GB', *self.options],
            env=self.env, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([f'{self.bin}/pg_isready', '-q', '-t', '60', '-h', self.dir], check=False)
        for _ in range(600):
            if self.psql('SELECT 1', database='postgres', check=False).returncode == 0:
                return
        raise RuntimeError('the server does not start')

    def processes(self):
        """The server and what it has started, by its own tree."""
        pid = self.process.pid
        with open(f'/proc/{pid}/task/{pid}/children', encoding='ascii') as f:
            return [pid] + [int(p) for p in f.read().split()]

    def crash(self):
        """As in a power cut, as far as processes can: all at once, without a word."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.start()

    def hold(self, on):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGSTOP if on else signal.SIGCONT)
            except ProcessLookupError:
                pass

    def stop(self):
        """As an owner does it: all is written, and nothing has to be recovered."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.hold(False)
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.dir)

    def uri(self, user, database='records', more=''):
        if user == 'station':
            more += f'&passfile={self.passfile}'
        return f'postgresql://{user}@/{database}?host={self.dir}{more}'

    def psql(self, text, user='owner', database='records', check=True):
        return subprocess.run(
            [f'{self.bin}/psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-F', '\t',
             '-f', '-', self.uri(user, database)], input=text, capture_output=True, text=True,
            check=check, env=self.env, timeout=120)

    def session(self, user='owner', database='records'):
        """A psql that stays: what is written to it is carried out line by line."""
        return subprocess.Popen(
            [f'{self.bin}/psql', '-X', '-q', '-A', '-t', self.uri(user, database)], env=self.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def sql(self, text, user='owner', database='records'):
        """Rows of columns, as text."""
        out = self.psql(text, user, database).stdout
        return [line.split('\t') for line in out.splitlines()]

    def refused(self, text, user):
        """What it says instead."""
        run = self.psql(text, user, check=False)
        assert run.returncode, f'{user} may do {text}'
        return run.stderr

    def renew(self):
        """The database is empty."""
        self.sql('DROP DATABASE IF EXISTS records WITH (FORCE)', database='postgres')
        self.sql('CREATE DATABASE records TEMPLATE empty', database='postgres')

    def migrate(self, database='records'):
        subprocess.run([f'{self.bin}/psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', SCHEMA,
                        self.uri('owner', database)], check=True, env=self.env, capture_output=True)
