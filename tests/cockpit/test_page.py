# SPDX-License-Identifier: GPL-2.0-or-later
"""What the page shows, does and refuses, on a service made of words (see
fake.py), served by Cockpit.

test_page.py rack | actions | rights | papers | looks | real | users: parts of `meson test`;
PICTURES=DIR keeps what was seen."""

import os
import re
import sys
import time

import users
from browser import HERE, REFUSED, ROOT, Guest, Keys, Station, calls, check, to_plan, until
from looks import by_keys, german, in_the_shell, looks
from meanwhile import late, switched
from papers import papers
from users import Users

NOT_AUTHORIZED = 'io.github.diskwipe.Diskwipe1.Error.NotAuthorized'
HOSTILE = '<script>document.title="taken"</script><img src=x onerror="document.title=\'taken\'">'
TURNED = 'ab\u202edc'


# --- what is seen --------------------------------------------------------------------------------


def rack_of_60(s):
    job = s.fake.job('1111', Disks=40)
    work = {
        'Job': job,
        'State': 'writing',
        'Rate': 190000000,
        'Pass': 1,
        'Passes': 1,
        'ExpectedEndTime': int((time.time() + 7200) * 1e6),
    }
    for n in range(60):
        extra = {} if n < 20 else {**work, 'Progress': 0.9999 if n == 20 else n / 100}
        s.fake.disk(n, **extra)
    s.fake(
        'set',
        path=f'{ROOT}/disk/33',
        values={'Rate': 60000000, 'ExpectedEndTime': int((time.time() + 36000) * 1e6)},
    )
    s.fake('own')
    s.open()
    until(lambda: len(s.all('.tile')) == 60, 'not 60 tiles')
    check(
        s.script("return [...document.querySelectorAll('.tile .bay')].map(b => b.textContent)")
        == [f'Slot {n:02d}' for n in range(60)],
        'not as the bays stand',
    )
    check('99 %' in s.tile('ZA1B2C20').text, 'what is not at its end is shown as 100 %')
    summary = s.text('#summary')
    check('40 disks at work' in summary and 'Slot 33 ends last: it is slow' in summary, summary)
    s.picture('60')


def changes(s):
    s.fake(
        'set',
        path=f'{ROOT}/disk/21',
        values={
            'State': 'verifying',
            'Progress': 0.5,
            'Errors': 3,
            'BadBlocks': 1,
            'Temperature': 61,
            'Message': TURNED,
        },
    )
    tile = s.tile('ZA1B2C21')
    until(lambda: 'verifies' in tile.text and '50 %' in tile.text, 'a change is not seen')
    check(
        '1 bad block' in tile.text and '3 repeated' in tile.text and '61 °C' in tile.text, tile.text
    )
    check('\u202e' not in tile.text and 'ab\ufffddc' in tile.text, 'text turns the direction')
    s.says('Hot', '#alarms')
    s.fake(
        'set', path=f'{ROOT}/disk/22', values={'State': 'done', 'Outcome': 'erased-with-exceptions'}
    )
    until(lambda: 'BAD BLOCKS' in s.tile('ZA1B2C22').text, 'exceptions are not seen')
    s.says('BAD BLOCKS')
    # no word of the service's but its own makes a disk erased
    for outcome in ('', 'Erased', 'nearly erased'):
        s.fake('set', path=f'{ROOT}/disk/23', values={'State': 'done', 'Outcome': outcome})
        until(
            lambda: 'trouble' in s.tile('ZA1B2C23').get_attribute('class'),
            f'outcome "{outcome}" is no trouble',
        )
    s.fake('set', path=f'{ROOT}/disk/23', values={'Outcome': 'erased'})
    until(lambda: 'done' in s.tile('ZA1B2C23').get_attribute('class'), 'erased is not seen')
    # and no longer when it came back with something on it
    s.fake('set', path=f'{ROOT}/disk/23', values={'Signatures': 'gpt, ext4'})
    until(lambda: 'WRITTEN SINCE' in s.tile('ZA1B2C23').text, 'a disk with files is called erased')
    check('done' not in s.tile('ZA1B2C23').get_attribute('class'), 'it looks erased')
    s.fake('set', path=f'{ROOT}/disk/23', values={'Signatures': ''})
    s.fake('set', path=f'{ROOT}/disk/24', values={'State': 'absent', 'Device': ''})
    until(lambda: 'PULLED' in s.tile('ZA1B2C24').text, 'a pulled disk is not seen')
    s.says('Pulled at work', '#alarms')
    s.fake('remove', path=f'{ROOT}/disk/59')
    until(lambda: len(s.all('.tile')) == 59, 'a disk that went is still there')


