# SPDX-License-Identifier: GPL-2.0-or-later
"""In the guest: runs each command of README.md as it stands there, in a terminal, and looks for the
lines that it is said to print, in their order. Times, rates and shares of a forecast may differ.

readme.py README PROGRAM [COMMANDS]: so many it has at least, 4 without"""
import os
import pty
import re
import select
import signal
import sys
import time

LIMIT = 360  # seconds for a command; only to end a test that hangs


def examples(path):
    """(command, lines, answer) of each block."""
    with open(path, encoding='utf-8') as f:
        blocks = re.findall(r'^```\n(.*?)^```', f.read(), re.M | re.S)
    for block in blocks:
        for command, said in re.findall(r'^# (diskwipe .*)\n((?:(?!# ).*\n)*)', block, re.M):
            answer = re.search(r'^.*\?? ?: (\S+)$', said, re.M)
            yield command, said.splitlines(), answer[1] if 'type' in said and answer else None


def run(words, program, answer, prompt=rb'type [^\n]*: $', hear=None):
    """All that it prints, and its exit status. The prompt is answered by a line, or by the one key
    of a screen. Each second at least hear() gets what was printed, and returns what is typed."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(TERM='dumb', COLUMNS='120')
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs this may ignore it
        os.execv(program, words)
    text, end, asked = b'', time.monotonic() + LIMIT, False
    while time.monotonic() < end:
        os.write(fd, hear(text.decode(errors='replace')) if asked and hear else b'')
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            text += os.read(fd, 65536)
        except OSError:  # it has ended
            break
        if answer and not asked and re.search(prompt, text):
            os.write(fd, answer.encode() + (b'\n' if prompt.endswith(b'$') else b''))
            asked = True
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(fd)
    _, status = os.waitpid(pid, 0)
    return text.decode(), os.waitstatus_to_exitcode(status)


def plain(line):
    """Without what differs from run to run, and without the width of columns."""
    line = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]|\r', '', line)
    line = re.sub(r'\d+:\d\d:\d\d|\d+ s\b|\d+ min\b', 'TIME', line)
    line = re.sub(r'[\d.]+ [kMG]B/s', 'RATE', line)
    line = re.sub(r'[-+]?[\d.]+ %', 'SHARE', line)
    return ' '.join(line.split())


def missing(wanted, said):
    """The first of the lines that does not come after those before it."""
    rest = iter([plain(line) for line in said.splitlines()])
    for line in wanted:
        want = plain(line)
        if want and not any(want in got for got in rest):
            return line
    return None


def main():
    readme, program, *least = sys.argv[1:]
    tried, wrong = 0, 0
    for command, wanted, answer in examples(readme):
        said, status = run(command.split('  #')[0].split(), program, answer)
        line = missing(wanted, said)
        tried += 1
        if line is not None:
            wrong += 1
            print(f'{command} (status {status}) does not print\n    {line}\nbut\n{said}')
    print(f'{tried} commands of README.md, {wrong} wrong')
    sys.exit(1 if wrong or tried < int(*least or [4]) else 0)


if __name__ == '__main__':
    main()
