#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe topology, probe and fit: what they write, where, and what is left out."""
import os
import re
import subprocess
import unittest

from cli import LIMIT, PROGRAM, Case, disk


class Station(Case):
    def setUp(self):
        super().setUp()
        self.machine(disk(0, blocks=200000), disk(1, blocks=400000, refusal='mounted',
                                                  reason='mounted at /srv'),
                     disk(2, blocks=0))

    def test_all(self):
        text = self.run_cli('topology', code=0)
        self.assertEqual(text.stdout.count('[disk '), 2)
        self.assertIn('[disk sg0]\nvendor = ACME\nmodel = MODEL0\nserial = SERIAL-0000\n',
                      text.stdout)
        self.assertIn('capacity = 200000KiB\n', text.stdout)
        self.assertIn('assumed = outer, rpm, buffer, overhead, cache, tagged, ', text.stdout)
        self.assertEqual(text.stderr, 'diskwipe: /fake/sg2: skipped: no capacity\n')
        self.assertEqual(self.started(), [])

    def test_named_and_simulated(self):
        name = self.path('here.station')
        r = self.run_cli('topology', '/fake/sd1', '-o', name)
        self.assertEqual(r.stdout, '')
        self.assertIn('1 disk; to try a job on them', r.stderr)
        with open(name, encoding='utf-8') as f:
            text = f.read()
        self.assertIn('[disk sg1]', text)
        self.assertNotIn('sg0', text)

    def test_exclude(self):
        r = self.run_cli('topology', '/fake/sg0', '/fake/sg1', '--exclude=/fake/sg1', code=2)
        self.assertNotIn('sg1', r.stdout)
        self.assertIn('excluded by --exclude', r.stderr)

    def test_mistakes(self):
        r = self.run_cli('topology', '/fake/nothing', code=2)
        self.assertIn('no such node', r.stderr)
        self.assertIn('no disk selected', r.stderr)
        self.assertEqual(r.stdout, '')
        r = self.run_cli('topology', '/fake/sg0', '-o', self.path('no/such/folder'), code=1)
        self.assertIn('No such file', r.stderr)
        self.run_cli('topology', '--yes', code=1)

    def test_former_name(self):
        self.assertEqual(self.run_cli('station', code=0).stdout,
                         self.run_cli('topology', code=0).stdout)
        self.assertEqual(self.run_cli('help', 'station', code=0).stdout,
                         self.run_cli('help', 'topology', code=0).stdout)
        for args in ('sttaion',), ('help', 'sttaion'):
            self.assertIn("did you mean 'topology'?", self.run_cli(*args, code=1).stderr)


class Probe(Case):
    def setUp(self):
        super().setUp()
        self.machine(disk(0, blocks=200000))

    def test_mistakes(self):
        self.assertIn('no device named', self.run_cli('probe', code=1).stderr)
        self.assertIn('no such node', self.run_cli('probe', '/fake/no', code=2).stderr)
        r = self.run_cli('probe', '/fake/sg0', '--topology=' + self.path('none'), code=1)
        self.assertIn('No such file', r.stderr)
        self.assertIn('1 to 3600', self.run_cli('probe', '/fake/sg0', '--seconds=0', code=1).stderr)
        # it is a disk of words: nothing there can be opened
        r = self.run_cli('probe', '/fake/sg0', '-o', self.path('out'), code=4)
        self.assertIn('/fake/sg0: not measured: No such file', r.stderr)
        self.assertIn('no disk could be measured', r.stderr)
        self.assertFalse(os.path.exists(self.path('out')))

    def test_other_station(self):
        with open(self.path('s'), 'w', encoding='utf-8') as f:
            f.write('[disk other]\ncapacity = 1GB\nouter = 100MB/s\n')
        for option in '--topology', '--station':
            r = self.run_cli('probe', '/fake/sg0', option, self.path('s'), code=4)
            self.assertIn(f'/fake/sg0: not in {self.path("s")}', r.stderr)
            r = self.run_cli('probe', '/fake/sg0', option + '=', code=1)
            self.assertIn('--topology: its value is empty', r.stderr)
        r = self.run_cli('probe', '/fake/sg0', '--statoin=s', code=1)
        self.assertIn("did you mean '--topology'?", r.stderr)


class Fit(Case):
    STATION = ('[disk a]\nvendor = V\nmodel = M\ncapacity = 2GB\nouter = 180MB/s\ninner = 90MB/s\n'
               'rpm = 7200\ncache = on\n')

    def setUp(self):
        super().setUp()
        self.trace = self.path('trace')
        with open(self.path('truth'), 'w', encoding='utf-8') as f:
            f.write(self.STATION)
        # the program of this suite simulates nothing; the one beside it does
        program = os.path.join(os.path.dirname(PROGRAM), '..', '..', 'tools', 'diskwipe')
        subprocess.run([program, 'simulate', '-q', '--verify=off', '--controller=fixed', '--trace',
                        self.trace, self.path('truth')], check=True, timeout=LIMIT,
                       capture_output=True)

    def test_from_nothing(self):
        r = self.run_cli('fit', self.trace)
        rates = [int(x) for x in re.findall(r'^(?:outer|inner) = (\d+)KB/s$', r.stdout, re.M)]
        self.assertEqual(len(rates), 2, r.stdout)
        self.assertAlmostEqual(rates[0], 180000, delta=1800)
        self.assertAlmostEqual(rates[1], 90000, delta=900)
        self.assertRegex(r.stderr, r'fitted: 1 disk, \d+ commands \(0 failed\), \d+ points\n')
        self.assertRegex(r.stderr, r'held out: median \d\.\d\d %, 90 % within')
        self.assertNotIn('SIM0000', r.stdout)

    def test_into_a_file(self):
        with open(self.path('base'), 'w', encoding='utf-8') as f:
            f.write(self.STATION.replace('180', '120').replace('90', '80') + 'tagged = 7\n')
        self.run_cli('fit', self.trace, self.trace, '--topology', self.path('base'),
                     '-o', self.path('out'))
        with open(self.path('out'), encoding='utf-8') as f:
            text = f.read()
        self.assertIn('tagged = 7\n', text)
        self.assertIn('outer = 1', text)
        self.assertNotIn('outer = 120MB/s', text)

    def test_mistakes(self):
        self.assertIn('no trace named', self.run_cli('fit', code=1).stderr)
        self.assertIn('No such file', self.run_cli('fit', self.path('no'), code=1).stderr)
        r = self.run_cli('fit', self.path('truth'), code=1)
        self.assertIn('not a trace', r.stderr)
        self.assertEqual(r.stdout, '')
        r = self.run_cli('fit', self.trace, '--topology', self.trace, code=1)
        self.assertIn('trace:', r.stderr)


unittest.main()
