# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scripts of the image share: where things are, and words of the kernel's command line.

# shellcheck disable=SC2034
readonly image=${DISKWIPE_IMAGE:-/run/diskwipe-image} kept=${DISKWIPE_KEPT:-/media/diskwipe}
readonly state=${DISKWIPE_STATE:-/var/lib/diskwipe} conf=${DISKWIPE_CONF:-/etc/diskwipe/diskwipe.conf.d}
readonly cmdline=${DISKWIPE_CMDLINE:-/proc/cmdline}

# One a line, without their quotes. Fails if a quote has no end, after the words before it.
all_words() { xargs -n 1 printf '%s\n' <"$cmdline"; }

# The value of NAME=, which may be in quotes, or "yes" of the word alone. The last one counts.
word() { # NAME
	local one found=''
	while read -r one; do
		case $one in "$1"=*) found=${one#*=} ;; "$1") found=yes ;; esac
	done < <(all_words 2>/dev/null)
	printf '%s' "$found"
}

# Is the disk that has this name now the one that was booted from?
same_disk() { # DISK
	[[ -b /dev/$1 && $(<"$image/diskseq") == "$(<"/sys/block/$1/diskseq")" ]]
}

# Says what somebody at a screen has to know, now and above each menu.
notice() {
	printf '%s\n' "$*" >>"$image/notice"
	printf 'diskwipe: %s\n' "$*" >&2
}

station() { [[ $(word diskwipe.mode) == station ]]; }
german() { [[ $(word diskwipe.lang) == de ]]; }

# One of two sentences: ENGLISH or GERMAN. (The programs themselves speak English.)
say() { if german; then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi; }
