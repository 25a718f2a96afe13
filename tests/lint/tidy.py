#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""clang-tidy finds nothing in src/ and tools/ (.clang-tidy says what it looks for).

tidy.py [--changed] BUILD-DIR

It takes seconds a file, so that a file found clean is not looked at again until what the compiler
sees of it, or what is looked for, has changed: the cache of tools/dev/setup remembers it, for every
build and copy of the tree, until it was not asked for in a month. With --changed it looks at
files that differ from the upstream branch and at those of the last commit; a header counts for
the files beside it."""
import concurrent.futures
import contextlib
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

import lint

VERSION = '14.'  # of Debian 12; what others find differs
CACHE = os.path.join(os.environ.get('DISKWIPE_CACHE') or os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.join(os.environ.get('HOME') or '/root', '.cache'),
    'diskwipe'), 'tidy')
MONTH = 30 * 86400  # seconds


def entries(build):
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as f:
        for e in json.load(f):
            path = os.path.relpath(os.path.join(e['directory'], e['file']), lint.ROOT)
            if path.startswith(('src/', 'tools/')):
                yield path, e


def changed(paths):
    """Of the files, those that somebody is at work on; all of them where git cannot tell."""
    new = lint.changed()
    if new is None:
        return paths
    folders = {os.path.dirname(f) for f in new if f.endswith('.h')}
    return {p for p in paths if p in new or os.path.dirname(p) in folders}


def forget():
    """What no build has asked for in a month."""
    for e in os.scandir(CACHE):
        with contextlib.suppress(FileNotFoundError):  # another does the same
            if e.stat().st_mtime < time.time() - MONTH:
                os.unlink(e)


def digest(path, compiled, config):
    """Of the checks, and of the file as each command preprocesses it, with its comments: NOLINT.
    Then the commands that differ, but for where they look for what they include, and in what they
    make of the file: many are in several libraries, and clang-tidy takes each command again."""
    parts, different = [config, path.encode()], {}
    for entry in compiled:
        command = shlex.split(entry['command'])
        command = command[:command.index('-o')]
        text = subprocess.run(command + ['-E', '-P', '-CC', entry['file']], check=True,
                              cwd=entry['directory'], capture_output=True).stdout
        parts += [' '.join(f for f in command if not f.startswith('-M')).encode(), text]
        targets = {i + 1 for i, flag in enumerate(command) if flag in ('-MF', '-MQ')}
        flags = tuple(flag for i, flag in enumerate(command)
                      if i not in targets and not flag.startswith(('-M', '-I')))
        different.setdefault((flags, text), entry)
    return hashlib.sha256(b'\0'.join(parts)).hexdigest(), list(different.values())


def look(tool, config, path, compiled):
    seen, different = digest(path, compiled, config)
    stamp = os.path.join(CACHE, seen)
    if os.path.exists(stamp):
        os.utime(stamp)
        return []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'compile_commands.json'), 'w', encoding='utf-8') as f:
            json.dump(different, f)
        r = lint.run(tool, '-quiet', '-p', folder, path)
    found = {m.groups() for m in re.finditer(r'^\S*?((?:src|tools|include)/\S+:\d+):\d+: '
                                             r'(?:error|warning): (.*)$', r.stdout, re.M)}
    if r.returncode and not found:
        found = {(path, (r.stderr or r.stdout).strip()[-300:] or f'status {r.returncode}')}
    if not found and digest(path, compiled, config)[0] == seen:  # it was not changed meanwhile
        with open(stamp, 'w', encoding='utf-8'):
            pass
    return sorted(found)


def main():
    build = sys.argv[-1]
    tool = lint.need_version('clang-tidy', VERSION)
    config = (lint.read('.clang-tidy') + lint.run(tool, '--version').stdout +
              lint.read('tests/lint/tidy.py')).encode()
    os.makedirs(CACHE, exist_ok=True)
    forget()
    compiled = {}
    for path, entry in entries(build):
        compiled.setdefault(path, []).append(entry)
    jobs = sorted(compiled.items())
    if '--changed' in sys.argv:
        wanted = changed({path for path, _ in jobs})
        jobs = [(path, entries_of) for path, entries_of in jobs if path in wanted]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda j: look(tool, config, *j), jobs)
        for where, what in sorted({f for found in results for f in found}):
            lint.found(where, what)
    lint.done(f'clang-tidy: {len(jobs)} files')


main()
