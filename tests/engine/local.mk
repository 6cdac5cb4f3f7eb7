# SPDX-License-Identifier: Apache-2.0
# Tests of the kernel engine: the kernels as text, and the values that they
# compute.

engine_tests = %D%/api_bools %D%/api_compare %D%/api_index %D%/api_steps %D%/unit_vmcode \
	%D%/unit_emit_ptx %D%/unit_emit_spirv \
	%D%/unit_engine %D%/unit_failures %D%/unit_iota %D%/unit_limits \
	%D%/unit_many_axes %D%/unit_cast_copy_fill %D%/unit_reduce %D%/unit_rows \
	%D%/unit_singles %D%/unit_target
check_PROGRAMS += $(engine_tests)
TESTS += $(engine_tests)
tree_tests += %D%/check-templates.sh
dist_check_SCRIPTS += %D%/check-templates.sh %D%/gpu-shape.sh
noinst_HEADERS += %D%/bits_step.h %D%/random_graph.h %D%/sweep.h

%C%_api_bools_CPPFLAGS = $(api_cppflags)
%C%_api_bools_LDADD = $(api_ldadd)
%C%_api_compare_CPPFLAGS = $(api_cppflags)
%C%_api_compare_LDADD = $(api_ldadd)
%C%_api_index_CPPFLAGS = $(api_cppflags)
%C%_api_index_LDADD = $(api_ldadd)
%C%_api_steps_CPPFLAGS = $(api_cppflags)
%C%_api_steps_LDADD = $(api_ldadd)
%C%_unit_vmcode_SOURCES = %D%/unit_vmcode.c %D%/job.c %D%/job.h
%C%_unit_vmcode_CPPFLAGS = $(unit_cppflags)
%C%_unit_vmcode_LDADD = $(unit_ldadd)
%C%_unit_emit_ptx_SOURCES = %D%/unit_emit_ptx.c %D%/emit_cases.h \
	%D%/emit_stages.h %D%/ptx_registers.c %D%/ptx_registers.h
%C%_unit_emit_ptx_CPPFLAGS = $(unit_cppflags)
%C%_unit_emit_ptx_LDADD = $(unit_ldadd)
%C%_unit_emit_spirv_CPPFLAGS = $(unit_cppflags)
%C%_unit_emit_spirv_LDADD = $(unit_ldadd)
%C%_unit_engine_CPPFLAGS = $(unit_cppflags)
%C%_unit_engine_LDADD = $(unit_ldadd)
%C%_unit_failures_CPPFLAGS = $(unit_cppflags)
%C%_unit_failures_LDADD = $(unit_ldadd)
%C%_unit_iota_CPPFLAGS = $(unit_cppflags)
%C%_unit_iota_LDADD = $(unit_ldadd)
%C%_unit_limits_CPPFLAGS = $(unit_cppflags)
%C%_unit_limits_LDADD = $(unit_ldadd)
%C%_unit_many_axes_CPPFLAGS = $(unit_cppflags)
%C%_unit_many_axes_LDADD = $(unit_ldadd)
%C%_unit_cast_copy_fill_CPPFLAGS = $(unit_cppflags)
%C%_unit_cast_copy_fill_LDADD = $(unit_ldadd)
%C%_unit_reduce_CPPFLAGS = $(unit_cppflags)
%C%_unit_reduce_LDADD = $(unit_ldadd)
%C%_unit_rows_CPPFLAGS = $(unit_cppflags)
%C%_unit_rows_LDADD = $(unit_ldadd)
%C%_unit_singles_CPPFLAGS = $(unit_cppflags)
%C%_unit_singles_LDADD = $(unit_ldadd)
%C%_unit_target_CPPFLAGS = $(unit_cppflags)
%C%_unit_target_LDADD = $(unit_ldadd)

# A program that zecpu-suite.sh runs.
check_PROGRAMS += %D%/unit_emit_spirv_run
%C%_unit_emit_spirv_run_SOURCES = %D%/unit_emit_spirv_run.c tests/kernels/calls.c \
	tests/kernels/oracle.c
%C%_unit_emit_spirv_run_CPPFLAGS = $(unit_cppflags)
%C%_unit_emit_spirv_run_LDADD = $(unit_ldadd)

if ON_REQUEST
TESTS += %D%/gpu-shape.sh %D%/unit_emit_spirv_run
endif

# The kernels of GPUs on PoCL.
check-gpu-shape: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='%D%/gpu-shape.sh'

# Every operation, dtype and schedule of the engine as SPIR-V.
check-emit-spirv: all
	DPR_TEST_ALL=1 $(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='%D%/unit_emit_spirv %D%/unit_emit_spirv_run'
.PHONY: check-emit-spirv check-gpu-shape
