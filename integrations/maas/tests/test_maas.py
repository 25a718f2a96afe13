# SPDX-License-Identifier: GPL-2.0-or-later
"""MAAS takes the scripts, and reads "passed" of no disk that is not known to be erased."""

import base64
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
sys.path[:0] = [HERE, *(os.path.join(TOP, '..', d) for d in
                        ('hosts', 'hosts/tests', 'common/testing'))]  # fmt: skip

import liars  # noqa: E402
import readme  # noqa: E402
import support  # noqa: E402

try:
    import validate
except ImportError as e:
    print(f'SKIPPED: {e}; tools/dev/setup installs it', file=sys.stderr)
    sys.exit(77)

from diskwipe_hosts import erase, maas, sending  # noqa: E402
from diskwipe_hosts.program import Untrusted  # noqa: E402

SCRIPTS = ('diskwipe-machine', 'diskwipe-disk', 'diskwipe-look')
KEY = base64.b64encode(b'the key').decode()


def text_of(name):
    with open(f'{TOP}/{name}', encoding='utf-8') as f:
        return f.read()


class Scripts(unittest.TestCase):
    def test_taken(self):
        made = {name: validate.script(text_of(name)) for name in SCRIPTS}
        for name, its in made.items():
            self.assertEqual(name, its['name'])
            self.assertLessEqual({'disks', 'error'}, set(its['results']))
        validate.names(SCRIPTS)
        self.assertEqual('release', made['diskwipe-machine']['script_type'])
        self.assertEqual('release', made['diskwipe-disk']['script_type'])

    def test_validator(self):
        """It finds what MAAS would refuse, or would read otherwise."""
        good = text_of('diskwipe-disk')
        for old, new in (
            ('#!/bin/sh\n', '\n'), ('# --- Start', '# -- begin'), ('# --- End', '# --'),
            ('MAAS 1.0 script', 'MAAS 2.0 script'),
            ('# tags: [', 'tags: ['), ('# tags: [', '# tags: [['),
            ('script_type: release', 'script_type: post'), (': disabled', ': instance'),
            ('type: choice', 'type: boolean'), ('type: password', 'type: secret'),
            ('choices: [usual, full]', 'choices: [1, 2]'), ('default: usual', 'default: some'),
            ('--path={path} --serial={serial}', '--disk'), ('required: false', 'required: "no"'),
            ('title: Disks\n', 'description: Disks\n'), ('#     title: Disks', '#     x: 1'),
            ('name: diskwipe-disk', 'name: a disk'), ('destructive: true', 'destructive: yes sir'),
            ('  apt: [', '  rpm: ['), ('hardware_type: storage', 'hardware_type: tape'),
        ):  # fmt: skip
            with self.subTest(new=new):
                self.assertIn(old, good)
                self.assertRaises(validate.Wrong, validate.script, good.replace(old, new, 1))
        self.assertRaises(validate.Wrong, validate.names, ('diskwipe', 'diskwipe-disk'))
        made = validate.script(good)
        for bad in (
            '[',
            'x',
            'status: good',
            'results: {}',
            'status: passed\nmore: 1',
            'status: passed\nresults: {disks: [[1]]}',
            'status: passed\nresults: {x: 1}',
        ):
            self.assertRaises(validate.Wrong, validate.result, bad, made, 0)
        self.assertEqual('passed', validate.result('status: passed', made, 1))
        self.assertEqual('failed', validate.result('', made, 1))


