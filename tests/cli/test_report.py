#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe report: every kind of picture, from traces and results of every size, and what is
said when there is none to draw. The traces are made here, not by the program."""
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import unittest
import xml.dom.minidom
import zlib

from cli import PROGRAM, Case, disk

COLUMNS = '# step disk verb lba blocks submitted done class started commands pass\n'
NODE = '# node 0 {"name":"port <1>","kind":"bus","on":"","rate":300000000}\n'

START = '2026-01-31T12:00:00+01:00'
FORECAST = {'method': 'closed form', 'seconds': 45, 'low_seconds': 40, 'high_seconds': 50,
            't_min_seconds': 1, 'binding': '', 'bytes_per_second': 1, 'strategy': 'parallel',
            'active': 0, 'assumed': '',
            'terms': {'slowest_disk': 1, 'bus': 0, 'bus_name': '', 'slots': 0, 'commands': 0,
                      'controller_name': ''}}


def disk_line(i, **more):
    disk = {'device': f'/dev/sg{i}', 'vendor': 'ACME', 'model': 'M', 'serial': f'S{i}', 'wwn': '',
            'blocks': 8000, 'block_size': 512, 'physical_block_size': 512, 'rotation': 7200,
            'write_cache': 'on', 'transport': 'sas', 'slot': '', 'host_driver': '', 'on': 'port'}
    disk.update({k: v.format(i) for k, v in more.items()})
    return f'# disk {i} {json.dumps(disk)}\n'


def trace(disks, commands=20, slow=None, end=True, **more):
    """Disks that write in parallel; one of them slower than the others."""
    text = '# diskwipe trace 3\n' + NODE + ''.join(disk_line(i, **more) for i in range(disks))
    text += COLUMNS
    for k in range(commands):
        for i in range(disks):
            t = 1000000 * (2 if i == slow else 1)
            word = 'medium' if (i, k) == (0, 3) else 'ok'
            text += (f'{k} {i} write {k * 400} 400 {k * t} {(k + 1) * t} {word} {k * t} 1 0\n')
    return text + (f'# end erased {commands * 2000000}\n' if end else '')


class Report(Case):
    def file(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as f:
            f.write(text)
        return self.path(name)

    def report(self, source, output, code=0):
        return self.run_cli('report', source, '-o', self.path(output), code=code)

    def refused(self, text, *args):
        r = self.run_cli('report', *args, code=1)
        self.assertIn(text, r.stderr)
        self.assertEqual(r.stderr.count('\n'), 1)
        self.assertEqual(r.stdout, '')

    def words(self, name):
        doc = xml.dom.minidom.parse(self.path(name))
        return [t.firstChild.data for t in doc.getElementsByTagName('text')]

    def result(self, disks=3, **more):
        doc = {'schema': 1, 'tool': {'name': 'diskwipe', 'version': '0'}, 'refused': [],
               'job': {'strategy': 'parallel', 'controller': 'fixed', 'command': 'write',
                       'method': 'zero', 'verify': 'off', 'started': START, 'finished': START,
                       'seconds': 40.5, 'outcome': 'erased', 'forecast': FORECAST,
                       'host': {'name': '', 'serial': '', 'asset_tag': '', 'kernel': ''}},
               'disks': [self.disk(i, **more) for i in range(disks)]}
        return self.file('result.json', json.dumps(doc))

    @staticmethod
    def disk(i, **more):
        forecast = {'start_seconds': 0, 'finish_seconds': 21 + i * 10, 'low_seconds': 20 + i * 10,
                    'high_seconds': 30 + i * 10, 'alone_seconds': 1, 'bytes_per_second': 1,
                    'phases': {'write': 1, 'flush': 0, 'verify': 0}}
        forecast.update(dict.fromkeys(('device', 'model', 'group', 'limit'), ''))
        disk = {'device': f'/dev/sg{i}', 'paths': [], 'vendor': 'ACME', 'model': 'M',
                'serial': f'S{i}', 'wwn': None,
                'outcome': ['erased', 'failed', 'erased-with-exceptions'][i % 3], 'reason': None,
                'seconds': 20 + i * 10, 'block_size': 512, 'capacity_bytes': 4096000,
                'hidden_blocks': 0, 'hidden_by': None, 'hidden_reason': None, 'restored': [],
                'level': None, 'level_reason': None, 'level_limit': None,
                'bytes_written': 4096000, 'exceptions': [], 'notes': [], 'path_use': [],
                'passes': [{'pattern': '00', 'command': 'write', 'seconds': 19 + i * 10,
                            'bytes': 4096000}],
                'errors': {'retried': i, 'split': 0, 'timeouts': 0, 'resets': 0},
                'verify': {'mode': 'off', 'samples': 0, 'blocks': 0, 'mismatches': 0, 'bound': 0,
                           'fua': False, 'done': 'none', 'read': 0, 'of': 8000, 'text': 'none'},
                'flush_refused': False, 'write_cache_switched': False, 'forecast': forecast}
        disk.update(dict.fromkeys(('revision', 'method', 'command', 'signatures', 'path',
                                   'path_mode'), ''))
        disk.update(dict.fromkeys(('flush_seconds', 'verify_seconds', 'waited_seconds',
                                   'bytes_verified', 'bytes_compared', 'commands', 'depth',
                                   'mean_bytes_per_second', 'transfer_blocks'), 0))
        disk.update({k: v.format(i) for k, v in more.items()})
        return disk

    def test_headline(self):
        r = self.report(self.file('t', trace(5, slow=2)), 'r.svg')
        self.assertEqual(r.stderr, 'Slowest disk: sg2, 50 % below its peers; '
                         '1 failed command on 1 disk\n')
        self.assertEqual(self.words('r.svg')[0], r.stderr.rstrip())
        self.assertIn('1 medium', self.words('r.svg'))

    def test_sizes(self):
        """One disk, several, and more than have a row of their own; the same each time."""
        for disks in (1, 2, 14, 44, 300):
            source = self.file('t', trace(disks, slow=1))
            self.report(source, 'a.svg')
            self.report(source, 'b.svg')
            with open(self.path('a.svg'), 'rb') as a, open(self.path('b.svg'), 'rb') as b:
                text = a.read()
                self.assertEqual(text, b.read())
            self.assertLess(len(text), 3000000)
            self.assertIn('When each disk ended', self.words('a.svg'))
            self.assertIn('Turns: how many commands each disk got at each step (schedule H)',
                          self.words('a.svg'))
            self.assertNotIn(b'nan', text)
            self.assertNotIn(b'inf"', text)

    def within(self, name):
        """Nothing lies outside the picture, and no text on another."""
        doc = xml.dom.minidom.parse(self.path(name))
        height = float(doc.documentElement.getAttribute('height'))
        rows = {}
        for path in doc.getElementsByTagName('path'):
            for x, y in re.findall(r'[ML]([-\d.]+) ([-\d.]+)', path.getAttribute('d')):
                self.assertTrue(-1 <= float(x) <= 1001 and -1 <= float(y) <= height + 1)
        for t in doc.getElementsByTagName('text'):
            if t.hasAttribute('transform'):
                continue
            size = .5 * float(t.getAttribute('font-size')) * len(t.firstChild.data)
            share = {'middle': .5, 'end': 1}.get(t.getAttribute('text-anchor'), 0)
            left = float(t.getAttribute('x')) - share * size
            self.assertTrue(left > -1 and left + size < 1001, t.toxml())
            rows.setdefault(t.getAttribute('y'), []).append((left, left + size, t.toxml()))
        for row in rows.values():
            row.sort()
            for a, b in zip(row, row[1:]):
                self.assertLessEqual(a[1], b[0] + 1, (a, b))

    def test_within(self):
        for disks in (1, 14, 44, 300):
            self.report(self.file('t', trace(disks, slow=1)), 'a.svg')
            self.within('a.svg')

    def test_long_names(self):
        """Names, models and serial numbers of any length that a trace may have."""
        names = {'device': '/dev/disk-of-the-upper-left-shelf-number-{}', 'vendor': 'V' * 15,
                 'model': 'model of many words that do not end so soon', 'serial': '{}' + '5' * 60}
        for disks in (1, 2, 5, 14, 44, 300):
            source = self.file('t', trace(disks, slow=1, **names))
            self.report(source, 'a.svg')
            self.within('a.svg')
        words = self.words('a.svg')
        self.assertIn('disk-\u2026r-297', words)
        for disks in (2, 9):
            result = self.result(disks, **names)
            self.report(result, 'a.svg')
            self.within('a.svg')
            self.run_cli('report', self.file('t', trace(disks, slow=1, **names)), result, '-o',
                         self.path('a.svg'))
            self.within('a.svg')

    def test_long_remarks(self):
        """Time, rate, share beside the peers and outcome of a disk stand side by side."""
        with open(self.result(5), encoding='utf-8') as f:
            doc = json.load(f)
        for i, told in enumerate(doc['disks']):
            told.update(outcome='not-as-expected', seconds=131999,
                        mean_bytes_per_second=(1000 - 300 * (i == 2)) * 1000)
        doc['job'].update(outcome='not-as-expected', seconds=131999)
        self.report(self.file('long.json', json.dumps(doc)), 'a.svg')
        self.within('a.svg')
        words = self.words('a.svg')
        self.assertIn('36:39:59 h  700 kB/s (\u221230 %)', words)
        self.assertIn('not-as-expected', words)

    def test_names(self):
        """Each disk is named by device, model, serial number and size, of a trace or a result."""
        for source in self.file('t', trace(3)), self.result():
            self.report(source, 'r.svg')
            words = self.words('r.svg')
            at = words.index('Disks')
            self.assertEqual(words[at + 1:at + 5], ['device', 'model', 'serial number', 'size'])
            self.assertEqual(words[at + 5:at + 9], ['/dev/sg0', 'ACME M', 'S0', '4.10 MB'])
            self.assertEqual(words[at + 13:at + 17], ['/dev/sg2', 'ACME M', 'S2', '4.10 MB'])
            self.assertIn('sg1', words)

    def test_many_names(self):
        """Of more disks than rows those that are worth a look are named first."""
        self.report(self.file('t', trace(300, slow=250)), 'r.svg')
        words = self.words('r.svg')
        at = words.index('/dev/sg0')
        self.assertEqual(words[at:at + 12:4], ['/dev/sg0', '/dev/sg250', '/dev/sg1'])
        self.assertEqual(words[-1], 'and 204 more disks')

    def test_cut_and_empty(self):
        whole = trace(4)
        for n in (whole.index(COLUMNS), len(whole) // 2, len(whole) - 30):
            self.report(self.file('t', whole[:n]), 'r.svg')
            self.assertIn('cut off', ' '.join(self.words('r.svg')))
        self.report(self.file('t', '# diskwipe trace 3\n'), 'r.svg')
        self.assertEqual(self.words('r.svg')[0], 'No disks')

    def test_html(self):
        self.report(self.file('t', trace(3, device='/dev/<b>&"x')), 'r.html')
        with open(self.path('r.html'), encoding='utf-8') as f:
            text = f.read()
        doc = xml.dom.minidom.parseString(text)
        self.assertGreater(len(doc.getElementsByTagName('svg')), 4)
        self.assertNotIn('<script', text)
        for address in re.findall(r'https?://[^"]*', text):
            self.assertEqual(address, 'http://www.w3.org/2000/svg')
        self.assertNotRegex(text, r'(src|href|url)\s*[=(]')

    def with_cairo(self, source, output):
        """Or, in a build without cairo, told so."""
        r = subprocess.run([PROGRAM, 'report', source, '-o', self.path(output)],
                           env=self.environment(), capture_output=True, text=True, check=False)
        if 'without cairo' in r.stderr:
            self.assertEqual(r.returncode, 1)
            self.assertFalse(os.path.exists(self.path(output)))
            self.skipTest('built without cairo')
        self.assertEqual((r.returncode, r.stdout), (0, ''))
        with open(self.path(output), 'rb') as f:
            return f.read()

    def test_pdf(self):
        source = self.file('t', trace(14))
        data = self.with_cairo(source, 'r.pdf')
        self.assertTrue(data.startswith(b'%PDF-') and data.rstrip().endswith(b'%%EOF'))
        self.assertEqual(data, self.with_cairo(source, 's.pdf'))

    @staticmethod
    def count_pages(data):
        """Of a PDF, whose objects may stand in streams that are compressed."""
        text = data
        for stream in re.findall(rb'stream\r?\n(.*?)endstream', data, re.S):
            try:
                text += zlib.decompressobj().decompress(stream)
            except zlib.error:
                pass
        return len(re.findall(rb'/Type ?/Page\b', text))

    def test_pages(self):
        """A figure that does not fit begins a page."""
        for disks, pages in (1, 2), (12, 3), (20, 4), (44, 4):
            data = self.with_cairo(self.file('t', trace(disks, slow=1)), 'r.pdf')
            self.assertEqual(self.count_pages(data), pages, disks)

    def test_png(self):
        data = self.with_cairo(self.file('t', trace(14)), 'r.png')
        self.assertEqual(data[:8], b'\x89PNG\r\n\x1a\n')
        width, height = struct.unpack('>II', data[16:24])
        self.assertEqual(width, 1000)
        self.assertTrue(1500 < height < 5000)

    def test_result(self):
        self.report(self.result(), 'r.svg')
        words = self.words('r.svg')
        self.assertIn('Predicted and measured end, largest error first', words)
        self.assertIn('Predicted 45.0 s, measured 40.5 s: -10.0 %, within the interval.', words)
        self.assertIn('failed', words)

    def test_both(self):
        source, result = self.file('t', trace(3)), self.result()
        self.run_cli('report', source, result, '-o', self.path('r.svg'))
        words = self.words('r.svg')
        self.assertIn('All disks together', words)
        self.assertIn('Predicted and measured end, largest error first', words)
        self.refused('do not have the same disks', self.file('u', trace(4)), result, '-o',
                     self.path('x.svg'))

    def test_measurement(self):
        """What bench prints, from a file and from a pipe."""
        points = [{'blocks': 1 << k, 'bytes': 512 << k, 'depth': 2, 'bytes_per_second': 1e6 * k,
                   'per_second': 100.5, 'response_seconds': .01, 'commands': 12} for k in range(9)]
        disk = {'device': '/dev/sg7', 'vendor': 'ACME', 'model': 'ROTOR', 'serial': 'S<7>',
                'capacity_bytes': 4096000, 'points': points}
        doc = {'schema': 1, 'bench': 'random', 'misalign_bytes': 0, 'later': 1, 'series': [disk]}
        r = self.report(self.file('b', json.dumps(doc)), 'r.svg')
        self.assertEqual(r.stderr, 'Rate over transfer length, at random places\n')
        words = self.words('r.svg')
        for word in ('/dev/sg7', 'ACME ROTOR', 'S<7>', 'transfer length', '128 KiB'):
            self.assertIn(word, words)
        subprocess.run([PROGRAM, 'report', '/dev/stdin', '-o', self.path('s.svg')], text=True,
                           env=self.environment(), input=json.dumps(doc), check=True)
        self.assertEqual(self.words('s.svg'), words)
        self.refused("u: series: empty", self.file('u', json.dumps(doc | {'series': []})), '-o',
                     self.path('x.svg'))
        disk['points'][3]['bytes'] = -1
        self.refused('u: series[0].points[3].bytes: ', self.file('u', json.dumps(doc)), '-o',
                     self.path('x.svg'))
        self.refused('not a result of diskwipe', self.file('t', trace(1)), self.file(
            'u', json.dumps(doc)), '-o', self.path('x.svg'))

    def test_sweep(self):
        """What a model prints is drawn as the model draws it."""
        zone = ['zone', 'bytes=4TB', 'outer=250e6', '--sweep=inner=50e6:250e6:50e6']
        text = self.run_cli('model', *zone, '--json').stdout
        self.run_cli('model', *zone, '-o', self.path('m.svg'))
        r = self.report(self.file('s', text), 'r.svg')
        self.assertEqual(r.stderr, 'zone over inner\n')
        with open(self.path('r.svg'), 'rb') as one, open(self.path('m.svg'), 'rb') as two:
            self.assertEqual(one.read(), two.read())
        simulated = [{'model': 'm', 'inputs': {'a': 'word', 'b': 2, 'c': n},
                      'outputs': {'w': 'x', 'list': [1], 'simulated': {'v': n, 'v_half': .1}}}
                     for n in (1, 2)]
        self.report(self.file('s', json.dumps(simulated)), 'r.svg')
        words = self.words('r.svg')
        self.assertIn('simulated.v over c', words)
        self.assertNotIn('half', ' '.join(words))
        for text in ('[]', json.dumps(simulated[:1])):
            self.refused('no key has two values', self.file('s', text), '-o', self.path('x.svg'))
        self.refused('no sweep of a model', self.file('s', '[1]'), '-o', self.path('x.svg'))

    def test_at_the_end(self):
        """--report of jobs on disks; nothing is drawn of one that does not begin."""
        self.machine(*map(disk, range(3)), disk(3, outcome='failed'))
        picture, devices = self.path('r.svg'), [f'/fake/sg{i}' for i in range(3)]
        option = f'--report={picture}'
        yes = '--yes', '--expect-count=3'
        r = self.run_cli('erase', *yes, option, *devices)
        words = self.words('r.svg')
        self.assertIn(f'r.svg: {words[0]}\n', r.stderr)
        self.assertEqual(words[words.index('/fake/sg2'):][:3],
                         ['/fake/sg2', 'ACME MODEL2', 'SERIAL-0002'])
        os.unlink(picture)
        self.run_cli('verify', option, *devices)
        self.assertIn('Outcome: as-expected', '\n'.join(self.words('r.svg')))
        os.unlink(picture)
        # a job that fails says so, whether or not it is drawn
        self.run_cli('erase', '--yes', option, '/fake/sg3', code=4)
        self.assertIn('failed', self.words('r.svg'))
        os.unlink(picture)
        for code, *args in ((0, '--dry-run', *devices), (2, '--yes', '--expect-count=9', *devices)):
            self.run_cli('erase', option, *args, code=code)
            self.assertFalse(os.path.exists(picture))
        started = self.started()
        r = self.run_cli('erase', *yes, '--report=x', *devices, code=1)
        self.assertIn('x: the name has to end in .html, .svg, .pdf or .png', r.stderr)
        self.assertEqual(self.started(), started)
        r = self.run_cli('erase', *yes, '--report=/nowhere/x.svg', *devices, code=1)
        self.assertIn('the report could not be written: /nowhere/x.svg: No such file', r.stderr)
        r = self.run_cli('erase', '--yes', '--report=/nowhere/x.svg', '/fake/sg3', code=4)
        self.assertIn('the report could not be written', r.stderr)

    def alone(self, script=None):
        """The program in a folder of its own, with this as diskwipe-report beside it."""
        folder = self.path('alone')
        os.makedirs(folder, exist_ok=True)
        program = os.path.join(folder, 'diskwipe')
        shutil.copy(PROGRAM, program)
        os.chmod(program, 0o755)
        beside = os.path.join(folder, 'diskwipe-report')
        if script:
            with open(beside, 'w', encoding='utf-8') as f:
                f.write(f'#!/bin/sh\n{script}\n')
            os.chmod(beside, 0o755)
        return program, beside

    def run_at(self, program, *args, code=0, **more):
        r = subprocess.run([program, *args], env=self.environment(**more), capture_output=True,
                           text=True, stdin=subprocess.DEVNULL, check=False, cwd=self.path(''))
        self.assertEqual(r.returncode, code, r.stderr)
        return r

    def test_not_installed(self):
        """It is said before anything is done; what PATH or the folder has is never run."""
        self.machine(disk(0))
        source = self.file('t', trace(2))
        program, beside = self.alone()
        bad = self.path('bin')
        os.mkdir(bad)
        for folder in bad, self.path(''):
            with open(os.path.join(folder, 'diskwipe-report'), 'w', encoding='utf-8') as f:
                f.write(f'#!/bin/sh\ntouch {self.path("ran")}\n')
            os.chmod(os.path.join(folder, 'diskwipe-report'), 0o755)
        picture = self.path('r.svg')
        for args in (['report', source, '-o', picture],
                     ['erase', '--yes', f'--report={picture}', '/fake/sg0'],
                     ['verify', f'--report={picture}', '/fake/sg0'],
                     ['bench', '--load', '-o', picture, '/fake/sg0']):
            r = self.run_at(program, *args, code=1, PATH=f'{bad}:{os.environ["PATH"]}')
            self.assertEqual(r.stderr, 'diskwipe: figures are drawn by diskwipe-report, which is '
                             f'not at {beside}: install the package diskwipe-report\n')
        self.assertFalse(os.path.exists(self.path('ran')))
        self.assertEqual(self.started(), [])

    def test_of_others(self):
        """What others can have put there is not run."""
        program, beside = self.alone('echo ran >&2')
        folder = os.path.dirname(beside)
        for what, mode, ran in ((folder, 0o755, True), (folder, 0o775, True),
                                (folder, 0o777, False), (folder, 0o1777, False),
                                (folder, 0o1775, False),
                                (beside, 0o775, False), (beside, 0o757, False)):
            os.chmod(what, mode)
            r = self.run_at(program, 'report', 't', '-o', 'r.svg', code=0 if ran else 1)
            self.assertEqual('ran' in r.stderr, ran, (what, oct(mode)))
            self.assertEqual('others could have changed' in r.stderr, not ran)
            os.chmod(what, 0o755)
        os.chmod(program, 0o775)  # then who could change that could change this
        os.chmod(beside, 0o775)
        self.assertIn('ran', self.run_at(program, 'report', 't', '-o', 'r.svg').stderr)
        os.chmod(beside, 0o644)
        self.assertIn('cannot be run: Permission denied',
                      self.run_at(program, 'report', 't', '-o', 'r.svg', code=1).stderr)
        if not os.geteuid():
            os.chmod(beside, 0o755)
            os.chown(beside, 65534, 0)
            self.assertIn('others could have changed',
                          self.run_at(program, 'report', 't', '-o', 'r.svg', code=1).stderr)

    def test_replaced(self):
        """The package is replaced while the job runs: the new program draws."""
        self.machine(disk(0))
        program, _ = self.alone()
        self.alone(f'case " $* " in *" --check "*) rm {program};; *) echo drawn >&2;; esac')
        r = self.run_at(program, 'erase', '--yes', f'--report={self.path("r.svg")}', '/fake/sg0')
        self.assertFalse(os.path.exists(program))
        self.assertIn('r.svg: drawn\n', r.stderr)

    def test_kept(self):
        """What could not be drawn at the end is drawn later, by the command that is named."""
        self.machine(disk(0))
        picture = self.path('r p.svg')
        for end, told in (('exit 7', 'diskwipe-report ended with exit status 7: one word'),
                          ('exit 1', 'one word'),
                          ('kill -9 $$', 'diskwipe-report was ended by signal 9')):
            program, _ = self.alone('case " $* " in *" --check "*) exit 0;; esac\n'
                                    f'echo first >&2; echo "diskwipe-report: one word" >&2; {end}')
            r = self.run_at(program, 'erase', '--yes', f'--report={picture}', '/fake/sg0', code=1)
            self.assertIn(f'diskwipe: the report could not be written: {told}', r.stderr)
            later = re.search(r': to draw it later: diskwipe (report .*)$', r.stderr, re.M)[1]
            self.assertFalse(os.path.exists(picture))
            self.run_cli(*shlex.split(later))
            self.assertIn('Outcome: erased', '\n'.join(self.words('r p.svg')))
            os.unlink(picture)
        self.assertNotIn('first', r.stderr)

    def test_full_disk(self):
        source = self.file('t', trace(2))
        for name in ('f.svg', 'f.html', 'f.pdf', 'f.png'):
            os.symlink('/dev/full', self.path(name))
            r = self.run_cli('report', source, '-o', self.path(name), code=1)
            self.assertRegex(r.stderr, 'No space left|without cairo')

    def test_wrong(self):
        source, out = self.file('t', trace(2)), self.path('x.svg')
        self.refused('one trace or result', '-o', out)
        self.refused('-o FILE is missing', source)
        self.refused('has to end in .html, .svg, .pdf or .png', source, '-o', self.path('x.gif'))
        self.refused('No such file', '/nowhere', '-o', out)
        self.refused('No such file', source, '-o', '/nowhere/x.svg')
        self.refused('line 1', self.file('u', 'nonsense'), '-o', out)
        self.refused('not a result of diskwipe', self.file('v', '{"a": 1}'), '-o', out)
        self.refused('w:7: lba, blocks: beyond the end',
                     self.file('w', trace(2).replace(' 400 400 ', ' 7900 400 ', 1)
                               .replace(COLUMNS, '', 1)), '-o', out)
        self.assertFalse(os.path.exists(out))


if __name__ == '__main__':
    unittest.main()
