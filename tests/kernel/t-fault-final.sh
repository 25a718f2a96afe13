#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-final.conf
# needs: jq
# What a disk does not come back from: it ends with the reason, the others go on, and a
# disk that has come into its place is not written.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

erase 3 --command=write --controller=fixed:64 --verify=full --stall-budget=2s -- \
	0 1 2 3 4 5 6 7 8 9 10 11 12 13 18
assert_disks <<'TEXT'
0 failed("^capacity or block size changed")
1 failed("^capacity or block size changed")
2 failed("^capacity or block size changed")
3 failed("^capacity or block size changed")
4 failed("^identity changed")
5 failed("^identity changed")
6 failed("^identity changed")
7 .outcome == "removed"
8 .outcome == "removed"
9 failed("at LBA 256: reservation conflict")
10 failed("at LBA 256: 7/27/00")
11 failed("^SYNCHRONIZE CACHE refused")
12 failed("an earlier write failed")
13 failed("^stall budget used up: nothing was erased for 2 s; write at LBA")
18 erased
TEXT
# five commands came through, and not one after the change; of another capacity the kernel is
# told as well, and may take the attention before diskwipe sees it
printf '%s .bytes_written <= 5 * 32768\n' 4 5 7 8 9 10 | assert_disks
assert_leftovers 18 </dev/null
assert_untouched 15 5a
assert_untouched 16 5a
# the disks that were in the job stand where the others stood
enc stats >"$T/stats"
assert_json "$T/stats" '.disks[4].serial == "ENC01D0015" and .disks[4].medium_written == 0 and
	.disks[5].serial == "ENC01D0016" and .disks[5].medium_written == 0'

# a hardware error that comes again after a pause is that of its blocks, and passes
erase 0 --command=write --controller=fixed:64 --verify=full -- 14
assert_disks <<<'14 erased'
assert_leftovers 14 </dev/null

# put back, a disk is one like any other
enc back 7
settle
find_nodes
erase 0 --verify=full -- 7
assert_disks <<<'7 erased'
assert_leftovers 7 </dev/null
