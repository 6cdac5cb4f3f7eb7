# SPDX-License-Identifier: Apache-2.0
# Examples: built and run by "make check", linked with libdpr.la.

EXTRA_DIST += %D%/Makefile %D%/data/make_samples.py %D%/data/x.npy %D%/data/y.npy

examples = %D%/axpy %D%/axpy_cxx %D%/events %D%/events_cxx %D%/gemm_cublas \
	%D%/gemm_cublas_cxx %D%/gemv_kernel %D%/gemv_kernel_cxx %D%/sub_devices \
	%D%/sub_devices_cxx

# These run on any backend, and fail if there is none; the others are skipped if
# they lack what they need.  Those with kernels of their own are skipped where the
# device runs neither native code nor OpenCL C.
examples_any = %D%/black_scholes %D%/black_scholes_cxx \
	%D%/compute_follows_data %D%/compute_follows_data_cxx \
	%D%/group_largest %D%/group_largest_cxx %D%/group_sum \
	%D%/group_sum_cxx %D%/heat %D%/heat_cxx %D%/heat_halo \
	%D%/heat_halo_cxx %D%/hello %D%/hello_cxx %D%/image_warp \
	%D%/image_warp_cxx %D%/kmeans %D%/kmeans_cxx %D%/l2_distance \
	%D%/l2_distance_cxx %D%/linalg/kalman %D%/linalg/kalman_cxx \
	%D%/linalg/pca %D%/linalg/pca_cxx %D%/linalg/ridge \
	%D%/linalg/ridge_cxx %D%/mandelbrot %D%/mandelbrot_cxx %D%/nearest \
	%D%/nearest_cxx %D%/softmax_regression %D%/softmax_regression_cxx \
	%D%/stencil %D%/stencil_cxx
%C%_axpy_LDADD = libdpr.la
%C%_black_scholes_LDADD = libdpr.la
%C%_compute_follows_data_LDADD = libdpr.la
%C%_events_LDADD = libdpr.la
%C%_gemm_cublas_LDADD = libdpr.la $(DPR_LIBS)
%C%_gemv_kernel_LDADD = libdpr.la
%C%_group_largest_LDADD = libdpr.la
%C%_group_sum_LDADD = libdpr.la
%C%_heat_LDADD = libdpr.la
%C%_heat_halo_LDADD = libdpr.la $(DPR_LIBS)
%C%_hello_LDADD = libdpr.la
%C%_image_warp_LDADD = libdpr.la $(DPR_LIBS)
%C%_linalg_kalman_LDADD = libdpr.la $(DPR_LIBS)
%C%_kmeans_LDADD = libdpr.la $(DPR_LIBS)
%C%_l2_distance_LDADD = libdpr.la
%C%_mandelbrot_LDADD = libdpr.la
%C%_nearest_LDADD = libdpr.la $(DPR_LIBS)
%C%_linalg_pca_LDADD = libdpr.la
%C%_linalg_ridge_LDADD = libdpr.la $(DPR_LIBS)
%C%_softmax_regression_LDADD = libdpr.la
%C%_stencil_LDADD = libdpr.la
%C%_sub_devices_LDADD = libdpr.la

