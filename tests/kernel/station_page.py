# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-station-page.sh does. Commands that build are left out, those that ask are answered."""
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ['DISKWIPE'].removesuffix('/tools/diskwipe')
with open(BUILD + '/meson-info/intro-buildoptions.json', encoding='utf-8') as f:
    PREFIX = next(o['value'] for o in json.load(f) if o['name'] == 'prefix')
PAGE = os.path.join(HERE, '../../docs/station.md')
NOT_HERE = ('tools/dev/', 'apt install', 'meson setup', 'ninja')
FILES = {'[safety]': '/etc/diskwipe/diskwipe.conf',
         '[station]': '/etc/diskwipe/diskwiped.conf',
         '[policy]': '/etc/diskwipe/diskwiped.conf.d/unattended.conf',
         '[hooks]': '/etc/diskwipe/diskwiped.conf.d/hooks.conf',
         '[metrics]': '/etc/diskwipe/diskwiped.conf.d/metrics.conf',
         '[wall]': '/etc/diskwipe/diskwiped.conf.d/wall.conf',
         '; records.conf': '/etc/diskwipe/diskwiped.conf.d/records.conf',
         '#!/bin/sh': '/usr/local/lib/diskwipe/hook'}
FINDS = {'diskwipe doctor': (0, 1), 'diskwipe doctor --fix': (0, 1)}  # it may find something here
SERIALS = [f'ENC01D000{n}' for n in range(6)]


def check(right, what):
    if not right:
        raise SystemExit(f'FAILED: {what}')


def until(holds, what, seconds=180):
    end = time.monotonic() + seconds
    while not holds():
        check(time.monotonic() < end, what)
        time.sleep(0.2)


def run(command, codes=(0,)):
    r = subprocess.run(['bash', '-c', command], capture_output=True, text=True, timeout=90,
                       stdin=subprocess.DEVNULL, check=False)
    check(r.returncode in codes, f'{command}: {r.returncode}: {r.stdout}{r.stderr}')
    return r.stdout


def on_terminal(command, prompt, answer):
    """A command that asks, or that has the screen."""
    pid, fd = pty.fork()
    if not pid:
        os.environ['TERM'] = 'vt100'
        os.execvp('bash', ['bash', '-c', command])
    said, end = '', time.monotonic() + 180
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.5)[0]:
            try:
                said += os.read(fd, 65536).decode(errors='replace')
            except OSError:
                break
        elif prompt in said:  # what was typed before the question does not answer it: once more
            os.write(fd, answer.encode())
    else:
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    check(code == 0 and prompt in said, f'{command}: {code}: {said}')


def status():
    return json.loads(run('diskwipe status --json'))


def disks():
    return {d['serial']: d for d in status()['disks']}


def state(serial, key='state'):
    return disks().get(serial, {}).get(key)


def records(*options):
    return json.loads(run(shlex.join(['diskwipe', 'records', '--json', *options])))['records']


def steps():
    """Number -> (kind, text) of its blocks, in their order: a file, or a command of a line."""
    with open(PAGE, encoding='utf-8') as f:
        parts = re.split(r'^## (\d+)\. .*\n', f.read(), flags=re.M)
    found = {}
    for number, text in zip(parts[1::2], parts[2::2]):
        found[int(number)] = []
        for block in re.findall(r'^```\n(.*?)^```\n', text, re.M | re.S):
            first = block.splitlines()[0]
            if first in FILES:
                found[int(number)].append((first, block))
                continue
            for line in block.splitlines():
                check(line[:2] in ('# ', '$ '), f'step {number}: {line}')
                found[int(number)].append(('command', line[2:]))
    return found


