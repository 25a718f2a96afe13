# SPDX-License-Identifier: GPL-2.0-or-later
"""What a station tells the system that keeps its firm's assets: a disk is announced, asked about,
begun, reported with its signed record, and finished.

As a hook of diskwiped it only asks before a disk begins; all else goes to files first, and from
there as often as it takes. A disk is finished when its report has arrived, never before.
"""

from __future__ import annotations

import configparser
import fcntl
import json
import os
import re
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import Any

from . import ledger
from .disks import plain
from .erase import line
from .program import Untrusted

CONFIG = '/etc/diskwipe/asset.conf'
QUEUE = '/var/lib/diskwipe-hooks/asset'
PATIENCE = 8.0  # seconds for one call: four of them are less than a hook may take
ANSWER = 1 << 20  # bytes of an answer
EVENT = 1 << 16  # bytes of an event
FILE = re.compile(r'([0-9]{20,})-[0-9]+\.json')  # of the queue: number, and process
# Statuses below 500 that say nothing of the call itself: a token has expired, a server is not set
# up yet or is the wrong one, a proxy is between, it is busy. They must not empty the queue.
AGAIN = (401, 403, 404, 405, 407, 408, 421, 425, 429)
WORDS = ('station', 'job', 'serial', 'wwn', 'vendor', 'model', 'bay', 'outcome', 'reason')


class Refused(Exception):
    """The asset system does not want this call, and will not want it later."""


class Settings:
    """The configuration. Raises Untrusted."""

    def __init__(self, path: str) -> None:
        made = configparser.ConfigParser(interpolation=None)
        try:
            with open(path, encoding='utf-8') as f:
                made.read_file(f)
            asset = made['asset']
            known = {'url', 'token-file', 'approve', 'records', 'signers', 'queue'}
            unknown = set(asset) - known
            if unknown:
                raise Untrusted(f'{path}: unknown key {sorted(unknown)[0]}')
            self.url = asset['url'].rstrip('/')
            self.approve = asset.getboolean('approve', False)
            self.records, self.signers = asset.get('records', ''), asset.get('signers', '')
            self.queue = asset.get('queue', QUEUE)
            self.token_file = asset.get('token-file', '')
        except (OSError, KeyError, ValueError, configparser.Error) as e:
            raise Untrusted(f'{path}: {e}') from e
        at = urllib.parse.urlsplit(self.url)
        local = at.hostname in ('localhost', '127.0.0.1', '::1')
        if at.scheme != 'https' and not (at.scheme == 'http' and local):
            raise Untrusted(f'{path}: url= is https, or http on this machine')


class _Stay(urllib.request.HTTPRedirectHandler):
    """The token is for one server: nobody is followed to another."""

    def redirect_request(self, *args: Any) -> None:
        return None


def in_time(do: Callable[[], bytes]) -> bytes:
    """What `do` returns or raises, within PATIENCE in all: the timeout of a socket is for one read,
    and a server that sends a byte now and then would be waited for without end. One that is given
    up goes on until its own end, or the end of this program. Raises TimeoutError."""
    ended: list[bytes | Exception] = []

    def run() -> None:
        try:
            ended.append(do())
        except Exception as e:
            ended.append(e)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if not ended:
        raise TimeoutError(f'no answer within {PATIENCE:.0f} seconds')
    made = ended.pop()
    try:
        if isinstance(made, Exception):
            raise made
        return made
    finally:
        del made  # with it an error would hold itself, and its connection


