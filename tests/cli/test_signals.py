#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Signals: one stops, a second aborts, USR1 asks, and the exit tells which it was."""
import json
import os
import signal
import time
import unittest

from cli import LIMIT, Case, disk


class Signals(Case):
    def begin(self, *args, **kwargs):
        """Disk 1 is erased, disk 0 is at work until let_end()."""
        self.machine(disk(0, until=self.path('end')), disk(1))
        if os.path.exists(self.path('log')):
            os.unlink(self.path('log'))
        p = self.spawn('--yes', '--expect-count=2', *args, '/fake/sg0', '/fake/sg1', **kwargs)
        end = time.monotonic() + LIMIT
        while 'end /fake/sg1' not in self.log():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return p

    def let_end(self):
        with open(self.path('end'), 'w', encoding='utf-8'):
            pass

    def test_stop(self):
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # under nohup it would be ignored, as it should
            p = self.begin('--json', preexec_fn=lambda: signal.signal(sig, signal.SIG_DFL))
            p.send_signal(sig)
            out, err = p.communicate(timeout=LIMIT)
            self.assertEqual(p.returncode, -sig)
            doc = json.loads(out)
            self.assertEqual([d['outcome'] for d in doc['disks']], ['stopped', 'erased'])
            self.assertEqual(doc['disks'][0]['stopped'], {'pass': 0, 'lba': 1024})
            self.assertIn('stopping', err)
            self.assertIn('stop -', self.log())

    def test_says_where(self):
        p = self.begin('--state', self.path('state'))
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=LIMIT)
        self.assertIn('sg0: stopped at LBA 1024 of pass 1', out)
        self.assertIn(f"--resume {self.path('state')}", err)

    def test_ignored_by_a_shell(self):
        # A shell's background command has INT ignored; it must stop all the same.
        p = self.begin(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=LIMIT)
        self.assertEqual(p.returncode, -signal.SIGINT)

    def test_status(self):
        p = self.begin('-q')
        p.send_signal(signal.SIGUSR1)
        self.assertRegex(p.stderr.readline(), r'sg0 .*%.*writing')
        self.assertRegex(p.stderr.readline(), r'sg1 .*erased')
        self.assertRegex(p.stderr.readline(), r'2 disks: 1 erased, 1 at work;')
        self.let_end()
        p.communicate(timeout=LIMIT)
        self.assertEqual(p.returncode, 0)

    def test_finished_is_finished(self):
        p = self.begin()
        self.let_end()
        p.communicate(timeout=LIMIT)
        self.assertEqual(p.returncode, 0)

    def test_closed_pipe_does_not_stop_the_job(self):
        p = self.begin('--json-lines')
        p.stdout.close()
        p.stdout = None
        self.let_end()
        _, err = p.communicate(timeout=LIMIT)
        self.assertEqual(p.returncode, 1)
        self.assertIn('cannot write', err)
        self.assertEqual(err.count('Broken pipe: events are lost, the job goes on'), 1)
        self.assertIn('/fake/sg0: serial SERIAL-0000: erased', err)

    def test_full_output_does_not_hide_the_result(self):
        for args in ([], ['--json']):
            for outcome, code in (('erased', 1), ('failed', 3)):
                self.machine(disk(0), disk(1, outcome=outcome))
                with open('/dev/full', 'w', encoding='utf-8') as full:
                    p = self.spawn('--yes', '--expect-count=2', *args, '/fake/sg0', '/fake/sg1',
                                   stdout=full)
                    _, err = p.communicate(timeout=LIMIT)
                self.assertEqual(p.returncode, code, err)
                self.assertIn('standard output: cannot write', err)
                self.assertIn('/fake/sg0: serial SERIAL-0000: erased', err)
                self.assertIn('/fake/sg1: serial SERIAL-0001: ' + outcome, err)


if __name__ == '__main__':
    unittest.main()
