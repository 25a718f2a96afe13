#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/write-through.conf
# needs: jq
# Disks without a command that flushes their cache, and without a page that tells of it: each write
# has FUA, where the disk has that. One that has not is written, and not called erased; no state says
# that a part of it is, before all of it was written (t-power-cycle.sh has what follows). What is in
# the cache is lost when the guest ends, and is not in the files of the media.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

# A method that the disk carries out itself is refused: no verification proves every one of them.
enc 'set 1 sanitize=overwrite overwrite_ms=100' >/dev/null
expect 2 dw --yes --expect-count=1 --json --method=sanitize-overwrite "${node[1]}"
assert_json "$T/out" '.refused[0].reason | test("nothing would prove the method sanitize-overwrite")'

for n in 0 1 2; do enc plant "$n" 0 32768 0x5a; done >/dev/null
enc 'fault kind=hold disk=1 op=write min=2 nth=8'
start --yes --expect-count=1 --json --state="$T/state" --flush-every=1MiB --controller=fixed:512 "${node[1]}"
await_held 1
kill -INT $job
job_says 'stopping'
enc clear 1
for op in 0x5a 0x1a; do enc answer op=$op page=8 disk=1 sense=5/24/00; done
status=0
wait $job || status=$?
assert_eq 130 $status 'exit status'
assert_json "$T/state" '.disks[0] | .outcome == "stopped" and .bytes_written >= 1048576 and .lba == 0 and .power_cycle != true'

expect 3 dw --yes --expect-count=3 --json --state="$T/state" --command=auto --verify=full \
	--flush-every=4MiB "${node[0]}" "${node[1]}" "${node[2]}"
assert_disks <<'TEXT'
0 erased and (.notes | any(test("every write went to the medium")))
1 failed("^written, but .* in again, and verify it in full, for the pattern 00")
2 erased and (.notes | any(test("every write went to the medium")))
TEXT
assert_json "$T/state" '[.disks[] | .power_cycle // false] == [false, true, false] and all(.disks[]; .lba == 32768)'
assert_leftovers 0 2 </dev/null
# what went to it was in the cache alone
assert_untouched 1 5a

# One that would not be recognised when it is back is not waited for.
expect 4 dw --yes --expect-count=1 --json --power-cycle=1h --verify=full "${node[3]}"
assert_json "$T/out" '.disks[0] | .outcome == "failed" and (.reason | test("^written, but .* for the pattern 00$"))'
assert_no_match 'unplug it, and its power supply' "$T/err"
