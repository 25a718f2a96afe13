# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# What the tests of hidden blocks share. Sourced after lib.sh and fault.sh.

# So many blocks are shown from now on, and the kernel knows.
cut() { # DISK BLOCKS
	enc "clip $1 $2" >/dev/null
	echo 1 >"/sys/class/scsi_generic/${node[$1]##*/}/device/rescan"
}
# Bytes of old data on the medium, shown or hidden.
old() { media "$1" | tr -d '\0' | wc -c; }
# It loses power and is looked at.
replug() {
	enc "cycle $1" >/dev/null
	enc "reset $1" >/dev/null
	expect 0 dw inspect "${node[$1]}"
}
restore() { local status=$1; shift; erase "$status" --hidden=restore --command=write --verify=full -- "$@"; }
# An ATA command without data.
ata() { # DISK CDB...
	local d=$1
	shift
	sg_raw "${node[$d]}" "$@" >"$T/raw" 2>&1 || true
}
blocks_of() { echo $(($(size_of "$(sd_of "${node[$1]}")") / 512)); }
refill() { # DISK
	enc "plant $1 0 4000 0x5a" >/dev/null
	cut "$1" 3000
}
