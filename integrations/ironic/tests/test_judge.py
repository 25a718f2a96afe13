# SPDX-License-Identifier: GPL-2.0-or-later
"""What diskwipe says is believed only if all of it agrees. No agent is needed here."""

import copy
import json
import os
import shutil
import sys
import tempfile
import time
import types
import unittest
from datetime import datetime, timedelta, timezone
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(HERE, '../../common/testing')]

import support  # noqa: E402

from diskwipe_ironic import erase, job, judge, ledger, program, records  # noqa: E402
from diskwipe_ironic.judge import Asked, Disk  # noqa: E402
from diskwipe_ironic.program import Ended, Untrusted  # noqa: E402

STATUSES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 77, 124, 126, 127, 129, 130, 132, 137, 143, 255)
OUTCOMES = ('erased', 'erased-with-exceptions', 'failed', 'stopped', 'removed', 'pending',
            'as-expected', 'not-as-expected', 'planned', 'Erased', '', None, True, [])  # fmt: skip


def wanted(rows):
    return [Disk(r['serial'], r['wwn'], r['capacity_bytes']) for r in rows]


HEAD = {'id': 'x', 'started': '2026-11-30T12:00:00+00:00'}


def result(rows, **change):
    words = [r['outcome'] for r in rows if r['outcome'] != 'erased']
    made = {
        'schema': 1,
        'tool': {'name': 'diskwipe', 'version': '0'},
        'job': {**HEAD, 'outcome': words[0] if words else 'erased'},
        'disks': copy.deepcopy(rows),
        'refused': [],
    }
    made.update(change)
    return made


def erased_by(status, made, rows, asked=None):
    """Whether all disks are erased, by the answer."""
    text = made if isinstance(made, bytes) else json.dumps(made).encode()
    try:
        done = judge.job(Ended(status, text, ''), wanted(rows), asked or Asked())
    except Untrusted:
        return False
    assert list(done) and set(done) == set(wanted(rows))
    return all(o.erased for o in done.values())


