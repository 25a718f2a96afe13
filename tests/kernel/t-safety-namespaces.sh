#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# needs: mkfs.ext2 jq sg_dd setpriv python3
# A user without rights makes namespaces of his own, in which he mounts what he wants and is root.
# What he says there is nobody's word, and nothing that is printed runs a file of his.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

disk=$(sd_nodes)
mkdir -m 755 /run/srv
mkdir -m 777 /run/loot
printf '#!/bin/sh\nid >/run/loot/owned\n' >/run/loot/umount
chmod 755 /run/loot/umount
mkfifo -m 666 /run/loot/stay
exec 5<>/run/loot/stay

# A shell of the attacker, in a namespace that he made. It reports, and stays until it is ended.
attacker() { # COMMAND
	rm -f /run/loot/ready
	setpriv --reuid=1000 --regid=1000 --clear-groups unshare --user --map-root-user --mount \
		sh -c "$1"'; echo $$ >/run/loot/ready; read -r _' <&5 5<&- 2>"$T/attacker" &
	wait_for 10 test -s /run/loot/ready
	pid=$(</run/loot/ready)
}
let_go() {
	kill "$pid"
	wait || true
}
expect 1 setpriv --reuid=1000 --regid=1000 --clear-groups head -c1 "$disk" # it cannot be opened

# A mount that is the disk's: his namespace got it from the machine's, where it is gone.
expect 0 mkfs.ext2 -q "$disk"
expect 0 mount --make-private -o ro "$disk" /run/srv
attacker 'for f in $(command -v -p umount) /usr/bin/umount; do mount --bind /run/loot/umount $f; done'
expect 0 umount /run/srv
assert_refused "$disk" mounted "^mounted \\(sda\\) where process $pid sees it, which has to end\$" ''
expect 0 dw list --json
assert_json "$T/out" '.disks[0] | .verdict == "mounted" and (.release // "") == ""'
[[ ! -e /run/loot/owned ]] || fail 'a program of the attacker ran as root'
let_go
wait_for 10 free "$disk"
assert_free "$disk"

# What only says that it is the disk, of somebody who cannot open it; in more namespaces than
# anybody thought of. No disk is refused for that, and no job fails.
python3 attacker.py "$disk" 1030 >"$T/ready" &
pid=$!
wait_for 60 has_line ready "$T/ready"
assert_free "$disk"
expect 0 dw --yes --json --verify=full "$disk"
assert_json "$T/out" '.disks[0].outcome == "erased"'
kill "$pid"
wait "$pid" || true
