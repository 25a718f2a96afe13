#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/write-through.conf
# needs: jq
# Disks without a command that flushes their cache, and without a page that tells of it: each write
# has FUA, where the disk has that. What is in the cache is lost when the guest ends, and is not in
# the files of the media.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

for n in 0 1 2; do enc plant "$n" 0 32768 0x5a; done >/dev/null
expect 0 dw --yes --expect-count=2 --json --command=auto --verify=full --flush-every=4MiB \
	"${node[0]}" "${node[1]}" "${node[2]}"
assert_disks <<'TEXT'
0 erased and (.notes | any(test("every write went to the medium")))
2 erased and (.notes | any(test("every write went to the medium")))
TEXT
assert_json "$T/out" '.refused[0].reason | test("^it does not do SYNCHRONIZE CACHE, and its write cache may be on")'
assert_leftovers 0 2 </dev/null
# what went before it was in the cache alone
assert_untouched 1 5a
