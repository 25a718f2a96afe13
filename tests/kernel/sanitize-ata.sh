# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# What the tests of ATA disks that erase themselves share. Sourced after lib.sh and erase.sh.

mapfile -t sg < <(sg_nodes)

outcome() { # DEVICE-NUMBER OUTCOME [FILTER]
	assert_json "$T/out" '.disks[] | select(.device == $d) | .outcome == $o and ('"${3:-true}"')' \
		--arg d "${sg[$1]}" --arg o "$2"
}
sanitize() { # STATUS WAY N... [-- OPTION...]
	local status=$1 way=$2 nodes=()
	shift 2
	while (($#)) && [[ $1 != -- ]]; do nodes+=("${sg[$1]}"); shift; done
	shift || true
	expect "$status" dw erase --yes --expect-count=${#nodes[@]} --json --method="sanitize-$way" \
		"$@" "${nodes[@]}"
}
refill() { for n; do enc "plant $n 0 16384 random"; done; }
is_running() { grep -q '^running' <(enc "firmware $1"); }
is_done() { grep -q '^done' <(enc "firmware $1"); }
gone() { assert_match "^0-16383 $2\$" <(enc "holds $1 0 16384"); }
untouched() { for n; do assert_match '^0-16383 mixed$' <(enc "holds $n 0 16384"); done; }
is_fixed() { # N: the sense data of its translation are again as they were
	sg_raw -r 12 -o "$T/page" "${sg[$1]}" 1a 08 0a 00 40 00 2>/dev/null || true
	assert_eq 0 "$(($(od -An -tu1 -j6 -N1 "$T/page") & 4))" D_SENSE
}
# what the result says where the disk told how it ended, and where it did not
# shellcheck disable=SC2034
readonly told='any(.notes[]; test("none reads as before")) and all(.notes[]; test("translation") | not)'
# shellcheck disable=SC2034
readonly untold='any(.notes[]; test("none reads as before")) and
	any(.notes[]; test("translation does not tell how its operation ended"))'
