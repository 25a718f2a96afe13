# SPDX-License-Identifier: GPL-2.0-or-later
"""What the module erase believes, and of whom. No Ansible is needed here."""

import json
import os
import shutil
import sys
import time
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../plugins'), os.path.join(HERE, '../../common/testing')]

import support
from module_utils import disks, ledger, program, proof
from module_utils.erasure import Book, Erasure
from module_utils.judge import Asked, Disk
from module_utils.program import Untrusted

LIES = ('missing', 'extra', 'twice', 'other-serial', 'other-capacity', 'truncated', 'key-twice',
        'empty', 'noise', 'binary', 'signal-9', 'signal-11', 'signal-15')  # fmt: skip


class Test(unittest.TestCase):
    def setUp(self):
        support.begin(self, records=True)
        self.records = os.path.join(self.folder, 'a/records')
        self.named = [{'serial': f'SERIAL{n:02}'} for n in range(3)]
        self.last = None

    def say(self, **what):
        self.fake.say(self.disks, **{'records': True, **what})

    def make(self, **p):
        usual = {
            'disks': self.named, 'expect_count': len(self.named), 'level': 'clear',
            'or_clear': False, 'method': None, 'verify': None, 'allow_ata_security': False,
            'active': 0, 'customer': None, 'order_number': None, 'operator': None, 'label': None,
            'records': self.records, 'record_key': '/nonexistent', 'signers': '/nonexistent',
            'since': None, 'reread': True, 'force': False, 'timeout': 30.0,
        }  # fmt: skip
        usual.update(p)
        return Erasure(usual, self.folder)

    def run_all(self, **p):
        """The states of the disks; raises Untrusted as the module fails."""
        self.last = self.make(**p)
        todo = self.last.look()
        if todo:
            self.last.erase(self.last.planned(todo))
        return self.states()

    def states(self):
        return [row['state'] for row in self.last.rows.values()]

    def reasons(self):
        return ' '.join(str(row['reason']) for row in self.last.rows.values())

    def fails(self, regex='.', **p):
        with self.assertRaisesRegex(Untrusted, regex):
            self.run_all(**p)

    def change(self, number, **what):
        """Changes a record, as if it had been signed so."""
        file = f'{self.records}/record-{number:08}.json'
        with open(file, encoding='utf-8') as f:
            made = json.load(f)
        made.update(what)
        with open(file, 'w', encoding='utf-8') as f:
            json.dump(made, f)
        support.chain(self.records)


