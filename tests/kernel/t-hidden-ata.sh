#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/hidden.conf
# needs: jq sg_raw
# timeout: 600
# shellcheck disable=SC2016,SC2154
# Blocks that HPA, AMA and DCO hide are shown again and erased, as far as the disk obeys.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
. "$(dirname "$0")/hidden.sh"
find_nodes

for d in 7 8 10 14 15; do cut $d 3000; done
cut 11 1500

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
start --yes --expect-count=2 --json --progress=plain --hidden=restore --command=write --verify=off \
	"${node[12]}" "${node[13]}"
job_says "${node[12]}: writing, pass"
job_says "${node[13]}: writing, pass"
kill -INT $job
wait $job || true
assert_disks <<'TEXT'
12 .outcome == "stopped" and .capacity_bytes == 20 * 1024 * 1024 * 1024 and .restored == [{by: "hpa", blocks: 11943040}] and .hidden_blocks == 0
13 .outcome == "stopped" and .capacity_bytes == 30000000 * 512 and .restored == [] and .hidden_by == "hpa" and (.hidden_reason | test("leave out half"))
TEXT
