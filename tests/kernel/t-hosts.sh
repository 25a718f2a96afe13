#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=4 num_tgts=1 max_luns=1 delay=0"
# needs: parted jq unshare python3
# Adapters of a host on real nodes. diskwipe-scrub in the place of scrub: what it says is erased is,
# and has a record; a disk that its caller holds open, as libvirt does, is refused and bit by bit what
# it was. Then a release script of MAAS, and a cleaner of Kubernetes in namespaces as pods have them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

there=$(realpath "$(dirname "$0")/../../integrations")
mkdir -p "$T/bin" /etc/diskwipe
ln -s "$DISKWIPE" "$T/bin/diskwipe"
ln -s "$there/hosts/diskwipe-scrub" "$T/bin/scrub"
PATH=$T/bin:$PATH:/usr/sbin:/sbin
expect 0 dw records key "$T/record.key" --operator=host
ln -s "$T/record.key" /etc/diskwipe/record.key # a secret of Kubernetes is a link
plant_random /dev/sda /dev/sdb /dev/sdc
sha256sum /dev/sdb /dev/sdc >"$T/before"
untouched() { # STATUS COMMAND...
	expect "$@"
	blockdev --flushbufs /dev/sdb /dev/sdc
	sha256sum --quiet -c "$T/before" || fail "something was written by: $*"
}

# As libvirt calls it; the passes are those of scrub.
untouched 0 scrub -f -p dod /dev/sda
assert_match '^scrub: using DoD 5220.22-M patterns$' "$T/out"
assert_match '^scrub: /dev/sda: .* erased; verified: ' "$T/out"
assert_erased ff /dev/sda
expect 0 dw records verify /var/lib/diskwipe/hosts/records
expect 0 dw records list --json /var/lib/diskwipe/hosts/records
assert_json "$T/out" '.outcome == "erased" and .method == "custom" and .operator == "scrub"'

# What scrub does not do, either, or what is no disk.
untouched 0 scrub -n /dev/sg1
assert_match 'dryrun' "$T/out"
untouched 1 scrub -f /dev/sdb /dev/null
printf '\001\002\003SCRUBBED!' >/dev/sdb
sync
sha256sum /dev/sdb /dev/sdc >"$T/before"
untouched 1 scrub /dev/sdb
assert_match 'already scrubbed' "$T/err"
expect 0 parted -s /dev/sdc mklabel gpt mkpart a ext2 1MiB 2MiB
sha256sum /dev/sdb /dev/sdc >"$T/before"
untouched 1 scrub -f /dev/sdc1
assert_match 'partition' "$T/err"

# Its caller has the disk open.
exec 7<>/dev/sdb
untouched 1 scrub -f -p random /dev/sdb
assert_match 'open in process' "$T/err"
exec 7>&-

# Several, by either node; zeros at the end.
expect 0 scrub -f /dev/sdb /dev/sg2
assert_erased 00 /dev/sdb /dev/sdc
expect 0 dw records verify /var/lib/diskwipe/hosts/records

# A release of MAAS: its runner gives node and serial number; another serial number is another disk.
dw inspect --json /dev/sdd >"$T/inspected"
serial=$(jq -r '.disks[0].serial' "$T/inspected")
plant_random /dev/sdd
sum=$(sha256sum </dev/sdd)
export RESULT_PATH=$T/result.yaml
expect 1 "$there/hosts/diskwipe-maas" release --path=/dev/sdd --serial=OTHER123
assert_match '"failed"' "$RESULT_PATH"
assert_match 'OTHER123 for MAAS' "$T/err"
blockdev --flushbufs /dev/sdd
assert_eq "$sum" "$(sha256sum </dev/sdd)" 'a disk that was not meant'
expect 0 "$there/hosts/diskwipe-maas" commission
expect 0 "$there/hosts/diskwipe-maas" release --path=/dev/sdd "--serial=$serial"
assert_match '"passed"' "$RESULT_PATH"
assert_erased 00 /dev/sdd

# A cleaner of Kubernetes: as the pod of a cleaning job has it, and with hostPID.
plant_random /dev/sdd
sum=$(sha256sum </dev/sdd)
mkdir "$T/disks"
ln -s /dev/sdd "$T/disks/one"
export LOCAL_PV_BLKDEVICE=$T/disks/one
expect 1 unshare --mount --pid --fork --mount-proc "$there/hosts/diskwipe-volume"
assert_json /var/lib/diskwipe/hosts/volumes/one.json '.erased == false'
assert_match 'pid=host' "$T/err"
blockdev --flushbufs /dev/sdd
assert_eq "$sum" "$(sha256sum </dev/sdd)" 'the disk of a cleaning job'
expect 0 unshare --mount "$there/hosts/diskwipe-volume" --verify=full
assert_json /var/lib/diskwipe/hosts/volumes/one.json \
	'.erased == true and .result.verify.done == "full" and (.record.text | fromjson | .outcome == "erased")'
assert_erased 00 /dev/sdd
expect 0 dw records verify /var/lib/diskwipe/hosts/records
