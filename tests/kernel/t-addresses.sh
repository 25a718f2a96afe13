#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/addresses.conf
# needs: jq
# A bridge that cuts addresses off: a pattern that is written and read the same way looks whole, and
# half of the disk keeps its data. Such a disk is refused before its first write, and fails if it
# becomes one.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/resume.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

holds() { # DISK BLOCKS HEX
	assert_eq "0-$(($2 - 1)) 0x$3" "$(enc holds "$1" 0 "$2" | tail -n1)" "what disk $1 holds"
}

expect_end() { # STATUS
	local status=0
	wait "$job" || status=$?
	assert_eq "$1" $status 'exit status'
}
stalled() {
	enc stats | jq -e 'any(.faults[]; .disk == 11 and .fired > 0)' >/dev/null
}

# healthy ones: blocks of 520 and 4096 bytes, protection information, a single block
erase 0 --verify=full -- 5 6 7 8 9
printf '%s erased\n' 5 6 7 8 9 | assert_disks
for n in 5 6 7 8; do holds $n 3000 00; done

# all commands, writes alone, reads alone, WRITE SAME alone
wrapped() { # DISK COMMAND PATTERN
	erase 2 "--command=$2" --verify=full -- "$1"
	jq -e --arg p "$3" '.job.outcome == "refused" and .refused[0].kind == "addresses-wrap" and
		(.refused[0].reason | test($p))' "$T/out" >/dev/null ||
		fail "disk $1 is not refused for its addresses"
	# a disk that is refused is what it was
	holds "$1" 65545 5a
}
wrapped 0 write '^addresses wrap at 65536: it is the same block as 0;'
wrapped 1 write '^addresses wrap at 65536: it is the same block as 0;'
wrapped 2 write '^addresses wrap at 65536: it is the same block as 0;'
wrapped 3 write-same '^addresses of WRITE SAME wrap: block 65536 is not reached'
# above a boundary that is no power of two, the last block tells
wrapped 4 write '^addresses wrap at 99999: it is the same block as 34463;'
# by a command that reaches all of it
erase 0 --command=write --verify=full -- 3
holds 3 131072 00

# it becomes one while it is written, and no read would tell
begin() { # OPTION...
	start erase --yes --expect-count=1 --json --progress=plain --command=write --controller=fixed:64 "$@"
	job_says 'writing, pass'
}
for how in 'full read,write,ws addresses wrap at 65536:' 'off write block 65536, and [0-9]+ others'; do
	read -r verify cut reason <<<"$how"
	enc set 10 lbabits=64
	begin "--verify=$verify" "${node[10]}"
	enc set 10 "lbacut=$cut" lbabits=16
	expect_end 4
	assert_disks <<<"10 failed(\"^$reason\")"
done

# from a block on nothing is kept, and zeros are read, as of a disk that says it has more blocks than
# it has: refused before, and failed if it comes to that
erase 2 --command=write --verify=full -- 13
assert_json "$T/out" '.job.outcome == "refused" and
	(.refused[0].reason | test("^nothing is kept that is written from block 65536 on"))'
begin --verify=full "${node[14]}"
enc fault kind=drop disk=14 op=write,ws lba=65536-131071
expect_end 4
assert_disks <<<'14 failed("^block 65536, and 1 others .* do not keep what is written")'
enc clear 14
# one that is lost once proves nothing
begin --verify=full "${node[14]}"
enc fault kind=drop disk=14 op=write lba=131071 nth=2
expect_end 0
assert_disks <<<'14 erased'

# The flush of the last look tells that something is lost. Nobody knows what: it is written again.
begin --verify=off "${node[15]}"
enc fault kind=drop disk=15 op=write min=2 lba=100000 count=1
enc fault kind=check disk=15 op=0x91 sense=3/0c/00 count=1
expect_end 0
assert_disks <<<'15 erased and .bytes_written > .capacity_bytes'
holds 15 131072 00

# killed in the last look, with stamps in blocks that the state knows as written; behind another
# bridge it is found out, and otherwise the job is resumed
begin --verify=off --flush-every=4MiB --state="$T/state" "${node[11]}"
enc fault kind=stall disk=11 op=write lba=65536 nth=2 seconds=3 end=aborted
wait_for 60 stalled
kill -KILL $job
wait $job || :
assert_json "$T/state" '.disks[0].lba > 65536'
enc clear 11
enc set 11 lbabits=16
expect 2 dw erase --yes --json --expect-count=1 --resume="$T/state"
assert_json "$T/out" '.refused[0].kind == "addresses-wrap"'
enc set 11 lbabits=64
expect 0 dw erase --yes --json --expect-count=1 --resume="$T/state"
assert_disks <<<'11 .outcome == "erased" and .bytes_written < .capacity_bytes'
! grep -q 'restarted: ' "$T/err" || fail 'stamps are taken for another medium'
holds 11 131072 00

# what a disk does by itself reaches all of it, but no read would show that
erase 2 --method=sanitize-overwrite -- 12
assert_json "$T/out" '.refused[0].kind == "addresses-wrap"'
holds 12 65536 5a

# exchanged before the ninth stamp is written, and nobody is told: it is not written to another
erase 2 --command=write --verify=full -- 16
assert_json "$T/out" '.refused[0].kind == "changed" and (.refused[0].reason | test("another disk answers"))'
assert_untouched 17 5a
