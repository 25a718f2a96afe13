#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/hidden.conf
# needs: jq sg_raw
# timeout: 300
# shellcheck disable=SC2016,SC2154
# Blocks that a disk hides: found, told, shown again, erased; and whatever keeps it from that.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes
assert_eq 18 ${#node[@]} disks

cut() { # DISK BLOCKS
	enc "clip $1 $2" >/dev/null
	echo 1 >"/sys/class/scsi_generic/${node[$1]##*/}/device/rescan"
}
old() { media "$1" | tr -d '\0' | wc -c; }
replug() {
	enc "cycle $1" >/dev/null
	enc "reset $1" >/dev/null
	expect 0 dw inspect "${node[$1]}"
}
restore() { local status=$1; shift; erase "$status" --hidden=restore --command=write --verify=full -- "$@"; }
ata() { # DISK CDB...: without data
	local d=$1
	shift
	sg_raw "${node[$d]}" "$@" >"$T/raw" 2>&1 || true
}

for d in 0 1 2 3 4 5 6 7 8 14; do cut $d 3000; done
cut 10 3000
cut 11 1500
cut 15 3000

# what is found, and by what
expect 0 dw list --json
assert_json "$T/out" '[.disks[] | select(.hidden_by) | "\(.serial[-2:]) \(.hidden_blocks) \(.hidden_by)"] == [
	"00 1000 mode-select", "02 1000 mode-select", "03 1000 mode-select", "04 1000 mode-select",
	"05 1000 mode-select", "06 1000 mode-select", "07 1000 hpa", "08 1000 ama", "09 500 dco",
	"10 1000 dco", "11 500 ama", "14 1000 hpa", "15 1000 dco"]'
expect 0 dw inspect "${node[9]}"
assert_match '^ata-dco +3999 +ATA' "$T/out"
assert_match '^hidden-blocks +500 +DCO' "$T/out"
expect 0 dw inspect "${node[7]}"
assert_match '^ata-dco +not supported' "$T/out"

# only reported: the default
erase 4 --command=write --verify=full -- 9
assert_disks <<'TEXT'
9 .outcome == "erased-with-exceptions" and .restored == [] and .hidden_reason == null and (.reason | test("500 blocks of the disk are hidden and were not touched")) and (.notes | any(test("configuration overlay")))
TEXT
assert_eq 256000 "$(old 9)" 'old bytes on disk 9'

# a dry run says what would be, and changes nothing
expect 0 dw --dry-run --hidden=restore "${node[0]}" "${node[9]}"
assert_match 'hides 1000 blocks \(mode-select\); they are restored first' "$T/out"
assert_match 'hides 500 blocks \(dco\); they are restored first' "$T/out"
expect 0 dw plan --hidden=restore -o "$T/plan" "${node[0]}"
assert_json "$T/plan" '.disks[0].capacity_bytes == 4000 * 512'
assert_eq 3000 "$(($(size_of "$(sd_of "${node[0]}")") / 512))" 'blocks of disk 0'

# SCSI: by a plan; untold; 520 bytes; all is erased and verified
expect 0 dw erase --yes --json --plan="$T/plan"
assert_disks <<'TEXT'
0 erased and .capacity_bytes == 4000 * 512 and .hidden_blocks == 0 and .restored == [{by: "mode-select", blocks: 1000}] and .verify.read == 4000
TEXT
assert_eq 0 "$(old 0)" 'old bytes on disk 0'
assert_eq 4000 "$(($(size_of "$(sd_of "${node[0]}")") / 512))" 'blocks of disk 0'
expect 0 dw erase --yes --json --plan="$T/plan" # it is as large as that already
assert_disks <<<'0 erased and .restored == []'
restore 0 1 5
assert_disks <<'TEXT'
1 erased and .capacity_bytes == 4000 * 512 and .restored == [{by: "mode-select", blocks: 1000}]
5 erased and .capacity_bytes == 4000 * 520 and .restored == [{by: "mode-select", blocks: 1000}]
TEXT
assert_eq 0 "$(old 1)" 'old bytes on disk 1'
assert_eq 0 "$(old 5)" 'old bytes on disk 5'

