#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules by promtool, and whether the service has all that rules and dashboard ask for."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(HERE, '..', 'diskwipe.rules.yml')
TESTS = os.path.join(HERE, 'rules.test.yml')
PAGE = os.path.join(HERE, '..', 'README.md')
BOARD = os.path.join(HERE, '..', 'dashboard.json')
SOURCE = os.path.join(HERE, '..', '..', '..', 'src', 'service')
SERVICE = os.path.join(SOURCE, 'metrics.c')
SKIPPED = 77


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def find_promtool():
    home = os.path.join(os.environ.get('HOME', '/root'), '.cache')
    cache = os.environ.get('DISKWIPE_CACHE') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or home, 'diskwipe')
    path = os.pathsep.join([os.environ['PATH'], os.path.join(cache, 'stack', 'usr', 'bin')])
    return shutil.which('promtool', path=path)


def expressions(panel):
    return [t['expr'] for t in panel['targets']]


def asked():
    """Pairs of who asks and a figure; figures that the rules record are not the service's."""
    board = json.loads(read(BOARD))
    for panel in board['panels']:
        for expr in expressions(panel):
            for name in re.findall(r'\bdiskwipe_\w+', expr):
                yield panel['title'], name
    for number, line in enumerate(read(RULES).splitlines(), 1):
        for name in re.findall(r'(?<!:)\bdiskwipe_\w+(?!:)\b', line):
            yield f'line {number} of the rules', name


def words():
    """Values of labels that an expression asks for, of which a wrong one would select nothing."""
    text = read(RULES) + ' '.join(e for p in json.loads(read(BOARD))['panels']
                                  for e in expressions(p))
    for values in re.findall(r'\b(?:outcome|state)=~?"([a-z|-]+)"', text):
        yield from values.split('|')


def run_page(promtool):
    """The commands of the page, with a folder in the place of Prometheus's."""
    lines = re.findall(r'(?m)^# ((?:cp|promtool) .*)$', read(PAGE))
    if len(lines) != 2:
        sys.exit(f'the page has other commands: {lines}')
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            line = line.replace('/etc/prometheus', folder).replace('promtool', promtool)
            subprocess.run(line.split(), cwd=os.path.join(HERE, '..'), check=True, timeout=120)


def main():
    told = set(re.findall(r'"(diskwipe_\w+)"', read(SERVICE)))
    unknown = [f'{who}: the service tells no {name}' for who, name in asked() if name not in told]
    known = set(re.findall(r'"([a-z-]+)"', ''.join(
        read(os.path.join(SOURCE, name)) for name in ('outcome.c', 'view.c'))))
    unknown += [f'the service has no outcome or state {word}' for word in words()
                if word not in known]
    unasked = told - {name for who, name in asked()}
    if unknown or len(told) < 15:
        sys.exit('\n'.join(unknown) or 'no figures were found in the service')
    print(f'{len(told)} figures; nobody asks for: {" ".join(sorted(unasked)) or "none"}')
    promtool = find_promtool()
    if not promtool:
        print('SKIPPED: promtool is missing; tools/dev/setup stack unpacks it')
        sys.exit(SKIPPED)
    subprocess.run([promtool, 'check', 'rules', '--lint-fatal', RULES], check=True, timeout=120)
    run_page(promtool)
    subprocess.run([promtool, 'test', 'rules', TESTS], check=True, timeout=120)


if __name__ == '__main__':
    main()
