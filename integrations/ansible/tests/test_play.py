# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules through ansible-playbook, with a diskwipe of words. Each case is a task with an
environment of its own, so that one play has many; what they came to is in a file at its end."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../../common/testing')]

import support

LIES = ('missing', 'extra', 'twice', 'other-serial', 'truncated', 'empty', 'noise', 'huge',
        'signal-9', 'signal-15', 'sleep')  # fmt: skip
NAMED = [{'serial': 'SERIAL00'}, {'wwn': '0x5000c50000000001'}, {'serial': 'SERIAL02'}]


def play(folder, tasks):
    """Runs the tasks, whose results are returned by their names; none of them ends the play."""
    for n, task in enumerate(tasks):
        task.update(register=f'r{n}', ignore_errors=True)
    found = ', '.join(f"'{task['name']}': r{n}" for n, task in enumerate(tasks))
    tasks.append({
        'ansible.builtin.copy': {'content': '{{ {' + found + '} | to_json }}',
                                 'dest': folder + '/results'},
        'check_mode': False, 'diff': False,
    })  # fmt: skip
    _, said = run(folder, tasks)
    if not os.path.exists(folder + '/results'):
        raise AssertionError(said[-6000:])
    with open(folder + '/results', encoding='utf-8') as f:
        return json.load(f)


def run(folder, tasks, *options):
    """Runs them on this machine: status, and all that was said."""
    book = [{'hosts': 'localhost', 'connection': 'local', 'gather_facts': False, 'tasks': tasks}]
    with open(folder + '/play.yml', 'w', encoding='utf-8') as f:
        json.dump(book, f)
    ended = subprocess.run(
        ['ansible-playbook', '-i', 'localhost,', folder + '/play.yml', *options, '-e',
         f'ansible_python_interpreter={sys.executable}'],
        capture_output=True, text=True, timeout=170, check=False)  # fmt: skip
    return ended.returncode, ended.stdout + ended.stderr