class Runs(Test):
    def test_thrice(self):
        """First all, then what failed, then nothing."""
        self.disks[1].update(outcome='failed', reason='medium error', level=None)
        self.say()
        self.fails('1 of 3 disks are not erased: SERIAL01 .*medium error')
        self.assertEqual(['erased', 'failed', 'erased'], self.states())
        self.disks[1].update(outcome='erased', reason=None, level='clear')
        self.say()
        self.assertEqual(['already-erased', 'erased', 'already-erased'], self.run_all())
        self.assertIn('--expect-count=1', self.fake.calls('erase')[0])
        self.say()
        self.assertEqual(['already-erased'] * 3, self.run_all())
        self.assertEqual([], self.fake.calls('erase') + self.fake.calls('plan'))
        self.assertFalse(self.last.begun)

    def test_one_job(self):
        self.run_all(level='purge', or_clear=True, verify='full', customer='ACME',
                     order_number='7', operator='anna', label='lot 7')  # fmt: skip
        plan, erase = self.fake.calls('plan')[0], self.fake.calls('erase')[0]
        self.assertLessEqual({'--level=purge', '--or-clear', '--verify=full', '--customer=ACME',
                              '--order-number=7'}, set(plan))  # fmt: skip
        self.assertLessEqual({'--yes', '--expect-count=3', '--operator=anna', '--label=lot 7',
                              f'--record={self.records}'}, set(erase))  # fmt: skip
        self.assertFalse([w for w in erase if w.startswith('/')], 'a node is named to erase')
        self.assertEqual(1, len(self.fake.calls('erase')))

    def test_look_only(self):
        """What check mode does writes nothing, and makes no folder."""
        self.last = self.make()
        self.last.planned(self.last.look())
        self.assertEqual(['to-be-erased'] * 3, self.states())
        self.assertEqual([], self.fake.calls('erase'))
        self.assertFalse(os.path.exists(os.path.dirname(self.records)))

    def test_refused(self):
        self.disks[2]['unplanned'] = 'mounted at /mnt'
        self.say()
        self.fails('mounted at /mnt')
        self.assertFalse(self.last.begun)
        self.assertEqual([], self.fake.calls('erase'))

    def test_assets(self):
        self.named[0]['asset'] = 'A 1'
        self.run_all()
        self.assertTrue(any(w.startswith('--assets=') for w in self.fake.calls('erase')[0]))
        with open(self.folder + '/assets.csv', encoding='utf-8') as f:
            self.assertEqual('SERIAL00,A 1\n', f.read())
        self.fails('is no tag', disks=[{'serial': 'SERIAL00', 'asset': 'a,b'}], expect_count=1,
                   force=True)  # fmt: skip
        self.assertFalse(self.last.begun)
        found = disks.Found(Disk('', '0x5', 1), '/dev/x', 'T', {})
        p = {'records': '/r', 'record_key': '/k'}
        self.assertIn('--asset=T', Book(p, [found], self.folder).options())
        self.assertRaises(Untrusted, Book(p, [found, found], self.folder).options)


class Lies(Test):
    """No way of lying is believed, and then nothing is known to be erased."""

    def lies(self, regex='.', **p):
        self.fails(regex, **p)
        self.assertTrue(self.last.begun)
        self.assertNotIn('erased', self.states())

    def test_ways(self):
        for way in LIES:
            with self.subTest(way=way):
                shutil.rmtree(self.records, ignore_errors=True)
                self.say(way=way)
                self.lies()
                self.assertEqual(['unknown'] * 3, self.states())

    def test_status(self):
        for status in (1, 3, 5, 143):
            with self.subTest(status=status):
                shutil.rmtree(self.records, ignore_errors=True)
                self.say(status=status)
                self.lies()

    def test_outcomes(self):
        for outcome in ('failed', 'erased-with-exceptions', None):
            for status in (0, 3):
                with self.subTest(outcome=outcome, status=status):
                    shutil.rmtree(self.records, ignore_errors=True)
                    self.disks[1].update(outcome=outcome, reason='a reason')
                    self.say(status=status)
                    self.fails('a reason' if status else '.')
                    self.assertIn(self.states()[1], ('failed', 'unknown'))

    def test_hang(self):
        self.say(way='hang')
        begun = time.monotonic()
        with mock.patch.object(program.run, '__defaults__', (0.5,)):
            self.lies('did not end within 1 seconds', timeout=1.0)
        self.assertLess(time.monotonic() - begun, 300)  # it hangs for twice as long

    def test_huge(self):
        self.say(way='huge')
        with mock.patch.object(program, 'MAX_OUTPUT', 1 << 20):
            self.lies('printed more')

    def test_absent(self):
        os.remove(os.path.join(self.fake.folder, 'diskwipe'))
        with mock.patch.dict(os.environ, PATH=self.fake.folder):
            self.assertRaisesRegex(Untrusted, 'cannot be run', self.make)

    def test_no_record(self):
        """Erased without a signed record is not erased: unsigned JSON proves nothing."""
        self.say(records=False)
        os.makedirs(self.records)
        self.lies('no signed record does')
        self.assertEqual(['failed'] * 3, self.states())
        self.say(other_status=5)
        shutil.rmtree(self.records)
        self.lies('is not whole')

    def test_replayed(self):
        """The answer and the records of an earlier job are none of this one."""
        self.run_all()
        self.say(way='replay')
        self.lies('no signed record does', force=True)

    def test_record_disagrees(self):
        self.disks[0]['record'] = {'outcome': 'failed'}
        self.disks[1]['record'] = {'job': {'id': 'another'}}
        self.disks[2]['record'] = {'level': 'none'}
        self.say()
        self.lies('3 of 3')


