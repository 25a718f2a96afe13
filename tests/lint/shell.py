#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Shell scripts pass shellcheck. It reads what a script sources again for each of them, so that a
script found clean is not looked at again until it, or a file that any script sources, has changed.
The build that the test runs in remembers it; by hand all are looked at. With --changed those are
that differ from the upstream branch or are of the last commit; all, if one is sourced."""
import concurrent.futures
import hashlib
import os
import re
import sys

import lint

OPTIONS = ['-x', '-P', 'SCRIPTDIR', '-S', 'warning', '-f', 'gcc']
SOURCED = re.compile(r'^\s*(?:\.|source)\s.*?([\w.-]+)["\']?\s*$', re.M)


def is_shell(path):
    if path.endswith(('.sh', '.bash')):
        return True
    return '.' not in path.rsplit('/', 1)[-1] and bool(
        re.match(r'#!.*\b(ba|da)?sh\b', lint.read(path)[:60]))


def sourced(texts):
    """The files that any script sources."""
    names = {n for text in texts.values() for n in SOURCED.findall(text)}
    return {p for p in texts if os.path.basename(p) in names}


def digests(tool, texts):
    """Of each script, with what decides about all: the tool and the files that are sourced."""
    common = hashlib.sha256(repr((lint.run(tool, '--version').stdout, OPTIONS, sorted(
        (p, texts[p]) for p in sourced(texts)))).encode())
    for path, text in texts.items():
        own = common.copy()
        own.update(text.encode())
        yield path, own.hexdigest()


def look(tool, stamps, scripts):
    """The lines that shellcheck has for these scripts; it remembers the clean ones."""
    r = lint.run(tool, *OPTIONS, *scripts)
    lines = r.stdout.splitlines()
    if r.returncode not in (0, 1) or r.stderr:
        return lines + [f'shellcheck: ended with {r.returncode}: {r.stderr.strip()[-300:]}']
    for path in scripts:
        if stamps and not any(line.startswith(path + ':') for line in lines):
            with open(stamps[path][0], 'w', encoding='utf-8') as f:
                f.write(stamps[path][1])
    return lines


def main():
    tool, folder = lint.need('shellcheck'), lint.memory('shellcheck')
    texts = {p: lint.read(p) for p in lint.files() if is_shell(p)}
    stamps = {p: (os.path.join(folder, p.replace('/', '_')), now)
              for p, now in digests(tool, texts)} if folder else {}
    left = [p for p in texts if not folder or not os.path.exists(stamps[p][0])
            or lint.read(stamps[p][0]) != stamps[p][1]]
    new = lint.changed() if '--changed' in sys.argv else None
    if new is not None and not new & sourced(texts):
        left = [p for p in left if p in new]
    n = os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        for lines in pool.map(lambda part: look(tool, stamps, part),
                              [left[i::n] for i in range(n) if left[i::n]]):
            for line in lines:
                lint.found(*line.split(': ', 1))
    lint.done(f'{len(texts)} shell scripts, {len(left)} looked at')


main()
