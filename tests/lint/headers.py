#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every header stands alone; the public ones are C++ as well. Argument: a C compiler."""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import lint

PLAIN = ['-std=gnu17', '-D_GNU_SOURCE', '-DDW_VERSION="0"', '-Iinclude', '-Isrc',
         '-Itools', '-Itools/diskwipe', '-fsyntax-only', '-Wall', '-Werror', '-Wno-unused-function']


def foreign():
    """Where headers of other projects are that are not in the usual place."""
    return subprocess.run(['pkg-config', '--cflags-only-I', 'pangocairo'], check=False,
                          capture_output=True, text=True).stdout.split()


def check(job):
    compiler, language, header = job
    std = PLAIN if language == 'c' else ['-std=c++17'] + PLAIN[1:]
    r = lint.run(*compiler, '-x', language, *std, '-', input=f'#include "{header}"\n')
    return header, language, r.stderr


def main():
    compiler = sys.argv[1:] + foreign()
    jobs = [(compiler, 'c', h) for folder in ('include/', 'src/', 'tools/')
            for h in lint.files('.h', under=folder)]
    if not lint.run(*compiler, '-x', 'c++', '-fsyntax-only', '-', input='').returncode:
        jobs += [(compiler, 'c++', h) for h in lint.files('.h', under='include/')]
    with ThreadPoolExecutor(2) as pool:
        for header, language, errors in pool.map(check, jobs):
            if errors:
                lint.found(f'{header} as {language}', errors.strip())
    lint.done(f'{len(jobs)} headers')


main()
