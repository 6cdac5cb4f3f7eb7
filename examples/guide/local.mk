# SPDX-License-Identifier: Apache-2.0
# The programs that doc/guide/ shows.  "make check" compiles them, and the sessions of
# the pages compile and run them as users do.  Those in guide_alone also run without
# arguments, under sanitizers too.

guide_alone = %D%/first %D%/first_cxx
guide_programs =
EXTRA_DIST += %D%/CMakeLists.txt
%C%_first_LDADD = libdpr.la
%C%_first_cxx_SOURCES = %D%/first_cxx.cc
%C%_first_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_first_cxx_LDADD = libdpr.la

check_PROGRAMS += $(guide_alone) $(guide_programs)
if HAVE_ANY_BACKEND
TESTS += $(guide_alone)
endif
