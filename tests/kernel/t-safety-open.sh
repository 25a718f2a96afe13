#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# needs: jq sg_dd parted
# A process that has any node of the disk open is named, and so is a node that the list does not
# show; so is one that holds the lock.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
sg=$(sg_of "${sd[0]}")
plant "${sd[0]}"
expect 0 parted -s "${sd[0]}" mklabel gpt mkpart a ext2 1MiB 6MiB
wait_for 60 test -b "${sd[0]}1"
for node in "${sd[0]}" "${sd[0]}1" "$sg" "/dev/bsg/0:0:0:0"; do
	[[ -e $node ]] || continue
	sleep 1000 3<"$node" &
	pid=$!
	wait_for 60 has_line '^sleep$' "/proc/$pid/comm"
	named=" by $node, which reaches this disk; that process has to end"
	[[ $node != "${sd[0]}" && $node != "$sg" ]] || named=''
	assert_refused "${sd[0]}" open "^open in process $pid \\(sleep\\)$named\$"
	kill "$pid"
	wait "$pid" || true
	assert_free "${sd[0]}"
done

# O_EXCL of a process that can be named (the claim waits a while for it)
flock --nonblock "${sd[0]}" sleep 1000 &
pid=$!
wait_for 60 pgrep -P "$pid" sleep
assert_refused "$sg" open "^open in process [0-9]+ \\((flock|sleep)\\)\$"
pkill -P "$pid"
wait "$pid" || true
assert_free "$sg"

# another diskwipe: its claim keeps us off
"$DW_PROBE_TOOL" claim "${sd[0]}" sleep 1000 2>"$T/claim" &
pid=$!
wait_for 60 test -s "$T/claim"
assert_eq "O_EXCL on ${sd[0]}" "$(<"$T/claim")"
assert_refused "$sg" open "^open in process $pid \\(probe-tool\\)\$"
kill "$(pgrep -P "$pid" sleep)"
wait "$pid" || true
assert_free "$sg"
