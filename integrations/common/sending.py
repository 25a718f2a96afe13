# SPDX-License-Identifier: GPL-2.0-or-later
"""Records leave the machine by diskwipe-send(8), once and before anybody counts on them."""

from __future__ import annotations

import os
import re

from . import program
from .program import Untrusted

URL = re.compile(r'https://[^\s;#"\\]+')
TIMEOUT = 600.0  # seconds to send


def once(conf: str, where: str) -> None:
    """All records leave as the configuration `conf` says, to what is called `where` in messages;
    raises Untrusted if they did not."""
    ended = program.run(['diskwipe-send', f'--config={conf}', '--once'], TIMEOUT, grace=5.0)
    if ended.status:
        raise Untrusted(f'records were not sent to {where}: {ended.err}')


def to_url(ledger: str, url: str, folder: str) -> None:
    """All records of a ledger leave to one URL; how far they came is forgotten with `folder`.
    Raises Untrusted."""
    if not URL.fullmatch(url):
        raise Untrusted(f'{url!r} is no https URL')
    conf = os.path.join(folder, 'send.conf')
    with open(conf, 'w', encoding='utf-8') as f:
        f.write(f'[send]\nledger = {ledger}\nstate = {folder}\n')
        f.write(f'[target step]\nurl = {url}\n')
    once(conf, url)
