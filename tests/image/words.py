#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the image's scripts decide, with programs that only look like the real ones: nothing is
erased unasked unless the kernel's command line has which disks, how many, and the consent; and no
disk is taken for the stick that may not be it."""
import itertools
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGE = os.path.join(HERE, '../../packaging/image')
AUTO = os.path.join(IMAGE, 'auto')
FAKE = '#!/bin/sh\nprintf "%s\\n" "$@" >"$CALLED"\nexit "${STATUS:-0}"\n'
AUTO_WORD = 'diskwipe.auto=erase'
SWITCHES = ('diskwipe.yes', 'diskwipe.expect-count=3',
            'diskwipe.select="transport=sas and size>=2TB"')


class Words(unittest.TestCase):
    def called(self, *words, line=None, several=False, status=0):
        """The arguments of diskwipe, None if it was not called; and what the screens will say."""
        with tempfile.TemporaryDirectory() as t:
            def at(name, t=t):
                return os.path.join(t, name)

            os.makedirs(at('kept/certificates'))
            os.mkdir(at('bin'))
            if several:
                with open(at('several'), 'w', encoding='ascii') as f:
                    f.write('sda\nsdb\n')
            with open(at('bin/diskwipe'), 'w', encoding='ascii') as f:
                f.write(FAKE)
            os.chmod(at('bin/diskwipe'), 0o755)
            with open(at('line'), 'w', encoding='ascii') as f:
                f.write((line or 'BOOT_IMAGE=/x quiet ' + ' '.join(words)) + '\n')
            env = {'PATH': at('bin') + ':/usr/bin:/bin', 'CALLED': at('called'),
                   'DISKWIPE_IMAGE': t, 'DISKWIPE_KEPT': at('kept'), 'DISKWIPE_CMDLINE': at('line'),
                   'STATUS': str(status)}
            subprocess.run([AUTO, '--quiet'], env=env, check=False, capture_output=True,
                           timeout=120)
            texts = []
            for name in ('called', 'notice'):
                try:
                    with open(at(name), encoding='utf-8') as f:
                        texts.append(f.read())
                except FileNotFoundError:
                    texts.append(None)
            return texts[0] and texts[0].splitlines(), texts[1]

    def test_all_three(self):
        args, said = self.called(AUTO_WORD, *SWITCHES)
        self.assertEqual(args[:4], ['erase', '--yes', '--expect-count=3',
                                    '--select=transport=sas and size>=2TB'])
        self.assertIn('ended with status 0: the disks that were meant are erased.', said)
        for status, what in ((1, 'nothing was begun, or no certificate was made'),
                             (2, 'no disk was taken'),
                             (3, 'not all of it was done'), (7, 'no disk was taken')):
            said = self.called(AUTO_WORD, *SWITCHES, status=status)[1]
            self.assertIn(f'ended with status {status}: {what}. What it said is in auto-', said)

    def test_as_the_boot_loader_quotes(self):
        args, _ = self.called(line='a=b "diskwipe.select=size>1TB and model~X*" '
                                   'diskwipe.yes diskwipe.method=zero '
                                   'diskwipe.expect-count=12 diskwipe.auto=erase')
        self.assertEqual(args[1:4], ['--yes', '--expect-count=12',
                                     '--select=size>1TB and model~X*'])
        self.assertIn('--method=zero', args)

    def test_one_or_more_missing(self):
        for n in range(3):
            for some in itertools.combinations(SWITCHES, n):
                args, said = self.called(AUTO_WORD, *some)
                self.assertIsNone(args, some)
                self.assertIn('No disk was taken', said)

    def test_not_consent(self):
        for bad in ('diskwipe.yes=no', 'diskwipe.yes=', 'xdiskwipe.yes', 'diskwipe.yesno',
                    'diskwipexyes'):
            self.assertIsNone(self.called(AUTO_WORD, bad, *SWITCHES[1:])[0], bad)
        for bad in ('diskwipe.expect-count', 'diskwipe.expect-count=0',
                    'diskwipe.expect-count=all'):
            args, _ = self.called(AUTO_WORD, SWITCHES[0], bad, SWITCHES[2])
            self.assertIsNone(args, bad)
        for bad in ('diskwipe.select', 'diskwipe.select='):
            self.assertIsNone(self.called(AUTO_WORD, *SWITCHES[:2], bad)[0], bad)

    def test_not_asked_or_a_station(self):
        for words in (SWITCHES, ('diskwipe.auto', *SWITCHES),
                      ('diskwipe.auto=yes', *SWITCHES),
                      (AUTO_WORD, 'diskwipe.mode=station', *SWITCHES)):
            self.assertIsNone(self.called(*words)[0], words)

    def test_not_understood(self):
        for bad, why in ((('x="y',), 'quote'), (("x='y",), 'quote'),
                         (('diskwipe.levels=purge',), 'unknown word diskwipe.levels=purge'),
                         (('diskwipe.expect_count=3',), 'unknown word'),
                         (('diskwipe.method',), 'unknown word diskwipe.method'),
                         (('diskwipe.yes=no',), 'unknown word diskwipe.yes=no'),
                         (('diskwipe.method=',), 'diskwipe.method has no value'),
                         (('diskwipe.level=""',), 'diskwipe.level has no value'),
                         (('diskwipe.select=transport=sas', 'and', 'size>=2TB'), 'put quotes')):
            args, said = self.called(AUTO_WORD, *SWITCHES, *bad)
            self.assertIsNone(args, bad)
            self.assertIn(why, said)
            self.assertEqual(said.count('\n'), 1, said)
        self.assertIn('no value', self.called('diskwipe.auto=', *SWITCHES)[1])

    def test_every_word_of_the_image(self):
        args, _ = self.called(AUTO_WORD, *SWITCHES[1:], 'diskwipe.yes=yes', 'diskwipe.image=X_1',
                              'diskwipe.mode=erase', 'diskwipe.lang=de', 'diskwipe.keyboard=fr',
                              'diskwipe.network', 'diskwipe.copy=no', 'diskwipe.level=purge',
                              'diskwipe.verify=full', 'diskwipe.method=zero', 'console=ttyS0')
        self.assertEqual(args[4:7], ['--method=zero', '--verify=full', '--level=purge'])

    def test_more_than_one_with_the_image(self):
        args, said = self.called(AUTO_WORD, *SWITCHES, several=True)
        self.assertIsNone(args)
        self.assertIn('more than one disk', said)


class Finds(unittest.TestCase):
    """What initramfs-boot takes for the stick, if blkid sees these disks, look after look."""

    def look(self, *looks):
        """The disk, and how many looks it took. The last of the looks goes on for ever."""
        with tempfile.TemporaryDirectory() as t:
            for n, names in enumerate(looks):
                with open(f'{t}/{n}', 'w', encoding='ascii') as f:
                    f.write(''.join(f'/dev/{name}\n' for name in names.split()))
            script = f"""
