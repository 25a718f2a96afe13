#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The power of a fleet's ledger and of a station is cut, at any time: nothing that counts as sent
is lost, and nothing is there twice.

PostgreSQL and the station that sends to it are in a guest, each with an ext4 on an emulated disk of
its own. Each cut kills the guest, with all that its memory held, and the disks lose what was in
their caches. With a disk that drops its flushes the same has to fail, or this test could not
tell."""
import contextlib
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import fleet
import postgres

HERE = os.path.dirname(os.path.realpath(__file__))
GUEST = os.path.join(HERE, '..', '..', '..', 'tests', 'kernel', 'guest')
MIB = 1 << 20
DISKS = {'server': 256, 'station': 32}  # MiB
CUTS = 4
PROGRAMS = ('DISKWIPE', 'SEND', 'LEDGER', 'PAPER_LEDGER', 'DISKWIPE_CACHE', 'XDG_CACHE_HOME')


class Power:
    """A guest that is switched on, and what it has told."""

    def __init__(self, folder, when):
        self.folder, self.told = folder, []
        passed = [word for name in PROGRAMS for word in ('--env', name)]
        # pylint: disable=consider-using-with
        self.errors = open(f'{folder}/errors', 'w+', encoding='utf-8')
        self.process = subprocess.Popen(
            [GUEST, '--timeout', '200', *passed, '--env', f'HOME={os.path.expanduser("~")}',
             '--media', f'{folder}/media', '--enclosure', f'{folder}/rack.conf', '--',
             'python3', '-B', f'{HERE}/power_guest.py', when],
            env=dict(os.environ, TMPDIR=folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.errors, text=True)

    def read(self, until=None, times=1):
        """Lines to the end, or to so many of that kind."""
        for line in self.process.stdout:
            self.told.append(json.loads(line))
            times -= self.told[-1]['kind'] == until
            if not times:
                return True
        return False

    def cut(self):
        for name in glob.glob(f'{self.folder}/dw-guest.*/pid'):
            with open(name, encoding='utf-8') as f, contextlib.suppress(ProcessLookupError):
                os.killpg(int(f.read()), signal.SIGKILL)
        return self.end()

    def end(self):
        """Its status, and what it has said besides."""
        self.read()
        status = self.process.wait()
        self.process.stdout.close()
        self.errors.seek(0)
        said = self.errors.read()[-2000:]
        self.errors.close()
        return status, said


class Cuts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        postgres.need_server()
        if subprocess.run([GUEST, '--', 'true'], stdin=subprocess.DEVNULL,
                          check=False).returncode == 77:
            sys.exit(77)  # and it has said why
        temp = tempfile.TemporaryDirectory(prefix='dw-power-')
        cls.addClassCleanup(temp.cleanup)
        cls.made = temp.name + '/made'
        cls.dir = temp.name + '/run'
        cls.make_media()

    @classmethod
    def make_media(cls):
        """Disks as they are before power is on for the first time."""
        os.makedirs(cls.made + '/server')
        db = postgres.Postgres()
        db.stop()
        subprocess.run(['cp', '-a', db.dir, cls.made + '/server/pg'], check=True)
        shutil.rmtree(db.dir)
        fleet.Station(cls.made + '/station', 'anna', 1)
        for i, (name, size) in enumerate(DISKS.items()):
            with open(f'{cls.made}/disk-{i:02}.img', 'wb') as f:
                f.truncate(size * MIB)
            subprocess.run(['/sbin/mke2fs', '-q', '-t', 'ext4', '-E', 'nodiscard',
                            '-d', f'{cls.made}/{name}', f.name], check=True)

    def setUp(self):
        os.makedirs(self.dir + '/media/enc1')
        self.addCleanup(shutil.rmtree, self.dir)
        for name in glob.glob(self.made + '/*.img'):
            shutil.copy(name, self.dir + '/media/enc1')

    def rack(self, r, *faults):
        lines = ['enclosure seed=1']
        for i, (name, size) in enumerate(DISKS.items()):
            lines.append(f'disk {i} size={size}M cache={size}M keep=1 serial={name.upper()} '
                         f'rate=100M overhead_us={r.choice((0, 500))}')
        with open(f'{self.dir}/rack.conf', 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines + list(faults)) + '\n')

    def check(self, power, had):
        """What it says, and what it has come to; @had: what had been told to count as sent."""
        for t in power.told:
            if t['kind'] == 'there':
                self.assertGreaterEqual(t['records'], had, 'records were sent, and are lost')
                self.assertGreaterEqual(t['records'], t['sent'], 'on record as sent, and lost')
        wrong = [t['what'] for t in power.told if t['kind'] == 'wrong']
        self.assertEqual(wrong, [])
        return max([had] + [t['last'] for t in power.told if t['kind'] == 'sent'])

    def run_cuts(self, r, cuts, *faults):
        self.rack(r, *faults)
        had = 0
        for i in range(cuts):
            power = Power(self.dir, 'go')
            # one of them in the midst of the recovery from the one before
            here = power.read('starting') if i == 1 else power.read('sent', r.randint(1, 6))
            time.sleep(r.uniform(0, 0.3))
            _, said = power.cut()
            had = self.check(power, had)
            self.assertTrue(here, f'{said}; it had told {power.told[-5:]}')
        power = Power(self.dir, 'last')
        status, said = power.end()
        self.check(power, had)
        self.assertEqual(status, 0, said)
        return power.told[-1]['records']

    def test_cuts(self):
        seed = os.environ.get('DW_SEED', '1')
        records = self.run_cuts(random.Random(f'power {seed}'), CUTS)
        print(f'{CUTS} cuts, {records} records, seed {seed}')

    def test_disk_that_drops_its_flushes(self):
        found = 'and are lost|cannot be mounted|does not start'
        with self.assertRaisesRegex(AssertionError, found) as e:
            self.run_cuts(random.Random('liar'), 1, 'fault disk=0 op=sync kind=drop')
        print(f'with flushes that do nothing: {e.exception}')


if __name__ == '__main__':
    unittest.main()
