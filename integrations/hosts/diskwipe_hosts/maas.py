# SPDX-License-Identifier: GPL-2.0-or-later
"""Scripts of MAAS: disks are erased while a machine is released, looked at while it is
commissioned, and a machine is let go on only with the records of its disks.

MAAS reads RESULT_PATH before the exit status. So it says "failed" from the first moment on, and
what is known at the end takes its place in one step.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import glob
import json
import os
import re
import sys
from typing import Any

from . import disks, erase, nodes, proof, sending
from .erase import Book, Found, line
from .judge import Asked, Disk, Outcome
from .program import Untrusted

TIMEOUT = 30 * 86400.0  # seconds
REMOTE = ('fc', 'iscsi')  # transports behind which others' disks are
SYSFS = '/sys'


class Result:
    """The file that MAAS reads: YAML, of which JSON is a part."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows: dict[str, list[str]] = {}
        self.write('failed')

    def say(self, key: str, text: str) -> None:
        """One more value of a result."""
        self.rows.setdefault(key, []).append(line(text))

    def write(self, status: str) -> None:
        """All that is known, as passed, degraded or failed. Raises OSError."""
        if not self.path:
            return
        with open(self.path + '.new', 'w', encoding='utf-8') as f:
            json.dump({'status': status, 'results': self.rows}, f)
            f.write('\n')
        os.replace(self.path + '.new', self.path)


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='diskwipe-maas', allow_abbrev=False)
    verbs = parser.add_subparsers(dest='verb', required=True)
    release = verbs.add_parser('release', allow_abbrev=False)
    release.add_argument('--path', default='')
    release.add_argument('--serial', default='')
    release.add_argument('--keep', default='')
    erase.take_options(release, 'purge-or-clear')
    release.add_argument('--record-url', default='')
    release.add_argument('--record-key', default='')
    verbs.add_parser('commission', allow_abbrev=False)
    gate = verbs.add_parser('gate', allow_abbrev=False)
    gate.add_argument('--records', required=True)
    gate.add_argument('--signers', required=True)
    gate.add_argument('--since', required=True)
    gate.add_argument('--level', default='clear', choices=['clear', 'purge'])
    return parser.parse_args(words)


def _book(p: argparse.Namespace, folder: str) -> Book:
    """The ledger of this release; without a key there is none. Raises Untrusted."""
    if bool(p.record_url) != bool(p.record_key):
        raise Untrusted('record_url and record_key go together: this machine forgets')
    if p.record_url:
        sending.check(p.record_url)
    key = os.path.join(folder, 'key')
    if p.record_key:
        try:
            text = base64.b64decode(p.record_key, validate=True)
        except binascii.Error as e:
            raise Untrusted(f'record_key is not base64: {e}') from e
        with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), 'wb') as f:
            f.write(text)
    return Book('maas', key, os.path.join(folder, 'ledger', 'records'))


def _one(path: str, serial: str) -> list[Found]:
    """The disk that MAAS means by a storage parameter; raises Untrusted."""
    if not serial:
        raise Untrusted(f'MAAS has no serial number of {path}, so that nobody can tell which it is')
    found = erase.find([path])
    if not nodes.named(found[0].row, serial):
        raise Untrusted(f'{path} is {found[0].disk} for diskwipe, and {serial} for MAAS')
    return found


def _transports(name: str) -> set[str]:
    """By what the controllers of an NVMe disk are reached, as the kernel says of a block device;
    with several controllers the device is their subsystem. Empty if the kernel says nothing."""
    device = os.path.join(SYSFS, 'class/block', glob.escape(name), 'device')
    words = set()
    for path in glob.glob(device + '/transport') + glob.glob(device + '/nvme*/transport'):
        try:
            with open(path, encoding='ascii') as f:
                words.add(f.read().strip())
        except (OSError, ValueError):
            words.add('')
    return words


def _others(row: dict[str, Any]) -> str:
    """By what transport a disk may be another machine's; empty if it is this one's alone."""
    transport = row.get('transport')
    if not isinstance(transport, str) or not transport:
        return 'unknown'
    if transport in REMOTE:
        return transport
    if transport != 'nvme':
        return ''
    paths = {os.path.realpath(str(p)) for p in [row.get('device'), *(row.get('paths') or [])] if p}
    for path in paths:
        # ng0n1 is the character device of nvme0n1
        words = _transports(re.sub('^ng', 'nvme', os.path.basename(path)))
        if words != {'pcie'}:
            return f'nvme over {" and ".join(sorted(words)) or "what nobody knows"}'
    return '' if paths else 'nvme'


def _all(keep: str) -> list[Found]:
    """All disks of the machine but those of these serial numbers; raises Untrusted."""
    rows = disks.listed()
    kept = []
    for serial in [s for s in keep.split(',') if s]:
        here = [row for row in rows if row.get('serial') == serial]
        if len(here) != 1:
            raise Untrusted(f'keep: {len(here) or "no"} disks have the serial number {serial}')
        kept += here
    rows = [row for row in rows if row not in kept]
    for row in rows:
        others = _others(row)
        if others:
            raise Untrusted(
                f"{row.get('device')} ({row.get('serial')}) may be another machine's, by its"
                f' transport {others}: keep it, or erase by storage'
            )
    if not rows:
        raise Untrusted('this machine has no disk to erase')
    return erase.find([str(row.get('device')) for row in rows])


