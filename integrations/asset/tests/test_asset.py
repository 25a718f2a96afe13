# SPDX-License-Identifier: GPL-2.0-or-later
"""The asset system hears of each disk all that it has to, in order, with its record; and of none
that it is finished before it has that."""

import contextlib
import fcntl
import io
import json
import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '../..')
sys.path[:0] = [HERE, TOP + '/hosts', TOP + '/hosts/tests']

import readme  # noqa: E402
from server import AssetSystem  # noqa: E402

from diskwipe_hosts import asset  # noqa: E402

COUNT = 10
ORDER = ['new_client', 'jobspec', 'custom_fields', 'asset_report', 'jobspec', 'finished']


class Killed(BaseException):
    """The sender, between two calls."""


def trickle(server, text, over):
    """Answers with a text at once, then blanks one by one, for a minute; says when that is over."""
    with contextlib.suppress(OSError):
        peer = server.accept()[0]
        with peer:
            peer.sendall(text)
            for _ in range(1199):
                time.sleep(0.05)
                peer.sendall(b' ')
            over.set()
            peer.sendall(b' ')


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix='asset.')
        os.symlink(os.environ['DISKWIPE'], cls.made + '/diskwipe')
        os.environ['PATH'] = cls.made + os.pathsep + os.environ['PATH']
        key = subprocess.run(
            ['diskwipe', 'records', 'key', cls.made + '/key'],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        with open(cls.made + '/signers', 'w', encoding='utf-8') as f:
            f.write(key.stdout)
        subprocess.run(
            [os.environ['PAPER_LEDGER'], cls.made + '/records', cls.made + '/key', str(COUNT)],
            check=True,
        )

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='asset.')
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(self.made + '/records', self.folder + '/records')
        self.system = AssetSystem(token='secret')
        self.addCleanup(self.system.close)
        self.system.answers['GET /api/clients/{id}/custom_fields'] = {'custom_fields': {'lot': 7}}
        with open(self.folder + '/token', 'w', encoding='utf-8') as f:
            f.write('secret\n')
        self.configure()

    def configure(self, **more):
        keys = {
            'url': self.system.url,
            'token-file': self.folder + '/token',
            'queue': self.folder + '/queue',
            'records': self.folder + '/records',
            'signers': self.made + '/signers',
            **more,
        }
        with open(self.folder + '/conf', 'w', encoding='utf-8') as f:
            f.write('[asset]\n' + ''.join(f'{k} = {v}\n' for k, v in keys.items() if v))

    def record(self, outcome='erased'):
        """What a record of that outcome says, and its name."""
        for name in sorted(os.listdir(self.folder + '/records')):
            if name.endswith('.json'):
                with open(f'{self.folder}/records/{name}', encoding='utf-8') as f:
                    made = json.load(f)
                if made.get('outcome') == outcome and (made.get('disk') or {}).get('serial'):
                    return made, name
        raise AssertionError(outcome)

    def event(self, kind='post-erase', made=None, **more):
        made = made or self.record()[0]
        disk = made['disk']
        words = {'vendor': 'V', 'model': 'M', 'bay': '3', 'station': 'here', 'reason': ''}
        return {
            'event': kind,
            **words,
            'job': made['job']['id'],
            'serial': disk['serial'] or '',
            'wwn': disk['wwn'] or '',
            'capacity_bytes': disk['blocks'] * disk['block_size'],
            'outcome': made['outcome'] if kind == 'post-erase' else '',
            **more,
        }

    def call(self, *words, event=None):
        """Status, and what was printed."""
        text = event if isinstance(event, bytes) else json.dumps(event).encode()
        out = io.StringIO()
        with (
            mock.patch.object(sys, 'stdin', io.TextIOWrapper(io.BytesIO(text))),
            contextlib.redirect_stderr(out),
        ):
            return asset.main(list(words), self.folder + '/conf'), out.getvalue()

    def queue(self):
        return [n for n in os.listdir(self.folder + '/queue') if n.endswith('.json')]

    def told(self):
        return [path.rsplit('/', 1)[-1] if 'new_client' not in path else 'new_client'
                for _, path, _ in self.system.calls]  # fmt: skip

    def clean(self):
        self.assertEqual([], self.system.wrong)


