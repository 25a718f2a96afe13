#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the page says is all translated, and nothing else is; it offers methods that there are; it
is installed whole, and has no style or script that Cockpit's policy would stop."""

import glob
import html
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
PAGE = os.path.join(TOP, 'packaging/cockpit')
TEXT = r'"((?:[^"\\]|\\.)*)"'
# said in German as in English
SAME = {'$0 s', '$0 min', '$0 h $1 min', '$0 d $1 h', 'PDF', 'WWN', 'Version', 'Station', 'Rate'}
LINES = 2000
found = []


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return f.read()


def compare(what, a, b):
    for text in sorted(a - b):
        found.append(f'{what}: {text}')


def said(scripts, page):
    texts = {t for s in scripts for t in re.findall(r'(?<![\w.])_\(' + TEXT + r'\)', s)}
    texts |= {t for s in scripts for t in re.findall(r'plural\(\s*' + TEXT, s)}
    return texts | {
        html.unescape(t).replace('"', '\\"')
        for t in re.findall(r'translate="yes"[^>]*>([^<]*)<', page)
    }


def main():
    files = sorted(os.path.basename(p) for p in glob.glob(PAGE + '/*'))
    scripts = {f: read(PAGE, f) for f in files if f.endswith('.js') and not f.startswith('po.')}
    wall = {'wall.js': read(TOP, 'packaging/wall/wall.js')}
    page, german = read(PAGE, 'index.html'), read(PAGE, 'po.de.js')
    rows = re.findall(r'^    ' + TEXT + r': \[(.*)\],$', german, re.M)
    texts = said([*scripts.values(), *wall.values()], page)
    compare('no German', texts, {t for t, _ in rows} | SAME)
    compare('said nowhere', {t for t, _ in rows} | SAME, texts)
    for text, translated in rows:
        for part in re.findall(TEXT, translated):
            compare(
                f'"{text}" without its value',
                set(re.findall(r'\$\d', text)),
                set(re.findall(r'\$\d', part)),
            )
    methods = set(re.findall(r'^\t\{ "([\w-]+)",', read(TOP, 'src/plan/method.c'), re.M))
    offered = re.search(r'const METHODS = \[(.*?)\n\];', scripts['erase.js'], re.S)[1]
    compare('no such method', set(re.findall(r'\["([\w-]+)"', offered)), methods)
    installed = set(re.findall(r"'([\w.]+\.(?:js|css|html|json))'", read(PAGE, 'meson.build')))
    compare('not installed', set(files) - {'meson.build'}, installed)
    for name, text in {**scripts, **wall, 'index.html': page}.items():
        if re.search(
            r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function', text
        ):
            found.append(f'{name}: text could become elements')
    if re.search(r'<style|\sstyle=|<script>|\son\w+=', page):
        found.append('index.html: a style or script that the policy stops')
    lines = sum(read(PAGE, f).count('\n') for f in files if f not in ('po.de.js', 'meson.build'))
    if lines > LINES:
        found.append(f'{lines} lines, {LINES} at most')
    print(*found, sep='\n')
    print(f'{len(texts)} texts, {lines} lines: {len(found)} findings')
    sys.exit(bool(found))


main()