# The same in C++.
examples_cxxflags = -std=c++17 -Wall -Wextra
%C%_axpy_cxx_SOURCES = %D%/axpy_cxx.cc
%C%_axpy_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_axpy_cxx_LDADD = libdpr.la
%C%_black_scholes_cxx_SOURCES = %D%/black_scholes_cxx.cc
%C%_black_scholes_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_black_scholes_cxx_LDADD = libdpr.la
%C%_compute_follows_data_cxx_SOURCES = %D%/compute_follows_data_cxx.cc
%C%_compute_follows_data_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_compute_follows_data_cxx_LDADD = libdpr.la
%C%_events_cxx_SOURCES = %D%/events_cxx.cc
%C%_events_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_events_cxx_LDADD = libdpr.la
%C%_gemm_cublas_cxx_SOURCES = %D%/gemm_cublas_cxx.cc
%C%_gemm_cublas_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_gemm_cublas_cxx_LDADD = libdpr.la $(DPR_LIBS)
%C%_gemv_kernel_cxx_SOURCES = %D%/gemv_kernel_cxx.cc
%C%_gemv_kernel_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_gemv_kernel_cxx_LDADD = libdpr.la
%C%_group_largest_cxx_SOURCES = %D%/group_largest_cxx.cc
%C%_group_largest_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_group_largest_cxx_LDADD = libdpr.la
%C%_group_sum_cxx_SOURCES = %D%/group_sum_cxx.cc
%C%_group_sum_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_group_sum_cxx_LDADD = libdpr.la
%C%_heat_cxx_SOURCES = %D%/heat_cxx.cc
%C%_heat_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_heat_cxx_LDADD = libdpr.la
%C%_heat_halo_cxx_SOURCES = %D%/heat_halo_cxx.cc
%C%_heat_halo_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_heat_halo_cxx_LDADD = libdpr.la
%C%_hello_cxx_SOURCES = %D%/hello_cxx.cc
%C%_hello_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_hello_cxx_LDADD = libdpr.la
%C%_image_warp_cxx_SOURCES = %D%/image_warp_cxx.cc
%C%_image_warp_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_image_warp_cxx_LDADD = libdpr.la
%C%_linalg_kalman_cxx_SOURCES = %D%/linalg/kalman_cxx.cc
%C%_linalg_kalman_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_linalg_kalman_cxx_LDADD = libdpr.la
%C%_kmeans_cxx_SOURCES = %D%/kmeans_cxx.cc
%C%_kmeans_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_kmeans_cxx_LDADD = libdpr.la
%C%_l2_distance_cxx_SOURCES = %D%/l2_distance_cxx.cc
%C%_l2_distance_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_l2_distance_cxx_LDADD = libdpr.la
%C%_mandelbrot_cxx_SOURCES = %D%/mandelbrot_cxx.cc
%C%_mandelbrot_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_mandelbrot_cxx_LDADD = libdpr.la
%C%_nearest_cxx_SOURCES = %D%/nearest_cxx.cc
%C%_nearest_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_nearest_cxx_LDADD = libdpr.la
%C%_linalg_pca_cxx_SOURCES = %D%/linalg/pca_cxx.cc
%C%_linalg_pca_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_linalg_pca_cxx_LDADD = libdpr.la
%C%_linalg_ridge_cxx_SOURCES = %D%/linalg/ridge_cxx.cc
%C%_linalg_ridge_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_linalg_ridge_cxx_LDADD = libdpr.la
%C%_softmax_regression_cxx_SOURCES = %D%/softmax_regression_cxx.cc
%C%_softmax_regression_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_softmax_regression_cxx_LDADD = libdpr.la
%C%_stencil_cxx_SOURCES = %D%/stencil_cxx.cc
%C%_stencil_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_stencil_cxx_LDADD = libdpr.la
%C%_sub_devices_cxx_SOURCES = %D%/sub_devices_cxx.cc
%C%_sub_devices_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_sub_devices_cxx_LDADD = libdpr.la

if HAVE_CLBLAST
examples += %D%/gemv_clblast %D%/gemv_clblast_cxx
%C%_gemv_clblast_LDADD = libdpr.la -lclblast
%C%_gemv_clblast_cxx_SOURCES = %D%/gemv_clblast_cxx.cc
%C%_gemv_clblast_cxx_CXXFLAGS = $(examples_cxxflags)
%C%_gemv_clblast_cxx_LDADD = libdpr.la -lclblast
endif
EXTRA_DIST += %D%/gemv_clblast.c %D%/gemv_clblast_cxx.cc

check_PROGRAMS += $(examples) $(examples_any)
TESTS += $(examples)
if HAVE_ANY_BACKEND
TESTS += $(examples_any)
endif

include $(top_srcdir)/%D%/guide/local.mk
include $(top_srcdir)/%D%/plugin/local.mk
include $(top_srcdir)/%D%/tutorial/local.mk
include $(top_srcdir)/%D%/porting/local.mk
