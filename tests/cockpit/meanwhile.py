# SPDX-License-Identifier: GPL-2.0-or-later
"""What comes while something else is done: late answers, the switch of administrative access."""

from browser import REFUSED, ROOT, Keys, calls, check, to_plan, until


def heard(s, text):
    """All that was sent before has come when this has."""
    s.fake('set', path=f'{ROOT}/disk/19', values={'Message': text})
    until(lambda: text in s.tile('ZA1B2C19').text, f'{text} is not seen')


def late(s):
    """What comes late is said where it was asked for, and changes nothing else; nothing can be
    asked twice."""
    s.mark('ZA1B2C07')
    s.fake('log')
    s.fake('hold', methods=['Plan'])
    to_plan(s)
    until(lambda: calls(s, 'Plan'), 'no plan is asked for')
    s.press('Go back', '#dialog')
    s.press('Erase the marked…')
    s.fake('fail', methods={'Plan': [REFUSED, 'of another dialog']})
    s.fake('release')
    heard(s, 'late plan')
    check(s.text('#erase-error') == '', 'an error is told in the dialog of something else')
    s.fake('fail', methods={})
    s.press('Plan…', '#dialog')
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.fake('hold', methods=['SubmitPlan'])
    s.fill('#consent', '2C07' + Keys.ENTER)
    until(lambda: calls(s, 'SubmitPlan'), 'nothing is submitted')
    for css in ('#consent', '.consent .danger', '.consent button:not(.danger, .close)'):
        check(not s.one(css).is_enabled(), f'{css} works while it is submitted')
    s.press('Go back', '#dialog')
    check(s.text('#marked') == '', 'disks that are submitted are still marked')
    s.mark('ZA1B2C08')
    s.says('1 disk marked', '#marked')
    s.press('Erase the marked…')
    s.fake('release')
    s.says('is on record')
    check(s.one('#erase-form').is_displayed(), 'a late answer closes another dialog')
    s.press('Go back', '#dialog')
    s.says('1 disk marked', '#marked')
    s.mark('ZA1B2C08')
    # who has gone on is told of what was refused
    s.mark('ZA1B2C09')
    to_plan(s)
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.fake('hold', methods=['SubmitPlan'])
    s.fill('#consent', '2C09' + Keys.ENTER)
    until(lambda: calls(s, 'SubmitPlan'), 'nothing is submitted')
    s.press('Go back', '#dialog')
    s.fake('fail', methods={'SubmitPlan': [REFUSED, 'it came too late']})
    check(s.text('#marked') == '', 'disks that are submitted are still marked')
    s.fake('release')
    s.says('it came too late')
    s.says('1 disk marked', '#marked')
    s.fake('fail', methods={})
    s.press('Unmark all')


def switched(s):
    """Administrative access is turned on and off while the page is open: it sees that, asks with
    the rights of now, and keeps what was begun."""
    s.fake(
        'polkit', answers={'io.github.diskwipe.erase': False, 'io.github.diskwipe.cancel': False}
    )
    s.open()
    s.says('You may look, and not erase', '#alarms')
    s.mark('ZA1B2C01')
    s.says('1 disk marked', '#marked')
    s.script('window.same = true')
    for on in (True, False, True):
        s.switch(on)
        until(lambda: s.one('#erase').is_enabled() == on, f'switched to {on}: not seen')
        until(
            lambda: ('not erase' in s.text('#alarms')) != on,
            f'switched to {on}: {s.text("#alarms")}',
        )
        s.fake('log')
        s.press('Look for disks again')
        until(lambda: calls(s, 'Rescan'), 'no Rescan')
        check(('--privileged' in s.fake('asker')) == on, f'asked by {s.fake("asker")}')
        s.says('1 disk marked', '#marked')
    # with a plan that is open
    to_plan(s)
    until(lambda: s.one('#consent').is_displayed(), 'no plan')
    s.switch(False)
    s.says('not erase', '#alarms')
    check(s.one('#consent').is_displayed(), 'the plan is gone')
    s.press('Go back', '#dialog')
    check(s.script('return window.same'), 'the page was loaded again')
