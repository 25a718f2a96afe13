#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# What tests/nvme/machine-test runs in its machine: disks of nvme-target that erase themselves, and
# those that only say so; QEMU's NVMe disk, which formats, and its SCSI disk, which says that it does.
. "$(dirname "$0")/../kernel/lib.sh"
. "$(dirname "$0")/targets.sh"

target one 1 stated=1
said 'a target is connected'

# one disk, whatever node names it
for n in "${node[one]}" "${node[one]/nvme/ng}" "${node[one]%n1}"; do
	expect 0 dw list --json "$n"
	assert_json "$T/out" '[.disks[].device] == [$b]' --arg b "${node[one]}"
	expect 0 dw inspect "$n"
	assert_match "^sanitize-block +yes, 1 s stated +log 81h" "$T/out"
	assert_match '^nvme-subsystem +1 namespaces, 1 controllers' "$T/out"
done

# a controller of which the kernel shows no namespace is in the list, and no job that takes
# whatever there is ends clean
expect 0 dw list --json
assert_json "$T/out" '[.disks[] | select(.serial == "QEMUNONE")] | length == 1 and
	(.[0] | .device != null and .verdict == "no-medium" and (.reason | test("shows no namespace")))'
expect 2 dw erase --dry-run --json --select 'serial=QEMUNONE'
assert_json "$T/out" '.refused | length == 1 and .[0].kind == "no-medium"'

# a dry run tells a disk nothing
expect 0 dw erase --dry-run --method=sanitize-block "${node[one]}"
told one ''

# each way, and what it is
erase 0 one sanitize-overwrite --verify=full
outcome erased "$proven and .command == \"sanitize\" and .verify.mode == \"full\""
told one 'sanitize 0x21b 0x0'
zeros one
plant one
configure one
erase 0 one sanitize-block
outcome erased "$proven and .level == \"purge\" and (has(\"purge_requested\") | not)"
told one 'sanitize 0x20a 0x0'
zeros one
if [[ ${DW_SMOKE:-} ]]; then exit 0; fi
# PREQ where SPRRS offers it; one that ends well and does not say that it purged has failed
configure one 'sanicap=0x80000027'
plant one
erase 0 one sanitize-block
outcome erased "$proven and any(.notes[]; test(\"has purged as IEEE 2883\")) and
	.purge_requested and .purge_attested"
told one 'sanitize 0xa0a 0x0'
plant one
configure one 'sanicap=0x80000027' attest=0
erase 4 one sanitize-block
outcome failed '(.reason | test("does not say that its operation ended well")) and
	.purge_requested and (.purge_attested | not)'
configure one
said 'attested'
plant one
configure one 'sanicap=0x20000007'
erase 0 one sanitize-crypto
outcome erased "$proven and any(.notes[]; test(\"zeros were written to its first and last MiB\"))"
for at in 0 $((blocks - 2048)); do
	cmp -n 1048576 -i $((at * 512)):0 "$shelf/one.1" /dev/zero || fail "block $at on"
done
told one 'sanitize 0xc 0x0'
said 'sanitized in three ways'
plant one
configure one
erase 0 one nvme-format
outcome erased "$proven and .command == \"format-nvm\" and .level == \"clear\""
told one 'format 0x1 0x200'
zeros one
plant one
configure one
erase 0 one nvme-format-crypto
outcome erased "$proven"
told one 'format 0x1 0x400'
said 'formatted in two ways'

# what fails, is refused, lies, or is silent is never erased
configure one fail_at=50
erase 4 one sanitize-block
outcome failed '.reason | test("does not say that its operation ended well")'
# and can be told again: AUSE
configure one
erase 0 one sanitize-block
outcome erased "$proven"
plant one
configure one refuse=1
erase 4 one sanitize-block
outcome failed
erase 4 one nvme-format
outcome failed
configure one format_status=0x286
erase 4 one nvme-format
outcome failed
for lie in 1 2; do
	plant one
	configure one "lie=$lie"
	erase 4 one sanitize-block
	outcome failed '.reason | test("IT DID NOT ERASE ITSELF: [0-9]+ of [0-9]+ blocks")'
done
erase 4 one nvme-format
outcome failed '.reason | test("IT DID NOT ERASE ITSELF")'
# what the log tells is of another sanitize
configure one silent=1
erase 4 one sanitize-overwrite
outcome failed '.reason | test("does not say that its operation ended well")'
said 'failed, refused, lied, silent'

# killed; nobody else takes it; resumed while it works, which it does until it is told to end
plant one
configure one seconds=3600
start erase --yes --json --progress=plain --method=sanitize-block --state="$T/state" "${node[one]}"
wait_for 300 grep -q '"operating":true' "$T/state"
kill -KILL "$job"
wait "$job" || true
expect 2 dw erase --yes --method=sanitize-block "${node[one]}"
assert_match '[Ss]anitize in progress' "$T/err"
start erase --yes --resume="$T/state" --json
wait_for 300 grep -q 'waits for its end' "$T/err"
echo 'seconds=0' >>"$shelf/one.conf"
wait "$job"
outcome erased "$proven"
told one 'sanitize 0x20a 0x0'
zeros one
said 'killed and resumed'

# what reaches more than the disk
configure one detached=1 oacs=0xa
erase 2 one sanitize-block
assert_match '2 logical units or namespaces' "$T/err"
configure one controllers=2 cmic=2
erase 2 one sanitize-block
assert_match '2 controllers' "$T/err"
erase 2 one nvme-format
configure one unvmcap=1048576
erase 4 one nvme-format
outcome erased-with-exceptions '.reason | test("2048 blocks of the disk are hidden and were not touched")'
told one 'format 0x1 0x200'
said 'what reaches more'

# QEMU's own
node[qemu]=/dev/$(controller_of QEMUNVME)n1
erase 2 qemu sanitize-block
assert_match 'does not offer SANITIZE by block erase \(it offers NVMe format\)' "$T/err"
erase 0 qemu nvme-format
outcome erased "$proven"
expect 4 dw format --yes --again --block-size=512 --json "$(sd_nodes)"
assert_json "$T/out" '.disks[0].outcome == "failed"'
said "QEMU's own"
