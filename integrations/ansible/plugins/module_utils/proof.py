# SPDX-License-Identifier: GPL-2.0-or-later
"""What a ledger proves of a disk: its newest record, of a folder that is whole by signers that
are known. Anything that is not clearly an erasure as asked proves nothing."""

from __future__ import annotations

import hashlib
import os
import re
from datetime import datetime, timedelta, timezone
from typing import Any

from . import judge, ledger, program
from .disks import names, plain
from .judge import DEVICES_OWN, Asked, Disk
from .program import Untrusted

VERIFY = re.compile(r'|off|full|device|auto|sample:[0-9]+(\.[0-9]+)?%')
CLOCKS = timedelta(minutes=10)  # by which those of two machines may differ


def verification(asked: str | None) -> str:
    """What is to be read, if it can be asked for; raises Untrusted."""
    if not VERIFY.fullmatch(asked or ''):
        raise Untrusted(f'verify={asked!r} is not off, full, device, auto or sample:N%')
    return asked or ''


def moment(text: str) -> datetime:
    """A day, which begins in UTC, or a time of day with its zone; raises Untrusted."""
    try:
        made = datetime.fromisoformat(re.sub(r'Z$', '+00:00', text.strip()))
    except (ValueError, AttributeError) as e:
        raise Untrusted(f'{text!r} is no date: write 2026-11-29 or 2026-11-29T08:00:00Z') from e
    if made.tzinfo is None:
        if re.search(r'[T ]', text.strip()):
            raise Untrusted(f'{text!r} has no time zone')
        made = made.replace(tzinfo=timezone.utc)
    return made


def signers_of(key: str, folder: str) -> str:
    """A list of who may sign, made in `folder`, that has the owner of this private key alone:
    the list that lies with the records could be changed with them. Raises Untrusted."""
    if not os.path.exists(key):
        raise Untrusted(f'there is no key {key}: role station or "diskwipe records key" makes it')
    ended = program.run(['ssh-keygen', '-y', '-P', '', '-f', key], 30.0, grace=1.0)
    words = ended.out.decode('utf-8', 'replace').split()
    if ended.status or len(words) < 2 or words[0] != 'ssh-ed25519':
        raise Untrusted(f'{key} is no key that signs records: {ended.err}')
    file = os.path.join(folder, 'signers')
    with open(file, 'w', encoding='utf-8') as f:
        f.write(f'station namespaces="diskwipe-record" {words[0]} {words[1]}\n')
    return file


def _is_of(made: dict[str, Any], disk: Disk) -> bool:
    """Whether a record may be of this disk: by either of its names."""
    its = made.get('disk') or {}
    return bool(
        (disk.serial and its.get('serial') == disk.serial)
        or (disk.wwn and plain(its.get('wwn')) == plain(disk.wwn))
    )


def newest(records: list[dict[str, Any]], disk: Disk) -> dict[str, Any] | None:
    """The last record of a disk, but for comparisons that found what they expected."""
    record: dict[str, Any]
    for record in reversed(records):
        made = record['made']
        if made.get('document') != 'erasure-record' or made.get('outcome') == 'as-expected':
            continue
        if _is_of(made, disk):
            return record
    return None


def _identity(made: dict[str, Any]) -> Disk:
    its = made['disk']
    return Disk(its['serial'] or '', its['wwn'] or '', its['blocks'] * its['block_size'])


def untried(made: dict[str, Any], asked: Asked) -> bool:
    """Whether a record, which lacks nothing, is of a disk that nobody tried to purge, as asked."""
    its = made.get('asked') or {}
    tried = its.get('level') == 'purge' and its.get('or_clear') is True
    return bool(asked.or_clear and made['level'] != 'purge' and not tried)


def unread(made: dict[str, Any]) -> bool:
    """Whether a record, which lacks nothing, is of a job that left out what each method asks."""
    return bool(made['verification'].get('asked', 'off') == 'off')