class Good(Case):
    def test_all_of_one_disk(self):
        for kind in ('begin', 'post-erase'):
            self.assertEqual((0, ''), self.call(event=self.event(kind)))
        self.assertEqual([], self.system.calls, 'the service waits for the net')
        self.assertEqual((0, ''), self.call('send'))
        self.assertEqual(ORDER, self.told())
        made, name = self.record()
        report = self.system.told('/asset_report')[0]['asset_report']
        self.assertEqual({'lot': 7}, report['custom_fields'])
        self.assertEqual(name, report['record']['file'])
        with open(f'{self.folder}/records/{name}', encoding='utf-8') as f:
            self.assertEqual(f.read(), report['record']['text'])
        self.assertIn('SSH SIGNATURE', report['record']['signature'])
        states = [b['job_spec']['status'] for b in self.system.told('/jobspec')]
        self.assertEqual(['running', 'finished'], states)
        self.assertEqual(made['job']['id'], self.system.told('/finished')[0]['job'])
        self.assertEqual([], self.queue())
        self.clean()

    def test_a_disk_that_failed(self):
        made, _ = self.record('failed')
        self.call(event=self.event(made=made, reason='bad\x1b[2J\u202eblocks'))
        self.assertEqual(0, self.call('send')[0])
        ended = self.system.told('/jobspec')[0]['job_spec']
        self.assertEqual(('failed', 'bad [2J'), (ended['status'], ended['message'][:7]))
        self.assertEqual('failed', self.system.told('/asset_report')[0]['asset_report']['outcome'])
        self.clean()

    def test_without_ledger(self):
        self.configure(records='')
        self.call(event=self.event())
        self.assertEqual(0, self.call('send')[0])
        self.assertIsNone(self.system.told('/asset_report')[0]['asset_report']['record'])

    def test_hostile_names(self):
        """They are one part of the path, whatever they hold."""
        self.configure(records='')
        for serial in ('../../admin', 'a b?c#d', 'x/%2e', '%', '\u202e', '/'):
            self.call(event=self.event(serial=serial))
        self.assertEqual(0, self.call('send')[0])
        self.assertEqual(6, len(self.system.told('/finished')))
        self.clean()
        self.assertEqual(1, self.call(event=self.event(serial='..', wwn=''))[0])
        self.assertEqual(1, self.call(event=self.event(serial='', wwn=''))[0])


class Order(Case):
    """The queue is in the order in which events came, whatever clocks say."""

    def setUp(self):
        super().setUp()
        self.configure(records='')

    def test_clock_put_back(self):
        for n, kind in enumerate(('begin', 'post-erase')):
            with mock.patch('time.time_ns', lambda n=n: (1 << 60) - n):
                self.call(event=self.event(kind))
        self.assertEqual(0, self.call('send')[0])
        self.assertEqual(ORDER, self.told())

    def test_after_all_that_is_there(self):
        """Also what older versions left, and what was refused."""
        old, big = '01790000000000000000-7.json', '0' * 19 + '9-8.json'
        for name in (f'queue/refused/{old}', f'queue/{big}'):
            os.makedirs(os.path.dirname(f'{self.folder}/{name}'), exist_ok=True)
            with open(f'{self.folder}/{name}', 'w', encoding='utf-8') as f:
                json.dump({'event': self.event('begin'), 'done': []}, f)
        for _ in range(2):
            self.call(event=self.event())
        names = sorted(set(self.queue()) - {big})
        self.assertEqual([1790000000000000001, 1790000000000000002],
                         [int(name.split('-')[0]) for name in names])  # fmt: skip

    def test_side_by_side(self):
        """Each of several hooks has a number of its own."""
        code = 'import sys; from diskwipe_hosts import asset; sys.exit(asset.main([], sys.argv[1]))'
        program = [sys.executable, '-c', code, self.folder + '/conf']
        env = {**os.environ, 'PYTHONPATH': TOP + '/hosts', 'PYTHONDONTWRITEBYTECODE': '1'}
        running = [subprocess.Popen(program, stdin=subprocess.PIPE, env=env) for _ in range(6)]
        for n, one in enumerate(running):
            one.stdin.write(json.dumps(self.event(serial=f'S{n}')).encode())
            one.stdin.close()
        self.assertEqual([0] * 6, [one.wait(60) for one in running])
        self.assertEqual(list(range(1, 7)), sorted(int(n.split('-')[0]) for n in self.queue()))

    def test_hook_waits_for_no_sender(self):
        """Who sends has its lock while the net takes its time."""
        self.call('send')
        with open(self.folder + '/queue/lock', encoding='ascii') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            signal.alarm(20)
            self.addCleanup(signal.alarm, 0)
            self.assertEqual(0, self.call(event=self.event())[0])

    def test_durable(self):
        """The name of an event is, too: the folder is synced after the file has it."""
        synced = []
        real = os.fsync

        def fsync(fd):
            synced.append((stat.S_ISDIR(os.fstat(fd).st_mode), len(self.queue())))
            real(fd)

        with mock.patch.object(os, 'fsync', fsync):
            self.call(event=self.event())
        self.assertEqual([(False, 0), (True, 1)], synced)


