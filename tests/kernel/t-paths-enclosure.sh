#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/paths.conf
# needs: jq sg_dd
# Two ports of one disk are proven and used; two disks of one name are refused and unchanged,
# before the job and while it runs; so is a disk that takes the place of one in between.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/paths.sh"

port_node() { # TARGET
	local d address
	for d in /sys/class/scsi_generic/*; do
		address=$(basename "$(realpath "$d/device")")
		if [[ $address == *:*:$1:0 ]]; then echo "/dev/${d##*/}"; fi
	done
}
image_sum() { sha256sum <"$ENCLOSURE_DIR/disk-0$1.img"; }

a=$(port_node 0) b=$(port_node 1) c=$(port_node 2) d=$(port_node 3)
sum2=$(image_sum 2) sum3=$(image_sum 3) sum4=$(image_sum 4)
[[ $sum2 != "$sum3" ]] || fail 'the clones hold the same'

# clones: presumed one until the marker is not seen; then both are out, and as they were
expect 0 dw list --json "$c"
assert_json "$T/out" '.disks[0].presumed_paths == [$d]' --arg d "$d"
for node in "$c" "$d"; do
	expect 2 dw --yes --json "$node"
	assert_json "$T/out" '[.refused[].device] | sort == [$c, $d]' --arg c "$c" --arg d "$d"
	assert_json "$T/out" 'all(.refused[]; .kind == "not-unique")'
	assert_match "is not seen through .*; the test block was put back" "$T/err"
done
assert_eq "$sum2" "$(image_sum 2)" 'first clone'
assert_eq "$sum3" "$(image_sum 3)" 'second clone'

# the proof is as patient as the job, and what is refused has changed nothing
sum0=$(image_sum 0)
refuse() { enc fault kind=check "disk=$1" op=write sense=7/27/00; }
refuse 1
expect 2 dw --yes "$a"
assert_match "paths not proven: $b does not carry out the test: write protected; the test block was put back" "$T/err"
enc clear-all
refuse 0
expect 2 dw --yes "$a"
assert_match "paths not proven: $a does not carry out the test: write protected; nothing was written" "$T/err"
enc clear-all
assert_eq "$sum0" "$(image_sum 0)" 'the disk'
enc fault kind=abort disk=0 op=0x8a count=2
enc fault kind=busy disk=1 op=0x88 count=2
for port in 0 1; do enc fault kind=check disk=$port op=0x8a nth=3 count=100000 sense=5/20/00; done
enc set 0 rate=0
expect 0 dw --yes --json --command=write --controller=fixed:1024 --verify=off "$a"
enc set 0 rate=60M
assert_match 'WRITE\(16\) refused: using commands of 10 bytes' "$T/err"
enc clear-all

# after the first marker has been seen over a path, that has another disk, which says so
sum0=$(image_sum 0) sum5=$(image_sum 5)
enc fault kind=swap disk=1 with=5 op=0x88 lba=4916-44236 nth=1
expect 2 dw --yes "$a"
assert_match "another disk answers now at $b; the test block was put back" "$T/err"
assert_eq "$sum0" "$(image_sum 0)" 'the disk'
assert_eq "$sum5" "$(image_sum 5)" 'the disk in its place'
enc swap 1 5
enc clear-all

# what was counted at the question and then taken out is in the result and the exit status
expect 3 dw --yes --expect-count=2 --json --progress=plain "$c" "$(port_node 5)"
assert_json "$T/out" '[.disks[].outcome] == ["failed", "erased"] and
	(.disks[0].reason | test("not seen through")) and .disks[0].bytes_written == 0'
assert_match 'sg[0-9]+: failed: .*not seen through' "$T/err"
assert_eq "$sum2 $sum3" "$(image_sum 2) $(image_sum 3)" 'clones beside an erased disk'

# one path is pulled; what comes back has the name and is another disk
enc set 0 rate=1M
start_erase --paths=dynamic --command=write --controller=fixed:64 --pattern=55,aa --verify=full -- "$a"
enc gone 1
job_says "path $b: failed"
enc back 4
job_says 'leads to another disk; not used any more'
enc set 0 rate=0
end_erase 0
assert_result 1 '[.path_use[].state] == ["up", "foreign"] and .path_mode == "dynamic"'
check_trace 49152 2
assert_eq "$sum4" "$(image_sum 4)" 'the clone that came'
assert_erased aa "$(sd_of "$a")"
enc gone 4

# with several commands at once: the path itself comes back, then the other one goes
enc back 1
wait_for 60 eval '[[ -n $(port_node 1) ]]'
settle
enc set 0 rate=1M
start_erase --paths=dynamic --command=write --controller=fixed:64 --depth=4 --pattern=00,55,00 -- "$a"
enc gone 1
job_says 'failed; going on'
enc back 1
job_says 'in use again'
enc gone 0
job_says "path $a: failed"
enc set 1 rate=0
end_erase 0
assert_result 1 '[.path_use[].state] == ["down", "up"] and .path_use[1].returns == 1'
assert_eq 0000000000000000 "$(head -c 8 "$ENCLOSURE_DIR/disk-00.img" | od -An -tx1 | tr -d ' ')"
