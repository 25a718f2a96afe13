# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays in the guest, by ansible-playbook, diskwipe and disks of Linux's SCSI stack: all disks, of
which one fails; the rerun of that one; nothing to do. Then what was written since, a disk in use,
a ledger that was changed. Run as root by tests/kernel/guest; see guest-erase."""

import importlib
import json
import os
import re
import subprocess
import sys

KEY, SIGNERS = '/etc/diskwipe/record.key', '/run/signers'
LEDGER = '/run/office/records'


def expect(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')
    print(f'ok: {what}', flush=True)


def enclosure(*words):
    subprocess.run([os.environ['ENCLOSURE_CALL'], os.environ['ENCLOSURE_DIR'], *words], check=True)


def holds(disk, byte):
    with open(disk, 'rb', buffering=0) as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        size = f.seek(0, os.SEEK_END)
        f.seek(0)
        data = f.read(size)
    return size > 0 and data == byte * size


def play(*tasks):
    """Runs tasks: their results, and what the recap counts."""
    made = []
    for n, (module, args, *keys) in enumerate(tasks):
        made.append({module: args, 'register': f'r{n}', 'ignore_errors': True})
        for more in keys:
            made[-1].update(more)
    names = ', '.join(f'r{n}' for n in range(len(tasks)))
    made.append({
        'ansible.builtin.copy': {'content': '{{ [' + names + '] | to_json }}', 'dest': '/run/r'},
        'changed_when': False,
    })  # fmt: skip
    made.append({
        'ansible.builtin.assert': {'that': [f'r{n} is not failed' for n in range(len(tasks))]},
    })  # fmt: skip
    book = [{'hosts': 'localhost', 'connection': 'local', 'gather_facts': False, 'tasks': made}]
    with open('/run/play.yml', 'w', encoding='utf-8') as f:
        json.dump(book, f)
    ended = subprocess.run(
        ['ansible-playbook', '-i', 'localhost,', '/run/play.yml', '-e',
         f'ansible_python_interpreter={sys.executable}'],
        capture_output=True, text=True, check=False)  # fmt: skip
    counts = dict(re.findall(r'(\w+)=(\d+)', ended.stdout.split('PLAY RECAP')[-1]))
    if 'changed' not in counts or not os.path.exists('/run/r'):
        sys.exit(ended.stdout + ended.stderr)
    with open('/run/r', encoding='utf-8') as f:
        results = json.load(f)
    os.remove('/run/r')
    expect((ended.returncode == 0) is not any(r['failed'] for r in results), 'exit status')
    return results, counts


def states(result):
    return [d['state'] for d in result['disks']]


def thrice(erase, told):
    """What the issue asks for: a partial failure, the rerun of the failed disk, and nothing."""
    nodes = [d['paths'][1] for d in told]
    enclosure('fault', 'kind=medium', 'disk=1', 'lba=777')
    (info, check, first), _ = play(
        ('diskwipe.diskwipe.info', {}),
        (*erase, {'check_mode': True, 'diff': True}),
        erase,
    )
    expect([d['serial'] for d in info['disks']] == [d['serial'] for d in told], 'info')
    expect(states(check) == ['to-be-erased'] * 2 and check['changed'], 'check mode plans')
    print(first['msg'])
    expect(first['failed'] and first['changed'], 'a disk that fails fails the task')
    expect(states(first) == ['erased', 'failed'], f'each disk is told: {states(first)}')
    expect(holds(nodes[0], b'\0'), 'the other one is erased')
    record = json.loads(first['disks'][0]['record']['text'])
    whose = [record[key] for key in ('asset', 'customer', 'order', 'operator')]
    expect(whose == ['A-1', 'ACME', '4711', 'anna'], 'its record says whose it is')

    enclosure('clear', '1')
    (again,), counts = play(erase)
    expect(states(again) == ['already-erased', 'erased'], 'the rerun erases that disk alone')
    expect(again['disks'][0]['record'] == first['disks'][0]['record'], 'by the same record')
    expect(counts['changed'] == '1' and holds(nodes[1], b'\0'), 'it is erased')

    proof = {'path': LEDGER, 'signers': SIGNERS, 'disks': [{'wwn': told[0]['wwn']}]}
    (third, proven), counts = play(erase, ('diskwipe.diskwipe.verify_record', proof))
    expect(states(third) == ['already-erased'] * 2, 'the third has nothing to do')
    expect(counts['changed'] == '0' and counts['failed'] == '0', 'changed=0')
    expect(proven['disks'][0]['proven'] and proven['count'] == 3, 'and the records prove it')
    expect(holds(nodes[2], b'\xa5'), 'the disk that nobody named is untouched')


def since(erase, told):
    """What was done since the record, to a disk and to the ledger. By what the module calls, as
    each play takes its time here."""
    sys.path.insert(0, os.environ['ANSIBLE_COLLECTIONS_PATH'])
    base = 'ansible_collections.diskwipe.diskwipe.plugins.module_utils'
    erasure = importlib.import_module(base + '.erasure')
    program = importlib.import_module(base + '.program')
    nodes = [d['paths'][1] for d in told]
    usual = {'level': 'clear', 'or_clear': False, 'allow_ata_security': False, 'reread': True,
             'force': False, 'record_key': KEY, 'timeout': 60}  # fmt: skip

    def refused(words, **change):
        try:
            made = erasure.Erasure({**usual, **erase[1], **change}, '/run')
            made.planned(made.look())
        except program.Untrusted as e:
            print(e)
            return words in str(e)
        return False

    subprocess.run(
        f'printf x | dd of={nodes[0]} bs=1 seek=5000000 conv=notrunc,fsync && mkfs.ext4 -q'
        f' {nodes[2]} && mount {nodes[2]} /mnt', shell=True, check=True)  # fmt: skip
    made = erasure.Erasure({**usual, **erase[1]}, '/run')
    expect([f.device for f in made.look()] == [told[0]['device']], 'a byte was written since')
    print(made.rows[made.found[0].disk]['reason'])
    other = [{'serial': told[2]['serial']}]
    expect(refused('mounted', disks=other, expect_count=1), 'a disk in use is refused')
    subprocess.run(f'sed -i s/ACME/ACMF/ {LEDGER}/record-00000001.json', shell=True, check=True)
    expect(refused('not whole'), 'a changed record fails')
    expect(holds(nodes[1], b'\0') and not holds(nodes[0], b'\0'), 'and nothing is erased')


def main():
    subprocess.run(['udevadm', 'settle'], check=True)
    os.makedirs('/etc/diskwipe', exist_ok=True)
    with open(SIGNERS, 'w', encoding='utf-8') as f:
        subprocess.run(['diskwipe', 'records', 'key', KEY], check=True, stdout=f)
    listed = subprocess.run(['diskwipe', 'list', '--json'], check=True, capture_output=True)
    told = json.loads(listed.stdout)['disks']
    expect(len(told) == 3, 'three disks')
    named = [{'serial': told[0]['serial'], 'asset': 'A-1'}, {'wwn': told[1]['wwn'].upper()}]
    erase = ('diskwipe.diskwipe.erase', {
        'disks': named, 'expect_count': 2, 'records': LEDGER, 'verify': 'full',
        'customer': 'ACME', 'order': '4711', 'operator': 'anna',
    })  # fmt: skip
    thrice(erase, told)
    since(erase, told)
    print('ENDED WELL')


if __name__ == '__main__':
    main()
