#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --systemd
# needs: systemctl setpriv
# timeout: 240
# A service that cannot start: whoever asks it for something is told so at once, and why, also
# without any rights; and as soon as it can, they are answered. The bus by itself would let them wait
# for 25 seconds.
. "$(dirname "$0")/lib.sh"

service=$(dirname "$DISKWIPE")/../src/service/diskwiped
[[ -x $service ]] || skip 'built without the service'
packaging=$(dirname "$0")/../../packaging
units=/run/systemd/system
# A build below /tmp is hidden from the unit.
mkdir -p /opt/try /etc/diskwipe $units /usr/share/dbus-1/{system.d,system-services}
cp "$(ldd "$DISKWIPE" | sed -n 's/.*=> \(.*libdiskwipe[^ ]*\) .*/\1/p')" "$service" /opt/try
unit() { # PROGRAM [LINE]
	sed "s|^ExecStart=.*|ExecStart=$1\nEnvironment=LD_LIBRARY_PATH=/opt/try|; s|^Restart=.*|${2:-&}|" \
		"$packaging/systemd/diskwiped.service.in" >$units/diskwiped.service
	systemctl daemon-reload
}
systemd-sysusers "$packaging/systemd/diskwipe.sysusers" 2>"$T/sysusers"
cp "$packaging/systemd/diskwiped.socket" $units
cp "$packaging"/dbus/*.conf /usr/share/dbus-1/system.d
cp "$packaging"/dbus/*.service /usr/share/dbus-1/system-services
unit /bin/false
systemctl reload dbus

# Told at once: the bus takes 25 s, each time; a busy machine does not.
told() { # EXTENDED-REGEX COMMAND...
	local from soon=false
	for _ in 1 2 3; do
		from=$EPOCHREALTIME
		expect 8 "${@:2}"
		awk -v a="$from" -v b="$EPOCHREALTIME" \
			'BEGIN { print "told after", b - a, "s"; exit b - a > 20 }' && soon=true && break
	done
	$soon || fail "too late: ${*:2}"
	assert_match "$1" "$T/err"
	assert_match 'journalctl -u diskwiped' "$T/err"
}

# It ends at once, and is started again every two seconds.
dw --version >"$T/version"
told 'cannot start \(.*exit-code' dw status
told 'cannot start' setpriv --reuid 65534 --clear-groups "$DISKWIPE" status

# Stopped, it is not started as long as the bus waits for the start that has failed.
systemctl stop diskwiped
told 'is stopped, .* systemctl start diskwiped' dw status

# A mistake in the configuration is one, too; this time systemd does not try again.
unit /opt/try/diskwiped Restart=no
echo '[queue' >/etc/diskwipe/diskwiped.conf
expect 1 systemctl start diskwiped
told 'cannot start \(failed' dw status
told 'cannot start \(failed' dw queue
expect 3 systemctl is-active diskwiped

# Mended, it is started by whoever asks, though it failed before.
rm /etc/diskwipe/diskwiped.conf
wait_for 40 "$DISKWIPE" status
expect 0 systemctl is-active diskwiped
