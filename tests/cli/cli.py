# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the program, off a terminal or on one, on a machine made of words."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

PROGRAM = os.environ['DISKWIPE']
LIMIT = 120  # seconds that any run may take; only to end a test that hangs


def disk(n, **more):
    """A line of the machine: a healthy disk number n, changed by more."""
    line = {'sg': f'/fake/sg{n}', 'block': f'/fake/sd{n}', 'vendor': 'ACME',
            'model': f'MODEL{n}', 'serial': f'SERIAL-{n:04}', 'wwn': f'0x5000c5000000000{n:x}'}
    line.update(more)
    return '\t'.join(f'{k}={v}' for k, v in line.items())


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory(prefix='diskwipe-cli.')
        self.addCleanup(self.dir.cleanup)
        self.machine()

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def machine(self, *lines):
        with open(self.path('machine'), 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'COLUMNS', 'LINES')}
        env.update(DISKWIPE_FAKE=self.path('machine'), DISKWIPE_FAKE_LOG=self.path('log'),
                   TERM='xterm', LC_ALL='C.UTF-8')
        env.update(more)
        return env

    def log(self):
        """What was done to the disks."""
        try:
            with open(self.path('log'), encoding='utf-8') as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def started(self):
        return [line.split()[1] for line in self.log() if line.startswith('start ')]

    def run_cli(self, *args, code=0, **env):
        r = subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=LIMIT, text=True, env=self.environment(**env), check=False)
        if code is not None:
            self.assertEqual(r.returncode, code, f'{args}: {r.stdout}\n{r.stderr}')
        return r

    def run_json(self, *args, code=0):
        return json.loads(self.run_cli(*args, '--json', code=code).stdout)

    def spawn(self, *args, **kwargs):
        kwargs = {'stdout': subprocess.PIPE} | kwargs
        p = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, text=True,
                             stderr=subprocess.PIPE, env=self.environment(), **kwargs)
        self.addCleanup(lambda: p.poll() is not None or p.kill())
        return p


class Terminal:
    """The program on a pseudo terminal: stdin, stdout and stderr."""

    def __init__(self, case, *args, width=100, height=30, by=(), **env):
        """by: what runs the program, and its arguments"""
        self.text = ''
        self.pid, self.fd = pty.fork()
        if not self.pid:
            for sig in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # whoever runs the tests
                signal.signal(sig, signal.SIG_DFL)                      # may ignore them
            argv = [*by, PROGRAM, *args]
            os.execve(argv[0], argv, case.environment(**env))
        self.resize(width, height)

    def resize(self, width, height):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', height, width, 0, 0))

    def read(self, seconds=0.05):
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return False
            self.text += data.decode('utf-8', 'replace')
            return bool(data)
        return True

    def expect(self, pattern):
        end = time.monotonic() + LIMIT
        while not re.search(pattern, self.text):
            if not self.read() or time.monotonic() > end:
                raise AssertionError(f'no {pattern!r} in {self.text!r}')

    def type(self, text):
        os.write(self.fd, text.encode())

    def kill(self, sig):
        os.kill(self.pid, sig)

    def wait(self):
        """The exit code, negative for a signal."""
        end = time.monotonic() + LIMIT
        while self.read() and time.monotonic() < end:
            pass
        if time.monotonic() >= end:
            os.kill(self.pid, signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)
