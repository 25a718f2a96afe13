#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=1 per_host_store=1 add_host=4 num_tgts=1 max_luns=1 delay=0"
# Off a terminal, on real nodes: what is consent and what is not, one disk by two names, and
# what is left out, each by its name. What was not consented to is bit by bit what it was.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

sd=(/dev/sda /dev/sdb /dev/sdc /dev/sdd)
plant_random "${sd[@]}"
sha256sum "${sd[@]}" >"$T/before"
refused() { # STATUS COMMAND...
	expect "$@"
	blockdev --flushbufs "${sd[@]}"
	sha256sum --quiet -c "$T/before" || fail "something was written by: $*"
}

refused 2 dw /dev/sg0 </dev/null
refused 2 dw --yes /dev/sg0 /dev/sg1
refused 2 dw --yes --expect-count=3 /dev/sg0 /dev/sg1
refused 2 dw --yes --expect-count=1 /dev/sg0 /dev/sg1
refused 2 dw --expect-count=1 /dev/sg0 </dev/null
# What is printed never goes to a disk that took the place of a closed descriptor.
refused 2 bash -c "'$DISKWIPE' /dev/sda 2>&-" </dev/null
refused 2 bash -c "'$DISKWIPE' /dev/sda <&- >&- 2>&-"
refused 2 bash -c "'$DISKWIPE' /dev/sg1 <&- >&- 2>&-"
# Nor where a program that uses the library left them closed.
refused 0 bash -c "exec '$DW_PROBE_TOOL' claim /dev/sda true <&- >&- 2>&-"
# two names, one disk; the count is of disks
refused 2 dw --yes --expect-count=2 /dev/sg0 /dev/sda
refused 0 dw --dry-run --json /dev/sg0 /dev/sda /dev/sg1
assert_json "$T/out" '.disks | length == 2'
assert_json "$T/out" '.disks[0].paths | sort == ["/dev/sda", "/dev/sg0"]'

# A node that has gone, a file in a node's place: no disk, named, and not made or written.
head -c 65536 /dev/urandom >/dev/sg90
sum=$(sha256sum </dev/sg90)
refused 2 dw --yes /dev/sg90
refused 2 dw --yes --json /dev/sg91
assert_json "$T/out" '.refused[0] | .device == "/dev/sg91" and (.reason | length > 0)'
# one disk is left of the three names, but three were named
refused 2 dw --yes /dev/sg0 /dev/sg90 /dev/sg91
assert_eq "$sum" "$(sha256sum </dev/sg90)" 'content of the file'
[[ ! -e /dev/sg91 ]] || fail '/dev/sg91 was made'

# One is in use: it is left out with the reason, the others are erased, by the right count.
exec 7</dev/sdb
refused 2 dw --yes --expect-count=3 --json /dev/sg0 /dev/sg1 /dev/sg90
assert_json "$T/out" '[.refused[].device] == ["/dev/sg1", "/dev/sg90"]'
expect 0 dw --yes --expect-count=1 --json /dev/sg0 /dev/sg1 /dev/sg90
exec 7<&-
assert_json "$T/out" '[.disks[].device] == ["/dev/sg0"]'
assert_json "$T/out" '.refused | any(.device == "/dev/sg1" and (.reason | test("open in process [0-9]+ ")))'
assert_erased 00 /dev/sda
grep -v sda "$T/before" | sha256sum --quiet -c

# One disk by both its names, with --yes alone; and by its block node.
expect 0 dw --yes --json /dev/sg2 /dev/sdc
assert_json "$T/out" '.disks | length == 1'
assert_erased 00 /dev/sdc
expect 0 bash -c "'$DISKWIPE' --yes /dev/sdd <&- >&- 2>&-"
assert_erased 00 /dev/sdd