def _tell(result: Result, found: list[Found], outcomes: dict[Disk, Outcome]) -> bool:
    """Whether all are erased; each is told."""
    for f in found:
        outcome = outcomes[f.disk]
        what = f'{outcome.row.get("level")} by {outcome.row.get("method")}'
        text = f'erased: {what}' if outcome.erased else f'not erased: {outcome.reason}'
        result.say('disks', str(f.disk))
        result.say('outcomes', text)
        print(line(f'{f.device}: {f.disk}: {text}'), flush=True)
    return all(outcomes[f.disk].erased for f in found)


def release(p: argparse.Namespace, result: Result) -> bool:
    """Erases one disk or all; raises Untrusted."""
    with erase.workplace() as folder:
        book = _book(p, folder)
        found = _one(p.path, p.serial) if p.path or p.serial else _all(p.keep)
        job = erase.planned(found, erase.asked(p), folder)

        def send() -> None:
            if p.record_url:
                sending.to_url(book.folder, p.record_url, folder)

        with sending.after(send):
            outcomes = job.run(book, TIMEOUT)
            well = _tell(result, found, outcomes)
            records = book.of_disks(outcomes)
        for record in records.values():
            result.say('records', record['file'])
    return well


def commission(result: Result) -> str:
    """Looks at all disks; the status. Raises Untrusted."""
    rows = disks.listed()
    well = True
    for row in rows:
        told = row
        if row.get('erasable') is True:
            told = next(iter(nodes.inspect([str(row.get('device'))]).values()))
        fit = 'purge' if told.get('purge') else 'clear'
        text = fit if told.get('erasable') is True else f'no: {row.get("reason")}'
        well = well and told.get('erasable') is True
        result.say('disks', f'{row.get("serial")} ({row.get("capacity_bytes")} bytes)')
        result.say('can_be_erased', text)
        print(line(f'{row.get("device")}: {row.get("serial")}: {text}'), flush=True)
    return 'passed' if well else 'degraded'


def gate(p: argparse.Namespace, text: str) -> bool:
    """Whether records prove all disks of a machine erased, whose block devices `text` has as
    `maas PROFILE block-devices read` prints them. Raises Untrusted."""
    since = proof.moment(p.since)
    records, warning = proof.read(p.records, p.signers)
    if warning:
        raise Untrusted(warning)
    try:
        made = json.loads(text)
        physical = [d for d in made if d['type'] == 'physical']
        wanted = [(str(d['serial'] or ''), int(d['size'])) for d in physical]
    except (ValueError, KeyError, TypeError) as e:
        raise Untrusted(f'these are no block devices of MAAS: {e!r}') from e
    answers = [_proven(records, serial, size, Asked(p.level), since) for serial, size in wanted]
    for (serial, _), answer in zip(wanted, proof.once(answers), strict=True):
        print(line(f'{serial}: {answer["reason"] or "erased"}'), flush=True)
    return bool(wanted) and all(answer['proven'] for answer in answers)


def _proven(
    records: list[dict[str, Any]], serial: str, size: int, asked: Asked, since: Any
) -> dict[str, Any]:
    """Whether records prove a disk of MAAS erased, as proof.of_name() has it."""
    if not serial:
        return {'proven': False, 'reason': 'MAAS has no serial number of it'}
    answer = proof.of_name(records, {'serial': serial}, asked, since)
    if not answer['proven'] and answer['reason'] == 'no record of it':
        answer = proof.of_name(records, {'wwn': serial}, asked, since)
    if answer['proven']:
        its = json.loads(answer['record']['text'])['disk']
        bytes_of_it = its['blocks'] * its['block_size']
        if bytes_of_it != size:
            answer.update(proven=False, reason=f'its record is of a disk of {bytes_of_it} bytes')
    return answer


def main(words: list[str]) -> int:
    """The program; its exit status."""
    erase.heed_signals()
    result = Result('')
    status = 'failed'
    try:
        result = Result(os.environ.get('RESULT_PATH', ''))
        p = _arguments(words)
        if p.verb == 'gate':
            return 0 if gate(p, sys.stdin.read()) else 1
        if p.verb == 'commission':
            status = commission(result)
        elif release(p, result):
            status = 'passed'
    except Untrusted as e:
        result.say('error', str(e))
        print(line(f'diskwipe-maas: {e}'), file=sys.stderr)
    except Exception as e:  # whatever it was, no disk is called erased for it
        result.say('error', f'{type(e).__name__}: {e}')
        print(line(f'diskwipe-maas: {type(e).__name__}: {e}'), file=sys.stderr)
    try:
        result.write(status)
    except OSError as e:
        print(line(f'diskwipe-maas: {e}'), file=sys.stderr)
        return 1
    return 1 if status == 'failed' else 0
