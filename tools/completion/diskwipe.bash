# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for diskwipe                                    -*- shell-script -*-

_diskwipe_options() {
	local what='--method= --pattern= --verify= --strategy= --active= --depth= --tuning=
		--tuning-buffer= --background= --others= --order= --near=
		--mirror= --verify-policy= --stall-budget= --exclude= --seed= --quiet'
	local job='--key-file= --trace= --trace-full --report= --dry-run --no-act --print-schedule --bytes
		--noheadings --json-lines --progress='
	local write='--level= --or-clear --allow= --hidden= --command= --flush-every= --write-cache= --paths=
		--reserve'
	local simulate='--method= --level= --or-clear --allow= --pattern= --command= --verify= --strategy= --active= --depth=
		--tuning= --tuning-buffer= --flush-every= --write-cache= --stall-budget= --background= --others=
		--order= --near= --mirror= --verify-policy=
		--trace= --trace-full --report= --seed= --print-schedule --bytes --noheadings --json
		--json-lines --progress= --color --quiet --verbose --coarse --exact --bus= --help --version'
	local job_of_service='--method= --level= --or-clear --allow= --pattern= --command= --verify= --strategy= --depth= --tuning=
		--tuning-buffer= --flush-every= --write-cache= --reserve --order= --near= --paths=
		--stall-budget='
	local service='--bus= --quiet --help --version'
	local any='--logical --json --color --config= --verbose --help --version'

	case $1 in
	list) echo "--select= --output= --bytes --noheadings --erasable $any" ;;
	inspect) echo "--noheadings --capture= --anonymous --rate= --link= $any" ;;
	erase) echo "--select= $what $job $write --topology= --plan= --state= --resume= --power-cycle= --record=
		--record-key= --certificate= --operator= --customer= --order-number= --asset= --assets= --label= --yes --expect-count= $any" ;;
	verify) echo "--select= $what $job --topology= --record= --record-key= --operator= --customer= --order-number=
		--signers= --drawn $any" ;;
	format) echo '--block-size= --protection= --again --active= --stall-budget= --exclude= --select= --yes
		--expect-count= --dry-run --no-act --json --config= --quiet --help --version' ;;
	simulate) echo "$simulate" ;;
	plan) echo "--select= $what $write --customer= --order-number= --output= --topology= --compare --replace= --without= $any" ;;
	topology | station) echo '--exclude= --output= --quiet --help --version' ;;
	probe) echo '--exclude= --topology= --seconds= --output= --quiet --help --version' ;;
	bench) echo '--contiguous --random --load --misalign= --sweep= --output= --json --quiet --help
		--version' ;;
	doctor) echo '--fix --json --help --version' ;;
	report) echo '--output= --quiet --help --version' ;;
	fit) echo '--topology= --output= --quiet --help --version' ;;
	model) echo '--sweep= --output= --json --help --version' ;;
	submit) echo "$job_of_service $service --exclude= --select= --yes --expect-count= --dry-run --no-act
		--operator= --customer= --order-number= --asset= --assets= --priority= --label= --note= --wait --json --progress= --color --bytes" ;;
	status) echo "$service --output= --json --bytes --noheadings --color --verbose" ;;
	queue) echo "$service --json --bytes --noheadings --color" ;;
	watch) echo "$service --progress= --color --bytes" ;;
	pause | resume | cancel) echo "$service" ;;
	records) echo "$service --since= --until= --serial= --bay= --outcome= --limit= --operator= --signers= --expect= --all --json --csv
		--bytes --noheadings --color" ;;
	qc) echo '--record= --record-key= --operator= --signers= --label= --since= --until= --quiet --help --version' ;;
	top) echo "$job_of_service $service --operator= --customer= --order-number= --priority= --label= --note= --wall --color" ;;
	help) echo '--help --version' ;;
	esac
}

