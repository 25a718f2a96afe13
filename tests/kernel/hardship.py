# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-hardship.sh does."""
import json
import os
import subprocess
import time

from station import Station, check, run, until
from wire import MANAGER, NAME, Refused, Wire

STALL_S = 30
NUMBER = iter(range(1000))


def enclosure(command):
    """A command to the emulated enclosure; what it answers."""
    name = f'{os.environ["ENCLOSURE_DIR"]}/ctl/hardship-{next(NUMBER)}'
    with open(name + '.tmp', 'w', encoding='utf-8') as f:
        f.write(command + '\n')
        os.fsync(f.fileno())
    os.rename(name + '.tmp', name)
    until(lambda: os.path.exists(name + '.out'), command)
    with open(name + '.out', encoding='utf-8') as f:
        first, _, rest = f.read().partition('\n')
    check(first == 'ok', f'{command}: {first}')
    return rest


def written(serials):
    """Bytes that these disks were sent."""
    return sum(d['bytes_written'] for d in json.loads(enclosure('stats'))['disks']
               if d.get('serial') in serials)


def rate(serials, seconds):
    before, begin = written(serials), time.monotonic()
    time.sleep(seconds)
    return (written(serials) - before) / (time.monotonic() - begin) / 1e6


def property_of(wire, path, name):
    return wire.objects()[path][name]


def outcome(wire, serial):
    return next((d['Outcome'] for d in wire.objects().values() if d.get('Serial') == serial), None)


def notes(wire):
    return ' '.join(wire.objects()[MANAGER]['Notes'])


def started(folder, mount):
    """A service whose record is on a file system of its own."""
    os.makedirs(folder + '/mnt')
    run('mount', *mount, folder + '/mnt')
    s = Station(folder)
    s.state = folder + '/mnt/diskwipe'
    s.start()
    return s, {d['Serial']: d for d in s.await_disks(7)}


def full(disks_of):
    """No room for the record: nothing new is taken, what runs goes on, and is told once it is on
    record."""
    s, disks = started('/run/full', ['-t', 'tmpfs', '-o', 'size=2M', 'none'])
    wire = Wire(s.socket)
    runs, other = (disks[n] for n in disks_of[:2])
    job = wire.submit([runs], command='write', verify='off')
    until(lambda: property_of(wire, job, 'State') == 'running', 'the job')
    with open('/run/full/mnt/filler', 'wb', buffering=0) as f:
        try:
            while True:
                f.write(bytes(4096))
        except OSError:
            pass
    said = None
    for priority in range(3000):
        try:
            wire.call(job, NAME + '.Job', 'SetPriority', 'ia{sv}', priority, {})
        except Refused as e:
            said = e
            break
    check(said and 'cannot be put on record' in str(said), f'a full disk: {said}')
    before = property_of(wire, job, 'Priority')
    try:
        wire.submit([other])
        check(False, 'a job was taken that cannot be on record')
    except Refused as e:
        print(f'full: {e}')
        check('cannot be put on record' in str(e) and len(str(e).splitlines()) == 1, f'{e}')
    check(len([p for p in wire.objects() if '/job/' in p]) == 1, 'nothing is queued')
    check(property_of(wire, job, 'Priority') == before, 'what was refused has no effect')
    check('cannot be written' in notes(wire), f'the note: {notes(wire)}')
    mine = disks_of[:1]
    end = runs['Capacity'] + written(mine)
    until(lambda: property_of(wire, job, 'State') != 'running' or written(mine) >= end
          or 'writing' not in states(wire), 'the end of the work', 60)
    time.sleep(1)
    check(outcome(wire, runs['Serial']) == '' and property_of(wire, job, 'ExitCode') == -1,
          f'{outcome(wire, runs["Serial"])} was told, and is not on record')
    os.unlink('/run/full/mnt/filler')
    until(lambda: property_of(wire, job, 'ExitCode') == 0, 'the end, with room again', 20)
    check('can be written again' in notes(wire), f'the note: {notes(wire)}')
    check([r['outcome'] for r in s.records()] == ['erased'], f'{s.records()}')
    check(s.stop() == 0, s.said())


def states(wire):
    return {d['State'] for d in wire.objects().values() if 'Serial' in d}


