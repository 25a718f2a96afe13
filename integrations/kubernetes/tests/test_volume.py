# SPDX-License-Identifier: GPL-2.0-or-later
"""The provisioner reads 0 of no volume that is not known to be erased, and no long line."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
HOSTS = os.path.join(TOP, '../hosts')
sys.path[:0] = [HOSTS, HOSTS + '/tests', os.path.join(TOP, '../common/testing')]

import liars  # noqa: E402
import readme  # noqa: E402
import support  # noqa: E402

try:
    import yaml
except ImportError as e:
    print(f'SKIPPED: {e}; tools/dev/setup installs it', file=sys.stderr)
    sys.exit(77)

from diskwipe_hosts import erase, volume  # noqa: E402


class Volume(unittest.TestCase):
    def setUp(self):
        support.begin(self, 1)
        for what, name, value in (
            (volume, 'is_block', lambda node: node.startswith('/dev/fake-')),
            (erase, 'heed_signals', lambda: None),
            (erase, 'PAUSE', 0.0),
        ):
            support.patch(self, what, name, value)
        self.key('/nonexistent')

    def key(self, key):
        made = {'key': key, 'folder': self.folder + '/hosts/records'}
        support.patch(
            self,
            erase.Book,
            '__init__',
            lambda book, operator: book.__dict__.update(operator=operator, **made),
        )

    def call(self, *words, node='/dev/fake-sda'):
        """Exit status, and what the file says; None without a file."""
        out = io.StringIO()
        with (
            mock.patch.dict(os.environ, {volume.VOLUME: node}),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            status = volume.main([f'--json={self.folder}', *words])
        self.assertEqual(1, out.getvalue().count('\n'), out.getvalue())
        self.assertLess(len(out.getvalue()), 2000)
        made = None
        if os.path.exists(self.folder + '/fake-sda.json'):
            with open(self.folder + '/fake-sda.json', encoding='utf-8') as f:
                made = json.load(f)
            self.assertEqual(status == 0, made['erased'])
        return status, made

    def test_good(self):
        status, made = self.call()
        self.assertEqual(0, status)
        self.assertEqual('SERIAL00', made['disk']['serial'])
        self.assertEqual('full', made['result']['verify']['done'])
        self.assertIsNone(made['record'])
        call = self.fake.calls('erase')[0]
        self.assertFalse([w for w in call if w.startswith('/')], 'a node is named to erase')
        self.assertEqual(0, self.call('--level=purge-or-clear', '--verify=full')[0])
        self.assertIn('--or-clear', self.fake.calls('plan')[1])

    def test_record(self):
        self.key(__file__)
        self.fake.say(self.disks, records=True)
        status, made = self.call()
        self.assertEqual(0, status)
        self.assertEqual('SERIAL00', json.loads(made['record']['text'])['disk']['serial'])
        self.fake.say(self.disks)  # erased, says it, and has no record
        shutil.rmtree(self.folder + '/hosts')
        self.assertEqual(1, self.call()[0])

    def test_liars(self):
        sources = [
            {**what, 'disks': what['disks'][1:]} if len(what.get('disks', ())) > 1 else what
            for what in liars.SHORT
        ]
        for what in sources:
            with (
                self.subTest(what=what),
                liars.impatient(),
                mock.patch.object(volume, 'TIMEOUT', 1.5),
            ):
                self.fake.say(**{'disks': self.disks, **what})
                node = self.disks[0]['paths'][1]
                if 'disks' in what:
                    node = what['disks'][0]['paths'][1]
                self.assertEqual(1, self.call(node=node)[0])

    def test_long(self):
        """What a disk says of itself is in the file, and not on the output."""
        reason = 'x' * 300000
        self.fake.say([{**self.disks[0], 'outcome': 'failed', 'reason': reason}])
        status, made = self.call()
        self.assertEqual((1, reason), (status, made['result']['reason']))

    def test_not_a_volume(self):
        for node in ('', 'sda', '-x', '/nonexistent/volume', self.folder):
            self.assertEqual(1, self.call(node=node)[0], node)
        self.assertEqual([], self.fake.calls('inspect'))
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertRaises(SystemExit, volume.main, ['--nothing'])

    def test_no_file(self):
        """Without a place for the file nothing is erased."""
        with open(self.folder + '/file', 'w', encoding='utf-8'):
            pass
        with mock.patch.object(self, 'folder', self.folder + '/file'):
            self.assertEqual((1, None), self.call())
        self.assertEqual([], self.fake.calls('inspect'))

    def test_same_name(self):
        """A volume of another folder has the same name, and is erased meanwhile."""
        nodes = ['/mnt/fast/one', '/mnt/slow/one']
        first, second = [volume.Report(self.folder, node) for node in nodes]
        for report in (first, second):
            report.made['erased'] = report is first
            report.write()
        again = volume.Report(self.folder, nodes[1])
        self.assertEqual(second.path, again.path)
        self.assertEqual(f'{self.folder}/one.json', first.path)
        for report, node, erased in ((first, nodes[0], True), (again, nodes[1], False)):
            with open(report.path, encoding='utf-8') as f:
                made = json.load(f)
            self.assertEqual((node, erased), (made['volume'], made['erased']))
            self.assertRegex(made['begun'], r'^\d{4}-\d\d-\d\dT[\d:]+\+00:00$')

    def test_program(self):
        done = subprocess.run(
            [HOSTS + '/diskwipe-volume', f'--json={self.folder}'],
            env={**os.environ, volume.VOLUME: '/dev/null'},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((1, ''), (done.returncode, done.stdout))
        self.assertIn('/dev/null is no block device', done.stderr)


class Page(unittest.TestCase):
    def load(self, name):
        with open(f'{TOP}/{name}', encoding='utf-8') as f:
            return yaml.safe_load(f)

    def command(self, words):
        self.assertEqual('/usr/share/diskwipe/adapters/diskwipe-volume', words[0])
        return volume.arguments(words[1:])

    def test_values(self):
        made = self.load('values.yaml')
        self.assertIs(True, made['hostPID'] and made['privileged'] and made['mountDevVolume'])
        self.assertIs(False, made['useJobForCleaning'])
        for one in made['classes']:
            self.assertEqual('Block', one['volumeMode'])
            self.assertEqual('full', self.command(one['blockCleanerCommand']).verify)
        self.mounts(made['additionalVolumeMounts'], made['additionalVolumes'])

    def mounts(self, mounts, volumes):
        self.assertEqual({m['name'] for m in mounts}, {v['name'] for v in volumes})
        paths = {m['mountPath'] for m in mounts}
        for path in (erase.KEY, erase.FOLDER, volume.FOLDER):
            self.assertTrue([p for p in paths if path.startswith(p + '/')], path)

    def test_job(self):
        spec = self.load('disk-job.yaml')['spec']
        self.assertEqual(0, spec['backoffLimit'])
        pod = spec['template']['spec']
        self.assertEqual((True, 'Never'), (pod['hostPID'], pod['restartPolicy']))
        container = pod['containers'][0]
        self.assertIs(True, container['securityContext']['privileged'])
        self.command(container['command'])
        self.assertEqual(volume.VOLUME, container['env'][0]['name'])
        self.mounts(container['volumeMounts'], pod['volumes'])
        self.assertIn('/dev', [m['mountPath'] for m in container['volumeMounts']])

    def test_image(self):
        with open(TOP + '/Containerfile', encoding='utf-8') as f:
            text = f.read()
        with open(TOP + '/../../packaging/debian/control', encoding='utf-8') as f:
            packages = re.findall(r'^Package: (\S+)', f.read(), re.M)
        wanted = re.findall(r'/debs/([\w-]+)_\*\.deb', text)
        self.assertEqual(4, len(wanted))
        self.assertLessEqual(set(wanted), set(packages))
        self.assertEqual(['ARG', 'FROM', 'COPY', 'RUN'], re.findall(r'^([A-Z]+) ', text, re.M))

    def test_commands(self):
        words = readme.commands(TOP + '/README.md')
        names = [w[0] for w in words]
        self.assertEqual(
            ['buildah', 'diskwipe', 'kubectl', 'helm', 'kubectl', 'kubectl', 'diskwipe'], names
        )
        build = words[0]
        self.assertEqual('Containerfile', build[build.index('-f') + 1])
        self.assertEqual(self.load('values.yaml')['image'], build[build.index('-t') + 1])
        secret = self.load('values.yaml')['additionalVolumes'][0]['secret']['secretName']
        self.assertEqual(secret, words[2][4])
        self.assertEqual('--from-file=' + os.path.basename(erase.KEY), words[2][5])
        self.assertEqual('values.yaml', words[3][words[3].index('--values') + 1])
        self.assertEqual('disk-job.yaml', words[4][-1])
        job = self.load('disk-job.yaml')['metadata']['name']
        self.assertEqual(f'job/{job}', words[5][-1])
        self.assertEqual(erase.FOLDER, words[6][-1])


if __name__ == '__main__':
    unittest.main()
