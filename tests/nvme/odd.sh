#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# What tests/nvme/machine-test runs: NVMe disks that deny every access, and disks that share one
# identifier (tests/devices/nvme has their answers as bytes).
. "$(dirname "$0")/../kernel/lib.sh"
. "$(dirname "$0")/targets.sh"

# --- a locked disk answers Identify, and denies all that needs the medium ---
target odd 1
before=$(sha256sum <"$shelf/odd.1")
configure odd denied=1
for method in zero sanitize-block nvme-format auto; do
	erase 2 odd $method
	assert_match 'locked by its own security: it denies access' "$T/err"
done
told odd ''
expect 0 dw list --json "${node[odd]}"
assert_json "$T/out" '.disks[0] | .verdict == "write-protected" and (.reason | test("set it apart$"))'
expect 0 dw inspect "${node[odd]}"
assert_match '^lock +it denies every access' "$T/out"
assert_eq "$before" "$(sha256sum <"$shelf/odd.1")" 'the medium of the locked disk'
# once it has been reverted, it is a disk as others are
configure odd
erase 0 odd nvme-format
outcome erased
zeros odd
said 'denied'

# --- two disks of a batch have one EUI-64, and serial numbers of their own: both are erased ---
twins=("/dev/$(controller_of TWINA)n1" "/dev/$(controller_of TWINB)n1")
expect 0 dw list --json "${twins[@]}"
assert_json "$T/out" '[.disks[] | .erasable and .presumed_paths == []] == [true, true]'
expect 0 dw erase --yes --expect-count=2 --json --method=zero "${twins[@]}"
assert_json "$T/out" '[.disks[] | [.outcome, .serial]] | sort == [["erased", "TWINA"], ["erased", "TWINB"]]'
for n in "${twins[@]}"; do cmp -n 1048576 "$n" /dev/zero || fail "$n is called erased, and is not"; done
said 'twins'
