#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/not-ready.conf
# needs: jq
# Why a disk cannot be erased now, and what helps: one that spins up is waited for; the others say
# what to do.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

why() { # DISK REASON RELEASE
	assert_json "$T/out" '.disks[] | select(.device == $d) | (.erasable | not) and
		(.reason | test($w)) and ((.release // "") | test($r))' --arg d "${node[$1]}" --arg w "$2" --arg r "$3"
}
echo offline >"/sys/class/scsi_generic/${node[1]##*/}/device/state"
enc answer disk=2 op=0x00 sense=3/31/00 >/dev/null
enc answer disk=4 op=0x9e sa=0x10 sense=5/20/00 >/dev/null
expect 0 dw list --json
why 1 '^the kernel has set it offline' '^echo running \| tee /sys/.*/state$'
why 2 '3/31/00' "^diskwipe format ${node[2]}\$"
why 4 '^it has more than 2\^32 blocks, and its bridge does not answer READ CAPACITY\(16\)' ''

# by turns, and one that was not asked for is not waited for
enc plant 0 0 16384 0x5a >/dev/null
enc notready 0 3000 >/dev/null
enc notready 3 600000 >/dev/null
erase 0 --verify=full -- 0
assert_match "^diskwipe: ${node[0]}: it spins up: .*\(2/04/01\); waiting for it\$" "$T/err"
assert_no_match "${node[3]}" "$T/err"
assert_disks <<<'0 erased'
assert_leftovers 0 </dev/null

# notify (enable spinup) required is the same
enc clear-all >/dev/null
enc answer disk=0 op=0x00 sense=2/04/11 times=6 >/dev/null
erase 0 --verify=off -- 0
assert_match 'it spins up: .*2/04/11' "$T/err"

# its release is true
echo running >"/sys/class/scsi_generic/${node[1]##*/}/device/state"
expect 0 dw list --json "${node[1]}"
assert_json "$T/out" '.disks[0].erasable'

# udevd opens a disk when a writer has closed it: that is waited for. Here it lets go when the disk was
# examined more often than by a command that does not wait, or that command has ended.
questions() { enc stats | jq '[.disks[] | select(.disk == 0) | .opcodes["12"]] | add'; }
examined() { kill -0 "$job" 2>/dev/null && (($(questions) < enough)) && return 1 || return 0; }
enc clear-all >/dev/null
enc plant 0 0 16384 0x5a >/dev/null
udev_worker="$T/(udev-worker)"
cp "$(command -v sleep)" "$udev_worker"
"$udev_worker" 1000 3<"${node[0]}" &
udevd=$!
before=$(questions)
expect 0 dw list --json "${node[0]}"
assert_json "$T/out" '.disks[0].reason | test("^open in process [0-9]+ \\(\\(udev-worker\\)\\)$")'
enough=$(($(questions) + 4 * ($(questions) - before)))
start --yes --expect-count=1 --json --verify=full "${node[0]}"
wait_for 60 examined
kill $udevd
wait "$job" || { cat "$T/err" >&2; fail 'it was not waited for'; }
assert_disks <<<'0 erased'
# so does inspect, of which the verdict is the first thing that is read
"$udev_worker" 1000 3<"${node[0]}" &
udevd=$!
before=$(questions)
expect 0 dw list --json "${node[0]}"
enough=$(($(questions) + 6 * ($(questions) - before)))
"$DISKWIPE" inspect --json "${node[0]}" >"$T/inspected" &
job=$!
wait_for 60 examined
kill $udevd
wait "$job" || fail 'inspect'
assert_json "$T/inspected" '.disks[0].erasable'
assert_leftovers 0 </dev/null
