#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks by a rule: what list, plan, erase and verify take, and the consent that it needs."""
import json
import re
import unittest

from cli import Terminal, disk
from station import StationCase, disk as of_station, job

MOUNTED = {'refusal': 'mounted', 'reason': 'mounted at /srv', 'release': 'umount /srv'}
RULE = '--select=model~BIG* and size>=1MiB'


class Select(StationCase):
    def setUp(self):
        super().setUp()
        self.machine(disk(0, model='BIG ONE'), disk(1, model='SMALL'), disk(2, model='BIG TWO'),
                     disk(3, model='BIG THREE', **MOUNTED), disk(4, model='BIG', blocks='100'))

    def test_list(self):
        doc = self.run_json('list', RULE)
        self.assertEqual([d['device'] for d in doc['disks']],
                         ['/fake/sg0', '/fake/sg2', '/fake/sg3'])
        self.assertIn('no disk fits the rule', self.run_cli('list', '--select=size>1PB').stderr)

    def test_erase(self):
        """A program has to say how many there are; what may not be erased is named."""
        r = self.run_cli(RULE, '--yes', code=2)
        self.assertIn('--select leaves 2 disks, and --yes', r.stderr)
        self.assertEqual(self.started(), [])
        self.run_cli(RULE, '--yes', '--expect-count=3', code=2)
        self.assertEqual(self.started(), [])
        r = self.run_cli(RULE, '--yes', '--expect-count=2')
        self.assertEqual(self.started(), ['/fake/sg0', '/fake/sg2'])
        self.assertIn('/fake/sg3: skipped: mounted at /srv', r.stderr)

    def test_one_disk_is_not_enough_either(self):
        r = self.run_cli('--select=model=SMALL', '--yes', code=2)
        self.assertIn('--select leaves 1 disk, and --yes alone confirms one disk that is named; '
                      'nothing was written; check with --dry-run, then add --expect-count=1',
                      r.stderr)
        self.assertEqual(self.started(), [])
        self.run_cli('--select=model=SMALL', '--yes', '--expect-count=1')
        self.assertEqual(self.started(), ['/fake/sg1'])

    def test_narrows_what_is_named(self):
        r = self.run_cli(RULE, '--yes', '--expect-count=1', '/fake/sg0', '/fake/sg1')
        self.assertIn('/fake/sg1: skipped: excluded by --select', r.stderr)
        self.assertEqual(self.started(), ['/fake/sg0'])

    def test_exclude(self):
        self.run_cli(RULE, '--yes', '--expect-count=1', '--exclude=/fake/sd0')
        self.assertEqual(self.started(), ['/fake/sg2'])

    def test_exclude_of_another(self):
        """It may be a mistake in a number."""
        r = self.run_cli('--yes', '--expect-count=1', '--exclude=/fake/sg1', '/fake/sg0')
        self.assertIn('--exclude /fake/sg1: it is not among the disks that are named', r.stderr)
        self.assertEqual(self.started(), ['/fake/sg0'])
        r = self.run_cli(RULE, '--yes', '--expect-count=1', '--exclude=/fake/sg0')
        self.assertNotIn('not among', r.stderr)

    def test_nothing_fits(self):
        self.run_cli('--select=size>1PB', '--yes', code=2)
        self.run_cli('--select=serial=none', '--yes', '--expect-count=1', code=2)
        self.assertEqual(self.started(), [])

    def test_question(self):
        t = Terminal(self, 'erase', RULE)
        t.expect('number of disks above')
        self.assertIn('BIG ONE', t.text)
        self.assertNotIn('SMALL', t.text)
        t.type('3\n')
        self.assertEqual(t.wait(), 2)
        self.assertEqual(self.started(), [])

    def test_plan_and_verify(self):
        doc = self.run_json('plan', RULE)
        self.assertEqual([d['device'] for d in doc['disks']], ['/fake/sg0', '/fake/sg2'])
        r = self.run_json('verify', RULE)
        self.assertEqual(len(r['disks']), 3)

    def test_plan_whose(self):
        """A plan says whose disks they are, and by which order; who erases by it cannot."""
        plan = self.path('plan')
        whose = ('--customer=ACME', '--order-number=4711')
        self.run_cli('plan', '-o', plan, *whose, '/fake/sg0')
        with open(plan, encoding='utf-8') as f:
            job = json.load(f)['job']
        self.assertEqual((job['customer'], job['order_number']), ('ACME', '4711'))
        self.assertIn('--plan fixes that', self.run_cli('--plan', plan, whose[0], code=1).stderr)
        self.run_cli('--plan', plan, '--yes')

    def test_wrong(self):
        for rule, said in (('colour=red', "character 1): no key 'colour'"),
                           ('size>=2XB', "at '2XB' (character 7)"),
                           ('slot!=""', "the value is empty; write slot~'?*' for any"),
                           ('size>1TB and', 'character 13): a key is missing')):
            self.assertIn(said, self.run_cli('--select=' + rule, '--yes', code=1).stderr)
        plan = self.path('plan')
        self.run_cli('plan', '-o', plan, '/fake/sg0')
        r = self.run_cli('--plan', plan, RULE, '--yes', code=1)
        self.assertIn('--select', r.stderr)
        self.assertEqual(self.started(), [])

    def test_disk_of_the_service(self):
        """Whose job has it is said, and how to see and to stop that; what is said works. Of a disk
        that the service only looks at, or if it does not answer, no job is made up."""
        self.machine(disk(0, refusal='open', reason='open in process 12 (diskwiped)'),
                     disk(1, refusal='open', reason='open in process 12 (diskwiped)'),
                     disk(2, claim='open in process 12 (diskwiped)'))
        r = self.run_cli('--yes', '/fake/sg0', code=2)
        self.assertIn('/fake/sg0: skipped: open in process 12 (diskwiped)\n', r.stderr)
        self.serve(of_station(0, Job=1, State='writing'), of_station(1), of_station(2),
                   job(1, Objects='0'))
        r = self.run_cli('--yes', '--expect-count=3', *(f'/fake/sg{n}' for n in range(3)), code=2)
        for n in (1, 2):
            self.assertIn(f'/fake/sg{n}: skipped: the service diskwiped looks at it, no job has '
                          'it; try again in a moment\n', r.stderr)
        said = re.search('/fake/sg0: skipped: the service diskwiped works on it; see (.*); to '
                         'release it: (.*)', r.stderr)
        for command in said.groups():
            self.run_cli(*command.split()[1:])
        self.assertEqual(self.calls()[-1].split()[0], 'Cancel')


if __name__ == '__main__':
    unittest.main()
