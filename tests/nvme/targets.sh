# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# NVMe targets of the machine of tests/nvme/machine-test. Sourced after lib.sh. They run beside it: in it,
# half of the emulator's time was theirs. Their files are in a folder that both see.

readonly blocks=8192 shelf=/run/targets
said() { printf '%4d s: %s\n' $SECONDS "$*" >&2; }

# --- targets: each has a configuration, and images NAME.1, NAME.2 ... ---
declare -A node=()
host='hostnqn=nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555'
host+=',hostid=11111111-2222-3333-4444-555555555555'

plant() { for f in "$shelf/$1".[0-9]*; do head -c $((blocks * 512)) /dev/urandom >"$f.new" && cat "$f.new" >"$f"; rm "$f.new"; done; }
configure() { # NAME [KEY=VALUE...]
	local name=$1
	shift
	printf '%s\n' "serial=${name^^}" "$@" >"$shelf/$name.conf.new"
	mv "$shelf/$name.conf.new" "$shelf/$name.conf"
	: >"$shelf/$name.log"
}
controller_of() { # NAME
	local c
	for c in /sys/class/nvme/nvme*; do
		[[ $(tr -d ' ' <"$c/serial") == "${1^^}" ]] && echo "${c##*/}" && return
	done
	return 1
}
# One more controller of a target.
connect() { # NQN [,OPTION]
	echo "transport=tcp,traddr=10.0.2.2,trsvcid=$DW_TARGETS,nqn=$1,$host,nr_io_queues=1${2:-}" >/dev/nvme-fabrics
}
target() { # NAME IMAGES [KEY=VALUE...]
	local name=$1 images=$2 nqn=nqn.2026-11.test:$1 i
	shift 2
	for ((i = 1; i <= images; i++)); do : >"$shelf/$name.$i"; done
	plant "$name"
	configure "$name" "$@"
	connect "$nqn"
	wait_for 30 controller_of "$name"
	i=$(controller_of "$name")
	node[$name]=/dev/${i}n1
	wait_for 30 test -b "${node[$name]}"
}

# --- jobs ---
erase() { # STATUS NAME METHOD [OPTION...]
	local status=$1 name=$2 method=$3
	shift 3
	expect "$status" dw erase --yes --json --method="$method" "$@" "${node[$name]}"
}
outcome() { # OUTCOME [FILTER]
	assert_json "$T/out" '.disks[0] | .outcome == $o and ('"${2:-true}"')' --arg o "$1"
}
told() { assert_eq "$2" "$(cat "$shelf/$1.log")" "what $1 was told"; }
zeros() { cmp -n $((blocks * 512)) "$shelf/$1.1" /dev/zero || fail "$1 does not hold zeros"; }
# shellcheck disable=SC2034
proven='any(.notes[]; test("checked: [0-9]+ places were read before and after; all changed"))'

ip address add 10.0.2.15/24 dev eth0
ip link set eth0 up
mkdir "$shelf"
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none targets "$shelf"
