# SPDX-License-Identifier: GPL-2.0-or-later
"""Signed records of a folder, diskwipe-record(5): checked as a whole, then read."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

from . import program
from .judge import Disk, Outcome
from .program import Untrusted

TIMEOUT = 600.0  # seconds to check a folder
UNFINISHED = 9  # exit status: no head names the last record
# As diskwipe spells them: a number spelt otherwise is no record to it, and nobody has checked that.
NUMBER = re.compile(r'record-([0-9]{8}|[1-9][0-9]{8,})\.json')
HEAD = re.compile(r'(?m): head ([1-9][0-9]*):([0-9a-f]{64})$')


class Unfinished(Untrusted):
    """The last record of a folder does not count: its writing was cut off, or goes on."""


def _numbers(folder: str) -> list[int]:
    names = map(NUMBER.fullmatch, os.listdir(folder))
    return sorted(int(name[1]) for name in names if name and int(name[1]))


def last(folder: str) -> int:
    """The number of the last record of a folder, finished or not; 0 if there is none. Raises
    Untrusted."""
    try:
        return max(_numbers(folder), default=0)
    except FileNotFoundError:
        return 0
    except OSError as e:
        raise Untrusted(f'{folder} cannot be read: {e}') from e


def _read(path: str) -> str:
    """A file, byte for byte: what is hashed must not have other line ends."""
    with open(path, 'rb') as f:
        return f.read().decode('utf-8')


def _check_read(found: list[dict[str, Any]], number: int, sha256: str) -> None:
    """Raises ValueError if what was read does not end with this record, or is not chained: then it
    is not what was checked a moment before."""
    before = ''
    for one in found:
        if before and one['made'].get('previous') != before:
            raise ValueError(f'{one["file"]} does not follow what was checked')
        before = hashlib.sha256(one['text'].encode('utf-8')).hexdigest()
    if (found[-1]['number'] if found else 0, before) != (number, sha256):
        raise ValueError(f'record {number} is not what was checked')


def read(folder: str, signers: str = '', expect: str = '') -> list[dict[str, Any]]:
    """The records of a folder in their order, after diskwipe has found all of it whole: number,
    file, text, signature, and as `made` what the text says. `signers` is a list of who may sign;
    without it that of the folder is taken. `expect` is a record that has to be there, as
    NUMBER:SHA256. What others add meanwhile nobody has checked, so it is left out; what they
    change meanwhile in a text makes it Untrusted, by the hashes of the chain; of a signature that
    whoever checks the record later sees it. Raises Untrusted."""
    options = [f'--signers={signers}'] if signers else []
    options += [f'--expect={expect}'] if expect else []
    checked = program.run(['diskwipe', 'records', 'verify', *options, folder], TIMEOUT)
    if checked.status:
        error = Unfinished if checked.status == UNFINISHED else Untrusted
        raise error(f'{folder} is not whole: {checked.err}')
    heads = HEAD.findall(checked.out.decode('utf-8', 'replace'))
    number, sha256 = (int(heads[-1][0]), heads[-1][1]) if heads else (0, '')
    found = []
    try:
        for n in [n for n in _numbers(folder) if n <= number]:
            name = f'record-{n:08}.json'
            path = os.path.join(folder, name)
            text, signature = _read(path), _read(path + '.sig')
            made = json.loads(text)
            found.append(
                {'number': n, 'file': name, 'text': text, 'signature': signature, 'made': made}
            )
        _check_read(found, number, sha256)
    except (OSError, ValueError, AttributeError) as e:
        raise Untrusted(f'{folder} cannot be read: {e}') from e
    return found


def _says_so(made: dict[str, Any], disk: Disk, outcome: Outcome) -> bool:
    try:
        its, job = made['disk'], made['job']
        named = Disk(its['serial'] or '', its['wwn'] or '', its['blocks'] * its['block_size'])
        return (
            named == disk
            and job['id'] == outcome.job
            and 'simulation' not in job
            and (made['document'], made['outcome']) == ('erasure-record', 'erased')
            and made['exceptions'] == []
        )
    except (KeyError, TypeError):
        return False


def of_disks(
    records: list[dict[str, Any]], outcomes: dict[Disk, Outcome], before: int
) -> dict[Disk, dict[str, str]]:
    """Of each disk the record of its job that it is erased: file, text, signature; raises
    Untrusted if one has none. Records up to number `before` were there when the job began, and
    are of none of its disks, whatever its answer says."""
    signed = {}
    for disk, outcome in outcomes.items():
        own = [r for r in records if r['number'] > before and _says_so(r['made'], disk, outcome)]
        if not own:
            raise Untrusted(f'{disk} is erased, and no record says so')
        signed[disk] = {key: own[-1][key] for key in ('file', 'text', 'signature')}
    return signed
