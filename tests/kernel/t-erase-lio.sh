#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio
# LIO disks: a file takes WRITE SAME; a ramdisk refuses it, and plain writes take over by
# themselves, said so. What is behind them is looked at directly.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/erase.sh"

lio_fileio file $((20 << 20))
lio_ramdisk ram $((8 << 20))
lio_export fileio file 1
lio_export rd_mcp ram 1
file=/dev/sg0 ram=/dev/sg1

plant_random /dev/sda
plant_random /dev/sdb
erase 0 --command=write --verify=full -- $file $ram
assert_result 2 '.command == "write"'
cmp -n $((20 << 20)) /run/lio-file /dev/zero
assert_erased 00 /dev/sda
assert_erased 00 /dev/sdb

plant_random /dev/sda
plant_random /dev/sdb
erase_lio_same $file $ram
cmp -n $((20 << 20)) /run/lio-file /dev/zero
assert_erased 00 /dev/sda
assert_erased 00 /dev/sdb
assert_ends 00 $file
assert_ends 00 $ram