class Server:
    """The asset system, and the records that it is shown, as they were when first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.opener = urllib.request.build_opener(_Stay)
        self.book: list[dict[str, Any]] | Untrusted | None = None

    def records(self) -> list[dict[str, Any]]:
        """The ledger, read once: to verify it takes as long as it is. Raises Untrusted."""
        if self.book is None:
            try:
                self.book = ledger.read(self.settings.records, self.settings.signers)
            except Untrusted as e:
                self.book = e
        if isinstance(self.book, Untrusted):
            raise Untrusted(str(self.book))
        return self.book

    def _open(self, request: urllib.request.Request) -> bytes:
        with self.opener.open(request, timeout=PATIENCE) as answer:
            return bytes(answer.read(ANSWER + 1))

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """One call, and the object it answers. Raises Refused, or Untrusted: try it again."""
        request = urllib.request.Request(self.settings.url + path, method=method)
        request.add_header('Accept', 'application/json')
        if self.settings.token_file:
            with open(self.settings.token_file, encoding='utf-8') as f:
                request.add_header('Authorization', f'Bearer {f.read().strip()}')
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header('Content-Type', 'application/json')
        try:
            text = in_time(lambda: self._open(request))
        except urllib.error.HTTPError as e:
            e.close()
            words = f'{method} {path}: status {e.code}'
            if 400 <= e.code < 500 and e.code not in AGAIN:
                raise Refused(words) from e
            raise Untrusted(words) from e
        except (OSError, HTTPException, ValueError) as e:
            raise Untrusted(f'{method} {path}: {e}') from e
        if not text.strip():
            return {}
        try:
            made = json.loads(text[:ANSWER])
        except (ValueError, RecursionError) as e:
            raise Untrusted(f'{method} {path}: the answer is no JSON') from e
        if len(text) > ANSWER or not isinstance(made, dict):
            raise Untrusted(f'{method} {path}: the answer is no object')
        return made


def client(event: dict[str, Any]) -> str:
    """By what the asset system knows a disk: its serial number, else its WWN, as part of a path.
    Raises Untrusted."""
    name = event['serial'] or plain(event['wwn'])
    if not name or name in ('.', '..'):
        raise Untrusted('the disk has neither serial number nor WWN')
    return urllib.parse.quote(name, safe='')


def read_event(text: bytes) -> dict[str, Any]:
    """What diskwiped says to a hook. Raises Untrusted."""
    try:
        made = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise Untrusted(f'the event is no JSON: {e}') from e
    return checked(made)


def checked(made: Any) -> dict[str, Any]:
    """An event, if it is one. Raises Untrusted."""
    if not isinstance(made, dict) or made.get('event') not in ('pre-erase', 'begin', 'post-erase'):
        raise Untrusted('not an event of diskwiped')
    if not all(isinstance(made.get(word), str) for word in WORDS):
        raise Untrusted('the event lacks members')
    if not isinstance(made.get('capacity_bytes'), int):
        raise Untrusted('the event has no capacity')
    return made


def described(event: dict[str, Any]) -> dict[str, Any]:
    """The disk, for the asset system."""
    words = ('station', 'serial', 'wwn', 'vendor', 'model', 'bay')
    return {**{word: event[word] for word in words}, 'capacity_bytes': event['capacity_bytes']}


def status(event: dict[str, Any], word: str) -> dict[str, Any]:
    """How far a job is with a disk."""
    return {'job_spec': {'id': event['job'], 'status': word, 'message': line(event['reason'])}}


# --- before a disk begins ------------------------------------------------------------------------


def ask(server: Server, event: dict[str, Any]) -> str:
    """Announces a disk, and asks whether it may be erased; why not, or empty. Raises Untrusted."""
    here = client(event)
    server.call('POST', f'/new_client/{here}', described(event))
    made = server.call('GET', f'/api/clients/{here}/job_spec').get('job_spec')
    if not isinstance(made, dict) or made.get('erase') is not True:
        reason = made.get('message') if isinstance(made, dict) else None
        return f'the asset system does not want it erased: {reason or "no job for it"}'
    return ''


# --- what is due ---------------------------------------------------------------------------------


def sync(folder: str) -> None:
    """Makes names of a folder durable. Raises OSError."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write(path: str, made: Any) -> None:
    """A file, all of it or not at all, and durable. Raises OSError."""
    with open(path + '.new', 'w', encoding='utf-8') as f:
        json.dump(made, f)
        f.flush()
        os.fsync(f.fileno())
    os.replace(path + '.new', path)
    sync(os.path.dirname(path))


def numbered(folder: str) -> list[tuple[int, str]]:
    """The events of a folder in their order: number and name. Raises OSError."""
    try:
        found = map(FILE.fullmatch, os.listdir(folder))
    except FileNotFoundError:
        return []
    return sorted((int(one[1]), one[0]) for one in found if one)


