# SPDX-License-Identifier: Apache-2.0
# Tests of the dpr program.

tool_tests = %D%/unit_expression %D%/unit_npy
check_PROGRAMS += $(tool_tests)
TESTS += $(tool_tests)

%C%_unit_expression_CPPFLAGS = $(unit_cppflags)
%C%_unit_expression_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_npy_CPPFLAGS = $(unit_cppflags)
%C%_unit_npy_LDADD = tools/libtools.la $(unit_ldadd)

EXTRA_DIST += %D%/make_tool_fixtures.py \
	%D%/fixtures/expressions.txt %D%/fixtures/npy.bin
