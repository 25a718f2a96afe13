#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Shell scripts pass shellcheck."""
import re

import lint


def is_shell(path):
    if path.endswith(('.sh', '.bash')):
        return True
    return '.' not in path.rsplit('/', 1)[-1] and bool(
        re.match(r'#!.*\b(ba|da)?sh\b', lint.read(path)[:60]))


def main():
    tool = lint.need('shellcheck')
    scripts = [p for p in lint.files() if is_shell(p)]
    r = lint.run(tool, '-x', '-P', 'SCRIPTDIR', '-S', 'warning', '-f', 'gcc', *scripts)
    for line in r.stdout.splitlines():
        lint.found(*line.split(': ', 1))
    lint.done(f'{len(scripts)} shell scripts')


main()
