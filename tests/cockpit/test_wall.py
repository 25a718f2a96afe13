# SPDX-License-Identifier: GPL-2.0-or-later
"""The wall screen of a simulated station: what the service writes, and what a browser makes of it,
from the disk and from a web server. PICTURES=DIR keeps what was seen."""

import functools
import http.server
import json
import os
import re
import signal
import stat
import subprocess
import threading
import time

from browser import Page, check, until

TMP = os.environ['TMPDIR']
DISKWIPE, SERVICE = os.environ['DISKWIPE'], os.environ['DISKWIPED']
HERE = TMP + '/station'
WALL = HERE + '/wall'
CONFIG = '[station]\nname = here\n[wall]\nfolder = /not/for/simulated/ones\n'
RACK = '''[controller hba]
rate = 4GB/s
[bus shelf]
on = hba
rate = 2GB/s
[disk bay]
count = 24
on = shelf
vendor = ACME
model = ROTOR
capacity = 4GB
outer = 20MB/s
inner = 10MB/s
rpm = 7200
'''
HOSTILE = '</script><img src=x onerror=document.title="taken">\u202e'
FILES = ['index.html', 'state.js', 'state.json', 'wall.css', 'wall.js']


class Wall(Page):
    def __init__(self):
        for name, text in (('conf', CONFIG), ('rack.station', RACK)):
            with open(f'{TMP}/{name}', 'w', encoding='utf-8') as f:
                f.write(text)
        self.env = {**os.environ, 'DISKWIPE_BUS_ADDRESS': f'unix:path={HERE}/bus'}
        self.service = None
        self.begin()
        self.browser = self.start_browser(TMP)

    def begin(self):
        self.service = subprocess.Popen(
            [SERVICE, '--config', TMP + '/conf', '--simulate', TMP + '/rack.station']
            + ['--shrink', '20', '--state-dir', HERE],
            stderr=subprocess.DEVNULL,
            env=self.env,
        )
        until(lambda: len(self.state()['disks']) == 24, 'no wall')

    def state(self):
        with open(WALL + '/state.json', encoding='ascii') as f:
            return json.load(f)

    def run(self, *command):
        subprocess.run([DISKWIPE, *command], env=self.env, check=True, stdout=subprocess.DEVNULL)

    def words(self):
        return self.script(
            "return [...document.querySelectorAll('.tile .badge')].map(b => b.textContent.trim())"
        )

    def open(self, url='file://' + WALL, alive=True):
        self.browser.get('about:blank')
        self.browser.get(url + '/index.html')
        until(lambda: len(self.words()) == 24, 'not 24 tiles')
        # a page that was just opened cannot know that the service lives
        until(lambda: not alive or not self.is_old(), 'no second news')

    def is_old(self):
        return self.one('body').get_attribute('data-state') == 'old'


def files(s):
    """Readable for everybody; nothing else, and nothing that is half written, lies there. A reader
    who looks all the time never finds half of it."""
    mode = os.stat(WALL).st_mode
    check(stat.S_IMODE(mode) == 0o755, f'the folder is {mode:o}')
    numbers = set()
    while len(numbers) < 3:
        numbers.add(s.state()['number'])
    check(
        set(os.listdir(WALL)) - {'state.js.new', 'state.json.new'} == set(FILES),
        os.listdir(WALL),
    )
    for name in FILES:
        mode = stat.S_IMODE(os.stat(f'{WALL}/{name}').st_mode)
        check(mode == 0o644, f'{name} is {mode:o}')
    check(not os.path.exists('/not'), 'a simulated station writes elsewhere')


def from_disk(s):
    s.open()
    check(s.text('#station') == 'simulated here', s.text('#station'))
    check('SIMULATED STATION' in s.text('#alarms'), 'it does not say that it is simulated')
    check(s.words() == ['free'] * 24, s.words())
    bays = [f'bay-{n}' for n in range(1, 25)]
    s.run('submit', '--quiet', '--yes', '--expect-count=24', '--customer=ACME-SECRET', *bays)
    until(lambda: s.words() == ['writes'] * 24, 'they do not write')
    until(lambda: '24 working' in s.text('#counts'), s.text('#counts'))
    until(lambda: re.search(r'[1-9]\d? %', s.text('.tile .far')), 'no progress')
    s.run('simulate', 'pull', 'bay-3')
    until(lambda: 'REMOVED' in s.words() and '1 trouble' in s.text('#counts'), 'not pulled')
    height = s.script('return document.documentElement.scrollHeight - innerHeight')
    check(height <= 0, f'{height} pixels are below the screen')
    s.picture('wall')


