#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A tag stands for one thing in the whole tree: no two structs, enums or unions of src,
include and tools share one, be it that each is known to its own file only."""
import re

import lint

DEFINED = re.compile(r'^(?:struct|enum|union) (\w+) \{', re.M)


def main():
    first = {}
    for folder in ('include/', 'src/', 'tools/'):
        for path in lint.files('.c', '.h', under=folder):
            for tag in DEFINED.findall(lint.read(path)):
                if tag in first:
                    lint.found(path, f'{tag} is also the name of another thing, in {first[tag]}')
                first[tag] = path
    if len(first) < 500:
        lint.found('src', f'has {len(first)} tags')
    lint.done(f'{len(first)} tags')


main()
