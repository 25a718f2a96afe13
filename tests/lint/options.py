#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each member of struct dw_job_spec has its row in the table of src/core/spec.c, in that order:
what has none would be checked by nobody and be missing in plan and state files."""
import re

import lint

HEADER, TABLE = 'include/diskwipe/job.h', 'src/core/spec.c'


def body(path, pattern):
    found = re.search(pattern, re.sub(r'/\*.*?\*/', '', lint.read(path), flags=re.S), re.S)
    if not found:
        lint.found(path, f'has no {pattern}')
        return ''
    return found[1]


def main():
    members = re.findall(r'(\w+)(?:\[\w+\])?;', body(HEADER, r'struct dw_job_spec \{(.*?)\n\};'))
    rows = re.findall(r'SPEC\(\w+, (\w+)', body(TABLE, r'dw_spec_table\[\] = \{(.*?)\n\};'))
    for name in sorted(set(members) ^ set(rows)):
        lint.found(TABLE if name in members else HEADER,
                   f'{name} is a member without a row, or a row without a member')
    if not members or (members != rows and set(members) == set(rows)):
        lint.found(TABLE, 'has no rows, or not in the order of the members')
    lint.done(f'{len(rows)} options of a job')


main()
