#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/format-units.conf
# needs: jq
# timeout: 300
# shellcheck disable=SC2016,SC2154
# A format of one logical unit may be that of its device: all units are claimed then, one is told,
# and the others are looked at. One that says that it affects no other is formatted alone.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"

lun() { # H:C:T:L -> sg node
	local found=(/sys/class/scsi_device/"$1"/device/scsi_generic/sg*)
	echo "/dev/${found[0]##*/}"
}
host=$(cd /sys/class/scsi_device && for d in *:0:2:0; do echo "${d%%:*}"; done)
sg=("$(lun "$host:0:0:0")" "$(lun "$host:0:0:1")" "$(lun "$host:0:2:0")" "$(lun "$host:0:2:1")"
	"$(lun "$host:0:4:0")" "$(lun "$host:0:4:1")" "$(lun "$host:0:6:0")" "$(lun "$host:0:6:1")"
	"$(lun "$host:0:6:2")")

told() { enc stats | jq '[.disks[].opcodes["04"] // 0] | add'; }
holds() { enc "holds $1 0 16"; }
assert_eq 0 "$(told)" 'commands FORMAT UNIT'

# one is missing, or in use
format 2 512 0
assert_match "its device has 2 logical units or namespaces, and FORMAT UNIT erases all: name ${sg[1]} as well" "$T/err"
format 2 512 2
assert_match "name ${sg[3]} as well" "$T/err"
exec 9<"${sg[1]}"
format 2 512 0 1
assert_match "its logical unit ${sg[1]}, which FORMAT UNIT erases as well: open" "$T/err"
exec 9<&-
assert_eq 0 "$(told)" 'commands FORMAT UNIT'

# one is told, and both are what was asked for
format 0 512 1 0
for n in 0 1; do outcome $n formatted '.block_size == 512'; done
assert_eq 1 "$(told)" 'commands FORMAT UNIT'
# one fails: the other is not called formatted
enc 'set 0 fail_at=50'
format 4 520 0 1
for n in 0 1; do outcome $n failed; done
assert_json "$T/out" '.disks[1].reason | test("its device is formatted by /dev/sg[0-9]+, and: ")'
enc 'set 0 fail_at=0'

# where that reaches one, and nobody said so, the other is told after it
before=$(told)
format 0 512 2 3
for n in 2 3; do outcome $n formatted '.block_size == 512'; done
assert_eq $((before + 2)) "$(told)" 'commands FORMAT UNIT'
format 0 512 2 3
for n in 2 3; do outcome $n unchanged; done
# and where its blocks alone show that it was not reached
enc 'plant 3 0 64 random'
format 0 512 2 3 -- --again
for n in 2 3; do outcome $n formatted; done
assert_eq $((before + 4)) "$(told)" 'commands FORMAT UNIT'

# the unit that was told first is nobody else's before the other has ended: it may be formatted again
enc 'set 3 format_ms=600000'
enc 'plant 3 0 64 random'
start format --yes --expect-count=2 --json --block-size=512 --again "${sg[2]}" "${sg[3]}"
wait_for 60 is_running 3
python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)' "$(sd_of "${sg[2]}")" 2>/dev/null &&
	fail 'the unit that was formatted first can be taken'
finish 3
wait "$job" || fail "status $?"
for n in 2 3; do outcome $n formatted; done
enc 'set 3 format_ms=300'

# killed while the second of them works: that is waited for, and the first is not formatted again
enc 'set 3 format_ms=600000'
start format --yes --expect-count=2 --block-size=520 "${sg[2]}" "${sg[3]}"
wait_for 60 is_running 3
kill -KILL "$job"
wait "$job" || true
before=$(told)
start format --yes --expect-count=2 --json --block-size=520 "${sg[2]}" "${sg[3]}"
job_says formatting
finish 3
wait "$job" || fail "status $?"
outcome 2 unchanged
outcome 3 formatted '.block_size == 520'
assert_eq "$before" "$(told)" 'commands FORMAT UNIT'
enc 'set 3 format_ms=300'
format 0 512 2 3

# killed while the first works, of which the device says that both do: that shows nothing of either
enc 'set 2 format_ms=600000'
enc 'plant 3 0 64 random'
start format --yes --expect-count=2 --block-size=512 --again "${sg[2]}" "${sg[3]}"
wait_for 60 is_running 2
kill -KILL "$job"
wait "$job" || true
content=$(holds 3)
before=$(told)
enc 'answer disk=3 op=0x00,0x25,0x9e sense=2/04/04'
start format --yes --expect-count=2 --json --block-size=512 --again "${sg[2]}" "${sg[3]}"
job_says formatting
enc 'clear 3'
enc 'set 2 format_ms=300'
enc 'finish 2' # and told at once
wait "$job" || fail "status $?"
for n in 2 3; do outcome $n formatted; done
assert_eq $((before + 2)) "$(told)" 'commands FORMAT UNIT'
[[ $(holds 3) != "$content" ]] || fail 'the second unit holds what it held'

