# SPDX-License-Identifier: Apache-2.0
# Tests of arrays.  The fixtures are made by the scripts beside them, which need
# NumPy and write down its version.

EXTRA_DIST += %D%/devices.h %D%/exact.h %D%/programs.h %D%/random.h \
	%D%/make_dtype_fixtures.py %D%/dtype_fixtures.h \
	%D%/make_print_fixtures.py %D%/print_fixtures.h

array_tests = %D%/unit_array_faults %D%/unit_dtype %D%/unit_layout %D%/unit_strided \
	%D%/api_array %D%/api_array_async %D%/api_array_launch \
	%D%/api_array_move %D%/api_memory %D%/api_placement \
	%D%/api_print %D%/api_programs %D%/api_programs_cxx \
	%D%/api_programs_cxx11 %D%/api_view
check_PROGRAMS += $(array_tests)
TESTS += $(array_tests)
array_cppflags = $(api_cppflags) -I$(top_srcdir)
%C%_unit_array_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_array_faults_LDADD = $(unit_ldadd)
%C%_unit_dtype_CPPFLAGS = $(unit_cppflags)
%C%_unit_dtype_LDADD = $(unit_ldadd)
%C%_unit_layout_CPPFLAGS = $(unit_cppflags)
%C%_unit_layout_LDADD = $(unit_ldadd)
%C%_unit_strided_CPPFLAGS = $(unit_cppflags)
%C%_unit_strided_LDADD = $(unit_ldadd)
%C%_api_array_CPPFLAGS = $(array_cppflags)
%C%_api_array_LDADD = $(api_ldadd)
%C%_api_array_async_CPPFLAGS = $(array_cppflags)
%C%_api_array_async_LDADD = $(api_ldadd)
%C%_api_array_launch_CPPFLAGS = $(array_cppflags)
%C%_api_array_launch_LDADD = $(api_ldadd)
%C%_api_array_move_CPPFLAGS = $(array_cppflags)
%C%_api_array_move_LDADD = $(api_ldadd)
%C%_api_memory_CPPFLAGS = $(array_cppflags)
%C%_api_memory_LDADD = $(api_ldadd)
%C%_api_placement_CPPFLAGS = $(array_cppflags)
%C%_api_placement_LDADD = $(api_ldadd)
%C%_api_print_CPPFLAGS = $(array_cppflags)
%C%_api_print_LDADD = $(api_ldadd)
%C%_api_programs_CPPFLAGS = $(array_cppflags)
%C%_api_programs_LDADD = $(api_ldadd)
%C%_api_programs_cxx_SOURCES = %D%/api_programs_cxx.cc
%C%_api_programs_cxx_CPPFLAGS = $(array_cppflags)
%C%_api_programs_cxx_CXXFLAGS = -std=c++17 -Wall -Wextra
%C%_api_programs_cxx_LDADD = $(api_ldadd)
# C++11 with every copy that it allows.
%C%_api_programs_cxx11_SOURCES = %D%/api_programs_cxx.cc
%C%_api_programs_cxx11_CPPFLAGS = $(array_cppflags)
%C%_api_programs_cxx11_CXXFLAGS = -std=c++11 -fno-elide-constructors -Wall \
	-Wextra
%C%_api_programs_cxx11_LDADD = $(api_ldadd)
%C%_api_view_CPPFLAGS = $(array_cppflags)
%C%_api_view_LDADD = $(api_ldadd)

dist_check_SCRIPTS += %D%/array-buffers.sh
TESTS += %D%/array-buffers.sh

# A device without double precision.
check_PROGRAMS += %D%/api_no_fp64
TESTS += %D%/api_no_fp64
%C%_api_no_fp64_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_no_fp64_LDADD = $(api_ldadd)
