#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The program itself, without a guest: options, socket, control, how it ends.
set -u
program=$1
d=$(mktemp -d "${TMPDIR:-/tmp}/dw-enc.XXXXXX") || exit 1
pid=''
cleanup() {
	[[ -n $pid ]] && kill "$pid" 2>/dev/null
	rm -rf "$d"
}
trap cleanup EXIT

fail() {
	echo "FAILED: $*" >&2
	cat "$d/err" >&2
	exit 1
}

start() { # OPTIONS...
	: >"$d/out"
	"$program" --socket "$d/s" --dir "$d/run" "$@" >"$d/out" 2>"$d/err" &
	pid=$!
	for _ in {1..1500}; do
		grep -qx ready "$d/out" && return
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.02
	done
	grep -qx ready "$d/out"
}

finish() { # STATUS
	local got
	wait "$pid"
	got=$?
	pid=''
	((got == $1)) || fail "status $got, not $1"
	[[ ! -e $d/s && ! -e $d/run/ctl.sock ]] || fail 'a socket is left'
}

printf 'enclosure fast=1 seed=3\ndisk 0-1 size=1M # small\n\nfault disk=0 kind=busy\n' >"$d/conf"
start --config "$d/conf" -c 'disk 2 size=2M' --start 'plant 2 1 1 0x41' || fail 'no start'
[[ $(stat -c %s "$d/run/disk-02.img") == 2097152 ]] || fail 'size of disk 2'
[[ $(dd if="$d/run/disk-02.img" bs=512 skip=1 count=1 2>/dev/null | tr -d A | wc -c) == 0 ]] ||
	fail 'planted data'
[[ $("$program" ctl "$d/run/ctl.sock" 'stats' | sed -n 1p) == ok ]] || fail 'stats by socket'
[[ $("$program" ctl "$d/run" 'gone 1' | sed -n 1p) == ok ]] || fail 'gone by file'
"$program" ctl "$d/run" 'gone 77' >"$d/o" && fail 'gone 77 went well'
grep -q '^error: ' "$d/o" || fail 'no error text'
printf 'back 1\n' >"$d/run/ctl/x.tmp"
"$program" ctl "$d/run" 'stats' >"$d/o" || fail 'the file after it is not answered'
[[ -e $d/run/ctl/x.tmp ]] || fail 'took a file that is not finished'
mv "$d/run/ctl/x.tmp" "$d/run/ctl/x"
for _ in {1..1500}; do [[ -e $d/run/ctl/x.out ]] && break; sleep 0.02; done
grep -qx ok "$d/run/ctl/x.out" || fail 'back by file'
[[ ! -e $d/run/ctl/x ]] || fail 'the command file is left'
kill -TERM "$pid"
finish 0
python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert len(d["disks"])==3' \
	"$d/run/stats.json" || fail 'stats.json'

start -c 'disk 0' --timeout 0.3 || fail 'no start with a timeout'
finish 124

# a guest that talks nonsense ends the server, not badly
start -c 'disk 0' || fail 'no third start'
python3 - "$d/s" <<'PY' || fail 'nonsense'
import os, socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
def msg(req, payload=b"", flags=1):
    s.sendall(struct.pack("<III", req, flags, len(payload)) + payload)
def answer():
    h = s.recv(12, socket.MSG_WAITALL)
    req, flags, size = struct.unpack("<III", h)
    return s.recv(size, socket.MSG_WAITALL)
msg(1); assert struct.unpack("<Q", answer())[0] >> 30 & 1
msg(15); assert struct.unpack("<Q", answer())[0] & 0x228 == 0x228
msg(16, struct.pack("<Q", 0x228), 9); assert answer() == bytes(8)
msg(24, struct.pack("<III", 0, 36, 0) + bytes(36)); assert len(answer()) == 48
msg(5, struct.pack("<II", 9, 0) + bytes(64), 9)     # nine regions, no descriptor
assert s.recv(12) == b""
PY
finish 0

start -c 'disk 0 block=3' && fail 'a bad configuration starts'
finish 1
grep -q 'block=3' "$d/err" || fail 'the bad line is not named'
pid=''
exit 0
