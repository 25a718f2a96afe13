#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/resume.conf
# A disk never answers, as where a driver starts the time limit of its commands again and again:
# that is reported, and the third request to stop ends the program at once, before the first pass
# and in it. What is in the state file is resumed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/resume.sh"

# What was asked twice is asked once more, when the second request has had its time.
insist() { # STATUS
	local status=0
	kill -0 $job || fail 'the program ended though a disk has not answered'
	leap $((past += 6))
	kill -INT $job
	job_says 'ended at once, without a result'
	wait $job || status=$?
	assert_eq "$1" $status 'exit status'
	enc clear-all >/dev/null
}

begin() { # OPTION...
	past=0
	leap 0
	LD_PRELOAD=${DISKWIPE%/tools/*}/tests/kernel/leap-clock.so LEAP_CLOCK=$clock start erase --yes --expect-count=3 "$@"
	await_held 0
}
is_reported() {
	leap $((past += 40))
	has_line 'sg0: no answer, [0-9]+ s after the time limit of a command' "$T/err"
}

# while its addresses are compared
enc "fault kind=hold disk=0 op=write" >/dev/null
begin --state="$T/state" "${resume_sg[@]}"
kill -INT $job
job_says 'stopping, as soon as the disks have answered; nothing more is begun'
kill -TERM $job
job_says 'waits for a disk or a file; Ctrl-C once more'
insist 130
[[ ! -e $T/state ]] || fail 'there is a state file of a job that did not begin'

# while it is written; the others get their flush
enc "fault kind=hold disk=0 op=write min=2 lba=4096" >/dev/null
begin --json --progress=plain --command=write --verify=off \
	--state="$T/state" --flush-every=256KiB --controller=fixed:128 "${resume_sg[@]}"
leap $((past += 1000))
wait_for 60 is_reported
kill -INT $job
job_says stopping
kill -INT $job
job_says 'aborting; if a disk does not answer, Ctrl-C once more'
wait_for 60 jq -e '[.disks[].lba] | min > 0' "$T/state"
insist 130
assert_eq '' "$(cat "$T/out")" 'a result of what was not waited for'
assert_json "$T/state" '[.disks[].lba] | min > 0'
expect 0 dw erase --yes --json --expect-count="$(left)" --resume="$T/state"
assert_json "$T/out" 'all(.disks[]; .outcome == "erased")'
enc reset-all >/dev/null
assert_erased 00 "${resume_sd[@]}"