def hostile(s):
    s.fake.disk(
        70,
        Serial=HOSTILE[:40],
        Model=HOSTILE,
        Vendor='</li>',
        Reason=HOSTILE,
        Refusal='mounted',
        State='refused',
        Release='diskwipe $(reboot)',
        Bay='<b>bay</b> 1',
    )
    tile = s.tile('<b>bay</b> 1')
    check(HOSTILE in tile.text, 'text of a disk is not shown as it is')
    s.script('arguments[0].click()', tile.find_element('css selector', '.open'))
    s.says('diskwipe $(reboot)', '#dialog')
    s.press('Close')
    check(
        s.browser.title == 'Disk erasure' and not s.all('#rack script, #rack img, #dialog img'),
        'text of a disk is run',
    )
    s.fake('remove', path=f'{ROOT}/disk/70')


def filters(s):
    for text, n in (
        ('free', 20),
        ('-free', 39),
        ('"slot 01"', 1),
        ('verifies', 1),
        ('size>9T', 0),
        ('size<9TB free', 20),
        ('temp>60', 1),
    ):
        s.fill('#filter', text)
        until(lambda: s.shown() == n, f'filter {text}: {s.shown()} tiles, not {n}')
    s.fill('#filter', 'free')
    s.press('Mark those shown that may be erased')
    s.says('20 disks marked', '#marked')
    s.fill('#filter', ' ')
    s.press('Unmark all')
    until(lambda: s.text('#marked') == '', 'marks stay')


def scanner(s):
    s.scan('ZA1B2C05')
    s.says('serial ZA1B2C05')
    check(
        s.browser.switch_to.active_element.text.startswith('Slot 05'),
        'the scanned disk has no focus',
    )
    s.scan('0x5000C50000000007')
    s.says('serial ZA1B2C07')
    s.scan('NOSUCHDISK')
    s.says('No disk here has the serial or WWN NOSUCHDISK')
    s.one('#filter').send_keys('"slot 01"')
    s.click('#scan')
    s.scan('2C08')
    s.says('serial ZA1B2C08')
    check(s.tile('ZA1B2C08').is_displayed(), 'a scanned disk is hidden by the filter')
    s.click('#scan-marks')
    s.scan('ZA1B2C09')
    s.says('1 disk marked', '#marked')
    s.scan('ZA1B2C30')
    s.says('is not marked: A job has it')
    # a scanner that is used while details are shown
    s.click('.tile .open')
    s.scan('ZA1B2C10')
    s.says('serial ZA1B2C10')
    s.says('2 disks marked', '#marked')
    s.press('Unmark all')
    # the end of a serial, and a name that is not of one disk alone, mark none
    s.scan('2C11')
    s.says('is not marked: 2C11 is only the end of its serial ZA1B2C11')
    s.fake.disk(80, Serial='QQZA1B2C12', Bay='bay 80')
    s.fake.disk(81, Serial='ZA1B2C13', Bay='bay 81')
    s.tile('bay 81')
    s.scan('2C12')
    s.says('2 disks end with 2C12, and none is marked; scan the whole serial')
    s.says('bay 80')
    s.scan('ZA1B2C12')
    s.says('is not marked: ZA1B2C12 is also the end of the serial of bay 80')
    s.scan('ZA1B2C13')
    s.says('2 disks are called ZA1B2C13, and none is marked')
    s.says('bay 81')
    check(s.text('#marked') == '', 'a scan that was not clear has marked a disk')
    s.scan('0x5000C50000000012')
    s.says('1 disk marked', '#marked')
    s.press('Unmark all')
    s.click('#scan-marks')


# --- what is done --------------------------------------------------------------------------------


