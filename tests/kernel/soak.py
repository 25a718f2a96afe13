# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-soak.sh does: soak.py ARRIVALS SEED."""
import os
import random
import sqlite3
import subprocess
import sys
import time

from station import MANAGER, Refused, Station, check, holds_zeros, until

CONFIG = '[policy]\nunattended = yes\n[queue]\nreturn-within = 10min\n' \
         '[bay rack]\naddress = *:0:0:0\naction = erase\nverify = full\n'
SIZE = 8 << 20
WARM = 0.3  # of the arrivals, after which the service has all that it keeps


class Slot:
    """A host of scsi_debug: a place for one disk, whose contents stay."""

    def __init__(self, host):
        self.host = host
        self.there = True
        self.came = 0  # microseconds since the epoch, of the last time

    def device(self):
        return f'/sys/bus/scsi/devices/{self.host}:0:0:0'

    def node(self):
        return '/dev/' + os.listdir(self.device() + '/block')[0]

    def pull(self):
        write(self.device() + '/delete', '1')
        self.there = False

    def plug(self):
        write(f'/sys/class/scsi_host/host{self.host}/scan', '0 0 0')
        until(lambda: os.path.exists(self.device() + '/block') and
              os.path.exists(self.node()), f'disk {self.host}')
        self.there = True

    def dirty(self):
        """Old data and a signature, unless the service works on the disk."""
        node = self.node()
        subprocess.run(['dd', 'if=/dev/urandom', 'of=' + node, 'bs=1M', 'count=8', 'oflag=direct',
                        'conv=nocreat', 'status=none'], check=False)
        subprocess.run(['mkswap', node], capture_output=True, check=False)


def write(path, text):
    with open(path, 'w', encoding='ascii') as f:
        f.write(text)


def memory(s):
    with open(f'/proc/{s.process.pid}/status', encoding='ascii') as f:
        return next(int(line.split()[1]) for line in f if line.startswith('VmRSS'))


def rescan(s):
    try:
        s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    except Refused:
        pass


def is_gone(s, slot):
    rescan(s)
    return not any(d['Address'] == f'{slot.host}:0:0:0' for d in s.disks().values())


def at_rest(s, slots):
    """Each disk has been looked at when nobody else had it open, so that what follows has begun;
    and has ended."""
    rescan(s)
    found = s.objects()
    free = {d['Address'] for d in found.values() if d.get('Device') and not d.get('Refusal')}
    return all(f'{slot.host}:0:0:0' in free for slot in slots) and \
        all(o['ExitCode'] != -1 for p, o in found.items() if '/job/' in p)


def restart(s, hard):
    if hard:
        s.process.kill()
        s.process.wait()
    else:
        check(s.stop() == 0, 'a stop')
    s.start()


def arrive(s, slot, hasty):
    """It goes, with other data on it unless that would be in mid-erase, and comes."""
    if slot.there:
        if not hasty:
            slot.dirty()
        slot.pull()
    until(lambda: is_gone(s, slot), 'the service misses it')
    slot.came = time.time() * 1e6
    slot.plug()
    rescan(s)


def rows_of(s):
    db = sqlite3.connect(f'file:{s.state}/station.db?mode=ro', uri=True)
    found = db.execute('select disk.serial, attempt.outcome, attempt.ended from attempt'
                       ' join disk on disk.id = attempt.disk order by attempt.id').fetchall()
    db.close()
    return found


def main():
    arrivals, seed = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(seed)
    hosts = sorted(int(d.split(':')[0]) for d in os.listdir('/sys/bus/scsi/devices')
                   if d.count(':') == 3)
    slots = [Slot(h) for h in hosts]
    for slot in slots:
        slot.dirty()
        slot.pull()
    s = Station(config=CONFIG).start()
    samples = []
    for i in range(arrivals):
        arrive(s, draw.choice(slots), draw.random() < 0.2)
        time.sleep(draw.uniform(0, 0.3))
        if draw.random() < 0.03:
            restart(s, hard=draw.random() < 0.5)
            samples.clear()
        samples.append(memory(s))
    for slot in slots:
        if not slot.there:
            slot.plug()
    until(lambda: at_rest(s, slots), 'the end of all', 120)
    grown = samples[-1] / samples[int(len(samples) * WARM)] - 1
    serials = {d['Address'].split(':')[0]: d['Serial'] for d in s.disks().values()}
    check(s.stop() == 0, 'the stop')
    rows = rows_of(s)
    offered = [line.split(': ')[-1] for line in s.said().splitlines() if 'offered only' in line]
    print({why: offered.count(why) for why in offered})
    check(all(outcome and ended for _, outcome, ended in rows), f'final rows: {rows}')
    kinds = {o: sum(r[1] == o for r in rows) for o in {r[1] for r in rows}}
    print(f'seed {seed}: {arrivals} arrivals, {len(rows)} rows {kinds}, {samples[-1]} kB, '
          f'{100 * grown:+.1f} % since {len(samples)} arrivals')
    for slot in slots:
        if not slot.came:
            continue
        mine = [r for r in rows if r[0] == serials[str(slot.host)]]
        check(mine, f'disk {slot.host} came, and has no row')
        if mine[-1][1] == 'erased' and mine[-1][2] > slot.came:
            check(holds_zeros(slot.node(), SIZE), f'{slot.node()} is called erased')
    check(kinds.get('erased', 0) >= arrivals / 3, 'disks were erased')
    check(len(samples) < 200 or grown < 0.05, f'memory: {samples}')


main()
