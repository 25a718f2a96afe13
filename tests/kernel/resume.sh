# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs that are stopped at random moments and resumed; by t-resume.sh and the campaign
# of that name, in a guest with racks/resume.conf. Sourced after lib.sh and erase.sh.
#
# A job is stopped politely, by two signals, or killed; then every disk loses what its cache
# has not written, and now and then one is away when the job goes on. What the state file says is
# done must be on the media all the same, no disk may be missed in it, and in the end every block
# must be erased.

resume_sg=(/dev/sg0 /dev/sg1 /dev/sg2)
resume_sd=(/dev/sda /dev/sdb /dev/sdc)

# One of the words at random, in ${picked}: a subshell would have another RANDOM.
pick() { # WORD...
	shift $((RANDOM % $#))
	picked=$1
}

# A job's options, in ${options[@]}; the byte of its last pass in $last, '' if random; that of
# its only one in $byte.
# shellcheck disable=SC2054 # commas in words
random_options() {
	local how
	options=(--state="$T/state" --flush-every="$((128 + RANDOM % 2000))KiB"
		--controller="fixed:$((16 + RANDOM % 700))")
	for how in 'strategy sequential round-robin parallel parallel longest-first' 'depth 1 1 2 4' 		'command write write write-same auto' 'verify full sample:10% off'; do
		# shellcheck disable=SC2086 # words
		pick ${how#* }
		options+=("--${how%% *}=$picked")
	done
	byte='' key=(--key-file="$T/key")
	case $((RANDOM % 4)) in
	0) byte=00 last=00 key=() ;;
	1) byte=a5 last=a5 key=() options+=(--pattern=a5) ;;
	2) last=ff options+=(--pattern=55,random,ff) ;;
	3) last='' options+=(--method=random) ;;
	esac
}

at_work() { # PID
	has_line 'ing, pass' "$T/err" || ! kill -0 "$1" 2>/dev/null
}

# Starts the job, and ends it somehow after up to a second. Sets status.
run_and_stop() { # OPTION...
	local job how
	pick INT INT TERM twice KILL
	how=$picked
	start erase --yes --json --progress=plain "$@"
	# as a rule it is writing by then
	((RANDOM % 8 == 0)) || wait_for 60 at_work $job
	sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
	kill "-${how/twice/INT}" "$job" 2>/dev/null || true
	if [[ $how == twice ]]; then
		sleep "0.0$((RANDOM % 10))"
		kill -INT "$job" 2>/dev/null || true
	fi
	status=0
	{ wait $job || status=$?; } 2>/dev/null
	printf ' %s->%d' "$how" "$status"
	case $status in
	0) [[ -z $away ]] ;;
	3 | 4) [[ -n $away ]] ;;
	130) [[ $how == INT || $how == twice ]] ;;
	143) [[ $how == TERM ]] ;;
	137) [[ $how == KILL ]] ;;
	*) false ;;
	esac || { cat "$T/err" >&2; fail "status $status after $how"; }
}

# Disks that the state does not call erased.
left() { jq '[.disks[] | select(.outcome != "erased")] | length' "$T/state"; }

# The stamps in $T/done, where addresses were compared when the job was killed: each at its own
# address, 0, a power of two or the last. The job that goes on erases them, so they count as done.
take_stamps_away() {
	local offset lba want
	while IFS=: read -r offset _; do
		lba=$((offset / 512))
		((offset % 512 == 0 && (lba == 8191 || (lba & (lba - 1)) == 0))) || continue
		printf -v want '0000%016x' $lba # what follows the name
		[[ $(od -An -v -tx1 -j $((offset + 14)) -N 10 "$T/done" | tr -d ' \n') == "$want" ]] || continue
		head -c 512 /dev/zero | tr '\0' "$(octal "$byte")" |
			dd of="$T/done" bs=512 seek="$lba" conv=notrunc status=none
	done < <(grep -abo 'diskwipe stamp' "$T/done")
}

