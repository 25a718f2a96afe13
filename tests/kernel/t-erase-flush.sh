#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/caches.conf
# Flushes come as often as asked for, and last; and a write cache that is switched on for the
# job is off again afterwards, whichever way it ends.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

wce() { # SG
	sg_modes -p 8 -r "$1" 2>/dev/null | od -An -v -tu1 -w999 |
		awk '{ skip = 8 + $7 * 256 + $8; print $(skip + 1) % 64 == 8 ? int($(skip + 3) / 4) % 2 : "?" }'
}
assert_eq '0 1' "$(wce /dev/sg0) $(wce /dev/sg1)" 'caches before'

# A flush for each MiB (what had been prepared by then goes first), and one after all:
# nothing is left in the cache.
plant_random /dev/sda /dev/sdb
erase 0 --command=write --controller=fixed:100 --flush-every=1MiB --write-cache=on \
	--verify=off --trace="$T/trace" -- /dev/sg0 /dev/sg1
assert_json "$T/out" '[.disks[].write_cache_switched] == [true, false]'
for disk in 0 1; do
	awk -v disk=$disk '$2 != disk || $8 != "ok" { next }
		$3 == "write" { blocks += $5; if (blocks > 2048 + 400) exit 1; dirty = 1 }
		$3 == "flush" { flushes++; blocks = 0; dirty = 0 }
		END { exit !(flushes >= 3 && !dirty) }' "$T/trace" || fail "disk $disk: flushes"
done
assert_eq '0 1' "$(wce /dev/sg0) $(wce /dev/sg1)" 'caches after'
enc reset-all >/dev/null
assert_erased 00 /dev/sda /dev/sdb
erase 0 --command=write --verify=off --trace="$T/trace" -- /dev/sg0 /dev/sg1
assert_json "$T/out" '[.disks[].write_cache_switched] == [false, false]'
assert_eq 2 "$(grep -c ' flush ' "$T/trace")" 'flushes without --flush-every'
assert_eq '0 1' "$(wce /dev/sg0) $(wce /dev/sg1)" 'caches after'

# without being asked, where it pays: on a disk that a pass takes long for
assert_eq 0 "$(wce /dev/sg2)" 'cache of the large disk'
start --yes --json --progress=plain --command=write /dev/sg2
job_says 'writing, pass'
assert_eq 1 "$(wce /dev/sg2)" 'cache of the large disk during the job'
kill -INT $job
wait $job || true
assert_json "$T/out" '.disks[0] | .write_cache_switched and
	any(.notes[]; startswith("the write cache was off"))'
assert_eq 0 "$(wce /dev/sg2)" 'cache of the large disk after the job'

# stopped, aborted, and left by a disk that is in trouble
for how in INT twice; do
	start --yes --json --progress=plain --write-cache=on --command=write \
		--controller=fixed:100 /dev/sg0
	job_says 'writing, pass'
	assert_eq 1 "$(wce /dev/sg0)" 'cache during the job'
	kill -INT $job
	[[ $how != twice ]] || kill -INT $job
	status=0
	wait $job || status=$?
	assert_eq 130 $status 'exit status'
	assert_json "$T/out" '.disks[0] | .outcome == "stopped" and .write_cache_switched'
	assert_eq 0 "$(wce /dev/sg0)" "cache after $how"
done
