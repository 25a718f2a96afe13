#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""SECURITY.md names what can be sent to a disk: the commands and the classes of the opcode table,
all of them and no others."""
import re

import lint

DOC = 'SECURITY.md'
TABLE = 'src/scsi/opcodes.c'
UNCHANGED = {'READ', 'NEVER'}  # classes that no row is about


def spoken(name):
    """WRITE_SAME_16 as the standards have it."""
    return re.sub(r' (\d+)$', r'(\1)', name.replace('_', ' '))


def compare(what, documented, real):
    for name in sorted(real - documented):
        lint.found(DOC, f'{what} {name} is missing')
    for name in sorted(documented - real):
        lint.found(DOC, f'{what} {name} is not in {TABLE}')


def main():
    code = lint.read(TABLE)
    header = lint.read('src/scsi/opcodes.h')
    text = lint.read(DOC).split('**What can be sent.**')[1].split('**What else')[0]
    rows = re.findall(r'^\| (`[^|]*) \| ([^|]*) \|$', text, re.M)
    classes = set(re.findall(r'DW_OPCLASS_(\w+) = 1', header)) - UNCHANGED
    compare('class', {c for names, _ in rows for c in re.findall(r'`(\w+)`', names)}, classes)
    known = {spoken(n) for n in re.findall(r'DW_OPCODE_(\w+)', code)}
    sent = {spoken(n) for n, c in re.findall(r'\{ DW_OPCODE_(\w+), \w+, (\w+),', code) if c != 'R'}
    scsi = ' '.join(re.sub(r'(?:ATA|NVMe): [^;|]*', '', commands) for _, commands in rows)
    compare('command', set(re.findall(r'[A-Z]{3,}(?: [A-Z]{2,})*(?:\(\d+\))?', scsi)) -
            {'SANITIZE DEVICE'}, sent)
    if not sent or sent - known:
        lint.found(TABLE, 'its rows are not understood')
    harmless = code.split('harmless_ata')[1].split('};')[0]
    compare('ATA command', set(re.findall(r'\(`([0-9a-f]{2})`\)', text)),
            set(re.findall(r'0x([0-9a-f]{2}), 0 \}', harmless)))
    lint.done('opcodes')


main()
