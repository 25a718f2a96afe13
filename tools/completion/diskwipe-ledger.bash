# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for diskwipe-ledger                             -*- shell-script -*-

_diskwipe_ledger_options() { # COMMAND
	local all='--signers= --help --version'

	case $1 in
	verify) echo "$all --state= --all --resume --accept --mark" ;;
	audit) echo "$all --heads= --endpoint= --region= --credentials-file= --ca-file= --plain --grace=" ;;
	fetch) echo "$all --serial= --label= --customer= --order= --asset= --operator=" ;;
	*) echo 'verify audit fetch --help --version' ;;
	esac
}

# Where there are no words of ours, readline completes names of files.
_diskwipe_ledger() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=''

	COMPREPLY=()
	((COMP_CWORD > 1)) && verb=${COMP_WORDS[1]}
	[[ $cur == '=' || $prev == '=' ]] && return
	[[ $cur == -* || -z $verb ]] || return
	mapfile -t COMPREPLY < <(compgen -W "$(_diskwipe_ledger_options "$verb")" -- "$cur")
	[[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -o default -F _diskwipe_ledger diskwipe-ledger