class Judged(unittest.TestCase):
    def setUp(self):
        self.rows = [support.disk(n, method='zero') for n in range(3)]

    def test_every_status_and_outcome(self):
        """Of all pairs one is an erasure."""
        good = []
        for status in STATUSES:
            for outcome in OUTCOMES:
                for head in OUTCOMES:
                    rows = copy.deepcopy(self.rows)
                    rows[1]['outcome'] = outcome
                    made = result(rows, job={**HEAD, 'outcome': head})
                    if erased_by(status, made, self.rows):
                        good.append((status, outcome, head))
        self.assertEqual([(0, 'erased', 'erased')], good)

    def test_some_failed(self):
        """The disks that did not fail are known to be erased, those that did not."""
        rows = copy.deepcopy(self.rows)
        rows[1].update(outcome='failed', reason='medium error')
        ended = Ended(3, json.dumps(result(rows)).encode(), '')
        done = judge.job(ended, wanted(rows), Asked())
        self.assertEqual([True, False, True], [o.erased for o in done.values()])
        self.assertIn('medium error', list(done.values())[1].reason)

    def test_members(self):
        """Each of these makes an answer that was good one that is not."""
        for member, value in (
            ('exceptions', [{'lba': 1}]), ('exceptions', None), ('level', None), ('level', 'none'),
            ('verify', None), ('verify', {'done': 'part', 'mismatches': 0}),
            ('verify', {'done': 'full', 'mismatches': 1}), ('verify', {'done': 'full'}),
            ('serial', 'OTHER'), ('serial', None), ('serial', 7), ('wwn', '0x5'),
            ('capacity_bytes', 512), ('capacity_bytes', '1073741824'), ('capacity_bytes', True),
        ):  # fmt: skip
            rows = copy.deepcopy(self.rows)
            rows[2][member] = value
            self.assertFalse(erased_by(0, result(rows), self.rows), f'{member}={value}')
        for change in (
            {'schema': 2}, {'schema': True}, {'schema': '1'}, {'tool': None},
            {'tool': {'name': 'shred'}}, {'refused': [{'device': '/dev/x'}]}, {'refused': None},
            {'error': 'state'}, {'job': {**HEAD, 'outcome': 'erased', 'simulation': 'exact'}},
            {'disks': []}, {'disks': {}}, {'disks': [None] * 3}, {'job': None},
        ):  # fmt: skip
            self.assertFalse(erased_by(0, result(self.rows, **change), self.rows), str(change))
        self.assertTrue(erased_by(0, result(self.rows), self.rows))

    def test_texts(self):
        good = json.dumps(result(self.rows)).encode()
        self.assertTrue(erased_by(0, good, self.rows))
        for n in range(len(good)):
            self.assertFalse(erased_by(0, good[:n], self.rows), n)
        for bad in (good + b'x', good + good, b'\xff' + good, b'[' * 100000, b'null', b'1',
                    good.replace(b'"seconds": 1.5', b'"seconds": NaN'),
                    good.replace(b'"level"', b'"outcome": "failed", "level"')):  # fmt: skip
            self.assertFalse(erased_by(0, bad, self.rows), bad[:40])

    def test_disks(self):
        rows = self.rows
        self.assertFalse(erased_by(0, result(rows[:2]), rows))
        self.assertFalse(erased_by(0, result([*rows, support.disk(5)]), rows))
        self.assertFalse(erased_by(0, result([*rows, rows[0]]), rows))
        self.assertFalse(erased_by(0, result([rows[0], rows[1], rows[1]]), rows))

    def test_asked(self):
        """What was asked for has to be reached: level, method, verification."""
        rows = self.rows
        self.assertFalse(erased_by(0, result(rows), rows, Asked('purge')))
        self.assertTrue(erased_by(0, result(rows), rows, Asked('purge', or_clear=True)))
        self.assertFalse(erased_by(0, result(rows), rows, Asked(method='random')))
        self.assertTrue(erased_by(0, result(rows), rows, Asked(method='auto')))
        passes = [{'pattern': '00'}, {'pattern': 'ff'}]
        for change, good in (
            ({}, True), ({'method': 'zero'}, False), ({'passes': passes[:1]}, False),
            ({'passes': passes[::-1]}, False), ({'passes': None}, False), ({'passes': [1]}, False),
        ):  # fmt: skip
            its = [{**row, 'method': 'custom', 'passes': passes} for row in rows]
            its[1].update(change)
            self.assertEqual(good, erased_by(0, result(its), rows, Asked(pattern='00,ff')), change)

    def test_verified(self):
        """What was read is what was asked for, or more."""
        device = {'mode': 'device', 'done': 'sample', 'device_compared': 1 << 21}
        refused = {'mode': 'device', 'done': 'sample', 'device_refused': 'it compares nothing'}
        for told, good in (
            ({'mode': 'full', 'done': 'full'}, 'full device auto sample:5% off'),
            ({'mode': 'sample:5%', 'done': 'sample'}, 'sample:5% sample:1% sample:5.0% off'),
            ({'mode': 'sample:1%', 'done': 'full'}, 'full device auto sample:5% off'),
            ({'mode': 'sample:1.2.3%', 'done': 'sample'}, 'off'),
            (device, 'device auto sample:1% off'),
            (refused, 'off'),
            ({**device, 'device_compared': 0}, 'off'),
            ({**device, 'device_compared': True}, 'off'),
            ({**device, 'done': 'none'}, 'off'),
            ({'mode': 'off', 'done': 'none'}, 'off'),
            ({'mode': 'sample:1%', 'done': 'part'}, ''),
        ):
            rows = copy.deepcopy(self.rows)
            rows[0]['verify'] = {**told, 'mismatches': 0}
            for asked in ('full', 'device', 'auto', 'sample:5%', 'sample:1%', 'sample:5.0%', 'off'):
                with self.subTest(told=told, asked=asked):
                    well = erased_by(0, result(rows), rows, Asked(verify=asked))
                    self.assertEqual(told['done'] == 'full' or asked in good.split(), well)

    def test_plan(self):
        made = {'schema': 1, 'tool': {'name': 'diskwipe'}, 'disks': self.rows,
                'job': {'method': 'zero', 'pattern': ''}}  # fmt: skip
        for change, asked, good in (
            ({}, Asked(), True), ({}, Asked('clear'), True), ({}, Asked('purge'), False),
            ({}, Asked(method='random'), False), ({'disks': self.rows[:2]}, Asked(), False),
            ({'disks': [*self.rows, support.disk(4)]}, Asked(), False),
            ({'job': {'method': 'zero', 'pattern': '00'}}, Asked(), False),
            ({'job': {'method': 'zero', 'pattern': '00,ff'}}, Asked(pattern='00,ff'), True),
            ({'job': {'method': 'zero', 'pattern': '00'}}, Asked(pattern='00,ff'), False),
            ({'job': {'method': 'zero', 'pattern': ''}}, Asked(pattern='00,ff'), False),
            ({'job': {'method': 'auto', 'pattern': '', 'level': 'purge', 'or_clear': True}},
             Asked('purge'), False),
        ):  # fmt: skip
            text = json.dumps({**made, **change}).encode()
            with self.subTest(change=change, asked=asked):
                if good:
                    self.assertEqual(64, len(judge.plan(text, wanted(self.rows), asked)))
                else:
                    self.assertRaises(Untrusted, judge.plan, text, wanted(self.rows), asked)


