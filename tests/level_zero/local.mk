# SPDX-License-Identifier: Apache-2.0
# Tests of the Level Zero backend: of its parts, of all of it on the software
# driver of tests/zecpu, and of its programs on Intel's driver without a GPU.

noinst_HEADERS += %D%/level_zero_test.h
dist_check_SCRIPTS += %D%/no-loader.sh
TESTS += %D%/no-loader.sh

check_PROGRAMS += %D%/unit_ze_spirv
TESTS += %D%/unit_ze_spirv
%C%_unit_ze_spirv_SOURCES = %D%/unit_ze_spirv.c \
	tests/support/backend_host_table.c
%C%_unit_ze_spirv_CPPFLAGS = $(backend_cppflags)
%C%_unit_ze_spirv_LDADD = backends/level_zero/libzespirv.la $(backend_ldadd)

if HAVE_LEVEL_ZERO_BACKEND
level_zero_tests = \
	%D%/api_ze_bench \
	%D%/api_ze_cache \
	%D%/api_ze_copies \
	%D%/api_ze_entries \
	%D%/api_ze_faults \
	%D%/api_ze_memory \
	%D%/api_ze_order \
	%D%/api_ze_placement \
	%D%/api_ze_programs \
	%D%/api_ze_states \
	%D%/api_ze_threads \
	%D%/unit_ze_finish \
	%D%/unit_ze_hot

# The tests for ThreadSanitizer: threads, and all that queues do.  With it,
# api_ze_faults would take minutes.
level_zero_watched = %D%/api_ze_order %D%/api_ze_threads %D%/unit_ze_finish

check_PROGRAMS += $(level_zero_tests)
TESTS += $(level_zero_tests)
tree_tests += %D%/planted.sh
AM_TESTS_ENVIRONMENT += \
	ZE_COMPILE='$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(plugin_cppflags) $(LEVEL_ZERO_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS)'; \
	ZE_LINK='$(CC) $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS)'; \
	export ZE_COMPILE ZE_LINK;

%C%_api_ze_bench_SOURCES = %D%/api_ze_bench.c \
	$(bench_baselines) tools/bench/level_zero/bench_ze.c
%C%_api_ze_bench_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_ze_bench_LDADD = tools/libtools.la $(api_ldadd)
%C%_api_ze_cache_CPPFLAGS = $(api_cppflags)
%C%_api_ze_cache_LDADD = $(api_ldadd)
%C%_api_ze_copies_CPPFLAGS = $(api_cppflags)
%C%_api_ze_copies_LDADD = $(api_ldadd)
%C%_api_ze_entries_CPPFLAGS = $(api_cppflags) $(LEVEL_ZERO_CPPFLAGS)
%C%_api_ze_entries_LDADD = $(api_ldadd)
%C%_api_ze_faults_CPPFLAGS = $(api_cppflags)
%C%_api_ze_faults_LDADD = $(api_ldadd)
%C%_api_ze_memory_CPPFLAGS = $(api_cppflags) $(LEVEL_ZERO_CPPFLAGS)
%C%_api_ze_memory_LDADD = $(api_ldadd)
%C%_api_ze_order_CPPFLAGS = $(api_cppflags) $(LEVEL_ZERO_CPPFLAGS)
%C%_api_ze_order_LDADD = $(api_ldadd)
%C%_api_ze_placement_CPPFLAGS = $(api_cppflags)
%C%_api_ze_placement_LDADD = $(api_ldadd)
%C%_api_ze_programs_CPPFLAGS = $(api_cppflags)
%C%_api_ze_programs_LDADD = $(api_ldadd)
%C%_api_ze_states_CPPFLAGS = $(api_cppflags)
%C%_api_ze_states_LDADD = $(api_ldadd)
%C%_api_ze_threads_CPPFLAGS = $(api_cppflags)
%C%_api_ze_threads_LDADD = $(api_ldadd)
%C%_unit_ze_finish_SOURCES = %D%/unit_ze_finish.c \
	tests/support/backend_host_table.c
%C%_unit_ze_finish_CPPFLAGS = $(api_cppflags)
%C%_unit_ze_finish_LDADD = $(api_ldadd)
%C%_unit_ze_hot_CPPFLAGS = $(unit_cppflags)
%C%_unit_ze_hot_LDADD = $(unit_ldadd)

# Tests on Intel's driver without a GPU.  Building all modules takes minutes, so
# that is run by hand.
check_PROGRAMS += %D%/api_ze_intel
%C%_api_ze_intel_CPPFLAGS = $(api_cppflags)
%C%_api_ze_intel_LDADD = $(api_ldadd)
TESTS += %D%/intel-level-zero.sh
intel_tests += %D%/intel-level-zero.sh
check-intel-ze-whole: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(AM_TESTS_ENVIRONMENT) $(SHELL) \
		$(top_srcdir)/%D%/intel-level-zero.sh whole || test $$? -eq 77

# A program that zecpu-suite.sh runs.
check_PROGRAMS += %D%/api_ze_same
if ON_REQUEST
TESTS += %D%/api_ze_same
endif
%C%_api_ze_same_SOURCES = %D%/api_ze_same.c tests/kernels/calls.c \
	tests/kernels/oracle.c
%C%_api_ze_same_CPPFLAGS = $(api_cppflags)
%C%_api_ze_same_LDADD = $(api_ldadd) $(DPR_LIBS)

# The tests of the runtime and of arrays on the software driver: most as it is,
# and some in $(ZECPU_MODES) or a few modes.  Exit status 77: the driver is
# missing, and the reason was printed.  In a build with sanitizers, `make check`
# has the first.
if SANITIZERS
TESTS += %D%/zecpu-suite.sh
endif
check-zecpu: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	for set in '' 'modes $(ZECPU_MODES)'; do \
	  $(AM_TESTS_ENVIRONMENT) $(SHELL) \
		$(top_srcdir)/%D%/zecpu-suite.sh $$set || test $$? -eq 77 || exit; \
	done
check-zecpu-whole: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(AM_TESTS_ENVIRONMENT) $(SHELL) \
		$(top_srcdir)/%D%/zecpu-suite.sh whole || test $$? -eq 77
else
check-intel-ze-whole check-zecpu check-zecpu-whole:
	@echo "skipped: the Level Zero backend is left out"
endif
.PHONY: check-intel-ze-whole check-zecpu check-zecpu-whole
dist_check_SCRIPTS += %D%/intel-level-zero.sh %D%/planted.sh \
	%D%/zecpu-suite.sh
