#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/record.conf
# needs: jq ssh-keygen
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
	.host.kernel == $kernel and
	.population == 2 and .share_ppm == 500000 and (.picked | length) == 1' --arg kernel "$(uname -r)"
expect 0 dw records verify "$records"
assert_match ': 6 records, .* whole$' "$T/out"

# Who erased cannot check, however he writes his name; somebody else can, and once.
second() { # STATUS NAME WORD...
	expect "$1" dw verify --drawn --record="$records" --record-key="$T/key" --operator="$2" --seed=1 "${@:3}"
}
status() { # STATUS
	expect "$1" dw qc status --record="$records"
}
records2=$T/records2
mv "$records" "$T/first"
records=$records2
expect 0 dw erase --yes --expect-count=1 --record="$records" --record-key="$T/key" \
	--operator='Ann Bell' "${sg[0]}"
expect 0 dw erase --yes --expect-count=1 --record="$records" --record-key="$T/key" \
	--operator=carl --pattern=ff "${sg[2]}"
expect 0 dw erase --yes --expect-count=1 --record="$records" --record-key="$T/key" \
	--operator=carl "${sg[3]}"
status 0
assert_match '^0 drawn' "$T/err"
second 2 bert "${sg[0]}"
assert_match 'there is no draw; diskwipe qc draw 5% draws' "$T/err"
draw 0 100% --operator=dora
assert_eq 3 "$(wc -l <"$T/out")" drawn
status 3
assert_match '3 drawn: 0 as expected, 0 not as expected, 3 open' "$T/err"
assert_match "^draw 4, record 1: .* erased by 'Ann Bell': open\$" "$T/out"
second 2 'ann. BELL' "${sg[0]}"
assert_match 'Ann Bell erased it and cannot check it' "$T/err"
second 2 root "${sg[0]}"
assert_match 'root may be anybody' "$T/err"
second 1 '' "${sg[0]}"
assert_match '--operator: its value is empty' "$T/err"
second 1 bert --pattern=00 "${sg[0]}"
second 1 bert --verify=off "${sg[0]}"
second 2 bert "${sg[4]}"
assert_match 'skipped: it was not drawn' "$T/err"
status 3
# what differs: two patterns, of which the first is compared
second 0 bert --json "${sg[0]}" "${sg[2]}"
assert_match 'erased with ff, others here with 00' "$T/err"
assert_json "$T/out" '.disks | length == 1 and .[0].outcome == "as-expected"'
last=$(grep -l second_check "$records"/record-*.json)
assert_json "$last" '.outcome == "as-expected" and .operator == "bert" and .level == "none" and
	.second_check == {"draw": 4, "sequence": 1, "record": $hash, "compared": 1,
	"erased_by": "Ann Bell"}' --arg hash "$(sha <"$records/record-00000001.json")"
second 2 bert "${sg[0]}"
assert_match 'it was not drawn, or it has been checked' "$T/err"
# erased again since, by another person: neither may check
expect 0 dw erase --yes --expect-count=1 --record="$records" --record-key="$T/key" \
	--operator=emil "${sg[2]}"
second 2 emil "${sg[2]}"
second 2 carl "${sg[2]}"
second 0 bert "${sg[2]}"
# A draw while a disk is read is another one. So is a record of the disk that comes meanwhile, as
# from another machine: then it is no check.
add() { # FOLDER NAME
	expect 0 dw erase --yes --expect-count=1 --record="$1" --record-key="$T/key" --operator="$2" \
		"${sg[3]}"
}
reads() { # COMMAND...: while a drawn disk is read
	local job
	enc 'fault kind=hold disk=3 op=read min=2 lba=4096' >/dev/null
	"$DISKWIPE" verify --drawn --verify=full --record="$records" --record-key="$T/key" \
		--operator=bert "${sg[3]}" >"$T/check" 2>&1 &
	job=$!
	await_held 3
	"$@"
	enc 'clear 3' >/dev/null
	wait "$job" || fail "the check ended with $?"
}
kept=$T/kept
cp -a "$records" "$kept"
reads draw 0 100% --operator=dora
assert_eq 3 "$(wc -l <"$T/out")" 'disks drawn, of which one was erased twice'
assert_json "$(grep -l '"record":.*"sequence":3}' "$records"/record-*.json | tail -n 1)" \
	'.second_check.draw == 4'
rm -rf "$records"
cp -a "$kept" "$records"
add "$kept" emil
swap() {
	mv "$records" "$T/before"
	mv "$kept" "$records"
}
reads swap
assert_match 'this is no check of what was drawn' "$T/check"
status 3
expect 0 dw records verify "$records"
rm -rf "$records"
mv "$T/before" "$records"
# a block that is not as it was left
enc 'plant 3 4000 1 random' >/dev/null
second 5 bert --verify=full "${sg[3]}"
status 5
assert_match '3 drawn: 2 as expected, 1 not as expected, 0 open' "$T/err"
assert_match 'erased by carl: not-as-expected, checked by bert' "$T/out"
expect 0 dw records verify "$records"
sed -i 's/"erased_by":"Ann Bell"/"erased_by":"Ann"/' "$last"
status 5
assert_match 'it is not as it was signed' "$T/err"
records=$T/first

# one byte, and it is found
sed -i 's/"share_ppm":500000/"share_ppm":500001/' "$records/record-00000005.json"
expect 5 dw records verify "$records"
assert_match 'record-00000005.json: signature wrong: it or its signature was changed after signing' "$T/err"
