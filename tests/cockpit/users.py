# SPDX-License-Identifier: GPL-2.0-or-later
"""Three people at a station as it is installed: each logs in to Cockpit by name and password, and
polkit decides what each may do. Nothing here is made of words: PAM, cockpit-session, the bridge,
the system bus, polkitd, sudo and the service are those of a machine, in a guest."""

import json
import os
import subprocess

from browser import COCKPIT, HERE, ROOT, URL, Guest, Keys, Station, check, until

NAME = 'io.github.diskwipe.Diskwipe1'
DENIED = 'not allowed: polkit action io.github.diskwipe.'
# A method is called past the page, with the rights of who is logged in; what it says.
CALL = '''
const [path, face, method, args, type, done] = arguments;
const name = "io.github.diskwipe.Diskwipe1";
const client = cockpit.dbus(name, { bus: "system", superuser: "try" });
const typed = JSON.parse(args, (key, v) => v && v.t ? cockpit.variant(v.t, v.v) : v);
client.call(path, name + "." + face, method, typed, { type })
    .then(reply => done("ok " + JSON.stringify(reply)), error => done(error.message))
    .finally(() => client.close());
'''


class Users(Station):
    """The browser, and the guest that it looks at."""

    def __init__(self):
        tmp = os.environ['TMPDIR']
        build = os.environ['DISKWIPE'].removesuffix('/tools/diskwipe')
        install = ['meson', 'install', '-C', build, '--no-rebuild', '--quiet']
        with open(tmp + '/ws.log', 'w', encoding='utf-8') as log:
            subprocess.run([*install, '--destdir', tmp + '/root'], check=True, stdout=log)
        command = ['bash', HERE + '/station.sh', tmp + '/root', COCKPIT]
        self.guest = Guest(['--systemd', '--timeout', '1700'], command, 9099)
        self.browser = self.start_browser(tmp)

    def log_in(self, name, password, admin=False):
        """By Cockpit's own form; admin: with the switch of administrative access as it was left."""
        self.browser.get('about:blank')
        self.browser.get(URL)
        until(lambda: self.one('#login-user-input').is_displayed(), 'no form to log in')
        self.script(
            "localStorage.setItem('superuser:' + arguments[0], arguments[1])",
            name,
            'any' if admin else 'none',
        )
        self.fill('#login-user-input', name)
        self.fill('#login-password-input', password)
        self.script("document.getElementById('login-button').click()")

    def come(self, name, admin=False):
        self.log_in(name, 'von-' + name, admin)
        until(lambda: self.all('#rack'), f'{name} does not get in')
        self.open()
        self.browser.get_log('browser')  # that nobody had logged in was told as an error

    def leave(self):
        """As Cockpit's menu does."""
        self.no_complaints()
        self.script('cockpit.logout()')
        until(lambda: self.one('#login-user-input').is_displayed(), 'nobody is logged out')
        self.browser.get_log('browser')

    def call(self, path, face, method, args, signature):
        return self.browser.execute_async_script(
            CALL, ROOT + path, face, method, json.dumps(args), signature
        )

    def disk(self, end):
        """Serial, capacity and block node of the disk whose serial ends so, by the bus."""
        rows = self.ask(
            f'for d in $(busctl tree --list {NAME} | grep /disk/); do busctl get-property {NAME}'
            f' $d {NAME}.Disk Serial Capacity Block | cut -d" " -f2 | tr -d \\" | xargs; done'
        ).splitlines()
        found = [row.split() for row in rows if row.split()[0].endswith(end)]
        check(len(found) == 1, f'{end} among {rows}')
        return found[0]

    def blocks(self, serial):
        """The values of bytes that a disk holds, past every cache."""
        _, _, node = self.disk(serial)
        return self.ask(
            f'dd if={node} bs=1M iflag=direct status=none | od -An -v -tx1 -w1 | sort -u | xargs'
        ).strip()

    def ask(self, command):
        return self.guest.ask(command)

    def serials(self):
        return [tile.text for tile in self.all('.tile .serial')]


def passwords(s):
    """Who has no password of this machine sees the form, and nothing of the station."""
    for name, password in (('anna', 'von-gast'), ('nobody-here', 'von-anna'), ('anna', '')):
        s.log_in(name, password)
        s.says('Wrong user name or password', '#login-error-message')
        check(not s.all('#rack'), f'{name} is in with "{password}"')
    s.picture('users-refused')
    s.browser.get_log('browser')  # that nobody had logged in was told as an error


