#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Man pages are clean mdoc, and an example that erases says so before its command: who wants to
look at a disk copies the line as well."""
import re

import lint

ERASES = re.compile(r'^\.Dl [#$] diskwipe(-scrub)?( +[-/]| +erase +\S)')
ASKS = re.compile(r' (--dry-run|-n) ')


def unsaid(text):
    """Commands that erase under a sentence that does not say so."""
    said = ''
    for line in text.partition('\n.Sh EXAMPLES\n')[2].partition('\n.Sh ')[0].splitlines():
        if not line.startswith('.'):
            said = line
        elif ERASES.match(line) and not ASKS.search(line) and 'rase' not in said:
            yield line


def main():
    tool = lint.need('mandoc')
    pages = lint.files('.1', '.5', '.8', under='man/')
    r = lint.run(tool, '-Tlint', *pages)
    for line in (r.stdout + r.stderr).splitlines():
        if 'mandoc.db' not in line and 'referenced manual not found' not in line:
            lint.found('mandoc', line)
    for page in pages:
        for line in unsaid(lint.read(page)):
            lint.found(page, f'it does not say before that this erases: {line}')
    if not pages:
        lint.found('man', 'no pages')
    lint.done(f'{len(pages)} man pages')


main()
