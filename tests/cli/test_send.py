#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""diskwipe-send: every record reaches its targets at least once, byte for byte and in order,
whatever is killed, full, away or lying in between; and a ledger that was put back is not sent."""
import glob
import hashlib
import http.server
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

DISKWIPE, SEND = os.environ['DISKWIPE'], os.environ['SEND']
PAPER_LEDGER = os.environ['PAPER_LEDGER']
RECORDS = 12
KILLS = 40


class Receiver(http.server.ThreadingHTTPServer):
    """Keeps what it acknowledges; @plan: what it does instead, for each request."""

    def __init__(self, tls=None):
        super().__init__(('127.0.0.1', 0), Handler)
        self.got, self.plan, self.seen, self.connections = [], [], [], 0
        scheme = 'http'
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.socket = context.wrap_socket(self.socket, server_side=True)
            scheme = 'https'
        self.url = f'{scheme}://localhost:{self.server_port}/records'
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    def handle_error(self, request, client_address):
        pass

    def end(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def setup(self):
        super().setup()
        self.server.connections += 1

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        s = self.server
        s.seen.append(self.headers)
        what = s.plan.pop(0) if s.plan else 200
        if what == 'cut':
            self.connection.close()
            self.close_connection = True
            return
        if what == 'flood':
            self.send_response(200)
            self.send_header('Connection', 'close')
            self.end_headers()
            s.got.append((self.headers['Idempotency-Key'], json.loads(body)))
            try:
                self.wfile.write(b'x' * 1000000)
            except OSError:
                pass
            return
        if what // 100 == 2:
            s.got.append((self.headers['Idempotency-Key'], json.loads(body)))
        self.send_response(what)
        if what == 302:
            self.send_header('Location', 'http://127.0.0.1:1/elsewhere')
        if what == 503:
            self.send_header('Retry-After', '7')
        self.send_header('Content-Length', '0')
        self.end_headers()


def no_growth():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


class Send(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.dir = self.temp.name
        self.ledger, self.target = self.dir + '/ledger', self.dir + '/copy'
        self.key, self.signers = self.dir + '/key', self.dir + '/signers'
        os.mkdir(self.dir + '/state')
        os.mkdir(self.target)
        with open(self.signers, 'wb') as f:
            f.write(subprocess.run([DISKWIPE, 'records', 'key', self.key], check=True,
                                   capture_output=True).stdout)
        self.grow(RECORDS)

    def grow(self, n):
        """To @n records in all: those that are there are not written twice."""
        if os.path.exists(self.ledger):
            subprocess.run([PAPER_LEDGER, self.ledger, self.key, str(n), str(self.count())],
                           check=True)
        else:
            subprocess.run([PAPER_LEDGER, self.ledger, self.key, str(n)], check=True)

    def count(self):
        return len(glob.glob(self.ledger + '/record-*.json'))

    def configure(self, text):
        with open(self.dir + '/send.conf', 'w', encoding='utf-8') as f:
            f.write(f'[send]\nledger={self.ledger}\nstate={self.dir}/state\nevery=1\n{text}')

    def args(self, *more):
        return [SEND, f'--config={self.dir}/send.conf', *more]

    def send(self, code=0, **more):
        run = subprocess.run(self.args('--once'), capture_output=True, text=True, timeout=120,
                             check=False, **more)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stderr

    def verify(self, folder):
        return subprocess.run([DISKWIPE, 'records', 'verify', f'--signers={self.signers}', folder],
                              capture_output=True, text=True, timeout=120, check=False)

    def is_copy(self):
        """Every file of the ledger but its lock is there, with the same bytes, and nothing else."""
        def files(folder):
            return {os.path.basename(n): pathlib.Path(n).read_bytes()
                    for n in glob.glob(folder + '/*')}
        self.assertEqual(files(self.ledger), files(self.target))
        run = self.verify(self.target)
        self.assertEqual(run.returncode, 0, run.stderr)

    def texts(self):
        return [pathlib.Path(n).read_text(encoding='ascii')
                for n in sorted(glob.glob(self.ledger + '/record-*.json'))]

    def head(self):
        """Number and SHA-256 of the last record, as `records verify --expect` takes them."""
        return f'{self.count()}:{hashlib.sha256(self.texts()[-1].encode()).hexdigest()}'

    def has_all(self, receiver):
        """In order, byte for byte, the signature too, and the head of all. What a killed program
        had sent may arrive after the next one sent it again: of each record the first counts."""
        records, heads = [], []
        for key, body in receiver.got:
            self.assertEqual(key, hashlib.sha256(body['text'].encode()).hexdigest())
            self.assertEqual(key, body['sha256'])
            sig = pathlib.Path(f'{self.ledger}/{body["file"]}.sig')
            if body['kind'] == 'record':
                self.assertEqual(body['signature'], sig.read_text(encoding='ascii'))
                if body['text'] not in records:
                    records.append(body['text'])
            elif body['kind'] == 'head':
                heads.append(body)
        self.assertEqual(records, self.texts())
        last = max(heads, key=lambda b: b['sequence'])
        self.assertEqual(last['sequence'], self.count())
        self.assertEqual(last['head'], self.head())
        self.is_folder(receiver)

    def is_folder(self, receiver):
        """Who writes text and signature of all that came under the name of the file has a ledger
        that is whole."""
        with tempfile.TemporaryDirectory() as folder:
            for _, body in receiver.got:
                for name, key in ((body['file'], 'text'), (body['file'] + '.sig', 'signature')):
                    pathlib.Path(f'{folder}/{name}').write_text(body[key], encoding='ascii')
            run = self.verify(folder)
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_folder(self):
        self.configure(f'[target stick]\ndirectory={self.target}\n')
        self.assertIn('12 records sent, it has all 12, written to the medium', self.send())
        self.is_copy()
        self.assertEqual(self.send(), '')
        self.grow(RECORDS + 3)
        self.assertIn('3 records sent, it has all 15', self.send())
        self.is_copy()
        # another stick: all of it; and the first one goes on where it was
        shutil.move(self.target, self.target + '-1')
        os.mkdir(self.target)
        self.assertIn('15 records sent', self.send())
        self.is_copy()
        # one that lost a file in the middle gets it again
        os.unlink(glob.glob(self.target + '/record-00000004.json.sig')[0])
        self.send()
        self.is_copy()
        # what it was about to remove when it was killed goes with the next run
        pathlib.Path(self.target + '/head-00000003.json.sig').write_text('x', encoding='ascii')
        self.send()
        self.is_copy()
        # a head of which one half was lost is whole again, and one that was forged is said
        head = f'{self.target}/head-{self.count():08}.json'
        os.unlink(head)
        self.send()
        self.is_copy()
        pathlib.Path(head).write_text('forged', encoding='ascii')
        self.assertIn('and is another', self.send(code=4))

    def moved(self, receiver):
        """What has come to the targets so far."""
        return sorted(os.listdir(self.target)), len(receiver.seen)

    def test_kills(self):
        """A copy is never wrong, at most not finished; and it gets finished. Every other kill
        comes when something new is being sent."""
        r = random.Random(os.environ.get('DW_SEED', 1))
        receiver = Receiver()
        self.addCleanup(receiver.end)
        self.configure(f'[target stick]\ndirectory={self.target}\n'
                       f'[target office]\nurl={receiver.url}\nplain=yes\n')
        for i in range(KILLS):
            sends = i % 2 == 1
            if sends:
                self.grow(self.count() + 1)
            had = self.moved(receiver)
            with subprocess.Popen(self.args('--once'), stderr=subprocess.DEVNULL) as p:
                while sends and p.poll() is None and self.moved(receiver) == had:
                    time.sleep(0.001)
                time.sleep(r.uniform(0, 0.02 if sends else 0.06))
                p.kill()
            for name in glob.glob(self.target + '/*.json'):
                text = pathlib.Path(name).read_bytes()
                original = pathlib.Path(f'{self.ledger}/{os.path.basename(name)}')
                if original.exists():
                    self.assertEqual(text, original.read_bytes())
        self.send()
        self.is_copy()
        self.has_all(receiver)

    def test_answers(self):
        receiver = Receiver()
        self.addCleanup(receiver.end)
        self.configure(f'[target office]\nurl={receiver.url}\nplain=yes\n')
        for what, words in ((500, 'it answered 500'), (302, 'which is not followed'),
                            ('cut', 'target office'), (401, 'it answered 401'),
                            (503, 'it answered 503')):
            # what is cut on a connection that was used before is sent again at once
            receiver.plan = [what] if what == 'cut' else [200, what]
            self.assertIn(words, self.send(code=4))
        self.assertEqual(len(receiver.got), 4)
        receiver.plan = ['flood']
        self.send()
        self.has_all(receiver)
        status = subprocess.run(self.args('--status'), capture_output=True, text=True,
                                check=True).stdout
        self.assertRegex(status, r'^office: http://localhost:\d+/records: 12 records, the last one '
                         f'{self.head()}, last success')
        receiver.end()
        self.grow(RECORDS + 2)
        self.send(code=4)
        status = subprocess.run(self.args('--status'), capture_output=True, text=True,
                                check=True).stdout
        self.assertIn('12 records', status)
        self.assertIn('onnect', status)

    def test_one_connection(self):
        """For all that a round brings, and another when it was cut."""
        receiver = Receiver()
        self.addCleanup(receiver.end)
        self.configure(f'[target office]\nurl={receiver.url}\nplain=yes\n')
        self.send()
        self.has_all(receiver)
        self.assertEqual(receiver.connections, 1)
        self.grow(RECORDS + 4)
        receiver.plan = [200, 'cut']
        self.send()
        self.has_all(receiver)
        self.assertEqual(receiver.connections, 3)

    def test_secrets(self):
        token = self.dir + '/token'
        with open(token, 'w', encoding='ascii') as f:
            f.write('s3cret\n')
        receiver = Receiver()
        self.addCleanup(receiver.end)
        self.configure(f'[target office]\nurl={receiver.url}\nplain=yes\ntoken-file={token}\n')
        os.chmod(token, 0o644)
        self.assertIn('others can read it', self.send(code=4))
        self.assertEqual(receiver.got, [])
        os.chmod(token, 0o600)
        self.assertNotIn('s3cret', self.send())
        self.assertTrue(all(h['Authorization'] == 'Bearer s3cret' for h in receiver.seen))

    def test_tls(self):
        """Only to one whose certificate is by the authority that is named, and for that name."""
        def make(name, *more):
            subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                            'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj',
                            f'/CN={name}', '-addext', f'subjectAltName=DNS:{name}', '-keyout',
                            f'{self.dir}/{name}.key', '-out', f'{self.dir}/{name}.pem', *more],
                           check=True, capture_output=True)
        make('localhost')
        make('stranger')
        right = Receiver((f'{self.dir}/localhost.pem', f'{self.dir}/localhost.key'))
        wrong = Receiver((f'{self.dir}/stranger.pem', f'{self.dir}/stranger.key'))
        for receiver, ca, code in ((right, 'localhost', 0), (right, 'stranger', 4),
                                   (wrong, 'localhost', 4), (wrong, 'stranger', 4)):
            self.addCleanup(receiver.end) if not code else None
            shutil.rmtree(self.dir + '/state')
            os.mkdir(self.dir + '/state')
            receiver.got.clear()
            self.configure(f'[target office]\nurl={receiver.url}\nca-file={self.dir}/{ca}.pem\n')
            self.send(code=code)
            self.assertEqual(bool(receiver.got), not code)
        wrong.end()

    def test_trouble_of_folders(self):
        self.configure(f'[target stick]\ndirectory={self.target}\nrequire-mount=yes\n')
        if os.stat(self.target).st_dev == os.stat('/').st_dev:
            self.assertIn('nothing is mounted there', self.send(code=4))
            self.assertEqual(os.listdir(self.target), [])
        self.configure(f'[target stick]\ndirectory={self.dir}/none\n')
        self.assertIn('No such file', self.send(code=4))
        self.configure(f'[target stick]\ndirectory={self.target}\n')
        # files may not grow: a full disk
        self.send(code=4, preexec_fn=no_growth)
        self.assertEqual([n for n in os.listdir(self.target) if n.endswith('.json')], [])
        self.send()
        self.is_copy()
        # what is there and is another is left as it is
        first = self.target + '/record-00000001.json'
        text = pathlib.Path(first).read_text(encoding='ascii')
        pathlib.Path(first).write_text(text.replace('erased', 'Erased'), encoding='ascii')
        os.unlink(first + '.sig')
        self.assertIn('is there, and is another', self.send(code=4))
        self.assertIn('Erased', pathlib.Path(first).read_text(encoding='ascii'))

    def test_ledger_that_was_put_back(self):
        receiver = Receiver()
        self.addCleanup(receiver.end)
        self.configure(f'[target office]\nurl={receiver.url}\nplain=yes\n'
                       f'[target stick]\ndirectory={self.target}\n')
        shutil.copytree(self.ledger, self.dir + '/older')
        self.grow(RECORDS + 3)
        self.send()
        sent = len(receiver.got)
        shutil.rmtree(self.ledger)
        shutil.move(self.dir + '/older', self.ledger)
        said = self.send(code=4)
        self.assertIn('put back to an older copy', said)
        self.assertIn('records were taken away here', said)
        # and grown again: other records have the same numbers
        subprocess.run([PAPER_LEDGER, self.ledger, self.key, '34', '30'], check=True)
        said = self.send(code=4)
        self.assertIn('is not the one that was sent', said)
        self.assertEqual(len(receiver.got), sent)
        self.assertEqual(self.verify(self.target).returncode, 0)

    def test_changed_record(self):
        self.configure(f'[target stick]\ndirectory={self.target}\n')
        name = self.ledger + '/record-00000005.json'
        text = pathlib.Path(name).read_text(encoding='ascii')
        pathlib.Path(name).write_text(text.replace('ST18', 'ST19'), encoding='ascii')
        self.assertIn('signature wrong: it or its signature was changed after signing',
                      self.send(code=4))
        self.assertEqual(len(glob.glob(self.target + '/record-*.json')), 4)

    def test_goes_on(self):
        """It stays, and sees what comes."""
        self.configure(f'[target stick]\ndirectory={self.target}\n')
        with subprocess.Popen(self.args(), stderr=subprocess.DEVNULL) as p:
            try:
                for n in (RECORDS, RECORDS + 1):
                    self.grow(n)
                    end = time.monotonic() + 180
                    heads = [f'{self.target}/head-{n:08}.json{s}' for s in ('', '.sig')]
                    while sorted(glob.glob(self.target + '/head-*')) != heads:
                        self.assertLess(time.monotonic(), end)
                        time.sleep(0.05)
            finally:
                p.terminate()
        self.is_copy()

    def test_configuration(self):
        for text, words in (('', 'there is none: where to?'),
                            ('[target a]\nplain=yes\n', 'says where to'),
                            ('[target a/b]\nurl=https://x\n', 'not a name'),
                            ('[target a]\nurl=ftp://x\n', 'none of https'),
                            ('[target a]\nurl=http://x\n', 'say plain=yes'),
                            ('[target a]\ndirectory=x\n', 'not an absolute path'),
                            ('[target a]\nurl=https://x\ndirectory=/x\n', 'another place'),
                            ('[target a]\nurl=https://x\ncolour=1\n',
                             'unknown key colour; there are directory, url'),
                            ('[target a]\nurl=https://x\nclient-cert=/x\n', 'belong together'),
                            ('[targets]\nurl=https://x\n',
                             'unknown section [targets]; there are send, target'),
                            ('what\n', 'send.conf')):
            self.configure(text)
            self.assertIn(words, self.send(code=1))
        for args in (['--status', '--once'], ['x'], ['--wrong']):
            run = subprocess.run(self.args(*args), capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertIn('--help', run.stderr)


if __name__ == '__main__':
    unittest.main()
