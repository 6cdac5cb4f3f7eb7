# SPDX-License-Identifier: Apache-2.0
# Tests of core/runtime/program: programs, kernels, and what is kept of them.  And
# of the files in the library that kernels are made of.

program_tests = %D%/api_build %D%/api_cache %D%/api_cache_use %D%/api_kernel \
	%D%/api_kernel_cache %D%/api_native_kernels %D%/api_spec \
	%D%/api_unbuilt %D%/unit_build_log %D%/unit_cache %D%/unit_embed
check_PROGRAMS += $(program_tests)
TESTS += $(program_tests)

check_PROGRAMS += %D%/three_runs
TESTS += %D%/three-runs.sh
dist_check_SCRIPTS += %D%/three-runs.sh
%C%_three_runs_CPPFLAGS = $(AM_CPPFLAGS)
%C%_three_runs_LDADD = libdpr.la

%C%_api_build_CPPFLAGS = $(api_cppflags)
%C%_api_build_LDADD = $(api_ldadd)
%C%_api_cache_CPPFLAGS = $(api_cppflags)
%C%_api_cache_LDADD = $(api_ldadd)
%C%_api_cache_use_CPPFLAGS = $(api_cppflags)
%C%_api_cache_use_LDADD = $(api_ldadd)
%C%_api_kernel_CPPFLAGS = $(api_cppflags)
%C%_api_kernel_LDADD = $(api_ldadd)
%C%_api_kernel_cache_CPPFLAGS = $(api_cppflags)
%C%_api_kernel_cache_LDADD = $(api_ldadd)
%C%_api_native_kernels_CPPFLAGS = $(api_cppflags)
%C%_api_native_kernels_LDADD = $(api_ldadd)
%C%_api_spec_CPPFLAGS = $(api_cppflags)
%C%_api_spec_LDADD = $(api_ldadd)
%C%_api_unbuilt_CPPFLAGS = $(api_cppflags)
%C%_api_unbuilt_LDADD = $(api_ldadd)
%C%_unit_build_log_CPPFLAGS = $(unit_cppflags)
%C%_unit_build_log_LDADD = $(unit_ldadd)
%C%_unit_cache_CPPFLAGS = $(unit_cppflags)
%C%_unit_cache_LDADD = $(unit_ldadd)
%C%_unit_embed_CPPFLAGS = $(unit_cppflags)
%C%_unit_embed_LDADD = $(unit_ldadd) $(ZLIB_LIBS)
