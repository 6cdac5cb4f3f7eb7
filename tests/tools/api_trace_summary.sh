#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs dpr trace-summary on a trace with known sums, on traces that are cut off,
# damaged or empty, and on a new trace of dpr eval.
set -u
me=api_trace_summary subcommand=trace-summary
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
small=${top_srcdir:-.}/tests/fixtures/trace_small.json

# prints FILE: the last run must have printed what is in FILE.
prints() {
	cmp -s "$1" "$tmp/out" || complain "not what is expected: $(cat "$1")"
}

# --- Known sums ----------------------------------------------------------------

cat >"$tmp/calls" <<'END'
    count     total ms       own ms      mean us           bytes      GB/s   share  call
        1        0.200        0.200      200.250               -         -   46.5%  dpr_queue_wait
        2        0.160        0.160       80.000               -         -   37.2%  dpr_expression_apply
        1        0.050        0.040       50.000               -         -    9.3%  dpr_add
        1        0.020        0.020       20.000            4096     0.205    4.6%  dpr_usm_write
        1        0.010        0.010       10.000               -         -    2.3%  dpr_usm_alloc
END
cat >"$tmp/kernels" <<'END'
    count     total ms      mean us           bytes      GB/s   share  kernel
        2        0.040       20.000               -         -   54.1%  sqrt(x*x + y*y)  [e_12ab]
        1        0.020       20.000               -         -   27.0%  flat_add_float32
        1        0.008        8.000            8000     1.000   10.8%  copy
        1        0.004        4.000            4096     1.024    5.4%  write
        1        0.002        2.000            2000     1.000    2.7%  read
END
cat >"$tmp/queues" <<'END'
    count     total ms      mean us           bytes      GB/s   share  queue
        3        0.044       14.667            4096     1.024   59.5%  host:cpu:0 (canonical)
        3        0.030       10.000           10000     1.000   40.5%  mine on host:cpu:0
END
cat >"$tmp/notes" <<'END'

0.700 ms from the first call to the end of the last
failed calls: 1
not ended when the process did: 1
submissions whose place on the time axis is estimated: 2 (their durations are measured)
submissions whose duration is estimated: 1
END
blank=$tmp/blank
echo >"$blank"
run 0 "$small"
silent err
cat "$tmp/calls" "$blank" "$tmp/kernels" "$blank" "$tmp/queues" "$tmp/notes" \
	>"$tmp/all"
prints "$tmp/all"
for by in call kernel queue; do
	run 0 --by $by "$small"
	cat "$tmp/${by}s" "$tmp/notes" >"$tmp/one"
	prints "$tmp/one"
done
run 0 - <"$small"
prints "$tmp/all"
# The list may be written in another way.
tr '\n' ' ' <"$small" | sed 's/,"/ ,\n\t"/g' >"$tmp/other.json"
run 0 "$tmp/other.json"
prints "$tmp/all"

run 0 --json "$small"
is_json
says out '"complete": true'
says out '"span_ns": 700250'
says out '"failed_calls": 1'
says out '"unfinished": 1'
says out '"estimated_places": 2'
says out '"estimated_durations": 1'
run 0 -j -b call "$small"
grep -A 3 '"name": "dpr_add"' "$tmp/out" | grep -q '"own_ns": 40000' ||
	complain 'the time of dpr_usm_alloc belongs to dpr_add'
! grep -q '"kernels"' "$tmp/out" || complain 'more than calls'
run 0 -j -b kernel "$small"
grep -A 3 '"name": "sqrt(x\*x + y\*y)"' "$tmp/out" |
	grep -q '"kernel": "e_12ab"' || complain 'no kernel of the expression'
grep -A 5 '"name": "copy"' "$tmp/out" | grep -q '"gbps": 1,' ||
	complain 'no rate of the copy'

# --- Texts ---------------------------------------------------------------------

# one NAME: a trace of one call with this name.
one() {
	printf '[{"ph":"X","ts":1,"dur":2,"cat":"api","name":"%s"}]' "$1" \
		>"$tmp/one.json"
	run 0 -b call "$tmp/one.json"
}
one 'a\u00e9\u20ac\ud83d\ude00z'
says out 'aé€😀z'
one 'x\u0007\u001b[31m\ty\/\"\\'
says out 'x  [31m y/"\'
one 'half \ud83d.'
says out 'half �.'
one "$(printf '%600s' '' | tr ' ' n)"
[ "$(grep -o 'n*$' "$tmp/out" | tail -n 2 | head -n 1 | wc -c)" -le 512 ] ||
	complain 'a name that is too long'

