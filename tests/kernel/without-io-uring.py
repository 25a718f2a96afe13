# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command that the kernel refuses io_uring, as container runtimes do (by seccomp).

Usage: without-io-uring.py COMMAND...
"""
import ctypes
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
IO_URING_SETUP = 425
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, EPERM = 0x7FFF0000, 0x00050001

program = b"".join(
    struct.pack("HBBI", *row)
    for row in (
        (LOAD_NUMBER, 0, 0, 0),
        (JUMP_IF_EQUAL, 0, 1, IO_URING_SETUP),
        (RETURN, 0, 0, EPERM),
        (RETURN, 0, 0, ALLOW),
    )
)
rows = ctypes.create_string_buffer(program, len(program))
head = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(rows))
prctl = ctypes.CDLL(None, use_errno=True).prctl
if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        or prctl(PR_SET_SECCOMP, FILTER, ctypes.c_char_p(head), 0, 0)):
    sys.exit("SKIPPED: no seccomp here: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
