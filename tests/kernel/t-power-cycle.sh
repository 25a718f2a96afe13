#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/power-cycle.conf
# needs: jq python3 script
# Disks whose cache nothing flushes are to be unplugged when they are written, and are verified
# when they are back: one that kept all in its cache fails. Another disk in its place, a loss of
# power that nobody saw, and a moment without the disk are no proof. Where nobody comes, the job
# goes on there when it is resumed, and writes nothing again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

begin() { # OPTION...
	leap 0
	: >"$T/err"
	LD_PRELOAD="${DISKWIPE%/tools/*}/tests/kernel/leap-clock.so ${DISKWIPE%/tools/*}/tests/kernel/no-lanes.so" \
		LEAP_CLOCK=$clock NO_LANES=$T/no-lanes \
		"$DISKWIPE" erase --yes --json --progress=plain "$@" >"$T/out" 2>"$T/err" &
	job=$!
}
says() { # DISK REGEX
	job_says "${node[$1]}: $2"
}
ends() { # STATUS
	local status=0
	wait "$job" || status=$?
	((status == $1)) || { cat "$T/err" >&2; fail "it ended with $status"; }
}
stranger() { media 3 | sha256sum; }

for n in 0 1 2 3 4 5; do enc plant "$n" 0 8192 0x5a; done >/dev/null
before=$(stranger)
begin --expect-count=4 --power-cycle=1h --state="$T/state" "${node[0]}" "${node[1]}" "${node[2]}" "${node[4]}"
for n in 0 1 2 4; do says $n 'it is written, and nothing flushes its cache: unplug it'; done
says 1 'power-cycling, pass 1 of 1'
# 1: a loss of power of which the system sees nothing; 4: gone for a moment, as at a reset of its bus
enc cycle 1
kill -STOP $job
enc gone 4 && enc back 4
kill -CONT $job
job_says 'it was gone for a moment only, as after a reset: unplug it'
for n in 0 1 2; do enc gone $n; done
for n in 0 1 2; do says $n 'it is unplugged'; done
enc swap 2 3 quiet && enc back 2
says 2 'another disk came, .* STRANGER'
enc gone 2 && enc swap 2 3 quiet
enc gone 4
# so many are out long enough, by the job's clock
away() { # COUNT
	local past=0
	until (($(grep -c 'it can be plugged in again' "$T/err" || true) == $1)); do
		kill -0 $job || fail 'the job has ended'
		leap $((past += 20))
		nap 0.2
	done
}
away 4
for n in 0 1 2 4; do enc back $n; done
ends 5
assert_disks <<'TEXT'
0 failed("^after it was unplugged, 8192 of its 8192 blocks do not hold what was written to them, the first is LBA 0")
1 (.outcome == "erased-with-exceptions") and .exceptions == [] and .verify.done == "full" and (.reason | test("^nothing flushed its cache; verified in full after it had been unplugged"))
2 (.outcome == "erased-with-exceptions") and .exceptions == [] and .verify.done == "full"
4 (.outcome == "erased-with-exceptions") and .exceptions == [] and .verify.done == "full"
TEXT
assert_leftovers 1 2 4 </dev/null
assert_eq "$before" "$(stranger)" 'the disk that came instead'
assert_json "$T/state" '[.disks[].outcome] | sort == ["erased-with-exceptions", "erased-with-exceptions", "erased-with-exceptions", "failed"]'

# At a terminal somebody is asked unbidden.
script -qefc "$DISKWIPE erase --yes --expect-count=1 --progress=plain ${node[5]}" "$T/terminal" >/dev/null &
job=$!
wait_for 60 has_line 'unplug it, .* all within 0:10:00' "$T/terminal"
kill $job
wait $job || true
ended() { ! pgrep -x diskwipe; }
wait_for 60 ended

