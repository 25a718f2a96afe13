# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-hardship.sh does."""
import os
import subprocess

from station import Shelf, Station, check, looked, run, until
from wire import MANAGER, NAME, Refused, Wire

EARLY = 2048  # the LBA at which disks are held first, of 32768
MIDDLE = 16384  # and where they are held when the clock is set, each STEP further
STEP = 4096
# one command at a time: none goes past one that is held
SINGLE = {'command': 'write', 'verify': 'off', 'controller': 'fixed', 'fixed_blocks': '128',
          'depth': '1'}
shelf = Shelf()


def written(serials):
    """Bytes that these disks were sent."""
    return sum(d['bytes_written'] for d in shelf.stats()['disks'] if d['serial'] in serials)


def hold(*numbers):
    for n in numbers:
        shelf(f'fault kind=hold disk={n} op=write min=2 lba={EARLY} count=1')


def let_go(*numbers):
    for n in numbers:
        shelf(f'clear {n}')


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
    return s, {d['Serial']: d for d in s.await_disks(8)}


def full(disks_of):
    """No room for the record: nothing new is taken, what runs goes on, and is told once it is on
    record."""
    s, disks = started('/run/full', ['-t', 'tmpfs', '-o', 'size=2M', 'none'])
    wire = Wire(s.socket)
    runs, other = (disks[n] for n in disks_of[:2])
    hold(1)
    job = wire.submit([runs], **SINGLE)
    shelf.await_held(1)
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
    let_go(1)
    until(lambda: is_free(runs['Block']), 'the end of the work')
    looked(s, shelf)
    check(outcome(wire, runs['Serial']) == '' and property_of(wire, job, 'ExitCode') == -1,
          f'{outcome(wire, runs["Serial"])} was told, and is not on record')
    os.unlink('/run/full/mnt/filler')
    until(lambda: property_of(wire, job, 'ExitCode') == 0, 'the end, with room again', 20)
    check('can be written again' in notes(wire), f'the note: {notes(wire)}')
    check([r['outcome'] for r in s.records()] == ['erased'], f'{s.records()}')
    check(s.stop() == 0, s.said())


def is_free(block):
    """A job gives its disk back at its end."""
    try:
        os.close(os.open(block, os.O_RDWR | os.O_EXCL))
    except OSError:
        return False
    return True


def stalled(disks_of):
    """The disk of the record stands still: the others are erased to their end."""
    node = next(f'/dev/{n}' for n in os.listdir('/sys/class/block')
                if b'STATE' in read(f'/sys/class/block/{n}/device/vpd_pg80'))
    run('mkfs.ext4', '-q', node)
    s, disks = started('/run/stall', [node])
    wire = Wire(s.socket)
    hold(5, 6)
    job = wire.submit([disks[n] for n in disks_of], **SINGLE,
                      flush_bytes=str(256 << 10), flush_seconds='1')
    for n in (5, 6):
        shelf.await_held(n)
    shelf('fault disk=0 op=write,sync kind=hold')
    let_go(5, 6)
    shelf.await_held(0)
    until(lambda: written(disks_of) >= sum(disks[n]['Capacity'] for n in disks_of),
          'all that is to be written beside a record that stands still')
    check(shelf.disk(0)['held'], 'the record stands still')
    let_go(0)
    until(lambda: property_of(wire, job, 'ExitCode') == 0, 'the end')
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


def goes_to(lba):
    """Two disks, which are held there next; "clear" of a disk does not concern that."""
    shelf(f'fault kind=hold op=write min=2 lba={lba} count=2')


def stepped(disks_of):
    """The clock is set, forth and back: what runs goes on, and a disk that is missed for some
    seconds is not given up."""
    s = Station('/run/clock').start()
    disks = {d['Serial']: d for d in s.await_disks(8)}
    wire = Wire(s.socket)
    mine = [disks[n] for n in disks_of[:3]]
    hold(1, 2, 3)
    job = wire.submit(mine, **SINGLE)
    pulled = mine[2]['Serial']
    for n in (1, 2, 3):
        shelf.await_held(n)
    other = wire.submit([disks[disks_of[3]]], command='write')
    wire.ask(other, 'Pause')
    s.begin_to_stop()
    let_go(1, 2, 3)
    check(s.process.wait(60) == 0, s.said())
    shelf('gone 3')
    stale = f'{s.state}/01234567-89ab-4def-8123-456789abcdef-1.key'
    with open(stale, 'wb') as f:
        f.write(b'key')
    run('mkfs.ext4', '-q', disks[disks_of[3]]['Block'])
    goes_to(MIDDLE)
    s.start()
    wire = Wire(s.socket)
    check(not os.path.exists(stale), 'a key of no attempt is removed')
    new_data(wire, other, disks_of[3])
    for n, change in enumerate(('+2 days', '-4 days', '+1 day')):
        for disk in (1, 2):
            shelf.await_held(disk)
        set_clock(change)
        goes_to(MIDDLE + STEP * (n + 1))
        let_go(1, 2)
        looked(s, shelf)
        check(outcome(wire, pulled) == '', f'{change}: the disk that was pulled is given up')
    for disk in (1, 2):
        shelf.await_held(disk)
    let_go(1, 2)
    shelf('back 3')
    until(lambda: os.path.isdir('/sys/bus/scsi/devices/0:0:3:0/block'), 'the disk is back')
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


def main():
    disks_of = [f'DISK{n}' for n in range(1, 5)]
    for step, names in (full, disks_of), (stalled, ['DISK5', 'DISK6']), (stepped, disks_of):
        print(step.__name__, flush=True)
        step(names)


if __name__ == '__main__':
    main()
