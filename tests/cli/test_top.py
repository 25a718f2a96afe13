#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe top: its screen as text, with sixty bays and with anything; and on a terminal that is
resized, hung up and sent signals."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import unicodedata
import unittest

from cli import LIMIT, Terminal
from rack import NOW, disk, line, rack, working
from shown import Shown
from station import StationCase, forecast

DRAW = os.environ['TOP_DRAW']
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'top')
HOSTILE = r'x\x1b[2J\x07\x9b31m\xe2\x80\xaegnp\xff\xc2'


class Drawn(StationCase):
    def setUp(self):
        super().setUp()
        self.station(rack())

    def station(self, lines, name='station'):
        with open(self.path(name), 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')

    def draw(self, *commands, **env):
        """What the commands print, after the station was read."""
        text = '\n'.join([f'read {self.path("station")}', *commands]) + '\n'
        r = subprocess.run([DRAW, str(NOW)], input=text, capture_output=True, text=True,
                           timeout=LIMIT, env=self.environment(**env), check=False)
        self.assertEqual(r.returncode, 0, r.stderr)
        return r.stdout

    def screens(self, *commands, **env):
        return [s.splitlines() for s in self.draw(*commands, **env).split('--\n')[:-1]]


class Golden(Drawn):
    """The text of whole screens. After a change that is meant, look at them and write them again
    with `test_top.py --renew`."""

    def check(self, name, *commands, **env):
        text = self.draw(*commands, 'draw', **env)
        path = os.path.join(DATA, name + '.txt')
        if RENEW:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        with open(path, encoding='utf-8') as f:
            self.assertEqual(text, f.read())

    def test_sizes(self):
        for size in ('80x24', '200x60', '40x10'):
            self.check(size, 'size ' + size.replace('x', ' '))

    def test_ascii(self):
        self.check('ascii', 'size 80 24', LC_ALL='C')

    def test_wall(self):
        for size in ('80x24', '200x60', '40x10'):
            self.check('wall-' + size, 'size ' + size.replace('x', ' '), 'wall')

    def test_one_column(self):
        self.check('one-column', 'size 132 43', 'key v')

    def test_pages(self):
        self.check('details', 'key End', 'key Enter')
        self.check('help', 'key ?')
        self.check('start', *['key End'] + 3 * ['key Up'], 'key Space', 'key Space', 'key s')


class Wall(Drawn):
    """What nobody sits in front of."""

    def test_keys_do_nothing(self):
        keys = [f'key {k}' for k in ('s', 'c', 'p', 'r', 'Space', 'Enter', '?', 'f', 'v', 'Down')]
        self.assertEqual(self.draw('wall', *keys), '')
        before, after = self.screens('wall', 'draw', *keys, 'draw')
        self.assertEqual(before, after)
        self.assertIn('action quit', self.draw('wall', 'key q'))

    def test_many(self):
        """Counts of four digits are still there, if in small letters."""
        self.station([disk(n) for n in range(1200)])
        for size, large in (('80 24', False), ('200 60', True)):
            screen = '\n'.join(self.screens('size ' + size, 'wall', 'draw')[0])
            self.assertEqual('0 FAILED' in screen, False, screen)
            self.assertEqual('█' in screen, True)
        self.station([working(n, 0.5, 1) for n in range(1234)])
        screen = '\n'.join(self.screens('size 60 24', 'wall', 'draw')[0])
        self.assertIn('1234 WORK', screen)

    def test_service_away(self):
        """Counts of then are not shown as those of now."""
        self.station([working(n, 0.5, 1) for n in range(1234)])
        screen = self.screens('away NO SERVICE, trying again', 'size 60 24', 'wall', 'draw')[0]
        self.assertIn('NO SERVICE, trying again', '\n'.join(screen))
        self.assertNotIn('WORK', '\n'.join(screen))


class Said(Drawn):
    """What is said of a station, wherever it stands."""

    def words(self, lines, width=200):
        self.station(lines)
        return '\n'.join(self.screens(f'size {width} 50', 'draw')[0][:3])

    def test_counts(self):
        text = self.words(rack())
        for words in ('rack-1', '3 FAILED, 33 erase, 11 wait, 9 done', 'FAILED: B03 C15 D07',
                      'A08 ends last: slow, 61.0 MB/s, median 186 MB/s', 'hottest A09 39 C',
                      'next starts 09:37, last 09:48', '2 free', 'all done Fri 03:33 (18h40)'):
            self.assertIn(words, text)

    def test_nothing(self):
        self.assertEqual(self.words([]), 'nothing to do\n\n')
        self.assertIn('nothing to do', self.words([disk(0), disk(1)]))

    def test_last_by_its_size(self):
        text = self.words([working(n, 0.5 - n / 10, 180_000_000) for n in range(4)])
        self.assertRegex(text, r'A04 ends last(  |$)')
        self.assertNotIn('slow', text)

    def test_no_end_known(self):
        text = self.words([working(0, 0.5, 180_000_000), working(1, 0.5, 1, ExpectedEndTime=0)])
        self.assertIn('all but 1 done', text)

    def test_health_and_notes(self):
        text = self.words([line('manager', Station='r', Notes='the state file was put aside'),
                           disk(3, Health='failing: 900 reallocated sectors')])
        self.assertIn('failing health: A04', text)
        self.assertIn('service: the state file was put aside', text)

    def test_old_news(self):
        """What the service said, and what came of a key, is shown for a minute."""
        again = f'read {self.path("station")}'
        self.station([line('manager', Notes='a note'), *rack()[1:]])
        screens = self.screens('size 200 50', 'draw', 'later 59', again, 'key s', 'draw',
                               'later 59', again, 'draw', 'later 1', again, 'draw')
        shown = [('service: a note' in s, 'cannot be' in s) for s in map('\n'.join, screens)]
        self.assertEqual(shown, [(True, False), (True, True), (False, True), (False, False)])

    def test_pass(self):
        """The first pass is 1 of 3, and one that has ended is in none."""
        ended = {'State': 'done', 'Outcome': 'failed'}
        self.station([working(0, 0.1, 1, Pass=0), working(1, 0.9, 1, Pass=2, **ended),
                      working(2, 1, 1, Pass=3)])
        screen = self.screens('size 132 43', 'key v', 'draw')[0]
        passes = [re.findall(r'\b(\d/\d)\b', row) for row in screen[3:-2]
                  if re.match(r'.? *A0[123] ', row)]
        self.assertEqual(passes, [['1/3'], [], ['3/3']])
        texts = self.draw('key Enter', 'draw', 'key Right', 'draw').split('--\n')
        self.assertRegex(texts[0], r'(?m)^pass +1 of 3$')
        self.assertNotRegex(texts[1], '(?m)^pass ')

    def test_bay_of_slots(self):
        """Disks of one section of the configuration are told apart."""
        slot = '0x5000000000000800:Slot '
        self.station([disk(n, Bay='shelf', Slot=f'{slot}{n:02}') for n in range(3)] +
                     [disk(3, Bay='Slot 03', Slot=slot + '03')])
        screen = '\n'.join(self.screens('size 80 24', 'draw')[0])
        for n in range(3):
            self.assertIn(f' shelf, Slot 0{n} free', screen)
        self.assertRegex(screen, ' Slot 03 +free')
        self.station([disk(n, Bay='shelf 12', Slot=str(n)) for n in (1, 2, 12)])
        screen = '\n'.join(self.screens('size 80 24', 'draw')[0])
        for label in 'shelf 12, 1', 'shelf 12, 2', 'shelf 12':
            self.assertRegex(screen, f' {label} +free')

    def test_names_of_bays(self):
        """A bay is named as a whole before a serial number or a model has a place."""
        self.station([working(n, 0.5, 1, Bay=f'rack 2 shelf:{n}') for n in range(14)])
        for size in '80 24', '60 20':
            screen = self.screens('size ' + size, 'draw')[0]
            for n in range(14):
                self.assertIn(f' rack 2 shelf:{n} ', screen[3 + n])

    def test_used_again(self):
        """An erased disk that holds files again is not shown as erased."""
        for found, word, other in (('', 'erased', 'USED'), ('gpt, ext4', 'USED', 'erased')):
            self.station([disk(0, State='done', Outcome='erased', Signatures=found)])
            text = self.draw('size 132 43', 'draw')
            self.assertIn(word, text)
            self.assertNotIn(other, text)

    def test_many_failed(self):
        lines = [disk(n, State='done', Outcome='failed') for n in range(60)]
        for width in (40, 80, 200):
            self.assertRegex(self.words(lines, width), r'FAILED: A01 .* \+\d+')


class Rows(Drawn):
    def rows(self, *commands, size='80 50'):
        """The bays of the rows, line by line; not those that the headline names."""
        screen = self.screens(f'size {size}', *commands, 'draw')[0][3:-2]
        return [m for l in screen for m in re.findall(r'\b[A-D]\d\d(?= +[A-Za-z])', l)]

    def test_order_of_bays(self):
        self.station([disk(n) for n in (7, 2, 11, 0)] +
                     [disk(40, Bay='', Slot='e:3'), disk(41, Bay='', Slot='e:20')])
        screen = '\n'.join(self.screens('size 80 24', 'draw')[0])
        self.assertRegex(screen, r'(?s)A01 .*A03 .*A08 .*A12 .*e:3 .*e:20 ')

    def test_orders(self):
        self.station([working(n, n / 10, 100_000_000 + 1_000_000 * (n * 7 % 5), Errors=n % 3,
                              Temperature=30 + n * 3 % 5) for n in range(5)])
        bays = {'o': 'A01 A02 A03 A04 A05', 'oo': 'A05 A04 A03 A02 A01',
                'ooo': 'A01 A04 A02 A05 A03', 'oooo': 'A03 A02 A05 A01 A04',
                'ooooo': 'A04 A02 A05 A03 A01', 'oooooo': 'A01 A02 A03 A04 A05'}
        for keys, expected in bays.items():
            self.assertEqual(self.rows('type ' + keys)[:5], expected.split(), keys)

    def test_filters(self):
        for keys, n in (('', 60), ('f', 33), ('ff', 11), ('fff', 3), ('ffff', 60)):
            commands = ['type ' + keys] if keys else []
            self.assertEqual(len(self.rows(*commands, size='200 70')), n, keys)

    def test_failed_is_seen_without_a_key(self):
        lines = rack()
        for n in (5, 12, 33, 57):
            lines[1 + n] = disk(n, State='done', Outcome='failed')
        self.station(lines)
        for size in ('40 12', '60 20', '80 24', '79 12', '200 60'):
            screen = '\n'.join(self.screens('size ' + size, 'draw')[0][2:])
            for bay in 'A06 A13 B03 C04 C15 D07 D13'.split():
                self.assertRegex(screen, bay + ' +(FAILED|BAD BLKS|PULLED)')

    def test_cursor_stays_with_its_disk(self):
        self.station([disk(n) for n in range(4)])
        self.station([disk(n) for n in (9, 2, 1)], 'later')
        screen = self.screens('size 80 24', 'key Down', 'key Down', f'read {self.path("later")}',
                              'draw')[0]
        self.assertEqual([l[:5] for l in screen if l.startswith('>')], ['> A03'])

    def test_cursor_is_always_on_the_screen(self):
        rng = random.Random(3)
        keys = ['Up', 'Down', 'Left', 'Right', 'PageUp', 'PageDown', 'Home', 'End', 'o', 'v']
        for size in ('40 10', '80 24', '100 15', '200 60'):
            commands = [f'size {size}']
            for _ in range(100):
                commands += [f'key {rng.choice(keys)}', 'draw']
            for screen in self.screens(*commands):
                self.assertEqual(len(re.findall(r'>[ !*~]', '\n'.join(screen[2:-2]))), 1)


class Any(Drawn):
    """Random stations, sizes and keys: no line is wider than the screen, nothing that a terminal
    might obey is in it."""
    WORDS = ['', 'A01', 'x' * 300, '\u6f22\u5b57' * 9, 'a b ' * 60, HOSTILE, 'e\u0301\u0301',
             r'\x00\x01\x7f', '\U0001f4a9' * 20]

    def member(self, rng, key):
        word = rng.choice(self.WORDS)
        number = rng.choice([0, 1, 99, 2**31 - 1, 2**32 - 1])
        if key == 'State':
            return rng.choice(['free', 'done', 'writing', 'waiting', 'absent', 'odd', word])
        if key in ('Capacity', 'BytesTotal', 'Rate', 'Errors', 'ExpectedEndTime',
                   'ExpectedStartTime'):
            return rng.choice([number, 2**64 - 1, (NOW + number) * 1_000_000])
        if key in ('Pass', 'Passes', 'Temperature'):
            return number
        if key == 'Progress':
            return rng.choice([0, 0.5, 1, 7, -1, 'nan', 'inf'])
        return word

    def random_station(self, rng):
        keys = ['Device', 'Serial', 'WWN', 'Vendor', 'Model', 'Bay', 'Slot', 'Address', 'State',
                'Outcome', 'Message', 'Reason', 'Health', 'Signatures', 'Capacity', 'Rate',
                'Errors', 'Progress', 'ExpectedEndTime', 'ExpectedStartTime', 'Temperature',
                'Pass', 'Passes', 'BytesTotal']
        lines = [line('manager', Station=rng.choice(self.WORDS), Notes=rng.choice(self.WORDS))]
        for n in range(rng.choice([0, 1, 5, 60])):
            lines.append(line(f'disk {n}', Job=rng.choice(['/', '1', '']),
                              **{k: self.member(rng, k) for k in keys}))
        lines.append(line('job 1', Label=rng.choice(self.WORDS),
                          Message=rng.choice(self.WORDS)))
        return lines

    def width(self, text):
        for c in text:  # what stands in no place of its own
            self.assertNotIn(unicodedata.category(c), ('Mn', 'Me', 'Cf', 'Cc'), repr(text))
        return sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)

    def test_any(self):
        keys = ['Up', 'Down', 'Left', 'Right', 'End', 'Enter', 'Escape', 'Space', '?', 'f', 'o',
                'v', 's', 'c', 'a', 'y', 'Other', 'p', '1']
        for seed in range(60):
            rng = random.Random(seed)
            self.station(self.random_station(rng))
            commands, sizes = [], []
            for _ in range(12):
                sizes.append((rng.choice([1, 2, 20, 40, 41, 53, 80, 81, 132, 250]),
                              rng.choice([1, 2, 9, 10, 11, 24, 60])))
                commands += ['size %d %d' % sizes[-1], f'key {rng.choice(keys)}', 'draw']
            screens = self.screens(*commands, LC_ALL=rng.choice(['C', 'C.UTF-8']))
            self.assertEqual(len(screens), len(sizes))
            for (width, height), screen in zip(sizes, screens):
                screen = [l for l in screen if not l.startswith('action ')]
                self.assertEqual(len(screen), height, seed)
                for text in screen:
                    self.assertLessEqual(self.width(text), width, f'{seed}: {text!r}')
                    self.assertNotRegex(text, '[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]')


