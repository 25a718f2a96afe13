#!/usr/bin/python
# SPDX-License-Identifier: GPL-2.0-or-later
# Ansible modules are under the GNU General Public License v3.0+, which that allows:
# https://www.gnu.org/licenses/gpl-3.0.txt

DOCUMENTATION = r"""
---
module: info
short_description: What disks a machine has, and what they can do, by diskwipe
version_added: 0.1.0
description:
  - Gives what C(diskwipe list --json) says, and with O(inspect) C(diskwipe inspect --json); both
    are in diskwipe-json(5). Nothing is written.
requirements:
  - diskwipe
author:
  - The diskwipe developers (@diskwipe)
options:
  disks:
    description: Only these; a name that is of no disk, or of several, fails. All by default.
    type: list
    elements: dict
    suboptions:
      serial:
        description: Serial number, just as C(diskwipe list) shows it.
        type: str
      wwn:
        description: WWN; prefix and case do not matter. With O(disks[].serial) both have to fit.
        type: str
  inspect:
    description: Ask the disks for what they can do.
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    description: Nothing is changed.
  diff_mode:
    support: none
    description: Nothing is changed.
"""

EXAMPLES = r"""
- name: What is here
  diskwipe.diskwipe.info:
  register: here

- name: Serial numbers of what may be erased
  ansible.builtin.debug:
    msg: "{{ here.disks | selectattr('erasable') | map(attribute='serial') }}"
"""

RETURN = r"""
disks:
  description: The disks, with the keys of diskwipe-json(5).
  returned: success
  type: list
  elements: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.diskwipe.diskwipe.plugins.module_utils import disks
from ansible_collections.diskwipe.diskwipe.plugins.module_utils.program import Untrusted

SPEC = {
    'disks': {
        'type': 'list',
        'elements': 'dict',
        'options': disks.NAMES,
        'required_one_of': [('serial', 'wwn')],
    },
    'inspect': {'type': 'bool', 'default': False},
}


def rows(params):
    """What is told of the disks that are meant."""
    wanted = params['disks']
    if wanted is None:
        found = disks.listed()
    else:
        disks.check(wanted, len(wanted))
        found = [f.row for f in disks.find(wanted)]
    if params['inspect'] and found:
        return disks.listed('inspect', tuple(row['device'] for row in found))
    return found


def main():
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    try:
        found = rows(module.params)
    except Untrusted as e:
        module.fail_json(msg=str(e)[:4000])
    module.exit_json(changed=False, disks=found)


if __name__ == '__main__':
    main()
