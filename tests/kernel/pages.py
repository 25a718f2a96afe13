# SPDX-License-Identifier: GPL-2.0-or-later
"""What t-pages.sh does: each command is run as it stands on its page. RULES has what must be there
before some of them, and which words of them are another place here; ELSEWHERE has the tests of
those that are run by another one."""
import json
import os
import re
import signal
import subprocess
import time

from readme import run as on_terminal

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.realpath(HERE + '/../..')
BUILD = os.environ['DISKWIPE'].removesuffix('/tools/diskwipe')
KEY, RECORDS = '/etc/diskwipe/record.key', '/srv/records'
SIGNED = f' --record={RECORDS} --record-key={KEY}'
PAGES = ['docs/usage.md', 'README.md', 'man/diskwipe.1', 'man/diskwipe-json.5',
         'man/diskwipe-ledger.1', 'man/diskwipe-model.1', 'man/diskwipe-scrub.1',
         'man/diskwipe-record.5', 'docs/records.md', 'man/diskwipe-report.1', 'man/diskwipe-send.8',
         'docs/station.md', 'man/diskwiped.8', 'man/diskwiped.conf.5', 'man/diskwipe-top.1']
ELSEWHERE = {
    'docs/usage.md': {'diskwipe$': 'guided', 'apt install': 'packages',
                      '.* --label=lot-7': 't-certificate', 'pdfdetach': 't-certificate',
                      'diskwipe plan --topology examples': 'forecast'},
    'docs/records.md': {'who=.*record-0': 'records-page', 'pdfdetach': 'records-page',
                        'sha256sum record-00000001.json; ': 'records-page',
                        'diskwipe-report certificate': 'records-page'},
    'docs/station.md': {'journalctl -u .diskwiped-hook': 't-station-page'},
    'man/diskwipe-ledger.1': {'diskwipe-ledger verify': 'ledger-papers'},
}
BACKGROUND = []


def check(right, what):
    if not right:
        raise SystemExit(f'FAILED: {what}')


# ---- what stands on the pages ----

def whole(script):
    """Is it a command with its end?"""
    return not script.endswith('\\') and not subprocess.run(
        ['bash', '-nc', script], stderr=subprocess.DEVNULL, check=False).returncode


def of_lines(lines):
    """Commands after "# " or "$ ", among what they print; of several with a variable one script."""
    found = []
    for line in lines:
        if line[:2] in ('# ', '$ '):
            found.append(re.sub(r'   +\S.*$', '', line[2:]))  # a remark
        elif found and not whole(found[-1]):
            found[-1] += '\n' + line
    return ['\n'.join(found)] if any('=$(' in c for c in found) else found


def of_manual(text):
    text = text.partition('\n.Sh EXAMPLES\n')[2].partition('\n.Sh ')[0]
    text = text.replace(r'\(dq', '"').replace(r'\e', '\\')
    return of_lines(re.sub(r'^\.Dl ', '', line) for line in text.splitlines())


def in_text(text):
    """Commands with words of their own in the running text."""
    text = re.sub(r'^```\n.*?^```\n', '', text, flags=re.M | re.S)
    program = 'diskwiped?|diskwipe-\\w+|journalctl|sha256sum|cp|rm|df'
    form = r'diskwipe(-report)? [a-z]+( [a-z]+)?|.*(FILE|format --block-size=512$|record=DIR$).*'
    return [c for c in re.findall(f'`((?:{program}) [^`\n]+)`', text)
            if not re.fullmatch(form, c)]


def page(name):
    with open(f'{TOP}/{name}', encoding='utf-8') as f:
        text = f.read()
    if name.startswith('man/'):
        return of_manual(text)
    blocks = []
    if name not in ('README.md', 'docs/station.md'):  # theirs are run by t-readme, t-station-page
        for block in re.findall(r'^```\n(.*?)^```\n', text, re.M | re.S):
            blocks += of_lines(block.splitlines())
    return blocks + in_text(text)


def literal(name, first):
    """A block of a manual page that begins so."""
    with open(f'{TOP}/{name}', encoding='utf-8') as f:
        return re.search(rf'^\.Bd [^\n]*\n({re.escape(first)}\n.*?)^\.Ed', f.read(), re.M | re.S)[1]


# ---- what is run ----

def shell(command, codes=(0,)):
    def run():
        r = subprocess.run(['bash', '-euo', 'pipefail', '-c', command], capture_output=True,
                           text=True, timeout=300, stdin=subprocess.DEVNULL, check=False)
        return r.stdout + r.stderr, r.returncode

    said, code = patiently(command, run)
    check(code in codes, f'{command}: {code}: {said}')
    return said


