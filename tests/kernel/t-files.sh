#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=1 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# Run as root, with paths that others prepared: no disk and no file of root's is written over,
# nothing that never ends is read, and no key or configuration of another user is believed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

plant_random /dev/sda /dev/sdb
sha256sum /dev/sda /dev/sdb >"$T/before"
safe() { # STATUS REGEX COMMAND...
	local regex=$2
	expect "$1" "${@:3}"
	assert_match "$regex" "$T/err"
	blockdev --flushbufs /dev/sda
	blockdev --flushbufs /dev/sdb
	sha256sum --quiet -c "$T/before" || fail "a disk was written to by: ${*:3}"
}

device='a device; a regular file, a pipe or a terminal can be written'
dw topology -o "$T/station" /dev/sda
safe 1 "/dev/sg1: $device" dw topology -o /dev/sg1 /dev/sda
safe 1 "/dev/sdb: $device" dw plan -o /dev/sdb /dev/sda
safe 1 "/dev/sdb: $device" dw simulate "$T/station" --trace=/dev/sdb
safe 1 "/dev/sdb: $device" dw --yes --trace=/dev/sdb /dev/sda
safe 1 "/dev/sdb: not a regular file" dw --yes --state=/dev/sdb /dev/sda
expect 1 bash -c "'$DISKWIPE' list >/dev/sdb"
expect 1 bash -c "'$DISKWIPE' list 2>/dev/sdb"
safe 1 'the standard output leads to a device' bash -c "'$DISKWIPE' topology /dev/sda >/dev/sdb"

# In a sticky folder another user's links lead to a disk, to a file of root's, to a folder.
mkdir -m 1777 "$T/tmp"
echo precious >"$T/secret"
chmod 600 "$T/secret"
ln -s /dev/sdb "$T/tmp/disk"
ln -s /dev/sdb "$T/tmp/disk.svg"
ln -s "$T/secret" "$T/tmp/plan"
ln -s "$T" "$T/tmp/way"
chown -h 65534:65534 "$T"/tmp/*
other='a link of another user'
dw simulate "$T/station" --trace="$T/trace" >"$T/out" 2>"$T/err"
safe 1 "$other" dw report -o "$T/tmp/disk.svg" "$T/trace"
safe 1 "$other" dw simulate "$T/station" --trace="$T/tmp/disk"
safe 1 "$other" dw plan -o "$T/tmp/plan" /dev/sda
safe 1 "$other" dw topology -o "$T/tmp/way/secret" /dev/sda
safe 1 "$other" dw --yes --state="$T/tmp/plan" /dev/sda
safe 1 "$other" dw --yes --method=random --key-file="$T/tmp/way/key" /dev/sda
assert_eq precious "$(<"$T/secret")"
assert_eq 600 "$(stat -c %a "$T/secret")"
[[ ! -e $T/key ]] || fail 'a key was written over a link'

# Pipes that nobody writes to, and what never ends.
mkfifo "$T/pipe"
safe 1 'not a regular file' dw simulate /dev/zero
safe 1 'not a regular file' dw simulate "$T/pipe"
safe 1 'not a regular file' dw list --config="$T/pipe"
safe 1 'not a regular file' dw report -o "$T/x.svg" "$T/pipe"
safe 1 'not a regular file' dw fit "$T/pipe"
safe 1 'not a regular file' dw --yes --plan="$T/pipe"
safe 1 'not a regular file' dw --yes --resume="$T/pipe"

# Keys and configurations that somebody else may read, write or have made.
key() { safe 1 "$1; to fix it: $2 $T/key" dw verify --method=random --key-file="$T/key" /dev/sda; }
printf '%064d\n' 0 >"$T/key"
chmod 644 "$T/key"
key 'readable by others' 'chmod 600'
chown 65534 "$T/key"
chmod 600 "$T/key"
key 'owned by another user' 'chown root'
echo '[safety]' >"$T/conf"
chmod 666 "$T/conf"
safe 1 "writable by others; to fix it: chmod go-w $T/conf" dw list --config="$T/conf"
chmod go-w "$T/conf"
dw list --config="$T/conf" >"$T/out"
chown 65534 "$T/conf"
safe 1 "owned by another user; to fix it: chown root $T/conf" dw list --config="$T/conf"

# A job that has a key leaves no core; nor does a debugger of the same user get at it.
ulimit -c unlimited
echo "$T/core" >/proc/sys/kernel/core_pattern
echo 0 >/proc/sys/kernel/core_uses_pid
aborted() { # FILE COMMAND...: once the file is there
	"${@:2}" >"$T/out" 2>"$T/err" &
	wait_for 60 test -e "$1"
	kill -ABRT $!
	wait $! 2>/dev/null || true
}
echo 10 >/sys/bus/pseudo/drivers/scsi_debug/delay
aborted "$T/key2" "$DISKWIPE" --yes --method=random --key-file="$T/key2" /dev/sda
[[ ! -e $T/core ]] || fail 'there is a core with the key in it'
aborted "$T/here" bash -c "echo >$T/here; exec sleep 1000"
[[ -e $T/core ]] || fail 'this kernel writes no cores: nothing was shown'
