#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a simulated job whose cause of slowness is known names that cause first, with the
rates that the station has."""
import json
import os
import re
import subprocess
import tempfile
import unittest

CAUSES = {
    'slow': r'^Slowest disk: d(\d+), (\d+) % below its peers',
    'bus': r'^Bus shelf (\d+) % busy',
    'revolutions': r'^About (\d+) % of writing is lost revolutions',
    'errors': r'(\d+) failed commands? on 1 disk',
    'none': '^No shared limit: each disk ran at its own rate: all ended within 1 %',
}
SEEDS = 2 if os.environ.get('DW_FEW') else 6


def disks(cause, seed):
    """How many, their rate in MB/s, and which one is special."""
    n = 4 + seed % 5
    return n, 100 + 10 * (seed % 7), seed % n


def slow_share(seed):
    return (5 + seed % 2) / 10


def station(cause, seed, capacity='2GB'):
    n, rate, special = disks(cause, seed)
    bus = n * rate // 2 if cause == 'bus' else 4 * n * rate
    text = (f'[link pcie]\nrate = {8 * n * rate}MB/s\n\n[controller hba]\non = pcie\n'
            f'command = 5us\n\n[bus shelf]\non = hba\nrate = {bus}MB/s\n')
    for i in range(n):
        outer = int(rate * slow_share(seed)) if cause == 'slow' and i == special else rate
        text += (f'\n[disk d{i}]\non = shelf\nmodel = M{rate}\ncapacity = {capacity}\n'
                 f'outer = {outer}MB/s\ninner = {outer * 6 // 10}MB/s\nrpm = 7200\n'
                 f'cache = {"off" if cause == "revolutions" else "on"}\nbuffer = 32MiB\n'
                 'write-same = no\n')
        if cause == 'errors' and i == special:
            text += f'fault = unwritable 1000 {5 + seed}\n'
    return text


class Causes(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def words(self, cause, seed):
        """Of the report, from its headline on."""
        at = os.path.join(self.dir.name, f'{cause}{seed}')
        with open(at + '.station', 'w', encoding='utf-8') as f:
            f.write(station(cause, seed, f'{800 + 100 * (seed % 3)}MB'))
        options = ['--controller=fixed:256', '--command=write', '--write-cache=keep']
        if cause == 'revolutions':
            options.append('--depth=1')
        for args in (['simulate', '-q', *options, f'--trace={at}.trace', at + '.station'],
                     ['report', at + '.trace', '-o', at + '.svg']):
            subprocess.run([os.environ['DISKWIPE'], *args], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL,
                           timeout=120, check=False)
        with open(at + '.svg', encoding='utf-8') as f:
            return re.findall(r'<text[^>]*>([^<]*)</text>', f.read())

    def test_headlines(self):
        right = 0
        for cause, pattern in CAUSES.items():
            for seed in range(SEEDS):
                words = self.words(cause, seed)
                found = re.search(pattern, words[0])
                right += bool(found)
                if not found:
                    print(f'{cause} {seed}: {words[0]}')
                elif cause == 'slow':
                    self.assertEqual(int(found[1]), disks(cause, seed)[2])
                    self.assertAlmostEqual(int(found[2]), 100 * (1 - slow_share(seed)), delta=2)
                elif cause == 'bus':
                    self.busiest(words, seed)
        self.assertGreaterEqual(right, len(CAUSES) * SEEDS - 1)

    def printed(self, *sources):
        """The rates that the report has beside the bars, in MB/s, and all its words."""
        out = os.path.join(self.dir.name, 'rates.svg')
        subprocess.run([os.environ['DISKWIPE'], 'report', '-q', *sources, '-o', out], timeout=120,
                       check=True)
        with open(out, encoding='utf-8') as f:
            words = re.findall(r'<text[^>]*>([^<]*)</text>', f.read())
        found = filter(None, (re.search(r' (?:s|min|h)  ([\d.]+) ([kMG])B/s', w) for w in words))
        return [float(m[1]) * {'k': .001, 'M': 1, 'G': 1000}[m[2]] for m in found], words

    def same_rates(self, name, text, *options):
        """A disk has one rate: in the JSON of a run, in the report of its trace and of its
        result. (Results have three digits.)"""
        at = os.path.join(self.dir.name, name)
        with open(at + '.station', 'w', encoding='utf-8') as f:
            f.write(text)
        run = subprocess.run([os.environ['DISKWIPE'], 'simulate', '-q', '--json', *options,
                              f'--trace={at}.trace', at + '.station'], capture_output=True,
                             timeout=120, check=False)
        with open(at + '.json', 'wb') as f:
            f.write(run.stdout)
        told = [d['mean_bytes_per_second'] / 1e6 for d in json.loads(run.stdout)['disks']]
        for sources in ['trace'], ['json'], ['trace', 'json']:
            rates, words = self.printed(*(f'{at}.{end}' for end in sources))
            self.assertEqual(len(rates), len(told), name)
            for one, other in zip(rates, told):
                self.assertAlmostEqual(one / other, 1, delta=.006, msg=(name, rates, told))
        return told, words

    def test_one_rate(self):
        _, words = self.same_rates('full', station('none', 0), '--verify=full', '--command=write')
        self.assertIn('reading, verifying', words)
        # it is that of writing, whatever else was done, and however long a disk waited
        large = station('none', 0, '20GB')
        told, _ = self.same_rates('turns', large, '--strategy=round-robin', '--exact', '--depth=1',
                                  '--flush-every=64MiB', '--verify=off')
        alone, _ = self.same_rates('alone', large, '--strategy=sequential', '--verify=off')
        for one, other in zip(told, alone):
            self.assertGreater(one / other, .9)
        for name, *options in (('errors', '--verify=full'),
                               ('few', '--strategy=longest-first', '--active=2',
                                '--method=dod-short', '--verify=off'),
                               ('coarse', '--coarse', '--strategy=round-robin'),
                               ('same', '--command=write-same')):
            text = station('errors', 2, '9GB')
            self.same_rates(name, text.replace('write-same = no', 'write-same = yes')
                            if name == 'same' else text, *options)
        # a disk that erases itself: its capacity over its own time
        text = station('none', 0).replace('write-same', 'sanitize = 40s\nwrite-same')
        told, _ = self.same_rates('own', text, '--method=sanitize')
        self.assertAlmostEqual(told[0], 2000 / 40, delta=.5)

    def busiest(self, words, seed):
        line = next(w for w in words if w.startswith('Busiest shared link: shelf'))
        n, rate, _ = disks('bus', seed)
        number, unit = re.search(r'shelf, ([\d.]+) ([MG])B/s of', line).groups()
        told = float(number) * (1000 if unit == 'G' else 1)
        self.assertAlmostEqual(told / (n * rate // 2), 1, delta=.02)


if __name__ == '__main__':
    unittest.main()
