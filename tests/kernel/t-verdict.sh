#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/verdict.conf
# needs: jq
# What must not pass for erased.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

# A short read with residual 0, through sg (520 bytes a block: no block sibling) and through sd:
# what the buffer held before is not what came.
erase 5 --command=write --controller=fixed:200 --verify=full -- 0 1
assert_disks <<TEXT
0 exceptions_are("3000 200 mismatch") and (.path | test("^sg"))
1 exceptions_are("3000 200 mismatch")
TEXT
