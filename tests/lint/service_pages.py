#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwiped.conf(5) has the sections and keys that the service reads, no more and no fewer, with
the words that they may be; diskwiped(8) has the options of `diskwiped --help`. What a job may be
told comes from the library's table, without what the service keeps to itself.
Argument: diskwiped."""
import re
import sys

import lint

PAGE = 'man/diskwiped.conf.5'
SETTINGS = 'src/service/settings.c'
TABLE = 'src/core/spec.c'
NOT_TEXT = {'RECORD', 'OTHER', 'BITS'}  # spec_option() has no text of these


def differ(where, code, page, kind):
    for word in sorted(code - page):
        lint.found(where, f'does not have the {kind} {word}')
    for word in sorted(page - code):
        lint.found(where, f'has the {kind} {word}, which there is not')


def sections_of_code():
    """Section -> keys of its own; and the sections that take options of a job."""
    keys, options = {}, set()
    for section, name, rest in re.findall(
            r'^\t(?:KEY\("(\w+)", |BAY\()(?:"([\w-]+)"|NULL)(.*?)\),$', lint.read(SETTINGS),
            re.M | re.S):
        keys.setdefault(section or 'bay', set())
        if name:
            keys[section or 'bay'].add(name)
        elif 'KEY_OPTION' in rest:
            options.add(section or 'bay')
    if len(keys) < 5:
        lint.found(SETTINGS, f'has {len(keys)} sections that this test can see')
    return keys, options


def options_of_code():
    """Option of a job -> its words, where it has a list of them."""
    text = lint.read(TABLE)
    rows = re.findall(r'^\tSPEC(?:_AS)?\((\w+), (?:\w+, ")?(\w+)(.*?)\),$',
                      re.search(r'dw_spec_table\[\] = \{(.*?)\n\};', text, re.S)[1], re.M | re.S)
    options = {}
    for kind, name, rest in rows:
        if '.offered' not in rest or kind in NOT_TEXT:
            continue
        words = re.search(r'\.words = (\w+)', rest)
        listed = words and re.search(rf'{words[1]}\[\] = \{{(.*?)\}}', text, re.S)[1]
        options[name.replace('_', '-')] = set(re.findall(r'"([\w-]+)"', listed or ''))
    if len(options) < 10 or not any(options.values()):
        lint.found(TABLE, f'has {len(options)} rows that this test can see')
    return options


def items(text):
    """Key -> its description."""
    parts = re.split(r'^\.It Ic ([\w-]+)\n', text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def compare_configuration():
    keys, takes_options = sections_of_code()
    page = lint.read(PAGE)
    parts = re.split(r'^\.Ss \[(\w+)(?: NAME)?\].*\n', page.split('.Sh OPTIONS OF A JOB')[0],
                     flags=re.M)
    described = dict(zip(parts[1::2], parts[2::2]))
    differ(PAGE, set(keys), set(described), 'section')
    for name in sorted(set(keys) & set(described)):
        differ(f'{PAGE}: [{name}]', keys[name], set(items(described[name])), 'key')
        if ('OPTIONS OF A JOB' in described[name]) != (name in takes_options):
            lint.found(f'{PAGE}: [{name}]', 'is wrong about the options of a job')
    words = re.search(r'action_words\[\] = \{(.*?)\}', lint.read(SETTINGS))[1]
    differ(f'{PAGE}: action', set(re.findall(r'"(\w+)"', words)),
           set(re.findall(r'^\.It Li (\w+)$', described['bay'], re.M)), 'word')
    options = options_of_code()
    listed = items(re.split(r'^\.Sh (?=OPTIONS OF A JOB)', page, flags=re.M)[1].split('\n.Sh ')[0])
    differ(f'{PAGE}: options', set(options), set(listed), 'option')
    for name in sorted(set(options) & set(listed)):
        if options[name]:
            line = ' '.join(re.findall(r'^(?:\.Li )(.*)', listed[name], re.M))
            differ(f'{PAGE}: {name}', options[name], set(re.findall(r'[a-z-]+', line)), 'word')
    return len(options) + sum(len(k) for k in keys.values())


def compare_options(program):
    text = lint.run(program, '--help').stdout
    page = lint.read('man/diskwiped.8').split('.Sh ENVIRONMENT')[0]
    flags = r'^  (?:-(\w), |    )--([\w-]+)(=[A-Z]+)?'
    helped = {(m[1] or '', m[2], (m[3] or '')[1:]) for m in re.finditer(flags, text, re.M)}
    shown = {(m[1] or '', m[2], m[3] or '') for m in re.finditer(
        r'^\.It Fl (?:(\w) , Fl )?-([\w-]+)(?: Ns = Ns Ar ([A-Z]+))?$', page, re.M)}
    differ('man/diskwiped.8', {' '.join(o) for o in helped}, {' '.join(o) for o in shown},
           'option')
    for default in re.findall(r'default (/\S+?),?\s', text):
        if f'.Pa {default}' not in page:
            lint.found('man/diskwiped.8', f'does not name the default {default}')
    if len(helped) < 5:
        lint.found('diskwiped --help', f'has {len(helped)} options that this test can see')
    return len(helped)


def main():
    n = compare_configuration()
    lint.done(f'{n} keys and {compare_options(sys.argv[1])} options of the service')


main()
