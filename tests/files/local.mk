# SPDX-License-Identifier: Apache-2.0
# Tests of core/array/files.

files_tests = %D%/api_npy %D%/unit_npy
check_PROGRAMS += $(files_tests)
TESTS += $(files_tests)

%C%_api_npy_CPPFLAGS = $(api_cppflags)
%C%_api_npy_LDADD = $(api_ldadd)
%C%_unit_npy_CPPFLAGS = $(unit_cppflags)
%C%_unit_npy_LDADD = $(unit_ldadd)
