#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain `diskwipe` on a terminal: what its screen shows, and that what is erased is what was
marked, by the consent of erase, and nothing else."""
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import unittest

from cli import LIMIT, PROGRAM, Case, Terminal, disk
from shown import Shown
from station import JOB, StationCase, words
from station import disk as station_disk
from test_submit import NEW, ended

SHELL = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'jobs_shell.py')
STOPPED = 'command stopped'
LIST = r'^\?=help q=quit '  # the list is there
DOWN, UP, END, HOME = '\033OB', '\033OA', '\033OF', '\033OH'
PAGE_DOWN, PAGE_UP = '\033[6~', '\033[5~'
HOSTILE = 'x\x1b[2J\x07\x9b31m\u202egnp\u2066'
SCREEN = '''\
diskwipe: 4 disks, 3 may be erased; 2 marked, 2.10 MB
method zero, level clear, verification: a sample of 1 %
      DEVICE       SIZE MODEL        SERIAL      HOLDS, OR WHY NOT
  [x] /fake/sg0 1.05 MB ST4000NM0025 SERIAL-0000 ext4, LVM2_member
  [ ] /fake/sg1 1.05 MB MODEL1       SERIAL-0001
  [x] /fake/sg2 1.05 MB MODEL2       SERIAL-0002
>  -  /fake/sg3 1.05 MB MODEL3       SERIAL-0003 mounted at /srv











/fake/sg3 may not be erased: mounted at /srv; to release it: umount /srv
/fake/sg3  ACME MODEL3  SERIAL-0003  1.05 MB



?=help q=quit Space=mark s=start p=plan m=method v=verify l=level c=pdf r=look'''


def machine_of_four():
    return [disk(0, model='ST4000NM0025', signatures='ext4, LVM2_member'), disk(1), disk(2),
            disk(3, refusal='mounted', reason='mounted at /srv', release='umount /srv')]


class Guided(Case):
    def setUp(self):
        super().setUp()
        self.machine(*machine_of_four())

    def replace(self, *lines):
        """Other disks, or others at their nodes; all at once."""
        with open(self.path('next'), 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')
        os.rename(self.path('next'), self.path('machine'))

    def open(self, **kwargs):
        t = Shown(self, **kwargs)
        t.await_(LIST)
        return t

    def type(self, t, keys, pattern):
        t.type(keys)
        t.await_(pattern)

    def quit(self, t):
        t.type('q')
        self.assertEqual(t.end(), 0)

    def untouched(self):
        """Nothing was written; a disk that was claimed has been asked about and given back."""
        self.assertEqual(self.started(), [])

    def back(self, t, said=''):
        """After what was said the list."""
        t.await_(said + r'.*Enter goes back to the list:\s*\Z')
        self.type(t, '\r', LIST)

    def answer(self, t, text, pattern):
        t.await_(r'type [^\n]*:\s*\Z')
        self.untouched()
        self.type(t, text + '\r', pattern)


class Screens(Guided):
    def test_80x24(self):
        t = self.open(width=80, height=24)
        self.type(t, '  ' + UP, r'(?m)^> \[x\] /fake/sg1')
        t.type(' ' + ' ' + DOWN)
        t.await_(r'\A' + re.escape(SCREEN) + r'\Z')
        self.quit(t)
        self.assertEqual(self.log(), [])

    def test_sizes(self):
        for width, height in ((200, 60), (40, 10), (70, 17), (80, 24)):
            t = self.open(width=width, height=height)
            lines = t.screen.lines()
            self.assertEqual(len(lines), height)
            self.assertRegex(lines[0], '^diskwipe: 4 disks, 3 may be erased')
            for n in range(3 if height == 10 else 4):
                self.assertRegex(t.screen.text(), rf'(?m)^. (\[ \]| - ) /fake/sg{n}')
            self.assertEqual('MODEL1 ' in t.screen.text(), width >= 70)
            self.type(t, 'jjj', 'mounted at')
            self.type(t, 'k ', r'\A[^\n]*\b1 (of 4 disks )?marked, 1\.05 MB$')
            self.quit(t)

    def test_each_terminal(self):
        for term in ('vt100', 'vt220', 'linux', 'xterm-256color'):
            for more in ({}, {'NO_COLOR': '1'}):
                t = self.open(TERM=term, **more)
                self.type(t, ' ', r'\[x\] /fake/sg0')
                self.quit(t)

    def test_no_color(self):
        for more, colors in (({}, True), ({'NO_COLOR': '1'}, False), ({'TERM': 'vt100'}, False)):
            t = Shown(self, **({'TERM': 'xterm-256color'} | more))
            t.expect('r=look')
            t.type('jjj')  # a refused disk has its reason in a colour
            t.expect('to release it')
            self.assertEqual(bool(re.search(r'\033\[(\d+;)*3[0-7]m', t.text)), colors)
            self.quit(t)

    def test_refused_is_dim(self):
        t = Shown(self, TERM='xterm')
        t.expect(r'\033\[(0;)?2m/fake/sg3')
        self.assertNotRegex(t.text, r'\033\[(0;)?2m/fake/sg[012]')
        self.quit(t)

    def test_resized(self):
        rng = random.Random(2)
        t = self.open()
        self.type(t, ' ', '1 marked')
        sizes = [(200, 60), (40, 10), (39, 10), (80, 24), (20, 3), (132, 43), (80, 9)]
        sizes += [(rng.randint(40, 200), rng.randint(10, 60)) for _ in range(8)] + [(80, 24)]
        for width, height in sizes:
            t.set_size(width, height)
            if width < 40 or height < 10:
                t.await_(r'\Aterminal too small'[:width])
                t.type(' s\rp')  # nobody sees what these would do
                continue
            t.await_(r'\A(diskwipe: 4 disks|1 of 4 disks marked).*\[x\] /fake/sg0.*^\?=help q=quit')
        t.await_('1 marked')
        self.quit(t)
        self.untouched()

    def test_too_small(self):
        t = Shown(self, width=39, height=10)
        t.await_(r'\Aterminal too small')
        self.quit(t)

    def test_help(self):
        t = self.open()
        self.type(t, '?', '(?s)Keys.*look for disks again.*man diskwipe')
        self.type(t, 'x', LIST)
        self.quit(t)

    def test_small(self):
        """What does not fit in 40x10 is reached; the way to start is always in sight."""
        self.replace(*(disk(n, wwn='') for n in range(200)))
        t = self.open(width=40, height=10)
        self.type(t, END, r'\?=help q=quit Space=mark s=start +200/200\Z')
        self.type(t, '?', r'(?s)\AKeys\nSpace      mark .*\n'
                          r'Down=\d+ more  any other key=back\Z')
        self.assertNotIn('~', t.screen.text())
        self.type(t, DOWN, r'(?s)\AKeys\n {11}')
        self.type(t, END, r'(?s)\AKeys\n.*\nMore: diskwipe --help, man diskwipe\n'
                          r'any other key=back\Z')
        self.type(t, DOWN + PAGE_UP + HOME, r'(?s)\AKeys\nSpace ')
        self.type(t, 'x', LIST)
        self.quit(t)

    def test_hostile(self):
        self.replace(disk(0, model=HOSTILE, serial=HOSTILE, signatures=HOSTILE),
                     disk(1, refusal='mounted', reason='mounted at /' + HOSTILE,
                          release='umount /' + HOSTILE))
        t = Shown(self, width=200)
        seen = ''
        t.expect('r=look')
        seen += t.text
        self.type(t, 'j', 'to release it: umount /x')
        self.assertIn('x?[2J??31m?gnp?', t.screen.text())
        self.assertNotIn('\x1b[2J\x07', seen)
        self.assertNotRegex(seen, '[\x80-\x9f\u202a-\u202e\u2066-\u2069]')
        self.quit(t)


class Lists(Guided):
    def test_no_disk(self):
        self.replace()
        t = self.open()
        t.await_('diskwipe: 0 disks, 0 may be erased.*no disk is here; r looks again')
        self.type(t, ' ', 'there is no disk to mark')
        for keys in ('s', 'p', '\r'):
            self.type(t, '?', 'Keys')
            self.type(t, 'x' + keys, 'no disk is marked')
        self.type(t, DOWN + UP + END + HOME + PAGE_DOWN + PAGE_UP + 'r', LIST)
        self.quit(t)

    def test_many(self):
        self.replace(*(disk(n, wwn='') for n in range(200)))
        t = self.open()
        t.await_(r'200 disks, 200 may be.*> \[ \] /fake/sg0 .* 1/200\Z')
        self.type(t, END, r'> \[ \] /fake/sg199 .* 200/200\Z')
        self.type(t, PAGE_UP, r'> \[ \] /fake/sg184 .* 185/200\Z')
        self.type(t, UP * 3 + ' ', r'> \[ \] /fake/sg182 ')
        self.type(t, UP * 2, r'> .{4}/fake/sg180 .*\[x\] /fake/sg181 ')
        self.type(t, HOME, r'> \[ \] /fake/sg0 .* 1/200\Z')
        self.type(t, PAGE_DOWN + ' ', r'\[x\] /fake/sg15 ')
        self.type(t, 's', 'number of disks above')
        self.answer(t, '2', 'no signed record')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg15', '/fake/sg181'])

    def test_all_of_many(self):
        self.replace(*(disk(n, wwn='') for n in range(200)))
        t = self.open()
        self.type(t, ' ' * 200, '200 marked')
        t.type('s')
        self.answer(t, '200', 'no signed record')
        self.assertEqual(t.end(), 0)
        self.assertEqual(len(self.started()), 200)

    def test_certificate(self):
        """It is an option of erase; its name is a new one each time."""
        t = self.open()
        self.type(t, ' c', r'level clear, certificate, verif.*'
                  r'a signed certificate will be in diskwipe-\d{8}-\d{6}\.pdf, in this folder')
        self.type(t, 'c', 'level clear, verif')
        self.type(t, 'c', 'level clear, certificate, verif')
        self.type(t, 'p', r'would erase 1 disk; nothing .*goes back to the list:\s*\Z')
        self.type(t, '\r', LIST)
        self.quit(t)

    def test_rescan(self):
        """Marks and the cursor stay with disks, not with nodes; new disks are there."""
        t = self.open()
        self.type(t, ' ' + DOWN, r'> \[ \] /fake/sg2')
        zero, _, two, three = machine_of_four()
        self.replace(disk(9), two.replace('sg2', 'sg0'), three, zero.replace('sg0', 'sg7'))
        self.type(t, 'r', r'> \[ \] /fake/sg0 .*\[x\] /fake/sg7 .*SERIAL-0000')
        t.await_(r'\[ \] /fake/sg9')
        self.replace(two, three, disk(0, blocks=4096), disk(1))
        self.type(t, 'r', '1 of the marked disks is not here as before, and is no longer marked')
        t.await_(r'\A(?!.*\[x\])')
        self.quit(t)
        self.assertEqual(self.log(), [])

    def test_mark_of_a_disk_that_is_refused_now(self):
        t = self.open()
        self.type(t, '  ', '2 marked')
        lines = machine_of_four()
        self.replace(lines[0] + '\trefusal=open\treason=open in process 7', *lines[1:])
        self.type(t, 'r', '1 of the marked disks')
        t.await_('1 marked')
        self.quit(t)

    def test_paths_are_one_disk(self):
        same = {'serial': 'TWO-PATHS', 'wwn': '0x5', 'model': 'M', 'designators': '7'}
        self.replace(disk(0, **same), disk(1, **same), disk(2))
        t = self.open()
        t.await_('diskwipe: 2 disks')
        self.type(t, ' ', r'\[x\] /fake/sg0.*\[ \] /fake/sg2')
        t.type('s')
        self.answer(t, 'ATHS', 'no signed record')
        self.assertEqual(t.end(), 0)

    def test_nameless(self):
        """Nothing could say later which disk was marked."""
        self.replace(disk(0, serial='', wwn=''), disk(1, name='shared'), disk(2))
        t = self.open()
        self.type(t, ' ', '/fake/sg0 may not be erased: has neither serial nor WWN')
        t.await_('to release it: diskwipe /fake/sg0')
        self.type(t, DOWN + ' ', 'sg1 cannot be marked')
        t.await_(r'\A(?!.*\[x\])')
        self.quit(t)

    def test_refused_cannot_be_marked(self):
        t = self.open()
        self.type(t, END + ' ', '/fake/sg3 cannot be marked: it may not be erased')
        t.await_('may not be erased: mounted at /srv; to release it: umount /srv')
        for keys in ('s', '\r', 'p'):
            self.type(t, 'j', r'\A(?!.*no disk is marked)')
            self.type(t, keys, 'no disk is marked; Space marks')
        self.quit(t)
        self.assertEqual(self.log(), [])


class Choices(Guided):
    def planned(self, t):
        t.type('p')
        t.await_(r'Enter goes back to the list:\s*\Z')
        text = t.screen.text()
        self.untouched()
        self.assertNotIn('claim', ' '.join(self.log()))
        self.type(t, '\r', LIST)
        return text

    def test_plan(self):
        """What --dry-run prints, and the list as it was."""
        t = self.open()
        self.type(t, ' ', '1 marked')
        text = self.planned(t)
        for line in self.run_cli('--dry-run', '/fake/sg0').stdout.splitlines():
            if line.startswith(('method', 'command', 'strategy', 'would')):
                self.assertIn(line, text)
        self.assertIn('forecast: 0:00:10', text)
        t.await_(r'1 marked.*\[x\] /fake/sg0')
        self.quit(t)

    def test_method_and_verification(self):
        t = self.open()
        self.type(t, ' ', '1 marked')
        self.type(t, 'm', r'Method.*> zero .*dod-short')
        self.type(t, DOWN, '> random .*as zero')
        self.type(t, '\r', 'method random, level clear')
        self.type(t, 'v', 'Verification.*> usual')
        self.type(t, DOWN * 2, '> full')
        self.type(t, '\r', 'method random, level clear, verification: full')
        text = self.planned(t)
        self.assertIn('method: random', text)
        self.assertIn('verification: full', text)
        self.type(t, 'v', 'Verification.*> full')
        self.type(t, END, '> off')
        self.type(t, ' ', 'verification: off')
        self.assertIn('verification: off', self.planned(t))
        self.type(t, 'v' + HOME + DOWN + '\r', 'verification: sample:10%')
        self.assertIn('verification: a sample of 10 %', self.planned(t))
        t.type('s')
        self.answer(t, '0000', 'no signed record')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg0'])

    def test_given_up(self):
        t = self.open()
        for key, title in (('m', 'Method'), ('v', 'Verification'), ('l', 'Level')):
            self.type(t, key, title)
            self.type(t, DOWN, '^> (random|sample|purge)')
            self.type(t, '\033', LIST)
            t.await_('method zero, level clear, verification: a sample of 1 %')
        self.quit(t)

    def test_level(self):
        t = self.open()
        self.type(t, 'l' + DOWN + '\r', 'method auto, level purge,')
        t.type(' s')
        self.back(t, 'skipped: .*nothing was written')
        self.untouched()
        self.type(t, 'l' + DOWN + '\r', 'method auto, level purge or clear,')
        self.assertIn('would erase 1 disk', self.planned(t))
        self.type(t, 'l' + HOME + '\r', 'method zero, level clear,')
        self.quit(t)


class Consent(Guided):
    def test_exactly_the_marked(self):
        t = self.open()
        self.type(t, ' ' + DOWN + ' ', '2 marked')
        t.type('s')
        self.answer(t, '2', 'no signed record was made')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg0', '/fake/sg2'])
        self.assertIn('2 of 2 disks erased', t.screen.text())

    def test_unmarked(self):
        t = self.open()
        self.type(t, '  ' + UP + UP + ' ', r'\[ \] /fake/sg0.*\[x\] /fake/sg1.*')
        t.type('\r')
        self.answer(t, '0001', 'no signed record')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg1'])

    def test_wrong(self):
        """The question of erase, its answer, and the list with its marks again."""
        t = self.open()
        self.type(t, '  ', '2 marked')
        for text in ('', 'y', '1', '02', '0000', 'yes'):
            t.type('s')
            self.answer(t, text, 'not confirmed; nothing was written')
            self.untouched()
            self.back(t)
            t.await_('2 marked')
        self.quit(t)
        self.untouched()

    def test_wrong_then_right(self):
        t = self.open()
        self.type(t, ' ', '1 marked')
        t.type('s')
        self.answer(t, '\x04', 'not confirmed')
        self.back(t)
        t.type('s')
        self.answer(t, '0000', 'no signed record')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg0'])

    def test_typed_ahead(self):
        """Neither question nor list takes what was typed before it was there."""
        t = self.open()
        t.type(' s0000\r0000\r')
        t.await_(r'type [^\n]*:\s*\Z')
        t.type('no\r')
        t.await_(r'not confirmed.*Enter goes back to the list:\s*\Z')
        self.type(t, '\r\r', LIST)
        self.type(t, '?', 'Keys')
        self.type(t, 'x', LIST)
        self.quit(t)
        self.untouched()

    def test_other_disk_at_the_node(self):
        """Between mark and start the nodes change: the disk that was marked is erased."""
        t = self.open()
        self.type(t, ' ', r'\[x\] /fake/sg0 .*SERIAL-0000')
        zero, one, two, three = machine_of_four()
        self.replace(one.replace('sg1', 'sg0'), zero.replace('sg0', 'sg1'), two, three)
        t.type('s')
        self.answer(t, '0000', 'no signed record')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg1'])

    def test_gone(self):
        t = self.open()
        self.type(t, ' ', r'\[x\] /fake/sg0 .*SERIAL-0000')
        for line in (disk(0, serial='ANOTHER', wwn='0x9'), disk(0, blocks=4096)):
            self.replace(line, *machine_of_four()[1:])
            self.type(t, 's', r'no erasable disk selected.*Enter goes back to the list:\s*\Z')
            self.replace(*machine_of_four())
            self.type(t, '\r', LIST)
            t.await_('diskwipe: 4 disks')
            self.type(t, HOME, '> .{4}/fake/sg0')
            if '1 marked' not in t.screen.text():
                self.type(t, ' ', '1 marked')
        self.quit(t)
        self.untouched()

    def test_refused_meanwhile(self):
        t = self.open()
        self.type(t, '  ', '2 marked')
        lines = machine_of_four()
        self.replace(lines[0] + '\trefusal=open\treason=open in process 7', *lines[1:])
        t.type('s')
        self.answer(t, '0001', 'no signed record')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg1'])

    def test_failed(self):
        """Its exit status is that of erase."""
        self.replace(disk(0, outcome='failed'), disk(1))
        t = self.open()
        self.type(t, '  ', '2 marked')
        t.type('s')
        self.answer(t, '2', '1 of 2 disks erased, 1 failed')
        self.assertEqual(t.end(), 3)


class Left(Guided):
    def test_quit(self):
        """A console has no other screen to go back to: nothing stands under the next prompt."""
        t = self.open(TERM='linux')
        self.quit(t)
        self.assertEqual(t.screen.text().strip(), '')

    def test_signals(self):
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            t = self.open()
            self.type(t, ' ', '1 marked')
            t.kill(sig)
            self.assertEqual(t.end(), -sig)
        t = self.open()
        self.type(t, ' m', 'Method')
        t.type('\x03')
        self.assertEqual(t.end(), -signal.SIGINT)
        self.assertEqual(self.log(), [])

    def test_ctrl_c_at_questions(self):
        t = self.open()
        self.type(t, ' ', '1 marked')
        self.type(t, 'p', r'Enter goes back to the list:\s*\Z')
        t.type('\x03')
        self.assertEqual(t.end(), -signal.SIGINT)
        t = self.open()
        self.type(t, ' ', '1 marked')
        self.type(t, 's', r'type [^\n]*:\s*\Z')
        t.type('\x03')
        self.assertEqual(t.end(), -signal.SIGINT)
        self.assertIn('stopped; nothing was written', t.screen.text())
        self.untouched()

    def test_stopped_at_work(self):
        self.replace(disk(0, until=self.path('never')))
        t = self.open()
        self.type(t, ' ', '1 marked')
        t.type('s')
        self.answer(t, '0000', 'writing')
        t.type('\x03')
        self.assertEqual(t.end(), -signal.SIGINT)
        self.assertIn('1 stopped', t.screen.text())

    def test_end_of_input(self):
        t = self.open()
        self.type(t, ' ', '1 marked')
        self.type(t, 'p', r'Enter goes back to the list:\s*\Z')
        t.type('\x04')
        self.assertEqual(t.end(), 0)
        self.untouched()

    def test_terminal_that_cannot(self):
        for term in ('dumb', 'nosuch-terminal', ''):
            t = Terminal(self, TERM=term)
            self.assertEqual(t.wait(), 1)
            self.assertIn('diskwipe list shows them', t.text)

    def test_no_terminal(self):
        """Neither of the three is a terminal: what it always said."""
        for others in range(7):
            master, slave = pty.openpty()
            with open(os.devnull, 'r+', encoding='utf-8') as null:
                fds = [slave if others & 1 << i else null for i in range(3)]
                if fds[2] is null:
                    fds[2] = subprocess.PIPE
                p = subprocess.run([PROGRAM], stdin=fds[0], stdout=fds[1], stderr=fds[2],
                                   timeout=LIMIT, env=self.environment(), check=False)
            os.close(slave)
            said = p.stderr if fds[2] == subprocess.PIPE else os.read(master, 4096)
            os.close(master)
            self.assertEqual(p.returncode, 1)
            self.assertIn(b'no device named; see diskwipe list and diskwipe --help', said)

    def test_words_are_no_reason_for_a_screen(self):
        t = Terminal(self, '--yes')
        self.assertEqual(t.wait(), 1)
        self.assertIn('no device named', t.text)


class Stopped(Guided):
    """Ctrl-Z gives the terminal back whole, and fg goes on where it was; a terminal that goes away
    ends the program as SIGHUP does. At each step."""

    def open(self, **kwargs):
        return super().open(by=(sys.executable, '-B', SHELL), **kwargs)

    def stop_and_go(self, t, said='', then=LIST):
        """What the terminal is in between."""
        seen = t.screen.text().count(STOPPED)
        t.type('\x1a')
        t.await_(rf'(?:{STOPPED}.*){{{seen + 1}}}\Z')
        t.check_given_back()
        t.type('fg\n' + said)
        t.await_(then)

    def test_at_each_step(self):
        self.replace(disk(0, until=self.path('go')), disk(1))
        t = self.open()
        self.type(t, ' ', '1 marked')
        self.stop_and_go(t, then=r'\Adiskwipe: 2 disks.*1 marked.*\[x\] /fake/sg0.*q=quit')
        self.type(t, 'm', 'Method')
        self.stop_and_go(t, then='Method.*> zero')
        self.type(t, '\033', LIST)
        self.type(t, 'p', r'Enter goes back to the list:\s*\Z')
        self.stop_and_go(t, '\r')
        self.type(t, 's', r'type [^\n]*:\s*\Z')
        self.stop_and_go(t, '0000\r',
                         r'fg\s+0000\s+sg0 +\[[#.]+\] .* writing .*^1 disk: 1 at work')
        # the bars stand below what was written meanwhile, and what was there stays
        self.stop_and_go(
            t, then=rf'^sg0 .*^1 disk: .*{STOPPED}.*fg\s+sg0 +\[.*^1 disk: 1 at work')
        with open(self.path('go'), 'w', encoding='utf-8'):
            pass
        t.await_(rf'{STOPPED}.*1 of 1 disk erased')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.started(), ['/fake/sg0'])

    def test_background(self):
        """bg leaves the terminal to the shell: no bar is drawn over what it writes."""
        self.replace(disk(0, until=self.path('go')))
        t = self.open()
        self.type(t, ' s', r'type [^\n]*:\s*\Z')
        self.type(t, '0000\r', r'sg0 +\[[#.]+\] .*^1 disk: 1 at work')
        t.type('\x1a')
        t.await_(rf'{STOPPED}\s*\Z')
        self.type(t, 'bg\n', r'bg\s*\Z')
        with open(self.path('go'), 'w', encoding='utf-8'):
            pass
        t.await_(rf'{STOPPED}.*1 of 1 disk erased')
        self.assertEqual(t.end(), 0)
        self.assertRegex(t.screen.text(), rf'(?sm)^sg0 +\[.*{STOPPED}\s+bg\s')
        self.assertNotRegex(t.screen.text().split(STOPPED)[1], r'sg0 +\[')

    def test_size_of_then(self):
        t = self.open()
        self.type(t, ' ', '1 marked')
        t.type('\x1a')
        t.await_(STOPPED)
        t.set_size(40, 10)
        t.type('fg\n')
        t.await_(r'\A1 of 4 disks marked[^\n]*\n[^\n]*\n.*\[x\] /fake/sg0.*^\?=help')
        self.quit(t)

    def test_terminal_that_goes_without_a_signal(self):
        """It may come after the terminal has gone; here it never does."""
        ignores = ('/bin/sh', '-c', 'trap "" HUP; exec "$0" "$@"')
        for keys, there in ((' ', '1 marked'), (' p', r'Enter goes back to the list:\s*\Z'),
                            (' s', r'type [^\n]*:\s*\Z')):
            t = super().open(by=ignores)
            self.type(t, keys, there)
            self.assertEqual(t.hang_up(), -signal.SIGHUP)
            self.untouched()

    def test_terminal_that_goes(self):
        self.replace(disk(0, until=self.path('never')))
        for keys, there in ((' ', '1 marked'), (' m', 'Method'),
                            (' p', r'Enter goes back to the list:\s*\Z'),
                            (' s', r'type [^\n]*:\s*\Z')):
            t = super().open()
            self.type(t, keys, there)
            self.assertEqual(t.hang_up(), -signal.SIGHUP)
            self.untouched()
        t = super().open()
        self.type(t, ' s', r'type [^\n]*:\s*\Z')
        self.type(t, '0000\r', 'writing')
        self.assertEqual(t.hang_up(), -signal.SIGHUP)
        self.assertEqual(self.started(), ['/fake/sg0'])


class WithService(StationCase, Guided):
    def serve_disks(self, *more):
        self.replace(disk(9))  # what the library would list
        return self.serve(station_disk(0), station_disk(1),
                          station_disk(2, Refusal='mounted', Reason='mounted at /srv',
                                       State='refused'),
                          station_disk(3, Job='1', State='writing'), *more)

    def submits(self):
        return [c for c in self.calls() if c.startswith('Submit ')]

    def test_submits(self):
        self.serve_disks('on Submit', NEW, words('disk 0', Job='new', State='queued'),
                         'on GetManagedObjects', *ended(0, 'erased'))
        t = self.open()
        t.await_(r'The service diskwiped runs here: what is marked is submitted to it')
        t.await_(r'diskwipe: 4 disks, 2 may be erased.* - +/fake/sg2 .* - +/fake/sg3 ')
        self.type(t, ' ', '1 marked')
        t.type('s')
        self.answer(t, '0000', 'the service keeps no signed records')
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.submits(), ['Submit Manager serial SERIAL-0000 wwn '
                                          '0x5000c50000000000 capacity 1048576 method zero'])
        self.assertEqual(self.log(), [])

    def test_not_confirmed(self):
        self.serve_disks()
        t = self.open()
        self.type(t, '  ', '2 marked')
        t.type('s')
        self.answer(t, '1', 'not confirmed')
        self.back(t)
        t.type('p')
        self.back(t, 'would submit 2 disks; nothing was submitted')
        self.quit(t)
        self.assertEqual(self.submits(), [])

    def test_simulated(self):
        self.serve_disks('manager\tSimulated=true')
        t = self.open()
        t.await_('SIMULATED STATION, no disk of this machine is touched')
        self.quit(t)

    def test_records(self):
        self.serve_disks('manager\tRecordsFolder=/srv/records', 'on Submit', NEW,
                         words('disk 0', Job='new', State='queued'),
                         'on GetManagedObjects', *ended(0, 'erased'))
        t = self.open(width=200)
        self.type(t, ' ', '1 marked')
        t.type('s')
        self.answer(t, '0000', 'its signed records are in /srv/records; a certificate of '
                               f'them: diskwipe-report certificate --job={JOB[:8]} '
                               '-o certificate.pdf /srv/records')
        self.assertEqual(t.end(), 0)

    def test_records_of_a_job_without_a_number(self):
        """The service has taken it and does not show it: its records are not denied."""
        self.serve_disks('manager\tRecordsFolder=/srv/records')
        t = self.open(width=200)
        self.type(t, ' ', '1 marked')
        t.type('s')
        self.answer(t, '0000', 'signed records of the service are in /srv/records')
        self.assertNotIn('keeps no signed records', t.screen.text())

    def test_records_of_a_service_that_has_gone(self):
        """What this program erases is in no records of the service."""
        service = self.serve_disks('manager\tRecordsFolder=/srv/records')
        t = self.open()
        t.await_('The service diskwiped runs here')
        service.kill()
        service.wait()
        self.type(t, 'r', 'diskwipe: 1 disk,.*/fake/sg9')
        self.type(t, ' ', '1 marked')
        t.type('s')
        self.answer(t, '0009', 'no signed record was made')
        self.assertEqual(t.end(), 0)
        self.assertNotIn('/srv/records', t.screen.text())

    def test_cannot_be_asked(self):
        self.serve_disks('error GetManagedObjects NotAuthorized you may not')
        t = self.open()
        t.await_(r'The service diskwiped cannot be asked \(not allowed: you may not')
        t.await_('diskwipe: 1 disk,.*/fake/sg9')
        self.quit(t)

    def test_no_answer(self):
        self.serve_disks('hang GetManagedObjects')
        t = self.open()
        t.await_(r'The service diskwiped cannot be asked \(the service does not answer.*/fake/sg9')
        self.quit(t)

    def test_not_allowed(self):
        """Nothing was submitted: the list comes back."""
        self.serve_disks('error Submit NotAuthorized you may not')
        t = self.open()
        self.type(t, ' ', '1 marked')
        t.type('s')
        self.answer(t, '0000', 'not allowed: you may not')
        self.back(t)
        t.await_(r'\[x\] /fake/sg0')
        self.quit(t)

    @unittest.skipIf(not shutil.which('dbus-daemon'), 'no dbus-daemon')
    def test_is_not_started(self):
        """A look at the disks starts no service."""
        with open(self.path('start'), 'w', encoding='utf-8') as f:
            f.write(f'#!/bin/sh\n>{self.path("started")}\nexit 1\n')
        os.chmod(self.path('start'), 0o755)
        bus = self.bus_that_starts(self.path('start'))
        where = {'DISKWIPE_BUS_ADDRESS': '', 'DBUS_SYSTEM_BUS_ADDRESS': bus}
        t = self.open(**where)
        t.await_('diskwipe: 4 disks, 3 may be erased')
        self.quit(t)
        self.assertFalse(os.path.exists(self.path('started')))
        self.run_cli('status', code=8, **where)  # which does
        self.assertTrue(os.path.exists(self.path('started')))

    def test_none_runs(self):
        t = self.open()
        t.await_(r'\A(?!.*service).*/fake/sg3')
        self.quit(t)


if __name__ == '__main__':
    unittest.main()
