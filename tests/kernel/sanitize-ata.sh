# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# What the tests of ATA disks that erase themselves share. Sourced after firmware.sh.

untouched() { for n; do assert_match '^0-16383 mixed$' <(enc "holds $n 0 16384"); done; }
is_fixed() { # N: the sense data of its translation are again as they were
	sg_raw -r 12 -o "$T/page" "${sg[$1]}" 1a 08 0a 00 40 00 2>/dev/null || true
	assert_eq 0 "$(($(od -An -tu1 -j6 -N1 "$T/page") & 4))" D_SENSE
}
# what the result says where the disk told how it ended, and where it did not
# shellcheck disable=SC2034
readonly told='any(.notes[]; test("before and after; all changed")) and all(.notes[]; test("translation") | not)'
# shellcheck disable=SC2034
readonly untold='any(.notes[]; test("before and after; all changed")) and
	any(.notes[]; test("translation does not tell how its operation ended"))'
