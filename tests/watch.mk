# SPDX-License-Identifier: Apache-2.0
# The tests of the runtime under a tool that watches them: ThreadSanitizer in a
# build of its own, valgrind in this one.

watch_scripts = %D%/check-tsan.sh
dist_noinst_SCRIPTS += $(watch_scripts)

# All but what needs a driver, reads the tree, or is about numbers alone.
runtime_suite = $(base_tests) $(exec_tests) $(loader_tests) \
	%D%/api_kernel %D%/api_kernel_cache %D%/unit_modules $(cache_tests) \
	$(array_tests) $(backend_tests) $(trace_tests)

# These tests, and nothing built for others.
check-runtime:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(runtime_suite)' \
		check_PROGRAMS='$(runtime_suite)'

# Valgrind makes them 20 to 50 times slower.  Left out are threads, random work
# and large sizes, which are for the sanitizers; unit_faults and
# unit_faults_arrays, thousands of runs that AddressSanitizer judges in seconds;
# backend_mock, which touches what it must not on purpose; and unit_loader,
# which runs a setuid program.
valgrind_suite = %D%/unit_access %D%/unit_array_faults %D%/unit_bench \
	%D%/unit_cache %D%/unit_dtype %D%/unit_env %D%/unit_exec_faults \
	%D%/unit_expression %D%/unit_hot %D%/unit_layout %D%/unit_modules \
	%D%/unit_npy %D%/unit_pool %D%/unit_spoil %D%/unit_status \
	%D%/unit_trace \
	%D%/api_allocator %D%/api_contract %D%/api_devices %D%/api_event \
	%D%/api_held %D%/api_kernel_cache %D%/api_life %D%/api_parts \
	%D%/api_pool_limit %D%/api_print %D%/api_process %D%/api_queue \
	%D%/api_spoiled %D%/api_spoiled_parts \
	%D%/api_transfer %D%/api_usm %D%/api_view \
	%D%/backend_device %D%/backend_event %D%/backend_host \
	%D%/backend_life %D%/backend_memory %D%/backend_module \
	%D%/backend_queue
EXTRA_DIST += %D%/valgrind.supp

check-valgrind:
	@if ! command -v valgrind >/dev/null 2>&1; then \
	  echo "skipped: valgrind is not installed"; \
	elif test '$(dpr_sanitizers)' != none; then \
	  echo "skipped: not together with -fsanitize=$(dpr_sanitizers)"; \
	else \
	  DPR_TEST_SMALL=1 OCL_ICD_VENDORS=/nowhere CK_TIMEOUT_MULTIPLIER=20 \
	  $(MAKE) $(AM_MAKEFLAGS) check-runtime \
	    runtime_suite='$(valgrind_suite)' \
	    LOG_COMPILER='$(SHELL) ./libtool --mode=execute valgrind' \
	    LOG_FLAGS='-q --error-exitcode=99 --leak-check=full \
	      --errors-for-leak-kinds=definite --show-leak-kinds=definite \
	      --suppressions=$(abs_top_srcdir)/%D%/valgrind.supp'; \
	fi

# 77: it is not there, and the reason was printed.
check-tsan:
	top_srcdir='$(abs_top_srcdir)' CC='$(CC)' CXX='$(CXX)' \
	MAKE='$(MAKE)' $(SHELL) $(top_srcdir)/%D%/check-tsan.sh \
		build-tsan || test $$? -eq 77
distclean-local:
	rm -rf build-tsan

.PHONY: check-runtime check-tsan check-valgrind
