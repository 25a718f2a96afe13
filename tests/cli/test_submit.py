#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe submit: the consent of erase, what the service is told, and what it answers."""
import json
import signal
import unittest

from cli import LIMIT, Terminal
from station import JOB, NOW, SEEN, StationCase, disk, job, words, forecast

NEW = words('job new', Id=JOB + '9', State='queued', ExitCode=-1, Objects='0', Disks=1,
            SubmitTime=NOW)


def ended(code, outcome, message=''):
    return [words('job new', State='done', ExitCode=code, Outcome=outcome, Progress=1,
                  DisksDone=1),
            words('disk 0', State='done', Outcome=outcome, Progress=1, Message=message)]


class Submit(StationCase):
    def submits(self):
        return [c for c in self.calls() if c.startswith('Submit ')]

    def run_service(self, *lines, first=()):
        return self.serve(disk(0), disk(1), disk(2, Refusal='mounted', Reason='mounted at /srv',
                                                 State='refused'), *first,
                          'on Submit', NEW, words('disk 0', Job='new', State='queued'), *lines)

    def test_one(self):
        self.run_service()
        r = self.run_cli('submit', '--yes', '/fake/sg0')
        self.assertEqual(r.stdout, JOB + '9\n')
        self.assertIn('diskwipe watch 0a1b2c3d', r.stderr)
        self.assertEqual(self.submits(), ['Submit Manager serial SERIAL-0000 wwn '
                                          '0x5000c50000000000 capacity 1048576'])

    def test_no_disk(self):
        """What is no disk, like an enclosure, is none that the service may come to know."""
        self.run_service()
        r = self.run_cli('submit', '--yes', '/fake/sg0', '/fake/cdrom')
        self.assertIn('/fake/cdrom: skipped: not a disk\n', r.stderr)
        r = self.run_cli('submit', '--yes', '/fake/sg77', code=2)
        self.assertIn('the service does not know this disk (yet)', r.stderr)

    def test_named_by_serial(self):
        self.run_service()
        self.run_cli('submit', '--yes', 'SERIAL-0001')
        self.assertIn('SERIAL-0001', self.submits()[0])

    def test_options(self):
        """Those that were given go along, also where they are the usual ones."""
        self.run_service()
        self.run_cli('submit', '--yes', '/fake/sd0', '--method=zero', '--verify=sample:5%',
                     '--strategy=sequential', '--depth=4', '--reserve', '--flush-every=2GiB',
                     '--command=write', '--priority=-3', '--label=rack 4', '--note=RMA')
        said = self.submits()[0]
        for option in ('method zero', 'verify sample', 'verify_percent 5%', 'depth 4',
                       'strategy sequential', 'reserve true', 'flush_bytes 2147483648',
                       'command write', 'priority -3', 'label rack 4', 'note RMA'):
            self.assertIn(f' {option}', said)
        self.assertNotIn('write_cache', said)

    def test_consent(self):
        """As for erase: a number for several disks, and what is refused is not counted."""
        self.run_service()
        names = ['/fake/sg0', '/fake/sg1', '/fake/sg2']
        self.run_cli('submit', '/fake/sg0', code=2)
        self.run_cli('submit', '--yes', *names, code=2)
        self.run_cli('submit', '--yes', '--expect-count=3', *names, code=2)
        r = self.run_cli('submit', '--yes', '--select=serial~SERIAL*', code=2)
        self.assertIn('add --expect-count=2', r.stderr)
        self.assertEqual(self.submits(), [])
        r = self.run_cli('submit', '--yes', '--expect-count=2', *names)
        self.assertIn('/fake/sg2: skipped: mounted at /srv', r.stderr)
        self.assertNotIn('SERIAL-0002', self.submits()[0])
        self.assertIn('SERIAL-0001', self.submits()[0])

    def test_question(self):
        self.run_service()
        for answer, code in (('0001', 2), ('0000', 0)):
            t = Terminal(self, 'submit', '/fake/sg0')
            t.expect('last 4 characters of its serial: ')
            self.assertIn('MODEL0', t.text)
            self.assertEqual(self.submits(), [])
            t.type(answer + '\n')
            self.assertEqual(t.wait(), code)
        self.assertEqual(len(self.submits()), 1)

    def test_what_another_job_has(self):
        self.serve(disk(0, Job=1, State='writing'), job(1, Objects='0'))
        r = self.run_cli('submit', '--yes', '/fake/sg0', code=2)
        self.assertIn('a job of the service has it already', r.stderr)
        self.assertIn('diskwipe cancel /fake/sg0', r.stderr)

    def test_what_has_a_bay_of_several_words(self):
        """Two words would cancel two things."""
        self.serve(disk(0, Device='', Bay='bay 3', Job=1, State='writing'), job(1, Objects='0'))
        r = self.run_cli('submit', '--yes', '/fake/sd0', code=2)
        self.assertIn("diskwipe cancel 'bay 3'\n", r.stderr)

    def test_not_there(self):
        self.run_service()
        self.assertIn('/fake/sg7: skipped: the service does not know this disk',
                      self.run_cli('submit', '--yes', '/fake/sg7', code=2).stderr)
        doc = json.loads(self.run_cli('submit', '--json', '--yes', '/fake/sg2', code=2).stdout)
        self.assertEqual(doc['refused'][0]['reason'], 'mounted at /srv')

    def test_service_that_has_just_started(self):
        """It is waited for until it has examined the disks, which it does not know before."""
        self.serve(words('manager', Starting='true'), SEEN, SEEN,
                   words('manager', Starting='false'), disk(0), 'on Submit', NEW)
        self.assertEqual(self.run_cli('submit', '--yes', '/fake/sg0').stdout, JOB + '9\n')
        self.assertEqual(len(self.submits()), 1)

    def test_refused(self):
        for name, code, said in (('Refused', 2, 'refused: it says no'),
                                 ('Invalid', 1, 'it says no'),
                                 ('NotAuthorized', 7, 'not allowed: it says no; ask as root'),
                                 ('Busy', 2, 'busy: it says no')):
            for method in ('Plan', 'Submit'):
                self.serve(disk(0), f'error {method} {name} it says no')
                self.assertIn(said, self.run_cli('submit', '--yes', '/fake/sg0', code=code).stderr)

    def test_dry_run_and_forecast(self):
        """The service's plan is shown, and its forecast stands in the table."""
        self.machine()
        plan = self.path('plan.json')
        with open(plan, 'w', encoding='utf-8') as f:
            json.dump({'forecast': forecast('/fake/sg0')}, f)
        self.run_service(first=[f'text Plan {plan}'])
        r = self.run_cli('submit', '-n', '/fake/sg0')
        self.assertIn('would submit 1 disk; nothing was submitted', r.stdout)
        self.assertIn('FINISH', r.stdout)
        self.assertIn('2:00:00', r.stdout)
        doc = json.loads(self.run_cli('submit', '-n', '--json', '/fake/sg0').stdout)
        self.assertEqual(doc['forecast']['seconds'], 7200)
        self.assertEqual(self.submits(), [])

    def test_wait(self):
        for code, outcome in ((0, 'erased'), (4, 'failed'), (5, 'failed'), (6, 'stopped')):
            self.run_service(SEEN, words('disk 0', State='writing', Bytes=1, Passes=1),
                             SEEN, *ended(code, outcome, 'so it is'))
            r = self.run_cli('submit', '--wait', '--yes', '/fake/sg0', code=code)
            self.assertRegex(r.stdout, rf'/fake/sg0 .* {outcome} +so it is')
            self.assertIn('sg0: writing, pass 1 of 1', r.stderr)

    def test_wait_for_the_record(self):
        """What comes next may need it, like diskwipe-report; not of a station that cannot sign."""
        due = words('manager', RecordsFolder='/srv/records', RecordsDue='true')
        done = words('manager', RecordsDue='false')
        for trouble, waits in ((), True), ((words('manager', RecordsTrouble='no key'),), False):
            self.run_service(SEEN, *ended(0, 'erased'), due, *trouble, SEEN, SEEN, done,
                             words('job new', Message='now signed'))
            said = self.run_cli('submit', '--wait', '--yes', '/fake/sg0').stderr
            self.assertEqual('now signed' in said, waits, said)

    def test_wait_json(self):
        result = self.path('result')
        with open(result, 'w', encoding='utf-8') as f:
            f.write('{"job": {"outcome": "erased"}}')
        self.run_service(SEEN, *ended(0, 'erased'), first=[f'text Result {result}'])
        doc = self.run_json('submit', '--wait', '--yes', '/fake/sg0')
        self.assertEqual(doc['job']['outcome'], 'erased')

    def test_json(self):
        self.run_service()
        doc = self.run_json('submit', '--yes', '/fake/sg0')
        self.assertEqual([j['id'] for j in doc['jobs']], [JOB + '9'])

    def test_leave(self):
        """Ctrl-C leaves the job alone and says how to come back."""
        self.run_service(SEEN, words('disk 0', State='writing', Bytes=1))
        p = self.spawn('submit', '--wait', '--yes', '/fake/sg0')
        for line in p.stderr:
            if 'sg0: writing' in line:
                break
        p.send_signal(signal.SIGINT)
        said = p.communicate(timeout=LIMIT)[1]
        self.assertEqual(p.returncode, -signal.SIGINT)
        self.assertIn('goes on; to watch it: diskwipe watch 0a1b2c3d; to stop it: diskwipe '
                      'cancel 0a1b2c3d', said)
        self.assertFalse([c for c in self.calls() if c.startswith('Cancel')])


if __name__ == '__main__':
    unittest.main()
