# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of disks with several paths share. Sourced after lib.sh and erase.sh.

# Erases in the background, with a trace; the result is in $T/out, the log in $T/err.
start_erase() { # OPTION... -- NODE...
	local opts=()
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	start --yes --expect-count=1 --json --progress=plain --trace="$T/trace" \
		"${opts[@]}" "$@"
	job_says 'writing, pass'
}

end_erase() { # STATUS
	local status=0
	# shellcheck disable=SC2154 # of start
	wait "$job" || status=$?
	((status == $1)) || { cat "$T/err" >&2; head -c 4000 "$T/out" >&2; fail "status $status, not $1"; }
}

# Per pass: every block once and in order; a command that went out again counts by its good end.
# With one command at a time the good writes of a pass lie side by side. The paths that the
# trace names for them, in order, each once, are left in $T/used.
check_trace() { # BLOCKS PASSES
	awk -v blocks="$1" -v passes="$2" '
		/^#/ || $3 != "write" || $8 != "ok" { next }
		$11 != pass { if ($11 != pass + 1 || at != blocks) bad = "pass " $11 " after LBA " at
			pass = $11; at = 0 }
		$4 != at { bad = "LBA " $4 ", not " at }
		{ at = $4 + $5; used[$12] = 1 }
		$12 == "" { bad = "no path in: " $0 }
		END { if (pass + 1 != passes || at != blocks) bad = "ends at " at " of pass " pass
			if (bad) { print bad; exit 1 }
			for (p in used) print p }' pass=0 at=0 "$T/trace" | sort -n >"$T/used" ||
		fail "trace: $(<"$T/used")"
}
