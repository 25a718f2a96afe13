# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-opener.sh does."""
import os
import time

from station import MANAGER, Clock, Shelf, Station, check, run, until

ROUND_S = 60
INQUIRY, LOG_SENSE = '12', '4d'
CONFIG = f'[temperature]\nevery = {ROUND_S}s\n[erase]\nverify = off\n' \
         '[policy]\nunattended = yes\n' \
         '[bay 1]\naddress = *:0:1:0\naction = erase\n'


def node(target):
    folder = f'/sys/bus/scsi/devices/0:0:{target}:0/block'
    until(lambda: os.path.isdir(folder) and os.listdir(folder), 'the node')
    found = '/dev/' + os.listdir(folder)[0]
    until(lambda: os.path.exists(found), found)
    return found


def leap_until(clock, true, what):
    """By rounds of the service's clock, each with some time to do what is due in it."""
    def one_more():
        soon = time.monotonic() + 1
        clock.leap(ROUND_S)
        while not true() and time.monotonic() < soon:
            time.sleep(0.02)
        return true()
    until(one_more, what, 180)


def asked(shelf, opcode):
    """How often each disk was asked that."""
    return [d['opcodes'].get(opcode, 0) for d in shelf.stats()['disks']]


def is_left_alone(clock, shelf, rounds=3):
    """The service has gone round several times, as it asks for temperatures then, and has not asked
    what every discovery does."""
    before = asked(shelf, INQUIRY)
    for _ in range(rounds):
        heat = asked(shelf, LOG_SENSE)[0]
        clock.leap(ROUND_S)
        until(lambda heat=heat: asked(shelf, LOG_SENSE)[0] > heat, 'a round')
    return asked(shelf, INQUIRY) == before


def main():
    shelf = Shelf()
    s = Station(config=CONFIG)
    clock = Clock(s)
    nodes = [node(n) for n in range(3)]
    os.makedirs('/run/mounted')
    run('mkfs.ext2', '-q', '-F', nodes[2])
    run('mount', nodes[2], '/run/mounted')
    run('udevadm', 'settle')
    held = [os.open(name, os.O_RDONLY) for name in nodes[:2]]
    s.start()
    serial = {d['Block']: name for name, d in ((d['Serial'], d) for d in s.await_disks(3))}
    serial = [serial[name] for name in nodes]
    check(not s.property(MANAGER, 'Manager', 'Starting'), 'the disks are known')

    def refusals():
        return [s.disk(name)['Refusal'] for name in serial]

    leap_until(clock, lambda: 'offered only' in s.said(), 'the bay is left alone')
    until(lambda: is_left_alone(clock, shelf), 'nothing is asked of the disks any more')
    check(is_left_alone(clock, shelf, 20), 'no discovery follows later')
    check(refusals() == ['open', 'open', 'mounted'], f'{refusals()}')
    for fd in held:
        os.close(fd)
    run('umount', nodes[2])
    leap_until(clock, lambda: refusals() == [''] * 3, lambda: f'that all are free: {refusals()}')
    until(lambda: is_left_alone(clock, shelf), 'nothing is asked of the disks any more')
    check(not s.records() and not s.disk(serial[1])['Outcome'], 'a disk was erased unasked')
    check(not shelf.is_erased(1), 'its medium')
    job = s.submit([s.disk(serial[0])])
    check(s.await_end(job)['ExitCode'] == 0, 'whoever asks now is not refused')
    check(s.stop() == 0, 'the end')


if __name__ == '__main__':
    main()
