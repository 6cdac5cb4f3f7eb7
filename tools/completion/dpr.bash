# SPDX-License-Identifier: Apache-2.0
# bash completion for dpr: commands, options, selectors, array functions and files.
# shellcheck shell=bash

# @tables@

# Offer the words that go on with $cur.  They are offered without $cut, which readline
# does not replace.
_dpr_offer() {
	local word

	for word; do
		[[ $word != "$cur"* ]] || COMPREPLY+=("${word#"$cut"}")
	done
}

# Offer words behind the last comma of $cur.
_dpr_offer_listed() {
	local before=''

	[[ $cur != *,* ]] || before=${cur%,*},
	_dpr_offer "${@/#/$before}"
}

# Selectors: backends, types and numbers of devices, as the program $1 lists them, and
# aspects behind a plus or a minus.
_dpr_offer_selectors() {
	local before='' last=$cur device rest

	if [[ $cur =~ ^(.*[,!])([^,!]*)$ ]]; then
		before=${BASH_REMATCH[1]}
		last=${BASH_REMATCH[2]}
	fi
	if [[ $last =~ ^(.*[+-])[a-z0-9_]*$ ]]; then
		before+=${BASH_REMATCH[1]}
		for device in $_dpr_aspects; do
			_dpr_offer "$before$device"
		done
		return
	fi
	while read -r device rest; do
		[[ $device =~ ^([a-z0-9_]+):([a-z]+):[0-9]+$ ]] || continue
		_dpr_offer "$before${BASH_REMATCH[1]}" "$before${BASH_REMATCH[2]}" \
			"$before${BASH_REMATCH[1]}:${BASH_REMATCH[2]}" "$before$device"
	done < <("$1" devices 2>/dev/null)
}

# The array functions that go on with the name at the end of an expression.
_dpr_offer_functions() {
	local name=${cur##*[!A-Za-z0-9_]} function

	[[ $name == [A-Za-z]* ]] || return
	compopt -o nospace 2>/dev/null
	for function in $_dpr_functions; do
		_dpr_offer "${cur%"$name"}$function("
	done
}

# _dpr_offer_files OPTION...: those of compgen.
_dpr_offer_files() {
	local file

	compopt -o filenames 2>/dev/null
	while read -r file; do
		COMPREPLY+=("$file")
	done < <(compgen "$@" -- "$cur")
}

# What $kind is.
_dpr_offer_kind() {
	# shellcheck disable=SC2046,SC2086 # words
	case $kind in
	selector) _dpr_offer_selectors "$1" ;;
	expression) _dpr_offer_functions ;;
	row) _dpr_offer_listed $_dpr_rows ;;
	group) _dpr_offer $_dpr_groups ;;
	kernel) _dpr_offer $("$1" kernels 2>/dev/null) ;;
	binding)
		[[ $cur == *=* ]] || return
		cur=${cur#*=}
		_dpr_offer_files -o plusdirs -f -X '!*.np[yz]'
		;;
	array) _dpr_offer_files -o plusdirs -f -X '!*.np[yz]' ;;
	file) _dpr_offer_files -f ;;
	directory) _dpr_offer_files -d ;;
	=*) _dpr_offer "${kind#=}" ;;
	esac
}

# The words before the cursor go to $words, the last one, which may be begun, to
# $cur.  COMP_WORDS is of no use: there, a colon ends a word.
_dpr_split() {
	local line=${COMP_LINE:0:COMP_POINT}
	local word='^[[:space:]]*(([^[:space:]\"'\'']|\\.|'\''[^'\'']*'\''|"[^"]*")+)[[:space:]]'

	words=()
	while [[ $line =~ $word ]]; do
		words+=("${BASH_REMATCH[1]}")
		line=${line#"${BASH_REMATCH[0]}"}
	done
	cur=${line#"${line%%[![:space:]]*}"}
	cur=${cur#[\'\"]}
}

_dpr() {
	local cur cut kind='' options place=1 i
	local -a words

	COMPREPLY=()
	_dpr_split
	cut=${cur%"$2"}
	if ((${#words[@]} < 2)); then
		# shellcheck disable=SC2086 # words
		_dpr_offer $_dpr_commands help --help --version
		return
	fi
	if [[ ${words[1]} == help ]]; then
		# shellcheck disable=SC2086
		((${#words[@]} > 2)) || _dpr_offer $_dpr_commands
		return
	fi
	for ((i = 2; i < ${#words[@]}; i++)); do
		if [[ $kind ]]; then
			kind='' # the value of the option before
		elif [[ ${words[i]} == -* ]]; then
			_dpr_kind "${words[1]}" "${words[i]}"
		else
			((place++))
		fi
	done
	if [[ ! $kind && $cur == --*=* ]]; then
		_dpr_kind "${words[1]}" "${cur%%=*}"
		cur=${cur#*=}
		cut=${cur%"$2"}
	elif [[ ! $kind && $cur == -* ]]; then
		_dpr_options "${words[1]}"
		# shellcheck disable=SC2086
		_dpr_offer $options
		return
	elif [[ ! $kind ]]; then
		_dpr_kind "${words[1]}" $place
	fi
	_dpr_offer_kind "$1"
}

complete -F _dpr dpr
