#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documents for programs: keys, types, exit codes, and one document at every exit."""
import datetime
import json
import unittest

from cli import Case, disk

TOP = {'schema': int, 'tool': dict, 'job': dict, 'disks': list, 'refused': list}
JOB = {'strategy': str, 'controller': str, 'command': str, 'method': str, 'verify': str,
       'started': str, 'finished': str, 'seconds': float, 'outcome': str}
DISK = {'device': str, 'paths': list, 'vendor': str, 'model': str, 'serial': str, 'wwn': str,
        'capacity_bytes': int, 'block_size': int, 'method': str, 'command': str, 'outcome': str,
        'reason': str, 'seconds': float, 'bytes_written': int, 'bytes_verified': int,
        'commands': int, 'mean_bytes_per_second': int, 'transfer_blocks': int, 'depth': int,
        'bytes_compared': int, 'passes': list, 'exceptions': list, 'verify': dict, 'errors': dict,
        'signatures': str}
VERIFY = {'mode': str, 'samples': int, 'blocks': int, 'mismatches': int, 'bound': float,
          'fua': bool, 'done': str, 'read': int, 'of': int, 'text': str}
PHASES = {'write': float, 'flush': float, 'verify': float}
MEASURED = {'measured_seconds': float, 'error_percent': float, 'why': str}
FORECAST = {'method': str, 'seconds': float, 'low_seconds': float, 'high_seconds': float,
            't_min_seconds': float, 'binding': str, 'terms': dict, 'bytes_per_second': int,
            'strategy': str, 'active': int, 'assumed': str}
FORECAST_DISK = {'start_seconds': float, 'finish_seconds': float, 'low_seconds': float,
                 'high_seconds': float, 'alone_seconds': float, 'phases': dict,
                 'bytes_per_second': int, 'limit': str}
TERMS = {'slowest_disk': float, 'bus': float, 'bus_name': str, 'slots': float,
         'commands': float, 'controller_name': str}
ERRORS = {'retried': int, 'split': int, 'timeouts': int, 'resets': int}
EXCEPTION = {'lba': int, 'blocks': int, 'kind': str, 'sense': str}
MAY_BE_NULL = {'serial', 'wwn', 'reason', 'hidden_by', 'hidden_reason', 'level', 'level_reason',
               'level_limit', 'purge', 'allow', 'limit'}


