#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# What tests/nvme/machine-test runs: several namespaces of one NVM subsystem. What reaches all of
# them is told when all are disks of the job, and each of them is proven by itself.
. "$(dirname "$0")/../kernel/lib.sh"
. "$(dirname "$0")/targets.sh"

both() { # STATUS METHOD [OPTION...]
	expect "$1" dw erase --yes --expect-count=2 --json --method="$2" "${@:3}" "${node[two]}" "$second"
}
outcomes() { # WORD...
	assert_json "$T/out" '[.disks[].outcome] == ($w | split(" "))' --arg w "$*"
}
proven_both() { assert_json "$T/out" "[.disks[] | .outcome == \"erased\" and $proven] == [true, true]"; }
zeros_both() {
	zeros two
	cmp -n $((blocks * 512)) "$shelf/two.2" /dev/zero || fail 'namespace 2 does not hold zeros'
}
# what is held is held until somebody lets it go
echo 3600 >/sys/module/nvme_core/parameters/io_timeout
target two 2 vwc=1
second=${node[two]%1}2
wait_for 30 test -b "$second"

# --- Sanitize ---
erase 2 two sanitize-block
assert_match "its device has 2 logical units or namespaces.* name $second as well" "$T/err"
told two ''
both 0 sanitize-block
proven_both
told two 'sanitize 0x20a 0x0'
zeros_both
# another controller may be that of a host which nobody has asked
plant two
configure two controllers=2 cmic=2
both 2 sanitize-block
assert_match '2 namespaces and 2 controllers' "$T/err"
told two ''
# one of them is not erased by what it is told
configure two keeps=2
both 3 sanitize-block
outcomes erased failed
said 'sanitized'

# --- Format NVM of one, which concerns that one ---
plant two
configure two
erase 0 two nvme-format
outcome erased "$proven"
told two 'format 0x1 0x200'
zeros two
! cmp -s -n 4096 "$shelf/two.2" /dev/zero || fail 'the other namespace was erased'

# --- Format NVM that erases all (FNA bit 1) ---
plant two
configure two fna=6
erase 2 two nvme-format
assert_match "its device has 2 logical units or namespaces, and Format NVM erases all: name $second as well" "$T/err"
expect 2 dw erase --dry-run --method=nvme-format "$second"
assert_match "name ${node[two]} as well" "$T/err"
exec 9<>"$second"
both 2 nvme-format
assert_match "its logical unit $second, which Format NVM erases as well: open" "$T/err"
exec 9>&-
configure two fna=6 controllers=2 cmic=2
both 2 nvme-format
assert_match '2 namespaces and 2 controllers' "$T/err"
told two ''
configure two fna=6
both 0 nvme-format
proven_both
assert_json "$T/out" '[.disks[] | any(.notes[]; test("one of the 2 logical units or namespaces of its device, which one command erased"))] == [true, true]'
assert_match 'one device; all 2 are erased as one' "$T/err"
told two 'format 0x1 0x200'
zeros_both
plant two
configure two fna=7
both 0 nvme-format-crypto
proven_both
told two 'format 0x1 0x400'
# one of them is not erased by what it is told
plant two
configure two fna=6 keeps=2
both 3 nvme-format
outcomes erased failed
assert_json "$T/out" '.disks[1].reason | test("IT DID NOT ERASE ITSELF")'
# refused: neither is called erased, and it is told once
configure two fna=6 refuse=1
both 4 nvme-format
outcomes failed failed
assert_json "$T/out" '.disks[1].reason | test("its device was told by .*n1, and did not say that it ended well")'
told two 'format 0x1 0x200'
said 'one format of all'

# --- each is told, as only the formatting is of all (FNA bit 0) ---
plant two
configure two fna=5
erase 2 two nvme-format
assert_match "Format NVM erases all: name $second as well" "$T/err"
both 0 nvme-format
proven_both
assert_json "$T/out" 'any(.disks[0].notes[]; test("told one after the other, as each formats all"))'
told two "$(printf 'format 0x1 0x200\nformat 0x2 0x200')"
zeros_both
said 'two formats of all'

# --- killed while it works: both are told again, and proven ---
plant two
configure two fna=6 seconds=3
start erase --yes --expect-count=2 --json --progress=plain --method=nvme-format --state="$T/state" "${node[two]}" "$second"
wait_for 300 grep -q format "$shelf/two.log"
assert_eq 2 "$(grep -o '"operating":true' "$T/state" | wc -l)" 'namespaces on record as told'
kill -KILL "$job"
wait "$job" || true
: >"$shelf/two.log"
wait_for 60 dw list "${node[two]}" "$second"
expect 0 dw erase --yes --expect-count=2 --resume="$T/state" --json
proven_both
told two 'format 0x1 0x200'
said 'killed and resumed'

# --- killed when all have answered, and one of them has ended: the other is proven alone ---
killed_between() { # [KEY=VALUE...]
	rm -f "$T/state"
	plant two
	configure two fna=6 holds=2 "$@"
	start erase --yes --expect-count=2 --json --progress=plain --method=nvme-format --state="$T/state" \
		"${node[two]}" "$second"
	wait_for 300 grep -q '"outcome":"erased"' "$T/state"
	kill -KILL "$job"
	configure two fna=6
	wait "$job" || true
	wait_for 60 dw list "$second"
}
killed_between
expect 0 dw erase --yes --expect-count=1 --resume="$T/state" --json
proven_both
told two ''
zeros_both
# one that was not reached is not believed, nor is the device told again without the one that has ended
killed_between keeps=2
expect 3 dw erase --yes --expect-count=1 --resume="$T/state" --json
assert_json "$T/out" 'any(.disks[]; .outcome == "failed" and (.reason | test("not told: .* name '"${node[two]}"' as well")))'
told two ''
said 'killed between two'

# --- another program writes to one of them meanwhile: its answer is not believed when it is resumed ---
rm -f "$T/state"
plant two
configure two fna=6 waits=1
echo 360000 >/proc/sys/vm/dirty_writeback_centisecs
start erase --yes --expect-count=2 --json --progress=plain --method=nvme-format --state="$T/state" \
	"${node[two]}" "$second"
wait_for 300 grep -q format "$shelf/two.log"
head -c 4096 /dev/urandom | dd of="$second" bs=4096 seek=9 conv=notrunc 2>/dev/null
configure two fna=6
status=0
wait "$job" || status=$?
assert_eq 3 $status 'exit status'
outcomes erased failed
assert_json "$T/out" '.disks[1].reason | test("another program wrote to it")'
expect 2 dw erase --yes --expect-count=1 --resume="$T/state" --json
assert_match "Format NVM erases all: name ${node[two]} as well" "$T/err"
told two ''
said 'written to meanwhile'

# --- one comes while it works ---
plant two
configure two fna=6 shows=1
controller=$(controller_of two)
echo 1 >"/sys/class/nvme/$controller/rescan_controller"
wait_for 30 test ! -e "$second"
configure two fna=6 shows=1 seconds=2
start erase --yes --json --progress=plain --method=nvme-format "${node[two]}"
wait_for 300 grep -q format "$shelf/two.log"
configure two fna=6
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
outcome failed '.reason | test("have changed while it erased itself")'
said 'one came'

# QEMU's own has one
node[qemu]=/dev/$(controller_of QEMUNVME)n1
erase 0 qemu nvme-format
outcome erased "$proven"
