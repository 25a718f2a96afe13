#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/page-cache.conf
# needs: jq parted python3
# Dirty pages that were written through the page cache before, and flushed by nobody, bring
# nothing back; nor does a clean page of old data or an old partition node stay.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mib=$((1 << 20))
head -c 6M /dev/urandom >"$T/old"

# Someone has the node open, so that its pages stay dirty; and out of diskwipe's sight, which
# otherwise refuses the disk.
hold() { # NODE
	rm -f "$T/ready" # that of the holder before
	python3 holder.py flight "$1" < <(sleep 600) >"$T/ready" &
	holder=$!
	wait_for 60 has_line ready "$T/ready"
	dd if="$T/old" of="$1" bs=64K conv=nocreat,notrunc status=none
	grep -qE '^Dirty: +[56][0-9]{3} ' /proc/meminfo || fail "no dirty pages: $(grep Dirty /proc/meminfo)"
}
release() {
	kill $holder
	wait $holder 2>/dev/null || true
}
# no write-back unless it is asked for
echo 360000 >/proc/sys/vm/dirty_writeback_centisecs
echo 360000 >/proc/sys/vm/dirty_expire_centisecs

for node in /dev/sg0 /dev/sda; do
	hold /dev/sda
	erase 0 --verify=full -- $node
	assert_result 1
	head -c 6M /dev/sda | cmp -n $((6 * mib)) - /dev/zero || fail 'the page cache has old data'
	sync
	release
	sync
	echo 3 >/proc/sys/vm/drop_caches
	assert_erased 00 /dev/sda
done

# A partition table: its nodes are gone afterwards, and so is what was cached through them.
expect 0 parted -s /dev/sdb mklabel gpt mkpart a 1MiB 8MiB mkpart b 8MiB 15MiB
wait_for 60 test -b /dev/sdb2
dd if="$T/old" of=/dev/sdb2 bs=64K conv=nocreat status=none
head -c 6M /dev/sdb2 | cmp - "$T/old"
erase 0 -- /dev/sg1
assert_result 1
[[ -z $(find /dev /sys/block/sdb -maxdepth 1 -name 'sdb?') ]] || fail 'partition nodes are left'
sync
assert_erased 00 /dev/sdb

# The job is held in the middle of what OP names; "clear" lets it go on.
held() { # OP OPTION...
	enc "fault kind=hold disk=0 op=$1 min=2 lba=16000 count=1"
	start --yes --json --command=write --controller=fixed:1024 --progress=plain "${@:2}"
	await_held 0
}

# Old data that someone reads while they are still there, and keeps in the page cache.
plant_random /dev/sda
held write --verify=off --depth=1 /dev/sda
exec 7</dev/sda
dd bs=1M skip=14 count=2 status=none <&7 | cmp - <(tail -c 2M "$T/planted") || fail 'not the old data'
exec 7<&-
enc 'clear 0'
wait $job
assert_result 1
dd bs=1M count=2 skip=14 if=/dev/sda status=none | cmp -n $((2 * mib)) - /dev/zero ||
	fail 'the page cache kept old data'

# Pages that someone dirties while the job runs: OP is what the job does then. Nothing but the
# flush at its end writes them back.
meddle() { # STATUS OP FILTER OPTION...
	local got=0
	held "$2" "${@:4}"
	dd if="$T/old" of=/dev/sda bs=64K count=1 conv=nocreat,notrunc status=none
	enc 'clear 0'
	wait $job || got=$?
	assert_eq "$1" $got "exit status, $2"
	assert_json "$T/out" ".disks[0] | $3"
}
wrote='.outcome == "failed" and (.reason | test("another program wrote to it [(][0-9]+ sectors"))'
# what a record says is the end, and not what the disk's own work came to
dw records key "$T/key" --operator=station@here >"$T/signers"
meddle 4 read "$wrote" --verify=full --record="$T/records" --record-key="$T/key" /dev/sda
meddle 4 write "$wrote" --verify=off --record="$T/records" --record-key="$T/key" /dev/sda
expect 0 dw records verify --signers="$T/signers" "$T/records"
for n in 1 2; do
	assert_json "$T/records/record-0000000$n.json" '.outcome == "failed" and .level == "none" and
		(.reason | test("another program wrote to it")) and (.level_limit | test("it is not erased"))'
done
meddle 5 write '.outcome == "erased-with-exceptions" and .verify.mismatches == 128' \
	--verify=full /dev/sda
assert_match 'another program wrote to it' "$T/err"
# who has it open at the end may do anything
held write --verify=off /dev/sda
exec 7</dev/sda
enc 'clear 0'
got=0
wait $job || got=$?
assert_eq 4 $got 'exit status'
assert_json "$T/out" '.disks[0].reason | test("in use at the end .*process")'
