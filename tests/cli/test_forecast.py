#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Forecasts of topology files: nothing is touched, so that the program itself is asked."""
import json
import os
import re
import subprocess
import tempfile
import unittest

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../examples')


def run(*args, code=0):
    r = subprocess.run([os.environ['DISKWIPE'], *args], capture_output=True, text=True,
                       check=False, timeout=240)
    if r.returncode != code:
        raise AssertionError(f'{args}: {r.returncode}, not {code}\n{r.stdout}{r.stderr}')
    return r


def example(name):
    return f'--topology={EXAMPLES}/{name}.station'


def clock(seconds):
    seconds = int(seconds + 0.5)
    return f'{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}'


def forecast(*args):
    return json.loads(run('plan', '--json', *args).stdout)['forecast']


class Forecast(unittest.TestCase):
    def test_usage_page_is_true(self):
        """What docs/usage.md quotes of plan is what plan says."""
        with open(f'{EXAMPLES}/../docs/usage.md', encoding='utf-8') as f:
            quoted = re.findall(r'^# diskwipe (plan --topology examples/.*) \| tail -(\d)\n'
                                r'((?:[^#`\n].*\n)+)', f.read(), re.M)
        self.assertEqual(len(quoted), 2)
        for command, n, lines in quoted:
            said = run(*command.replace('examples', EXAMPLES).split()).stdout
            self.assertEqual([' '.join(line.split()) for line in lines.splitlines()],
                             [' '.join(line.split()) for line in said.splitlines()[-int(n):]])

    def test_bus_binds(self):
        f = forecast(example('shared-44'))
        self.assertEqual(f['binding'], 'link pcie')
        # 264 TB written and 1 % read by 2 GB/s
        self.assertAlmostEqual(f['t_min_seconds'], 264e12 * 1.01 / 2e9, delta=60)
        self.assertGreaterEqual(f['seconds'], f['t_min_seconds'])
        self.assertLess(f['seconds'], 1.01 * f['t_min_seconds'])
        self.assertEqual(len(f['disks']), 44)
        self.assertTrue(all(d['low_seconds'] <= d['finish_seconds'] <= d['high_seconds']
                            for d in f['disks']))

    def test_slowest_disk_binds(self):
        f = forecast(example('smart-array-642'), '--verify=off')
        self.assertEqual(f['binding'], 'slowest disk disk-4')

    def test_zone_curve(self):
        """C/(o - i) ln(o/i), and nothing else on a disk by itself."""
        with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
            s.write('[disk a]\ncapacity = 4TB\nouter = 250MB/s\ninner = 120MB/s\nrpm = 7200\n'
                    'cache = on\n')
            s.flush()
            f = forecast(f'--topology={s.name}', '--command=write', '--verify=off')
        self.assertEqual(f['method'], 'closed form')
        self.assertAlmostEqual(f['seconds'] / 22583.6, 1, delta=0.001)

    def test_guesses_make_no_figure(self):
        """Of disks whose speed nobody knows the interval is told, and no figure within it."""
        with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
            s.write('[disk small]\ncapacity = 100MB\nouter = 150MB/s\nassumed = outer, inner\n')
            s.flush()
            args = 'plan', f'--topology={s.name}', '--verify=full'
            r, f = run(*args), forecast(*args[1:])
            took = run('simulate', '-q', s.name, '--verify=full').stdout
        self.assertTrue(f['vague'] and f['disks'][0]['vague'])
        self.assertGreater(f['high_seconds'], 4 * f['low_seconds'])
        self.assertRegex(r.stdout, r'small +DISK +unknown ')
        self.assertRegex(r.stdout, r'\nforecast: between [0-9:]+ and [0-9:]+\n')
        self.assertNotIn('lower bound', r.stdout)
        self.assertRegex(took, r'forecast between [0-9:]+ and [0-9:]+, took [0-9:]+\n')
        with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
            s.write('[disk known]\ncapacity = 100MB\nouter = 150MB/s\n')
            s.flush()
            self.assertNotIn('vague', forecast(f'--topology={s.name}'))

    def test_a_sample_proves_something(self):
        """What of it is raised, or read in full, is told before, and takes its time."""
        with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
            for name, size in ('small', '4GB'), ('middling', '100GB'), ('large', '4TB'):
                s.write(f'[disk {name}]\ncapacity = {size}\nouter = 180MB/s\n')
            s.flush()
            args = f'--topology={s.name}', '--command=write'
            shares = [d['verify_share'] for d in forecast(*args)['disks']]
            said = run('plan', *args).stdout
            ways = [forecast(*args, f'--verify={how}')['disks'] for how in ('off', 'full')]
            small = forecast(*args)['disks'][0]
        self.assertEqual((shares[0], shares[2]), (1, .01))
        self.assertTrue(.045 < shares[1] < .052)
        self.assertIn('\nverification: a sample of 1 % (up to 5 % on 1 disk, as less proves too '
                      'little); 1 disk in full, as it is small\n', said)
        self.assertEqual(small['phases'], ways[1][0]['phases'])
        self.assertNotIn('verify_share', ways[0][0])

    def test_slots_bind(self):
        f = forecast(example('sas-shelf-24'), '--strategy=longest-first', '--active=2')
        self.assertEqual(f['binding'], '2 disks at a time')
        self.assertEqual(f['active'], 2)

    def test_admission(self):
        """A long disk among short ones on one bus must not be left over at the end."""
        with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
            kind = 'on = bus\nouter = 100MB/s\ninner = 100MB/s\nrpm = 7200\ncache = on\n'
            s.write(f'[bus bus]\nrate = 300MB/s\n[disk short]\ncount = 20\ncapacity = 1TB\n{kind}'
                    f'[disk long]\ncapacity = 8TB\n{kind}')
            s.flush()
            args = (f'--topology={s.name}', '--command=write', '--verify=off')
            r = run('plan', *args, '--active=auto', '--json')
            at_once = forecast(*args)
        chosen = json.loads(r.stdout)['forecast']
        at = re.search(r'--active=(\d+) of 21: .* gap ([\d.]+) %', r.stderr)
        self.assertEqual(chosen['active'], int(at[1]))
        self.assertEqual(chosen['disks'][-1]['start_seconds'], 0)
        self.assertLess(float(at[2]), 8)
        self.assertLess(chosen['seconds'], 0.72 * at_once['seconds'])
        shared = run('plan', example('shared-44'), '--active=auto').stderr
        self.assertLess(float(re.search(r'gap ([\d.]+) %', shared)[1]), 0.2)
        run('plan', example('shared-44'), '--active=auto', '--strategy=parallel', code=1)

    def small(self):
        """Two disks: what is simulated for each row of a comparison is soon told."""
        s = tempfile.NamedTemporaryFile('w', suffix='.station')  # pylint: disable=R1732
        self.addCleanup(s.close)
        s.write('[disk a]\ncount = 2\ncapacity = 5GB\nouter = 100MB/s\ninner = 50MB/s\n'
                'rpm = 7200\ncache = off\nwrite-same = yes\n')
        s.flush()
        return f'--topology={s.name}'

    def test_compare(self):
        text = run('plan', self.small(), '--compare').stdout
        names = [line.split()[0] for line in text.splitlines()[1:]]
        self.assertEqual(names[::2], names[1::2])  # two lines for each strategy
        self.assertIn('round-robin', names)
        self.assertRegex(text, r'(?m)^parallel +write-same ')
        self.assertRegex(text, r'(?m)^sequential +write ')

    def test_compare_ways(self):
        """What it gains that disks erase themselves, and only where some would."""
        mixed = (example('mixed-24'), '--method=auto')
        line = (r'(?m)^each disk in its own way: (\d:\d\d:\d\d); (\d+) of (\d+) erase themselves '
                r'from the start; controller hba is in use for (\d:\d\d:\d\d)\n'
                r'all written by the host(.*): (\d:\d\d:\d\d) \(\+(\d+\.\d) %\); '
                r'controller hba is in use for (\d:\d\d:\d\d)\n\Z')
        own, alone, disks, bus, level, written, _, busy = re.search(
            line, run('plan', *mixed, '--compare').stdout).groups()
        self.assertEqual((alone, disks, level), ('16', '24', ''))
        self.assertEqual(own, clock(forecast(*mixed)['seconds']))
        as_zero = forecast(example('mixed-24'), '--method=zero')
        self.assertEqual(written, clock(as_zero['seconds']))
        self.assertEqual((busy, bus), (clock(as_zero['terms']['bus']),
                                       clock(forecast(*mixed)['terms']['bus'])))
        # at a level that the host cannot reach
        purge = (*mixed, '--level=purge', '--compare')
        r = run('plan', *purge)
        self.assertNotIn('own way', r.stdout)
        self.assertIn('8 of 24 disks cannot be erased so', r.stderr)
        found = re.search(line, run('plan', *purge, '--without=plain').stdout)
        self.assertEqual(found.group(2, 3, 5), ('16', '16', ', which reaches clear only'))
        # all are overwritten: there is nothing to compare
        self.assertNotIn('own way', run('plan', self.small(), '--method=auto', '--compare').stdout)

    def able(self, name):
        """An example whose disks compare their blocks themselves."""
        with open(f'{EXAMPLES}/{name}.station', encoding='utf-8') as f:
            lines = f.readlines()
        s = tempfile.NamedTemporaryFile('w', suffix='.station')  # pylint: disable=R1732
        self.addCleanup(s.close)
        s.write(''.join('compare = yes\n' + line if line.startswith('capacity') else line
                        for line in lines))
        s.flush()
        return f'--topology={s.name}'

    def test_compare_verification(self):
        """What it gains that disks compare their blocks, and only where some can."""
        able = self.able('shared-44')
        text = run('plan', able, '--compare', '--verify=device').stdout
        self.assertRegex(text, r'(?m)^parallel +write +50:0\d:\d\d')  # and not 73:20:00
        self.assertTrue(text.endswith(
            'all read after the last pass: 73:20:00; link pcie is in use for 73:20:00\n'
            'compared by the disks, 44 of 44: 50:07:45 (-31.6 %); '
            'link pcie is in use for 37:02:00\n'), text)
        self.assertEqual(clock(forecast(able, '--verify=device')['seconds']), '50:07:45')
        self.assertEqual(clock(forecast(able, '--verify=full')['seconds']), '73:20:00')
        self.assertNotIn('compared by', run('plan', self.small(), '--compare').stdout)

    def test_verify_auto(self):
        """The disks compare where measured speeds say that a link is the limit; else not."""
        able = self.able('shared-44')
        text = run('plan', able, '--verify=auto').stdout
        self.assertRegex(text, r'(?m)^verification: compared by the disks, because link pcie is '
                               r'the limit: 50:0\d:\d\d instead of 73:20:00$')
        f = forecast(able, '--verify=auto')
        self.assertEqual(f['verify_chosen'], 'device')
        self.assertEqual(f['verify_device_seconds'], f['seconds'])
        self.assertTrue(all(d['compares'] for d in f['disks']))
        self.assertAlmostEqual(f['verify_full_seconds'], 264000, delta=1)
        for args, why in (
                ((example('shared-44'),), 'no disk is known to compare its blocks itself'),
                ((able, '--strategy=sequential'), 'no link holds the disks up'),
                ((able, '--strategy=round-robin'), 'no link holds the disks up'),
                ((able, '--method=random'), 'no disk is known to compare its blocks itself'),
                ((able, '--without=b'), None)):
            f = forecast(*args, '--verify=auto')
            self.assertEqual(f.get('verify_why', '') if why else None, why)
            self.assertEqual(f['verify_chosen'], 'full' if why else 'device')
            self.assertEqual('verify_device_seconds' in f, not why or 'no disk' not in why)
        self.assertNotIn('verify_chosen', forecast(able, '--verify=device'))

    def test_verify_auto_needs_measured_speeds(self):
        bus = '[bus b]\nrate = 150MB/s\n{}\n[disk a]\ncount = 4\non = b\ncapacity = 100GB\n' \
              'outer = 100MB/s\ncompare = {}\n{}\n'
        for node, able, disk, why in (
                ('', 'yes', '', 'bus b is the limit'),
                ('', 'no', '', 'no disk is known to compare its blocks itself'),
                ('', 'yes', 'assumed = outer', 'the speeds of the disks are guesses'),
                ('', 'yes', 'assumed = inner', 'the speeds of the disks are guesses'),
                ('assumed = rate', 'yes', '', 'the speeds of links are guesses')):
            with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
                s.write(bus.format(node, able, disk))
                s.flush()
                f = forecast(f'--topology={s.name}', '--verify=auto')
                self.assertEqual(f['verify_why'], why)
                self.assertEqual(f['verify_chosen'], 'full' if disk or node or able == 'no'
                                 else 'device')
                doc = json.loads(run('simulate', '--json', '-q', '--coarse', '--verify=auto',
                                     s.name).stdout)
                self.assertEqual((doc['job']['verify'], doc['job']['verify_asked']),
                                 (f['verify_chosen'], 'auto'))
                for d in doc['disks']:
                    self.assertEqual(d['verify']['mode'], f['verify_chosen'])
                    self.assertEqual(d['verify'].get('planted_found', 0) > 458,
                                     f['verify_chosen'] == 'device')
        # a limit that is one of commands is known if their cost is
        for assumed, chosen, why in (
                ('', 'device', 'controller c is the limit'),
                ('assumed = command', 'full', 'what a command costs the controller is a guess')):
            with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
                s.write(f'[controller c]\ncommand = 20ms\n{assumed}\n[disk a]\ncount = 4\n'
                        'on = c\ncapacity = 100GB\nouter = 100MB/s\ncompare = yes\n')
                s.flush()
                f = forecast(f'--topology={s.name}', '--verify=auto')
                self.assertEqual((f['verify_chosen'], f['verify_why']), (chosen, why))
        # one that cannot is read
        with tempfile.NamedTemporaryFile('w', suffix='.station') as s:
            s.write(bus.format('', 'yes', '') + '[disk old]\non = b\ncapacity = 50GB\n'
                    'outer = 100MB/s\n')
            s.flush()
            self.assertIn('; 1 of 5 cannot and are read\n',
                          run('plan', f'--topology={s.name}', '--verify=auto').stdout)
        run('verify', '--verify=auto', '/dev/null', code=1)

    def test_other_stations(self):
        base = (example('smart-array-642'), '--verify=off')
        r = run('plan', *base, '--replace=disk-4=disk-1')
        self.assertRegex(r.stdout, r'changed: 0:10:52 instead of 0:10:54 \(-')
        self.assertEqual(len(forecast(*base, '--without=disk-4')['disks']), 13)
        self.assertLess(forecast(*base, '--without=disk-4')['seconds'],
                        forecast(*base)['seconds'])
        for wrong in ('--replace=nobody=disk-1', '--replace=disk-1=nothing', '--without=nobody',
                      '--replace=disk-1'):
            r = run('plan', *base, wrong, code=1)
            self.assertEqual(len(r.stderr.strip().splitlines()), 1)
        run('plan', '--compare', code=1)
        self.assertIn('bmb21-2019, ...\n',
                      run('plan', example('smart-array-642'), '--method=nosuch', code=1).stderr)
        self.assertIn('cannot be combined', json.loads(
            run('plan', example('smart-array-642'), '--compare', '--json', code=1).stdout)['error'])
        run('plan', '--topology=/nowhere', code=1)

    def test_simulate_says_how_far_off_it_was(self):
        doc = json.loads(run('simulate', '--json', '--quiet',
                             f'{EXAMPLES}/smart-array-642.station').stdout)
        self.assertLess(abs(doc['job']['forecast']['error_percent']), 1)
        # which disk gives way to which is drawn anew in each run; the end of the job is not
        for d in doc['disks']:
            self.assertLess(abs(d['forecast']['error_percent']), 3)


if __name__ == '__main__':
    unittest.main()
