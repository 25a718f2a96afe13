#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --systemd --enclosure racks/denied.conf
# needs: systemctl python3 systemd-inhibit
# timeout: 120
# Another user asks for everything that the service offers, as it tells itself, on a job that runs,
# one that waits and each disk: by the bus polkit denies it, by the socket nobody is let in, and
# nothing changes. Meanwhile the machine is kept from being shut down, and no longer.
. "$(dirname "$0")/lib.sh"

packaging=$(dirname "$0")/../../packaging
mkdir -p /usr/share/dbus-1/system.d /usr/share/polkit-1/actions /etc/polkit-1/rules.d
cp "$packaging"/dbus/*.conf /usr/share/dbus-1/system.d
cp "$packaging"/polkit/*.policy /usr/share/polkit-1/actions
systemctl reload dbus
python3 -B -u "$(dirname "$0")/denied.py"
