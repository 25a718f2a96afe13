#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/campaigns/machines runs in its machine: the main job on both disks. The result
# goes out in one line.
. "$(dirname "$0")/lib.sh"

disks() { find /dev -maxdepth 1 \( -regex '/dev/sd[a-z]+' -o -name 'nvme*n1' \) -type b | sort; }
for ((i = 0; $(disks | wc -l) < 2; i++)); do
	((i < 300)) || { dmesg | tail -n 40; fail 'the disks do not come'; }
	sleep 0.2
done
mapfile -t disk < <(disks)
dw list
for d in "${disk[@]}"; do dw inspect "$d"; done
status=0
dw --yes --expect-count=2 --json --progress=plain --verify=full --command="$COMMAND" \
	"${disk[@]}" >"$T/json" || status=$?
printf 'json %s\n' "$(jq -c . <"$T/json")"
dmesg | tail -n 20
exit $status
