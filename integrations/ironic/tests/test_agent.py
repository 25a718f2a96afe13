# SPDX-License-Identifier: GPL-2.0-or-later
"""The step in Ironic's own machinery: stevedore finds the manager, CleanExtension calls it, and
what it raises ends as it would on a node. No way may end in shred."""

import json
import os
import re
import shutil
import sys
import tempfile
from unittest import mock

import ironic_python_agent.config  # noqa: F401  its options, before hardware reads them
from ironic_python_agent import errors, hardware, utils
from ironic_python_agent.extensions import clean
from ironic_python_agent.tests.unit import base

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../../common/testing')]

import support  # noqa: E402

from diskwipe_ironic import manager, program, records  # noqa: E402

STEP = {'step': 'erase_devices', 'priority': 10, 'interface': 'deploy'}
QUESTIONS = {'lsblk', 'readlink', 'udevadm', 'podman', 'docker'}  # what the agent may run


def device(n, **more):
    row = support.disk(n)
    made = {'name': support.name(n), 'model': 'fake', 'size': row['capacity_bytes'],
            'rotational': True, 'serial': row['serial'], 'wwn': row['wwn']}  # fmt: skip
    made.update(more)
    return hardware.BlockDevice(**made)


class StepTest(base.IronicAgentTest):
    def setUp(self):
        super().setUp()
        support.begin(self)
        self.executed = []
        self.raid, self.read_only, self.virtual = set(), set(), set()
        self.config(disk_wait_attempts=0)
        self.devices = [device(n) for n in range(3)]
        generic = hardware.GenericHardwareManager
        for name, value in (
            ('evaluate_hardware_support', lambda *_: hardware.HardwareSupport.GENERIC),
            ('initialize', lambda *_: None),
            ('list_block_devices', lambda *_, **__: list(self.devices)),
            ('_is_linux_raid_member', lambda _, d: d.name in self.raid),
            ('_is_read_only_device', lambda _, d: d.name in self.read_only),
            ('_is_virtual_media_device', lambda _, d: d.name in self.virtual),
        ):
            patched = mock.patch.object(generic, name, value)
            patched.start()
            self.addCleanup(patched.stop)
        patched = mock.patch.object(utils, 'execute', self.execute)
        patched.start()
        self.addCleanup(patched.stop)
        self.node = {'uuid': 'node', 'instance_info': {}, 'properties': {},
                     'driver_internal_info': {'disk_erasure_concurrency': 4}}  # fmt: skip

    def execute(self, *command, **_):
        """What the agent would run: it is written down, and nothing is run."""
        self.executed.append(command)
        return '{"blockdevices": [{}]}' if command[0] == 'lsblk' else '', ''

    def step(self, **args):
        """The step as the conductor has it run; no program of the agent's may touch a disk."""
        result = clean.CleanExtension().execute_clean_step(
            step={**STEP, 'args': args}, node=self.node, ports=[])  # fmt: skip
        result.join()
        self.assertLessEqual({c[0] for c in self.executed}, QUESTIONS)
        return result

    def succeeds(self, **args):
        result = self.step(**args)
        self.assertEqual('SUCCEEDED', result.command_status, result.command_error)
        return result.command_result['clean_result']

    def fails(self, regex='.', error=errors.BlockDeviceEraseError, **args):
        result = self.step(**args)
        self.assertEqual('FAILED', result.command_status)
        self.assertIsInstance(result.command_error, error)
        self.assertRegex(str(result.command_error), regex)
        return str(result.command_error)

    def options(self, verb='plan', n=0):
        return self.fake.calls(verb)[n]

    # --- machinery

    def test_first(self):
        found = hardware.get_managers_detail()
        self.assertEqual('DiskwipeHardwareManager', found[0]['name'])
        self.assertGreater(len(found), 1)

    def test_steps(self):
        answer = clean.CleanExtension().get_clean_steps(node=self.node, ports=[])
        steps = answer.command_result['clean_steps']
        ours = steps['DiskwipeHardwareManager']
        self.assertEqual(['erase_devices'], [s['step'] for s in ours])
        self.assertEqual(set(manager.ARGUMENTS), set(ours[0]['argsinfo']))
        others = [s['step'] for s in steps['GenericHardwareManager']]
        self.assertNotIn('erase_devices', others)
        self.assertIn('erase_devices_metadata', others)
        self.assertIn('erase_devices_express', others)

    def test_only_that(self):
        """Nothing else of Ironic's is replaced."""
        base_class, ours = hardware.HardwareManager, manager.DiskwipeHardwareManager
        replaced = {n for n in vars(ours) if callable(getattr(ours, n)) and n[0] != '_'}
        self.assertEqual(
            {'erase_devices', 'get_clean_steps', 'evaluate_hardware_support'}, replaced
        )
        self.assertTrue(all(hasattr(base_class, n) for n in replaced))

    def test_good(self):
        answer = self.succeeds(verify='full')
        self.assertEqual([support.name(n) for n in range(3)], sorted(answer))
        self.assertEqual('SERIAL01', answer[support.name(1)]['serial'])
        self.assertEqual(1, len(self.fake.calls('erase')))
        self.assertIn('--expect-count=3', self.options('erase'))

    def test_verified(self):
        """A disk that was to compare its blocks itself, and did not, is not verified as asked."""
        told = {'mode': 'device', 'done': 'sample', 'mismatches': 0, 'text': 'sample'}
        for n, blocks in enumerate((1 << 21, None)):
            for row in self.disks:
                row['verify'] = {**told, 'device_compared': blocks}
            for verify in ('device', 'auto'):
                self.fake.say(self.disks)
                if n:
                    self.fails('not verified as asked', verify=verify)
                else:
                    self.succeeds(verify=verify)
                self.assertIn(f'--verify={verify}', self.options())

    def test_no_disks(self):
        self.devices = []
        self.assertEqual({}, self.succeeds())
        self.assertEqual([], self.fake.calls('inspect'))

    # --- liars and failures

    def test_liars(self):
        for way in ('missing', 'extra', 'twice', 'other-serial', 'truncated', 'empty', 'noise',
                    'signal-9', 'signal-15'):  # fmt: skip
            with self.subTest(way=way):
                self.fake.say(self.disks, way=way)
                self.fails()
        for status in (1, 2, 3, 4, 5, 7, 143):
            with self.subTest(status=status):
                self.fake.say(self.disks, status=status)
                self.fails()

    def test_outcomes(self):
        for outcome in ('failed', 'stopped', 'removed', 'erased-with-exceptions', 'pending'):
            for status in (0, 3, 4, 5):
                with self.subTest(outcome=outcome, status=status):
                    self.disks[1].update(outcome=outcome, reason='a reason')
                    self.fake.say(self.disks, status=status)
                    self.fails('a reason' if status else '.')

    def test_hang(self):
        self.fake.say(self.disks, way='hang')
        with mock.patch.object(program.run, '__defaults__', (0.5,)):
            self.fails('did not end within 1 seconds', timeout=1)

    def test_absent(self):
        os.remove(os.path.join(self.fake.folder, 'diskwipe'))
        with mock.patch.dict(os.environ, PATH=self.fake.folder):
            self.fails('cannot be run')

    def test_incompatible(self):
        """The error that would hand the disks to shred does not leave, wherever it comes from."""
        error = errors.IncompatibleHardwareMethodError('from below')
        for name in ('find', 'Step', 'Chosen', 'Options', 'Job'):
            with self.subTest(name=name), mock.patch.object(manager, name, side_effect=error):
                self.fails('from below')
        for name in ('list_block_devices', 'list_block_devices_check_skip_list',
                     '_is_linux_raid_member', '_is_virtual_media_device'):  # fmt: skip
            with (
                self.subTest(name=name),
                mock.patch.object(hardware.GenericHardwareManager, name, side_effect=error),
            ):
                self.fails()
        for other in (MemoryError(), OSError('x'), KeyError('x'), RecursionError()):
            with self.subTest(other=other), mock.patch.object(manager, 'find', side_effect=other):
                self.fails()

    def test_protected(self):
        error = errors.ProtectedDeviceError('/dev/fake-sda', 'VMFS volume')
        with mock.patch.object(hardware, 'safety_check_block_device', side_effect=error):
            self.fails('VMFS', errors.ProtectedDeviceError)
        self.assertEqual([], self.fake.calls('inspect'))

    def test_arguments(self):
        for args in ({'level': 'destroy'}, {'erase_method': '--yes'}, {'verify': 'much'},
                     {'verify': 'device:5%'}, {'other': 1}, {'or_clear': 'perhaps'},
                     {'timeout': 'nan'}, {'timeout': -1}, {'record': 'http://x'}):  # fmt: skip
            with self.subTest(args=args):
                self.fails(**args)
        self.assertEqual([], self.fake.calls('erase'))

    def test_page(self):
        """The page has each argument, and the steps that it has for manual cleaning are run."""
        with open(os.path.join(HERE, '../README.md'), encoding='utf-8') as f:
            text = f.read()
        table = text.split('## Arguments of the step')[1].split('## ')[0]
        self.assertEqual(set(manager.ARGUMENTS), set(re.findall(r'(?m)^\| `(\w+)`', table)))
        self.key()
        self.fake.say([{**disk, 'level': 'purge'} for disk in self.disks], records=True)
        (step,) = json.loads(re.findall(r'(?s)```\n(.*?)```', table)[0])
        self.assertEqual((STEP['interface'], STEP['step']), (step['interface'], step['step']))
        answer = self.succeeds(**step['args'])
        self.assertEqual(3, len([one['record'] for one in answer.values()]))
        self.assertLessEqual({'--level=purge', '--verify=full'}, set(self.options()))

    # --- the conductor's options

    def info(self, **what):
        self.node['driver_internal_info'] = {'disk_erasure_concurrency': 4, **what}

    def test_default(self):
        self.succeeds()
        self.assertLessEqual({'--level=purge', '--or-clear', '--allow=ata-security'},
                             set(self.options()))  # fmt: skip

    def test_no_secure_erase(self):
        self.info(agent_enable_ata_secure_erase=False)
        self.succeeds()
        self.assertIn('--method=zero', self.options())
        self.assertFalse([w for w in self.options() if w.startswith(('--level', '--allow'))])
        self.fails('disabled', level='purge')
        self.fails('disabled', erase_method='sanitize-block')
        self.fake.say(self.disks)
        self.succeeds(level='purge', or_clear=True)
        self.assertIn('--method=zero', self.options())

    def test_nvme_alone(self):
        """Disks for which options differ are two jobs, both planned before the first begins."""
        self.disks[2].update(transport='nvme', address='')
        self.fake.say(self.disks)
        self.info(agent_enable_nvme_secure_erase=False)
        self.succeeds()
        self.assertIn('--allow=ata-security', self.options(n=0))
        self.assertIn('--method=zero', self.options(n=1))
        self.assertEqual('/dev/fake-sg2', self.options(n=1)[-1])
        self.assertEqual(2, len(self.fake.calls('erase')))

    def test_level(self):
        self.fails('level clear was reached', level='purge')
        for row in self.disks:
            row['level'] = 'purge'
        self.fake.say(self.disks)
        self.succeeds(level='purge')
        self.assertNotIn('--or-clear', self.options())
        self.fake.say(self.disks)
        self.succeeds(level='clear')
        self.assertIn('--method=zero', self.options())

    def test_continue(self):
        """A disk that did not erase itself is overwritten where the conductor allows it."""
        self.disks[1].update(method='ata-enhanced', outcome='failed', reason='aborted',
                             again={'method': 'zero', 'outcome': 'erased'})  # fmt: skip
        for info in ({}, {'agent_continue_if_secure_erase_failed': False,
                          'agent_continue_if_ata_erase_failed': True}):  # fmt: skip
            self.fake.say(self.disks)
            self.info(**info)
            self.fails('aborted')
            self.assertEqual(1, len(self.fake.calls('erase')))
        for key in ('agent_continue_if_secure_erase_failed', 'agent_continue_if_ata_erase_failed'):
            self.fake.say(self.disks)
            self.info(**{key: True})
            answer = self.succeeds()
            self.assertEqual('zero', answer[support.name(1)]['method'])
            self.assertEqual('/dev/fake-sg1', self.options(n=1)[-1])
            self.assertIn('--expect-count=1', self.options('erase', 1))
            self.fails('aborted', level='purge')
        self.disks[1]['again']['outcome'] = 'failed'
        self.fake.say(self.disks)
        self.fails('aborted')
        self.assertEqual(2, len(self.fake.calls('erase')))

    def test_no_continue_after_a_lie(self):
        self.disks[1].update(method='ata-enhanced', outcome='failed')
        self.fake.say(self.disks, status=0)
        self.info(agent_continue_if_secure_erase_failed=True)
        self.fails()
        self.assertEqual(1, len(self.fake.calls('erase')))

    def test_frozen(self):
        self.disks[1]['abilities'] = {'ata-security': {'value': 'supported, frozen'}}
        self.fake.say(self.disks)
        self.fails('frozen')
        self.assertEqual([], self.fake.calls('erase'))
        self.info(agent_continue_if_secure_erase_failed=True)
        self.succeeds()

    def test_concurrency(self):
        self.info(disk_erasure_concurrency=2)
        self.succeeds()
        self.assertIn('--active=1', self.options())  # behind each of two adapters
        self.fake.say(self.disks)
        self.info()
        self.succeeds()
        self.assertFalse([w for w in self.options() if w.startswith('--active')])
        self.node['driver_internal_info'] = {}
        self.fake.say(self.disks)
        self.succeeds()
        self.assertIn('--active=1', self.options())

    def test_read_only(self):
        self.read_only = {support.name(0)}
        self.fails('read-only')
        self.info(agent_erase_skip_read_only=True)
        self.fake.say(self.disks)
        answer = self.succeeds()
        self.assertEqual('skipped: read-only', answer[support.name(0)])
        self.assertIn('--expect-count=2', self.options('erase'))

    def test_virtual_media(self):
        self.virtual = {support.name(2)}
        self.assertEqual('skipped: virtual media', self.succeeds()[support.name(2)])

    def test_skip_list(self):
        self.node['properties'] = {'skip_block_devices': [{'serial': 'SERIAL01'}]}
        answer = self.succeeds()
        self.assertEqual([support.name(0), support.name(2)], sorted(answer))
        self.assertNotIn('/dev/fake-sg1', self.options())
        self.assertNotIn(support.name(1), self.options('inspect'))

    def test_skipped_by_another_name(self):
        """A disk that is to be kept is kept under all of its names."""
        self.disks[0]['paths'].append('/dev/fake-path')
        self.fake.say(self.disks)
        self.devices.append(device(0, name='/dev/fake-path', serial='KEEP', wwn=None))
        self.node['properties'] = {'skip_block_devices': [{'serial': 'KEEP'}]}
        self.fails('left alone')
        self.assertEqual([], self.fake.calls('plan'))

    def test_raid(self):
        self.raid = {support.name(0)}
        self.assertEqual(3, len(self.succeeds()))
        hints = [{'volume_name': 'data'}]
        self.node['properties'] = {'skip_block_devices': hints}
        with mock.patch.object(hardware, 'list_all_block_devices', return_value=[]):
            self.fails('nobody can tell')
            with mock.patch.object(manager, '_arrays_on', return_value={'/dev/md127'}):
                self.assertIn('RAID', self.succeeds()[support.name(0)])

    def test_other_disk(self):
        """A node that is another disk than Ironic took it for is not touched."""
        self.devices[1] = device(1, serial='ELSE', wwn='0x5000c500deadbeef')
        self.fails('for Ironic')
        self.assertEqual([], self.fake.calls('plan'))

    # --- records

    def key(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        for name, value in (('KEY', folder + '/key'), ('FOLDER', folder + '/ledger'),
                            ('SEND_CONF', folder + '/send.conf')):  # fmt: skip
            patched = mock.patch.object(records, name, value)
            patched.start()
            self.addCleanup(patched.stop)
        with open(folder + '/key', 'w', encoding='utf-8') as f:
            f.write('key')
        return folder

    def test_no_record(self):
        """A record that was asked for, and is not there, fails the step."""
        folder = self.key()
        os.mkdir(folder + '/ledger')
        self.fails('no record says so', record='result')
        self.assertIn(f'--record={folder}/ledger', self.options('erase'))
        self.fails('no record says so')
        self.fake.say(self.disks, other_status=9)
        self.fails('not whole')
        self.fake.say(self.disks)
        self.succeeds(record='none')

    def test_not_sent(self):
        """A record that does not leave fails the step, whatever diskwipe-send ends with."""
        folder = self.key()
        office = 'https://office.example/'
        self.fails('needs', record='send')
        with open(folder + '/send.conf', 'w', encoding='utf-8') as f:
            f.write(f'[send]\nledger = {folder}/other\n[target a]\nsyslog = yes\n')
        for where in ('send', office):
            with mock.patch.dict(os.environ, PATH=self.fake.folder):
                self.fails('diskwipe-send is not installed', record=where)
        self.assertEqual([], self.fake.calls('inspect'))
        self.fake.say(self.disks, records=True)
        self.fake.sender(status=4)
        self.fails('the office does not answer', record='send')
        self.assertIn(f'--record={folder}/other', self.options('erase'))
        self.fails('the office does not answer', record=office)
        self.fake.sender(sends=False)
        for where in ('send', office):
            self.fails('does not say that .* has left', record=where)
        self.fake.sender()
        for where in ('send', office):
            self.assertEqual(3, len(self.succeeds(record=where)))
        self.assertIn(f'url = {office}\n', self.fake.sent())

    def test_reason_first(self):
        """Why a step failed is not hidden by records that did not leave after it."""
        self.key()
        office = 'https://office.example/'
        self.fake.sender(status=4)
        self.fake.say([*self.disks[:2], {**self.disks[2], 'unplanned': 'mounted at /mnt'}])
        self.fails('mounted at /mnt', record=office)
        self.assertIsNone(self.fake.sent())
        self.fake.say(self.disks, records=True, way='missing')
        said = self.fails('the result lacks SERIAL02', record=office)
        self.assertIn('the office does not answer', said)
