# SPDX-License-Identifier: GPL-2.0-or-later
"""The other side: an asset system that holds each call to specification.json, and answers as a test
tells it to."""

import http.server
import json
import os
import re
import threading
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {
    'text': lambda v: isinstance(v, str),
    'number': lambda v: isinstance(v, int) and not isinstance(v, bool),
    'object': lambda v: isinstance(v, dict),
    'object or null': lambda v: v is None or isinstance(v, dict),
    'any': lambda v: True,
}


def fits(value, form):
    if isinstance(form, dict):
        return (
            isinstance(value, dict)
            and set(value) == set(form)
            and all(fits(value[key], form[key]) for key in form)
        )
    return KINDS[form](value)


class AssetSystem:
    """calls: what was called and taken, as (method, path, body). wrong: what the specification
    does not have. answers: by "METHOD path template" a status, a text or an object instead."""

    def __init__(self, token=''):
        with open(os.path.join(HERE, '../specification.json'), encoding='utf-8') as f:
            self.spec = json.load(f)['calls']
        self.calls, self.wrong, self.answers = [], [], {}
        self.token, self.before = token, None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.handle(self, None)

            def do_POST(self):
                length = int(self.headers['Content-Length'])
                outer.handle(self, json.loads(self.rfile.read(length)))

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self.http.server_port}'
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def handle(self, request, body):
        path = request.path
        form, template = None, ''
        for call in self.spec:
            pattern = re.escape(call['path']).replace(r'\{id\}', '[^/]+')
            if call['method'] == request.command and re.fullmatch(pattern, path):
                form, template = call, f'{call["method"]} {call["path"]}'
        if form is None or not fits(body, form['body']) if body is not None else form is None:
            self.wrong.append((request.command, path, body))
        if self.token and request.headers['Authorization'] != f'Bearer {self.token}':
            self.wrong.append((request.command, path, 'no token'))
        if self.before:
            self.before(template)
        answer = self.answers.get(template, {})
        status = answer if isinstance(answer, int) else 200
        text = answer if isinstance(answer, str) else json.dumps({} if status != 200 else answer)
        if status == 200:
            self.calls.append((request.command, urllib.parse.unquote(path), body))
        request.send_response(status)
        if status == 302:
            request.send_header('Location', self.url + '/elsewhere')
        request.send_header('Content-Length', str(len(text)))
        request.end_headers()
        request.wfile.write(text.encode())

    def told(self, what):
        """Bodies of the calls whose path ends so."""
        return [body for _, path, body in self.calls if path.endswith(what)]

    def close(self):
        self.http.shutdown()
        self.http.server_close()