def keep(settings: Settings, event: dict[str, Any]) -> None:
    """One more event that is due, in the order of their coming, for which no clock is asked: one
    that was put back would have a disk finished before it has begun."""
    queue = settings.queue
    os.makedirs(queue, mode=0o700, exist_ok=True)
    # Not the lock of send(), which is held while the net is waited for: a hook must not be.
    with open(os.path.join(queue, 'lock-number'), 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # In this order, in which one that is moved in between is seen in either place.
        there = numbered(queue) + numbered(os.path.join(queue, 'refused'))
        number = 1 + max((number for number, _ in there), default=0)
        name = f'{number:020}-{os.getpid()}.json'
        write(os.path.join(queue, name), {'event': event, 'done': []})


def record_of(server: Server, event: dict[str, Any]) -> dict[str, str] | None:
    """The signed record of a disk that has ended; None without a ledger. Raises Untrusted: it may
    be written in a moment."""
    if not server.settings.records:
        return None
    for one in reversed(server.records()):
        made = one['made']
        its = made.get('disk') or {}
        if (
            (made.get('job') or {}).get('id') == event['job']
            and (its.get('serial') or '') == event['serial']
            and (its.get('wwn') or '') == event['wwn']
        ):
            if made.get('outcome') != event['outcome']:
                raise Untrusted(f'{one["file"]} is of another outcome: {made.get("outcome")}')
            return {key: one[key] for key in ('file', 'text', 'signature')}
    raise Untrusted('no record of it is there yet')


def steps(server: Server, event: dict[str, Any]) -> list[tuple[str, Any]]:
    """What is said because of one event: names, and what does it."""
    here = client(event)

    def post(path: str, body: dict[str, Any]) -> Any:
        return lambda: server.call('POST', path, body)

    if event['event'] == 'begin':
        return [
            ('new_client', post(f'/new_client/{here}', described(event))),
            ('jobspec', post(f'/client/{here}/jobspec', status(event, 'running'))),
        ]

    def report() -> None:
        record = record_of(server, event)
        fields = server.call('GET', f'/api/clients/{here}/custom_fields').get('custom_fields')
        made = {'disk': described(event), 'job': event['job'], 'outcome': event['outcome']}
        made.update(reason=line(event['reason']), custom_fields=fields, record=record)
        server.call('POST', f'/client/{here}/asset_report', {'asset_report': made})

    word = 'finished' if event['outcome'] == 'erased' else 'failed'
    return [
        ('asset_report', report),
        ('jobspec', post(f'/client/{here}/jobspec', status(event, word))),
        ('finished', post(f'/client/{here}/finished', {'job': event['job']})),
    ]


def deliver(server: Server, path: str, due: dict[str, Any]) -> None:
    """What is left of one event; what has arrived is not said again. Raises Untrusted, Refused."""
    for name, do in steps(server, due['event']):
        if name in due['done']:
            continue
        do()
        due['done'].append(name)
        write(path, due)


def read_due(path: str) -> tuple[dict[str, Any], str]:
    """A file of the queue, and whose it is. Raises Untrusted: it is damaged; OSError."""
    with open(path, 'rb') as f:
        text = f.read()
    try:
        due = json.loads(text)
        event, done = checked(due['event']), due['done']
        who = client(event)
    except (ValueError, RecursionError, KeyError, TypeError, Untrusted) as e:
        raise Untrusted(f'damaged: {e!r}') from e
    if event['event'] == 'pre-erase' or not isinstance(done, list):
        raise Untrusted('damaged: not an event that is kept')
    return due, who


def refuse(queue: str, name: str) -> None:
    """Puts an event aside for good. Raises OSError."""
    os.makedirs(os.path.join(queue, 'refused'), exist_ok=True)
    os.replace(os.path.join(queue, name), os.path.join(queue, 'refused', name))


def send_one(server: Server, name: str, waiting: set[str]) -> str:
    """An event of the queue; why it is still there, in words, or empty. It waits for those before
    it of the same disk."""
    queue = server.settings.queue
    path = os.path.join(queue, name)
    try:
        due, who = read_due(path)
    except Untrusted as e:
        refuse(queue, name)
        return f'kept in refused/{name}: {e}'
    except OSError as e:
        return f'{name} cannot be read: {e}; tried again'
    if who in waiting:
        return ''
    try:
        deliver(server, path, due)
        os.unlink(path)
    except Refused as e:
        refuse(queue, name)
        return f'{who}: refused for good, kept in refused/{name}: {e}'
    except Untrusted as e:
        waiting.add(who)
        return f'{who}: {e}; tried again'
    return ''


def send(server: Server) -> list[str]:
    """Says all that is due; what could not be said, in words."""
    queue = server.settings.queue
    os.makedirs(queue, mode=0o700, exist_ok=True)
    with open(os.path.join(queue, 'lock'), 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting: set[str] = set()
        names = [name for _, name in numbered(queue)]
        server.book = None  # read after the events, which come after their records
        said = [send_one(server, name, waiting) for name in names]
    return [one for one in said if one]


# --- the program ---------------------------------------------------------------------------------


def hook(server: Server, text: bytes) -> int:
    """One event. 0; 1: the disk is not to be erased, or the event is not kept."""
    event = read_event(text)
    if event['event'] == 'pre-erase':
        if not server.settings.approve:
            return 0
        why = ask(server, event)
        if why:
            print(f'diskwipe-asset: {line(event["serial"])}: {line(why)}', file=sys.stderr)
        return 1 if why else 0
    client(event)
    keep(server.settings, event)
    return 0


def main(words: list[str], config: str = CONFIG) -> int:
    """0; 1: a disk is not to be erased, or something is still to be said; 2: nothing was done."""
    try:
        if words not in ([], ['send']):
            raise Untrusted('as a hook it has no arguments; "send" says what is due')
        server = Server(Settings(config))
        if not words:
            return hook(server, sys.stdin.buffer.read(EVENT))
        said = send(server)
    except (Untrusted, Refused, OSError, ValueError, KeyError) as e:
        print(f'diskwipe-asset: {line(str(e))}', file=sys.stderr)
        return 1 if not words else 2
    for one in said:
        print(f'diskwipe-asset: {line(one)}', file=sys.stderr)
    return 1 if said else 0
