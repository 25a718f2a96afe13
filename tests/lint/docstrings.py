#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every function that a header declares has a docstring: there, alone or for the group of
declarations without an empty line that it is in, or above its definition."""
import re

import lint


def declarations(text):
    """(line number, name, whether a comment stands before its group)."""
    documented = False
    lines = text.splitlines()
    body = 0
    i = 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            documented = False
        if line.lstrip().startswith('/*') and not body:
            documented = documented or line.lstrip().startswith('/**')
            while '*/' not in lines[i]:
                i += 1
        elif not body and re.match(r'[A-Za-z_].*\(', line) and '(*' not in line.split('(')[0]:
            m = re.match(r'(?!typedef|struct \w+ \{|enum|static)[\w\s\*]*?\b(\w+)\(', line)
            statement = line
            while ';' not in statement and '{' not in statement and i + 1 < len(lines):
                i += 1
                statement += lines[i]
            if m and statement.rstrip().endswith(';') and m[1] != '_Static_assert':
                yield i + 1, m[1], documented
            body += statement.count('{') - statement.count('}')
        else:
            body += line.count('{') - line.count('}')
            body = max(body, 0)
        i += 1


def described(folder):
    """Names of the functions of a folder with a docstring above their definition."""
    names = set()
    for path in lint.files('.c', under=folder):
        names |= set(re.findall(r'^/\*\*\n \* (\w+)\(\)', lint.read(path), re.M))
    return names


def main():
    n = 0
    for folder in ('include/', 'src/', 'tools/'):
        for path in lint.files('.h', under=folder):
            above = described(path.rsplit('/', 1)[0] + '/')
            for line, name, documented in declarations(lint.read(path)):
                n += 1
                if not documented and name not in above:
                    lint.found(f'{path}:{line}', f'{name}() has no docstring')
    if n < 50:
        lint.found('docstrings', f'saw only {n} declarations')
    lint.done(f'docstrings of {n} functions')


main()
