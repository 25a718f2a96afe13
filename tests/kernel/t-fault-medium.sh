#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-medium.conf
# needs: jq
# Blocks that cannot be written or read: rewritten, bisected, repaired, and else named, each
# and no other.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

erase 3 --command=write --verify=full -- 0 1 2 3 4 5 6 7 8 9
assert_disks <<'TEXT'
0 exceptions_are("777 1 unwritable 3/0c/00")
1 exceptions_are("778 1 unwritable 3/0c/00")
2 exceptions_are("1001 1 unwritable 3/0c/00") and .errors.split >= 5
3 exceptions_are("1001 3 unwritable 3/0c/00", "1500 1 unwritable 3/0c/00")
4 erased and .errors.retried >= 4
5 exceptions_are("800 8 unwritable 3/0c/00")
6 exceptions_are("800 8 unwritable 3/0c/00")
7 exceptions_are("0 1 unwritable 3/0c/00", "2047 1 unwritable 3/0c/00")
7 .verify.mismatches == 0
8 erased and .bytes_written == .capacity_bytes + 1024
9 exceptions_are("1300 1 unreadable 3/11/00") and .bytes_verified == .capacity_bytes - 512
TEXT
assert_leftovers 0 1 2 3 4 5 6 7 8 9 <<'TEXT'
0 777 1
1 778 1
2 1001 1
3 1001 3
3 1500 1
5 805 3
6 805 3
7 0 1
7 2047 1
TEXT

# the same within WRITE SAME, and a WRITE SAME that is refused after the first
erase 3 --command=write-same --controller=fixed:256 --verify=full -- 10 11 12 13
assert_disks <<'TEXT'
10 exceptions_are("900 1 unwritable 3/0c/00") and .command == "write-same"
11 exceptions_are("900 1 unwritable 3/0c/00")
12 erased
13 erased and .command == "write-same+write"
TEXT
assert_leftovers 10 11 12 13 <<'TEXT'
10 900 1
11 900 1
TEXT

# of a sample, every block that saw an error is read; what is known to be bad says nothing
# about the others
enc plant 7 0 2048 0x5a
erase 4 --command=write --verify=sample:10% -- 7
assert_disks <<'TEXT'
7 exceptions_are("0 1 unwritable 3/0c/00", "2047 1 unwritable 3/0c/00")
TEXT
