#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/interrupted.conf
# needs: jq
# A process that is stopped and goes on, as by a shell's job control, a tracer or a suspend, sends no
# command twice, be it a write or a read: the first would reach the disk when the job is long over.
. "$(dirname "$0")/lib.sh"

mapfile -t sg < <(sg_nodes)
length=$((512 * 1024)) # of a command, or a little more
interrupt() {
	await_held 0 1
	kill -STOP "$job"
	wait_for 60 has_line '^State:.*stopped' "/proc/$job/status"
	kill -CONT "$job"
	for d in 0 1; do enc "clear $d"; done
}
moved() { enc stats | jq ".disks[$1].bytes_$2"; } # DISK written|read
moved_all() { for d in 0 1; do for way in written read; do moved $d $way; done; done; }

mapfile -t before < <(moved_all)
for d in 0 1; do enc "fault kind=hold disk=$d op=write min=2 lba=8000"; done
enc 'fault kind=hold op=read min=2 lba=8000 count=2' # which "clear" of a disk leaves
start --yes --expect-count=2 --json --command=write --controller=fixed:1024 --depth=1 \
	--verify=full "${sg[@]}"
interrupt
interrupt
got=0
wait "$job" || got=$?
assert_eq 0 $got 'exit status'
mapfile -t after < <(moved_all)
for i in "${!after[@]}"; do
	size=$(jq ".disks[$((i / 2))].capacity_bytes" "$T/out")
	more=$((after[i] - before[i] - size))
	((more >= 0 && more < length)) || fail "disk $((i / 2)): $more bytes more than its capacity"
done