def erase_one(s):
    s.mark('ZA1B2C01')
    s.press('Erase the marked…')
    for key, text in (
        ('lot', 'lot 7'),
        ('customer', 'ACME & Söhne'),
        ('order', '4711'),
        ('operator', 'anna'),
        ('note', 'n'),
    ):
        s.fill(f'#erase-{key}', text)
    s.one('#erase-level option[value=purge-or-clear]').click()
    check(
        s.one('#erase-method').get_attribute('value') == 'auto',
        'a level with a method that does not reach it',
    )
    s.one('#erase-verify option[value="sample:10"]').click()
    s.click('#erase-form summary')
    s.fill('[data-asset="0"]', 'TAG-1')
    s.picture('form')
    s.fake('log')
    s.press('Plan…')
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    _, _, (disks, options) = calls(s, 'Plan')[0]
    check(
        disks
        == [
            {
                'serial': 'ZA1B2C01',
                'wwn': 'naa.5000c50000000001',
                'asset': 'TAG-1',
                'capacity': 8001563222016,
            }
        ],
        disks,
    )
    check(
        options
        == {
            'method': 'auto',
            'level': 'purge',
            'or_clear': 'true',
            'verify': 'sample',
            'verify_percent': '10%',
            'customer': 'ACME & Söhne',
            'order_number': '4711',
            'operator': 'anna',
        },
        options,
    )
    text = s.text('#dialog')
    check(
        '2 h 0 min' in text
        and 'slowest disk' in text
        and 'replaced by spare' in text
        and 'last 4 characters of its serial' in text,
        text,
    )
    s.picture('plan')
    go = s.one('.consent .danger')
    for wrong in ('2c01', '1', 'ZA1B2C01', '2C02', 'yes'):
        s.fill('#consent', wrong + Keys.ENTER)
        check(not go.is_enabled(), f'"{wrong}" is consent')
    check(not calls(s, 'SubmitPlan'), 'submitted without consent')
    s.fill('#consent', '2C01' + Keys.ENTER)
    s.says('is on record')
    _, _, (_, options) = calls(s, 'SubmitPlan')[0]
    check(options == {'label': 'lot 7', 'note': 'n'}, options)
    check(re.search(r'Job [0-9a-f]{8} is', s.text('#said')), s.text('#said'))
    until(lambda: 'queued' in s.tile('ZA1B2C01').text, 'it is not queued')


def erase_many(s):
    for serial in ('ZA1B2C02', 'ZA1B2C03', 'ZA1B2C04'):
        s.mark(serial)
    to_plan(s)
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    check('type the number of disks above' in s.text('#dialog'), s.text('#dialog'))
    s.press('Change…', '#dialog')
    s.one('#erase-verify option[value=""]').click()
    s.press('Plan…')
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    check('a sample of 1 %' in s.text('#dialog'), s.text('#dialog'))
    for wrong in ('2', '2C02', 'all'):
        s.fill('#consent', wrong)
        check(not s.one('.consent .danger').is_enabled(), f'"{wrong}" is consent')
    s.press('Go back', '#dialog')
    s.says('3 disks marked', '#marked')
    check(not calls(s, 'SubmitPlan'), 'submitted without consent')
    # one of them is taken by somebody else meanwhile
    s.fake(
        'set',
        path=f'{ROOT}/disk/3',
        values={
            'State': 'refused',
            'Refusal': 'mounted',
            'Reason': '/dev/sdc is mounted on /srv',
            'Release': 'umount /srv',
        },
    )
    s.says('2 disks marked', '#marked')
    s.says('/dev/sdc is mounted on /srv')
    check(
        not s.tile('ZA1B2C03').find_element('css selector', 'input').is_enabled(),
        'a refused disk can be marked',
    )
    to_plan(s)
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.click('#dialog summary')
    check('umount /srv' in s.text('#dialog'), 'what would release a refused disk is not said')
    s.fill('#consent', '2' + Keys.ENTER)
    s.says('is on record')


