#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/certificate.conf
# needs: python3 ssh-keygen pdftotext pdfdetach jq script
# "A certificate in three commands" in docs/usage.md is true, up to the auditor, who has none of our
# programs. What can fail without a disk does so before the first write; what fails afterwards costs
# no record, and the command that is told prints the paper.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 4 ${#sg[@]} disks
state=/var/lib/diskwipe/erase
rm -rf "$state"
hostname station
mkdir "$T/work" "$T/auditor"
here=$(cd "$(dirname "$0")" && pwd)
cd "$T/work"
sed -n '/^## A certificate in three/,/^## Order/p' "$here/../../docs/usage.md" >"$T/page"
python3 "$here/readme.py" "$T/page" "$DISKWIPE" 2 || fail 'docs/usage.md'
assert_eq 600 "$(stat -c %a "$state/record.key")" mode
assert_eq 700 "$(stat -c %a "$state")" 'mode of the folder'
pdftotext -layout disk.pdf "$T/text"
for what in 'ZC19JTAB' 'lot-7' "diskwipe@station" 'Certificate of erasure'; do assert_match "$what" "$T/text"; done

# the auditor, with the list that came by another way, and with that of a stranger
cp disk.pdf "$T/auditor"
cp "$state/signers" "$T/auditor"
cd "$T/auditor"
sed -n 's/^\$ //p' "$T/page" >"$T/checks"
assert_eq 3 "$(wc -l <"$T/checks")" 'commands of the auditor'
expect 0 bash -euc ". $T/checks"
assert_match 'Good "diskwipe-record" signature for' "$T/out"
assert_json record.json '.outcome == "erased" and .disk.serial == "ZC19JTAB" and .label == "lot-7"'
sed -i 's/"erased"/"failed"/' record.json
tail -n 1 "$T/checks" >"$T/last"
expect 255 bash -c "who=diskwipe@station; . $T/last"
cd "$T/work"

# the same key again; the paper is of this job alone, and tells what is not erased
expect 3 dw erase --yes --expect-count=2 --certificate=two.pdf "${sg[1]}" "${sg[2]}"
assert_no_match 'a new key' "$T/err"
assert_match 'two.pdf: 1 of 2 disks erased, a page for each' "$T/err"
pdftotext -layout two.pdf "$T/text"
assert_match 'NOT COMPLETELY ERASED' "$T/text"
assert_no_match ZC19JTAB "$T/text"
expect 0 dw records verify --signers="$state/signers" "$state/records"
assert_match ': 3 records, .* whole$' "$T/out"

# who does not know where they are is told
expect 1 dw records list
assert_match "diskwipe records list $state/records\$" "$T/err"
mkdir -p '/run/a b/diskwipe/erase/records'
expect 1 setpriv --reuid 65534 --regid 65534 --clear-groups \
	env XDG_STATE_HOME='/run/a b' "$DISKWIPE" records list
assert_match "diskwipe records list '/run/a b/diskwipe/erase/records'\$" "$T/err"
expect 8 dw records
assert_match "recorded: diskwipe records list $state/records\$" "$T/err"

# what can be known is known before a disk is touched
writes() { enc stats | jq '.disks[3].opcodes | [.["2a", "41", "8a", "93"] // 0] | add'; }
refused() { # REGEX OPTION...
	expect 1 dw erase --yes "${@:2}" "${sg[3]}"
	assert_match "$1" "$T/err"
	assert_match mixed <(enc 'holds 3 0 8192')
	assert_eq 0 "$(writes)" 'writes to the disk'
}
refused '/nowhere/x.pdf: No such file' --certificate=/nowhere/x.pdf
refused 'not a regular file' --certificate=/dev/sda
refused 'not a regular file' --certificate=/dev/null
refused 'name a file' --certificate=-
refused 'two.pdf is there already, perhaps of another disk; name a new file' --certificate=two.pdf
refused 'not a regular file' --certificate=/tmp
refused '--record=DIR is missing' --certificate=x.pdf --record-key="$state/record.key"
chmod 644 "$state/record.key"
refused 'others may read it' --certificate=x.pdf
chmod 600 "$state/record.key"
mkdir "$T/ro"
mount -t tmpfs -o ro none "$T/ro"
refused 'Read-only file system' --certificate="$T/ro/x.pdf"
umount "$T/ro"
mkdir "$T/alone"
cp "$DISKWIPE" "$T/alone/diskwipe"
cp "${DISKWIPE%/tools/*}"/src/libdiskwipe.so.0 "$T/alone"
expect 1 env LD_LIBRARY_PATH="$T/alone" "$T/alone/diskwipe" erase --yes --certificate=x.pdf "${sg[3]}"
assert_match 'certificates are printed by diskwipe-report, which is not at .*: install the package' "$T/err"
assert_match mixed <(enc 'holds 3 0 8192')
[[ ! -e x.pdf ]] || fail 'a paper of nothing'
expect 0 dw records verify --signers="$state/signers" "$state/records"
assert_match ': 3 records, .* whole$' "$T/out"