def node(n, **more):
    row = support.disk(n)
    made = {'name': support.name(n), 'size': row['capacity_bytes'], 'serial': row['serial'],
            'wwn': row['wwn'], 'wwn_with_extension': None}  # fmt: skip
    made.update(more)
    return types.SimpleNamespace(**made)


class Run(unittest.TestCase):
    """The same by a program that lies."""

    def setUp(self):
        support.begin(self)

    def job(self, timeout=30.0, **what):
        """Whether all disks are erased by a fake that does `what`."""
        self.fake.say(what.pop('disks', self.disks), **what)
        made = job.Job(erase.find([node(n) for n in range(3)], []), Asked(), self.folder)
        done = made.run(records.ledger('none', ''), timeout)
        return all(o.erased for o in done.values())

    def test_good(self):
        self.assertTrue(self.job())
        call = self.fake.calls('erase')[0]
        self.assertIn('--expect-count=3', call)
        self.assertFalse([w for w in call if w.startswith('/')], 'a node is named to erase')

    def test_ways(self):
        for way in ('missing', 'extra', 'twice', 'other-serial', 'other-capacity', 'truncated',
                    'key-twice', 'empty', 'noise', 'binary', 'signal-9', 'signal-11',
                    'signal-15'):  # fmt: skip
            with self.subTest(way=way):
                self.assertRaises(Untrusted, self.job, way=way)

    def test_erased_and_status(self):
        for status in (1, 3, 255):
            with self.subTest(status=status):
                self.assertRaises(Untrusted, self.job, status=status)

    def test_plan_is_changed(self):
        """Before the job: nothing is erased. While it runs: what it has done is not known."""
        book = records.ledger('none', '')
        made = job.Job(erase.find([node(n) for n in range(3)], []), Asked(), self.folder)
        own = program.run

        def run(*args):
            ended = own(*args)
            with open(made.file, 'a', encoding='utf-8') as f:
                f.write(' ')
            return ended

        with mock.patch.object(program, 'run', run):
            self.assertRaisesRegex(Untrusted, 'plan was changed', made.run, book, 30.0)
        self.assertEqual(1, len(self.fake.calls('erase')))
        self.assertRaisesRegex(Untrusted, 'plan was changed', made.run, book, 30.0)
        self.assertEqual(1, len(self.fake.calls('erase')))

    def test_plan_is_removed(self):
        """As old files of /tmp are, while a job runs for weeks; before it that ends the step."""
        book = records.ledger('none', '')
        made = job.Job(erase.find([node(n) for n in range(3)], []), Asked(), self.folder)
        own = program.run

        def run(*args):
            ended = own(*args)
            os.remove(made.file)
            return ended

        with mock.patch.object(program, 'run', run):
            self.assertEqual(3, len(made.run(book, 30.0)))
        self.assertRaisesRegex(Untrusted, 'plan cannot be read', made.run, book, 30.0)
        self.assertEqual(1, len(self.fake.calls('erase')))

    def test_earlier(self):
        """An answer of a job before this one, of which there are no records; a clock may be put
        back a little."""
        now = datetime.now(timezone.utc)
        for ago, good in ((-60, True), (0, True), (300, True), (3600, False), (86400, False)):
            started = (now - timedelta(seconds=ago)).isoformat(timespec='seconds')
            with self.subTest(ago=ago):
                if good:
                    self.assertTrue(self.job(started=started))
                else:
                    self.assertRaisesRegex(Untrusted, 'earlier job', self.job, started=started)
        for started in ('yesterday', 5, '2026-11-30T12:00:00', '9999-13-01T00:00:00+00:00'):
            with self.subTest(started=started):
                self.assertRaisesRegex(Untrusted, 'when the job', self.job, started=started)

    def test_hang(self):
        begun = time.monotonic()
        with (
            mock.patch.object(program, 'GRACE', 0.5),
            mock.patch.object(program.run, '__defaults__', (0.5,)),
        ):
            self.assertRaises(Untrusted, self.job, timeout=1.0, way='hang')
        self.assertLess(time.monotonic() - begun, 300)  # it hangs for twice as long

    def test_huge(self):
        with mock.patch.object(program, 'MAX_OUTPUT', 1 << 20):
            self.assertRaises(Untrusted, self.job, way='huge')

    def test_plan_too_long(self):
        """A plan is not believed by its first part."""
        write = job.Job.__init__

        def padded(made, found, asked, folder):
            write(made, found, asked, folder)
            with open(made.file, 'ab') as f:
                f.write(b' ' * program.MAX_OUTPUT)

        with (
            mock.patch.object(program, 'MAX_OUTPUT', 1 << 20),
            mock.patch.object(job.Job, '__init__', padded),
            self.assertRaisesRegex(Untrusted, 'the plan has more than 1 MiB'),
        ):
            self.job()
        self.assertEqual([], self.fake.calls('erase'))

    def test_absent(self):
        os.remove(os.path.join(self.fake.folder, 'diskwipe'))
        with mock.patch.dict(os.environ, PATH=self.fake.folder):
            self.assertRaises(Untrusted, self.job)

    def test_left_out_of_plan(self):
        """A disk that is refused is refused before anything is written."""
        disks = [*self.disks[:2], {**self.disks[2], 'unplanned': 'mounted at /mnt'}]
        with self.assertRaisesRegex(Untrusted, 'mounted at /mnt'):
            self.job(disks=disks)
        self.assertEqual([], self.fake.calls('erase'))


