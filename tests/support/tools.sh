# SPDX-License-Identifier: Apache-2.0
# What the tests of the dpr program share.  A script sources this after it has
# set $me to its name and, if all its runs use one subcommand, $subcommand.  The
# output of a run is in $tmp/out and $tmp/err; $bad counts the complaints.
# A script that never runs dpr sets $runs_dpr to no.
# shellcheck shell=sh disable=SC2034,SC2154 # shared with the sourcing script
if [ "${runs_dpr-yes}" = yes ]; then
	# shellcheck source=need-tool.sh
	. "${top_srcdir:-.}/tests/support/need-tool.sh"
fi
dpr=${top_builddir:-.}/tools/dpr
plugins=${DPR_TEST_PLUGIN_DIR:-${top_builddir:-.}/tests/plugins/.libs}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-test.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
subcommand=${subcommand-}
bad=0

complain() {
	bad=$((bad + 1))
	printf '%s: %s\n' "$me" "$*"
	for stream in out err; do
		[ ! -e "$tmp/$stream" ] ||
			sed "s/^/    $stream: /" "$tmp/$stream"
	done
}

# with VARIABLE=VALUE STATUS ARGUMENT...: run dpr with this variable in its
# environment; it must end with STATUS.
with() {
	variable=$1 want=$2
	shift 2
	env ${variable:+"$variable"} "$dpr" ${subcommand:+"$subcommand"} "$@" \
		>"$tmp/out" 2>"$tmp/err"
	got=$?
	[ "$got" = "$want" ] || complain "${variable:+$variable }dpr" \
		"${subcommand:+$subcommand }$*: status $got, not $want"
}

# run STATUS ARGUMENT...: run dpr; it must end with STATUS.
run() {
	with '' "$@"
}

# says out|err TEXT: the last run must have printed TEXT there.
says() {
	grep -qF -- "$2" "$tmp/$1" || complain "no \"$2\" on std$1"
}

# silent out|err: the last run must have printed nothing there.
silent() {
	[ ! -s "$tmp/$1" ] || complain "something on std$1"
}

# is_json [FILE]: FILE, or the output of the last run, must be JSON.
is_json() {
	[ -n "$(tail -n 1 "${1-$tmp/out}")" ] ||
		complain "JSON that ends with an empty line"
	if command -v python3 >/dev/null; then
		python3 -m json.tool <"${1-$tmp/out}" >"$tmp/json" 2>&1 ||
			complain "no JSON: $(tail -n 1 "$tmp/json")"
	fi
}

# finish [TEXT]: end the script; it fails if there were complaints.
finish() {
	if [ "$bad" != 0 ]; then
		echo "$me: $bad complaints"
		exit 1
	fi
	echo "$me: ${*:-all well}"
	exit 0
}
