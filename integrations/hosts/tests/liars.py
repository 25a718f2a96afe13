# SPDX-License-Identifier: GPL-2.0-or-later
"""What a diskwipe that lies, fails or hangs does: none of it is ever an erasure."""

import contextlib
import os
import sys
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(HERE, '../../common/testing')]

import support  # noqa: E402

from diskwipe_hosts import erase, program  # noqa: E402

DISKS = [support.disk(n) for n in range(2)]


def _second(**change):
    return [DISKS[0], {**DISKS[1], **change}]


# What the fake is told: of two disks, at least the second is not erased, or nobody can know.
TABLE = [
    {'status': 1}, {'status': 77}, {'way': 'hang'}, {'way': 'truncated'}, {'way': 'missing'},
    {'way': 'signal-9'}, {'disks': _second(outcome='failed'), 'status': 0}, {'way': 'other-serial'},
    {'way': 'twice'}, {'way': 'noise'}, {'way': 'empty'}, {'way': 'huge'}, {'way': 'key-twice'},
    {'change': {'job': {'id': 'x', 'outcome': 'erased', 'simulation': 'exact',
                        'started': '2999-01-01T00:00:00+00:00'}}},
    {'started': '2020-01-01T00:00:00+00:00'},
    {'change': {'refused': [{'device': '/x'}]}},
    {'change': {'job': None}}, {'inspect_status': 2}, {'plan_status': 1},
    {'disks': _second(unplanned='in use')}, {'disks': [DISKS[0]]},
    {'disks': _second(exceptions=[{'lba': 1}]), 'status': 0}, {'disks': _second(level=None)},
    {'disks': _second(verify={'done': 'full', 'mismatches': 1}), 'status': 0},
]  # fmt: skip
SHORT = TABLE[:7]  # for those who share the code that believes


@contextlib.contextmanager
def impatient():
    """A job that hangs is ended at once."""
    with (
        mock.patch.object(erase, 'TIMEOUT', 1.5),
        mock.patch.object(program, 'MAX_OUTPUT', 1 << 20),
        mock.patch.object(program.run, '__defaults__', (0.3,)),
    ):
        yield
