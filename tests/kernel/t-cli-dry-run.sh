#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=1 per_host_store=1 add_host=14 num_tgts=1 max_luns=1 delay=0"
# guest: --kernel-arg log_buf_len=4M
# What is said to read only does: the disk logs what it is sent, and of commands that could
# change something there are none. How long 14 disks take to look at is reported.
. "$(dirname "$0")/lib.sh"

mapfile -t sg < <(sg_nodes)
# INQUIRY, REPORT LUNS, READ CAPACITY, READ, MODE SENSE, LOG SENSE, TEST UNIT READY, REQUEST
# SENSE, REPORT SUPPORTED OPERATION CODES (A3/0C), PERSISTENT RESERVE IN
reading='12|a0|25|9e 10|08|28|88|a8|1a|5a|4d|00|03|a3 0c|5e'
seen() {
	dmesg | grep -oP 'scsi_debug: tag=.*, cmd \K[0-9a-f]{2} [0-9a-f]{2}' | sort | uniq -c
}
look() { # COMMAND...
	local start=$EPOCHREALTIME
	dmesg -C
	echo 1 >/sys/bus/pseudo/drivers/scsi_debug/opts
	expect 0 "$@"
	echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
	printf '%s: %d ms\n' "${*:2:2}" $(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	seen >"$T/seen"
	assert_match . "$T/seen"
	! grep -vE "^ *[0-9]+ ($reading)" "$T/seen" || fail "more than reading: $*"
}
look dw erase --dry-run "${sg[@]}"
look dw erase --no-act --json --write-cache=on --reserve "${sg[@]}"
look dw list
# whether it does SYNCHRONIZE CACHE (35, 91) a disk says only when it is sent
reading="$reading|35 00|91 00" look dw inspect "${sg[0]}"
look dw verify --method=zero "${sg[@]}"
look dw plan -o "$T/plan" "${sg[@]}"

# and it would be seen
dmesg -C
echo 1 >/sys/bus/pseudo/drivers/scsi_debug/opts
expect 0 dw erase --yes "${sg[0]}"
seen >"$T/seen"
grep -qE ' (8a|2a) ' "$T/seen" || fail 'the log shows no write'
