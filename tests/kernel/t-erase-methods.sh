#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=1 per_host_store=1 add_host=3 num_tgts=1 max_luns=1 delay=0"
# Methods and patterns: what the last pass leaves is there, in phase from the first byte
# on, and `verify` believes it only where it is true.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
mapfile -t sd < <(sd_nodes)
mib=$((1 << 20))

# A pattern of three bytes, in pieces that are no multiple of three blocks: its phase counts
# from the start of the disk.
plant_random "${sd[@]}"
erase 0 --pattern=924924 --controller=fixed:77 --verify=full -- "${sg[@]}"
assert_result 3 '.passes | length == 1'
pattern_924924 $mib >"$T/want"
for d in "${sd[@]}"; do read_disk "$d" | cmp - "$T/want"; done
read_lba "${sg[2]}" 2047 1 | cmp - <(tail -c 512 "$T/want")
expect 0 dw verify --json --pattern=924924 --verify=full "${sg[0]}"
expect 5 dw verify --json --pattern=922449 --verify=full "${sg[0]}"

# 35 passes, the first and the last four random; then some of one byte.
erase 0 --method=gutmann --key-file="$T/key" --verify=full -- "${sg[0]}"
assert_result 1 '(.passes | length) == 35 and .bytes_written == 35 * 1048576'
assert_json "$T/out" '[.disks[0].passes[].pattern] | .[0] == "random" and .[4] == "55" and
	.[6] == "924924" and .[34] == "random"'
expect 0 dw verify --json --method=gutmann --key-file="$T/key" --verify=full "${sg[0]}"
expect 5 dw verify --json --method=gutmann --key-file="$T/key" --verify=full "${sg[1]}"

# A disk that cannot erase itself is not erased in another way, and is not touched.
read_disk "${sd[0]}" >"$T/before"
for method in overwrite block crypto; do
	expect 2 dw erase --yes --method="sanitize-$method" "${sg[0]}"
	grep -q 'it does not offer SANITIZE by .*it offers nothing of the kind' "$T/err"
done
expect 2 dw erase --yes --method=sanitize "${sg[0]}"
grep -q 'method sanitize is for simulations' "$T/err"
read_disk "${sd[0]}" | cmp - "$T/before"

erase 0 --method=one -- "${sg[0]}"
assert_erased ff "${sd[0]}"
expect 5 dw verify --json --method=zero "${sg[0]}"
erase 0 --pattern=00,ff,random,a5 -- "${sg[0]}"
assert_result 1 '(.passes | length) == 4'
assert_erased a5 "${sd[0]}"