class Play(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.disks = [support.disk(n) for n in range(3)]
        self.tasks = []

    def environment(self, name, change):
        """A fake for one task."""
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        shutil.copy(os.path.join(support.HERE, 'fake_diskwipe'), folder + '/diskwipe')
        with open(folder + '/fake.json', 'w', encoding='utf-8') as f:
            json.dump({'disks': self.disks, 'records': True, **change}, f)
        return {'PATH': folder + os.pathsep + os.environ['PATH'], 'FAKE': folder + '/fake.json'}

    def task(self, name, module='erase', fake=None, args=None, **keys):
        """A task of the play; its ledger is its own unless args have one."""
        usual = {}
        if module == 'erase':
            usual = {'disks': NAMED, 'expect_count': 3, 'signers': '/nonexistent',
                     'records': f'{self.folder}/{name}/records'}  # fmt: skip
        usual.update(args or {})
        self.tasks.append({
            'name': name, f'diskwipe.diskwipe.{module}': usual,
            'environment': self.environment(name, fake or {}), **keys,
        })  # fmt: skip

    def calls(self, name, verb):
        file = f'{self.folder}/{name}/fake.json.calls'
        if not os.path.exists(file):
            return []
        with open(file, encoding='utf-8') as f:
            return [c for c in map(json.loads, f) if c[0] == verb]

    def test_lies(self):
        """No liar gives ok, and no disk is erased for its word."""
        for way in LIES:
            self.task(way, fake={'way': way}, args={'timeout': 1 if way == 'sleep' else 60})
        for status in (1, 3, 255):
            self.task(f'status-{status}', fake={'status': status})
        self.task('no-record', fake={'records': False})
        self.task('ledger', fake={'other_status': 5})
        self.task('absent')
        os.remove(self.folder + '/absent/diskwipe')
        self.task('absent-list', fake={'list_change': {'disks': []}})
        self.task('count', args={'expect_count': 2})
        self.task('nameless', args={'disks': [{'asset': 'x'}], 'expect_count': 1})
        self.task('node', args={'disks': [{'serial': '/dev/sda'}], 'expect_count': 1})
        self.task('no-count', args={'expect_count': None})
        self.task('since', args={'reread': False})
        names = [t['name'] for t in self.tasks]
        results = play(self.folder, self.tasks)
        for name in names:
            with self.subTest(name=name):
                result = results[name]
                self.assertIs(True, result['failed'])
                self.assertTrue(result['msg'])
                self.assertNotIn('MODULE FAILURE', result['msg'])
                states = [d['state'] for d in result.get('disks', [])]
                self.assertFalse({'erased', 'already-erased'} & set(states))
                if name in LIES or name.startswith('status'):
                    self.assertEqual(['unknown'] * 3, states)
                    self.assertIs(True, result['changed'])

    def test_station(self):
        """What the role would write; what it cannot is refused before it does anything."""
        include = {'name': 'diskwipe.diskwipe.station'}
        wrong = (
            {'station_config': {'policy': {'unattended': True}}},
            {'station_config': {'station': {'name': 'a\nb'}}},
            {'station_bays': [{'slot': 'x'}]},
            {'station_records': '/srv/records'},
            {'station_service': 'perhaps'},
        )
        good = {'station_bays': [{'name': 'a', 'slot': '*:Slot 0[01]', 'action': 'offer'}],
                'station_config': {'queue': {'active': 16}}}  # fmt: skip
        role = {'ansible.builtin.include_role': include,
                'vars': {'station_packages': [], **good}}  # fmt: skip
        status, said = run(self.folder, [role], '--check', '--diff')
        self.assertEqual(0, status, said)
        self.assertIn('+[bay a]\n+slot = *:Slot 0[01]\n+action = offer\n', said)
        self.assertIn('+[queue]\n+active = 16\n', said)
        blocks = []
        for n, one in enumerate(wrong):
            role = {
                'ansible.builtin.include_role': include,
                'vars': {'station_packages': [], **one},
            }
            told = {'ansible.builtin.debug': {'msg': f'refused {n}'}}
            blocks.append({'block': [role], 'rescue': [told]})
        _, said = run(self.folder, blocks, '--check')
        for n, one in enumerate(wrong):
            self.assertIn(f'refused {n}', said, one)

    def test_readme(self):
        """The plays and tasks of the page are some, and its module has the help that it names."""
        with open(os.path.join(HERE, '../README.md'), encoding='utf-8') as f:
            blocks = re.findall(r'(?s)```\n(- .*?)```', f.read())
        self.assertEqual(3, len(blocks))
        for n, text in enumerate(blocks):
            file = f'{self.folder}/{n}.yml'
            with open(file, 'w', encoding='utf-8') as f:
                f.write(text if text.startswith('- hosts') else '- hosts: all\n  tasks:\n'
                        + re.sub('(?m)^', '    ', text).rstrip() + '\n')  # fmt: skip
            subprocess.run(['ansible-playbook', '-i', 'localhost,', '--syntax-check', file],
                           check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        told = subprocess.run(['ansible-doc', 'diskwipe.diskwipe.erase'], check=True,
                              capture_output=True, text=True).stdout  # fmt: skip
        self.assertIn('expect_count', told)

    def test_thrice(self):
        """Check mode, a partial failure, the rerun, and nothing to be done; async as well."""
        book = {'records': self.folder + '/ledger', 'customer': 'ACME', 'order': '7'}
        self.task('check', args=book, check_mode=True, diff=True)
        bad = [self.disks[0], support.disk(1, outcome='failed', reason='medium error', level=None),
               self.disks[2]]  # fmt: skip
        self.task('first', fake={'disks': bad}, args=book, diff=True)
        self.task('again', args=book, **{'async': 60, 'poll': 1})
        self.task('third', args=book, diff=True)
        self.task('fourth', args=book, check_mode=True)
        signers = {'path': book['records'], 'signers': '/nonexistent', 'disks': NAMED}
        self.task('proof', 'verify_record', args=signers)
        self.task('no-purge', 'verify_record', args={**signers, 'level': 'purge'})
        self.task('as-read', 'verify_record', args={**signers, 'verify': 'full'})
        self.task('no-such', 'verify_record', args={**signers, 'verify': 'much'})
        self.task('changed', 'verify_record', args=signers, fake={'other_status': 5})
        self.task('info', 'info')
        self.task('inspect', 'info', args={'disks': NAMED[:1], 'inspect': True})
        self.task('nobody', 'info', args={'disks': [{'serial': 'X'}]})
        r = play(self.folder, self.tasks)

        def states(name):
            return [d['state'] for d in r[name]['disks']]

        self.assertEqual(['to-be-erased'] * 3, states('check'))
        self.assertEqual((True, False), (r['check']['changed'], r['check']['failed']))
        self.assertEqual([], self.calls('check', 'erase'))
        self.assertIn('SERIAL00: not known to be erased', r['check']['diff']['before'])
        self.assertIn('SERIAL00: erased\n', r['check']['diff']['after'])

        self.assertIs(True, r['first']['failed'])
        self.assertEqual(['erased', 'failed', 'erased'], states('first'))
        self.assertIn('medium error', r['first']['msg'])
        self.assertIn('SERIAL01: failed', r['first']['diff']['after'])
        self.assertIn('--customer=ACME', self.calls('first', 'plan')[0])

        self.assertEqual((False, True), (r['again']['failed'], r['again']['changed']), r['again'])
        self.assertEqual(['already-erased', 'erased', 'already-erased'], states('again'))
        self.assertIn('--expect-count=1', self.calls('again', 'erase')[0])

        for name in ('third', 'fourth'):
            self.assertEqual((False, False), (r[name]['failed'], r[name]['changed']))
            self.assertEqual(['already-erased'] * 3, states(name))
            self.assertEqual([], self.calls(name, 'erase'))
        self.assertEqual(r['third']['diff']['before'], r['third']['diff']['after'])

        self.assertEqual((False, 4), (r['proof']['failed'], r['proof']['count']))
        self.assertTrue(all(d['proven'] for d in r['proof']['disks']))
        self.assertIs(False, r['as-read']['failed'])
        for name in ('no-purge', 'no-such', 'changed', 'nobody'):
            self.assertIs(True, r[name]['failed'], name)
        self.assertEqual(3, len(r['info']['disks']))
        self.assertEqual('SERIAL00', r['inspect']['disks'][0]['serial'])
        self.assertEqual(1, len(self.calls('inspect', 'inspect')))


if __name__ == '__main__':
    unittest.main()
