#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/units.conf
# needs: jq
# timeout: 300
# shellcheck disable=SC2016,SC2154
# A device with several logical units is erased by one SANITIZE, if all of them are disks of the
# job; each of them is proven by itself. Otherwise nothing is told to it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"

lun() { # H:C:T:L -> sg node
	local found=(/sys/class/scsi_device/"$1"/device/scsi_generic/sg*)
	echo "/dev/${found[0]##*/}"
}
host=$(cd /sys/class/scsi_device && for d in *:0:2:0; do echo "${d%%:*}"; done)
sg=("$(lun "$host:0:0:0")" "$(lun "$host:0:0:1")" "$(lun "$host:0:2:0")" "$(lun "$host:0:3:0")"
	"$(lun "$host:0:3:1")" "$(lun "$host:0:5:0")" "$(lun "$host:0:6:0")")
first=${sg[0]} second=${sg[1]}

untouched() { # N...: nothing was told to it
	for n; do assert_match '^idle' <(enc "firmware $n"); done
}
refused() { # REGEX N...
	sanitize 2 block "${@:2}"
	assert_match "$1" "$T/err"
	untouched 0 1 3 4 5 6
}
refill 1

# one is missing: what it is, and what to type
refused "2 logical units or namespaces, and SANITIZE erases all: name $second as well" 0
refused "name $first as well" 1
expect 2 dw erase --dry-run --method=sanitize-block "$first"
assert_match "name $second as well" "$T/err"
expect 2 dw plan --method=sanitize-block -o "$T/plan" "$first"
assert_match "name $second as well" "$T/err"
# the kernel alone knows of it
enc 'set 0 refuse=a0'
refused "name $second as well" 0
enc 'set 0 refuse=ff'
# what keeps one keeps the other, and is told
exec 9<>"$(sd_of "$second")"
refused "its logical unit $second, which SANITIZE erases as well: open" 0 1
refused "its logical unit $second, which SANITIZE erases as well: open" 0
exec 9>&-
# units of one target that have nothing in common, and a name that two devices say
refused "logical unit of the same target, and nothing shows whether both are one device" 3 4
refused "${sg[6]} says the same name of its device" 5
refused "says the same name of its device" 5 6

# all are there: counted, named, erased by one command
expect 0 dw erase --dry-run --method=sanitize-block "$first" "$second"
assert_match "^$first, $second: one device; all 2 are erased as one" "$T/out"
assert_match 'would erase 2 disks' "$T/out"
expect 2 dw erase --yes --expect-count=1 --method=sanitize-block "$first" "$second"
told() { enc stats | jq '[.disks[].opcodes["48"] // 0] | add'; }
before=$(told)
sanitize 0 block 1 0
assert_match "$second, $first: one device" "$T/err"
for n in 0 1; do
	outcome $n erased 'any(.notes[]; test("one of the 2 logical units")) and any(.notes[]; test("before and after; all changed"))'
done
gone 0 0x00
gone 1 0x00
assert_eq $((before + 1)) "$(told)" 'commands SANITIZE'

# one of them does nothing: that one is not erased
refill 0 1
enc 'set 1 lie=1'
sanitize 3 block 0 1
outcome 0 erased
outcome 1 failed '.reason | test("IT DID NOT ERASE ITSELF")'
enc 'set 1 lie=0'

refill 0 1
untold() { assert_eq "$before" "$(told)" "commands SANITIZE, $1"; }
before=$(told)
begin() { # N...: held before its blocks have all been read
	on_these "$@"
	enc "fault kind=hold disk=${!#} op=write nth=20"
	start erase --yes --expect-count=$# --json --progress=plain --method=sanitize-block "${nodes[@]}"
	await_held "${!#}"
}
ends() { # STATUS
	local status=0
	wait "$job" || status=$?
	assert_eq "$1" $status 'exit status'
}
# stopped while one waits for the other, and while both are read: none waits for the other then
begin 0 1
kill -INT "$job"
job_says stopping
enc 'clear 1'
ends 130
for n in 0 1; do outcome $n stopped; done
untold "stopped while one waits"
enc 'fault kind=hold disk=0 op=write nth=20'
begin 0 1
await_held 0
kill -INT "$job"
job_says stopping
enc 'clear 1'
job_says "${sg[1]##*/}: .*stopped"
enc 'clear 0'
ends 130
for n in 0 1; do outcome $n stopped; done
untold "stopped while both are read"