def stalled(disks_of):
    """The disk of the record stands still: the others are erased as fast as before."""
    node = next(f'/dev/{n}' for n in os.listdir('/sys/class/block')
                if b'STATE' in read(f'/sys/class/block/{n}/device/vpd_pg80'))
    run('mkfs.ext4', '-q', node)
    s, disks = started('/run/stall', [node])
    wire = Wire(s.socket)
    job = wire.submit([disks[n] for n in disks_of], command='write', verify='off',
                      flush_bytes=str(2 << 20), flush_seconds='1')
    until(lambda: property_of(wire, job, 'Bytes') and written(disks_of) and
          'writing' in states(wire), 'the work')
    time.sleep(1)
    beside = rate(disks_of, 2)
    enclosure(f'fault disk=0 op=write,sync kind=slow seconds={STALL_S} count=2')
    during = rate(disks_of, STALL_S - 1)
    print(f'a record that stalls {STALL_S} s: {during:.1f} MB/s; beside it {beside:.1f} MB/s')
    check(during > 0.8 * beside, 'the rate beside a record that stalls')
    enclosure('clear-all')
    until(lambda: property_of(wire, job, 'ExitCode') == 0, 'the end', 60)
    check(s.stop() == 0, s.said())
    run('umount', '/run/stall/mnt')


def read(path):
    try:
        with open(path, 'rb') as f:
            return f.read()
    except OSError:
        return b''


def set_clock(change):
    subprocess.run(['date', '-s', change], check=True, stdout=subprocess.DEVNULL)


def stepped(disks_of):
    """The clock is set, forth and back: what runs goes on, and a disk that is missed for some
    seconds is not given up."""
    s = Station('/run/clock').start()
    disks = {d['Serial']: d for d in s.await_disks(7)}
    wire = Wire(s.socket)
    mine = [disks[n] for n in disks_of[:3]]
    job = wire.submit(mine, command='write', verify='off')
    pulled = mine[2]['Serial']
    until(lambda: 'writing' in states(wire), 'the work')
    other = wire.submit([disks[disks_of[3]]], command='write')
    wire.ask(other, 'Pause')
    check(s.stop() == 0, s.said())
    enclosure(f'gone {disks_of[2][-1]}')
    stale = f'{s.state}/01234567-89ab-4def-8123-456789abcdef-1.key'
    with open(stale, 'wb') as f:
        f.write(b'key')
    run('mkfs.ext4', '-q', disks[disks_of[3]]['Block'])
    s.start()
    wire = Wire(s.socket)
    check(not os.path.exists(stale), 'a key of no attempt is removed')
    new_data(wire, other, disks_of[3])
    for change in ('+2 days', '-4 days', '+1 day'):
        set_clock(change)
        before = bytes_of(wire, mine)
        until(lambda: bytes_of(wire, mine) > before or 'done' in states(wire),
              f'progress after {change}', 10)
        time.sleep(1.2)
        check(outcome(wire, pulled) == '', f'{change}: the disk that was pulled is given up')
    enclosure(f'back {disks_of[2][-1]}')
    time.sleep(1)
    wire.call(MANAGER, NAME + '.Manager', 'Rescan', 'a{sv}', {})
    until(lambda: property_of(wire, job, 'ExitCode') == 0, 'the end after the clock was set', 60)
    rows = s.records()
    check([r['outcome'] for r in rows] == ['refused'] + ['erased'] * 3, f'{rows}')
    check(s.stop() == 0, s.said())


def new_data(wire, job, serial):
    """What came onto a disk after somebody agreed that it is erased stays there."""
    until(lambda: 'ext4' in next(d['Signatures'] for d in wire.objects().values()
                                 if d.get('Serial') == serial), 'the new signature')
    wire.ask(job, 'Resume')
    until(lambda: property_of(wire, job, 'ExitCode') != -1, 'the end of that job', 60)
    check(outcome(wire, serial) == 'refused', f'{serial} with new data: {outcome(wire, serial)}')


def bytes_of(wire, disks):
    return sum(d['Bytes'] for d in wire.objects().values()
               if d.get('Serial') in [m['Serial'] for m in disks])


def main():
    disks_of = [f'DISK{n}' for n in range(1, 5)]
    full(disks_of)
    stalled(['DISK5', 'DISK6'])
    stepped(disks_of)


if __name__ == '__main__':
    main()