class Proven(Test):
    """What makes a disk count as erased already; of all else it is erased again."""

    def setUp(self):
        super().setUp()
        self.run_all()
        self.say()

    def again(self, regex, **p):
        """Disk 1, and it alone, is to be erased again."""
        self.last = self.make(**p)
        self.assertEqual(['SERIAL01'], [f.disk.serial for f in self.last.look()])
        self.assertRegex(self.reasons(), regex)

    def test_records(self):
        its = {'serial': 'SERIAL01', 'wwn': '0x5000c50000000001', 'block_size': 512,
               'blocks': 1 << 21}  # fmt: skip
        for what in (
            {'outcome': 'failed'}, {'outcome': 'refused'}, {'outcome': 'not-as-expected'},
            {'outcome': None}, {'exceptions': [{'lba': 1}]}, {'exceptions': None},
            {'level': 'none'}, {'level': None}, {'schema': 2}, {'job': {'simulation': True}},
            {'document': 'draw-record'}, {'job': None}, {'verification': None},
            {'verification': {'done': 'full', 'mismatches': 1}}, {'times': {}}, {'disk': None},
            {'disk': {**its, 'blocks': 1}}, {'disk': {**its, 'serial': 'OTHER'}},
            {'disk': {**its, 'wwn': '0x5'}}, {'disk': {**its, 'serial': None, 'wwn': None}},
        ):  # fmt: skip
            with self.subTest(what=what):
                with open(f'{self.records}/record-00000002.json', encoding='utf-8') as f:
                    good = json.load(f)
                self.change(2, **what)
                self.again('.', reread=False, since='2020-01-01')
                self.change(2, **good)
        self.last = self.make()
        self.assertEqual([], self.last.look())

    def test_newest(self):
        """A later record of the disk counts, by whichever of its names."""
        shutil.copy(f'{self.records}/record-00000002.json', f'{self.records}/record-00000004.json')
        shutil.copy(f'{self.records}/record-00000002.json.sig',
                    f'{self.records}/record-00000004.json.sig')  # fmt: skip
        self.change(4, outcome='as-expected')
        self.assertEqual([], self.make().look())
        for disk in ({'serial': 'SERIAL01', 'wwn': 'x'}, {'wwn': '0x5000C50000000001'}):
            self.change(4, outcome='failed', disk=disk)
            self.again('.')

    def test_stray(self):
        """What diskwipe takes for no record it has not checked, and it proves nothing."""
        self.change(2, outcome='failed')
        with open(f'{self.records}/record-00000001.json', encoding='utf-8') as f:
            forged = json.load(f)
        forged['disk'].update(serial='SERIAL01', wwn='0x5000c50000000001')
        for name in ('record-99.json', 'record-000000099.json', 'record-00000000.json'):
            with self.subTest(name=name):
                for file in (name, name + '.sig'):
                    with open(f'{self.records}/{file}', 'w', encoding='utf-8') as f:
                        json.dump(forged, f)
                self.again('says failed')
                self.assertEqual(3, len(ledger.read(self.records)))

    def test_meanwhile(self):
        """Who may add to a folder adds, or changes, after it was checked and before it is read."""
        self.change(2, outcome='failed')
        files = {}
        for n in (1, 2, 3):
            with open(f'{self.records}/record-{n:08}.json', encoding='utf-8') as f:
                files[n] = json.load(f)
        forged = json.dumps({**files[2], 'outcome': 'erased', 'sequence': 4})
        names = ('record-00000004.json', 'record-00000004.json.sig')
        self.say(meanwhile=dict.fromkeys(names, forged))
        self.assertEqual(3, len(ledger.read(self.records)), 'nobody has checked the fourth')
        for name in names:
            os.remove(f'{self.records}/{name}')
        self.again('says failed')
        for name in names:
            os.remove(f'{self.records}/{name}')
        for n in (2, 3):
            text = json.dumps({**files[n], 'outcome': 'erased', 'level': 'purge'})
            self.say(meanwhile={f'record-{n:08}.json': text})
            self.assertRaisesRegex(Untrusted, 'was checked', ledger.read, self.records)
            with open(f'{self.records}/record-{n:08}.json', 'w', encoding='utf-8') as f:
                json.dump(files[n], f)
        self.say()
        self.assertEqual(3, len(ledger.read(self.records)))

    def test_asked(self):
        """Less than what is asked for does not count."""
        good = {'verification': {'asked': 'full', 'done': 'full', 'mismatches': 0},
                'level': 'purge'}  # fmt: skip
        for n in (1, 3):
            self.change(n, **good, method='random')
        self.again('to level clear', level='purge', reread=False, since='2020-01-01')
        self.again('by method zero', method='random', reread=False, since='2020-01-01')
        self.change(2, verification={'asked': 'sample:1%', 'done': 'sample', 'mismatches': 0})
        self.again('verified as sample', verify='full', reread=False, since='2020-01-01')
        self.again('verified as sample', verify='sample:10%', reread=False, since='2020-01-01')
        self.assertEqual([], self.make(verify='sample:1.0%').look())

    def test_compared_by_disk(self):
        for n in (1, 3):
            self.change(n, verification={'asked': 'device', 'done': 'sample', 'mismatches': 0,
                                         'device_compared': 1 << 21})  # fmt: skip
        self.change(2, verification={'asked': 'device', 'done': 'sample', 'mismatches': 0,
                                     'device_refused': 'it compares nothing'})  # fmt: skip
        for verify in ('device', 'auto'):
            self.again('verified as sample', verify=verify, reread=False, since='2020-01-01')
            self.assertEqual(['already-erased', 'erased', 'already-erased'],
                             self.run_all(verify=verify))  # fmt: skip
            self.assertIn(f'--verify={verify}', self.fake.calls('plan')[-1])
            os.remove(f'{self.records}/record-00000004.json')
            os.remove(f'{self.records}/record-00000004.json.sig')

    def test_unverified(self):
        """Every method asks for a sample at least, unless the caller does not."""
        self.change(2, verification={'asked': 'off', 'done': 'none', 'mismatches': 0})
        self.again('nobody asked', reread=False, since='2020-01-01')
        self.assertEqual([], self.make(verify='off').look())

    def test_purge_or_clear(self):
        """Cleared will do of a disk that could not be purged, and not of one that nobody tried."""
        for n in (1, 3):
            self.change(n, level='purge')
        self.again('purge was not tried', level='purge', or_clear=True)
        self.change(2, asked={'level': 'purge', 'or_clear': True})
        self.assertEqual([], self.make(level='purge', or_clear=True).look())

    def test_name_shared(self):
        """Of two disks of one name, one of which is gone, the other may be the erased one."""
        with open(f'{self.records}/record-00000002.json', encoding='utf-8') as f:
            its = json.load(f)['disk']
        self.change(2, disk={**its, 'name_shared': True})
        self.again('another disk of the same name', reread=False, since='2020-01-01')
        records = ledger.read(self.records)
        self.assertFalse(proof.of_name(records, {'serial': 'SERIAL01'}, Asked(), None)['proven'])

    def test_clock(self):
        """A time that is yet to come was told by a wrong clock."""
        self.change(2, times={'finished': '2999-01-01T00:00:00+00:00'})
        self.again('not yet', reread=False, since='2020-01-01')
        self.change(2, times={'finished': 'soon'})
        self.again('not understood')

    def test_since(self):
        self.change(2, times={'finished': '2026-10-31T23:59:59+00:00'})
        self.again('before since', since='2026-11-01')
        self.again('before since', since='2026-11-01T02:00:00+02:00')
        self.assertEqual([], self.make(since='2026-11-01T00:59:59+01:00').look())
        self.fails('no date', since='yesterday')
        self.fails('time zone', since='2026-11-01T00:00:00')
        self.fails('give since', reread=False)

    def test_reread(self):
        """A disk that does not hold what was left is erased again, whatever its record says."""
        self.disks[1]['holds'] = False
        self.say()
        self.again('does not hold zero')
        self.assertEqual(1, len(self.fake.calls('verify')))
        self.assertEqual([], self.make(reread=False, since='2020-01-01').look())

    def test_reread_lies(self):
        for what in ({'verify_status': 5}, {'verify_status': 1}, {'verify_change': {'disks': []}},
                     {'verify_change': {'job': {'outcome': 'planned'}}},
                     {'verify_change': {'refused': [1]}}, {'verify_change': {'error': 'x'}},
                     {'verify_change': {'schema': 2}}):  # fmt: skip
            with self.subTest(what=what):
                self.say(**what)
                self.assertEqual(3, len(self.make().look()))

    def test_own_methods(self):
        """A disk that erased itself cannot be compared, so by default it is erased again."""
        self.change(2, method='sanitize-block')
        self.again('cannot be compared')
        self.assertFalse([c for c in self.fake.calls('verify') if '/dev/fake-sg1' in c])

    def test_used(self):
        for change, why in (({'signatures': 'gpt'}, 'gpt'),
                            ({'erasable': False, 'reason': 'mounted'}, 'mounted')):  # fmt: skip
            with self.subTest(change=change):
                self.disks[1] = support.disk(1, **change)
                self.say()
                self.again(why)

    def test_force(self):
        self.assertEqual(3, len(self.make(force=True).look()))

    def test_ledger(self):
        """A ledger that was changed fails before anything is erased; one that was cut off proves
        nothing."""
        self.say(other_status=5)
        self.fails('is not whole')
        self.assertEqual([], self.fake.calls('erase'))
        self.say(other_status=9)
        self.last = self.make()
        self.assertEqual(3, len(self.last.look()))
        self.assertRegex(self.last.warnings[0], 'no record counts')

    def test_of_name(self):
        records = ledger.read(self.records)
        one = {'serial': 'SERIAL01'}
        self.assertTrue(proof.of_name(records, one, Asked(), None)['proven'])
        self.assertFalse(proof.of_name(records, one, Asked('purge'), None)['proven'])
        self.assertTrue(proof.of_name(records, one, Asked(verify='full'), None)['proven'])
        records[1]['made']['verification'] = {'asked': 'sample:1%', 'done': 'sample',
                                              'mismatches': 0}  # fmt: skip
        self.assertTrue(proof.of_name(records, one, Asked(verify='sample:1%'), None)['proven'])
        self.assertFalse(proof.of_name(records, one, Asked(verify='full'), None)['proven'])
        self.assertFalse(proof.of_name(records, {'serial': 'X'}, Asked(), None)['proven'])
        self.assertRegex(proof.head(records), '^3:[0-9a-f]{64}$')
        records[0]['made']['disk'].update(serial='SERIAL01')
        self.assertFalse(proof.of_name(records, one, Asked(), None)['proven'])

    def test_of_two(self):
        """A serial number of two disks, of which one was never seen here or has no WWN."""
        records = ledger.read(self.records)

        def proven(*named):
            answers = [proof.of_name(records, one, Asked(), None) for one in named]
            return [answer['proven'] for answer in proof.once(answers)]

        one, by_wwn = {'serial': 'SERIAL01'}, {'wwn': '0x5000c50000000001'}
        self.assertEqual([True, True], proven(one, {'serial': 'SERIAL00'}))
        self.assertEqual([False, False], proven(one, one))
        self.assertEqual([False, True, False], proven(one, {'serial': 'SERIAL00'}, by_wwn))
        self.assertEqual([False, False], proven({'serial': 'X'}, {'serial': 'X'}))
        for n in (0, 1):
            its = records[n]['made']['disk']
            its.update(serial='SERIAL01', wwn='', blocks=its['blocks'] + n)
        self.assertEqual([False], proven(one))
        for n in (0, 1):  # the capacity of a disk that is known for sure may have been restored
            records[n]['made']['disk'].update(wwn=by_wwn['wwn'])
        self.assertEqual([True], proven(one))


