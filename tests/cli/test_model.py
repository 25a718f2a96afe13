#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe model: text, JSON, sweeps, plots, files, and what is said when a call is wrong."""
import json
import os
import shutil
import subprocess
import unittest
import xml.dom.minidom

from cli import PROGRAM, Case

ZONE = ('zone', 'bytes=4e12', 'outer=250e6', 'inner=120e6')


class Model(Case):
    def model(self, *args, code=0):
        return self.run_cli('model', *args, code=code)

    def outputs(self, *args):
        return json.loads(self.model(*args, '--json').stdout)['outputs']

    def refused(self, text, *args):
        r = self.model(*args, code=1)
        self.assertEqual(r.stderr, f'diskwipe-model: {text}\n')
        self.assertEqual(r.stdout, '')

    def test_text(self):
        self.assertIn('seconds           22583.6669255\n', self.model(*ZONE).stdout)

    def test_units(self):
        """Sizes and rates are typed as everywhere else."""
        self.assertEqual(self.model(*ZONE).stdout, self.model(
            'zone', 'bytes=4TB', *ZONE[2:]).stdout)
        self.assertEqual(self.outputs('zone', 'bytes=1T', 'outer=256MiB/s', 'inner=128M'),
                         self.outputs('zone', f'bytes={1 << 40}', f'outer={1 << 28}',
                                      f'inner={1 << 27}'))
        self.refused("zone: bytes: '/s' after its value", 'zone', 'bytes=1TB/s', 'outer=2',
                     'inner=1')

    def test_json(self):
        doc = json.loads(self.model(*ZONE, 'progress=.5', '--json').stdout)
        self.assertEqual(doc['model'], 'zone')
        self.assertEqual(doc['inputs']['bytes'], 4000000000000)
        self.assertAlmostEqual(doc['outputs']['fraction_of_time'], .410242150498, 12)

    def test_matrix_and_undefined(self):
        out = self.outputs('commands', 'bytes=1024', 'blocks=1', 'payload=512', 'disks=2')
        self.assertEqual(out['f_matrix'], [[1044, 0, 0], [1044, 0, 0]])
        out = self.outputs('mirror', 'policy=CMQ', 'lambda=9', 'mu=45', 'read_fraction=.5')
        self.assertNotIn('read_ms_printed', out)

    def test_simulated(self):
        args = ('stripe', 'members=4', 'depth=8', 'simulate=20000', 'seed=3')
        out = self.outputs(*args)
        self.assertAlmostEqual(out['simulated']['busy'], out['busy'], delta=.03)
        self.assertGreater(out['simulated']['busy_half'], 0)
        self.assertEqual(out, self.outputs(*args))

    def test_sweep(self):
        lines = self.model(*ZONE[:3], '--sweep', 'inner=50e6:250e6:50e6').stdout.splitlines()
        self.assertEqual(len(lines), 6)
        self.assertIn('seconds', lines[0])
        text = self.model(*ZONE[:3], '--sweep=inner=50e6:250e6:50e6', '--json').stdout
        self.assertEqual([d['inputs']['inner'] for d in json.loads(text)],
                         [50000000 * i for i in range(1, 6)])

    def test_plot(self):
        self.model(*ZONE[:3], '--sweep=inner=50e6:250e6:50e6', '-o', self.path('p.svg'))
        doc = xml.dom.minidom.parse(self.path('p.svg'))
        words = [t.firstChild.data for t in doc.getElementsByTagName('text')]
        self.assertIn('seconds over inner', words)
        self.refused('--output: goes with --sweep', *ZONE, '-o', self.path('q.svg'))
        self.assertFalse(os.path.exists(self.path('q.svg')))

    def test_file(self):
        with open(self.path('t'), 'w', encoding='utf-8') as f:
            f.write('a 1 50\nb 1 50\n')
        out = self.outputs('layout', f'file={self.path("t")}', 'order=table', 'per_cylinder=1')
        self.assertEqual(out['placement'], ['a', 'b'])
        self.assertEqual(out['mean_distance'], .5)
        self.refused('/nowhere: No such file or directory', 'layout', 'file=/nowhere',
                     'order=table', 'per_cylinder=1')

    def test_refused(self):
        self.refused("model: there is no 'zonne'; did you mean 'zone'?", 'zonne')
        self.refused('model: which? See diskwipe help model')
        self.refused('zone: inner is missing', *ZONE[:3])
        self.refused('zone: inner is given twice', *ZONE, '--sweep=inner=1:2:1')
        self.refused("--sweep: 'inner=1:2:0' is not of the form key=from:to:step",
                     *ZONE[:3], '--sweep=inner=1:2:0')

    def test_help(self):
        for args in (['help', 'mirror'], ['help', 'model'], ['model', '--help'],
                     ['model', '--help', 'mirror']):
            self.assertIn('Usage: diskwipe model', self.run_cli(*args).stdout)
        self.assertIn("help: no topic 'mirrror'", self.run_cli('help', 'mirrror', code=1).stderr)
        self.refused("model: there is no 'mirrror'; did you mean 'mirror'?", '--help', 'mirrror')

    def test_options(self):
        for words in (['--swep=a=1:2:1'], ['-x'], ['--sweep'], ['--json=1']):
            r = self.model(*ZONE, *words, code=1)
            self.assertEqual(r.stderr, f'diskwipe-model: {words[0]}: no such option, or its '
                             'argument is missing; see diskwipe model --help\n')
        self.assertRegex(self.model('--version').stdout, r'^diskwipe-model \d')
        for words in (['zone', '--json'], ['--json', '--wrong'], ['--json', 'zonne']):
            r = self.model(*words, code=1)
            self.assertIn(json.loads(r.stdout)['error'], r.stderr)
            self.assertEqual(json.loads(r.stdout)['job']['outcome'], 'invalid')

    def test_not_installed(self):
        """It comes with diskwipe; if it is gone, that is said, and help for the rest is there."""
        program = self.path('diskwipe')
        shutil.copy(PROGRAM, program)
        for words, text in ((['model', *ZONE], 'models are computed by diskwipe-model, which is '
                             f'not at {program}-model: install the package diskwipe'),
                            (['help', 'zone'], "help: no topic 'zone'; see diskwipe --help")):
            r = subprocess.run([program, *words], env=self.environment(), capture_output=True,
                               text=True, check=False)
            self.assertEqual((r.returncode, r.stdout), (1, ''))
            self.assertEqual(r.stderr, f'diskwipe: {text}\n')


unittest.main()
