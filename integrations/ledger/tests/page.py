# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands of docs/ledger.md, as whoever reads it types them."""
import os
import re

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../docs/ledger.md')


def text():
    with open(PAGE, encoding='utf-8') as f:
        return f.read()


def commands(program=None):
    """Lines of blocks that begin with "$ ", of that program alone if one is said."""
    blocks = re.findall(r'(?ms)^```\n(.*?)^```', text())
    lines = ''.join(blocks).replace('\\\n', ' ').splitlines()
    return [line[2:] for line in lines if line.startswith(f'$ {program or ""}')]


def inline(program):
    """Commands of that program within a paragraph."""
    return re.findall(rf'`({program} [^`]*)`', text())