class Identity(unittest.TestCase):
    """The disk that Ironic means is the one that is named to diskwipe, or nothing is."""

    def setUp(self):
        support.begin(self)

    def test_agree(self):
        for more in (
            {}, {'wwn': None}, {'serial': None}, {'wwn': None, 'serial': None},
            {'wwn': '5000C50000000000'}, {'wwn': 'naa.5000c50000000000'},
            {'wwn': None, 'wwn_with_extension': '0x5000c5000000000000112233'},
            {'serial': '35000c50000000000'}, {'wwn': '0x5000c5000000ffff'},
            {'serial': 'ST4000_SERIAL00', 'wwn': None},
        ):  # fmt: skip
            with self.subTest(more=more):
                self.assertEqual('SERIAL00', erase.find([node(0, **more)], [])[0].disk.serial)

    def test_another(self):
        for more in (
            {'size': 1 << 29}, {'serial': 'OTHER', 'wwn': None},
            {'serial': 'OTHER', 'wwn': '0x5000c5000000ffff'},
            {'serial': None, 'wwn': '0x5000c5000000ffff'}, {'name': '/dev/fake-sdz'},
        ):  # fmt: skip
            with self.subTest(more=more):
                self.assertRaises(Untrusted, erase.find, [node(0, **more)], [])

    def test_two_names(self):
        """Two nodes of a disk are one disk, and a node that is kept keeps it."""
        self.disks[0]['paths'].append('/dev/fake-path')
        self.fake.say(self.disks)
        both = [node(0), node(0, name='/dev/fake-path')]
        found = erase.find(both, [])
        self.assertEqual([['/dev/fake-sda', '/dev/fake-path']], [f.names for f in found])
        self.assertRaises(Untrusted, erase.find, both[:1], both[1:])

    def test_map(self):
        self.disks[0]['map'] = '/dev/fake-dm0'
        self.fake.say(self.disks)
        self.assertRaises(Untrusted, erase.find, [node(1)], [node(1, name='/dev/fake-sdb')])
        self.assertRaises(Untrusted, erase.find, [node(2, name='/dev/fake-dm0')], [])

    def test_refused(self):
        self.fake.say(self.disks, refused=[{'device': '/dev/fake-sda'}])
        self.assertRaises(Untrusted, erase.find, [node(0)], [])
        self.fake.say(self.disks, inspect_status=2)
        self.assertRaises(Untrusted, erase.find, [node(0)], [])


