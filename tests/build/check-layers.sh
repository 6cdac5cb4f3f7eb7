#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Layers, proved twice: by what the sources include and mention, and by what
# the object files refer to.
#
#	core/base <- core/runtime <- core/array      (arrow: "is used by")
#	the folders of core/runtime and core/array, each by those after it
#	core and backends share <dpr/backend.h> and <dpr/info.h>, nothing else
#	the backends share backends/common, which stands on these two alone
#	vendor headers are included in backends/<vendor> only
#	tools use the public headers
#	the files of core, of each backend and of the tools form no circle
#	what a file offers to others begins with the name of the file
#	the environment is read in core/base/env.c only
#	the library never prints, exits or aborts
#
# usage: check-layers.sh [SOURCE-DIRECTORY [BUILD-DIRECTORY]]
set -u
src=${1:-${top_srcdir:-.}}
build=${2-${top_builddir:-}}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-layers.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/bad"

bad() {
	printf '%s\n' "$*" | tee -a "$tmp/bad"
}

# The C sources and headers below the given folders of the source tree.
sources() {
	for dir; do
		[ -d "$src/$dir" ] && find "$src/$dir" -name '*.[chCH]' -print
		[ -d "$src/$dir" ] && find "$src/$dir" -name '*.hpp' -print
	done | sort
}

# Print "line:text" for each line of a C file, without comments and without
# what is inside string and character literals.
strip() {
	LC_ALL=C awk '
	{
		out = ""; n = length($0)
		for (i = 1; i <= n; i++) {
			c = substr($0, i, 1); two = substr($0, i, 2)
			if (comment) {
				if (two == "*/") { comment = 0; i++ }
			} else if (quote != "") {
				if (c == "\\") i++
				else if (c == quote) { out = out c; quote = "" }
			} else if (two == "/*") { comment = 1; i++ }
			else if (two == "//") break
			else {
				if (c == "\"" || c == "\047") quote = c
				out = out c
			}
		}
		if (quote != "" && substr($0, n, 1) != "\\") quote = ""
		print NR ":" out
	}' "$1"
}

# includes FILE: "line <name>" or "line "name"" of each #include.
includes() {
	sed -n 's/^[ 	]*#[ 	]*include[ 	]*\([<"][^>"]*[>"]\).*/\1/p;t
		' "$1"
}

# check_includes FILE ALLOWED-REGEX REASON: every quoted include and every
# include of ours must match; system headers pass.
check_includes() {
	includes "$1" >"$tmp/includes"
	while read -r inc; do
		case $inc in
		'<dpr/'* | '"'*) ;;
		*) continue ;;
		esac
		# "name.h" without a folder is a neighbour.
		case $inc in
		'"'*/*) ;;
		'"'*)
			name=${inc#?} name=${name%?}
			[ -f "$(dirname "$1")/$name" ] && continue
			[ -n "$build" ] && [ -f "$build/$(dirname \
				"${1#"$src"/}")/$name" ] && continue ;;
		esac
		printf '%s\n' "$inc" | grep -Eq "$2" ||
			bad "${1#"$src"/} includes $inc: $3"
	done <"$tmp/includes"
}

# --- Includes ---------------------------------------------------------------

for f in $(sources include | sed 's/ /?/g'); do
	check_includes "$f" '^<dpr/[a-z0-9_]+\.h(pp)?>$' \
		'public headers include <dpr/...> only'
done
for f in $(sources core/base | sed 's/ /?/g'); do
	check_includes "$f" '^(<dpr/|"core/base/)' \
		'core/base stands on nothing of ours'
done
for f in $(sources core/runtime | sed 's/ /?/g'); do
	check_includes "$f" '^(<dpr/|"core/(base|runtime)/)' \
		'core/runtime may use core/base and the public headers'
done
for f in $(sources core/array | sed 's/ /?/g'); do
	check_includes "$f" '^(<dpr/|"core/(base|array)/|"kernels/)' \
		'core/array may use core/base, kernels and the public headers'
	includes "$f" | grep -q '^<dpr/backend\.h>' &&
		bad "${f#"$src"/} includes <dpr/backend.h>:" \
			'arrays use the public API, not plugin tables'
done
for dir in "$src"/backends/*/; do
	[ -d "$dir" ] || continue
	name=$(basename "$dir")
	for f in $(sources "backends/$name" | sed 's/ /?/g'); do
		check_includes "$f" \
			"^(<dpr/(backend|info)\\.h>|\"backends/(common|$name)/)" \
			'a plugin may use the ABI, backends/common and its own folder'
	done
