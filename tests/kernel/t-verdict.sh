#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/verdict.conf
# needs: jq
# What must not pass for erased.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

# A short read with residual 0, through sg (520 bytes a block: no block sibling) and through sd:
# what the buffer held before is not what came.
erase 5 --command=write --controller=fixed:200 --verify=full -- 0 1
assert_disks <<TEXT
0 exceptions_are("3000 200 mismatch") and (.path | test("^sg"))
1 exceptions_are("3000 200 mismatch")
TEXT

# What was wrong when it was read first is not forgotten.
erase 4 --command=write --verify=full -- 2
assert_disks <<'TEXT'
2 .outcome == "erased-with-exceptions" and (.exceptions | length == 1 and .[0].kind == "unsteady" and .[0].blocks == 1) and (.reason | test("right when read again"))
TEXT

# Another program is told of a lost write (3), or another host (13). The write cache is switched
# on, and what is in it is lost by a reset (4), or cannot be flushed (5).
for d in 3 4 5 13; do enc "fault kind=hold disk=$d op=write min=2 lba=400" >/dev/null; done
start --yes --expect-count=4 --json --command=write --controller=fixed:8 --verify=off --depth=1 \
	--progress=plain "${node[3]}" "${node[4]}" "${node[5]}" "${node[13]}"
await_held 3 4 5 13
enc 'fault kind=check disk=3 op=0x00 deferred=1 sense=3/0c/00 count=1' >/dev/null
sg_raw "${node[3]}" 0 0 0 0 0 0 >"$T/turs" 2>&1 && fail "nobody was told of an error: $(<"$T/turs")"
cache=/sys/class/scsi_disk/$(basename "$(realpath /sys/class/scsi_generic/"${node[4]##*/}"/device)")/cache_type
# from Linux 6.11 on this ends with the write that is held
echo 'write back' >"$cache" &
switch=$!
wait_for 60 has_line '^write back$' "$cache"
enc 'set 5 wce=1' >/dev/null
enc 'lost 13' >/dev/null
# something is in the caches when they are lost
enc 'fault kind=hold op=write min=2 lba=1600 count=2' >/dev/null
for d in 4 5; do enc "clear $d"; done >/dev/null
await_held 4 5
enc 'reset 4' >/dev/null
for d in 3 4 5 13; do enc "clear $d"; done >/dev/null
wait $switch
got=0
wait $job || got=$?
assert_eq 3 $got 'exit status'
assert_disks <<'TEXT'
3 erased and .bytes_written > .capacity_bytes
4 erased and .bytes_written > .capacity_bytes and .errors.resets == 1
5 failed("SYNCHRONIZE CACHE refused")
13 erased and .bytes_written > .capacity_bytes
TEXT
assert_match "1 errors of this disk, maybe of our writes, were reported to another program" "$T/err"
assert_match "it counts 1 failed writes that were not reported to us" "$T/err"
for d in 3 4 13; do
	assert_eq 0 "$(media $d | tr -d '\0' | head -c 1 | wc -c)" "old data on disk $d"
done

# TASK SET FULL, which the kernel repeats and counts as an error: the disk is healthy. With one
# command at a time there is none (15); where there is all the same (14) nothing is lost, but only
# a verification of all blocks shows it.
erase 3 --command=write --controller=fixed:32 --verify=off --depth=4 -- 14 15
assert_disks <<'TEXT'
14 .outcome == "erased-with-exceptions" and .exceptions == [] and (.reason | test("verify it in full"))
15 erased and .bytes_written == 4 * .capacity_bytes
TEXT
assert_match 'one command at a time' "$T/err"
erase 0 --command=write --controller=fixed:32 --verify=full --depth=4 -- 14
assert_disks <<<'14 erased'

# A state that is not of this medium's present: what lies below its mark is looked at first.
stop_in_the_middle() {
	enc 'fault kind=hold disk=6 op=write min=2 lba=4000' >/dev/null
	start erase --yes --json --progress=plain --verify=off --command=write --depth=1 \
		--controller=fixed:32 --state="$T/state" "${node[6]}"
	await_held 6
	kill -INT $job
	job_says stopping
	enc 'clear 6' >/dev/null
	wait $job || true
	lba=$(jq '.disks[0].lba' "$T/state")
	((lba > 500 && lba < 8000)) || fail "stopped at $lba"
}
stop_in_the_middle
enc "plant 6 $((lba / 2 - 100)) 200 random" >/dev/null
expect 0 dw erase --yes --json --resume="$T/state"
assert_disks <<<'6 erased and (.notes | any(test("^restarted: ")))'
assert_match 'restarted: the contents do not match the state file' "$T/err"
assert_eq 0 "$(media 6 | tr -d '\0' | head -c 1 | wc -c)" 'old data on disk 6'
enc 'plant 6 0 8000 0x5a' >/dev/null
stop_in_the_middle
expect 0 dw erase --yes --json --resume="$T/state"
assert_disks <<<'6 .outcome == "erased" and .bytes_written < .capacity_bytes and .notes == []'

# A capacity that was cut (MODE SELECT): what it hides was not touched.
enc 'clip 7 3000' >/dev/null
echo 1 >"/sys/class/scsi_generic/${node[7]##*/}/device/rescan"
erase 4 --command=write --verify=full -- 7
assert_disks <<'TEXT'
7 .outcome == "erased-with-exceptions" and .exceptions == [] and .reason == "1000 blocks of the disk are hidden and were not touched" and (.notes | any(test("cut by MODE SELECT")))
TEXT
assert_eq 512000 "$(media 7 | tr -d '\0' | wc -c)" 'old bytes on disk 7'

# By ATA (HPA, AMA): each has its own sense data; where nothing can be known, nothing is claimed.
enc 'clip 8 3000' >/dev/null
enc 'clip 9 1500' >/dev/null
enc 'clip 12 30000000' >/dev/null
for d in 8 9 12; do echo 1 >"/sys/class/scsi_generic/${node[$d]##*/}/device/rescan"; done
erase 3 --command=write --verify=full -- 8 9 10 11
hidden() {
	printf '%d .outcome == "erased-with-exceptions" and .exceptions == [] and .%s and %s' "$1" \
		"reason == \"$2 blocks of the disk are hidden and were not touched\"" \
		"(.notes | any(test(\"$2 more blocks are hidden: .*$3\")))"
}
assert_disks <<TEXT
$(hidden 8 1000 'HPA')
$(hidden 9 500 'AMA')
10 .outcome == "erased" and .notes == []
11 .outcome == "erased" and (.notes | any(test("not known whether ATA hides blocks.*no ATA registers")))
TEXT
assert_eq 512000 "$(media 8 | tr -d '\0' | wc -c)" 'old bytes on disk 8'
inspect_says() {
	dw inspect "${node[$1]}" >"$T/inspect"
	assert_match "^$2 +$3\$" "$T/inspect"
}
inspect_says 8 ata-native-max '3999 +ATA'
inspect_says 9 ata-native-max '15999 +ATA'
inspect_says 11 ata-native-max 'unknown \(no ATA registers come back\) +ATA'
inspect_says 12 ata-native-max 'at least 41943039 +ATA'
assert_match '^hidden-blocks +11943040 +HPA' "$T/inspect"
dw inspect "${node[7]}" >"$T/inspect"
! grep -q 'ata-' "$T/inspect" || fail 'a SAS disk is asked for ATA'
