#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest with systemd: the packages in the folder $1 are installed, the service is called,
# reloaded and left alone, then all is removed and purged, and nothing is left.
. "$(dirname "$0")/lib.sh"

readonly name=io.github.diskwipe.Diskwipe1
readonly nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'

# What is there of the packages' files, and all of the folders that programs write to, but for
# caches and databases of others. (A look at the whole of /usr would be too much for hostfs.)
files() {
	local path
	while read -r path; do
		[[ ! -e $path ]] || echo "$path"
	done <"$T/packed"
	find /etc /opt /var/lib /run -xdev \( -path "$T" -o -path /var/lib/dpkg -o -path /run/udev \
		-o -path /run/log -o -path /run/systemd/units -o -path /run/systemd/journal \
		-o -path /run/systemd/propagate -o -path /run/systemd/transient \
		-o -path /var/lib/systemd/catalog \) -prune -o -print | sort
}
property() { busctl get-property $name "/${name//./\/}/Manager" $name.Manager "$1"; }
state() { systemctl show -P "$1" diskwiped.service; }

rm -f /var/lib/man-db/auto-update # the index of man pages takes a minute here
rm -f /usr/sbin/policy-rc.d # of containers: there services are never started, nor stopped
export DEBIAN_FRONTEND=noninteractive
rm -f /usr/bin/scrub /etc/alternatives/scrub # the real one, of a machine that has it
for deb in "$1"/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's|^\.||'
done >"$T/packed"
files >"$T/before"

# Those of rpm, whose scripts are for systems with rpm: they run, and leave nothing but folders that
# belong to others there.
rpm_here() { rpm --dbpath /run/rpm "$@"; }
expect 0 rpm_here --nodeps --noscripts -i "$1"/*.rpm
for program in diskwipe diskwiped diskwipe-ledger diskwipe-model diskwipe-report diskwipe-scrub \
	diskwipe-send; do
	expect 0 $program --version
done
mapfile -t rpms < <(rpm_here -qa)
assert_eq 10 ${#rpms[@]} 'packages of rpm'
expect 0 rpm_here --nodeps --noscripts -e "${rpms[@]}"
rm -rf /run/rpm
files >"$T/after"
diff <(grep -v '/$' "$T/before") <(grep -v '/$' "$T/after") >"$T/left" ||
	{ cat "$T/left" >&2; fail 'something of an rpm is left'; }

# The pages say how to install them: their lines as they are written, in a folder that has build/debs,
# or among the packages. What they need besides is in the guest, and nothing is fetched: apt has lists of its own, that
# are empty.
printf '%s\n' 'APT::Get::Assume-Yes "true";' 'APT::Sandbox::User "root";' 'Acquire::Retries "0";' \
	'Dpkg::Options { "--force-unsafe-io"; };' "Dir::State::lists \"$T/lists\";" \
	"Dir::State::extended_states \"$T/extended_states\";" >"$T/apt.conf"
mkdir -p "$T/lists/partial" "$T/clone/build" && ln -s "$1" "$T/clone/build/debs"
for page in README.md docs/station.md docs/usage.md; do
	mapfile -t lines < <(sed -nE 's|^(# )?(apt install \./.*)|\2|p' "$(dirname "$0")/../../$page")
	((${#lines[@]})) || fail "$page has no line that installs packages"
	for line in "${lines[@]}"; do
		[[ $line == *build/debs* ]] && at=$T/clone || at=$1
		expect 0 env -C "$at" APT_CONFIG="$T/apt.conf" bash -c "$line"
	done
	expect 0 diskwipe --version
	mapfile -t debs < <(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' |
		sed -n 's/^\(\(lib\)\{0,1\}diskwipe[^ ]*\) .*/\1/p')
	expect 0 dpkg --force-unsafe-io --purge "${debs[@]}"
done