done
for f in $(sources tools | sed 's/ /?/g'); do
	check_includes "$f" '^(<dpr/|"tools/)' \
		'programs use the public headers'
	includes "$f" | grep -q '^<dpr/backend\.h>' &&
		case $f in
		*/check_plugin*) ;;
		*) bad "${f#"$src"/} includes <dpr/backend.h>:" \
			'programs use the public headers' ;;
		esac
done
for f in $(sources examples | sed 's/ /?/g'); do
	check_includes "$f" '^<dpr/' 'examples use the public headers'
done

# Vendor headers.  Tests and examples may use them: mock drivers, and native
# handles given to a vendor's library.
vendor() {
	for f in $(sources include core backends kernels tools |
		sed 's/ /?/g'); do
		case ${f#"$src"/} in
		"backends/$1/"*) continue ;;
		esac
		includes "$f" | grep -E "$2" >"$tmp/vendor" &&
			bad "${f#"$src"/} includes $(head -n 1 "$tmp/vendor"):" \
				"this header belongs to backends/$1"
	done
}
vendor opencl '^[<"](CL|OpenCL)/'
vendor level_zero '^[<"](level_zero/|ze_|zes_|zet_|loader/ze_)'
vendor cuda '^[<"](cuda|nvrtc|nvml|nvJitLink)'

# The folders within a layer, each of which may use those before it.
runtime_rooms='plugin device queue program memory submit transfer'
array_rooms='element layout object launch data functions'

# after LIST ROOM: those that come after it.
after() {
	list=" $1 "
	printf '%s\n' "${list#*" $2 "}"
}

rooms() { # LAYER LIST
	for dir in "$src/core/$1"/*/; do
		[ -d "$dir" ] || continue
		room=$(basename "$dir")
		case " $2 " in
		*" $room "*) ;;
		*)
			bad "core/$1/$room is not in the list of check-layers.sh"
			continue ;;
		esac
		for f in $(sources "core/$1/$room" | sed 's/ /?/g'); do
			for later in $(after "$2" "$room"); do
				includes "$f" | grep -q "\"core/$1/$later/" &&
					bad "${f#"$src"/} includes" \
						"core/$1/$later:" \
						"it comes after core/$1/$room"
			done
		done
	done
}
rooms runtime "$runtime_rooms"
rooms array "$array_rooms"

# --- What the library may not do --------------------------------------------

# mentions EXTENDED-REGEX REASON EXCEPTION...: in core and backends.
mentions() {
	regex=$1 reason=$2
	shift 2
	for f in $(sources core backends | sed 's/ /?/g'); do
		for except; do
			[ "${f#"$src"/}" = "$except" ] && continue 2
		done
		strip "$f" | grep -E "(^|[^A-Za-z0-9_.>])$regex" >"$tmp/m" &&
			bad "${f#"$src"/}:$(head -n 1 "$tmp/m"): $reason"
	done
}
mentions '(secure_getenv|getenv|setenv|putenv|unsetenv|environ)([^A-Za-z0-9_]|$)' \
	'only core/base/env.c reads the environment, nothing changes it' \
	core/base/env.c
mentions '(_exit|_Exit|exit|quick_exit|abort|raise)[ 	]*\(' \
	'the library never ends the process'
mentions '(printf|vprintf|puts|putchar|perror|psignal)[ 	]*\(' \
	'the library never prints'
mentions '(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)([^A-Za-z0-9_]|$)' \
	'the library prints only through the log' core/base/log.c

# --- Symbols ----------------------------------------------------------------

# symbols FOLDER OUTPUT-PREFIX: the defined and undefined symbols of the
# objects below a folder of the build, as "symbol file".  Automake puts the name
# of the program and "-" before that of the file.  Objects of files that were
# taken away stay in a build; they do not count.
symbols() {
	: >"$tmp/$2.def"
	: >"$tmp/$2.undef"
	find "$build/$1" -name '*.o' -print >"$tmp/objects"
	# Of an object of a library there are two; the one in .libs is linked.
	if grep -q '/\.libs/' "$tmp/objects"; then
		grep '/\.libs/' "$tmp/objects" >"$tmp/linked"
		mv "$tmp/linked" "$tmp/objects"
	fi
	find "$src/$1" "$build/$1" -name '*.c' | sed 's|.*/||' >"$tmp/names"
	while read -r o; do
		file=${o##*/} file=${file%.o} file=${file##*-}
		grep -qx "$file\.c" "$tmp/names" || continue
		${NM:-nm} -P -g "$o" | awk -v o="$file" -v p="$tmp/$2" '
			$1 ~ /^_/ { next }
			$2 == "U" { print $1, o >>(p ".undef"); next }
			$2 ~ /^[A-Z]$/ { print $1, o >>(p ".def") }'
	done <"$tmp/objects"
	sort -u -o "$tmp/$2.def" "$tmp/$2.def"
	sort -u -o "$tmp/$2.undef" "$tmp/$2.undef"
}

# uses LOWER UPPER REASON [PUBLIC]: LOWER must not refer to what UPPER defines.
uses() {
	join "$tmp/$1.undef" "$tmp/$2.def" | while read -r sym from to; do
		case ${4:-}:$sym in
		public:dpr_*) continue ;;
		esac
		bad "core/$1/$from.c refers to $sym of core/$2/$to.c: $3"
	done
}

