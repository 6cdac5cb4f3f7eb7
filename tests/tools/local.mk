# SPDX-License-Identifier: Apache-2.0
# Tests of the command dpr, and random input for all that reads text or files.

tools_tests = %D%/fuzz %D%/unit_bench %D%/unit_note %D%/unit_plot \
	%D%/unit_point %D%/unit_waited
check_PROGRAMS += $(tools_tests)
TESTS += $(tools_tests)
tools_scripts = %D%/api_bench.sh %D%/api_eval.sh \
	%D%/api_measure.sh %D%/api_trace_summary.sh %D%/check-drivers.sh \
	%D%/check-hostile.sh %D%/check-tools.sh
TESTS += $(tools_scripts)
dist_check_SCRIPTS += $(tools_scripts)

%C%_fuzz_SOURCES = %D%/fuzz.c %D%/fuzz.h %D%/fuzz_emit.c %D%/fuzz_expression.c \
	%D%/fuzz_files.c %D%/fuzz_trace.c \
	tests/engine/ptx_registers.c
%C%_fuzz_CPPFLAGS = $(unit_cppflags)
%C%_fuzz_LDADD = tools/libtools.la backends/cuda/librewrite.la \
	backends/level_zero/libzespirv.la $(unit_ldadd)
%C%_unit_bench_CPPFLAGS = $(unit_cppflags)
%C%_unit_bench_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_note_CPPFLAGS = $(unit_cppflags)
%C%_unit_note_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_plot_CPPFLAGS = $(unit_cppflags)
%C%_unit_plot_LDADD = tools/libtools.la $(unit_ldadd) -lm
%C%_unit_waited_CPPFLAGS = $(unit_cppflags)
%C%_unit_waited_LDADD = tools/libtools.la $(unit_ldadd)
%C%_unit_point_CPPFLAGS = $(unit_cppflags)
%C%_unit_point_LDADD = tools/libtools.la $(unit_ldadd)

# A line for every kernel, for comparing two trees.
check_PROGRAMS += %D%/dump_kernels
%C%_dump_kernels_SOURCES = %D%/dump_kernels.c tests/engine/emit_random.h
%C%_dump_kernels_CPPFLAGS = $(unit_cppflags)
%C%_dump_kernels_LDADD = $(unit_ldadd)

tree_tests += %D%/check-completion.sh
dist_check_SCRIPTS += %D%/check-completion.sh

# make check runs fuzz for 0.4 seconds on each kind of input.  This runs it for
# half a minute each, with the date as seed.
check-fuzz: $(check_PROGRAMS) $(check_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) DPR_TEST_SECONDS=$${DPR_TEST_SECONDS-30} \
	DPR_TEST_SEED=$${DPR_TEST_SEED-`date +%Y%m%d`} %D%/fuzz
