# SPDX-License-Identifier: Apache-2.0
# The steps of doc/guide/tutorial.md in C, and the same in C++: built and run by
# "make check", linked with libdpr.la.

tutorial_steps = %D%/step1 %D%/step1_cxx %D%/step2 %D%/step2_cxx \
	%D%/step3 %D%/step3_cxx %D%/step4 %D%/step4_cxx \
	%D%/step5 %D%/step5_cxx %D%/step6 %D%/step6_cxx \
	%D%/step7 %D%/step7_cxx %D%/step8 %D%/step8_cxx

%C%_step1_LDADD = libdpr.la
%C%_step1_cxx_SOURCES = %D%/step1_cxx.cc
%C%_step1_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step1_cxx_LDADD = libdpr.la
%C%_step2_LDADD = libdpr.la
%C%_step2_cxx_SOURCES = %D%/step2_cxx.cc
%C%_step2_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step2_cxx_LDADD = libdpr.la
%C%_step3_LDADD = libdpr.la
%C%_step3_cxx_SOURCES = %D%/step3_cxx.cc
%C%_step3_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step3_cxx_LDADD = libdpr.la
%C%_step4_LDADD = libdpr.la
%C%_step4_cxx_SOURCES = %D%/step4_cxx.cc
%C%_step4_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step4_cxx_LDADD = libdpr.la
%C%_step5_LDADD = libdpr.la
%C%_step5_cxx_SOURCES = %D%/step5_cxx.cc
%C%_step5_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step5_cxx_LDADD = libdpr.la
%C%_step6_LDADD = libdpr.la
%C%_step6_cxx_SOURCES = %D%/step6_cxx.cc
%C%_step6_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step6_cxx_LDADD = libdpr.la
%C%_step7_LDADD = libdpr.la
%C%_step7_cxx_SOURCES = %D%/step7_cxx.cc
%C%_step7_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step7_cxx_LDADD = libdpr.la
%C%_step8_LDADD = libdpr.la
%C%_step8_cxx_SOURCES = %D%/step8_cxx.cc
%C%_step8_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_step8_cxx_LDADD = libdpr.la

check_PROGRAMS += $(tutorial_steps)
if HAVE_ANY_BACKEND
TESTS += $(tutorial_steps)
endif

# Both programs of the last step write these.
CLEANFILES += plate.npy plate.ppm
