#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents at the top name files, suites and options that exist. Argument: the program."""
import os
import re
import subprocess
import sys

import lint

DOCS = ['README.md', 'ARCHITECTURE.md', 'HACKING.md', 'SECURITY.md', 'NEWS.md', 'man/diskwipe.1',
        'man/diskwipe-json.5', 'man/diskwipe-record.5', 'docs/inside.md', 'docs/records.md',
        'docs/usage.md', 'docs/safety.md']
PATH = re.compile(r'(?<![\w/.-])((?:src|tools|tests|include|man)/[\w./-]*\w)')
SCRIPT = re.compile(r'(?<![\w/.-])(tools/(?:dev/)?[\w-]+)((?: +[^`#|()\n]+)?)')
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


def script_options(script):
    """What the --help of a script of ours names, and its source takes; None: it has no --help."""
    source = lint.read(script)
    if '--help' not in source and 'argparse' not in source:
        return None  # it would do what it is for
    r = lint.run(os.path.join(lint.ROOT, script), '--help', stdin=subprocess.DEVNULL, timeout=60)
    if r.returncode or not r.stdout:
        return None
    source = re.sub(r"<<-?'?(\w+)'?\n.*?\n\1\n", '', source, flags=re.S)
    own = re.sub(r'tools/[\w/-]+ --\S+', '', r.stdout)
    named = set(re.findall(r'(?<![\w-])--([a-z][a-z-]*)', own))
    return {o for o in named if re.search(rf'(?<![\w-])--{o}(?![\w-])', source)} | {'help'}, named


def check_scripts(doc, text, known):
    """Commands of ours in the text exist, and so do the options that they are given there."""
    for n, line in enumerate(text.splitlines(), 1):
        for script, words in SCRIPT.findall(line):
            if not os.path.isfile(os.path.join(lint.ROOT, script)):
                continue
            if script not in known:
                known[script] = script_options(script)
                taken, named = known[script] or (set(), set())
                if not known[script]:
                    lint.found(script, 'it cannot be run with --help')
                for option in sorted(named - taken):
                    lint.found(script, f'its --help names --{option}, which it does not take')
            taken = (known[script] or (set(),))[0]
            for option in re.findall(r'(?<!\S)--([a-z-]+)', words.split(' -- ')[0]):
                if option not in taken:
                    lint.found(f'{doc}:{n}', f'{script} has no --{option}')


def check_first_commands(text):
    first = re.search(r'```\n(.*?)```', text, re.S)
    words = [line.split()[0] for line in first[1].splitlines()] if first else []
    if words != ['tools/demo', 'tools/demo', 'tools/check']:
        lint.found('README.md', f'its first commands are {words}')


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
    scripts = {}
    for doc in [*DOCS[:5], *sorted(lint.files('.md', under=('docs/',)))]:
        check_scripts(doc, lint.read(doc), scripts)
    check_first_commands(lint.read('README.md'))
    check_suites()
    lint.done('documents')


main()
