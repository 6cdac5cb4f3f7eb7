# SPDX-License-Identifier: Apache-2.0
# Tests of the runtime.

check_PROGRAMS += tests/api_kernel
TESTS += tests/api_kernel
tests_api_kernel_CPPFLAGS = $(api_cppflags)
tests_api_kernel_LDADD = $(api_ldadd)
