#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 per_host_store=1 add_host=28 num_tgts=1 max_luns=1 delay=0"
# Memory: one disk in 32 MiB, of which most is the program, and at most 4 MiB for each more;
# written and verified, with a constant and with a random pattern.
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
	expect 0 peak_of $what "${sg[0]}"
	one=$(<"$T/peak")
	# shellcheck disable=SC2086
	expect 0 peak_of $what --expect-count=28 "${sg[@]}"
	many=$(<"$T/peak")
	printf '%s: 1 disk %d KiB, 28 disks %d KiB, %d each\n' "$what" "$one" "$many" \
		$(((many - one) / 27))
	((one < 32 * 1024)) || fail "$one KiB for a disk"
	# how many commands are on their way at once is luck; at most as many as have a buffer
	((many < one + 27 * 4 * 1024)) || fail "$many KiB for 28 disks"
done
