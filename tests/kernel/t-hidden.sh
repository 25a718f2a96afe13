#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/hidden.conf
# needs: jq
# timeout: 600
# shellcheck disable=SC2016,SC2154
# Blocks that a disk hides: found, told, and of SCSI disks shown again and erased; those that lie.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
. "$(dirname "$0")/hidden.sh"
find_nodes

assert_eq 18 ${#node[@]} disks
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
assert_eq 3000 "$(blocks_of 0)" 'blocks of disk 0'

# SCSI: by a plan; untold; 520 bytes; all is erased and verified
expect 0 dw erase --yes --json --plan="$T/plan"
assert_disks <<'TEXT'
0 erased and .capacity_bytes == 4000 * 512 and .hidden_blocks == 0 and .restored == [{by: "mode-select", blocks: 1000}] and .verify.read == 4000
TEXT
assert_eq 0 "$(old 0)" 'old bytes on disk 0'
assert_eq 4000 "$(blocks_of 0)" 'blocks of disk 0'
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

# cut, and its MODE SENSE has no block descriptor: that it may hide blocks is said
refill 0
enc 'set 0 bare=1' >/dev/null
erase 0 --command=write -- 0 1
assert_disks <<'TEXT'
0 .outcome == "erased" and .hidden_blocks == 0 and (.notes | any(test("tells its native capacity")))
1 .outcome == "erased" and (.notes | any(test("tells its native capacity")) | not)
TEXT
