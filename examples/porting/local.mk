# SPDX-License-Identifier: Apache-2.0
# The programs that doc/porting/ shows, as guide/local.mk has those of doc/guide/.
# Those in porting_programs need a device that takes their kernels: the sessions run them.

porting_alone = %D%/port_arrays %D%/port_covariance %D%/port_covariance_cxx \
	%D%/port_loop %D%/port_matmul
porting_programs = %D%/port_saxpy %D%/port_saxpy_cxx %D%/port_usm
%C%_port_arrays_LDADD = libdpr.la
%C%_port_covariance_LDADD = libdpr.la
%C%_port_covariance_cxx_SOURCES = %D%/port_covariance_cxx.cc
%C%_port_covariance_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_port_covariance_cxx_LDADD = libdpr.la
%C%_port_loop_LDADD = libdpr.la
%C%_port_matmul_LDADD = libdpr.la
%C%_port_saxpy_LDADD = libdpr.la
%C%_port_saxpy_cxx_SOURCES = %D%/port_saxpy_cxx.cc
%C%_port_saxpy_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_port_saxpy_cxx_LDADD = libdpr.la
%C%_port_usm_LDADD = libdpr.la

check_PROGRAMS += $(porting_alone) $(porting_programs)
if HAVE_ANY_BACKEND
TESTS += $(porting_alone)
endif
