# SPDX-License-Identifier: Apache-2.0
# Tests.  unit_* programs link the convenience library and see libdpr's
# internals; api_* programs link libdpr.la and see what a user sees.  A test
# that lacks something says what, and exits 77.

unit_cppflags = $(core_cppflags) $(CHECK_CFLAGS)
unit_ldadd = core/libdprcore.la $(CHECK_LIBS) $(DPR_LIBS)
api_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
api_ldadd = libdpr.la $(CHECK_LIBS) $(DPR_LIBS)
backend_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
backend_ldadd = $(CHECK_LIBS) $(DPR_LIBS)

# Test plugins: check_LTLIBRARIES += tests/plugins/X.la, with these flags.
test_plugin_ldflags = $(plugin_ldflags) -rpath /nowhere

# Tests see this build's plugins and none of the caller's settings.
# DPR_TEST_* is the caller's: DPR_TEST_SMALL=1 asks for small sizes, as
# sanitizers need.  Only tests of the program cache keep programs, in folders of
# their own.  So the tests can count the builds of a driver.
AM_TESTS_ENVIRONMENT = \
	for v in `env | $(SED) -n 's/^\(DPR_[A-Z0-9_]*\)=.*/\1/p'`; do \
	  case $$v in DPR_TEST_*) ;; *) unset "$$v" ;; esac; \
	done; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	dpr_sanitizers='$(dpr_sanitizers)'; export dpr_sanitizers; \
	CC='$(CC)'; MAKE='$(MAKE)'; NM='$(NM)'; export CC MAKE NM; \
	DPR_PLUGIN_PATH="$$top_builddir/backends/.libs"; \
	export DPR_PLUGIN_PATH; \
	DPR_TEST_PLUGIN_DIR="$$top_builddir/tests/plugins/.libs"; \
	export DPR_TEST_PLUGIN_DIR; \
	DPR_CACHE_DIR=off; export DPR_CACHE_DIR; \
	POCL_CACHE_DIR="$${DPR_TEST_POCL_CACHE:-$$top_builddir/tests/cache/pocl}"; \
	$(MKDIR_P) "$$POCL_CACHE_DIR"; export POCL_CACHE_DIR; \
	POCL_WORK_GROUP_SPECIALIZATION=0; \
	export POCL_WORK_GROUP_SPECIALIZATION;

# A program may end without dpr_finalize(), and so with threads that have ended
# and that nobody has joined.  gcc 12's LeakSanitizer keeps its own list of
# thread-local memory, wrong after some drivers' compilers have run, and reads
# where none is; without the list it finds the same memory from the heap.
# ThreadSanitizer lets each process sleep for a second at its end, and a test may
# be a hundred processes: a tenth shows the same races.  A sanitizer ends a process
# that loads Intel's drivers (RTLD_DEEPBIND), so tests see the others.
if SANITIZERS
AM_TESTS_ENVIRONMENT += \
	ASAN_OPTIONS="intercept_tls_get_addr=0$${ASAN_OPTIONS:+:$$ASAN_OPTIONS}"; export ASAN_OPTIONS; \
	LSAN_OPTIONS="suppressions=$$top_srcdir/tests/support/lsan.supp:print_suppressions=0"; \
	export LSAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS; \
	TSAN_OPTIONS="report_thread_leaks=0 atexit_sleep_ms=100"; \
	export TSAN_OPTIONS; \
	ZE_ENABLE_ALT_DRIVERS="$${ZE_ENABLE_ALT_DRIVERS-none}"; \
	export ZE_ENABLE_ALT_DRIVERS; \
	if test -z "$${OCL_ICD_VENDORS-}"; then \
	  OCL_ICD_VENDORS="$$top_builddir/tests/cache/vendors"; \
	  $(MKDIR_P) "$$OCL_ICD_VENDORS"; export OCL_ICD_VENDORS; \
	  for icd in /etc/OpenCL/vendors/*.icd; do \
	    test ! -e "$$icd" || grep -q igdrcl "$$icd" || \
	      ln -s "$$icd" "$$OCL_ICD_VENDORS" 2>/dev/null; \
	  done; \
	fi;
endif
EXTRA_DIST += %D%/build/chroot.sh %D%/build/show-totals.sh %D%/support/lsan.supp

clean-local:
	rm -rf tests/cache

include $(top_srcdir)/tests/build/local.mk
include $(top_srcdir)/tests/downstream/local.mk

# The tests of both backends on Intel's drivers, which need no GPU.
intel_tests =

if HAVE_CHECK
include $(top_srcdir)/tests/support/local.mk
include $(top_srcdir)/tests/fixtures/local.mk
include $(top_srcdir)/tests/plugins/local.mk
include $(top_srcdir)/tests/base/local.mk
include $(top_srcdir)/tests/plugin/local.mk
include $(top_srcdir)/tests/author/local.mk
include $(top_srcdir)/tests/device/local.mk
include $(top_srcdir)/tests/queue/local.mk
include $(top_srcdir)/tests/memory/local.mk
include $(top_srcdir)/tests/program/local.mk
include $(top_srcdir)/tests/submit/local.mk
include $(top_srcdir)/tests/transfer/local.mk
include $(top_srcdir)/tests/life/local.mk
include $(top_srcdir)/tests/array/local.mk
include $(top_srcdir)/tests/functions/local.mk
include $(top_srcdir)/tests/linalg/local.mk
include $(top_srcdir)/tests/indexing/local.mk
include $(top_srcdir)/tests/expression/local.mk
include $(top_srcdir)/tests/cplusplus/local.mk
include $(top_srcdir)/tests/files/local.mk
include $(top_srcdir)/tests/engine/local.mk
include $(top_srcdir)/tests/kernels/local.mk
include $(top_srcdir)/tests/tools/local.mk
include $(top_srcdir)/tests/opencl/local.mk
include $(top_srcdir)/tests/cuda/local.mk
include $(top_srcdir)/tests/level_zero/local.mk
include $(top_srcdir)/tests/zecpu/local.mk
include $(top_srcdir)/tests/contract/local.mk
include $(top_srcdir)/tests/kit/local.mk
include $(top_srcdir)/tests/watch.mk
else
TESTS += %D%/build/need-check.sh
endif
dist_check_SCRIPTS += %D%/build/need-check.sh