def refusals(s):
    s.mark('ZA1B2C05')
    for method, name, text in (
        ('Plan', REFUSED, 'ZA1B2C05 is mounted'),
        ('Plan', NOT_AUTHORIZED, 'no'),
    ):
        s.fake('fail', methods={method: [name, text]})
        to_plan(s)
        s.says(text, '#erase-error')
        s.press('Go back', '#dialog')
    s.fake('fail', methods={})
    to_plan(s)
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.fake(
        'fail',
        methods={
            'SubmitPlan': [
                'io.github.diskwipe.Diskwipe1.Error.NotFound',
                'there is no plan: plan again',
            ]
        },
    )
    s.fill('#consent', '2C05' + Keys.ENTER)
    s.says('there is no plan: plan again', '#erase-error')
    s.fake('fail', methods={})
    s.press('Go back', '#dialog')
    # a plan of another disk than the marked one is not shown for consent
    s.press('Erase the marked…')
    until(lambda: s.one('#erase-form').is_displayed(), 'no form')
    s.fake('set', path=f'{ROOT}/disk/5', values={'Capacity': 1000})
    s.press('Plan…')
    s.says('The plan has other disks', '#erase-error')
    s.press('Go back', '#dialog')
    until(lambda: s.text('#marked') == '', 'a disk of another size is still marked')


def of_one_disk(s):
    for verb, method in (('Pause', 'Pause'), ('Resume', 'Resume')):
        s.details('ZA1B2C30')
        s.fake('log')
        s.press(verb, '#dialog')
        got = until(lambda: calls(s, method), f'no {method}')
        check(got[0][0] == 'job/1111' and got[0][2] == [{'disk': f'{ROOT}/disk/30'}], got)
    s.details('ZA1B2C30')
    s.press('Cancel…', '#dialog')
    s.says('half erased', '#dialog')
    check(not calls(s, 'Cancel'), 'cancelled without a question')
    s.press('Cancel it', '#dialog')
    got = until(lambda: calls(s, 'Cancel'), 'no Cancel')
    check(got[0][2] == [{'disk': f'{ROOT}/disk/30'}], got)
    s.press('Look for disks again')
    until(lambda: calls(s, 'Rescan'), 'no Rescan')


def jobs(s):
    s.click('[data-page=jobs]')
    s.fake(
        'set',
        path=f'{ROOT}/job/1111',
        values={
            'DisksDone': 3,
            'Progress': 0.42,
            'Label': HOSTILE[:60],
            'ExpectedEndTime': int((time.time() + 7200) * 1e6),
        },
    )
    row = 'tr:has([aria-label="Pause: 1111"])'
    until(
        lambda: '3 / 40' in s.text(row) and '42 %' in s.text(row) and '<script>' in s.text(row),
        'the job is not shown',
    )
    s.picture('jobs')
    s.fake('log')
    check(not s.all(row + ' [data-verb=resume]'), 'a job that runs can be resumed')
    s.fake('set', path=f'{ROOT}/disk/31', values={'State': 'paused'})
    for verb, method, args in (
        ('Pause', 'Pause', [{}]),
        ('Resume', 'Resume', [{}]),
        ('Earlier', 'SetPriority', [1, {}]),
    ):
        s.press(verb, row)
        got = until(lambda: calls(s, method), f'no {method}')
        check(got[0][0] == 'job/1111' and got[0][2] == args, got)
    # a row that is drawn again meanwhile asks no second time
    s.fake('hold', methods=['SetPriority'])
    s.press('Earlier', row)
    until(lambda: calls(s, 'SetPriority'), 'no SetPriority')
    s.fake('set', path=f'{ROOT}/job/1111', values={'Progress': 0.43})
    until(lambda: '43 %' in s.text(row), 'the row is not drawn again')
    check(not s.one(row + ' [data-verb=first]').is_enabled(), 'it can be asked once more')
    s.fake('release')
    until(lambda: s.one(row + ' [data-verb=first]').is_enabled(), 'it cannot be asked again')
    s.press('Cancel…', row)
    s.press('Go back', '#dialog')
    check(not calls(s, 'Cancel'), 'cancelled without a question')
    s.press('Cancel…', row)
    s.press('Cancel it', '#dialog')
    until(lambda: calls(s, 'Cancel'), 'no Cancel')
    s.fake('fail', methods={'Pause': [NOT_AUTHORIZED, 'not you']})
    s.press('Pause', row)
    s.says('You may not do that: not you. Turn on')
    s.fake('fail', methods={})
    s.press('1111', row)
    s.says('ZA1B2C31', '#dialog')
    s.press('Close')
    s.fake(
        'set',
        path=f'{ROOT}/job/1111',
        values={'State': 'done', 'Outcome': 'failed', 'EndTime': int(time.time() * 1e6)},
    )
    until(lambda: not s.all(row), 'an ended job can be paused')


