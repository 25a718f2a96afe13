#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each query of the dashboard, and each rule, on a Prometheus that scrapes a station at work: none
is refused, and those that have something to show show it. The station is in a guest, which leaves
its figures in a folder; Prometheus is here, on a network of its own."""
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from check import BOARD, HERE, RULES, SKIPPED, expressions, find_promtool, read

LIMIT = 180  # seconds that any wait may take
TOP = os.path.realpath(os.path.join(HERE, '../../..'))
RACK = '''enclosure bus_rate=200M seed=5
disk 0-2 size=40M fill=0xa5 rate=2M
disk 3 size=1M fill=0xa5 rate=20M
fault kind=medium disk=3 lba=100-115
'''
STATION = '''"$1" --no-bus --state-dir=/run/state --socket=/run/station 2>"$2/log" &
until "$3" status --bus=unix:path=/run/station 2>/dev/null | grep -q EMULATED; do sleep 0.1; done
"$3" submit --bus=unix:path=/run/station --quiet --yes --expect-count=4 /dev/sg[0-3] >"$2/job" 2>&1
while [ ! -e "$2/stop" ]; do
	curl -s --unix-socket /run/station http://station/metrics >"$2/new" &&
		mv "$2/new" "$2/figures"
	sleep 0.5
done
'''
# what is at 0, or ends within hours, has nothing to show here
MAY_BE_EMPTY = ('increase(diskwipe_disk_errors_total',)
CONFIG = '''global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: diskwipe
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
'''


def until(true, what):
    end = time.monotonic() + LIMIT
    while not true():
        if time.monotonic() > end:
            sys.exit(f'FAILED: {what}: not within {LIMIT} s')
        time.sleep(0.1)


def serve(path):
    """The figures of a file by HTTP, as a firm's proxy has them; returns its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            with open(path, 'rb') as f:
                text = f.read()
            self.send_response(200)
            self.send_header('Content-Type', 'text/plain; version=0.0.4')
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


class Prometheus:
    def __init__(self, program, folder, port):
        config = folder + '/prometheus.yml'
        with open(config, 'w', encoding='utf-8') as f:
            f.write(CONFIG.format(rules=os.path.realpath(RULES), port=port))
        self.url = '127.0.0.1:9090'  # of a network of its own
        self.process = subprocess.Popen(
            [program, f'--config.file={config}', f'--storage.tsdb.path={folder}/data',
             f'--web.listen-address={self.url}', '--log.level=error'])

    def ask(self, path, **what):
        text = urllib.parse.urlencode(what)
        with urllib.request.urlopen(f'http://{self.url}/api/v1/{path}?{text}', timeout=LIMIT) as r:
            return json.load(r)['data']

    def has(self, query):
        try:
            return self.ask('query', query=query)['result']
        except OSError:
            return []


def look(p):
    """What is wrong, in lines."""
    wrong = []
    for panel in json.loads(read(BOARD))['panels']:
        for expr in expressions(panel):
            query = expr.replace('$station', '.+')
            if not p.has(query) and not expr.startswith(MAY_BE_EMPTY):
                wrong.append(f'{panel["title"]}: nothing by {query}')
    for group in p.ask('rules')['groups']:
        for rule in group['rules']:
            if rule['health'] != 'ok':
                wrong.append(f'rule {rule["name"]}: {rule["health"]} {rule.get("lastError", "")}')
    return wrong


def start_station(folder):
    with open(folder + '/rack.conf', 'w', encoding='utf-8') as f:
        f.write(RACK)
    os.mkdir(folder + '/shared')
    return subprocess.Popen(
        [f'{TOP}/tests/kernel/guest', '--udev', '--timeout', '180', '--enclosure',
         folder + '/rack.conf', '--rw', folder + '/shared', '--', 'bash', '-c', STATION, 'station',
         os.environ['DISKWIPED'], folder + '/shared', os.environ['DISKWIPE']],
        stdin=subprocess.DEVNULL)


def run(program, folder, started):
    shared = folder + '/shared'
    started.append(start_station(folder))
    until(lambda: os.path.exists(shared + '/figures'), 'the station')
    p = Prometheus(program, folder, serve(shared + '/figures'))
    started.append(p.process)
    until(lambda: p.has('diskwipe_disk_info'), 'the first figures')
    until(lambda: p.has('diskwipe_disk_expected_end_seconds > 0'), 'a forecast')
    until(lambda: p.has('diskwipe_attempts_ended_total > 0'), 'the first end')
    until(lambda: all(r['health'] != 'unknown' for g in p.ask('rules')['groups']
                      for r in g['rules']), 'the rules')
    wrong = look(p)
    with open(shared + '/stop', 'w', encoding='utf-8'):
        pass
    return wrong


def main():
    promtool = find_promtool()
    program = promtool and shutil.which('prometheus', path=os.path.dirname(promtool))
    if not program:
        print('SKIPPED: prometheus is missing; tools/dev/setup stack unpacks it')
        sys.exit(SKIPPED)
    started = []
    with tempfile.TemporaryDirectory(prefix='dw-prom.') as folder:
        try:
            wrong = run(program, folder, started)
        finally:
            for process in started:
                process.terminate()
                process.wait(LIMIT)
    print('\n'.join(wrong) or 'each query has something to show')
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
