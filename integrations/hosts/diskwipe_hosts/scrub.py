# SPDX-License-Identifier: GPL-2.0-or-later
"""scrub(1) for disks, by diskwipe: its options, patterns and exit statuses.

Files, and free space of file systems, are for the real scrub, which takes this program's place.
"""

from __future__ import annotations

import getopt
import os
import re
import stat
import sys
from dataclasses import dataclass, field

from . import erase, patterns
from .erase import line
from .judge import Asked
from .program import Untrusted

# Where the real scrub is; the first is where dpkg-divert moves it.
REAL = ('/usr/bin/scrub.distrib', '/usr/bin/scrub', '/bin/scrub', '/usr/local/bin/scrub')
GUARD = 'DISKWIPE_SCRUB'  # in the environment of a scrub that this program became
SIGNATURE = b'\x01\x02\x03SCRUBBED!'
LETTERS = 'p:D:Xb:s:fSrvTLRthn'
WORDS = {
    'pattern=': 'p', 'dirent=': 'D', 'freespace': 'X', 'blocksize=': 'b', 'device-size=': 's',
    'force': 'f', 'no-signature': 'S', 'remove': 'r', 'version': 'v', 'test-sparse': 'T',
    'no-link': 'L', 'no-hwrand': 'R', 'no-threads': 't', 'dry-run': 'n', 'help': 'h',
}  # fmt: skip
USAGE = """\
Usage: {prog} [OPTIONS] file [file...]
  -v, --version           tell the version and exit
  -p, --pattern pat       select the passes (default nnsa)
  -b, --blocksize size    files: I/O buffer; of a disk diskwipe chooses
  -s, --device-size size  files: size; a disk is erased as a whole, or not at all
  -X, --freespace dir     files: fill a file system and scrub the files
  -D, --dirent newname    files: scrub the name, too
  -f, --force             scrub despite the signature of an earlier scrub
  -S, --no-signature      write no signature (on a disk none is ever written)
  -r, --remove            files: remove afterwards
  -L, --no-link           leave the target of a symbolic link alone
  -R, --no-hwrand         files; a disk gets an AES-CTR keystream either way
  -t, --no-threads        files; on a disk without effect
  -n, --dry-run           check everything, write nothing
  -h, --help              this text
Disks are erased by diskwipe, files by the real scrub. Patterns for disks:
"""


class Usage(Exception):
    """A command line that scrub refuses as well."""


class Refused(Exception):
    """Nothing was begun, for a reason that is told."""


@dataclass
class Line:
    """A command line: the letters of its options, their values, its targets."""

    prog: str
    letters: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)


def parse(prog: str, arguments: list[str]) -> Line:
    """The command line as scrub's getopt_long reads it; raises Usage or Refused."""
    made = Line(prog)
    try:
        options, made.targets = getopt.gnu_getopt(arguments, LETTERS, list(WORDS))
    except getopt.GetoptError as e:
        raise Usage(str(e)) from e
    for name, value in options:
        bare = name.lstrip('-')
        letter = bare if len(bare) == 1 else WORDS.get(bare) or WORDS[bare + '=']
        if letter == 'p' and 'p' in made.letters:
            raise Refused('only one pattern can be selected')
        made.letters.add(letter)
        made.values[letter] = value
    return made


def size(text: str, what: str) -> int:
    """A size as scrub reads it; raises Refused."""
    found = re.fullmatch(r'([0-9]+)([kmgtpe]?)', text, re.I)
    number = int(found[1]) << 10 * ' kmgtpe'.index(found[2].lower() or ' ') if found else 0
    if not 0 < number < 1 << 63:
        raise Refused(f'error parsing {what} string')
    return number


def check(made: Line) -> None:
    """What does not depend on targets; raises Usage or Refused."""
    if 'b' in made.letters and size(made.values['b'], 'blocksize') > 0x7FFFFFFF:
        raise Refused('error parsing blocksize string')
    if 's' in made.letters:
        size(made.values['s'], 'size')
    if not made.targets:
        raise Usage('no file is named')
    if 'X' in made.letters and len(made.targets) > 1:
        raise Refused('-X only takes one directory name')
    if 'D' in made.letters and len(made.targets) > 1:
        raise Refused('-D can only be used with one file')


def is_device(target: str) -> bool:
    """Whether it is a device; a file if not. Raises Refused if it is neither."""
    try:
        mode = os.stat(target).st_mode
    except OSError as e:
        raise Refused(f'{target}: {e.strerror}') from e
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        return True
    if stat.S_ISREG(mode):
        return False
    raise Refused(f'{target} is wrong type of file')