def records(s):
    now = int(time.time() * 1e6)
    row = {
        'job': 'aaaa',
        'wwn': '',
        'vendor': 'V',
        'model': HOSTILE,
        'bay': '',
        'method': 'zero',
        'reason': '',
        'label': 'lot 7',
        'customer': 'ACME',
        'asset': '',
        'capacity': 8 << 40,
        'started': now - 9 * 10**9,
        'ended': now,
        'do_not_reuse': False,
    }
    s.fake(
        'rows',
        rows=[
            {**row, 'serial': '=1+1', 'outcome': 'erased'},
            {**row, 'serial': 'S2', 'outcome': 'failed', 'label': 'lot 8', 'do_not_reuse': True},
            {**row, 'serial': 'S3', 'outcome': 'erased', 'simulated': True},
        ],
    )
    # where it is another day already
    s.browser.execute_cdp_cmd('Emulation.setTimezoneOverride', {'timezoneId': 'Pacific/Kiritimati'})
    s.click('[data-page=records]')
    until(lambda: len(s.all('#records tbody tr')) == 3, 'no records')
    check(
        s.script(
            "return document.querySelector('#records tbody td').textContent === new Date("
            "arguments[0]).toLocaleString('en', {dateStyle: 'short', timeStyle: 'short',"
            " timeZone: 'UTC'})",
            now // 1000,
        ),
        'when a disk ended is not told as its certificate has it',
    )
    check(
        s.script("return [...document.querySelectorAll('#records-lots option')].map(o => o.value)")
        == [HOSTILE[:60], 'lot 7', 'lot 8'],
        'lots to choose from',
    )
    unreal = s.all('#records tbody tr')[2]
    check(
        'simulated: erased' in unreal.text and not unreal.find_elements('css selector', '.done'),
        'a simulation is called erased',
    )
    check(
        'FAILED' in s.text('#records')
        and 'do not reuse' in s.text('#records')
        and '2 h 30 min' in s.text('#records'),
        s.text('#records'),
    )
    s.fake('log')
    s.fill('#records-label', 'lot 8')
    s.one('#records-outcome option[value=failed]').click()
    s.browser.execute_script("document.getElementById('records-since').value = '2026-11-01'")
    s.press('Show', '#page-records')
    until(lambda: len(s.all('#records tbody tr')) == 1, 'a lot is not chosen')
    options = calls(s, 'Records')[0][2][0]
    check(
        options['outcome'] == 'failed'
        and options['limit'] == 1000
        and options['since'] == 1793491200 * 10**6,
        options,
    )
    s.fill('#records-label', '')
    s.press('Show', '#page-records')
    until(lambda: len(s.all('#records tbody tr')) == 3, 'not all are shown again')
    s.picture('records')
    s.press('Save as CSV')
    file = os.environ['TMPDIR'] + '/got/diskwipe-records.csv'
    until(lambda: os.path.exists(file), 'no CSV')
    with open(file, encoding='utf-8-sig') as f:
        check("\"'=1+1\"" in f.read(), 'a serial is a formula')


