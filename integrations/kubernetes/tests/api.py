# SPDX-License-Identifier: GPL-2.0-or-later
"""As much of Kubernetes's API as kubectl and helm ask for. What they send is held to the schemas of
a release of Kubernetes, unknown fields included, as a server does it; jobs are complete at once."""

import base64
import http.server
import json
import threading
import urllib.parse

import kubernetes_validate
import yaml

RELEASE = '1.34'
# group and version, kind, plural, in a namespace
KINDS = (
    ('v1', 'Secret', 'secrets', True),
    ('v1', 'ConfigMap', 'configmaps', True),
    ('v1', 'ServiceAccount', 'serviceaccounts', True),
    ('apps/v1', 'DaemonSet', 'daemonsets', True),
    ('batch/v1', 'Job', 'jobs', True),
    ('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', False),
    ('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', False),
    ('storage.k8s.io/v1', 'StorageClass', 'storageclasses', False),
)
VERBS = ['create', 'get', 'list', 'patch', 'watch']
COMPLETE = {'succeeded': 1, 'conditions': [{'type': 'Complete', 'status': 'True'}]}


def top(version):
    return '/apis/' + version if '/' in version else '/api/' + version


def status(code, reason, message=''):
    return code, {
        'kind': 'Status', 'apiVersion': 'v1', 'status': 'Failure', 'code': code,
        'reason': reason, 'message': message or reason,
    }  # fmt: skip


def groups():
    names = sorted({v for v, *_ in KINDS if '/' in v})
    return [
        {
            'name': v.split('/')[0],
            'versions': [{'groupVersion': v, 'version': v.split('/')[1]}],
            'preferredVersion': {'groupVersion': v, 'version': v.split('/')[1]},
        }
        for v in names
    ]


def resources(version):
    return {
        'kind': 'APIResourceList', 'apiVersion': 'v1', 'groupVersion': version,
        'resources': [
            {'name': p, 'singularName': k.lower(), 'namespaced': n, 'kind': k, 'verbs': VERBS}
            for v, k, p, n in KINDS if v == version
        ],
    }  # fmt: skip


def description(version):
    """That the server looks at unknown fields itself."""
    group, _, short = version.rpartition('/')
    return {
        'openapi': '3.0.0',
        'info': {'title': 'Kubernetes', 'version': RELEASE},
        'paths': {
            f'{top(version)}/{p}/{{name}}': {
                'patch': {
                    'x-kubernetes-group-version-kind': {
                        'group': group, 'version': short, 'kind': k
                    },
                    'parameters': [{'name': 'fieldValidation', 'in': 'query'}],
                    'responses': {},
                }
            }
            for v, k, p, _ in KINDS if v == version
        },
    }  # fmt: skip


