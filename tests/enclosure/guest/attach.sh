#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure ../enclosure/guest/attach.conf
# needs: sg_raw sg_inq sg_vpd sg_opcodes sg_readcap jq
# What the kernel's sd and sg3_utils make of the disks, and that content is kept.
. "$(dirname "$0")/../../kernel/lib.sh"

sys() { cat "/sys/class/scsi_generic/sg$1/device/$2"; }
sd() { sd_of "/dev/sg$1"; }

assert_eq 8 "$(sg_nodes | wc -l)"
host=/sys/class/scsi_host/host0
assert_eq '64 8' "$(cat $host/sg_tablesize $host/cmd_per_lun | xargs)" 'HBA limits'
assert_eq 1024 "$(cat "/sys/block/$(basename "$(sd 0)")/queue/max_hw_sectors_kb")"

# identity
sg_inq /dev/sg0 >"$T/o"
assert_match 'identification: ACME' "$T/o"
assert_match 'identification: ROTATING DISK' "$T/o"
sg_vpd -p sn /dev/sg0 >"$T/o"
assert_match 'serial number: SER0' "$T/o"
assert_eq naa.5000000000000a00 "$(sys 0 wwid)"
assert_eq naa.5000000000000a00 "$(sys 6 wwid)" 'second port'
sg_vpd -p di /dev/sg0 >"$T/a"
sg_vpd -p di /dev/sg6 >"$T/b"
assert_match 'Relative target port: 0x1' "$T/a"
assert_match 'Relative target port: 0x7' "$T/b"

# geometry, as sd sees it
queue() { cat "/sys/block/$(basename "$(sd "$1")")/queue/$2"; }
assert_eq '512 512 1' "$(queue 0 logical_block_size) $(queue 0 physical_block_size) $(queue 0 rotational)"
assert_eq '4096 4096 0' "$(queue 1 logical_block_size) $(queue 1 physical_block_size) $(queue 1 rotational)"
assert_eq '512 4096' "$(queue 3 logical_block_size) $(queue 3 physical_block_size)"
assert_eq 524288 "$(queue 0 optimal_io_size)"
assert_eq 6442450944 "$(cat "/sys/block/$(basename "$(sd 3)")/size")"
assert_eq 13 "$(sys 4 type)"
assert_eq '' "$(sd 4)" 'an enclosure device is no disk'
sg_readcap -16 /dev/sg3 >"$T/o"
assert_match 'prot_en=1, p_type=0' "$T/o"
assert_match 'per physical block exponent=3' "$T/o"
sg_readcap -16 /dev/sg2 >"$T/o"
assert_match 'block length=520' "$T/o"
sg_readcap -16 /dev/sg1 >"$T/o"
assert_match 'lbpme=1, lbprz=1' "$T/o"

# cache and write protection
cache() { cat /sys/class/scsi_disk/"$(basename "$(readlink -f "/sys/class/scsi_generic/sg$1/device")")"/cache_type; }
assert_eq 'write back' "$(cache 0)"
assert_eq 'write through' "$(cache 7)"
assert_eq 1 "$(cat "/sys/block/$(basename "$(sd 5)")/ro")"
expect 7 sg_dd if=/dev/zero of=/dev/sg5 bs=512 count=1 conv=nocreat
assert_match 'Write protected' "$T/err"

# opcodes
sg_opcodes /dev/sg0 >"$T/o"
assert_match '93 .*Write same\(16\)' "$T/o"
expect 9 sg_opcodes /dev/sg7

# a reservation of somebody else
expect 99 sg_dd if=/dev/zero of=/dev/sg7 bs=512 count=1 conv=nocreat
assert_match 'Reservation Conflict' "$T/err"
sg_dd if=/dev/sg7 of=/dev/null bs=512 count=1 2>/dev/null

# content: by sd, by sg, by WRITE SAME, seen on the medium outside
head -c 8388608 /dev/urandom >"$T/random"
dd if="$T/random" of="$(sd 1)" bs=1M oflag=direct conv=nocreat,fsync status=none
cmp -n 8388608 "$T/random" "$ENCLOSURE_DIR/disk-01.img"
head -c 520000 "$T/random" >"$T/odd"
sg_dd if="$T/odd" of=/dev/sg2 bs=520 bpt=100 seek=7000 conv=nocreat 2>/dev/null
sg_sync /dev/sg2
cmp <(tail -c 520000 "$ENCLOSURE_DIR/disk-02.img") "$T/odd"
plant_lba /dev/sg3 4294967295 'below'
plant_lba /dev/sg3 4294967296 'above'
plant_lba /dev/sg3 6442450943 'the end'
sg_sync --16 /dev/sg3
at() { dd if="$ENCLOSURE_DIR/disk-03.img" bs=512 skip="$1" count=1 status=none | head -1; }
assert_eq 'below above the end' "$(at 4294967295) $(at 4294967296) $(at 6442450943)"
assert_eq above "$(read_lba /dev/sg3 4294967296 1 | head -1)"
sg_write_same --16 --lba=4294967296 --num=1 /dev/sg3
assert_eq below "$(read_lba /dev/sg3 4294967295 1 | head -1)"
assert_eq 0 "$(read_lba /dev/sg3 4294967296 1 | tr -d '\0' | wc -c)"
plant_lba /dev/sg6 77 'other way'
assert_eq 'other way' "$(read_lba /dev/sg0 77 1 | head -1)"

# what is not flushed is not on the medium, and a reset loses it
plant_lba /dev/sg0 78 'volatile'
assert_eq volatile "$(read_lba /dev/sg0 78 1 | head -1)"
enc 'reset 0'
expect 6 sg_raw /dev/sg0 0 0 0 0 0 0
assert_eq 0 "$(read_lba /dev/sg0 78 1 | tr -d '\0' | wc -c)"

# the cache can be switched off
{ printf '\0\0\0\0\x88\x12'; head -c 18 /dev/zero; } >"$T/page"
expect 0 sg_raw -s 24 -i "$T/page" /dev/sg0 15 10 0 0 18 0
plant_lba /dev/sg0 79 'durable'
assert_eq durable "$(dd if="$ENCLOSURE_DIR/disk-00.img" bs=512 skip=79 count=1 status=none | head -1)"

enc stats >"$T/stats"
assert_json "$T/stats" '.disks[3].opcodes["8a"] == 3 and .disks[3].opcodes["93"] == 1'
assert_json "$T/stats" '.disks[1].bytes_written >= 8388608 and .disks[1].flushes >= 1'
assert_json "$T/stats" '.disks | map(.largest_bytes) | max <= 1048576'
