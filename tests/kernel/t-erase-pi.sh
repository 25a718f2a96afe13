#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# needs: sg_readcap
# Protection types 1 to 3: the disk makes the protection, what is read has none.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

for dif in 1 2 3; do
	modprobe scsi_debug dev_size_mb=1 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0 \
		dif=$dif dix=0
	settle
	mapfile -t sg < <(sg_nodes)
	mapfile -t sd < <(sd_nodes)
	expect 0 sg_readcap -16 "${sg[0]}"
	assert_match "prot_en=1, p_type=$((dif - 1))," "$T/out"
	for command in write write-same; do
		plant_random "${sd[@]}"
		erase 0 --command=$command --controller=fixed:333 --verify=full -- "${sg[@]}"
		assert_result 2 ".command == \"$command\" and .bytes_verified == 1048576"
		assert_erased 00 "${sd[@]}"
		assert_ends 00 "${sg[1]}"
	done
	rmmod scsi_debug
done
