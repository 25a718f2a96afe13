#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--help, man page and completions name the same options, verbs, methods and exit codes, and the
strategies and controllers that the registry has. Arguments: the program, and what to compare its
help with (man, model, bash, zsh or fish), or registry. Of the completions of other programs than
diskwipe the options and their values are compared."""
import os
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
    own = os.path.basename(program) == 'diskwipe'
    text = lint.run(program, *(['help', verb] if own else ['--help'])).stdout
    options = set(re.findall(r'^  (?:-\w,|   ) --([a-z-]+)', text, re.M))
    letters = set(re.findall(r'^  -(\w),', text, re.M))
    return text, options, letters


def verbs_of(program):
    """Of diskwipe those of the list; of another program those of its help, or one without name."""
    if os.path.basename(program) == 'diskwipe':
        return VERBS
    return re.findall(r'^  ([a-z]+) ', lint.run(program, '--help').stdout, re.M) or ['']


def options_of(program, verb):
    """Without those that the program refuses for that verb."""
    text, options, _ = help_of(program, verb)
    if len(options) < 2:
        lint.found(program, f'--help names only {sorted(options)}')
    if os.path.basename(program) == 'diskwipe' or not verb:
        return options
    taken = {o: f'--{o}=1' if f'--{o}=' in text else f'--{o}' for o in options}
    return {o for o, word in taken.items()
            if 'is not for' not in lint.run(program, verb, word).stderr}


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
    shell, name = lint.need('bash'), os.path.basename(program)
    function = '_' + name.replace('-', '_')
    for verb in verbs_of(program):
        r = lint.run(shell, '-c', f'source tools/completion/{name}.bash && '
                     f'{function}_options {verb}')
        words = set(re.findall(r'--([a-z-]+)', r.stdout))
        options = options_of(program, verb)
        differ(f'bash, {name} {verb}', options, words, 'option')
        if name == 'diskwipe-report':
            bash_values(program, verb, options)


def bash_values(program, verb, options):
    """What is offered after an option is in its line of --help."""
    text, seen = lint.run(program, '--help').stdout, 0
    for option in sorted(options):
        r = lint.run('bash', '-c', 'source tools/completion/diskwipe-report.bash && '
                     f'_diskwipe_report_values {verb} --{option}')
        told = set(re.findall(r'\w+', re.search(rf' --{option}\b.*\n?.*', text)[0]))
        seen += len(r.stdout.split())
        for word in sorted(set(r.stdout.split()) - told):
            lint.found(f'bash, {verb}', f'--{option} has {word}, which is not in --help')
    if seen < 3 and verb != 'draw':  # its formats are ends of names
        lint.found(f'bash, {verb}', f'has only {seen} values')


def fish(program):
    shell, name = lint.need('fish'), os.path.basename(program)
    for verb in verbs_of(program):
        r = lint.run(shell, '--no-config', '-c', f'source tools/completion/{name}.fish; '
                     f'complete -C "{name} {verb} --"')
        words = set(re.findall(r'^--([a-z-]+)', r.stdout, re.M))
        differ(f'fish, {name} {verb}', options_of(program, verb), words, 'option')


def zsh(program):
    shell, name = lint.need('zsh'), os.path.basename(program)
    script = ('_arguments() { print -rl -- "$@" }; _describe() { : }; compadd() { : }; '
              f'words=({name} %s ""); CURRENT=3; PREFIX=; source tools/completion/_{name}')
    for verb in verbs_of(program):
        r = lint.run(shell, '-f', '-c', script % verb)
        words = set(re.findall(r'^(?:\*|\([^)]*\))?--([a-z-]+)', r.stdout, re.M))
        differ(f'zsh, {name} {verb}', options_of(program, verb), words, 'option')


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
