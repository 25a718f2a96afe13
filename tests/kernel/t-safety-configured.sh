#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=4 num_tgts=1 max_luns=1 delay=0"
# guest: --module md_mod --module raid1 --module dm_mod --kernel-arg resume=UUID=c0ffee00-1111-2222-3333-444455556666
# needs: mkfs.ext2 mdadm lvm parted jq sg_dd
# What the running system will use by its own configuration, without using it now: no holder,
# no mount. The disk is refused, and free after what is printed; a copy of a disk that is in
# use for that line is free at once.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
uuid=0b5e55ed-1111-2222-3333-444455556666
dd if=/dev/zero of="$T/zero" bs=1M count=1 status=none
mknod /run/node b 8 1
expect 0 parted -s "${sd[0]}" mklabel gpt mkpart esp ext2 1MiB 6MiB mkpart b 6MiB 12MiB
wait_for 60 test -b "${sd[0]}2"
expect 0 mkfs.ext2 -q -U $uuid -L data "${sd[0]}1"
part=$(blkid -p -s PART_ENTRY_UUID -o value "${sd[0]}1")
wwn=$(probe examine "${sd[0]}" | jq -r .wwn)
: >/etc/fstab
assert_free "${sd[0]}"

# Runs what is printed, as somebody who did not write the line.
let_go() { # NODE
	local command
	examine "$1"
	command=${verdict[release]}
	[[ -n $command ]] || fail "no command for $1"
	eval "$command" || fail "it fails: $command"
	assert_free "$1"
}

# every way to name it, each alone in its file
first=true
for spec in "UUID=$uuid" "PARTUUID=$part" 'PARTLABEL="esp"' /run/node "/dev/disk/by-id/wwn-$wwn-part1"; do
	printf '# a comment\n%s /boot/efi vfat noauto,x-systemd.automount 0 0\n' "$spec" >/etc/fstab
	reason='^the running system will use it: line 2 of /etc/fstab, for /boot/efi$'
	if $first; then
		assert_refused "${sd[0]}" configured "$reason" "sed -i '2s/^/#/' /etc/fstab"
	else
		assert_verdict "${sd[0]}" configured "$reason"
	fi
	first=false
	let_go "${sd[0]}"
done
assert_free "${sd[1]}"
printf 'UUID=11111111-1111-2222-3333-444455556666 /home ext4 rw\ntmpfs /tmp tmpfs rw\n' >/etc/fstab
assert_free "${sd[0]}"

# other files
check() { # FILE LINE
	mkdir -p "${1%/*}"
	printf '%s\n' "$2" >"$1"
	assert_verdict "${sd[0]}" configured "line 1 of $1"
	let_go "${sd[0]}"
}
check /etc/crypttab "secret /nowhere /key:LABEL=data luks"
check /etc/systemd/system/srv-data.mount "What=UUID=$uuid"

# a copy of what is mounted by that line
expect 0 dd if="${sd[0]}" of="${sd[1]}" bs=1M conv=fsync
printf 'UUID=%s /run/m ext2 rw\n' $uuid >/etc/fstab
assert_verdict "${sd[1]}" configured 'for /run/m'
mkdir /run/m
expect 0 mount -o ro "${sd[0]}1" /run/m
assert_verdict "${sd[0]}" mounted
assert_free "${sd[1]}"
umount /run/m
: >/etc/fstab
for node in "${sd[@]:0:2}"; do dd if=/dev/zero of="$node" bs=1M count=16 conv=fsync status=none; done

# swap to wake up from, by the kernel's command line: no command takes it back
expect 0 mkswap -U c0ffee00-1111-2222-3333-444455556666 "${sd[1]}"
assert_refused "${sd[1]}" configured \
	'^the running system will use it: resume=UUID=c0ffee00.* of the kernel command line' ''
dd if="$T/zero" of="${sd[1]}" conv=fsync status=none

# what only carries a signature is erased, and the result says what it was
expect 0 mkfs.ext2 -q -L other "${sd[0]}"
expect 0 dw --yes --json "${sd[0]}"
assert_json "$T/out" '.disks[0].signatures == "ext2"'
assert_json "$T/out" '.disks[0].notes | any(. == "carried before: ext2")'

# an array that lacks a member wants it; a whole one does not; one of mdadm.conf does
expect 0 mdadm --create /dev/md0 --run --level=1 --assume-clean --bitmap=none --metadata=1.2 \
	--raid-devices=2 "${sd[0]}" "${sd[1]}"
expect 0 mdadm /dev/md0 --fail "${sd[1]}" --remove "${sd[1]}"
assert_verdict "${sd[1]}" configured 'md array md0, which lacks a member$' 'mdadm --stop /dev/md0'
expect 0 mdadm --grow /dev/md0 --raid-devices=1 --force
mkdir -p /etc/mdadm
mdadm --detail --scan >/etc/mdadm/mdadm.conf
assert_free "${sd[1]}"
expect 0 mdadm --stop /dev/md0
assert_refused "${sd[1]}" configured 'line 1 of /etc/mdadm/mdadm.conf, array /dev/md' \
	"sed -i '1s/^/#/' /etc/mdadm/mdadm.conf"
let_go "${sd[1]}"
assert_free "${sd[0]}"

# a member of an active volume group that holds no volume; a volume of fstab that is inactive
expect 0 lvm_here pvcreate -q "${sd[2]}" "${sd[3]}"
expect 0 lvm_here vgcreate -q v-g "${sd[2]}" "${sd[3]}"
expect 0 lvm_here lvcreate -q -y -L 8M -n lv v-g "${sd[2]}" -Zn -Wn
assert_verdict "${sd[2]}" holder
assert_verdict "${sd[3]}" configured '^the running system will use it: volume group v-g, which is active$' \
	'vgchange -an v-g'
expect 0 lvm_here vgchange -an v-g
assert_free "${sd[3]}"
for spec in /dev/mapper/v--g-lv /dev/v-g/lv; do
	echo "$spec /srv ext4 rw" >/etc/fstab
	for node in "${sd[@]:2:2}"; do assert_verdict "$node" configured 'for /srv$'; done
	let_go "${sd[2]}"
done
