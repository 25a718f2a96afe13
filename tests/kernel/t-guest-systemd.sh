#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --systemd --scsi-debug "dev_size_mb=16 num_tgts=1 max_luns=2 delay=0"
# needs: systemctl busctl pkcheck systemd-run
# The guest with systemd is a machine as a service expects it: a manager that is up, a system bus,
# polkit, udev, a journal, sandboxes, and units that are found when they are installed.
. "$(dirname "$0")/lib.sh"

readonly nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
action=org.freedesktop.systemd1.manage-units # of systemd itself: auth_admin
sandboxed() { systemd-run --wait --pipe --quiet -p DevicePolicy=closed -p DeviceAllow=char-sg "$@"; }

expect 0 systemctl is-system-running
assert_eq running "$(<"$T/out")" 'the manager'
expect 0 systemctl list-units --failed --no-legend
assert_eq '' "$(<"$T/out")" 'failed units'

# Bus and polkit, which the bus starts.
expect 0 busctl list --no-legend
assert_match '^org\.freedesktop\.systemd1 ' "$T/out"
expect 0 pkcheck --action-id $action --process $$
# shellcheck disable=SC2016
expect 2 $nobody sh -c 'exec pkcheck --action-id "$0" --process $$' $action
expect 0 systemctl is-active polkit.service

# udev has seen the disks.
mapfile -t sd < <(sd_nodes)
assert_eq 2 ${#sd[@]} 'disks'
for disk in "${sd[@]}"; do
	udevadm info "$disk" >"$T/out"
	assert_match '^E: ID_SERIAL=.' "$T/out"
done

# A sandbox holds: the sg node opens, the sd node does not, /usr is read-only.
expect 0 sandboxed -p ProtectSystem=strict sh -c '! touch /usr/x 2>/dev/null && : </dev/sg0 && echo in'
assert_eq in "$(<"$T/out")" 'output of the sandbox'
expect 2 sandboxed sh -c ": <${sd[0]}"
expect 7 sandboxed sh -c 'exit 7'

# A unit that is installed is found, started by the bus's word, logged and removed.
cat >/usr/lib/systemd/system/dw-try.service <<-'UNIT'
	[Service]
	ExecStart=sh -c 'echo "the try speaks"; exec sleep 100'
UNIT
expect 0 systemctl daemon-reload
expect 0 systemctl start dw-try
wait_for 60 sh -c 'journalctl -u dw-try -o cat | grep -qx "the try speaks"'
expect 0 systemctl stop dw-try
rm /usr/lib/systemd/system/dw-try.service
expect 0 systemctl daemon-reload
expect 4 systemctl status dw-try
