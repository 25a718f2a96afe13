#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --systemd --scsi-debug "dev_size_mb=16 num_tgts=1 max_luns=2 delay=0"
# needs: systemctl systemd-run setpriv
# timeout: 90
# The sandbox of diskwiped's unit is wide enough for what the library does, and no wider. The
# program runs in it in place of the service: it erases, it sees who else has a disk open, and it
# raises transfer limits; another user's hook is started and ended; nothing else is written.
. "$(dirname "$0")/lib.sh"

unit=$(dirname "$0")/../../packaging/systemd/diskwiped.service.in
# A build below /tmp is hidden from the unit.
mkdir /opt/try
cp "$(ldd "$DISKWIPE" | sed -n 's/.*=> \(.*libdiskwipe[^ ]*\) .*/\1/p')" "$DISKWIPE" /opt/try
program=/opt/try/${DISKWIPE##*/}

drop=/run/systemd/system/diskwiped.service.d
mkdir -p $drop
sed 's|^ExecStart=.*|ExecStart=bash /opt/try/command|; /^BusName=/d' "$unit" >${drop%.d}
printf '%s\n' '[Service]' Type=oneshot WatchdogSec=0 Restart=no Environment=LD_LIBRARY_PATH=/opt/try \
	"StandardOutput=truncate:$T/out" "StandardError=truncate:$T/err" >$drop/try.conf
cp "${unit%/*}/diskwiped.socket" "${drop%/*}"
systemctl daemon-reload

# Runs a shell command in the unit; its output is in $T/out, $T/err.
in_unit() { # STATUS SHELL-COMMAND
	local got
	echo "$2" >/opt/try/command
	systemctl start diskwiped 2>/dev/null || true
	got=$(systemctl show -P ExecMainStatus diskwiped)
	((got == $1)) && return
	systemctl --no-pager status diskwiped >&2 || true
	head -c 4000 "$T/out" "$T/err" >&2
	fail "status $got, not $1: $2"
}

systemd-sysusers "$(dirname "$unit")/diskwipe.sysusers" 2>"$T/sysusers"
mapfile -t sd < <(sd_nodes)
a=$(sg_of "${sd[0]}") b=$(sg_of "${sd[1]}")

# A disk that a process of another user has open is refused, by the process's name.
setpriv --reuid diskwipe-hooks --clear-groups sleep 100 <"${sd[1]}" &
holder=$!
wait_for 5 grep -q sleep /proc/$holder/comm
in_unit 2 "$program erase --yes $b"
assert_match 'open in process [0-9]+ \(sleep\)' "$T/err"
kill $holder

plant "${sd[0]}"
in_unit 0 "$program erase --yes $a"
assert_holds_only "${sd[0]}"
in_unit 0 "echo 128 >/sys/class/block/${sd[0]##*/}/queue/max_sectors_kb"
assert_eq 128 "$(</sys/class/block/"${sd[0]##*/}"/queue/max_sectors_kb)" 'transfer limit'

# A hook: another user, started and killed.
cat >/opt/try/hook <<-'PYTHON'
	import os, pwd
	os.setgroups([])
	os.setgid(65534)
	os.setuid(pwd.getpwnam('diskwipe-hooks').pw_uid)
	os.execlp('sleep', 'sleep', '5')
PYTHON
# shellcheck disable=SC2016
in_unit 0 'python3 /opt/try/hook & sleep 1
	[[ $(stat -c %U /proc/$!) == diskwipe-hooks ]] && kill -KILL $!; wait $!; (($? == 137))'

# Folders are there; /usr, /etc and the kernel's tunables are not to be written.
in_unit 0 'touch /var/lib/diskwipe/x /run/diskwipe/x && [[ $(stat -c %a /var/lib/diskwipe) == 700 ]]'
in_unit 0 'try() { ! "$@" 2>/dev/null || echo "allowed: $*"; }
	try touch /usr/x
	try touch /etc/x
	try touch /root/x
	try cp /dev/null /proc/sys/vm/swappiness
	try cp /dev/null /proc/sysrq-trigger
	try mknod /run/diskwipe/n b 8 0
	try mount -t tmpfs none /mnt
	try chown 1 /run/diskwipe
	try head -c 1 /dev/kmsg
	try unshare -m true
	try timeout 2 bash -c ": <>/dev/tcp/127.0.0.1/9"'
assert_eq '' "$(<"$T/out")" 'what the sandbox lets through'
