#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may erase what without being asked, and that a refusal touches nothing."""
import json
import re
import unittest

from cli import Case, disk

DENIED = {'refusal': 'permission', 'reason': 'permission denied: needs root'}
MOUNTED = {'refusal': 'mounted', 'reason': 'mounted at /srv', 'release': 'umount /srv'}

# The options of plan that a plan keeps, each with a value that is not its default; and those
# that concern the making of the plan, or may differ from run to run.
PLANNED = {'level': '=purge', 'or-clear': '', 'allow': '=crypto', 'hidden': '=restore',
           'method': '=dod-short', 'pattern': '=00,ff', 'command': '=write', 'verify': '=full',
           'strategy': '=sequential', 'active': '=1', 'depth': '=3', 'tuning': '=cache',
           'tuning-buffer': '=3MiB', 'flush-every': '=2GiB', 'write-cache': '=on',
           'reserve': '', 'background': '=share:20%', 'mirror': '=/fake/sg0,/fake/sd1',
           'others': '=users:20,think:10s,demands:.16s/.39s', 'verify-policy': '=common',
           'order': '=near-first', 'near': '=start', 'paths': '=fixed,1GB', 'stall-budget': '=1min',
           'customer': '=ACME', 'order-number': '=4711'}
# what some of them cannot be without
BESIDE = {'order': ['--near=start'], 'near': ['--order=near-first'],
          'others': ['--background=share:5%'], 'level': ['--or-clear']}
NOT_PLANNED = {'logical', 'select', 'exclude', 'seed', 'output', 'json', 'color', 'topology',
               'compare', 'replace', 'without', 'config', 'quiet', 'verbose', 'help', 'version'}


