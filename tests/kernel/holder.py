# SPDX-License-Identifier: GPL-2.0-or-later
"""Uses a disk in a way that leaves no descriptor of the process, until standard input ends.

Usage: holder.py mapped|leader|thread|ring|ring-mapped|ring-registered|flight NODE [NAME]

Prints "ready" when the disk is in use. NAME is what the process calls itself.
"""
import array
import ctypes
import os
import socket
import sys
import threading

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
CLONE_FILES, PR_SET_NAME = 0x400, 15
EXIT, IO_URING_SETUP, IO_URING_REGISTER = 60, 425, 427
REGISTER_FILES, REGISTER_RING, SUBMISSIONS = 2, 20, 0x10000000


def check(result):
    if result is None or result in (-1, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def mapped(node):
    fd = os.open(node, os.O_RDWR)
    check(libc.mmap(None, 4096, 3, 1, fd, 0))  # read and write, shared
    os.close(fd)


def thread(node):
    opened = threading.Event()

    def own_table():
        check(libc.unshare(CLONE_FILES))
        os.open(node, os.O_RDONLY)
        opened.set()
        threading.Event().wait()

    threading.Thread(target=own_table, daemon=True).start()
    opened.wait()


def leader(node):
    """What is mapped stays with a thread when the first one of the process ends."""
    def stay():
        mapped(node)
        while True:  # "(name) Z": the thread tells when nothing else does
            with open(f'/proc/{os.getpid()}/task/{os.getpid()}/stat', encoding='ascii') as f:
                if f.read().rpartition(')')[2].split()[0] == 'Z':
                    break
        print('ready', flush=True)
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=stay, daemon=True).start()
    libc.syscall(EXIT, 0)


def ring(node):
    params = (ctypes.c_char * 120)()
    it = check(libc.syscall(IO_URING_SETUP, 4, params))
    fd = os.open(node, os.O_RDWR)
    files = (ctypes.c_int * 2)(-1, fd)
    check(libc.syscall(IO_URING_REGISTER, it, REGISTER_FILES, files, 2))
    os.close(fd)
    return it


def ring_mapped(node):
    it = ring(node)
    check(libc.mmap(None, 4096, 3, 1, it, SUBMISSIONS))
    return it


def ring_registered(node):
    """A thread may use a ring by the number under which it is registered, as liburing does."""
    it = ring_mapped(node)
    update = (ctypes.c_uint64 * 2)(2**32 - 1, it)  # any number
    check(libc.syscall(IO_URING_REGISTER, it, REGISTER_RING, update, 1))
    return it


def flight(node):
    """On its way through a socket: nobody can see that."""
    mapped.keep = socket.socketpair()
    fd = os.open(node, os.O_RDONLY)
    mapped.keep[0].sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                     array.array('i', [fd]))])
    os.close(fd)


if len(sys.argv) > 3:
    libc.prctl(PR_SET_NAME, sys.argv[3].encode(), 0, 0, 0)
how = {'mapped': mapped, 'leader': leader, 'thread': thread, 'ring': ring, 'flight': flight,
       'ring-mapped': ring_mapped, 'ring-registered': ring_registered}
left = how[sys.argv[1]](sys.argv[2])
if sys.argv[1].startswith('ring-'):
    os.close(left)
print('ready', flush=True)
sys.stdin.read()