class Named(Test):
    def test_wrong(self):
        for named in (
            [{'serial': 'SERIAL00'}, {'wwn': '0x5000c50000000000'}], [{'serial': 'serial00'}],
            [{'serial': 'SERIAL0'}], [{'serial': 'SERIAL00', 'wwn': '0x5000c50000000001'}],
            [{'serial': '/dev/fake-sda'}], [{'serial': ''}], [{'wwn': '0x'}], [{}],
            [{'serial': 'fake-sda'}], [{'wwn': '5000c5000000'}],
        ):  # fmt: skip
            with self.subTest(named=named):
                self.fails(disks=named, expect_count=len(named))
        self.assertEqual([], self.fake.calls('erase') + self.fake.calls('plan'))

    def test_part(self):
        """Part of a name is no name, of the only disk as well."""
        self.disks = self.disks[:1]
        self.say()
        for one in ({'wwn': '0x5000c5000000'}, {'serial': 'SERIAL'}, {'serial': 'SERIAL001'}):
            self.assertRaises(Untrusted, disks.find, [one])

    def test_right(self):
        for wwn in ('0x5000c50000000001', 'naa.5000C50000000001', '5000c50000000001',
                    'wwn-0x5000c50000000001'):  # fmt: skip
            found = disks.find([{'wwn': wwn}, {'serial': 'SERIAL02'}])
            self.assertEqual(['SERIAL01', 'SERIAL02'], [f.disk.serial for f in found])

    def test_count(self):
        self.fails('expect_count is 2, and 3', expect_count=2)
        self.assertEqual([], self.fake.calls('list'))

    def test_same_name(self):
        self.disks[1].update(serial='SERIAL00')
        self.say()
        self.fails('2 disks', disks=[{'serial': 'SERIAL00'}], expect_count=1)

    def test_list(self):
        for what in ({'list_status': 1}, {'list_change': {'disks': None}},
                     {'list_change': {'disks': [None]}}, {'list_change': {'error': 'x'}},
                     {'list_change': {'schema': 2}}, {'list_change': {'disks': []}}):  # fmt: skip
            with self.subTest(what=what):
                self.say(**what)
                self.fails()

    def test_options(self):
        for p in ({'method': '--yes'}, {'verify': 'much'}, {'verify': 'device:5%'},
                  {'or_clear': True}, {'label': 'a\nb'}, {'customer': 'a\x00'}):  # fmt: skip
            with self.subTest(p=p):
                self.fails(**p)

    def test_key(self):
        """Without a list of signers only the owner of the key may have signed."""
        self.fails('there is no key', signers=None)
        key = self.folder + '/key'
        with open(key, 'w', encoding='utf-8') as f:
            f.write('not a key\n')
        tool = os.path.join(self.fake.folder, 'ssh-keygen')
        line = 'echo ssh-ed25519 AAAA me'
        for script, good in ((line, True), ('echo ssh-rsa AAAA', False), (':', False),
                             (line + '; exit 1', False)):  # fmt: skip
            with open(tool, 'w', encoding='utf-8') as f:
                f.write(f'#!/bin/sh\n{script}\n')
            os.chmod(tool, 0o755)
            if good:
                with open(proof.signers_of(key, self.folder), encoding='utf-8') as f:
                    self.assertIn('namespaces="diskwipe-record" ssh-ed25519 AAAA\n', f.read())
            else:
                self.assertRaises(Untrusted, proof.signers_of, key, self.folder)


if __name__ == '__main__':
    unittest.main()
