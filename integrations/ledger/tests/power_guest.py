# SPDX-License-Identifier: GPL-2.0-or-later
"""What test_power.py does in the guest, once for each time it is switched on: "power_guest.py go"
or "last". The server's folder is on a disk that loses its cache, and the station's on another one.
What was seen is on the standard output, a line each."""
import json
import os
import re
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import fleet  # noqa: E402
import postgres  # noqa: E402

# An owner who asks for less than a durable commit; nothing is flushed by luck either.
OPTIONS = ('synchronous_commit=off', 'wal_writer_delay=10s', 'checkpoint_timeout=1h',
           'autovacuum=off', 'shared_buffers=16MB')


def say(kind, **what):
    print(json.dumps({'kind': kind, **what}), flush=True)


def mount(serial, at):
    """The file system on the disk that is called so."""
    os.makedirs(at, exist_ok=True)
    for name in os.listdir('/sys/class/block'):
        page = f'/sys/class/block/{name}/device/vpd_pg80'
        if os.path.exists(page):
            with open(page, 'rb') as f:
                if serial.encode() in f.read():
                    return subprocess.run(['mount', '-t', 'ext4', f'/dev/{name}', at],
                                          check=False).returncode == 0
    return False


def sent(s):
    """So many records count as sent."""
    try:
        return int(re.search('^sequence ([0-9]+)$', s.state(), re.M)[1])
    except FileNotFoundError:
        return 0


def look(db, s):
    """What the database has of each place, beside the station's files; wrong ones are told."""
    rows = db.sql("SELECT sequence, encode(text, 'hex'), encode(signature::bytea, 'hex') "
                  'FROM diskwipe.record ORDER BY sequence')
    places = [int(r[0]) for r in rows]
    if places != list(range(1, len(places) + 1)):
        say('wrong', what=f'places {places}')
    for n, text, sig in rows:
        name = f'record-{int(n):08}.json'
        try:
            if (bytes.fromhex(text), bytes.fromhex(sig)) != (s.file(name), s.file(name + '.sig')):
                say('wrong', what=f'{name} is another')
        except FileNotFoundError:
            say('wrong', what=f'{name} was sent, and its station has lost it')
    return len(places)


class Work:
    """A station that erases disks, and sends records of them all the while."""

    def __init__(self, s):
        self.s = s
        threading.Thread(target=self.grow, daemon=True).start()
        threading.Thread(target=self.send, daemon=True).start()

    def grow(self):
        # A record without a signature, as a cut leaves it, counts here, and the next one takes its
        # place: one of the same attempt and number would be there, and nothing would be added.
        while True:
            self.s.grow(self.s.count() + 1, time.time_ns() % (1 << 32))

    def send(self):
        while True:
            subprocess.run(self.s.argv('--once'), stderr=subprocess.DEVNULL, check=False)

    def watch(self):
        """Each record that counts as sent from now on, as soon as that can be seen."""
        had = sent(self.s)
        while True:
            now = sent(self.s)
            if now > had:
                say('sent', last=now)
                had = now
            time.sleep(0.002)


def finish(db, s):
    """All has arrived, once, and the checker finds the chain whole."""
    s.grow(s.count() + 1)
    s.send()
    if look(db, s) != s.count() or sent(s) != s.count():
        say('wrong', what=f'{s.count()} records, {sent(s)} sent, {look(db, s)} there')
    for view in ('fork', 'gap', 'went_back'):
        if db.sql(f'SELECT count(*) FROM diskwipe.{view}') != [['0']]:
            say('wrong', what=view)
    with open(f'{s.dir}/signers', 'w', encoding='utf-8') as f:
        f.write(s.line)
    run = subprocess.run([fleet.LEDGER, 'verify', f'--signers={s.dir}/signers',
                          db.uri('checker')], capture_output=True, text=True, check=False)
    if run.returncode or f'1 chains with {s.count()} records are whole' not in run.stdout:
        say('wrong', what=run.stdout + run.stderr)
    local = subprocess.run([fleet.DISKWIPE, 'records', 'verify', f'--signers={s.dir}/signers',
                            s.ledger], capture_output=True, text=True, check=False)
    if local.returncode:
        say('wrong', what=local.stdout + local.stderr)
    say('end', records=s.count())


def main():
    for name in ('server', 'station'):
        if not mount(name.upper(), f'/run/{name}'):
            say('wrong', what=f'the disk of the {name} cannot be mounted')
            return
    say('starting')
    db = postgres.Postgres('/run/server/pg', OPTIONS)
    s = fleet.Station('/run/station', 'anna', 0)
    s.configure(f'[target fleet]\nurl={db.uri("station")}\n')
    say('there', records=look(db, s), sent=sent(s))
    if sys.argv[1] == 'last':
        finish(db, s)
        db.stop()
        return
    Work(s).watch()


if __name__ == '__main__':
    main()
