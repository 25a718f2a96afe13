#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In the guest: plugs in one device of the corpus after the other, each alone on the machine, has
it listed, inspected and erased by the program, and says whether that is what must become of it.
A line for each: the name, and what is wrong, as JSON."""
import json
import os
import re
import shlex
import subprocess
import sys
import time

import corpus

PROGRAM = os.environ['DISKWIPE']
PATIENCE = 60  # seconds that a program may take: what hangs is told, and does not stop the others
BLOCKS = 8192


def shelf(line, must=True):
    """A control command as guest-enc sends it, without a program for each of thousands."""
    name = os.path.join(os.environ['ENCLOSURE_DIR'], 'ctl', str(os.getpid()))
    with open(name + '.tmp', 'x', encoding='utf-8') as f:
        f.write(line + '\n')
        f.flush()
        os.fsync(f.fileno())
    os.rename(name + '.tmp', name)
    if not wait(lambda: os.path.exists(name + '.out'), PATIENCE):
        raise corpus.Wrong(f'the shelf does not answer "{line}"')
    with open(name + '.out', encoding='utf-8') as f:
        word, _, said = f.read().partition('\n')
    os.unlink(name + '.out')
    if word != 'ok' and must:
        raise corpus.Wrong(f'the shelf does not take "{line}": {word}')
    return said


class Run:
    """What a program said; with port it sees the disks at such one."""

    def __init__(self, port, *args):
        around = [os.path.join(corpus.HERE, f'on-{port}')] if port else []
        start = time.monotonic()
        try:
            done = subprocess.run([*around, PROGRAM, *args], capture_output=True, text=True,
                                  check=False, timeout=PATIENCE)
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as e:
            self.status = 124
            self.out = (e.stdout or b'').decode(errors='replace')
            self.err = (e.stderr or b'').decode(errors='replace') + '\nit did not end'
        self.seconds = time.monotonic() - start
        try:
            self.json = json.loads(self.out)
        except ValueError:
            self.json = {}

    def disk(self, node):
        found = self.json.get('disks', []) + self.json.get('refused', [])
        for d in found:
            if d.get('device') == node or node in d.get('paths', []):
                return d
        return {}


def look(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


def write(path, text):
    try:
        with open(path, 'w', encoding='ascii') as f:
            f.write(text)
    except OSError:
        pass


def wait(what, seconds):
    end = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.005)
    return found


class Plugged:
    """A device whose disks are there, and its nodes."""

    def __init__(self, device, base):
        self.device, self.base = device, base
        self.formatted = []  # blocks that there are since then
        self.dirs = [self.plug(i) for i in range(device.disks)]
        for d in self.dirs:
            self.settle(d)
        self.nodes = [(['/dev/' + n for n in look(d + '/scsi_generic')] or [None])[0]
                      for d in self.dirs]

    def plug(self, i):
        """A further unit of a target is looked for, as its event names it by another number."""
        lun_of = self.device.lun_of(i)
        if lun_of is None:
            target, lun = self.base + i, 0
            shelf(f'back {self.base + i}')
        else:
            target = self.base + lun_of
            lun = 1 + len([j for j in range(i) if self.device.lun_of(j) == lun_of])
            shelf(f'back {self.base + i} quiet')
            write('/sys/class/scsi_host/host0/scan', f'0 {target} {lun}')
        path = f'/sys/class/scsi_device/0:0:{target}:{lun}/device'
        wait(lambda: look(path + '/scsi_generic'), 20)
        return path

    @staticmethod
    def settle(path):
        """The kernel's driver has looked at it, or does not want it."""
        def count(name):
            try:
                with open(f'{path}/{name}', encoding='ascii') as f:
                    return int(f.read(), 16)
            except OSError:
                return 0

        last, same = None, 0
        wait(lambda: look(path + '/block'), 0.3)
        while same < 4:
            now = (count('iorequest_cnt'), count('iodone_cnt'))
            same = same + 1 if now == last and now[0] == now[1] else 0
            last = now
            time.sleep(0.005)

    def unplug(self):
        for i in reversed(range(self.device.disks)):
            shelf(f'clear {self.base + i}')
            if self.device.lun_of(i) is None:
                shelf(f'gone {self.base + i}', must=False)
            else:
                write(self.dirs[i] + '/delete', '1')
                shelf(f'gone {self.base + i} quiet', must=False)
        wait(lambda: not any(os.path.exists(d) for d in self.dirs), 20)

    def holds(self, i):
        blocks = self.blocks(i)
        return shelf(f'holds {self.base + i} 0 {blocks}').split('\n')[:-1]

    def blocks(self, i):
        if self.formatted and self.formatted[i]:
            return self.formatted[i]
        for line in self.device.shelf:
            m = re.match(rf'disk {i} .*\bblocks=(\w+)', line)
            if m:
                return int(m[1], 0)
        return BLOCKS

    def sent(self, i):
        stats = json.loads(shelf('stats'))
        for d in stats['disks']:
            if d['disk'] == self.base + i:
                return {int(k, 16): v for k, v in d['opcodes'].items()}
        return {}


