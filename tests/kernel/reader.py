#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads at random places of a block device, with a think time between an answer and the
next request, and prints the mean response in milliseconds and the number of answers.

reader.py DEV BYTES THINK-MS SECONDS [SKIP-SECONDS]: answers of the first seconds do not count."""
import mmap
import os
import random
import sys
import time


def main():
    dev, size, think, seconds = sys.argv[1], *map(float, sys.argv[2:5])
    skip = float(sys.argv[5]) if len(sys.argv) > 5 else 0
    size = int(size)
    fd = os.open(dev, os.O_RDONLY | os.O_DIRECT)
    places = os.lseek(fd, 0, os.SEEK_END) // size
    buffer = mmap.mmap(-1, size)
    rng = random.Random(1)
    start = time.monotonic()
    total = answers = 0
    while time.monotonic() - start < seconds:
        time.sleep(rng.expovariate(1000 / think))
        asked = time.monotonic()
        os.preadv(fd, [buffer], rng.randrange(places) * size)
        now = time.monotonic()
        if now - start > skip:
            total += now - asked
            answers += 1
    print(f'{1000 * total / max(answers, 1):.3f} {answers}')


main()
