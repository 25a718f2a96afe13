# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks that are named by nodes: one plan, one job, signed records where the host has a key.

A disk is erased only if result and, with a key, its record say so; all else is a failure.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import ledger, nodes
from .job import Job
from .judge import Asked, Disk, Outcome
from .program import Untrusted

KEY = '/etc/diskwipe/record.key'
FOLDER = '/var/lib/diskwipe/hosts/records'
TIMEOUT = 365 * 86400.0  # seconds: 35 passes over a large disk take weeks
TRIES, PAUSE = 6, 2.0  # looks at the records, and seconds between two
WIDTH = 1000  # characters of a line: readers of pipes have buffers of 64 KiB


@dataclass
class Book:
    """Where records go, and who asks; nowhere if there is no key when the job begins (a link to
    none is a key that is missing). Records up to number `before` are older than the job."""

    operator: str
    key: str = KEY
    folder: str = FOLDER
    before: int = 0
    kept: bool = False

    def options(self) -> list[str]:
        """The options of `diskwipe erase` for this, which begins now."""
        self.kept = os.path.lexists(self.key)
        if not self.kept:
            return []
        os.makedirs(os.path.dirname(self.folder), mode=0o700, exist_ok=True)
        self.before = ledger.last(self.folder)
        return [
            f'--record={self.folder}',
            f'--record-key={self.key}',
            f'--operator={self.operator}',
        ]

    def of_disks(self, outcomes: dict[Disk, Outcome]) -> dict[Disk, dict[str, str]]:
        """Of each erased disk its record; raises Untrusted if one has none."""
        erased = {disk: o for disk, o in outcomes.items() if o.erased}
        if not self.kept or not erased:
            return {}
        for _ in range(TRIES - 1):
            with contextlib.suppress(Untrusted):
                return ledger.of_disks(ledger.read(self.folder), erased, self.before)
            time.sleep(PAUSE)  # others write to the same ledger
        return ledger.of_disks(ledger.read(self.folder), erased, self.before)


@dataclass
class Found:
    """A disk, what inspect says of it, and the nodes by which it was named."""

    disk: Disk
    row: dict[str, Any]
    named: list[str]

    @property
    def device(self) -> str:
        return str(self.row['device'])


def find(named: list[str]) -> list[Found]:
    """The disks behind nodes, each once; raises Untrusted if a node is no disk. A path is made
    whole, as diskwipe takes other names, and options, for what has no slash."""
    rows = nodes.inspect([os.path.abspath(node) for node in named])
    found = {disk: Found(disk, row, []) for disk, row in rows.items()}
    for node in named:
        found[nodes.behind(rows, node)].named.append(node)
    if not all(f.named for f in found.values()):
        raise Untrusted('diskwipe inspect told of a disk that nobody named')
    return list(found.values())


def planned(found: list[Found], asked: Asked, folder: str) -> Job:
    """A plan of all these disks; nothing is written. Raises Untrusted if one is refused."""
    return Job(found, asked, folder)


def take_options(parser: argparse.ArgumentParser, level: str) -> None:
    """What callers may ask for; `level` is what is meant without a word."""
    levels = ['clear', 'purge', 'purge-or-clear']
    parser.add_argument('--level', default=level, choices=levels)
    parser.add_argument('--verify', default='usual', choices=['usual', 'full'])


def asked(p: argparse.Namespace) -> Asked:
    """What take_options() has taken."""
    verify = 'full' if p.verify == 'full' else ''
    if p.level == 'clear':
        return Asked(verify=verify)
    return Asked(level='purge', or_clear=p.level == 'purge-or-clear', verify=verify)


def line(text: str) -> str:
    """Any text as one short line: what a disk says of itself is in it, and goes to terminals."""
    return re.sub(r'[\x00-\x1f\x7f-\x9f\u2028\u2029]+', ' ', text)[:WIDTH].strip()


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def heed_signals() -> None:
    """TERM and HUP end this program in order: it stops the job, which flushes, and waits."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)


@contextlib.contextmanager
def workplace() -> Iterator[str]:
    """A folder for a plan, which goes at the end."""
    with tempfile.TemporaryDirectory(prefix='diskwipe.') as folder:
        yield folder
