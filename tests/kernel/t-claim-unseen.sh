#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# needs: jq
# Who uses the disk cannot be seen at the end: the job waits, and ends well when it can; when it is
# stopped meanwhile it goes on later, and nothing is written again.
. "$(dirname "$0")/lib.sh"

disk=$(sd_nodes)
echo 50000000 >/sys/bus/pseudo/drivers/scsi_debug/ndelay
sleep 1000 &
covered=$!
for how in waits stopped; do
	start --yes --json --verify=full --controller=fixed:1024 --progress=plain --state="$T/state" "$disk"
	job_says 'writing, pass'
	expect 0 mount -t tmpfs none "/proc/$covered"
	job_says "process $covered .* cannot be looked into .*; it is looked at again"
	[[ $how == waits ]] || kill -INT "$job"
	status=0
	[[ $how == stopped ]] || expect 0 umount "/proc/$covered"
	wait "$job" || status=$?
	[[ $how == stopped ]] || assert_eq 0 $status 'exit status'
done
assert_eq 130 $status 'exit status'
assert_json "$T/out" '.disks[0].outcome == "stopped"'
expect 0 umount "/proc/$covered"
expect 0 dw --yes --json --resume="$T/state"
assert_json "$T/out" '.disks[0] | .outcome == "erased" and .bytes_written == 0'
assert_holds_only "$disk"
kill $covered
