# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-service-health.sh does."""
import signal
import sqlite3
import time

from station import MANAGER, Clock, Shelf, Station, check, looked, until

EVERY, SPIN_UP = 20, 300  # seconds of the service's clock
SLOTS = '0x5000000000000800:Slot 0[0-6]'
CONF = f'[temperature]\nevery = {EVERY}s\n[bays]\nspin-up = {SPIN_UP}s\n' \
       f'[bay shelf]\nslot = {SLOTS}\naction = offer\n'
LOG_SENSE, START_STOP, READ_DEFECTS = '4d', '1b', 'b7'
PAGES = 6  # LOG SENSE of one question for the temperature: which pages there are, and five

enc = Shelf()


def sent(n, opcode):
    """How many commands of that code disk N has got."""
    return enc.disk(n)['opcodes'].get(opcode, 0)


def written(n):
    return sent(n, '8a') + sent(n, '2a')


def asked(clock, n, times=1):
    """Disk N is asked how warm it is; when it is asked twice, the first answer has had its
    effect."""
    for _ in range(times):
        before = sent(n, LOG_SENSE)
        clock.leap(EVERY)
        until(lambda before=before: sent(n, LOG_SENSE) >= before + PAGES, f'a question to {n}')


def lit(n):
    for line in enc('leds 8').splitlines():
        word, _, rest = line.partition(' ')
        if word == str(n):
            return rest.strip()
    return None


def look(s):
    s.call(MANAGER, 'Manager', 'Rescan', 'a{sv}', 0)


def found(s, serial):
    """The guest has no udev, which would have told of it."""
    look(s)
    return bool(s.disk(serial)['Device'])


def configure(s, text):
    s.configure(text)
    s.call(MANAGER, 'Manager', 'Reload', 'a{sv}', 0)


def motors(s, clock):
    """Two are stopped: the second is started some time after the first; others never."""
    before = [sent(n, START_STOP) for n in range(7)]

    def began():
        return [sent(n, START_STOP) - before[n] for n in range(7)]

    enc('stop 4')
    enc('stop 5')
    s.start()
    until(lambda: sum(began()) == 1, 'a motor is started')
    looked(s, enc)
    check(sum(began()) == 1, f'one motor at a time: {began()}')
    clock.leap(SPIN_UP)
    until(lambda: sum(began()) == 2, 'the other is started')
    until(lambda: len([d for d in s.disks().values() if d['Capacity']]) == 8, 'eight disks')
    check('offered only' not in s.said(), s.said())
    disks = sorted((d for d in s.disks().values() if d['Capacity']),
                   key=lambda d: int(d['Address'].split(':')[2]))[:7]
    check(len(s.disks()) == 8, 'no disk is there twice')
    check(began() == [0, 0, 0, 0, 1, 1, 0], 'motors')
    return disks


def told(s, _clock, serial):
    """What disks tell is a property, and a metric."""
    until(lambda: s.disk(serial[5])['Health'] == 'good', 'the last disk has been asked')
    now = [s.disk(n) for n in serial]
    check([d['Temperature'] for d in now] == [40, 40, 40, 41, 40, 40, -274], f'{now}')
    check([d['Health'].split(':')[0] for d in now] ==
          ['good', 'failing', 'good', 'good', 'good', 'good', ''], f'{now}')
    text = s.call(MANAGER, 'Manager', 'Metrics', 'a{sv}', 0)[0]
    check(f'diskwipe_disk_temperature_celsius{{device="{now[3]["Device"]}"}} 41' in text, text)
    check(f'diskwipe_disk_failing{{device="{now[1]["Device"]}"}} 1' in text, text)
    check(f'diskwipe_disk_failing{{device="{now[0]["Device"]}"}} 0' in text, text)
    check(text.count('diskwipe_disk_temperature_celsius{') == 6, text)
    check([lit(n) for n in range(7)] == [''] * 7, 'no light without work')


