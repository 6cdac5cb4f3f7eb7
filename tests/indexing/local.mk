# SPDX-License-Identifier: Apache-2.0
# Tests of elements at places that arrays of indices name.

indexing_tests = %D%/unit_put
check_PROGRAMS += $(indexing_tests)
TESTS += $(indexing_tests)

%C%_unit_put_CPPFLAGS = $(unit_cppflags)
%C%_unit_put_LDADD = $(unit_ldadd)
