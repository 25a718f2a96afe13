#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents at the top name files, suites and options that exist. Argument: the program."""
import os
import re
import sys

import lint

DOCS = ['README.md', 'ARCHITECTURE.md', 'HACKING.md', 'SECURITY.md', 'NEWS.md', 'man/diskwipe.1',
        'man/diskwipe-json.5', 'man/diskwipe-record.5', 'docs/inside.md', 'docs/records.md',
        'docs/usage.md', 'docs/safety.md']
PATH = re.compile(r'(?<![\w/.-])((?:src|tools|tests|include|man)/[\w./-]*\w)')
VERBS = ['list', 'inspect', 'erase', 'format', 'simulate', 'verify', 'plan',
         'topology', 'probe', 'fit', 'bench', 'report', 'doctor', 'model', 'help', 'submit',
         'status', 'queue', 'watch', 'pause', 'resume', 'cancel', 'records', 'qc']


def known_options(program):
    options = set()
    for verb in VERBS:
        options |= set(re.findall(r'--([a-z-]+)', lint.run(program, 'help', verb).stdout))
    return options


def check_paths(doc, text):
    for n, line in enumerate(text.splitlines(), 1):
        for path in PATH.findall(line):
            if not any(os.path.exists(os.path.join(lint.ROOT, path + end)) for end in ('', '.c')):
                lint.found(f'{doc}:{n}', f'there is no {path}')


def check_options(doc, text, options):
    for n, line in enumerate(text.splitlines(), 1):
        m = re.match(r'\W*(?:\.Dl )?[#$] *diskwipe (.*)', line)
        for option in re.findall(r'(?<!\S)--([a-z-]+)', m[1].split('  #')[0]) if m else ():
            if option not in options:
                lint.found(f'{doc}:{n}', f'there is no --{option}')


def check_suites():
    files = lint.files('meson.build', under=('tests/', 'integrations/'))
    meson = ''.join(lint.read(p) for p in files)
    suites = set(re.findall(r"suite: \[?'(\w+)'", meson))
    table = lint.read('ARCHITECTURE.md').split('## Tests')[1]
    named = set(re.findall(r'^\| (\w+) \| (?!what)', table, re.M)) - {'suite'}
    for suite in sorted(suites ^ named):
        lint.found('ARCHITECTURE.md',
                   f'suite {suite} is {"only here" if suite in named else "missing"}')


def main():
    options = known_options(sys.argv[1])
    for doc in DOCS:
        text = lint.read(doc)
        check_paths(doc, text)
        check_options(doc, text, options)
    check_suites()
    lint.done('documents')


main()
