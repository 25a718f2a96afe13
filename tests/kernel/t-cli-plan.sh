#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio
# A plan is bound to disks, not to their names: when these move, the right ones are erased,
# and a disk that is not there any more is no reason to take another.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/erase.sh"

names=(a b c d)
for n in "${names[@]}"; do
	lio_fileio "$n" $((2 << 20)) "/run/$n"
	lio_export fileio "$n" 1
	head -c 2M /dev/urandom >"/run/$n"
done
sum() { sha256sum <"/run/$1"; }
before_a=$(sum a) before_c=$(sum c)

expect 0 dw plan -o "$T/plan" --mirror=/dev/sg1,/dev/sg3 --verify=sample:50% --verify-policy=common \
	/dev/sg1 /dev/sg3
assert_json "$T/plan" '[.disks[].device] == ["/dev/sg1", "/dev/sg3"]'

# all go, and come back in another order
for i in 0 1 2 3; do lio_unexport "${names[i]}" "$i" 1; done
wait_for 60 test ! -e /dev/sg0
for n in d a b c; do lio_export fileio "$n" 1; done
serial_of() { sg_vpd -p sn "$1" | tail -1; }
expect 2 dw erase --plan="$T/plan" --yes
expect 0 dw erase --plan="$T/plan" --yes --expect-count=2 --json
assert_json "$T/out" '[.disks[].device] | sort == ["/dev/sg0", "/dev/sg2"]'
assert_json "$T/out" 'all(.disks[].verify; .policy == "common" and .sweeps >= 1)'
cmp -n $((2 << 20)) /run/b /dev/zero
cmp -n $((2 << 20)) /run/d /dev/zero
assert_eq "$before_a" "$(sum a)" 'a disk not in the plan'
assert_eq "$before_c" "$(sum c)" 'a disk not in the plan'

# one of the two has gone: named; the other alone is not what was counted
lio_unexport d 4 1
wait_for 60 test ! -e /dev/sg0
expect 2 dw erase --plan="$T/plan" --yes --expect-count=2
assert_eq "$before_a" "$(sum a)" 'a disk not in the plan'
assert_eq "$before_c" "$(sum c)" 'a disk not in the plan'
expect 0 dw erase --plan="$T/plan" --yes --expect-count=1 --json-lines
jq -c 'select(.event == "notice") | .text' "$T/out" >"$T/told"
assert_match 'is no disk of this job: its copy is verified alone' "$T/told"