def signed(target: str) -> bool:
    """Whether the disk has the signature of scrub, as far as its node can be read."""
    if not stat.S_ISBLK(os.stat(target).st_mode):
        return False
    try:
        with open(target, 'rb', buffering=0) as f:
            return f.read(len(SIGNATURE)) == SIGNATURE
    except OSError as e:
        raise Refused(f'{target}: {e.strerror}') from e


def check_devices(made: Line) -> None:
    """What is not for disks; raises Refused."""
    for letter, why in (
        ('D', 'cannot use -D with special file'),
        ('r', 'cannot use -r with special file'),
        ('s', '-s is not for disks: a part of a disk is no erasure'),
        ('T', '-T is not for disks: diskwipe has no holes to test'),
    ):
        if letter in made.letters:
            raise Refused(why)
    for target in made.targets:
        if 'L' in made.letters and os.path.islink(target):
            raise Refused(f'skipping symlink {target} because --no-link (-L) option was set')
        if 'f' not in made.letters and signed(target):
            raise Refused(f'{target} already scrubbed? (-f to force)')


def real(own: str) -> str:
    """The real scrub, which is not this program under any name; raises Refused."""
    ours = os.stat(own)
    for path in REAL:
        try:
            there = os.stat(path)
        except OSError:
            continue
        another = (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino)
        if another and os.path.basename(os.path.realpath(path)) != os.path.basename(own):
            return path
    raise Refused(f'files are for the real scrub, which is at none of {", ".join(REAL)}')


def become_real(own: str, arguments: list[str]) -> None:
    """The real scrub in place of this program; raises Refused."""
    if GUARD in os.environ:
        raise Refused('the real scrub is this program again: see diskwipe-scrub(1)')
    path = real(own)
    sys.stdout.flush()
    try:
        os.execve(path, ['scrub', *arguments], {**os.environ, GUARD: '1'})
    except OSError as e:
        raise Refused(f'{path}: {e.strerror}') from e


def go(made: Line, asked: Asked) -> int:
    """The disks; the exit status."""
    found = erase.find(made.targets)
    book = erase.Book('scrub')
    with erase.workplace() as folder:
        job = erase.planned(found, asked, folder)
        for f in found:
            words = '(dryrun) scrub special file' if 'n' in made.letters else 'scrubbing'
            print(line(f'{made.prog}: {words} {f.named[0]}: {f.disk}'), flush=True)
        if 'n' in made.letters:
            return 0
        outcomes = job.run(book, erase.TIMEOUT)
    book.of_disks(outcomes)
    for f in found:
        outcome = outcomes[f.disk]
        if outcome.erased:
            read = line(str(outcome.row['verify'].get('text', '')))
            print(line(f'{made.prog}: {f.named[0]}: {f.disk}: erased; verified: {read}'))
        else:
            told = line(f'{made.prog}: {f.named[0]}: {f.disk}: not erased: {outcome.reason}')
            print(told, file=sys.stderr)
    return 0 if all(outcomes[f.disk].erased for f in found) else 1


def work(own: str, prog: str, arguments: list[str]) -> int:
    """All of it; raises Usage, Refused or Untrusted."""
    made = parse(prog, arguments)
    if 'h' in made.letters:
        print(USAGE.format(prog=prog) + patterns.listed(), end='')
        return 0
    if 'v' in made.letters:
        print('scrub version 2.6.1 (diskwipe-scrub: disks by diskwipe)')
        return 0
    check(made)
    if 'X' in made.letters:
        become_real(own, arguments)
    kinds = {is_device(target) for target in made.targets}
    if kinds == {False}:
        become_real(own, arguments)
    if len(kinds) > 1:
        raise Refused('files and disks together: name them in two commands')
    pattern = patterns.find(made.values.get('p', 'nnsa'))
    print(f'{prog}: using {pattern.title} patterns', flush=True)
    check_devices(made)
    return go(made, pattern.asked())


def main(own: str) -> int:
    """The program: `own` is its file. Returns its exit status, 0 or 1 as scrub has them."""
    prog = line(os.path.basename(sys.argv[0]))
    erase.heed_signals()
    try:
        return work(own, prog, sys.argv[1:])
    except Usage as e:
        print(line(f'{prog}: {e}') + '\n' + USAGE.format(prog=prog) + patterns.listed(),
              end='', file=sys.stderr)  # fmt: skip
    except (Refused, patterns.Unknown) as e:
        print(line(f'{prog}: {e}'), file=sys.stderr)
    except Untrusted as e:
        print(line(f'{prog}: not known to be erased: {e}'), file=sys.stderr)
    except KeyboardInterrupt:
        print(f'{prog}: stopped', file=sys.stderr)
    except Exception as e:  # whatever it was, no disk is called erased for it
        print(line(f'{prog}: not known to be erased: {type(e).__name__}: {e}'), file=sys.stderr)
    return 1
