#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0" --udev
# needs: parted udevadm sg_dd
# With udevd at work: a disk that it looks at right now is waited for, not refused; while
# the disk is claimed udevd leaves it alone; afterwards it forgets the partitions.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
disk=${sd[0]}
for round in 1 2 3; do
	expect 0 parted -s "$disk" mklabel gpt mkpart a ext2 1MiB 6MiB
	# no settling: udevd has just begun
	expect 0 probe write "$disk"
	wait_for 60 test ! -e "${disk}1"
	assert_eq 0 "$(read_lba "$(sg_of "$disk")" 0 32768 | tr -d '\0' | wc -c)" "bytes left, round $round"
done
expect 0 udevadm settle
# a change event for a claimed disk: udevd must not have opened it
udevadm monitor --udev --subsystem-match=block >"$T/events" &
pid=$!
export disk
# one at a time: when the event of another device is over, that of the disk has had its turn
expect 0 udevadm control --children-max=1
# shellcheck disable=SC2016
expect 0 probe claim "$disk" bash -c '
	echo change >"/sys/class/block/${disk##*/}/uevent"
	udevadm trigger --settle --action=change /sys/class/mem/null
	"$DW_PROBE_TOOL" examine "$disk"'
assert_no_match 'open in process [0-9]+ \(.*udev' "$T/out"
kill "$pid"
