# SPDX-License-Identifier: Apache-2.0
# Examples: built and run by "make check", linked with libdpr.la.

EXTRA_DIST += %D%/data/make_samples.py %D%/data/x.npy %D%/data/y.npy

examples = %D%/axpy %D%/events %D%/gemm_cublas %D%/gemv_kernel %D%/sub_devices

# These run on any backend, and fail if there is none; the others are skipped if
# they lack what they need.  Those with kernels of their own are skipped where the
# device runs neither native code nor OpenCL C.
examples_any = %D%/black_scholes %D%/compute_follows_data \
	%D%/group_largest_cxx %D%/group_sum %D%/hello %D%/l2_distance \
	%D%/l2_distance_cxx %D%/mandelbrot %D%/stencil %D%/stencil_cxx
%C%_axpy_LDADD = libdpr.la
%C%_black_scholes_LDADD = libdpr.la
%C%_compute_follows_data_LDADD = libdpr.la
%C%_events_LDADD = libdpr.la
%C%_gemm_cublas_LDADD = libdpr.la $(DPR_LIBS)
%C%_gemv_kernel_LDADD = libdpr.la
%C%_group_largest_cxx_SOURCES = %D%/group_largest_cxx.cc
%C%_group_largest_cxx_CXXFLAGS = -std=c++17 -Wall -Wextra
%C%_group_largest_cxx_LDADD = libdpr.la
%C%_group_sum_LDADD = libdpr.la
%C%_hello_LDADD = libdpr.la
%C%_l2_distance_LDADD = libdpr.la
%C%_l2_distance_cxx_SOURCES = %D%/l2_distance_cxx.cc
%C%_l2_distance_cxx_LDADD = libdpr.la
%C%_mandelbrot_LDADD = libdpr.la
%C%_stencil_LDADD = libdpr.la
%C%_stencil_cxx_SOURCES = %D%/stencil_cxx.cc
%C%_stencil_cxx_CXXFLAGS = -std=c++17 -Wall -Wextra
%C%_stencil_cxx_LDADD = libdpr.la
%C%_sub_devices_LDADD = libdpr.la

if HAVE_CLBLAST
examples += %D%/gemv_clblast
%C%_gemv_clblast_LDADD = libdpr.la -lclblast
endif
EXTRA_DIST += %D%/gemv_clblast.c

check_PROGRAMS += $(examples) $(examples_any)
TESTS += $(examples)
if HAVE_ANY_BACKEND
TESTS += $(examples_any)
endif
