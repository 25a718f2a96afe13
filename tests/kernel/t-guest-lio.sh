#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio
# LIO by configfs: a file takes WRITE SAME, a ramdisk does not, and one disk
# may have two paths.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"

lio_fileio file $((64 << 20))
lio_ramdisk ram $((16 << 20))
lio_export fileio file 1
file_lun=$lio_lun
lio_export rd_mcp ram 1
assert_eq 2 "$(sg_nodes | wc -l)"
file=/dev/sg0 ram=/dev/sg1
assert_eq $((64 << 20)) "$(size_of "$(sd_of $file)")"
assert_eq $((16 << 20)) "$(size_of "$(sd_of $ram)")"

plant "$(sd_of $file)"
expect 0 sg_write_same --16 --num=1024 --lba=0 --xferlen=512 $file
read_lba $file 0 1024 | cmp -n $((512 * 1024)) - /dev/zero
! read_lba $file 1024 1 | cmp -s -n 512 - /dev/zero || fail 'WRITE SAME wrote too much'
expect 5 sg_write_same --16 --num=1024 --lba=0 --xferlen=512 $ram

# The same backstore by a second target: the same name, the same data.
lio_export fileio file 2
assert_eq 3 "$(sg_nodes | wc -l)"
assert_eq "$(sg_vpd -p di $file | grep -A1 NAA)" "$(sg_vpd -p di /dev/sg2 | grep -A1 NAA)"
assert_eq "$(sha_of "$(sd_of $file)")" "$(sha_of "$(sd_of /dev/sg2)")"

# A cable is pulled and put back.
lio_unexport file "$file_lun" 1
wait_for 60 test ! -e $file
lio_export fileio file 1
assert_eq 3 "$(sg_nodes | wc -l)"