def heat(s, clock, disks, serial):
    """Too hot, it stands, whatever a caller says; cool, it goes on, unless a caller holds it."""
    enc('fault kind=hold disk=0 op=write min=2 lba=4096 count=1')
    job = s.submit(disks[:1], command='write', controller='fixed', fixed_blocks='64')
    enc.await_held(0)
    enc('set 0 temp=56')
    asked(clock, 0)
    until(lambda: 'is warm, 56 degrees' in s.said(), 'the warning')
    check(s.disk(serial[0])['State'] == 'writing', 'a warm disk goes on')
    enc('set 0 temp=61')
    asked(clock, 0, 2)
    enc('clear 0')
    until(lambda: s.disk(serial[0])['State'] == 'paused', 'the pause')
    check('too hot, 61 degrees' in s.disk(serial[0])['Message'], 'why')
    stands = written(0)
    check(s.job(job)['State'] == 'running', 'nobody has paused the job')
    s.ask(job, 'Pause')
    s.ask(job, 'Resume')
    enc('set 0 temp=57')
    asked(clock, 0, 2)
    check((s.disk(serial[0])['State'], written(0)) == ('paused', stands), 'it is not cool enough')
    s.ask(job, 'Pause')
    enc('set 0 temp=50')
    asked(clock, 0, 2)
    check('is cool enough, 50 degrees' in s.said(), 'that it is cool')
    check((s.disk(serial[0])['State'], written(0)) == ('paused', stands), 'somebody holds it')
    enc('fault kind=hold disk=0 op=write min=2 lba=12288 count=1')
    s.ask(job, 'Resume')
    enc.await_held(0)
    stood = s.records(serial=serial[0])[0]['heat_pause_seconds']
    check(stood >= 2 * EVERY, f'it stood for {stood} s')
    check(lit(0) == '', 'no light while it works')
    enc('set 0 temp=70')
    asked(clock, 0, 2)
    enc('clear 0')
    until(lambda: s.disk(serial[0])['State'] == 'paused', 'the second pause')
    asked(clock, 0)
    until(lambda: s.records(serial=serial[0])[0]['heat_pause_seconds'] > stood,
          'a pause that goes on is on record, as the service may be killed')
    check(s.disk(serial[0])['State'] == 'paused', 'it is still too hot')
    enc('set 0 temp=30')
    asked(clock, 0)
    check(s.await_end(job)['ExitCode'] == 0, 'the job of a hot disk')
    check(enc.is_erased(0), 'zeros')
    until(lambda: lit(0) == 'locate', 'the light of an erased disk')
    check(s.said().count('disk ' + serial[0] + ' is') == 5, s.said())
    r = s.records(serial=serial[0])[0]
    check((r['health_before'], r['health_after'], r['max_temperature'], r['do_not_reuse']) ==
          ('good', 'good', 70, False), f'{r}')
    check(stood < r['heat_pause_seconds'] < (r['ended'] - r['started']) / 1e6 + clock.seconds,
          f'{r}')
    # by the service, and by the job for its result
    check(sent(0, READ_DEFECTS) == 4, 'thoroughly before and after, not in between')


def failing(s, _clock, disks, serial):
    """It is erased and labelled, or refused."""
    job = s.submit(disks[1:3], command='write')
    check(s.await_end(job)['ExitCode'] == 0, 'both are erased')
    reason = s.records(serial=serial[1])[0]['reason']
    check(reason.startswith('do not reuse: ') and '5D/10' in reason, reason)
    check(s.records(serial=serial[2])[0]['reason'] == '', 'a good one')
    check([s.records(serial=n)[0]['do_not_reuse'] for n in serial[1:3]] == [True, False], 'labels')
    until(lambda: (lit(1), lit(2)) == ('locate', 'locate'), 'their lights')
    configure(s, CONF + '[health]\nfailing = refuse\n')
    writes = sent(1, '8a') + sent(1, '2a')
    job = s.submit(disks[1:2], command='write')
    j = s.await_end(job)
    check((j['ExitCode'], j['Outcome']) == (2, 'refused'), f'{j}')
    check('failing=refuse' in s.disk(serial[1])['Message'], s.disk(serial[1])['Message'])
    check(sent(1, '8a') + sent(1, '2a') == writes, 'nothing was written')
    until(lambda: lit(1) == 'fault', 'the light of a refused disk')
    check(s.await_end(s.submit(disks[3:4]))['ExitCode'] == 0, 'a good ATA disk is not refused')
    check(s.disk(serial[3])['Health'] == 'good', 'its health')
    configure(s, CONF)


def pulled(s, _clock, disks, serial):
    """Its bay is dark when it is gone, and tells of it when it is done after all."""
    enc('fault kind=hold disk=2 op=write min=2 lba=4096 count=1')
    job = s.submit(disks[2:3], command='write', controller='fixed', fixed_blocks='64')
    enc.await_held(2)
    until(lambda: lit(2) == '', 'it works again')
    enc('gone 2')
    look(s)
    until(lambda: s.disk(serial[2])['State'] == 'absent', 'it is gone')
    check(s.disk(serial[2])['Temperature'] == -274, 'nobody knows how warm it is')
    enc('back 2')
    until(lambda: found(s, serial[2]), 'it is found')
    until(lambda: s.disk(serial[2])['Outcome'] == 'erased', 'it is done')
    check(s.await_end(job)['ExitCode'] == 0, 'the job')
    until(lambda: lit(2) == 'locate', 'its light')
    enc('gone 2')
    until(lambda: not found(s, serial[2]), 'it is missed')
    until(lambda: lit(2) == '', 'the light of an erased disk that was taken out')
    enc('back 2')
    until(lambda: found(s, serial[2]), 'it is found')


