#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""C is formatted as .clang-format says. The version matters: 14 is what Debian 12 has, others
format differently."""
import lint

VERSION = '14.'


def main():
    tool = lint.need_version('clang-format', VERSION)
    r = lint.run(tool, '--dry-run', '-Werror', '--ferror-limit=1', *lint.files('.c', '.h'))
    for line in r.stderr.splitlines():
        if ': error: ' in line:
            lint.found(*line.split(': error: '))
    if r.returncode and not r.stderr:
        lint.found('clang-format', f'ended with {r.returncode}')
    lint.done('format')


main()
