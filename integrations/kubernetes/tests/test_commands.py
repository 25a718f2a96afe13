# SPDX-License-Identifier: GPL-2.0-or-later
"""The page's lines for kubectl and helm, by these programs; run by `run`. DW_CHART names a chart of
the provisioner that is to be taken instead of ours."""

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
TOOLS = sys.argv.pop(1)
sys.path[:0] = [TOP + '/../hosts/tests']

import api  # noqa: E402
import readme  # noqa: E402

CONFIG = """apiVersion: v1
kind: Config
clusters: [{{name: it, cluster: {{server: "{url}"}}}}]
contexts: [{{name: it, context: {{cluster: it, user: it}}}}]
users: [{{name: it, user: {{}}}}]
current-context: it
"""


class Commands(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.dir = temp.name
        self.api = api.Server()
        self.addCleanup(self.api.end)
        for name in ('values.yaml', 'disk-job.yaml'):
            shutil.copy(f'{TOP}/{name}', self.dir)
        for name, text in (
            ('config', CONFIG.format(url=self.api.url)),
            ('record.key', 'a key\n'),
        ):
            with open(f'{self.dir}/{name}', 'w', encoding='ascii') as f:
                f.write(text)

    def run_line(self, words, code=0):
        """As whoever reads it types it, in a folder that has the files."""
        done = subprocess.run(
            [f'{TOOLS}/{words[0]}', *(self.chart() if w == '$CHART' else w for w in words[1:])],
            cwd=self.dir,
            env={'HOME': self.dir, 'KUBECONFIG': self.dir + '/config'},
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done.stdout + done.stderr

    @staticmethod
    def chart():
        return os.environ.get('DW_CHART', HERE + '/chart')

    def edit(self, name, old, new):
        with open(f'{self.dir}/{name}', encoding='utf-8') as f:
            text = f.read()
        self.assertIn(old, text)
        with open(f'{self.dir}/{name}', 'w', encoding='utf-8') as f:
            f.write(text.replace(old, new))

    def test_page(self):
        lines = [w for w in readme.commands(TOP + '/README.md') if w[0] in ('kubectl', 'helm')]
        self.assertEqual(4, len(lines))
        # NODE and DISK of the job are to be filled in
        self.edit('disk-job.yaml', 'NODE', 'node-1')
        self.edit('disk-job.yaml', 'DISK', 'wwn-0x5000c500a0000001')
        for words in lines:
            said = self.run_line(words)
        self.assertIn('condition met', said)
        self.key()
        self.pod()
        self.classes()
        job = self.api.find('Job', 'diskwipe-disk')['spec']['template']['spec']
        self.assertEqual((True, 'node-1'), (job['hostPID'], job['nodeName']))
        self.again(lines)

    def key(self):
        made = self.api.find('Secret', 'diskwipe-record-key')
        self.assertEqual(b'a key\n', base64.b64decode(made['data']['record.key']))

    def pod(self):
        """What diskwipe needs has come through the chart."""
        pod = self.api.find('DaemonSet', 'local-static-provisioner')['spec']['template']['spec']
        one = pod['containers'][0]
        self.assertIs(True, pod['hostPID'] and one['securityContext']['privileged'])
        volumes = {v['name']: v for v in pod['volumes']}
        paths = {m['mountPath']: volumes[m['name']] for m in one['volumeMounts']}
        self.assertLessEqual({'/dev', '/mnt/disks', '/run/udev', '/var/lib/diskwipe'}, set(paths))
        self.assertEqual('diskwipe-record-key', paths['/etc/diskwipe']['secret']['secretName'])
        self.assertEqual(0o400, paths['/etc/diskwipe']['secret']['defaultMode'])

    def classes(self):
        made = self.api.find('ConfigMap', 'local-static-provisioner-config')['data']
        self.assertNotIn('useJobForCleaning', made)
        one = yaml.safe_load(made['storageClassMap'])['local-disks']
        self.assertEqual('Block', one['volumeMode'])
        self.assertEqual(
            '/usr/share/diskwipe/adapters/diskwipe-volume', one['blockCleanerCommand'][0]
        )

    def again(self, lines):
        """The chart is renewed; a secret and a job that are there are not made again."""
        for words in lines[:3]:
            self.run_line(words, 0 if words[0] == 'helm' else 1)

    def test_wrong(self):
        """What Kubernetes does not know is refused, by the server or the chart."""
        job = ['kubectl', 'create', '-f', 'disk-job.yaml']
        self.edit('disk-job.yaml', 'hostPID', 'hostPid')
        self.assertIn('hostPid', self.run_line(job, 1))
        self.edit('disk-job.yaml', 'hostPid: true', 'hostPID: "yes"')
        self.assertIn('hostPID', self.run_line(job, 1))
        chart = ['helm', 'upgrade', '--install', 'x', '$CHART', '--values', 'values.yaml']
        if 'DW_CHART' not in os.environ:
            self.edit('values.yaml', 'blockCleanerCommand', 'blockCleaner')
            self.assertIn('blockCleaner', self.run_line(chart, 1))
            self.edit('values.yaml', 'blockCleaner', 'blockCleanerCommand')
        self.edit('values.yaml', 'mountPath: /etc/diskwipe', 'mountAt: /etc/diskwipe')
        self.assertIn('mountAt', self.run_line(chart, 1))


if __name__ == '__main__':
    unittest.main()
