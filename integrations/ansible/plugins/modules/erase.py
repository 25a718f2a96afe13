#!/usr/bin/python
# SPDX-License-Identifier: GPL-2.0-or-later
# Ansible modules are under the GNU General Public License v3.0+, which that allows:
# https://www.gnu.org/licenses/gpl-3.0.txt

DOCUMENTATION = r"""
---
module: erase
short_description: Erase disks by diskwipe, and believe signed records only
version_added: 0.1.0
description:
  - Erases the disks that are named, all of them by one C(diskwipe erase --plan).
  - A disk is named by its serial number or WWN. Nodes of C(/dev) are not taken.
  - A disk is erased if exit status, job and its own line of the answer say so, with its identity,
    level and verification, and a record that is signed says the same. Whatever is not that, for one
    disk, fails the task, and RV(disks) say what each came to.
  - A disk is left alone if its newest record in the ledger, which has to be whole, proves it erased
    as asked, and a sample of it that is read now still holds what that left.
requirements:
  - diskwipe, and C(ssh-keygen) unless O(signers) is given
author:
  - The diskwipe developers (@diskwipe)
options:
  disks:
    description: The disks.
    type: list
    elements: dict
    required: true
    suboptions:
      serial:
        description: Serial number, just as C(diskwipe list) shows it.
        type: str
      wwn:
        description: WWN; prefix and case do not matter. With O(disks[].serial) both have to fit.
        type: str
      asset:
        description: Tag that the owner gave the disk, for its record.
        type: str
  expect_count:
    description: How many disks O(disks) has. Another number fails before a disk is looked at.
    type: int
    required: true
  level:
    description: Least level of NIST SP 800-88.
    type: str
    choices: [clear, purge]
    default: clear
  or_clear:
    description: With O(level=purge), clear disks that cannot be purged instead of failing.
    type: bool
    default: false
  method:
    description: Method of diskwipe(1), as V(zero). The usual one of the level by default.
    type: str
  verify:
    description:
      - V(off), V(full), V(device), V(auto) or V(sample:N%), as diskwipe(1) has them. As the method
        asks by default.
    type: str
  allow_ata_security:
    description: Whether ATA disks may be erased by SECURITY ERASE UNIT, which locks them meanwhile.
    type: bool
    default: false
  active:
    description: Disks at once behind each host adapter; all by default.
    type: int
    default: 0
  customer:
    description: Whose disks they are, for the records.
    type: str
  order_number:
    description: By which order of the customer, for the records.
    type: str
    aliases: [order]
  operator:
    description: Who erases, for the records. Who logged in by default.
    type: str
  label:
    description: Name of the job, for the records.
    type: str
  records:
    description: Folder of signed records. It is made if it is missing.
    type: path
    default: /var/lib/diskwipe/ansible/records
  record_key:
    description: Key that signs them, as C(diskwipe records key) or the role makes it.
    type: path
    default: /etc/diskwipe/record.key
  signers:
    description:
      - List of who may have signed, as ssh-keygen(1) describes it. By default the owner of
        O(record_key) alone. After a change of keys it has to have the old one as well.
    type: path
  since:
    description:
      - Records of disks that were erased before that are not counted. A day, which begins in UTC,
        or a time with its zone.
    type: str
  reread:
    description:
      - Whether a disk that the records prove erased is read again, a sample by which no more than
        one block of a thousand differs. What a disk leaves that erased itself, and random data,
        cannot be compared, so such a disk is erased again.
      - Without it the record alone counts, and O(since) is needed, as it says nothing of what was
        written later.
    type: bool
    default: true
  force:
    description: Erase all disks, whatever the records say.
    type: bool
    default: false
  timeout:
    description: Seconds after which the job is stopped and the task fails.
    type: int
    default: 604800
attributes:
  check_mode:
    support: full
    description: Looks, reads and plans; writes to no disk.
  diff_mode:
    support: full
    description: What each disk was known to be, and what it is or would be.
notes:
  - Erasing takes hours. Give the task C(async), more seconds than O(timeout), and C(poll).
  - If the connection is lost, or Ansible ends the module, the job goes on; until it ends a rerun
    fails because the disks are in use, and then it finds the records.
"""

