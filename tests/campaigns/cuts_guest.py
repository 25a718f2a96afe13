# SPDX-License-Identifier: GPL-2.0-or-later
"""What `cuts` does in the guest, once for each time it is switched on: "cuts_guest.py FOLDER
first", "again" or "last". What it was told is on its standard output, a line each."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'kernel'))
from station import Station, until  # noqa: E402
from wire import Gone, Wire  # noqa: E402

MOUNTED = '/run/state'


def say(kind, **what):
    print(json.dumps({'kind': kind, **what}), flush=True)


def mount():
    """The file system of the record, on the disk that is called so."""
    os.mkdir(MOUNTED)
    for name in sorted(os.listdir('/sys/class/block')):
        page = f'/sys/class/block/{name}/device/vpd_pg80'
        if os.path.exists(page):
            with open(page, 'rb') as f:
                if b'STATE' in f.read():
                    return subprocess.run(['mount', '-t', 'ext4', f'/dev/{name}', MOUNTED],
                                          check=False).returncode == 0
    return False


class Seen:
    """Outcomes and ends, told once each."""

    def __init__(self, station):
        self.told = set()
        end = time.monotonic() + 180
        while True:
            try:
                self.wire = Wire(station.socket)
                break
            except (Gone, OSError):
                if time.monotonic() > end or station.process.poll() is not None:
                    raise SystemExit(f'no service: {station.said()}') from None
                time.sleep(0.02)

    def look(self):
        """Disks that are there by serial, jobs that go on."""
        objects = self.wire.objects()
        for d in objects.values():
            told = (d.get('Serial'), d.get('Job'), d.get('Outcome'))
            if 'Serial' in d and d['Outcome'] and told not in self.told:
                self.told.add(told)
                say('told', serial=told[0], job=told[1], outcome=told[2])
        return ({d['Serial']: d for d in objects.values() if d.get('Device')},
                [p for p, j in objects.items() if '/job/' in p and j['ExitCode'] == -1])


def main():
    folder, when = sys.argv[1:]
    if not mount():
        say('unmountable')
        return
    s = Station('/run/cuts')
    s.state = f'{MOUNTED}/diskwipe'
    s.start(wait=False)
    seen = Seen(s)
    with open(f'{folder}/jobs.json', encoding='utf-8') as f:
        todo = json.load(f)
    until(lambda: len(seen.look()[0]) == todo['count'] + 1, 'the disks')
    disks = seen.look()[0]
    names = sorted(n for n in disks if n != 'STATE')
    for job in todo['jobs'] if when == 'first' else []:
        mine = [disks[names[i]] for i in job['disks']]
        path = seen.wire.submit(mine, **job['options'])
        say('ack', what='submit', job=path, serials=[d['Serial'] for d in mine])
    say('working')
    end = time.monotonic() + 180
    while seen.look()[1] and time.monotonic() < end:
        time.sleep(0.01)
    say('over')
    if when != 'last':
        signal.pause()  # until the power goes
    if s.stop():
        raise SystemExit(f'the end: {s.said()}')
    shutil.copytree(s.state, f'{folder}/state')
    with open(f'{folder}/said', 'w', encoding='utf-8') as f:
        f.write(s.said())
    subprocess.run(['umount', MOUNTED], check=True)


if __name__ == '__main__':
    main()
