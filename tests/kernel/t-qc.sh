#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/record.conf
# needs: jq ssh-keygen
# timeout: 120
# Which erased disks a second person checks is drawn from their records; the draw is a record, and
# sha256sum draws the same.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 5 ${#sg[@]} disks
records=$T/records
draw() { # STATUS WORD...
	expect "$1" dw qc draw --record="$records" --record-key="$T/key" "${@:2}"
}
sha() { sha256sum | cut -d' ' -f1; }
drawn_by_hand() { # SEQUENCE COUNT: names of records
	local seed rank file
	seed=$(echo "diskwipe-draw $(sha <"$(printf '%s/record-%08d.json' "$records" $(($1 - 1)))") $1" | sha)
	for file in "$records"/record-*.json; do
		jq -e ".outcome == \"erased\" and .sequence < $1" "$file" >/dev/null || continue
		rank=$(echo "$seed $(sha <"$file")" | sha)
		echo "$rank ${file##*/}"
	done | LC_ALL=C sort | head -n "$2" | cut -d' ' -f2 | sort
}

expect 0 dw records key "$T/key"
expect 1 dw qc draw 50%
assert_match '--record=DIR is missing' "$T/err"
for share in 0% 101% 5 %; do draw 1 $share; done
draw 2 50%
assert_match 'no erased disk to draw from' "$T/err"
assert_eq 0 "$(find "$records" -name 'record-*' | wc -l)" 'records of a draw of nothing'

# two erased, one with exceptions, one that is not there
expect 3 dw erase --yes --expect-count=3 --record="$records" --record-key="$T/key" --label=lot-7 \
	"${sg[0]}" "${sg[1]}" "${sg[3]}" /dev/nothing
n=$(jq -s 'map(select(.outcome == "erased")) | length' "$records"/record-*.json)
assert_eq 2 "$n" erased
draw 0 50% --operator=bert
assert_eq "$(drawn_by_hand 5 1)" "$(cut -d' ' -f1 "$T/out")" drawn
draw 0 50.1% --label=lot-7 --since=today
assert_eq "$(drawn_by_hand 6 2)" "$(cut -d' ' -f1 "$T/out")" drawn
draw 2 50% --label=lot-8
assert_json "$records/record-00000005.json" '.document == "draw-record" and .operator == "bert" and
	.population == 2 and .share_ppm == 500000 and (.picked | length) == 1'
expect 0 dw records verify "$records"
assert_match ': 6 records, .* whole$' "$T/out"

# one byte, and it is found
sed -i 's/"share_ppm":500000/"share_ppm":500001/' "$records/record-00000005.json"
expect 5 dw records verify "$records"
assert_match 'record-00000005.json: its signature is not of what it says' "$T/err"