def stops(s, clock, disks, serial):
    """Stopped when it is done, it is still known, and started for the next job."""
    motor = sent(4, START_STOP)
    other = sent(5, START_STOP)
    configure(s, CONF.replace('[bays]', '[bays]\nspin-down = yes'))
    job = s.submit(disks[4:5], command='write')
    check(s.await_end(job)['ExitCode'] == 0, 'the job')
    until(lambda: sent(4, START_STOP) == motor + 1, 'its motor is stopped')
    look(s)
    until(lambda: lit(4) == 'locate', 'its light')
    before = sent(4, LOG_SENSE)
    asked(clock, 5, 2)
    until(lambda: look(s) or s.disk(serial[4])['Refusal'] == '', 'it is nobody else\'s')
    d = s.disk(serial[4])
    check((d['State'], d['Capacity'], d['Refusal']) == ('done', disks[4]['Capacity'], ''), f'{d}')
    check(len(s.disks()) == 8, 'a stopped disk is no other')
    check(sent(4, LOG_SENSE) == before, 'a disk that sleeps is not asked')
    check(sent(4, START_STOP) == motor + 1, 'it sleeps on')
    # a look that found it stopped ends when its motor has been started
    clock.leap(SPIN_UP)
    for slow in 'disk=4 op=0x9e,0x25 ms=200', 'disk=4 op=write ms=400', 'disk=6 op=any ms=40':
        enc('fault kind=slow ' + slow)
    job = s.submit(disks[4:5], command='write', controller='fixed', fixed_blocks='2048')
    until(lambda: look(s) or len(s.disks()) != 8 or s.job(job)['ExitCode'] != -1, 'its job ends')
    check(len(s.disks()) == 8, 'a disk that was started is no other')
    check(s.job(job)['ExitCode'] == 0, 'started again')
    enc('clear-all')
    # it may take more than one START
    until(lambda: sent(4, START_STOP) >= motor + 3, 'it was started, and is stopped')
    check(sent(5, START_STOP) == other, 'one without work is let alone')


def quiet(s, clock, disks, serial):
    """No disk is asked more than it should."""
    check(sent(6, LOG_SENSE) == 1, 'one that refuses was asked once')
    check(s.await_end(s.submit(disks[6:7]))['ExitCode'] == 0, 'its job')
    check(sent(6, READ_DEFECTS) == 4, 'thoroughly before and after its work')
    check(s.disk(serial[6])['Health'] == '', 'it tells nothing')
    until(lambda: lit(6) == 'locate', 'its light')
    mute = sent(6, LOG_SENSE)
    before, since = sent(5, LOG_SENSE), time.monotonic()
    asked(clock, 5, 2)
    lights = sent(8, '1d')
    asked(clock, 5, 2)
    more = sent(5, LOG_SENSE) - before
    most = 5 + (time.monotonic() - since) // EVERY  # one may be due on its own
    check(4 * PAGES <= more <= most * PAGES, f'{more} commands for four questions')
    check(sent(6, LOG_SENSE) == mute, 'one that refuses is not asked again')
    check(sent(8, '1d') == lights, 'no light is switched without need')


def recorded(s, clock, serial):
    """What the store has, and that once a minute is the default."""
    check(s.stop() == 0, 'the stop')
    db = sqlite3.connect(s.state + '/station.db')
    rows = db.execute('select serial, max_temperature, health_before, health_after, outcome,'
                      ' attempt.paused from attempt join disk on disk.id = attempt.disk'
                      ' order by attempt.id').fetchall()
    db.close()
    check(rows[0] == (serial[0], 70, 'good', 'good', 'erased', 0), f'{rows[0]}')
    first = next(r for r in rows if r[0] == serial[1])
    check(first[2] == first[3] and first[2].startswith('failing: '), f'{first}')
    check([r[1:4] for r in rows if r[0] == serial[6]] == [(-274, '', '')], f'{rows}')
    before = sent(5, LOG_SENSE)
    s.configure('')
    s.start()
    until(lambda: (s.disk(serial[5]) or {}).get('Temperature') == 40, 'the first question')
    clock.leap(20)
    looked(s, enc)
    check(sent(5, LOG_SENSE) - before == PAGES, 'the second is due in a minute')
    clock.leap(45)
    until(lambda: sent(5, LOG_SENSE) - before == 2 * PAGES, 'the second')
    s.process.send_signal(signal.SIGTERM)
    check(s.process.wait(30) == 0, 'the last stop')


def main():
    s = Station(config=CONF)
    clock = Clock(s)
    try:
        disks = motors(s, clock)
        serial = [d['Serial'] for d in disks]
        for step in told, heat, failing, pulled, stops, quiet, recorded:
            print(step.__name__, flush=True)
            if step in (told, recorded):
                step(s, clock, serial)
            else:
                step(s, clock, disks, serial)
    except SystemExit:
        print(s.said(), flush=True)
        raise
    finally:
        if s.process.poll() is None:
            s.process.kill()


main()
