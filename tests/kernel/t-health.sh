#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure health.conf
# needs: jq
# timeout: 120
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
enc fault kind=slow disk=0 op=write ms=200
start erase --yes --expect-count=1 --method=zero --controller=fixed:2048 --json "$(node 0)"
asked=0
while kill -0 "$job" 2>/dev/null; do
	tool health /dev/sg0 >"$T/h" && assert_json "$T/h" '.temperature == 38' && asked=$((asked + 1))
done
wait "$job" || { cat "$T/err" >&2; fail "the job ended with $?"; }
((asked > 2)) || fail "asked $asked times"
enc 'clear 0'
assert_no_match 'rewind|again' "$T/err"
assert_holds_only "$(node 0)"

# motors
expect 0 tool spin "$(node 3)" down
expect 2 sg_turs /dev/sg3
expect 0 tool health /dev/sg3
expect 0 tool spin /dev/sg3 up
expect 0 sg_turs /dev/sg3
mkfs.ext2 -q "$(node 3)"
mkdir "$T/m"
mount "$(node 3)" "$T/m"
expect 1 tool spin "$(node 3)" down
assert_match EBUSY "$T/err"
umount "$T/m"
exec 9<"$(node 3)" # open is not claimed
expect 0 tool spin "$(node 3)" down
expect 0 tool spin "$(node 3)" up
