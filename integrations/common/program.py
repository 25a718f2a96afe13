# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that are run: bounded in time and output, and what they print read strictly.

Nothing here knows Ironic, and nothing here believes what it reads: judge.py does.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from typing import IO, Any, NoReturn

MAX_OUTPUT = 64 << 20  # bytes of a document; a disk has some 5 KiB
GRACE = 120.0  # seconds for a job that was told to stop: it flushes caches
LOOK = 0.2  # seconds between two looks at the size of what is printed


class Untrusted(Exception):
    """What was run did not end as it should, or what it said is not to be believed."""


class Ended:
    """How a program ended: its exit status, what it printed, and its last words of error."""

    def __init__(self, status: int, out: bytes, err: str) -> None:
        self.status, self.out, self.err = status, out, err


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """TERM, by which diskwipe stops and flushes; KILL for all of its group after that."""
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, 10.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return


def _wait(process: subprocess.Popen[bytes], timeout: float, files: list[Any], grace: float) -> None:
    """Until it has ended; ends it, and raises Untrusted, if it takes or prints too much."""
    deadline = time.monotonic() + timeout
    while True:
        left = deadline - time.monotonic()
        try:
            process.wait(max(0.0, min(LOOK, left)))
            return
        except subprocess.TimeoutExpired:
            pass
        if left <= 0:
            _end(process, grace)
            raise Untrusted(f'did not end within {timeout:.0f} seconds')
        if any(os.fstat(f.fileno()).st_size > MAX_OUTPUT for f in files):
            _end(process, 1.0)
            raise Untrusted(f'printed more than {MAX_OUTPUT >> 20} MiB')


def run(command: list[str], timeout: float, grace: float = GRACE) -> Ended:
    """Runs `command` for at most `timeout` seconds, its output in files, not in a pipe.

    Raises Untrusted if it cannot be started, does not end in time, prints without end, or is
    ended by a signal. A status that is not 0 is for the caller.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                env={**os.environ, 'LC_ALL': 'C.UTF-8'},
            )
        except OSError as e:
            raise Untrusted(f'{command[0]} cannot be run: {e}') from e
        try:
            _wait(process, timeout, [out, err], grace)
        except Untrusted as e:
            raise Untrusted(f'{command[0]} {command[1]} {e}') from e
        except BaseException:
            _end(process, grace)
            raise
        out.seek(0)
        printed = content(out, f'{command[0]} {command[1]} printed')
        err.seek(max(0, os.fstat(err.fileno()).st_size - 4000))
        words = err.read().decode('utf-8', 'replace').strip()
    if process.returncode < 0:
        raise Untrusted(
            f'{command[0]} {command[1]} was ended by signal {-process.returncode}: {words}'
        )
    return Ended(process.returncode, printed, words)


def content(file: IO[bytes], what: str) -> bytes:
    """All that a file holds; raises Untrusted if that is more than MAX_OUTPUT bytes.

    To ask a short one for as much takes the memory for it.
    """
    held = file.read(min(os.fstat(file.fileno()).st_size, MAX_OUTPUT) + 1)
    if len(held) > MAX_OUTPUT:
        raise Untrusted(f'{what} more than {MAX_OUTPUT >> 20} MiB')
    return held


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError('a key is there twice')
    return made


def _constant(word: str) -> NoReturn:
    raise ValueError(f'{word} is no number')


def document(text: bytes, what: str) -> dict[str, Any]:
    """The JSON document of diskwipe(1) in `text`, of schema 1; raises Untrusted."""
    try:
        made = json.loads(text.decode('utf-8'), object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError) as e:
        raise Untrusted(f'{what} is no document: {e}') from e
    if not isinstance(made, dict):
        raise Untrusted(f'{what} is no document')
    tool = made.get('tool')
    if made.get('schema') != 1 or isinstance(made.get('schema'), bool):
        raise Untrusted(f'{what} has schema {made.get("schema")!r}, not 1')
    if not isinstance(tool, dict) or tool.get('name') != 'diskwipe':
        raise Untrusted(f'{what} is not of diskwipe')
    return made
