# SPDX-License-Identifier: GPL-2.0-or-later
"""What a terminal shows after it was sent a text: enough of a VT100 and of xterm for curses."""
import re

SEQUENCE = re.compile(r'\033\[([?>]?)([0-9;]*)([@-~])|\033[()][0-9A-Za-z]|\033[=>78MDHc]|'
                      r'\033\][^\a]*\a')


class Screen:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.cell = [[' '] * width for _ in range(height)]
        self.x = self.y = 0
        self.top, self.bottom = 0, height - 1
        self.modes = {}
        self.unknown = []
        self.last = ' '

    def lines(self):
        return [''.join(row).rstrip() for row in self.cell]

    def text(self):
        return '\n'.join(self.lines())

    def resize(self, width, height):
        old = self.cell
        self.cell = [[old[y][x] if y < len(old) and x < len(old[y]) else ' '
                      for x in range(width)] for y in range(height)]
        self.width, self.height = width, height
        self.top, self.bottom = 0, height - 1
        self.x, self.y = min(self.x, width - 1), min(self.y, height - 1)

    def scroll(self, up):
        row = [' '] * self.width
        if up:
            del self.cell[self.top]
            self.cell.insert(self.bottom, row)
        else:
            del self.cell[self.bottom]
            self.cell.insert(self.top, row)

    def line_feed(self):
        if self.y == self.bottom:
            self.scroll(True)
        else:
            self.y = min(self.y + 1, self.height - 1)

    def put(self, c):
        if self.x >= self.width:  # the last place waits for the next character
            self.x = 0
            self.line_feed()
        self.cell[self.y][self.x] = c
        self.x += 1
        self.last = c

    def blank(self, y, start, end):
        self.cell[y][start:end] = [' '] * (end - start)

    def erase(self, what, whole):
        x = min(self.x, self.width - 1)
        self.blank(self.y, 0 if what else x, x + 1 if what == 1 else self.width)
        if whole:
            for y in range(0 if what else self.y + 1, self.y if what == 1 else self.height):
                self.blank(y, 0, self.width)

    def insert_lines(self, n, remove):
        for _ in range(n):
            del self.cell[self.y if remove else self.bottom]
            self.cell.insert(self.bottom if remove else self.y, [' '] * self.width)

    def obey(self, private, args, final):
        n = [int(a or 0) for a in args.split(';')]
        many = max(n[0], 1)
        row = self.cell[self.y]
        if private:
            self.modes[n[0]] = final
        elif final in 'Hf':
            self.y, self.x = min(many, self.height) - 1, min(max((n + [1])[1], 1), self.width) - 1
        elif final in 'AB':
            self.y = min(max(self.y + (many if final == 'B' else -many), 0), self.height - 1)
        elif final in 'CD':
            x = min(self.x, self.width - 1)
            self.x = min(max(x + (many if final == 'C' else -many), 0), self.width - 1)
        elif final == 'd':
            self.y = min(many, self.height) - 1
        elif final == 'G':
            self.x = min(many, self.width) - 1
        elif final in 'JK':
            self.erase(n[0], final == 'J')
        elif final == 'X':
            self.blank(self.y, self.x, min(self.x + many, self.width))
        elif final == 'b':
            for _ in range(many):
                self.put(self.last)
        elif final in 'P@':
            if final == 'P':
                row[self.x:self.x + many] = []
            else:
                row[self.x:self.x] = [' '] * many
            self.cell[self.y] = (row + [' '] * self.width)[:self.width]
        elif final in 'LM':
            self.insert_lines(many, final == 'M')
        elif final in 'ST':
            for _ in range(many):
                self.scroll(final == 'S')
        elif final == 'r':
            self.top, self.bottom = many - 1, ((n + [0])[1] or self.height) - 1
            self.x = self.y = 0
        elif final not in 'mlht':
            self.unknown.append(final)

    def feed(self, text):
        """Returns what is left over: the beginning of a sequence."""
        i = 0
        while i < len(text):
            c = text[i]
            found = SEQUENCE.match(text, i)
            if found:
                if found[3]:
                    self.obey(*found.groups())
                elif found[0] == '\033M':
                    if self.y == self.top:
                        self.scroll(False)
                    else:
                        self.y -= 1
                i = found.end()
                continue
            if c == '\033' and len(text) - i < 24:
                return text[i:]
            if c == '\r':
                self.x = 0
            elif c == '\n':
                self.line_feed()
            elif c == '\b':
                self.x = max(min(self.x, self.width - 1) - 1, 0)
            elif c == '\t':
                self.x = min((self.x // 8 + 1) * 8, self.width - 1)
            elif c in '\0\a\016\017':
                pass
            elif c < ' ' or '\x7f' <= c <= '\x9f':
                self.unknown.append(c)
            else:
                self.put(c)
            i += 1
        return ''