. {IMAGE}/initramfs-boot
echo 0 >{t}/n
blkid() {{
    n=$(cat {t}/n); echo $((n + 1)) >{t}/n
    [ -e {t}/$n ] || n={len(looks) - 1}
    cat {t}/$n
}}
sleep() {{ :; }}
image_say() {{ :; }}
image_find LABEL
echo "$disk" $(cat {t}/n)
"""
            p = subprocess.run(['sh', '-c', script], check=True, capture_output=True, text=True,
                               timeout=120)
        disk, count = p.stdout.split()
        return disk, int(count)

    def test_one(self):
        self.assertEqual(self.look('', '', 'fakea'), ('fakea', 12))

    def test_one_inside_comes_first(self):
        self.assertEqual(self.look(*['fakea'] * 9, *['fakea fakeb'] * 3, 'fakeb'), ('fakeb', 22))
        self.assertEqual(self.look(*['fakea'] * 9, '', 'fakea'), ('fakea', 20))
        self.assertEqual(self.look(*['fakea'] * 9, 'fakeb'), ('fakeb', 19))


class Stick(unittest.TestCase):
    """What stick keeps and protects. No name here is a disk's, so none is the one booted from."""

    def stick(self, labelled, listed='', **programs):
        """What the screens say, what is protected (None: no file), the mounts, and the status."""
        fakes = {'mount': 'echo "$@" >>"$T/mounts"', 'umount': ':', 'udevadm': ':',
                 'blkid': f'printf "{labelled}"', 'diskwipe': f"echo '{listed}'",
                 'timeout': 'shift; echo "$@" >>"$T/timed"; exec "$@"'} | programs
        with tempfile.TemporaryDirectory() as t:
            os.mkdir(f'{t}/bin')
            for name, text in fakes.items():
                with open(f'{t}/bin/{name}', 'w', encoding='ascii') as f:
                    f.write(f'#!/bin/sh\n{text}\n')
                os.chmod(f'{t}/bin/{name}', 0o755)
            for name, text in (('disk', 'fakea'), ('diskseq', '1'), ('label', 'X_0123456789ABCDEF'),
                               ('line', 'quiet')):
                with open(f'{t}/{name}', 'w', encoding='ascii') as f:
                    f.write(text + '\n')
            env = {'PATH': f'{t}/bin:/usr/bin:/bin', 'T': t, 'DISKWIPE_IMAGE': t,
                   'DISKWIPE_KEPT': f'{t}/kept', 'DISKWIPE_CMDLINE': f'{t}/line',
                   'DISKWIPE_STATE': f'{t}/state', 'DISKWIPE_CONF': f'{t}/conf'}
            p = subprocess.run([f'{IMAGE}/stick'], env=env, check=False, capture_output=True,
                               timeout=120)

            def text(name):
                try:
                    with open(f'{t}/{name}', encoding='ascii') as f:
                        return f.read().replace(t, '')
                except FileNotFoundError:
                    return None
            return {name: text(name) for name in ('notice', 'conf/image.conf', 'mounts', 'several',
                                                  'timed')} | {'status': p.returncode}

    def test_more_than_one(self):
        did = self.stick('/dev/fakea\\n/dev/fakeb\\n',
                         '{"disks": [{"serial": "SERIAL1", "wwn": null}]}')
        self.assertIn('NOTHING IS KEPT: more than one disk has this image (fakea fakeb)',
                      did['notice'])
        self.assertEqual(did['several'], 'fakea\nfakeb\n')
        self.assertEqual(did['conf/image.conf'], '[safety]\nprotect = SERIAL1, SERIAL1\n')
        self.assertNotIn('ext4', did['mounts'])

    def test_none_of_them_has_a_name(self):
        did = self.stick('/dev/fakea\\n/dev/fakeb\\n')
        self.assertIn('neither serial', did['notice'])
        self.assertEqual(did['conf/image.conf'], '[safety]\nprotect = /dev/fakea, /dev/fakeb\n')

    def test_pulled(self):
        """Another disk has the stick's name now. It is not protected in the stick's place."""
        did = self.stick('', '{"disks": [{"serial": "OTHER", "wwn": null}]}')
        self.assertIsNone(did['conf/image.conf'])
        self.assertIn('pulled and is not protected', did['notice'])
        did = self.stick('/dev/fakec\\n', '{"disks": [{"serial": "SERIAL1", "wwn": null}]}')
        self.assertIn('NOTHING IS KEPT: the stick was pulled', did['notice'])
        self.assertEqual(did['conf/image.conf'], '[safety]\nprotect = SERIAL1\n')
        self.assertIsNone(did['several'])

    def test_list_is_bounded(self):
        self.assertIn('diskwipe list --json /dev/fakec', self.stick('/dev/fakec\\n')['timed'])
        did = self.stick('/dev/fakec\\n', timeout='exit 124')
        self.assertEqual(did['conf/image.conf'], '[safety]\nprotect = /dev/fakec\n')

    def test_state_cannot_be_bound(self):
        did = self.stick('', mount='echo "$@" >>"$T/mounts"; case $* in *bind*) '
                                   '[ -e "$T/once" ] || { >"$T/once"; exit 1; } ;; esac')
        self.assertIn('folders cannot be made or mounted', did['notice'])
        self.assertEqual([line.split()[0] for line in did['mounts'].splitlines()],
                         ['-t', '--bind', '-t', '--bind'])
        did = self.stick('', mount='exit 1')
        self.assertIn('/state cannot be mounted, and is in memory', did['notice'])


unittest.main()
