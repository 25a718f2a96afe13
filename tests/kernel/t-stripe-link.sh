#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/stripe.conf
# guest: --module md_mod --module raid0
# timeout: 400
# needs: mdadm jq
# A stripe set behind a shared bus: the forecast from the members' rates, measured alone, and
# the bus, beside what the members read together and are erased at, all and as many as fill the
# bus. Within 10 %.
. "$(dirname "$0")/lib.sh"

mapfile -t sd < <(sd_nodes)
mapfile -t sg < <(sg_nodes)
expect 0 mdadm --create /dev/md0 --run --level=0 --raid-devices=6 --chunk=64 "${sd[@]}"

measure() {
	expect 0 dw bench --quiet --contiguous --sweep=blocks=512:512:1 --json /dev/md0
	cp "$T/out" "$T/bench"
	rate=$(jq '[.series[:-1][].points[-1].bytes_per_second] | sort | .[2:4] | add / 2 | round' \
		<"$T/bench")
	together=$(jq '[.series[-1].points[].bytes_per_second] | add / length | round' <"$T/bench")
}

forecast() { # NAME: what the models say
	jq ".sets[0].advice.$1" <"$T/forecast"
}

# Bytes per second of an erase of the first N members.
erase_rate() { # N
	expect 0 dw --verify=off --command=write --depth=2 --yes --expect-count="$1" --json \
		"${sg[@]:0:$1}"
	jq '.disks | (map(.bytes_written) | add) / (map(.passes[0].seconds) | max) | round' \
		<"$T/out"
}

alone() { measure && near 'one member' 14000000 "$rate" 10; }
read_all() {
	near 'six members, read' "$(forecast bytes_per_second)" "$together" 10 || ! measure
}
three_times alone
expect 0 dw inspect --rate="$rate" --link=44MB/s --json /dev/md0
cp "$T/out" "$T/forecast"
run=$(forecast run)
assert_eq 4 "$run" 'members worth running'
three_times read_all
assert_eq 7 "$(jq '.series | length' <"$T/bench")" 'series'
assert_json "$T/bench" '.series[-1].device == "together"'
aggregate=$(forecast bytes_per_second)
expect 0 mdadm --stop /dev/md0
erase_all() { near 'six members, erased' "$aggregate" "$(erase_rate 6)" 10; }
erase_run() { near "$run members, erased" "$aggregate" "$(erase_rate "$run")" 10; }
three_times erase_all
three_times erase_run
