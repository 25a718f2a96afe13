#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes one block of an NVMe namespace by a command of its own, past all counters of the kernel.

Usage: passthru.py NODE

Waits for a line on standard input, opens NODE, writes "foreign" to LBA 0, prints "written", and has
the node open until standard input ends.
"""
import ctypes
import fcntl
import struct
import sys

IO_CMD = 0xC0484E43  # _IOWR('N', 0x43, struct nvme_passthru_cmd)
block = ctypes.create_string_buffer(b'foreign'.ljust(512, b'!'), 512)
# opcode 01h, NSID 1, data, its length; CDW10..12 are LBA 0 and one block
command = struct.pack('<BBHI8xQQII24xII', 1, 0, 0, 1, 0, ctypes.addressof(block), 0, 512, 0, 0)
sys.stdin.readline()
with open(sys.argv[1], 'rb+', buffering=0) as node:
    fcntl.ioctl(node, IO_CMD, command)
    print('written', flush=True)
    sys.stdin.read()
