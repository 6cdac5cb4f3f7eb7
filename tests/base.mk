# SPDX-License-Identifier: Apache-2.0
# Tests of core/base.

check_PROGRAMS += %D%/api_version
TESTS += %D%/api_version
%C%_api_version_CPPFLAGS = $(api_cppflags)
%C%_api_version_LDADD = $(api_ldadd)
