# SPDX-License-Identifier: Apache-2.0
# The tests of the runtime under a tool that watches them: ThreadSanitizer in a
# build of its own, valgrind in this one.

watch_scripts = %D%/check-tsan.sh
dist_noinst_SCRIPTS += $(watch_scripts)

# All but what needs a driver, reads the tree, or is about numbers alone.
runtime_suite = $(base_tests) $(exec_tests) $(loader_tests) \
	%D%/api_kernel %D%/api_kernel_cache %D%/unit_modules \
	$(array_tests) $(backend_tests)

# These tests, and nothing built for others.
check-runtime:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(runtime_suite)' \
		check_PROGRAMS='$(runtime_suite)'

# 77: it is not there, and the reason was printed.
check-tsan:
	top_srcdir='$(abs_top_srcdir)' CC='$(CC)' CXX='$(CXX)' \
	MAKE='$(MAKE)' $(SHELL) $(top_srcdir)/%D%/check-tsan.sh \
		build-tsan || test $$? -eq 77
distclean-local:
	rm -rf build-tsan

.PHONY: check-runtime check-tsan