# The blocks below an address hold the pattern.
is_done() { # SG LBA
	local LC_ALL=C
	read_lba "$1" 0 "$2" >"$T/done"
	tr -d "$(octal "$byte")" <"$T/done" | cmp -s - /dev/null && return
	take_stamps_away
	tr -d "$(octal "$byte")" <"$T/done" | cmp -s - /dev/null
}

nodes_are() { (($(sg_nodes | wc -l) == $1)); }

# One of the disks that are left is away while the job goes on, if another is there.
take_away() {
	local serials
	away=''
	mapfile -t serials < <(jq -r '.disks[] | select(.outcome != "erased").identity.serial' "$T/state")
	((${#serials[@]} > 1 && RANDOM % 3 == 0)) || return 0
	pick "${serials[@]}"
	away=$((10#${picked#ENC01D}))
	enc "gone $away" >/dev/null
	wait_for 20 nodes_are 2
	printf ' -%d' "$away"
}

put_back() {
	[[ -n $away ]] || return 0
	enc "back $away" >/dev/null
	wait_for 20 nodes_are 3
	settle
	away=''
}

# What the state says is done is on the media, and it says something of each disk.
check_state() {
	local i lba
	enc reset-all >/dev/null
	assert_json "$T/state" '[.disks[].identity.serial] | sort ==
		["ENC01D0000", "ENC01D0001", "ENC01D0002"]'
	for i in 0 1 2; do
		# a disk that a resumed job had nothing to do with was erased before
		lba=$(jq "[.disks[] | select(.identity.device == \"${resume_sg[i]}\") |
			if .pass > 0 then 0 else .lba end][0] // 8192" "$T/state")
		printf ' %s' "$lba"
		[[ -z $byte || $lba == 0 ]] || is_done "${resume_sg[i]}" "$lba" ||
			fail "disk $i: old data below LBA $lba, which the state says is done"
		[[ $status != 130 ]] || stopped_lba_is "$i" "$lba"
	done
}

# What the result says of a disk that was stopped is what the state says.
stopped_lba_is() { # DISK LBA
	assert_json "$T/out" 'all(.disks[] | select(.device == $d and .outcome == "stopped") | .reason;
		(test("LBA [0-9]+ of pass 1") | not) or test("LBA \($lba) of pass 1"))' \
		--arg d "${resume_sg[$1]}" --argjson lba "$2"
}

# A job that was killed may have erased its last disk before.
unfinished() { ((status)) && { [[ ! -s $T/state ]] || (($(left))); }; }

resume_round() { # SEED
	local options byte last status key picked away=''
	RANDOM=$(($1 % 32768))
	rm -f "$T/state" "$T/key"
	random_options
	printf "seed %s: %s:" "$1" "${options[*]:1}"
	plant_random "${resume_sd[@]}"
	run_and_stop --expect-count=3 "${options[@]}" "${key[@]}" "${resume_sg[@]}"
	while unfinished && [[ -s $T/state ]] && ((RANDOM % 3)); do
		check_state
		take_away
		run_and_stop --resume="$T/state" --expect-count=$(($(left) - ${#away})) "${key[@]}"
		put_back
	done
	if unfinished; then
		if [[ -s $T/state ]]; then
			check_state
			expect 0 dw erase --yes --json --resume="$T/state" --expect-count="$(left)" "${key[@]}"
		else
			rm -f "$T/key"
			expect 0 dw --yes --json --expect-count=3 "${options[@]}" "${key[@]}" "${resume_sg[@]}"
		fi
		assert_json "$T/out" 'all(.disks[]; .outcome == "erased")'
	fi
	enc reset-all >/dev/null
	if [[ -n $last ]]; then
		assert_erased "$last" "${resume_sd[@]}"
	else
		expect 0 dw verify --json --method=random --key-file="$T/key" --verify=full "${resume_sg[@]}"
	fi
	echo ' ok'
}
