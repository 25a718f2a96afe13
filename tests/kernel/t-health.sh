#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure health.conf
# needs: jq
# What disks tell of their health, that asking does no harm to a job, and their motors.
. "$(dirname "$0")/lib.sh"

tool() { "${DW_HEALTH_TOOL:?run by run-test}" "$@"; }
node() { sd_of "/dev/sg$1"; }
told() { # N FILTER [thorough]
	tool health "/dev/sg$1" ${3:+"$3"} | jq -r "$2 | @text" | xargs
}
errors() { printf '%d' "$(cat "/sys/class/scsi_generic/sg$1/device/ioerr_cnt")"; }

# a SAS disk, by its log pages
assert_eq 'good 38 60 20000 -1 0 0 false' \
	"$(told 0 '.text, .temperature, .limit, .hours, .grown, .read_errors, .write_errors, .refused')"
assert_eq 3 "$(told 0 .grown thorough)"
assert_eq 7 "$(told 3 .grown thorough)" 'defects by READ DEFECT DATA(10)'
enc 'set 0 temp=61 health=failing'
assert_match 'failing: .*impending failure.* \(5D/10\)' <(told 0 .text)
assert_eq 61 "$(told 0 .temperature)"
enc 'set 0 temp=38 health=good'

# an ATA disk behind a translation, by SMART
assert_eq 'good 41 300 2' "$(told 1 '.text, .temperature, .hours, .grown')"
assert_eq good "$(told 1 .text thorough)"
enc 'set 1 health=failing'
assert_eq 'failing: SMART attribute 5 is at its threshold' "$(told 1 .text)"
assert_match '^failing' <(told 1 .text thorough)
enc 'set 1 health=good'

# one that tells nothing
assert_eq ' -274 -1 true' "$(tool health /dev/sg2 | jq -r '"\(.text) \(.temperature) \(.hours) \(.refused)"')"
expect 1 tool health /dev/null
assert_match ENOTBLK "$T/err"

# no question that is asked while a disk is erased adds to the errors that the kernel counts
for n in 0 1; do
	before=$(errors $n)
	tool health "/dev/sg$n" >/dev/null
	assert_eq "$before" "$(errors $n)" "errors of disk $n"
done

# so a job does not mind, and is not disturbed
enc fault kind=hold disk=0 op=write min=2 nth=3
start erase --yes --expect-count=1 --method=zero --command=write --controller=fixed:2048 --json "$(node 0)"
await_held 0
for _ in 1 2 3; do
	tool health /dev/sg0 >"$T/h"
	assert_json "$T/h" '.temperature == 38'
done
enc 'clear 0'
wait "$job" || { cat "$T/err" >&2; fail "the job ended with $?"; }
assert_no_match 'rewind|again' "$T/err"
assert_holds_only "$(node 0)"

# motors
expect 0 tool spin "$(node 3)" down
expect 2 sg_raw /dev/sg3 0 0 0 0 0 0
expect 0 tool health /dev/sg3
expect 0 tool spin /dev/sg3 up
expect 0 sg_raw /dev/sg3 0 0 0 0 0 0
mkfs.ext2 -q "$(node 3)"
mkdir "$T/m"
mount "$(node 3)" "$T/m"
expect 1 tool spin "$(node 3)" down
assert_match EBUSY "$T/err"
umount "$T/m"
exec 9<"$(node 3)" # open is not claimed
expect 0 tool spin "$(node 3)" down
expect 0 tool spin "$(node 3)" up
exec 9<&-

# a result has what a disk told before and after; what it does not tell is null, and changes nothing
told_all() { # N before|after
	jq -r ".disks[$1].health_$2 | [.state, .text, .temperature, .temperature_limit, .power_on_hours,
		.grown_defects, .read_errors, .write_errors] | @text" "$T/out"
}
for n in 0 3; do enc fault kind=hold disk=$n op=write min=2 nth=3; done
start erase --yes --expect-count=4 --method=zero --command=write --controller=fixed:2048 --json \
	"$(node 0)" "$(node 1)" "$(node 2)" "$(node 3)"
await_held 0 3
enc 'set 0 grown=9 temp=45 hours=20001'
enc 'set 3 health=failing'
for n in 0 3; do enc "clear $n"; done
wait "$job" || { cat "$T/err" >&2; fail "the job ended with $?"; }
assert_json "$T/out" 'all(.disks[]; .outcome == "erased")'
assert_eq '["good",null,38,60,20000,3,0,0]' "$(told_all 0 before)"
assert_eq '["good",null,45,60,20001,9,0,0]' "$(told_all 0 after)"
assert_eq '["good",null,41,null,300,2,null,null]' "$(told_all 1 before)"
assert_eq '["unknown",null,null,null,null,null,null,null]' "$(told_all 2 after)"
assert_match '"failing","[^"]*impending failure' <(told_all 3 after)
assert_json "$T/out" 'any(.disks[0].notes[]; test("^6 more blocks were replaced .*9, before 3"))
	and (.disks[1].notes | length) == 0
	and any(.disks[3].notes[]; test("do not use it again: .*impending failure"))'
enc 'set 3 health=good'

# one whose answer does not come is asked nothing more, before its work and after it; one that is
# verified is not asked
asked() { enc stats | jq '.disks[3].opcodes["4d"] // 0'; }
before=$(asked)
enc fault kind=stall disk=3 op=0x4d seconds=0.2
expect 0 dw erase --yes --method=zero --json "$(node 3)"
(($(asked) - before <= 4)) || fail "$(($(asked) - before)) questions"
assert_json "$T/out" '.disks[0] | .outcome == "erased" and .health_before.state == "unknown"'
enc 'clear 3'
expect 0 dw verify --pattern=00 --json "$(node 0)"
assert_json "$T/out" '.disks[0] | has("health_before") or has("health_after") | not'
