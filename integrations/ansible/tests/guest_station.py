# SPDX-License-Identifier: GPL-2.0-or-later
"""The role station in the guest, with systemd and the service in its sandbox: the first run, the
second, a mistake. Run as root by tests/kernel/guest; see guest-station."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys

KEY = '/etc/diskwipe/record.key'
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..')
UNIT = '/run/systemd/system/diskwiped.service'


def expect(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')
    print(f'ok: {what}', flush=True)


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def install(diskwipe):
    """What the packages of diskwipe would: programs, unit, users, the bus's policy."""
    os.makedirs('/opt/try')
    libraries = re.findall(r'=> (\S*libdiskwipe\S*) ', run('ldd', diskwipe))
    for file in [os.path.dirname(diskwipe) + '/../src/service/diskwiped', *libraries]:
        shutil.copy(file, '/opt/try')
    os.symlink(diskwipe, '/opt/try/diskwipe')
    with open(ROOT + '/packaging/systemd/diskwiped.service.in', encoding='utf-8') as f:
        unit = re.sub('(?m)^ExecStart=.*', 'ExecStart=/opt/try/diskwiped\n'
                      'Environment=LD_LIBRARY_PATH=/opt/try', f.read())  # fmt: skip
    with open(UNIT, 'w', encoding='utf-8') as f:
        f.write(unit + '\n[Install]\nWantedBy=multi-user.target\n')
    shutil.copy(ROOT + '/packaging/systemd/diskwiped.socket', os.path.dirname(UNIT))
    subprocess.run(['systemd-sysusers', ROOT + '/packaging/systemd/diskwipe.sysusers'],
                   check=True, stderr=subprocess.DEVNULL)  # fmt: skip
    os.makedirs('/usr/share/dbus-1/system.d', exist_ok=True)
    for name in os.listdir(ROOT + '/packaging/dbus'):
        if name.endswith('.conf'):
            shutil.copy(f'{ROOT}/packaging/dbus/{name}', '/usr/share/dbus-1/system.d')
    run('systemctl', 'daemon-reload')
    run('systemctl', 'reload', 'dbus')


def play(**variables):
    """Runs the role: status, the counts of the recap, and all that was printed."""
    role = {'ansible.builtin.include_role': {'name': 'diskwipe.diskwipe.station'}}
    show = {'ansible.builtin.debug': {'var': 'station_signer'}}
    book = [{'hosts': 'localhost', 'connection': 'local', 'gather_facts': False,
             'vars': {'station_packages': [], **variables}, 'tasks': [role, show]}]  # fmt: skip
    with open('/run/play.yml', 'w', encoding='utf-8') as f:
        json.dump(book, f)
    ended = subprocess.run(
        ['ansible-playbook', '-i', 'localhost,', '/run/play.yml', '-e',
         f'ansible_python_interpreter={sys.executable}'],
        capture_output=True, text=True, check=False)  # fmt: skip
    said = ended.stdout + ended.stderr
    counts = {k: int(n) for k, n in re.findall(r'(\w+)=(\d+)', said.split('PLAY RECAP')[-1])}
    if 'changed' not in counts:
        sys.exit(said)
    return ended.returncode, counts, said


def main():
    install(sys.argv[1])
    usual = {
        'station_config': {'station': {'name': 'hall 3'}, 'erase': {'verify': 'full'}},
        'station_bays': [{'name': 'upper', 'address': '0:0:0:0', 'action': 'offer'}],
        'station_metrics': '/var/lib/prometheus/node-exporter/diskwipe.prom',
    }
    status, counts, said = play(**usual)
    if status:
        sys.exit(said)
    expect(counts['changed'] > 0, f'first run: {counts}')
    expect(run('systemctl', 'is-active', 'diskwiped') == 'active', 'the service runs')
    expect(stat.S_IMODE(os.stat(KEY).st_mode) == 0o600, "the key is root's alone")
    with open(KEY, 'rb') as f:
        key = f.read()
    with open(KEY + '.pub', encoding='utf-8') as f:
        expect(f.read().split()[1] in said, 'the line for lists of signers is told')
    bays = json.loads(run('diskwipe', 'status', '--json'))
    expect('upper' in json.dumps(bays), 'the service knows the bay')

    status, counts, said = play(**usual)
    expect(status == 0 and counts['changed'] == 0, f'the second run changes nothing: {counts}')

    with open(KEY, 'rb') as f:
        expect(f.read() == key, 'the key is the same')

    status, counts, said = play(**{**usual, 'station_config': {'station': {'colour': 'red'}}})
    expect(status != 0 and 'colour' in run('journalctl', '-b', '-u', 'diskwiped'),
           'a mistake fails the play')  # fmt: skip
    expect(run('systemctl', 'is-active', 'diskwiped') == 'active', 'and the service goes on')
    print('ENDED WELL')


main()
