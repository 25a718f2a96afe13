#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/ladder.conf
# needs: jq
# timeout: 300
# shellcheck disable=SC2016,SC2154
# The ladder: each disk is erased in the way that reaches the level that is asked for, and a disk
# that has none is left as it is, unless clear will do.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 8 ${#sg[@]} disks

refill() { for n; do enc "plant $n 0 16384 random"; done; }
idle() { for n; do assert_match '^idle none 0' <(enc "firmware $n"); done; }
holds() { assert_match "^0-16383 $2\$" <(enc "holds $1 0 16384"); }
as_before() { for n; do holds "$n" mixed; done; }
erase_these() { # STATUS COUNT OPTION... -- N...
	local status=$1 count=$2 opts=() nodes=()
	shift 2
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	for n; do nodes+=("${sg[n]}"); done
	expect "$status" dw erase --yes --expect-count="$count" --json "${opts[@]}" "${nodes[@]}"
}
took() { # N METHOD LEVEL
	assert_json "$T/out" '.disks[] | select(.device == $d) | .outcome == "erased" and
		.method == $m and .level == $l' --arg d "${sg[$1]}" --arg m "$2" --arg l "$3"
}
left_out() { # N...
	for n; do
		assert_json "$T/out" 'any(.refused[]; .device == $d and .kind == "purge-unavailable")
			and all(.disks[]; .device != $d)' --arg d "${sg[n]}"
	done
}

# what can be done is told in five lines
expect 0 dw inspect "${sg[1]}"
assert_match '^erase: purge by sanitize-block, 0:00:01 stated$' "$T/out"
assert_match '^erase: purge by sanitize-crypto, .*only with --allow=crypto' "$T/out"
assert_match '^erase: clear by sanitize-overwrite, .*; NIST names it for magnetic media' "$T/out"
assert_match '^erase: clear by zero, about .*; flash has blocks' "$T/out"
assert_match '^to purge it, --method=auto takes sanitize-block$' "$T/out"
assert_eq 5 "$(grep -c '^erase:\|^to purge' "$T/out")" 'lines about erasing'
expect 0 dw inspect --json "${sg[1]}" "${sg[4]}"
assert_json "$T/out" '.disks[0].purge == "sanitize-block" and .disks[1].purge == null and
	(.disks[1].erase | map(.method)) == ["zero"] and
	any(.disks[0].erase[]; .method == "sanitize-crypto" and .level == "purge" and
		.allow == "crypto" and .limit == null)'

# a dry run and a plan say what would be done, and touch nothing
expect 3 dw erase --dry-run --level=purge "${sg[@]}"
assert_match "^diskwipe: forecast: about" "$T/err" # disks that erase themselves have their time in it
assert_match "^${sg[0]}: purge by sanitize-overwrite, " "$T/out"
assert_match "^${sg[1]}: purge by sanitize-block, .*; by sanitize-crypto if crypto is allowed" "$T/out"
assert_match 'would erase 2 disks' "$T/out"
assert_match "${sg[2]}: skipped: no allowed way to purge it; by sanitize-crypto if crypto is allowed; zero reaches clear.*; to overwrite it instead: --or-clear" "$T/err"
expect 3 dw plan --level=purge --allow=crypto -o "$T/plan" "${sg[@]}"
assert_match "${sg[2]}: purge by sanitize-crypto" "$T/err"
assert_match '"level": *"purge"' "$T/plan"
expect 3 dw erase --dry-run --json --level=purge "${sg[1]}" "${sg[3]}"
assert_json "$T/out" '.disks[0].method == "sanitize-block" and .disks[0].level == null'
left_out 3

# nothing that purges: nothing is touched, and nothing is done to others that are named
for n in 2 3 4 5 6 7; do
	erase_these 3 1 --level=purge -- $n
	assert_json "$T/out" '.job.outcome == "purge-unavailable" and .disks == []'
	left_out $n
done
erase_these 3 1 --level=purge --verify=full -- 1
left_out 1
for how in zero sanitize-block; do
	erase_these 3 1 --level=purge --method=$how -- 0
	left_out 0
	assert_match "method $how reaches the level clear only" "$T/err"
done
erase_these 3 1 --level=purge --pattern=00,ff -- 3
as_before 0 1 2 3 4 5 6 7
idle 0 1 2 3 4 5 6 7