def patiently(command, run):
    """A command that was refused as udevd or the service just looks at a disk has done nothing: a
    person gives it once more, and lets the service look again before."""
    end = time.monotonic() + 180
    while True:
        said, code = run()
        if not code or time.monotonic() > end or \
                not re.search(r'open in process|does not know this disk \(yet\)', said):
            return said, code
        if 'diskwipe submit' in command:
            known('')
        time.sleep(0.2)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def until(holds, what):
    end = time.monotonic() + 180
    while not holds():
        check(time.monotonic() < end, what)
        time.sleep(0.2)


def answer(command):
    """To the question of a command that erases."""
    nodes = re.findall(r'/dev/s[gd]\S+', command.partition('diskwipe')[2])
    if len(nodes) == 1 and '*' not in nodes[0]:
        n = ord(nodes[0][7]) - ord('a') if nodes[0][6] == 'd' else int(nodes[0][7:])
        return f'{n:04}'
    if nodes:
        return str(len(nodes))
    return '13' if '--plan' in command else '2' if '--resume' in command else '14'


def asks(command):
    return re.match(r'diskwipe ((erase|format|submit) )?(-|/dev/)', command) and \
        not re.search('--yes|--dry-run', command)


def obey(command):
    """What it prints."""
    if re.search(r'diskwipe top\b', command):
        said, code = on_terminal(['bash', '-c', 'TERM=vt100 ' + command], '/bin/bash', 'q',
                                 prompt=rb'\S' if '--wall' in command else rb'q=quit')
    elif asks(command):
        said, code = patiently(command, lambda: on_terminal(
            ['bash', '-euo', 'pipefail', '-c', command], '/bin/bash', answer(command)))
        check('type ' in said, f'{command}: {said}')
    else:
        return shell(command)
    check(code == 0, f'{command}: {code}: {said}')
    return said


def newest():
    return len([n for n in os.listdir(RECORDS) if re.fullmatch(r'record-\d+\.json', n)])


def head():
    return f'{newest()}:' + shell(f'sha256sum {RECORDS}/record-{newest():08}.json')[:64]


def read_record(n):
    with open(f'{RECORDS}/record-{n:08}.json', encoding='utf-8') as f:
        return json.load(f)


# ---- what comes before some of them; returned is what is run ----

def known(command):
    """The service has seen all disks, and nobody at them."""
    def seen():
        shell('busctl call io.github.diskwipe.Diskwipe1 /io/github/diskwipe/Diskwipe1/Manager'
              ' io.github.diskwipe.Diskwipe1.Manager Rescan "a{sv}" 0')
        disks = json.loads(subprocess.check_output(['diskwipe', 'status', '--json']))['disks']
        return len(disks) == 14 and not any(d.get('refusal') for d in disks)

    until(seen, 'its disks')
    return command.replace('2TB', '2MB').replace('=sas', '=virtio')


def enclosure(words):
    return shell(f'"$ENCLOSURE_CALL" "$ENCLOSURE_DIR" "{words}"').strip()


def interrupted(command):
    """Ctrl-C while a disk writes; the next command of the page goes on."""
    typed = []

    def hear(said):
        if not typed and '' not in [enclosure(f'held {n}').strip('0') for n in (1, 2)]:
            typed.append(b'\x03')
            return typed[0]
        if 'stopping' in said:
            enclosure('clear-all')
        return b''

    for n in 1, 2:
        enclosure(f'fault kind=hold disk={n} op=write,ws min=2 nth=1')
    said, code = patiently(command, lambda: on_terminal(
        ['bash', '-c', 'exec ' + command], '/bin/bash', '2', hear=hear))
    check(code == -signal.SIGINT, f'{command}: {code}: {said}')
    return ''


def drawn(command):
    """The script of an auditor, for the draw that there is; it has what the draw's record has."""
    shell(f"diskwipe --yes --expect-count=14 --label='lot 8'{SIGNED} /dev/sg*")
    shell(f'diskwipe qc draw 20%{SIGNED}')
    n = newest()
    picked = read_record(n)['picked']
    command = command.replace('record-00000024', f'record-{n - 1:08}').replace(' 25 ', f' {n} ')
    said = shell(f'cd {RECORDS}\n' + command.replace('head -n 5', f'head -n {len(picked)}'))
    names = re.findall(r'record-0*(\d+)\.json', said)
    check(sorted(map(int, names)) == sorted(p['sequence'] for p in picked),
          f'{command}: {said}, {picked}')
    return ''


def stopped_service(command):
    write('/etc/diskwipe/diskwiped.conf',
          f'[station]\nrecords = /var/lib/diskwipe/records\nrecord-key = {KEY}\n')
    shell('systemctl restart diskwiped')
    known('')
    shell('diskwipe submit --yes --wait /dev/sg5; '
          'systemctl stop diskwiped.socket diskwiped.service')
    return command


def sending(command):
    write('/etc/diskwipe/send.conf', literal('man/diskwipe-send.8', '[send]'))
    write('/etc/diskwipe/office.token', 'a token\n')
    os.chmod('/etc/diskwipe/office.token', 0o600)
    shell('mkdir -p /media/records; mount -t tmpfs none /media/records')
    return command


