#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/ata-security.conf
# needs: jq sg_raw
# timeout: 600
# shellcheck disable=SC2016,SC2154
# SECURITY ERASE UNIT that is cut off: power, kill, pull; and what becomes of the disk.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"
. "$(dirname "$0")/sanitize-ata.sh"
. "$(dirname "$0")/ata-security.sh"

assert_eq 11 ${#sg[@]} disks


# a disk that is left with our password is cleared by whoever erases it next
again() { # N OPTION...
	local n=$1
	shift
	on_record 1
	expect 0 dw list
	assert_no_match "^${sg[$n]}.*none of ours" "$T/out"
	assert_match "${sg[$n]}: it may be locked by our ATA password" "$T/err"
	expect 0 dw inspect "${sg[$n]}"
	assert_match 'it may be locked by our ATA password' "$T/out"
	refill "$n"
	expect 0 dw erase --yes --json "$@" "${sg[$n]}"
	passwords "$n" none
	on_record 0
	assert_json "$T/out" '.disks[0] | has("password_left") | not'
	gone "$n" 0x00
}
killed_at() { # N COMMAND: while that command is under way
	local n=$1
	enc "fault disk=$n kind=hold ata=$2 count=1"
	start erase --yes --json --progress=plain --method=ata-normal "${sg[$n]}"
	await_held "$n"
	kill -KILL "$job"
	wait "$job" || true
	enc "clear $n" # sg lets a program die before its command
}

# killed between any two commands, and the disk has no power or has it
for command in 0xf1 0xf3; do
	for power in on off; do
		refill 1
		killed_at 1 $command
		untouched 1
		passwords 1 set
		if [[ $power == off ]]; then
			enc 'cycle 1'
			passwords 1 locked
		fi
		again 1 --method="$([[ $command == 0xf1 ]] && echo zero || echo ata-normal)"
		assert_json "$T/out" 'any(.disks[0].notes[]; test("its password was cleared"))'
	done
done
# killed while it erased itself: it goes on to its end, and is erased again
enc "set 1 erase_ms=$for_ever"
start erase --yes --json --progress=plain --method=ata-normal "${sg[1]}"
wait_for 60 is_running 1
kill -KILL "$job"
wait "$job" || true
is_running 1
finish 1
enc 'set 1 erase_ms=100'
passwords 1 none
again 1 --method=ata-normal

# the power is cut in the middle: unlocked, and told again
for n in 1 3; do
	refill $n
	enc "set $n erase_ms=$for_ever"
	start erase --yes --json --progress=plain --method=ata-normal "${sg[$n]}"
	wait_for 60 is_running $n
	enc "set $n erase_ms=100"
	on_record 1
	enc "cycle $n"
	expect 0 wait "$job"
	passwords $n none
	gone $n 0x00
	on_record 0
done

# pulled in the middle: it is locked when it comes back
refill 1
enc "set 1 erase_ms=$for_ever"
start erase --yes --json --progress=plain --method=ata-normal --state="$T/state" "${sg[1]}"
wait_for 60 is_running 1
assert_match '"operating":true' "$T/state"
enc 'gone 1'
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
assert_json "$T/out" '.disks[0].outcome == "removed" and .disks[0].reason == "removed while it erased itself"'
assert_json "$T/out" '.disks[0].password_left and any(.disks[0].notes[]; test("--security-unlock diskwipe NODE"))'
on_record 1
enc 'back 1'
enc 'cycle 1'
wait_for 60 test -e "${sg[1]}"
passwords 1 locked
enc 'set 1 erase_ms=100'
# another machine, or one whose records are gone, knows it by the state of the job
rm -rf $journal
expect 2 dw erase --yes --method=zero "${sg[1]}"
assert_match 'locked by an ATA password that is none of ours' "$T/err"
expect 0 dw erase --yes --json --resume="$T/state"
assert_json "$T/out" '.disks[0].outcome == "erased" and any(.disks[0].notes[]; test("its password was cleared"))'
passwords 1 none
gone 1 0x00
on_record 0
rm -f "$T/state"

# stopped: the command is waited for
refill 1
enc "set 1 erase_ms=$for_ever"
start erase --yes --json --progress=plain --method=ata-normal --state="$T/state" "${sg[1]}"
wait_for 60 is_running 1
enc 'set 1 erase_ms=100'
kill -INT "$job"
job_says 'stopping'
is_running 1
finish 1
status=0
wait "$job" || status=$?
assert_json "$T/out" '.disks[0].outcome == "stopped"'
passwords 1 none
on_record 0
expect 0 dw erase --yes --json --resume="$T/state"
assert_json "$T/out" '.disks[0].outcome == "erased"'
gone 1 0x00

# Another program writes to it while it erases itself, and only the flush at the end brings that to the disk;
# or the job is killed, or the disk pulled, when it has given its answer, and it is used elsewhere. That is
# between two of the places which a job that is resumed reads: the disk is told again.
echo 360000 >/proc/sys/vm/dirty_writeback_centisecs
echo 360000 >/proc/sys/vm/dirty_expire_centisecs
resumed() {
	expect 0 dw erase --yes --json --resume="$T/state"
	gone 3 0x00
	outcome 3 erased "$secured"
	clean 3
	rm -f "$T/state"
}
refill 3
enc "set 3 enhanced_ms=$for_ever"
start erase --yes --json --progress=plain --method=ata-enhanced --state="$T/state" "${sg[3]}"
wait_for 60 is_running 3
enc 'set 3 enhanced_ms=100'
dd if=/dev/urandom of="$(sd_of "${sg[3]}")" bs=4K count=1 seek=16 conv=nocreat,notrunc status=none
finish 3
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
outcome 3 failed '.reason | test("another program wrote to it")'
resumed

answered() { # its flush is held, and disk 2 has ended, which has the state stored
	refill 2 3
	enc "set 3 enhanced_ms=$for_ever"
	start erase --yes --expect-count=2 --json --progress=plain --method=ata-enhanced --state="$T/state" \
		"${sg[2]}" "${sg[3]}"
	wait_for 60 is_running 3
	enc 'set 3 enhanced_ms=100'
	enc 'fault kind=hold op=sync disk=3'
	finish 3
	await_held 3
	gone 3 0x00
	wait_for 60 grep -q '"outcome":"erased"' "$T/state"
}
answered
enc 'gone 3'
status=0
wait "$job" || status=$?
assert_eq 3 $status 'exit status'
outcome 3 removed
enc 'clear 3'
enc 'plant 3 128 8 random'
enc 'back 3'
wait_for 60 test -e "${sg[3]}"
resumed

answered
kill -KILL "$job"
enc 'clear 3'
wait "$job" || true
enc 'plant 3 128 8 random'
resumed

# five wrong passwords of others, and ours is not taken either, before it has no power
refill 1
killed_at 1 0xf1
enc 'cycle 1'
head -c 512 /dev/zero >"$T/wrong"
for _ in {1..8}; do # those that meet a unit attention do not count
	sg_raw -s 512 -i "$T/wrong" "${sg[1]}" 85 0a 26 00 00 00 01 00 00 00 00 00 00 40 f2 00 2>/dev/null || true
done
expect 2 dw erase --yes --method=zero "${sg[1]}"
assert_match 'takes no password until power is off: pull it, plug it in again, and erase it again' "$T/err"
passwords 1 locked
on_record 1
enc 'cycle 1'
again 1 --method=zero

# its owner has set another since: that is none of ours
refill 1
killed_at 1 0xf1
printf '\0\0owner' | head -c 512 >"$T/owner"
truncate -s 512 "$T/owner"
set_by_owner() { # 21: a recovered error, with the registers; a unit attention comes first
	local status=0
	sg_raw -s 512 -i "$T/owner" "${sg[1]}" 85 0a 26 00 00 00 01 00 00 00 00 00 00 40 f1 00 ||
		status=$?
	((status == 21))
}
wait_for 60 set_by_owner
expect 2 dw erase --yes --method=zero "${sg[1]}"
assert_match 'an erase of it was cut off: it does not take its password' "$T/err"
untouched 1
