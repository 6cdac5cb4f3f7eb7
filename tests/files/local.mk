# SPDX-License-Identifier: Apache-2.0
# Tests of core/array/files.

files_tests = %D%/api_npy %D%/api_npz %D%/unit_npy
check_PROGRAMS += $(files_tests)
TESTS += $(files_tests) %D%/npz_python.sh
dist_check_SCRIPTS += %D%/npz_python.sh

%C%_api_npy_CPPFLAGS = $(api_cppflags)
%C%_api_npy_LDADD = $(api_ldadd)
%C%_api_npz_CPPFLAGS = $(api_cppflags) $(ZLIB_CFLAGS)
%C%_api_npz_LDADD = $(api_ldadd)
%C%_unit_npy_CPPFLAGS = $(unit_cppflags)
%C%_unit_npy_LDADD = $(unit_ldadd)