class Json(Case):
    def has(self, value, shape):
        for key, kind in shape.items():
            self.assertIn(key, value)
            if value[key] is not None or key not in MAY_BE_NULL:
                self.assertIsInstance(value[key], kind, key)

    def no_null(self, value, key=''):
        if isinstance(value, dict):
            for k, v in value.items():
                self.no_null(v, k)
        elif isinstance(value, list):
            for v in value:
                self.no_null(v, key)
        else:
            self.assertTrue(value is not None or key in MAY_BE_NULL, key)

    def check(self, doc):
        self.no_null(doc)
        self.has(doc, TOP)
        self.assertEqual(doc['schema'], 1)
        self.has(doc['tool'], {'name': str, 'version': str})
        self.has(doc['job'], JOB)
        for key in ('started', 'finished'):
            self.assertIsNotNone(datetime.datetime.fromisoformat(doc['job'][key]).tzinfo)
        for d in doc['disks']:
            self.has(d, DISK)
            self.has(d['verify'], VERIFY)
            self.has(d['errors'], ERRORS)
            for e in d['exceptions']:
                self.has(e, EXCEPTION)
        for d in doc['refused']:
            self.has(d, {'device': str, 'reason': str})

    def test_background(self):
        self.machine(disk(0))
        others = '--others=users:20,think:10.167,demands:.157/.394'
        doc = self.run_json('-n', '--background=keep-response:2s', others, '/fake/sg0')
        self.check(doc)
        b = doc['job']['background']
        self.assertEqual(b['asked_response'], 2)
        self.assertAlmostEqual(b['forecast']['share'], .2125, delta=.0005)
        self.assertAlmostEqual(b['forecast']['knee_before'], 27.2, delta=.05)
        r = self.run_cli('-n', '--background=share:20%', others, '/fake/sg0')
        self.assertIn('20 % of the time, about 5 times as long as alone', r.stdout)
        self.assertIn('1.93 s (1.24 s without), knee at 22 users', r.stdout)
        r = self.run_cli('-n', '--background=keep-response:1s', others, '/fake/sg0')
        self.assertIn('1.24 s already', r.stdout)

    def test_erased(self):
        self.machine(disk(0, signatures='gpt, ext4'),
                     disk(1, serial='', wwn='0x5', vendor='\u00c4CME'))
        doc = self.run_json('--yes', '--expect-count=2', '/fake/sg0', '/fake/sd1')
        self.check(doc)
        self.assertEqual(doc['job']['outcome'], 'erased')
        self.assertEqual(doc['disks'][0]['paths'], ['/fake/sg0', '/fake/sd0'])
        self.assertEqual(doc['disks'][0]['capacity_bytes'], 2048 * 512)
        self.assertIsNone(doc['disks'][0]['reason'])
        self.assertEqual(doc['disks'][0]['signatures'], 'gpt, ext4')
        self.assertIsNone(doc['disks'][1]['serial'])

    def test_forecast(self):
        self.machine(disk(0), disk(1))
        doc = self.run_json('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg1')
        self.check(doc)
        forecast = doc['job']['forecast']
        self.has(forecast, FORECAST | MEASURED)
        self.has(forecast['terms'], TERMS)
        for d in doc['disks']:
            self.has(d['forecast'], FORECAST_DISK | MEASURED |
                     {'measured_phases': dict, 'beside_peers_percent': float, 'suspect': bool})
            self.has(d['forecast']['phases'], PHASES)
            self.has(d['forecast']['measured_phases'], PHASES)

    def test_forecast_of_a_plan(self):
        self.machine(disk(0))
        forecast = self.run_json('plan', '/fake/sg0')['forecast']
        self.has(forecast, FORECAST)
        self.has(forecast['disks'][0], FORECAST_DISK | {'device': str})
        self.assertNotIn('measured_seconds', forecast)

    def test_vendor_of_any_bytes(self):
        self.machine(disk(0))
        with open(self.path('machine'), 'ab') as f:
            f.write(b'sg=/fake/sg1\tserial=S1\tmodel=\xff\xfe\n')
        self.assertEqual(self.run_json('list')['disks'][1]['model'], '??')

    def test_exit_codes(self):
        for outcomes, code, job in (
                (['erased', 'erased'], 0, 'erased'),
                (['erased', 'erased-with-exceptions'], 3, 'erased-with-exceptions'),
                (['erased', 'removed'], 3, 'removed'),
                (['failed', 'removed'], 4, 'removed'),
                (['failed'], 4, 'failed')):
            self.machine(*(disk(i, outcome=o) for i, o in enumerate(outcomes)))
            names = [f'/fake/sg{i}' for i in range(len(outcomes))]
            doc = self.run_json('--yes', f'--expect-count={len(names)}', *names, code=code)
            self.check(doc)
            self.assertEqual(doc['job']['outcome'], job)
            self.assertEqual([d['outcome'] for d in doc['disks']], outcomes)

    def test_verify_erases_nothing(self):
        self.machine(disk(0), disk(1, outcome='erased-with-exceptions', differ=3))
        doc = self.run_json('verify', '/fake/sg0', '/fake/sg1', code=5)
        self.assertEqual([d['outcome'] for d in doc['disks']], ['as-expected', 'not-as-expected'])
        self.assertEqual(doc['job']['outcome'], 'not-as-expected')
        said = self.run_cli('verify', '/fake/sg0', '/fake/sg1', code=5).stdout
        self.assertNotIn('erased', said)
        self.assertIn('1 of 2 disks as-expected, 1 not-as-expected; 1.26 MB read and compared',
                      said)
        self.assertIn('verified: /fake/sg1: sample: 1,234 of 2,048 blocks; 3 differ', said)

    def test_places_of_a_disk_that_erased_itself(self):
        self.machine(disk(0, places=1066))
        args = ['--yes', '/fake/sg0']
        verify = self.run_json(*args)['disks'][0]['verify']
        self.assertEqual((verify['done'], verify['places'], verify['text']),
                         ('none', 1066, '1,066 places read before and after; all changed'))
        said = self.run_cli(*args).stdout
        self.assertRegex(said, r'1066 places +0 erased')
        self.assertNotIn('none', said)

    def test_verified_is_what_was_read(self):
        self.machine(disk(0), disk(1), disk(2, outcome='removed'))
        args = ['--yes', '--expect-count=3', '--verify=full', '/fake/sg0', '/fake/sg1', '/fake/sg2']
        doc = self.run_json(*args, code=3)
        text = ('sample: 1,234 of 2,048 blocks; at most 0.26 % of the blocks may differ, '
                '99 % confidence')
        self.assertEqual([(d['verify']['done'], d['verify']['read'], d['verify']['text'])
                          for d in doc['disks']],
                         [('sample', 1234, text)] * 2 + [('none', 0, 'none')])
        self.assertEqual([d['verify']['bound'] for d in doc['disks']], [.00251, .00251, 1])
        said = self.run_cli(*args, code=3).stdout
        self.assertIn('verified: 2 disks: ' + text, said)
        self.assertIn('verified: /fake/sg2: none', said)
        self.assertRegex(said, r'(?m)^/fake/sg2 .* none .* removed$')
        self.assertRegex(said, r'(?m)^/fake/sg0 .* sample .* erased$')
        self.assertIn('2 of 3 disks erased, 1 removed;', said)

    def test_mismatch_is_worst(self):
        self.machine(disk(0, outcome='failed'), disk(1, outcome='erased-with-exceptions', differ=3))
        doc = self.run_json('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg1', code=5)
        self.assertEqual(doc['disks'][1]['verify']['mismatches'], 3)

    def test_exceptions(self):
        self.machine(disk(0, outcome='erased-with-exceptions', bad=8))
        doc = self.run_json('--yes', '/fake/sg0', code=4)
        self.check(doc)
        self.assertEqual(doc['disks'][0]['exceptions'],
                         [{'lba': 8, 'blocks': 8, 'kind': 'unwritable', 'sense': '3/0c/00'}])

    def test_refused_stand_in_the_result(self):
        self.machine(disk(0), disk(1, refusal='swap', reason='used as swap'))
        doc = self.run_json('--yes', '--expect-count=1', '/fake/sg0', '/fake/sg1')
        self.check(doc)
        self.assertEqual([(d['device'], d['reason']) for d in doc['refused']],
                         [('/fake/sg1', 'used as swap')])

    def test_document_of_a_refusal(self):
        self.machine(disk(0), disk(1))
        doc = self.run_json('/fake/sg0', '/fake/sg1', code=2)
        self.check(doc)
        self.assertEqual(doc['job']['outcome'], 'refused')
        self.assertIn('not confirmed', doc['error'])

    def test_document_of_bad_pattern(self):
        self.machine(disk(0))
        doc = self.run_json('--yes', '--pattern=00,zz', '/fake/sg0', code=1)
        self.check(doc)
        self.assertEqual((doc['job']['outcome'], doc['job']['pattern']), ('invalid', '00,zz'))

    def test_job_keys_say_what_was_asked(self):
        self.machine(disk(0))
        doc = self.run_json('--yes', '--strategy=sequential', '--controller=fixed:64',
                            '--command=write', '--verify=sample:5%', '/fake/sg0')
        self.assertEqual({k: doc['job'][k] for k in ('strategy', 'controller', 'command',
                                                    'method', 'verify')},
                         {'strategy': 'sequential', 'controller': 'fixed:64', 'command': 'write',
                          'method': 'zero', 'verify': 'sample:5%'})

    def test_list(self):
        self.machine(disk(0), disk(1, refusal='mounted', reason='mounted at /', release='umount /'))
        doc = self.run_json('list')
        self.assertEqual(doc['schema'], 1)
        self.assertEqual([d['erasable'] for d in doc['disks']], [True, False])
        self.assertEqual([d['reason'] for d in doc['disks']], [None, 'mounted at /'])
        self.assertEqual(len(self.run_json('list', '--erasable')['disks']), 1)

    def test_password_left(self):
        """Who finds a disk that is locked has to know by what, and how it is unlocked."""
        self.machine(disk(0), disk(1, password='left', outcome='removed'))
        self.assertEqual([d['password_left'] for d in self.run_json('list')['disks']],
                         [False, True])
        said = self.run_cli('list').stderr
        self.assertRegex(said, r'^/fake/sg1: it may be locked by our ATA password: .*'
                         r'--security-unlock diskwipe')
        self.assertEqual(said.count('\n'), 1)
        doc = self.run_json('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg1', code=3)
        self.assertEqual([d.get('password_left') for d in doc['disks']], [None, True])

    def test_inspect(self):
        self.machine(disk(0))
        doc = self.run_json('inspect', '/fake/sd0', '/fake/sg5', code=2)
        self.assertEqual(doc['disks'][0]['abilities'],
                         {'write-16': {'value': 'yes', 'source': 'RSOC'}})
        self.assertEqual(doc['refused'][0]['device'], '/fake/sg5')

    def test_lines(self):
        self.machine(disk(0, outcome='erased-with-exceptions', bad=2), disk(1))
        r = self.run_cli('--yes', '--expect-count=2', '--json-lines', '/fake/sg0', '/fake/sg1',
                         code=3)
        lines = [json.loads(line) for line in r.stdout.splitlines()]
        self.assertEqual({e['event'] for e in lines},
                         {'job', 'started', 'exception', 'disk-done', 'job-done', 'result'})
        first = lines[0]
        self.assertEqual((first['event'], first['schema']), ('job', 1))
        self.assertEqual([(d['disk'], d['serial']) for d in first['disks']],
                         [(0, 'SERIAL-0000'), (1, 'SERIAL-0001')])
        self.assertEqual(first['job']['strategy'], lines[-1]['job']['strategy'])
        self.assertEqual(first['job']['started'], lines[-1]['job']['started'])
        self.assertFalse({'outcome', 'finished'} & first['job'].keys())
        self.assertEqual(lines[-1]['event'], 'result')
        self.assertEqual([e['outcomes'] for e in lines if e['event'] == 'job-done'],
                         [{'erased-with-exceptions': 1, 'erased': 1}])
        self.check(lines[-1])
        self.assertEqual([e['serial'] for e in lines if e['event'] == 'started'],
                         ['SERIAL-0000', 'SERIAL-0001'])
        r = self.run_cli('--json-lines', '/fake/sg0', code=2)
        self.assertEqual(json.loads(r.stdout)['job']['outcome'], 'refused')

    def test_nothing_but_the_document(self):
        self.machine(disk(0))
        r = self.run_cli('--yes', '--json', '--print-schedule', '-v', '/fake/sg0')
        json.loads(r.stdout)
        self.assertIn('H\n', r.stderr)


if __name__ == '__main__':
    unittest.main()
