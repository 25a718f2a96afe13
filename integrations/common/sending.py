# SPDX-License-Identifier: GPL-2.0-or-later
"""Records leave the machine by diskwipe-send(8), once and before anybody counts on them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator

from . import ledger as ledger_of
from . import program
from .program import Untrusted

SENDER = 'diskwipe-send'

URL = re.compile(r'https://[^\s;#"\\]+')
TIMEOUT = 600.0  # seconds to send


def check(url: str = '') -> None:
    """Raises Untrusted if nothing could be sent, which is better known before disks are erased."""
    if url and not URL.fullmatch(url):
        raise Untrusted(f'{url!r} is no https URL')
    if not shutil.which(SENDER):
        raise Untrusted(f'{SENDER} is not installed, and records are to be sent')


@contextlib.contextmanager
def after(send: Callable[[], None]) -> Iterator[None]:
    """Records leave after the work, also if that has failed; why it has is told first."""
    try:
        yield
    except BaseException as e:  # also where the program is told to end
        try:
            send()
        except (Untrusted, OSError) as unsent:
            if not isinstance(e, Exception):
                raise e from unsent
            raise Untrusted(f'{e}; besides, {unsent}') from e
        raise
    send()


def _last(ledger: str) -> str:
    """The last record of a ledger, NUMBER:SHA256; empty if there is none. Raises Untrusted."""
    number = ledger_of.last(ledger)
    try:
        with open(os.path.join(ledger, f'record-{number:08}.json'), 'rb') as f:
            return f'{number}:{hashlib.sha256(f.read()).hexdigest()}'
    except OSError as e:
        if not number:
            return ''
        raise Untrusted(f'{ledger} cannot be read: {e}') from e


def once(conf: str, where: str, ledger: str) -> None:
    """All records of a ledger leave as the configuration `conf` says, to what is called `where` in
    messages; raises Untrusted if they did not. That is so when diskwipe-send says of each target
    that it has the last one."""
    last = _last(ledger)
    if not last:
        return  # nothing was signed: the ledger may not be there, either
    ended = program.run([SENDER, f'--config={conf}', '--once'], TIMEOUT, grace=5.0)
    if ended.status:
        raise Untrusted(f'records were not sent to {where}: {ended.err}')
    told = program.run([SENDER, f'--config={conf}', '--status'], TIMEOUT, grace=5.0)
    targets = told.out.decode('utf-8', 'replace').splitlines()
    if told.status or not targets or not all(f', the last one {last}, ' in t for t in targets):
        raise Untrusted(
            f'records were not sent to {where}: {SENDER} does not say that record {last} has left'
        )


def to_url(ledger: str, url: str, folder: str) -> None:
    """All records of a ledger leave to one URL; how far they came is forgotten with `folder`.
    Raises Untrusted."""
    check(url)
    conf = os.path.join(folder, 'send.conf')
    with open(conf, 'w', encoding='utf-8') as f:
        f.write(f'[send]\nledger = {ledger}\nstate = {folder}\n')
        f.write(f'[target step]\nurl = {url}\n')
    once(conf, url, ledger)
