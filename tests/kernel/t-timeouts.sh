#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=2 per_host_store=1 add_host=3 num_tgts=1 max_luns=1 ndelay=1000000"
# guest: --enclosure racks/timeouts.conf
# kernel: release (scsi_debug of 7.2 waits for ever in the reset of a host whose commands have no answer)
# needs: jq sg_reset
# timeout: 240
# Commands that get no answer, and the kernel's own error handler behind them: it aborts them, resets
# their device, target and bus, and their host. Each disk of scsi_debug has a host, and a store, for
# itself; beside them are disks that are well. The time of each command is a sixtieth of what the
# program gives it. Which command is the first without an answer is counted, not timed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
driver=/sys/bus/pseudo/drivers/scsi_debug

shelf=() fake=() sd=()
for node in $(sg_nodes); do
	if [[ $(<"/sys/class/scsi_generic/${node##*/}/device/vendor") == Linux* ]]; then
		fake+=("$node") sd+=("$(sd_of "$node")")
	else
		shelf+=("$node")
	fi
done
assert_eq '3 2' "${#fake[@]} ${#shelf[@]}"

host_of() { # SG
	local address
	address=$(basename "$(realpath "/sys/class/scsi_generic/${1##*/}/device")")
	echo "${address%%:*}"
}
# from the COUNT-th command on scsi_debug answers nothing
silent_from() { # COUNT
	echo 0 >$driver/statistics # and counts from 0
	echo "-$1" >$driver/every_nth
	echo 4 >$driver/opts
}
answer_again() {
	echo 0 >$driver/opts
	echo 0 >$driver/every_nth
}
begin() { # OPTION...
	: >"$T/err"
	TIMEOUT_SHARE=60 LD_PRELOAD=${DISKWIPE%/tools/*}/tests/kernel/short-timeouts.so \
		"$DISKWIPE" erase --yes --json --progress=plain --controller=fixed:8 --depth=1 \
		--command=write --verify=full "$@" >"$T/out" 2>"$T/err" &
	job=$!
}
# so many aborts of the driver, and so many resets of its hosts
handled() { # ABORTS HOSTS
	local line aborts=0 hosts=0
	while read -r line; do
		[[ $line == *' command aborts='* ]] && aborts=${line##*=}
		[[ $line == 'RESETs: '* ]] && hosts=${line##*=}
	done <"/proc/scsi/scsi_debug/$(host_of "${fake[0]}")"
	((aborts >= $1 && hosts >= $2))
}

for node in "${fake[@]}"; do
	echo 1 >"/sys/class/scsi_generic/${node##*/}/device/timeout" # of the kernel's own commands
	echo 1 >"/sys/class/scsi_generic/${node##*/}/device/eh_timeout"
done
# it gives nothing up: its host is reset at once
echo 0 >"/sys/class/scsi_host/host$(host_of "${fake[1]}")/eh_deadline"
plant_random "${sd[@]}"

# All three are silent in the middle of their writing, and answer again when the kernel has aborted
# the commands of two, and begins to reset the host of the third.
silent_from 1000
begin --expect-count=5 "${fake[@]}" "${shelf[@]}"
wait_for 60 handled 2 1
answer_again
# while it goes on the kernel resets its device, its target and its bus
for how in d t b; do sg_reset "-$how" "${fake[0]}" >/dev/null; done
ends() { # STATUS
	local status=0
	wait $job || status=$?
	((status == $1)) || { cat "$T/err" >&2; fail "status $status"; }
}
of() { # SG FILTER
	assert_json "$T/out" ".disks[] | select(.device == \$d) | $2" --arg d "$1"
}
ends 0
assert_match 'RESETs: device=1, target=1, bus=1, host=1$' "/proc/scsi/scsi_debug/$(host_of "${fake[0]}")"
for node in "${fake[@]}"; do of "$node" '.outcome == "erased" and .errors.timeouts > 0'; done
of "${fake[0]}" '.errors.resets > 0'
for node in "${shelf[@]}"; do of "$node" '.outcome == "erased" and .errors == {retried: 0, split: 0, timeouts: 0, resets: 0}'; done
assert_erased 00 "${sd[@]}"

# Silent for good: it is not called erased, and costs the others nothing. What the kernel tries is
# in vain as well, so that one of the two is offline in the end.
plant_random "${sd[@]:1}"
silent_from 800
begin --expect-count=4 --stall-budget=4s "${fake[@]:1}" "${shelf[@]}"
ends 3
answer_again
of "${fake[1]}" '.outcome == "removed"'
assert_eq offline "$(<"/sys/class/scsi_generic/${fake[1]##*/}/device/state")"
of "${fake[2]}" '.outcome == "failed" and (.reason | test("^stall budget used up"))'
for node in "${shelf[@]}"; do of "$node" '.outcome == "erased" and .errors.timeouts == 0 and .errors.resets == 0'; done
awk '/: erased$/ { n++ } /: (failed|removed)/ { exit n < 2 }' "$T/err" || fail 'a disk that is silent kept the others'
# the end of it was not reached
tail -c 65536 "$T/planted" >"$T/end"
read_disk "${sd[2]}" | tail -c 65536 | cmp - "$T/end"