def sent(command):
    until(lambda: os.path.exists('/media/records/record-00000001.json'), 'records on the stick')
    said = shell(command, (0, 1))
    check('stick' in said and 'office' in said, said)
    return 'systemctl disable --now diskwipe-send'


def backup(command):
    shell('systemctl stop diskwiped.socket diskwiped.service; '
          'cp -a /var/lib/diskwipe /root/diskwipe-backup')
    return command


def tried(command):
    """A service without the machine's; with the example of diskwiped.conf(5)."""
    write('/root/new.conf', literal('man/diskwiped.conf.5', '[station]'))
    log = open('/run/tried', 'w', encoding='utf-8')  # pylint: disable=consider-using-with
    BACKGROUND.append(subprocess.Popen(['bash', '-c', 'exec ' + command], stderr=log))
    until(lambda: os.path.exists('/run/try.bus') or BACKGROUND[0].poll() is not None, 'its socket')
    return ''


def tried_status(command):
    said = shell(command)
    check('hall 3, rack 2' in said, said)
    BACKGROUND[0].terminate()
    check(BACKGROUND[0].wait() == 0, shell('cat /run/tried'))
    return ''


def before(script):
    return lambda command: shell(script) and '' or command


def instead(old, new):
    return lambda command: re.sub(old, new, command)


def ends_with(code):
    return lambda command: shell(command, (code,)) and ''


RULES = {
    'docs/usage.md': {
        'diskwipe fit': before('diskwipe --yes --command=write --controller=fixed:64 --trace=trace '
                               '/dev/sg5'),
        'diskwipe --select': instead('2TB', '2MB'),
        'diskwipe submit': known,
    },
    'man/diskwipe.1': {
        'diskwipe --state': interrupted,
        'diskwipe submit': known,
    },
    'man/diskwipe-json.5': {'diskwipe simulate': instead('FILE', 'examples/demo-shelf.station')},
    'docs/records.md': {
        'diskwipe records key': before(f'rm -r {KEY} {KEY}.pub {RECORDS}'),
        'diskwipe erase': before('echo ENC01D0003,tag 1 >acme.csv'),
        'p=': drawn,
        'cd /var/lib': stopped_service,
        'sha256sum record': before(f'cp {RECORDS}/record-00000001.json .'),
        'diskwipe qc status': ends_with(3),  # something is open
        'diskwipe verify --drawn': lambda c: shell(f'diskwipe qc draw 100%{SIGNED}') and c + SIGNED,
        'diskwipe records verify --signers=signers --expect':
            lambda c: c.replace('17:9f86d08...', head()),
    },
    'man/diskwipe-report.1': {
        '.*--since': instead(r'since=20\d\d', 'since=2025'),
        '.*--firm': before("printf '[firm]\\nname = Erasers\\n' >firm.ini"),
        '.* draw': before('diskwipe --yes --json --trace=job.trace /dev/sg5 >job.json'),
    },
    'man/diskwipe-send.8': {'systemctl enable': sending, 'diskwipe-send --status': sent},
    'docs/station.md': {
        'diskwipe status': before('systemctl start diskwiped.socket diskwiped.service'),
        'rm -r': backup,
    },
    'man/diskwiped.8': {'diskwiped --config': tried, 'diskwipe status': tried_status},
}


def run_page(name):
    rules, elsewhere = RULES.get(name, {}), ELSEWHERE.get(name, {})
    used, there = set(), page(name)
    check(there or name == 'man/diskwiped.conf.5', f'{name} has no commands')
    for command in there:
        mine = [p for p in elsewhere if re.match(p, command, re.S)]
        if mine:
            used.update(mine)
            print(f'  {elsewhere[mine[0]]} runs: {command}')
            continue
        print(f'  {command}', flush=True)
        for pattern, rule in rules.items():
            if re.match(pattern, command):
                used.add(pattern)
                command = rule(command)
        if command:
            obey(re.sub(r'\bDIR$', RECORDS, command))
    left = {*rules, *elsewhere} - used
    check(not left, f'{name} has no such command: {left}')


def main():
    write('/etc/diskwipe/diskwipe.conf', '')
    shell(f'DESTDIR=/ meson install --no-rebuild -C {BUILD}; ldconfig; systemd-sysusers; '
          'systemd-tmpfiles --create; systemctl daemon-reload; systemctl reload dbus')
    os.chdir('/root')
    os.environ['HOME'] = '/root'
    os.symlink(TOP + '/examples', 'examples')
    for name in PAGES:
        print(name, flush=True)
        # the service looks at disks that were written to, and holds them meanwhile
        shell('rm -f *.pdf; systemctl stop diskwiped.socket diskwiped.service')
        run_page(name)


main()
