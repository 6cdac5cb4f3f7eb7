# SPDX-License-Identifier: Apache-2.0
# Tests of core/base.

check_PROGRAMS += %D%/api_version
TESTS += %D%/api_version
%C%_api_version_CPPFLAGS = $(api_cppflags)
%C%_api_version_LDADD = $(api_ldadd)

base_tests = %D%/unit_env %D%/unit_status
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)
%C%_unit_env_CPPFLAGS = $(unit_cppflags)
%C%_unit_env_LDADD = $(unit_ldadd)
%C%_unit_status_CPPFLAGS = $(unit_cppflags)
%C%_unit_status_LDADD = $(unit_ldadd)
