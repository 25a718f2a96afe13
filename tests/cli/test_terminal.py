#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Questions, progress and colours on a terminal; text and nothing else into a pipe."""
import os
import re
import signal
import unittest

from cli import Case, Terminal, disk

ESCAPE = '\033'


class Asked(Case):
    def answer(self, text, *args):
        t = Terminal(self, *args)
        t.expect('type .*: ')
        t.type(text)
        return t.wait(), t.text

    def test_one_disk_by_its_serial(self):
        self.machine(disk(0, signatures='ext4'))
        code, text = self.answer('0000\n', '/fake/sg0')
        self.assertEqual(code, 0)
        self.assertIn('the last 4 characters of its serial', text)
        for word in ('MODEL0', 'SERIAL-0000', 'ext4', '1.05 MB'):
            self.assertIn(word, text)
        self.assertEqual(self.started(), ['/fake/sg0'])

    def test_short_serial(self):
        self.machine(disk(0, serial='AB'))
        code, text = self.answer('AB\n', '/fake/sg0')
        self.assertEqual(code, 0)
        self.assertIn('the last 2 characters of its serial', text)

    def test_several_by_their_number(self):
        self.machine(disk(0), disk(1), disk(2))
        code, _ = self.answer('3\n', '/fake/sg0', '/fake/sg1', '/fake/sg2')
        self.assertEqual(code, 0)
        self.assertEqual(len(self.started()), 3)

    def test_wrong_answers(self):
        self.machine(disk(0), disk(1))
        for text in ('\n', 'y\n', 'yes\n', '0001\n', '00000\n', '\x04'):
            self.assertEqual(self.answer(text, '/fake/sg0')[0], 2, text)
        for text in ('1\n', '02\n', '22\n', '0000\n'):
            self.assertEqual(self.answer(text, '/fake/sg0', '/fake/sg1')[0], 2, text)
        self.assertEqual(self.started(), [])

    def test_more_than_the_answer(self):
        self.machine(disk(0), disk(1))
        for text in ('2\0x\n', '2\0\n', '\x002\n', '2 x\n', '2\x04\x04', '2' + ' ' * 300 + 'x\n'):
            self.assertEqual(self.answer(text, '/fake/sg0', '/fake/sg1')[0], 2, repr(text))
        self.assertEqual(self.started(), [])
        self.assertEqual(self.answer(' 2 \n', '/fake/sg0', '/fake/sg1')[0], 0)

    def test_typed_ahead(self):
        """What was typed before the question was there is no answer to it."""
        os.unlink(self.path('machine'))
        os.mkfifo(self.path('machine'))
        t = Terminal(self, '/fake/sg0', '/fake/sg1')
        with open(self.path('machine'), 'w', encoding='utf-8') as f:  # it is reading by now
            t.type('2\n2\n')
            t.expect('2\r\n2\r\n')  # the terminal has them
            f.write(disk(0) + '\n' + disk(1) + '\n')
        t.expect('type .*: ')
        self.assertFalse(self.started())
        t.type('no\n')
        self.assertEqual(t.wait(), 2)
        self.assertEqual(self.started(), [])

    def test_interrupted(self):
        self.machine(disk(0))
        self.assertEqual(self.answer('\x03', '/fake/sg0')[0], -signal.SIGINT)
        self.assertEqual(self.started(), [])

    def test_interrupted_is_stopped(self):
        self.machine(disk(0))
        t = Terminal(self, '--json', '/fake/sg0')
        t.expect('type .*: ')
        t.type('\x03')
        self.assertEqual(t.wait(), -signal.SIGINT)
        self.assertIn('stopped; nothing was written', t.text)
        self.assertIn('"outcome": "stopped"', t.text)

    def test_count_is_checked_before_asking(self):
        self.machine(disk(0), disk(1))
        t = Terminal(self, '--expect-count=3', '/fake/sg0', '/fake/sg1')
        self.assertEqual(t.wait(), 2)
        self.assertNotIn('type', t.text)

    def test_yes_is_enough_for_one(self):
        self.machine(disk(0), disk(1))
        self.assertEqual(Terminal(self, '--yes', '/fake/sg0').wait(), 0)
        self.assertEqual(Terminal(self, '--yes', '/fake/sg0', '/fake/sg1').wait(), 2)

    def test_claimed_before_asked(self):
        self.machine(disk(0))
        t = Terminal(self, '/fake/sg0')
        t.expect('type .*: ')
        self.assertEqual(self.log(), ['claim /fake/sg0'])
        t.type('no\n')
        self.assertEqual(t.wait(), 2)


