# SPDX-License-Identifier: GPL-2.0-or-later
"""What `kills` does in the guest: callers, and a service that is killed."""
import json
import os
import shutil
import signal
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'kernel'))
import serving  # noqa: E402
from station import Station, until  # noqa: E402
from wire import Gone, Refused, Wire  # noqa: E402

MOMENTS = ('run', 'run', 'run', 'submitted', 'submitted', 'submitting', 'starting', 'told', 'told',
           'asked')
STOPPED = ('erased', 'stopped')


class Callers:
    def __init__(self, r, jobs, station):
        self.r, self.jobs, self.s = r, jobs, station
        self.wire = None
        self.acks, self.told, self.kills = [], [], []
        self.wanted = []  # serials that were cancelled
        self.paused = []
        self.serials = None

    def connect(self, seconds=120):
        """The service is there, and knows the disks."""
        end = time.monotonic() + seconds
        while True:
            try:
                self.wire = Wire(self.s.socket)
                disks = self.see()
                if self.serials is None or set(self.serials) <= set(disks):
                    return
                self.wire.close()
            except (Gone, OSError):
                pass
            if self.s.process.poll() is not None:
                raise SystemExit(f'the service ended: {self.s.said()}')
            if time.monotonic() > end:
                raise SystemExit(f'no service: {self.s.said()}')
            time.sleep(0.02)

    def see(self):
        """All disks by serial that are there; what they tell of ends is noted."""
        found = {}
        for d in ({'path': p, **d} for p, d in self.wire.objects().items() if '/disk/' in p):
            self.note(d['Serial'], d['Job'], d['Outcome'])
            if d['Device']:
                found[d['Serial']] = d
        return found

    def note(self, serial, job, outcome):
        told = {'serial': serial, 'job': job, 'outcome': outcome}
        if outcome and told not in self.told:
            self.told.append(told)

    def submit(self, answered=True, delay=0.0):
        """The next job; without an answer the service may have it or not."""
        job = self.jobs[0]
        disks = self.see()
        mine = [disks[self.serials[i]] for i in job['disks']]
        options = {**job['options'], 'label': f'{len(self.acks)}-{len(self.kills)}'}
        serial = self.wire.post_submit(mine, options)
        if not answered:
            time.sleep(delay)
            return mine
        self.acknowledge('submit', self.wire.answer(serial)[0], mine)
        self.jobs.pop(0)
        return mine

    def acknowledge(self, what, job, disks=()):
        self.acks.append({'what': what, 'job': job, 'serials': [d['Serial'] for d in disks]})

    def going_on(self):
        return [(p, j) for p, j in self.wire.objects().items() if '/job/' in p
                and j['ExitCode'] == -1]

    def ask(self):
        """Somebody pauses a job, or cancels one disk of it."""
        jobs = self.going_on()
        if not jobs:
            return
        path, job = self.r.choice(jobs)
        disk = self.r.choice(job['Objects']) if 'Objects' in job else None
        try:
            if disk and self.r.random() < 0.3:
                serial = next(d['Serial'] for p, d in self.wire.objects().items() if p == disk)
                self.wanted.append(serial)
                self.wire.ask(path, 'Cancel', disk)
                self.acknowledge('cancel', path)
            else:
                self.wire.ask(path, 'Pause')
                self.acknowledge('pause', path)
                self.paused.append(path)
        except Refused as e:
            if 'ended already' not in str(e):
                raise

    def resume(self):
        """What was paused is so after a kill, and goes on."""
        objects = self.wire.objects()
        for path in self.paused:
            if objects[path]['State'] not in ('paused', 'done'):
                raise SystemExit(f'{path} was paused, and is {objects[path]["State"]}')
            try:
                self.wire.ask(path, 'Resume')
                self.acknowledge('resume', path)
            except Refused as e:
                if 'ended already' not in str(e):
                    raise
        self.paused = []

    def kill(self, moment):
        """At that moment; then it is started again."""
        r = self.r
        unsure = None
        if moment == 'submitted' and self.jobs:
            self.submit()
        elif moment == 'submitting' and self.jobs:
            unsure = self.submit(answered=False, delay=r.uniform(0, 0.06))
        elif moment == 'told':
            self.hear_an_outcome()
        elif moment == 'asked':
            self.ask()
        elif moment != 'starting':
            time.sleep(r.uniform(0.1, 1.6))
        self.stop()
        if moment == 'starting':
            time.sleep(r.uniform(0, 0.5))
            self.stop()
        self.kills.append(moment)
        self.connect()
        if unsure:
            self.settle(unsure)

    def hear_an_outcome(self):
        """The next that is told, if a job works towards one."""
        end, found = time.monotonic() + 180, None
        while not found and time.monotonic() < end and \
                any(j['State'] != 'paused' for _, j in self.going_on()):
            found = self.wire.wait(lambda path, member, values: member == 'PropertiesChanged'
                                   and values[1].get('Outcome'), 0.5)
        if found:
            self.note_signal(*found)

    def note_signal(self, names, values):
        if '/disk/' in names[1]:
            changed = values[1]
            serial = self.by_path.get(names[1])
            job = changed.get('Job') or self.job_of.get(serial)
            if serial and job:
                self.note(serial, job, changed['Outcome'])

    def stop(self):
        self.s.stop(signal.SIGKILL)
        self.wire.close()
        self.s.start(wait=False)

    def settle(self, mine):
        """Was a submission without an answer taken? All of it or nothing."""
        disks = self.see()
        jobs = {disks[d['Serial']]['Job'] for d in mine}
        if len(jobs) != 1:
            raise SystemExit(f'half a job: {jobs}')
        if jobs != {'/'}:
            self.acknowledge('submit', jobs.pop(), mine)
            self.jobs.pop(0)

    def run(self, count, kills):
        self.s.start(wait=False)
        self.connect()
        until(lambda: len(self.see()) == count, f'{count} disks')
        self.serials = sorted(self.see())
        self.submit()
        for moment in kills:
            objects = self.wire.objects()
            self.by_path = {p: d['Serial'] for p, d in objects.items() if '/disk/' in p}
            self.job_of = {d['Serial']: d['Job'] for p, d in objects.items() if '/disk/' in p}
            self.kill(moment)
            if moment != 'asked':
                self.resume()
        self.resume()
        while self.jobs:
            self.submit()
        until(lambda: not self.going_on(), 'the end of all jobs', 120)
        self.see()


def main():
    seed, folder = int(sys.argv[1]), sys.argv[2]
    r = serving.rng('kills in the guest', seed)
    with open(f'{folder}/jobs.json', encoding='utf-8') as f:
        todo = json.load(f)
    s = Station('/run/kills')
    c = Callers(r, todo['jobs'], s)
    c.run(todo['count'], [r.choice(MOMENTS) for _ in range(todo['kills'])])
    if s.stop() != 0:
        raise SystemExit(f'the end: {s.said()}')
    shutil.copytree(s.state, f'{folder}/state')
    with open(f'{folder}/done.json', 'w', encoding='utf-8') as f:
        json.dump({'acks': c.acks, 'told': c.told, 'kills': c.kills, 'wanted': c.wanted,
                   'said': s.said()}, f)


if __name__ == '__main__':
    main()
