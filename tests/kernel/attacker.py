# SPDX-License-Identifier: GPL-2.0-or-later
"""A user without rights, who says of all he has that it is the disk, until he is ended.

Usage: attacker.py NODE NAMESPACES

Becomes uid 1000, root in a user namespace of his own: mounts what calls itself NODE, has a
descriptor that names NODE but does not open it, and an io_uring with a file of the disk's name
registered; is in so many mount namespaces. What does that is $DW_PROBE_TOOL, which it becomes.
"""
import ctypes
import os
import sys
import tempfile

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
IO_URING_SETUP, IO_URING_REGISTER, REGISTER_FILES = 425, 427, 2


def check(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def ring(name):
    os.chdir(tempfile.mkdtemp())
    file = os.open(name, os.O_RDWR | os.O_CREAT)
    it = check(libc.syscall(IO_URING_SETUP, 4, (ctypes.c_char * 120)()))
    os.set_inheritable(it, True)
    check(libc.syscall(IO_URING_REGISTER, it, REGISTER_FILES, (ctypes.c_int * 1)(file), 1))


node, namespaces = sys.argv[1:]
tool = os.open(os.environ['DW_PROBE_TOOL'], os.O_RDONLY)
os.setgroups([])
os.setresgid(1000, 1000, 1000)
os.setresuid(1000, 1000, 1000)
libc.prctl(4, 1, 0, 0, 0)  # or /proc/self were root's
try:
    os.open(node, os.O_RDONLY)
    sys.exit('he may open it')
except PermissionError:
    os.set_inheritable(os.open(node, os.O_PATH), True)
check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
for kind, text in (('setgroups', 'deny'), ('uid_map', '0 1000 1'), ('gid_map', '0 1000 1')):
    with open(f'/proc/self/{kind}', 'w', encoding='ascii') as f:
        f.write(text)
check(libc.mount(node.encode(), b'/mnt', b'tmpfs', 0, None))
ring(os.path.basename(node))
os.execve(tool, ['attacker', 'namespaces', namespaces], os.environ)
