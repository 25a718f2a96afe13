#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may include whom: the brackets of ARCHITECTURE.md are the law.

A line "src/sched/   [plan model]   ..." there names a folder and the folders it may include;
base and the public headers are open to all. The order of the lines is the order of the
layers: none may name a later one. The programs see the public headers only, and those
of PROGRAMS a folder of src/ that is theirs."""
import re

import lint

ALL = 'all above'
# Folder -> the files of tools/ that may include it: archives of one program, a list for two.
PROGRAMS = {'bus': 'tools/diskwipe/client/', 'papers': 'tools/model/', 'print': 'tools/report/',
            'fleet': 'tools/ledger/', 'send': 'tools/send/'}


def law():
    """Folder -> folders it may include."""
    rules = {}
    for m in re.finditer(r'^src/(\w+)/\s+\[([\w ]*)\]', lint.read('ARCHITECTURE.md'), re.M):
        allowed = list(rules) if m[2] == ALL else m[2].split()
        for other in allowed:
            if other not in rules:
                lint.found('ARCHITECTURE.md', f'src/{m[1]} names {other}, which stands below')
        rules[m[1]] = set(allowed) | {m[1], 'base', 'diskwipe'}
    rules.get('service', set()).discard('base')  # a program
    return rules


def includes(path):
    for n, line in enumerate(lint.read(path).splitlines(), 1):
        m = re.match(r'\s*#\s*include\s+["<]([\w.-]+)/([\w./-]+)[">]', line)
        if m:
            yield n, m[1]


def main():
    rules = law()
    folders = {p.split('/')[1] for p in lint.files('.c', '.h', under='src/')}
    for folder in sorted(folders - set(rules)):
        lint.found('ARCHITECTURE.md', f'does not name src/{folder}')
    for folder in sorted(set(rules) - folders):
        lint.found('ARCHITECTURE.md', f'names src/{folder}, which is not there')
    for path in lint.files('.c', '.h', under='src/'):
        folder = path.split('/')[1]
        for n, other in includes(path):
            if other in folders and other not in rules.get(folder, ()):
                lint.found(f'{path}:{n}', f'src/{folder} may not include src/{other}')
    for path in lint.files('.c', '.h', under='tools/'):
        for n, other in includes(path):
            if other in folders and not re.match(PROGRAMS.get(other, '$'), path):
                lint.found(f'{path}:{n}', f'src/{other} is not for this program')
    for path in lint.files('.h', under='include/'):
        for n, other in includes(path):
            if other in folders:
                lint.found(f'{path}:{n}', 'a public header includes an internal one')
    lint.done('layers')


main()
