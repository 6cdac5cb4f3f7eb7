# SPDX-License-Identifier: Apache-2.0
# Tests of core/array/linalg.

linalg_tests = %D%/api_linalg %D%/api_linalg_random %D%/api_linalg_singular \
	%D%/api_linalg_calls %D%/api_no_lapack
check_PROGRAMS += $(linalg_tests)
TESTS += $(linalg_tests)

%C%_api_linalg_CPPFLAGS = $(api_cppflags)
%C%_api_linalg_LDADD = $(api_ldadd) -lm
%C%_api_linalg_random_CPPFLAGS = $(api_cppflags)
%C%_api_linalg_random_LDADD = $(api_ldadd) -lm
%C%_api_linalg_singular_CPPFLAGS = $(api_cppflags)
%C%_api_linalg_singular_LDADD = $(api_ldadd) -lm
%C%_api_linalg_calls_CPPFLAGS = $(api_cppflags)
%C%_api_linalg_calls_LDADD = $(api_ldadd) -lm
%C%_api_no_lapack_CPPFLAGS = $(api_cppflags)
%C%_api_no_lapack_LDADD = $(api_ldadd) -lm
EXTRA_DIST += %D%/linalg_cases.h %D%/linalg_checks.h %D%/matrices.h

TESTS += %D%/examples.sh
dist_check_SCRIPTS += %D%/examples.sh
