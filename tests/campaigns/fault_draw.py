# SPDX-License-Identifier: GPL-2.0-or-later
"""From a seed to disks, what goes wrong with them, and how they are erased.

Everything is drawn here and written out in full, so that a seed means the same whether its
disks are alone in the enclosure or share it with those of other seeds.
"""
import dataclasses
import random

OLD = 0x5A  # what every byte of the disks holds before


@dataclasses.dataclass
class Disk:
    """One disk. `bad`: LBAs with medium errors. `fate`: what its faults make of it at worst.
    `strikes`, `rewinds`: failures in a row, and returns to the last flush, if all come at the
    worst time. `ends`: it is taken away, exchanged or made useless for good. `lies`: it
    says good and does nothing. `target` is its number in the enclosure."""
    target: int
    block: int
    blocks: int
    physical: int
    wce: bool
    spare: bool = False
    config: str = ''
    faults: list = dataclasses.field(default_factory=list)
    bad: set = dataclasses.field(default_factory=set)
    fate: str = 'erased'
    ends: bool = False
    lies: bool = False
    strikes: int = 0
    rewinds: int = 0
    swapped_with: object = None
    quiet_swap: bool = False

    @property
    def serial(self):
        return f'ENC01D{self.target:04d}'

    def widened(self):
        """The LBAs that a medium error can make fail: physical blocks fail as a whole."""
        firsts = {bad - bad % self.physical for bad in self.bad}
        return {first + i for first in firsts for i in range(self.physical)}


@dataclasses.dataclass
class Job:
    """One seed: its disks, the options, and the patterns that these mean."""
    seed: int
    disks: list
    options: list
    patterns: list
    verify: str
    depth: int
    transfer: int

    @property
    def erased(self):
        return [d for d in self.disks if not d.spare]


# Commands of the passes, which what a job writes and reads to compare addresses is not: that is
# one block at a time.
LONG = {'min': 2}