_diskwipe_values() { # VERB OPTION
	case $2 in
	--method) diskwipe help methods 2>/dev/null | sed -n 's/^\([a-z]\)/\1/p' ;;
	--level) echo 'clear purge' ;;
	--allow) echo 'crypto' ;;
	--command) echo 'auto write write-same' ;;
	--hidden) echo 'report restore' ;;
	--verify) [[ $1 == verify ]] && echo 'sample: full' || echo 'off sample: full device auto' ;;
	--active) [[ $1 == format ]] || echo 'auto' ;;
	--block-size) echo '512 520 528 4096 4160 4224' ;;
	--protection) echo '0 1 2 3' ;;
	--strategy) echo 'sequential round-robin parallel longest-first' ;;
	--tuning) echo 'adaptive fixed fixed: cache' ;;
	--write-cache) echo 'auto keep on' ;;
	--paths) echo 'auto fixed dynamic' ;;
	--progress) echo 'auto bars plain none' ;;
	--color) echo 'auto always never' ;;
	--help) echo 'all' ;;
	esac
}

_diskwipe_models() {
	diskwipe help model 2>/dev/null | sed -n '/^Models/,/^$/s/^  \([a-z_]*\) .*/\1/p'
}

# Only disks that may be erased are offered where something is to be erased.
_diskwipe_devices() { # VERB
	local only=

	[[ $1 == erase || $1 == plan ]] && only=--erasable
	case $1 in
	submit | status | watch | pause | resume | cancel)
		diskwipe status --quiet --noheadings --output=device,serial 2>/dev/null
		diskwipe status --quiet --noheadings --output=job 2>/dev/null | sort -u
		return ;;
	queue | records | qc) return ;;
	esac
	diskwipe list $only --noheadings --output=device,block 2>/dev/null
}

_diskwipe() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=erase

	COMPREPLY=()
	# "=" is a word of its own for readline: join it with what stands around it.
	if [[ $cur == '=' ]]; then
		cur=
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if ((COMP_CWORD > 1)); then
		case ${COMP_WORDS[1]} in
		list | inspect | erase | format | simulate | verify | plan | topology | station | probe | fit | bench | report | doctor | model | help | \
			submit | status | queue | watch | pause | resume | cancel | records | qc | top) verb=${COMP_WORDS[1]} ;;
		esac
	fi
	case $prev in
	--plan | --topology | --station | --state | --resume | --key-file | --trace | --report | --config)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	--output | -o)
		if [[ $verb == list || $verb == status ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(diskwipe help columns 2>/dev/null |
				sed -n 's/^  \([a-z-]*\) .*/\1/p' | sort -u)" -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		return ;;
	--exclude)
		mapfile -t COMPREPLY < <(compgen -W "$(_diskwipe_devices list)" -- "$cur")
		return ;;
	--method | --level | --allow | --hidden | --command | --verify | --active | --strategy | --order | --verify-policy | --tuning | --write-cache | --progress | \
		--paths | --color | --help | --block-size | --protection)
		mapfile -t COMPREPLY < <(compgen -W "$(_diskwipe_values "$verb" "$prev")" -- "$cur")
		[[ ${COMPREPLY[0]:-} == *: ]] && compopt -o nospace 2>/dev/null
		return ;;
	--near | --mirror) return ;;
	--pattern | --depth | --tuning-buffer | --flush-every | --stall-budget | --power-cycle | --background | --others | \
		--select | --priority | --label | --note | --operator | --since | --until | --serial | --bay | --outcome | --limit | --bus | \
		--seed | --expect-count | --sweep | --replace | --without | --seconds | --rate | --link | --misalign)
		return ;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_diskwipe_options "$verb")" -- "$cur")
		[[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ $verb == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"list inspect erase format verify plan topology probe fit bench report doctor model help methods columns submit status queue watch pause resume cancel records qc top $(_diskwipe_models)" \
			-- "$cur")
	elif [[ $verb == model ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_diskwipe_models)" -- "$cur")
	elif [[ $verb == top ]]; then
		return
	elif [[ $verb == simulate || $verb == report || $verb == fit ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	else
		local words
		words=$(_diskwipe_devices "$verb")
		((COMP_CWORD == 1)) && words+=' list inspect erase format simulate verify plan topology probe fit bench report doctor model help submit status queue watch pause resume cancel records qc top'
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
	return 0
}

complete -F _diskwipe diskwipe
