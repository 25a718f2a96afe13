# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-paths.sh does."""
import glob
import os

from station import MANAGER, Shelf, Station, check, until

CONFIG = '[erase]\nverify = off\ncommand = write\ncontroller = fixed\nfixed-blocks = 64\n' \
    'paths = dynamic\n'


def node(target):
    """The name of the disk at that port, or nothing."""
    found = glob.glob(f'/sys/class/scsi_disk/*:*:{target}:0/device/block/*')
    return os.path.basename(found[0]) if found else None


def open_nodes(s):
    """What the service has open, by name."""
    names = []
    for fd in glob.glob(f'/proc/{s.process.pid}/fd/*'):
        try:
            names.append(os.readlink(fd))
        except FileNotFoundError:
            pass
    return names


def holds(s, name):
    return any(n.split(' ')[0] == '/dev/' + name for n in open_nodes(s))


def rescan(s):
    s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)
    return True


def main():
    shelf = Shelf()
    s = Station(config=CONFIG).start()
    until(lambda: rescan(s) and s.disk('DUAL0001'), 'the disk')
    old = node(1)
    shelf('set 0 rate=500K')
    job = s.submit([s.disk('DUAL0001')])
    until(lambda: holds(s, old) and s.disk('DUAL0001')['Progress'] > 0, 'its work')
    shelf('gone 1')
    until(lambda: not os.path.exists('/sys/block/' + old), 'the end of a path')
    shelf('back 1')
    until(lambda: node(1) and holds(s, node(1)), 'the path under another node')
    check(node(1) != old, f'it is {old} again, which shows nothing')
    until(lambda: not holds(s, old), 'that the old node is let go')
    shelf('back 2')
    until(lambda: node(2), 'a disk that comes')
    check(node(2) == old, f'it is {node(2)}, not {old}, which shows nothing')
    until(lambda: rescan(s) and s.disk('OTHER001'), 'that it is seen')
    came = s.disk('OTHER001')
    check(came['State'] == 'free', f"{came['State']}: {came['Reason']}")
    shelf('set 0 rate=0')
    s.await_end(job)
    s.stop()


main()
