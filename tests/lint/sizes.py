#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Length of functions (median 20, ninetieth percentile 60, ceiling 100) and files (800)."""
import re

import lint

MEDIAN, P90, CEILING, FILE = 20, 60, 100, 800


def functions(ctags, paths):
    """(path, name, first line, length)."""
    r = lint.run(ctags, '-x', '--language-force=C', '--c-kinds=f', '--_xformat=%F\t%N\t%n\t%e',
                 *paths)
    for line in r.stdout.splitlines():
        path, name, start, end = line.split('\t')
        if end.isdigit():
            yield path, name, int(start), int(end) - int(start) + 1


def main():
    ctags = lint.need('ctags')
    if 'Universal' not in lint.run(ctags, '--version').stdout:
        lint.need('universal-ctags')
    paths = lint.files('.c', under='src/') + lint.files('.c', under='tools/')
    lengths = []
    for path, name, start, length in functions(ctags, paths + lint.files('.c', under='tests/')):
        if path in paths:
            lengths.append(length)
        if length > CEILING:
            lint.found(f'{path}:{start}', f'{name}() has {length} lines, {CEILING} are the ceiling')
    lengths.sort()
    median, p90 = lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10]
    if median > MEDIAN:
        lint.found('functions', f'median {median} lines, {MEDIAN} at most')
    if p90 > P90:
        lint.found('functions', f'ninetieth percentile {p90} lines, {P90} at most')
    for path in lint.files('.c', '.h', '.py', '.sh') + scripts():
        n = lint.read(path).count('\n')
        if n > FILE:
            lint.found(path, f'{n} lines, {FILE} at most')
    lint.done(f'{len(lengths)} functions, median {median}, ninetieth percentile {p90}, '
              f'longest {lengths[-1]}')


def scripts():
    return [p for p in lint.files() if '.' not in p.rsplit('/', 1)[-1]
            and re.match(r'#!.*\b(ba)?sh\b', lint.read(p)[:40])]


main()
