#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of the runtime under ThreadSanitizer, in a build of its own: what
# "make check-tsan" runs.  Without the OpenCL backend, for its drivers are not
# instrumented, and what they order by their own locks looks like races.
#
# usage: check-tsan.sh BUILD-DIRECTORY [TEST...]
# DPR_TEST_* is passed on; top_srcdir, CC, CXX, MAKE are make's.
set -eu
top_srcdir=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
build=$1
shift
mkdir -p "$build"
cd "$build"

# A race that is there must be seen, else nothing that follows means a thing.
cat >seeded.c <<'END'
#include <pthread.h>
static int shared;
static void *add(void *unused)
{
	(void)unused;
	shared++;
	return 0;
}
int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, 0, add, 0))
		return 1;
	shared++;
	return pthread_join(thread, 0);
}
END
if ! ${CC:-cc} -g -fsanitize=thread -pthread seeded.c -o seeded \
	2>seeded.log; then
	echo "skipped: ${CC:-cc} cannot build with -fsanitize=thread:"
	cat seeded.log
	exit 77
fi
# Where addresses are more random than this sanitizer knows they have to be
# made less so.
wrapper=
if ! ./seeded 2>&1 | grep -q 'data race'; then
	wrapper='setarch -R'
	if ! $wrapper ./seeded 2>&1 | grep -q 'data race'; then
		echo "skipped: ThreadSanitizer does not see a seeded race:"
		$wrapper ./seeded || :
		exit 77
	fi
fi

# Not --enable-werror: with a sanitizer gcc warns of what it cannot follow.
if [ ! -e config.status ]; then
	"$top_srcdir/configure" --quiet --enable-sanitizers=thread \
		--without-opencl KERNEL_CLANG=no CFLAGS='-g1 -O1' \
		CXXFLAGS='-g1 -O0' \
		${CC:+"CC=$CC"} ${CXX:+"CXX=$CXX"}
fi
jobs=$(nproc 2>/dev/null || echo 2)
: "${DPR_TEST_SMALL=1}"
: "${CK_TIMEOUT_MULTIPLIER=4}"
export DPR_TEST_SMALL CK_TIMEOUT_MULTIPLIER
# At exit no plugin is called: a thread of a queue that has ended is not joined.
TSAN_OPTIONS="report_thread_leaks=0${TSAN_OPTIONS:+ $TSAN_OPTIONS}"
export TSAN_OPTIONS
"${MAKE:-make}" "-j$jobs" >make.log 2>&1 || {
	tail -n 40 make.log
	exit 1
}
[ $# -eq 0 ] || set -- runtime_suite="$*"
# The library is optimised; the tests themselves are not, because that is quicker
# to compile.  -g1 has the lines for a stack of calls, and no more.
$wrapper "${MAKE:-make}" "-j$jobs" check-runtime CFLAGS='-g1 -O0' "$@"
