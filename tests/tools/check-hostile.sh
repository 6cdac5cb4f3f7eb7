#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plugin that harms its process, in many ways, while its file is loaded, in its
# entry symbol, or in open: dpr doctor --isolate says so, and still shows the
# others.  Files and descriptors that are rejected are in tests/plugin/.
set -u
if [ "${dpr_sanitizers:-none}" != none ]; then
	echo "skipped: the handlers of -fsanitize=$dpr_sanitizers end a process" \
		"in their own way"
	exit 77
fi
me=check-hostile
subcommand=doctor
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"

mkdir "$tmp/p" && chmod 755 "$tmp" "$tmp/p" || exit 99
cp "$plugins/libdpr-mock.so" "$tmp/p" || exit 99
cp "$plugins/hostile.so" "$tmp/p/libdpr-hostile.so" || exit 99
for v in $(env | sed -n 's/^\(DPR_[A-Z0-9_]*\)=.*/\1/p'); do
	unset "$v"
done
DPR_PLUGIN_PATH=$tmp/p
DPR_CACHE_DIR=off
export DPR_PLUGIN_PATH DPR_CACHE_DIR
count=0

# isolated DEED STAGE WORDS [SECONDS]: what the report says.
isolated() {
	with "DPR_TEST_HOSTILE=$1" 0 --isolate "--timeout=${4-60}"
	says out "hostile      $2"
	says out "$3"
	says out 'mock         ready     1 device'
	count=$((count + 1))
}

run 0 --isolate
says out 'hostile      ready     1 device'
if grep -q 'changed the process' "$tmp/out"; then
	complain "a change that nobody made"
fi

# Ends of the process, and what keeps it from going on.
file=$tmp/p/libdpr-hostile.so
for deed in load_abort entry_abort open_abort; do
	isolated $deed crashed 'crashed (Aborted) while entering'
done
for deed in load_segv entry_segv open_segv open_thread; do
	isolated $deed crashed 'crashed (Segmentation fault) while entering'
done
isolated open_fpe crashed 'crashed (Floating point exception) while entering'
isolated open_kill crashed 'crashed (Killed) while entering open of'
for deed in load_exit0 entry_exit0 open_exit0 open__exit0 open_quick \
	open_exec open_closeall; do
	isolated $deed crashed 'ended the process with status 0, or closed'
	says out "$file"
done
isolated open_exit3 crashed 'ended the process with status 3 while entering open'
for deed in load_throw entry_throw open_throw; do
	isolated $deed crashed 'crashed (Aborted) while entering'
	says err 'terminate called'
done
isolated open_alarm crashed 'crashed (Alarm clock) while entering open of'
isolated open_atexit crashed 'crashed (Segmentation fault) while exiting'
for deed in load_stack entry_stack open_stack; do
	isolated $deed crashed 'crashed (Segmentation fault) while entering'
done
for deed in load_hang entry_spin open_hang open_spin; do
	isolated $deed hung 'hung for 2 seconds while entering' 2
done

# Changes of the process, which the plugin survives.
isolated open_mask ready 'it has changed the process: the signal mask'
isolated load_handler ready 'the process: the handler of signal Interrupt'
isolated open_handler ready 'the process: the handler of signal Interrupt'
isolated open_environment ready 'it has changed the process: the environment'
isolated open_cwd ready 'it has changed the process: the working directory'
isolated open_umask ready 'it has changed the process: the umask'
if locale -a 2>/dev/null | grep -qi '^C\.utf-\?8'; then
	isolated open_locale ready 'it has changed the process: the locale'
fi
isolated open_close2 ready 'it has changed the process: descriptor 2'
isolated open_fork ready 'it has a child process while it is open'

# What it prints does not get into the report.
with DPR_TEST_HOSTILE=open_print 0 --isolate --json
is_json
count=$((count + 1))

[ $count -ge 25 ] || complain "only $count deeds"
finish "$count deeds, all contained"
