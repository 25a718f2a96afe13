#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pure band does no I/O, starts no thread and reads no clock: the archive's undefined
symbols must be in pure-symbols.txt. Argument: the archive."""
import re
import sys

import lint

# Put in by compilers: position independent code, 128-bit division, which registers there are,
# instrumentation.
COMPILER = re.compile(r'__cpu_(model|indicator_init|features2?)|'
                      r'_GLOBAL_OFFSET_TABLE_|__(u?div|u?mod)ti3|__stack_chk_\w+|__\w+_chk|'
                      r'__(asan|ubsan|tsan|sanitizer|gcov|llvm|muloti)\w*|__start_\w+|__stop_\w+')


def main():
    nm = lint.run(lint.need('nm'), sys.argv[1])
    if nm.returncode:
        lint.found(sys.argv[1], nm.stderr.strip())
    used = set(re.findall(r' +[Uw] (\S+)$', nm.stdout, re.M))
    defined = set(re.findall(r'^[0-9a-f]+ [A-TV-Za-tv-z] (\S+)$', nm.stdout, re.M))
    listed = [line.split('#')[0].strip()
              for line in lint.read('tests/lint/pure-symbols.txt').splitlines()]
    allowed = {line for line in listed if line}
    if not defined:
        lint.found(sys.argv[1], 'defines nothing')
    for symbol in sorted(used - defined - allowed):
        if not COMPILER.fullmatch(symbol):
            lint.found(symbol, 'is not for the pure band')
    lint.done('pure band')


main()
