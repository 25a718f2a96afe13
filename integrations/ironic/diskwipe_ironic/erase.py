# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes of Ironic become disks, by diskwipe inspect; job.py plans and erases these.

A node of /dev is believed once, here, and compared with what Ironic knows of it. From then on
disks are named by serial number, WWN and capacity, by the plan.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Protocol

from .judge import Disk
from .nodes import alike, behind, inspect, nodes_of, plain
from .program import Untrusted


class Node(Protocol):
    """What is used of Ironic's BlockDevice."""

    name: str
    size: int
    serial: str | None
    wwn: str | None
    wwn_with_extension: str | None


@dataclass
class Found:
    """One disk, the names by which Ironic lists it, and what inspect said."""

    disk: Disk
    row: dict[str, Any]
    names: list[str] = field(default_factory=list)

    @property
    def device(self) -> str:
        return str(self.row['device'])

    @property
    def nvme(self) -> bool:
        return self.row.get('transport') == 'nvme' or any(
            os.path.basename(n).startswith('nvme') for n in self.names
        )

    @property
    def adapter(self) -> str:
        """What it hangs on: the SCSI host, else itself."""
        address = str(self.row.get('address') or '')
        return address.split(':', maxsplit=1)[0] if address else self.device

    @property
    def frozen(self) -> bool:
        ability = (self.row.get('abilities') or {}).get('ata-security') or {}
        return 'frozen' in str(ability.get('value', ''))


def _agree(node: Node, row: dict[str, Any]) -> bool:
    """Whether Ironic's names of a disk do not say that it is another one."""
    if node.size != row.get('capacity_bytes'):
        return False
    ours = plain(row.get('wwn'))
    theirs = [plain(w) for w in (node.wwn, node.wwn_with_extension) if w]
    compared = bool(ours and theirs)
    if any(t.startswith(ours) or ours.startswith(t) for t in theirs if ours and t):
        return True
    mine, its = plain(row.get('serial')), plain(node.serial)
    if mine and its:
        return alike(mine, its)
    return not compared


def find(nodes: list[Node], kept: list[Node]) -> list[Found]:
    """The disks behind `nodes`, each once; raises Untrusted if one is not found, is not what
    Ironic took it for, or is also one of `kept`, which nobody may touch."""
    rows = inspect([n.name for n in nodes])
    found = {disk: Found(disk, row) for disk, row in rows.items()}
    for node in nodes:
        here = found[behind(rows, node.name)]
        if not _agree(node, here.row):
            raise Untrusted(
                f'{node.name} is {here.disk} for diskwipe, and'
                f' {node.serial or node.wwn} ({node.size} bytes) for Ironic'
            )
        here.names.append(node.name)
    for f in found.values():
        both = [k.name for k in kept if os.path.realpath(k.name) in nodes_of(f.row)]
        if both or not f.names:
            raise Untrusted(f'{f.device} is also {", ".join(both)}, which is to be left alone')
    return list(found.values())
