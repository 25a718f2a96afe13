# SPDX-License-Identifier: GPL-2.0-or-later
"""A small S3 for tests: it checks each request's signature (AWS Signature Version 4) by the
specification alone, has pages of three names, and never writes over an object."""
import base64
import hashlib
import hmac
import http.server
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

KEY, SECRET, REGION = 'AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', 'eu-test-7'
PAGE = 3


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Server(http.server.ThreadingHTTPServer):
    """@objects: by their paths; @locked: what it says of them; @plan: answers to give
    instead; @pages: it says how a list goes on; @below: versions that are no more on top, by
    paths; @marks: paths with a mark of deletion on top."""

    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.objects, self.locked, self.plan, self.seen, self.wrong = {}, True, [], [], []
        self.pages, self.below, self.marks = True, [], []
        self.url = f'http://127.0.0.1:{self.server_port}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def end(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def fault(self, body):
        """Why the request is not signed as it must be; None."""
        words = self.headers.get('Authorization', '')
        if not words.startswith('AWS4-HMAC-SHA256 '):
            return 'AccessDenied'
        part = dict(p.strip().split('=', 1) for p in words[17:].split(','))
        who, day, region, service, end = part['Credential'].split('/')
        stamp = self.headers['x-amz-date']
        if (who, region, service, end) != (KEY, REGION, 's3', 'aws4_request') or \
                not stamp.startswith(day):
            return 'InvalidAccessKeyId'
        then = time.mktime(time.strptime(stamp, '%Y%m%dT%H%M%SZ')) - time.timezone
        if abs(then - time.time()) > 900:
            return 'RequestTimeTooSkewed'
        names = part['SignedHeaders'].split(';')
        if not {'host', 'x-amz-date', 'x-amz-content-sha256'} <= set(names):
            return 'AccessDenied'
        if self.headers['x-amz-content-sha256'] != hashlib.sha256(body).hexdigest():
            return 'XAmzContentSHA256Mismatch'
        path, _, query = self.path.partition('?')
        canonical = '\n'.join(
            [self.command, path, '&'.join(sorted(query.split('&')))] +
            [f'{n}:{" ".join(self.headers[n].split())}' for n in names] +
            ['', ';'.join(names), self.headers['x-amz-content-sha256']])
        text = '\n'.join(['AWS4-HMAC-SHA256', stamp, f'{day}/{region}/s3/aws4_request',
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = ('AWS4' + SECRET).encode()
        for word in (day, region, 's3', 'aws4_request'):
            key = sign(key, word)
        right = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        return None if hmac.compare_digest(right, part['Signature']) else 'SignatureDoesNotMatch'

    def answer(self, status, text='', headers=()):
        data = text.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status, code):
        self.answer(status, f'<?xml version="1.0"?><Error><Code>{code}</Code></Error>')

    def begin(self):
        """The body; None when it was answered already."""
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        self.server.seen.append((self.command, self.path, dict(self.headers)))
        if self.server.plan:
            status = self.server.plan.pop(0)
            if status:
                self.refuse(status, 'SlowDown' if status == 503 else 'AccessDenied')
                return None
        why = self.fault(body)
        if why:
            self.server.wrong.append(why)
            self.refuse(403, why)
            return None
        return body

    def do_PUT(self):
        body = self.begin()
        if body is None:
            return
        check = base64.b64encode(hashlib.sha256(body).digest()).decode()
        if self.headers.get('x-amz-checksum-sha256') != check or \
                self.headers.get('x-amz-sdk-checksum-algorithm') != 'SHA256':
            self.refuse(400, 'InvalidRequest')  # as of a bucket with object lock
        elif self.headers.get('If-None-Match') != '*':
            self.refuse(400, 'NotWriteOnce')
        elif self.path in self.server.objects:
            self.refuse(412, 'PreconditionFailed')
        else:
            self.server.objects[self.path] = body.decode()
            self.answer(200)

    def do_GET(self):
        if self.begin() is None:
            return
        path, _, query = self.path.partition('?')
        if query.endswith('versions='):
            self.versions(path, urllib.parse.parse_qs(query[:-len('&versions=')]))
        elif query:
            self.list(path, urllib.parse.parse_qs(query, strict_parsing=True))
        elif path not in self.server.objects:
            self.refuse(404, 'NoSuchKey')
        else:
            lock = [('x-amz-object-lock-mode', 'COMPLIANCE'),
                    ('x-amz-object-lock-retain-until-date', '2099-01-01T00:00:00.000Z')]
            self.answer(200, self.server.objects[path], lock if self.server.locked else ())

    def versions(self, bucket, query):
        of = self.server
        rows = sorted((p[len(bucket) + 1:], kind, latest) for paths, kind, latest in (
            (of.objects, 'Version', 'true'), (of.below, 'Version', 'false'),
            (of.marks, 'DeleteMarker', 'true')) for p in paths
            if p.startswith(f'{bucket}/{query["prefix"][0]}'))
        first = int(query.get('version-id-marker', ['0/+='])[0].split('/')[0])
        page, more = rows[first:first + PAGE], first + PAGE < len(rows)
        self.answer(200, '<?xml version="1.0"?><ListVersionsResult>' +
                    f'<IsTruncated>{str(more).lower()}</IsTruncated>' +
                    (f'<NextKeyMarker>{escape(page[-1][0])}</NextKeyMarker><NextVersionIdMarker>'
                     f'{first + PAGE}/+=</NextVersionIdMarker>' if more else '') +
                    ''.join(f'<{kind}><Key>{escape(n)}</Key><VersionId>x</VersionId>'
                            f'<IsLatest>{latest}</IsLatest></{kind}>' for n, kind, latest in page) +
                    '</ListVersionsResult>')

    def list(self, bucket, query):
        names = sorted(p[len(bucket) + 1:] for p in self.server.objects
                       if p.startswith(f'{bucket}/{query["prefix"][0]}'))
        # a token of characters that have to be escaped
        first = int(query.get('continuation-token', ['0/+='])[0].split('/')[0])
        page = names[first:first + PAGE]
        more = first + PAGE < len(names)
        self.answer(200, '<?xml version="1.0"?><ListBucketResult>' +
                    f'<IsTruncated>{str(more).lower()}</IsTruncated>' +
                    ''.join(f'<Contents><Key>{escape(n)}</Key></Contents>' for n in page) +
                    (f'<NextContinuationToken>{first + PAGE}/+=</NextContinuationToken>'
                     if more and self.server.pages else '') + '</ListBucketResult>')
