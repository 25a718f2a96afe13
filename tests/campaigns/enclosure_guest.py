# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs of campaigns in a guest share: the enclosure's control, and which node is whose."""
import glob
import itertools
import os
import time

CTL = os.environ['ENCLOSURE_DIR'] + '/ctl'
numbers = itertools.count()
errors = []


def enclosure(words):
    """A command to the enclosure, and its answer."""
    name = f'{CTL}/a{next(numbers)}'
    with open(f'{name}.tmp', 'w') as f:
        f.write(words + '\n')
        f.flush()
        os.fsync(f.fileno())
    os.rename(f'{name}.tmp', name)
    for _ in range(24000):
        if os.path.exists(f'{name}.out'):
            break
        time.sleep(0.005)
    with open(f'{name}.out') as f:
        answer = f.read()
    os.unlink(f'{name}.out')
    if answer.startswith('error'):
        errors.append(f'{words}: {answer}')
    return answer


def find_nodes():
    sg, sd = {}, {}
    for path in glob.glob('/sys/class/scsi_generic/*'):
        try:
            device = os.path.realpath(f'{path}/device')
        except OSError:  # a link that goes away while it is followed
            continue
        place = os.path.basename(device).split(':')
        if len(place) != 4:
            continue  # pulled meanwhile
        target = int(place[2])
        sg[target] = '/dev/' + os.path.basename(path)
        for block in glob.glob(f'{device}/block/*'):
            sd[target] = '/dev/' + os.path.basename(block)
    return sg, sd