# whole FOLDER: its files form no circle, and name what they offer after
# themselves.  The linker sees no difference between files of one library, so
# that only this keeps them apart.
whole() {
	symbols "$1" whole
	join "$tmp/whole.undef" "$tmp/whole.def" |
		awk '$2 != $3 { print $2, $3 }' | sort -u | awk '
			{ from[NR] = $1; to[NR] = $2 }
			END {
				# Take away what uses nothing, and what nothing uses.
				do {
					found = 0
					split("", uses); split("", used)
					for (i in from) {
						uses[from[i]] = 1
						used[to[i]] = 1
					}
					for (i in from)
						if (!(to[i] in uses) ||
						    !(from[i] in used)) {
							delete from[i]
							found = 1
						}
				} while (found)
				for (i in from)
					print from[i]
			}' | sort -u >"$tmp/circle"
	[ -s "$tmp/circle" ] &&
		bad "$1: a circle of files:" "$(tr '\n' ' ' <"$tmp/circle")"
	awk '$1 !~ /^dpr_/ && $1 != "main" && $1 != $2 &&
		index($1, $2 "_") != 1' "$tmp/whole.def" >"$tmp/misnamed"
	while read -r sym file; do
		bad "$1: $file.c defines $sym, which should begin with ${file}_"
	done <"$tmp/misnamed"
}

if [ -n "$build" ] && [ -d "$build/core/base/.libs" ]; then
	symbols core/base base
	symbols core/runtime runtime
	symbols core/array array
	[ -s "$tmp/base.def" ] || bad "no symbols read from $build/core/base"
	uses base runtime 'core/base stands on nothing of ours'
	uses base array 'core/base stands on nothing of ours'
	uses runtime array 'core/runtime knows no arrays'
	uses array runtime 'core/array uses the public API' public
	for layer in runtime array; do
		case $layer in
		runtime) list=$runtime_rooms ;;
		array) list=$array_rooms ;;
		esac
		for room in $list; do
			[ -d "$build/core/$layer/$room" ] &&
				symbols "core/$layer/$room" "$room"
		done
		for room in $list; do
			for later in $(after "$list" "$room"); do
				[ -f "$tmp/$room.undef" ] &&
					[ -f "$tmp/$later.def" ] &&
					uses "$room" "$later" \
						"$later comes after $room"
			done
		done
	done
	for dir in core tools "$build"/backends/*/; do
		dir=${dir#"$build"/}
		[ -d "$build/$dir" ] && whole "${dir%/}"
	done
else
	echo "no object files: only the sources were checked"
fi

if [ -s "$tmp/bad" ]; then
	echo "check-layers: $(wc -l <"$tmp/bad") violations"
	exit 1
fi
echo "check-layers: clean"
