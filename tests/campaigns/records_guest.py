# SPDX-License-Identifier: GPL-2.0-or-later
"""What `records` does in the guest: "records_guest.py FOLDER first" until it is cut off, or
"last". What it knows to be on record is on its standard output, a line each."""
import glob
import json
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'kernel'))
WRITING = 0.1  # seconds: shorter naps begin with the first file
MOUNTED, KEY = '/run/state', '/run/state/key'
LEDGER, SIGNERS = f'{MOUNTED}/ledger', f'{MOUNTED}/signers'
TOOL = os.environ['DISKWIPE']


def say(kind, **what):
    print(json.dumps({'kind': kind, **what}), flush=True)


def nodes():
    """The node of the state disk, and the sg nodes of the others."""
    state, others = None, []
    for page in sorted(glob.glob('/sys/class/block/*/device/vpd_pg80')):
        with open(page, 'rb') as f:
            serial = f.read()
        name = page.split('/')[4]
        if b'STATE' in serial:
            state = f'/dev/{name}'
        elif b'WORK' in serial:
            others += [f'/dev/{n}' for n in os.listdir(
                f'/sys/class/block/{name}/device/scsi_generic')]
    return state, others


def erase(disks):
    # pylint: disable=consider-using-with
    return subprocess.Popen(
        [TOOL, 'erase', '--yes', f'--expect-count={len(disks)}', f'--record={LEDGER}',
         f'--record-key={KEY}', '--verify=off', '--progress=none', *disks],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def look():
    """The number of records of a ledger that has to be whole, none twice."""
    r = subprocess.run([TOOL, 'records', 'verify', f'--signers={SIGNERS}', LEDGER],
                       capture_output=True, text=True, check=False)
    m = re.search(r': (\d+) records?, .* whole$', r.stdout, re.M)
    names = sorted(glob.glob(f'{LEDGER}/record-*.json'))
    ids = []
    for name in names:
        with open(name, encoding='utf-8') as f:
            text = f.read()
        try:
            ids.append(json.loads(text)['id'])
        except ValueError:
            say('wrong', what=f'{name} is half: {text[:80]!r}')
            return 0
    if r.returncode or not m or len(set(ids)) != len(ids) or int(m[1]) != len(ids):
        say('wrong', what=f'{r.returncode} {r.stdout} {r.stderr} {len(ids)} {len(set(ids))}')
        return 0
    with open(names[-1], 'rb') as f:
        if subprocess.run(['ssh-keygen', '-Y', 'verify', '-f', SIGNERS, '-I', 'station@here',
                           '-n', 'diskwipe-record', '-s', f'{names[-1]}.sig'], stdin=f,
                          stdout=subprocess.DEVNULL, check=False).returncode:
            say('wrong', what=f'ssh-keygen does not believe {names[-1]}')
    return len(ids)


def whole_run(disks):
    p = erase(disks)
    said = p.communicate()[1]
    if p.returncode:
        say('wrong', what=f'erase ended with {p.returncode}: {said}')


def heads():
    return max((int(n[-13:-5]) for n in glob.glob(f'{LEDGER}/head-*.json')
                if os.path.exists(f'{n}.sig')), default=0)


def until_cut(disks):
    """Erase for ever; what has a head with a signature is durable, and told."""
    had = heads()
    while True:
        p = erase(disks)
        while p.poll() is None:
            if heads() > had:
                had = heads()
                say('record', last=had)
                say('ready')
            time.sleep(0.002)
        if p.returncode:
            say('wrong', what=f'erase ended with {p.returncode}: {p.stderr.read()}')
            return


def first(folder, disks):
    with open(SIGNERS, 'wb') as f:
        subprocess.run([TOOL, 'records', 'key', KEY, '--operator=station@here'], stdout=f,
                       check=True)
    os.sync()
    with open(f'{folder}/plan.json', encoding='utf-8') as f:
        plan = json.load(f)
    had = 0
    for nap in plan['kills']:
        files = len(os.listdir(LEDGER)) if os.path.isdir(LEDGER) else 0
        p = erase(disks)
        while (p.poll() is None and nap < WRITING and
               (not os.path.isdir(LEDGER) or len(os.listdir(LEDGER)) <= files + 1)):
            time.sleep(0.001)  # until a record is being written
        time.sleep(nap)
        told = heads()
        p.kill()
        p.communicate()
        say('kill')
        whole_run(disks[:1])
        found = look()
        if found < max(told, had) + 1:
            say('wrong', what=f'{told} records were there before the kill, {found} after it')
        had = found
        say('record', last=found)
    until_cut(disks)


def main():
    folder, when = sys.argv[1:]
    state, disks = nodes()
    os.mkdir(MOUNTED)
    if subprocess.run(['mount', '-t', 'ext4', state, MOUNTED], check=False).returncode:
        say('unmountable')
        return
    if when == 'first':
        first(folder, disks)
        return
    whole_run(disks[:1])
    say('end', found=look())
    subprocess.run(['umount', MOUNTED], check=True)


if __name__ == '__main__':
    main()