def write_file(kind, text):
    os.makedirs(os.path.dirname(FILES[kind]), exist_ok=True)
    with open(FILES[kind], 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(FILES[kind], 0o755 if kind[0] == '#' else 0o644)


def obey(command, job=''):
    if command.startswith(NOT_HERE):
        return
    print(f'  {command}', flush=True)
    command = command.replace('meson install -C build',
                              f'DESTDIR=/ meson install --no-rebuild -C {BUILD}')
    command = command.replace('/usr/share/doc/diskwiped', PREFIX + '/share/doc/diskwiped')
    command = re.sub(r'\b25401221\b', job[:8], command)
    if command == 'diskwipe top':
        on_terminal(command, 'q=quit', 'q')
    elif re.match(r'diskwipe (submit --label=first )?/dev/sg1$', command):
        on_terminal(command, SERIALS[1], SERIALS[1][-4:] + '\n')
    else:
        run(command, FINDS.get(command, (0,)))


def reloaded():
    """The call has returned, and has failed if it was refused."""
    said = run('journalctl -u diskwiped -o cat -n 20')
    check('stays as it was' not in said, said)


def after(number):
    """What the page says of the disks then."""
    if number == 4:
        check('protected' in run(f'diskwipe list -o serial,verdict | grep {SERIALS[4]}'), 'step 4')
        said = run("diskwipe list -o serial '0x5000000000000800:Slot 03' 2>&1")
        check(f'/dev/sg3 (ENCLOS EMULATED DISK, serial number {SERIALS[3]})' in said, said)
    elif number == 6:
        until(lambda: len(disks()) == 6, 'the disks of the service')
        said = run('diskwipe submit --dry-run /dev/sg6 2>&1', (2,))
        check('/dev/sg6: skipped: not a disk (enclosure services device, SCSI' in said, said)
        run('setpriv --reuid anna --regid anna --init-groups diskwipe submit --yes --wait /dev/sg3')
        run('setpriv --reuid anna --regid anna --init-groups'
            ' diskwipe status --bus=unix:path=/run/diskwipe/bus')
    elif number == 7:
        stopped = records('--outcome=stopped')
        check([r['serial'] for r in stopped] == SERIALS[:1], f'step 7: {stopped}')
    elif number == 8:
        reloaded()
        until(lambda: state(SERIALS[5]) == 'offered', 'an offered disk')
    elif number == 10:
        check('"event":"begin"' in run('journalctl -t diskwipe-hook -o cat'), 'the hook')
        run("journalctl -u 'diskwiped-hook-*'")
    elif number == 11:
        reloaded()
        until(lambda: os.path.exists('/run/diskwipe/wall/state.js'), 'the wall screen')
        shown = run('setpriv --reuid anna --regid anna --init-groups'
                    ' cat /run/diskwipe/wall/index.html /run/diskwipe/wall/state.json')
        check('wall.js' in shown and '"State": "refused"'.replace(' ', '') in shown, shown)
    elif number == 12:
        run('diskwipe submit --yes --wait /dev/sg3')
    elif number == 15:
        proven()
    elif number == 14:
        check(records('--limit=1'), 'the records after the backup')


def first_jobs(commands):
    """Step 7, with a job that can be paused."""
    job = ''
    for _, command in commands:
        if 'pause' in command:
            job = run('diskwipe submit --yes --command=write /dev/sg0').strip()
            until(lambda: state(SERIALS[0]) == 'writing', 'the job to be paused')
        obey(command, job)
        if 'pause' in command:
            until(lambda: state(SERIALS[0]) == 'paused', 'a paused job')
        if 'cancel' in command:
            until(lambda: state(SERIALS[0]) == 'done', 'a cancelled job')


def looked():
    """The service has looked at all disks, twice: it has seen somebody at the fourth, and nobody.
    That one has been erased, and stays so."""
    call = 'busctl call --address=unix:path=/run/diskwipe/bus io.github.diskwipe.Diskwipe1' \
           ' /io/github/diskwipe/Diskwipe1/Manager io.github.diskwipe.Diskwipe1.Manager Rescan' \
           ' "a{sv}" 0'
    with open('/dev/sg3', 'rb'):
        run(call)
        until(lambda: state(SERIALS[3], 'refusal') == 'open', 'a look')
    run(call)
    until(lambda: not state(SERIALS[3], 'refusal'), 'the next look')


def unasked():
    """Step 9, as it says: reloaded nothing begins; restarted, what was never worked on does; the
    protected disk does not."""
    with open(FILES['[station]'], encoding='utf-8') as f:
        text = f.read()
    write_file('[station]', text.replace('action = offer', 'action = erase'))
    before = len(records())
    run('systemctl reload diskwiped')
    reloaded()
    looked()
    check(len(records()) == before, 'reloaded, it erases what was there')
    run('systemctl restart diskwiped')
    until(lambda: state(SERIALS[5], 'outcome') == 'erased', 'the disk that is new')
    done = records()[:-before]
    check([r['serial'] for r in done] == SERIALS[5:], f'erased unasked: {done}')
    check(state(SERIALS[4]) == 'refused', 'the protected disk')
    check(records()[0]['bay'] == 'shelf', 'the bay on record')
    said = run('journalctl -u diskwiped -o cat -n 50')
    check('1 disk, submitted by the service itself' in said, said)


def hooks_and_figures():
    """Steps 10 and 11 had no disk to tell of yet."""
    run('diskwipe submit --yes --wait /dev/sg3')


def damaged():
    """Step 12: a new record erases nothing unasked, until the old one is moved away."""
    run('systemctl stop diskwiped.socket diskwiped')
    with open('/var/lib/diskwipe/station.db', 'r+b') as f:
        f.seek(4096)
        f.write(b'\xa5' * 8192)
    run('systemctl start diskwiped')
    until(lambda: len(disks()) == 6, 'the disks after the damage')
    looked()
    said = run('journalctl -u diskwiped -o cat -n 30')
    # the disk in intake waits in a job that is paused
    check([(r['bay'], r['outcome']) for r in records()] in ([], [('intake', '')]),
          f'erased unasked with a new record: {said}')
    check('damaged record was kept' in said, said)


def closed():
    """Step 15, before the sandbox is opened: everybody is told."""
    until(lambda: status()['station']['records_trouble'], 'the alarm of a station that cannot sign')
    until(lambda: len(disks()) == 6, 'the disks of the service that began again')
    for command in 'diskwipe status', 'diskwipe submit --dry-run /dev/sg3':
        said = run(f'{command} 2>&1')
        check('ALARM: no signed records are written' in said, f'{command}: {said}')
    check('no signed records are written' in run('diskwipe doctor', (1,)), 'doctor')
    said = run('journalctl -u diskwiped -o cat -n 20')
    check('no signed records can be written' in said and 'diskwipe doctor --fix' in said, said)
    check('diskwipe_records_trouble 1' in run('busctl call --system io.github.diskwipe.Diskwipe1'
          ' /io/github/diskwipe/Diskwipe1/Manager io.github.diskwipe.Diskwipe1.Manager Metrics'
          ' "a{sv}" 0'), 'the figure')


def proven():
    check(not status()['station']['records_trouble'], f"{status()['station']}")
    of_lot = json.loads(run("jq -s 'map(select(.label == \"lot 7\"))' /srv/records/record-*.json"))
    check([(r['station'], r['operator'], r['asked_by']) for r in of_lot] ==
          [('hall 3, rack 2', 'anna', 'root')], f'on record: {of_lot}')
    said = run('pdftotext -layout /root/lot-7.pdf -')
    for text in 'ACME', '4711', 'anna', 'root', 'hall 3, rack 2', 'diskwipe@', 'lot 7':
        check(text in said, f'{text} is not on {said}')


def main():
    page = steps()
    run('useradd -m anna')
    for number, blocks in page.items():
        print(f'step {number}', flush=True)
        if number == 7:
            first_jobs(blocks)
        elif number == 12:
            damaged()
        if number != 7:
            for kind, text in blocks:
                if number == 10 and 'journalctl' in text:
                    hooks_and_figures()
                if text == 'diskwipe doctor --fix':
                    closed()
                if text.startswith('diskwipe submit') and number == 15:
                    until(lambda: len(disks()) == 6, 'the disks of the service that was restarted')
                if kind == 'command':
                    obey(text)
                else:
                    write_file(kind, text)
        if number == 9:
            unasked()
        after(number)


main()