class Approve(Case):
    JOB = 'GET /api/clients/{id}/job_spec'

    def setUp(self):
        super().setUp()
        self.configure(approve='yes')

    def test_only_what_is_wanted(self):
        asked = self.event('pre-erase')
        for answer, status in (
            ({'job_spec': {'erase': True}}, 0),
            ({'job_spec': {'erase': False, 'message': 'sold as it is'}}, 1),
            ({'job_spec': {'erase': 'true'}}, 1),
            ({'job_spec': {'erase': 1}}, 1),
            ({'job_spec': None}, 1),
            ({}, 1),
            ('', 1),
            ('yes', 1),
            ('[true]', 1),
            (404, 1),
            (500, 1),
            (302, 1),
        ):
            self.system.answers[self.JOB] = answer
            got, words = self.call(event=asked)
            self.assertEqual(status, got, answer)
            self.assertEqual(status, words.count('\n'), words)
        self.assertIn('sold as it is', self.called_with_message())
        self.clean()

    def called_with_message(self):
        self.system.answers[self.JOB] = {'job_spec': {'erase': False, 'message': 'sold as it is'}}
        return self.call(event=self.event('pre-erase'))[1]

    def test_nobody_answers(self):
        self.system.close()
        self.assertEqual(1, self.call(event=self.event('pre-erase'))[0])
        self.configure()
        self.assertEqual(0, self.call(event=self.event('pre-erase'))[0])


