#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the image, boots it by BIOS and UEFI, and does what somebody at a serial line would do.

boots.py [NAME...]; DW_IMAGE names an image that is there already, made as MAKE has it where its
bytes are compared, DW_IMAGE_KEEP the folder of --keep; DW_PREBUILT what is compiled."""
import atexit
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
from machine import FIRMWARE, LIMIT, MIB, Machine, file_node, make_disk, make_stick  # noqa: E402

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
# What is shipped is compressed for a minute and a quarter of a processor's time. The kernel's
# watchdog writes over screens where an emulator has had no processor for a while. To zero each page
# that the kernel takes is a fifth of what an emulator does until the first screen. Where others
# have the processor, the kernel finds its timer broken and ends, or takes a slower clock.
MAKE = ('env', 'SOURCE_DATE_EPOCH=1790000000', TOP + '/tools/dev/image', '--quick',
        '--words', 'mitigations=off nowatchdog init_on_alloc=0 no_timer_check tsc=reliable')
IMAGE = os.environ.get('DW_IMAGE')
KEEP = os.environ.get('DW_IMAGE_KEEP')
LIST = r'^\?=help q=quit'
NOTICE = r'Enter( goes on|: weiter)\.'
MENU = r'o +switch off'


def setUpModule():
    global IMAGE, KEEP  # pylint: disable=global-statement
    for needed in ('qemu-system-x86_64', 'e2fsck', 'debugfs', 'mkfs.vfat', 'mdir', FIRMWARE):
        if not (os.path.exists(needed) or shutil.which(needed)):
            print(f'SKIPPED: no {needed} here; run tools/dev/setup qemu image')
            sys.exit(77)
    work = tempfile.mkdtemp(prefix='diskwipe-image-')
    atexit.register(shutil.rmtree, work, True)
    if not IMAGE:
        KEEP, IMAGE = work + '/keep', work + '/image.iso'
        run(TOP + '/tools/dev/debs', '--no-lint', '--jobs', '1', '--prebuilt',
            os.environ['DW_PREBUILT'], work + '/debs')
        run(*MAKE, '--debs', work + '/debs', '--keep', KEEP, '-o', IMAGE)


def run(*command):
    p = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True,
                       text=True, timeout=1800)
    if p.returncode == 77:
        print(p.stderr)
        sys.exit(77)
    if p.returncode:
        raise AssertionError(f'{command}: {p.returncode}\n{p.stdout}{p.stderr}')
    return p.stdout


def third_partition(stick):
    """Its place in bytes, from the table in the first block; (0, 0) if there is none."""
    with open(stick, 'rb') as f:
        start, size = struct.unpack('<II', f.read(512)[446 + 2 * 16 + 8:446 + 2 * 16 + 16])
    return start * 512, size * 512


class Boots(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='diskwipe-image-')
        atexit.register(shutil.rmtree, self.folder, True)
        self.addCleanup(shutil.rmtree, self.folder)
        self.stick = make_stick(IMAGE, self.at('stick'), 512)

    def at(self, name):
        return os.path.join(self.folder, name)

    def boot(self, first, entry='', down=0, words='', **more):
        """Up to the first screen."""
        m = Machine(self.folder, **({'stick': self.stick} | more))
        self.addCleanup(m.cut)
        if entry:
            self.choose(m, entry, down, words)
        m.wait_for(first)
        print(f'to the screen: {m.age():.0f} s')
        return m

    def kept(self, path=''):
        """A file of the stick's own partition as bytes; the stick is not in use."""
        start, size = third_partition(self.stick)
        self.assertGreater(size, 0)
        with open(self.stick, 'rb') as stick, open(self.at('partition'), 'wb') as part:
            stick.seek(start)
            for _ in range(0, size, MIB):
                part.write(stick.read(MIB))
        subprocess.run(['e2fsck', '-p', self.at('partition')], check=False, capture_output=True)
        run('e2fsck', '-fn', self.at('partition'))
        out = self.at('out')
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        run('debugfs', '-R', f'rdump {path or "/"} {out}', self.at('partition'))
        return {os.path.relpath(os.path.join(d, n), out)
                for d, _, names in os.walk(out) for n in names}

    @staticmethod
    def choose(m, entry, down, words=''):
        """In the boot menu; Ctrl-N, as an Escape that comes slowly is a key of its own there.
        `words` are put behind those of the kernel, whose line is the third."""
        m.wait_for(entry)
        for _ in range(down):
            m.type('\x0e')
        m.wait_for(rf'\*diskwipe[^|*]*{entry}')
        if words:
            m.type('e')
            m.wait_for('initrd /live/initrd')
            m.type(f'\x0e\x0e\x05 {words}')
            m.wait_for(r'[^\w.=]*'.join(map(re.escape, words)))  # a long line is in two
        m.type('\x18' if words else '\r')

    @staticmethod
    def mark(m, *serials):
        """By arrows and the space bar, as a person does."""
        rows = re.findall(r'(?m)^. .{3} (/dev/\S+) .*$', m.screen.text())
        lines = [line for line in m.screen.lines() if re.match(r'. .{3} /dev/', line)]
        m.type('\033OH')
        for n, _ in enumerate(rows):
            if n:
                m.type('\033OB')
            if any(s in lines[n] for s in serials):
                m.type(' ')
        m.wait_for(rf'^{len(serials)} marked|{len(serials)} marked')

    def shell(self, m, command, pattern, menu=MENU):
        """A line in the menu's shell, and what it must show."""
        m.wait_for(menu)
        m.type('x')
        m.wait_for(r'root@diskwipe:~#\s*\Z')
        m.type(f'clear; {command}\r')
        found = m.wait_for(pattern)
        m.type('exit\r')
        m.wait_for(menu)
        return found

    def zeros(self, name):
        with open(self.at(name), 'rb') as f:
            return not f.read().strip(b'\0')

    def erase_one(self, m, serial, *, certificate=False):
        """From the list on; up to what is typed as consent."""
        m.wait_for(LIST)
        self.mark(m, serial)
        if certificate:
            m.type('c')
            m.wait_for('certificate, ')
        m.type('s')
        m.wait_for(r'type the last \d characters of its serial:\s*\Z')
        m.type(serial[-4:] + '\r')

    def erase_three(self, m):
        """Of four; from the list to the menu."""
        m.wait_for(LIST)
        # the stick has no box
        self.assertRegex(m.screen.text(), r'(?m)^.  - {2}/dev/\S+ .*STICK0001 (mounted|protected)')
        self.mark(m, 'DISK0000', 'DISK0001', 'DISK0002')
        m.type('c')
        m.wait_for('certificate, ')
        m.type('s')
        m.wait_for(r'type the number of disks above:\s*\Z')
        m.type('3\r')
        m.wait_for('3 of 3 disks erased')
        m.wait_for(MENU)
        for n in range(3):
            self.assertTrue(self.zeros(f'd{n}'))
        self.assertFalse(self.zeros('d3'))

    def test_uefi_full_and_pulled(self):
        """Secure Boot with the keys that machines are sold with."""
        disks = [(make_disk(self.at(f'd{n}'), 16), f'DISK000{n}') for n in range(4)]
        m = self.boot(LIST, uefi='ms.', disks=disks)
        m.type('q')
        self.shell(m, 'dmesg | grep -i "secure boot"', 'Secure boot enabled')
        self.shell(m, 'cd /media/diskwipe; fallocate -l $(df --output=avail -B1 . | tail -n 1)'
                   ' fill; dd if=/dev/zero of=more bs=4k; df .; cd', '100% /media/diskwipe')
        m.type('\r')
        self.erase_one(m, 'DISK0000', certificate=True)
        # nothing is begun whose record would have no place: the key has none
        m.wait_for(r'No space left.*Enter goes back to the list:\s*\Z')
        m.type('\r')
        m.wait_for(LIST)
        self.assertFalse(self.zeros('d0'))
        m.type('q')
        self.shell(m, 'rm /media/diskwipe/{fill,more}; df /media/diskwipe', r'\d% /media/diskwipe')
        m.type('\r')
        self.erase_three(m)
        m.pull()
        m.wait_for('THE STICK WAS PULLED', again='?')
        m.type('\r')
        m.wait_for(LIST)
        self.assertNotIn('STICK0001', m.screen.text())
        m.plug_in()
        m.wait_for(r'^.  - {2}/dev/\S+ .*STICK0001 protected', again='r')
        m.type('q')
        m.wait_for(MENU)
        m.type('o')
        m.ended()
        files = self.kept()
        self.assertTrue([f for f in files if re.match(r'certificates/diskwipe-\d+-\d+\.pdf', f)],
                        files)
        self.assertTrue([f for f in files if f.startswith('state/erase/records/')], files)

    def station(self, disk, speed):
        return self.boot('DISK0000', 'as a station', 3, speed=speed, disks=[(disk, 'DISK0000')])

    def start_one(self, m):
        """Up to the question. On a busy machine the service may be asked in vain at first; the next
        key takes away what is said of that."""
        question, in_vain = r'Type the last \d characters of its serial:', 'does not answer'
        for _ in range(20):
            m.type('s')
            if not re.search(in_vain, m.wait_for(f'{question}|{in_vain}')[0]):
                return
            m.type('\033OH')
            end = time.monotonic() + LIMIT
            while in_vain in m.screen.text():
                self.assertTrue(m.read() and time.monotonic() < end)
        self.fail('the service never answers')

    def test_station_cut_twice(self):
        disk = make_disk(self.at('d0'), 256)
        m = self.station(disk, 4)  # a minute, of which a fifth is seen
        self.start_one(m)
        m.type('0000\r')
        m.wait_for(r' [2-9]\d%')
        m.cut()
        self.assertFalse(self.zeros('d0'))
        m = self.station(disk, 16)
        m.wait_for(r'\d:0:0:0[^\n]*\berased\b')
        m.type('q')
        # what is signed is on the stick at once; signing comes after the word on the screen
        self.shell(m, 'until diskwipe records list /var/lib/diskwipe/records | grep DISK0000; do'
                   ' sleep 1; done; echo signed=$((6*7))', 'signed=42')
        m.cut()
        self.assertTrue(self.zeros('d0'))
        records = [f for f in self.kept() if re.match(r'state/records/record-\d+\.json$', f)]
        texts = []
        for name in records:
            with open(os.path.join(self.at('out'), name), encoding='utf-8') as f:
                texts.append(f.read())
        self.assertTrue([t for t in texts if '"DISK0000"' in t and '"erased"' in t], texts)
        run(os.environ['DISKWIPE'], 'records', 'verify',
            '--signers=' + self.at('out/state/signers'), self.at('out/state/records'))

    def test_cd_and_copy(self):
        """In German; nothing is erased unasked without all of the words, and no network is there
        without its own; what is in memory goes to a second stick."""
        second = make_disk(self.at('second'), 64, 0)
        run('mkfs.vfat', '-n', 'SECOND', second)
        m = self.boot(NOTICE, 'Deutsch', 1, 'diskwipe.auto=erase diskwipe.yes', stick=None,
                      cd=IMAGE, disks=[(make_disk(self.at('d0'), 16), 'DISK0000')],
                      extra=file_node('second', second) + [
                          '-device', 'usb-storage,bus=xhci.0,drive=second,serial=SECOND'])
        said = ' '.join(m.screen.text().split('\n'))
        self.assertIn('NOTHING IS KEPT: this was booted from a CD', said)
        self.assertRegex(said, 'expect-count=N is mis *sing.* No disk was *taken')
        self.assertFalse(self.zeros('d0'))
        m.type('\r')
        m.wait_for(LIST)
        m.type('q')
        self.shell(m, 'systemctl is-active systemd-networkd; until dumpkeys -C /dev/tty1 |'
                   ' grep -E "^keycode +21 = [+]?z"; do sleep 1; done',
                   r'^inactive\nkeycode +21 = [+]?z', r'o +ausschalten')
        m.type('\r')
        self.erase_one(m, 'DISK0000', certificate=True)
        m.wait_for('1 of 1 disk erased')
        m.wait_for('o +ausschalten')
        m.type('c')
        m.wait_for(r'1 +/dev/\S+ +vfat +64 MiB +SECOND')
        m.type('1\r')
        m.wait_for('kann abgezogen werden')
        m.cut()
        self.assertTrue(self.zeros('d0'))
        names = run('mdir', '-/', '-b', '-i', second, '::')
        self.assertRegex(names, r'diskwipe-\d+-\d+/certificates/diskwipe-\d+-\d+\.pdf')
        self.assertRegex(names, r'/records/')
        self.assertNotIn('.key', names)

    def test_same_bytes(self):
        run(*MAKE, '--assemble', KEEP, '-o', self.at('again'))
        run('cmp', IMAGE, self.at('again'))


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    unittest.main(verbosity=2)
