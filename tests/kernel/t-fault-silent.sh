#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-silent.conf
# needs: jq
# Writes that end well and were not carried out, or not wholly: full verification names
# every block of them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

erase 5 --command=write --controller=fixed:64 --verify=full -- 0 1 2 3 7
lba=$(media 2 | cmp -l - /dev/zero 2>/dev/null | awk '{ print int(($1 - 1) / 512) }' || true)
[[ $lba =~ ^[0-9]+$ ]] || fail "not one byte differs, but those in '$lba'"
assert_disks <<TEXT
0 exceptions_are("128 64 mismatch") and .verify.mismatches == 64
1 exceptions_are("138 54 mismatch")
2 exceptions_are("$lba 1 mismatch")
3 exceptions_are("0 64 mismatch", "1984 64 mismatch")
7 erased
TEXT
printf '%s\n' '0 128 64' '1 138 54' "2 $lba 1" '3 0 64' '3 1984 64' >"$T/expected"
assert_leftovers 0 1 2 3 7 <"$T/expected"

erase 5 --command=write-same --controller=fixed:128 --verify=full -- 4
assert_disks <<<'4 exceptions_are("128 128 mismatch")'

# in an earlier pass nothing is lost by it, in the last one all
erase 0 --command=write --controller=fixed:64 --pattern=ff,00 --verify=full -- 5
assert_disks <<<'5 erased'
assert_leftovers 5 </dev/null
erase 5 --command=write --controller=fixed:64 --pattern=ff,00 --verify=full -- 6
assert_disks <<<'6 exceptions_are("191 1 mismatch")'
assert_leftovers 6 <<<'6 191 1'

# one that keeps nothing but single blocks is not erased with exceptions
enc 'plant 7 0 2048 0x5a' >/dev/null
enc 'fault kind=drop disk=7 op=write min=2' >/dev/null
erase 5 --command=write --controller=fixed:64 --verify=full -- 7
assert_disks <<<'7 failed("2048 of its 2048 blocks could not be erased or verified") and .level == null'

# what holds on the disk now can be told later too
enc clear-all
expect 5 dw verify --json --verify=full "${node[1]}"
assert_json "$T/out" '.disks[0].exceptions == [{lba: 138, blocks: 54, kind: "mismatch", sense: ""}]
	or .disks[0].exceptions[0].lba == 138'
