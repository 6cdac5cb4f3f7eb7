#compdef dpr
# SPDX-License-Identifier: Apache-2.0
# zsh completion for dpr: commands, options, selectors, array functions and files.

typeset -ga _dpr_commands _dpr_function_names _dpr_aspects
# @tables@

# Backends, types and numbers of devices, as the program lists them, and aspects behind
# a plus or a minus.  A list has commas.
_dpr_selectors() {
	local -aU found
	local device
	local -a part

	compset -P '*[,!]'
	if compset -P '*[+-]'; then
		compadd -S '' -- $_dpr_aspects
		return
	fi
	for device in ${(f)"$(_call_program devices $_dpr_program devices 2>/dev/null)"}; do
		device=${device%% *}
		part=(${(s.:.)device})
		[[ $#part -eq 3 && $part[3] == <-> ]] || continue
		found+=($part[1] $part[2] $part[1]:$part[2] $device)
	done
	compadd -S '' -- $found
}

# The array functions that go on with the name at the end of an expression.
_dpr_expressions() {
	compset -P '*[^A-Za-z0-9_]'
	compadd -Q -S '(' -- $_dpr_function_names
}

_dpr_bindings() {
	if compset -P '*='; then
		_dpr_arrays
	else
		_message 'NAME=FILE.npy'
	fi
}

_dpr_arrays() {
	_files -g '*.np[yz]'
}

_dpr_kernels() {
	compadd -- ${(f)"$(_call_program kernels $_dpr_program kernels 2>/dev/null)"}
}

_dpr() {
	local curcontext=$curcontext state line _dpr_program=$words[1]
	local -a specs
	typeset -A opt_args

	_arguments -C \
		'(- *)'{-h,--help}'[describe the program]' \
		'(- *)--version[print the version]' \
		'1:command:->command' '*::argument:->argument'
	case $state in
	command)
		_describe command _dpr_commands -- '(help:describe\ a\ command)'
		;;
	argument)
		if [[ $words[1] == help ]]; then
			_describe command _dpr_commands
			return
		fi
		_dpr_specs $words[1]
		_arguments -s -S : $specs
		;;
	esac
}

_dpr "$@"
