# SPDX-License-Identifier: GPL-2.0-or-later
"""From a seed to disks, who attacks them and when, and how they are erased.

An action is what attack_guest.py does at its moment: "at" ("before" the job, or with so many bytes
"written" to or "read" from the disk), and then one of "enc" (words to the enclosure), "thief",
"map", "cache", "holder" (of holder.py, until the end of the job), "pretender" (attacker.py, in so
many namespaces). Everything is drawn here, so that a seed means the same whether its disks
are alone in the enclosure or not.
"""
import dataclasses

import fault_draw
from fault_draw import LONG, OLD

MIB = 1 << 20
# What may reach another disk before that is found out: so many bytes are written at most between
# two proofs of who a disk is (src/transport/lease.c), and what was under way comes on top.
LEASE = 64 * MIB


def compared(d):
    """Bytes that are written to compare addresses, before the first pass."""
    return 2 * (d.blocks.bit_length() + 4) * d.block


@dataclasses.dataclass
class Attack:
    """What is done to one disk. `stranger`: the disk that comes into its place; `bound`: bytes of
    it that may change. `shown`: blocks that a clipped disk shows; it is not plainly erased."""
    disk: object
    kind: str
    actions: list
    stranger: object = None
    bound: int = 0
    shown: int = 0


@dataclasses.dataclass
class Job(fault_draw.Job):
    attacks: list = dataclasses.field(default_factory=list)
    stop_at: int = 0  # bytes after which the job is stopped, to be resumed