def programs(s):
    """Programs that print are called with values that are no options, and their status is told."""
    tmp = os.environ['TMPDIR']
    os.makedirs(tmp + '/bin', exist_ok=True)
    for name, text in (
        ('diskwipe-report', 'printf "%s\\n" "$@" >"$TMPDIR/args"; echo %PDF-1.7'),
        (
            'diskwipe',
            'echo "$1" | grep -q doctor && { echo \'{"findings": [{"kind": "clock", "subject": "", '
            '"text": "the clock is wrong", "advice": "set <it>"}]}\'; exit 1; }; '
            'echo "record-1.json: signature wrong"; exit 5',
        ),
    ):
        with open(f'{tmp}/bin/{name}', 'w', encoding='utf-8') as f:
            f.write(f'#!/bin/sh\nTMPDIR={tmp}\n{text}\n')
        os.chmod(f'{tmp}/bin/{name}', 0o755)
    check(not s.one('#records-paper').is_enabled(), 'a certificate without records')
    s.fake('set', path=f'{ROOT}/Manager', values={'RecordsFolder': '/srv/records'})
    until(lambda: s.one('#verify').get_attribute('disabled') is None, 'the folder is not seen')
    s.fill('#records-label', '--all')
    s.press('Show', '#page-records')
    s.says('choose all outcomes first', '#records-why')
    check(
        not s.one('#records-paper').is_enabled() and not s.one('#records-labels').is_enabled(),
        'a paper without what failed',
    )
    s.one('#records-outcome option[value=""]').click()
    s.press('Show', '#page-records')
    until(lambda: s.one('#records-paper').is_enabled(), 'no paper')
    s.fill('#records-customer', 'another than is shown')
    s.press('Certificate of these (PDF)')
    s.says('The certificate is saved')
    with open(tmp + '/args', encoding='utf-8') as f:
        check(
            f.read().split('\n')[:-1]
            == [
                'certificate',
                '--language=en',
                '--since=2026-11-01',
                '--label=--all',
                '--',
                '/srv/records',
            ],
            'arguments of the certificate',
        )
    until(lambda: os.path.exists(tmp + '/got/diskwipe---all.pdf'), 'no PDF')
    s.one('#records-size option[value="4x6"]').click()
    s.press('Labels of these (PDF)')
    s.says('The labels are saved')
    with open(tmp + '/args', encoding='utf-8') as f:
        args = f.read()
    check(args.startswith('label\n--format=pdf\n--size=4x6\n--since='), args)
    s.click('[data-page=machine]')
    s.press('Look at the machine (doctor)')
    s.says('set <it>', '#findings')
    s.press('Verify the chain of records')
    s.says('not as they were signed', '#findings')
    s.picture('machine')


def alarms(s):
    s.fake(
        'set',
        path=f'{ROOT}/Manager',
        values={
            'RecordsTrouble': 'no key',
            'Notes': ['the record cannot be written: no space', '<i>note</i>'],
        },
    )
    s.says('Records cannot be signed: no key', '#alarms')
    s.says('the record cannot be written', '#alarms')
    s.says('<i>note</i>', '#notes')
    s.fake(
        'set',
        path=f'{ROOT}/Manager',
        values={
            'RecordsTrouble': '',
            'Notes': ['the record cannot be written: no space', 'the record can be written again'],
        },
    )
    until(lambda: 'record' not in s.text('#alarms').lower(), 'alarms stay')
    s.fake('set', path=f'{ROOT}/Manager', values={'Simulated': True})
    s.says('SIMULATED STATION: no disk is touched', '#alarms')
    s.fake('set', path=f'{ROOT}/Manager', values={'Simulated': False})
    until(lambda: 'SIMULATED' not in s.text('#alarms'), 'a real station is called simulated')


def lost(s):
    """The service goes and comes: what is old is said, nothing can be asked, marks are those
    of now."""
    s.click('[data-page=rack]')
    s.mark('ZA1B2C06')
    until(lambda: s.one('#erase').is_enabled(), 'nothing to erase')
    s.fake('leave')
    s.says('The service does not answer', '#alarms')
    check(not s.one('#erase').is_enabled(), 'a service that has gone can be asked')
    s.picture('lost')
    s.press('Ask it again', '#alarms')
    s.says('The service does not answer', '#alarms')
    s.fake.end()
    s.fake = type(s.fake)(s.address)
    s.fake.disk(6, Serial='ANOTHER1')
    s.fake('own')
    until(lambda: 'does not answer' not in s.text('#alarms'), 'the alarm stays')
    until(lambda: s.text('#marked') == '', 'a mark went over to another disk')
    until(
        lambda: len(s.all('.tile')) == 1 and 'ANOTHER1' in s.text('#rack'),
        'the service that is back is not seen',
    )


def without_rights(s):
    """Who may not sees all the same, and has no button that would be refused."""
    s.fake('polkit', answers={'io.github.diskwipe.erase': False, 'io.github.diskwipe.cancel': True})
    job = s.fake.job('1111', Disks=1)
    s.fake.disk(1)
    s.fake.disk(2, State='writing', Job=job)
    s.fake('own')
    s.open()
    s.says('You may look, and not erase', '#alarms')
    s.mark('ZA1B2C01')
    s.says('1 disk marked', '#marked')
    check(not s.one('#erase').is_enabled(), 'who may not erase can')
    s.click('[data-page=jobs]')
    until(
        lambda: (
            not s.one('[data-verb=first]').is_enabled() and s.one('[data-verb=pause]').is_enabled()
        ),
        'rights of jobs',
    )


