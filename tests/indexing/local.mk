# SPDX-License-Identifier: Apache-2.0
# Tests of elements at places that arrays of indices name.

indexing_tests = %D%/api_large %D%/api_launches %D%/api_line %D%/api_put \
	%D%/unit_put
check_PROGRAMS += $(indexing_tests)
TESTS += $(indexing_tests)

%C%_api_large_CPPFLAGS = $(api_cppflags)
%C%_api_large_LDADD = $(api_ldadd)
%C%_api_launches_CPPFLAGS = $(api_cppflags)
%C%_api_launches_LDADD = $(api_ldadd)
%C%_api_line_CPPFLAGS = $(api_cppflags)
%C%_api_line_LDADD = $(api_ldadd)
%C%_api_put_CPPFLAGS = $(api_cppflags)
%C%_api_put_LDADD = $(api_ldadd)
%C%_unit_put_CPPFLAGS = $(unit_cppflags)
%C%_unit_put_LDADD = $(unit_ldadd)
