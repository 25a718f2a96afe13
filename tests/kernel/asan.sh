#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tools/dev/asan-smoke runs in its machine, with a build that checks every address:
# three disks of scsi_debug, and two of the enclosure behind a PCI adapter.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

said() { printf '%4d s: %s\n' $SECONDS "$*" >&2; }

settle
shelf=() fake=() sd=()
for node in $(sg_nodes); do
	case $(<"/sys/class/scsi_generic/${node##*/}/device/vendor") in
	ENCLOS*) shelf+=("$node") ;;
	Linux*) fake+=("$node") sd+=("$(sd_of "$node")") ;;
	esac
done
assert_eq '3 2' "${#fake[@]} ${#shelf[@]}" 'disks'

expect 0 dw list --json
assert_json "$T/out" '[.disks[].device] | length == 5'
expect 0 dw inspect "${fake[0]}"

plant_random "${sd[@]}"
erase 0 --verify=full --depth=4 --controller=fixed:512 -- "${fake[@]}"
assert_result 3
assert_erased 00 "${sd[@]}"
said 'zeros, written and verified'

erase 0 --method=random --verify=full --depth=4 --controller=fixed:512 -- "${fake[@]}"
assert_result 3
! holds_only "${sd[0]}" || fail 'no random bytes'
said 'random bytes, written and verified'

erase 3 --verify=full --depth=4 --controller=fixed:256 -- "${shelf[@]}"
assert_json "$T/out" '[.disks[] | .outcome] == ["erased", "erased-with-exceptions"]'
assert_json "$T/out" '[.disks[1].exceptions[] | select(.kind == "unwritable") |
	range(.lba; .lba + .blocks)] | unique == [range(5000; 5004)]'
assert_erased 00 "$(sd_of "${shelf[0]}")"
said 'disks of the enclosure, with bad blocks'

plant_random "${sd[@]}"
echo 30000000 >/sys/bus/pseudo/drivers/scsi_debug/ndelay
start --yes --expect-count=3 --json --progress=plain --verify=full --depth=4 \
	--controller=fixed:64 "${fake[@]}"
delete_at_work "${fake[1]}"
status=0
wait $job || status=$?
assert_eq 3 $status 'exit status'
assert_json "$T/out" '[.disks[].outcome] == ["erased", "removed", "erased"]'
assert_erased 00 "${sd[0]}" "${sd[2]}"
! grep -q Sanitizer "$T/err" || fail "$(<"$T/err")"
said 'a disk removed in the middle'
