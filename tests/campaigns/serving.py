# SPDX-License-Identifier: GPL-2.0-or-later
"""What campaigns against the service share: jobs that are drawn, and a look at its record and at
the media afterwards, with programs that are not the service's."""
import json
import os
import random
import sqlite3

MIB = 1 << 20
METHODS = {'zero': (1, 0), 'one': (1, 0xff), 'random': (1, None), 'dod-short': (3, None)}
FILL = 0x5a


class Wrong(Exception):
    """What must not be."""


def draw_disks(r, first, count, size, rate, more=''):
    """Lines of the enclosure; a second of work for each RATE bytes."""
    lines = []
    for i in range(first, first + count):
        own = round(rate * r.uniform(0.7, 1.3))
        cache, wce = r.choice((256 << 10, MIB, 4 * MIB)), r.choice((0, 1, 1))
        lines.append(f'disk {i} size={size} fill={FILL:#x} rate={own} cache={cache} wce={wce} '
                     f'{more}')
    return lines


def draw_options(r):
    options = {'method': r.choice(('zero', 'zero', 'one', 'random', 'random', 'dod-short')),
               'verify': r.choice(('full', 'full', 'sample', 'off')),
               'strategy': r.choice(('parallel', 'parallel', 'round-robin', 'longest-first')),
               'command': r.choice(('write', 'write', 'auto')),
               'flush_bytes': str(r.choice((256 << 10, 512 << 10, MIB))),
               'flush_seconds': r.choice(('1', '60'))}
    if r.random() < 0.7:
        options.update(controller='fixed', fixed_blocks=str(r.choice((32, 128, 256))), depth='4')
    return options


def draw_jobs(r, count):
    """Lists of disks (numbers from 0 on) and their options; no disk twice."""
    order = list(range(count))
    r.shuffle(order)
    jobs = []
    while order:
        n = r.randint(1, max(1, count // 2))
        jobs.append({'disks': order[:n], 'options': draw_options(r)})
        order = order[n:]
    return jobs


def rng(name, seed):
    return random.Random(f'{name} {seed}')


def job_id(path):
    return path.rsplit('/j', 1)[1].replace('_', '-')


def holds(path, blocks, byte):
    """What is wrong with the medium; byte None: random, so that no block is of one byte."""
    with open(path, 'rb') as f:
        data = f.read(blocks * 512).ljust(blocks * 512, b'\0')
    if byte is not None:
        return '' if data == bytes([byte]) * len(data) else f'not only {byte:02x}'
    for i in range(0, len(data), 512):
        if data.count(data[i:i + 1], i, i + 512) == 512:
            return f'block {i // 512} is of one byte, {data[i]:02x}'
    return ''


class Record:
    """The store of a service that has ended."""

    def __init__(self, folder):
        path = f'{folder}/station.db'
        if not os.path.exists(path):
            raise Wrong('the record is gone')
        self.folder = folder
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row
        try:
            whole = self.rows('pragma integrity_check')[0][0]
        except sqlite3.DatabaseError as e:
            raise Wrong(f'the record: {e}') from None
        if whole != 'ok':
            raise Wrong(f'the record is damaged: {whole}')

    def rows(self, query, *args):
        return self.db.execute(query, args).fetchall()

    def attempts(self, job):
        return self.rows('select attempt.*, disk.serial from attempt join disk on'
                         ' disk.id = attempt.disk where job = ?', job)

    def has_acknowledged(self, acks, told):
        """Each submission, request and outcome that somebody was told."""
        for a in acks:
            rows = self.rows('select * from job where id = ?', job_id(a['job']))
            if not rows:
                raise Wrong(f'LOST: {a}')
            if a['what'] == 'submit':
                have = {r['serial'] for r in self.attempts(job_id(a['job']))}
                if have != set(a['serials']):
                    raise Wrong(f'LOST disks of {a}: {have}')
            audit = self.rows('select * from audit where job = ? and what = ?', job_id(a['job']),
                              a['what'])
            want = len(a['serials']) if a['what'] == 'submit' else 1
            if len(audit) < want or any(r['uid'] != 0 or not r['at'] or not r['comm']
                                        for r in audit):
                raise Wrong(f'the audit of {a}: {[tuple(r) for r in audit]}')
        for t in told:
            if t['job'] == '/':
                continue
            if t['outcome'] not in [r['outcome'] for r in self.attempts(job_id(t['job']))
                                    if r['serial'] == t['serial']]:
                raise Wrong(f'TOLD and not on record: {t}')

    def is_complete(self):
        """Each attempt has ended once, each job, and nothing is left of how they went."""
        bad = [tuple(r) for r in self.rows('select job, disk, outcome, ended from attempt where'
                                           " outcome = '' or ended = 0")]
        bad += [tuple(r) for r in self.rows('select id from job where ended = 0')]
        if bad:
            raise Wrong(f'not ended: {bad}')
        twice = self.rows("select job, disk, count(*) from attempt where outcome <> 'removed'"
                          ' group by job, disk having count(*) > 1')
        if twice:
            raise Wrong(f'two ends of one disk: {[tuple(r) for r in twice]}')
        submitted = self.rows("select count(*) from audit where what = 'submit'")[0][0]
        if submitted != self.rows('select count(*) from attempt')[0][0]:
            raise Wrong(f'{submitted} disks in the audit of submissions')
        left = [f for f in os.listdir(self.folder) if f.endswith(('.state', '.key', '.tmp'))]
        if left:
            raise Wrong(f'left behind: {left}')

    def outcomes(self):
        """Of each disk: its last outcome, and the options of its job."""
        found = {}
        for r in self.rows('select disk.serial, outcome, options from attempt join disk on'
                           ' disk.id = attempt.disk join job on job.id = attempt.job'
                           ' order by attempt.id'):
            options = dict(line.split('=', 1) for line in r['options'].splitlines())
            found[r['serial']] = (r['outcome'], options)
        return found


def judge_media(record, media, wanted):
    """No false "erased"; what nobody has cancelled is erased. Returns outcomes."""
    with open(f'{media}/stats.json', encoding='utf-8') as f:
        disks = {d['serial']: d for d in json.load(f)['disks']}
    counts = {}
    for serial, (outcome, options) in record.outcomes().items():
        d = disks[serial]
        counts[outcome] = counts.get(outcome, 0) + 1
        if outcome == 'erased':
            wrong = holds(f'{media}/disk-{d["lu"]:02d}.img', d['blocks'],
                          METHODS[options['method']][1])
            if wrong:
                raise Wrong(f'FALSE ERASED: {serial}, {options}: {wrong}')
        elif not (outcome == 'stopped' and serial in wanted):
            raise Wrong(f'{serial} is {outcome}: {options}')
    return counts, disks
