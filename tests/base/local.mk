# SPDX-License-Identifier: Apache-2.0
# Tests of core/base: status, texts, the environment, the trace.

base_tests = %D%/unit_env %D%/unit_refs %D%/unit_status %D%/unit_trace \
	%D%/api_handles %D%/api_trace %D%/api_version
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)
TESTS += %D%/api_handles.sh %D%/api_trace.sh
dist_check_SCRIPTS += %D%/api_handles.sh %D%/api_trace.sh

%C%_unit_env_CPPFLAGS = $(unit_cppflags)
%C%_unit_env_LDADD = $(unit_ldadd)
%C%_unit_refs_CPPFLAGS = $(unit_cppflags)
%C%_unit_refs_LDADD = $(unit_ldadd)
%C%_unit_status_CPPFLAGS = $(unit_cppflags)
%C%_unit_status_LDADD = $(unit_ldadd)
%C%_unit_trace_CPPFLAGS = $(unit_cppflags)
%C%_unit_trace_LDADD = $(unit_ldadd)
%C%_api_handles_CPPFLAGS = $(api_cppflags)
%C%_api_handles_LDADD = $(api_ldadd)
%C%_api_trace_CPPFLAGS = $(api_cppflags)
%C%_api_trace_LDADD = $(api_ldadd)
%C%_api_version_CPPFLAGS = $(api_cppflags)
%C%_api_version_LDADD = $(api_ldadd)
