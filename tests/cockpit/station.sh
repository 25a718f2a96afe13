#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest with systemd: a station as it is installed, with Cockpit, PAM, polkit and three people
# who may log in. Its web server is carried out over a serial line, and commands that come as files
# in FOLDER are answered there.
#	station.sh ROOT COCKPIT FOLDER	ROOT: what `meson install` made; COCKPIT: unpacked
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
folder=$3
trap 'echo "station.sh: failed at line $LINENO: $BASH_COMMAND" >&2' ERR

for root in "$1" "$2"; do
	tar -C "$root" -c . | tar -C / -x --no-same-owner --keep-directory-symlink
done
ldconfig
systemd-sysusers diskwipe.conf
cp /usr/share/doc/diskwiped/examples/50-diskwipe-operators.rules /etc/polkit-1/rules.d
chmod 644 /etc/polkit-1/rules.d/50-diskwipe-operators.rules

# As Debian's packages of Cockpit and sudo would have it.
useradd --system --user-group cockpit-wsinstance
chown root:cockpit-wsinstance /usr/lib/cockpit/cockpit-session
chmod 4750 /usr/lib/cockpit/cockpit-session
chmod 4755 /usr/bin/sudo
getent group sudo >/dev/null || groupadd --system sudo
useradd -m -s /bin/bash -G sudo chef
useradd -m -s /bin/bash -G diskwipe-operators anna
useradd -m -s /bin/bash gast
printf '%s\n' chef:von-chef anna:von-anna gast:von-gast | chpasswd

mkdir -p /etc/diskwipe /run/systemd/system
diskwipe records key /etc/diskwipe/record.key >/dev/null
cat >/etc/diskwipe/diskwiped.conf <<'TEXT'
[station]
records = /var/lib/diskwipe/records
record-key = /etc/diskwipe/record.key
TEXT
cat >/run/systemd/system/page.socket <<'UNIT'
[Socket]
ListenStream=/run/page.sock
UNIT
cat >/run/systemd/system/page.service <<'UNIT'
[Service]
ExecStart=/usr/lib/cockpit/cockpit-ws --no-tls --port=0
User=cockpit-wsinstance
Group=cockpit-wsinstance
UNIT
systemctl daemon-reload
busctl --quiet call org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig
systemctl restart polkit
systemctl start page.socket
/usr/bin/python3 -B "$here/line.py" /dev/ttyS1 /run/page.sock &
: >"$folder/ready"

trap - ERR
set +e
for ((n = 0; ; n++)); do
	until [[ -e $folder/ask.$n ]]; do sleep 0.1; done
	bash "$folder/ask.$n" >"$folder/said.new" 2>&1
	mv "$folder/said.new" "$folder/said.$n"
done
