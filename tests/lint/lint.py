# SPDX-License-Identifier: GPL-2.0-or-later
"""What the lint scripts share: the tree's files, and how a finding or a skip is told."""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIP = 77
_found = []


def files(*suffixes, under=''):
    """Paths of the tree's files below `under` that end in one of suffixes, from its top."""
    git = shutil.which('git') and subprocess.run(
        ['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard'],
        capture_output=True, text=True, check=False)
    if git and git.returncode == 0:
        paths = git.stdout.splitlines()
    else:
        paths = [os.path.relpath(os.path.join(d, f), ROOT)
                 for d, _, names in os.walk(ROOT) for f in names]
    paths = [p for p in paths if not p.startswith(('build/', '.git/')) and '__pycache__' not in p]
    return sorted(p for p in paths if p.startswith(under) and os.path.isfile(os.path.join(ROOT, p))
                  and (not suffixes or p.endswith(suffixes)))


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as f:
        return f.read()


def changed():
    """The files that somebody is at work on: they differ from the upstream branch, or are of the
    last commit; None where git cannot tell."""
    def git(*words):
        r = run('git', '-C', ROOT, *words)
        return r.stdout.split() if r.returncode == 0 else []

    if not shutil.which('git') or not git('rev-parse', 'HEAD'):
        return None
    base = git('merge-base', 'HEAD', '@{upstream}') or ['HEAD']
    return {*git('diff', '--name-only', base[0]), *git('diff', '--name-only', 'HEAD~1'),
            *git('ls-files', '-o', '--exclude-standard')}


def memory(name):
    """A folder of the build, for what need not be done twice; None by hand."""
    if not os.path.isdir('meson-private'):
        return None
    os.makedirs(name, exist_ok=True)
    return os.path.abspath(name)


def found(where, what):
    """A finding: where it is and what is wrong."""
    _found.append(f'{where}: {what}')


def done(what):
    """End: findings fail."""
    for line in _found:
        print(line)
    print(f'{what}: {len(_found)} findings')
    sys.exit(1 if _found else 0)


def need(tool):
    """The tool's path; without it the check is skipped, loudly."""
    path = shutil.which(tool)
    if not path:
        print(f'SKIPPED: {tool} is not installed; tools/dev/setup installs it', file=sys.stderr)
        sys.exit(SKIP)
    return path


def need_version(tool, version):
    """The path of a tool whose answers depend on its version: this one, or a loud skip."""
    for name in (tool, tool + '-' + version.rstrip('.')):
        path = shutil.which(name)
        if path and f'version {version}' in run(path, '--version').stdout:
            return path
    if not shutil.which(tool):
        need(tool)
    print(f'SKIPPED: no {tool} of version {version}x here', file=sys.stderr)
    sys.exit(SKIP)


def run(*command, **kwargs):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **kwargs)
