# SPDX-License-Identifier: Apache-2.0
# The programs that doc/guide/ shows.  "make check" compiles them, and the sessions of
# the pages compile and run them as users do.  Those in guide_alone also run without
# arguments, under sanitizers too.

guide_alone = %D%/choose %D%/first %D%/first_cxx %D%/follows %D%/order %D%/pools %D%/refused
guide_programs = %D%/causes %D%/parts
EXTRA_DIST += %D%/CMakeLists.txt
%C%_causes_LDADD = libdpr.la
%C%_choose_LDADD = libdpr.la
%C%_first_LDADD = libdpr.la
%C%_first_cxx_SOURCES = %D%/first_cxx.cc
%C%_first_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_first_cxx_LDADD = libdpr.la
%C%_follows_LDADD = libdpr.la
%C%_order_LDADD = libdpr.la
%C%_parts_LDADD = libdpr.la
%C%_pools_LDADD = libdpr.la
%C%_refused_LDADD = libdpr.la

guide_alone += %D%/formula %D%/lend %D%/operators %D%/prepared %D%/two_processes
guide_programs += %D%/tables
EXTRA_DIST += %D%/dlpack_numpy.py
%C%_formula_LDADD = libdpr.la
%C%_lend_LDADD = libdpr.la
%C%_operators_SOURCES = %D%/operators.cc
%C%_operators_CXXFLAGS = $(examples_cxxflags)
%C%_operators_LDADD = libdpr.la
%C%_prepared_LDADD = libdpr.la
%C%_tables_LDADD = libdpr.la
%C%_two_processes_LDADD = libdpr.la

guide_alone += %D%/histogram %D%/polynomial
guide_programs += %D%/costs %D%/slope
EXTRA_DIST += %D%/slope.cl
%C%_costs_LDADD = libdpr.la
%C%_histogram_LDADD = libdpr.la
%C%_polynomial_LDADD = libdpr.la
%C%_slope_LDADD = libdpr.la

check_PROGRAMS += $(guide_alone) $(guide_programs)
if HAVE_ANY_BACKEND
TESTS += $(guide_alone)
endif
