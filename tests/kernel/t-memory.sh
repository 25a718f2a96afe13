#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 per_host_store=1 add_host=28 num_tgts=1 max_luns=1 delay=0"
# Memory: 14 disks in 64 MiB, and 4 MiB for each more; written and verified, with
# a constant and with a random pattern.
. "$(dirname "$0")/lib.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 28 ${#sg[@]}

# The most that a job ever held in memory, in KiB.
peak_of() { # OPTION... NODE...
	python3 -c 'import resource, subprocess, sys
done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL)
with open(sys.argv[1], "w") as f:
	print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=f)
sys.exit(done.returncode)' "$T/peak" "$DISKWIPE" --yes --verify=full --quiet "$@"
}

for what in '--method=zero --command=write' '--method=random' '--method=random --depth=4'; do
	# shellcheck disable=SC2086 # words
	expect 0 peak_of $what --expect-count=14 "${sg[@]:0:14}"
	few=$(<"$T/peak")
	# shellcheck disable=SC2086
	expect 0 peak_of $what --expect-count=28 "${sg[@]}"
	many=$(<"$T/peak")
	printf '%s: 14 disks %d KiB, 28 disks %d KiB, %d each\n' "$what" "$few" "$many" \
		$(((many - few) / 14))
	((few < 64 * 1024)) || fail "$few KiB for 14 disks"
	# not the difference: how many commands of few disks are on their way at once is luck
	((many < (64 + 14 * 4) * 1024)) || fail "$many KiB for 28 disks"
done
