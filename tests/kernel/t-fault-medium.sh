#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-medium.conf
# needs: jq
# Blocks that cannot be written or read: rewritten, bisected, mended, and else named, each
# and no other.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

erase 3 --command=write --verify=full -- 0 1 2 3 4 5 6 7 8 9
assert_exceptions 0 '777 1 unwritable 3/0c/00'
assert_exceptions 1 '778 1 unwritable 3/0c/00'
assert_exceptions 2 '1001 1 unwritable 3/0c/00'
assert_disk 2 '.errors.split >= 5'
assert_exceptions 3 '1001 3 unwritable 3/0c/00' '1500 1 unwritable 3/0c/00'
assert_outcome 4 erased
assert_disk 4 '.errors.retried >= 4'
assert_exceptions 5 '800 8 unwritable 3/0c/00'
assert_exceptions 6 '800 8 unwritable 3/0c/00'
assert_exceptions 7 '0 1 unwritable 3/0c/00' '2047 1 unwritable 3/0c/00'
assert_disk 7 '.verify.mismatches == 0'
assert_outcome 8 erased
assert_exceptions 9 '1300 1 unreadable 3/11/00'
assert_leftovers 0 '777 1'
assert_leftovers 1 '778 1'
assert_leftovers 2 '1001 1'
assert_leftovers 3 '1001 3' '1500 1'
assert_leftovers 4
assert_leftovers 5 '805 3'
assert_leftovers 6 '805 3'
assert_leftovers 7 '0 1' '2047 1'
assert_leftovers 8
assert_leftovers 9

# the same within WRITE SAME, and a WRITE SAME that is refused after the first
erase 3 --command=write-same --controller=fixed:256 --verify=full -- 10 11 12 13
assert_exceptions 10 '900 1 unwritable 3/0c/00'
assert_exceptions 11 '900 1 unwritable 3/0c/00'
assert_outcome 12 erased
assert_outcome 13 erased
assert_disk 13 '.command == "write-same+write"'
assert_leftovers 10 '900 1'
assert_leftovers 11 '900 1'
assert_leftovers 12
assert_leftovers 13

# of a sample, every block that saw an error is read; what is known to be bad says nothing
# about the others
enc plant 7 0 2048 0x5a
erase 4 --command=write --verify=sample:10% -- 7
assert_exceptions 7 '0 1 unwritable 3/0c/00' '2047 1 unwritable 3/0c/00'
