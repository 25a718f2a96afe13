#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A tag stands for one thing in the whole tree: no two structs, enums or unions of src,
include and tools share one, be it that each is known to its own file only. A static function of
src may have a name that one other file has too, not one that many have: take_slot, not take."""
import collections
import re

import lint

FILES_MAX = 2
FUNCTION = re.compile(r'^static [^=;({]*?\b(\w+)\(', re.M)
DEFINED = re.compile(r'^(?:struct|enum|union) (\w+) \{', re.M)


def functions():
    """How many static functions there are; finds the names that too many files have."""
    paths = collections.defaultdict(list)
    for path in lint.files('.c', '.h', under='src/'):
        for name in set(FUNCTION.findall(lint.read(path))):
            paths[name].append(path)
    for name, where in sorted(paths.items()):
        if len(where) > FILES_MAX:
            lint.found(name, 'is a static function in ' + ', '.join(where) +
                       ': let it say of what')
    return sum(map(len, paths.values()))


def main():
    n = functions()
    if n < 1000:
        lint.found('src', f'has {n} static functions')
    first = {}
    for folder in ('include/', 'src/', 'tools/'):
        for path in lint.files('.c', '.h', under=folder):
            for tag in DEFINED.findall(lint.read(path)):
                if tag in first:
                    lint.found(path, f'{tag} is also the name of another thing, in {first[tag]}')
                first[tag] = path
    lint.done(f'{len(first)} tags, {n} static functions')


main()
