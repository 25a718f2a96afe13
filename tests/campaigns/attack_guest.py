#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""attack_guest.py FOLDER: in the guest, the jobs of FOLDER/jobs.json, one after the other, and what
is done to them. Of each stay SEED.json, SEED.err, SEED.status, and in SEED.held the disks that
somebody used from before the last write to the end.
"""
import ctypes
import fcntl
import glob
import json
import mmap
import os
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from enclosure_guest import enclosure, errors, find_nodes  # noqa: E402

SG_IO = 0x2285
LIMIT_S = 150  # longer than a job waits to see who uses its disks
KERNEL = os.path.realpath(f'{os.path.dirname(__file__)}/../kernel')
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class SgIo(ctypes.Structure):
    """struct sg_io_hdr of the kernel."""
    _fields_ = [('interface_id', ctypes.c_int), ('direction', ctypes.c_int),
                ('cmd_len', ctypes.c_ubyte), ('sense_max', ctypes.c_ubyte),
                ('iovec_count', ctypes.c_ushort), ('data_len', ctypes.c_uint),
                ('data', ctypes.c_void_p), ('cdb', ctypes.c_void_p),
                ('sense', ctypes.c_void_p), ('timeout', ctypes.c_uint),
                ('flags', ctypes.c_uint), ('pack_id', ctypes.c_int),
                ('usr_ptr', ctypes.c_void_p), ('status', ctypes.c_ubyte),
                ('masked_status', ctypes.c_ubyte), ('msg_status', ctypes.c_ubyte),
                ('sense_len', ctypes.c_ubyte), ('host_status', ctypes.c_ushort),
                ('driver_status', ctypes.c_ushort), ('resid', ctypes.c_int),
                ('duration', ctypes.c_uint), ('info', ctypes.c_uint)]


def steal(node, seconds):
    """Take the attentions of a disk, as any program does that asks whether it is ready."""
    try:
        fd = os.open(node, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return
    cdb, sense = (ctypes.c_ubyte * 6)(), (ctypes.c_ubyte * 64)()
    hdr = SgIo(interface_id=ord('S'), direction=-1, cmd_len=6, sense_max=64, timeout=5000,
               cdb=ctypes.addressof(cdb), sense=ctypes.addressof(sense))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            fcntl.ioctl(fd, SG_IO, hdr)
        except OSError:
            break
    os.close(fd)


def dirty(node, what, struck):
    """Write by a shared mapping whose descriptor is closed; nobody asks for a flush."""
    try:
        fd = os.open(node, os.O_RDWR)
    except OSError:
        return None
    at = []
    for page in what['pages']:
        p = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd,
                      page * 4096)
        if p != ctypes.c_void_p(-1).value:
            at.append(p)
    os.close(fd)
    for p in at:
        ctypes.memset(p, what['byte'], mmap.PAGESIZE)
    struck.set()
    if what['again']:
        time.sleep(what['again'])
        for p in at:
            ctypes.memset(p, what['byte'], mmap.PAGESIZE)
    return at


def moved_of(answer):
    """What has gone to and come from each port."""
    doc = json.loads(answer[answer.index('{'):])
    return {d['disk']: (d['bytes_written'] + d['write_same_blocks'] * d['block_bytes'],
                        d['bytes_read']) for d in doc['disks']}


class Watch(threading.Thread):
    """What has gone to and come from each port so far."""

    def __init__(self):
        super().__init__(daemon=True)
        self.moved = {}
        self.ended = False

    def run(self):
        while not self.ended:
            try:
                self.moved = moved_of(enclosure('stats'))
            except ValueError:
                continue
            time.sleep(0.02)


def beside(*words):
    """A program that says when it is ready, and goes on until its input ends; None: it ended."""
    p = subprocess.Popen([sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True)
    return p if 'ready' in p.stdout.readline() else None


class Attacker(threading.Thread):
    def __init__(self, run, attack, action):
        super().__init__(daemon=True)
        self.job, self.target, self.action = run, attack['target'], action
        self.struck = threading.Event()  # what was done has an effect from here on

    def is_time(self):
        written, read = self.job.moved(self.target)
        if 'stopped' in self.action:
            return self.job.stopped.is_set()
        if 'read' in self.action:
            return read >= self.action['read'] + self.job.read_before[self.target]
        return written >= self.action['written']

    def run(self):
        while not self.is_time():
            if self.job.over.wait(0.01):
                return
        self.strike()

    def strike(self):
        try:
            self.act()
        finally:
            self.struck.set()

    def act(self):
        a = self.action
        for words in a.get('enc', []):
            enclosure(words)
        if 'thief' in a and self.target in self.job.sg:
            thieves = [threading.Thread(target=steal, args=(self.job.sg[self.target],
                                                            a['thief']['seconds']))
                       for _ in range(a['thief']['threads'])]
            for t in thieves:
                t.start()
            for t in thieves:
                t.join()
        if 'cache' in a:
            for path in glob.glob(f'/sys/class/scsi_disk/*:{self.target}:0/cache_type'):
                with open(path, 'w') as f:
                    f.write(a['cache'])
        if 'holder' in a:
            self.hold(a['holder'])
        if 'pretender' in a:
            self.stay(beside(f'{KERNEL}/attacker.py', self.job.sd[self.target],
                             str(a['pretender'])))
        if 'map' in a and self.target in self.job.sd:
            at = dirty(self.job.sd[self.target], a['map'], self.struck)
            self.job.over.wait(a['map']['hold'])
            for p in at or []:
                libc.munmap(p, mmap.PAGESIZE)


    def hold(self, how):
        program = beside(f'{KERNEL}/holder.py', how, self.job.sd[self.target])
        if program:
            written = moved_of(enclosure('stats')).get(self.target, (0, 0))[0]
            if written < self.job.job['bytes'][str(self.target)]:
                self.job.held.append(self.target)
        self.stay(program)

    def stay(self, program):
        """Until the job is over."""
        self.struck.set()
        if not program:
            return
        self.job.over.wait()
        program.kill()
        program.wait()


class Run:
    """One job."""

    def __init__(self, job, folder, watch, nodes):
        self.job, self.folder, self.watch = job, folder, watch
        self.sg, self.sd = nodes
        self.over, self.stopped, self.held = threading.Event(), threading.Event(), []
        self.read_before = {a['target']: 0 for a in job['attacks']}
        self.attackers = [Attacker(self, attack, action) for attack in job['attacks']
                          for action in attack['actions']]

    def moved(self, target):
        return self.watch.moved.get(target, (0, 0))

    def program(self, options, stop_at=0):
        name = f'{self.folder}/{self.job["seed"]}'
        nodes = [self.sg.get(t, f'/dev/no-{t}') for t in self.job['targets']]
        words = [os.environ['DISKWIPE'], 'erase', '--yes', '--json', '--progress=plain',
                 f'--expect-count={len(nodes)}', *options]
        with open(f'{name}.json', 'w') as out, open(f'{name}.err', 'a') as err:
            p = subprocess.Popen(words + (nodes if '--resume' not in ' '.join(options) else []),
                                 stdout=out, stderr=err, stdin=subprocess.DEVNULL)
            end = time.monotonic() + LIMIT_S
            while p.poll() is None and time.monotonic() < end:
                if stop_at and self.moved(self.job['targets'][0])[0] >= stop_at:
                    p.send_signal(signal.SIGINT)
                    stop_at = 0
                time.sleep(0.01)
            if p.returncode is None:
                p.kill()
                p.wait()
                return 'hangs'
        return p.returncode if p.returncode >= 0 else 128 - p.returncode

    def erase(self):
        state, options = f'{self.folder}/{self.job["seed"]}.state', self.job['options']
        if not self.job['stop_at']:
            return self.program(options)
        status = self.program(options + [f'--state={state}'], self.job['stop_at'])
        if status != 130:
            return status
        self.stopped.set()
        for a in self.attackers:
            if 'stopped' in a.action and not a.struck.wait(LIMIT_S):
                errors.append('what was to be done between stop and resume was not')
        return self.program([f'--resume={state}'])

    def run(self):
        for a in self.attackers:
            if 'before' in a.action:
                # what is held stays so while the job begins
                threading.Thread(target=a.strike, daemon=True).start()
                if not a.struck.wait(LIMIT_S):
                    errors.append('what was to be done before the job was not')
        for t in self.read_before:
            self.read_before[t] = self.moved(t)[1]
        for a in self.attackers:
            if 'before' not in a.action:
                a.start()
        status = self.erase()
        self.over.set()
        for a in self.attackers:
            if 'before' not in a.action:
                a.join()
        with open(f'{self.folder}/{self.job["seed"]}.status', 'w') as f:
            f.write(str(status))
        with open(f'{self.folder}/{self.job["seed"]}.held', 'w') as f:
            json.dump(self.held, f)


def main():
    folder = sys.argv[1]
    with open(f'{folder}/jobs.json') as f:
        jobs = json.load(f)
    watch, nodes = Watch(), find_nodes()
    with open(f'{folder}/nodes.json', 'w') as f:
        json.dump({target: [nodes[0][target], nodes[1].get(target)] for target in nodes[0]}, f)
    watch.start()
    for job in jobs:
        Run(job, folder, watch, nodes).run()
    watch.ended = True
    watch.join()
    os.sync()
    print('\n'.join(errors))
    return len(errors) > 0


sys.exit(main())
