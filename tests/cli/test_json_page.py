#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe-json(5) describes every key that the program can print and no other, with its type, and
says whether it may be null or absent and which words it may be. What there is comes from the tables
of the source and from documents that its functions make (json_keys.c)."""
import json
import os
import re
import subprocess
import unittest
from collections import defaultdict

from cli import disk
import station

PAGE, INSPECT = 'man/diskwipe-json.5', 'src/device/inspect.c'
COMMON, EVENT, ABILITIES = 'Keys of all documents', 'Keys of all events', 'Abilities'

# Which title describes what is at a place of another.
ELSEWHERE = {
    ('RESULT', 'job'): 'The job', ('RESULT', 'disks[]'): 'A disk',
    ('RESULT', 'refused[]'): 'A refused node', ('The job', 'forecast'): 'The forecast of a job',
    ('A disk', 'forecast'): 'The forecast of a disk',
    ('The job begins', 'job'): 'The job',
    ('FORMAT', 'refused[]'): 'A refused node',
    ('LIST', 'disks[]'): 'A disk of the list', ('INSPECTION', 'refused[]'): 'A refused node',
    ('PLAN', 'job'): 'The options of a job', ('PLAN', 'disks[]'): 'A disk of a plan',
    ('PLAN', 'forecast.disks[]'): 'The forecast of a disk',
    ('FORECAST', 'forecast.disks[]'): 'The forecast of a disk',
    ('STATE FILE', 'job'): 'The options of a job',
    ('STATE FILE', 'disks[].identity'): 'A disk of a plan',
    ('STATE FILE', 'disks[].result'): 'A disk',
    ('STATUS', 'jobs[]'): 'A job of the status', ('STATUS', 'disks[]'): 'A disk of the status',
    ('LIST OF RECORDS', 'records[]'): 'A record',
    ('MODEL', 'inputs'): None, ('MODEL', 'outputs'): None,
    ('INSPECTION', 'disks[].abilities'): None,
}
# What has the keys of a title beside its own.
ALSO = {('PLAN', 'forecast.'): 'The forecast of a job',
        ('FORECAST', 'forecast.'): 'The forecast of a job',
        ('INSPECTION', 'disks[].'): 'A disk of the list'}
# Rows of tables that are not always there.
NOT_ALWAYS = [(EVENT, 'disk'), (EVENT, 'device'), (EVENT, 'serial'),
              ('Progress of a disk', 'eta_seconds'),
              ('Remaining time of a job', 'remaining_seconds'),
              ('Remaining time of a job', 'expected_end'), ('MEASUREMENT', 'series[].within')]


class Key:
    def __init__(self):
        self.types, self.seen, self.optional, self.words = set(), 0, False, None


def type_of(value):
    return {dict: 'object', list: 'array', str: 'string', bool: 'boolean', int: 'integer',
            float: 'number', type(None): 'null'}[type(value)]


class Truth:
    """All keys by title and path: those of tables, and those of documents."""

    def __init__(self):
        self.keys = defaultdict(lambda: defaultdict(Key))
        self.tables, self.objects = set(), defaultdict(int)

    def row(self, title, path, kind, flags, words):
        key = self.keys[title][path]
        key.types |= {kind} | ({'null'} if flags == 'null' else set())
        key.optional = flags == 'optional'
        key.words = {w for w in words.split(',') if w} or None
        self.tables.add(title)

    def document(self, title, doc):
        self.walk(title, doc, '')

    def place(self, title, path):
        """(title, path) that describes it."""
        for (of, start), other in ALSO.items():
            rest = path[len(start):]
            if of == title and path.startswith(start) and rest in self.keys[other]:
                return other, rest
        if path.split('.')[0] in ('schema', 'tool') and title != 'The run of a trace':
            return COMMON, path
        return title, path

    def walk(self, title, value, path):
        title, path = (ELSEWHERE[title, path], '') if (title, path) in ELSEWHERE else (title, path)
        if title is None:
            return
        for item in value if isinstance(value, list) else ():
            self.walk(title, item, path + '[]')
        self.objects[title, path] += isinstance(value, dict)
        for name, inner in value.items() if isinstance(value, dict) else ():
            at = f'{path}.{name}' if path else name
            where, there = self.place(title, at)
            key = self.keys[where][there]
            if where in self.tables and not key.types:
                raise AssertionError(f'{where}: {there} is in a document and in no table')
            if where not in self.tables:
                key.types.add(type_of(inner))
                key.seen += 1
            self.walk(title, inner, at)

    def settle(self):
        for title, keys in self.keys.items():
            for path, key in keys.items():
                if title not in self.tables and title != COMMON:
                    key.optional = key.seen < self.objects[title, path.rpartition('.')[0]]


def ground_truth(scratch):
    truth = Truth()
    text = subprocess.run([os.environ['JSON_KEYS'], scratch], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    for line in text.splitlines():
        what, rest = line.split(' ', 1)
        if what == 'row':
            truth.row(*rest.split('|'))
        elif what == 'words':
            title, path, words = rest.split('|')
            truth.keys[title][path].words = {w for w in words.split(',') if w}
        else:
            title, doc = rest.split('|', 1)
            truth.document(title, json.loads(doc))
    for title, path in NOT_ALWAYS:
        truth.keys[title][path].optional = True
    return truth


def read(path):
    with open(os.path.join(os.environ['SOURCE'], path), encoding='utf-8') as f:
        return f.read()


def page():
    """{title: {path: text}}"""
    told = defaultdict(dict)
    for part in re.split(r'^\.S[hs] ', read(PAGE), flags=re.M)[1:]:
        title, text = part.split('\n', 1)
        for item in re.split(r'^\.It Va ', text, flags=re.M)[1:]:
            path, text = item.split('\n', 1)
            if path in told[title]:
                raise AssertionError(f'{title}: {path} is described twice')
            told[title][path] = re.split(r'^\.(?:It|El)\b', text, flags=re.M)[0]
    return told


class Page(station.StationCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.told = page()

    def setUp(self):
        super().setUp()
        self.truth = ground_truth(self.path('scratch'))

    def run_all(self):
        """Documents that the program prints, by title."""
        self.machine(disk(0, outcome='erased-with-exceptions', bad=2, signatures='gpt'),
                     disk(1, refusal='swap', reason='used as swap'), disk(2, serial=''))
        two = ['--yes', '--expect-count=2', '/fake/sg0', '/fake/sg1', '/fake/sg2']
        yield 'RESULT', self.run_json(*two, code=3)
        yield 'RESULT', self.run_json('-n', '/fake/sg0')
        yield 'RESULT', self.run_json('--bogus', code=1)
        yield 'RESULT', self.run_json('topology', '/fake/sg0', code=1)
        yield 'RESULT', self.run_json('/fake/sg0', code=2)
        yield 'LIST', self.run_json('list')
        yield 'FINDINGS', json.loads(self.run_cli(
            'doctor', '--json', code=1, DISKWIPE_FAKE_FINDING='clock').stdout)
        yield 'INSPECTION', self.run_json('inspect', '/fake/sg0', '/fake/sg9', code=2)
        yield 'PLAN', self.run_json('plan', '/fake/sg0')
        yield 'MODEL', self.run_json('model', 'zone', 'bytes=4TB', 'outer=250e6',
                                     'inner=100e6')
        titles = {'job': 'The job begins', 'result': 'RESULT',
                  'exception': 'Extent of an exception', 'disk-done': 'The end of a disk',
                  'job-done': 'The end of the job'}
        for line in self.run_cli('--json-lines', *two, code=3).stdout.splitlines():
            event = json.loads(line)
            title = titles.get(event['event'], 'Progress of a disk')
            if title not in ('The job begins', 'RESULT'):
                event = {k: v for k, v in event.items()
                         if k in self.truth.keys[title] or k not in self.truth.keys[EVENT]}
            yield title, event

    def documents_of_service(self):
        """Each key that may be null once with a value and once without."""
        now = station.NOW
        times = {'StartTime': now, 'ExpectedStartTime': now, 'ExpectedEndTime': now}
        self.serve(station.disk(0, Temperature=-274), station.disk(1, Job=1, **times),
                   station.job(1, Objects='1', EndTime=now, **times), station.job(2, SubmitTime=0),
                   station.words('record', started=now, ended=now, max_temperature=40),
                   station.words('record', serial='x'))
        yield 'STATUS', self.run_json('status')
        yield 'LIST OF RECORDS', self.run_json('records')

    def settled(self):
        for title, doc in (*self.run_all(), *self.documents_of_service()):
            self.truth.document(title, doc)
        self.truth.settle()
        return self.truth.keys

    def test_keys(self):
        """Every key is described, and every one that is described exists."""
        keys = self.settled()
        wrong = []
        for title in sorted(set(keys) | set(self.told) - {ABILITIES}):
            there, told = set(keys.get(title, ())), set(self.told.get(title, ()))
            wrong += [f'{title}: {k} is not described' for k in sorted(there - told)]
            wrong += [f'{title}: there is no {k}' for k in sorted(told - there)]
        self.assertEqual(wrong, [])
        self.assertGreater(sum(map(len, keys.values())), 300)

    def test_types(self):
        """The description begins with the type, "String or null", and says if it may be absent."""
        wrong = []
        for title, keys in self.settled().items():
            for path, key in keys.items():
                text = self.told.get(title, {}).get(path, '')
                first = re.match(r'(\w+)( or null)?', text) or ('', '')
                kind = key.types - {'null'}
                if kind != {first[1].lower()}:
                    wrong.append(f'{title}: {path} is {kind}')
                if ('null' in key.types) != bool(first[2]):
                    wrong.append(f'{title}: {path}: null or not?')
                if key.optional != bool(re.search(r'^Absent\b', text, re.M)):
                    wrong.append(f'{title}: {path}: absent or not?')
        self.assertEqual(wrong, [])

    def test_words(self):
        """All words of a key are listed, and no other."""
        wrong = []
        for title, keys in self.settled().items():
            for path, key in keys.items():
                lines = re.findall(r'^\.Li (.*)', self.told.get(title, {}).get(path, ''), re.M)
                words = {w for line in lines for w in line.split() if w not in ',.;:)'}
                if key.words and words != key.words:
                    wrong.append(f'{title}: {path}: {sorted(words ^ key.words)}')
        self.assertEqual(wrong, [])

    def test_abilities(self):
        there = re.findall(r'\b(?:line|number_line|yes_no)\(in,[^,]*,\s*"([a-z0-9-]+)"',
                           read(INSPECT))
        self.assertGreater(len(there), 30)
        self.assertEqual(sorted(set(there)), sorted(self.told[ABILITIES]))

    def test_references(self):
        """What the page refers to is a title of it."""
        text = read(PAGE)
        titles = set(re.findall(r'^\.S[hs] (.*)', text, re.M))
        named = {re.sub(r' [.,;:)]$', '', n) for n in re.findall(r'^\.Sx (.*)', text, re.M)}
        self.assertEqual(named - titles, set())


if __name__ == '__main__':
    unittest.main()
