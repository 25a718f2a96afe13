#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of the wall screen as a C header: bundle.py PAGE STYLE SCRIPT... HEADER

A browser loads no modules from the disk: the scripts are one, in this order, without their imports
and exports. They are those of Cockpit's page, so that both say the same of a disk."""

import re
import sys


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def script(paths):
    text = ''.join(read(p) for p in paths)
    text = re.sub(r'^import [^;]*;\n', '', text, flags=re.M)
    text = re.sub(r'^export ', '', text, flags=re.M)
    return '"use strict";\n(() => {\n' + text + '})();\n'


def bytes_of(text):
    data = text.encode()
    rows = (data[i : i + 16] for i in range(0, len(data), 16))
    return '\n'.join('\t' + ' '.join(f'{b},' for b in row) for row in rows), len(data)


def main():
    page, style, *scripts, header = sys.argv[1:]
    files = {'index.html': read(page), 'wall.css': read(style), 'wall.js': script(scripts)}
    with open(header, 'w', encoding='utf-8') as f:
        rows = []
        for name, text in files.items():
            data, size = bytes_of(text)
            ident = name.replace('.', '_')
            f.write(f'static const char {ident}[] = {{\n{data}\n}};\n')
            rows.append(f'\t{{ "{name}", {ident}, {size} }},\n')
        f.write('static const struct {\n\tconst char *name;\n\tconst char *text;\n\tsize_t len;\n')
        f.write('} wall_page[] = {\n' + ''.join(rows) + '};\n')


main()