class Keys(Drawn):
    """What a key asks for, and of which disks."""

    def asked(self, *commands):
        return re.findall(r'^action (.*)', self.draw(*commands), re.M)

    def test_one_and_marked(self):
        self.assertEqual(self.asked('key p'), ['pause A01'])
        self.assertEqual(self.asked('key Space', 'key Space', 'key p'), ['pause A01 A02'])
        self.assertEqual(self.asked('key Space', 'key Escape', 'key p'), ['pause A02'])
        self.assertEqual(self.asked('key r'), [])
        self.assertEqual(self.asked('key q'), ['quit'])

    def test_details_are_about_their_disk(self):
        self.assertEqual(self.asked('key Space', 'key Down', 'key Enter', 'key p'), ['pause A03'])

    def test_a_hidden_disk_is_not_meant(self):
        self.assertEqual(self.asked('key Space', 'type ff', 'key p'), ['pause C06'])
        self.assertEqual(self.asked('key Space', 'type ffff', 'key p'), [])

    def test_cancel_is_asked(self):
        self.assertEqual(self.asked('key c', 'key y'), ['asked A01', 'cancel A01'])
        for no in ('n', 'Enter', 'Escape', 'q', 'Space', 'c'):
            self.assertEqual(self.asked('key c', f'key {no}'), ['asked A01'], no)
        self.assertEqual(self.asked('key End', 'key c', 'key y'), [])

    FREE = ['key End', 'key Up', 'key Up']  # D13

    def test_start_one(self):
        typed = {'0057': True, ' 0057 ': True, '': False, '57': False, '00057': False,
                 'y': False, 'SER00057': False, '1': False}
        for text, right in typed.items():
            got = self.asked(*self.FREE, 'key s', 'type ' + text, 'key Enter')
            self.assertEqual(got, ['asked D13'] + ['start D13'] * right, text)
        self.assertEqual(self.asked(*self.FREE, 'key s', 'type 0058', 'key Erase', 'type 7',
                                    'key Enter')[1:], ['start D13'])
        self.assertEqual(self.asked(*self.FREE, 'key s', 'type 0057', 'key Escape', 'key Enter'),
                         ['asked D13'])

    def test_start_several(self):
        mark = self.FREE + ['key Up', 'key Space', 'key Space', 'key s']
        for text, right in {'2': True, '1': False, '02': False, '0057': False, '': False}.items():
            got = self.asked(*mark, 'type ' + text, 'key Enter')
            self.assertEqual(got, ['asked D12 D13'] + ['start D12 D13'] * right, text)

    def test_start_is_refused(self):
        self.assertEqual(self.asked('key s'), [])
        self.assertEqual(self.asked('key End', 'key s', 'type 0059', 'key Enter'), [])
        self.assertEqual(self.asked('key Space', *self.FREE, 'key Space', 'key s'), [])
        self.assertEqual(self.asked('away gone', *self.FREE, 'key s'), [])
        self.assertIn('D15 may not be erased: mounted at /srv',
                      self.draw('key End', 'key s', 'draw'))

    def test_a_question_means_what_it_showed(self):
        """The disk is pulled and another is put into its bay while the question stands."""
        self.station([disk(0)])
        self.station([disk(0, ident=99, Serial='OTHER-99')], 'later')
        later = f'read {self.path("later")}'
        self.assertEqual(self.asked('key s', later, 'type R-99', 'key Enter'), ['asked A01'])
        screen = self.draw('key s', later, 'draw')
        self.assertIn('SER00000', screen)
        self.assertNotIn('OTHER', screen)

    def test_unseen_question(self):
        self.assertEqual(self.asked('key c', 'size 30 5', 'key y'), ['asked A01'])
        self.assertEqual(self.asked('size 30 5', 'key q'), ['quit'])


