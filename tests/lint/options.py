#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each member of struct dw_job_spec has its row in the table of src/core/spec.c, in that order:
what has none would be checked by nobody and be missing in plan and state files. And no message
of the library names an option of the program: other programs have none, and those of the program
may be called otherwise one day. (What other programs are to be called with may stand there.)
A command has one struct for itself (tools/diskwipe/own.h): its rows point into no other."""
import re

import lint

HEADER, TABLE = 'include/diskwipe/job.h', 'src/core/spec.c'
PROGRAM = 'tools/diskwipe/option_table.c'
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def body(path, pattern):
    found = re.search(pattern, re.sub(r'/\*.*?\*/', '', lint.read(path), flags=re.S), re.S)
    if not found:
        lint.found(path, f'has no {pattern}')
        return ''
    return found[1]


def messages():
    """Strings of src/ with an option of the program in them."""
    ours = set(re.findall(r'^\t\{ "([a-z-]+)",', lint.read(PROGRAM), re.M))
    if not ours:
        lint.found(PROGRAM, 'has no options')
    for path in lint.files('.c', '.h', under='src/'):
        if path.startswith(('src/service/', 'src/print/words')):
            continue  # programs with options of their own; what a reader of a paper types
        text = re.sub(r'/\*.*?\*/', lambda m: '\n' * m[0].count('\n'), lint.read(path), flags=re.S)
        for n, line in enumerate(text.splitlines(), 1):
            for string in STRING.findall(line):
                for name in re.findall(r'--([a-z][a-z-]*)', string):
                    if name in ours:
                        lint.found(f'{path}:{n}', f'names the option --{name} of the program')


def own():
    """Of each command the struct that its rows OWN() point into."""
    text, structs = lint.read(PROGRAM), {}
    named = dict(re.findall(r'#define (\w+)\s+\((.*)\)', text))
    for who, struct in re.findall(r'(?<!define )OWN\(([^,]*),\s+(\w+),\s+\w+\)', text):
        for verb in named.get(who, who).split(' | '):
            if structs.setdefault(verb, struct) != struct:
                lint.found(PROGRAM, f'{verb} has rows of {structs[verb]} and of {struct}')
    if not structs:
        lint.found(PROGRAM, 'has no OWN()')


def main():
    messages()
    own()
    members = re.findall(r'(\w+)(?:\[\w+\])?;', body(HEADER, r'struct dw_job_spec \{(.*?)\n\};'))
    rows = re.findall(r'SPEC(?:_AS)?\(\w+, (\w+)', body(TABLE, r'dw_spec_table\[\] = \{(.*?)\n\};'))
    for name in sorted(set(members) ^ set(rows)):
        lint.found(TABLE if name in members else HEADER,
                   f'{name} is a member without a row, or a row without a member')
    if not members or (members != rows and set(members) == set(rows)):
        lint.found(TABLE, 'has no rows, or not in the order of the members')
    lint.done(f'{len(rows)} options of a job')


main()
