# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes of /dev become disks, by diskwipe inspect. A node is believed once, here; from then on a
disk is named by serial number, WWN and capacity."""

from __future__ import annotations

import os
import re
from typing import Any

from . import judge, program
from .job import LOOKING
from .judge import Disk
from .program import Untrusted


def plain(name: str | None) -> str:
    """A WWN or serial number as lsblk, udev and diskwipe all have it, in capitals."""
    return re.sub(r'^(0x|naa\.|eui\.|uuid\.|nvme\.)|[\s-]', '', name or '', flags=re.I).upper()


def alike(one: str, other: str) -> bool:
    """Whether two plain serial numbers may be of one disk: some put its maker before it."""
    return one == other or (min(len(one), len(other)) >= 6 and (one in other or other in one))


def named(row: dict[str, Any], name: str) -> bool:
    """Whether a name that udev has of a disk is its serial number, perhaps after a model, or its
    WWN, perhaps after the 3 of its type."""
    serial, wwn, its = plain(row.get('serial')), plain(row.get('wwn')), plain(name)
    if not its:
        return False
    return bool(
        (serial and (its == serial or its.endswith('_' + serial)))
        or (len(wwn) >= 16 and its in (wwn, '3' + wwn))
    )


def nodes_of(row: dict[str, Any]) -> set[str]:
    """All nodes of a disk, as the kernel calls them."""
    named = [*(row.get('paths') or []), row.get('map') or '', *(row.get('presumed_paths') or [])]
    return {os.path.realpath(str(p)) for p in named if p}


def inspect(nodes: list[str]) -> dict[Disk, dict[str, Any]]:
    """The disks behind `nodes`, each once, and what is said of them; raises Untrusted."""
    ended = program.run(['diskwipe', 'inspect', '--json', *nodes], LOOKING)
    made = program.document(ended.out, 'the answer of diskwipe inspect')
    if ended.status or made.get('refused'):
        raise Untrusted(f'diskwipe inspect ended with status {ended.status}: {ended.err}')
    return judge.rows(made, 'diskwipe inspect')


def behind(rows: dict[Disk, dict[str, Any]], node: str) -> Disk:
    """The one disk of `rows` that has this node; raises Untrusted."""
    here = [disk for disk, row in rows.items() if os.path.realpath(node) in nodes_of(row)]
    if len(here) != 1:
        raise Untrusted(f'{node} is {len(here)} disks for diskwipe')
    return here[0]
