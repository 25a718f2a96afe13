# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# What the tests of disks that work by themselves share. Sourced after lib.sh and erase.sh.

mapfile -t sg < <(sg_nodes)

outcome() { # DEVICE-NUMBER OUTCOME [FILTER]
	assert_json "$T/out" '.disks[] | select(.device == $d) | .outcome == $o and ('"${3:-true}"')' \
		--arg d "${sg[$1]}" --arg o "$2"
}
on_these() { # N... [-- OPTION...]: sets nodes and options
	nodes=() options=()
	while (($#)) && [[ $1 != -- ]]; do nodes+=("${sg[$1]}"); shift; done
	options=("${@:2}")
}
sanitize() { # STATUS WAY N... [-- OPTION...]
	on_these "${@:3}"
	expect "$1" dw erase --yes --expect-count=${#nodes[@]} --json --method="sanitize-$2" \
		"${options[@]}" "${nodes[@]}"
}
format() { # STATUS BYTES N... [-- OPTION...]
	on_these "${@:3}"
	expect "$1" dw format --yes --expect-count=${#nodes[@]} --json --block-size="$2" \
		"${options[@]}" "${nodes[@]}"
}
# so long that it works until somebody says "finish N"
# shellcheck disable=SC2034
readonly for_ever=600000
finish() { for n; do enc "finish $n"; is_done "$n"; done; }
refill() { for n; do enc "plant $n 0 16384 random"; done; }
is_running() { enc_says '^running' "firmware $1"; }
is_done() { enc_says '^done' "firmware $1"; }
gone() { assert_match "^0-16383 $2\$" <(enc "holds $1 0 16384"); }
