#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""nginx with the words of the README before the socket of a service: figures come through, and
nothing else reaches the socket. Run by `proxy`, in a network and a /run of its own."""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SERVICE, STATION = sys.argv[1:3]
SOCKET = '/run/diskwipe/bus'
PORT = 9712
# what a package's nginx.conf says besides; no file of this one is where the package has its own
CONFIG = '''daemon off; master_process off; pid {dir}/pid; error_log {dir}/errors;
events {{}}
http {{
access_log off;
client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/fastcgi;
uwsgi_temp_path {dir}/uwsgi; scgi_temp_path {dir}/scgi;
{words}
}}
'''


def find_program():
    cache = os.environ.get('DISKWIPE_CACHE') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'diskwipe')
    return shutil.which('nginx', path=f'{cache}/proxies/usr/sbin:/usr/sbin:/usr/bin')


def page():
    with open(os.path.join(HERE, '../README.md'), encoding='utf-8') as f:
        return re.search(r'^```\n(server \{\n.*?)^```', f.read(), re.M | re.S)[1]


class Proxy(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.dir = temp.name
        os.chmod(self.dir, 0o755)

    def start(self, argv, **more):
        # pylint: disable=consider-using-with
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, **more)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    def nginx(self, user=None):
        """As whoever is not root, where we are."""
        folder = self.dir + '/nginx'
        os.mkdir(folder)
        program = shutil.copy(find_program(), folder)
        with open(folder + '/conf', 'w', encoding='utf-8') as f:
            f.write(CONFIG.format(dir=folder, words=page()))
        if user:
            os.chown(folder, user, user)
        p = self.start([program, '-c', folder + '/conf', '-e', folder + '/errors'],
                       user=user, group=user, extra_groups=None if user is None else [])
        while not self.is_there():
            self.assertIsNone(p.poll(), 'nginx does not start')

    def is_there(self):
        with socket.socket() as s:
            return s.connect_ex(('127.0.0.1', PORT)) == 0

    def ask(self, text, where=('127.0.0.1', PORT)):
        """All of the answer."""
        family = socket.AF_UNIX if isinstance(where, str) else socket.AF_INET
        with socket.socket(family) as s:
            s.settimeout(60)
            s.connect(where)
            s.sendall(text)
            return b''.join(iter(lambda: s.recv(65536), b''))

    def get(self, first, **more):
        status, _, body = self.ask(
            f'{first} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'.encode(),
            **more).partition(b'\r\n\r\n')
        return int(status.split()[1]), body

    def test_figures(self):
        """Of a service, as it tells them."""
        p = self.start([SERVICE, f'--simulate={STATION}', f'--state-dir={self.dir}/station'],
                       stderr=subprocess.PIPE, text=True)
        self.addCleanup(p.stderr.close)
        self.assertTrue(any('started:' in line for line in p.stderr))
        os.symlink(self.dir + '/station', '/run/diskwipe')
        self.addCleanup(os.unlink, '/run/diskwipe')
        self.nginx()
        told = self.get('GET /metrics', where=SOCKET)
        self.assertEqual(told[0], 200)
        self.assertEqual(self.get('GET /metrics'), told)
        self.assertEqual(self.get('HEAD /metrics'), (200, b''))
        self.assertEqual(self.get('GET /'), (404, self.get('GET /')[1]))

    def test_nothing_else(self):
        """What is asked in another way does not reach the socket, and what does is one request."""
        os.mkdir('/run/diskwipe')
        self.addCleanup(shutil.rmtree, '/run/diskwipe')
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(SOCKET)
            s.listen()
            os.chmod(SOCKET, 0o666)
            self.nginx(user=65534 if os.geteuid() == 0 else None)
            for first, status in (
                    ('POST /metrics', 403), ('PUT /metrics', 403), ('DELETE /metrics', 403),
                    ('OPTIONS /metrics', 403), ('GET /', 404), ('GET /metrics/', 404),
                    ('GET /metrics/../x', 404), ('GET /x', 404), ('POST /', 404),
                    ('CONNECT x:1', 400), ('AUTH EXTERNAL', 400), ('\0AUTH EXTERNAL', 400)):
                self.assertEqual(self.get(first)[0], status, first)
            s.setblocking(False)
            self.assertRaises(BlockingIOError, s.accept)
            s.settimeout(60)
            for text in (b'GET /metrics HTTP/1.1', b'HEAD /metrics HTTP/1.1',
                         b'GET /x/../metrics?a=b HTTP/1.1'):
                with socket.create_connection(('127.0.0.1', PORT)) as c:
                    c.sendall(text + b'\r\nHost: x\r\nX: BEGIN\r\nContent-Length: 5\r\n\r\n\0AUTH')
                    with s.accept()[0] as server:
                        seen = server.recv(65536)
                self.assertTrue(seen.startswith(b'GET /metrics HTTP/1.'), seen)
                self.assertTrue(seen.endswith(b'\r\n\r\n'), seen)
                self.assertNotRegex(seen, rb'\0|BEGIN|Length')


if __name__ == '__main__':
    if not find_program():
        print('SKIPPED: there is no nginx here; tools/dev/setup proxies unpacks it',
              file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
