#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/shared.conf
# timeout: 400
# needs: python3 jq
# Beside another reader on the same bus: its response is kept, the erase gets what the model
# allows, and without the option the response would be several times as long.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

RATE=$((10 << 20))
reader() { python3 "$(dirname "$0")/reader.py" /dev/sdb 65536 20 "$@"; }
number() { jq -r "$1" "$T/out"; }
least() { printf '%s\n' "$@" | sort -g | sed -n 1p; }
most() { printf '%s\n' "$@" | sort -g | tail -n 1; }

# Erases until the reader has ended; leaves the document in $T/out, the reader's in $T/reader.
beside() { # SECONDS SKIP OPTION...
	local seconds=$1 skip=$2 job
	shift 2
	reader "$seconds" "$skip" >"$T/reader" &
	local reader=$!
	start --yes --expect-count=1 --json --progress=none --command=write \
		"$@" /dev/sg0
	wait $reader
	kill -INT $job
	wait $job || true
}

keeps() {
	reader 2 >"$T/reader"
	read -r alone answers <"$T/reader"
	target=$(awk "BEGIN { printf \"%.3f\", 1.5 * $alone }")
	beside 11 5 --background="keep-response:${target}ms"
	read -r kept answers <"$T/reader"
	bus=$(number ".disks[0] | .bytes_written / .seconds / $RATE")
	allowed=$(number .job.background.forecast.share)
	echo "response alone $alone ms ($answers answers), share used $(number .job.background.used)"
	assert_json "$T/out" '.disks[0].outcome == "stopped" and .job.background.others == 1'
	near 'response kept at most, ms' "$target" "$(most "$target" "$kept")" 10 &&
		near 'share of the bus at least' "$allowed" "$(least "$allowed" "$bus")" 20 &&
		near 'share allowed at least' 0.15 "$(least 0.15 "$allowed")" 1
}
three_times keeps

# or else nothing would be shown
disturbs() {
	beside 3 1
	read -r free answers <"$T/reader"
	near 'response beside an erase without limits at least, ms' "$(jq -n "2 * $target")" \
		"$(least "$(jq -n "2 * $target")" "$free")" 1
}
three_times disturbs

# a share that is asked for is the share of the bus
shares() {
	beside 6 0 --background=share:30%
	near 'share of 30 %' 0.3 "$(number .job.background.used)" 13
}
three_times shares

# with nobody there, there is nothing to keep
enc "gone 1" >/dev/null
wait_for 60 test ! -e /dev/sdb
expect 1 dw --yes --expect-count=1 --background=keep-response:10ms /dev/sg0
assert_match 'no other disk' "$T/err"
