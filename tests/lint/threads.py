#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Of the unit tests, those that can start a thread are those that the build with the thread
sanitizer runs: threads.py FOLDER NAME..."""
import os
import sys

import lint


def main():
    nm, folder, listed = lint.need('nm'), sys.argv[1], set(sys.argv[2:])
    tests = {name for name in os.listdir(folder)
             if name.startswith('test_') and os.access(f'{folder}/{name}', os.X_OK)
             and not os.path.isdir(f'{folder}/{name}')}
    # on a disk of a guest alone
    tests.discard('test_sgio')
    able = {name for name in tests
            if 'pthread_create' in lint.run(nm, '--dynamic', f'{folder}/{name}').stdout}
    if not able:
        lint.found(folder, 'no test starts a thread')
    for name in sorted(able - listed):
        lint.found('tests/unit/meson.build', f'{name} is not in unit_threads, and has threads')
    for name in sorted(listed - able):
        lint.found('tests/unit/meson.build', f'{name} is in unit_threads, and has none')
    lint.done(f'{len(tests)} unit tests, {len(able)} with threads')


main()
