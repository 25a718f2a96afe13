# SPDX-License-Identifier: GPL-2.0-or-later
"""Many connections of sockets over one line of bytes, as a serial line between a guest and this
machine is: frames of channel (16 bits), length (16 bits; 0 = its end) and bytes.

line.py TTY PATH is the far end, which connects to the Unix socket PATH."""

import os
import selectors
import socket
import struct
import sys
import tty

HEAD = struct.Struct('>HH')


class Line:
    """One end of it. The near end listens at a path, or at a port of this machine; the far end
    connects for each channel."""

    def __init__(self, fd, path, is_near):
        self.fd, self.path, self.is_near = fd, path, is_near
        self.selector, self.open, self.pending, self.count = selectors.DefaultSelector(), {}, b'', 0
        self.selector.register(fd, selectors.EVENT_READ, ('line', 0))
        if is_near:
            if isinstance(path, int):
                listener = socket.create_server(('127.0.0.1', path))
            else:
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(path)
                os.chmod(path, 0o666)
                listener.listen(16)
            self.selector.register(listener, selectors.EVENT_READ, ('new', 0))

    def send(self, channel, content):
        frame = HEAD.pack(channel, len(content)) + content
        while frame:
            frame = frame[os.write(self.fd, frame) :]

    def take(self, channel, end):
        self.open[channel] = end
        self.selector.register(end, selectors.EVENT_READ, ('end', channel))

    def close(self, channel, tell):
        end = self.open.pop(channel, None)
        if end:
            self.selector.unregister(end)
            end.close()
        if tell:
            self.send(channel, b'')

    def connect(self, channel):
        end = socket.socket(socket.AF_UNIX)
        try:
            end.connect(self.path)
        except OSError:
            self.send(channel, b'')
        else:
            self.take(channel, end)

    def deliver(self, channel, content):
        if not content:
            self.close(channel, False)
            return
        if channel not in self.open and not self.is_near:
            self.connect(channel)
        if channel in self.open:
            try:
                self.open[channel].sendall(content)
            except OSError:
                self.close(channel, True)

    def of_line(self):
        got = os.read(self.fd, 65536)
        self.pending += got
        while len(self.pending) >= HEAD.size:
            channel, length = HEAD.unpack_from(self.pending)
            if len(self.pending) < HEAD.size + length:
                break
            content = self.pending[HEAD.size : HEAD.size + length]
            self.pending = self.pending[HEAD.size + length :]
            self.deliver(channel, content)
        return bool(got)

    def of_end(self, channel):
        try:
            content = self.open[channel].recv(16384)
        except OSError:
            content = b''
        if content:
            self.send(channel, content)
        else:
            self.close(channel, True)

    def carry(self):
        """Until the line ends."""
        while True:
            for key, _ in self.selector.select():
                what, channel = key.data
                if what == 'new':
                    self.count += 1
                    self.take(self.count, key.fileobj.accept()[0])
                elif what == 'line':
                    if not self.of_line():
                        return
                elif channel in self.open:
                    self.of_end(channel)


def far_end(terminal, path):
    fd = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    Line(fd, path, False).carry()


if __name__ == '__main__':
    far_end(*sys.argv[1:])
