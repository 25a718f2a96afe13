#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/large.conf
# needs: jq
# Plain writes over the mark of 2^32 blocks: a job that goes on shortly before it ends at the last
# block; every block there is gone, and none of the same low 32 bits.
. "$(dirname "$0")/lib.sh"

# CRC-64/XZ, which guards the state file
crc64() { # TEXT
	local crc=-1 i bit byte
	for ((i = 0; i < ${#1}; i++)); do
		printf -v byte %d "'${1:i:1}"
		((crc ^= byte))
		for ((bit = 0; bit < 8; bit++)); do
			((crc = ((crc >> 1) & 0x7fffffffffffffff) ^ (-(crc & 1) & 0xc96c5795d7870f42)))
		done
	done
	printf '%016x' $((~crc))
}

is() { # LBA BLOCKS HEX
	assert_eq "$1-$(($1 + $2 - 1)) 0x$3" "$(enc holds 1 "$1" "$2" | tail -n1)" "from $1 on"
}

mark=$((1 << 32)) blocks=4295167296 start=$(((1 << 32) - 100000))
enc "plant 1 $start $((blocks - start)) 0x5a"
"$DISKWIPE" --yes --command=write --controller=fixed:1024 --verify=off --state="$T/state" \
	--flush-every=64MiB /dev/sg1 >"$T/out" 2>&1 &
job=$!
wait_for 60 has_line '"lba":[1-9]' "$T/state"
kill -INT $job
wait $job && fail 'was not stopped'
text=$(sed -E 's/"checksum":"[0-9a-f]*",//' "$T/state")
assert_eq "$(grep -oP '"checksum":"\K[0-9a-f]*' "$T/state")" "$(crc64 "$text")" checksum
text=$(sed -E "s/\"lba\":[0-9]+/\"lba\":$start/" <<<"$text")
printf '{"checksum":"%s",%s' "$(crc64 "$text")" "${text#\{}" >"$T/state"
# where no address is compared
enc 'plant 1 5000 100 0x5a'

expect 0 dw erase --resume="$T/state" --yes --json --trace="$T/trace"
assert_json "$T/out" '.job.outcome == "erased"'
is $start $((blocks - start)) 00
is 5000 100 5a
awk '$3 == "write" && $8 == "ok" { print $4, $5 }' "$T/trace" | sort -n |
	awk -v end=$start -v blocks=$blocks -v mark=$mark '$1 != end { exit 1 }
		{ end = $1 + $2; if (end <= mark) below++; if ($1 >= mark) above++ }
		END { exit !(below > 50 && above > 100 && end == blocks) }' || fail 'a gap'