# of three units the second works while the third is looked at, and the device says that both do: the third
# is formatted itself. It was claimed when it said so, as a run was killed while the first worked; or its
# first block, by which it is known, held zeros.
asked() { enc stats | jq '.disks[] | select(.disk == 8).opcodes["00"]'; }
is_asked() { (($(asked) > $1 + 1)); }
begin_three() { # OPTION...
	start format --yes --expect-count=3 --json --block-size=512 "$@" "${sg[@]:6:3}"
}
end_three() { # COMMANDS-BEFORE
	local before=$1
	enc 'finish 6'
	wait_for 60 is_running 7
	wait_for 60 is_asked "$(asked)"
	enc 'clear 8'
	enc 'set 7 format_ms=300'
	finish 7
	wait "$job" || fail "status $?"
	for n in 6 7 8; do outcome $n formatted; done
	assert_match '^16-31 0x00$' <(enc 'holds 8 16 16')
	assert_eq $((before + 3)) "$(told)" 'commands FORMAT UNIT'
}
busy() { enc "answer disk=$1 op=0x00,0x25,0x9e sense=2/04/04"; }
cut_three() { # with 6 at work, all but it at rest
	enc 'set 6 format_ms=600000'
	enc 'plant 8 16 64 random'
	begin_three --again
	wait_for 60 is_running 6
	kill -KILL "$job"
	wait "$job" || true
	busy 7
}
cut_three
busy 8
enc 'set 6 format_ms=300'
enc 'set 7 format_ms=600000'
before=$(told)
begin_three --again
job_says formatting
enc 'clear 7'
end_three "$before"

enc 'set 6 format_ms=600000'
enc 'set 7 format_ms=600000'
enc 'plant 8 0 16 0x00'
enc 'plant 8 16 64 random'
before=$(told)
begin_three --again
wait_for 60 is_running 6
busy 8
end_three "$before"
enc 'set 6 format_ms=300'

# nor is the first told again without --again, when it has such blocks by now
cut_three
before=$(told)
begin_three
job_says formatting
enc 'clear 7'
enc 'set 6 format_ms=300'
finish 6
wait "$job" || fail "status $?"
outcome 6 unchanged
outcome 7 formatted
outcome 8 unchanged
assert_eq $((before + 1)) "$(told)" 'commands FORMAT UNIT'

# one of them refuses, as another unit of its device works: it is asked again, and formatted then. One that
# refuses again, and does not say that a format is in progress, has failed.
for n in 7 8; do enc "plant $n 16 64 random"; done >/dev/null
enc 'set 7 format_ms=300'
enc 'answer disk=8 op=0x04 sense=2/04/04 times=1'
format 0 512 6 7 8 -- --again
for n in 6 7 8; do outcome $n formatted; done
assert_match '^16-31 0x00$' <(enc 'holds 8 16 16')
enc 'answer disk=8 op=0x04 sense=2/04/04 times=2'
format 3 512 6 7 8 -- --again
outcome 8 failed '.reason | test("^the disk refused FORMAT UNIT")'

# one of several units that has taken a length is not told its former one: it may be that of a unit at work
selected() { enc stats | jq '[.disks[].opcodes | .["55"] // 0, .["15"] // 0] | add'; }
before=$(selected)
enc 'answer disk=6 op=0x04 sense=5/24/00'
format 4 520 6 7 8
outcome 6 failed '.reason | test("refused FORMAT UNIT: .*; it may be set to blocks of 520 bytes")'
outcome 7 failed '.reason | test("its device is formatted by .*; it may be set to blocks of 520 bytes, which the next format, by whatever program, would make$")'
assert_eq $((before + 1)) "$(selected)" 'commands MODE SELECT'
enc 'clear 6'
format 4 512 6 7 8
outcome 6 failed '.reason | test("has such blocks already; it may be set to blocks of 520 bytes")'
assert_eq $((before + 1)) "$(selected)" 'commands MODE SELECT'
format 0 512 6 7 8 -- --again

# each says that it affects no other, and the device that all work: the third begins late, and is told
for n in 6 7 8; do enc "set $n mlu=1"; done >/dev/null
enc 'set 6 format_ms=600000'
enc 'set 7 format_ms=600000'
enc 'plant 8 16 64 random'
before=$(told)
begin_three --again --active=2
for n in 6 7; do wait_for 60 is_running $n; done
busy 8
end_three "$before"

# two of which each says that it affects no other: neither is at fault for what happens to the other
for n in 2 3; do enc "set $n mlu=1" && enc "plant $n 0 64 random"; done >/dev/null
format 0 512 2 3 -- --again
for n in 2 3; do outcome $n formatted; done

# one that says that it affects no other unit is formatted alone, and the other holds what it held
enc 'set 2 mlu=1'
content=$(holds 3)
exec 9<"${sg[3]}"
format 0 520 2
exec 9<&-
outcome 2 formatted
assert_eq "$content" "$(holds 3)" 'content of the other unit'
# one that says so, and is wrong
format 4 512 4
outcome 4 failed '.reason | test("it was formatted, and SO WAS '"${sg[5]}"'")'
