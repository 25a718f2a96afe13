# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks that are to be erased: which are so already by signed records, a plan of the others, one
job for these, and what is believed of it. Knows nothing of Ansible."""

from __future__ import annotations

import os
import re
from typing import Any

from . import disks, ledger, proof
from .disks import Found
from .job import Job
from .judge import Asked, Disk, Outcome
from .program import Untrusted

TIMEOUT = 604800  # seconds: a week
TEXT = re.compile(r'[^\x00-\x1f\x7f]*')
TAG = re.compile(r'[^\x00-\x1f\x7f,"\';]+')


def _asked(p: dict[str, Any]) -> Asked:
    method = p.get('method') or ''
    if not re.fullmatch(r'|[a-z][a-z0-9-]*', method):
        raise Untrusted(f'method={method!r} is no method')
    if p['or_clear'] and p['level'] != 'purge':
        raise Untrusted('or_clear goes with level=purge')
    return Asked(
        level='purge' if p['level'] == 'purge' else '',
        or_clear=p['or_clear'],
        method=method,
        verify=proof.verification(p.get('verify')),
        allow_ata=p['allow_ata_security'],
        active=p.get('active') or 0,
        customer=p.get('customer') or '',
        order=p.get('order_number') or '',
    )


class Book:
    """The ledger of a job, and what its records say besides: operator, label, tags."""

    def __init__(self, p: dict[str, Any], found: list[Found], folder: str) -> None:
        self.p, self.found = p, found
        self.file = os.path.join(folder, 'assets.csv')

    def _tags(self) -> list[str]:
        tagged = [f for f in self.found if f.asset]
        if not tagged:
            return []
        for f in tagged:
            if not TAG.fullmatch(f.asset):
                raise Untrusted(f'asset={f.asset!r} is no tag')
        if len(self.found) == 1:
            return [f'--asset={tagged[0].asset}']
        for f in tagged:
            if not TAG.fullmatch(f.disk.serial):
                raise Untrusted(f'{f.disk}: give its asset in a task of its own')
        with open(self.file, 'w', encoding='utf-8') as out:
            out.writelines(f'{f.disk.serial},{f.asset}\n' for f in tagged)
        return [f'--assets={self.file}']

    def options(self) -> list[str]:
        """The options of `diskwipe erase` for this; raises Untrusted."""
        made = [f'--record={self.p["records"]}', f'--record-key={self.p["record_key"]}']
        for key in ('operator', 'label'):
            made += [f'--{key}={self.p[key]}'] if self.p.get(key) else []
        return made + self._tags()


class Erasure:
    """One task. `rows` is what is known of each disk, whatever happens; `begun` whether a job
    was started, after which disks may have changed."""

    def __init__(self, p: dict[str, Any], folder: str) -> None:
        """Checks what is asked, and looks for the disks; raises Untrusted. `folder` is for
        files of this task."""
        self.p, self.folder = p, folder
        self.begun = False
        self.warnings: list[str] = []
        self.plan = ''
        self.rows: dict[Disk, dict[str, Any]] = {}
        disks.check(p['disks'], p['expect_count'])
        self.asked = _asked(p)
        for key in ('customer', 'order_number', 'operator', 'label'):
            if not TEXT.fullmatch(p.get(key) or ''):
                raise Untrusted(f'{key} has control characters')
        self.since = proof.moment(p['since']) if p.get('since') else None
        if not (p['reread'] or p['force'] or self.since):
            raise Untrusted(
                'without reread a record says nothing of what was written after it: give since'
            )
        self.signers = p.get('signers') or proof.signers_of(p['record_key'], folder)
        self.found = disks.find(p['disks'])
        for f in self.found:
            self.rows[f.disk] = {
                'serial': f.disk.serial, 'wwn': f.disk.wwn, 'capacity_bytes': f.disk.capacity,
                'model': f.row.get('model'), 'state': 'unknown', 'reason': '',
            }  # fmt: skip

    def _set(self, disk: Disk, state: str, reason: str = '', **more: Any) -> None:
        self.rows[disk].update(state=state, reason=reason, **more)

    def _recorded(self) -> dict[Disk, dict[str, Any]]:
        """The records that prove that disks are erased as asked; the others are to be erased."""
        records, warning = proof.read(self.p['records'], self.signers)
        self.warnings += [warning] if warning else []
        kept = {}
        for f in self.found:
            record = proof.newest(records, f.disk)
            why = 'no record of it' if record is None else ''
            if self.p['force']:
                why = 'force'
            elif record is not None:
                why = proof.lacks(record['made'], f.disk, self.asked, self.since)
                if not why and proof.untried(record['made'], self.asked):
                    why = f'erased to level {record["made"]["level"]}, and purge was not tried'
                if not why and not self.asked.verify and proof.unread(record['made']):
                    why = 'nobody asked that it be verified'
                if not why and f.row.get('signatures') != '':
                    why = f'something is on it: {f.row.get("signatures")}'
                if not why and f.row.get('erasable') is not True:
                    why = f'something uses it: {f.row.get("reason")}'
            self._set(f.disk, 'to-be-erased', why)
            if record is not None and not why:
                kept[f.disk] = record
        return kept

    def look(self) -> list[Found]:
        """The disks that are to be erased; those that are not are `already-erased`."""
        kept = self._recorded()
        by_method: dict[str, list[Found]] = {}
        for f in self.found:
            if f.disk in kept:
                by_method.setdefault(str(kept[f.disk]['made']['method']), []).append(f)
        for method, some in by_method.items():
            reasons = dict.fromkeys([f.disk for f in some], '')
            if self.p['reread']:
                reasons = proof.reread(
                    method, [f.device for f in some], [f.disk for f in some], self.p['timeout']
                )
            for f in some:
                self.rows[f.disk]['reason'] = reasons[f.disk]
                if not reasons[f.disk]:
                    made = kept[f.disk]['made']
                    self._set(f.disk, 'already-erased', method=method, level=made['level'],
                              verified=made['verification']['done'],
                              record=proof.said(kept[f.disk]))  # fmt: skip
        return [f for f in self.found if self.rows[f.disk]['state'] == 'to-be-erased']

    def planned(self, todo: list[Found]) -> Job:
        """A plan of these disks alone; raises Untrusted. Nothing is written."""
        job = Job(todo, self.asked, self.folder)
        self.plan = job.sha256
        return job

    def _believe(self, outcomes: dict[Disk, Outcome], before: int) -> None:
        """Records up to number `before` are older than the job."""
        records = ledger.read(self.p['records'], self.signers)
        for disk, outcome in outcomes.items():
            row = outcome.row
            verified = (row.get('verify') or {}).get('text')
            if not outcome.erased:
                self._set(disk, 'failed', outcome.reason, method=row.get('method'))
                continue
            record = proof.newest(records, disk)
            if (
                record is None
                or record['number'] <= before
                or record['made']['job'].get('id') != outcome.job
                or proof.lacks(record['made'], disk, self.asked, None)
            ):
                self._set(disk, 'failed', 'diskwipe says erased, and no signed record does')
                continue
            self._set(disk, 'erased', '', method=row['method'], level=row['level'],
                      verified=verified, record=proof.said(record))  # fmt: skip

    def erase(self, job: Job) -> None:
        """Runs the job; raises Untrusted if a disk of it is not erased, on record."""
        book = Book(self.p, job.found, self.folder)
        book.options()  # what is wrong is said before anything is written
        os.makedirs(os.path.dirname(self.p['records']) or '/', mode=0o700, exist_ok=True)
        before = ledger.last(self.p['records'])
        self.begun = True
        try:
            self._believe(job.run(book, self.p['timeout']), before)
        except Untrusted as e:
            for disk in job.disks:
                self._set(disk, 'unknown', f'what became of it is not known: {e}')
            raise
        failed = [d for d in job.disks if self.rows[d]['state'] != 'erased']
        if failed:
            raise Untrusted(
                f'{len(failed)} of {len(self.found)} disks are not erased: '
                + '; '.join(f'{d}: {self.rows[d]["reason"]}' for d in failed)
            )
