# SPDX-License-Identifier: GPL-2.0-or-later
"""simulate: the program itself, on disks of topology files."""
import datetime
import json
import os
import re
import resource
import shlex
import subprocess
import unittest
import uuid

import cli

EXAMPLES = os.environ['EXAMPLES']
STATION = '''[station]
title = three disks
[bus b]
rate = 320MB/s
[disk big]
on = b
capacity = 400MB
outer = 40MB/s
rpm = 10000
buffer = 2MiB
write-same = no
[disk small]
on = b
capacity = 100MB
outer = 60MB/s
rpm = 10000
buffer = 2MiB
write-same = no
[disk slow]
on = b
capacity = 200MB
outer = 10MB/s
rpm = 10000
buffer = 2MiB
write-same = no
'''


class Simulate(cli.Case):
    def station(self, text=STATION):
        with open(self.path('station'), 'w', encoding='utf-8') as f:
            f.write(text)
        return self.path('station')

    def result(self, *args, station=None):
        return self.run_json('simulate', '--quiet', *args, station or self.station())

    def seconds(self, *args):
        return {d['device']: d['seconds'] for d in self.result(*args)['disks']}

    def test_refused(self):
        """Disks that cannot do what is asked are told, with the reason."""
        r = self.run_cli('simulate', '--command=write-same', self.station(), code=2)
        self.assertRegex(r.stderr, 'skipped: the disk does not support WRITE SAME; choose')
        self.assertIn('no disk of the topology file can be simulated', r.stderr)
        r = self.run_cli('simulate', '--json', '--command=write-same', self.station(), code=2)
        doc = json.loads(r.stdout)
        self.assertEqual((doc['job']['outcome'], doc['disks']), ('refused', []))
        self.assertTrue(doc['refused'])

    def test_origin(self):
        """A simulated job has a name of its seed, no machine, and disks with their times."""
        one, two = self.result('--seed=5'), self.result('--seed=5')
        self.assertEqual(one, two)
        self.assertNotEqual(one['job']['id'], self.result('--seed=6')['job']['id'])
        self.assertEqual(uuid.UUID(one['job']['id']).version, 4)
        self.assertEqual(uuid.UUID(one['job']['id']).variant, uuid.RFC_4122)
        self.assertEqual(one['job']['host'], {'name': '', 'serial': '', 'asset_tag': '',
                                              'kernel': ''})
        ends = [datetime.datetime.fromisoformat(d['finished']) for d in one['disks']]
        for d, end in zip(one['disks'], ends):
            took = end - datetime.datetime.fromisoformat(d['started'])
            self.assertLess(abs(took.total_seconds() - d['seconds']), 1.5)
        self.assertEqual(max(ends), datetime.datetime.fromisoformat(one['job']['finished']))
        self.assertGreater(len(set(ends)), 1)

    def refused(self, pattern, *args):
        r = self.run_cli('simulate', *args, code=1)
        self.assertEqual(r.stdout, '')
        self.assertRegex(r.stderr, pattern)
        self.assertEqual(len(r.stderr.splitlines()), 1, r.stderr)

    def test_who_repeats_blocks_is_not_shut_out(self):
        """A WRITE SAME takes seconds, and nobody makes room on the bus for its disk."""
        disk = 'outer = 150MB/s\nrpm = 7200\n'
        station = self.station(
            '[disk same]\ncount = 6\ncapacity = 10GB\ncache = off\nwrite-same = yes\n' + disk
            + '[disk plain]\ncount = 2\ncapacity = 2GB\ncache = on\nwrite-same = no\n' + disk)
        self.result('--verify=off', '--trace', self.path('trace'), station=station)
        with open(self.path('trace'), encoding='utf-8') as f:
            lines = [line.split() for line in f if not line.startswith('#')]
        self.assertIn('write-same', [line[2] for line in lines])
        writes = [int(line[4]) for line in lines if line[2] == 'write']
        self.assertGreater(len(writes), 1000)
        self.assertLess(writes.count(8), len(writes) / 100)

    def test_a_link_carries_one_command_at_a_time(self):
        station = self.station('[disk a]\ncapacity = 1500MB\nouter = 500MB/s\ncache = on\n'
                               'link = 150MB/s\n')
        job = self.result('--verify=off', '--depth=8', station=station)['job']
        self.assertAlmostEqual(job['seconds'], 10, delta=.2)
        self.assertAlmostEqual(job['forecast']['seconds'], 10, delta=.2)

    def test_background_takes_write_same(self):
        """The first windows are short, but not the commands that decide."""
        station = self.station('[disk a]\ncount = 2\ncapacity = 4GB\nouter = 210MB/s\n'
                               'rpm = 7200\ncache = off\n')
        alone = self.result('--verify=off', station=station)['job']['seconds']
        job = self.result('--verify=off', '--background=share:20%', station=station)['job']
        self.assertLess(job['seconds'], 5 * 1.12 * alone)
        self.assertLess(job['seconds'], job['forecast']['high_seconds'])
        self.assertAlmostEqual(job['background']['used'], .2, 2)

    def test_trace_on_a_full_disk(self):
        r = self.run_cli('simulate', '-q', '--json', '--trace=/dev/full', self.station(), code=1)
        self.assertIn('/dev/full: the trace is not whole: No space left', r.stderr)
        job = json.loads(r.stdout)['job']
        self.assertEqual(job['outcome'], 'erased')
        self.assertEqual(job['trace_error'], 'No space left on device')
        # at once, and not a second time
        args = '--progress=plain', '--trace=/dev/full', self.station()
        r = self.run_cli('simulate', *args, code=1)
        said = r.stderr.index('/dev/full: the trace cannot be written: No space left on device; '
                              'the job goes on')
        self.assertLess(said, r.stderr.index('big: verifying'))
        self.assertEqual(r.stderr.count('the trace cannot be written'), 1)

    def test_verified_is_what_was_read(self):
        disk = 'capacity = 100MB\nouter = 100MB/s\ncache = on\n'
        station = self.station('[disk late]\nfault = remove 1500ms\n' + disk
                               + '[disk early]\nfault = remove 500ms\n' + disk
                               + '[disk good]\n' + disk
                               + '[disk bad]\nfault = unreadable 5 2\n' + disk)
        asked = ['simulate', '-q', '--json', station]
        found = {}
        for verify in ('full', 'sample:20%', 'off'):
            doc = json.loads(self.run_cli(*asked, '--verify=' + verify, code=3).stdout)
            for d in doc['disks']:
                v = d['verify']
                found[verify, d['device']] = v['done'], v['bound']
                self.assertEqual((v['mode'], v['of']), (verify, 195312))
                self.assertEqual(v['read'] == v['of'], v['done'] == 'full')
                self.assertEqual(v['read'] == 0, v['done'] == 'none')
        self.assertEqual(found['full', 'late'], ('part', 1))
        self.assertEqual(found['full', 'early'], ('none', 1))
        self.assertEqual(found['full', 'good'], ('full', 0))
        self.assertEqual(found['full', 'bad'], ('part', 1))
        self.assertEqual(found['sample:20%', 'early'], ('none', 1))
        # no sample of so small a disk proves anything: it is read in full
        self.assertEqual(found['sample:20%', 'good'], ('full', 0))
        self.assertEqual(found['sample:20%', 'late'], ('part', 1))
        self.assertEqual({found['off', d] for d in ('late', 'early', 'good', 'bad')}, {('none', 1)})

    def test_a_limit_of_file_size_ends_nothing(self):
        args = [cli.PROGRAM, 'simulate', '-q', '--json', '--trace', self.path('trace'),
                self.station()]
        r = subprocess.run(args, capture_output=True, text=True, timeout=cli.LIMIT, check=False,
                           env=self.environment(), preexec_fn=lambda: resource.setrlimit(
                               resource.RLIMIT_FSIZE, (8192, 8192)))
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertEqual(json.loads(r.stdout)['job']['trace_error'], 'File too large')

    def test_usage(self):
        self.refused('one topology file')
        self.refused('one topology file', 'a', 'b')
        self.refused('No such file', '/nonexistent')
        self.refused(r'station:2: unknown section \[banana x\]',
                     self.station('[banana x]\nrate = 1MB/s\n'))
        self.refused('station:2: .*colour', self.station('[disk x]\ncolour = red\n'))
        self.refused('there is no disk', self.station('[station]\ntitle = empty\n'))
        self.refused('cannot be combined', '--method=zero', '--pattern=ff', self.station())
        self.refused('topology file|--expect-count|unknown', '--expect-count=3', self.station())

    def test_result(self):
        r = self.result()
        self.assertEqual(r['job']['simulation'], 'exact')
        self.assertEqual([d['outcome'] for d in r['disks']], ['erased'] * 3)
        self.assertEqual(self.result('--coarse')['job']['simulation'], 'coarse')
        self.refused('cannot be combined', '--coarse', '--exact', self.station())
        large = os.path.join(EXAMPLES, 'shared-44.station')
        r = self.run_cli('simulate', large, '--verify=off', '--controller=fixed:2048')
        self.assertIn('simulation (coarse) of 44 disks', r.stderr)
        t = self.seconds('--verify=off', '--controller=fixed:256')
        # 400 MB at 40 MB/s, and a lost revolution of 6 ms for each of 3052 commands
        self.assertAlmostEqual(t['big'], 10 + 3052 * .006, delta=.2)

    def test_same_seed_same_bytes(self):
        for mode in ([], ['--coarse']):
            text = [self.run_cli('simulate', '--json', f'--seed={seed}', *mode,
                                 self.station()).stdout for seed in (5, 5, 6)]
            self.assertEqual(text[0], text[1])
            self.assertNotEqual(text[0], text[2])

    def test_write_cache(self):
        plain = self.seconds('--verify=off', '--controller=fixed:256')
        cached = self.seconds('--verify=off', '--controller=fixed:256', '--write-cache=on')
        self.assertGreater(plain['big'], 2 * cached['big'])
        r = self.result('--write-cache=on')['disks'][0]
        self.assertEqual(r['write_cache_switched'], True)

    def test_write_cache_auto(self):
        """On for the task where that can be changed, pays, and is not forbidden."""
        can = STATION.replace('400MB', '10GB').replace('write-same = no',
                                                       'write-same = no\ncache-changeable = yes')
        args = ('--verify=off', '--controller=fixed:256')
        for station, mode, switched in ((can, [], [True, False, False]),
                                        (can, ['--write-cache=keep'], [False] * 3),
                                        (can, ['--write-cache=on'], [True] * 3),
                                        (STATION.replace('400MB', '10GB'), [], [False] * 3)):
            disks = self.result(*args, *mode, station=self.station(station))['disks']
            self.assertEqual([d['write_cache_switched'] for d in disks], switched)
            self.assertEqual('the write cache was off' in ' '.join(disks[0]['notes']),
                             switched[0])
            self.assertEqual(disks[0]['seconds'] < 300, switched[0])

    def test_longest_first(self):
        """The one that takes longest is first, though another is larger."""
        r = self.run_cli('simulate', '--strategy=longest-first', '--active=1', '--verify=off',
                         '--write-cache=on', '--print-schedule', self.station())
        self.assertEqual(re.findall(r'(?m)^(\d): (\d) x \d+$', r.stdout),
                         [('0', '2'), ('1', '0'), ('2', '1')])

    def test_faults(self):
        text = STATION.replace('outer = 10MB/s\n', 'outer = 10MB/s\nfault = remove 2s\n')
        for mode in ('--quiet', '--coarse'):
            r = self.run_json('simulate', mode, self.station(text), code=3)
            self.assertEqual([d['outcome'] for d in r['disks']],
                             ['erased', 'erased', 'removed'])

    def test_bad_stretch_is_told_in_few_events(self):
        """The first block that fails; the rest where the job comes back to it."""
        path = self.path('bad.station')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('[disk a]\ncapacity = 100MB\nouter = 100MB/s\nfault = unwritable 1000 5\n'
                    'fault = unwritable 3000 1\n')
        r = self.run_cli('simulate', '--json-lines', path, code=4)
        bad = [e for e in map(json.loads, r.stdout.splitlines()) if e['event'] == 'exception']
        self.assertEqual(sorted(b for e in bad for b in range(e['lba'], e['lba'] + e['blocks'])),
                         [*range(1000, 1005), 3000])
        self.assertLess(len(bad), 4)

    def test_the_command_that_draws_it(self):
        """What is printed at the end of a traced job can be run."""
        trace, picture = self.path("a job's trace"), self.path('p.svg')
        r = self.run_cli('simulate', f'--trace={trace}', self.station())
        words = shlex.split(r.stderr.split('to draw what it did: diskwipe ')[1].splitlines()[0])
        self.assertEqual(words, ['report', trace, '-o', 'report.html'])
        self.run_cli(*words[:-1], picture)
        self.assertTrue(os.path.getsize(picture))
        self.assertNotIn('to draw', self.run_cli('simulate', self.station()).stderr)

    def drawn(self, name):
        with open(self.path(name), encoding='utf-8') as f:
            return re.findall(r'<text[^>]*>([^<]*)</text>', f.read())

    def test_report(self):
        """The report at the end is that of the result, or of trace and result."""
        for number, trace in enumerate(([], [f'--trace={self.path("t")}'],
                                        [f'--trace={self.path("t.zst")}'])):
            out = self.path(f'{number}.svg')
            r = self.run_cli('simulate', '--json', f'--report={out}', *trace, self.station())
            with open(self.path('result'), 'w', encoding='utf-8') as f:
                f.write(r.stdout)
            self.assertNotIn('to draw what it did', r.stderr)
            words = self.drawn(f'{number}.svg')
            self.assertIn(f'{out}: {words[0]}\n', r.stderr)
            self.assertIn('Predicted and measured end, largest error first', words)
            self.assertEqual('Service times' in words, bool(trace))
            sources = [*(a.split('=')[1] for a in trace), self.path('result')]
            self.run_cli('report', *sources, '-o', self.path('x.svg'))
            self.assertEqual(self.drawn('x.svg'), words)
        # a trace that is gone when it is to be read
        self.run_cli('simulate', f'--report={self.path("p.svg")}', '--trace=/dev/null',
                     self.station())
        self.assertNotIn('Service times', self.drawn('p.svg'))
        self.assertNotIn('p.svg', self.run_cli('simulate', '-q', f'--report={self.path("p.svg")}',
                                               self.station()).stderr)

    def test_report_that_cannot_be_written(self):
        self.refused('x.gif: the name has to end in .html, .svg, .pdf or .png', '--report=x.gif',
                     self.station())
        os.symlink('/dev/full', self.path('full.svg'))
        for name, why in ('full.svg', 'No space left'), ('none/x.svg', 'No such file'):
            r = self.run_cli('simulate', '-q', '--json', f'--report={self.path(name)}',
                             self.station(), code=1)
            self.assertRegex(r.stderr, f'the report could not be written: .*{name}: {why}')
            self.assertEqual(json.loads(r.stdout)['job']['outcome'], 'erased')

    def test_progress(self):
        r = self.run_cli('simulate', '--progress=plain', self.station())
        self.assertIn('simulation (exact) of 3 disks, three disks: no disk is touched', r.stderr)
        self.assertRegex(r.stderr, r'big: writing')
        self.assertRegex(r.stdout, r'simulated \(exact\): 3 of 3 disks erased')
        lines = self.run_cli('simulate', '--json-lines', self.station()).stdout
        first = json.loads(lines.splitlines()[0])
        self.assertTrue({'id', 'host', 'forecast'} <= first['job'].keys())
        self.assertGreater(first['disks'][0]['forecast_seconds'], 0)
        kinds = [json.loads(line).get('event') for line in lines.splitlines()]
        self.assertGreater(len(kinds), 6)

    def test_examples(self):
        """Each with small disks, so that it takes no time, in both modes."""
        names = sorted(n for n in os.listdir(EXAMPLES) if n.endswith('.station'))
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            with open(os.path.join(EXAMPLES, name), encoding='utf-8') as f:
                text = re.sub(r'(?m)^capacity = .*$', 'capacity = 256MB', f.read())
            text = re.sub(r'(?m)^count = \d+$', 'count = 2', text)
            station = self.station(text)
            times = [self.result(*m, station=station)['job']['seconds'] for m in ([], ['--coarse'])]
            self.assertGreater(times[0], 0)
            self.assertAlmostEqual(times[1] / times[0], 1, delta=.01, msg=name)

    def test_demo(self):
        """The station file of the demo has the shelf's rates, and README's picture its disks."""
        top = os.path.dirname(EXAMPLES)
        shelf, rates = {}, {}
        with open(os.path.join(top, 'tools/demo'), encoding='utf-8') as f:
            rack = f.read()
        for first, last, outer, inner in re.findall(
                r'^disk (\d+)(?:-(\d+))? (?:.* )?rate=(\d+)M inner=(\d+)M$', rack, re.M):
            for i in range(int(first), int(last or first) + 1):
                shelf[f'ENC01D{i:04}'] = outer, inner
        with open(os.path.join(EXAMPLES, 'demo-shelf.station'), encoding='utf-8') as f:
            text = f.read()
        for serial, outer, inner in re.findall(
                r'^serial = (\w+)\n.*\nouter = (\d+)MiB/s\ninner = (\d+)MiB/s$', text, re.M):
            rates[serial] = outer, inner
        self.assertEqual(rates, shelf)
        self.assertEqual(re.search(r'bus_rate=(\d+)M', rack)[1],
                         re.search(r'\nrate = (\d+)MiB/s', text)[1])
        picture = os.path.join(top, 'docs/report.svg')
        self.assertLess(os.path.getsize(picture), 60000)
        with open(picture, encoding='utf-8') as f:
            words = re.findall(r'<text[^>]*>([^<]*)</text>', f.read())
        self.assertTrue(set(rates) <= set(words))
        self.assertRegex('\n'.join(words), r'\nPredicted [\d.]+ s, measured [\d.]+ s: ')


if __name__ == '__main__':
    unittest.main()