def says_no_more_than_it_may(s):
    """Who sees a wall does not learn who the customers are, nor which disks they had."""
    with open(WALL + '/state.json', encoding='ascii') as f:
        text = f.read()
    serials = json.loads(
        subprocess.run(
            [DISKWIPE, 'status', '--json'], env=s.env, check=True, capture_output=True, text=True
        ).stdout
    )
    whole = [d['serial'] for d in serials['disks']]
    check(len(whole) == 24 and all(len(x) > 4 for x in whole), whole)
    for word in [*whole, 'ACME-SECRET', 'wwn', 'WWN']:
        check(word not in text, f'{word} is on the wall')
    check(all(len(d['Serial']) == 4 for d in json.loads(text)['disks']), 'serial numbers')


def old_news(s):
    """A service that hangs looks as it does when it has been killed."""
    s.service.send_signal(signal.SIGSTOP)
    s.script('const at = performance.now.bind(performance); performance.now = () => at() + 60000')
    until(s.is_old, 'old news are shown as new')
    check('No news since' in s.text('#alarms'), s.text('#alarms'))
    s.picture('wall-old')
    s.service.send_signal(signal.SIGCONT)
    until(lambda: not s.is_old(), 'news are not taken')


def stopped(s):
    s.service.send_signal(signal.SIGTERM)
    check(s.service.wait() == 0, 'the end')
    until(s.is_old, 'a service that has stopped is shown as alive')
    check('The service has stopped' in s.text('#alarms'), s.text('#alarms'))
    before = s.state()
    check(before['stopped'], before)
    s.begin()
    until(lambda: not s.is_old(), 'a service that starts again is not seen')


def from_server(s):
    """A web server that has nothing but the folder."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=WALL)
    http.server.SimpleHTTPRequestHandler.log_message = lambda *args: None
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    s.open(f'http://127.0.0.1:{server.server_port}')
    number = s.state()['number']
    until(lambda: s.state()['number'] > number + 1 and not s.is_old(), 'no news by HTTP')
    s.browser.get('about:blank')
    server.shutdown()


def hostile(s):
    """What disks and enclosures say of themselves is text."""
    s.service.send_signal(signal.SIGKILL)
    s.service.wait()
    state = s.state()
    state.update(begun=1, written=int(time.time() * 1e6))
    state['manager']['Station'] = HOSTILE
    for disk in state['disks']:
        disk.update(Slot=HOSTILE, Outcome=HOSTILE, State='done', Serial=HOSTILE)
    with open(WALL + '/state.js', 'w', encoding='ascii') as f:
        f.write(f'diskwipeWall({json.dumps(state)});\n')
    s.open(alive=False)
    check(s.is_old(), 'a service that was killed is shown as alive')
    check('onerror' in s.text('.tile') and not s.all('img'), 'text has become an element')
    check(s.browser.title == 'diskwipe', 'a script of a disk has run')


def folder_goes(s):
    """Whoever cleans /run away has the page back within seconds; a link leads nowhere."""
    for name in FILES:
        os.unlink(f'{WALL}/{name}')
    os.rmdir(WALL)
    until(lambda: set(FILES) <= set(os.listdir(WALL)), 'the folder does not come back')
    victim = TMP + '/victim'
    with open(victim, 'w', encoding='ascii') as f:
        f.write('kept')
    os.mkdir(WALL + '/state.js.new')
    os.unlink(WALL + '/index.html')
    until(lambda: os.path.exists(WALL + '/index.html'), 'the page does not come back')
    for name in ('state.json.new', 'state.json'):
        number = s.state()['number']
        if os.path.lexists(f'{WALL}/{name}'):
            os.unlink(f'{WALL}/{name}')
        os.symlink(victim, f'{WALL}/{name}')
        until(
            lambda: not os.path.islink(f'{WALL}/state.json')
            and s.state()['number'] > number + 1,
            'a link stops it',
        )
    with open(victim, encoding='ascii') as f:
        check(f.read() == 'kept', 'written through a link')


def main():
    s = Wall()
    try:
        for part in (
            files,
            from_disk,
            says_no_more_than_it_may,
            old_news,
            stopped,
            from_server,
            folder_goes,
            hostile,
        ):
            start = time.monotonic()
            part(s)
            print(f'{part.__name__}: {time.monotonic() - start:.1f} s', flush=True)
        s.no_complaints()
    except BaseException:
        s.picture('failed')
        raise
    finally:
        s.end()
        if s.service.poll() is None:
            s.service.kill()


main()