# --- Incomplete, damaged, empty ------------------------------------------------

size=$(wc -c <"$small")
at=1
while [ "$at" -lt $((size - 2)) ]; do
	head -c "$at" "$small" >"$tmp/cut.json"
	run 0 "$tmp/cut.json"
	says err "cut.json:$(($(wc -l <"$tmp/cut.json") + 1)): the file ends within its list"
	at=$((at + 211))
done
head -n 10 "$small" >"$tmp/cut.json"
run 0 -b queue "$tmp/cut.json"
says out '1        0.004        4.000            4096     1.024  100.0%  host:cpu:0 (canonical)'
run 0 --json "$tmp/cut.json"
says out '"complete": false'
is_json
printf '[\n]\n' >"$tmp/none.json"
run 0 "$tmp/none.json"
silent err
says out '0.000 ms from the first call'
: >"$tmp/empty.json"
run 1 "$tmp/empty.json"
says err 'empty.json:1: the file is empty'
silent out

# damaged LINE SED WHAT: with this change, the file must be refused with its line.
damaged() {
	sed "$1$2" "$small" >"$tmp/bad.json"
	cmp -s "$small" "$tmp/bad.json" && complain "$2 changes nothing"
	run 1 "$tmp/bad.json"
	says err "bad.json:$1: $3"
	silent out
}
damaged 4 's/"ts":/"ts"/' 'no valid JSON: a colon expected'
damaged 7 's/"dur":4.000/"dur":"4"/' '"dur" is no number'
damaged 7 's/"dur":4.000/"dur":-4/' '"dur" is out of range'
damaged 7 's/"dur":4.000/"dur":1e300/' '"dur" is out of range'
damaged 9 's/"ph":"f"/"ph":7/' '"ph" is no text'
damaged 9 's/"ph":"f",//' 'an event without "ph"'
damaged 10 's/"args":{}/"args":{]/' 'no valid JSON: a name expected'
damaged 12 's/^{/7/' 'no valid JSON: an event expected'
damaged 13 's/"ticket":1/"ticket":[1}/' 'no valid JSON: a value expected'
damaged 14 's/"api"/"a\\qpi"/' 'no valid JSON: a value expected'
damaged 23 's/:"times"/:true/' '"estimated" is no text'
damaged 25 's/$/7/' 'no valid JSON: a comma or ] expected'
damaged 26 's/$/7/' 'the file goes on after its list'
sed '11s/}},$/},/' "$small" >"$tmp/bad.json"
run 1 "$tmp/bad.json"
says err 'bad.json:12: no valid JSON: a name expected'
sed "10s/\"args\":{}/\"args\":{\"x\":$(printf '%99s' '' | tr ' ' '[')/" "$small" \
	>"$tmp/bad.json"
run 1 "$tmp/bad.json"
says err 'bad.json:10: no valid JSON: a value expected'
printf '{"traceEvents": []}' >"$tmp/bad.json"
run 1 "$tmp/bad.json"
says err 'bad.json:1: not a trace: the list of events begins with ['
run 1 "$tmp/nosuch.json"
says err 'nosuch.json: cannot open: No such file'
run 1 "$tmp"
says err 'cannot read: Is a directory'

# --- The command line ----------------------------------------------------------

run 0 --help
says out 'usage: dpr trace-summary'
run 2
says err 'usage: dpr trace-summary'
run 2 "$small" "$small"
run 2 --nonsense "$small"
run 2 --by thread "$small"
says err '--by thread: not call, kernel or queue'

# --- A trace that was just written ---------------------------------------------

if "$dpr" devices host >/dev/null 2>&1; then
	DPR_LAYERS=trace DPR_TRACE=$tmp/new.json "$dpr" eval -d host \
		'sqrt(x*x + 1) / 2, sum(x)' \
		x="${top_srcdir:-.}/examples/data/x.npy" >/dev/null ||
		complain 'dpr eval with a trace'
	run 0 "$tmp/new.json"
	silent err
	says out ' dpr_expression_apply'
	says out ' sum(x)'
	says out ' host:cpu:0 (canonical)'
	run 0 --json "$tmp/new.json"
	is_json
	says out '"complete": true'
else
	echo "$me: there is no host backend"
fi

finish
