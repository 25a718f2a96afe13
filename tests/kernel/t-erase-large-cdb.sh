#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "virtual_gb=2050 fake_rw=1 dev_size_mb=8 num_tgts=1 max_luns=1 delay=0"
# guest: --kernel-arg log_buf_len=1M
# Plain writes over the mark of 2^32 blocks: a job that goes on shortly before it ends at the
# last block, and the disk, which stores nothing but logs what it is sent, saw each address.
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

blocks=$((2050 * (1 << 30) / 512)) start=4294000000 mark=$((1 << 32))
"$DISKWIPE" --yes --command=write --controller=fixed:8192 --verify=off --state="$T/state" \
	--flush-every=1GiB /dev/sg0 >"$T/out" 2>&1 &
job=$!
wait_for 60 grep -q '"lba":[1-9]' "$T/state"
kill -INT $job
wait $job && fail 'was not stopped'
text=$(sed -E 's/"checksum":"[0-9a-f]*",//' "$T/state")
assert_eq "$(grep -oP '"checksum":"\K[0-9a-f]*' "$T/state")" "$(crc64 "$text")" checksum
text=$(sed -E "s/\"lba\":[0-9]+/\"lba\":$start/" <<<"$text")
printf '{"checksum":"%s",%s' "$(crc64 "$text")" "${text#\{}" >"$T/state"

dmesg -C
echo 1 >/sys/bus/pseudo/drivers/scsi_debug/opts
expect 0 dw erase --resume="$T/state" --yes --json --trace="$T/trace"
echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
assert_json "$T/out" '.job.outcome == "erased"'

# WRITE(16): operation code, flags, 8 bytes of address, 4 of length
dmesg | grep -oP 'cmd 8a \K([0-9a-f]{2} ){15}' | tr -d ' ' |
	while read -r cdb; do echo $((16#${cdb:2:16})) $((16#${cdb:18:8})); done | sort -n >"$T/seen"
awk '$3 == "write" { print $4, $5 }' "$T/trace" | sort -n | cmp - "$T/seen"
awk -v end=$start -v blocks=$blocks -v mark=$mark '$1 != end { exit 1 }
	{ end = $1 + $2; if (end <= mark) below++; if ($1 >= mark) above++ }
	END { exit !(below > 50 && above > 400 && end == blocks) }' "$T/seen" || fail 'a gap'
