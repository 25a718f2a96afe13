#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/adopt.conf
# needs: jq
# timeout: 300
# shellcheck disable=SC2016,SC2154
# A disk that still works on its SANITIZE when its job is resumed: it is waited for, known by its
# names, and judged by what it is and holds afterwards.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 2 ${#sg[@]} disks

is_running() { enc_says '^running' "firmware $1"; }
has_disks() { (($(sg_nodes | wc -l) == $1)); }
outcome() { # OUTCOME [FILTER]
	assert_json "$T/out" '.disks[0] | .outcome == $o and ('"${2:-true}"')' --arg o "$1"
}
# a job on disk 0 that is killed while the disk works
begin() { # WAY [OPTION...]
	rm -f "$T/state"
	! is_running 0 || enc 'finish 0'
	enc 'plant 0 0 16384 random'
	start erase --yes --json --progress=plain --method="sanitize-$1" "${@:2}" \
		--state="$T/state" "${sg[0]}"
	wait_for 60 has_line '"operating":true' "$T/state"
	wait_for 60 is_running 0
	kill -KILL "$job"
	wait "$job" || true
	is_running 0 || fail 'the disk does not work any more'
}
says_or_ends() { grep -q sanitizing "$T/err" || ! kill -0 "$job"; }
# Goes on with it while it works, which it does until then.
resume() { # STATUS [PORT]
	local status=0
	start erase --yes --resume="$T/state" --json --progress=plain
	wait_for 60 says_or_ends
	enc "finish ${2:-0}"
	wait "$job" || status=$?
	((status == $1)) || { cat "$T/err" >&2; fail "status $status, not $1"; }
}
gone() { assert_match '^0-16383 0x00$' <(enc 'holds 0 0 16384'); }

# it is told of as before, and nobody else takes it
begin overwrite
dw list >"$T/list" || true
assert_match 'sanitize in progress|SANITIZE|04/1B' "$T/list"
expect 2 dw erase --yes --method=sanitize-overwrite "${sg[0]}"
# a job that is resumed takes it
resume 0
outcome erased 'any(.notes[]; test("before and after; all changed"))'
assert_match 'waits for its end' "$T/err"
gone

# so does one for which the way was chosen
begin overwrite --method=auto --level=purge
resume 0
outcome erased '.method == "sanitize-overwrite" and .level == "purge"'
gone

# the power is cut: the disk comes back at work, without a capacity, and goes on by itself
begin overwrite
enc 'gone 0'
wait_for 60 has_disks 1
enc 'back 0'
enc 'cycle 0'
wait_for 60 has_disks 2
mapfile -t sg < <(sg_nodes)
is_running 0 || fail 'the disk does not work any more'
[[ $(size_of "$(sd_of "${sg[0]}")") == 0 ]] || fail 'the kernel has its capacity'
resume 0
outcome erased 'any(.notes[]; test("before and after; all changed")) and .capacity_bytes == 8388608'
gone
assert_eq 8388608 "$(size_of "$(sd_of "${sg[0]}")")" 'capacity in the kernel'

# in another bay
begin block
enc 'move 0 2'
wait_for 60 has_disks 2
resume 0 2
outcome erased
assert_match '^0-16383 0x00$' <(enc 'holds 2 0 16384')
enc 'move 2 0'
wait_for 60 has_disks 2
mapfile -t sg < <(sg_nodes)

# another disk at its node
begin overwrite
enc 'swap 0 1 quiet'
enc 'gone 1 quiet'
expect 2 dw erase --yes --resume="$T/state" --json
assert_match '^0-16383 0x33$' <(enc 'holds 0 0 16384')
assert_eq 'idle none 0' "$(enc 'firmware 0')"
enc 'back 1 quiet'
enc 'swap 0 1 quiet'
# while it is waited for, without a word
start erase --yes --json --progress=plain --resume="$T/state"
job_says 'sanitizing'
enc 'swap 0 1 quiet'
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
outcome failed '.reason | test("another disk")'
assert_match '^0-16383 0x33$' <(enc 'holds 0 0 16384')
enc 'swap 0 1 quiet'

# it has another capacity in the end
begin overwrite
enc 'clip 0 12288'
resume 4
outcome failed '.reason | test("its capacity has changed")'
enc 'clip 0 16384'
echo 1 >/sys/class/scsi_generic/"${sg[0]##*/}"/device/rescan

# it lies, and fails
begin block
enc 'set 0 lie=1'
resume 4
outcome failed '.reason | test("IT DID NOT ERASE ITSELF")'
enc 'set 0 lie=0'
begin overwrite
enc 'set 0 fail_at=99'
resume 4
outcome failed '.reason | test("its operation ended well")'
enc 'set 0 fail_at=0'

# stopped, and resumed once more
begin overwrite
start erase --yes --json --progress=plain --resume="$T/state"
job_says 'sanitizing'
kill -INT "$job"
wait "$job" || true
outcome stopped '.reason | test("works on by itself")'
resume 0
outcome erased
gone

# a SANITIZE that the state knows nothing of
enc 'plant 0 0 16384 random'
enc 'fault kind=slow disk=0 op=read min=2 ms=100'
start erase --yes --json --progress=plain --method=sanitize-overwrite --state="$T/older" "${sg[0]}"
job_says 'sanitizing'
kill -KILL "$job"
wait "$job" || true
assert_no_match '"operating":true' "$T/older"
enc 'clear 0'
begin overwrite
expect 2 dw erase --yes --resume="$T/older" --json
assert_match 'a SANITIZE of which the state knows nothing' "$T/err"
