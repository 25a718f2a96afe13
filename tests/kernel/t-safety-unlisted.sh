#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# guest: --module dm_mod --module dm_multipath --module dm_round_robin
# needs: dmsetup jq python3 sg_dd
# Who uses a disk without an entry among the descriptors of its process: a mapping, also of a process
# whose first thread has ended, a thread with a table of its own, a file registered with io_uring, and
# that of a ring which has no descriptor itself. And who is no multipathd, though it has that name.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

disk=$(sd_nodes)
sg=$(sg_of "$disk")
plant "$disk"
mkfifo "$T/stay"
exec 5<>"$T/stay"
hold() { # HOW NODE [NAME]
	python3 holder.py "$@" <&5 5<&- >"$T/ready" &
	pid=$!
	wait_for 60 has_line ready "$T/ready"
}
let_go() {
	kill "$pid"
	wait "$pid" || true
	: >"$T/ready"
}

for how in mapped leader thread ring; do
	hold $how "$disk"
	ls -l "/proc/$pid/fd" >"$T/fds"
	assert_no_match "$disk" "$T/fds"
	assert_verdict "$disk" open "^open in process $pid \\(python3\\)\$"
	[[ $how != mapped ]] || assert_refused "$disk" open "^open in process $pid"
	let_go
	assert_free "$disk"
done
for how in ring-mapped ring-registered; do
	hold $how "$disk"
	ls -l "/proc/$pid/fd" >"$T/fds"
	assert_no_match "$disk|io_uring" "$T/fds"
	reason="process $pid \\(python3\\) has an io_uring without a descriptor, which cannot be looked into"
	if [[ $how == ring-mapped ]]; then
		assert_refused "$disk" unseen "$reason"
	else
		assert_verdict "$disk" unseen "$reason"
	fi
	let_go
	assert_free "$disk"
done
hold thread "$sg"
assert_verdict "$sg" open "^open in process $pid \\(python3\\)\$"
let_go

# the daemon of a multipath map may have its paths open; who only calls itself so may not
mkdir -p /dev/mapper
[[ -e /dev/mapper/control ]] || mknod /dev/mapper/control c 10 236
expect 0 dmsetup create mp0 --noudevsync --table \
	"0 $(blockdev --getsz "$disk") multipath 0 0 1 1 round-robin 0 1 1 $disk 1"
assert_free "$disk"
hold thread "$disk" multipathd
assert_verdict "$disk" open "^open in process $pid \\(multipathd\\)\$"
let_go
for place in /run/multipathd /usr/sbin/multipathd; do
	cp "$(command -v sleep)" $place
	$place 60 <"$disk" &
	pid=$!
	wait_for 60 has_line '^multipathd$' "/proc/$pid/comm"
	if [[ $place == /run/* ]]; then
		assert_verdict "$disk" open "^open in process $pid \\(multipathd\\)\$"
	else
		assert_free "$disk"
		chmod g+w $place
		assert_verdict "$disk" open
	fi
	let_go
done