# Cockpit itself is not in the guest.
expect 0 dpkg --force-unsafe-io --ignore-depends=cockpit-bridge -i "$1"/*.deb
udevadm control --reload
mapfile -t debs < <(for deb in "$1"/*.deb; do dpkg-deb -f "$deb" Package; done)
assert_eq 10 ${#debs[@]} 'packages of Debian'

# What draws is a package of its own, beside what calls it; without it, that is said.
sweep=(model zone bytes=4TB outer=250e6 --sweep=inner=50e6:250e6:50e6 -o "$T/zone.pdf")
expect 0 diskwipe "${sweep[@]}"
[[ $(head -c5 "$T/zone.pdf") == %PDF- ]] || fail 'a figure is drawn'
expect 0 dpkg --force-unsafe-io -r diskwipe-report
expect 1 diskwipe "${sweep[@]}"
assert_match 'install the package diskwipe-report' "$T/err"
expect 0 dpkg --force-unsafe-io -i "$1"/diskwipe-report_*.deb

# An alternative of scrub, but never in the place of a file of that name.
[[ $(realpath /usr/bin/scrub) == "$(realpath /usr/bin/diskwipe-scrub)" ]] || fail 'scrub is ours'
expect 0 scrub -v
expect 0 dpkg --force-unsafe-io -r diskwipe-scrub
[[ ! -e /usr/bin/scrub && ! -L /usr/bin/scrub ]] || fail 'the alternative is left'
printf '#!/bin/sh\necho "real: $*"\n' >/usr/bin/scrub
chmod 755 /usr/bin/scrub
expect 0 dpkg --force-unsafe-io -i "$1"/diskwipe-scrub_*.deb
expect 0 scrub x
assert_eq 'real: x' "$(<"$T/out")" 'the real scrub'
expect 0 diskwipe-scrub -f /etc/hostname
assert_eq 'real: -f /etc/hostname' "$(<"$T/out")" 'a file'
expect 0 dpkg-divert --local --rename --divert /usr/bin/scrub.distrib --add /usr/bin/scrub
expect 0 update-alternatives --auto scrub
expect 0 scrub -f /etc/hostname
assert_eq 'real: -f /etc/hostname' "$(<"$T/out")" 'a file, by the alternative'
expect 1 /usr/share/diskwipe/adapters/diskwipe-volume
assert_match 'names no volume' "$T/err"
expect 0 /usr/share/diskwipe/adapters/maas/diskwipe-look
rm /usr/bin/scrub.distrib
expect 0 dpkg-divert --local --rename --remove /usr/bin/scrub

# Nothing runs, nothing is enabled, and the first call starts it.
assert_eq inactive "$(state ActiveState)" 'the service after its installation'
assert_eq disabled "$(state UnitFileState)" 'the service after its installation'
assert_eq disabled "$(systemctl show -P UnitFileState diskwipe-send)" 'the unit of what sends records'
# It signs records, which go to a folder.
expect 0 diskwipe records key /etc/diskwipe/record.key
cp "$T/out" /etc/diskwipe/signers
cat >/etc/diskwipe/diskwiped.conf <<'TEXT'
[station]
records = /var/lib/diskwipe/records
record-key = /etc/diskwipe/record.key
TEXT
cat >/etc/diskwipe/send.conf <<'TEXT'
[send]
ledger = /var/lib/diskwipe/records
every = 1
[target share]
directory = /srv/records
TEXT
getent group diskwipe-operators diskwipe-hooks >"$T/out"
expect 0 diskwipe list
assert_match '^/dev/sg0 ' "$T/out"
expect 0 property Version
assert_eq "s \"$(diskwipe --version | cut -d' ' -f2)\"" "$(<"$T/out")" 'the version'
assert_eq active "$(state ActiveState)" 'the service after a call'
pid=$(state MainPID)
assert_eq "$(realpath /usr/bin/diskwiped)" "$(readlink "/proc/$pid/exe")" 'the program'
assert_eq '700 root' "$(stat -c '%a %U' /var/lib/diskwipe)" 'the folder of records'

# Reloaded, it goes on; killed, it comes back.
expect 0 systemctl reload diskwiped
assert_eq "$pid" "$(state MainPID)" 'the process after a reload'
kill -KILL "$pid"
wait_for 60 sh -c "systemctl show -P MainPID diskwiped | grep -qvx -e 0 -e $pid"
wait_for 60 systemctl is-active --quiet diskwiped
expect 0 property Version
# An asset system hears of it, set up by the commands of the page.
asset=$(realpath "$(dirname "$0")/../../integrations/asset")
readonly asset
python3 -B - "$asset/tests" "$T" <<'TEXT' &
import json, os, signal, sys, threading
sys.path.insert(0, sys.argv[1])
import server
it, folder, lock = server.AssetSystem('a token'), sys.argv[2], threading.Lock()
def write():
    with lock:
        with open(folder + '/new', 'w') as f:
            json.dump({'url': it.url, 'paths': [c[1] for c in it.calls], 'wrong': it.wrong}, f)
        os.rename(folder + '/new', folder + '/said')
class Written(list):
    """It is in the file before the call is answered."""
    def append(self, what):
        super().append(what)
        write()
it.calls, it.wrong = Written(), Written()
write()
signal.pause()
TEXT
other_side=$!
wait_for 60 test -e "$T/said"
(umask 077 && echo 'a token' >/etc/diskwipe/asset.token)
cat >/etc/diskwipe/asset.conf <<TEXT
[asset]
url = $(jq -r .url "$T/said")
token-file = /etc/diskwipe/asset.token
records = /var/lib/diskwipe/records
signers = /etc/diskwipe/signers
approve = no
TEXT
mkdir -p /etc/diskwipe/diskwiped.conf.d
sed -n '/^\[hooks\]$/,/^```/p' "$asset/README.md" | sed '$d' >/etc/diskwipe/diskwiped.conf.d/asset.conf
mapfile -t lines < <(sed -n 's/^# \(cp\|systemctl\) /\1 /p' "$asset/README.md")
assert_eq 4 ${#lines[@]} 'commands of its page'
for line in "${lines[@]}"; do
	read -ra words <<<"$line"
	expect 0 "${words[@]}"
done
assert_eq enabled "$(systemctl show -P UnitFileState diskwipe-asset.timer)" 'its timer'

# The service erases in its sandbox.
wait_for 60 sh -c "busctl tree --list $name | grep -q /disk/"
disk=$(busctl tree --list $name | grep /disk/)
wwn=$(busctl get-property $name "$disk" $name.Disk WWN | cut -d'"' -f2)
plant /dev/sda
# udevd examines what was written, and meanwhile the service says who has the disk open
expect 0 udevadm settle
wait_for 60 sh -c "busctl get-property $name $disk $name.Disk Refusal | grep -qxF 's \"\"'"
expect 0 busctl call $name "/${name//./\/}/Manager" $name.Manager Submit "aa{sv}a{sv}" 1 \
	3 serial s 2000 wwn s "$wwn" capacity t "$(size_of /dev/sda)" 0
job=$(cut -d" " -f2 "$T/out" | tr -d \")
wait_for 60 sh -c "busctl get-property $name $job $name.Job State | grep -q done"
assert_eq "s \"erased\"" "$(busctl get-property $name "$job" $name.Job Outcome)" "what became of the job"
assert_holds_only /dev/sda
# shellcheck disable=SC2317
heard() {
	systemctl start diskwipe-asset
	assert_json "$T/said" '.wrong == []'
	jq -e '.paths[-1] | test("/finished$")' "$T/said"
}
wait_for 60 heard
assert_json "$T/said" '.paths | any(test("/asset_report$"))'
kill $other_side
expect 0 systemctl disable --now diskwipe-asset.timer
rm -r /etc/diskwipe/asset.* /etc/diskwipe/signers /etc/diskwipe/diskwiped.conf.d \
	/etc/systemd/system/diskwipe-asset.*
expect 1 diskwipe records verify --all
grep -q 'records: whole' "$T/out" || fail 'of a service that runs the records are looked at'
grep -q 'a service uses it' "$T/err" || fail 'the database is not, and that is said'
expect 0 systemctl stop diskwiped
expect 0 diskwipe records verify --all
grep -q 'they say the same' "$T/out" || fail 'records and database say the same'

# What sends records does so in its sandbox, and what arrives is whole.
mkdir /srv/records
expect 0 systemctl start diskwipe-send
wait_for 60 sh -c "diskwipe-send --status | grep -q ': [1-9][0-9]* records, .*last success 2'"
expect 0 systemctl stop diskwipe-send
expect 0 diff -r -x '*.lock' /var/lib/diskwipe/records /srv/records
expect 0 diskwipe records verify /srv/records
expect 0 diskwipe-report summary /srv/records
rm -r /srv/records

# The socket of stations without a bus: there, for the group alone.
expect 0 systemctl start diskwiped.socket
assert_eq '660 diskwipe-operators' "$(stat -c '%a %G' /run/diskwipe/bus)" 'the socket'
assert_eq inactive "$(state ActiveState)" 'the service behind its socket'

# Who may do what.
for action in list erase cancel policy; do
	may=2
	[[ $action == list ]] && may=0
	expect 0 pkcheck --action-id io.github.diskwipe.$action --process $$
	# shellcheck disable=SC2016
	expect $may $nobody sh -c 'exec pkcheck --action-id "$0" --process $$' io.github.diskwipe.$action
done
rule=/etc/polkit-1/rules.d/50-diskwipe-operators.rules
cp /usr/share/doc/diskwiped/examples/50-diskwipe-operators.rules $rule
chmod 644 $rule
usermod -a -G diskwipe-operators nobody
systemctl restart polkit
# shellcheck disable=SC2016
for action in erase=0 cancel=0 policy=2; do
	expect ${action#*=} $nobody sh -c 'exec pkcheck --action-id "$0" --process $$' \
		io.github.diskwipe.${action%=*}
done
rm $rule
usermod -G '' nobody

# The journal explains what the service says, and sg nodes are units.
expect 0 journalctl --no-pager -x -u diskwiped MESSAGE_ID=5e2f3c1a7d944b6a9c1de0b7a4f10001
assert_match 'The erase station has started' "$T/out"
udevadm trigger --settle --action=add /sys/class/scsi_generic/sg0
expect 0 systemctl is-active dev-sg0.device

expect 0 dpkg --force-unsafe-io --remove "${debs[@]}"
assert_eq not-found "$(state LoadState)" 'the unit of a package that is gone'
[[ ! -e /run/diskwipe/bus ]] || fail 'the socket outlives its package'
[[ -d /var/lib/diskwipe ]] || fail 'records are lost before a purge'
rm /etc/diskwipe/record.key* # what was made by hand is for whoever made it
mkdir /var/lib/diskwipe/erase # of diskwipe erase --certificate
echo proof >/var/lib/diskwipe/erase/signers
expect 0 dpkg --force-unsafe-io --purge "${debs[@]}"
assert_eq proof "$(</var/lib/diskwipe/erase/signers)" 'what was signed by hand'
rm -r /var/lib/diskwipe
files >"$T/after"
diff "$T/before" "$T/after" >"$T/left" || { cat "$T/left" >&2; fail 'something is left after a purge'; }
