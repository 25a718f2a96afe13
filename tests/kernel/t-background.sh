#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/shared.conf
# needs: python3 jq
# timeout: 180
# Beside another reader on the same bus: its response is kept, the erase gets what the model
# allows, and without the option the response would be several times as long.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

RATE=$((10 << 20))
reader() { python3 "$(dirname "$0")/reader.py" /dev/sdb 65536 20 "$@"; }
number() { jq -r "$1" "$T/out"; }
holds() { awk "BEGIN { exit !($1) }"; }

# Erases until the reader has ended; leaves the document in $T/out, the reader's in $T/reader.
beside() { # SECONDS SKIP OPTION...
	local seconds=$1 skip=$2 job
	shift 2
	reader "$seconds" "$skip" >"$T/reader" &
	local reader=$!
	"$DISKWIPE" --yes --expect-count=1 --json --progress=none --command=write \
		"$@" /dev/sg0 >"$T/out" 2>"$T/err" &
	job=$!
	wait $reader
	kill -INT $job
	wait $job || true
}

try() {
	reader 2 >"$T/reader"
	read -r alone answers <"$T/reader"
	target=$(awk "BEGIN { printf \"%.3f\", 1.5 * $alone }")
	beside 11 5 --background="keep-response:${target}ms"
	read -r kept answers <"$T/reader"
	bus=$(number ".disks[0] | .bytes_written / .seconds / $RATE")
	allowed=$(number .job.background.forecast.share)
	echo "response alone $alone ms, to be kept $target ms, kept $kept ms ($answers answers)"
	echo "share allowed $allowed, used $(number .job.background.used), of the bus $bus"
	assert_json "$T/out" '.disks[0].outcome == "stopped" and .job.background.others == 1'
	holds "$kept <= 1.1 * $target && $bus >= 0.8 * $allowed && $allowed > 0.15"
}

try || try || try || fail 'the response was not kept, or the erase got too little'

beside 3 1
read -r free answers <"$T/reader"
echo "response beside an erase without limits $free ms"
holds "$free > 2 * $target" || fail 'an erase without limits does not disturb: nothing is shown'

# a share that is asked for is the share of the bus
beside 6 0 --background=share:30%
assert_json "$T/out" '.job.background | .used > 0.26 and .used < 0.34'
echo "asked for 30 %, used $(number '100 * .job.background.used') %"

# with nobody there, there is nothing to keep
enc "gone 1" >/dev/null
wait_for 10 test ! -e /dev/sdb
expect 1 dw --yes --expect-count=1 --background=keep-response:10ms /dev/sg0
assert_match 'no other disk' "$T/err"
