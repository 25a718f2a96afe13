#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio --module dm_mod --module dm_multipath --module dm_round_robin
# needs: dmsetup jq sg_dd
# Two paths to one disk: neither is erased, with a multipath map on top or without.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/safety.sh"

lio_fileio f0 16777216
lio_export fileio f0 1
lio_export fileio f0 2
mapfile -t sd < <(sd_nodes)
assert_eq 2 ${#sd[@]} 'number of paths'
plant "${sd[0]}"

# "identity not unique", also when only one of the two is named
for i in 0 1; do
	assert_refused "${sd[i]}" not-unique "identity not unique: ${sd[1 - i]} answers"
	assert_refused "$(sg_of "${sd[i]}")" not-unique "identity not unique: ${sd[1 - i]} answers"
done
probe list >"$T/list"
assert_eq 2 "$(jq -r .verdict.refusal <"$T/list" | grep -c not-unique)" 'refused in the list'

mkdir -p /dev/mapper
[[ -e /dev/mapper/control ]] || mknod /dev/mapper/control c 10 236
expect 0 dmsetup create mp0 --noudevsync --table \
	"0 $(blockdev --getsz "${sd[0]}") multipath 0 0 1 1 round-robin 0 2 1 ${sd[0]} 1 ${sd[1]} 1"
for node in "${sd[@]}"; do
	assert_refused "$node" holder '^in use by device-mapper map mp0$' 'dmsetup remove mp0'
done