EXAMPLES = r"""
- name: The disks of an order
  diskwipe.diskwipe.erase:
    disks:
      - serial: ZC1A2B3C
        asset: ACME-0001
      - wwn: '0x5000c500a1b2c3d4'
    expect_count: 2
    verify: full
    customer: ACME
    order_number: '4711'
  async: 700000
  poll: 60
"""

RETURN = r"""
disks:
  description: What came of each disk, in the order of their names; also if the task fails.
  returned: when the disks were found
  type: list
  elements: dict
  contains:
    serial:
      description: Serial number.
      type: str
    wwn:
      description: WWN.
      type: str
    capacity_bytes:
      description: Capacity.
      type: int
    model:
      description: Model.
      type: str
    state:
      description:
        - V(erased) now, V(already-erased), V(to-be-erased) in check mode or if nothing was begun,
          V(failed), or V(unknown).
      type: str
    reason:
      description: Why it is not erased, or is erased again.
      type: str
    method:
      description: Method by which it was erased.
      type: str
    level:
      description: Level that was reached.
      type: str
    verified:
      description: What was read.
      type: str
    record:
      description: Its signed record, byte for byte, as C(file), C(text), C(signature), C(sha256).
      type: dict
plan_sha256:
  description: SHA-256 of the plan; empty if nothing is to be erased.
  returned: when the disks were found
  type: str
"""

import shutil
import tempfile

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.diskwipe.diskwipe.plugins.module_utils.disks import NAMES
from ansible_collections.diskwipe.diskwipe.plugins.module_utils.erasure import TIMEOUT, Erasure
from ansible_collections.diskwipe.diskwipe.plugins.module_utils.program import Untrusted

SPEC = {
    'disks': {
        'type': 'list',
        'elements': 'dict',
        'required': True,
        'options': dict(NAMES, asset={'type': 'str'}),
        'required_one_of': [('serial', 'wwn')],
    },
    'expect_count': {'type': 'int', 'required': True},
    'level': {'type': 'str', 'choices': ['clear', 'purge'], 'default': 'clear'},
    'or_clear': {'type': 'bool', 'default': False},
    'method': {'type': 'str'},
    'verify': {'type': 'str'},
    'allow_ata_security': {'type': 'bool', 'default': False},
    'active': {'type': 'int', 'default': 0},
    'customer': {'type': 'str'},
    'order_number': {'type': 'str', 'aliases': ['order']},
    'operator': {'type': 'str'},
    'label': {'type': 'str'},
    'records': {'type': 'path', 'default': '/var/lib/diskwipe/ansible/records'},
    'record_key': {'type': 'path', 'default': '/etc/diskwipe/record.key', 'no_log': False},
    'signers': {'type': 'path'},
    'since': {'type': 'str'},
    'reread': {'type': 'bool', 'default': True},
    'force': {'type': 'bool', 'default': False},
    'timeout': {'type': 'int', 'default': TIMEOUT},
}


def words(rows, before):
    """A line for each disk, for the diff."""
    lines = []
    for row in rows:
        state = row['state']
        if before and state != 'already-erased':
            state = f'not known to be erased: {row["why"]}'
        elif state == 'to-be-erased':
            state = 'erased'
        lines.append(f'{row["serial"] or row["wwn"]}: {state}\n'.replace('already-', ''))
    return ''.join(lines)


def work(module, folder, result):
    """Does it; what is known at any moment is in `result`."""
    erasure = Erasure(module.params, folder)
    result['disks'] = list(erasure.rows.values())
    result['plan_sha256'] = ''
    todo = erasure.look()
    for warning in erasure.warnings:
        module.warn(warning)
    before = words([dict(row, why=row['reason']) for row in result['disks']], True)
    try:
        if todo:
            job = erasure.planned(todo)
            result['plan_sha256'] = erasure.plan
            if not module.check_mode:
                erasure.erase(job)
    finally:
        result['changed'] = erasure.begun or (module.check_mode and bool(todo))
        result['diff'] = {'before': before, 'after': words(result['disks'], False)}


def main():
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    result = {'changed': False}
    folder = tempfile.mkdtemp(prefix='diskwipe.', dir=module.tmpdir)
    try:
        work(module, folder, result)
    except Untrusted as e:
        module.fail_json(msg=str(e)[:4000], **result)
    except Exception as e:  # whatever it was, no disk is called erased for it
        module.fail_json(msg=f'{type(e).__name__}: {e}'[:4000], **result)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    module.exit_json(**result)


if __name__ == '__main__':
    main()