class Draw(fault_draw.Draw):
    """The dice of one seed."""

    def options(self):
        r = self.r
        patterns = r.choice([['00'], ['00'], ['ff'], ['a5'], ['ff', '00']])
        verify = r.choice(['full', 'full', 'full', 'sample:10%', 'off'])
        depth = r.choice([1, 2, 4, 8])
        transfer = r.choice([16, 64, 128])
        options = [f'--depth={depth}', f'--verify={verify}', f'--controller=fixed:{transfer}',
                   f'--pattern={",".join(patterns)}', '--stall-budget=8s',
                   f'--command={r.choice(["auto", "write", "write", "write-same"])}']
        if self.chance(40):
            options.append(f'--flush-every={r.choice([256, 1024])}K')
        if self.chance(30):
            options.append('--write-cache=on')
        self.job = Job(self.seed, [], options, patterns, verify, depth, transfer)

    def disk(self, like=None, words='', mib=None, cached=False, size=None):
        """`cached`: has a block device, and so the kernel's cache; `size`: of a block."""
        r = self.r
        block = like.block if like else r.choice([512, 512, 512, 4096, 520])
        if cached and block == 520:
            block = 512
        block = size or block
        blocks = like.blocks if like else (mib or r.randint(1, 4)) * MIB // block
        d = fault_draw.Disk(self.next_target, block, blocks, 1,
                            like.wce if like else self.chance(60))
        self.next_target += 1
        d.config = (f'disk {d.target} block={block} blocks={blocks} wce={int(d.wce)} '
                    f'rpm={r.choice([1, 7200])} fill={OLD:#x} {words}')
        d.spare = like is not None
        self.job.disks.append(d)
        return d

    def slow_down(self, d):
        """Enough that things can happen meanwhile. The first fault that fits a command counts."""
        pieces = d.blocks // self.job.transfer + 1
        if not d.spare and d.blocks * d.block <= 4 * MIB:
            self.fault(d, 'slow', op='write,ws,read', ms=max(1, min(
                40, self.r.choice([200, 400]) * min(self.job.depth, 4) // pieces)), **LONG)

    def attack(self, d, kind, actions, stranger=None, bound=0, shown=0):
        self.job.attacks.append(Attack(d, kind, actions, stranger, bound, shown))
        d.fate = kind

    def moment(self, d):
        """Somewhere in the writing; the bytes are of all passes."""
        total = d.block * d.blocks * len(self.job.patterns)
        return {'written': compared(d) + int(total * self.r.uniform(0, 0.9))}

    def anywhere(self, d):
        r = self.r
        if self.job.verify == 'full' and self.chance(30):
            return {'read': int(d.block * d.blocks * r.uniform(0, 0.6))}
        return self.moment(d) if self.chance(85) else {'before': 1}

    def under_way(self):
        """Bytes that may be on their way to a disk when it goes."""
        return (2 * self.job.depth + 2) * max(self.job.transfer, 128) * 4096

    # --- another disk -----------------------------------------------------

    def swap(self):
        """The attention is heard by the job, or taken by a thief, or there is none."""
        r = self.r
        big = self.chance(12)
        d = self.disk(mib=160 if big else None)
        m = self.disk(like=d)
        how = r.choice(['heard', 'stolen', 'stolen', 'quiet', 'other'])
        words = {'heard': [f'swap {d.target} {m.target} {r.choice(["3f/0e", "29/00", "28/00"])}'],
                 'stolen': [f'swap {d.target} {m.target} {r.choice(["3f/0e", "29/00", "28/00"])}'],
                 'quiet': [f'swap {d.target} {m.target} quiet'],
                 'other': [f'swap {d.target} {m.target} 2a/09']}[how]
        do = {'enc': words}
        if how == 'stolen':
            do['thief'] = {'seconds': r.choice([0.1, 0.5]), 'threads': r.choice([1, 2])}
        bound = LEASE if how in ('stolen', 'quiet') else 0
        self.attack(d, f'swap-{how}', [dict(self.moment(d), **do)], m,
                    bound + self.under_way() + 4 * MIB)

    def replug(self):
        d = self.disk()
        m = self.disk(like=d)
        quiet = self.r.choice(['', ' quiet'])
        self.attack(d, 'replug', [dict(self.moment(d), enc=[
            f'gone {d.target}{quiet}', f'swap {d.target} {m.target} quiet',
            f'back {d.target}{quiet}'])], m, LEASE + self.under_way() + 4 * MIB)

    def nameless(self):
        # two that look alike are refused
        d = self.disk(words=f'nameless=1 model=PLAIN{self.next_target}')
        named = self.chance(40)
        m = self.disk(like=d, words='' if named else f'nameless=1 model=PLAIN{self.next_target}')
        quiet = self.chance(50)
        self.attack(d, 'nameless', [dict(self.moment(d), enc=[
            f'swap {d.target} {m.target} {"quiet" if quiet else "3f/0e"}'])], m,
                    LEASE + self.under_way() + 4 * MIB)

    # --- the same disk ----------------------------------------------------

    def deferred(self):
        """Some writes are lost; then, with much still to be written, the deferred error that tells
        of it is told to a thief. Before the loss, or after the last look, it tells nothing."""
        r = self.r
        d = self.disk(mib=4, size=512)
        pieces = d.blocks // self.job.transfer  # 64 or more, of which the first six may be lost
        self.fault(d, 'drop', op='write,ws', nth=r.randint(1, 3), count=r.randint(1, 3), **LONG)
        self.fault(d, 'slow', op='write,ws,read', ms=max(1, 800 * self.job.depth // pieces), **LONG)
        word = f'fault kind=check disk={d.target} op=0x00 deferred=1 sense=3/0c/00 count=1'
        at = {'written': compared(d) + int(d.block * d.blocks * r.uniform(0.2, 0.4))}
        self.job.options = [o for o in self.job.options if not o.startswith('--flush-every')]
        self.attack(d, 'deferred', [dict(at, enc=[word], thief={'seconds': 0.2, 'threads': 1})])

    def mapping(self):
        d = self.disk(cached=True)
        r = self.r
        pages = [r.randrange(d.block * d.blocks // 4096) for _ in range(r.choice([1, 3]))]
        self.attack(d, 'mapping', [dict(self.anywhere(d), map={
            'pages': pages, 'byte': OLD, 'again': r.choice([0, 0.2]),
            'hold': r.choice([0, 0.05, 0.3, 60])})])

    def holder(self):
        """A program that uses the disk and has no descriptor of it."""
        d = self.disk(cached=True)
        how = self.r.choice(['mapped', 'leader', 'thread', 'ring', 'ring-mapped'])
        self.attack(d, 'holder', [dict(self.anywhere(d), holder=how)])

    def pretender(self):
        """A user without rights, who says that he uses the disk: nothing comes of it."""
        d = self.disk(cached=True)
        self.attack(d, 'pretender', [dict(self.anywhere(d), pretender=self.r.choice([1, 30]))])
        d.fate = 'erased'

    def cache_flip(self):
        d = self.disk(cached=True)
        if d.wce:
            d.config = d.config.replace('wce=1', 'wce=0')
        self.job.options = [o for o in self.job.options if o != '--write-cache=on']
        first = self.moment(d)
        reset = {'written': first['written'] + int(d.block * d.blocks * self.r.uniform(0, 0.3))}
        # Without any attention it is found by the cache's state at the next confirmation: that of
        # a cache known to be on, with no sign at all, can be found by nobody.
        size = d.block * d.blocks
        one_pass = first['written'] // size == reset['written'] // size
        quiet = (self.chance(40) and one_pass and
                 not any(o.startswith('--flush-every') for o in self.job.options))
        self.attack(d, 'cache-flip', [
            dict(first, cache='write back'),
            dict(reset, enc=[f'reset {d.target}{" quiet" if quiet else ""}'])])

    def clipped(self):
        d = self.disk()
        shown = self.r.choice([d.blocks // 3, d.blocks - 8, d.blocks // 2])
        self.attack(d, 'clipped', [{'before': 1, 'enc': [f'clip {d.target} {shown}']}],
                    shown=shown)

    def short_read(self):
        """What did not arrive is old on the medium, where all of it is read."""
        d = self.disk()
        n = self.r.randint(1, self.job.transfer)
        if self.job.verify == 'full':
            self.fault(d, 'drop', op='write,ws', nth=self.nth(d), count=1, **LONG)
        self.fault(d, 'short', op='read', quiet=1, blocks=n, count=1000000, **LONG)
        self.attack(d, 'short-read', [])

    def wrong_read(self):
        d = self.disk()
        self.fault(d, 'corrupt', op='read', nth=self.nth(d), count=self.r.randint(1, 3), **LONG)
        self.attack(d, 'wrong-read', [])

    def foreign_resume(self):
        """Stopped; what lies below the mark becomes that of another medium; resumed."""
        d = self.disk()
        d.config = d.config.replace('wce=1', 'wce=0')
        half = d.block * d.blocks // 2
        self.job.stop_at = int(half * self.r.uniform(0.6, 1.2))
        self.attack(d, 'foreign-resume', [
            {'stopped': 1, 'enc': [f'plant {d.target} 0 {d.blocks} {OLD:#x}']}])

    def attacks(self):
        r = self.r
        if self.chance(8):
            self.foreign_resume()
            return
        kinds = [self.swap, self.swap, self.swap, self.replug, self.nameless, self.deferred,
                 self.mapping, self.mapping, self.cache_flip, self.clipped, self.short_read,
                 self.wrong_read, self.holder, self.pretender]
        for kind in r.sample(kinds, r.choice([1, 1, 2])):
            kind()


def draw(seed, first_target):
    """The job of a seed; its disks get numbers from first_target on."""
    d = Draw(seed, first_target)
    d.options()
    d.attacks()
    if d.chance(50):
        d.disk()  # which nobody attacks
    for disk in d.job.disks:
        d.slow_down(disk)
    return d.job
