#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Other configurations than the usual one: each is configured, built with warnings
# as errors, tested with a few programs and installed, in a temporary folder.  It
# must have exactly the plugins that were asked for.  Parts that were left out
# must not be installed, and their tests must be skipped.
#
# usage: configurations.sh [few | rest | NAME...]
#
# Without an argument: few, the three that tell most, for .ci/run.  "rest": all
# others, for make check-all.  A backend whose header is missing is said, and left
# out.  What a configuration prints is shown if it fails.
# Lists are words.
# shellcheck disable=SC2086,SC2116
set -u
few='host none opencl-library'
rest='opencl cuda level_zero whole no-tool no-doc no-kernel-tools'
case ${1-few} in
few) names=$few ;;
rest) names=$rest ;;
*) names=$* ;;
esac
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-configurations.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
MAKE=${MAKE:-make} CC=${CC:-cc} CXX=${CXX:-c++}
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR DPR_PLUGIN_PATH
jobs=$(nproc 2>/dev/null || echo 2)
if ccache --version >/dev/null 2>&1; then
	case $CC in *ccache*) ;; *) CC="ccache $CC" CXX="ccache $CXX" ;; esac
fi
: "${DPR_TEST_SMALL=1}"
export DPR_TEST_SMALL

# Programs for every configuration: units, and the public API on the mock.
suite='tests/base/unit_env tests/base/unit_status tests/array/unit_dtype
	tests/array/unit_layout tests/expression/unit_expression
	tests/files/unit_npy tests/plugin/api_contract tests/device/api_devices
	tests/queue/api_queue tests/memory/api_usm tests/submit/api_held
	tests/submit/api_launch tests/program/api_kernel_cache
	tests/transfer/api_transfer tests/life/api_life tests/contract/backend_mock'

# describe NAME: what is asked for.  $backends: the plugins.  $images: "no" for a
# build without SPIR-V and PTX.  $tool and $doc: "no" for one without.
describe() {
	backends='host opencl cuda level_zero' images=no tool=yes doc=yes
	case $1 in
	host | opencl | cuda | level_zero) backends=$1 ;;
	none) backends= ;;
	opencl-library) backends=opencl tool=no doc=no ;;
	whole) images=yes ;;
	no-tool) tool=no ;;
	no-doc) doc=no ;;
	no-kernel-tools) ;;
	*)
		echo "no such configuration: $1 (there are $few $rest)" >&2
		exit 2
		;;
	esac
}

has() { # BACKEND
	case " $backends " in *" $1 "*) return 0 ;; esac
	return 1
}

# configured: run configure.  Backends that were asked for and have no header are
# taken out of $backends.
configured() {
	set -- --prefix=/usr --enable-werror CFLAGS='-O0 -g0' \
		CXXFLAGS='-O0 -g0' "CC=$CC" "CXX=$CXX"
	for backend in host opencl cuda level_zero; do
		has $backend || set -- "$@" \
			"--without-$(echo $backend | tr _ -)"
	done
	# What is found does not depend on what is left out.
	[ $images = yes ] ||
		set -- "$@" KERNEL_CLANG=no "--cache-file=$tmp/config.cache"
	[ $tool = yes ] || set -- "$@" --disable-tool
	[ $doc = yes ] || set -- "$@" --disable-doc
	"$src/configure" --quiet "$@" || return
	if grep -q '^S\["HAVE_CHECK_TRUE"\]="#"' config.status; then
		echo "needs Check (Debian: check)"
		return 77
	fi
	there=
	for backend in $backends; do
		reason=$(sed -n "s/^      $backend  *no: //p" ../log)
		if [ -n "$reason" ]; then
			echo "no $backend: $reason" >>../notes
		else
			there="$there $backend"
		fi
	done
	[ -n "$there" ] || [ -z "$backends" ] || return 77
	backends=$there
}

# plugins: the build has made exactly the plugins that were asked for.
plugins() {
	wanted=$(for backend in $backends; do
		echo "libdpr-$backend.so"
	done | sort)
	built=$(cd backends/.libs 2>/dev/null && ls libdpr-*.so 2>/dev/null)
	[ "$built" = "$wanted" ] && return
	echo "plugins:" $built "wanted:" $wanted
	return 1
}

