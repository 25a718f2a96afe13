#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/two.conf --enclosure racks/three.conf
# guest: --scsi-debug "dev_size_mb=8 num_tgts=1 max_luns=1 delay=0"
# Two emulated enclosures beside another adapter; each has its control folder.
. "$(dirname "$0")/lib.sh"

assert_eq 6 "$(sg_nodes | wc -l)"
small=() large=()
for sd in $(sd_nodes); do
	[[ $(<"/sys/class/block/${sd##*/}/device/vendor") == Linux* ]] && continue
	case $(size_of "$sd") in
	$((8 << 20))) small+=("$sd") ;;
	$((16 << 20))) large+=("$sd") ;;
	esac
done
assert_eq '2 3' "${#small[@]} ${#large[@]}" 'disks of the two enclosures'

plant "${small[1]}"
! holds_only "${small[1]}" || fail 'planted data is not there'
assert_holds_only "${small[0]}"
enc stats >"$T/first"
ENC=2 enc stats >"$T/second"
assert_json "$T/first" '.disks | length == 2'
assert_json "$T/second" '.disks | length == 3'
assert_json "$T/first" '[.disks[].bytes_written] | max >= 8388608'
assert_json "$T/second" '[.disks[].bytes_written] | max == 0'

# A question that is not answered so is not true, and a wait for it ends with the job.
enc_says '^0-15 ' 'holds 0 0 16'
! enc_says '^0-15 never' 'holds 0 0 16' || fail 'what was not answered is true'
true &
job=$!
wait $job
! (await_enc '^[1-9]' 'held 0') 2>"$T/err" || fail 'a command is held that nobody sent'
assert_match 'enclosure, held 0: never \^\[1-9\]' "$T/err"
! has_text 'held 1' "$T/err" || fail 'a text that is not there'
