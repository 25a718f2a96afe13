# SPDX-License-Identifier: GPL-2.0-or-later
"""Heads in the object lock of moto, an S3 that others wrote: run by `run`, with moto's Python."""
import json
import os
import re
import shlex
import subprocess
import sys
import time
import unittest

import boto3
import botocore.exceptions
import fleet
import page

PORT = '5000'  # of a network of its own


class Moto(fleet.Fleet):
    def setUp(self):
        super().setUp()
        # pylint: disable=consider-using-with
        server = subprocess.Popen([sys.executable, '-m', 'moto.server', '-p', PORT],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.url = f'http://127.0.0.1:{PORT}'
        os.environ.update(AWS_ACCESS_KEY_ID='testing', AWS_SECRET_ACCESS_KEY='testing',
                          AWS_REGION='us-east-1')
        self.s3 = boto3.client('s3', endpoint_url=self.url, region_name='us-east-1')
        for _ in range(100):
            try:
                self.s3.list_buckets()
                break
            except botocore.exceptions.BotoCoreError:
                self.assertIsNone(server.poll())
                time.sleep(0.2)
        made = [self.aws(words) for words in page.commands('aws')]
        self.assertEqual(len(made), 2)

    def aws(self, words):
        """A command of docs/ledger.md by Amazon's own program; what it prints."""
        program = os.path.join(os.path.dirname(sys.executable), 'aws')
        env = dict(os.environ, AWS_ENDPOINT_URL=self.url, AWS_DEFAULT_REGION='eu-central-1')
        return subprocess.run([sys.executable, program, *shlex.split(words)[1:]], env=env,
                              check=True, capture_output=True, text=True, timeout=100).stdout

    def audit(self, code=0):
        run = subprocess.run([fleet.LEDGER, 'audit', f'--signers={self.signers}', '--grace=0',
                              '--heads=s3://proof/fleet', f'--endpoint={self.url}', '--plain',
                              self.db.uri('reader')],
                             capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def test_lock(self):
        s = self.station('anna')
        s.configure(f'[target fleet]\nurl={self.db.uri("station")}\n[target proof]\n'
                    f'url=s3://proof/fleet\nendpoint={self.url}\nplain=yes\n')
        for n in (12, 14, 15):
            s.grow(n)
            s.send()
        self.assertIn('15 of them up to a head outside', self.audit())
        names = [o['Key'] for o in self.s3.list_objects_v2(Bucket='proof')['Contents']]
        self.assertEqual(len(names), 3)
        for version in self.s3.list_object_versions(Bucket='proof')['Versions']:
            with self.assertRaises(botocore.exceptions.ClientError):
                self.s3.delete_object(Bucket='proof', Key=version['Key'],
                                      VersionId=version['VersionId'])
        # sent again: no second version of any object
        for f in os.listdir(s.dir + '/state'):
            os.unlink(f'{s.dir}/state/{f}')
        s.send()
        self.assertEqual(len(self.s3.list_object_versions(Bucket='proof')['Versions']), 3)
        self.db.sql('ALTER TABLE diskwipe.record DISABLE TRIGGER ALL; '
                    'ALTER TABLE diskwipe.head DISABLE TRIGGER ALL; '
                    'DELETE FROM diskwipe.record WHERE sequence > 12; '
                    'DELETE FROM diskwipe.head WHERE sequence > 12')
        self.assertIn('the table ends with', self.audit(10))
        # behind marks of deletion the locked heads are in no list of names
        for name in sorted(names)[1:]:
            self.s3.delete_object(Bucket='proof', Key=name)
        self.assertIn('4 versions of objects outside are hidden', self.audit(9))
        # the page says how to come to what was hidden
        look, get = page.inline('aws')
        found = json.loads(self.aws(look))
        self.assertEqual(len(found['DeleteMarkers']), 2)
        hidden = {d['Key'] for d in found['DeleteMarkers']}
        old = next(v for v in found['Versions'] if v['Key'] in hidden)
        for word, value in (('KEY', old['Key']), ('ID', old['VersionId']),
                            ('FILE', self.dir + '/old')):
            get = re.sub(rf'\b{word}\b', value, get)
        self.aws(get)
        with open(self.dir + '/old', encoding='utf-8') as f:
            self.assertIn('ledger-head', json.load(f)['text'])


if __name__ == '__main__':
    unittest.main()
