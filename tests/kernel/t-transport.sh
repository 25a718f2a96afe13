#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 num_tgts=2 max_luns=1 ndelay=100000"
# The SG_IO transport alone: every way to the disk, with several commands in flight (the
# delay keeps them there), and the content of every block. The last test removes its disk.
. "$(dirname "$0")/lib.sh"

program=$(dirname "${DISKWIPE:-/}")/../tests/unit/test_sgio
[[ -x $program ]] || skip 'test_sgio is not built'
sg=$(sg_nodes | head -1)
"$program" "$sg" >"$T/out" 2>&1 || {
	cat "$T/out" >&2
	fail 'test_sgio'
}
assert_match 'PASSED.*9 test' "$T/out"
[[ ! -e /sys/class/scsi_generic/${sg##*/} ]] || fail "$sg is still there"