class Trial:
    def __init__(self, plugged):
        self.plugged, self.device = plugged, plugged.device
        self.before = [plugged.holds(i) for i in range(self.device.disks)]
        for line in self.device.later:
            shelf(self.device.addressed(line, plugged.base))
        self.sent = [plugged.sent(i) for i in range(self.device.disks)]
        nodes = [n for n in plugged.nodes if n]
        self.format = None
        if self.device.format:
            self.format = Run(self.device.port, 'format', '--yes', f'--expect-count={len(nodes)}',
                              '--json', *shlex.split(self.device.format), *nodes)
            plugged.formatted = [self.format.disk(n).get('blocks') for n in plugged.nodes]
            self.before = [plugged.holds(i) for i in range(self.device.disks)]
        self.list = Run(self.device.port, 'list', '--json')
        self.inspect = Run(self.device.port, 'inspect', '--json', *nodes)
        self.erase = Run(self.device.port, '--yes', f'--expect-count={self.count(nodes)}', '--json',
                         '--progress=none', *shlex.split(self.device.run), *nodes)
        self.after = [plugged.holds(i) for i in range(self.device.disks)]

    def count(self, nodes):
        refused = [e.disk for e in self.device.expect if e.verb in ('refused', 'unlisted')]
        return max(len(nodes) - len(set(refused + self.device.ports)), 1)

    def judge(self):
        wrong = []
        for e in self.device.expect:
            what = getattr(self, 'expect_' + e.verb.replace('-', '_'))(e)
            if what:
                wrong.append(f'expect {e.disk}: {e.text}: {what}')
        return wrong

    def expect_result(self, e):
        """A member of the erase's result, by a path of keys."""
        return self.compare(self.erase.disk(self.plugged.nodes[e.disk]), e.rest)

    def expect_list(self, e):
        return self.compare(self.list.disk(self.plugged.nodes[e.disk]), e.rest)

    def expect_inspect(self, e):
        d = self.inspect.disk(self.plugged.nodes[e.disk])
        flat = dict(d, **{k: v['value'] for k, v in d.get('abilities', {}).items()})
        return self.compare(flat, e.rest)

    @staticmethod
    def compare(found, rest):
        key, _, want = rest.partition('=')
        for k in key.split('.'):
            found = found.get(k) if isinstance(found, dict) else None
        got = found if isinstance(found, str) else json.dumps(found)
        want = want[1:-1] if want.startswith('"') else want
        return '' if got == want else f'it is {got}'

    def outcome(self, e, run=None):
        run = run or self.erase
        d = run.disk(self.plugged.nodes[e.disk])
        said = ' '.join(run.err.split())[-400:]
        if 'outcome' in d:
            return d['outcome'], f'{d.get("reason")}'
        if 'kind' in d:
            return 'refused', d['reason']
        return f'nothing (status {run.status})', said

    def expect_format(self, e):
        """What became of it when it was formatted, which was before the three."""
        want, _, words = e.rest.partition(' ')
        got, why = self.outcome(e, self.format)
        if got != want:
            return f'{got}: {why}'
        return '' if words.lower() in why.lower() else f'the reason is {why}'

    def ended(self, e, want, words):
        got, why = self.outcome(e)
        if got != want:
            return f'{got}: {why}'
        if words.lower() not in f'{why} {self.text(self.erase)}'.lower():
            return f'the reason is {why}'
        return ''

    def expect_erased(self, e):
        wrong = self.ended(e, 'erased', '')
        if wrong:
            return wrong
        if e.rest == 'by itself':  # to whatever it leaves
            return 'it holds what it did' if self.after[e.disk] == self.before[e.disk] else ''
        spared = e.rest.removeprefix('but ')
        left = [r for r in self.after[e.disk] if r.split() not in ([spared, 'mixed'], )
                and not r.endswith(' 0x00')]
        return f'"erased", and it holds {left[:4]}' if left else ''

    def expect_erased_with_exceptions(self, e):
        return self.ended(e, 'erased-with-exceptions', e.rest)

    def expect_failed(self, e):
        return self.ended(e, 'failed', e.rest)

    def expect_refused(self, e):
        wrong = self.ended(e, 'refused', e.rest)
        if not wrong and self.after[e.disk] != self.before[e.disk]:
            wrong = f'refused, and it holds {self.after[e.disk][:4]}'
        return wrong

    def expect_unlisted(self, e):
        if self.list.disk(self.plugged.nodes[e.disk]):
            return 'it is listed'
        if 'sanitize' not in self.device.run and self.after[e.disk] != self.before[e.disk]:
            return f'it holds {self.after[e.disk][:4]}'
        return ''

    @staticmethod
    def text(*runs):
        return ' '.join(' '.join((r.err + r.out).split()) for r in runs)

    def expect_notice(self, e):
        text = self.text(self.list, self.inspect, self.erase)
        return '' if e.rest.lower() in text.lower() else \
            f'nobody says so; the erase says: {self.erase.err.strip()[-300:]}'

    def expect_silent(self, e):
        text = self.text(self.list, self.inspect, self.erase)
        return 'it is said' if e.rest.lower() in text.lower() else ''

    def expect_never(self, e):
        return self.at_most(e.disk, int(e.rest, 0), 0)

    def expect_most(self, e):
        code, most = (int(v, 0) for v in e.rest.split())
        return self.at_most(e.disk, code, most)

    def expect_least(self, e):
        code, least = (int(v, 0) for v in e.rest.split())
        n = self.sent_since(e.disk, code)
        return f'it is sent {n} times' if n < least else ''

    def sent_since(self, disk, code):
        return self.plugged.sent(disk).get(code, 0) - self.sent[disk].get(code, 0)

    def at_most(self, disk, code, most):
        n = self.sent_since(disk, code)
        return f'it is sent {n} times' if n > most else ''

    def expect_holds(self, e):
        lo_hi, want = e.rest.split()
        lo, hi = (int(v, 0) for v in lo_hi.split('-'))
        got = shelf(f'holds {self.plugged.base + e.disk} {lo} {hi - lo + 1}').split()[1::2]
        return '' if set(got) == {want} else f'it holds {got[:4]}'

    def expect_within(self, e):
        took = self.list.seconds + self.inspect.seconds + self.erase.seconds
        return f'it takes {took:.1f} s' if took > float(e.rest) else ''


def main():
    for name, base in (a.split('=') for a in sys.argv[1:]):
        device, = corpus.read([name])
        start = time.monotonic()
        plugged = Plugged(device, int(base))
        trial = Trial(plugged)
        wrong = trial.judge()
        print(json.dumps({'name': name, 'wrong': wrong, 'seconds': time.monotonic() - start,
                          'said': trial.erase.err[-2000:] if wrong else ''}), flush=True)
        plugged.unplug()


main()
