# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What kernel tests have at hand. Sourced first by every t-*.sh, which runs as
# root in the guest; any command that fails ends the test.
set -eEu -o pipefail

T=$(mktemp -d /run/test.XXXXXX)
trap 'rm -rf "$T"' EXIT
stack=${DISKWIPE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/diskwipe}/stack
if [[ -d $stack ]]; then
	PATH=$PATH:$stack/usr/sbin:$stack/sbin:$stack/usr/bin
	for lib in "$stack"/lib/*-linux-gnu "$stack"/usr/lib/*-linux-gnu; do
		[[ -d $lib ]] && export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$lib
	done
fi
export PATH

# The program under test; $DISKWIPE is set by run-test.
dw() { "$DISKWIPE" "$@"; }

fail() {
	local i
	trap - ERR
	# The innermost line of the test itself, not of this library.
	for ((i = 1; i < ${#BASH_SOURCE[@]} - 1; i++)); do
		[[ ${BASH_SOURCE[i]##*/} == @(lib|lio|erase|fault|paths|safety|sanitize-ata|hidden|ata-security|firmware).sh ]] || break
	done
	printf 'FAILED at %s:%s: %s\n' "${BASH_SOURCE[i]##*/}" "${BASH_LINENO[i - 1]}" "$*" >&2
	exit 1
}
trap 'fail "status $? of: $BASH_COMMAND"' ERR

skip() {
	printf 'SKIPPED: %s\n' "$*" >&2
	exit 77
}

# --- running and asserting ------------------------------------------------

# Runs a command that must end with STATUS; its output is in $T/out, $T/err.
expect() { # STATUS COMMAND...
	local want=$1 got=0
	shift
	"$@" >"$T/out" 2>"$T/err" || got=$?
	((got == want)) && return
	head -c 4000 "$T/out" "$T/err" >&2
	fail "status $got, not $want: $*"
}

assert_eq() { # WANT GOT [WHAT]
	[[ $1 == "$2" ]] || fail "${3:-value} is '$2', not '$1'"
}

# Whether a line of a text matches, as grep -qE has it. No program is started for a short one: that
# costs 25 ms in the guest, and many waits ask again and again.
has_line() { # EXTENDED-REGEX FILE
	local a_line its_lines=()
	mapfile -t -n 1000 its_lines <"$2"
	((${#its_lines[@]} < 1000)) || { grep -qE -- "$1" "$2"; return; }
	for a_line in ${its_lines[@]+"${its_lines[@]}"}; do
		[[ $a_line =~ $1 ]] && return
		# shellcheck disable=SC2319 # that of the condition is meant: 2 is no expression
		(($? == 1)) || fail "not a regular expression: $1"
	done
	return 1
}

# Whether a file holds a text; also without a program.
has_text() { # TEXT FILE
	local its_text
	read -rd '' its_text <"$2" || true
	[[ $its_text == *"$1"* ]]
}

assert_match() { # EXTENDED-REGEX FILE
	has_line "$1" "$2" || { head -c 4000 "$2" >&2; fail "no '$1' in $2"; }
}

assert_no_match() { # EXTENDED-REGEX FILE
	[[ -r $2 ]] && ! has_line "$1" "$2" || { head -c 4000 "$2" >&2; fail "'$1' in $2"; }
}

# The filter must give true for the document: assert_json $T/out '.schema == 1'
assert_json() { # FILE FILTER [jq options...]
	local file=$1 filter=$2
	shift 2
	jq -e "$@" "$filter" "$file" >/dev/null 2>"$T/jq" || {
		cat "$T/jq" >&2
		head -c 8000 "$file" >&2
		fail "not so in $file: $filter"
	}
}

# A pause between two looks. No program is started for it: that costs 25 ms in the guest.
exec {nap_fd}<> <(:)
nap() { # SECONDS
	read -rt "$1" -u "$nap_fd" || true
}

# Polls a command until it succeeds.
wait_for() { # SECONDS COMMAND...
	local end=$((SECONDS + 3 * $1 + 1)) # a busy machine takes longer
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || fail "waited in vain for: $*"
		nap 0.05
	done
}

# Runs diskwipe in the background: process $job, output in $T/out, $T/err.
start() { # OPTION...
	: >"$T/err" # what an earlier job said is not this one's
	"$DISKWIPE" "$@" >"$T/out" 2>"$T/err" &
	job=$!
}

# Waits until the job whose process is $job says so in $T/err.
job_says() { # EXTENDED-REGEX
	local end=$((SECONDS + 120)) alive=true
	until has_line "$1" "$T/err"; do
		$alive && ((SECONDS < end)) || { cat "$T/err" >&2; fail "the job never said: $1"; }
		kill -0 "$job" 2>/dev/null || alive=false # and looks once more
		nap 0.05
	done
}

# --- a clock that leaps ---------------------------------------------------------------------------

# That of programs which run with leap-clock.so and LEAP_CLOCK=$clock.
clock=$T/clock

# Puts it forward, by so many seconds in all.
leap() { # SECONDS
	[[ -e $clock ]] || head -c 8 /dev/zero >"$clock"
	python3 -c 'import struct, sys; open(sys.argv[1], "r+b").write(struct.pack("=q", int(sys.argv[2]) * 10**9))' \
		"$clock" "$1"
}

# --- figures of time --------------------------------------------------------

# What a guest measures depends on what else its machine does. So a figure is printed, and held to
# its bound only with DW_STRICT, as on a quiet machine: then it is tried up to three times.

# Runs a command of figures until they are near enough.
three_times() { # COMMAND...
	for _ in 1 2 3; do "$@" && return; done
	fail "three times: $*"
}

# Whether a figure is within PERCENT of what it should be.
near() { # WHAT WANT GOT PERCENT
	awk -v what="$1" -v want="$2" -v got="$3" -v within="$4" \
		-v strict="${DW_STRICT:+1}" 'BEGIN {
			off = 100 * (got / want - 1)
			missed = off > within || off < -within
			printf "%s: %.4g for %.4g, %+.1f %%%s\n", what, got, want, off,
				missed ? ", outside " within " %" : ""
			exit missed && strict }'
}

# --- disks ----------------------------------------------------------------

sg_nodes() { find /dev -maxdepth 1 -name 'sg*' -type c | sort -V; }
sd_nodes() { find /dev -maxdepth 1 -regex '/dev/sd[a-z]+' -type b | sort -V; }

# The sg node's block sibling (or nothing), and the other way round.
sd_of() {
	local d
	for d in /sys/class/scsi_generic/"${1##*/}"/device/block/*; do
		[[ -e $d ]] && echo "/dev/${d##*/}"
	done
	return 0
}
sg_of() {
	local d
	for d in /sys/class/block/"${1##*/}"/device/scsi_generic/*; do
		[[ -e $d ]] && echo "/dev/${d##*/}"
	done
	return 0
}

