# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands of a README: the lines of its blocks that begin with "# "."""

import re
import shlex


def commands(path):
    """The words of each command, in their order."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    blocks = re.findall(r'^```\n(.*?)^```', text, re.S | re.M)
    lines = ''.join(blocks).replace('\\\n', ' ').splitlines()
    return [shlex.split(line[2:]) for line in lines if line.startswith('# ')]
