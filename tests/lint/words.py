#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--help, man page and completions name the same options, verbs, methods and exit codes, and the
strategies and controllers that the registry has. Arguments: the program, and what to compare its
help with (man, model, bash, zsh or fish), or registry."""
import re
import sys

import lint

VERBS = ['list', 'inspect', 'erase', 'format', 'simulate', 'verify', 'plan',
         'topology', 'probe', 'fit', 'bench', 'report', 'doctor', 'model', 'help', 'submit',
         'status', 'queue', 'watch', 'pause', 'resume', 'cancel', 'records', 'qc', 'top']

# The words that follow an option, by shell.
COMPLETED = {'tools/completion/diskwipe.bash': r"^\s*--%s\) echo '([^']*)'",
             'tools/completion/diskwipe.fish': r"-l %s -x -a '([^']*)'",
             'tools/completion/_diskwipe': r"^\s*'--%s=\[[^]]*\]:\w+:\(([^)]*)\)'"}


def help_of(program, verb):
    text = lint.run(program, 'help', verb).stdout
    options = set(re.findall(r'^  (?:-\w,|   ) --([a-z-]+)', text, re.M))
    letters = set(re.findall(r'^  -(\w),', text, re.M))
    return text, options, letters


def differ(where, one, other, kind):
    for word in sorted(one - other):
        lint.found(where, f'{kind} {word} is in --help only')
    for word in sorted(other - one):
        lint.found(where, f'{kind} {word} is not in --help')


def man_page(program):
    page = lint.read('man/diskwipe.1')
    options, letters = set(), set()
    for verb in VERBS:
        _, o, l = help_of(program, verb)
        options |= o
        letters |= l
    described = set(re.findall(r'^\.It Fl (?:\w , Fl )?-([a-z-]+)', page, re.M))
    differ('man', options, described, 'option')
    differ('man', letters, set(re.findall(r'^\.It Fl (\w) ', page, re.M)), 'letter')
    overview = lint.run(program, '--help').stdout
    verbs = set(re.findall(r'^  ([a-z]+)  +[A-Z]', overview, re.M))
    verbs |= set(re.search(r'^  The service: (.*)', overview, re.M)[1].split(', '))
    differ('man', verbs, set(re.findall(r'^\.It Cm ([a-z]+)$', page, re.M)), 'verb')
    if verbs != set(VERBS):
        lint.found('tests/lint/words.py', f'the verbs are {sorted(verbs)}')
    text = help_of(program, 'erase')[0]
    codes = set(re.findall(r'^  (\d+)(?:,| ) ', text.split('Exit status:')[1], re.M))
    section = page.split('.Sh EXIT STATUS')[1].split('.Sh ')[0]
    differ('man', codes, set(re.findall(r'^\.It (\d+)', section, re.M)), 'exit code')
    methods = lint.run(program, 'help', 'methods').stdout
    names = set(re.findall(r'^([a-z][a-z0-9-]*)$', methods, re.M))
    rows = set(re.findall(r'^\.It ([a-z0-9-]+) Ta \d+ Ta ', page, re.M))
    differ('man', names, rows, 'method')
    if len(names) < 10:
        lint.found('help methods', f'names only {len(names)}')


def model_page(program):
    page = lint.read('man/diskwipe-model.1').split('.Sh MODELS')[1].split('.Sh EXIT')[0]
    pages = {s.split('\n', 1)[0]: s for s in page.split('\n.Ss ')[1:]}
    text = lint.run(program, 'help', 'model').stdout.split('Models')[1]
    names = set(re.findall(r'^  ([a-z_]+)  +[A-Z]', text, re.M))
    differ('man', names, set(pages), 'model')
    for name in sorted(names & set(pages)):
        text = lint.run(program, 'help', name).stdout
        keys, outputs = text.split('\nKeys:')[1].split('\nOutputs:')
        keys = set(re.findall(r'^  (\w+)=', keys, re.M))
        described = set(re.findall(r'^\.It Cm (\w+)', pages[name], re.M))
        differ(f'man, {name}', keys, described, 'key')
        listed = pages[name].split('\nOutputs:')[1]
        differ(f'man, {name}', set(outputs.split()),
               set(re.findall(r'^\.Cm (\S+)', listed, re.M)), 'output')
    if len(names) < 10:
        lint.found('help model', f'names only {len(names)}')


def bash(program):
    shell = lint.need('bash')
    for verb in VERBS:
        r = lint.run(shell, '-c', 'source tools/completion/diskwipe.bash && '
                     f'_diskwipe_options {verb}')
        words = set(re.findall(r'--([a-z-]+)', r.stdout))
        differ(f'bash, {verb}', help_of(program, verb)[1], words, 'option')


def fish(program):
    shell = lint.need('fish')
    for verb in VERBS:
        r = lint.run(shell, '--no-config', '-c', 'source tools/completion/diskwipe.fish; '
                     f'complete -C "diskwipe {verb} --"')
        words = set(re.findall(r'^--([a-z-]+)', r.stdout, re.M))
        differ(f'fish, {verb}', help_of(program, verb)[1], words, 'option')


def zsh(program):
    shell = lint.need('zsh')
    script = ('_arguments() { print -rl -- "$@" }; _describe() { : }; compadd() { : }; '
              'words=(diskwipe %s ""); CURRENT=3; PREFIX=; source tools/completion/_diskwipe')
    for verb in VERBS:
        r = lint.run(shell, '-f', '-c', script % verb)
        words = set(re.findall(r'^(?:\*|\([^)]*\))?--([a-z-]+)', r.stdout, re.M))
        differ(f'zsh, {verb}', help_of(program, verb)[1], words, 'option')


def registry(program):
    """What src/sched has is what --help, man page and completions offer, no more and no less."""
    text = lint.run(program, 'help', 'erase').stdout
    page = lint.read('man/diskwipe.1')
    for option, header in ('strategy', 'src/sched/strategy.h'), \
                          ('tuning', 'src/sched/controller.h'):
        names = set(re.findall(r'\brow\(\w+, "([a-z-]+)"\)', lint.read(header)))
        if len(names) < 2:
            lint.found(header, f'names only {len(names)}')
        told = {'--help': re.search(rf' --{option}=\S*((?:.|\n {{20}})*)', text)[1],
                'man': '\n'.join(re.findall(r'^\.Cm ([a-z-]+)', page.split(
                    f'.It Fl -{option} ')[1].split('\n.It Fl ')[0], re.M))}
        for path, words in COMPLETED.items():
            line = re.search(words % option, lint.read(path), re.M)
            told[path] = line[1] if line else ''
        for where, words in told.items():
            words = re.findall(r'(?<![\w:-])[a-z-]+(?![\w:-])', words)
            for name in names - set(words):
                lint.found(where, f'--{option} lacks {name} of {header}')
            if where != '--help':
                for name in set(words) - names:
                    lint.found(where, f'--{option} has {name}, which is not in {header}')


def main():
    checks = {'man': man_page, 'model': model_page, 'bash': bash, 'fish': fish, 'zsh': zsh,
              'registry': registry}
    checks[sys.argv[2]](sys.argv[1])
    lint.done(f'words of {sys.argv[2]}')


main()
