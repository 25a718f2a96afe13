#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio
# needs: jq sg_dd sg_persist
# A reservation that another initiator holds (here: by the disk's second path), of the
# two kinds: visible to readers, and one that answers everything with a conflict.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/safety.sh"

mkdir -p /var/target/pr # LIO writes registrations down, or refuses them
lio_fileio f0 16777216
lio_export fileio f0 1
first=$(sg_nodes)
lio_export fileio f0 2
second=$(sg_nodes | grep -vx "$first")
plant "$(sd_of "$first")"
# Type 1 keeps others from writing; type 3 from everything, so that only who is who is
# still answered.
sum_node=$second
for type in 1 3; do
	expect 0 sg_persist -n --out --register --param-sark=abc123 "$second"
	expect 0 sg_persist -n --out --reserve --param-rk=abc123 --prout-type=$type "$second"
	claim_status=$((type == 3 ? 1 : 2))
	assert_refused "$first" reserved '^reservation held \(.*, key 0*abc123\)$' \
		"sg_persist --out --register-ignore --param-sark=d15c $first && sg_persist --out --clear --param-rk=d15c $first"
	release_as_printed "$first"
done
