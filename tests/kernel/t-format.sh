#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/format.conf
# needs: jq
# timeout: 420
# shellcheck disable=SC2016,SC2154
# Disks that are formatted to other block lengths: a shelf of them, cut off in the middle.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"

assert_eq 24 ${#sg[@]} disks

length() { cat "/sys/block/$(basename "$(sd_of "${sg[$1]}")")/queue/logical_block_size"; }
is_running() { enc_says '^running format' "firmware $1"; }

# 24 at once; the power of three fails in the middle, and the program is killed
start format --yes --expect-count=24 --block-size=512 "${sg[@]}"
for n in 3 11 17; do
	wait_for 60 is_running $n
	enc "cycle $n"
	assert_match '^failed format' <(enc "firmware $n")
done
kill -KILL "$job"
wait "$job" || true
# the others are waited for, or have ended; the three, which know no capacity, are formatted again
for n in 3 11 17; do enc "set $n format_ms=300"; done
start format --yes --expect-count=24 --json --block-size=512 "${sg[@]}"
job_says formatting
for n in {0..23}; do
	case $n in 3 | 11 | 17) ;; *) enc "finish $n" ;; esac
done
wait "$job" || fail "$(<"$T/err")"
for n in 3 11 17; do outcome $n formatted .corrupt; done
for n in {0..23}; do
	assert_json "$T/out" '.disks[$n] | (.outcome == "formatted" or .outcome == "unchanged") and
		.block_size == 512 and .blocks == 4095 and .content == "zeros" and
		.sample_blocks == 64' --argjson n "$n"
	assert_match '^0-4094 0x00$' <(enc "holds $n 0 4095")
	(($(size_of "$(sd_of "${sg[$n]}")") == 4095 * 512)) || fail "the kernel does not see disk $n"
done

# once more: nothing is done
format 0 512 {0..23}
assert_json "$T/out" 'all(.disks[]; .outcome == "unchanged")'

# it can be used as any disk
expect 0 dw erase --yes --json "${sg[3]}"
assert_json "$T/out" '.disks[0].outcome == "erased"'

for n in 0 1 2 4; do enc "set $n format_ms=500"; done
# there and back again, also to 4096 bytes
format 0 520 0 1
for n in 0 1; do outcome "$n" formatted '.block_size == 520 and .block_size_before == 512'; done
format 0 4096 0 1
for n in 0 1; do outcome "$n" formatted '.block_size == 4096 and .blocks == 511'; done
assert_eq 4096 "$(length 0)" 'block length'
# a few at a time; what they held shows that they did, even if nobody sees them at work
for n in 2 4; do enc "plant $n 0 64 random"; done
format 0 512 0 1 2 4 -- --active=1 --again
assert_json "$T/out" 'all(.disks[]; .outcome == "formatted")'
