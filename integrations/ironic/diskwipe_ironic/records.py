# SPDX-License-Identifier: GPL-2.0-or-later
"""Signed records of a job: where they are written, and how they leave the ramdisk.

A ramdisk forgets. So records are in the result of the clean step, or are sent by diskwipe-send(8)
before the step ends; a record that did not leave, where it was asked for, fails the step.
"""

from __future__ import annotations

import configparser
import os
import re
import tempfile
from dataclasses import dataclass

from . import ledger as ledger_of
from . import sending
from .judge import Disk, Outcome
from .program import Untrusted

FOLDER = '/var/lib/diskwipe-ironic/records'
KEY = '/etc/diskwipe/record.key'
SEND_CONF = '/etc/diskwipe/send.conf'
WHERE = re.compile(rf'none|result|send|{sending.URL.pattern}')


@dataclass(frozen=True)
class Ledger:
    """Where the records of a node go: `where` is none, result, send or a URL. Records up to
    number `before` are older than the step."""

    where: str
    folder: str = ''
    key: str = ''
    label: str = ''
    before: int = 0

    def options(self) -> list[str]:
        """The options of `diskwipe erase` for this."""
        if self.where == 'none':
            return []
        return [
            f'--record={self.folder}',
            f'--record-key={self.key}',
            '--operator=ironic-python-agent',
            f'--label={self.label}',
        ]


def _sent_folder() -> str:
    """The ledger that the ramdisk's diskwipe-send sends."""
    conf = configparser.ConfigParser(interpolation=None, strict=True)
    try:
        with open(SEND_CONF, encoding='utf-8') as f:
            conf.read_file(f)
        return conf['send']['ledger']
    except (OSError, configparser.Error, KeyError, UnicodeDecodeError) as e:
        raise Untrusted(f'record=send needs {SEND_CONF} with a ledger: {e}') from e


def ledger(where: str, label: str) -> Ledger:
    """The ledger for an argument `record`; empty means result if the ramdisk has a key."""
    # a link to nothing is a key that is missing
    where = where or ('result' if os.path.lexists(KEY) else 'none')
    if not WHERE.fullmatch(where):
        raise Untrusted(f'record={where!r} is not none, result, send or an https URL')
    if where == 'none':
        return Ledger(where)
    if not os.path.exists(KEY):
        raise Untrusted(f'record={where} needs a key: put that of "diskwipe records key" at {KEY}')
    folder = _sent_folder() if where == 'send' else FOLDER
    if where != 'result':
        sending.check()
    os.makedirs(os.path.dirname(folder) or '/', mode=0o700, exist_ok=True)
    label = re.sub(r'[^\w.-]', '', label)[:60]
    return Ledger(where, folder, KEY, label, ledger_of.last(folder))


def of_disks(book: Ledger, outcomes: dict[Disk, Outcome]) -> dict[Disk, dict[str, str]]:
    """Of each disk the record of its job that it is erased; raises Untrusted if one has none."""
    if book.where == 'none' or not outcomes:
        return {}
    return ledger_of.of_disks(ledger_of.read(book.folder), outcomes, book.before)


def send(book: Ledger) -> None:
    """All that the folder has leaves by diskwipe-send; raises Untrusted if it did not."""
    if book.where in ('none', 'result'):
        return
    if book.where == 'send':
        sending.once(SEND_CONF, book.where, book.folder)
        return
    with tempfile.TemporaryDirectory(prefix='diskwipe-ironic.') as made:
        sending.to_url(book.folder, book.where, made)
