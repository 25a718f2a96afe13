#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "sector_size=4096 physblk_exp=0 dev_size_mb=16 per_host_store=1 add_host=2 num_tgts=1 max_luns=2 delay=0 lbpu=1"
# guest: --lio
# needs: jq sg_vpd sg_inq mkfs.ext2
# The list, with no udevd, beside what the kernel and sg3_utils say.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/safety.sh"

lio_fileio f0 16777216
lio_export fileio f0
expect 0 mkfs.ext2 -q "$(sd_nodes | head -1)"
probe list >"$T/list"
assert_eq 5 "$(wc -l <"$T/list")" 'disks in the list'
n=0
jq -r '[.sg, .block, .address, .blocks * .block_size, .block_size, .physical, .serial, .wwn,
	.verdict.refusal] | @tsv' <"$T/list" >"$T/table"
while read -r sg sd address bytes sector physical serial wwn refusal; do
	q=/sys/class/block/${sd##*/}/queue
	assert_eq "$(sd_of "$sg")" "$sd" "block node of $sg"
	assert_eq "$(basename "$(realpath "/sys/class/block/${sd##*/}/device")")" \
		"$address" "address of $sg"
	assert_eq "$(size_of "$sd")" "$bytes" "capacity of $sg"
	assert_eq "$(<"$q/logical_block_size")" "$sector" "sectors of $sg"
	assert_eq "$(<"$q/physical_block_size")" "$physical" "physical sectors of $sg"
	assert_eq "$(sg_vpd -p sn "$sg" | sed -En 's/ *(Unit|Product) serial number: //p')" \
		"$serial" "serial number of $sg"
	assert_eq "$(sg_vpd -p di -i "$sg" | sed -n 's/^ *\(0x[0-9a-f]*\)$/\1/p' | head -1)" \
		"$wwn" "WWN of $sg"
	assert_eq none "$refusal" "verdict of $sg"
	n=$((n + 1))
done <"$T/table"
assert_eq 5 $n 'disks looked at'
assert_eq ext2 "$(head -1 "$T/list" | jq -r .verdict.signatures)" 'signatures'
assert_eq "$(jq -r .address <"$T/list" | sort -t: -n -k1,1 -k4,4)" "$(jq -r .address <"$T/list")" 'order'

if [[ -x ${DISKWIPE:-} ]]; then
	expect 0 dw list --json
	for key in serial wwn; do
		assert_eq "$(jq -r ".$key" <"$T/list")" "$(jq -r ".disks[].$key" <"$T/out")" "$key in the program's list"
	done
fi
