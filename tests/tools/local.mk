# SPDX-License-Identifier: Apache-2.0
# Tests of the command dpr, and random input for all that reads text or files.

tools_tests = %D%/fuzz %D%/unit_bench %D%/unit_expression %D%/unit_npy
check_PROGRAMS += $(tools_tests)
TESTS += $(tools_tests)
TESTS += %D%/api_bench.sh %D%/api_eval.sh %D%/check-drivers.sh \
	%D%/check-tools.sh
dist_check_SCRIPTS += %D%/api_bench.sh %D%/api_eval.sh %D%/check-drivers.sh \
	%D%/check-tools.sh

%C%_fuzz_CPPFLAGS = $(unit_cppflags)
%C%_fuzz_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_bench_CPPFLAGS = $(unit_cppflags)
%C%_unit_bench_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_expression_CPPFLAGS = $(unit_cppflags)
%C%_unit_expression_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_npy_CPPFLAGS = $(unit_cppflags)
%C%_unit_npy_LDADD = tools/libtools.la $(unit_ldadd)

# What reads other people's text, for a second each; 

# fuzz takes a second for each kind of input; here half a minute, and the seed
# is the date.
check-fuzz: $(check_PROGRAMS) $(check_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) DPR_TEST_SECONDS=$${DPR_TEST_SECONDS-30} \
	DPR_TEST_SEED=$${DPR_TEST_SEED-`date +%Y%m%d`} %D%/fuzz