# others than root have a folder of their own, in which nothing is made before they may erase; the
# program may lie where nobody may read
cp "${DISKWIPE%/*}/diskwipe-report" "$T/alone"
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups env -u HOME "$@" LD_LIBRARY_PATH="$T/alone" \
		"$T/alone/diskwipe" erase --yes --certificate="$T/open/x.pdf" "${sg[3]}"
}
mkdir -m 777 "$T/open"
chmod 755 "$T"
expect 1 as_nobody -u XDG_STATE_HOME
assert_match 'HOME names no folder for key and records; give --record and --record-key' "$T/err"
expect 7 as_nobody XDG_STATE_HOME="$T/open/state"
expect 7 as_nobody -u XDG_STATE_HOME HOME="$T/open"
assert_eq '' "$(find "$T/open" -mindepth 1)" 'made for nothing'
assert_match mixed <(enc 'holds 3 0 8192')

# a dry run makes nothing, and neither does a command that names no disk
rm -rf "$state"
expect 1 dw erase --yes --certificate=x.pdf
assert_match 'no device named' "$T/err"
[[ ! -e $state ]] || fail 'a key for nothing'
expect 2 dw erase --yes --certificate=x.pdf /dev/sg99
expect 2 dw erase --yes --expect-count=2 --certificate=x.pdf "${sg[3]}"
expect 2 dw erase --certificate=x.pdf "${sg[3]}" </dev/null
[[ ! -e $state ]] || fail 'a key for nothing'
expect 0 dw erase --dry-run --certificate=x.pdf "${sg[3]}"
[[ ! -e $state && ! -e x.pdf ]] || fail 'a dry run has made something'

# what is made after consent, and cannot be made, is no reason to erase without it: the key, ...
mkdir "$state"
mount -t tmpfs -o ro none "$state"
refused 'record.key: Read-only file system' --certificate=x.pdf
umount "$state"
[[ ! -e x.pdf ]] || fail 'a paper of nothing'
# ... and the records of a new key, where the caller has named their folder
mount -t tmpfs -o ro none "$T/ro"
refused 'ro/records: Read-only file system' --certificate=x.pdf --record="$T/ro/records"
assert_match 'a new key' "$T/err"
umount "$T/ro"

# another command that makes a key, and does not come to an end, can be waited for no longer
awaits_folder() {
	ended_or_waits() { has_line '-> FLOCK' /proc/locks || ! kill -0 "$job"; }
	wait_for 60 ended_or_waits
	kill -0 "$job" 2>/dev/null || fail 'it has not waited for the folder'
}
rm -rf "$state"
mkdir "$state"
exec 9<"$state"
flock 9
start erase --yes --certificate=x.pdf "${sg[3]}"
awaits_folder
kill -INT "$job"
job_says 'stopped; nothing was written'
wait "$job" && fail 'stopped, and exit status 0'
exec 9<&-
assert_eq 0 "$(writes)" 'writes to the disk'
assert_eq '' "$(ls "$state")" 'made for nothing'

# another command makes the key while the question stands, and has not yet written all of it when
# that is answered: it is waited for, and its key is the one
rm -rf "$state"
mkfifo "$T/answer"
script -qefc "$DISKWIPE erase --certificate=asked.pdf ${sg[3]}" "$T/terminal" <"$T/answer" >/dev/null &
job=$!
exec 8>"$T/answer"
wait_for 60 has_line 'last 4 characters of its serial' "$T/terminal"
[[ ! -e $state ]] || fail 'a key before consent'
expect 0 dw erase --yes --certificate=other.pdf "${sg[2]}"
assert_match 'a new key' "$T/err"
exec 9<"$state"
flock 9
mv "$state/record.key.pub" "$state/signers" "$T/work"
serial=$(dw list --json | jq -r ".disks[] | select(.device == \"${sg[3]}\").serial")
echo "${serial: -4}" >&8
awaits_folder
assert_eq 0 "$(writes)" 'writes before there is a key'
mv record.key.pub signers "$state"
exec 9<&-
code=0
wait "$job" || code=$?
assert_eq 0 "$code" 'exit status'
exec 8>&-
(($(writes))) || fail 'its writes are not counted'
assert_match 'asked.pdf: 1 of 1 disk erased' "$T/terminal"
assert_no_match 'a new key' "$T/terminal"
assert_eq 1 "$(wc -l <"$state/signers")" signers
expect 0 dw records verify --signers="$state/signers" "$state/records"
assert_match ': 2 records, .* whole$' "$T/out"

