# SPDX-License-Identifier: Apache-2.0
# The tests of the runtime under a tool that watches them: ThreadSanitizer in a
# build of its own, valgrind in this one.  And other targets that run tests of
# several folders.

watch_scripts = %D%/build/check-tsan.sh
dist_noinst_SCRIPTS += $(watch_scripts)

# All but what needs a driver, reads the tree, or is about numbers alone.  Of the
# tests of dpr.hpp only the one with threads.
runtime_suite = $(base_tests) $(plugin_tests) $(author_tests) $(device_tests) \
	$(queue_tests) $(memory_tests) $(program_tests) $(submit_tests) \
	$(transfer_tests) $(life_tests) $(array_tests) \
	tests/cplusplus/api_cxx_expressions \
	tests/engine/unit_engine tests/expression/unit_expression_threads \
	tests/kernels/unit_modules $(cuda_tests) $(level_zero_watched) \
	$(backend_tests) tests/tools/unit_note \
	tests/kit/check-plugin-threads.sh

# These tests, and nothing built for others.
check-runtime:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(runtime_suite)' \
		check_PROGRAMS='$(runtime_suite)'

# Valgrind makes them 20 to 50 times slower.  Some are left out.  Threads, random
# work and large sizes are for the sanitizers.  unit_faults, unit_faults_arrays,
# unit_faults_expressions, unit_faults_files, unit_faults_shapes,
# unit_faults_spacing and unit_emit_spirv are thousands of runs: AddressSanitizer
# judges them in seconds.  backend_mock touches forbidden memory on purpose, and
# unit_loader runs a setuid program.
valgrind_suite = %D%/memory/unit_uses %D%/program/unit_embed %D%/array/unit_array_faults %D%/tools/unit_bench \
	%D%/program/unit_cache %D%/array/unit_dtype %D%/base/unit_env %D%/life/unit_exec_faults \
	%D%/engine/unit_emit_ptx %D%/expression/unit_expression %D%/submit/unit_hot %D%/array/unit_layout %D%/kernels/unit_modules \
	%D%/files/unit_npy %D%/tools/unit_point %D%/memory/unit_pool %D%/queue/unit_spoil %D%/base/unit_status \
	%D%/base/unit_trace \
	%D%/memory/api_allocator %D%/plugin/api_contract %D%/device/api_devices %D%/queue/api_event \
	%D%/submit/api_held %D%/program/api_kernel_cache %D%/life/api_life %D%/device/api_parts \
	%D%/memory/api_pool_limit %D%/array/api_print %D%/life/api_process %D%/queue/api_queue \
	%D%/queue/api_spoiled %D%/queue/api_spoiled_parts \
	%D%/transfer/api_transfer %D%/memory/api_usm %D%/array/api_view \
	%D%/linalg/api_linalg_calls %D%/linalg/api_linalg_random \
	%D%/contract/backend_host

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
	      --suppressions=$(abs_top_srcdir)/%D%/support/valgrind.supp'; \
	fi

# 77: it is not there, and the reason was printed.
check-tsan:
	top_srcdir='$(abs_top_srcdir)' CC='$(CC)' CXX='$(CXX)' \
	MAKE='$(MAKE)' $(SHELL) $(top_srcdir)/%D%/build/check-tsan.sh \
		build-tsan || test $$? -eq 77
distclean-local:
	rm -rf build-tsan

check-intel: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(intel_tests)'

# Configurations without a backend, the program or the documentation, in builds of
# their own.
check-configurations:
	top_srcdir='$(abs_top_srcdir)' CC='$(CC)' CXX='$(CXX)' MAKE='$(MAKE)' \
	$(SHELL) $(top_srcdir)/%D%/build/configurations.sh $(CONFIGURATIONS)

# What takes too long for "make check" and .ci/run.
check-all: all
	$(MAKE) $(AM_MAKEFLAGS) check
	$(MAKE) $(AM_MAKEFLAGS) check-tree
	$(MAKE) $(AM_MAKEFLAGS) check-gpu-shape
	$(MAKE) $(AM_MAKEFLAGS) check-ulp
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=%D%/array/expressions.sh
	$(MAKE) $(AM_MAKEFLAGS) check-emit-spirv
	DPR_TEST_ALL=1 $(MAKE) $(AM_MAKEFLAGS) check \
		TESTS=%D%/engine/check-templates.sh
	$(MAKE) $(AM_MAKEFLAGS) check-zecpu-whole
	$(MAKE) $(AM_MAKEFLAGS) check-oclgrind-layouts
	$(MAKE) $(AM_MAKEFLAGS) check-intel-whole
	$(MAKE) $(AM_MAKEFLAGS) check-intel-ze-whole
	$(MAKE) $(AM_MAKEFLAGS) check-configurations CONFIGURATIONS=rest

.PHONY: check-all check-configurations check-intel check-runtime check-tree check-tsan check-valgrind
