# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of erasing share. Sourced after lib.sh.
#
# A disk counts as erased when its result says so and when other programs, through the
# kernel's block layer and by sg_dd, find nothing but the pattern on it.

# Random old content on all these disks of one size; past the page cache when done.
plant_random() { # SD...
	head -c "$(size_of "$1")" /dev/urandom | tee "$@" >"$T/planted"
	sync
	blockdev --flushbufs "$@"
	cmp "$T/planted" "$1"
	cmp "$T/planted" "${!#}"
	! tr -d '\0' <"$T/planted" | cmp -s -n 4096 - /dev/zero || fail 'nothing was planted'
}

# Takes a disk of scsi_debug, which nobody can hold, from a job that has written some of it. The
# shell starts no other program meanwhile.
delete_at_work() { # SG
	local dir=/sys/class/scsi_generic/${1##*/}/device first now
	job_says "${1##*/}: writing, pass"
	read -r first <"$dir/iodone_cnt"
	now=$first
	while ((now < first + 4)); do read -r now <"$dir/iodone_cnt"; done
	echo 1 >"$dir/delete"
}

octal() { printf '\\%03o' "0x$1"; }

# BYTES of the three-byte pattern 924924, from its beginning.
pattern_924924() { # BYTES
	local LC_ALL=C text=$'\x92\x49\x24'
	while ((${#text} < $1)); do text+=$text; done
	printf %s "${text:0:$1}"
}

# Every byte of these disks of one size is that one (two hex digits).
assert_erased() { # HEX SD...
	local byte want
	byte=$(octal "$1")
	shift
	want=$(head -c "$(size_of "$1")" /dev/zero | tr '\0' "$byte" | sha256sum)
	blockdev --flushbufs "$@"
	sha256sum "$@" >"$T/sums"
	assert_eq $# "$(grep -c "^${want%% *} " "$T/sums" || true)" "disks that hold $byte alone"
}

# The same of the first and the last block, by pass-through.
assert_ends() { # HEX SG
	local sd bs last lba
	sd=$(sd_of "$2")
	bs=$(<"/sys/class/block/${sd##*/}/queue/logical_block_size")
	last=$(($(<"/sys/class/block/${sd##*/}/size") * 512 / bs - 1))
	head -c "$bs" /dev/zero | tr '\0' "$(octal "$1")" >"$T/want"
	for lba in 0 $last; do
		read_lba "$2" "$lba" 1 "$bs" | cmp - "$T/want" || fail "$2: block $lba"
	done
}

# Erases disks by name, as a script does, with the JSON result in $T/out.
erase() { # STATUS OPTION... -- NODE...
	local status=$1 opts=()
	shift
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	expect "$status" dw --yes --expect-count=$# --json "${opts[@]}" "$@"
}

# Every disk of the result is erased, wholly and without an exception.
assert_result() { # COUNT [FILTER-FOR-EACH-DISK]
	assert_json "$T/out" '.job.outcome == "erased" and (.disks | length) == $n and
		all(.disks[]; .outcome == "erased" and (.exceptions | length) == 0
		and .bytes_written >= .capacity_bytes and .verify.mismatches == 0)' --argjson n "$1"
	assert_json "$T/out" "all(.disks[]; ${2:-true})"
}

# Every strategy x {write, write-same} over all disks here, COUNT of them, in pieces of BLOCKS.
erase_matrix() { # COUNT BLOCKS
	local sg sd strategy command
	mapfile -t sg < <(sg_nodes)
	mapfile -t sd < <(sd_nodes)
	assert_eq "$1" ${#sg[@]} 'number of disks'
	for strategy in sequential round-robin parallel longest-first; do
		for command in write write-same; do
			plant_random "${sd[@]}"
			erase 0 --strategy=$strategy --command=$command \
				--controller="fixed:$2" -- "${sg[@]}"
			assert_result "$1" ".command == \"$command\""
			assert_json "$T/out" ".job.strategy == \"$strategy\""
			assert_erased 00 "${sd[@]}"
			assert_ends 00 "${sg[-1]}"
		done
	done
}