# Nobody is asked, or nobody comes: as ever, and the job can be resumed.
begin --expect-count=1 --state="$T/state" "${node[5]}"
ends 4
assert_disks <<<'5 failed("^written, but nothing proves that it left the cache: .* for the pattern 00; or resume the job, which waits for that")'
assert_json "$T/state" '.disks[0] | .power_cycle and .lba == 8192'
begin --resume="$T/state" --power-cycle=1h
says 5 'it is written, and nothing flushes its cache'
leap 3601
ends 4
assert_disks <<<'5 failed("^written, but nothing proves that it left the cache")'
# killed, and stopped
begin --resume="$T/state" --power-cycle=1h
says 5 'it is written, and nothing flushes its cache'
kill -KILL $job
ends 137 2>/dev/null
begin --resume="$T/state" --power-cycle=1h
says 5 'it is written, and nothing flushes its cache'
kill -INT $job
ends 130
assert_disks <<<'5 (.outcome == "stopped") and (.reason | test("it is written, and was not unplugged and verified; resume the job"))'
# over a way that flushes, the flush comes too late: cut off, it has still to be verified in full
enc 'set 5 refuse=c0'
enc 'fault kind=hold disk=5 op=0x88 min=2 nth=40'
begin --resume="$T/state"
await_held 5
kill -INT $job
job_says stopping
enc 'clear 5'
ends 130
assert_json "$T/state" '.disks[0].power_cycle'
enc 'set 5 refuse=35,91'
begin --resume="$T/state" --power-cycle=1h
says 5 'it is written, and nothing flushes its cache'
# it is back at once, and somebody has it for so long that it could have been gone: it was not
kill -STOP $job
enc gone 5 && enc back 5
old=${node[5]} # which is open, so that the next has another number
back() { find_nodes && [[ ${node[5]} != "$old" && -b $(sd_of "${node[5]}") ]]; }
wait_for 60 back
exec 9<"$(sd_of "${node[5]}")"
kill -CONT $job
job_says 'it is back, and cannot be claimed'
for past in {20..200..20}; do leap $past && nap 1; done
grep -q 'it can be plugged in again' "$T/err" && fail 'it is there'
exec 9<&-
until has_line 'it was gone for a moment only' "$T/err"; do
	kill -0 $job || fail 'the job has ended'
	leap $((past += 20))
	nap 0.2
done
enc gone 5
away 1
enc back 5
ends 4
assert_disks <<<'5 (.outcome == "erased-with-exceptions") and .exceptions == [] and .verify.done == "full" and .bytes_written == 0'
assert_leftovers 5 </dev/null

# The system has no thread for a disk that is back: that one ends, and the job goes on with the other.
find_nodes
for n in 1 2; do enc plant "$n" 0 8192 0x5a; done >/dev/null
begin --expect-count=2 --power-cycle=1h --state="$T/two" "${node[1]}" "${node[2]}"
for n in 1 2; do says $n 'it is written, and nothing flushes its cache'; done
for n in 1 2; do enc gone $n; done
away 2
: >"$T/no-lanes"
enc back 1
job_says 'it is back, but cannot be used'
rm "$T/no-lanes"
enc back 2
ends 4
assert_disks <<'TEXT'
1 failed("^it is back, but cannot be used .Resource temporarily unavailable.; see to that, and resume the job")
2 (.outcome == "erased-with-exceptions") and .verify.done == "full"
TEXT
assert_leftovers 1 2 </dev/null
find_nodes
begin --resume="$T/two" --power-cycle=1h
says 1 'it is written, and nothing flushes its cache'
enc gone 1
away 1
enc back 1
ends 4
assert_json "$T/two" '[.disks[].outcome] == ["erased-with-exceptions", "erased-with-exceptions"]'

# The same, and the job is stopped while the disk is claimed: that is no failure of the disk.
find_nodes
enc plant 1 0 8192 0x5a
begin --power-cycle=1h --state="$T/stopped" "${node[1]}"
says 1 'it is written, and nothing flushes its cache'
enc gone 1
away 1
: >"$T/no-lanes"
enc 'fault kind=hold op=0x5e disk=1'
enc back 1
await_held 1
kill -INT $job
job_says 'stopping'
enc 'clear 1'
wait $job || true
rm "$T/no-lanes"
assert_disks <<<'1 (.outcome == "stopped")'
assert_json "$T/stopped" '.disks[0].outcome == "stopped"'
