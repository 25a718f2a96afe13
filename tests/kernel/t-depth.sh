#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/depth.conf
# needs: jq
# What can be swapped unseen has one command at a time, writing and reading, unless more are
# asked for. The enclosure counts.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

most_at_once() { # DISK
	enc stats | jq ".disks[$1].peak_in_flight"
}

erase 0 --command=write --verify=full -- 0 1
assert_disks <<TEXT
0 erased
0 .depth == 1
1 erased
1 .depth > 1
TEXT
assert_eq 1 "$(most_at_once 0)" 'commands at the removable disk at once'
(($(most_at_once 1) > 1)) || fail 'one command at a time at the fixed disk'

# the controller's choice up to what is asked for, and what others take of it
erase 0 --command=write --verify=full --depth=4 -- 2
assert_disks <<<'2 erased and .depth > 1 and .depth <= 4'
most=$(most_at_once 2)
((most > 1 && most <= 4)) || fail "$most commands at once with --depth=4"
erase 0 --command=write --verify=full --depth=4 --controller=fixed:64 -- 2
assert_disks <<<'2 erased and .depth == 4'
assert_eq 4 "$(most_at_once 2)" 'commands at once, fixed'
