# SPDX-License-Identifier: GPL-2.0-or-later
"""Ironic's clean step in the guest: the agent's own machinery, our manager, diskwipe, real disks
of Linux's SCSI stack. Run as root by tests/kernel/guest; see guest-clean."""

import json
import os
import subprocess
import sys
import time

from ironic_python_agent import config  # isort: skip
from ironic_python_agent import hardware
from ironic_python_agent.extensions import clean
from oslo_log import log

DISKS = ('/dev/sda', '/dev/sdb', '/dev/sdc')
KEY = '/etc/diskwipe/record.key'
STEP = {'step': 'erase_devices', 'priority': 10, 'interface': 'deploy'}


def fill(disk, byte):
    with open(disk, 'r+b', buffering=0) as f:
        size = f.seek(0, os.SEEK_END)
        f.seek(0)
        f.write(byte * size)
        os.fsync(f.fileno())


def holds(disk, byte):
    with open(disk, 'rb', buffering=0) as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        size = f.seek(0, os.SEEK_END)
        f.seek(0)
        data = f.read(size)
    return size > 0 and len(data) == size and data == byte * size


def node(**properties):
    return {
        'uuid': 'f6b5a0b2-6d34-4f0e-8a39-000000000036',
        'properties': properties,
        'instance_info': {},
        'driver_internal_info': {
            'disk_erasure_concurrency': 4,
            'agent_enable_ata_secure_erase': True,
            'agent_enable_nvme_secure_erase': True,
        },
    }


def run_step(what, **args):
    result = clean.CleanExtension().execute_clean_step(
        step={**STEP, 'args': args}, node=what, ports=[]
    )
    result.join()
    return result.serialize()


def expect(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')
    print(f'ok: {what}', flush=True)


def erased(skip):
    done = run_step(node(skip_block_devices=[skip]), verify='full')
    expect(done['command_status'] == 'SUCCEEDED', f'succeeded: {done["command_error"]}')
    answer = done['command_result']['clean_result']
    print(json.dumps(answer)[:1500])
    expect(sorted(answer) == ['/dev/sda', '/dev/sdb'], 'two disks in the answer')
    for disk in DISKS[:2]:
        expect(answer[disk]['outcome'] == 'erased', f'{disk} is called erased')
        expect(holds(disk, b'\0'), f'{disk} holds zeros')
        record = answer[disk]['record']
        expect(
            json.loads(record['text'])['disk']['serial'] == answer[disk]['serial'],
            f'{disk} has a record of its own',
        )
        expect('SSH SIGNATURE' in record['signature'], 'it is signed')
    expect(holds(DISKS[2], b'\xa5'), 'the disk to be skipped is untouched')


def sent():
    """Records leave by diskwipe-send before the step ends; where they cannot, the step fails."""
    office = '/run/office'
    conf = '/etc/diskwipe/send.conf'
    os.makedirs(office, exist_ok=True)
    os.makedirs('/run/send', exist_ok=True)
    with open(conf, 'w', encoding='utf-8') as f:
        f.write('[send]\nledger = /run/ledger\nstate = /run/send\n')
        f.write(f'[target office]\ndirectory = {office}\n')
    done = run_step(node(), record='send')
    expect(done['command_status'] == 'SUCCEEDED', f'sent: {done["command_error"]}')
    there = subprocess.run(['diskwipe', 'records', 'verify', office], check=False)
    expect(there.returncode == 0, 'the office has records that are whole')
    names = [n for n in os.listdir(office) if n.startswith('record-') and n.endswith('.json')]
    expect(len(names) == len(DISKS), f'of all disks: {sorted(names)}')
    with open(conf, 'w', encoding='utf-8') as f:
        f.write('[send]\nledger = /run/ledger\nstate = /run/send\n')
        f.write('[target office]\nurl = https://127.0.0.1:9/\n')
    done = run_step(node(), record='send')
    expect(done['command_status'] == 'FAILED', 'a record that stays in the ramdisk fails the step')
    expect('not sent' in str(done['command_error']), 'which says why')


def refused():
    """One disk is mounted: nothing is erased, and nothing is shredded."""
    fill(DISKS[0], b'\x5a')
    subprocess.run(['mkfs.ext4', '-q', DISKS[1]], check=True)
    subprocess.run(['mount', DISKS[1], '/mnt'], check=True)
    done = run_step(node())
    print(done['command_error'])
    expect(done['command_status'] == 'FAILED', 'a disk in use fails the step')
    expect(type(done['command_error']).__name__ == 'BlockDeviceEraseError', 'by its own error')
    expect('mounted' in str(done['command_error']), 'which says why')
    subprocess.run(['umount', '/mnt'], check=True)
    expect(holds(DISKS[0], b'\x5a') and holds(DISKS[2], b'\xa5'), 'no disk was touched')
    expect(
        subprocess.run(['blkid', DISKS[1]], stdout=subprocess.DEVNULL, check=False).returncode == 0,
        'its file system is there',
    )


def unpurgeable():
    done = run_step(node(), level='purge')
    expect(done['command_status'] == 'FAILED', 'a purge that there is not fails the step')
    expect('purge' in str(done['command_error']), 'which says why')
    expect(holds(DISKS[0], b'\x5a') and holds(DISKS[2], b'\xa5'), 'no disk was touched')


def main():
    log.register_options(config.cfg.CONF)
    config.populate_config()
    config.cfg.CONF.set_override('disk_wait_attempts', 0)  # for a root disk of 4 GiB
    names = [m['name'] for m in hardware.get_managers_detail()]
    expect(names[0] == 'DiskwipeHardwareManager' and len(names) > 1, f'managers: {names}')
    os.makedirs('/etc/diskwipe', exist_ok=True)
    subprocess.run(['diskwipe', 'records', 'key', KEY, '--operator=ironic'], check=True)
    deadline = time.monotonic() + 180
    while not all(os.path.exists(d) for d in DISKS) and time.monotonic() < deadline:
        time.sleep(0.1)
    for disk in DISKS:
        fill(disk, b'\xa5')
    third = next(
        d for d in hardware.dispatch_to_managers('list_block_devices') if d.name == DISKS[2]
    )
    expect(bool(third.wwn or third.serial), 'the third disk has a name')
    erased({'wwn': third.wwn} if third.wwn else {'serial': third.serial})
    refused()
    unpurgeable()
    sent()
    print('ENDED WELL')


main()