# SCSI: those that end well and show nothing, also if they do not tell of it any more, and one that
# refuses: erased with exceptions
restore 4 2 3 6
assert_disks <<'TEXT'
2 .outcome == "erased-with-exceptions" and .hidden_blocks == 1000 and .hidden_by == "mode-select" and .restored == [] and (.hidden_reason | test("took MODE SELECT, and shows no more"))
3 .outcome == "erased-with-exceptions" and .hidden_blocks == 1000 and .hidden_by == "mode-select" and (.hidden_reason | test("took MODE SELECT, and shows no more"))
6 .outcome == "erased-with-exceptions" and .hidden_blocks == 1000 and (.hidden_reason | test("refuses MODE SELECT")) and (.notes | any(test("not restored")))
TEXT
for d in 2 3 6; do assert_eq 512000 "$(old $d)" "old bytes on disk $d"; done
# more than it had told: nothing is written
restore 2 4
assert_match 'tells 5000 blocks now, not 4000' "$T/err"
assert_untouched 4 5a

# ATA: HPA, AMA, DCO, the last sector in blocks of another size
restore 0 7 8 9 11
assert_disks <<'TEXT'
7 erased and .capacity_bytes == 4000 * 512 and .restored == [{by: "hpa", blocks: 1000}] and .verify.read == 4000
8 erased and .capacity_bytes == 4000 * 512 and .restored == [{by: "ama", blocks: 1000}]
9 erased and .capacity_bytes == 4000 * 512 and .restored == [{by: "dco", blocks: 500}]
11 erased and .capacity_bytes == 2000 * 4096 and .restored == [{by: "ama", blocks: 500}]
TEXT
for d in 7 8 9 11; do assert_eq 0 "$(old $d)" "old bytes on disk $d"; done
for d in 7 8 9 11; do replug $d; assert_match '^hidden-blocks +not reported' "$T/out"; done

# an overlay behind an HPA: the disk loses power in between, and the same command goes on
restore 2 10
assert_match '500 hidden blocks were restored, but it refuses DEVICE CONFIGURATION RESTORE' "$T/err"
assert_match 'plug it in again' "$T/err"
assert_untouched 10 5a
restore 2 10
replug 10
restore 0 10
assert_disks <<<'10 erased and .capacity_bytes == 4000 * 512 and .restored == [{by: "dco", blocks: 500}]'
assert_eq 0 "$(old 10)" 'old bytes on disk 10'

# frozen until power is off: AMA, DCO; once in a power cycle
cut 8 3000
ata 8 85 07 20 00 02 00 00 00 00 00 00 00 00 40 78 00
restore 2 8
assert_match 'refuses SET ACCESSIBLE MAX ADDRESS EXT until it has lost power' "$T/err"
replug 8
restore 0 8
assert_disks <<<'8 erased and .restored == [{by: "ama", blocks: 1000}]'
cut 8 3000
restore 2 8
assert_match 'until it has lost power' "$T/err"
ata 15 85 06 20 00 c1 00 00 00 00 00 00 00 00 40 b1 00
expect 0 dw inspect "${node[15]}"
assert_match '^ata-dco +unknown \(the disk refuses' "$T/out"
restore 2 15
assert_match 'does not tell what a configuration overlay \(DCO\) hides' "$T/err"
erase 0 --command=write --verify=off -- 15
assert_disks <<<'15 erased and (.notes | any(test("not known what a DCO hides.*may be frozen")))'
replug 15
restore 0 15
assert_disks <<<'15 erased and .capacity_bytes == 4000 * 512'

# deaf: it shows what it showed
restore 2 14
assert_match 'took SET MAX ADDRESS EXT, and shows what it showed' "$T/err"
assert_untouched 14 5a

