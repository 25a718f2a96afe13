#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/errors.md shows what the core does about each class of errors: row by row as in the table
`rules` of src/core/recover.c, and every class that encode.c can make has a row."""
import re

import lint

DOC = 'docs/errors.md'
BLAME = {'BLAME_NONE': '-', 'BLAME_AT_ONCE': 'at once', 'BLAME_REPEATED': 'repeated',
         'BLAME_LAST': 'repeated, last'}
NEED = {'0': '', 'NEED_START': 'start', 'NEED_READY': 'ready', 'NEED_IDENTIFY': 'identify',
        'NEED_REWIND': 'rewind', 'TEST': 'ready, identify'}
PAUSE = {'PAUSE_NONE': '-', 'PAUSE_LONGER': '0.1 to 5 s', 'PAUSE_POLL': '0.2 to 10 s',
         'PAUSE_SECOND': '1 s'}
ENDS = {'ENDS_IMPATIENT': 'stall budget', 'ENDS_GONE': '30 s: removed',
        'ENDS_UNSEEN': '90 s: stopped', 'ENDS_AT_ONCE': 'at once'}


def code():
    """Class: what is done, in the words of the page."""
    text = lint.read('src/core/recover.c')
    table = text[text.index('rules[DW_CLASS_COUNT + 1] = {'):]
    table = table[:table.index('\n};')]
    row = re.compile(r'\[(?:DW_CLASS_|CORE_RULE_)(\w+)\] = \{\s*(\w+),\s*([\w |]+?),\s*(\w+),'
                     r'\s*(\w+)\s*\}')
    ret = {}
    for name, blame, need, pause, ends in row.findall(table):
        words = [NEED[n] for n in need.split(' | ')]
        ret[name.lower().replace('_', '-')] = [BLAME[blame], ', '.join(w for w in words if w) or
                                               '-', PAUSE[pause], ENDS[ends]]
    return ret


def page():
    """The same of the page."""
    ret = {}
    for line in lint.read(DOC).splitlines():
        cells = [c.strip() for c in line.strip('|').split('|')]
        if line.startswith('| `') and len(cells) == 6:
            ret[cells[0].strip('`')] = cells[2:]
    return ret


want, got = code(), page()
names = re.findall(r'\bDW_CLASS_(\w+),', lint.read('include/diskwipe/trace.h'))
names = [n.lower().replace('_', '-') for n in names if n != 'COUNT'] + ['way']
for cls in names:
    if cls not in want or want[cls] != got.get(cls):
        lint.found(DOC, f'{cls}: the code says {want.get(cls)}, the page {got.get(cls)}')
for cls in sorted(set(got) - set(names)):
    lint.found(DOC, f'{cls}: no such class')
lint.done('errors')
