#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/resume.conf --module loop --module dm_mod
# needs: mke2fs losetup dmsetup
# What signals do: SIGUSR1 tells how far the disks are, the first SIGINT ends the job in good
# order, a second one at once, SIGTERM has its own status; then the job is resumed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/resume.sh"

# Begins a job, or goes on with one, and holds its disks at an LBA, until it has ended.
begin() { # LBA OPTION...
	local n
	for n in 0 1 2; do enc "fault kind=hold disk=$n op=write min=2 lba=$1"; done
	start erase --yes --json --progress=plain "${@:2}"
	await_held 0 1 2
}
ended() { # STATUS
	local status=0
	enc clear-all
	wait $job || status=$?
	assert_eq "$1" $status 'exit status'
}
byte=00 status=130
plant_random "${resume_sd[@]}"

begin 4096 --expect-count=3 --command=write --verify=full --state="$T/state" \
	--flush-every=256KiB --controller=fixed:128 "${resume_sg[@]}"
kill -USR1 $job
job_says 'sg2.*[0-9]+ ?%'
kill -INT $job
job_says stopping
ended 130
assert_json "$T/out" '.job.outcome == "stopped" and all(.disks[]; .outcome == "stopped")'
assert_match 'to continue: diskwipe erase --resume' "$T/err"
check_state
assert_json "$T/state" 'all(.disks[]; .lba < 8192)'

begin 5120 --resume="$T/state" --expect-count=3
kill -TERM $job
job_says stopping
ended 143
check_state
begin 6144 --resume="$T/state" --expect-count=3
kill -INT $job
job_says stopping
kill -INT $job
job_says aborting
ended 130
check_state

# an edited state is no state; nothing is touched
sed 's/"lba":/&1/' "$T/state" >"$T/edited"
sha256sum "${resume_sd[@]}" >"$T/before"
expect 1 dw erase --yes --expect-count=3 --resume="$T/edited"
assert_match checksum "$T/err"
blockdev --flushbufs "${resume_sd[@]}"
sha256sum --quiet -c "$T/before"
expect 0 dw erase --yes --json --expect-count=3 --resume="$T/state"
assert_json "$T/out" 'all(.disks[]; .outcome == "erased" and .verify.blocks == 8192)'
enc reset-all >/dev/null
assert_erased 00 "${resume_sd[@]}"
# that job is over, and says so
expect 2 dw erase --yes --expect-count=3 --resume="$T/state"
assert_match 'this job is finished' "$T/err"

# killed in a pass of which nothing is on record yet: what it wrote over the one before it is known,
# and no pass is restarted
for n in 0 1 2; do enc "fault kind=hold disk=$n op=write min=2 lba=4096 nth=2"; done
start erase --yes --json --expect-count=3 --command=write --verify=off --state="$T/second" \
	--pattern=55,aa --flush-every=1GiB --controller=fixed:128 "${resume_sg[@]}"
await_held 0 1 2
kill -KILL $job
enc clear-all
wait $job || true
assert_json "$T/second" 'all(.disks[]; .pass == 1 and .lba == 0)'
expect 0 dw erase --yes --json --expect-count=3 --resume="$T/second"
assert_json "$T/out" 'all(.disks[]; .outcome == "erased" and .bytes_written < 6000000 and
	([.notes[] | select(test("^restarted: "))] == []))'
enc reset-all >/dev/null
assert_erased aa "${resume_sd[@]}"

# the disk of the state and the trace is full: the job goes on and says so, what stood there is
# a state still
mkdir "$T/small"
mount -t tmpfs -o size=64k tmpfs "$T/small"
begin 4096 --expect-count=3 --command=write --verify=off --state="$T/small/state" \
	--trace="$T/small/trace" --flush-every=256KiB --controller=fixed:128 "${resume_sg[@]}"
head -c 1M /dev/zero >"$T/small/fill" 2>/dev/null || true
enc clear-all
job_says 'state: the state cannot be written: No space left on device; the job goes on'
job_says 'trace: the trace cannot be written: No space left on device; the job goes on'
ended 1
assert_json "$T/out" 'all(.disks[]; .outcome == "erased") and .job.outcome == "erased" and
	.job.state_error == "No space left on device" and .job.trace_error == .job.state_error'
assert_match 'what stands there is older than the end of the job' "$T/err"
expect 0 dw erase --dry-run --resume="$T/small/state"
assert_match 'would erase 3 disks' "$T/out"
umount "$T/small"

# the disk of state and trace hangs: the job goes on to the end of its disks, which are given
# back, and waits for it only then
mount -t tmpfs -o size=16m tmpfs "$T/small"
head -c 12M /dev/zero >"$T/small/image"
loop=/dev/loop0
losetup $loop "$T/small/image"
mke2fs -q "$loop"
dmsetup create slow --noudevsync --table "0 $(blockdev --getsz "$loop") linear $loop 0"
dmsetup mknodes
mkdir "$T/slow"
mount -o sync /dev/mapper/slow "$T/slow"
begin 4096 --expect-count=3 --command=write --verify=off --state="$T/slow/state" \
	--trace="$T/slow/trace" --flush-every=256KiB --controller=fixed:128 "${resume_sg[@]}"
dmsetup suspend --nolockfs slow
enc clear-all
for node in "${resume_sg[@]}"; do job_says "$node: erased"; done
python3 -c 'import os, sys; os.close(os.open(sys.argv[1], os.O_RDWR | os.O_EXCL))' "${resume_sd[0]}"
kill -0 $job || fail 'it ended before its state was written'
dmsetup resume slow
ended 0
assert_json "$T/slow/state" 'all(.disks[]; .outcome == "erased")'
assert_json "$T/out" 'all(.disks[]; .outcome == "erased") and .job.state_error == null and
	.job.trace_error == null'
assert_match '^# end erased' "$T/slow/trace"
umount "$T/slow"
dmsetup remove slow
losetup -d "$loop"
umount "$T/small"