class Hostile(Case):
    """What a disk, a label or a mount point holds is shown, never obeyed."""
    TEXT = 'x\x1b[2J\x07\x9b31m\u202egnp\u2066'

    def check(self, text):
        self.assertNotRegex(text, '[\x00-\x09\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]')
        self.assertNotRegex(text, '[\u202a-\u202e\u2066-\u2069]')
        self.assertNotIn('\x1b[2J', text)
        self.assertIn('x?[2J??31m?gnp?', text)

    def test_question(self):
        self.machine(disk(0, signatures=self.TEXT))
        t = Terminal(self, '/fake/sg0', width=200)
        t.expect('type .*: ')
        t.type('no\n')
        self.assertEqual(t.wait(), 2)
        self.check(t.text)

    def test_reason(self):
        where = 'mounted at /' + self.TEXT
        self.machine(disk(0, refusal='mounted', reason=where), disk(1))
        r = self.run_cli('--yes', '/fake/sg0', code=2)
        self.check(r.stderr)
        self.check(self.run_cli('list').stdout)
        self.check(self.run_cli('/dev/no' + self.TEXT, code=2).stderr)
        doc = self.run_json('--yes', '/fake/sg0', code=2)
        self.assertEqual(doc['refused'][0]['reason'], where)


class Progress(Case):
    def run_on(self, *lines, width=100, height=30, **env):
        self.machine(*lines)
        names = [f'/fake/sg{i}' for i in range(len(lines))]
        t = Terminal(self, '--yes', f'--expect-count={len(lines)}', *names, width=width,
                     height=height, **env)
        self.assertEqual(t.wait(), 0, t.text)
        return t.text

    def frames(self, text):
        """What was drawn between two cursor movements, without escape codes."""
        parts = re.split(r'\033\[\d+A', text)
        return [re.sub(r'\033\[[0-9;]*[A-Za-z]', '', p).replace('\r', '') for p in parts]

    def test_bars(self):
        """Ten times a second, and not more often, whatever else happens."""
        text = self.run_on(disk(0, seconds=6), disk(1, seconds=3))
        frames = self.frames(text)
        self.assertGreater(len(frames), 55)
        self.assertLess(len(frames), 62)
        for n, done, disks in ((8, '1', '2'), (40, '7', '1 erased, 1')):
            lines = frames[n].splitlines()
            self.assertRegex(lines[0], rf'^sg0 +\[#*\.+\] +{done}\d\.\d% .*/s .*0:00:0\d  '
                             r'writing .*1 MiB  0 retries')
            self.assertRegex(lines[2], rf'^2 disks: {disks} at work; .*/s; elapsed 0:00:0\d')
        self.assertIn('2 of 2 disks erased', text)

    def test_bad_blocks(self):
        """They are not counted with the commands that they cost, which are more."""
        self.machine(disk(0, seconds=1, bad=16))
        t = Terminal(self, '--yes', '/fake/sg0', width=120)
        t.wait()
        self.assertRegex(self.frames(t.text)[4], r' 16 bad, 96 retries\n')
        self.assertNotRegex(t.text, r'\berr\b')

    def test_narrow_and_low(self):
        text = self.run_on(*(disk(i, seconds=0.3) for i in range(12)), width=40, height=6)
        for frame in self.frames(text)[1:-1]:
            lines = [l for l in frame.splitlines() if l]
            self.assertLessEqual(len(lines), 5)
            self.assertTrue(all(len(l) < 40 for l in lines), lines)
        self.assertIn('12 disks (8 not shown): 12 at work', text)
        self.assertIn('12 disks (8 not shown): 12 erased', text)

    def test_what_failed_stays_on_top(self):
        lines = [disk(i, seconds=.2) for i in range(44)]
        lines[30] = disk(30, seconds=.1, outcome='failed')
        lines[33] = disk(33, seconds=.1, outcome='removed')
        lines[40] = disk(40, until=self.path('never'))
        for height in (4, 6, 24):
            self.machine(*lines)
            names = [f'/fake/sg{i}' for i in range(44)]
            t = Terminal(self, '--yes', '--expect-count=44', *names, width=90, height=height)
            t.expect('42 not shown|40 not shown|22 not shown')
            t.expect(r'sg30 [^\n]*\n[^\n]*sg33 [^\n]*\n([^\n]*sg[^\n]*\n)*'
                     r'44 disks .*: 41 erased, 1 failed, 1 removed, 1 at work; .*remaining 0')
            t.type('\x03')
            self.assertEqual(t.wait(), -signal.SIGINT)
            last = self.frames(t.text.split('MODEL')[0])[-1].split('diskwipe:')[0].splitlines()
            last = [l for l in last if l.startswith('sg') or 'disks' in l]
            rows = [l.split()[0] for l in last if l.startswith('sg')]
            self.assertEqual(rows[:3], ['sg30', 'sg33', 'sg40'][:height - 2])
            self.assertEqual(len(rows), height - 2)
            self.assertIn('41 erased, 1 failed, 1 stopped, 1 removed', last[-1])
            self.assertRegex(t.text, '41 of 44 disks erased, 1 failed, 1 stopped, 1 removed;')

    def test_what_failed_is_counted_first_where_it_is_narrow(self):
        self.machine(*(disk(i, outcome='failed' if i == 5 else 'erased') for i in range(12)))
        names = [f'/fake/sg{i}' for i in range(12)]
        t = Terminal(self, '--yes', '--expect-count=12', *names, width=30, height=6)
        self.assertEqual(t.wait(), 3)
        self.assertIn('12 disks: 11 erased, 1 failed', t.text)
        t = Terminal(self, '--yes', '--expect-count=12', *names, width=25, height=6)
        self.assertEqual(t.wait(), 3)
        self.assertIn('12 disks: 1 failed, 11 e', t.text)

    def test_resized(self):
        self.machine(disk(0, until=self.path('end')))
        t = Terminal(self, '--yes', '/fake/sg0', width=120)
        t.expect('writing')
        t.resize(50, 10)
        t.text = ''
        t.expect(r'(?m)(^|\033\[\d+A)sg0 [^\033]{1,46}\033')
        t.text = ''
        with open(self.path('end'), 'w', encoding='utf-8'):
            pass
        self.assertEqual(t.wait(), 0)
        bars = re.findall(r'^sg0 .*', '\n'.join(self.frames(t.text)), re.M)
        self.assertTrue(bars and all(len(l) < 50 for l in bars), bars)

    def test_colours(self):
        lines = [disk(0), disk(1)]
        green = '\033[32m'
        self.assertIn(green, self.run_on(*lines))
        self.assertNotIn(green, self.run_on(*lines, NO_COLOR='1'))
        self.assertIn(ESCAPE, self.run_on(*lines, NO_COLOR='1'))
        self.assertNotIn(ESCAPE, self.run_on(*lines, TERM='dumb'))

    def test_pipe_has_text_only(self):
        self.machine(disk(0, seconds=0.3), disk(1, outcome='erased-with-exceptions', bad=4))
        r = self.run_cli('--yes', '--expect-count=2', '/fake/sg0', '/fake/sg1', code=3)
        self.assertNotIn(ESCAPE, r.stdout + r.stderr)
        self.assertIn('sg1: unwritable: LBA 8, 4 blocks', r.stderr)
        self.assertIn('sg1: unwritable: LBA 8, 4 blocks (sense 3/0c/00)', r.stdout)
        self.assertRegex(r.stdout, r'(?m)^/fake/sg0 .* erased$')
        r = self.run_cli('--yes', '--color=always', '/fake/sg0')
        self.assertIn(ESCAPE, r.stdout)
        r = self.run_cli('--yes', '-q', '/fake/sg0')
        self.assertEqual(r.stderr, '')


