#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/identify.conf
# needs: jq
# A disk that is being erased is not sent IDENTIFY DEVICE, neither by its job nor by a list or an
# inspection: some lose the writes that are queued then. One that nobody uses is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
asked() { enc stats | jq '.faults[0].fired'; }
enc 'answer disk=0 ata=0xec patch=510:a5' # as it is

expect 0 dw list --json "${sg[0]}"
(($(asked) > 0)) || fail 'a disk that is free is not asked'
enc 'fault kind=hold disk=0 op=write nth=4'
start --yes --expect-count=1 --json --command=write --controller=fixed:512 --depth=4 --verify=full "${sg[0]}"
await_held 0
before=$(asked)
expect 0 dw list --json "${sg[0]}"
assert_json "$T/out" '.disks[0] | (.erasable | not) and .serial != ""'
expect 0 dw inspect "${sg[0]}"
expect 0 dw list --json
after=$(asked)
enc 'clear 0'
wait "$job" || fail "the job ended with $?"
assert_eq "$before" "$after" 'commands IDENTIFY DEVICE while it is erased'
assert_json "$T/out" '.disks[0].outcome == "erased"'
