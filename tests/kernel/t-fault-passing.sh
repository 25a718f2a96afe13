#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-passing.conf
# needs: jq
# Trouble that passes: repeated, waited for, started, rewound, and everything is erased.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes
disks=(0 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)

erase 0 --command=write --controller=fixed:64 --verify=full -- "${disks[@]}"
printf '%s erased and .verify.blocks == 2048\n' "${disks[@]}" | assert_disks
assert_leftovers "${disks[@]}" </dev/null
# after a reset everything since the last flush is written again, but where the cache is off
assert_disks <<'TEXT'
0 .errors.retried == 5
3 .errors.resets >= 1 and .bytes_written > .capacity_bytes
4 .errors.resets >= 1 and .bytes_written == .capacity_bytes
7 .errors.retried == 1 and .seconds >= 0.4
8 .errors.retried == 2 and .errors.resets == 1
9 .errors.retried == 2
10 .errors.retried == 1
11 .errors.retried >= 1 and .bytes_written > .capacity_bytes
12 .errors.resets == 0 and .bytes_written == .capacity_bytes
13 .bytes_written == 2 * .capacity_bytes
15 .errors.resets >= 1 and .bytes_written == 2 * .capacity_bytes
16 .errors.resets >= 1 and .bytes_written == .capacity_bytes
17 .flush_refused and (.notes | any(test("SYNCHRONIZE CACHE refused")))
18 .errors.retried == 1 and .bytes_verified == .capacity_bytes
19 .errors.retried == 0
20 .errors.retried == 2
21 .errors.retried == 1 and .bytes_written > .capacity_bytes
TEXT
# all of it has really happened; full queues and busy disks are the kernel's affair, which counts
# an error for each that may have been another program's: then more is written again (2)
enc stats >"$T/stats"
assert_json "$T/stats" 'all(.faults[]; .fired > 0 or .disk == 1 or .disk == 22)'
assert_json "$T/stats" '.disks[2].opcodes["8a"] >= 36 and .disks[3].cache_lost > 0 and
	.disks[4].cache_lost == 0 and .disks[5].opcodes["00"] >= 1 and
	.disks[6].opcodes["1b"] == 1'

# a cache that is on for the time of the job alone: the reset takes its data, and turns it off
erase 0 --command=write --controller=fixed:64 --write-cache=on --verify=off -- 22
assert_disks <<<'22 erased and .write_cache_switched and .bytes_written > .capacity_bytes'
assert_leftovers 22 </dev/null
enc stats >"$T/stats"
assert_json "$T/stats" '.disks[22].cache_lost > 0'

# a task set that is full beyond two, at a depth of four
erase 0 --command=write --controller=fixed:16 --depth=4 --verify=full -- 1
assert_disks <<<'1 erased'
assert_leftovers 1 </dev/null
enc stats >"$T/stats"
assert_json "$T/stats" 'all(.faults[]; .fired > 0) and .disks[1].peak_in_flight > 2'
