# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for diskwipe-model                              -*- shell-script -*-

_diskwipe_model_options() { # MODEL
	echo '--output= --sweep= --json --help --version'
}

# Where there are no words of ours, readline completes names of files.
_diskwipe_model() {
	local cur=${COMP_WORDS[COMP_CWORD]} words=''

	COMPREPLY=()
	if [[ $cur == -* ]]; then
		words=$(_diskwipe_model_options)
	elif ((COMP_CWORD == 1)); then
		words=$(diskwipe-model --help 2>/dev/null | sed -n '/^Models/,/^$/s/^  \([a-z_]*\) .*/\1/p')
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	[[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -o default -F _diskwipe_model diskwipe-model