class Machine(unittest.TestCase):
    def setUp(self):
        support.begin(self)
        self.result = self.folder + '/result.yaml'
        self.says = ''

    def read(self, name, status):
        with open(self.result, encoding='utf-8') as f:
            self.says = f.read()
        return validate.result(self.says, validate.script(text_of(name)), status)

    def call(self, name, **values):
        """What MAAS reads when its runner starts a script with values of parameters."""
        made = validate.script(text_of(name))
        verb = 'commission' if name == 'diskwipe-look' else 'release'
        words = [verb, *validate.arguments(made, values)]
        with (
            mock.patch.dict(os.environ, RESULT_PATH=self.result),
            mock.patch.object(erase, 'heed_signals'),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            status = maas.main(words)
        read = self.read(name, status)
        self.assertEqual(read == 'failed', status != 0)
        self.assertLessEqual(err.getvalue().count('\n'), 1)
        return read

    def storage(self, n, **more):
        value = {'id': n, 'name': 'sd', 'id_path': '/dev/disk/by-id/x', 'model': 'A B',
                 'serial': f'SERIAL{n:02}', 'path': support.name(n)}  # fmt: skip
        return {**value, **more}

    def script(self, name):
        """A script whose program is that of this tree."""
        path = f'{self.folder}/{name}'
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text_of(name).replace('/usr/share/diskwipe/adapters/', f'{TOP}/../hosts/'))
        os.chmod(path, 0o755)
        return path


