#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/two.conf
# needs: sg_modes sg_persist jq
# What a job may change besides data is changed only while the disk is claimed: write
# cache, longest request, reservation.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
sg=$(sg_of "${sd[0]}")
export sg queue=/sys/class/block/${sd[0]##*/}/queue
wce() { probe examine "$sg" | jq .wce; }
soft=$(<"$queue/max_sectors_kb")
hard=$(<"$queue/max_hw_sectors_kb")
((soft < hard)) || fail "nothing to raise: $soft of $hard"

assert_eq 1 "$(wce)" 'write cache'
rules=(--wce off)
# shellcheck disable=SC2016
expect 0 probe claim "$sg" bash -c '"$DW_PROBE_TOOL" examine "$sg" | jq -e ".wce == 0"'
rules=()
assert_eq 1 "$(wce)" 'write cache after the claim'
enc set 0 wce=0
enc set 1 wce=0
rules=(--wce on)
# shellcheck disable=SC2016
expect 0 probe claim "$sg" bash -c '"$DW_PROBE_TOOL" examine "$sg" | jq -e ".wce == 1"'
rules=()
assert_eq 0 "$(wce)" 'write cache after the claim'

rules=(--raise 4194304)
want=$((hard < 4096 ? hard : 4096))
expect 0 probe claim "$sg" cat "$queue/max_sectors_kb"
assert_eq "$want" "$(<"$T/out")" 'longest request during the claim'
assert_match "^raised to $((want * 1024))\$" "$T/err"
assert_eq "$soft" "$(<"$queue/max_sectors_kb")" 'longest request after the claim'

rules=(--reserve)
# shellcheck disable=SC2016
expect 0 probe claim "$sg" bash -c 'sg_persist -n --in --read-reservation "$sg"'
assert_match 'Key *= *0x6469736b77697065' "$T/out"
assert_match 'type: Write Exclusive$' "$T/out"
rules=()
expect 0 sg_persist -n --in --read-reservation "$sg"
assert_match 'there is NO reservation held' "$T/out"
expect 0 sg_persist -n --in --read-keys "$sg"
assert_match 'there are NO registered reservation keys' "$T/out"
assert_free "$sg"