# each in its way, and those that have none stay as they are
erase_these 3 2 --level=purge -- 0 1 2 3 4 5 6 7
took 0 sanitize-overwrite purge
took 1 sanitize-block purge
assert_json "$T/out" '.job.outcome == "erased" and (.disks | length) == 2 and
	(.disks[1].level_reason | test("^purge by sanitize-block, 0:00:01 stated"))'
left_out 2 3 4 5 6 7
holds 0 0x00
holds 1 0xff
as_before 2 3 4 5 6 7
idle 2 3 4 5 6 7

# a crypto erase where it is allowed, as only the maker knows what it is worth
erase_these 0 1 --level=purge --allow=crypto -- 2
took 2 sanitize-crypto purge
assert_json "$T/out" 'any(.disks[0].notes[]; test("only its maker knows"))'
refill 2
erase_these 0 1 --level=purge --method=sanitize-crypto -- 2
took 2 sanitize-crypto purge

# clear where there is no purge, if that will do
refill 0 1
erase_these 0 8 --level=purge --or-clear -- 0 1 2 3 4 5 6 7
took 0 sanitize-overwrite purge
took 1 sanitize-block purge
for n in 2 3 4 5 6 7; do
	assert_json "$T/out" '.disks[] | select(.device == $d) | .outcome == "erased" and
		.level == "clear" and (.level_reason | test("no purge is available, clear was accepted"))' \
		--arg d "${sg[n]}"
done
for n in 0 2 3 4; do holds $n 0x00; done

# clear: the shortest; small disks are overwritten before they could tell of anything
refill 0 1 3
erase_these 0 3 --method=auto -- 0 1 3
for n in 0 1 3; do took $n zero clear; done
refill 0
erase_these 0 1 -- 0
took 0 zero clear
assert_json "$T/out" '.disks[0].level_reason == null'

# it goes on in the way in which it was begun, also when it would be another by now
refill 1
enc 'set 1 block_ms=600000'
enc 'set 1 crypto_ms=900000'
start erase --yes --json --progress=plain --level=purge --allow=crypto --state="$T/state" "${sg[1]}"
job_says 'sanitizing'
wait_for 60 has_line '"operating":true' "$T/state"
assert_match '"method":"sanitize-block"' "$T/state"
is_running() { enc_says '^running' "firmware $1"; }
wait_for 60 is_running 1
kill -KILL "$job"
wait "$job" || true
enc 'finish 1'
enc 'set 1 crypto_ms=1000'
expect 0 dw erase --yes --resume="$T/state" --json
took 1 sanitize-block purge
holds 1 0xff
refill 1
erase_these 0 1 --level=purge --allow=crypto -- 1
took 1 sanitize-crypto purge
enc 'set 1 block_ms=600'

# wrong words
expect 1 dw erase --yes --level=destroy "${sg[0]}"
expect 1 dw erase --yes --level=purge --allow=magic "${sg[0]}"
assert_match 'magic.*is not a list of: crypto, ata-security' "$T/err"
expect 1 dw verify --method=auto "${sg[0]}"
assert_match 'name what was done' "$T/err"

# the service does the same; what it cannot purge is on record, and is not tried again
served="$(dirname "$DISKWIPE")/../src/service/diskwiped"
[[ -x $served ]] || exit 0
export DISKWIPE_BUS_ADDRESS=unix:path=$T/bus
refill 0 1 3
mkdir "$T/service"
"$served" --no-bus --state-dir="$T/service" --socket="$T/bus" 2>"$T/said" &
service=$!
trap 'kill "$service"; wait "$service" || true; rm -rf "$T"' EXIT
knows() { dw status -q --noheadings -o device 2>/dev/null | grep -q "${sg[7]}"; }
wait_for 60 knows
expect 3 dw submit --yes --wait --json --expect-count=3 --level=purge --method=auto \
	"${sg[0]}" "${sg[1]}" "${sg[3]}"
took 0 sanitize-overwrite purge
took 1 sanitize-block purge
assert_json "$T/out" '(.disks | length) == 2 and
	(.refused | map(.kind)) == ["purge-unavailable"]'
as_before 3
idle 3
expect 0 dw records --json
assert_json "$T/out" '[.records[].outcome] | sort == ["erased", "erased", "purge-unavailable"]'
assert_json "$T/out" '.records[] | select(.outcome == "purge-unavailable") |
	.reason | test("this disk cannot purge itself here; zero reaches clear only")'
expect 3 dw submit --yes --wait --json --level=purge "${sg[3]}"
assert_json "$T/out" '.job.outcome == "purge-unavailable"'
expect 0 dw submit --yes --wait --json --level=purge --or-clear "${sg[3]}"
took 3 zero clear
