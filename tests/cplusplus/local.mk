# SPDX-License-Identifier: Apache-2.0
# Tests of the headers for C++, dpr/dpr.hpp.

cplusplus_tests = %D%/api_cxx_arrays %D%/api_cxx_expressions %D%/api_cxx_handles
check_PROGRAMS += $(cplusplus_tests)
TESTS += $(cplusplus_tests)
noinst_HEADERS += %D%/cxx_test.h

cplusplus_flags = -std=c++17 -Wall -Wextra -Wshadow
if SANITIZERS
cplusplus_flags += -fsanitize=$(dpr_sanitizers)
endif
%C%_api_cxx_arrays_SOURCES = %D%/api_cxx_arrays.cc
%C%_api_cxx_arrays_CPPFLAGS = $(api_cppflags)
%C%_api_cxx_arrays_CXXFLAGS = $(cplusplus_flags)
%C%_api_cxx_arrays_LDADD = $(api_ldadd)
%C%_api_cxx_expressions_SOURCES = %D%/api_cxx_expressions.cc
%C%_api_cxx_expressions_CPPFLAGS = $(api_cppflags)
%C%_api_cxx_expressions_CXXFLAGS = $(cplusplus_flags) -pthread
%C%_api_cxx_expressions_LDADD = $(api_ldadd)
%C%_api_cxx_handles_SOURCES = %D%/api_cxx_handles.cc
%C%_api_cxx_handles_CPPFLAGS = $(api_cppflags)
%C%_api_cxx_handles_CXXFLAGS = $(cplusplus_flags)
%C%_api_cxx_handles_LDADD = $(api_ldadd)
