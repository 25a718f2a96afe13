# SPDX-License-Identifier: GPL-2.0-or-later
"""A plan of some disks, checked before anything is erased, and the job that follows from it."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from typing import Any, Protocol

from . import judge, program
from .judge import Asked, Disk, Outcome
from .program import Untrusted

CLOCK = 600.0  # seconds by which the clock may be put back while a job begins
LOOKING = 900.0  # seconds for inspect and plan: disks may spin up


class Chosen(Protocol):
    """A disk, and the node by which it is named once, to plan."""

    @property
    def disk(self) -> Disk: ...

    @property
    def device(self) -> str: ...


class Book(Protocol):
    """Where records go."""

    def options(self) -> list[str]: ...


class Job:
    """A plan of some disks, and its job. With a plan nodes of /dev mean nothing any more."""

    def __init__(self, found: list[Any], asked: Asked, folder: str) -> None:
        """Plans the disks of `found`, each a Chosen; raises Untrusted if the plan is not of just
        these and of what was asked. The plan is a file in `folder`."""
        self.found, self.asked = found, asked
        self.disks = [f.disk for f in found]
        handle, self.file = tempfile.mkstemp(suffix='.plan', dir=folder)
        os.close(handle)
        command = ['diskwipe', 'plan', '--quiet', *asked.options(), f'--output={self.file}']
        ended = program.run(command + [f.device for f in found], LOOKING)
        if ended.status:
            raise Untrusted(f'diskwipe plan ended with status {ended.status}: {ended.err}')
        with open(self.file, 'rb') as f:
            text = program.content(f, 'the plan has')
        try:
            self.sha256 = judge.plan(text, self.disks, asked)
        except Untrusted as e:
            raise Untrusted(f'nothing was written: {ended.err or "no reason given"} ({e})') from e

    def _check_plan(self, ended: bool) -> None:
        """Raises Untrusted if the plan is not the one that was checked. When the job has ended its
        file may be gone: old files of /tmp are removed while a job runs for weeks."""
        try:
            with open(self.file, 'rb') as f:
                text = program.content(f, 'the plan has')
        except OSError as e:
            if ended and isinstance(e, FileNotFoundError):
                return
            raise Untrusted(f'the plan cannot be read: {e}') from e
        if hashlib.sha256(text).hexdigest() != self.sha256:
            raise Untrusted('the plan was changed after it was checked')

    def run(self, book: Book, timeout: float) -> dict[Disk, Outcome]:
        """Erases the disks of the plan; raises Untrusted if what became of them is not known."""
        self._check_plan(ended=False)
        command = [
            'diskwipe', 'erase', '--yes', '--json', '--progress=none',
            f'--plan={self.file}', f'--expect-count={len(self.disks)}', *book.options(),
        ]  # fmt: skip
        begun = time.time() - CLOCK
        ended = program.run(command, timeout)
        self._check_plan(ended=True)
        return judge.job(ended, self.disks, self.asked, begun)
