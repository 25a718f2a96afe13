# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe-scrub is scrub to who calls it, and calls no disk erased that is not known to be."""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
sys.path[:0] = [TOP, os.path.join(TOP, '../common/testing')]

import liars  # noqa: E402
import readme  # noqa: E402
import support  # noqa: E402

from diskwipe_hosts import erase, patterns, scrub  # noqa: E402
from diskwipe_hosts.judge import Disk, Outcome  # noqa: E402
from diskwipe_hosts.program import Untrusted  # noqa: E402

OWN = os.path.join(TOP, 'diskwipe-scrub')
# scrub's own table, src/pattern.c of 2.6.1: v is a pass that is read back.
TABLE = {
    'nnsa': 'r r v00', 'dod': 'r 00 vff', 'bsi': 'ff fe fd fb f7 ef df bf 7f',
    'usarmy': '00 ff r', 'random': 'r', 'random2': 'r r', 'schneier': '00 ff r r r r r',
    'pfitzner7': 'r ' * 7, 'pfitzner33': 'r ' * 33, 'fastold': '00 ff aa v55',
    'old': '00 ff aa r v55', 'dirent': '32 4d 32 4d 32 4d', 'fillzero': '00', 'fillff': 'ff',
    'verify': 'v00',
    'gutmann': 'r r r r 55 aa 924924 492492 249249 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee'
               ' ff 924924 492492 249249 6db6db b6db6d db6db6 r r r r',
}  # fmt: skip
BY_LIBVIRT = ('nnsa', 'dod', 'bsi', 'gutmann', 'schneier', 'pfitzner7', 'pfitzner33', 'random')


def is_device(target):
    return target.startswith('/dev/fake-') or scrub.os.path.basename(target).startswith('fake-')


class Host(unittest.TestCase):
    """A host with fake disks and no key."""

    def setUp(self):
        support.begin(self)
        own = scrub.is_device
        for name, value in (
            ('is_device', lambda t: is_device(t) or own(t)), ('signed', lambda t: False),
        ):  # fmt: skip
            support.patch(self, scrub, name, value)
        self.keep(None)

    def keep(self, key):
        made = {'key': key or self.folder + '/none', 'folder': self.folder + '/hosts/records'}
        support.patch(self, erase.Book, '__init__', lambda book, operator: book.__dict__
                      .update(operator=operator, **made))  # fmt: skip

    def call(self, *words):
        """Exit status, output, errors."""
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.object(sys, 'argv', ['/usr/bin/scrub', *words]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.object(erase, 'heed_signals'),
        ):
            status = scrub.main(OWN)
        return status, out.getvalue(), err.getvalue()

    def good(self, *words):
        status, out, err = self.call(*words)
        self.assertEqual((0, ''), (status, err), words)
        return out

    def bad(self, *words):
        """Refused, in one line, with nothing erased."""
        status, out, err = self.call(*words)
        self.assertEqual(1, status, words)
        self.assertEqual([], self.fake.calls('erase'), words)
        self.assertEqual(1, err.count('\n'), err)
        self.assertNotIn(' erased; ', out)
        return err


