#!/usr/bin/python
# SPDX-License-Identifier: GPL-2.0-or-later
# Ansible modules are under the GNU General Public License v3.0+, which that allows:
# https://www.gnu.org/licenses/gpl-3.0.txt

DOCUMENTATION = r"""
---
module: verify_record
short_description: Check a folder of signed records, and what it proves of disks
version_added: 0.1.0
description:
  - Fails if a ledger is not whole, by C(diskwipe records verify), or does not prove that a disk is
    erased as asked. What was written to a disk after its record no ledger knows.
requirements:
  - diskwipe
author:
  - The diskwipe developers (@diskwipe)
options:
  path:
    description: Folder of records.
    type: path
    required: true
  signers:
    description:
      - List of who may have signed, as ssh-keygen(1) describes it. It has to come another way than
        the records.
    type: path
    required: true
  expect:
    description: A record that has to be there, as NUMBER:SHA256. Shows that none was taken away.
    type: str
  disks:
    description: Disks whose newest record has to say that they are erased.
    type: list
    elements: dict
    default: []
    suboptions:
      serial:
        description: Serial number.
        type: str
      wwn:
        description: WWN; prefix and case do not matter. With O(disks[].serial) both have to fit.
        type: str
  level:
    description: Least level of NIST SP 800-88 of these.
    type: str
    choices: [clear, purge]
    default: clear
  verify:
    description: What was read of these at least, as O(diskwipe.diskwipe.erase#module:verify).
    type: str
  since:
    description: They were not erased before. A day, which begins in UTC, or a time with its zone.
    type: str
attributes:
  check_mode:
    support: full
    description: Nothing is changed.
  diff_mode:
    support: none
    description: Nothing is changed.
"""

EXAMPLES = r"""
- name: A machine leaves the room when its disks are proven erased
  diskwipe.diskwipe.verify_record:
    path: /srv/records
    signers: /etc/diskwipe/signers
    disks:
      - serial: ZC1A2B3C
    level: purge
    since: '2026-11-01'
"""

RETURN = r"""
count:
  description: How many records there are.
  returned: when the ledger is whole
  type: int
head:
  description: The last of them, as O(expect) has it.
  returned: when the ledger is whole
  type: str
disks:
  description: Each with C(proven), C(reason), and C(record) as of M(diskwipe.diskwipe.erase).
  returned: when the ledger is whole
  type: list
  elements: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.diskwipe.diskwipe.plugins.module_utils import disks, ledger, proof
from ansible_collections.diskwipe.diskwipe.plugins.module_utils.judge import Asked
from ansible_collections.diskwipe.diskwipe.plugins.module_utils.program import Untrusted

SPEC = {
    'path': {'type': 'path', 'required': True},
    'signers': {'type': 'path', 'required': True},
    'expect': {'type': 'str'},
    'disks': {
        'type': 'list',
        'elements': 'dict',
        'default': [],
        'options': disks.NAMES,
        'required_one_of': [('serial', 'wwn')],
    },
    'level': {'type': 'str', 'choices': ['clear', 'purge'], 'default': 'clear'},
    'verify': {'type': 'str'},
    'since': {'type': 'str'},
}


def main():
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    p = module.params
    result = {'changed': False}
    try:
        disks.check(p['disks'], len(p['disks']))
        since = proof.moment(p['since']) if p['since'] else None
        verify = proof.verification(p['verify'])
        records = ledger.read(p['path'], p['signers'], p['expect'] or '')
        result['count'] = len(records)
        result['head'] = proof.head(records)
        asked = Asked('purge' if p['level'] == 'purge' else '', verify=verify)
        answers = [proof.of_name(records, one, asked, since) for one in p['disks']]
        result['disks'] = proof.once(answers)
    except Untrusted as e:
        module.fail_json(msg=str(e)[:4000], **result)
    except Exception as e:  # whatever it was, nothing is proven
        module.fail_json(msg=f'{type(e).__name__}: {e}'[:4000], **result)
    wrong = [f'{disks.spelt(row)}: {row["reason"]}' for row in result['disks'] if not row['proven']]
    if wrong:
        module.fail_json(msg='not proven erased: ' + '; '.join(wrong), **result)
    module.exit_json(**result)


if __name__ == '__main__':
    main()
