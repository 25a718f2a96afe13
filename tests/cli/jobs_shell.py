#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A shell with job control, as far as one command needs it: jobs_shell.py PROGRAM [ARGUMENT...] on
a terminal. A command that is stopped gives the terminal back; a line "fg" lets it go on, as does
"bg", but the terminal stays the shell's. It ends as the command did, and says no more, so that what
stands on the screen is the command's."""
import os
import signal
import sys

STOPPED = 'command stopped'


def main():
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        for sig in (signal.SIGTTOU, signal.SIGTSTP, signal.SIGINT):
            signal.signal(sig, signal.SIG_DFL)
        os.execv(sys.argv[1], sys.argv[1:])
    while True:
        status = os.waitpid(child, os.WUNTRACED)[1]
        os.tcsetpgrp(0, os.getpgrp())
        if not os.WIFSTOPPED(status):
            break
        os.write(1, f'\r\n{STOPPED}\r\n'.encode())
        while (line := os.read(0, 100)) not in (b'fg\n', b'bg\n'):
            pass
        if line == b'fg\n':
            os.tcsetpgrp(0, child)
        os.killpg(child, signal.SIGCONT)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


main()