is_there() { [[ -e /sys/class/scsi_device/$host:0:0:1/device/block ]]; }
# a unit comes when all have been read, and while the device works: it is not claimed
enc 'set 0 refuse=a0'
goes() { echo 1 >"/sys/class/scsi_device/$host:0:0:1/device/delete"; }
comes() {
	echo '0 0 1' >"/sys/class/scsi_host/host$host/scan"
	wait_for 60 test -e "/sys/class/scsi_device/$host:0:0:1/device/scsi_generic"
	sg[1]=$(lun "$host:0:0:1")
}
goes
begin 0
comes
enc 'clear 0'
ends 4
outcome 0 failed '.reason | test("not told: its device has 2")'
untold 2
goes
enc "set 0 block_ms=$for_ever"
start erase --yes --json --progress=plain --method=sanitize-block "${sg[0]}"
wait_for 60 is_running 0
comes
finish 0 1
ends 4
outcome 0 failed '.reason | test("have changed while it erased itself")'
enc 'set 0 refuse=ff'
goes
comes
wait_for 60 is_there

# killed in the middle: both are waited for, and proven
refill 0 1
enc "set 1 block_ms=$for_ever"
start erase --yes --expect-count=2 --json --progress=plain --method=sanitize-block --state="$T/state" \
	"${sg[0]}" "${sg[1]}"
both_work() { (($(grep -o '"operating":true' "$T/state" | wc -l) == 2)); }
wait_for 60 both_work
kill -KILL "$job"
wait "$job" || true
finish 0 1
expect 0 dw erase --yes --expect-count=2 --resume="$T/state" --json
for n in 0 1; do outcome $n erased 'any(.notes[]; test("before and after; all changed"))'; done
gone 0 0x00
gone 1 0x00

# killed when one has ended, and the other is not known to have, or is not proven: that goes on alone
killed_at() { # N OPERATION: of disk N is held
	refill 0 1
	enc "set 1 block_ms=$for_ever"
	start erase --yes --expect-count=2 --json --progress=plain --method=sanitize-block --state="$T/state" \
		"${sg[0]}" "${sg[1]}"
	wait_for 60 both_work
	before=$(told)
	enc "fault kind=hold disk=$1 op=$2"
	finish 0 1
	wait_for 60 has_line '"outcome":"erased"' "$T/state"
	kill -KILL "$job"
	wait "$job" || true
	enc "clear $1"
}
for at in '1 0x03' '0 read'; do
	# shellcheck disable=SC2086
	killed_at $at
	expect 0 dw erase --yes --expect-count=1 --resume="$T/state" --json
	assert_json "$T/out" '[.disks[] | .outcome == "erased" and any(.notes[]; test("before and after; all changed"))] == [true, true]'
	untold "killed at $at"
	gone 0 0x00
	gone 1 0x00
done
# what would have to be told again is not, as the one that has ended may be in use by now
killed_at 0 read
refill 0
for n in 0 1; do enc "set $n block_ms=500"; done
expect 3 dw erase --yes --expect-count=1 --resume="$T/state" --json
assert_json "$T/out" 'any(.disks[]; .outcome == "failed" and (.reason | test("not told: .* name '"${sg[1]}"' as well")))'
untold 'as one has ended'
gone 1 0x00

# a disk that is alone on its target is sanitized, and nothing else is; overwriting is no question
sanitize 0 block 2
gone 2 0x00
expect 0 dw erase --yes --method=zero "${sg[3]}"
assert_match '^0-16383 0x33$' <(enc 'holds 4 0 16384')

# one is gone when the other is about to be told: nothing is told
refill 0 1
before=$(told)
begin 0 1
enc 'gone 1'
enc 'clear 1'
ends 4
outcome 0 failed '.reason | test("was not told to erase itself: .* has ended before")'
outcome 1 failed '.reason | test("no command was sent to it")'
untold 3
