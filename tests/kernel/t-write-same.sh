#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/write-same.conf
# needs: jq
# Disks that fail at WRITE SAME, hang at it, or say that it was done and do nothing, are erased by
# WRITE, whatever was asked for; each of them is tried once, before anything is lost by it. So is one
# that does nothing any more when its last pass has ended, from the first block on.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

tried() { enc stats | jq "[.faults[] | select(.disk == $1).fired] | add // 0"; }
for n in {0..8}; do enc plant "$n" 0 32768 0x5a; done >/dev/null
erase 0 --command=write-same --verify=full -- 0 1 2 3 4 5 6 7 8
assert_disks <<'TEXT'
0 erased and (.notes | any(test("WRITE SAME")) | not)
1 erased and (.notes | any(test("WRITE SAME failed")))
2 erased and (.notes | any(test("WRITE SAME failed")))
3 erased and (.notes | any(test("WRITE SAME failed")))
4 erased and (.notes | any(test("WRITE SAME failed")))
5 erased and (.notes | any(test("WRITE SAME failed")))
6 erased and (.notes | any(test("WRITE SAME failed")))
7 erased
8 erased and .command == "write-same+write" and .bytes_written >= 33554432
TEXT
assert_leftovers 0 1 2 3 4 5 6 7 8 </dev/null
for n in 1 2 3 4 5; do
	(($(tried $n) == 1)) || fail "disk $n: $(tried $n) commands WRITE SAME"
done
# those that were put where WRITE SAME had been, once
(($(tried 8) == 17)) || fail "disk 8: $(tried 8) commands WRITE SAME at the end"
(($(tried 7) <= 2)) || fail "disk 7: $(tried 7) commands WRITE SAME"
