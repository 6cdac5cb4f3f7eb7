#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One page for users: check-guide.sh looks at it, then its sessions are run, and what
# each command prints is compared with the page.
#
# A session is a block ```console.  A line that begins with "$ " is a command,
# with all lines "> " below it.  Then comes its output, on both channels.  A line
# "..." stands for any lines.  All sessions of a page are one shell in one fresh
# folder, with the programs that the page shows.  They are run with
# DPR_BACKEND=host, and in another folder with DPR_BACKEND=opencl.  Comments
# directly above a block, each a line of its own:
#
#	<!-- varies: ERE -->	what matches may differ
#	<!-- only: host -->	not with opencl; and the reverse
#	<!-- needs: PROGRAM -->	not where this program is missing
#	<!-- not run: WHY -->	not run at all
#	<!-- copy: FILE -->	FILE of the tree is in the folder, too; anywhere
#
# usage: run-guide.sh PREFIX PAGE
#	PREFIX: where dpr is installed
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 99
# shellcheck disable=SC2154 # both come from the test environment
tree=$(cd "$top_srcdir" && pwd) || exit 99
prefix=$1
page=$(cd "$(dirname "$2")" && pwd)/${2##*/}
page=${page#"$tree"/}
limit=120
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-guide.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

# shellcheck disable=SC2154 # both come from the test environment
"$here/check-guide.sh" "$tree" "$top_builddir" "$page" || bad=1
grep -q '^```console$' "$tree/$page" || {
	echo "$page: no sessions"
	exit $bad
}
if [ "${dpr_sanitizers:-none}" != none ]; then
	echo "not with sanitizers: programs that users build have none"
	[ $bad = 0 ] || exit 1
	exit 77
fi

# --- What a user has ----------------------------------------------------------

# cc and c++: the compilers of this build.  What has been compiled once for this page
# is taken from a folder.
# compiler NAME COMMAND
compiler() {
	set -- "$1" $2
	name=$1
	shift
	real=$(command -v "$1") || return 0
	shift
	cat >"$tmp/bin/$name" <<-END
		#!/bin/sh
		PATH='$PATH'
		out=a.out before=
		for a; do
			[ "\$before" != -o ] || out=\$a
			case \$a in
			-c | -E | -M* | -shared | --version | -v)
				exec "$real" $* "\$@" ;;
			esac
			before=\$a
		done
		sum=\$({
			echo $name "\$@"
			cat ./*.c ./*.h ./*.cc ./*.hpp
		} 2>/dev/null | cksum | tr ' ' -)
		if [ -e "$tmp/built/\$sum" ]; then
			exec cp "$tmp/built/\$sum" "\$out"
		fi
		"$real" $* "\$@" || exit
		[ ! -e "\$out" ] || cp "\$out" "$tmp/built/\$sum"
	END
	chmod 755 "$tmp/bin/$name"
}

mkdir "$tmp/bin" "$tmp/built" "$tmp/home" || exit 99
compiler cc "${CC:-cc}"
compiler c++ "${CXX:-c++}"
for v in $(env | sed -n 's/^\(DPR_[A-Z0-9_]*\)=.*/\1/p'); do
	unset "$v"
done
unset CC CXX MAKE MAKEFLAGS MFLAGS MAKELEVEL DESTDIR XDG_CACHE_HOME
libdir=$(dirname "$(find "$prefix/" -name libdpr.so | head -n 1)")
PATH=$tmp/bin:$prefix/bin:$PATH
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PKG_CONFIG_PATH=$libdir/pkgconfig
CMAKE_PREFIX_PATH=$prefix
HOME=$tmp/home
LC_ALL=C.UTF-8
export PATH LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH HOME LC_ALL

# In a terminal, lines on both channels come in the order in which they are printed.
lines=
if stdbuf -oL true 2>/dev/null; then
	lines='stdbuf -oL'
fi
timeout=
if timeout 1 true 2>/dev/null; then
	timeout="timeout $limit"
fi

# --- A page --------------------------------------------------------------------

# split OUT: what each command printed, as N.got, and its status, as N.status.
split() {
	awk -v out="$1" '
		function text(line, has_end) {
			if (n)
				printf "%s%s", line, has_end ? "\n" : "" >(out "/" n ".got")
		}
		{
			at = index($0, "\001")
			if (!at) {
				text($0, 1)
				next
			}
			if (at > 1)
				text(substr($0, 1, at - 1), 1)
			split(substr($0, at + 1), word, " ")
			n = word[1] == "begin" ? word[2] : 0
			if (word[1] == "end") {
				print word[3] >(out "/" word[2] ".status")
				close(out "/" word[2] ".status")
				close(out "/" word[2] ".got")
			}
			else
				printf "" >(out "/" n ".got")
		}' "$1/all"
}

# even OUT N: in the expected and the actual output, replace texts that vary by #.
even() {
	[ -e "$1/$2.varies" ] || return
	sep=$(printf '\001')
	while read -r ere; do
		for f in "$1/$2.want" "$1/$2.got"; do
			sed -E "s$sep$ere$sep#${sep}g" "$f" >"$f.new" &&
				mv "$f.new" "$f" || bad=1
		done
	done <"$1/$2.varies"
}

# run_page BACKEND
run_page() {
	backend=$1
	out=$tmp/$backend.out
	mkdir "$tmp/$backend" "$out" || exit 99
	sed -nE 's/^<!-- (file|part|copy): ([^ ]*).* -->$/\2/p' "$tree/$page" |
		sort -u | while read -r f; do
		cp -R "$tree/$f" "$tmp/$backend" && chmod -R u+w "$tmp/$backend"
	done
	awk -v backend="$backend" -v out="$out" -f "$here/guide-session.awk" \
		"$tree/$page"
	# A pipe, so that /dev/stderr may be opened once more.
	# shellcheck disable=SC2086 # words
	(
		cd "$tmp/$backend" && DPR_BACKEND=$backend \
			$timeout $lines sh "$out/script" 2>&1 </dev/null
	) | cat >"$out/all"
	split "$out"
	while IFS='	' read -r n line command; do
		runs=$((runs + 1))
		if [ ! -e "$out/$n.status" ]; then
			echo "$page:$line: $backend: did not end within $limit s:" \
				"$command"
			[ ! -e "$out/$n.got" ] || sed 's/^/    /' "$out/$n.got"
			bad=1
			break
		fi
		[ -e "$out/$n.got" ] || : >"$out/$n.got"
		if [ "$(cat "$out/$n.status")" -ge 124 ]; then
			echo "$page:$line: $backend: status" \
				"$(cat "$out/$n.status"): $command"
			bad=1
		fi
		even "$out" "$n"
		if ! awk -f "$here/guide-compare.awk" "$out/$n.want" "$out/$n.got"; then
			echo "$page:$line: $backend: other output: $command"
			diff -u "$out/$n.want" "$out/$n.got" | sed '1,2d; s/^/    /'
			bad=1
		fi
	done <"$out/list"
}

runs=0 devices=0
for b in host opencl; do
	# The pages show what they print on a CPU.
	case $(DPR_BACKEND=$b dpr devices 2>/dev/null | head -n 1) in
	$b:cpu:*) ;;
	*)
		echo "the first device of $b is no CPU: left out"
		continue
		;;
	esac
	devices=$((devices + 1))
	run_page $b
done
echo "$page: $runs commands"
[ $bad = 0 ] || exit 1
[ $devices -gt 0 ] || exit 77