# Waits until every SCSI device has both nodes, or nothing changes for 0.4 s.
settle() {
	local last='' now same=0 d lacking i
	for ((i = 0; i < 300; i++)); do
		now='' lacking=0
		for d in /sys/bus/scsi/devices/*:*:*:*; do
			[[ -e $d ]] || continue
			now+="${d##*/} "
			[[ -e $d/scsi_generic && -e $d/block ]] || lacking=$((lacking + 1))
		done
		now="$now$lacking"
		if [[ $now == "$last" ]]; then same=$((same + 1)); else same=0; fi
		last=$now
		((same >= (lacking || ${#now} < 2 ? 40 : 3))) && return
		nap 0.01
	done
}

size_of() { blockdev --getsize64 "$1"; }

# Fills a block device with text that tells it and the place from any other.
plant() { # DEV [BYTES]
	local dev=$1 bytes=${2:-}
	: "${bytes:=$(size_of "$dev")}"
	{ yes "old data of $dev, secret $RANDOM" || true; } 2>/dev/null |
		dd of="$dev" bs=1M count="$bytes" iflag=fullblock,count_bytes \
			conv=nocreat,fsync status=none
}

# Writes one block of known text; through sg, so also to 520-byte sectors.
plant_lba() { # SG LBA TEXT [BLOCK-SIZE]
	local bs=${4:-512}
	head -c "$bs" < <(yes "$3" 2>/dev/null || true) >"$T/block"
	sg_dd if="$T/block" of="$1" bs="$bs" count=1 seek="$2" cdbsz=16 conv=nocreat 2>/dev/null
}

# Blocks of a disk to stdout, read by another program than the one under test.
read_lba() { # SG LBA COUNT [BLOCK-SIZE]
	sg_dd if="$1" of=- bs="${4:-512}" count="$3" skip="$2" cdbsz=16 2>/dev/null
}

# The whole of a block device, past the page cache.
read_disk() { # DEV
	blockdev --flushbufs "$1"
	dd if="$1" bs=1M iflag=direct status=none
}

sha_of() { read_disk "$1" | sha256sum | cut -d' ' -f1; }

# A disk holds nothing but one byte, given as two hex digits (default 00).
holds_only() { # DEV [HEX]
	local left
	left=$(read_disk "$1" | tr -d "\\$(printf '%03o' "0x${2:-00}")" | head -c 1 | wc -c)
	((left == 0))
}

assert_holds_only() { # DEV [HEX]
	holds_only "$@" || fail "$1 holds something else than ${2:-00}"
}

# LVM as it works without udev.
lvm_here() { # COMMAND...
	mkdir -p /dev/mapper
	[[ -e /dev/mapper/control ]] || mknod /dev/mapper/control c 10 236
	lvm "$@" --config 'devices{use_devicesfile=0 obtain_device_list_from_udev=0 scan=["/dev"]}
		activation{udev_sync=0 udev_rules=0 monitoring=0}
		global{event_activation=0 use_lvmpolld=0} backup{backup=0 archive=0}'
}

# An active logical volume vg/lv on a disk.
make_lv() { # DEV
	lvm_here pvcreate -q "$1" && lvm_here vgcreate -q vg "$1" &&
		lvm_here lvcreate -q -y -L 32M -n lv vg -Zn -Wn
}

# --- the emulated enclosure -----------------------------------------------

# Sends a command to the enclosure and prints the answer: enc "gone 3".
# With several enclosures, ENC=2 enc "..." is for the second.
enc() {
	local var=ENCLOSURE_DIR${ENC:-}
	"$ENCLOSURE_CALL" "${!var:?this test has no such enclosure}" "$@" ||
		fail "enclosure, $*"
}

# Whether a line of the answer matches: enc_says '^running' "firmware 3".
enc_says() { # REGEX COMMAND
	local var=ENCLOSURE_DIR${ENC:-} status=0
	"$ENCLOSURE_CALL" -m "$1" "${!var}" "$2" || status=$?
	((status < 2)) || fail "enclosure, $2"
	return $status
}

# Waits until one does, no longer than the job of `start` lives, if there is one.
await_enc() { # REGEX COMMAND
	local var=ENCLOSURE_DIR${ENC:-}
	"$ENCLOSURE_CALL" -u "$1" ${job:+-p "$job"} "${!var}" "$2" || {
		[[ ! -s $T/err ]] || cat "$T/err" >&2
		fail "enclosure, $2: never $1"
	}
}

# Waits until a fault kind=hold has a command of each of these disks; "clear N" lets it end.
await_held() { # DISK...
	local n
	for n; do await_enc '^[1-9]' "held $n"; done
}
