#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Layers, proved twice: by what the sources include and mention, and by what
# the object files refer to.
#
# - core/base <- core/runtime <- core/array      (arrow: "is used by")
# - A folder of core/runtime or core/array is used by the folders after it.
# - Core and backends share <dpr/backend.h> and <dpr/info.h>, nothing else.
# - Backends may use <dpr/backend-help.h>; core does not.
# - A backend uses no file of another; the files of backends/library are for all.
# - Vendor headers are included in backends/<vendor> only.
# - Tools use the public headers; their folders use tools/shared alone.  tools/kit
#   has the layer "check" of core/runtime around the plugin.
# - The files of core, of each backend and of the tools form no circle, nor do
#   headers.
# - A name that a file offers to others begins with the name of the file.  In
#   tools/kit/calls the name of the folder is enough.
# - The environment is read in core/base/env.c only.
# - The library never prints, exits or aborts.
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

# read_all AWK-PROGRAM FOLDER...: run it over the C sources and headers below
# these folders of the source tree; name() is the file's name there.
read_all() {
	program=$1
	shift
	for dir; do
		[ -d "$src/$dir" ] || continue
		find "$src/$dir" \( -name '*.[chCH]' -o -name '*.hpp' \) \
			-exec env src="$src" LC_ALL=C awk '
				function name() {
					return substr(FILENAME, \
						length(ENVIRON["src"]) + 2)
				}
				'"$program" {} +
	done | sort -s -t '	' -k 1,1
}

# "file	<name>" or "file	"name"" for each #include.
read_all '
	match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*[>"]/) {
		what = substr($0, 1, RLENGTH)
		sub(/^[^<"]*/, "", what)
		print name() "\t" what
	}' include core backends kernels tools examples >"$tmp/includes"

# "file	line	text" for each line, without comments and without what is inside
# string and character literals.
read_all '
	FNR == 1 { comment = 0; quote = "" }
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
		print name() "\t" FNR "\t" out
	}' core backends >"$tmp/stripped"

# circle: read lines "user used"; print those that are in a circle, or between
# two circles.
circle() {
	LC_ALL=C sort -u | awk '
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
		}' | LC_ALL=C sort -u
}

# --- Includes ---------------------------------------------------------------