class Disks(Host):
    def test_as_libvirt(self):
        out = self.good('-f', '-p', 'nnsa', '/dev/fake-sda')
        self.assertIn('scrub: using NNSA NAP-14.1-C patterns\n', out)
        self.assertIn('/dev/fake-sda: SERIAL00 (1073741824 bytes): erased; verified: full', out)
        call = self.fake.calls('erase')[0]
        self.assertIn('--yes', call)
        self.assertIn('--expect-count=1', call)
        self.assertFalse([w for w in call if w.startswith('/')], 'a node is named to erase')
        self.assertEqual(1, len(self.fake.calls('erase')))

    def test_patterns(self):
        self.assertEqual(set(TABLE), {p.name for p in patterns.PATTERNS})
        for name, passes in TABLE.items():
            with self.subTest(pattern=name):
                words = [w.replace('r', 'random') for w in passes.replace('v', '').split()]
                pattern = patterns.find(name)
                self.assertEqual(','.join(words), pattern.passes)
                asked = f'--pattern={pattern.passes}'
                if pattern.method:
                    asked = f'--method={pattern.method}'
                verify = ['--verify=full'] if 'v' in passes else []
                self.assertEqual([asked, *verify], pattern.asked().options())
        self.assertLessEqual(set(BY_LIBVIRT), set(TABLE))

    def test_default_is_nnsa(self):
        self.assertIn('NNSA', self.good('/dev/fake-sg0'))
        self.assertIn('--pattern=random,random,00', self.fake.calls('plan')[0])

    def test_custom(self):
        for text, passes in (
            ('a', '61'), (r'\xff', 'ff'), (r'\377\x00', 'ff00'), (r'\x92\x49\x24' * 5, '924924'),
            (r'\\', '5c'), (r'\x4', '5c7834'), ('abcd', ''), ('abab', '6162'), ('a' * 16, '61'),
            ('a' * 17, ''), ('', ''),
        ):  # fmt: skip
            with self.subTest(text=text):
                self.fake.say(self.disks)
                if passes:
                    self.assertEqual(passes, patterns.find('custom=' + text).asked().pattern)
                else:
                    self.bad('-p', 'custom=' + text, '/dev/fake-sda')

    def test_several(self):
        """One job for all, or none begins."""
        out = self.good('-f', '/dev/fake-sda', '/dev/fake-sg1', '/dev/fake-sdc')
        self.assertEqual(3, out.count(' erased; '))
        self.assertIn('--expect-count=3', self.fake.calls('erase')[0])
        self.fake.say(self.disks)
        self.bad('-f', '/dev/fake-sda', '/dev/fake-nobody')
        self.good('-f', '/dev/fake-sda', '/dev/fake-sg0')  # two nodes, one disk
        self.assertIn('--expect-count=1', self.fake.calls('erase')[0])

    def test_some_fail(self):
        disks = [self.disks[0], {**self.disks[1], 'outcome': 'failed', 'reason': 'medium\x1b[2J'}]
        self.fake.say(disks)
        status, out, err = self.call('-f', '/dev/fake-sda', '/dev/fake-sdb')
        self.assertEqual((1, 1), (status, out.count(' erased; ')))
        self.assertIn('SERIAL01 (1073741824 bytes): not erased: failed: medium [2J\n', err)

    def test_options(self):
        for words in (
            ['-S'], ['-R'], ['-t'], ['-L'], ['-b', '1m'], ['--force'], ['--no-sig'],
            ['--pattern=dod'], ['--blocksize', '4096'], ['-SRtLfpdod'],
        ):  # fmt: skip
            with self.subTest(words=words):
                self.good('-n', *words, '/dev/fake-sda')
        self.assertIn('--pattern=random,00,ff', self.fake.calls('plan')[-1])
        self.good('/dev/fake-sda', '-SR', '--blocksize=1m')
        for words in (
            ['-r'], ['--remove'], ['-D', '/dev/x'], ['-s', '1m'], ['-T'], ['-p', 'zero'],
            ['-p', 'dod', '-p', 'dod'], ['-b', '0'], ['-b', 'x'], ['-b', '4g'], ['-s', 'x'],
            ['-D', 'x', '/dev/fake-sdb'],
        ):  # fmt: skip
            with self.subTest(words=words):
                self.fake.say(self.disks)
                self.bad(*words, '/dev/fake-sda')
        for words in (['-V', '/dev/fake-sda'], ['--nothing', '/dev/fake-sda'], ['-f'], ['-p']):
            status, _, err = self.call(*words)
            self.assertEqual(1, status)
            self.assertIn('Usage: scrub', err)
        self.assertIn('pfitzner33', self.good('-h'))
        self.assertIn('scrub version 2.6.1', self.good('-v'))

    def test_dry_run(self):
        self.assertIn('(dryrun) scrub special file /dev/fake-sda', self.good('-n', '/dev/fake-sda'))
        self.assertEqual([], self.fake.calls('erase'))
        self.fake.say([{**self.disks[0], 'unplanned': 'mounted at /mnt'}])
        self.assertIn('mounted at /mnt', self.bad('-n', '/dev/fake-sda'))

    def test_relative(self):
        """A name without a slash is a path, not a serial number or an option of diskwipe."""
        self.bad('-f', 'fake-sda')
        called = self.fake.calls('inspect')[0]
        self.assertEqual(os.path.abspath('fake-sda'), called[-1])

    def test_signature(self):
        with mock.patch.object(scrub, 'signed', lambda t: True):
            self.assertIn('already scrubbed? (-f to force)', self.bad('/dev/fake-sda'))
            self.good('-f', '/dev/fake-sda')
        with open(self.folder + '/disk', 'wb') as f:
            f.write(scrub.SIGNATURE + b'x' * 100)
        with mock.patch.object(scrub.stat, 'S_ISBLK', lambda mode: True):
            self.assertTrue(scrub_signed(self.folder + '/disk'))

    def test_links(self):
        link = self.folder + '/by-path'
        os.symlink('/dev/fake-sda', link)
        self.fake.say([{**self.disks[0], 'paths': ['/dev/fake-sg0', link]}])
        with mock.patch.object(scrub, 'is_device', lambda t: True):
            self.good('-f', link)
            self.fake.say(self.disks)
            self.assertIn('skipping symlink', self.bad('-fL', link))

    def test_kinds(self):
        for target in (self.folder, self.folder + '/nothing'):
            self.bad('-f', target)
        file = self.folder + '/file'
        with open(file, 'w', encoding='utf-8'):
            pass
        self.assertIn('two commands', self.bad('-f', file, '/dev/fake-sda'))


