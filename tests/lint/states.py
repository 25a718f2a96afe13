#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The service changes the state of an attempt in one place, by its table, and compares no outcome
as a text."""
import re

import lint

STATE = re.compile(r'(?:->|\.)state = ([^=].*)')
TEXT = re.compile(r'strn?cmp\([^;]*outcome')
PLACE = ('src/service/attempt_act.c', 'step.to;')


def main():
    found = []
    for path in lint.files('.c', under='src/service/'):
        text = lint.read(path)
        if TEXT.search(text):
            lint.found(path, 'compares an outcome as a text; use enum svc_outcome')
        for line in text.splitlines():
            change = STATE.search(line)
            if change and 'health.state' not in line and not line.lstrip().startswith('.state'):
                found.append((path, change[1]))
    for path, value in found:
        if (path, value) != PLACE:
            lint.found(path, f'sets a state to {value} beside attempt_take()')
    if found.count(PLACE) != 1:
        lint.found(PLACE[0], 'has no one place that changes the state')
    lint.done('states')


main()
