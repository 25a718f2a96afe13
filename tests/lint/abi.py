#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program that was built with the library relies on: the exported symbols, and the
sizes of the public structs, are those that abi.txt lists. Arguments: [--renew], the library, a
C compiler."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

import lint

LIST = 'tests/lint/abi.txt'
HEAD = '''# What programs rely on: exported symbols, and sizes of public structs (64-bit machines).
# tests/lint/abi.py compares, and says how to renew this list.
'''


def exported(library):
    nm = lint.run(lint.need('nm'), '--dynamic', '--defined-only', library)
    if nm.returncode:
        lint.found(library, nm.stderr.strip())
    return {m: 'exported' for m in re.findall(r' [A-Zi] (dw_\w+)', nm.stdout)}


def sizes(compiler):
    """Struct -> bytes, as a compiler has it."""
    names = set()
    for path in lint.files('.h', under='include/'):
        names |= set(re.findall(r'^struct (dw_\w+) \{', lint.read(path), re.M))
    lines = ''.join(f'\tprintf("struct {n} %zu\\n", sizeof(struct {n}));\n' for n in sorted(names))
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'sizes')
        built = lint.run(*compiler, '-x', 'c', '-std=gnu17', '-D_FILE_OFFSET_BITS=64', '-Iinclude',
                         '-o', program, '-', input='#include <stdio.h>\n'
                         '#include <diskwipe/diskwipe.h>\nint main(void)\n{\n' + lines + '}\n')
        if built.returncode:
            lint.found('sizes', built.stderr.strip())
            return {}
        said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {line.rpartition(' ')[0]: line.rpartition(' ')[2] + ' bytes'
            for line in said.splitlines()}


def compare(was, now):
    for name in sorted(set(was) - set(now)):
        lint.found(name, 'is gone; programs that use it do not run any more')
    for name in sorted(set(now) - set(was)):
        lint.found(name, 'is new')
    for name in sorted(set(was) & set(now)):
        if was[name] != now[name]:
            lint.found(name, f'has {now[name]}, was {was[name]}; programs that hold one overrun')
    return was != now


def main():
    renew = sys.argv[1] == '--renew'
    library, *compiler = sys.argv[1 + renew:]
    if sys.maxsize < 2**32:
        print('SKIPPED: the sizes are those of 64 bits', file=sys.stderr)
        sys.exit(lint.SKIP)
    now = exported(library) | sizes(compiler)
    if renew:
        with open(os.path.join(lint.ROOT, LIST), 'w', encoding='utf-8') as f:
            f.write(HEAD + ''.join(f'{n}: {now[n]}\n' for n in sorted(now)))
    lines = [line for line in lint.read(LIST).splitlines() if line and line[0] != '#']
    if compare(dict(line.split(': ') for line in lines), now):
        print('If that is meant: if something is gone or has another size, and the library was\n'
              'released, first raise soversion in src/meson.build. Then renew the list:\n'
              + shlex.join(['python3', os.path.abspath(__file__), '--renew', library, *compiler]))
    lint.done(f'{len(now)} symbols and structs')


main()