class Release(Machine):
    def test_machine(self):
        self.assertEqual('passed', self.call('diskwipe-machine'))
        results = json.loads(self.says)['results']
        self.assertEqual(['erased: clear by zero'] * 3, results['outcomes'])
        self.assertEqual('SERIAL01 (1073741824 bytes)', results['disks'][1])
        call = self.fake.calls('erase')[0]
        self.assertIn('--expect-count=3', call)
        self.assertFalse([w for w in call if w.startswith('/')], 'a node is named to erase')
        plan = self.fake.calls('plan')[0]
        self.assertIn('--level=purge', plan)
        self.assertIn('--or-clear', plan)

    def test_parameters(self):
        self.call('diskwipe-machine', level='clear', verify='full')
        plan = self.fake.calls('plan')[0]
        self.assertIn('--verify=full', plan)
        self.assertNotIn('--level=purge', plan)
        self.assertEqual('failed', self.call('diskwipe-machine', level='purge'))
        self.assertIn('level clear was reached', self.says)

    def test_keep(self):
        self.assertEqual('passed', self.call('diskwipe-machine', keep='SERIAL00,SERIAL02'))
        self.assertIn('--expect-count=1', self.fake.calls('erase')[0])
        for keep in ('SERIAL00,ELSE', '/dev/fake-sda', 'SERIAL00,SERIAL01,SERIAL02'):
            self.fake.say(self.disks)
            self.assertEqual('failed', self.call('diskwipe-machine', keep=keep))
            self.assertEqual([], self.fake.calls('erase'))

    def test_others(self):
        """Disks that may be another machine's are not erased for being there."""
        for transport in ('fc', 'iscsi', '', None):
            self.fake.say([*self.disks[:2], {**self.disks[2], 'transport': transport}])
            self.assertEqual('failed', self.call('diskwipe-machine'))
            self.assertEqual([], self.fake.calls('plan'))
        self.assertEqual('passed', self.call('diskwipe-machine', keep='SERIAL02'))
        self.fake.say([])
        self.assertEqual('failed', self.call('diskwipe-machine'))

    def sysfs(self, files):
        """A sysfs of these files: path under class/block, and word."""
        root = tempfile.mkdtemp(dir=self.folder)
        for path, word in files.items():
            os.makedirs(os.path.dirname(f'{root}/class/block/{path}'), exist_ok=True)
            with open(f'{root}/class/block/{path}', 'w', encoding='ascii') as f:
                f.write(word + '\n')
        return mock.patch.object(maas, 'SYSFS', root)

    def test_nvme(self):
        """An NVMe disk is this machine's only if each controller of each node is on PCIe."""
        disk = {**self.disks[2], 'transport': 'nvme', 'device': '/dev/nvme7n1',
                'paths': ['/dev/nvme7n1', '/dev/ng7n1']}  # fmt: skip
        one, two = 'nvme7n1/device/transport', 'nvme7n1/device/nvme{}/transport'
        for files, well in (
            ({one: 'pcie'}, True),
            ({two.format(7): 'pcie', two.format(8): 'pcie'}, True),
            ({}, False),
            ({one: 'tcp'}, False),
            ({one: 'rdma'}, False),
            ({one: ''}, False),
            ({two.format(7): 'pcie', two.format(8): 'fc'}, False),
            ({'nvme8n1/device/transport': 'pcie'}, False),
        ):
            self.fake.say([self.disks[0], disk])
            with self.subTest(files=files), self.sysfs(files):
                read = self.call('diskwipe-machine')
                self.assertEqual('passed' if well else 'failed', read)
                self.assertEqual(well, bool(self.fake.calls('plan')))
        self.fake.say([self.disks[0], {**disk, 'paths': ['/dev/nvme7n1', '/dev/nvme9n1']}])
        with self.sysfs({one: 'pcie'}):
            self.assertEqual('failed', self.call('diskwipe-machine'))
            self.assertIn('nvme over what nobody knows', self.says)
            self.assertEqual('passed', self.call('diskwipe-machine', keep='SERIAL02'))

    def test_disk(self):
        self.assertEqual('passed', self.call('diskwipe-disk', storage=self.storage(1)))
        self.assertIn('--expect-count=1', self.fake.calls('erase')[0])
        for serial in ('5000c50000000001', '35000c50000000001', 'ST4000_SERIAL01'):
            self.assertEqual(
                'passed', self.call('diskwipe-disk', storage=self.storage(1, serial=serial))
            )
        for value in (
            self.storage(1, serial='SERIAL02'), self.storage(1, serial=''),
            self.storage(1, path='/dev/fake-nobody'), self.storage(1, serial='5000c50000000002'),
            self.storage(1, serial='SERIAL0'), self.storage(1, serial='SERIAL011'),
            self.storage(1, serial='5000c5000000000'),
        ):  # fmt: skip
            self.fake.say(self.disks)
            self.assertEqual('failed', self.call('diskwipe-disk', storage=value))
            self.assertEqual([], self.fake.calls('plan'))

    def test_liars(self):
        for what in liars.SHORT:
            with (
                self.subTest(what=what),
                liars.impatient(),
                mock.patch.object(maas, 'TIMEOUT', 1.5),
            ):
                self.fake.say(**{'disks': self.disks[:2], **what})
                self.assertEqual('failed', self.call('diskwipe-machine', verify='full'))

    def test_killed(self):
        """Until the end it reads as failed, whatever ends the script."""
        self.fake.say(self.disks, way='sleep')
        with subprocess.Popen(
            [self.script('diskwipe-machine')], env={**os.environ, 'RESULT_PATH': self.result},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            deadline = time.monotonic() + 180
            while not self.fake.calls('erase') and time.monotonic() < deadline:
                time.sleep(0.05)
            process.kill()
            process.wait(60)
        os.kill(self.fake.pid(), signal.SIGKILL)
        self.assertEqual('failed', self.read('diskwipe-machine', 1))

    def test_as_started(self):
        done = subprocess.run(
            [self.script('diskwipe-disk'), '--path=/dev/fake-sda', '--serial=SERIAL00'],
            env={**os.environ, 'RESULT_PATH': self.result}, capture_output=True, check=False,
        )  # fmt: skip
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual('passed', self.read('diskwipe-disk', 0))

    def test_not_installed(self):
        path = self.script('diskwipe-machine')
        with open(path, 'a', encoding='utf-8') as f:
            f.truncate(0)
            f.write(text_of('diskwipe-machine').replace('/usr/share/diskwipe', self.folder))
        done = subprocess.run([path], env={**os.environ, 'RESULT_PATH': self.result},
                              capture_output=True, check=False)  # fmt: skip
        self.assertEqual(1, done.returncode)
        self.assertEqual('failed', self.read('diskwipe-machine', 1))

    def test_wrong_words(self):
        with (
            mock.patch.dict(os.environ, RESULT_PATH=self.result),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            self.assertRaises(SystemExit, maas.main, ['release', '--nothing'])
        self.assertEqual('failed', self.read('diskwipe-machine', 2))


class Records(Machine):
    def test_sent(self):
        self.fake.sender()
        self.fake.say(self.disks, records=True)
        url = {'record_url': 'https://records.example/x', 'record_key': KEY}
        self.assertEqual('passed', self.call('diskwipe-machine', **url))
        self.assertEqual(3, len(json.loads(self.says)['results']['records']))
        self.assertNotIn(KEY, self.says)
        self.assertIn('url = https://records.example/x\n', self.fake.sent())
        for what in ({'status': 1}, {'sends': False}):
            self.fake.sender(**what)
            self.assertEqual('failed', self.call('diskwipe-machine', **url))
        self.fake.sender()
        self.fake.say(self.disks)  # erased, says it, and has no record
        with mock.patch.object(erase, 'PAUSE', 0.0):
            self.assertEqual('failed', self.call('diskwipe-machine', **url))

    def test_sent_of_a_failure(self):
        """The machine forgets: what was signed leaves, and the reason is told."""
        url = {'record_url': 'https://records.example/x', 'record_key': KEY}
        for status in (0, 1):
            self.fake.sender(status)
            self.fake.say(self.disks, records=True, way='missing')
            self.assertEqual('failed', self.call('diskwipe-machine', **url))
            self.assertIn('the result lacks SERIAL02', self.says)
            self.assertEqual(bool(status), 'the office does not answer' in self.says)
            self.assertIn('url = https://records.example/x\n', self.fake.sent())

    def test_sent_at_an_end(self):
        """A signal ends the script, not the sending; what else goes wrong is not told first."""
        sent = []
        for end in (SystemExit(1), KeyboardInterrupt(), Untrusted('the reason')):
            with self.assertRaises(type(end)), sending.after(lambda: sent.append(1)):
                raise end
        self.assertEqual(3, len(sent))
        send = mock.Mock(side_effect=OSError('no space left'))
        told = self.assertRaisesRegex(Untrusted, '^the reason; besides, no space')
        with told, sending.after(send):
            raise Untrusted('the reason')
        with self.assertRaises(SystemExit), sending.after(send):
            raise SystemExit(1)

    def test_nobody_to_send(self):
        """That nothing can be sent is told before anything is erased."""
        with mock.patch.dict(os.environ, PATH=self.fake.folder):
            read = self.call('diskwipe-machine', record_url='https://x', record_key=KEY)
        self.assertEqual('failed', read)
        self.assertIn('diskwipe-send is not installed', self.says)
        self.assertEqual([], self.fake.calls('list'))

    def test_both(self):
        for change in ({'record_url': 'https://x'}, {'record_key': KEY},
                       {'record_url': 'http://x', 'record_key': KEY},
                       {'record_url': 'https://x', 'record_key': '%'}):  # fmt: skip
            self.fake.say(self.disks, records=True)
            self.fake.sender()
            read = self.call('diskwipe-disk', storage=self.storage(0), **change)
            self.assertEqual('failed', read)
            self.assertEqual([], self.fake.calls('erase'))

    def gate(self, devices, *more, since='2026-01-01', **what):
        self.fake.say(self.disks, **what)
        out = io.StringIO()
        words = ['gate', f'--records={self.folder}/book', '--signers=x', f'--since={since}', *more]
        text = devices if isinstance(devices, str) else json.dumps(devices)
        with (
            mock.patch.object(sys, 'stdin', io.StringIO(text)),
            mock.patch.object(erase, 'heed_signals'),
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(out),
        ):  # fmt: skip
            return maas.main(words) == 0

    def write_book(self, *disks):
        """Records of the fake, of a job of these disks."""
        self.fake.say(disks, records=True)
        plan = f'{self.folder}/plan'
        nodes = [disk['device'] for disk in disks]
        subprocess.run(['diskwipe', 'plan', f'--output={plan}', *nodes], check=True)
        words = ['diskwipe', 'erase', f'--plan={plan}', f'--record={self.folder}/book']
        subprocess.run(words, check=False, stdout=subprocess.DEVNULL)

    def test_gate(self):
        """Ready, and no record of one disk: the machine stays where it is."""

        def device(n, **more):
            return {'type': 'physical', 'serial': f'SERIAL{n:02}', 'size': 1 << 30, **more}

        self.write_book(*self.disks)
        good = [device(0), device(1), {'type': 'virtual', 'serial': '', 'size': 1}]
        self.assertTrue(self.gate(good))
        self.assertTrue(self.gate([device(0, serial='0x5000c50000000000')]))
        for bad in (
            [device(0), device(5)], [device(0, size=1 << 29)], [device(0, serial='')], [],
            [device(0), device(0)], [device(0), device(0, serial='0x5000c50000000000')],
            [{'type': 'virtual'}], '', 'null', '{', [1], [{'type': 'physical', 'serial': 'S'}],
        ):  # fmt: skip
            self.assertFalse(self.gate(bad), bad)
        self.assertFalse(self.gate(good, '--level=purge'), 'they were cleared')
        self.assertFalse(self.gate(good, since='2999-01-01'))
        self.assertFalse(self.gate(good, since='yesterday'))
        for status in (1, 5, 9):
            self.assertFalse(self.gate(good, other_status=status))
        self.write_book(*({**disk, 'level': 'purge'} for disk in self.disks[:2]))
        self.assertTrue(self.gate(good, '--level=purge'))
        self.write_book({**self.disks[0], 'outcome': 'failed'})
        self.assertFalse(self.gate(good), 'its newest record says failed')


class Look(Machine):
    def test_look(self):
        purge = {**self.disks[0], 'purge': 'sanitize-block'}
        self.fake.say([purge, {**self.disks[1], 'purge': None}])
        self.assertEqual('passed', self.call('diskwipe-look'))
        self.assertEqual(['purge', 'clear'], json.loads(self.says)['results']['can_be_erased'])
        self.fake.say([{**self.disks[0], 'erasable': False, 'reason': 'mounted'}])
        self.assertEqual('degraded', self.call('diskwipe-look'))
        self.assertIn('no: mounted', self.says)
        for what in ({'list_status': 1}, {'inspect_status': 2}):
            self.fake.say(self.disks, **what)
            self.assertEqual('failed', self.call('diskwipe-look'))
        self.assertEqual([], self.fake.calls('erase') + self.fake.calls('plan'))


class Readme(unittest.TestCase):
    def test_commands(self):
        """Each line is what MAAS's command line would take."""
        seen = []
        for words in readme.commands(TOP + '/README.md'):
            seen.append(words[2])
            if words[2] == 'node-scripts':
                told = dict(w.split('=', 1) for w in words[4:])
                name = os.path.basename(told['script@'])
                made = validate.script(text_of(name))
                self.assertEqual((name, made['script_type']), (told['name'], told['type']))
                self.assertEqual(f'/usr/share/diskwipe/adapters/maas/{name}', told['script@'])
            elif words[2] == 'machine':
                self.assertEqual(['release', '$SYSTEM_ID'], words[3:5])
                told = dict(w.split('=', 1) for w in words[5:])
                made = validate.script(text_of(told.pop('scripts')))
                mine = {k.removeprefix(made['name'] + '_'): v for k, v in told.items()}
                validate.arguments(made, mine)
            elif words[0] == 'maas':
                self.assertEqual(['block-devices', 'read', '$SYSTEM_ID', '|'], words[2:6])
                self.assertEqual('/usr/share/diskwipe/adapters/diskwipe-maas', words[6])
                self.assertEqual('gate', maas._arguments(words[7:]).verb)
            else:
                self.assertEqual(['diskwipe', 'records', 'key'], words[:3])
        self.assertEqual(7, len(seen))


if __name__ == '__main__':
    unittest.main()
