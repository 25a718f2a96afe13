# SPDX-License-Identifier: GPL-2.0-or-later
"""An emulated machine that boots the image: its serial line as a screen, its disks as files."""
import atexit
import codecs
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'cli'))
# pylint: disable=wrong-import-position
from vt import Screen  # noqa: E402

LIMIT = 2400  # seconds for what a machine without acceleration does; only to end a test that hangs
FIRMWARE = '/usr/share/OVMF'
MIB = 1 << 20
# An emulator without acceleration pays for these in each copy of memory, access and call, or a
# kernel loads modules for them: a fifth of the processor's time until the first screen.
CPU = 'max,erms=off,smap=off,la57=off,svm=off,aes=off,pclmulqdq=off'
STICK = {'driver': 'usb-storage', 'id': 'ustick', 'bus': 'xhci.0', 'drive': 'stick',
         'serial': 'STICK0001'}


def make_disk(path, mib, fill=None):
    """A file of mib MiB: of random bytes, or of fill in every byte."""
    with open(path, 'wb') as f:
        for _ in range(mib):
            f.write(os.urandom(MIB) if fill is None else bytes([fill]) * MIB)
    return path


def make_stick(image, path, mib):
    """What becomes of the image on a stick of mib MiB; holes take no room."""
    shutil.copyfile(image, path)
    os.truncate(path, mib * MIB)
    return path


def file_node(name, path):
    """Its flushes are not passed on to the disk of this machine, whose power is not cut."""
    return ['-blockdev', f'driver=raw,node-name={name},cache.no-flush=on,file.driver=file,'
            f'file.cache.no-flush=on,file.filename={path}']


class Machine:
    """One boot. Disks are pairs of file and serial number, behind virtio-scsi; each writes `speed`
    MiB a second."""

    def __init__(self, folder, *, stick=None, cd=None, disks=(), uefi='', memory=1536, speed=16,
                 extra=()):
        self.folder, self.seen, self.log = folder, '', ''
        self.decoder = codecs.getincrementaldecoder('utf-8')('replace')
        self.screen = Screen(80, 24)
        self.begun = time.monotonic()
        self.qmp_path = os.path.join(folder, 'qmp')
        command = ['qemu-system-x86_64', '-accel', 'tcg', '-cpu', CPU, '-smp', '1',
                   '-m', str(memory), '-vga', 'std',
                   '-machine', 'q35,smm=' + ('on' if uefi else 'off'),
                   '-nodefaults', '-display', 'none', '-no-reboot',
                   '-serial', 'stdio', '-qmp', f'unix:{self.qmp_path},server=on,wait=off',
                   '-device', 'virtio-scsi-pci,id=hba', '-device', 'qemu-xhci,id=xhci']
        if uefi:
            variables = os.path.join(folder, 'vars')
            if not os.path.exists(variables):
                shutil.copyfile(f'{FIRMWARE}/OVMF_VARS_4M.{uefi}fd', variables)
            command += ['-global', 'driver=cfi.pflash01,property=secure,value=on',
                        '-drive', 'if=pflash,format=raw,readonly=on,unit=0,'
                        f'file={FIRMWARE}/OVMF_CODE_4M.{uefi}fd',
                        '-drive', f'if=pflash,format=raw,unit=1,file={variables}']
        if stick:
            command += file_node('stick', stick) + ['-device', json.dumps(STICK | {'bootindex': 0})]
        if cd:
            command += ['-blockdev',
                        f'driver=raw,node-name=cd,read-only=on,file.driver=file,file.filename={cd}',
                        '-device', 'ide-cd,bus=ide.0,drive=cd,bootindex=0']
        for n, (path, serial) in enumerate(disks):
            command += self.drive(f'd{n}', path, speed) + [
                '-device', f'scsi-hd,bus=hba.0,drive=d{n},serial={serial}']
        with open(os.path.join(folder, 'qemu.log'), 'ab') as errors:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(command + list(extra), stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=errors)
        atexit.register(self.process.kill)  # also when the test is interrupted

    @staticmethod
    def drive(name, path, speed):
        return ['-drive', f'if=none,id={name},format=raw,cache=unsafe,'
                f'throttling.bps-write={speed * MIB},file={path}']

    def pull(self):
        """The stick; it is gone when the answer comes."""
        self.ask('device_del', id=STICK['id'])

    def plug_in(self):
        self.ask('device_add', **STICK)

    def read(self, seconds=0.2):
        """False when the machine has ended."""
        fd = self.process.stdout.fileno()
        if not select.select([fd], [], [], seconds)[0]:
            return True
        data = os.read(fd, 65536)
        text = self.decoder.decode(data)
        self.log += text
        with open(os.path.join(self.folder, 'log'), 'a', encoding='utf-8') as f:
            f.write(text)
        self.seen = self.screen.feed(self.seen + text)
        return bool(data)

    def wait_for(self, pattern, limit=LIMIT, again=''):
        """The match of what the serial line shows; `again` is a key that shows it again, for what
        the machine takes a while to notice."""
        end = time.monotonic() + limit
        asked = 0.0
        while not (m := re.search(pattern, self.screen.text(), re.S | re.M)):
            if again and time.monotonic() > asked + 5:
                self.type(again)
                asked = time.monotonic()
            if not self.read():
                raise AssertionError(f'it has ended, no {pattern!r} in\n{self.screen.text()}')
            if time.monotonic() > end:
                raise AssertionError(f'no {pattern!r} within {limit} s in\n{self.screen.text()}')
        return m

    def type(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def ask(self, command, **arguments):
        """A command of QMP, and its answer."""
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(self.qmp_path)
            f = s.makefile('rw', encoding='utf-8')
            f.readline()
            for line in ({'execute': 'qmp_capabilities'},
                         {'execute': command, 'arguments': arguments}):
                f.write(json.dumps(line) + '\n')
                f.flush()
                answer = json.loads(f.readline())
                while 'event' in answer:
                    answer = json.loads(f.readline())
            if 'error' in answer:
                raise AssertionError(f'{command}: {answer["error"]}')
            return answer['return']

    def cut(self):
        """The power is cut: nothing is flushed by the machine's system."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def ended(self, limit=LIMIT):
        """The machine switches itself off."""
        end = time.monotonic() + limit
        while self.read():
            if time.monotonic() > end:
                raise AssertionError(f'it does not switch off:\n{self.screen.text()}')
        self.process.wait()

    def age(self):
        return time.monotonic() - self.begun
