# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that takes the whole screen, and what a person sees of it."""
import os
import re
import termios
import time

from cli import LIMIT, Terminal
from vt import Screen


class Shown(Terminal):
    """The program with a screen that understands what it is sent."""

    def __init__(self, case, *args, width=80, height=24, by=(), **env):
        self.screen = Screen(width, height)
        self.seen = ''
        self.case = case
        super().__init__(case, *args, width=width, height=height, by=by, **env)

    def look(self):
        alive = self.read(0.02)
        self.seen = self.screen.feed(self.seen + self.text)
        self.text = ''
        return alive

    def await_(self, pattern):
        end = time.monotonic() + LIMIT
        while not re.search(pattern, self.screen.text(), re.S | re.M):
            if not self.look() or time.monotonic() > end:
                raise AssertionError(f'no {pattern!r} in\n{self.screen.text()}')
        self.case.assertEqual(self.screen.unknown, [])

    def set_size(self, width, height):
        self.screen.resize(width, height)
        self.resize(width, height)

    def end(self):
        """The exit code; the terminal is as it was."""
        until = time.monotonic() + LIMIT
        while self.look() and time.monotonic() < until:
            pass
        self.check_given_back()
        return self.wait()

    def check_given_back(self):
        flags = termios.tcgetattr(self.fd)[3]
        self.case.assertTrue(flags & termios.ICANON and flags & termios.ECHO)
        self.case.assertNotEqual(self.screen.modes.get(25), 'l')  # the cursor is to be seen
        self.case.assertNotEqual(self.screen.modes.get(1049), 'h')

    def hang_up(self):
        """The terminal goes away; the exit code."""
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
