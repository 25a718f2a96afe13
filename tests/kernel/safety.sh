# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of refusals share. Sourced after lib.sh.
#
# A refused disk is refused three times over: by its verdict, by the claim (which does
# not believe the verdict), and by the program; each time for the same reason, and the
# disk is bit by bit what it was.

# shellcheck disable=SC2034 # tests add to it: --protect X, --logical
rules=()
# The same for the program.
options=()

probe() { "${DW_PROBE_TOOL:?run by run-test}" ${rules[@]+"${rules[@]}"} "$@"; }

# The disk's content, past every cache; $1 may be any node of it. Read through
# $sum_node where that is set: a reservation may keep this one from it.
disk_sum() { # NODE
	local sg=${sum_node:-$1} sd q
	[[ -b $sg ]] && sg=$(sg_of "$sg")
	sd=$(sd_of "$sg")
	q=/sys/class/block/${sd##*/}
	sync
	read_lba "$sg" 0 $(($(<"$q/size") * 512 / $(<"$q/queue/logical_block_size"))) \
		"$(<"$q/queue/logical_block_size")" | sha256sum | cut -d' ' -f1
}

# What the verdict of a node says, in ${verdict[refusal]}, [reason], [release], [signatures].
declare -A verdict
examine() { # NODE
	local said=()
	verdict=()
	probe verdict "$1" >"$T/verdict" || return 1
	mapfile -t said <"$T/verdict"
	((${#said[@]} == 4)) || return 1
	verdict=([refusal]=${said[0]} [reason]=${said[1]} [release]=${said[2]} [signatures]=${said[3]})
}

assert_verdict() { # NODE REFUSAL [REASON-REGEX [RELEASE]]
	examine "$1" || fail "no verdict of $1"
	assert_eq "$2" "${verdict[refusal]}" "refusal of $1, ${verdict[reason]}"
	(($# < 3)) || [[ ${verdict[reason]} =~ $3 ]] || fail "reason '${verdict[reason]}', not '$3'"
	(($# < 4)) || assert_eq "$4" "${verdict[release]}" 'release command'
}

# Status 1: it cannot even be opened, let alone claimed; or, by other kernels, it can.
assert_claim_refused() { # NODE REFUSAL [STATUS]
	local status=0
	probe write "$1" >"$T/out" 2>"$T/err" || status=$?
	((status == 2 || status == ${3:-2})) || fail "claim of $1: status $status, not ${3:-2}"
	((status == 1)) || assert_json "$T/out" ".refusal == \"$2\""
}

# The program names node, reason and release command, and ends with 2. `--yes` is on its
# way: nothing but the refusal keeps it from erasing.
assert_program_refuses() { # NODE REASON-REGEX [RELEASE]
	local said=()
	[[ -x ${DISKWIPE:-} ]] || return 0
	expect 2 dw ${options[@]+"${options[@]}"} --yes --json "$1"
	mapfile -t said < <(jq -r '.refused | length, (.[0] | .device, .reason)' <"$T/out")
	assert_eq "1 $1" "${said[*]:0:2}" 'disks refused'
	[[ ${said[2]} =~ $2 ]] || fail "reason '${said[2]}', not '$2'"
	[[ -z ${3:-} ]] || has_text "$3" "$T/err" || fail "the program does not print: $3"
}

assert_refused() { # NODE REFUSAL REASON-REGEX [RELEASE]
	local before after
	before=$(disk_sum "$1")
	assert_verdict "$@"
	assert_claim_refused "$1" "$2" "${claim_status:-2}"
	assert_program_refuses "$1" "$3" "${4:-}"
	after=$(disk_sum "$1")
	assert_eq "$before" "$after" "content of $1"
}

# Runs what is printed to release a disk, in a shell of its own, as one who did not make the
# obstacle; the disk is free after it.
release_as_printed() { # NODE
	local command
	examine "$1"
	command=${verdict[release]}
	[[ -n $command ]] || fail "no command for $1"
	bash -c "$command" >"$T/release" 2>&1 || { cat "$T/release" >&2; fail "it fails: $command"; }
	wait_for 60 free "$1" # some commands end before they are done
	assert_free "$1"
}
free() { examine "$1" && [[ ${verdict[refusal]} == none ]]; }

# After the reason is gone the disk is free: the refusal was for that reason only.
assert_free() { # NODE
	assert_verdict "$1" none
}