scrub_signed = scrub.signed  # before tests replace it


class Liars(Host):
    def test_table(self):
        for what in liars.TABLE:
            with self.subTest(what=what), liars.impatient():
                self.fake.say(**{'disks': self.disks, **what})
                status, out, err = self.call('-fp', 'dod', '/dev/fake-sda', '/dev/fake-sdb')
                self.assertEqual(1, status)
                self.assertEqual(1, err.count('\n'), err)
                self.assertNotIn('SERIAL01 (1073741824 bytes): erased', out)

    def test_other_passes(self):
        """Passes that were not asked for are no erasure."""
        passes = [{'pattern': 'random'}, {'pattern': '00'}]
        self.fake.say([{**self.disks[0], 'passes': passes}])
        status, _, err = self.call('-fp', 'dod', '/dev/fake-sda')
        self.assertEqual(1, status)
        self.assertIn('other passes', err)
        verify = {**self.disks[0]['verify'], 'done': 'sample'}
        self.fake.say([{**self.disks[0], 'verify': verify}])
        self.assertEqual(1, self.call('-fp', 'dod', '/dev/fake-sda')[0])
        self.assertEqual(0, self.call('-fp', 'random', '/dev/fake-sda')[0])

    def test_records(self):
        """A ledger that others write to meanwhile is looked at again; one without the record of
        the disk makes no erasure."""
        self.keep(__file__)
        self.fake.say(self.disks, records=True)
        read = erase.ledger.read
        for errors, status in ((0, 0), (2, 0), (erase.TRIES, 1)):
            left = [erase.ledger.Unfinished('others write')] * errors

            def look(folder, left=left):
                if left:
                    raise left.pop()
                return read(folder)

            with (
                mock.patch.object(erase.ledger, 'read', look),
                mock.patch.object(erase, 'PAUSE', 0.0),
            ):
                self.assertEqual(status, self.call('-f', '/dev/fake-sda')[0])
        self.fake.say(self.disks)
        with mock.patch.object(erase, 'PAUSE', 0.0):
            status, out, err = self.call('-f', '/dev/fake-sdb')
        self.assertEqual((1, 0), (status, out.count('erased; ')))
        self.assertIn('no record says so', err)

    def test_key_goes(self):
        """What is asked of records is decided when the job begins, by a key that is a link as well:
        a secret of Kubernetes is one, and is replaced or taken away at any time."""
        key = self.folder + '/key'
        book = erase.Book('scrub')
        book.key, book.folder = key, self.folder + '/a/records'
        self.assertEqual([], book.options())
        disk = Disk('S', '', 512)
        outcomes = {disk: Outcome(True, '', {})}
        self.assertEqual({}, book.of_disks(outcomes))
        os.symlink(self.folder + '/nothing', key)
        self.assertIn(f'--record-key={key}', book.options())
        os.remove(key)
        with mock.patch.object(erase, 'PAUSE', 0.0):
            self.assertRaises(Untrusted, book.of_disks, outcomes)

    def test_replayed(self):
        """The answer of an earlier job is not believed for the record of that."""
        self.keep(__file__)
        self.fake.say(self.disks, records=True)
        self.good('-f', '/dev/fake-sda')
        self.fake.say(self.disks, way='replay')
        with mock.patch.object(erase, 'PAUSE', 0.0):
            status, out, err = self.call('-f', '/dev/fake-sda')
        self.assertEqual((1, 0), (status, out.count('erased; ')))
        self.assertIn('no record says so', err)

    def test_absent(self):
        os.remove(os.path.join(self.fake.folder, 'diskwipe'))
        with mock.patch.dict(os.environ, PATH=self.fake.folder):
            self.assertIn('cannot be run', self.bad('-f', '/dev/fake-sda'))

    def test_stopped(self):
        """TERM stops the job first; it is no success."""
        driver = self.folder + '/driver'
        with open(driver, 'w', encoding='utf-8') as f:
            f.write(f'import sys; sys.path.insert(0, {TOP!r})\n'
                    'from diskwipe_hosts import erase, scrub\n'
                    'scrub.is_device, scrub.signed = (lambda t: True), (lambda t: False)\n'
                    'erase.Book.kept = False\n'
                    f'sys.exit(scrub.main({OWN!r}))\n')  # fmt: skip
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number=number):
                self.fake.say(self.disks, way='sleep')
                with subprocess.Popen(
                    [sys.executable, '-B', driver, '-f', '/dev/fake-sda'],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                ) as process:  # fmt: skip
                    deadline = time.monotonic() + 180
                    while not self.fake.calls('erase') and time.monotonic() < deadline:
                        time.sleep(0.05)
                    process.send_signal(number)
                    self.assertNotEqual(0, process.wait(60))
                with self.assertRaises(ProcessLookupError):
                    os.kill(self.fake.pid(), 0)