# the place of the paper goes while disks are erased: the records stay, the command prints it later
mkdir "$T/gone"
enc 'fault kind=hold disk=3 op=write,ws nth=1'
start erase --yes --certificate="$T/gone/it is.pdf" "${sg[3]}"
await_held 3
rmdir "$T/gone"
enc 'clear 3'
code=0
wait "$job" || code=$?
assert_eq 1 "$code" 'exit status'
assert_match "it is.pdf: the certificate could not be printed: .*No such file.*; the records are kept in $state/records" "$T/err"
assert_match '1 of 1 disk erased' "$T/out"
mkdir "$T/gone"
later=$(sed -n 's/^diskwipe: to print it later: //p' "$T/err")
PATH=${DISKWIPE%/*}:$PATH
expect 0 bash -c "$later"
pdftotext -layout "$T/gone/it is.pdf" "$T/text"
assert_match 'Certificate of erasure' "$T/text"
# the list of signers is made of the key where it is lost
cp "$state/signers" "$T/signers"
rm "$state/signers"
expect 0 dw erase --yes --certificate=again.pdf "${sg[2]}"
expect 0 cmp "$T/signers" "$state/signers"

# somebody checks many records, for longer than a try to add one waits
enc 'fault kind=hold disk=3 op=write,ws nth=1'
start erase --yes --certificate=waits.pdf "${sg[3]}"
await_held 3
exec 9<"$state/records/.lock"
flock -s 9
enc 'clear 3'
waits() { has_line 'another program reads or adds to the records' "$T/err"; }
wait_for 120 waits
exec 9<&-
wait "$job" || { cat "$T/err" >&2; fail "it ended with $?"; }
assert_no_match 'could not be written' "$T/err"
[[ -s waits.pdf ]] || fail 'no certificate'

# a key that was lost is made again: the list has both, and the old records are good by it
mv "$state/record.key" "$T/record.key"
expect 1 dw erase --yes --certificate=x.pdf "${sg[2]}"
assert_match 'missing, though .*/record.key.pub is there; put the key back, or remove that' "$T/err"
rm "$state/record.key.pub"
mv "$T/record.key" "$state"
mv "$state/signers" "$T/signers"
expect 1 dw erase --yes --certificate=x.pdf "${sg[2]}"
assert_match 'record.key.pub: missing; ssh-keygen -y -f ' "$T/err"
expect 0 bash -c "$(sed -n 's/.*missing; \(ssh-keygen .*\) makes it of the key$/\1/p' "$T/err")"
expect 0 dw erase --yes --certificate=x.pdf "${sg[2]}"
expect 0 cmp "$T/signers" "$state/signers"
rm "$state/record.key" "$state/record.key.pub"
expect 0 dw erase --yes --certificate=new.pdf "${sg[2]}"
assert_match 'a new key' "$T/err"
assert_eq 2 "$(wc -l <"$state/signers")" signers
expect 0 diskwipe-report certificate --signers="$state/signers" --all -o both.pdf "$state/records"

# a job that goes on: the disk that an earlier run has erased has no page, and is not counted
enc 'fault kind=hold disk=3 op=write min=2 lba=4096'
start erase --yes --expect-count=2 --command=write --flush-every=256KiB --controller=fixed:128 --state=st "${sg[2]}" "${sg[3]}"
await_held 3
job_says 'sg2: erased'
kill -INT "$job"
job_says stopping
enc 'clear 3'
wait "$job" || true
expect 0 dw erase --yes --resume=st --certificate=rest.pdf
assert_match 'rest.pdf: 1 of 1 disk erased, a page for each' "$T/err"
assert_match 'rest.pdf: 1 more disk of the job has no page: this run has made no record of it' "$T/err"
