#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of the program and the library keep to standard terms."""
import re

import lint

# What a reader would have to be told first, and what to write.
TERMS = {
    r'\bverbs?\b': 'command',
    r'\bleft out\b': 'skipped, or excluded',
    r'\bone of the two\b': 'cannot be combined',
    r'\bno disk is left\b': 'no ... disk selected',
    r'\bnothing was touched\b': 'nothing was written',
    r'\bthe disk in the middle\b': 'median',
    r'\bnot faster\b': 'percentile',
    r'\b(?:is|are) (?:let in|shut out)\b|\bgives? way\b': 'gets access, is starved, yields',
    r'\bon the way\b': 'busiest shared link',
    r'%s past\b': 'elapsed',
    r'\bwhole story\b': 'See diskwipe(1).',
    r'\bto go on:': 'to continue:',
    r'\bdirect-access\b': 'not a disk',
}
# The trace has a column of that name, and its head says so.
MEANT = {('src/report/trace_head.c', 'verb'), ('src/report/trace_read.c', 'verb')}


def strings(text):
    """(line, text) of each literal, joined where the compiler joins them."""
    text = re.sub(r'/\*.*?\*/', lambda m: '\n' * m[0].count('\n'), text, flags=re.S)
    text = re.sub(r"'(?:[^'\\\n]|\\.)'", "' '", text)
    for m in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        yield text.count('\n', 0, m.start()) + 1, re.sub(r'"\s*"', '', m[0])


def main():
    n = 0
    for path in lint.files():
        if not re.match(r'(src|tools)/.*\.[ch]$', path):
            continue
        for line, literal in strings(lint.read(path)):
            n += 1
            for term, better in TERMS.items():
                found = re.search(term, literal)
                if found and (path, found[0]) not in MEANT:
                    lint.found(f'{path}:{line}', f"'{found[0]}': {better}")
    if n < 1000:
        lint.found('tests/lint/messages.py', f'sees {n} strings only')
    lint.done(f'messages of {n} strings')


main()
