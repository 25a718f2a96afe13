#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The scripts of Cockpit's page and of the wall screen, read by TypeScript's compiler as plain
JavaScript: names that nothing defines, members that no object of the web has, calls with other
arguments than a function takes, what is never used, never reached, or not returned."""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
PAGE, WALL = (os.path.join(TOP, 'packaging', name) for name in ('cockpit', 'wall'))
OPTIONS = {
    'noEmit': True,
    'allowJs': True,
    'checkJs': True,
    'target': 'es2021',
    'module': 'es2020',
    'lib': ['es2022', 'dom', 'dom.iterable'],
    'types': [],
    'noUnusedLocals': True,
    'noUnusedParameters': True,
    'noImplicitReturns': True,
    'noFallthroughCasesInSwitch': True,
    'allowUnreachableCode': False,
    'rootDirs': [PAGE, WALL],  # the wall screen has scripts of both, in one
}
# What the compiler cannot see: all elements here are HTML's, and an event's target is one.
WEB = '''
interface Element { readonly dataset: DOMStringMap; hidden: boolean; value: any }
interface EventTarget { closest: Element["closest"] }
interface Event { detail: any }
interface Window { diskwipeWall: any }
'''
COCKPIT = 'declare const cockpit: any;\n'


def complaints(tmp, name, files, declared):
    """Of scripts that are one page."""
    folder = os.path.join(tmp, name)
    os.mkdir(folder)
    with open(folder + '/web.d.ts', 'w', encoding='utf-8') as f:
        f.write(declared)
    with open(folder + '/tsconfig.json', 'w', encoding='utf-8') as f:
        json.dump({'compilerOptions': OPTIONS, 'files': [folder + '/web.d.ts', *files]}, f)
    told = subprocess.run(
        ['tsc', '--pretty', 'false', '-p', folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=TOP,
    )
    return told.stdout if told.returncode or told.stdout.strip() else ''


def main():
    if not shutil.which('tsc'):
        print('SKIPPED: no tsc here; run tools/dev/setup', file=sys.stderr)
        return 77
    page = glob.glob(PAGE + '/*.js')
    wall = [WALL + '/language.js', WALL + '/wall.js']
    with tempfile.TemporaryDirectory() as tmp:
        found = complaints(tmp, 'page', page, WEB + COCKPIT)
        found += complaints(tmp, 'wall', wall, WEB)
    print(found, end='')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