def with_rule(s):
    s.fake('polkit', answers={'io.github.diskwipe.erase': True, 'io.github.diskwipe.cancel': True})
    s.open()
    until(lambda: s.text('#alarms') == '', 'an operator with the rule is told that he may not')
    s.mark('ZA1B2C01')
    until(lambda: s.one('#erase').is_enabled(), 'an operator with the rule cannot erase')


# --- the real service ----------------------------------------------------------------------------


def real(s):
    """A disk of a real SCSI stack is erased from the page, is on record, and the service is killed
    while another one is at work."""
    s.open()
    until(lambda: len(s.all('.tile')) == 8, 'not the disks of the shelf')
    s.picture('real')
    bays = [t.text for t in s.all('.tile .bay')]
    check(bays == [f'0:0:{n}:0' for n in range(8)], f'not as the disks stand: {bays}')
    serials = [t.text for t in s.all('.tile .serial')]
    until(lambda: 'free' in s.tile(serials[0]).text, 'not free')
    s.mark(serials[0])
    s.press('Erase the marked…')
    s.fill('#erase-customer', 'Müller & <b>')
    s.fill('#erase-lot', 'lot 7')
    s.one('#erase-verify option[value=full]').click()
    s.press('Plan…')
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    check('zero' in s.text('#dialog') and 'full' in s.text('#dialog'), s.text('#dialog'))
    s.picture('real-plan')
    s.fill('#consent', serials[0][-4:] + Keys.ENTER)
    s.says('is on record')
    until(lambda: 'erased' in s.tile(serials[0]).text, 'it is not erased')
    s.click('[data-page=records]')
    s.press('Show', '#page-records')
    until(
        lambda: 'Müller & <b>' in s.text('#records') and 'lot 7' in s.text('#records'), 'no record'
    )
    s.click('[data-page=machine]')
    s.says('none are configured', '#machine')


def killed(s):
    s.click('[data-page=rack]')
    for n in range(1, 4):
        s.mark(f'0:0:{n}:0')
    s.says('3 disks marked', '#marked')
    to_plan(s)
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.fill('#consent', '3' + Keys.ENTER)
    s.says('is on record')
    until(lambda: s.text('#count-working') not in ('', '0'), 'nothing is at work')
    s.guest.restart()
    until(
        lambda: s.text('#count-done') == '4', 'the page does not see what the new service did'
    )
    s.click('[data-page=jobs]')
    until(lambda: len(s.all('#jobs tbody tr')) == 2, 'not both jobs')
    s.picture('real-jobs')


PARTS = {
    'rack': [rack_of_60, changes, hostile, filters, scanner],
    'actions': [
        rack_of_60,
        erase_one,
        erase_many,
        refusals,
        late,
        of_one_disk,
        jobs,
        records,
        programs,
        alarms,
        lost,
    ],
    'looks': [looks, by_keys, german, in_the_shell],
    'papers': [papers],
    'real': [real, killed],
    'rights': [without_rights, switched, with_rule],
    'users': users.PARTS,
}


def station(part):
    if part == 'users':
        return Users()
    if part != 'real':
        return Station(user=1 if part == 'rights' else 0)
    bus = os.environ['TMPDIR'] + '/bus'
    daemon = os.environ['DISKWIPE'].removesuffix('tools/diskwipe') + 'src/service/diskwiped'
    command = ['/usr/bin/python3', '-B', HERE + '/in_guest.py', daemon]
    guest = Guest(['--udev', '--timeout', '800'], command, bus)
    s = Station(bus=f'unix:path={bus}')
    s.guest = guest
    return s


def main():
    s = station(sys.argv[1])
    try:
        for part in PARTS[sys.argv[1]]:
            start = time.monotonic()
            part(s)
            s.no_complaints()
            print(f'{part.__name__}: {time.monotonic() - start:.1f} s', flush=True)
    except BaseException:
        if os.environ.get('PICTURES'):
            s.browser.save_screenshot(os.environ['PICTURES'] + '/failed.png')
            with open(os.environ['TMPDIR'] + '/ws.log', encoding='utf-8') as f:
                print(f.read()[-3000:])
        raise
    finally:
        s.end()


main()