class Draw:
    """The dice of one seed."""

    def __init__(self, seed, first_target):
        self.r = random.Random(f'faults {seed}')
        self.seed = seed
        self.next_target = first_target
        self.job = None

    def chance(self, percent):
        return self.r.random() * 100 < percent

    def options(self):
        r = self.r
        patterns = r.choice([['00'], ['00'], ['00'], ['00'], ['ff'], ['a5'], ['ff', '00'],
                             ['00', 'ff', 'a5'], ['random', '00'], ['random'],
                             ['random'], ['00', 'random']])
        verify = r.choice(['full'] * 8 + ['sample:10%', 'off'])
        depth = r.choice([1, 1, 2, 3, 4, 8])
        transfer = r.choice([8, 16, 24, 32, 64, 100])
        command = r.choice(['auto', 'auto', 'write', 'write', 'write-same'])
        strategy = r.choice(['parallel', 'parallel', 'sequential', 'round-robin',
                             'longest-first'])
        options = [f'--strategy={strategy}', f'--depth={depth}', f'--verify={verify}',
                   f'--controller=fixed:{transfer}', f'--pattern={",".join(patterns)}',
                   f'--command={command}', '--stall-budget=40s']
        if strategy == 'longest-first':
            options.append(f'--active={r.randint(1, 3)}')
        if self.chance(40):
            options.append(f'--flush-every={r.choice([32, 64, 200])}K')
        if self.chance(25):
            options.append('--write-cache=on')
        self.job = Job(self.seed, [], options, patterns, verify, depth, transfer)

    def disk(self, like=None):
        r = self.r
        block = like.block if like else r.choice([512, 512, 512, 4096, 520])
        blocks = like.blocks if like else r.randint(96 << 10, 512 << 10) // block
        exponent = 3 if block == 512 and self.chance(30) else 0
        wce = self.chance(70)
        d = Disk(self.next_target, block, blocks, 1 << exponent, wce)
        self.next_target += 1
        d.config = (f'disk {d.target} block={block} blocks={blocks} phys={exponent} '
                    f'wce={int(wce)} dsense={int(self.chance(40))} '
                    f'rpm={r.choice([1, 7200, 7200])} ndob={int(self.chance(50))} '
                    f'fill={OLD:#x}')
        self.job.disks.append(d)
        return d

    def nth(self, d):
        """The number of a writing command that may well come."""
        pieces = d.blocks // self.job.transfer + 1
        return self.r.randint(1, max(2, pieces * len(self.job.patterns)))

    def lba(self, d):
        return self.r.choice([0, d.blocks - 1, self.r.randrange(d.blocks),
                              self.r.randrange(d.blocks), self.r.randrange(d.blocks)])

    def fault(self, d, kind, **keys):
        words = ' '.join(f'{k}={v}' for k, v in keys.items())
        d.faults.append(f'fault kind={kind} disk={d.target} {words}')

    def tire(self, d, strikes=0, rewinds=0):
        """Some of it passes; too much of it at a stretch is the end."""
        d.strikes += strikes
        d.rewinds += rewinds
        if d.strikes > 10 or d.rewinds > 5:
            d.fate = 'lost'

    # --- what passes ------------------------------------------------------

    def retried(self, d):
        r = self.r
        writing = {'op': 'write,ws', 'nth': self.nth(d), 'count': r.randint(1, 4), **LONG}
        kind = r.choice(['abort', 'busy', 'tsf', 'check', 'response', 'response', 'stall',
                         'short', 'torn', 'torn', 'recovered'])
        self.tire(d, writing['count'], writing['count'] if kind in ('response', 'stall') else 0)
        if kind == 'check':
            self.fault(d, 'check', sense=r.choice(['b/47/01', 'b/4b/00', 'b/00/00']),
                       done=r.randint(0, 1), **writing)
        elif kind == 'response':
            self.fault(d, 'response', done=r.randint(0, 1), response=r.choice(
                ['transport_failure', 'failure', 'reset', 'aborted', 'busy']), **writing)
        elif kind == 'stall':
            writing['count'] = 1
            self.fault(d, 'stall', seconds=r.choice([0.05, 0.2]),
                       end=r.choice(['aborted', 'reset']), **writing)
        elif kind in ('short', 'torn'):
            self.fault(d, kind, blocks=r.randint(1, self.job.transfer - 1), **writing)
        elif kind == 'recovered':
            self.fault(d, 'check', sense='1/0c/01', done=1, **writing)
        else:
            self.fault(d, kind, **writing)

    def attention(self, d):
        self.tire(d, rewinds=1)
        self.fault(d, 'ua', op=self.r.choice(['write,ws', 'read', 'write,ws,read']),
                   lba=f'{self.r.randrange(d.blocks)}-{d.blocks - 1}', count=1,
                   sense=self.r.choice(['29/00', '2a/01', '3f/0e', '28/00', '2f/00']))

    def reset(self, d):
        """With a volatile cache what came since the last flush is lost."""
        for _ in range(self.r.choice([1, 1, 2, 3])):
            self.tire(d, rewinds=1)
            op = self.r.choice(['write,ws', 'write,ws', 'write,ws', '0x91', 'read'])
            keys = {'nth': self.nth(d), **LONG} if op == 'write,ws' else {'count': 1}
            if op == 'read':
                keys['lba'] = self.r.randrange(d.blocks)
            self.fault(d, 'reset', op=op, **keys)

    def not_ready(self, d):
        self.fault(d, 'check', sense=self.r.choice(['2/04/01', '2/04/02', '2/04/1c']),
                   op='write,ws', nth=self.nth(d), count=self.r.randint(1, 3), **LONG)

    def flush_fails(self, d):
        self.tire(d, 2, 2)
        # the first is the claim's, two are of the comparison of addresses
        self.fault(d, 'check', op='0x91', sense=self.r.choice(['b/00/00', '3/0c/00']), nth=4,
                   done=self.r.randint(0, 1), count=self.r.randint(1, 2))

    def no_write_same(self, d):
        self.fault(d, 'check', op='ws', sense=self.r.choice(['5/20/00', '5/24/00']),
                   nth=self.r.randint(1, 4), count=100000, **LONG)

    def deferred(self, d):
        self.tire(d, rewinds=1)
        self.fault(d, 'check', op='write', sense='3/0c/00', deferred=1, nth=self.nth(d), **LONG)

    # --- blocks -----------------------------------------------------------

    def medium(self, d):
        r = self.r
        for _ in range(r.choice([1, 1, 2, 5])):
            first = self.lba(d)
            last = min(d.blocks - 1, first + r.choice([0, 0, 0, 1, 9]))
            keys = {'lba': f'{first}-{last}', 'info': r.randint(0, 1)}
            op = r.choice([None, 'write,ws', 'read'])
            if op:
                keys['op'] = op
            if self.chance(50):
                keys['heal'] = r.randint(1, 5)
            self.fault(d, 'medium', **keys)
            d.bad.update(range(first, last + 1))
        # more than a tenth of a disk is no exception
        many = len(d.widened()) > d.blocks // 10
        d.fate = max(d.fate, 'lost' if many else 'exceptions', key=FATES.index)

    def lie(self, d):
        """Good is said and not done; for a full verification alone."""
        r = self.r
        if self.job.verify != 'full':
            return
        kind = r.choice(['drop', 'silent_torn', 'corrupt'])
        keys = {'blocks': r.randint(1, self.job.transfer - 1)} if kind == 'silent_torn' else {}
        self.fault(d, kind, op=r.choice(['write', 'write,ws']), nth=self.nth(d),
                   count=r.randint(1, 3), **keys, **LONG)
        d.fate = max(d.fate, 'lies', key=FATES.index)
        d.lies = True

    # --- ends -------------------------------------------------------------

    def end(self, d):
        r = self.r
        kind = r.choice(['capacity', 'swap', 'swap', 'gone', 'protect', 'reserved', 'sync'])
        at = {'op': 'write,ws', 'nth': self.nth(d), **LONG}
        quiet = r.randint(0, 1)
        if kind == 'capacity':
            self.fault(d, 'capacity', quiet=quiet, **at,
                       to=r.choice([d.blocks // 2, d.blocks - 1, d.blocks + 1, d.blocks * 2]))
        elif kind == 'swap':
            other = self.disk(like=d)
            other.spare = True
            d.swapped_with, d.quiet_swap = other, bool(quiet)
            self.fault(d, 'swap', quiet=quiet, sense=r.choice(['29/00', '3f/0e', '28/00']),
                       **at, **{'with': other.target})
        elif kind == 'gone':
            self.fault(d, 'gone', quiet=quiet, **at)
        elif kind == 'protect':
            self.fault(d, 'check', sense='7/27/00', count=100000, **at)
        elif kind == 'reserved':
            self.fault(d, 'status', code='0x18', count=100000, **at)
        elif d.wce:
            self.fault(d, 'check', op='0x91', sense='5/20/00', nth=4, count=100000)
        d.fate = 'lost'
        d.ends = True

    def trouble(self, d):
        kinds = [self.retried, self.retried, self.attention, self.reset, self.reset,
                 self.not_ready, self.flush_fails, self.no_write_same, self.deferred,
                 self.medium, self.medium, self.lie, self.lie]
        for _ in range(self.r.choice([0, 1, 1, 2, 2, 3])):
            self.r.choice(kinds)(d)
        if self.chance(15):
            self.end(d)
        if self.chance(40):  # so that several commands are under way at once
            self.fault(d, 'slow', op='write,ws,read', ms=self.r.randint(1, 4),
                       every=self.r.randint(1, 4), count=60, **LONG)


FATES = ['erased', 'exceptions', 'lies', 'lost']


def draw(seed, first_target):
    """The job of a seed; its disks get numbers from first_target on."""
    d = Draw(seed, first_target)
    d.options()
    for disk in [d.disk() for _ in range(d.r.randint(2, 5))]:
        d.trouble(disk)
    return d.job
