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
	(($#)) || set -- $(printf '%s\n' "${!node[@]}" | sort -n)
	for d; do nodes+=("${node[$d]}"); done
	expect "$status" dw --yes --expect-count=$# --json "${opts[@]}" "${nodes[@]}"
}

# The filter holds for the result of one disk.
assert_disk() { # DISK FILTER
	jq --arg serial "$(printf 'ENC01D%04d' "$1")" \
		'.disks[] | select(.serial == $serial)' <"$T/out" >"$T/disk"
	[[ -s $T/disk ]] || fail "disk $1 is not in the result"
	assert_json "$T/disk" "$2"
}

assert_outcome() { # DISK OUTCOME [REASON-REGEX]
	assert_disk "$1" ".outcome == \"$2\" and ((.reason // \"\") | test(\"${3:-}\"))"
	[[ $2 != erased ]] || assert_disk "$1" '(.exceptions | length) == 0 and
		.verify.mismatches == 0'
}

# Exactly these exceptions: "LBA BLOCKS KIND SENSE" each, sorted; SENSE may be -.
assert_exceptions() { # DISK EXCEPTION...
	local disk=$1 IFS=$'\n'
	shift
	assert_outcome "$disk" erased-with-exceptions
	assert_eq "$*" "$(jq -r '.exceptions | sort_by(.lba)[] |
		"\(.lba) \(.blocks) \(.kind) \(.sense // "" | if . == "" then "-" else . end)"' \
		"$T/disk")" "exceptions of disk $disk"
}

# The medium of a disk, past the caches of the guest.
medium() { # DISK
	echo 1 >/proc/sys/vm/drop_caches
	cat "$ENCLOSURE_DIR/$(printf 'disk-%02d.img' "$1")"
}

# Runs of blocks on the medium that hold anything but zeros: "LBA BLOCKS" each.
leftovers() { # DISK [BLOCK-SIZE]
	local bs=${2:-512}
	# one letter a block would do for od too, but at a tenth of the speed
	medium "$1" | cmp -l - /dev/zero 2>/dev/null |
		awk -v bs="$bs" '
			{ lba = int(($1 - 1) / bs) }
			n && lba > first + n { print first, n; n = 0 }
			!n { first = lba }
			{ n = lba - first + 1 }
			END { if (n) print first, n }' || true
}

# Old data are left in these runs of blocks, "LBA BLOCKS" each, and nowhere else.
assert_leftovers() { # DISK RUN...
	local disk=$1 IFS=$'\n'
	shift
	assert_eq "$*" "$(leftovers "$disk")" "old data on the medium of disk $disk"
}

# A disk that no command should have written.
assert_untouched() { # DISK HEX
	local left
	left=$(medium "$1" | tr -d "\\$(printf '%03o' "0x$2")" | head -c 1 | wc -c)
	assert_eq 0 "$left" "bytes on the medium of disk $1 that are not $2"
}

# A number from the enclosure's statistics of a port.
stat_of() { # DISK FILTER
	enc stats | jq -r --argjson n "$1" ".disks[\$n] | $2"
}