def fields(data):
    """Of a message of protocol buffers: numbers, and what they have: integers or bytes."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                return value

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = data[at : at + value], at + value
        yield key >> 3, value


def is_selected(one, path, query):
    """Is it in that list, by name and labels?"""
    name = path.rpartition('/')[2]
    field = query.get('fieldSelector', [''])[0].removeprefix('metadata.name=')
    wanted = dict(w.split('=') for w in query.get('labelSelector', [''])[0].split(',') if w)
    return field in ('', name) and wanted.items() <= one['metadata'].get('labels', {}).items()


def pairs(message, number):
    return [
        (e[1].decode(), e.get(2, b''))
        for e in (dict(fields(v)) for n, v in fields(message) if n == number)
    ]


def secret(data):
    """Types that both programs were compiled with are not sent as JSON: k8s.io/api/core/v1,
    generated.proto, in a runtime.Unknown."""
    raw = dict(fields(data[4:]))[2]
    has = dict(fields(raw))
    meta = dict(fields(has[1]))
    return {
        'apiVersion': 'v1', 'kind': 'Secret', 'type': has.get(3, b'Opaque').decode(),
        'metadata': {
            'name': meta[1].decode(), 'labels': {k: v.decode() for k, v in pairs(has[1], 11)}
        },
        'data': {k: base64.b64encode(v).decode() for k, v in pairs(raw, 2)},
    }  # fmt: skip


class Server(http.server.ThreadingHTTPServer):
    """@objects: what was made, by paths."""

    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.objects = {}
        self.url = f'http://127.0.0.1:{self.server_port}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def end(self):
        self.shutdown()
        self.server_close()

    def find(self, kind, name):
        return next(
            o for o in self.objects.values() if (o['kind'], o['metadata']['name']) == (kind, name)
        )

    def fixed(self, path):
        """What does not depend on what was made."""
        versions = {v for v, *_ in KINDS}
        answers = {
            '/version': {'major': '1', 'minor': RELEASE[2:], 'gitVersion': f'v{RELEASE}.0'},
            '/api': {'kind': 'APIVersions', 'versions': ['v1']},
            '/apis': {'kind': 'APIGroupList', 'apiVersion': 'v1', 'groups': groups()},
            '/openapi/v3': {
                'paths': {
                    top(v)[1:]: {'serverRelativeURL': f'/openapi/v3{top(v)}?hash=0'}
                    for v in versions
                }
            },
            **{top(v): resources(v) for v in versions},
            **{f'/openapi/v3{top(v)}': description(v) for v in versions},
        }
        return answers.get(path)

    def put(self, path, made, name=None):
        version, kind = made.get('apiVersion'), made.get('kind')
        if (version, kind) not in {(v, k) for v, k, *_ in KINDS}:
            return status(404, 'NotFound')
        try:
            kubernetes_validate.validate(made, RELEASE, strict=True)
        except (kubernetes_validate.ValidationError, ValueError) as e:
            return status(422, 'Invalid', str(e))
        path = path if name else f'{path}/{made["metadata"]["name"]}'
        if not name and path in self.objects:
            return status(409, 'AlreadyExists')
        made['metadata'].update(resourceVersion='1', uid='0')
        if '/namespaces/' in path:
            made['metadata']['namespace'] = 'default'
        if kind == 'Job':
            made['status'] = COMPLETE
        self.objects[path] = made
        return 201, made

    def look(self, path, query):
        if path in self.objects:
            return 200, self.objects[path]
        of = [
            (v, k)
            for v, k, p, _ in KINDS
            if path in (f'{top(v)}/{p}', f'{top(v)}/namespaces/default/{p}')
        ]
        if not of:
            return None
        return 200, {
            'kind': of[0][1] + 'List', 'apiVersion': of[0][0],
            'metadata': {'resourceVersion': '1'},
            'items': [
                o for at, o in self.objects.items()
                if at.startswith(path + '/') and is_selected(o, at, query)
            ],
        }  # fmt: skip


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def answer(self, code, what):
        data = json.dumps(what).encode()
        self.send_response(code)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path, _, words = self.path.partition('?')
        query = urllib.parse.parse_qs(words)
        fixed = self.server.fixed(path)
        if 'watch' in query:  # nothing changes any more
            self.send_response(200)
            self.send_header('Content-Length', '0')
            self.end_headers()
            return
        found = (200, fixed) if fixed else self.server.look(path, query)
        self.answer(*(found or status(404, 'NotFound')))

    def body(self):
        data = self.rfile.read(int(self.headers['Content-Length']))
        return secret(data) if data.startswith(b'k8s\0') else yaml.safe_load(data)

    def do_POST(self):
        self.answer(*self.server.put(self.path.partition('?')[0], self.body()))

    def do_PATCH(self):
        path = self.path.partition('?')[0]
        if 'apply' not in self.headers['Content-Type']:
            self.server.objects[path].update(self.body())
            self.answer(200, self.server.objects[path])
            return
        self.answer(*self.server.put(path, self.body(), path))

    def do_PUT(self):
        path = self.path.partition('?')[0]
        self.server.objects[path] = made = self.body()
        self.answer(200, made)
