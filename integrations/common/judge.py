# SPDX-License-Identifier: GPL-2.0-or-later
"""What came of each disk, by exit status and document of `diskwipe erase --json` together.

A disk is erased only if everything says so: the status, the job, its own line with the identity
that was planned, level and verification that were asked for, and no exception. Everything else
is a failure of that disk if the rest can be believed, and Untrusted if it cannot.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import program
from .program import Ended, Untrusted

SOME_FAILED = (3, 4, 5)  # exit statuses of a job that ran and of which disks are not erased
BESIDE = 1.0  # percent that the host reads beside what a disk compares, if nothing else is asked
DEVICES_OWN = ('sanitize-', 'ata-', 'nvme-')  # methods by which a disk erases itself


@dataclass(frozen=True)
class Disk:
    """A disk as its plan names it: by names of its own and its capacity in bytes, not by a node."""

    serial: str
    wwn: str
    capacity: int

    def __str__(self) -> str:
        return f'{self.serial or self.wwn} ({self.capacity} bytes)'


@dataclass(frozen=True)
class Asked:
    """What is to be done to disks, in the words of diskwipe(1)."""

    level: str = ''  # clear, purge, or empty: as the method gives
    or_clear: bool = False
    method: str = ''  # empty: the usual one of the level
    verify: str = ''  # off, full, device, auto, sample:N%, or empty: that of the method
    allow_ata: bool = False
    active: int = 0  # disks at once behind an adapter; 0: no limit
    customer: str = ''  # whose disks they are, for the record
    order: str = ''  # by which of their orders
    pattern: str = ''  # passes instead of a method, as --pattern takes them

    def options(self) -> list[str]:
        """The options of `diskwipe plan` for this."""
        made = [f'--level={self.level}'] if self.level else []
        made += ['--or-clear'] if self.or_clear else []
        made += [f'--method={self.method}'] if self.method else []
        made += [f'--pattern={self.pattern}'] if self.pattern else []
        made += [f'--verify={self.verify}'] if self.verify else []
        made += ['--allow=ata-security'] if self.allow_ata else []
        if self.active:
            made += ['--strategy=longest-first', f'--active={self.active}']
        made += [f'--customer={self.customer}'] if self.customer else []
        made += [f'--order-number={self.order}'] if self.order else []
        return made


@dataclass(frozen=True)
class Outcome:
    """One disk of a job: whether it is erased, why not, its line of the document, and the id of
    the job."""

    erased: bool
    reason: str
    row: dict[str, Any]
    job: str = ''


def _identity(row: Any) -> Disk:
    serial, wwn = (row.get('serial') or '', row.get('wwn') or '') if isinstance(row, dict) else '  '
    capacity = row.get('capacity_bytes') if isinstance(row, dict) else None
    if (
        not isinstance(serial, str)
        or not isinstance(wwn, str)
        or not isinstance(capacity, int)
        or isinstance(capacity, bool)
        or capacity <= 0
        or not serial + wwn
    ):
        raise Untrusted('a disk has no identity')
    return Disk(serial, wwn, capacity)


def rows(made: dict[str, Any], what: str) -> dict[Disk, dict[str, Any]]:
    """The disks of a document, each once; raises Untrusted."""
    found: dict[Disk, dict[str, Any]] = {}
    disks = made.get('disks')
    if not isinstance(disks, list):
        raise Untrusted(f'{what} has no disks')
    for row in disks:
        disk = _identity(row)
        if disk in found:
            raise Untrusted(f'{what} has {disk} twice')
        found[disk] = row
    return found


def _same(got: dict[Disk, dict[str, Any]], wanted: list[Disk], what: str) -> None:
    missing = [str(d) for d in wanted if d not in got]
    extra = [str(d) for d in got if d not in wanted]
    if missing:
        raise Untrusted(f'{what} lacks {", ".join(missing)}')
    if extra:
        raise Untrusted(f'{what} has {", ".join(extra)}, which nobody asked for')


def plan(text: bytes, wanted: list[Disk], asked: Asked) -> str:
    """The SHA-256 of a plan that is of these disks and of what was asked; raises Untrusted."""
    made = program.document(text, 'the plan')
    _same(rows(made, 'the plan'), wanted, 'the plan')
    job = made.get('job')
    if not isinstance(job, dict):
        raise Untrusted('the plan has no job')
    if job.get('level', 'clear') != (asked.level or 'clear') or (
        job.get('or_clear', False) is not asked.or_clear
    ):
        raise Untrusted('the plan is for another level')
    if asked.method and job.get('method') != asked.method or job.get('pattern') != asked.pattern:
        raise Untrusted('the plan is for another method')
    if (job.get('customer', ''), job.get('order_number', '')) != (asked.customer, asked.order):
        raise Untrusted('the plan is for another customer or order')
    return hashlib.sha256(text).hexdigest()


def levels(asked: Asked) -> tuple[str, ...]:
    """The levels that will do."""
    return ('purge',) if asked.level == 'purge' and not asked.or_clear else ('clear', 'purge')


def _share(verify: Any) -> float:
    """How many percent a sample has; 0 if it is none."""
    found = re.fullmatch(r'sample:([0-9.e+-]+)%', verify) if isinstance(verify, str) else None
    try:
        return float(found[1]) if found else 0.0
    except ValueError:
        return 0.0


def _compared_by_disk(verify: dict[str, Any]) -> bool:
    """Whether the disk has compared all its blocks, in a way that counts, beside a sample."""
    blocks = verify.get('device_compared')
    return isinstance(blocks, int) and not isinstance(blocks, bool) and blocks > 0


def read_as_asked(verify: Any, asked: str) -> bool:
    """Whether what a result or a record says of verification is what was asked for, or more."""
    if not isinstance(verify, dict) or verify.get('mismatches') != 0:
        return False
    done = verify.get('done')
    if done not in ('none', 'sample', 'full'):
        return False
    if done == 'full' or asked in ('', 'off'):
        return True
    if asked.startswith('sample'):
        told = _share(verify.get('mode', verify.get('asked')))  # a result, a record
        if _compared_by_disk(verify):
            told = max(told, BESIDE)
        # a record has six digits
        return done == 'sample' and told >= _share(asked) * 0.9999
    return asked in ('device', 'auto') and done == 'sample' and _compared_by_disk(verify)


def _passes(row: dict[str, Any]) -> str:
    """The passes of a result, as --pattern takes them."""
    made = row.get('passes')
    if not isinstance(made, list) or not all(isinstance(p, dict) for p in made):
        return ''
    return ','.join(str(p.get('pattern')) for p in made)


def _of_disk(row: dict[str, Any], asked: Asked, job_id: str) -> Outcome:
    """One disk, of a job whose document can be believed."""
    reason = row.get('reason')
    if row.get('outcome') != 'erased':
        words = f': {reason}' if isinstance(reason, str) and reason else ''
        return Outcome(False, f'{row.get("outcome")}{words}', row, job_id)
    if row.get('exceptions') != []:
        raise Untrusted('a disk is called erased, and has exceptions')
    if row.get('level') not in levels(asked):
        limit = row.get('level_limit')
        words = f'erased, but level {row.get("level")} was reached: {limit}'
        return Outcome(False, words, row, job_id)
    if asked.method not in ('', 'auto') and row.get('method') != asked.method:
        raise Untrusted('a disk is erased by another method')
    if asked.pattern and (row.get('method') != 'custom' or _passes(row) != asked.pattern):
        raise Untrusted('a disk is erased by other passes')
    if not read_as_asked(row.get('verify'), asked.verify):
        return Outcome(False, 'erased, but it was not verified as asked', row, job_id)
    return Outcome(True, '', row, job_id)


def _began(head: dict[str, Any]) -> float:
    """When a job began, in seconds since 1970; raises Untrusted."""
    text = head.get('started')
    try:
        made = datetime.fromisoformat(str(text))
        if made.tzinfo is not None:
            return made.timestamp()
    except (ValueError, OverflowError):
        pass
    raise Untrusted(f'the result does not say when the job began: {text!r}')


def job(ended: Ended, wanted: list[Disk], asked: Asked, begun: float = 0.0) -> dict[Disk, Outcome]:
    """What came of each of the wanted disks; raises Untrusted if that is not known of all. The
    result of a job that began before `begun`, in seconds since 1970, is of another one."""
    made = program.document(ended.out, 'the result')
    head = made.get('job')
    if not isinstance(head, dict):
        raise Untrusted('the result has no job')
    if 'simulation' in head:
        raise Untrusted('the result is of a simulation: no disk was erased')
    if ended.status not in (0, *SOME_FAILED) or 'error' in made:
        raise Untrusted(
            f'diskwipe erase ended with status {ended.status}: {made.get("error") or ended.err}'
        )
    if made.get('refused') != []:
        raise Untrusted(f'disks were refused: {ended.err or made.get("refused")}')
    got = rows(made, 'the result')
    _same(got, wanted, 'the result')
    outcomes = {disk: _of_disk(row, asked, str(head.get('id'))) for disk, row in got.items()}
    if any(o.erased for o in outcomes.values()) and _began(head) < begun:
        raise Untrusted(f'the result is of an earlier job, of {head.get("started")}')
    all_called = all(row.get('outcome') == 'erased' for row in got.values())
    if (ended.status == 0) != all_called or (head.get('outcome') == 'erased') != all_called:
        raise Untrusted(
            f'diskwipe erase ended with status {ended.status} and called the job'
            f' {head.get("outcome")!r}, which its disks are not'
        )
    return outcomes


def compared(ended: Ended, wanted: list[Disk]) -> dict[Disk, Outcome]:
    """Which of the wanted disks hold what was expected, by `diskwipe verify --json`: `erased` of
    an outcome says so. Raises Untrusted if that is not known of all."""
    made = program.document(ended.out, 'the comparison')
    head = made.get('job')
    if not isinstance(head, dict) or ended.status not in (0, *SOME_FAILED) or 'error' in made:
        raise Untrusted(f'diskwipe verify ended with status {ended.status}: {ended.err}')
    if made.get('refused') != []:
        raise Untrusted(f'disks were refused: {ended.err or made.get("refused")}')
    got = rows(made, 'the comparison')
    _same(got, wanted, 'the comparison')
    found = {}
    for disk, row in got.items():
        good = (
            row.get('outcome') == 'as-expected'
            and row.get('exceptions') == []
            and read_as_asked(row.get('verify'), 'sample')
        )
        found[disk] = Outcome(good, '' if good else str(row.get('outcome')), row)
    all_good = all(o.erased for o in found.values())
    if (ended.status == 0) != all_good or (head.get('outcome') == 'as-expected') != all_good:
        raise Untrusted(f'diskwipe verify ended with status {ended.status}, which is not so')
    return found