# half of the address: with another format of sense data it comes whole, or the disk keeps its part
for d in 12 13; do cut $d 30000000; done
erase 3 --hidden=restore --method=sanitize-crypto -- 12 13
assert_disks <<'TEXT'
12 .outcome == "erased" and .capacity_bytes == 20 * 1024 * 1024 * 1024 and .restored == [{by: "hpa", blocks: 11943040}]
13 .outcome == "erased-with-exceptions" and .hidden_by == "hpa" and (.hidden_reason | test("leave out half")) and (.reason | test("cannot be read back"))
TEXT

# two paths: over both it is as large as it is
refill() { # DISK
	enc "plant $1 0 4000 0x5a" >/dev/null
	cut "$1" 3000
}
cut 16 3000
echo 1 >"/sys/class/scsi_generic/${node[17]##*/}/device/rescan"
expect 0 dw erase --yes --json --hidden=restore --command=write --verify=full "${node[16]}"
assert_disks <<<'16 erased and .capacity_bytes == 4000 * 512 and (.paths | length == 4)'
assert_eq 0 "$(old 16)" 'old bytes on disk 16'
for d in 16 17; do
	assert_eq 4000 "$(($(size_of "$(sd_of "${node[$d]}")") / 512))" "blocks over path $d"
done

# another disk comes right before the command: neither is told anything
refill 0
refill 1
selects() { enc stats | jq "[.disks[] | select(.disk == $1) | .opcodes[\"55\"] // 0] | add"; }
before=$(selects 0)/$(selects 1)
enc 'fault kind=slow op=0x5a disk=0 ms=700' >/dev/null
start --yes --hidden=restore --command=write "${node[0]}"
job_says 'forecast'
sleep 0.1
enc 'swap 0 1 quiet' >/dev/null
got=0
wait $job || got=$?
assert_eq 2 $got 'exit status'
assert_match 'another disk answers at its node; nothing more was sent' "$T/err"
enc 'clear-all' >/dev/null
enc 'swap 0 1 quiet' >/dev/null
assert_eq "$before" "$(selects 0)/$(selects 1)" 'MODE SELECTs'
assert_untouched 0 5a
assert_untouched 1 5a

# killed when the disk is as large as it is, and nobody knows yet: the same command goes on
before=$(selects 0)
enc 'fault kind=slow op=0x9e disk=0 ms=500' >/dev/null
start --yes --hidden=restore --command=write --verify=full --state="$T/state" "${node[0]}"
raised() { (($(selects 0) > before)); }
wait_for 30 raised
kill -KILL $job
wait $job || true
enc 'clear-all' >/dev/null
[[ ! -e $T/state ]] || fail 'it was killed too late'
assert_eq 3000 "$(($(size_of "$(sd_of "${node[0]}")") / 512))" 'blocks of disk 0'
assert_untouched 0 5a
restore 0 0
assert_disks <<<'0 erased and .capacity_bytes == 4000 * 512 and .restored == []'
assert_eq 4000 "$(($(size_of "$(sd_of "${node[0]}")") / 512))" 'blocks of disk 0'

# stopped after that, and the disk has forgotten what it showed: it is shown again, and gone on with;
# where that does not help, the state is of another disk
refill 0
enc 'fault kind=slow op=write disk=0 ms=20' >/dev/null
start --yes --json --hidden=restore --command=write --verify=full --controller=fixed:16 --depth=1 \
	--flush-every=64KiB --state="$T/state" --progress=plain "${node[0]}"
job_says 'writing, pass'
sleep 1
kill -INT $job
wait $job || true
enc 'clear-all' >/dev/null
assert_json "$T/state" '.disks[0] | .capacity_bytes == 4000 * 512 and .lba > 0 and .lba < 4000'
cut 0 3000
enc 'set 0 deaf=1' >/dev/null
expect 2 dw erase --yes --json --resume="$T/state"
assert_match 'knows more blocks than it shows.*took MODE SELECT' "$T/err"
enc 'set 0 deaf=0' >/dev/null
expect 0 dw erase --yes --json --resume="$T/state"
assert_disks <<<'0 .outcome == "erased" and .capacity_bytes == 4000 * 512 and .bytes_written < .capacity_bytes and .restored == [{by: "mode-select", blocks: 1000}]'
assert_eq 0 "$(old 0)" 'old bytes on disk 0'
