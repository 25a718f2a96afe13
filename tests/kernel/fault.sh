# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the error policy share. Sourced after lib.sh.
#
# Many disks, a fault each, one job; then the result of every disk by itself, and what its
# medium really holds: the enclosure keeps that in files, which need no command to read.

# Targets to nodes; filled once. Disk N of the enclosure is target N.
# shellcheck disable=SC2034
declare -A node
find_nodes() {
	local d target
	for d in /sys/class/scsi_generic/*; do
		IFS=: read -r _ _ target _ <<<"$(basename "$(realpath "$d/device")")"
		node[$target]=/dev/${d##*/}
	done
}

# Erases disks of the enclosure by number; the result is in $T/out, notices in $T/err.
erase() { # STATUS OPTION... -- DISK...
	local status=$1 opts=() nodes=()
	shift
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	for d; do nodes+=("${node[$d]}"); done
	expect "$status" dw --yes --expect-count=$# --json "${opts[@]}" "${nodes[@]}"
}

# For each line "DISK FILTER" on stdin the filter holds for the result of that disk. Besides
# jq's own words it can use `erased`, and `exceptions_are("LBA BLOCKS KIND[ SENSE]", ...)`,
# which say all there is to say. One process for them all: in the guest each one counts.
assert_disks() {
	local disk filter lines=() program='
		def disk($n): ("ENC01D" + ("0000\($n)" | .[-4:])) as $s |
			[.disks[] | select(.serial == $s)] | if length == 1 then .[0]
			else error("disk \($n) is not in the result") end;
		def erased: .outcome == "erased" and .exceptions == [] and
			.verify.mismatches == 0 and .bytes_written >= .capacity_bytes;
		def exceptions_are(f): .outcome == "erased-with-exceptions" and
			[.exceptions | sort_by(.lba)[] |
			"\(.lba) \(.blocks) \(.kind)" + (if (.sense // "") == "" then "" else " " + .sense end)] == [f];
		def failed($why): .outcome == "failed" and (.reason | test($why));
		empty'
	while read -r disk filter; do
		program+=", (disk($disk) | if $filter then empty
			else {wanted: \$ARGS.positional[${#lines[@]}], got: .} end)"
		lines+=("$disk $filter")
	done
	jq -c "$program" --args "${lines[@]}" <"$T/out" >"$T/wrong" || fail 'the filters do not fit the result'
	[[ ! -s $T/wrong ]] || { head -c 8000 "$T/wrong" >&2; fail 'disks are not as they should be'; }
}

# The media of disks, past the caches of the guest.
media() { # DISK...
	local d files=()
	echo 1 >/proc/sys/vm/drop_caches
	for d; do files+=("$ENCLOSURE_DIR/$(printf 'disk-%02d.img' "$d")"); done
	cat "${files[@]}"
}

# What old data the media of disks of 1 MiB hold, and nothing else but zeros: lines on stdin
# "DISK LBA BLOCKS" in the order of the disks.
assert_leftovers() { # DISK...
	# there are few leftovers if any; cmp names every byte
	media "$@" | cmp -l - /dev/zero 2>/dev/null | awk -v disks="$*" '
		function out() { if (n) print name[first_disk + 1], first, n; n = 0 }
		BEGIN { split(disks, name, " ") }
		{ at = int(($1 - 1) / 512); disk = int(at / 2048); lba = at % 2048 }
		n && (disk != first_disk || lba > first + n) { out() }
		!n { first = lba; first_disk = disk }
		{ n = lba - first + 1 }
		END { out() }' >"$T/left" || true
	diff - "$T/left" >&2 || fail 'old data left on the media (wanted, found)'
}

# A disk that no command should have written.
assert_untouched() { # DISK HEX
	local left
	left=$(media "$1" | tr -d "\\$(printf '%03o' "0x$2")" | head -c 1 | wc -c)
	assert_eq 0 "$left" "bytes on the medium of disk $1 that are not $2"
}
