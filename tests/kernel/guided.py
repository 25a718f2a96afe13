# SPDX-License-Identifier: GPL-2.0-or-later
"""In the guest: the keystrokes of somebody who erases one disk of two by plain `diskwipe`.

guided.py DEVICE SERIAL [service], of the disk that is to be erased, and whether the service does
it; DISKWIPE is the program."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
# pylint: disable=wrong-import-position
import shown  # noqa: E402
from cli import Case  # noqa: E402

shown.LIMIT = 180  # seconds; only to end a test that hangs
DEVICE, SERIAL = sys.argv[1:3]
SERVICE = sys.argv[3:] == ['service']
LIST = r'^\?=help q=quit '


class Guided(Case):
    def environment(self, **more):
        return os.environ | {'TERM': 'vt100', 'LC_ALL': 'C'} | more

    def test_one_of_two(self):
        t = shown.Shown(self)
        t.await_(LIST)
        self.assertEqual('The service diskwiped runs here' in t.screen.text(), SERVICE)
        rows = re.findall(r'(?m)^. .{3} (/dev/\S+) ', t.screen.text())
        t.type('\033OH' + '\033OB' * rows.index(DEVICE))
        t.await_(rf'^> .{{4}}{DEVICE} ')
        t.type(' ')
        t.await_(rf'1 marked.*\[x\] {DEVICE} .*{SERIAL}')
        t.type('c')
        t.await_('the service signs what it does' if SERVICE else 'level clear, certificate, ')
        t.type('v\033OB\033OB\r')
        t.await_('verification: full')
        t.type('p')
        t.await_('would submit 1 disk; nothing was submitted' if SERVICE
                 else 'would erase 1 disk; nothing was written')
        t.await_(r'Enter goes back to the list:\s*\Z')
        t.type('\r')
        t.await_(LIST)
        for answer, said in ((SERIAL[-4:] + 'x', 'not confirmed; nothing was written'),
                             (SERIAL[-4:], 'the service keeps no signed records' if SERVICE
                              else '1 of 1 disk erased')):
            t.type('s')
            t.await_(r'type the last \d characters of its serial:\s*\Z')
            self.assertIn(DEVICE, t.screen.text())
            t.type(answer + '\r')
            t.await_(said)
            if 'nothing' in said:
                t.await_(r'Enter goes back to the list:\s*\Z')
                t.type('\r')
                t.await_(LIST)
        code = t.end()
        print(t.screen.text())
        self.assertEqual(code, 0)


unittest.main(argv=sys.argv[:1])
