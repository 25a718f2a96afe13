# SPDX-License-Identifier: GPL-2.0-or-later
"""What campaigns on the emulated enclosure share: one guest for the jobs of several seeds, and a
look at the media afterwards, as the enclosure has them on file when its power is gone."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..'))
ONE_JOB_S = 100


class Wrong(Exception):
    """What must not be."""


def find_internal_error(name):
    """Whatever else a job ends with: the program has said that it has waited for nothing."""
    if os.path.isdir(name) or os.path.getsize(name) > 4 << 20 or name.endswith('.img'):
        return
    with open(name, 'rb') as f:
        at = (text := f.read()).find(b'internal error, nothing')
    if at >= 0:
        raise Wrong(f'{name}: {text[at:at + 600].decode(errors="replace")}')


def run_guest(jobs, folder, command, options=(), enclosure='enclosure fast=1 seed=1'):
    """Boot a guest with the disks of all jobs; the command runs in it as root."""
    with open(f'{folder}/rack.conf', 'w') as f:
        f.write(enclosure + '\n')
        for job in jobs:
            for d in job.disks:
                f.write(d.config + '\n')
        for job in jobs:
            for d in job.disks:
                f.write('\n'.join(d.faults + ['']))
    env = dict(os.environ, TMPDIR=folder)
    r = subprocess.run(
        [f'{TOP}/tests/kernel/guest', '--keep', '--timeout', str(60 + 60 * len(jobs)),
         '--env', 'DISKWIPE', '--env', 'DW_PROBE_TOOL', '--rw', folder,
         '--enclosure', f'{folder}/rack.conf', *options, '--', *command],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors='replace', check=False)
    if r.returncode == 77:
        print(r.stdout)
        sys.exit(77)
    if r.returncode:
        raise Wrong(f'guest: status {r.returncode}\n{r.stdout[-3000:]}')
    for name in glob.glob(f'{folder}/**', recursive=True):
        find_internal_error(name)


def media_of(folder):
    """Where the enclosure of a guest has left its disks."""
    return os.path.dirname(glob.glob(f'{folder}/dw-guest.*/**/disk-*.img', recursive=True)[0])


def runs(blocks):
    """Ascending numbers as text, 3-5 7."""
    out = []
    for b in sorted(blocks):
        if out and out[-1][1] == b - 1:
            out[-1][1] = b
        else:
            out.append([b, b])
    return ' '.join(f'{a}-{b}' if a != b else str(a) for a, b in out[:20])


def medium(d, media):
    with open(f'{media}/disk-{d.target:02d}.img', 'rb') as f:
        data = f.read(d.block * d.blocks)
    return data.ljust(d.block * d.blocks, b'\0')


def different(d, media, byte):
    """The blocks that hold anything but this byte."""
    data, clean = medium(d, media), bytes([byte]) * d.block
    if data == clean * d.blocks:
        return set()
    return {i for i in range(d.blocks) if data[i * d.block:(i + 1) * d.block] != clean}


def expected_status(disks):
    good = [d['outcome'] == 'erased' for d in disks]
    if any(d['verify']['mismatches'] for d in disks):
        return 5
    return 0 if all(good) else 3 if any(good) else 4


def show(job):
    print(f'seed {job.seed}: {" ".join(job.options)}')
    for d in job.disks:
        print(f'  {d.config}   # {"spare" if d.spare else d.fate}')
        for f in d.faults:
            print(f'    {f}')
    for a in getattr(job, 'attacks', []):
        print(f'  disk {a.disk.target}: {a.kind}: {a.actions}')


class Share:
    """Of the blocks of failing disks that can be written, how many were erased."""

    def __init__(self):
        self.erased = self.writable = 0

    def add(self, erased, writable):
        self.erased += erased
        self.writable += writable

    def __str__(self):
        return f'; failing disks: {self.erased} of {self.writable} writable blocks erased'


def run(jobs, folder, tally, send, judge):
    """Number of jobs that went wrong."""
    failed = 0
    send(jobs, folder)
    media = media_of(folder)
    for job in jobs:
        try:
            for outcome in judge(job, folder, media):
                tally[outcome] = tally.get(outcome, 0) + 1
        except Wrong as e:
            failed += 1
            print(f'seed {job.seed} FAILED: {e}', flush=True)
            show(job)
    return failed


def seeds_of(text):
    """"7", "1-20", "3,9,4"."""
    if '-' in text:
        first, last = map(int, text.split('-'))
        return list(range(first, last + 1))
    return [int(part) for part in text.split(',')]


def parse(usage):
    p = argparse.ArgumentParser(usage=usage)
    p.add_argument('--seed', '--seeds', dest='seeds', required=True)
    p.add_argument('--keep')
    p.add_argument('--show', action='store_true')
    a = p.parse_args()
    return a, seeds_of(a.seeds)


def main(usage, draw, send, judge, share=''):
    """draw(SEED, FIRST-TARGET) makes a job, send(JOBS, FOLDER) runs them in a guest, judge(JOB,
    FOLDER, MEDIA) raises Wrong or returns outcomes. `share`: a Share that judge adds to."""
    args, seeds = parse(usage)
    jobs, target = [], 0
    for seed in seeds:
        jobs.append(draw(seed, target))
        target += len(jobs[-1].disks)
    if args.show:
        for job in jobs:
            show(job)
        return 0
    if args.keep:
        os.makedirs(args.keep)
        folder, done = os.path.realpath(args.keep), lambda: None
    else:
        temporary = tempfile.TemporaryDirectory(prefix='campaign.')
        folder, done = temporary.name, temporary.cleanup
    tally = {}
    try:
        failed = run(jobs, folder, tally, send, judge)
    except Wrong as e:
        print('\n'.join(f'seed {seed} FAILED: {e}' for seed in seeds))
        failed = len(jobs)
    finally:
        done()
    print(f'{len(jobs) - failed} passed, {failed} failed; disks: '
          + ', '.join(f'{n} {what}' for what, n in sorted(tally.items())) + str(share))
    return failed > 0
