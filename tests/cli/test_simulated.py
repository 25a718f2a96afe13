# SPDX-License-Identifier: GPL-2.0-or-later
"""The service on simulated disks, in real time: that it works as on real ones, and that nothing of
it is ever taken for real. No guest, no root; what is waited for is an event."""
import csv
import glob
import io
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import unittest

from cli import Case

SERVICE, REPORT = os.environ['DISKWIPED'], os.environ['REPORT']
LIMIT = 120  # seconds that any wait may take

RACK = """
[controller hba]
rate = 4GB/s
[bus shelf]
on = hba
rate = 2GB/s
[disk bay]
count = 4
on = shelf
vendor = ACME
model = ROTOR
capacity = 40GB
physical = 4KiB
outer = 200MB/s
inner = 100MB/s
rpm = 7200
temperature = 25
"""

# it writes for eight seconds, in which something can be done to it
SLOW = """
[disk slow]
on = shelf
capacity = 24GB
outer = 3MB/s
inner = 3MB/s
"""

SHRINK = ('--shrink', '1000')


def until(what, name):
    end = time.monotonic() + LIMIT
    while True:
        found = what()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f'{name}: not within {LIMIT} s')
        time.sleep(0.02)


class Simulated(Case):
    def environment(self, **more):
        env = super().environment(DISKWIPE_BUS_ADDRESS='unix:path=' + self.path('station/bus'))
        env.pop('JOURNAL_STREAM', None)
        return env | more

    def topology(self, text=RACK, name='rack.station'):
        with open(self.path(name), 'w', encoding='utf-8') as f:
            f.write(text)
        return self.path(name)

    def service(self, *args):
        return subprocess.Popen([SERVICE, *args], stdin=subprocess.DEVNULL, text=True,
                                stderr=subprocess.PIPE, env=self.environment())

    def start(self, *args, text=RACK, state='station'):
        """A service that has seen its disks."""
        self.said = []
        p = self.service('--simulate=' + self.topology(text), '--state-dir=' + self.path(state),
                         *(args or SHRINK))
        self.addCleanup(p.stderr.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        for line in p.stderr:
            self.said.append(line)
            if 'started:' in line:
                return p
        raise AssertionError(''.join(self.said))

    def fails(self, *args):
        """One line, and the exit status that is documented."""
        r = subprocess.run([SERVICE, *args], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=LIMIT, env=self.environment(), check=False)
        self.assertEqual((r.returncode, r.stdout), (1, ''), r.stderr)
        self.assertEqual(r.stderr.count('\n'), 1, r.stderr)
        return r.stderr

    def disks(self):
        return {d['device']: d for d in self.run_json('status')['disks']}

    def submit(self, *names, **kwargs):
        more = kwargs.pop('options', ())
        return self.run_cli('submit', *names, '--yes', f'--expect-count={len(names)}', *more,
                            **kwargs)

    def records(self):
        """Of the ledger, those of disks."""
        found = []
        for name in sorted(glob.glob(self.path('station/records/record-*.json'))):
            with open(name, encoding='utf-8') as f:
                doc = json.load(f)
            if doc['document'] == 'erasure-record':
                found.append(doc)
        return found


class Works(Simulated):
    def test_a_rack(self):
        p = self.start()
        r = self.submit(*(f'bay-{n}' for n in range(1, 5)), options=('--wait', '--verify=full'))
        self.assertRegex(r.stdout, r'(?m)^bay-4 .* erased')
        self.assertIn('simulated station: no disk is touched', r.stderr)
        doc = self.run_json('status')
        self.assertTrue(doc['station']['simulated'])
        self.assertTrue(doc['station']['station'].startswith('simulated '))
        self.assertEqual({(d['outcome'], d['slot'][:6]) for d in doc['disks']},
                         {('erased', 'shelf:')})
        p.terminate()
        self.assertEqual(p.wait(LIMIT), 0)
        r = subprocess.run([SERVICE, '--check', '--state-dir=' + self.path('station')], text=True,
                           capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)

    def test_pull_and_insert(self):
        self.start(text=RACK + SLOW)
        self.submit('slow', options=('--verify=off', '--flush-every=1MB'))
        until(lambda: 0 < self.disks()['slow']['progress'] < 1, 'the work')
        self.run_cli('simulate', 'pull', 'slow', 'shelf:2')
        until(lambda: 'bay-2' not in self.disks(), 'the other disk')
        gone = until(lambda: [d for d in self.disks().values() if d['outcome'] == 'removed'],
                     'the pulled disk')
        self.assertEqual((len(gone), gone[0]['state']), (1, 'absent'))
        r = self.run_cli('simulate', 'pull', 'slow', code=1)
        self.assertIn('disk slow is pulled already', r.stderr)
        self.run_cli('simulate', 'insert', 'slow', gone[0]['serial'].replace('5', '2'))
        done = until(lambda: self.disks().get('slow', {}).get('outcome') == 'erased' and
                     self.disks(), 'the end of the work')
        self.assertIn('bay-2', done)
        self.assertIn('not found', self.run_cli('simulate', 'insert', 'nowhere', code=2).stderr)
        until(lambda: len(self.records()) == 2, 'the records')
        self.assertEqual([(r['outcome'], r['disk']['serial']) for r in self.records()],
                         [('removed', 'SIM00000005'), ('erased', 'SIM00000005')])
        self.assertEqual({r['job']['simulation'] for r in self.records()}, {'real time'})

    def test_cancelled(self):
        """What is told to do next can be done: a cancelled disk is not resumed."""
        self.start(text=RACK + SLOW)
        self.submit('slow', options=('--verify=off', '--flush-every=1MB'))
        until(lambda: self.disks()['slow']['bytes'] > 2000000, 'the work')
        self.run_cli('cancel', 'slow')
        until(lambda: self.disks()['slow']['outcome'] == 'stopped', 'the end')
        self.assertRegex(self.disks()['slow']['message'],
                         r'^stopped at LBA \d+ of pass 1, not verified; erase it again$')
        self.assertIn('nothing to resume', self.run_cli('resume', 'slow', code=2).stderr)
        until(self.records, 'the record')
        self.assertIn('erase it again', self.records()[-1]['reason'])

    def test_restart_and_kill(self):
        """A job goes on after the service has ended, and after it was killed."""
        p = self.start(text=RACK + SLOW)
        job = self.submit('slow', options=('--verify=off', '--flush-every=1MB')).stdout.strip()
        done = 0
        for sig in (signal.SIGTERM, signal.SIGKILL):
            until(lambda: self.disks()['slow']['bytes'] > done + 2000000, 'the work')
            done = self.disks()['slow']['bytes']
            p.send_signal(sig)
            p.wait(LIMIT)
            p = self.start(text=RACK + SLOW)
            self.assertIn('1 job goes on', ''.join(self.said))
        self.run_cli('watch', job)
        self.assertEqual(self.disks()['slow']['outcome'], 'erased')
        until(lambda: self.records(), 'the record')
        record = self.records()[-1]
        self.assertEqual((record['outcome'], record['job']['simulation']), ('erased', 'real time'))
        # what was known to be written was not written again
        self.assertLess(record['bytes_written'], 36000000)
        self.run_cli('records', 'verify', self.path('station/records'))

    def test_faults_of_the_file(self):
        self.start(text=RACK + 'fault = unwritable 1000000 8\n' + SLOW + 'fault = remove 300s\n')
        until(lambda: 'slow' not in self.disks(), 'the disk that leaves')
        r = self.submit('bay-1', options=('--wait',), code=4)
        self.assertRegex(r.stdout, r'(?m)^bay-1 .* 8 +erased-with-exceptions')

    def test_heat(self):
        os.mkdir(self.path('station'))
        with open(self.path('station/simulated'), 'w', encoding='utf-8'):
            pass
        with open(self.path('station/diskwiped.conf'), 'w', encoding='utf-8') as f:
            f.write('[temperature]\nevery = 1\n[bay front]\nslot = shelf:1\n')
        self.start(text=RACK + SLOW)
        self.run_cli('simulate', 'heat', '+40', 'front')
        self.submit('bay-1', options=('--verify=off',))
        hot = until(lambda: [d for d in self.disks().values() if d['state'] == 'paused'],
                    'the pause')
        self.assertEqual(hot[0]['bay'], 'front')
        self.assertIn(hot[0]['temperature'], (25 + 40, 25 + 40 + 8))  # at rest, at work
        self.run_cli('simulate', 'heat', '0', 'front')
        until(lambda: self.disks()['bay-1']['outcome'] == 'erased', 'the end of the pause')

    def test_top(self):
        from cli import Terminal
        self.start()
        t = Terminal(self, 'top', width=50)
        t.expect('SIMULATED')
        t.type('q')
        self.assertEqual(t.wait(), 0)


class NeverReal(Simulated):
    def erased(self):
        self.start()
        self.submit('bay-1', 'bay-2', options=('--wait', '--verify=off'))
        until(lambda: len(self.records()) == 2, 'the records')
        return self.path('station/records')

    def test_what_is_told(self):
        ledger = self.erased()
        self.look_at_records(ledger)
        if shutil.which('pdftotext'):
            self.look_at_papers(ledger)
        self.look_at_figures()
        self.look_at_result()

    def look_at_records(self, ledger):
        for r in self.records():
            self.assertEqual(r['job']['simulation'], 'real time')
            self.assertTrue(r['station'].startswith('simulated '))
        r = self.run_cli('records', 'verify', ledger)
        self.assertIn('2 of these are of simulations: no disk was touched', r.stderr)
        r = self.run_cli('records', 'list', ledger)
        self.assertEqual(len(re.findall('simulated: erased', r.stdout)), 2)
        r = self.run_cli('records')
        self.assertEqual(len(re.findall('simulated: erased', r.stdout)), 2)
        self.assertIn('none of these disks was touched', r.stderr)
        rows = list(csv.DictReader(io.StringIO(self.run_cli('records', '--csv').stdout)))
        self.assertEqual([x['simulated'] for x in rows], ['true', 'true'])
        with open(self.path('summary'), 'w', encoding='utf-8') as f:
            subprocess.run([REPORT, 'summary', '--format=json', ledger], stdout=f, check=True,
                           stderr=subprocess.DEVNULL)
        with open(self.path('summary'), encoding='utf-8') as f:
            told = json.load(f)
        self.assertEqual((told['count'], told['erased'], told['erased_bytes']), (2, 0, 0))
        # of a disk of such a ledger nothing is drawn that somebody could look at
        r = self.run_cli('qc', 'draw', '100%', '--record=' + ledger,
                         '--record-key=' + self.path('station/record-key'), code=None)
        self.assertNotIn('SIM0', r.stdout)

    def look_at_papers(self, ledger):
        pdf = self.path('c.pdf')
        subprocess.run([REPORT, 'certificate', ledger, '-o', pdf], check=True,
                       stderr=subprocess.DEVNULL)
        text = subprocess.run(['pdftotext', pdf, '-'], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        self.assertEqual(text.count('This was a simulation. No disk was touched.'), 2)
        self.assertIn('Erased capacity: 0 B', text)
        self.assertNotRegex(text, '(?m)^ERASED')

    def look_at_result(self):
        r = self.run_cli('submit', 'bay-1', '--yes', '--wait', '--json', '--verify=off')
        self.assertEqual(json.loads(r.stdout)['job']['simulation'], 'real time')

    def look_at_figures(self):
        """Neither figures nor lines of the journal that somebody could add up."""
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(self.path('station/bus'))
            s.sendall(b'GET /metrics HTTP/1.0\r\n\r\n')
            s.settimeout(LIMIT)
            answer = b''
            while more := s.recv(65536):
                answer += more
        self.assertIn(b'200 OK', answer)
        self.assertNotIn(b'diskwipe_', answer)
        self.assertEqual([x for x in self.said if not x.startswith('diskwiped: simulated: ')], [])

    def test_real_service(self):
        """A real one takes neither its folder nor, where the mark is gone, its database."""
        self.erased()
        p = self.start(state='other')
        p.terminate()
        p.wait(LIMIT)
        real = ('--no-bus', '--socket=' + self.path('real'), '--state-dir=' + self.path('other'))
        self.assertIn("/other: it is a simulated station's", self.fails(*real))
        os.unlink(self.path('other/simulated'))
        self.assertIn("station.db: it is a simulated station's", self.fails(*real))
        self.assertFalse(os.path.exists(self.path('real')))

    def test_folder_of_a_real_one(self):
        file = self.topology()
        os.mkdir(self.path('real'))
        with open(self.path('real/station.db'), 'w', encoding='utf-8'):
            pass
        here = '--state-dir=' + self.path('real')
        self.assertIn('not empty', self.fails('--simulate=' + file, here))
        self.assertEqual(os.listdir(self.path('real')), ['station.db'])
        os.symlink('real', self.path('link'))
        self.assertIn('not empty', self.fails('--simulate=' + file,
                                              '--state-dir=' + self.path('link')))
        # where a real one has its state or its socket, or would have it
        for folder in ('/var/lib/diskwipe', '/run/diskwipe'):
            there = os.path.exists(folder)
            self.assertIn("a real station's", self.fails('--simulate=' + file,
                                                         '--state-dir=' + folder))
            self.assertEqual(os.path.exists(folder), there)
        # with a mark that is not its own
        os.unlink(self.path('real/station.db'))
        p = self.start(state='own')
        p.terminate()
        p.wait(LIMIT)
        db = sqlite3.connect(self.path('own/station.db'))
        db.execute('pragma application_id = 0')
        db.close()
        self.assertIn("it is a real station's", self.fails('--simulate=' + file, '--state-dir=' +
                                                           self.path('own')))

    def test_two(self):
        self.start()
        r = self.fails('--simulate=' + self.topology(), '--state-dir=' + self.path('station'))
        self.assertIn('another diskwiped uses it', r)
        self.assertEqual(len(self.disks()), 4)  # the first one still answers

    def test_usage(self):
        file, here = '--simulate=' + self.topology(), '--state-dir=' + self.path('new')
        for wrong in ('0', '-1', 'x', '1.5', '', '99999999999999999999'):
            self.assertIn('--shrink is a number', self.fails(file, here, '--shrink=' + wrong))
        self.assertIn('for --simulate', self.fails(here, '--shrink=2'))
        self.assertIn('folder of its own', self.fails(file))
        self.assertIn('own socket', self.fails(file, here, '--socket=/run/diskwipe/bus'))
        self.assertIn('no other bus', self.fails(file, here, '--bus=unix:path=/run/x'))
        self.assertIn('--check', self.fails(file, here, '--check'))
        self.assertFalse(os.path.exists(self.path('new')))

    def test_bad_file(self):
        here = '--state-dir=' + self.path('new')
        for text, why in (('[disk a]\ncapacity = 1GB\nnonsense = 1\n', ':3: '),
                          (RACK + 'temperature = 200\n', 'temperature'),
                          (RACK + 'fault = unwritable 999999999999 8\n', 'bay'),
                          (RACK + '[disk /dev/sda]\non = shelf\ncapacity = 1GB\nouter = 1MB/s\n'
                           'inner = 1MB/s\n', 'has no path')):
            said = self.fails('--simulate=' + self.topology(text), here)
            self.assertIn(self.path('rack.station'), said)
            self.assertIn(why, said)
        self.assertIn('No such file', self.fails('--simulate=' + self.path('missing'), here))
        self.assertFalse(os.path.exists(self.path('new')))


if __name__ == '__main__':
    unittest.main()
