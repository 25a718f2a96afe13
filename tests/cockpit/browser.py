# SPDX-License-Identifier: GPL-2.0-or-later
"""A bus, the fake service, Cockpit, and a browser that looks at the page."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

from line import Line
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.realpath(os.path.join(HERE, '../..'))
PAGE = os.path.join(TOP, 'packaging/cockpit')
COCKPIT = os.environ['COCKPIT']
XML = os.path.join(TOP, 'packaging/dbus/io.github.diskwipe.Diskwipe1.xml')
URL = 'http://127.0.0.1:9099/cockpit/@localhost/diskwipe/index.html'
ROOT = '/io/github/diskwipe/Diskwipe1'
REFUSED = 'io.github.diskwipe.Diskwipe1.Error.Refused'
UNPACKED = 'favicon|branding|assets/fonts'  # of Cockpit, where it is not installed
BUS_CONF = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig>
<listen>unix:path={}</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/>
<allow own="*"/><allow user="*"/></policy></busconfig>'''

SWITCH = '''
const [on, password, done] = arguments;
const face = "cockpit.Superuser";
const bus = cockpit.dbus(null, { bus: "internal" });
bus.subscribe({ path: "/superuser", interface: face, member: "Prompt" },
              () => bus.call("/superuser", face, "Answer", [password]));
bus.call("/superuser", face, on ? "Start" : "Stop", on ? ["sudo"] : [])
    .then(() => done("ok"), error => done(error.message)).finally(() => bus.close());
'''


# What the line at the foot has said; another thing may have come before anybody looks at it.
HEAR = '''
const line = document.getElementById("said");
window.everSaid = [line.textContent];
const hear = () => window.everSaid.push(line.textContent);
new MutationObserver(hear).observe(line, { childList: true });
'''
# Whether it has said something that was not asked for before; what came before that is done with.
SAID = '''
const all = window.everSaid;
all.splice(0, all.findIndex(text => text.includes(arguments[0])));
const found = all.length && all[0].includes(arguments[0]);
if (found)
    all[0] = all[0].replace(arguments[0], "");
return found;
'''


def until(holds, what, seconds=180):
    """What holds returns, as soon as that is true; a page that is just changing holds nothing."""
    end = time.monotonic() + seconds
    while True:
        try:
            got = holds()
            if got:
                return got
        except Exception as e:  # an element that was replaced meanwhile
            got = e
        if time.monotonic() > end:
            raise SystemExit(f'FAILED: {what() if callable(what) else what}: {got}')
        time.sleep(0.05)


def check(right, what):
    if not right:
        raise SystemExit(f'FAILED: {what}')


def calls(s, method):
    return [c for c in s.fake('log') if c[1] == method]


def to_plan(s):
    s.press('Erase the marked…')
    until(lambda: s.one('#erase-form').is_displayed(), 'no form')
    s.press('Plan…', '#dialog')


class Fake:
    """The process of fake.py, by lines."""

    def __init__(self, address):
        self.process = subprocess.Popen(
            ['/usr/bin/python3', os.path.join(HERE, 'fake.py'), address, XML],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == 'ready\n'

    def __call__(self, do, **what):
        self.process.stdin.write(json.dumps({'do': do, **what}) + '\n')
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def disk(self, n, **values):
        path = f'{ROOT}/disk/{n}'
        self(
            'add',
            path=path,
            kind='Disk',
            values={
                'Device': f'/dev/sg{n}',
                'Serial': f'ZA1B2C{n:02d}',
                'WWN': f'naa.5000c500{n:08x}',
                'Vendor': 'SEAGATE',
                'Model': 'ST8000NM0055',
                'Capacity': 8001563222016,
                'BlockSize': 512,
                'State': 'free',
                'Temperature': 31,
                'Slot': f'0x5000000000000800:Slot {n:02d}',
                **values,
            },
        )
        return path

    def job(self, name, **values):
        path = f'{ROOT}/job/{name}'
        self(
            'add',
            path=path,
            kind='Job',
            values={
                'Id': name,
                'State': 'running',
                'Method': 'zero',
                'Verify': 'sample:1%',
                'ExitCode': -1,
                **values,
            },
        )
        return path

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Guest:
    """A guest with a shelf of disks and the real service. What it serves is at a path, or a port,
    here."""

    def __init__(self, options, command, near):
        self.shared = os.environ['TMPDIR'] + '/shared'
        os.mkdir(self.shared)
        ours, its = socket.socketpair()
        line = f'ssl1=fd:{its.fileno()},fd:{its.fileno()}'
        self.process = subprocess.Popen(
            [f'{TOP}/tests/kernel/guest', *options, '--kernel-arg', line]
            + ['--enclosure', f'{TOP}/tests/cockpit/shelf.conf', '--rw', self.shared, '--']
            + [*command, self.shared],
            pass_fds=[its.fileno()],
            stdin=subprocess.DEVNULL,
        )
        its.close()
        threading.Thread(target=Line(ours.detach(), near, True).carry, daemon=True).start()
        until(self.is_ready, 'the guest does not come up')

    def is_ready(self):
        status = self.process.poll()
        if status is not None:
            sys.exit(status or 1)
        return os.path.exists(self.shared + '/ready')

    def restart(self):
        """The service of in_guest.py."""
        with open(self.shared + '/restart', 'w', encoding='utf-8'):
            pass
        until(lambda: not os.path.exists(self.shared + '/restart'), 'the service is not killed')

    asked = 0

    def ask(self, command):
        """What a command of its shell says, in a guest of station.sh."""
        ask, said = (f'{self.shared}/{name}.{self.asked}' for name in ('ask', 'said'))
        self.asked += 1
        with open(ask + '.new', 'w', encoding='utf-8') as f:
            f.write(command)
        os.rename(ask + '.new', ask)
        until(lambda: self.is_ready() and os.path.exists(said), f'the guest does not say {command}')
        with open(said, encoding='utf-8') as f:
            return f.read()


class Page:
    """What a browser shows."""

    def start_browser(self, tmp):
        options = webdriver.ChromeOptions()
        for option in (
            '--headless=new',
            '--no-sandbox',
            '--disable-dev-shm-usage',
            '--disable-gpu',
            '--lang=en',
            '--window-size=1280,1000',
            f'--user-data-dir={tmp}/profile',
            '--force-prefers-reduced-motion',
        ):
            options.add_argument(option)
        options.binary_location = '/usr/bin/chromium'
        options.add_experimental_option(
            'prefs',
            {
                'download.default_directory': tmp + '/got',
                'intl.accept_languages': 'en',
                # one after the other, without a hand on the mouse
                'profile.default_content_setting_values.automatic_downloads': 1,
            },
        )
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
        browser = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
        browser.set_script_timeout(110)  # of 120 s that Selenium waits itself
        return browser

    def one(self, css):
        return self.browser.find_element(By.CSS_SELECTOR, css)

    def all(self, css):
        return self.browser.find_elements(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.one(css).text

    def script(self, text, *args):
        return self.browser.execute_script(text, *args)

    def click(self, css):
        """By no coordinates: what is above it may change its height meanwhile, and another thing
        would be hit."""
        self.script('arguments[0].focus(); arguments[0].click()', self.one(css))

    def says(self, words, css):
        until(lambda: words in self.text(css), lambda: f'no "{words}" in "{self.text(css)}"')

    def no_complaints(self):
        """What the browser complained of: nothing may be."""
        bad = [
            e['message']
            for e in self.browser.get_log('browser')
            if e['level'] == 'SEVERE' and not re.search(UNPACKED, e['message'])
        ]
        assert not bad, bad

    def picture(self, name):
        if os.environ.get('PICTURES'):
            self.browser.save_screenshot(f"{os.environ['PICTURES']}/{name}.png")

    def end(self):
        self.browser.quit()


class Station(Page):
    """All of it. bus: address of one that has another service than the fake; user: of the
    session."""

    width = 1280

    def __init__(self, bus=None, user=0):
        tmp = os.environ['TMPDIR']
        share = tmp + '/share/cockpit'
        os.chmod(tmp, 0o755)
        os.makedirs(share)
        shutil.copytree(PAGE, share + '/diskwipe')
        self.address = bus or f'unix:path={tmp}/bus'
        if not bus:
            with open(tmp + '/bus.conf', 'w', encoding='utf-8') as f:
                f.write(BUS_CONF.format(tmp + '/bus'))
            self.bus = subprocess.Popen(
                ['dbus-daemon', '--nofork', '--config-file', tmp + '/bus.conf'],
                stderr=subprocess.DEVNULL,
            )
            until(lambda: os.path.exists(tmp + '/bus'), 'no bus')
            self.fake = Fake(self.address)
        self.env = {
            'PATH': f'{tmp}/bin:{COCKPIT}/usr/bin:/usr/bin:/bin:/usr/sbin:/sbin',
            'HOME': tmp,
            'TMPDIR': tmp,
            'XDG_RUNTIME_DIR': tmp,
            'LANG': 'C.UTF-8',
            'DBUS_SYSTEM_BUS_ADDRESS': self.address,
            'XDG_DATA_DIRS': f'{tmp}/share:{COCKPIT}/usr/share',
            'XDG_CONFIG_DIRS': tmp,
            'LD_LIBRARY_PATH': f'{COCKPIT}/usr/lib/x86_64-linux-gnu',
            'PYTHONPATH': f'{COCKPIT}/usr/lib/python3/dist-packages',
        }
        session = f'{COCKPIT}/usr/bin/cockpit-bridge'
        if user:
            with open(tmp + '/session', 'w', encoding='utf-8') as f:
                f.write(
                    f'#!/bin/sh\nexec setpriv --reuid={user} --regid={user} --clear-groups '
                    f'{session}\n'
                )
            session = tmp + '/session'
            os.chmod(session, 0o755)
            self.env['XDG_RUNTIME_DIR'] = tmp + '/run'
            self.sudo(tmp + '/bin')
            os.mkdir(tmp + '/run')
            os.chown(tmp + '/run', user, user)
        with open(tmp + '/ws.log', 'w', encoding='utf-8') as log:
            self.ws = subprocess.Popen(
                [
                    f'{COCKPIT}/usr/lib/cockpit/cockpit-ws',
                    '--no-tls',
                    '--address=127.0.0.1',
                    '--port=9099',
                    f'--local-session={session}',
                ],
                env=self.env,
                stderr=log,
            )
        self.browser = self.start_browser(tmp)

    @staticmethod
    def sudo(folder):
        """What the switch of administrative access starts: its bridge is another process, and not
        root."""
        os.makedirs(folder, exist_ok=True)
        with open(folder + '/sudo', 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n')
        os.chmod(folder + '/sudo', 0o755)

    def open(self, page='rack'):
        self.browser.get('about:blank')
        self.browser.get(f'{URL}#/{page}')
        until(
            lambda: self.one('body').get_attribute('data-state') == 'there',
            'the page does not see the service',
        )
        self.script(HEAR)

    def says(self, words, css=None):
        """In a part of the page now; without one, in the line at its foot, now or before."""
        if css:
            super().says(words, css)
        else:
            until(
                lambda: self.script(SAID, words),
                lambda: f'"{words}" is not said, but {self.script("return window.everSaid")}',
            )

    def switch(self, on, password=''):
        """Administrative access, as the switch at the top of Cockpit turns it: past the page."""
        said = self.browser.execute_async_script(SWITCH, on, password)
        check(said == 'ok', f'the switch of administrative access: {said}')

    def press(self, text, within='body'):
        """A button by its words, as soon as it can be pressed; by no coordinates either."""

        def find():
            b = next(
                b
                for b in self.all(f'{within} button')
                if b.text.strip() == text and b.is_displayed() and b.is_enabled()
            )
            self.script('arguments[0].focus(); arguments[0].click()', b)
            return True

        until(find, f'no button {text} in {within}')

    def mark(self, text):
        """The mark of a tile that has this text is turned over."""
        box = self.tile(text).find_element(By.CSS_SELECTOR, 'input')
        until(box.is_enabled, f'{text} cannot be marked')
        self.script('arguments[0].click()', box)

    def details(self, text):
        self.script('arguments[0].click()', self.tile(text).find_element(By.CSS_SELECTOR, '.open'))

    def tile(self, text):
        """The one that has a text."""
        return until(
            lambda: self.script(
                "const all = [...document.querySelectorAll('.tile')];"
                "const t = all.find(t => t.textContent.includes(arguments[0]));"
                "if (t) t.scrollIntoView({block: 'center'}); return t",
                text,
            ),
            f'no tile of {text}',
        )

    def shown(self):
        """How many tiles are to be seen."""
        return self.script(
            "return [...document.querySelectorAll('.tile')].filter(t => t.checkVisibility()).length"
        )

    def fill(self, css, text):
        box = self.one(css)
        box.clear()
        box.send_keys(text)

    def type(self, text):
        """Keys without a field, as a scanner sends them."""
        webdriver.ActionChains(self.browser).send_keys(text).perform()

    def scan(self, text):
        self.type(text + Keys.ENTER)
