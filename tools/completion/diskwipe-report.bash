# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for diskwipe-report                             -*- shell-script -*-

_diskwipe_report_options() { # COMMAND
	local all='--output= --signers= --from= --serial= --since= --until= --last= --job= --label= --lot= --customer= --order= --asset= --operator=
		--help --version'

	case $1 in
	certificate) echo "$all --paper= --language= --firm= --sign-cert= --sign-key= --chain= --check --all --per=" ;;
	label) echo "$all --format= --size=" ;;
	summary) echo "$all --format= --per=" ;;
	draw) echo '--output= --check --quiet --help --version' ;;
	*) echo 'certificate label summary draw --help --version' ;;
	esac
}

_diskwipe_report_values() { # COMMAND OPTION
	case $2 in
	--format | -f) [[ $1 == label ]] && echo 'png pdf zpl' || echo 'html csv json' ;;
	--per | -P) [[ $1 == summary ]] && echo 'lot' || echo 'disk lot' ;;
	--size | -s) echo '62 4x6' ;;
	--paper | -p) echo 'a4 letter' ;;
	--language | -L) echo 'en de' ;;
	esac
}

# Where there are no words of ours, readline completes names of files.
_diskwipe_report() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local verb='' words=''

	COMPREPLY=()
	# "=" is a word of its own for readline: join it with what stands around it.
	if [[ $cur == '=' ]]; then
		cur=
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	((COMP_CWORD > 1)) && verb=${COMP_WORDS[1]}
	case $prev in
	--serial | -n | --since | -d | --until | -u | --last | -l | --job | -j | --label | -b | --lot | -B | --from | -D | --customer | -k | \
		--order | -r | --asset | -a | --operator | -w)
		compopt +o default 2>/dev/null
		return ;;
	esac
	words=$(_diskwipe_report_values "$verb" "$prev")
	if [[ -z $words && ($cur == -* || -z $verb) ]]; then
		words=$(_diskwipe_report_options "$verb")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	[[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -o default -F _diskwipe_report diskwipe-report