class Files(unittest.TestCase):
    """Files go to the real scrub, which is never this program."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder + '/file'
        with open(self.file, 'w', encoding='utf-8') as f:
            f.write('x' * 100)

    def call(self, real, *words, **more):
        driver = self.folder + '/driver'
        with open(driver, 'w', encoding='utf-8') as f:
            f.write(f'import sys; sys.path.insert(0, {TOP!r})\n'
                    f'from diskwipe_hosts import scrub\nscrub.REAL = {real!r}\n'
                    f'sys.exit(scrub.main({OWN!r}))\n')  # fmt: skip
        ended = subprocess.run(
            [sys.executable, '-B', driver, *words], capture_output=True, text=True, check=False,
            env={**os.environ, **more},
        )  # fmt: skip
        return ended.returncode, ended.stdout, ended.stderr

    def stub(self, name='real', text='echo "real: $0 $*"; exit 7'):
        path = f'{self.folder}/{name}'
        with open(path, 'w', encoding='utf-8') as f:
            f.write(f'#!/bin/sh\n{text}\n')
        os.chmod(path, 0o755)
        return path

    def test_real(self):
        """It gets all words as they were, and its exit status is that of the command."""
        for words in (
            ['-f', '-p', 'nnsa', self.file], ['-r', '-D', '/x/y', '-s', '1m', '-T', self.file],
            ['-p', 'custom=abcdefgh', self.file], ['-p', 'unheard-of', self.file],
            ['-X', self.folder], [self.file, '-n', self.file],
        ):  # fmt: skip
            got = self.call([self.folder + '/absent', self.stub()], *words)
            self.assertEqual((7, f'real: {self.folder}/real {" ".join(words)}\n', ''), got)

    def test_never_itself(self):
        alternative = self.folder + '/scrub'
        os.symlink(OWN, alternative)
        copy = self.folder + '/elsewhere'
        os.mkdir(copy)
        shutil.copy(OWN, copy)
        for real in ([], [alternative], [OWN], [copy + '/diskwipe-scrub'], [self.folder + '/no']):
            status, out, err = self.call(real, '-f', self.file)
            self.assertEqual((1, ''), (status, out))
            self.assertIn('files are for the real scrub', err)
        # one that calls scrub again comes back once, and no further
        again = self.stub('again', f'exec {sys.executable} -B {self.folder}/driver "$@"')
        status, _, err = self.call([again], '-f', self.file)
        self.assertEqual(1, status)
        self.assertIn('this program again', err)
        with open(self.file, encoding='utf-8') as f:
            self.assertEqual('x' * 100, f.read())

    def test_program(self):
        """The file that is installed finds its modules, by a link as well."""
        link = self.folder + '/scrub'
        os.symlink(OWN, link)
        ended = subprocess.run([link, '-h'], capture_output=True, text=True, check=True, cwd='/')
        self.assertIn('Usage: scrub ', ended.stdout)
        self.assertEqual('', ended.stderr)


class Readme(Host):
    """Each command of the page is run: on fake disks, and on a root of dpkg's own."""

    def dpkg(self, words):
        """A command of dpkg, on a root with the real scrub and ours."""
        root = self.folder + '/root'
        if not os.path.exists(root):
            for folder in ('var/lib/dpkg/alternatives', 'etc/alternatives', 'var/log', 'usr/bin'):
                os.makedirs(f'{root}/{folder}')
            for name in ('var/lib/dpkg/status', 'usr/bin/diskwipe-scrub', 'usr/bin/scrub'):
                with open(f'{root}/{name}', 'w', encoding='utf-8') as f:
                    f.write('' if name.endswith('status') else name)
            self.dpkg(['update-alternatives', '--install', '/usr/bin/scrub', 'scrub',
                       '/usr/bin/diskwipe-scrub', '20'])  # fmt: skip
            self.assertFalse(os.path.islink(root + '/usr/bin/scrub'), 'the real scrub is a file')
        ended = subprocess.run([words[0], '--root', root, *words[1:]], capture_output=True,
                               text=True, check=False)  # fmt: skip
        self.assertEqual(0, ended.returncode, f'{words}: {ended.stderr}')
        return root

    def test_commands(self):
        seen, root = [], ''
        for words in readme.commands(TOP + '/README.md'):
            if words[0] == 'diskwipe-scrub':
                self.good(*[w.replace('/dev/', '/dev/fake-') for w in words[1:]])
            elif words[0] == 'diskwipe':
                subprocess.run(words, check=True)  # the fake; t-hosts runs the real one
            elif not shutil.which('update-alternatives') or os.getuid():
                print(f'SKIPPED: {" ".join(words)}: no dpkg here, or not root', file=sys.stderr)
            else:
                root = self.dpkg(words)
            seen.append(words[0])
            if root and words[1] == '--query':
                self.assertEqual(root + '/etc/alternatives/scrub',
                                 root + os.readlink(root + '/usr/bin/scrub'))  # fmt: skip
                self.assertTrue(os.path.exists(root + '/usr/bin/scrub.distrib'))
        self.assertEqual(9, len(seen))
        if root:
            with open(root + '/usr/bin/scrub', encoding='utf-8') as f:
                self.assertEqual('usr/bin/scrub', f.read(), 'the real scrub is back')


if __name__ == '__main__':
    unittest.main()