def lacks(made: dict[str, Any], disk: Disk, asked: Asked, since: datetime | None) -> str:
    """Why a record does not prove that a disk is erased as asked; empty if it does."""
    try:
        if made['schema'] != 1 or 'simulation' in made['job']:
            return 'its record is of no erasure'
        if _identity(made) != disk:
            return f'its record is of {_identity(made)}'
        if made['disk'].get('name_shared', False) is not False:
            return 'its record may be of another disk of the same name'
        if made['outcome'] != 'erased' or made['exceptions'] != []:
            return f'its last record says {made["outcome"]}'
        if made['level'] not in judge.levels(asked):
            return f'it was erased to level {made["level"]}'
        if asked.method not in ('', 'auto') and made['method'] != asked.method:
            return f'it was erased by method {made["method"]}'
        if not judge.read_as_asked(made['verification'], asked.verify):
            return f'it was verified as {made["verification"]["done"]}'
        finished = moment(made['times']['finished'])
        if finished > datetime.now(timezone.utc) + CLOCKS:
            return f'it was erased on {made["times"]["finished"]}, which is not yet'
        if since and finished < since:
            return f'it was erased on {made["times"]["finished"]}, before since'
    except (KeyError, TypeError, AttributeError, ValueError, Untrusted) as e:
        return f'its record is not understood: {e!r}'
    return ''


def reread(method: str, devices: list[str], disks: list[Disk], timeout: float) -> dict[Disk, str]:
    """Reads a sample of disks that were overwritten by a method: of each why it does not hold
    what that left, or nothing if it does. The sample is the least that diskwipe takes: it shows
    that no more than one block of a thousand differs."""
    if method.startswith(DEVICES_OWN) or not re.fullmatch(r'[a-z][a-z0-9-]*', method):
        return dict.fromkeys(disks, f'what {method} leaves cannot be compared')
    command = ['diskwipe', 'verify', '--json', '--progress=none', '--verify=sample:0.001%']
    try:
        ended = program.run([*command, f'--method={method}', *devices], timeout)
        found = judge.compared(ended, disks)
    except Untrusted as e:
        return dict.fromkeys(disks, f'it could not be compared: {e}')
    return {d: '' if o.erased else f'it does not hold {method}: {o.reason}'
            for d, o in found.items()}  # fmt: skip


def said(record: dict[str, Any]) -> dict[str, Any]:
    """A record for the answer of a module: both files, and the digest that others name it by."""
    made = {key: record[key] for key in ('file', 'text', 'signature')}
    made['sha256'] = hashlib.sha256(record['text'].encode('utf-8')).hexdigest()
    return made


def read(folder: str, signers: str) -> tuple[list[dict[str, Any]], str]:
    """The records of a folder, none if there is no folder; and a warning, or nothing. A ledger
    whose last record was cut off proves nothing until that is finished. Raises Untrusted."""
    if not os.path.lexists(folder):
        return [], ''
    try:
        return ledger.read(folder, signers), ''
    except ledger.Unfinished as e:
        return [], f'no record counts: {e}'


def head(records: list[dict[str, Any]]) -> str:
    """Number and digest of the last record, as `records verify --expect` takes them; or nothing."""
    if not records:
        return ''
    return f'{records[-1]["made"]["sequence"]}:{said(records[-1])["sha256"]}'


def of_name(
    records: list[dict[str, Any]], one: dict[str, Any], asked: Asked, since: datetime | None
) -> dict[str, Any]:
    """Whether records prove that the disk of a name is erased: one disk, which may be absent."""
    answer = {'serial': one.get('serial'), 'wwn': one.get('wwn'), 'proven': False}
    fits = []
    for record in records:
        its = record['made'].get('disk') or {}
        if record['made'].get('document') == 'erasure-record' and names(
            one, its.get('serial'), its.get('wwn')
        ):
            fits.append(_identity(record['made']))
    if not fits:
        return dict(answer, reason='no record of it')
    # a WWN is of one disk, whose capacity may change; of a serial number alone nobody knows
    if len({(d.serial, d.wwn or str(d.capacity)) for d in fits}) > 1:
        return dict(answer, reason='records of several disks of that name')
    last = newest(records, fits[-1])
    if last is None:
        return dict(answer, reason='no record of an erasure')
    why = lacks(last['made'], fits[-1], asked, since)
    return dict(answer, proven=not why, reason=why, record=said(last))


def once(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers of of_name() for several disks, where a record proves one disk at most: of two
    that are named alike, one may have been absent, or dead, when the other was erased."""
    proven = [a['record']['file'] for a in answers if a['proven']]
    for answer in answers:
        if answer['proven'] and proven.count(answer['record']['file']) > 1:
            answer.update(proven=False, reason='its record would prove another one as well')
    return answers
