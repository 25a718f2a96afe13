#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""firmware_guest.py FOLDER: in the guest, the jobs of FOLDER/jobs.json, one after the other, and
what happens to their disks. Of each stay SEED.json, SEED.err, SEED.status. The program looks at
all disks that are there, so only those of one job are plugged in at a time.
"""
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from enclosure_guest import enclosure, errors, find_nodes  # noqa: E402

LIMIT_S = 90


def state_of(target):
    """What a disk does by itself: idle, running, done or failed."""
    return enclosure(f'firmware {target}').splitlines()[1].split()[0]


def wait_for_moment(what, target, over):
    """False if the program has ended before."""
    while what['works'] and state_of(target) == 'idle':
        if over.wait(0.05):
            return False
    return not over.wait(what['ms'] / 1000)


def program(name, words, target=None, end=None):
    """Its exit status; what stops it says `end`."""
    with open(f'{name}.json', 'w') as out, open(f'{name}.err', 'a') as err:
        p = subprocess.Popen([os.environ['DISKWIPE'], 'erase', '--yes', '--json',
                              '--progress=plain', *words],
                             stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        over = threading.Event()

        def stop():
            if wait_for_moment(end, target, over):
                p.send_signal(getattr(signal, f'SIG{end["signal"]}'))
        stopper = threading.Thread(target=stop if end else over.wait)
        stopper.start()
        try:
            return p.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
            return 'hangs'
        finally:
            over.set()
            stopper.join()


def resume(job, name, status):
    """Goes on with a job that was stopped or killed, if it had begun."""
    state, target = f'{name}.state', job['target']
    if status not in (130, -signal.SIGINT, -signal.SIGKILL):
        return status
    if not os.path.exists(state):
        return 'not begun'
    for attempt in range(300):
        if (attempt or job['end']['wait']) and state_of(target) == 'running':
            time.sleep(0.1)
            continue
        status = program(name, [f'--resume={state}'])
        if status != 2 or state_of(target) != 'running':
            break
    return status


def await_node(target, there):
    """The kernel has seen that a disk went or came, so that neither hides the other."""
    for _ in range(12000):
        if (target in find_nodes()[0]) == there:
            return
        time.sleep(0.01)


def happen(action, target, over):
    if not wait_for_moment(action, target, over):
        return
    for words in action['enc']:
        enclosure(words)
        word, number = words.split()[:2]
        if word in ('gone', 'back'):
            await_node(int(number), word == 'back')


def plug_in(targets):
    """Their nodes of scsi_generic, when the kernel has said of each that it is done with it: a
    node is there before, and whoever opens that finds it in use."""
    with open('/dev/kmsg', 'rb', buffering=0) as log:
        os.set_blocking(log.fileno(), False)
        log.seek(0, os.SEEK_END)
        for target in targets:
            enclosure(f'back {target}')
        left = len(targets)
        while left and select.select([log], [], [], 120)[0]:
            left -= b'Attached SCSI disk' in log.read(8192)
    sg, _ = find_nodes()
    if left or not all(t in sg for t in targets):
        errors.append(f'disks {targets}: not found')
    return sg


def pull_out(targets):
    """Nothing is flushed: what their caches hold is lost."""
    for target in targets:
        enclosure(f'gone {target}')
    for _ in range(12000):
        if not find_nodes()[0]:
            return
        time.sleep(0.01)
    errors.append(f'disks {targets}: still there')


def run(job, folder):
    name, sg = f'{folder}/{job["seed"]}', plug_in(job['targets'])
    node = sg.get(job['target'], f'/dev/no-{job["target"]}')
    over = threading.Event()
    actions = [threading.Thread(target=happen, args=(a, job['target'], over))
               for a in job['actions']]
    for a in actions:
        a.start()
    words = [*job['options'], '--expect-count=1', '--stall-budget=20s', node]
    if job['end']:
        words.insert(0, f'--state={name}.state')
    status = resume(job, name, program(name, words, job['target'], job['end']))
    over.set()
    for a in actions:
        a.join()
    with open(f'{name}.status', 'w') as f:
        f.write(str(status))


def main():
    folder = sys.argv[1]
    with open(f'{folder}/jobs.json') as f:
        jobs = json.load(f)
    for job in jobs:
        run(job, folder)
        pull_out(job['targets'])
    os.sync()
    print('\n'.join(errors))
    return len(errors) > 0


sys.exit(main())
