#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio
# needs: jq sg_dd
# One LUN exported twice is one disk with two paths. One dies in the middle, comes back under
# another node, and is used again once it has proven itself.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/paths.sh"

mb=32
lio_fileio f0 $((mb << 20))
lio_export fileio f0 1
lio_export fileio f0 2
lun=$lio_lun
mapfile -t sg < <(sg_nodes)
mapfile -t sd < <(sd_nodes)
assert_eq 2 ${#sg[@]} 'number of paths'
plant_random "${sd[0]}"
before=$(sha_of "${sd[0]}")

# both rows of the list say what is presumed, and a dry run that it is one disk
expect 0 dw list --json
assert_json "$T/out" '[.disks[] | select(.erasable) | .presumed_paths[0]] == [$b, $a]' \
	--arg a "${sg[0]}" --arg b "${sg[1]}"
expect 0 dw --dry-run "${sg[1]}"
assert_match "${sg[1]} is presumed one disk with ${sg[0]}" "$T/out"
assert_match 'would erase 1 disk' "$T/out"
# two nodes were named, so a script says how many disks they are
expect 2 dw --yes "${sg[@]}"
assert_match '2 devices were named, 1 is left' "$T/err"
assert_eq "$before" "$(sha_of "${sd[0]}")" 'content'
# a mount on one path keeps the other
expect 0 mkfs.ext2 -q "${sd[1]}"
mkdir -p "$T/mnt"
expect 0 mount "${sd[1]}" "$T/mnt"
expect 2 dw --yes "${sg[0]}"
assert_match "another path to it, ${sd[1]}: mounted at" "$T/err"
umount "$T/mnt"
plant_random "${sd[0]}"

# with all paths up, each takes its share; the program counts one disk
for mode in dynamic fixed; do
	expect 0 dw --yes --expect-count=1 --json --paths=$mode --command=write --controller=fixed:64 \
		--trace="$T/trace" "${sg[@]}"
	assert_result 1 ".path_mode == \"$mode\" and (.path_use | length) == 2 and (.paths | length) == 4"
	check_trace $((mb << 11)) 1
done
assert_eq 1 "$(wc -l <"$T/used")" 'paths used by fixed'
assert_erased 00 "${sd[0]}"

# one path goes in the middle of the first pass and comes back as another node
plant_random "${sd[0]}"
start_erase --paths=dynamic --command=write --controller=fixed:8 --pattern=55,aa,55,random \
	--verify=full --flush-every=1GiB -- "${sg[0]}"
kill -STOP "$job" # nothing here is slow enough to lie in wait for
lio_unexport f0 "$lun" 2
kill -CONT "$job"
job_says "path ${sg[1]}: failed; going on"
kill -STOP "$job"
lio_export fileio f0 2
kill -CONT "$job"
job_says 'in use again, proven by a marker'
end_erase 0
assert_result 1 '.path_use[1].returns == 1 and .path_use[1].failures >= 1 and .verify.mismatches == 0'
assert_json "$T/out" 'all(.disks[0].path_use[]; .state == "up" and .commands > 100)'
assert_json "$T/out" '.disks[0].path_use[1].device | IN($a, $b) | not' --arg a "${sg[0]}" --arg b "${sg[1]}"
check_trace $((mb << 11)) 4
assert_eq 2 "$(wc -l <"$T/used")" 'paths used'
