#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --systemd --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0 inq_product=\$HOME;%n%%\`id\`"
# needs: systemctl systemd-run busctl setpriv jq
# timeout: 240
# The sandbox of diskwiped's unit is wide enough for what the library does, and no wider. The
# program runs in it in place of the service: it erases, it sees who else has a disk open, and it
# raises transfer limits; nothing else is written. Then the service itself runs in it, and its hooks
# run outside of it, as another user, without disks.
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
wait_for 60 has_line sleep /proc/$holder/comm
in_unit 2 "$program erase --yes $b"
assert_match 'open in process [0-9]+ \(sleep\)' "$T/err"
kill $holder

plant "${sd[0]}"
in_unit 0 "$program erase --yes $a"
assert_holds_only "${sd[0]}"
in_unit 0 "echo 128 >/sys/class/block/${sd[0]##*/}/queue/max_sectors_kb"
assert_eq 128 "$(</sys/class/block/"${sd[0]##*/}"/queue/max_sectors_kb)" 'transfer limit'

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

# --- hooks ------------------------------------------------------------------

service=$(dirname "$DISKWIPE")/../src/service/diskwiped
[[ -x $service ]] || skip 'built without the service'
cp "$service" /opt/try
rm -r $drop
sed 's|^ExecStart=.*|ExecStart=/opt/try/diskwiped\nEnvironment=LD_LIBRARY_PATH=/opt/try|' "$unit" >${drop%.d}
systemctl daemon-reload
mkdir -p /usr/share/dbus-1/system.d /etc/diskwipe
cp "${unit%/*/*}"/dbus/*.conf /usr/share/dbus-1/system.d
systemctl reload dbus

seen=/var/lib/diskwipe-hooks/seen
hook() { # NAME; its shell text on the standard input
	{ echo '#!/bin/sh'; cat; } >"/opt/try/$1"
	chmod 755 "/opt/try/$1"
}
# shellcheck disable=SC2016
hook tell <<'HOOK'
exec >/var/lib/diskwipe-hooks/seen
echo "user $(id -un)${TRIED-}"
echo "disks $(ls -d /dev/sg* /dev/sd* 2>/dev/null | wc -l)"
grep -E '^(CapPrm|CapBnd|NoNewPrivs):' /proc/self/status
for f in /usr/x /etc/x /opt/try/x /root/x; do touch $f 2>/dev/null && echo "wrote $f"; done
cat
HOOK
hook refuse <<<'exit 3'
hook hang <<<'sleep 100 & sleep 100'
hook crash <<<'kill -SEGV $$'
hook nothing <<<'exit 0'

name=io.github.diskwipe.Diskwipe1
configure() { # HOOK LINE...
	printf '%s\n' '[hooks]' 'pre-erase = /opt/try/'"$1" "${@:2}" >/etc/diskwipe/diskwiped.conf
	systemctl reset-failed diskwiped # a quick machine starts it more often than systemd lets it
	systemctl start diskwiped
	manager Reload
}
manager() { busctl call -q $name /io/github/diskwipe/Diskwipe1/Manager $name.Manager "$1" 'a{sv}' 0; }
# udev looks at a disk that was written, and meanwhile it is refused.
ready() {
	udevadm settle
	manager Rescan
	wait_for 60 "$DISKWIPE" submit --dry-run "$a"
	wait_for 60 "$DISKWIPE" submit --dry-run "$b"
}
no_unit_is_left() {
	[[ -z $(systemctl list-units --all --no-legend 'diskwiped-hook-*') ]] && ! pgrep -x sleep
}
# A disk is stopped by its hook, for that reason, and keeps what it holds.
stops() { # REASON LINE...
	plant "${sd[0]}"
	configure "${@:2}"
	ready
	expect 2 dw submit --yes --wait "$a"
	expect 0 dw records --json --limit=1
	assert_json "$T/out" '.records[0] | .outcome == "refused" and (.reason | contains($why))' \
		--arg why "$1"
	! is_zero "${sd[0]}" || fail "erased, although the hook $2 failed"
	wait_for 60 no_unit_is_left
}
is_zero() { cmp -s -n 65536 "$1" /dev/zero; }

configure tell
stops 'exit code 3' refuse
stops 'not done within 1 s' hang 'timeout = 1s'
stops 'ended by signal 11' crash
stops 'exit code 203' missing
stops 'which no hook may be' nothing 'user = root'

# One that does its work, and is gone before anybody has looked.
plant "${sd[0]}"
configure tell
ready
expect 0 dw submit --yes --wait "$a"
assert_holds_only "${sd[0]}"
head -n 5 $seen >"$T/head"
assert_eq 'user diskwipe-hooks
disks 0
CapPrm:	0000000000000000
CapBnd:	0000000000000000
NoNewPrivs:	1' "$(<"$T/head")" 'what the hook sees'
tail -n +6 $seen >"$T/json"
assert_json "$T/json" '.event == "pre-erase" and .device == $sg and .model == $model' \
	--arg sg "$a" --arg model "$(tr -d ' ' <"/sys/class/block/${sd[0]##*/}/device/model")"
