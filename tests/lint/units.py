#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that a station installs are right by the programs that read them, and the service
stays in its sandbox. Argument: a program for the unit to name, as it is not installed."""
import os
import re
import shutil
import sys
import tempfile
import xml.dom.minidom

import lint

SYSTEMD = 'packaging/systemd/'
# 10 is no sandbox at all.
EXPOSURE = 25
MESSAGES = [f'5e2f3c1a7d944b6a9c1de0b7a4f1{n:04x}' for n in range(1, 0xc)]
ACTIONS = {'list': 'yes', 'erase': 'auth_admin', 'cancel': 'auth_admin', 'policy': 'auth_admin'}
NAME = 'io.github.diskwipe.Diskwipe1'


def check(where, *command, **kwargs):
    r = lint.run(*command, **kwargs)
    said = (r.stdout + r.stderr).strip()
    if r.returncode or said:
        lint.found(where, f'{command[0].split("/")[-1]} says {r.returncode}: {said[-600:]}')


def check_units(analyze, program, tmp):
    """All units, among those of this machine."""
    units = []
    for name in ('diskwiped', 'diskwipe-send'):
        unit, n = re.subn(rf'^(ExecStart=)@bindir@/{name}\b', lambda m: m[1] + program,
                          lint.read(f'{SYSTEMD}{name}.service.in'), flags=re.M)
        if n != 1:
            lint.found(SYSTEMD, f'the unit does not start {name}')
        units.append(os.path.join(tmp, name + '.service'))
        with open(units[-1], 'w', encoding='utf-8') as f:
            f.write(unit)
        r = lint.run(analyze, 'security', '--no-pager', '--offline=true',
                     f'--threshold={EXPOSURE}', units[-1])
        if r.returncode:
            lint.found(SYSTEMD, f'{name} is not within {EXPOSURE}: {r.stdout[-200:]} {r.stderr}')
    units.append(os.path.join(tmp, 'diskwiped.socket'))
    shutil.copy(os.path.join(lint.ROOT, SYSTEMD, 'diskwiped.socket'), units[-1])
    check(SYSTEMD, analyze, 'verify', '--man=no', *units)


def check_folders(tmp):
    for tool, action, name in (('systemd-sysusers', (), 'diskwipe.sysusers'),
                               ('systemd-tmpfiles', ('--create',), 'diskwipe.tmpfiles')):
        root = os.path.join(tmp, tool)
        os.mkdir(root)
        os.mkdir(os.path.join(root, 'etc'))
        conf = os.path.join(tmp, name + '.conf')
        shutil.copy(os.path.join(lint.ROOT, SYSTEMD, name), conf)
        r = lint.run(lint.need(tool), f'--root={root}', *action, conf)
        if r.returncode:
            lint.found(SYSTEMD + name, r.stderr.strip())


def check_catalog(tmp):
    """Each message has its entry, with what journalctl shows of it."""
    path = SYSTEMD + 'diskwipe.catalog'
    entries = re.split(r'^-- ', lint.read(path), flags=re.M)[1:]
    if [e[:32] for e in entries] != MESSAGES:
        lint.found(path, 'does not have the messages of the service, in their order')
    for e in entries:
        if not re.match(r'\w{32}\nSubject: .+\nDefined-By: diskwipe\nDocumentation: .+\n\n\S', e):
            lint.found(path, f'{e[:32]}: not an entry')
        for name in re.findall(r'@(\w+)@', e):
            if name not in {'DISKWIPE_' + f for f in ('JOB', 'SERIAL', 'WWN', 'BAY', 'OUTCOME')}:
                lint.found(path, f'{e[:32]}: no field {name}')
    folder = os.path.join(tmp, 'usr/lib/systemd/catalog')
    os.makedirs(folder)
    shutil.copy(os.path.join(lint.ROOT, path), folder)
    check(path, lint.need('journalctl'), '--update-catalog', f'--root={tmp}')


def check_actions():
    path = 'packaging/polkit/io.github.diskwipe.policy'
    seen = {}
    for action in xml.dom.minidom.parseString(lint.read(path)).getElementsByTagName('action'):
        who = {action.getElementsByTagName('allow_' + a)[0].firstChild.data
               for a in ('any', 'inactive', 'active')}
        seen[action.getAttribute('id').rsplit('.', 1)[1]] = who
    if seen != {name: {who} for name, who in ACTIONS.items()}:
        lint.found(path, f'grants {seen}')
    rules = 'packaging/polkit/50-diskwipe-operators.rules'
    for name in re.findall(r'"io\.github\.diskwipe\.(\w+)"', lint.read(rules)):
        if name not in ACTIONS:
            lint.found(rules, f'no action {name}')


def check_bus():
    for name in lint.files('.conf', '.xml', under='packaging/dbus/'):
        xml.dom.minidom.parseString(lint.read(name))
    for name in lint.files(under='packaging/dbus/'):
        if NAME not in lint.read(name):
            lint.found(name, f'does not name {NAME}')


def check_packages():
    """Both kinds of packages have the version of the project."""
    version = re.search(r"version: '([\d.]+)'", lint.read('meson.build'))[1]
    for path, pattern in (('packaging/debian/changelog', r'diskwipe \(([\d.]+)\)'),
                          ('packaging/rpm/diskwipe.spec', r'(?m)^Version: +([\d.]+)$')):
        found = re.search(pattern, lint.read(path))
        if not found or found[1] != version:
            lint.found(path, f'is not of version {version}')
    if shutil.which('rpmspec'):
        r = lint.run('rpmspec', '-P', 'packaging/rpm/diskwipe.spec')
        if r.returncode:
            lint.found('packaging/rpm/diskwipe.spec', r.stderr.strip())


def main():
    analyze = lint.need('systemd-analyze')
    with tempfile.TemporaryDirectory() as tmp:
        check_units(analyze, sys.argv[1], tmp)
        check_folders(tmp)
        check_catalog(tmp)
    check_actions()
    check_bus()
    check_packages()
    lint.done('units, bus, polkit and catalogue')


main()
