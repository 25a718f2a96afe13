# SPDX-License-Identifier: GPL-2.0-or-later
"""A block volume of Kubernetes, erased for a cleaner of sig-storage-local-static-provisioner.

The provisioner reads one exit status: 0 puts the volume up for the next user. It reads output by
lines of at most 64 KiB, and hangs at longer ones; so what there is to know goes to a file.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import stat
import sys
from datetime import datetime, timezone
from typing import Any

from . import erase
from .erase import Book, line
from .program import Untrusted

VOLUME = 'LOCAL_PV_BLKDEVICE'
FOLDER = '/var/lib/diskwipe/hosts/volumes'
TIMEOUT = 30 * 86400.0  # seconds


def _volume_of(path: str) -> str | None:
    """Whose file it is; None if it is nobody's."""
    try:
        with open(path, encoding='utf-8') as f:
            return str(json.load(f)['volume'])
    except (OSError, ValueError, KeyError, TypeError):
        return None


class Report:
    """The file of a volume: not erased from the first moment on."""

    def __init__(self, folder: str, node: str) -> None:
        begun = datetime.now(timezone.utc).isoformat(timespec='seconds')
        self.made: dict[str, Any] = {
            'volume': node, 'begun': begun, 'erased': False, 'reason': 'not finished',
        }  # fmt: skip
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.path.join(folder, '.lock'), 'w', encoding='ascii') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.path = self._place(folder, node)
            self.write()

    @staticmethod
    def _place(folder: str, node: str) -> str:
        """Its last part names it, and a hash besides if a volume of another folder has the name."""
        name = re.sub(r'[^\w.-]', '_', os.path.basename(node)).lstrip('.') or 'volume'
        path = os.path.join(folder, f'{name}.json')
        if _volume_of(path) in (None, node):
            return path
        return os.path.join(folder, f'{name}-{hashlib.sha256(node.encode()).hexdigest()[:16]}.json')

    def write(self) -> None:
        """All that is known. Raises OSError."""
        new = f'{self.path}.{os.getpid()}.new'
        with open(new, 'w', encoding='utf-8') as f:
            json.dump(self.made, f, indent=1)
            f.write('\n')
            f.flush()
            os.fsync(f.fileno())
        os.replace(new, self.path)


def arguments(words: list[str]) -> argparse.Namespace:
    """The words of a cleaner's command, after its name."""
    parser = argparse.ArgumentParser(prog='diskwipe-volume', allow_abbrev=False)
    erase.take_options(parser, 'clear')
    parser.add_argument('--json', default=FOLDER, metavar='FOLDER')
    return parser.parse_args(words)


def is_block(node: str) -> bool:
    """Whether it is a block node, or a link to one."""
    try:
        return stat.S_ISBLK(os.stat(node).st_mode)
    except OSError:
        return False


def go(p: argparse.Namespace, node: str, report: Report) -> bool:
    """Whether the volume is erased; raises Untrusted."""
    if not is_block(node):
        raise Untrusted(f'{node} is no block device')
    found = erase.find([node])
    book = Book('kubernetes')
    disk = found[0].disk
    report.made['disk'] = {'serial': disk.serial, 'wwn': disk.wwn, 'capacity_bytes': disk.capacity}
    with erase.workplace() as folder:
        job = erase.planned(found, erase.asked(p), folder)
        report.made['plan_sha256'] = job.sha256
        outcome = job.run(book, TIMEOUT)[disk]
    report.made['result'] = outcome.row
    report.made['reason'] = outcome.reason
    if outcome.erased:
        report.made['record'] = book.of_disks({disk: outcome}).get(disk)
    report.made['erased'] = outcome.erased
    report.write()
    text = f'erased: {outcome.row.get("level")} by {outcome.row.get("method")}'
    print(line(f'{node}: {disk}: {text if outcome.erased else "not erased: " + outcome.reason}'))
    return outcome.erased


def main(words: list[str]) -> int:
    """The program; its exit status, 0 or 1."""
    erase.heed_signals()
    p = arguments(words)
    report = None
    try:
        node = os.environ.get(VOLUME, '')
        if not node.startswith('/'):
            raise Untrusted(f'{VOLUME} names no volume')
        report = Report(p.json, node)
        return 0 if go(p, node, report) else 1
    except Untrusted as e:
        reason = str(e)
    except Exception as e:  # whatever it was, no volume is called erased for it
        reason = f'{type(e).__name__}: {e}'
    print(line(f'diskwipe-volume: not known to be erased: {reason}'), file=sys.stderr)
    if report:
        report.made.update(erased=False, reason=reason)
        try:
            report.write()
        except OSError as e:
            print(line(f'diskwipe-volume: {e}'), file=sys.stderr)
    return 1