class Tables(Case):
    """Serial and outcome are never cut, whatever the width; nothing is into a pipe."""

    SERIALS = ['ENC01D00123456789', 'S' * 64, '', 'ENC01D00123456780']
    OUTCOMES = ['erased', 'erased-with-exceptions', 'failed', 'removed']

    def setUp(self):
        super().setUp()
        self.machine(*(disk(i, model='A MODEL OF MANY WORDS', serial=s, outcome=o,
                            reason='mounted at /srv/of/a/long/name/that/goes/on/and/on',
                            refusal='mounted' if i == 3 else 'none')
                       for i, (s, o) in enumerate(zip(self.SERIALS, self.OUTCOMES))))
        self.names = [f'/fake/sg{i}' for i in range(3)]

    def shown(self, text):
        return re.sub(r'\033\[[0-9;]*[A-Za-z]', '', text).replace('\r', '')

    def test_result(self):
        for width in (40, 60, 80, 132, 300):
            t = Terminal(self, '--yes', '--expect-count=3', '-q', *self.names, width=width)
            self.assertEqual(t.wait(), 3)
            text = self.shown(t.text)
            for serial in self.SERIALS[:2]:
                self.assertRegex(text, serial + r'\b', width)
            table = text.split('/fake/sg1: ')[0].split('verified: ')[0].splitlines()
            if '  SERIAL: ' not in text:
                self.assertLessEqual(max(map(len, table)), width)
            for name, outcome in zip(self.names, self.OUTCOMES):
                self.assertRegex(text, rf'(?m)^{name}\b.* {outcome}$|^{name}\n(  .*\n)*'
                                       rf'  OUTCOME: {outcome}$')
        self.assertNotIn('not shown', text)
        r = self.run_cli('--yes', '--expect-count=3', '-q', *self.names, code=3)
        self.assertRegex(r.stdout, '(?m)^/fake/sg1 .*MANY WORDS S{64} .* erased-with-exceptions$')

    def test_guessed_forecast(self):
        """Outside of its interval, and nothing is known that explains it: no empty reason."""
        said = self.run_cli('--yes', '--expect-count=3', *self.names, code=3,
                            DISKWIPE_FAKE_VAGUE='1').stdout
        self.assertRegex(said, r'(?m)^forecast between 0:00:09 and 0:00:11, took 0:0\d:\d\d$')

    def test_shortened_with_a_mark(self):
        self.machine(*(disk(i, model='A MODEL OF MANY WORDS', serial=f'ENC01D0012345678{i}')
                       for i in range(2)))
        t = Terminal(self, '--yes', '-q', '/fake/sg0', width=80)
        self.assertEqual(t.wait(), 0)
        text = self.shown(t.text)
        self.assertRegex(text, r'(?m)^not shown: .*RATE')
        self.assertRegex(text, r'(?m)^/fake/sg0 .*ENC01D00123456780 .* erased$')
        t = Terminal(self, '--yes', '-q', '/fake/sg0', width=110)
        t.wait()
        self.assertRegex(self.shown(t.text), 'A MODEL OF [A-Z ]*\u2026 +ENC01D00123456780')

    def test_list(self):
        for width in (40, 60, 80, 132):
            t = Terminal(self, 'list', width=width)
            self.assertEqual(t.wait(), 0)
            text = self.shown(t.text)
            for serial in self.SERIALS:
                self.assertRegex(text, serial + r'\b')
            self.assertEqual(len(re.findall('erasable', text)), 3)
            self.assertIn('mounted', text)
        # what was asked for is not left out
        t = Terminal(self, 'list', '-o', 'device,transport,block,model,serial', width=60)
        self.assertEqual(t.wait(), 0)
        self.assertIn('BLOCK: /fake/sd1', self.shown(t.text))

    def test_question(self):
        for width in (40, 80):
            t = Terminal(self, *self.names, width=width)
            t.expect('type .*: ')
            for serial in self.SERIALS[:2]:
                self.assertRegex(self.shown(t.text), serial + r'\b')
            t.type('no\n')
            self.assertEqual(t.wait(), 2)


