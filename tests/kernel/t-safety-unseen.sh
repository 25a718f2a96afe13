#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# needs: jq sg_dd capsh
# Where processes cannot be seen, nobody is found: that is no reason to believe that there is
# nobody. Each way of not seeing refuses, and says what to do.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

# The loader finds the library of the build by /proc/self/exe.
export LD_LIBRARY_PATH=${DISKWIPE%/tools/diskwipe}/src${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
disk=$(sd_nodes)
plant "$disk"
assert_free "$disk"
sum=$(disk_sum "$disk")
# The holder that must not be missed.
# shellcheck disable=SC2217
sleep 1000 <"$disk" &
holder=$!
wait_for 60 has_line '^sleep$' "/proc/$holder/comm"

# Runs the program and the device layer under COMMAND...; both must refuse.
blind() { # REASON-REGEX COMMAND...
	local reason=$1
	shift
	expect 0 "$@" "$DW_PROBE_TOOL" examine "$disk"
	assert_json "$T/out" '.verdict.refusal == "unseen"'
	jq -r .verdict.reason <"$T/out" >"$T/reason"
	assert_match "^whether it is in use cannot be seen: $reason" "$T/reason"
	expect 2 "$@" "$DW_PROBE_TOOL" write "$disk"
	expect 2 "$@" "$DISKWIPE" --yes --json "$disk"
	assert_match "cannot be seen: $reason" "$T/err"
	expect 0 "$@" "$DISKWIPE" list --json
	assert_json "$T/out" '.disks[0].verdict == "unseen"'
	assert_eq "$sum" "$(disk_sum "$disk")" 'content'
}

assert_verdict "$disk" open "^open in process $holder "
# a container: its own PID namespace, with its /proc
blind 'diskwipe runs in a PID namespace of its own: give the container --pid=host' \
	unshare --pid --fork --mount-proc
# /proc empty, or not there
blind '/proc is not the kernel.s list of processes' \
	unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh
# one process covered
blind "process $holder .* cannot be looked into" \
	unshare --mount sh -c "mount -t tmpfs none /proc/$holder"' && exec "$@"' sh
# without the capabilities to look into others, with hidepid or without
blind 'diskwipe lacks CAP_SYS_PTRACE: run it as root' capsh --drop=cap_sys_ptrace -- -c 'exec "$@"' sh
expect 0 mount -o remount,hidepid=2 /proc
blind 'diskwipe lacks CAP_SYS_PTRACE' capsh --drop=cap_sys_ptrace -- -c 'exec "$@"' sh
# all capabilities overrule hidepid
assert_verdict "$disk" open "^open in process $holder "
expect 0 mount -o remount,hidepid=0 /proc

kill $holder
wait $holder || true
assert_free "$disk"
# the machine's /proc shows all, but not under the numbers that are known here
blind '/proc is of another PID namespace' unshare --pid --fork
# descriptors can be seen, mappings cannot
blind 'diskwipe lacks CAP_SYS_ADMIN' capsh --drop=cap_sys_admin,cap_checkpoint_restore -- -c 'exec "$@"' sh
