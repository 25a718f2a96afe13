#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that ask the service: what they show, what they call, and what is said when it
cannot be reached."""
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import unittest

from cli import LIMIT, Terminal
from station import JOB, NOW, SEEN, StationCase, disk, job, words

WORK = [disk(0), disk(1, Job=1, State='writing', Progress=.5, Bytes=524288, BytesTotal=1048576,
                      Rate=100000000, Pass=0, Passes=2, ExpectedEndTime=NOW),
        disk(10, Job=1, State='queued', ExpectedStartTime=NOW + 7, ExpectedEndTime=NOW + 9),
        disk(2, Job=2, State='waiting', ExpectedStartTime=NOW + 5, Bay='bay 2'),
        disk(3, Job=3, State='done', Outcome='erased', Temperature=-274),
        job(1, Objects='1,10', Disks=2, Progress=.25, ProgressValid='true'),
        job(2, Objects='2', State='queued', Priority=4, Id='77777777-0000-4000-8000-000000000000'),
        job(3, Objects='3', State='done', Outcome='erased', ExitCode=0, DisksDone=1,
            Id='0a1b2c3d-1111-4000-8000-000000000000')]


class Client(StationCase):
    def test_status(self):
        self.serve(*WORK)
        r = self.run_cli('status')
        self.assertIn('station hall 3: 1 disk at work, 2 waiting', r.stderr)
        self.assertRegex(r.stdout, rf'{JOB}1 running +rack 1 +zero +0/2 +25.0%')
        for head in r.stdout.splitlines():
            if head.startswith(('JOB ', 'BAY ')):
                self.assertEqual(len(set(head.split())), len(head.split()), head)
        self.assertRegex(r.stdout, r'bay 1 +/fake/sg1 .* writing 1/2 +50.0% +100 MB/s 2026-09-21')
        bays = [line.split()[1] for line in r.stdout.splitlines() if line.startswith('bay ')]
        self.assertEqual(bays, ['0', '1', '2', '3', '10'])
        self.assertRegex(r.stdout, r'(?m)^BAY +DEVICE ')

    def test_outcome_of_80_columns(self):
        """A disk that is not erased does not read like one that is done."""
        self.serve(*WORK, disk(11, State='done', Progress=1, Outcome='failed',
                               Message='unrecovered write error at LBA 1,203,968,000'),
                   disk(12, State='done', Progress=1, Outcome='erased-with-exceptions',
                        Message='3 blocks were not written'))
        t = Terminal(self, 'status', '--color=never', width=80)
        self.assertEqual(t.wait(), 0)
        for serial, outcome in (('0011', 'failed'), ('0012', 'erased-with-exceptions')):
            self.assertRegex(t.text, rf'(?m)^.*SERIAL-{serial}.* {outcome}\b')
        self.assertLessEqual(max(map(len, t.text.replace('\r', '').splitlines())), 80)

    def test_used_again(self):
        """What came of the last job is not what the disk holds now."""
        for found, outcome in (('', 'erased'), ('gpt, ext4', 'erased, used since')):
            self.serve(*WORK, disk(11, State='done', Progress=1, Outcome='erased',
                                   Signatures=found))
            r = self.run_cli('status', '-o', 'serial,outcome')
            self.assertRegex(r.stdout, rf'(?m)^SERIAL-0011 +{outcome}$')

    def test_names(self):
        """By the digits of a job, a node, a serial or a bay; ambiguous ones are refused."""
        self.serve(*WORK)
        for word in ('77777777', '77777777-0000', '/fake/sg2', '/fake/sd2', 'SERIAL-0002',
                     '0x5000c50000000002', 'bay 2'):
            doc = self.run_json('status', word)
            self.assertEqual([j['label'] for j in doc['jobs']], ['rack 2'], word)
            self.assertEqual([d['device'] for d in doc['disks']], ['/fake/sg2'], word)
        doc = self.run_json('status', JOB + '1')
        self.assertEqual([d['device'] for d in doc['disks']], ['/fake/sg1', '/fake/sg10'])
        self.assertIn(f'means 2 jobs: {JOB}1, 0a1b2c3d-1111-',
                      self.run_cli('status', '0a1b2c3d', code=1).stderr)
        for word in ('7777777', '/fake/sg7', 'SERIAL'):
            self.assertIn('no job and no disk', self.run_cli('status', word, code=2).stderr)

    def test_labels(self):
        """A label names a job. Of several nothing is changed, and they are named; what has ended
        does not count while another goes on."""
        again = job(4, Objects='4', State='queued', Label='lot 7',
                    Id='44444444-0000-4000-8000-000000000000')
        lot = [job(5, State='done', Outcome='failed', ExitCode=4, Label='lot 7',
                   Id='55555555-0000-4000-8000-000000000000'),
               job(6, State='done', Outcome='erased', ExitCode=0, Label='bay 2',
                   Id='66666666-0000-4000-8000-000000000000'),
               disk(4, Job=4, State='queued'), again]
        self.serve(*WORK, *lot)
        doc = self.run_json('status', 'rack 2')
        self.assertEqual([d['device'] for d in doc['disks']], ['/fake/sg2'])
        doc = self.run_json('status', 'lot 7')
        self.assertEqual([j['state'] for j in doc['jobs']], ['queued', 'done'])
        self.assertEqual(self.run_json('status', 'bay 2')['disks'][0]['device'], '/fake/sg2')
        self.run_cli('pause', 'rack 2')
        self.run_cli('cancel', 'lot 7')
        self.assertEqual(self.calls(), ['Pause 2', 'Cancel 4'])

        self.serve(*WORK, *lot, job(7, State='running', Label='lot 7',
                                    Id='77777778-0000-4000-8000-000000000000'))
        for verb in 'cancel', 'pause', 'resume':
            r = self.run_cli(verb, 'rack 2', 'lot 7', code=1)
            self.assertEqual(r.stderr, 'diskwipe: lot 7: means 2 jobs: 44444444, 77777778; '
                                       'name one of them\n')
        self.assertEqual(self.calls(), ['Pause 2', 'Cancel 4'])
        self.assertEqual(len(self.run_json('status', 'lot 7')['jobs']), 3)

    def test_label_that_is_a_disk(self):
        """What is to be changed is one thing, or nothing is changed."""
        ended = [job(n, State='done', Outcome='erased', ExitCode=0, Label='old',
                     Id=f'8888888{n}-0000-4000-8000-000000000000') for n in (8, 9)]
        self.serve(*WORK, *ended, job(4, State='running', Label='bay 2',
                                      Id='44444444-0000-4000-8000-000000000000'))
        r = self.run_cli('cancel', 'bay 2', code=1)
        self.assertEqual(r.stderr, 'diskwipe: bay 2: means 2 disks and jobs: /fake/sg2, 44444444; '
                                   'name one of them\n')
        r = self.run_cli('cancel', 'old', code=2)
        self.assertEqual(r.stderr, 'diskwipe: old: all 2 jobs of that label have ended\n')
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.run_json('status', 'bay 2')['disks'][0]['device'], '/fake/sg2')
        self.run_cli('cancel', '44444444', '/fake/sg2')
        self.assertEqual(self.calls()[0], 'Cancel 4')

    def test_names_without_end(self):
        """Of many disks that are called alike, as many are named as there is room for."""
        serial = 'Z' * 60
        self.serve(*[disk(n, Serial=serial, Device='', Bay='') for n in range(9)])
        r = self.run_cli('cancel', serial, code=1)
        names = ', '.join(['Z' * 39] * 5)
        self.assertEqual(r.stderr, f'diskwipe: {serial}: means 9 disks: {names}, ...; '
                                   'name one of them\n')

    def test_columns(self):
        self.serve(*WORK)
        r = self.run_cli('status', '--noheadings', '-o', 'serial,temperature')
        self.assertEqual([line.split() for line in r.stdout.splitlines()][::4],
                         [['SERIAL-0000', '30'], ['SERIAL-0010', '40']])
        self.assertIn("did you mean 'serial'", self.run_cli('status', '-o', 'seral', code=1).stderr)
        self.assertIn('temperature', self.run_cli('help', 'columns').stdout)

    def test_queue(self):
        self.serve(*WORK)
        lines = self.run_cli('queue', '--noheadings').stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ['/fake/sg2', '/fake/sg10'])
        self.assertRegex(lines[0], r'77777777 +4 ')
        doc = self.run_json('queue')
        self.assertEqual(doc['disks'][1]['expected_end_time'], '2026-09-21T14:13:20Z')
        self.assertEqual(doc['disks'][0]['expected_end_time'], None)

    def test_control(self):
        self.serve(*WORK)
        root = '/io/github/diskwipe/Diskwipe1'
        self.run_cli('pause', '77777777')
        self.run_cli('resume', 'sg1')
        self.run_cli('cancel', JOB + '1', '/fake/sg2')
        self.assertEqual(self.calls(), ['Pause 2', f'Resume 1 disk {root}/disk/1', 'Cancel 1',
                                        f'Cancel 2 disk {root}/disk/2'])

    def test_nothing_is_called_unless_all_can_be(self):
        self.serve(*WORK)
        self.run_cli('cancel', '/fake/sg2', '/fake/sg0', code=2)
        self.run_cli('cancel', '/fake/sg2', '/fake/sg7', code=2)
        self.run_cli('pause', '0a1b2c3d-1', code=2)
        self.run_cli('pause', code=1)
        self.assertEqual(self.calls(), [])

    def test_simulate(self):
        """Nothing of a real station is pulled by a command."""
        self.serve(*WORK)
        r = self.run_cli('simulate', 'pull', '/fake/sg0', code=2)
        self.assertIn('the station is real', r.stderr)
        self.assertEqual(self.calls(), [])
        for words_, why in ((('pull', 'x', '--method=zero'), 'has no --method'),
                            (('heat', 'x', 'y'), 'degrees'), (('heat', '101', 'y'), 'degrees'),
                            (('heat', '5'), 'name a disk'), (('pull',), 'name a disk'),
                            (('heat',), 'name a disk'),
                            ((self.path('none'), '--bus=unix:path=/x'), '--bus is for')):
            self.assertIn(why, self.run_cli('simulate', *words_, code=1).stderr)

    def test_simulated(self):
        self.serve(disk(0), words('manager', Simulated='true'))
        for verb in 'status', 'watch':
            self.assertIn('simulated station', self.run_cli(verb).stderr)

    def test_denied(self):
        self.serve(*WORK, 'error Cancel NotAuthorized not allowed: polkit action x')
        r = self.run_cli('cancel', '77777777', code=7)
        self.assertIn('diskwipe: 77777777: not allowed: polkit action x; ask as root', r.stderr)

    def test_records(self):
        self.serve(words('record', job=JOB + '1', serial='S1', capacity=10 ** 12, bay='bay 1',
                         started=NOW, ended=NOW + 60000000, outcome='erased',
                         reason='a "b", c', uid=7, health_before='good',
                         health_after='failing: 5D/10', max_temperature=61,
                         heat_pause_seconds=2.5, do_not_reuse='true'),
                   words('record', job=JOB + '2', serial='S2', started=NOW, outcome=''))
        r = self.run_cli('records')
        self.assertRegex(r.stdout, r'2026-09-21 14:14 0a1b2c3d bay 1 .* S1 +1.00 TB +- +61 C +eras')
        self.assertRegex(r.stdout, r'goes on')
        rows = list(csv.DictReader(io.StringIO(self.run_cli('records', '--csv').stdout)))
        self.assertEqual([(x['serial'], x['reason'], x['ended']) for x in rows],
                         [('S1', 'a "b", c', '2026-09-21T14:14:20Z'), ('S2', '', '')])
        care = ('health_before', 'health_after', 'max_temperature', 'heat_pause_seconds',
                'do_not_reuse')
        self.assertEqual([[x[k] for k in care] for x in rows],
                         [['good', 'failing: 5D/10', '61', '2.500000', 'true'],
                          ['', '', '', '0.000000', 'false']])
        doc = self.run_json('records')
        self.assertEqual([x['ended'] for x in doc['records']], ['2026-09-21T14:14:20Z', None])
        self.assertEqual([[x[k] for k in care] for x in doc['records']],
                         [['good', 'failing: 5D/10', 61, 2.5, True], ['', '', None, 0, False]])

    def test_hostile_records(self):
        """No cell of CSV is a formula, and nothing that a terminal obeys comes to it."""
        texts = '=cmd()', '+1,"2"', '-x', '@SUM(1)', '\uff1dcmd()', '\x1b[2J\u202e\x9b', 'a=b'
        self.serve(*(words('record', job=f'{JOB}{i}', serial=text, bay=text, reason=text,
                           outcome='erased') for i, text in enumerate(texts)))
        cells = [x[k] for x in
                 csv.DictReader(io.StringIO(self.run_cli('records', '--csv').stdout))
                 for k in ('serial', 'bay', 'reason')]
        self.assertEqual(cells[::3], ["'=cmd()", "'+1,\"2\"", "'-x", "'@SUM(1)", "'\uff1dcmd()",
                                      '?[2J??', 'a=b'])
        self.assertEqual((cells[::3], cells[::3]), (cells[1::3], cells[2::3]))
        self.assertNotRegex(self.run_cli('records').stdout, '[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]')

    def test_which_records(self):
        self.serve()
        self.run_cli('records', '--since=2026-11-24', '--until=2026-11-25', '--serial=S',
                     '--bay=bay 3', '--outcome=failed', '--limit=5')
        day = 86400 * 10 ** 6
        start = 1795478400 * 10 ** 6
        self.assertEqual(self.calls(), [f'Records Manager since {start} until {start + 2 * day} '
                                        'serial S bay bay 3 outcome failed limit 5'])
        self.run_cli('records', '--since=2026-11-24 10:30', '--until=2026-11-24T10:31:01')
        self.assertIn(f'since {start + 37800 * 10 ** 6} until {start + 37861 * 10 ** 6}',
                      self.calls()[-1])
        for word in ('today', 'yesterday', '8h', '90min'):
            self.run_cli('records', '--since', word)
        for word in ('2026-13-01', 'tomorow', '2026-11-24 10', ''):
            self.assertIn('is not a date', self.run_cli('records', '--since', word, code=1).stderr)
        self.run_cli('records', '--limit=0', code=1)
        self.run_cli('records', '--csv', '--json', code=1)
        self.run_cli('records', 'S', code=1)

    def test_watch(self):
        """Until all have ended; of several jobs the exit status says what became of all."""
        self.serve(*WORK, SEEN, 'notice 1 1 a retry', words('disk 1', Pass=1),
                   SEEN, words('disk 1', State='done', Outcome='erased', Progress=1),
                   words('disk 10', State='done', Outcome='failed', Message='it broke'),
                   words('job 1', State='done', ExitCode=3, Outcome='failed'),
                   SEEN, words('disk 2', State='done', Outcome='erased'),
                   words('job 2', State='done', ExitCode=0, Outcome='erased'))
        r = self.run_cli('watch', code=3)
        for line in ('sg1: a retry', 'sg1: writing, pass 2 of 2', 'sg10: failed: it broke'):
            self.assertIn(line, r.stderr)
        self.assertRegex(r.stdout, r'/fake/sg10 .* failed +it broke')
        self.assertNotIn('/fake/sg3', r.stdout)
        self.assertIn('no job goes on', self.run_cli('watch').stderr)
        self.run_cli('watch', '/fake/sg1', code=3)
        self.run_cli('watch', '77777777', code=0)

    def test_bars(self):
        self.serve(*WORK, SEEN, words('job 1', State='done', ExitCode=0),
                   words('disk 1', State='done', Outcome='erased'))
        t = Terminal(self, 'watch', '/fake/sg1')
        t.expect(r'sg1 +\[#+\.+\] +50.0%')
        self.assertEqual(t.wait(), 0)

    def test_gone(self):
        """A service that starts again is found again; one that does not is not waited for long,
        and Ctrl-C ends the wait at once."""
        p = self.serve(*WORK, SEEN, 'drop')
        w = self.spawn('watch', '77777777')
        for line in w.stderr:
            if 'the service has gone' in line:
                break
        p.kill()
        p.wait()
        self.serve(disk(2, Job=2, State='done', Outcome='erased'),
                   job(2, Objects='2', State='done', ExitCode=0, Outcome='erased'))
        self.assertIn('erased', w.communicate(timeout=LIMIT)[0])
        self.assertEqual(w.returncode, 0)

    def test_gone_for_good(self):
        p = self.serve(*WORK)
        w = self.spawn('watch', '77777777')
        w.stderr.readline()
        p.kill()
        p.wait()
        for line in w.stderr:
            if 'the service has gone' in line:
                break
        w.send_signal(signal.SIGINT)
        w.communicate(timeout=LIMIT)
        self.assertEqual(w.returncode, -signal.SIGINT)

    def test_unreachable(self):
        for command in 'status', 'watch', 'queue':
            r = self.run_cli(command, code=8)
            self.assertIn('no service at unix:path=', r.stderr)
            self.assertIn('see --bus', r.stderr)
            self.assertNotIn('systemctl', r.stderr)  # which asks this machine
        doc = json.loads(self.run_cli('status', '--json', code=8).stdout)
        self.assertIn('no service at', doc['error'])
        self.assertIn('not the address of a bus', self.run_cli('queue', '--bus=x', code=1).stderr)
        # --bus goes before the environment
        self.serve(disk(0))
        self.run_cli('status', '--bus=unix:path=/nonexistent', code=8)
        self.run_cli('status', '--bus=unix:path=' + self.path('bus'), DISKWIPE_BUS_ADDRESS='')

    @unittest.skipIf(os.path.exists('/run/diskwipe/bus'), 'a service is here')
    def test_not_installed(self):
        """No unit: nothing is named that cannot be started, and the way without it is."""
        where = {'DISKWIPE_BUS_ADDRESS': '', 'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/nonexistent'}
        for command in 'status', 'watch', 'queue':
            r = self.run_cli(command, code=8, SYSTEMD_UNIT_PATH='/nonexistent', **where)
            self.assertNotIn('systemctl', r.stderr)
            self.assertIn('no unit diskwiped.service is here: install the package diskwiped, or do '
                          'without it: diskwipe erase DEVICE...', r.stderr)
        with open(self.path('diskwiped.service'), 'w', encoding='utf-8'):
            pass
        r = self.run_cli('status', code=8, SYSTEMD_UNIT_PATH=f'/nonexistent:{self.dir.name}',
                         **where)
        self.assertIn('start it: systemctl start diskwiped', r.stderr)

    @unittest.skipIf(not os.geteuid() and not shutil.which('setpriv'), 'no setpriv')
    def test_no_right_to_the_socket(self):
        self.serve(disk(0))
        os.chmod(self.path('bus'), 0o600)
        os.chmod(self.dir.name, 0o755)
        prefix = [] if os.geteuid() else ['setpriv', '--reuid=65534', '--clear-groups']
        if not prefix:
            os.chmod(self.path('bus'), 0)
        shutil.copy(os.environ['DISKWIPE'], self.path('program'))
        r = subprocess.run([*prefix, self.path('program'), 'status'], env=self.environment(),
                           capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(r.returncode, 7, r.stderr)
        self.assertIn('not allowed to reach the service', r.stderr)

    @unittest.skipIf(not shutil.which('dbus-daemon'), 'no dbus-daemon')
    def test_on_a_bus(self):
        """By name on the system bus, for which another one stands in."""
        bus = 'unix:path=' + self.path('system')
        p = subprocess.Popen(['dbus-daemon', '--session', '--nofork', '--print-address=1',
                              '--address=' + bus], stdout=subprocess.PIPE, text=True)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        p.stdout.readline()
        where = {'DISKWIPE_BUS_ADDRESS': '', 'DBUS_SYSTEM_BUS_ADDRESS': bus}
        if not os.path.exists('/run/diskwipe/bus'):
            self.assertIn('no service at', self.run_cli('status', code=8, **where).stderr)
        self.serve(*WORK, SEEN, SEEN, words('disk 2', State='done', Outcome='erased'),
                   words('job 2', State='done', ExitCode=0), where=('bus', bus))
        self.assertIn('77777777', self.run_cli('status', **where).stdout)
        self.run_cli('watch', '77777777', **where)


    def test_not_started(self):
        """Whatever keeps systemd or the bus from starting it is: out of reach, and what to do."""
        systemd, bus = 'org.freedesktop.systemd1.', 'org.freedesktop.DBus.Error.'
        for name, before, after in (
                (systemd + 'UnitMasked', 'is masked', 'systemctl unmask diskwiped'),
                (systemd + 'NoSuchUnit', 'is not installed', 'install diskwiped'),
                (systemd + 'LoadFailed', 'cannot be started', 'systemctl status'),
                (systemd + 'ShuttingDown', 'cannot be started', 'systemctl status'),
                (bus + 'Spawn.ChildExited', 'the bus cannot start', 'systemctl start'),
                (bus + 'Spawn.ServiceNotFound', 'the bus cannot start', 'systemctl start'),
                (bus + 'ServiceUnknown', 'no service here', 'systemctl start'),
                (bus + 'NameHasNoOwner', 'no service here', 'systemctl start'),
                (bus + 'TimedOut', 'does not answer', 'systemctl status'),
                (bus + 'NoReply', 'does not answer', 'systemctl status')):
            p = self.serve(disk(0), f'error GetManagedObjects {name} so it is.')
            verbs = [['queue'], ['watch'], ['submit', '--yes', '/fake/sg0'], ['pause', '/fake/sg0']]
            for verb in [['status']] + (verbs if 'Masked' in name else []):
                said = self.run_cli(*verb, code=8).stderr
                self.assertRegex(said, f'{before}.*: so it is.; .*{after}', name)
            p.kill()
            p.wait()

    @unittest.skipIf(not shutil.which('dbus-daemon'), 'no dbus-daemon')
    def test_bus_cannot_start_it(self):
        """A bus that knows the service, and whose start of it fails."""
        bus = self.bus_that_starts('/bin/false')
        r = self.run_cli('status', code=8, DISKWIPE_BUS_ADDRESS='', DBUS_SYSTEM_BUS_ADDRESS=bus)
        self.assertIn('the bus cannot start the service', r.stderr)


    @unittest.skipIf(not shutil.which('dbus-daemon'), 'no dbus-daemon')
    def test_doctor(self):
        """What keeps the service from working, as systemd has its unit."""
        bus = 'unix:path=' + self.path('system')
        p = subprocess.Popen(['dbus-daemon', '--session', '--nofork', '--print-address=1',
                              '--address=' + bus], stdout=subprocess.PIPE, text=True)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        p.stdout.readline()
        for load, active, said, advice in (
                ('masked', 'inactive', 'is masked', 'systemctl unmask diskwiped'),
                ('bad-setting', 'inactive', 'cannot be loaded .bad-setting', 'systemctl status'),
                ('loaded', 'failed', 'has failed .Result=exit-code', 'systemctl restart'),
                ('loaded', 'inactive', 'installed and does not run', 'systemctl enable --now'),
                ('loaded', 'activating', None, None), ('not-found', 'inactive', None, None)):
            service = self.serve(f'unit LoadState {load}', f'unit ActiveState {active}',
                                 'unit Result exit-code', where=('bus', bus))
            where = {'DBUS_SYSTEM_BUS_ADDRESS': bus}
            if said:
                r = self.run_cli('doctor', code=1, **where)
                self.assertRegex(r.stdout, rf'^diskwiped: .*{said}.*\n    .*{advice}')
                r = self.run_cli('doctor', code=1, DISKWIPE_FAKE_FINDING='clock', **where)
                self.assertRegex(r.stdout, r'(?s)host0: .*\ndiskwiped: ')
            else:
                self.assertEqual(self.run_cli('doctor', **where).stdout, 'nothing found\n', load)
            service.kill()
            service.wait()


if __name__ == '__main__':
    unittest.main()