# check_includes FOLDER ALLOWED-REGEX REASON: every quoted include and every
# include of ours must match; system headers pass.
check_includes() {
	dir=$1/ ok=$2 LC_ALL=C awk -F '\t' '
		index($1, ENVIRON["dir"]) == 1 && $2 ~ /^("|<dpr\/)/ &&
			$2 !~ ENVIRON["ok"]' "$tmp/includes" >"$tmp/odd"
	while IFS='	' read -r f inc; do
		# "name.h" without a folder is a neighbour.
		case $inc in
		'"'*/*) ;;
		'"'*)
			near=${inc#?} near=${near%?}
			[ -f "$src/$(dirname "$f")/$near" ] && continue
			[ -n "$build" ] &&
				[ -f "$build/$(dirname "$f")/$near" ] &&
				continue ;;
		esac
		bad "$f includes $inc: $3"
	done <"$tmp/odd"
}

# refuse_includes FOLDER REGEX REASON [EXCEPTION-REGEX]: no file below the
# folder may have such an include, but those whose name matches.
refuse_includes() {
	dir=$1/ not=$2 except=${4-^$} LC_ALL=C awk -F '\t' '
		index($1, ENVIRON["dir"]) == 1 && $2 ~ ENVIRON["not"] &&
			$1 !~ ENVIRON["except"] && !seen[$1]++' \
		"$tmp/includes" >"$tmp/odd"
	while IFS='	' read -r f inc; do
		bad "$f includes $inc: $3"
	done <"$tmp/odd"
}

check_includes include '^<dpr/[a-z0-9_-]+\.h(pp)?>$' \
	'public headers include <dpr/...> only'
check_includes core/base '^(<dpr/|"core/base/)' \
	'core/base stands on nothing of ours'
check_includes core/runtime '^(<dpr/|"core/(base|runtime)/)' \
	'core/runtime may use core/base and the public headers'
check_includes core/array '^(<dpr/|"core/(base|array)/|"kernels/)' \
	'core/array may use core/base, kernels and the public headers'
check_includes kernels '^(<dpr/|"core/base/|"kernels/|"config\.h")' \
	'kernels may use core/base and the public headers'
refuse_includes core '^<dpr/(backend-help|help-)' \
	'core does not need what helps plugins'
refuse_includes core/array '^<dpr/backend\.h>' \
	'arrays use the public API, not plugin tables'
for dir in "$src"/backends/*/; do
	[ -d "$dir" ] || continue
	name=$(basename "$dir")
	check_includes "backends/$name" \
		"^(<dpr/(backend|backend-help|help-pool|help-team|info)\\.h>|\"backends/($name|library)/)" \
		'a plugin may use the ABI, its own folder and backends/library'
done
# Files of tools/kit put the layer around a plugin.
check_includes tools '^(<dpr/|"tools/|"core/runtime/layer/)' \
	'programs use the public headers'
refuse_includes tools '^"core/' 'programs use the public headers' '^tools/kit/'
refuse_includes tools '^<dpr/backend\.h>' 'programs use the public headers' \
	'^tools/kit/'
# The commands of dpr know nothing of each other.
for room in author inspect eval bench kit; do
	for other in author inspect eval bench kit; do
		[ $room = $other ] || refuse_includes "tools/$room" \
			"^\"tools/$other/" "tools/$other is another command"
	done
	refuse_includes tools/shared "^\"tools/$room/" \
		"tools/$room stands on tools/shared"
done
check_includes examples '^<dpr/' 'examples use the public headers'

# Headers form no circle; their guards would hide it.
LC_ALL=C awk -F '\t' '
	$1 ~ /\.h$/ && $2 ~ /^"/ {
		what = substr($2, 2, length($2) - 2)
		if (what !~ /\//) {
			folder = $1
			sub(/[^\/]*$/, "", folder)
			what = folder what
		}
		print $1, what
	}' "$tmp/includes" | circle >"$tmp/circle"
[ -s "$tmp/circle" ] &&
	bad "a circle of headers:" "$(tr '\n' ' ' <"$tmp/circle")"

# Vendor headers.  Tests and examples may use them: mock drivers, and native
# handles given to a vendor's library.
vendor() {
	for dir in include core backends kernels tools; do
		refuse_includes $dir "$2" \
			"this header belongs to backends/$1" "^backends/$1/"
	done
}
vendor opencl '^[<"](CL|OpenCL)/'
vendor level_zero '^[<"](level_zero/|ze_|zes_|zet_|loader/ze_)'
vendor cuda '^[<"](cuda|nvrtc|nvml|nvJitLink)'

# The folders within a layer.  A folder may use the folders before it.
runtime_rooms='plugin layer device queue program memory submit transfer'
array_rooms='element layout object engine launch data functions indexing shapes products linalg expression files derived'

# after LIST ROOM: the rooms behind ROOM.
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
		for later in $(after "$2" "$room"); do
			refuse_includes "core/$1/$room" "^\"core/$1/$later/" \
				"core/$1/$later comes after core/$1/$room"
		done
	done
}
rooms runtime "$runtime_rooms"
rooms array "$array_rooms"

# --- What the library may not do --------------------------------------------

# mentions EXTENDED-REGEX REASON [FILE]: in core and backends, but for FILE.
mentions() {
	regex="(^|[^A-Za-z0-9_.>])$1" except=${3-} LC_ALL=C awk -F '\t' '
		{ text = substr($0, length($1) + length($2) + 3) }
		$1 != ENVIRON["except"] && text ~ ENVIRON["regex"] &&
			!seen[$1]++ { print $1 ":" $2 ":" text }' \
		"$tmp/stripped" >"$tmp/odd"
	while IFS= read -r line; do
		bad "$line: $2"
	done <"$tmp/odd"
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
	# shellcheck disable=SC2086 # NM may be several words
	tr '\n' '\0' <"$tmp/objects" | xargs -0 ${NM:-nm} -P -g -A |
		awk -v names="$tmp/names" -v p="$tmp/$2" '
		BEGIN {
			while ((getline name <names) > 0)
				known[name] = 1
		}
		{
			end = index($0, ".o: ")
			file = substr($0, 1, end - 1)
			sub(/.*\//, "", file)
			sub(/.*-/, "", file)
			split(substr($0, end + 4), field, " ")
		}
		!((file ".c") in known) || field[1] ~ /^_/ { next }
		field[2] == "U" { print field[1], file >>(p ".undef"); next }
		field[2] ~ /^[A-Z]$/ { print field[1], file >>(p ".def") }'
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
		awk '$2 != $3 { print $2, $3 }' | circle >"$tmp/circle"
	[ -s "$tmp/circle" ] &&
		bad "$1: a circle of files:" "$(tr '\n' ' ' <"$tmp/circle")"
	awk '$1 !~ /^dpr_/ && $1 != "main" && $1 != $2 &&
		!($2 ~ /^calls_/ && $1 ~ /^calls_/) &&
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