class Consent(Case):
    def untouched(self, *args):
        r = self.run_cli(*args, code=2)
        self.assertEqual(self.started(), [])
        return r.stderr

    def test_no_yes(self):
        self.machine(disk(0))
        self.assertIn('give --yes', self.untouched('/fake/sg0'))

    def test_one_disk(self):
        self.machine(disk(0), disk(1))
        self.run_cli('--yes', '/fake/sg1')
        self.assertEqual(self.started(), ['/fake/sg1'])

    def test_two_spellings_are_one_disk(self):
        self.machine(disk(0))
        self.run_cli('--yes', '/fake/sd0', '/fake/sg0', '/fake/sg0')
        self.assertEqual(self.started(), ['/fake/sg0'])

    def test_without_rights(self):
        """Another exit code where nothing but rights are missing."""
        self.machine(disk(0, **DENIED), disk(1, **DENIED))
        nodes = ['/fake/sg0', '/fake/sg1']
        for words in (['--yes'], ['verify'], ['plan', '-o', '/dev/null']):
            r = self.run_cli(*words, *nodes, code=7)
            self.assertIn('needs root', r.stderr)
        r = self.run_cli('list', code=7)
        self.assertIn('no disk could be examined: permission denied: needs root', r.stderr)
        self.assertIn('/fake/sg1', r.stdout)
        self.assertEqual(json.loads(self.run_cli('--yes', '--json', *nodes, code=7).stdout)
                         ['job']['outcome'], 'refused')
        self.machine(disk(0, **DENIED), disk(1, **MOUNTED))
        self.run_cli('--yes', *nodes, code=2)
        self.run_cli('list')

    def test_two_disks_need_the_count(self):
        self.machine(disk(0), disk(1))
        said = self.untouched('--yes', '/fake/sg0', '/fake/sg1')
        self.assertIn('2 devices were named, 2 are left, and --yes alone confirms one that is '
                      'named; nothing was written; check with --dry-run, then add '
                      '--expect-count=2', said)
        self.run_cli('--yes', '--dry-run', '/fake/sg0', '/fake/sg1')
        self.assertEqual(self.started(), [])
        self.assertIn('give --yes', self.untouched('--expect-count=2', '/fake/sg0', '/fake/sg1'))
        self.assertIn('2 disks are selected',
                      self.untouched('--yes', '--expect-count=3', '/fake/sg0', '/fake/sg1'))
        self.assertNotIn('forecast', self.untouched('--yes', '--expect-count=3', '/fake/sg0',
                                                    '/fake/sg1'))
        self.assertIn('2 disks are selected',
                      self.untouched('--yes', '--expect-count=1', '/fake/sg0', '/fake/sg1'))
        self.run_cli('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg1', '/fake/sd1')
        self.assertEqual(self.started(), ['/fake/sg0', '/fake/sg1'])

    def test_named_counts_before_any_is_left_out(self):
        self.machine(disk(0), disk(1, **MOUNTED))
        said = self.untouched('--yes', '/fake/sg0', '/fake/sg1')
        self.assertIn('/fake/sg1: skipped: mounted at /srv; to release it: umount /srv', said)
        self.assertIn('2 devices were named, 1 is left', said)

    def test_count_is_of_those_left(self):
        self.machine(disk(0), disk(1, **MOUNTED), disk(2))
        args = ['--yes', '/fake/sg0', '/fake/sg1', '/fake/sg2', '/fake/cdrom']
        self.untouched('--expect-count=3', *args)
        self.untouched('--expect-count=4', *args)
        r = self.run_cli('--expect-count=2', *args)
        self.assertIn('/fake/cdrom: skipped: not a disk', r.stderr)
        self.assertEqual(self.started(), ['/fake/sg0', '/fake/sg2'])

    def test_no_disk_is_not_a_named_disk(self):
        self.machine(disk(0))
        self.run_cli('--yes', '/fake/sg0', '/fake/cdrom')

    def test_missing_node_was_perhaps_a_disk(self):
        self.machine(disk(0))
        self.untouched('--yes', '/fake/sg0', '/fake/sg7')
        self.run_cli('--yes', '--expect-count=1', '/fake/sg0', '/fake/sg7')

    def test_claim_lost_counts_as_well(self):
        self.machine(disk(0), disk(1, claim='claimed by another'))
        self.untouched('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg1')
        self.run_cli('--yes', '--expect-count=1', '/fake/sg0', '/fake/sg1')

    def test_nothing_left(self):
        self.machine(disk(0, **MOUNTED))
        self.assertIn('no erasable disk selected', self.untouched('--yes', '/fake/sg0'))
        doc = self.run_json('--yes', '/fake/sg0', code=2)
        self.assertEqual(doc['refused'][0]['reason'], 'mounted at /srv')
        self.assertEqual(doc['refused'][0]['release'], 'umount /srv')

    def test_exclude(self):
        self.machine(disk(0), disk(1), disk(2))
        names = ['/fake/sg0', '/fake/sg1', '/fake/sg2']
        self.untouched('--yes', '--expect-count=3', '--exclude=/fake/sd1', *names)
        self.run_cli('--yes', '--expect-count=2', '--exclude=/fake/sd1', *names)
        self.assertEqual(self.started(), ['/fake/sg0', '/fake/sg2'])

    def test_two_excludes(self):
        self.machine(disk(0), disk(1))
        self.untouched('--yes', '--exclude=/fake/sg0', '--exclude=/fake/sg1', '/fake/sg0')

    def test_exclude_mistyped(self):
        self.machine(disk(0))
        r = self.run_cli('--yes', '--exclude=/fake/sg9', '/fake/sg0', code=1)
        self.assertIn('--exclude /fake/sg9: no such node', r.stderr)
        self.assertEqual(self.started(), [])

    def test_missing(self):
        """One that is not here is named, with the command that shows what is."""
        self.machine(disk(0))
        self.assertIn('/fake/sg9: skipped: no such node; what is here: diskwipe list\n',
                      self.untouched('--yes', '/fake/sg9'))

    def test_equal_identity_is_refused(self):
        twin = {'serial': 'SAME', 'wwn': '0x5000'}
        self.machine(disk(0, **twin), disk(1, **twin), disk(2))
        said = self.untouched('--yes', '/fake/sg0')
        self.assertIn('identity not unique', said)
        self.run_cli('--yes', '--expect-count=1', '/fake/sg0', '/fake/sg1', '/fake/sg2')
        self.assertEqual(self.started(), ['/fake/sg2'])

    def test_paths_are_one_disk(self):
        unit = {'serial': 'SAME', 'wwn': '0x5000', 'designators': '1f', 'model': 'TWO PORTS'}
        self.machine(disk(0, **unit), disk(1, **unit), disk(2))
        r = self.run_cli('--dry-run', '/fake/sg1')
        self.assertIn('/fake/sg1 is presumed one disk with /fake/sg0', r.stdout)
        self.assertIn('would erase 1 disk;', r.stdout)
        self.untouched('--yes', '/fake/sg0', '--exclude=/fake/sg1')
        self.untouched('--yes', '/fake/sg0', '/fake/sg1')
        r = self.run_cli('--yes', '--expect-count=1', '--paths=dynamic', '/fake/sg0', '/fake/sg1')
        self.assertIn('paths: 1 disk over 2 paths of', r.stderr)
        self.assertEqual(self.started(), ['/fake/sg0'])
        doc = self.run_json('--yes', '/fake/sg1')
        self.assertEqual(doc['job']['paths']['devices'], 1)

    def test_clones_are_left_out_after_consent(self):
        unit = {'serial': 'SAME', 'wwn': '0x5000', 'designators': '1f', 'model': 'TWO PORTS',
                'clone': 'not seen'}
        self.machine(disk(0, **unit), disk(1, **unit), disk(2))
        said = self.untouched('--yes', '/fake/sg0')
        self.assertIn('/fake/sg0: skipped: not seen', said)
        self.assertIn('/fake/sg1: skipped: not seen', said)
        # what was counted at the question is in the result and in the exit status
        doc = self.run_json('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg2', code=3)
        self.assertEqual(self.started(), ['/fake/sg2'])
        self.assertEqual([(d['device'], d['outcome'], d['reason']) for d in doc['disks']],
                         [('/fake/sg0', 'failed', 'not seen'), ('/fake/sg2', 'erased', None)])
        self.assertIn('/fake/sg0', [d['device'] for d in doc['refused']])
        r = self.run_cli('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg2', code=3)
        self.assertIn('1 of 2 disks erased', r.stdout)

    def test_paths_option(self):
        self.machine(disk(0))
        self.run_cli('--yes', '--paths=fixed,1200MB/s', '/fake/sg0')
        for value in ('fixd', 'auto,', 'auto,x', ',1G'):
            self.run_cli('--yes', '--paths=' + value, '/fake/sg0', code=1)

    def test_dry_run(self):
        self.machine(disk(0), disk(1, **MOUNTED), disk(2))
        names = ['/fake/sg0', '/fake/sg1', '/fake/sg2']
        for option in ('-n', '--dry-run', '--no-act'):
            r = self.run_cli(option, *names)
            self.assertIn('would erase 2 disks; nothing was written', r.stdout)
            self.assertIn('/fake/sg1: skipped', r.stderr)
        doc = self.run_json('-n', *names)
        self.assertEqual(doc['job']['outcome'], 'planned')
        self.assertEqual([d['outcome'] for d in doc['disks']], ['pending', 'pending'])
        self.run_cli('-n', '/fake/sg1', code=2)
        self.run_cli('-n', '--expect-count=3', *names, code=2)
        self.assertEqual(self.log(), [])

    def test_plan(self):
        plan = self.path('plan')
        self.machine(disk(0), disk(1), disk(2))
        self.run_cli('plan', '-o', plan, '--method=dod-short', '/fake/sg0', '/fake/sg1')
        self.assertEqual(self.log(), [])
        # The nodes are renumbered; the disks stay what they are.
        self.machine(disk(2, sg='/fake/sg0', block='/fake/sd0'),
                     disk(1, sg='/fake/sg7', block='/fake/sd7'),
                     disk(0, sg='/fake/sg8', block='/fake/sd8'))
        self.untouched('--yes', '--plan', plan)
        doc = self.run_json('--yes', '--expect-count=2', '--plan', plan)
        self.assertEqual(self.started(), ['/fake/sg8', '/fake/sg7'])
        self.assertEqual(doc['job']['method'], 'dod-short')

    def test_plan_keeps_every_option(self):
        """What is said to plan is what erase --plan does, and cannot be said to it again."""
        self.machine(disk(0), disk(1))
        plan, nodes, jobs = self.path('plan'), ('/fake/sg0', '/fake/sg1'), {}
        help_text = self.run_cli('plan', '--help=all').stdout
        known = set(re.findall(r'^ +(?:-., )?--([a-z-]+)', help_text, re.M))
        self.assertEqual(known, set(PLANNED) | NOT_PLANNED)
        for name in ('none', *PLANNED):
            value = PLANNED.get(name)
            words = [] if name == 'none' else [f'--{name}{value}', *BESIDE.get(name, [])]
            self.run_cli('plan', '-o', plan, *words, *nodes)
            with open(plan, encoding='utf-8') as f:
                jobs[name] = json.load(f)['job']
            self.run_cli('--yes', '--expect-count=2', '--plan', plan)
            with open(self.path('log.spec'), encoding='utf-8') as f:
                self.assertEqual(jobs[name], json.load(f)['job'], name)
            if name != 'none':
                self.assertNotEqual(jobs[name], jobs['none'], name)
                r = self.run_cli('--yes', '--plan', plan, f'--{name}{value}', code=1)
                self.assertIn('--plan fixes that already', r.stderr)
        self.assertEqual(jobs['mirror']['mirror'], 'SERIAL-0000,SERIAL-0001')

    def test_plan_misses_and_differs(self):
        plan = self.path('plan')
        self.machine(disk(0), disk(1))
        self.run_cli('plan', '-o', plan, '/fake/sg0', '/fake/sg1')
        self.machine(disk(0, blocks=4096))
        doc = self.run_json('--yes', '--expect-count=1', '--plan', plan, code=2)
        self.assertEqual([d['kind'] for d in doc['refused']], ['changed', 'missing'])
        self.assertEqual(self.started(), [])

    def test_plan_of_docks_with_one_serial(self):
        """A file cannot tell which of two with one name it means; a node can."""
        plan = self.path('plan')
        self.machine(disk(0), disk(1))
        self.run_cli('plan', '-o', plan, '/fake/sg0', '/fake/sg1')
        self.machine(disk(0, name='shared'), disk(1))
        doc = self.run_json('--yes', '--expect-count=1', '--plan', plan)
        self.assertEqual([d['kind'] for d in doc['refused']], ['not-unique'])
        self.assertIn('which of them is meant', doc['refused'][0]['reason'])
        self.assertEqual(self.started(), ['/fake/sg1'])
        r = self.run_cli('plan', '-o', plan, '/fake/sg0', code=2)
        self.assertIn('the serial number of another disk', r.stderr)
        doc = self.run_json('--yes', '--expect-count=1', '/fake/sg0')
        self.assertEqual(doc['disks'][0]['name_shared'], True)
        self.assertEqual([d['name_shared'] for d in self.run_json('list')['disks']],
                         [True, False])

    def test_verify_asks_nothing(self):
        self.machine(disk(0, **MOUNTED), disk(1))
        self.run_cli('verify', '/fake/sg0', '/fake/sg1')
        self.run_cli('verify', '/fake/sg9', code=2)


if __name__ == '__main__':
    unittest.main()
