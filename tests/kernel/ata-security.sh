# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# What the tests of SECURITY ERASE UNIT share. Sourced after sanitize-ata.sh.

readonly journal=/var/lib/diskwipe/passwords

secure() { # STATUS WAY N... [-- OPTION...]
	on_these "${@:3}"
	expect "$1" dw erase --yes --expect-count=${#nodes[@]} --json --method="ata-$2" \
		"${options[@]}" "${nodes[@]}"
}
on_record() { # COUNT
	assert_eq "$1" "$({ find $journal -type f 2>/dev/null || true; } | wc -l)" 'passwords on record'
}
# word 128 of what the disk itself says now: bits 1 and 2
passwords() { # N WANT: none, set, locked
	local n=$1 word
	wait_for 60 sg_raw -r 512 -o "$T/id" "${sg[$n]}" 85 08 0e 00 00 00 01 00 00 00 00 00 00 40 ec 00
	word=$(od -An -tu2 -j256 -N2 "$T/id")
	case $((word & 6)) in
	0) word='none' ;; 2) word='set' ;; *) word='locked' ;;
	esac
	assert_eq "$2" $word "password of disk $n"
}
# passwords N WANT, all N of one state
clean() { for n; do passwords "$n" none; done; }
# shellcheck disable=SC2034
readonly secured='any(.notes[]; test("before and after; all changed")) and .command == "security-erase"'
