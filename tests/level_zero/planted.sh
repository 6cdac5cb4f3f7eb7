#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plants faults in the Level Zero plugin, one in each build.  A test on zecpu
# must find each fault, and fail for the right reason.  The same tests must pass
# with a build without a fault.
#
# ZE_COMPILE and ZE_LINK are the commands that build the plugin; make sets them.
set -u
build=$(cd "${top_builddir:-.}" && pwd)
source=${top_srcdir:-..}/backends/level_zero
objects=$build/backends/level_zero
tests=$build/tests/level_zero

if [ -z "${ZE_COMPILE:-}" ] || [ -z "${ZE_LINK:-}" ]; then
	echo "run it by make check TESTS=tests/level_zero/planted.sh"
	exit 99
fi
"$tests/api_ze_states" able || exit $?
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-planted.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
DPR_PLUGIN_PATH=$tmp
export DPR_PLUGIN_PATH
failed=0

# plant FILE EDIT...: build the plugin with FILE.c, edited by these sed scripts,
# each of which must change something.  Without an EDIT, FILE.c is unchanged.
plant() {
	file=$1
	shift
	cp "$source/$file.c" "$tmp/$file.c" || exit 99
	for edit; do
		sed "$edit" "$tmp/$file.c" >"$tmp/edited.c" || exit 99
		if cmp -s "$tmp/$file.c" "$tmp/edited.c"; then
			echo "FAIL: $file.c has no place for: $edit"
			exit 1
		fi
		mv "$tmp/edited.c" "$tmp/$file.c"
	done
	set --
	for object in "$objects"/.libs/libdpr_level_zero_la-ze_*.o; do
		[ "${object##*-}" = "$file.o" ] || set -- "$@" "$object"
	done
	# ZE_COMPILE and ZE_LINK are several words.
	# shellcheck disable=SC2086
	(cd "$build" && $ZE_COMPILE -I"$source" -fPIC -w -c "$tmp/$file.c" \
		-o "$tmp/$file.o" &&
		$ZE_LINK -shared -o "$tmp/libdpr-level_zero.so" "$tmp/$file.o" \
			"$@" "$objects/.libs/libzespirv.a" -lpthread) || {
		echo "FAIL: the plugin with the fault in $file.c does not build"
		exit 1
	}
}

# passes TEST: the test must pass.
passes() {
	(cd "$build" && timeout 120 "$tests/$1") >"$tmp/out" 2>&1 && return
	echo "FAIL: $1 without a fault:"
	tail -n 20 "$tmp/out"
	failed=1
}

# finds TEST PATTERN: the test must fail with a line that matches PATTERN.
finds() {
	(cd "$build" && timeout 60 "$tests/$1") >"$tmp/out" 2>&1
	rc=$?
	if [ $rc -eq 1 ] && grep -Eq "$2" "$tmp/out"; then
		echo "found: $(grep -Em1 "$2" "$tmp/out")"
		return
	fi
	echo "FAIL: $1 does not find the fault (status $rc): $2"
	tail -n 20 "$tmp/out"
	failed=1
}

ZECPU_STRICT=0
export ZECPU_STRICT
plant ze_submit
passes api_ze_memory
passes api_ze_order
passes api_ze_threads
passes unit_ze_finish
passes unit_ze_hot

# A submission ignores its last dependency.
plant ze_submit 's/i < deps->count && !rc; i++/i + 1 < deps->count \&\& !rc; i++/'
finds api_ze_order 'cell [0-9]+ is [0-9]+, not [0-9]+'
# In order, without the driver's flag: a command ignores the one before it.
plant ze_submit 's/if (!rc && queue->newest)/if (!rc \&\& queue->newest \&\& queue->flagged)/'
finds api_ze_order 'cell [0-9]+ is [0-9]+, not [0-9]+'
# A finish takes work for finished when it begins to wait.
plant ze_queue 's/^\t\*n = queue->n_appended;/&\n\tused = *n > queue->n_finished;\n\tqueue->n_finished = *n;/' \
	's/^\tused = .* || shared;//'
finds unit_ze_finish 'finish returns before the work is over'

# From here on a test ends with its first misuse.
ZECPU_STRICT=1
export ZECPU_STRICT
# Events are used again while commands wait for them.
plant ze_submit '/rc = ze_event_pin(s->event, s->events\[i\]);/s/rc = .*/continue;/'
finds api_ze_order 'is reset while [0-9]+ commands wait for it'
# An event is used again before its own command is over.
plant ze_list '/^static bool is_over/,/^}/s/return .*/return rc != DPR_RC_INTERNAL;/'
finds api_ze_order 'is reset while [0-9]+ commands will signal it'
# A prefetch whose barrier is refused is left alone.
plant ze_copy 's/ze_submit_end_late(/ze_submit_end(/'
finds api_ze_memory 'is freed while [0-9]+ commands use it'
# All threads launch one handle of a kernel.
plant ze_kernel \
	's/atomic_exchange_explicit(&kernel->spare, NULL,/atomic_load_explicit(\&kernel->spare,/' \
	'/^void ze_kernel_give/,/^}/s/if (!taken)/if (taken)/'
finds api_ze_threads 'another thread uses the kernel'
# Two threads append to one list.
plant ze_submit \
	's/^\tpthread_mutex_lock(&queue->lock);/\t\/\* \*\//' \
	's/^\tpthread_mutex_unlock(&queue->lock);/\t\/\* \*\//' \
	's/^\t\tpthread_mutex_unlock(&queue->lock);/\t\t\/\* \*\//'
finds api_ze_threads 'another thread uses the command list'
# Each argument is set for each launch.
plant ze_launch 's/if (is_set(old, arg))/if (is_set(old, arg) \&\& !old)/'
finds unit_ze_hot 'zeKernelSetArgumentValue'
# A launch allocates from the heap.
plant ze_launch \
	's/^\t\trc = ze_kernel_take(kernel, &taken);/\t\tHEAP, &/' \
	's/HEAP/dprh_free(HOST, dprh_alloc(HOST, 1, 8))/' \
	's/HOST/kernel->instance->host/g'
finds unit_ze_hot 'mem_fault_count'

exit $failed
