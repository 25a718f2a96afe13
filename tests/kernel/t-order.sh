#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/order.conf
# needs: jq
# Swept in another order than upwards: stopped, continued, and every block is erased once.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

# First blocks of the good writes of disk 0 in the order in which they left. The trace is in the
# order of completion, and of two that are on their way the second may be the first to end.
sent() { awk '$3 == "write" && $2 == 0 && $8 == "ok" { print $9, $4 }' "$T/trace" | sort -n | cut -d' ' -f2; }

near=(--order=near-first --near=8000-12000)
plant_random /dev/sda /dev/sdb /dev/sdc
for n in 0 1 2; do enc "fault kind=hold disk=$n op=write min=2 lba=20480-21503"; done
start erase --yes --expect-count=3 --json --progress=plain --command=write --pattern=5a \
	--flush-every=512KiB --state="$T/state" --trace="$T/trace" "${near[@]}" \
	/dev/sg0 /dev/sg1 /dev/sg2
await_held 0 1 2
kill -INT $job
job_says stopping
enc clear-all
wait $job || true
assert_json "$T/out" 'all(.disks[]; .outcome == "stopped" and .stopped.lba > 0
	and .stopped.lba < 32768 and (.reason | test("^stopped at block ")))'
# 32768 blocks, 32 regions of 1024: the last one is the farthest from 8000-12000
assert_eq 31744 "$(sent | sed -n 1p)" 'first LBA'
enc reset-all >/dev/null

# the file knows the order; another cannot be asked for
expect 1 dw erase --resume "$T/state" --yes --order=ascending
expect 0 dw erase --resume "$T/state" --yes --expect-count=3 --json --trace="$T/trace"
assert_json "$T/out" 'all(.disks[]; .outcome == "erased" and (.exceptions | length) == 0
	and .bytes_written < .capacity_bytes)'
assert_erased 5a /dev/sda /dev/sdb /dev/sdc
# near blocks come last
last=$(sent | tail -n 1)
((last >= 8000 - 1024 && last < 12000 + 1024)) || fail "the last LBA, $last, is not near"
