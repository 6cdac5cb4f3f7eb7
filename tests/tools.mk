# SPDX-License-Identifier: Apache-2.0
# Tests of the dpr program, and of all array functions against NumPy.  The
# fixtures are made by the scripts beside them and name the versions used.

tool_tests = %D%/unit_bench %D%/unit_expression %D%/unit_npy
check_PROGRAMS += $(tool_tests)
TESTS += $(tool_tests)
%C%_unit_bench_CPPFLAGS = $(unit_cppflags)
%C%_unit_bench_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_expression_CPPFLAGS = $(unit_cppflags)
%C%_unit_expression_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_npy_CPPFLAGS = $(unit_cppflags)
%C%_unit_npy_LDADD = tools/libtools.la $(unit_ldadd)

# Programs that the scripts run, with other devices and options each.
check_PROGRAMS += %D%/api_numerics %D%/api_rules
%C%_api_numerics_SOURCES = %D%/api_numerics.c %D%/oracle.c %D%/oracle.h
%C%_api_numerics_CPPFLAGS = $(api_cppflags)
%C%_api_numerics_LDADD = $(api_ldadd) $(DPR_LIBS)
%C%_api_rules_CPPFLAGS = $(api_cppflags)
%C%_api_rules_LDADD = $(api_ldadd) $(DPR_LIBS)
numerics_scripts = %D%/api_bench.sh %D%/api_eval.sh %D%/numerics-host.sh \
	%D%/numerics-opencl.sh %D%/numerics-opencl-buffer.sh
TESTS += $(numerics_scripts)
dist_check_SCRIPTS += $(numerics_scripts) %D%/numerics.sh

EXTRA_DIST += %D%/tools.sh %D%/make_fixtures.py %D%/make_tool_fixtures.py \
	%D%/fixtures/expressions.txt %D%/fixtures/npy.bin \
	%D%/fixtures/numerics.bin

# What reads other people's text, for a second each; check-fuzz: half a minute
# each; the seed is the date.
check_PROGRAMS += %D%/fuzz
TESTS += %D%/fuzz
%C%_fuzz_CPPFLAGS = $(unit_cppflags)
%C%_fuzz_LDADD = tools/libtools.la $(unit_ldadd)
check-fuzz: $(check_PROGRAMS) $(check_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) DPR_TEST_SECONDS=$${DPR_TEST_SECONDS-30} \
	DPR_TEST_SEED=$${DPR_TEST_SEED-`date +%Y%m%d`} %D%/fuzz