class List(Case):
    def test_columns(self):
        self.machine(disk(0), disk(1, refusal='mounted', reason='mounted at /'))
        r = self.run_cli('list', '-o', 'device,size,verdict', '--noheadings', '--bytes')
        self.assertEqual([l.split() for l in r.stdout.splitlines()],
                         [['/fake/sg0', '1048576', 'erasable'],
                          ['/fake/sg1', '1048576', 'mounted']])
        r = self.run_cli('list', '--output=+wwn', '--erasable')
        self.assertEqual(r.stdout.split()[0], 'DEVICE')
        self.assertIn('0x5000c50000000000', r.stdout)
        self.assertNotIn('sg1', r.stdout)

    def test_headings(self):
        """One style in all tables, whether the columns were chosen or not."""
        self.machine(disk(0), disk(1))
        for words in (['list'], ['list', '-o', 'device,size,verdict'], ['list', '-o', '+wwn'],
                      ['erase', '-n', '/fake/sg0'], ['--yes', '/fake/sg0']):
            head = self.run_cli(*words).stdout.splitlines()[0]
            self.assertRegex(head, r'^DEVICE +[A-Z ]+$', words)
        chosen = self.run_cli('list', '-o', 'device,size,verdict').stdout.splitlines()[0]
        self.assertEqual(chosen.split(), ['DEVICE', 'SIZE', 'VERDICT'])


if __name__ == '__main__':
    unittest.main()
