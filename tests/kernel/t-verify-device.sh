#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/verify-device.conf
# timeout: 300
# needs: jq
# Disks that compare their blocks themselves are believed as far as they find what was planted;
# all others are read in full, and nothing that was planted stays on any.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

honest=(/dev/sg0 /dev/sg1 /dev/sg2)
liars=(/dev/sg3 /dev/sg4 /dev/sg5 /dev/sg6)
all=() sd=()
for sg in "${honest[@]}" "${liars[@]}"; do
	all+=("$sg")
	sd+=("$(sd_of "$sg")")
done
plant_random "${sd[@]}"
erase 0 --verify=device:70% -- "${all[@]}"
assert_erased 00 "${sd[@]}"

assert_json "$T/out" '.disks[:3] | all(.verify | .mode == "device" and .done == "sample" and
	.planted == .planted_found and .planted > 459 and .device_skipped < 0.01 and
	.device_compared + .planted == 77824 and .read < 60000 and .bound <= 0.001)'
assert_json "$T/out" '.disks[3:] | all(.verify | .mode == "device" and .done == "full" and
	.bound == 0 and (.device_skipped // 0) == 0 and (.device_refused | length) > 0)'
assert_json "$T/out" '.disks[:3] | all(.notes | any(test("^compared by the disk \\((\\d+) of \\1 planted")))'

# two paths of one disk; and the service, whose job it is as well
expect 0 dw --yes --expect-count=1 --json --verify=device:70% /dev/sg8 /dev/sg9
assert_json "$T/out" '.disks | length == 1 and (.[0] | (.paths | length) >= 2 and
	.verify.planted_found > 459 and .verify.device_compared > 77000)'
served="$(dirname "$DISKWIPE")/../src/service/diskwiped"
if [[ -x $served ]]; then
	export DISKWIPE_BUS_ADDRESS=unix:path=$T/bus
	mkdir "$T/served" "$T/records"
	expect 0 dw records key "$T/key"
	printf '[station]\nrecords=%s\nrecord-key=%s\n' "$T/records" "$T/key" >"$T/conf"
	"$served" --no-bus --config="$T/conf" --state-dir="$T/served" --socket="$T/bus" 2>"$T/service" &
	service=$!
	knows() { dw status -q --noheadings -o device | grep -q sg0; }
	wait_for 60 knows
	expect 0 dw submit --yes --expect-count=2 --wait --verify=device:70% /dev/sg0 /dev/sg3
	wait_for 60 test -e "$T/records/record-00000002.json"
	jq -s '[.[].verification | select(.)] | sort_by(.planted_found // 0)' "$T"/records/*.json >"$T/proved"
	assert_json "$T/proved" '(.[0] | .done == "full" and (.device_refused | test("called equal"))) and
		(.[1] | .done == "sample" and .planted_found > 459 and .device_skipped_ppb <= 10000000)'
	kill $service
	wait $service || true
	unset DISKWIPE_BUS_ADDRESS
fi

# auto: by a topology file whose bus is the limit, and with guesses alone
few=(/dev/sg0 /dev/sg1 /dev/sg6 /dev/sg7)
expect 0 dw topology -q -o "$T/told" "${few[@]}"
{
	printf '[bus narrow]\nrate = 3MB/s\n'
	sed -n '/^\[disk/,$p' "$T/told" |
		sed -e '/^assumed/d; /^on = /d; /^inner/d; /^rpm/d; /^seek/d' \
			-e 's/^outer = .*/outer = 20MB\/s/' -e 's/^\[disk .*/&\non = narrow/'
} >"$T/narrow.station"
by_disks='verification: compared by the disks, because bus narrow is the limit: [0-9:]+ instead of'
expect 0 dw --yes --expect-count=3 --json --verify=auto:70% --topology="$T/narrow.station" "${few[@]:0:3}"
assert_match "$by_disks [0-9:]+" "$T/err"
assert_json "$T/out" '.job.verify == "device" and .job.verify_asked == "auto" and
	(.disks[:2] | all(.verify | .planted_found > 459 and .device_skipped < 0.01)) and
	(.disks[2].verify | .done == "full" and .bound == 0 and (.device_refused | length) > 0)'
expect 0 dw --yes --expect-count=1 --json --verify=auto:70% /dev/sg0
assert_match 'verification: full, because the speeds of the disks are guesses' "$T/err"
assert_json "$T/out" '.job.verify == "full" and .job.verify_asked == "auto" and
	(.disks[0].verify | .mode == "full" and .done == "full" and (.planted // 0) == 0)'

# cut off while differences are planted, and again at the begin of what goes on: they are overwritten
# by whoever does
slow=/dev/sg7
cut_off() { # FAULT OPTION...
	enc "fault kind=hold disk=7 $1"
	start --yes --expect-count=1 --progress=plain "${@:2}"
	await_held 7
	kill -KILL "$job"
	wait "$job" || true
	enc 'clear 7'
}

# chosen by the forecast, which whoever resumes keeps to
cut_off 'op=verify nth=5' --verify=auto:70% --topology="$T/narrow.station" --state="$T/state" $slow
# whoever does not know of plants writes all again
assert_match '"planted":true' "$T/state"
assert_match '"lba":[0-9]{1,5},' "$T/state"
blockdev --flushbufs "$(sd_of $slow)"
(($(tr -d '\0' <"$(sd_of $slow)" | wc -c) > 64)) || fail 'nothing is planted when it is cut off'
cut_off 'op=write nth=3' --resume="$T/state"
# where it looks whether addresses wrap, it finds what it has not written, and writes all again
assert_match '"planted":true|"lba":0,' "$T/state"
expect 0 dw --yes --expect-count=1 --json --resume="$T/state"
blockdev --flushbufs "$(sd_of $slow)"
cmp -n $((160 << 20)) "$(sd_of $slow)" /dev/zero
assert_json "$T/out" '.job.verify == "device" and .job.verify_asked == "auto"'
assert_match 'verification: compared by the disks, as was chosen before' "$T/err"
assert_json "$T/out" '.disks[0] | .outcome == "erased" and .verify.read > 220000 and
	.verify.planted > 459 and .verify.planted == .verify.planted_found'