# tested: the programs pass; those for what was left out are skipped.
tested() {
	must=$suite may='' skipped=''
	# On a device: the host's is always there.
	arrays=tests/array/api_view
	if has host; then
		must="$must $arrays tests/contract/backend_host"
	else
		skipped="$skipped tests/contract/backend_host"
		if [ -z "$backends" ]; then
			skipped="$skipped $arrays"
		else
			may="$may $arrays"
		fi
	fi
	# On drivers in software.
	has cuda && must="$must tests/cuda/api_cuda_order tests/cuda/unit_cuda_hot"
	has level_zero && may="$may tests/level_zero/unit_ze_hot"
	has opencl && may="$may tests/opencl/opencl_mock_icd"
	if [ $tool = yes ]; then
		must="$must tests/tools/check-tools.sh"
		has cuda && must="$must tests/cuda/no-driver.sh"
	else
		skipped="$skipped tests/tools/check-tools.sh tests/tools/api_eval.sh"
	fi
	programs=$(printf '%s\n' $must $may $skipped | grep -v '\.sh$')
	"$MAKE" "-j$jobs" check TESTS="$(echo $must $may $skipped)" \
		check_PROGRAMS="$(echo $programs)" noinst_PROGRAMS= >check.log 2>&1 || {
		cat check.log
		tail -n 40 test-suite.log
		return 1
	}
	bad=0
	for test in $must; do came_out "$test" PASS || bad=1; done
	for test in $skipped; do came_out "$test" SKIP || bad=1; done
	[ $bad -eq 0 ] || return
	echo "$(echo $programs | wc -w) programs" >>../notes
}

# came_out TEST PASS-OR-SKIP
came_out() {
	grep -q "^:test-result: $2" "${1%.sh}.trs" 2>/dev/null ||
		grep -q "^:test-result: $2" "$1.trs" 2>/dev/null || {
		echo "$1: not $2"
		return 1
	}
}

# installed: the library, headers and plugins, and of the rest what was asked for.
installed() {
	"$MAKE" install noinst_PROGRAMS= "DESTDIR=$PWD/dest" || return
	root=$PWD/dest/usr
	for file in include/dpr/dpr.h lib/libdpr.so lib/pkgconfig/dpr.pc; do
		[ -e "$root/$file" ] || { echo "no $file"; return 1; }
	done
	for backend in $backends; do
		[ -e "$root/lib/dpr/libdpr-$backend.so" ] ||
			{ echo "$backend: not installed"; return 1; }
	done
	is_there bin/dpr $tool && is_there share/man/man1/dpr.1 $tool &&
		is_there share/man/man3/dpr_version.3 $doc
}

is_there() { # FILE YES-OR-NO
	if [ -e "$root/$1" ]; then found=yes; else found=no; fi
	[ $found = "$2" ] && return
	echo "$1 is installed: $found, not $2"
	return 1
}

# try NAME: all of it.
try() {
	describe "$1"
	: >"$tmp/notes"
	mkdir "$tmp/build" && cd "$tmp/build" || return
	# Programs that measure are built by the usual configuration.
	# The stages change variables, so they share this shell.
	configured >../log 2>&1 && "$MAKE" "-j$jobs" noinst_PROGRAMS= >>../log 2>&1 &&
		plugins >>../log 2>&1 && tested >>../log 2>&1 &&
		installed >>../log 2>&1
	rc=$?
	cd "$tmp" && rm -rf "$tmp/build"
	return $rc
}

failed=0
started=$(date +%s)
for name in $names; do
	describe "$name"
done
for name in $names; do
	before=$(date +%s)
	try "$name"
	rc=$?
	case $rc in
	0) result=passed ;;
	77) result=skipped ;;
	*) result=FAILED failed=1 ;;
	esac
	printf '%5d s  %-16s %s  %s\n' $(($(date +%s) - before)) "$name" "$result" \
		"$(tr '\n' ';' <"$tmp/notes")"
	[ $rc -eq 0 ] || tail -n 60 "$tmp/log"
done
printf '%5d s  in all\n' $(($(date +%s) - started))
exit $failed
