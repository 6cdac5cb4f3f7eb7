# SPDX-License-Identifier: Apache-2.0
# Tests of the headers for C++, dpr/dpr.hpp.

cplusplus_tests = %D%/api_cxx_arrays %D%/api_cxx_expressions %D%/api_cxx_files \
	%D%/api_cxx_handles
check_PROGRAMS += $(cplusplus_tests)
TESTS += $(cplusplus_tests)
noinst_HEADERS += %D%/cxx_module.h %D%/cxx_test.h

# This needs the host backend.
check_PROGRAMS += %D%/api_cxx_exit
if HAVE_HOST_BACKEND
TESTS += %D%/api_cxx_exit
endif

cplusplus_flags = -std=c++17 -Wall -Wextra -Wshadow
if SANITIZERS
cplusplus_flags += -fsanitize=$(dpr_sanitizers)
endif
%C%_api_cxx_arrays_SOURCES = %D%/api_cxx_arrays.cc
%C%_api_cxx_arrays_CPPFLAGS = $(api_cppflags)
%C%_api_cxx_arrays_CXXFLAGS = $(cplusplus_flags)
%C%_api_cxx_arrays_LDADD = $(api_ldadd)
%C%_api_cxx_exit_SOURCES = %D%/api_cxx_exit.cc
%C%_api_cxx_exit_CPPFLAGS = $(api_cppflags)
%C%_api_cxx_exit_CXXFLAGS = $(cplusplus_flags) -pthread
%C%_api_cxx_exit_LDADD = $(api_ldadd)
%C%_api_cxx_expressions_SOURCES = %D%/api_cxx_expressions.cc
%C%_api_cxx_expressions_CPPFLAGS = $(api_cppflags)
%C%_api_cxx_expressions_CXXFLAGS = $(cplusplus_flags) -pthread
%C%_api_cxx_expressions_LDADD = $(api_ldadd)
%C%_api_cxx_files_SOURCES = %D%/api_cxx_files.cc
%C%_api_cxx_files_CPPFLAGS = $(api_cppflags) $(ZLIB_CFLAGS)
%C%_api_cxx_files_CXXFLAGS = $(cplusplus_flags)
%C%_api_cxx_files_LDADD = $(api_ldadd)
%C%_api_cxx_handles_SOURCES = %D%/api_cxx_handles.cc
%C%_api_cxx_handles_CPPFLAGS = $(api_cppflags)
%C%_api_cxx_handles_CXXFLAGS = $(cplusplus_flags)
%C%_api_cxx_handles_LDADD = $(api_ldadd)

# A library that api_cxx_exit loads and unloads, linked as tests/life/local.mk says.
check_LTLIBRARIES += %D%/cxx_module.la
%C%_cxx_module_la_SOURCES = %D%/cxx_module.cc
%C%_cxx_module_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_cxx_module_la_CXXFLAGS = $(cplusplus_flags)
%C%_cxx_module_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere -Wl,.libs/libdpr.so '-Wl,-rpath,$$ORIGIN/../../../.libs' \
	-Wl,--version-script='$(srcdir)/%D%/cxx_module.map'
%C%_cxx_module_la_DEPENDENCIES = libdpr.la %D%/cxx_module.map
EXTRA_DIST += %D%/cxx_module.map