class Trouble(Case):
    def test_server_away(self):
        """Then nothing is lost, nothing comes before its turn, and all is said later."""
        for kind in ('begin', 'post-erase'):
            self.call(event=self.event(kind))
        self.system.answers['POST /new_client/{id}'] = 503
        status, words = self.call('send')
        self.assertEqual((1, 1), (status, words.count('tried again')))
        self.assertEqual([], self.system.calls)
        self.system.answers.pop('POST /new_client/{id}')
        self.assertEqual(0, self.call('send')[0])
        self.assertEqual(ORDER, self.told())

    def test_other_disks_go_on(self):
        self.configure(records='')
        self.system.before = lambda call: None
        self.call(event=self.event(serial='A'))
        self.call(event=self.event(serial='B'))
        real = asset.Server.call
        with mock.patch.object(
            asset.Server,
            'call',
            lambda s, method, path, body=None: (
                real(s, method, path, body) if '/A/' not in path else self.fail_untrusted()
            ),
        ):
            self.assertEqual(1, self.call('send')[0])
        self.assertEqual(['/client/B/finished'], [p for _, p, _ in self.system.calls][-1:])
        self.assertEqual(1, len(self.queue()))

    def fail_untrusted(self):
        raise asset.Untrusted('away')

    def test_refused_for_good(self):
        self.call(event=self.event())
        self.system.answers['POST /client/{id}/asset_report'] = 422
        status, words = self.call('send')
        self.assertEqual(1, status)
        self.assertIn('refused for good, kept in refused/', words)
        self.assertEqual([], self.system.told('/finished'))
        self.assertEqual(1, len(os.listdir(self.folder + '/queue/refused')))
        self.assertEqual((0, ''), self.call('send'))

    def test_tried_again(self):
        """What says nothing of the call itself, as with a token that has expired: all is kept."""
        self.configure(records='')
        for status in (401, 403, 404, 405, 407, 408, 421, 425, 429, 500, 503):
            self.call(event=self.event(serial=str(status)))
            self.system.answers['POST /client/{id}/asset_report'] = status
            got, words = self.call('send')
            self.assertEqual((1, 0), (got, words.count('refused')), words)
        self.assertEqual(11, len(self.queue()))
        self.assertFalse(os.path.exists(self.folder + '/queue/refused'))
        self.system.answers.pop('POST /client/{id}/asset_report')
        self.assertEqual(0, self.call('send')[0])
        self.assertEqual(11, len(self.system.told('/finished')))

    def test_moved_back(self):
        """What was refused is said when it is moved back."""
        self.call(event=self.event())
        self.system.answers['POST /client/{id}/asset_report'] = 422
        self.call('send')
        self.system.answers.pop('POST /client/{id}/asset_report')
        command = readme.commands(TOP + '/asset/README.md')[-1]
        script = ' '.join(command).replace(asset.QUEUE, self.folder + '/queue')
        subprocess.run(['sh', '-c', script], check=True)
        self.assertEqual((0, ''), self.call('send'))
        self.assertEqual(1, len(self.system.told('/finished')))

    def test_damaged(self):
        """A file that is no event is put aside, said, and those after it go on."""
        os.makedirs(self.folder + '/queue')
        good = {'event': self.event(), 'done': []}
        bad = [
            '', '{', 'null', '[]', '{}', '"x"', '\udcff', '[' * 100000,
            *(json.dumps({**good, **change}) for change in (
                {'event': {}}, {'event': None}, {'done': None}, {'event': self.event('pre-erase')},
                {'event': self.event(serial='\ud800')}, {'event': self.event(serial='', wwn='')},
                {'event': self.event(serial=None)}, {'event': self.event(capacity_bytes='1')},
            )),
        ]  # fmt: skip
        for n, text in enumerate(bad):
            path = f'{self.folder}/queue/{n + 1:020}-1.json'
            with open(path, 'w', encoding='utf-8', errors='surrogateescape') as f:
                f.write(text)
        os.mkdir(f'{self.folder}/queue/{99:020}-1.json')
        self.call(event=self.event())
        status, words = self.call('send')
        self.assertEqual((1, len(bad)), (status, words.count('kept in refused/')), words)
        self.assertEqual(1, words.count('cannot be read'))
        self.assertEqual(len(bad) + 1, words.count('\n'))
        self.assertEqual(1, len(self.system.told('/finished')))
        self.assertEqual(len(bad), len(os.listdir(self.folder + '/queue/refused')))
        self.assertEqual(1, len(self.queue()))
        self.clean()

    def test_ledger_once(self):
        """All of it is verified once, however many disks have ended, and again the next time."""
        with mock.patch.object(asset.ledger, 'read', wraps=asset.ledger.read) as read:
            for _ in range(3):
                self.call(event=self.event())
            self.assertEqual(0, self.call('send')[0])
            self.assertEqual(1, read.call_count)
            server = asset.Server(asset.Settings(self.folder + '/conf'))
            with open(self.folder + '/signers', 'w', encoding='utf-8') as f:
                f.write('')
            for count, signers in enumerate((self.folder + '/signers', self.made + '/signers'), 2):
                server.settings.signers = signers
                for serial in ('A', 'B'):
                    self.call(event=self.event(serial=serial))
                self.assertTrue(asset.send(server))
                self.assertEqual(count, read.call_count)

    def test_slow(self):
        """Who sends a byte now and then is not waited for longer than who sends none."""
        self.configure(records='')
        for text in (b'HTTP/1.1 200 OK\r\nContent-Length: 1200\r\n\r\n', b'HTTP/1.1 200 OK\r\nA: '):
            with socket.create_server(('127.0.0.1', 0)) as server:
                over = threading.Event()
                threading.Thread(target=trickle, args=(server, text, over), daemon=True).start()
                self.configure(records='', url=f'http://127.0.0.1:{server.getsockname()[1]}')
                self.call(event=self.event())
                with mock.patch.object(asset, 'PATIENCE', 0.5):
                    status, words = self.call('send')
                self.assertFalse(over.is_set(), 'it was heard to the end')
            self.assertEqual(1, status)
            self.assertIn('tried again', words)
        self.assertEqual(2, len(self.queue()))

    def test_killed_anywhere(self):
        """Between any two calls, and after a call before that is noted: all is said, in order, and
        each at most once more than it was killed."""
        for kind in ('begin', 'post-erase'):
            self.call(event=self.event(kind))
        real = asset.write
        kills = 0
        for at in range(1, 12):
            count = 0

            def write(path, made, at=at):
                nonlocal count
                count += 1
                if count == at % 3 + 1:
                    raise Killed
                real(path, made)

            with mock.patch.object(asset, 'write', write):
                try:
                    self.call('send')
                except Killed:
                    kills += 1
        self.assertEqual(0, self.call('send')[0])
        told = self.told()
        self.assertGreater(kills, 2)
        self.assertEqual('finished', told[-1])
        posts = [name for name in told if name != 'custom_fields']
        self.assertLessEqual(len(posts), 5 + kills, 'said again though that was noted')
        self.assertLess(told.index('asset_report'), told.index('finished'))
        self.assertEqual([], self.queue())

    def test_no_record_no_end(self):
        made, name = self.record()
        for spoil in (
            lambda: os.unlink(f'{self.folder}/records/{name}'),
            lambda: self.edit(name, '"erased"', '"failed"'),
            lambda: os.unlink(f'{self.folder}/records/{name}.sig'),
        ):
            shutil.rmtree(self.folder + '/records')
            shutil.copytree(self.made + '/records', self.folder + '/records')
            spoil()
            self.call(event=self.event(made=made))
            self.assertEqual(1, self.call('send')[0])
        self.assertEqual([], self.system.told('/finished'))
        self.assertEqual([], self.system.told('/asset_report'))

    def edit(self, name, old, new):
        path = f'{self.folder}/records/{name}'
        with open(path, encoding='utf-8') as f:
            text = f.read()
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text.replace(old, new))

    def test_record_of_another_outcome(self):
        """The station says erased, and its signed record does not."""
        made, _ = self.record('failed')
        self.call(event=self.event(made=made, outcome='erased'))
        status, words = self.call('send')
        self.assertEqual(1, status)
        self.assertIn('another outcome', words)
        self.assertEqual([], self.system.told('/finished'))

    def test_another_signer(self):
        with open(self.folder + '/signers', 'w', encoding='utf-8') as f:
            f.write('')
        self.configure(signers=self.folder + '/signers')
        self.call(event=self.event())
        self.assertEqual(1, self.call('send')[0])
        self.assertEqual([], self.system.calls)

    def test_bad_events(self):
        for event in (b'', b'{', b'[]', b'{"event":"end"}', b'{"event":"begin"}', b'["begin"]'):
            status, words = self.call(event=event)
            self.assertEqual((1, 1), (status, words.count('\n')), event)
        self.assertFalse(os.path.exists(self.folder + '/queue'))

    def test_bad_settings(self):
        for keys in (
            {'url': 'http://assets.example.com'},
            {'url': 'ftp://127.0.0.1'},
            {'url': ''},
            {'approve': 'perhaps'},
            {'aprove': 'yes'},
        ):
            self.configure(**keys)
            self.assertEqual(2, self.call('send')[0], keys)
            self.assertEqual(1, self.call(event=self.event('pre-erase'))[0], keys)
        self.assertEqual(2, self.call('sned')[0])

    def test_token_that_cannot_be_read(self):
        """A hook that only keeps an event needs none."""
        self.configure(**{'token-file': '/nonexistent'})
        self.assertEqual(0, self.call(event=self.event())[0])
        self.assertEqual(2, self.call('send')[0])
        self.assertEqual([], self.system.calls)

    def test_redirection(self):
        """The token goes nowhere else."""
        self.call(event=self.event())
        self.system.answers['POST /client/{id}/asset_report'] = 302
        self.assertEqual(1, self.call('send')[0])
        self.assertFalse([c for c in self.system.calls + self.system.wrong if 'elsewhere' in c[1]])


