#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/record.conf
# needs: jq ssh-keygen
# shellcheck disable=SC2016
# Each disk has a signed record, however it ended and whatever became of the program; ssh-keygen
# believes it, and what was changed or taken away is found.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 5 ${#sg[@]} disks
records=$T/records
record() { printf '%s/record-%08d.json' "$records" "$1"; }
signed() { # N: as an auditor checks it who has none of our programs
	ssh-keygen -Y verify -f "$T/auditor" -I station@here -n diskwipe-record \
		-s "$(record "$1").sig" <"$(record "$1")" >/dev/null
}
whole() { # N
	expect 0 dw records verify --signers="$T/auditor" "$records"
	assert_match ": $1 records?, .* whole\$" "$T/out"
}
erase_on_record() { # STATUS COUNT WORD...
	expect "$1" dw erase --yes --expect-count="$2" --record="$records" --record-key="$T/key" \
		"${@:3}"
}

expect 0 dw records key "$T/key" --operator=station@here
cp "$T/out" "$T/auditor"
assert_eq 600 "$(stat -c %a "$T/key")" mode

# without a key, or with one that others may read, nothing is begun
expect 1 dw erase --yes --record="$records" "${sg[0]}"
assert_match 'diskwipe records key FILE makes' "$T/err"
chmod 640 "$T/key"
expect 1 dw erase --yes --record="$records" --record-key="$T/key" "${sg[0]}"
assert_match 'others may read it' "$T/err"
chmod 600 "$T/key"
for n in {0..4}; do assert_match mixed <(enc "holds $n 0 8192"); done

# erased, with exceptions, refused
printf 'Serial;Tag\n%s;IT-0\n%s;IT-1\n' "$(dw list --noheadings -o serial "${sg[0]}")" \
	"$(dw list --noheadings -o serial "${sg[1]}")" >"$T/tags"
expect 1 dw erase --yes --assets="$T/tags" "${sg[0]}"
assert_match '--record=DIR is missing' "$T/err"
expect 1 dw erase --yes --expect-count=2 --record="$records" --record-key="$T/key" --asset=IT-0 "${sg[0]}" "${sg[1]}"
assert_match '--asset is of one disk, and 2 are selected' "$T/err"
expect 1 dw erase --yes --record="$records" --record-key="$T/key" --customer=$'a\x1b' "${sg[0]}"
assert_match '--customer: it has control characters' "$T/err"
erase_on_record 3 3 --operator='Ann <b>É' --label=lot-7 --customer='Müller & <i>' --order=4711 --assets="$T/tags" --json "${sg[0]}" "${sg[1]}" "${sg[3]}" \
	/dev/nothing
cp "$T/out" "$T/result"
whole 4
for n in 1 2 3 4; do signed $n; done
jq -s . "$(record 1)" "$(record 2)" "$(record 3)" "$(record 4)" >"$T/all"
assert_json "$T/all" 'map(.outcome) | sort == ["erased", "erased", "erased-with-exceptions", "refused"]'
assert_json "$T/all" 'all(.[]; .operator == "Ann <b>É" and .label == "lot-7" and
	.customer == "Müller & <i>" and .order == "4711" and .host.kernel != "" and .tool != "" and .job.id == (.id | split("/")[0]))'
assert_json "$T/all" 'map(select(.outcome == "erased-with-exceptions")) | length == 1 and
	.[0].exceptions[0].lba == 4000 and .[0].exceptions[0].blocks == 8 and .[0].level == "none"'
assert_json "$T/all" 'all(.[] | select(.outcome == "erased"); .level == "clear" and
	.disk.serial != null and .verification.asked == "sample:1%" and
	.verification.done == "full" and .verification.bound_ppb == 0 and .bytes_written == 4194304)'
assert_json "$T/all" 'map(select(.outcome == "refused")) | .[0].disk.device == "/dev/nothing" and
	.[0].reason == "no such device"'
assert_json "$T/all" 'map(.asset // "none") | sort == ["IT-0", "IT-1", "none", "none"]'
# what the job says and what the record says is the same
serial=$(jq -r '.disks[0].serial' "$T/result")
assert_json "$T/all" 'any(.[]; .disk.serial == $s)' --arg s "$serial"

# refused, before there is a job
erase_on_record 2 1 /dev/nothing
whole 5
assert_json "$(record 5)" '.outcome == "refused" and .host.kernel != ""'

# stopped; and killed when one disk has ended: that one is on record
enc 'fault kind=hold disk=4 op=write,ws min=2 nth=4'
start erase --yes --expect-count=1 --record="$records" --record-key="$T/key" \
	--state="$T/state" --write-cache=keep "${sg[4]}"
await_held 4
kill -INT "$job"
job_says stopping
enc 'clear 4'
wait "$job" || true
whole 6
assert_json "$(record 6)" '.outcome == "stopped" and .level == "none"'
start erase --yes --expect-count=2 --record="$records" --record-key="$T/key" "${sg[0]}" "${sg[4]}"
# it is written when its head is, and the one before is gone
ends_with() { [[ $(cd "$records" && echo head-*) == "$(printf 'head-%08d.json head-%08d.json.sig' "$1" "$1")" ]]; }
wait_for 60 ends_with 7
kill -KILL "$job"
wait "$job" || true
whole 7
assert_json "$(record 7)" '.outcome == "erased"'
# who was first stays so: the next one finds the end
erase_on_record 0 1 "${sg[0]}"
whole 8

# one byte, one record, one signature, one head: each is missed
changed() { # REGEX COMMAND...
	cp -a "$records" "$T/copy"
	(cd "$T/copy" && eval "$2")
	expect 5 dw records verify --signers="$T/auditor" "$T/copy"
	assert_match "$1" "$T/err"
	assert_match 'NOT' "$T/out"
	rm -rf "$T/copy"
}
changed 'record-00000002.json: signature wrong: it or its signature was changed after signing' \
	'sed -i s/exceptions/exceptionz/ record-00000002.json'
changed 'record-00000003.json: it, or its signature, is missing' 'rm record-00000003.json.sig'
changed 'record-00000003.json: it is missing' 'rm record-00000003.json*'
changed 'record-00000008.json: it is missing' 'rm record-00000008.json*'
changed 'the head of the last record is missing|is missing' 'rm head-*'
changed 'record-00000004.json: it is record 5, not 4' \
	'cp record-00000005.json record-00000004.json; cp record-00000005.json.sig record-00000004.json.sig'
expect 0 dw records key "$T/other" --operator=station@here
cp "$T/out" "$T/stranger"
expect 5 dw records verify --signers="$T/stranger" "$records"
assert_match 'not in the list of those who may sign' "$T/err"

# a folder that is full, or gone, does not make an erased disk another one
mkdir "$T/small"
mount -t tmpfs -o size=12k none "$T/small"
erase_on_record 1 1 --record="$T/small" --json "${sg[0]}"
assert_json "$T/out" '.disks[0].outcome == "erased"'
assert_match 'a record could not be written' "$T/err"
umount "$T/small"