class Records(unittest.TestCase):
    def test_where(self):
        for where in ('http://x', 'https://x y', 'https://x\nledger=/', 'yes', 'result '):
            with self.subTest(where=where):
                self.assertRaises(Untrusted, records.ledger, where, '')

    def test_replayed(self):
        """An answer of an earlier job, with the records of that, is no erasure."""
        support.begin(self, records=True)
        support.patch(self, records, 'KEY', __file__)
        support.patch(self, records, 'FOLDER', self.folder + '/ledger/records')

        def go():
            book = records.ledger('result', '')
            made = job.Job(erase.find([node(n) for n in range(3)], []), Asked(), self.folder)
            return records.of_disks(book, made.run(book, 30.0))

        self.assertEqual(3, len(go()))
        self.fake.say(self.disks, way='replay')
        self.assertRaisesRegex(Untrusted, 'no record says so', go)

    def test_of_disks(self):
        """The record has to be of that job, of that disk in all its size, and of an erasure."""
        its = {'serial': 'SERIAL00', 'wwn': '0x5000c50000000000', 'blocks': 1 << 21,
               'block_size': 512}  # fmt: skip
        made = {'document': 'erasure-record', 'job': {'id': 'x'}, 'disk': its,
                'outcome': 'erased', 'exceptions': []}  # fmt: skip
        disk = Disk('SERIAL00', '0x5000c50000000000', 1 << 30)
        outcomes = {disk: judge.Outcome(True, '', {}, 'x')}

        def signed(**change):
            one = {'number': 4, 'file': 'f', 'text': 't', 'signature': 's'}
            return ledger.of_disks([{**one, 'made': {**made, **change}}], outcomes, before=3)

        self.assertEqual(['f'], [r['file'] for r in signed().values()])
        for change in (
            {'job': {'id': 'y'}}, {'job': {'id': 'x', 'simulation': 'exact'}}, {'job': None},
            {'outcome': 'failed'}, {'exceptions': [{'lba': 1}]}, {'exceptions': None},
            {'document': 'draw-record'}, {'disk': None}, {'disk': {**its, 'blocks': 1}},
            {'disk': {**its, 'serial': 'OTHER'}}, {'disk': {**its, 'wwn': None}},
        ):  # fmt: skip
            self.assertRaises(Untrusted, signed, **change)

    def test_no_key(self):
        with mock.patch.object(records, 'KEY', '/nonexistent/key'):
            self.assertEqual('none', records.ledger('', '').where)
            for where in ('result', 'send', 'https://x'):
                self.assertRaises(Untrusted, records.ledger, where, '')

    def test_key_that_is_missing(self):
        """A link whose key is not there was meant as one: no step does without records for it."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        os.symlink('/nonexistent/key', folder + '/key')
        with mock.patch.object(records, 'KEY', folder + '/key'):
            self.assertRaisesRegex(Untrusted, 'needs a key', records.ledger, '', '')


if __name__ == '__main__':
    unittest.main()
