# SPDX-License-Identifier: Apache-2.0
# same-output.sh - examples that must print the same on several devices.  A script
# sources this, and has a filter plain() that leaves what must be the same.
# The devices of the machine are in $tmp/devices.
# shellcheck shell=sh disable=SC2034 # shared with the sourcing script
# shellcheck source=need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=$(cd "${top_builddir:-.}" && pwd) || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-examples.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
"$build/tools/dpr" devices | sed 's/[[:space:]].*//' >"$tmp/devices" || exit 1
[ -s "$tmp/devices" ] || exit 77
bad=0 runs=0

# compare NAME DEVICE PROGRAM [ARGUMENT]...: run an example with this default device.
# The first output with NAME is what all others with NAME are compared with.
compare() {
	name=$1 device=$2 program=$3
	shift 3
	DPR_DEVICE=$device "$build/examples/$program" "$@" \
		>"$tmp/whole" 2>"$tmp/error"
	rc=$?
	plain <"$tmp/whole" >"$tmp/out"
	[ -f "$tmp/$name.first" ] || cp "$tmp/out" "$tmp/$name.first"
	runs=$((runs + 1))
	if [ $rc != 0 ] || [ ! -s "$tmp/out" ] ||
		! diff "$tmp/$name.first" "$tmp/out"; then
		echo "$program${*:+ $*} on $device: exit status $rc"
		cat "$tmp/error"
		bad=1
	fi
}

# finish: end the script.  It counts as skipped if nothing ran.
finish() {
	echo "$runs runs"
	[ $runs -gt 0 ] || exit 77
	exit $bad
}
