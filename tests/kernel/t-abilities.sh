#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/abilities.conf
# needs: jq
# A command that a disk lacks is found out before the first write, by sending it; done without
# where that can be; else this disk alone is left out, and the others are erased.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

says() { # TARGET KEY VALUE SOURCE
	dw inspect "${node[$1]}" | grep -qE "^$2 +$3 +$4\$" || fail "inspect $1: not $2 $3 ($4)"
}
says 0 synchronize-cache-10 yes probe
says 0 synchronize-cache-16 no probe
says 1 synchronize-cache-10 no probe
says 2 write-cache on 'MODE SENSE 08h'

nodes=()
for d in {0..12}; do nodes+=("${node[$d]}"); done
expect 3 dw --yes --expect-count=11 --json --command=write --verify=full \
	--controller=fixed:512 "${nodes[@]}"
assert_disks <<'TEXT'
0 erased and (.flush_refused | not) and (.write_cache_switched | not)
1 erased and (.flush_refused | not)
2 erased and .write_cache_switched and (.notes | any(test("with the write cache off")))
3 erased and .flush_refused
5 failed("^written, but nothing proves that it left the cache: ")
6 erased
11 erased and .write_cache_switched and .flush_refused
7 erased
9 failed("7/27/00")
10 failed("^write at LBA [0-9]+: 5/20/00")
TEXT
left_out() { # TARGET REGEX
	assert_json "$T/out" '.refused[] | select(.device == $d) | .reason | test($r)' --arg d "${node[$1]}" --arg r "$2"
}
assert_json "$T/out" '(.refused | length) == 3'
left_out 4 '^it does not do SYNCHRONIZE CACHE, and did not switch its write cache off'
left_out 8 '^it does not know READ\(16\) and WRITE\(16\), and \(10\) ends at 2\^32 blocks$'
left_out 12 '^it does not know READ\(16\) and WRITE\(16\), and'
assert_leftovers 0 1 2 3 6 7 11 </dev/null
says 2 write-cache on 'MODE SENSE 08h' # as it was

# its 10 bytes go as far as 2^32 blocks
expect 0 dw --yes --expect-count=1 --json --command=write-same "${node[0]}" "${node[9]}"
left_out 9 '^WRITE SAME\(10\), all that the disk has, ends at 2\^32 blocks; choose the command write, or auto$'
assert_json "$T/out" '.disks | length == 1 and .[0].outcome == "erased"'
