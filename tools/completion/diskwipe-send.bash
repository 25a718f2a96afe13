# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for diskwipe-send                               -*- shell-script -*-

_diskwipe_send_options() {
	echo '--config= --once --status --help --version'
}

# Where there are no words of ours, readline completes names of files.
_diskwipe_send() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	[[ $cur == '=' || $prev == '=' || $prev == --config ]] && return
	mapfile -t COMPREPLY < <(compgen -W "$(_diskwipe_send_options)" -- "$cur")
	[[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -o default -F _diskwipe_send diskwipe-send
