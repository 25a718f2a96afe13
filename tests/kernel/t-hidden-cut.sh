#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/hidden.conf
# needs: jq
# timeout: 600
# shellcheck disable=SC2016,SC2154
# Hidden blocks of a disk with two paths, of one that is exchanged, of a job that is killed or resumed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
. "$(dirname "$0")/hidden.sh"
find_nodes

# two paths: over both it is as large as it is
cut 16 3000
echo 1 >"/sys/class/scsi_generic/${node[17]##*/}/device/rescan"
expect 0 dw erase --yes --json --hidden=restore --command=write --verify=full "${node[16]}"
assert_disks <<<'16 erased and .capacity_bytes == 4000 * 512 and (.paths | length == 4)'
assert_eq 0 "$(old 16)" 'old bytes on disk 16'
for d in 16 17; do
	assert_eq 4000 "$(blocks_of $d)" "blocks over path $d"
done

# another disk comes after the question was put: it is told nothing
refill 0
refill 1
selects() { enc stats | jq "[.disks[] | select(.disk == $1) | .opcodes[\"55\"] // 0] | add"; }
before=$(selects 0)
other=$(selects 1)
cat >"$T/answer.py" <<'PY'
import os, pty, re, sys, time
mark, serial, *command = sys.argv[1:]
pid, fd = pty.fork()
if not pid:
    os.execv(command[0], command)
said = ''
while not (asked := re.search(r'last (\d+) characters', said)):
    said += os.read(fd, 4096).decode()
open(mark + '.asked', 'w').close()
while not os.path.exists(mark + '.go'):
    time.sleep(0.05)
os.write(fd, serial[-int(asked[1]):].encode() + b'\n')
try:
    while chunk := os.read(fd, 4096).decode():
        said += chunk
except OSError:
    pass
print(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
python3 "$T/answer.py" "$T/mark" ENC01D0000 "$DISKWIPE" --hidden=restore --command=write \
	"${node[0]}" >"$T/said" 2>"$T/err" &
job=$!
wait_for 60 test -e "$T/mark.asked"
enc 'swap 0 1 quiet' >/dev/null
touch "$T/mark.go"
got=0
wait $job || got=$?
assert_eq 2 $got 'exit status'
tr -d '\r\n' <"$T/said" >"$T/one-line"
assert_match 'another disk answers at its node; nothing more was sent' "$T/one-line"
enc 'swap 0 1 quiet' >/dev/null
assert_eq "$before $other" "$(selects 0) $(selects 1)" 'MODE SELECTs'

# another disk comes while the command is on its way: that was told the right disk, and nothing more
# is told to the other
enc 'fault kind=hold op=0x55 disk=0' >/dev/null
start --yes --hidden=restore --command=write "${node[0]}"
await_held 0
enc 'swap 0 1 quiet' >/dev/null
enc 'clear-all' >/dev/null
got=0
wait $job || got=$?
assert_eq 2 $got 'exit status'
assert_match 'another disk answers at its node; nothing more was sent' "$T/err"
enc 'swap 0 1 quiet' >/dev/null
assert_eq "$((before + 1)) $other" "$(selects 0) $(selects 1)" 'MODE SELECTs'
assert_eq 3000 "$(enc stats | jq '.disks[] | select(.disk == 1) | .blocks')" 'blocks of disk 1'
for d in 0 1; do assert_untouched $d 5a; done

# killed when the disk is as large as it is, and nobody knows yet: the same command goes on
refill 0
enc 'fault kind=hold op=0x55 disk=0' >/dev/null
start --yes --hidden=restore --command=write --verify=full --state="$T/state" "${node[0]}"
await_held 0
kill -KILL $job
wait $job || true
enc 'clear-all' >/dev/null
[[ ! -e $T/state ]] || fail 'it was killed too late'
assert_untouched 0 5a
restore 0 0
assert_disks <<<'0 erased and .capacity_bytes == 4000 * 512 and .restored == []'
assert_eq 4000 "$(blocks_of 0)" 'blocks of disk 0'

# stopped after that, and the disk has forgotten what it showed: it is shown again, and resumed;
# where that does not help, the state is of another disk
refill 0
enc 'fault kind=hold op=write min=2 disk=0 lba=2000' >/dev/null
start --yes --json --hidden=restore --command=write --verify=full --controller=fixed:16 --depth=1 \
	--flush-every=64KiB --state="$T/state" --progress=plain "${node[0]}"
await_held 0
kill -INT $job
job_says stopping
enc 'clear-all' >/dev/null
wait $job || true
assert_json "$T/state" '.disks[0] | .identity.capacity_bytes == 4000 * 512 and .lba > 0 and .lba < 4000'
cut 0 3000
enc 'set 0 deaf=1' >/dev/null
expect 2 dw erase --yes --json --resume="$T/state"
assert_match 'knows more blocks than it shows.*took MODE SELECT' "$T/err"
enc 'set 0 deaf=0' >/dev/null
expect 0 dw erase --yes --json --resume="$T/state"
assert_disks <<<'0 .outcome == "erased" and .capacity_bytes == 4000 * 512 and .bytes_written < .capacity_bytes and .restored == [{by: "mode-select", blocks: 1000}]'
assert_eq 0 "$(old 0)" 'old bytes on disk 0'
