#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/resume.conf
# needs: jq ssh-keygen
# timeout: 400
# shellcheck disable=SC2016,SC2154
# A job that was killed is resumed while disks of it are not there, and others had ended: each
# is in every result and in the state file, and has one record an attempt.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/resume.sh"

serial=()
for n in 0 1 2; do serial[n]=$(printf 'ENC01D%04d' $n); done

state_has() { # DISK OUTCOME
	jq -e --arg s "${serial[$1]}" --arg o "$2" \
		'any(.disks[]; .identity.serial == $s and .outcome == $o)' "$T/state"
}
# The result has that of a disk.
disk_is() { # DISK OUTCOME [FILTER]
	assert_json "$T/out" '[.disks[] | select(.serial == $s)] | length == 1 and
		all(.[]; .outcome == $o and ('"${3:-true}"'))' --arg s "${serial[$1]}" --arg o "$2"
}
all_kept() { assert_json "$T/state" '[.disks[].identity.serial] | sort == $s' --argjson s \
	"$(printf '%s\n' "${serial[@]}" | jq -R . | jq -sc .)"; }
both_work() { jq -e '[.disks[] | select(.operating and .witness)] | length == 2' "$T/state"; }
is_there() { (($(sg_nodes | wc -l) == $1)); }
kill_job() {
	kill -KILL "$job"
	wait "$job" 2>/dev/null || true
	all_kept
}
resume() { # STATUS OPTION...
	expect "$1" dw erase --yes --json --resume="$T/state" "${@:2}"
}

is_recorded() { # DISK
	"$DISKWIPE" records list "$T/records" --json | jq -e --arg s "${serial[$1]}" 'select(.disk.serial == $s)'
}

# What the folder has, by serial number.
recorded() { # WANT
	expect 0 dw records list "$T/records" --json
	assert_eq "$1" "$(jq -r '"\(.disk.serial) \(.outcome)"' "$T/out" | sort | paste -sd,)" records
}

expect 0 dw records key "$T/sign"
plant_random "${resume_sd[@]}"

# disk 0 ends with an exception, then the program is killed
enc 'fault kind=medium disk=0 lba=100'
for n in 1 2; do enc "set $n slow_permille=100000"; done
start erase --yes --json --progress=plain --expect-count=3 --command=write --verify=off \
	--state="$T/state" --flush-every=256KiB --controller=fixed:128 \
	--record="$T/records" --record-key="$T/sign" "${resume_sg[@]}"
wait_for 120 state_has 0 erased-with-exceptions
wait_for 60 is_recorded 0 # which comes after that
kill_job
for n in 1 2; do enc "set $n slow_permille=1000"; done

# disk 1 is not there: it is missed, and so is the block of disk 0
enc 'gone 1'
wait_for 20 is_there 2
before=$(jq -c '.disks[] | select(.identity.serial == "ENC01D0001")' "$T/state")
resume 3 --expect-count=1 --record="$T/records" --record-key="$T/sign"
disk_is 0 erased-with-exceptions '.earlier and .exceptions[0].lba == 100 and .bytes_written > 4000000 and
	(.reason | test("1 blocks could not be erased"))'
disk_is 1 removed '.earlier and (.reason | test("not here: serial ENC01D0001"))'
disk_is 2 erased '.earlier == null'
assert_json "$T/out" '.job.outcome == "removed" and (.disks | length) == 3'
assert_match 'to continue: diskwipe erase --resume' "$T/err"
all_kept
assert_eq "$before" "$(jq -c '.disks[] | select(.identity.serial == "ENC01D0001")' "$T/state")" \
	'what the state says of a disk that was not there'
cp "$T/out" "$T/second"
expect 0 dw records verify "$T/records"
recorded 'ENC01D0000 erased-with-exceptions,ENC01D0001 refused,ENC01D0002 erased'

# nothing can be done: nothing is changed
cp "$T/state" "$T/before"
resume 2
cmp "$T/state" "$T/before"

# it is there again, and none is missed
enc 'back 1'
wait_for 20 is_there 3
settle
resume 3 --expect-count=1 --record="$T/records" --record-key="$T/sign"
disk_is 0 erased-with-exceptions '.earlier'
disk_is 1 erased '.earlier == null'
disk_is 2 erased .earlier
# what ended is told as it was then
for n in 0 2; do
	for file in out second; do
		jq -S --arg s "${serial[n]}" '.disks[] | select(.serial == $s) |
			del(.earlier, .forecast)' "$T/$file" >"$T/$file.$n"
	done
	cmp "$T/out.$n" "$T/second.$n"
done
cp "$T/out" "$T/third"
recorded 'ENC01D0000 erased-with-exceptions,ENC01D0001 erased,ENC01D0001 refused,ENC01D0002 erased'
enc clear-all >/dev/null
assert_holds_only "$(sd_of "$(jq -r '.disks[] | select(.serial == "ENC01D0001").device' "$T/third")")"

# that job is over, and says how
resume 2
assert_match 'this job is finished \(2 erased, 1 erased-with-exceptions\)' "$T/err"

# disks that erase themselves: what their blocks held before is kept while they are not there
rm "$T/state"
unset 'serial[0]'
for n in 1 2; do
	enc "set $n sanitize=overwrite overwrite_ms=15000"
	enc "plant $n 0 8192 random"
done
for d in /sys/class/scsi_generic/sg*/device/rescan; do echo 1 >"$d"; done
blockdev --flushbufs "$(sd_nodes | head -1)"
mapfile -t sg < <(sg_nodes | grep -v sg0)
start erase --yes --json --progress=plain --expect-count=2 --method=sanitize-overwrite --verify=off \
	--state="$T/state" "${sg[@]}"
wait_for 120 both_work
kill_job
enc 'gone 1'
wait_for 20 is_there 2
resume 3 --expect-count=1
disk_is 1 removed .earlier
disk_is 2 erased 'any(.notes[]; test("before and after; all changed"))'
all_kept
enc 'back 1'
wait_for 20 is_there 3
settle
resume 0 --expect-count=1
disk_is 1 erased 'any(.notes[]; test("before and after; all changed"))'
