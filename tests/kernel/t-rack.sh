#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 per_host_store=1 add_host=14 num_tgts=1 max_luns=1 ndelay=10000000"
# needs: python3
# timeout: 300
# examples/rack.c: of fourteen disks five come while others run, one is paused and goes on, one
# is cancelled, three are pulled and one of these comes back. Each is given back when its own
# work ends, and holds what was said of it.
. "$(dirname "$0")/lib.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 14 ${#sg[@]} disks
sd=()
for node in "${sg[@]}"; do sd+=("$(sd_of "$node")"); done
for disk in "${sd[@]}"; do
	head -c 8388608 /dev/zero | tr '\0' x |
		dd of="$disk" bs=4M iflag=fullblock oflag=direct status=none
done

mkfifo "$T/wishes"
rack=${DISKWIPE%/tools/diskwipe}/examples/rack
"$rack" -l 16 -t "$T/trace" "${sg[@]:0:9}" <"$T/wishes" >"$T/out" 2>"$T/err" &
job=$!
exec 5>"$T/wishes"
wish() { echo "$*" >&5; }
says() { # REGEX [TIMES]
	local end=$((SECONDS + 120))
	until has_line "$1" "$T/out" && (($(grep -cE -- "$1" "$T/out") >= ${2:-1})); do
		((SECONDS < end)) && kill -0 $job || { cat "$T/out" "$T/err" >&2; fail "never said: $1"; }
		nap 0.05
	done
}
takes() { # SD: whether somebody else could
	python3 -c 'import os, sys; os.close(os.open(sys.argv[1], os.O_RDWR | os.O_EXCL))' "$1" 2>/dev/null
}
freed() { # N: while the job goes on
	wait_for 60 takes "${sd[$1]}"
	kill -0 $job || fail 'the job has ended before'
}

says "^${sg[8]}: writing"
wish pause "${sg[0]}"
wish cancel "${sg[1]}"
for i in 9 10 11 12 13; do wish add "${sg[i]}"; done
for i in 2 3 4; do echo 1 >"/sys/class/scsi_generic/${sg[i]##*/}/device/delete"; done
says "^${sg[1]}: stopped"
freed 1
for i in 2 3 4; do says "^${sg[i]}: removed"; done
says "^${sg[0]}: paused"
! takes "${sd[0]}" || fail 'a paused disk was given back'
for i in 9 10 11 12 13; do says "^${sg[i]}: added"; done
for i in 5 6 7 8 9 10 11 12 13; do
	says "^${sg[i]}: erased"
	freed "$i"
done
kill -0 $job
for i in 2 5 9; do # of what has ended nothing is open any more
	! readlink /proc/$job/fd/* | grep -qx -e "${sg[i]}" -e "${sd[i]}" || fail "${sg[i]} is still open"
done
wish resume "${sg[0]}"
says "^${sg[0]}: resumed"

# one that was pulled is there again, by whatever node, and still as it was at its end
known=" $(sg_nodes | tr '\n' ' ')"
for scan in /sys/class/scsi_host/host*/scan; do echo '- - -' >"$scan"; done
settle
back=''
for node in $(sg_nodes); do [[ $known == *" $node "* ]] || back=$node; done
[[ $back ]] || fail 'none came back'
wish add "$back"
says "^$back: erased" "$(($(grep -c "^$back: erased" "$T/out" || true) + 1))"
wish add "${sg[5]}x"
says "refused ${sg[5]}x: "
says "^${sg[0]}: erased"
freed 0
exec 5>&-
status=0
wait $job || status=$?
assert_eq 6 $status 'exit status'
dd if="${sd[1]}" bs=4M iflag=direct status=none | grep -q x || fail 'the cancelled disk was erased'

# the trace has all blocks of each disk that was erased, and named those that came
for i in 0 5 6 7 8 9 10 11 12 13; do echo "${sg[i]} 16384"; done >"$T/want"
echo "$back 16384" >>"$T/want"
awk '/^# (disk|joined) / { split($0, text, "\""); node[$3] = text[4]; came += $2 == "joined" }
	$3 == "write" && $8 == "ok" { sum[$2] += $5 }
	END { for (i in sum) if (sum[i] >= 16384) print node[i], sum[i]; print came, "came" }' \
	"$T/trace" | sort >"$T/got"
echo '6 came' >>"$T/want"
sort "$T/want" | cmp - "$T/got" || { cat "$T/got" >&2; fail 'the trace'; }
assert_match '^# end ' <(tail -n 1 "$T/trace")

# a job that begins without a disk, in the background
"$rack" -b share:90% >"$T/out" <<<"add ${sg[1]}"
assert_match "^${sg[1]}: erased" "$T/out"

for i in 0 5 6 7 8 9 10 11 12 13; do
	dd if="${sd[i]}" bs=4M iflag=direct status=none | cmp -n 8388608 - /dev/zero || fail "${sd[i]}"
done
dd if="$(sd_of "$back")" bs=4M iflag=direct status=none | cmp -n 8388608 - /dev/zero || fail "$back"
dd if="${sd[1]}" bs=4M iflag=direct status=none | cmp -n 8388608 - /dev/zero || fail "${sd[1]}"
