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

# The verdict of a node, as JSON on stdout.
verdict() { # NODE
	probe examine "$1" | jq -c .verdict
}

assert_verdict() { # NODE REFUSAL [REASON-REGEX [RELEASE]]
	probe examine "$1" >"$T/verdict"
	assert_json "$T/verdict" ".verdict.refusal == \"$2\""
	if (($# > 2)); then
		jq -r .verdict.reason <"$T/verdict" >"$T/reason"
		assert_match "$3" "$T/reason"
	fi
	if (($# > 3)); then
		assert_eq "$4" "$(jq -r .verdict.release <"$T/verdict")" 'release command'
	fi
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
	[[ -x ${DISKWIPE:-} ]] || return 0
	expect 2 dw ${options[@]+"${options[@]}"} --yes --json "$1"
	assert_json "$T/out" '.refused | length == 1'
	assert_json "$T/out" ".refused[0].device == \"$1\""
	jq -r '.refused[0].reason' <"$T/out" >"$T/reason"
	assert_match "$2" "$T/reason"
	if (($# > 2)) && [[ -n $3 ]]; then
		grep -qF -- "$3" "$T/err" || fail "the program does not print: $3"
	fi
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
	command=$(verdict "$1" | jq -r .release)
	[[ -n $command ]] || fail "no command for $1"
	bash -c "$command" >"$T/release" 2>&1 || { cat "$T/release" >&2; fail "it fails: $command"; }
	wait_for 60 free "$1" # some commands end before they are done
	assert_free "$1"
}
free() { [[ $(verdict "$1" | jq -r .refusal) == none ]]; }

# After the reason is gone the disk is free: the refusal was for that reason only.
assert_free() { # NODE
	assert_verdict "$1" none
}
