#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe model against references of its own: closed formulas 1e-9, numbers that are solved for
1e-6, chains 1e-5. What can be computed here is, at random inputs from a fixed seed; stationary
distributions of the mirrors' chains, built from the policies' rules and solved as sparse linear
systems elsewhere, are a table."""
import itertools
import json
import math
import random
import unittest
from fractions import Fraction

from cli import Case

MU = 45
# policy, lambda, read fraction, alpha, read ms, update ms
MIRRORS = [
    ('C-PSSQ', 19.2, 0.46, None, 44.0705, 59.154739),
    ('C-PSSQ', 20.1, 0.84, None, 40.6824363, 53.1087663),
    ('C-PSSQ', 20.3, 0.51, None, 45.7335445, 60.6826459),
    ('C-PSSQ', 16.4, 0.25, None, 41.3920651, 57.1228125),
    ('C-PSSQ', 25.7, 0.6, None, 60.5680336, 75.7171946),
    ('C-PSSQ', 12.1, 0.18, None, 33.5747088, 48.3931268),
    ('CR-ESQ', 20.7, 0.17, None, 66.4272433, 79.7220363),
    ('CR-ESQ', 10.4, 0.65, None, 26.8643379, 41.2886348),
    ('CR-ESQ', 49.9, 0.89, None, 64.611753, 91.6700645),
    ('CR-ESQ', 24.3, 0.62, None, 44.9734611, 63.5647278),
    ('CR-ESQ', 6.9, 0.23, None, 28.1533372, 40.1052005),
    ('CR-ESQ', 9.5, 0.52, None, 27.8390143, 41.4538695),
    ('CRU-ESQ', 12.0, 0.25, None, 27.6344086, 46.6308244),
    ('CRU-ESQ', 14.8, 0.12, None, 33.5570513, 54.9889435),
    ('CRU-ESQ', 28.4, 0.45, None, 55.4022676, 82.1714185),
    ('CRU-ESQ', 25.4, 0.52, None, 40.1534455, 64.8276741),
    ('CRU-ESQ', 25.4, 0.5, None, 41.4023188, 66.2535576),
    ('CRU-ESQ', 15.4, 0.47, None, 28.0726609, 48.087927),
    ('SQ-DMQ', 57.1, 0.9, None, 48.4274772, 77.7267475),
    ('CMQ', 57.1, 0.9, None, 45.0382163, 71.1515889),
    ('MR-DMQA', 57.1, 0.9, None, 38.7412792, 62.8345502),
    ('SQ-DMQ', 40.5, 0.77, None, 36.2402756, 61.8894177),
    ('CMQ', 40.5, 0.77, None, 33.5729539, 58.7200559),
    ('MR-DMQA', 40.5, 0.77, None, 26.7596376, 52.6714763),
    ('SQ-DMQ', 17.2, 0.35, None, 27.3183414, 46.7694961),
    ('CMQ', 17.2, 0.35, None, 25.6731293, 46.4069658),
    ('MR-DMQA', 17.2, 0.35, None, 17.3244019, 44.8959677),
    ('SQ-DMQ', 12.7, 0.33, None, 25.4953101, 42.5167531),
    ('CMQ', 12.7, 0.33, None, 24.3020576, 42.349371),
    ('MR-DMQA', 12.7, 0.33, None, 15.2626966, 41.2982626),
    ('SQ-DMQ', 27.9, 0.71, None, 29.1605361, 50.5906832),
    ('CMQ', 27.9, 0.71, None, 27.3444793, 49.3399177),
    ('MR-DMQA', 27.9, 0.71, None, 19.5773204, 45.117121),
    ('SQ-DMQ', 29.0, 0.78, None, 28.7068273, 49.77447),
    ('CMQ', 29.0, 0.78, None, 27.0024168, 48.4952358),
    ('MR-DMQA', 29.0, 0.78, None, 19.1540265, 43.8512578),
    ('R-DMQ', 24.8, 0.87, 0.5, 32.2705563, 48.1333793),
    ('R-DMQ', 34.5, 0.84, 0.5, 40.0160064, 59.4571476),
    ('R-DMQ', 29.0, 0.88, 0.6, 35.668428, 52.3982613),
    ('R-DMQ', 37.5, 0.55, 0.5, 56.1403509, 81.7295786),
    ('R-DMQ', 19.4, 0.32, 0.5, 34.8383501, 51.0034026),
    ('R-DMQ', 28.0, 0.11, 0.6, 54.1315816, 77.23843),
    ('R-DMQ', 28.2, 0.19, 0.5, 51.3373376, 73.7999631),
    ('R-DMQ', 28.9, 0.11, 0.6, 56.752223, 80.8343919),
]


def root(f, lo, hi):
    """Of a function that rises from below zero to above."""
    for _ in range(200):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
    return (lo + hi) / 2


def busy_paths(units, paths, u, dynamic):
    """p(j), x and the chance of success of equations (3) to (5)."""
    a = [(1 if dynamic else 1 - j / paths) if j < paths else 0 for j in range(paths + 1)]
    c = [1.0]
    for j in range(1, paths + 1):
        c.append(c[-1] * (units - j + 1) * a[j - 1] / j)

    def mean(x):
        return sum(j * c[j] * x ** j for j in range(paths + 1)) / sum(
            c[j] * x ** j for j in range(paths + 1))

    hi = 1.0
    while mean(hi) < paths * u:
        hi *= 2
    x = root(lambda v: mean(v) - paths * u, 0, hi)
    p = [c[j] * x ** j for j in range(paths + 1)]
    p = [v / sum(p) for v in p]
    good = sum((units - j) * p[j] * a[j] for j in range(paths))
    return p, x, good / sum((units - j) * p[j] for j in range(paths + 1))


def reconnect(v, dynamic):
    """Equations (2) to (12) as they must read, times in ms."""
    u = v['rate'] * (v['t'] + v['over']) / 1e3
    _, x, unit = busy_paths(v['units'], v['paths'], u, dynamic)
    devices, ps = v['units'], 1.0
    if v['per']:
        devices, us = v['units'] * v['per'], v['paths'] * u / v['units']
        ps = (1 - us) / (1 - us / v['per'])
    p1, q = 1 - ps * unit, math.exp(-v['r'] / v['t'])
    m, again = p1 / ((1 - p1) * (1 - q)), 1 - (1 - p1) * (1 - q)
    variance = v['s'] ** 2 * v['p0'] / (1 - v['p0']) + v['r'] ** 2 / 12 + v['t'] ** 2 + \
        v['r'] ** 2 * (p1 * (1 + again) / (1 - again) ** 2 - m * m)
    out = {'x': x, 'p_substring': ps, 'p_unit': unit, 'p_miss_first': p1, 'misses': m,
           'reconnect_ms': m * v['r'],
           'service_ms_printed': v['s'] + v['r'] / 2 + m * v['r'] + v['t']}
    for name, over in (('', v['over']), ('_printed', 0)):
        b = out['service_ms_printed'] + over
        load = b * v['rate'] / 1e3 * v['paths'] / devices
        out['service_ms' + name] = b
        out['response_ms' + name] = b * (1 + load * (1 + variance / b ** 2) / (2 * (1 - load)))
        if not name:
            out['cv2'], out['device_utilisation'] = variance / b ** 2, load
    return out


class Reference(Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(3)

    def ask(self, words):
        return self.run_json('model', *words.split())['outputs']

    def near(self, words, name, got, want, relative):
        self.assertTrue(math.isclose(got, want, rel_tol=relative, abs_tol=1e-12),
                        f'{words}: {name} {got!r}, not {want!r}')

    def compare(self, words, want, relative):
        out = self.ask(words)
        for name, value in want.items():
            self.near(words, name, out[name], value, relative)
        return out

    def draw_paths(self):
        r = self.random
        per = r.choice([0, r.randint(1, 6)])
        v = {'per': per, 'paths': r.choice([2, 2, 3, 4]), 's': r.uniform(2, 20),
             'r': r.uniform(5, 17), 't': r.uniform(1, 7), 'over': r.choice([0, .5, 1, 2]),
             'p0': r.choice([0, .2, .4, .7])}
        v['units'] = r.randint(v['paths'] + 1, 8 if per else 32)
        devices = v['units'] * max(per, 1)
        v['rate'] = r.uniform(.1, .35) * min(
            1e3 / (v['t'] + v['over']),
            1e3 * devices / v['paths'] / (v['s'] + 1.5 * v['r'] + v['t'] + v['over']))
        return v

    def test_reconnect(self):
        for i in range(40):
            v = self.draw_paths()
            what = f'reconnect topology=dual devices={v["units"]}'
            if v['per']:
                what = f'reconnect topology=substring substrings={v["units"]}' \
                    f' per_substring={v["per"]}'
            times = f' seek_ms={v["s"]!r} revolution_ms={v["r"]!r} transfer_ms={v["t"]!r}' \
                f' overhead_ms={v["over"]} no_seek={v["p0"]} paths={v["paths"]}'
            want = reconnect(v, i % 2)
            fixed, dynamic = reconnect(v, 0), reconnect(v, 1)
            for name, end in (('gain_dynamic', ''), ('gain_dynamic_printed', '_printed')):
                want[name] = 1 - dynamic['response_ms' + end] / fixed['response_ms' + end]
            words = what + times + f' dynamic={i % 2} rate_per_channel={v["rate"]!r}'
            self.compare(words, want, 1e-6)
            u = v['rate'] * (v['t'] + v['over']) / 1e3
            words = what + f' paths={v["paths"]} dynamic={i % 2} utilisation={u!r}'
            out = self.compare(words, {n: want[n] for n in ('x', 'p_substring', 'p_unit',
                                                            'p_miss_first')}, 1e-6)
            self.assertEqual(sorted(out), ['p_miss_first', 'p_substring', 'p_unit', 'path_busy_p',
                                           'x'])
            half = want['gain_dynamic'] / 2
            v['rate'] = self.ask(what + times + f' target_gain={half!r}')['rate_for_gain']
            gain = 1 - reconnect(v, 1)['response_ms'] / reconnect(v, 0)['response_ms']
            self.near(what, 'gain', gain, half, 1e-6)

    def test_closed_paths(self):
        for i in range(15):
            devices, hold = self.random.randint(4, 40), self.random.uniform(.2, 2)
            turn, base = self.random.choice([4, 6, 8.333]), self.random.uniform(1, 20)

            def short(c, d=devices, h=hold, t=turn, b=base, k=i % 2):
                if d * h / (2 * c) >= 1:
                    return -1
                p1 = 1 - busy_paths(d, 2, d * h / (2 * c), k)[2]
                return c - b - (1 + p1 / ((1 - p1) * -math.expm1(-t / h))) * t

            cycle = root(short, 0, 1e4)
            self.compare(f'closed_paths devices={devices} base_ms={base!r} hold_ms={hold!r}'
                         f' revolution_ms={turn} paths=2 dynamic={i % 2}',
                         {'cycle_ms': cycle, 'commands_per_s': 1e3 * devices / cycle,
                          'utilisation': devices * hold / (2 * cycle)}, 1e-6)

    def test_commands_and_write(self):
        for _ in range(20):
            r = self.random
            size, sector, blocks = r.randint(10 ** 6, 10 ** 13), r.choice([512, 520, 4096]), \
                r.randint(1, 200000)
            payload, cdb = r.choice([sector, blocks * sector]), r.choice([6, 10, 16])
            disks, setup, n = r.randint(1, 3), r.randint(0, 4), -(-(-(-size // sector)) // blocks)
            self.compare(f'commands bytes={size} blocks={blocks} sector={sector} payload={payload}'
                         f' cdb={cdb} disks={disks} setup_commands={setup}',
                         {'commands': n, 'wire_bytes': n * (cdb + payload),
                          'f_total_bytes': disks * (n * (cdb + payload) + setup * cdb)}, 1e-9)
            t, rpm, loss = r.uniform(100, 1000), r.choice([5400, 15000]), r.choice([0, .5, 1, 2])
            blocks = r.randint(1, 4096)
            lost = -(-(-(-size // sector)) // blocks) - -(-(-(-size // sector)) // 65536)
            s = t + lost * loss * 60 / rpm
            self.compare(f'write t_write_same_s={t!r} bytes={size} blocks={blocks} sector={sector}'
                         f' rpm={rpm} loss_revolutions={loss}',
                         {'seconds': s, 'mb_per_s': size / 1e6 / s}, 1e-9)

    def test_functional(self):
        for _ in range(20):
            rows, steps = self.random.randint(1, 5), self.random.randint(1, 4)
            h = [[self.random.randint(0, 9) for _ in range(steps)] for _ in range(rows)]
            tau = [round(self.random.uniform(.1, 3), 3) for _ in range(rows)]
            bus = round(self.random.uniform(0, 2), 3)
            free = max(max(t * sum(row) for t, row in zip(tau, h)), bus * sum(map(sum, h)))
            want = {'serial': sum(t * sum(row) for t, row in zip(tau, h)), 'free': free,
                    'barrier': sum(max(max(t * row[j] for t, row in zip(tau, h)),
                                       bus * sum(row[j] for row in h)) for j in range(steps))}
            for mode, value in want.items():
                self.compare('functional h=' + json.dumps(h, separators=(',', ':')) + ' tau='
                             + json.dumps(tau, separators=(',', ':')) + f' bus_s={bus} mode={mode}',
                             {'seconds': value, 't_min': free}, 1e-9)

    def test_schedule(self):
        for _ in range(15):
            times = [self.random.randint(1, 60) for _ in range(self.random.randint(1, 8))]
            slots = self.random.randint(1, 3)
            best = min(max(sum(t for t, s in zip(times, at) if s == k) for k in range(slots))
                       for at in itertools.product(range(slots), repeat=len(times)))
            self.compare('schedule times=' + json.dumps(times, separators=(',', ':'))
                         + f' slots={slots}',
                         {'best_s': best, 'bound_s': max(max(times), sum(times) / slots)}, 1e-9)

    def test_stripe(self):
        for _ in range(20):
            r = self.random
            offset, length, chunk, n = r.randint(0, 5000), r.randint(1, 3000), r.randint(1, 200), \
                r.randint(1, 9)
            count = [0] * n
            for b in range(offset, offset + length):
                count[b // chunk % n] += 1
            out = self.compare(f'stripe offset={offset} length={length} chunk={chunk} members={n}',
                               {'balance': length / (n * max(count))}, 1e-9)
            self.assertEqual(out['member_blocks'], count)
            s, cv2 = r.uniform(.001, .05), r.choice([0, .3, 1, 2])
            limit = s * r.uniform(1.1, 9)
            rate = root(lambda v, s=s, c=cv2, t=limit:
                        s + v * s * s * (1 + c) / (2 * (1 - v * s)) - t, 0, (1 - 1e-12) / s)
            self.compare(f'stripe service_s={s!r} threshold_s={limit!r} cv2={cv2} members={n}',
                         {'op_rate': n * rate}, 1e-6)

    def test_zone(self):
        for _ in range(15):
            size, outer = self.random.uniform(1e11, 2e13), self.random.uniform(100e6, 300e6)
            inner, part = self.random.uniform(.3, .99) * outer, self.random.uniform(0, 1)
            fall = outer - inner

            def time(p, b=size, o=outer, f=fall):
                return b / f * math.log(o / (o - f * p))

            self.compare(f'zone bytes={size!r} outer={outer!r} inner={inner!r} progress={part!r}',
                         {'seconds': time(1), 'fraction_of_time': time(part) / time(1)}, 1e-9)

    def test_closed(self):
        """Buzen's convolution, in fractions."""
        for _ in range(12):
            n, think = self.random.randint(1, 60), Fraction(self.random.randint(0, 2000), 100)
            demands = [Fraction(self.random.randint(1, 100), 100)
                       for _ in range(self.random.randint(1, 4))]
            g = [think ** k / math.factorial(k) for k in range(n + 1)]
            for d in demands:
                for k in range(1, n + 1):
                    g[k] += d * g[k - 1]
            x = g[n - 1] / g[n]
            self.compare(f'closed n={n} think_s={float(think)} method=mva demands='
                         + json.dumps([float(d) for d in demands], separators=(',', ':')),
                         {'throughput_per_min': float(60 * x),
                          'response_ms': float(1000 * (n / x - think)),
                          'knee': float((think + sum(demands)) / max(demands))}, 1e-9)

    def test_mirrors(self):
        for policy, rate, reads, alpha, read, update in MIRRORS:
            self.compare(f'mirror policy={policy} lambda={rate} mu={MU} read_fraction={reads}'
                         + (f' alpha={alpha}' if alpha else ''),
                         {'read_ms': read, 'update_ms': update}, 1e-5)


unittest.main()