class Launcher(unittest.TestCase):
    def test_path(self):
        """Which diskwipe is started is not for who starts the hook to say."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(TOP + '/hosts/diskwipe-asset', folder)
            os.mkdir(folder + '/diskwipe_hosts')
            with open(folder + '/diskwipe_hosts/asset.py', 'w', encoding='ascii') as f:
                f.write("import os\ndef main(words):\n    print(os.environ['PATH'])\n")
            path = folder + os.pathsep + os.environ['PATH']
            done = subprocess.run([folder + '/diskwipe-asset'], env={'PATH': path},
                                  capture_output=True, text=True, check=True)  # fmt: skip
        self.assertIn('/usr/bin', done.stdout)
        self.assertNotIn(folder, done.stdout)


class Readme(Case):
    def test_commands(self):
        """Each is one that there is, of files that are installed."""
        commands = readme.commands(TOP + '/asset/README.md')
        self.assertEqual(5, len(commands))
        for path in commands[0][1:-1]:
            self.assertTrue(os.path.exists(f'{TOP}/asset/{os.path.basename(path)}'), path)
        with open(TOP + '/asset/README.md', encoding='utf-8') as f:
            text = f.read()
        conf = text.split('```\n')[1]
        for key in ('url', 'token-file', 'records', 'signers', 'approve'):
            self.assertIn(f'\n{key} = ', conf)
        with open(TOP + '/asset/diskwipe-asset.service', encoding='utf-8') as f:
            start = next(x for x in f if x.startswith('ExecStart='))
        self.assertEqual('send', shlex.split(start)[-1])


if __name__ == '__main__':
    unittest.main()
