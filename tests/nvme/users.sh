#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/nvme/machine-test runs: who uses an NVMe disk by another node than its own, and users
# in the kernel that hold no claim.
. "$(dirname "$0")/../kernel/lib.sh"
. "$(dirname "$0")/targets.sh"

# Refused by the list and by the program, for one reason; the disk is what it was.
refused() { # DISK REFUSAL REASON-REGEX [RELEASE]
	local before
	before=$(sha_of "$1")
	dw list --json "$1" >"$T/list" || true
	assert_json "$T/list" '.disks[0] | .verdict == $r and (.reason | test($t))' \
		--arg r "$2" --arg t "$3"
	expect 2 dw erase --yes --json "$1"
	assert_json "$T/out" '.refused[0].reason | test($t)' --arg t "$3"
	(($# < 4)) || assert_eq "$4" "$(jq -r '.refused[0].release' <"$T/out")" 'release command'
	assert_eq "$before" "$(sha_of "$1")" "content of $1"
}
free() { # DISK
	dw list --json "$1" >"$T/list"
	assert_json "$T/list" '.disks[0].erasable'
}
held_by() { # DISK NODE
	local pid
	sleep 600 7<"$2" &
	pid=$!
	wait_for 10 grep -qx sleep "/proc/$pid/comm"
	refused "$1" open "^open in process $pid \\(sleep\\) by $2, which reaches this disk; that process has to end\$"
	kill $pid
	wait $pid || true
	free "$1"
}
released() { # DISK: by the command that was printed last
	bash -c "$(jq -r '.refused[0].release' <"$T/out")"
	free "$1"
}

mount -t configfs configfs /sys/kernel/config
wait_for 30 controller_of QEMUNVME
disk=/dev/$(controller_of QEMUNVME)n1
wait_for 30 test -b "$disk"
free "$disk"

# its generic node and its controller
for node in "${disk/nvme/ng}" "${disk%n1}"; do held_by "$disk" "$node"; done
said 'generic node and controller'

# written through the generic node while it is verified: no counter of the kernel tells of that
mkfifo "$T/go"
"$(dirname "$0")/passthru.py" "${disk/nvme/ng}" <"$T/go" >"$T/passthru" &
writer=$!
exec 8>"$T/go"
start erase --yes --json --progress=plain --command=write --verify=full --controller=fixed:8 --depth=1 "$disk"
job_says 'verifying'
kill -STOP "$job" # however slow the other program is
echo >&8
wait_for 60 grep -q written "$T/passthru"
kill -CONT "$job"
got=0
wait "$job" || got=$?
assert_eq 4 $got 'exit status'
assert_json "$T/out" '.disks[0] | .outcome == "failed" and (.reason | test("by /dev/ng[0-9]+n1"))'
exec 8>&-
wait "$writer"
free "$disk"
said 'written while it was verified'

# one disk with two controllers, by the kernel's multipath
target two 1 cmic=2
connect nqn.2026-11.test:two ,duplicate_connect
wait_for 30 eval '[[ $(ls -d /sys/class/nvme-subsystem/*/nvme*n1/../nvme[0-9]* | grep -c "/nvme[0-9]*$") == 2 ]]'
shared=$(echo /sys/devices/virtual/nvme-subsystem/*/nvme*n1)
[[ -e $shared ]] || fail 'no disk of two controllers'
wait_for 30 eval '[[ $(ls -d "${shared%/*}"/nvme*/nvme*c*n1 | wc -l) == 2 ]]'
two=/dev/${shared##*/}
free "$two"
held_by "$two" "${two/nvme/ng}"
for node in "${shared%/*}"/nvme*; do
	[[ ${node##*/} == nvme*n* ]] || held_by "$two" "/dev/${node##*/}"
done
said 'other controllers'

# users in the kernel
space=/sys/kernel/config/nvmet/subsystems/x/namespaces/1
mkdir "${space%/namespaces/1}"
mkdir "$space"
echo "$disk" >"$space/device_path"
free "$disk"
echo 1 >"$space/enable"
refused "$disk" holder '^NVMe target x/namespaces/1 \(nvme[0-9]+n1\)$' "echo 0 > $space/enable"
released "$disk"
lun=/sys/kernel/config/usb_gadget/g/functions/mass_storage.0/lun.0
mkdir "${lun%/functions*}"
mkdir "${lun%/lun.0}"
echo "$disk" >"$lun/file"
refused "$disk" holder '^USB gadget g/functions/mass_storage.0/lun.0 ' "echo > $lun/file"
released "$disk"
said 'users in the kernel'

# and after all that nobody has it
expect 0 dw erase --yes --json --command=write --verify=full "$disk"
assert_json "$T/out" '.disks[0].outcome == "erased"'
