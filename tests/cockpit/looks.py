# SPDX-License-Identifier: GPL-2.0-or-later
"""How the page looks: three screens, light and dark, German, keys alone, in Cockpit's own frame;
with axe-core's findings of each."""

import os
import time

from browser import ROOT, Keys, check, until


def set_screen(s, width, height, dark=False):
    s.width = width
    metrics = {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': width < 600}
    s.browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', metrics)
    scheme = {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}
    s.browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [scheme]})


def check_axe(s, where):
    """No finding of axe-core, of any kind, in what is shown now; it is put in beside the policy."""
    with open(os.environ['AXE'], encoding='utf-8') as f:
        s.script(f.read())
    r = s.browser.execute_async_script(
        'axe.run(document).then(arguments[0], e => arguments[0]({failed: String(e)}))'
    )
    bad = [(v['id'], v['help'], [n['target'] for n in v['nodes']][:3]) for v in r['violations']]
    check(not bad, f'axe: {where}: {bad}')
    check(len(r['passes']) > 10, f'axe saw nothing of {where}')


def check_width(s, where):
    wide = s.script('return document.documentElement.scrollWidth')
    check(wide <= s.width, f'{where}: {wide} pixels on a screen of {s.width}')


def station_of_all(s):
    """Each state, an alarm, rows on every page."""
    now = int(time.time() * 1e6)
    job = s.fake.job(
        '1111', Disks=6, Label='lot 7', Progress=0.4, StartTime=now, ExpectedEndTime=now + 10**10
    )
    s.fake.job('2222', Disks=1, State='queued', ExpectedStartTime=now + 10**10)
    s.fake.job('3333', Disks=2, DisksDone=2, State='done', Outcome='failed', EndTime=now)
    states = {
        'free': {},
        'offered': {},
        'quarantined': {'Job': job},
        'refused': {
            'Refusal': 'mounted',
            'Reason': '/dev/sda1 is mounted on /srv/somewhere/deep/below',
            'Release': 'umount /srv/somewhere/deep/below',
        },
        'absent': {},
        'queued': {'Job': job},
        'paused': {'Job': job, 'Progress': 0.4},
        'writing': {
            'Job': job,
            'Progress': 0.41,
            'Rate': 187000000,
            'Pass': 1,
            'Passes': 3,
            'ExpectedEndTime': now + 10**10,
            'Errors': 2,
            'BadBlocks': 3,
            'Message': 'block 4711 could not be written',
        },
        'sanitizing': {'Job': job, 'Progress': 0.7, 'Temperature': 64},
        'power-cycling': {'Job': job, 'Message': 'unplug it, wait, and plug it in again'},
    }
    for n, (state, extra) in enumerate(states.items()):
        s.fake.disk(n, State=state, **extra)
    for n, outcome in enumerate(('erased', 'failed', 'stopped', 'erased-with-exceptions'), 20):
        s.fake.disk(n, State='done', Outcome=outcome, Job=f'{ROOT}/job/3333')
    s.fake.disk(30, Slot='', Address='4:0:1:0', Health='failing: reallocated sectors')
    s.fake(
        'rows',
        rows=[
            {
                'job': '3333',
                'serial': 'S2',
                'wwn': '',
                'vendor': 'V',
                'model': 'M',
                'bay': 'A1',
                'method': 'zero',
                'reason': 'it fails',
                'label': 'lot 7',
                'customer': 'ACME',
                'asset': '',
                'outcome': 'failed',
                'capacity': 8 << 40,
                'started': now,
                'ended': now,
            }
        ],
    )
    s.fake('set', path=f'{ROOT}/Manager', values={'RecordsTrouble': 'no key', 'Notes': ['a note']})
    s.fake('own')


def looks(s):
    station_of_all(s)
    for width, height in ((1280, 900), (1024, 768), (390, 844)):
        for dark in (False, True):
            set_screen(s, width, height, dark)
            for page in ('rack', 'jobs', 'records', 'machine'):
                name = f'{page}-{width}{"-dark" if dark else ""}'
                s.open(page)
                until(lambda: s.all('#alarms .alarm'), 'no alarm')
                until(lambda: s.one(f'#page-{page}').is_displayed(), 'another page')
                s.picture(name)
                check_width(s, name)
                check_axe(s, name)
    set_screen(s, 1024, 768)
    s.open()
    s.mark('Slot 00')
    for steps in (('Erase the marked…',), ('Plan…',)):
        for step in steps:
            s.press(step)
        until(lambda: s.all('#erase-form') if steps[0] != 'Plan…' else s.all('#consent'), 'no form')
        s.picture(f'dialog-{len(s.all("#consent"))}')
        check_axe(s, steps[-1])
    s.press('Go back', '#dialog')
    s.details('Slot 03')
    s.picture('details')
    check_axe(s, 'details')
    s.press('Close')


def by_keys(s):
    """The whole way to a job without a mouse."""
    s.open()
    box = s.tile('Slot 00').find_element('css selector', 'input')
    s.script('arguments[0].focus()', box)
    s.type(Keys.SPACE)
    s.says('1 disk marked', '#marked')
    until(lambda: s.one('#erase').is_enabled(), 'nothing to erase')
    s.script("document.getElementById('unmark').focus()")
    s.type(Keys.TAB + Keys.TAB + Keys.ENTER)
    until(lambda: s.all('#erase-form'), 'Enter on the button opens no form')
    s.fill('#erase-lot', 'k' + Keys.ENTER)
    until(lambda: s.all('#consent'), 'Enter in the form makes no plan')
    check(
        s.browser.switch_to.active_element.get_attribute('id') == 'consent',
        'no focus on the question',
    )
    s.type(Keys.ESCAPE)
    until(lambda: not s.one('#dialog').is_displayed(), 'Escape does not close')
    s.press('Unmark all')


def german(s):
    s.open()
    s.browser.add_cookie({'name': 'CockpitLang', 'value': 'de-de'})
    s.open()
    s.says('Gestell', 'nav')
    s.says('gelöscht', '#legend')
    check(s.one('html').get_attribute('lang').startswith('de'), 'the language is not told')
    s.picture('german')
    check_width(s, 'german')
    check_axe(s, 'german')
    set_screen(s, 390, 844)
    s.open('jobs')
    s.picture('german-phone')
    check_width(s, 'german on a phone')


def in_the_shell(s):
    """In Cockpit's own frame, with its menu."""
    set_screen(s, 1280, 900)
    s.browser.delete_all_cookies()
    s.browser.get('http://127.0.0.1:9099/diskwipe')
    frame = until(lambda: s.one("iframe[name*='/diskwipe']"), 'no frame')
    check('Disk erasure' in until(lambda: s.text('#host-apps'), 'no menu'), 'not in the menu')
    s.browser.switch_to.frame(frame)
    until(lambda: len(s.all('.tile')) == 15, 'no tiles in the frame')
    s.browser.switch_to.default_content()
    s.picture('shell')
