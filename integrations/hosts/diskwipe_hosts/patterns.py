# SPDX-License-Identifier: GPL-2.0-or-later
"""The patterns of scrub(1) 2.6, pass by pass, in the words of diskwipe(1).

Where diskwipe has a method of the very same passes, that is named, so that records have its name;
all others are lists of passes. What ends with "verify" there is read in full here; the others
are read as diskwipe does by default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .judge import Asked

BYTES = 16  # of a custom pattern of scrub
OURS = 3  # of a pass of diskwipe


class Unknown(Exception):
    """No pattern, or one that diskwipe cannot write."""


@dataclass(frozen=True)
class Pattern:
    """A pattern of scrub: its title, its passes, whether it ends with a verification, and the
    method of diskwipe that is the same."""

    name: str
    title: str
    passes: str
    full: bool = False
    method: str = ''

    def asked(self) -> Asked:
        """What diskwipe is asked for."""
        verify = 'full' if self.full else ''
        if self.method:
            return Asked(method=self.method, verify=verify)
        return Asked(pattern=self.passes, verify=verify)


def _random(times: int) -> str:
    return ','.join(['random'] * times)


GUTMANN = ','.join([
    _random(4), '55,aa,924924,492492,249249', '00,11,22,33,44,55,66,77,88,99,aa,bb,cc,dd,ee,ff',
    '924924,492492,249249,6db6db,b6db6d,db6db6', _random(4),
])  # fmt: skip
PATTERNS = (
    Pattern('nnsa', 'NNSA NAP-14.1-C', 'random,random,00', True),
    Pattern('dod', 'DoD 5220.22-M', 'random,00,ff', True),
    Pattern('bsi', 'BSI', 'ff,fe,fd,fb,f7,ef,df,bf,7f'),
    Pattern('usarmy', 'US Army AR380-19', '00,ff,random'),
    Pattern('random', 'One Random Pass', 'random', method='random'),
    Pattern('random2', 'Two Random Passes', _random(2)),
    Pattern('schneier', 'Bruce Schneier Algorithm', '00,ff,' + _random(5)),
    Pattern('pfitzner7', 'Roy Pfitzner 7-random-pass method', _random(7)),
    Pattern('pfitzner33', 'Roy Pfitzner 33-random-pass method', _random(33)),
    Pattern('gutmann', 'Gutmann', GUTMANN, method='gutmann'),
    Pattern('fastold', 'pre v1.7 scrub (skip random)', '00,ff,aa,55', True),
    Pattern('old', 'pre v1.7 scrub', '00,ff,aa,random,55', True),
    Pattern('dirent', 'dirent', '32,4d,32,4d,32,4d'),
    Pattern('fillzero', 'Quick Fill with 0x00', '00', method='zero'),
    Pattern('fillff', 'Quick Fill with 0xff', 'ff', method='one'),
    Pattern('verify', 'Quick Fill with 0x00 and verify', '00', True, method='zero'),
)
ESCAPE = re.compile(rb'\\\\|\\x([0-9a-fA-F]{2})|\\([0-7]{3})|(.)', re.S)


def _custom(text: str) -> Pattern:
    """A pattern of bytes, as scrub reads C's escapes; raises Unknown."""
    made = bytearray()
    for one in ESCAPE.finditer(text.encode('utf-8', 'surrogateescape')):
        if one[1] or one[2]:
            made.append((int(one[1], 16) if one[1] else int(one[2], 8)) & 0xFF)
        else:
            made += one[3] or b'\\'
    if len(made) > BYTES:
        raise Unknown('custom sequence: Invalid argument')
    for length in range(1, OURS + 1):
        unit = bytes(made[:length])
        if len(made) % length == 0 and unit * (len(made) // length) == bytes(made):
            return Pattern('custom', 'Custom single-pass', unit.hex())
    raise Unknown(
        f'custom sequence: {len(made)} bytes that are no repetition of 1 to {OURS}'
        ' cannot be written to a disk'
    )


def find(name: str) -> Pattern:
    """The pattern of that name; raises Unknown."""
    if name.startswith('custom=') and len(name) > len('custom='):
        return _custom(name[len('custom=') :])
    for pattern in PATTERNS:
        if pattern.name == name:
            return pattern
    raise Unknown('no such pattern sequence')


def listed() -> str:
    """All patterns, a line each."""
    made = ''
    for p in PATTERNS:
        read = ' and a full verification' if p.full else ''
        made += f'  {p.name:<10} {p.passes.count(",") + 1:>3}-pass   {p.title}{read}\n'
    return made + f'  {"custom":<10}   1-pass   custom="str", 1 to 3 bytes that repeat\n'
