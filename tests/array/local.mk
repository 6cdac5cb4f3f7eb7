# SPDX-License-Identifier: Apache-2.0
# Tests of core/array.

array_tests = %D%/api_array %D%/api_array_async %D%/api_array_launch \
	%D%/api_array_move %D%/api_brief %D%/api_dlpack %D%/api_dlpack_odd \
	%D%/api_dlpack_order %D%/api_expression %D%/api_expression_random %D%/api_memory \
	%D%/api_no_fp64 %D%/api_placement %D%/api_print %D%/api_programs %D%/api_view \
	%D%/unit_array_faults %D%/unit_dtype %D%/unit_layout \
	%D%/unit_strided %D%/api_programs_cxx %D%/api_programs_cxx11
check_PROGRAMS += $(array_tests)
TESTS += $(array_tests)
TESTS += %D%/array-buffers.sh %D%/dlpack_python.sh
dist_check_SCRIPTS += %D%/array-buffers.sh %D%/dlpack_python.sh \
	%D%/expressions.sh
if ON_REQUEST
TESTS += %D%/expressions.sh
endif
EXTRA_DIST += %D%/dlpack_python.py
noinst_HEADERS += %D%/dlpack_test.h

%C%_api_array_CPPFLAGS = $(api_cppflags)
%C%_api_array_LDADD = $(api_ldadd)
%C%_api_array_async_CPPFLAGS = $(api_cppflags)
%C%_api_array_async_LDADD = $(api_ldadd)
%C%_api_array_launch_CPPFLAGS = $(api_cppflags)
%C%_api_array_launch_LDADD = $(api_ldadd)
%C%_api_array_move_CPPFLAGS = $(api_cppflags)
%C%_api_array_move_LDADD = $(api_ldadd)
%C%_api_brief_CPPFLAGS = $(api_cppflags)
%C%_api_brief_LDADD = $(api_ldadd) -lm
%C%_api_dlpack_CPPFLAGS = $(api_cppflags)
%C%_api_dlpack_LDADD = $(api_ldadd)
%C%_api_dlpack_odd_CPPFLAGS = $(api_cppflags)
%C%_api_dlpack_odd_LDADD = $(api_ldadd)
%C%_api_dlpack_order_CPPFLAGS = $(api_cppflags)
%C%_api_dlpack_order_LDADD = $(api_ldadd)
%C%_api_expression_CPPFLAGS = $(api_cppflags)
%C%_api_expression_LDADD = $(api_ldadd)
%C%_api_expression_random_CPPFLAGS = $(api_cppflags)
%C%_api_expression_random_LDADD = $(api_ldadd)
%C%_api_memory_CPPFLAGS = $(api_cppflags)
%C%_api_memory_LDADD = $(api_ldadd)
%C%_api_no_fp64_CPPFLAGS = $(api_cppflags)
%C%_api_no_fp64_LDADD = $(api_ldadd)
%C%_api_placement_CPPFLAGS = $(api_cppflags)
%C%_api_placement_LDADD = $(api_ldadd)
%C%_api_print_CPPFLAGS = $(api_cppflags)
%C%_api_print_LDADD = $(api_ldadd)
%C%_api_programs_CPPFLAGS = $(api_cppflags)
%C%_api_programs_LDADD = $(api_ldadd)
%C%_api_view_CPPFLAGS = $(api_cppflags)
%C%_api_view_LDADD = $(api_ldadd)
%C%_unit_array_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_array_faults_LDADD = $(unit_ldadd)
%C%_unit_dtype_CPPFLAGS = $(unit_cppflags)
%C%_unit_dtype_LDADD = $(unit_ldadd)
%C%_unit_layout_CPPFLAGS = $(unit_cppflags)
%C%_unit_layout_LDADD = $(unit_ldadd)
%C%_unit_strided_CPPFLAGS = $(unit_cppflags)
%C%_unit_strided_LDADD = $(unit_ldadd)

# The same programs in C++, with the newest and the oldest standard.
%C%_api_programs_cxx_SOURCES = %D%/api_programs_cxx.cc
%C%_api_programs_cxx_CPPFLAGS = $(api_cppflags)
%C%_api_programs_cxx_CXXFLAGS = -std=c++17 -Wall -Wextra
%C%_api_programs_cxx_LDADD = $(api_ldadd)
%C%_api_programs_cxx11_SOURCES = %D%/api_programs_cxx.cc
%C%_api_programs_cxx11_CPPFLAGS = $(api_cppflags)
%C%_api_programs_cxx11_CXXFLAGS = -std=c++11 -fno-elide-constructors -Wall \
	-Wextra
%C%_api_programs_cxx11_LDADD = $(api_ldadd)
