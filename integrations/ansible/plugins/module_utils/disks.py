# SPDX-License-Identifier: GPL-2.0-or-later
"""Which disks are meant: a serial number or WWN is one disk of `diskwipe list`, or nothing is.

Names are compared here and not by diskwipe, whose commands take other names as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from . import judge, program
from .job import LOOKING
from .judge import Disk
from .program import Untrusted

NAMES = {
    'serial': {'type': 'str'},
    'wwn': {'type': 'str'},
}


@dataclass(frozen=True)
class Found:
    """A disk that was named, its node for now, its tag, and what list says of it."""

    disk: Disk
    device: str
    asset: str
    row: Any


def plain(wwn: Any) -> str:
    """A WWN as the kernel, udev and diskwipe spell it, in one way; empty if it is none."""
    if not isinstance(wwn, str):
        return ''
    return re.sub(r'^(wwn-)?(0x|naa\.|eui\.|nvme\.|uuid\.)?', '', wwn.strip().lower())


def listed(verb: str = 'list', nodes: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The disks of the machine, as `diskwipe list --json` has them, or inspect those of `nodes`;
    raises Untrusted."""
    ended = program.run(['diskwipe', verb, '--json', *nodes], LOOKING)
    if ended.status:
        raise Untrusted(f'diskwipe {verb} ended with status {ended.status}: {ended.err}')
    made = program.document(ended.out, f'the answer of diskwipe {verb}')
    rows = made.get('disks')
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Untrusted(f'the answer of diskwipe {verb} has no disks')
    if 'error' in made or made.get('refused', []) != []:
        raise Untrusted(f'diskwipe {verb} left disks out: {made.get("error") or ended.err}')
    return rows


def spelt(wanted: dict[str, Any]) -> str:
    """How the caller named a disk."""
    return ', '.join(f'{key} {wanted[key]}' for key in NAMES if wanted.get(key))


def names(wanted: dict[str, Any], serial: Any, wwn: Any) -> bool:
    """Whether a disk with these names is what was named: by all that was said."""
    if wanted.get('serial') and wanted['serial'].strip() != serial:
        return False
    if wanted.get('wwn') and plain(wanted['wwn']) != plain(wwn):
        return False
    return True


def check(wanted: list[dict[str, Any]], count: int) -> None:
    """Raises Untrusted if what was named cannot be meant."""
    if len(wanted) != count:
        raise Untrusted(f'expect_count is {count}, and {len(wanted)} disks are named')
    for one in wanted:
        if not (one.get('serial') or '').strip() and not plain(one.get('wwn')):
            raise Untrusted('a disk has neither serial nor wwn')
        if '/' in (one.get('serial') or '') + (one.get('wwn') or ''):
            raise Untrusted(f'{spelt(one)}: a node is no name of a disk')


def find(wanted: list[dict[str, Any]]) -> list[Found]:
    """The disks that are named, in that order; raises Untrusted if a name is of no disk or of
    several, or two names are of one."""
    rows = listed()
    found: list[Found] = []
    for one in wanted:
        here = [row for row in rows if names(one, row.get('serial'), row.get('wwn'))]
        if len(here) != 1:
            raise Untrusted(f'{spelt(one)}: {len(here) or "no"} disks of this machine')
        disk = next(iter(judge.rows({'disks': here}, 'the answer of diskwipe list')))
        if disk in [f.disk for f in found]:
            raise Untrusted(f'{spelt(one)}: named twice')
        device = here[0].get('device')
        if not isinstance(device, str) or not device.startswith('/'):
            raise Untrusted(f'{spelt(one)}: has no node')
        found.append(Found(disk, device, one.get('asset') or '', here[0]))
    return found