class OnTerminal(Drawn):
    """The service is another process, as in a station."""

    def setUp(self):
        super().setUp()
        self.service = self.serve(*rack())

    def top(self, **env):
        t = Shown(self, 'top', **env)
        t.await_(r'^\?=help')
        return t

    def quit(self, t):
        t.type('q')
        self.assertEqual(t.end(), 0)

    def stop_service(self):
        self.service.kill()
        self.service.wait()
        os.unlink(self.path('bus'))

    def test_each_terminal(self):
        for term in ('vt100', 'vt220', 'linux', 'xterm-256color'):
            for more in ({}, {'NO_COLOR': '1'}):
                t = self.top(TERM=term, **more)
                t.await_(r'\Arack-1.*A01 ')
                t.type('f')
                t.await_('working by bay')
                self.quit(t)

    def test_no_color(self):
        for more, colors in (({}, True), ({'NO_COLOR': '1'}, False)):
            t = Shown(self, 'top', TERM='xterm-256color', **more)
            t.expect(r'\?=help')
            self.assertEqual(bool(re.search(r'\033\[(\d+;)*3[0-7]m', t.text)), colors)
            self.quit(t)

    def test_resized_while_it_runs(self):
        rng = random.Random(1)
        t = self.top()
        sizes = [(200, 60), (40, 10), (39, 10), (80, 24), (20, 3), (132, 43), (80, 9)]
        sizes += [(rng.randint(40, 200), rng.randint(10, 60)) for _ in range(10)] + [(80, 24)]
        for width, height in sizes:
            t.set_size(width, height)
            if width < 40 or height < 10:
                t.await_('^terminal too small'[:width])
                continue
            t.await_(r'^\?=help q=quit[^\n]* by bay\Z')
            t.await_(r'\A[^\n]*3 FAILED')
            t.type('j')
        self.quit(t)

    def test_screen_is_what_was_drawn(self):
        """Curses' differences come to the same screen as drawing it whole."""
        lines = [l for l in rack() if 'Expected' not in l]
        self.station(lines)
        self.stop_service()
        self.service = self.serve(*lines)
        for width, height in ((80, 24), (131, 37)):
            t = self.top(width=width, height=height)
            commands = [f'size {width} {height}']
            for key in 'jjjoovfffffaa':
                t.type(key)
                commands.append(f'key {key}')
                expected = '\n'.join(self.screens(*commands, 'draw')[0])
                t.await_(r'\A' + re.escape(expected) + r'\s*\Z')
            self.quit(t)

    def test_commands_reach_the_service(self):
        t = self.top()
        t.type('p')
        t.await_('1 disk: asked to pause')
        t.type('c')
        t.await_('y = yes')
        t.type('y')
        t.await_('asked to stop')
        t.type('\033OF')
        t.await_('> ?D15')
        t.type('kks')
        t.await_('To be ERASED.*Type the last 4')
        t.type('0057\r')
        t.await_('1 disk queued')
        self.quit(t)
        calls = [c for c in self.calls() if re.search('Pause|Cancel|Submit|Plan', c)]
        self.assertEqual(len(calls), 4, calls)
        for call, words in zip(calls, (('Pause', 'disk/0'), ('Cancel', 'disk/0'),
                                       ('Plan', 'SER00057', '2000398934016', 'method zero'),
                                       ('SubmitPlan', 'Manager digest'))):
            for word in words:
                self.assertIn(word, call)

    def ask_to_start(self, t):
        t.type('\033OF')
        t.await_('> ?D15')
        t.type('kks')

    def test_options_and_forecast(self):
        """The question shows what is started, and how long it takes."""
        self.stop_service()
        with open(self.path('plan'), 'w', encoding='utf-8') as f:
            json.dump({'forecast': forecast('/dev/sg57')}, f)
        self.service = self.serve(*rack(), f'text Plan {self.path("plan")}')
        t = Shown(self, 'top', '--method=random', '--verify=full', '--label=desk 4', '--priority=3')
        t.await_(r'^\?=help')
        self.ask_to_start(t)
        t.await_(r'ERASED by method random, verify full:\s+forecast: 2:00:00 .*SER00057')
        t.await_('Type the last 4')
        t.type('0057\r')
        t.await_('1 disk queued')
        self.quit(t)
        plan, start = [c for c in self.calls() if 'Plan' in c]
        self.assertRegex(plan, 'method random verify full priority 3 label desk 4$')
        self.assertEqual(start, 'SubmitPlan Manager digest priority 3 label desk 4')

    def test_nothing_to_be_planned(self):
        """Without a plan there is no question, and what was typed ahead is forgotten."""
        self.stop_service()
        self.service = self.serve(*rack(), 'error Plan Refused it is mounted')
        t = self.top()
        self.ask_to_start(t)
        t.await_('nothing can be started: refused: it is mounted')
        self.quit(t)
        self.assertNotIn('SubmitPlan', '\n'.join(self.calls()))

    def test_options_that_cannot_be(self):
        for more, said in ((['--method=zero', '--pattern=00'], 'cannot be combined'),
                           (['--method=nosuch'], 'nosuch'), (['--wait'], 'wait')):
            r = Terminal(self, 'top', *more)
            self.assertEqual(r.wait(), 1)
            self.assertIn(said, r.text)

    def test_no_answer(self):
        """Keys are heard while the service does not answer, whatever it was asked."""
        self.stop_service()
        self.service = self.serve(*rack(), 'hang Pause', 'hang Plan')
        for keys in ('p', '\033OFkks'):
            t = self.top()
            t.type(keys)
            t.await_('NO ANSWER from the service')
            self.quit(t)
            t = self.top()
            t.type(keys)
            t.await_('NO ANSWER from the service')
            t.type('\003')
            self.assertEqual(t.end(), -signal.SIGINT)

    def test_stopped_service(self):
        """One that accepts and says nothing is no reason to wait: neither at the beginning ..."""
        t = self.top()
        self.service.send_signal(signal.SIGSTOP)
        t.type('p')
        t.await_('NO ANSWER from the service')
        t.await_('0 of 1 asked to pause: the service does not answer')
        t.type('p')
        t.await_('NO ANSWER')
        self.service.send_signal(signal.SIGCONT)
        t.await_(r'\A(?!.*NO ANSWER).*33 erase')
        self.quit(t)

    def test_list_that_is_not_answered(self):
        """... nor when the list is read: it stays, and the cursor moves in it."""
        t = self.top()
        self.stop_service()
        self.service = self.serve(*rack(), 'hang GetManagedObjects')
        t.await_('NO ANSWER from the service')
        t.type('j')
        t.await_(r'>[* ]A02')
        t.type('p')
        t.await_('nothing was asked of it')
        t.type('s')
        t.await_('nothing can be started')
        self.quit(t)
        self.assertEqual(self.calls(), [])

    def test_refused_by_the_service(self):
        self.stop_service()
        self.service = self.serve(*rack(), 'error Pause NotAuthorized you may not')
        t = self.top()
        t.type('p')
        t.await_('0 of 1 asked to pause: not allowed: you may not')
        self.quit(t)

    def test_typed_ahead(self):
        t = self.top()
        t.type('\033OFkks0057\r')
        t.await_('Type the last 4')
        t.type('\r')
        t.await_('not confirmed')
        self.quit(t)
        self.assertNotIn('Submit', '\n'.join(self.calls()))

    def test_an_answer_is_heard(self):
        """As soon as the screen says how a question is answered, however quick somebody is."""
        t = self.top()
        for _ in range(20):
            t.type('c')
            t.await_('y = yes')
            t.type('n')
            t.await_(r'\A(?!.*y = yes)')
        self.quit(t)

    def test_service_goes_and_comes(self):
        t = self.top()
        self.stop_service()
        t.await_('NO SERVICE, trying again.*A01 ')
        self.service = self.serve(*rack())
        t.await_(r'\A(?!.*NO SERVICE).*33 erase')
        self.stop_service()
        t.await_('NO SERVICE')
        t.type('p')
        t.await_('0 of 1 asked to pause')
        self.quit(t)

    def test_news(self):
        self.stop_service()
        self.service = self.serve(*rack(), 'on Pause', disk(0, State='done', Outcome='failed'),
                                  'notice 1 0 the drive is gone')
        t = self.top()
        t.await_(r'A01 +writes')
        t.type('p')
        t.await_(r'A01 +FAILED')
        t.await_('4 FAILED')
        self.quit(t)

    def test_signals(self):
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            t = self.top()
            t.kill(sig)
            self.assertEqual(t.end(), -sig)
        t = self.top()
        t.type('\003')
        self.assertEqual(t.end(), -signal.SIGINT)

    def hang_up(self):
        t = self.top()
        os.close(t.fd)
        end = time.monotonic() + LIMIT
        while not os.waitpid(t.pid, os.WNOHANG)[0]:
            if time.monotonic() > end:
                t.kill(signal.SIGKILL)
                os.waitpid(t.pid, 0)
                self.fail('it goes on without a terminal')
            time.sleep(0.05)

    def test_hung_up(self):
        self.hang_up()

    def test_hung_up_under_nohup(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        self.hang_up()

    def test_hostile(self):
        text = 'x\x1b[2J\x07\x9b31m\u202egnp'
        self.stop_service()
        self.service = self.serve(*(disk(n, Bay=text, Model=text, Message=text, State=text)
                                    for n in range(3)))
        t = self.top(width=150)
        t.await_(r'\?\[2J\?\?31m\?gnp')
        t.type('\r')
        t.await_('other disk')
        t.type('q')
        t.await_('by bay')
        self.quit(t)

    def test_no_terminal(self):
        r = self.run_cli('top', code=1)
        self.assertEqual((r.stdout, len(r.stderr.splitlines())), ('', 1))
        self.assertIn('diskwipe watch', r.stderr)

    def test_no_such_terminal(self):
        for term in ('dumb', 'no-such-terminal', ''):
            t = Shown(self, 'top', TERM=term)
            self.assertEqual(t.wait(), 1, term)
            self.assertIn('diskwipe watch', t.text)

    def test_no_service(self):
        self.stop_service()
        t = Shown(self, 'top')
        self.assertEqual(t.wait(), 8)
        self.assertIn('diskwipe: ', t.text)


RENEW = '--renew' in sys.argv
if RENEW:
    sys.argv.remove('--renew')
if __name__ == '__main__':
    unittest.main()