configure nothing
for _ in 1 2 3; do
	ready
	expect 0 dw submit --yes --wait --expect-count=2 "$a" "$b"
done

# A user that does not exist is one while the hook runs; a drop-in is for all hooks.
mkdir -p /etc/systemd/system/diskwiped-hook-.service.d
printf '%s\n' '[Service]' 'Environment=TRIED=-dropped' \
	>/etc/systemd/system/diskwiped-hook-.service.d/try.conf
systemctl daemon-reload
configure tell 'user = dw-nobody'
ready
expect 0 dw submit --yes --wait "$a"
assert_match '^user dw-nobody-dropped$' $seen
wait_for 60 no_unit_is_left

# A mistake in the configuration makes the reload fail, visibly; what it runs is in the sandbox, too.
# The service goes on, and obeys the configuration that it had.
pid=$(systemctl show -P MainPID diskwiped)
# shellcheck disable=SC2016
hook touched <<<'touch /var/lib/diskwipe-hooks/touched'
printf '%s\n' '[hooks]' 'pre-erase = /opt/try/touched' 'timeout = soon' >/etc/diskwipe/diskwiped.conf
expect 1 systemctl reload diskwiped
rm -f $seen
ready
expect 0 dw submit --yes --wait "$a"
assert_match '^user dw-nobody' $seen
[[ ! -e ${seen%/*}/touched ]] || fail 'a hook of a configuration that was refused'
# A process that has ended before the journal looks is of no unit there.
in_journal() { journalctl --no-pager -q -b -o cat | grep -q "$1"; }
wait_for 60 in_journal '^Call failed: .*diskwiped.conf:3: \[hooks\] timeout: '
sed -i '/timeout/d' /etc/diskwipe/diskwiped.conf
expect 0 systemctl reload diskwiped
ready
expect 0 dw submit --yes --wait "$a"
[[ -e ${seen%/*}/touched ]] || fail 'the configuration that was corrected is not in force'
assert_eq "$pid active" "$(systemctl show -P MainPID diskwiped) $(systemctl is-active diskwiped)" \
	'the process after the reloads'

# What it has said of itself.
said() { journalctl --no-pager -q -o cat MESSAGE_ID=5e2f3c1a7d944b6a9c1de0b7a4f1"$1"; }
assert_eq "started: version $(dw --version | awk 'NR == 1 { print $2 }'), 2 disks, 0 jobs go on" \
	"$(said 0001)" 'the start'
assert_eq 10 "$(said 000a | grep -cx 'the configuration was read again')" 'times that it was read'
said 000b >"$T/mistakes"
assert_eq 1 "$(grep -c 'stays as it was: .*timeout: ' "$T/mistakes")" 'mistakes that were told'
