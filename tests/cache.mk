# SPDX-License-Identifier: Apache-2.0
# Tests of the programs that are kept on disk.

noinst_HEADERS += %D%/cache_dir.h
cache_tests = %D%/api_cache %D%/api_cache_use %D%/unit_cache
check_PROGRAMS += $(cache_tests)
TESTS += $(cache_tests)
%C%_api_cache_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_cache_LDADD = $(api_ldadd)
%C%_api_cache_use_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_cache_use_LDADD = $(api_ldadd)
%C%_unit_cache_CPPFLAGS = $(unit_cppflags)
%C%_unit_cache_LDADD = $(unit_ldadd)
