#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Man pages are clean mdoc."""
import lint


def main():
    tool = lint.need('mandoc')
    pages = lint.files('.1', '.5', '.8', under='man/')
    r = lint.run(tool, '-Tlint', *pages)
    for line in (r.stdout + r.stderr).splitlines():
        if 'mandoc.db' not in line and 'referenced manual not found' not in line:
            lint.found('mandoc', line)
    if not pages:
        lint.found('man', 'no pages')
    lint.done(f'{len(pages)} man pages')


main()