def gast(s):
    """Who has no rights sees all, each button says that it may not be pressed, and what is pressed
    all the same is refused by the service."""
    s.come('gast')
    until(lambda: len(s.serials()) == 8, 'a guest does not see the rack')
    s.says('You may look, and not erase', '#alarms')
    first = s.serials()[0]
    s.mark(first)
    until(lambda: s.text('#marked'), 'not marked')
    press = s.one('#erase')
    title = press.get_attribute('title')
    check(not press.is_enabled() and 'not erase' in title, 'a button is offered')
    s.picture('users-gast')
    # what is forced by the page: its button is made to work, up to the consent
    s.script("const b = document.getElementById('erase'); b.disabled = false; b.click()")
    s.press('Plan…', '#dialog')
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.fill('#consent', first[-4:] + Keys.ENTER)
    s.says(f'You may not do that: {DENIED}erase', '#erase-error')
    s.says('diskwipe-operators', '#erase-error')
    s.press('Go back', '#dialog')
    # and past it
    serial, capacity, _ = s.disk(first)
    disk = {'serial': {'t': 's', 'v': serial}, 'capacity': {'t': 't', 'v': int(capacity)}}
    for method, args, signature, action in (
        ('Submit', [[disk], {}], 'aa{sv}a{sv}', 'erase'),
        ('Reload', [{}], 'a{sv}', 'policy'),
    ):
        said = s.call('/Manager', 'Manager', method, args, signature)
        check(said == DENIED + action, f'{method} of a guest: {said}')
    check(s.call('/Manager', 'Manager', 'Rescan', [{}], 'a{sv}').startswith('ok'), 'no look')
    check(s.blocks(first) == 'a5', 'a disk of who may not erase is written')
    check(not asked(s, 'gast'), 'the trail has what was refused')
    s.leave()


def asked(s, name):
    """What a person is on record for in the audit trail, and as whom it was asked: what|uid."""
    rows = s.ask(
        'rm -rf /run/look; mkdir /run/look; cp /var/lib/diskwipe/station.db* /run/look;'
        'sqlite3 /run/look/station.db "select what, uid from audit'  # the service locks its own
        f' where loginuid = $(id -u {name}) order by seq"'
    )
    return rows.split()


def last_record(s):
    return json.loads(s.ask('cat "$(ls /var/lib/diskwipe/records/record-*.json | tail -n 1)"'))


def erase(s, serial, method='zero'):
    s.mark(serial)
    s.press('Erase the marked…')
    until(lambda: s.one('#erase-form').is_displayed(), 'no form')
    s.one(f'#erase-method option[value={method}]').click()
    s.press('Plan…', '#dialog')
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.fill('#consent', serial[-4:] + Keys.ENTER)
    s.says('is on record')


def proved(s, serial, name):
    """A disk was erased to its end, and its record names who did it."""
    until(lambda: 'erased' in s.tile(serial).text, f'{serial} is not erased')
    check(s.blocks(serial) == '00', 'what is called erased holds something')
    until(lambda: last_record(s)['disk']['serial'].endswith(serial), f'no record of {serial}')
    record = last_record(s)
    names = (record['asked_by'], record['operator'])
    check(names == (name, name), f'the record of {serial} names {names}')


def anna(s):
    """An operator by the rule erases a disk to its end, under her name, and may not change what the
    station does."""
    s.come('anna')
    until(lambda: len(s.serials()) == 8 and s.text('#alarms') == '', 'the rule does not help')
    first, second = s.serials()[:2]
    erase(s, first)
    proved(s, first, 'anna')
    uid = s.ask('id -u anna').strip()
    check(asked(s, 'anna') == [f'submit|{uid}'], asked(s, 'anna'))
    check(s.call('/Manager', 'Manager', 'Reload', [{}], 'a{sv}') == DENIED + 'policy', 'Reload')
    erase(s, second, 'gutmann')  # for as long as nobody stops it
    until(lambda: 'writes' in s.tile(second).text, 'it does not begin')
    s.picture('users-anna')
    s.leave()


def chef(s):
    """An administrator is nobody special until the switch of administrative access is on. Then he
    stops the job of another; it comes from root, and is on record as his."""
    s.come('chef')
    s.says('You may look, and not erase', '#alarms')
    job = next(j for j in s.ask(f'busctl tree --list {NAME} | grep /job/').split() if running(s, j))
    said = s.call(job.removeprefix(ROOT), 'Job', 'Cancel', [{}], 'a{sv}')
    check(said == DENIED + 'cancel', f'Cancel without the switch: {said}')
    check(running(s, job), 'a job was stopped by who may not')
    s.script('window.same = true')
    s.switch(True, 'von-chef')
    until(lambda: s.text('#alarms') == '', 'administrative access is not seen')
    third = s.serials()[2]
    erase(s, third)
    proved(s, third, 'chef')
    s.click('[data-page=jobs]')
    s.press('Cancel…', '#jobs')
    s.press('Cancel it', '#dialog')
    until(lambda: not running(s, job), 'the job goes on')
    check(asked(s, 'chef') == ['submit|0', 'cancel|0'], asked(s, 'chef'))
    check(s.call('/Manager', 'Manager', 'Reload', [{}], 'a{sv}').startswith('ok'), 'Reload of chef')
    s.picture('users-chef')
    s.switch(False)
    s.says('You may look, and not erase', '#alarms')
    check(s.script('return window.same'), 'the page was loaded again')
    s.leave()


def running(s, job):
    return 'running' in s.ask(f'busctl get-property {NAME} {job} {NAME}.Job State')


PARTS = [passwords, gast, anna, chef]
