#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files: licence line, opening paragraph, no left-overs, no paths of one machine, no lines
that are too long."""
import os
import re

import lint

LICENCE = {'src/service/': 'GPL-2.0-or-later', 'include/': 'LGPL-2.1-or-later',
           'src/': 'LGPL-2.1-or-later', 'tools/': 'GPL-2.0-or-later',
           'tests/': 'GPL-2.0-or-later'}
NO_LICENCE = re.compile(r'LICENSES/|tests/fuzz/corpus/|tests/data/|.*\.(md|json|txt|conf|svg)$|'
                        r'packaging/debian/(?!rules|.*postrm)|.*/(element-deps|py\.typed)$|'
                        r'.*\.rst$|'
                        r'\.(gitignore|editorconfig|clang-format)$|.*/README$|.ci/|.*\.(hex|bin)$')
LEFT_OVER = re.compile(r'\b(TO' r'DO|FIX' r'ME|XX' r'X|HA' r'CK)\b')
OTHER_MACHINE = re.compile(r'(?<![\w.-])/(work|home/[a-z]\w+)/|\.\./sha' r'red|\bagen' r't session|'
                           r'\bL' r'LM\b|\bAI\b|https?://[\w.-]*(artifact' r'ory|nex' r'us)')
SMALL = 60  # lines of a file that need not open with its idea
WIDTH = 100  # of text; clang-format holds code to 90
GENERATED = ('.o', '.a', '.so', '.pyc', '.orig', '.rej', '.log')


def columns(line):
    return len(line.expandtabs(8))


def check_licence(path, text):
    want = next((v for k, v in LICENCE.items() if path.startswith(k)), 'GPL-2.0-or-later')
    m = re.search(r'SPDX-License-Identifier: (\S+)', '\n'.join(text.splitlines()[:3]))
    if path.endswith('meson.build'):
        want = 'GPL-2.0-or-later'
    if not m:
        lint.found(path, 'no SPDX line')
    elif m[1] != want:
        lint.found(path, f'licence {m[1]}, not {want}')


def check_opening(path, text):
    """A C file opens with its idea, a comment around the first includes that is no docstring;
    or the header of its name does."""
    if text.count('\n') < SMALL:
        return
    header = os.path.join(lint.ROOT, path[:-2] + '.h')
    if os.path.exists(header):
        text += lint.read(header)
        if re.search(r'^/\*\n \* [A-Z]', text, re.M):
            return
    before = re.split(r'^\s*#\s*(?:include|define)', text, maxsplit=1, flags=re.M)[0]
    comment = re.search(r'/\*(?!\*)(?! SPDX)', before)
    after_first = re.match(r'/\* SPDX.*?\*/\n(?:#include [^\n]+\n\n?)*/\*(?!\*)', text, re.S)
    if not comment and not after_first:
        lint.found(path, 'does not open with its idea')


def check_lines(path, text):
    for n, line in enumerate(text.splitlines(), 1):
        where = f'{path}:{n}'
        if LEFT_OVER.search(line):
            lint.found(where, 'left-over: ' + LEFT_OVER.search(line)[0])
        if OTHER_MACHINE.search(line):
            lint.found(where, 'not of this project: ' + OTHER_MACHINE.search(line)[0])
        if line != line.rstrip():
            lint.found(where, 'blanks at the end')
        if path.endswith(('.c', '.h', '.py')) and columns(line) > WIDTH:
            lint.found(where, f'{columns(line)} columns, {WIDTH} at most')
    if text and not text.endswith('\n'):
        lint.found(path, 'no newline at the end')


def main():
    paths = lint.files()
    for path in paths:
        if path.endswith(GENERATED):
            lint.found(path, 'looks generated')
        if path.startswith(('LICENSES/', 'tests/fuzz/corpus/', 'tests/data/')):
            continue
        text = lint.read(path)
        if not NO_LICENCE.match(path):
            check_licence(path, text)
        if path.startswith(('src/', 'tools/')) and path.endswith('.c'):
            check_opening(path, text)
        check_lines(path, text)
    lint.done(f'{len(paths)} files')


main()
