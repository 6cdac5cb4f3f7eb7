# SPDX-License-Identifier: Apache-2.0
# Tests of the CUDA backend: of its parts, and of the whole on a mock of
# NVIDIA's driver (see cumock.h).

EXTRA_DIST += %D%/nvrtc.h
dist_check_SCRIPTS += %D%/no-driver.sh %D%/sanitizer.sh \
	%D%/calls/doctor-libraries.sh
TESTS += %D%/no-driver.sh %D%/calls/doctor-libraries.sh
check_PROGRAMS += %D%/unit_cuda_rewrite %D%/unit_cuda_binary
TESTS += %D%/unit_cuda_rewrite %D%/unit_cuda_binary
%C%_unit_cuda_rewrite_SOURCES = %D%/unit_cuda_rewrite.c %D%/nvrtc.c \
	tests/support/backend_host_table.c
%C%_unit_cuda_rewrite_CPPFLAGS = $(backend_cppflags)
%C%_unit_cuda_rewrite_LDADD = backends/cuda/librewrite.la $(backend_ldadd)
%C%_unit_cuda_binary_SOURCES = %D%/unit_cuda_binary.c \
	tests/support/backend_host_table.c
%C%_unit_cuda_binary_CPPFLAGS = $(backend_cppflags)
%C%_unit_cuda_binary_LDADD = backends/cuda/librewrite.la $(backend_ldadd)
noinst_HEADERS += %D%/cuda_api.h %D%/cuda_cards.h %D%/cuda_test.h %D%/cumock.h \
	%D%/fake_nvrtc.h %D%/plugin_host.h %D%/calls/blas_test.h %D%/calls/fake_cublas.h \
	%D%/calls/fake_help.h %D%/calls/fake_impl.h %D%/calls/fake_test.h

if HAVE_CUDA_BACKEND
# The mock, libcuda.so.1, in a folder of its own.  It is never installed.
check_LTLIBRARIES += %D%/driver/libcuda.la
%C%_driver_libcuda_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_driver_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 1:0:0 \
	-rpath /nowhere $(DPR_Z_DEFS) $(DPR_Z_NODELETE)
%C%_driver_libcuda_la_LIBADD = $(DPR_LIBS)
%C%_driver_libcuda_la_SOURCES = \
	%D%/driver/cumock_context.c \
	%D%/driver/cumock_copy.c \
	%D%/driver/cumock_device.c \
	%D%/driver/cumock_entry.c \
	%D%/driver/cumock_event.c \
	%D%/driver/cumock_green.c \
	%D%/driver/cumock_handle.c \
	%D%/driver/cumock_image.c \
	%D%/driver/cumock_impl.h \
	%D%/driver/cumock_kernels.c \
	%D%/driver/cumock_library.c \
	%D%/driver/cumock_memory.c \
	%D%/driver/cumock_stream.c \
	%D%/driver/cumock_types.h

# A library in place of NVRTC.
check_LTLIBRARIES += %D%/driver/libfake_nvrtc.la
%C%_driver_libfake_nvrtc_la_SOURCES = %D%/driver/fake_nvrtc.c
%C%_driver_libfake_nvrtc_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_driver_libfake_nvrtc_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-shared -rpath /nowhere

# A library in place of cuBLAS and cuSOLVER.
check_LTLIBRARIES += %D%/calls/libfake_cublas.la
%C%_calls_libfake_cublas_la_SOURCES = \
	%D%/calls/fake_cublas.c \
	%D%/calls/fake_cusolver.c \
	%D%/calls/fake_dense.c \
	%D%/calls/fake_eigen.c \
	%D%/calls/fake_handle.c \
	%D%/calls/fake_help.c
%C%_calls_libfake_cublas_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_calls_libfake_cublas_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-shared -rpath /nowhere
%C%_calls_libfake_cublas_la_LIBADD = $(DPR_LIBS) -lm

cuda_tests = \
	%D%/api_cuda_bench \
	%D%/api_cuda_faults \
	%D%/api_cuda_memory \
	%D%/api_cuda_native \
	%D%/api_cuda_one_mock \
	%D%/api_cuda_order \
	%D%/api_cuda_programs \
	%D%/api_cuda_states \
	%D%/api_cuda_two_mock \
	%D%/calls/api_cuda_lapack_mock \
	%D%/calls/unit_cuda_blas \
	%D%/calls/unit_cuda_blas_faults \
	%D%/calls/unit_cuda_matmul \
	%D%/calls/unit_cuda_lapack \
	%D%/cuda_mock \
	%D%/unit_cuda_drivers \
	%D%/unit_cuda_schedules \
	%D%/unit_cuda_hot \
	%D%/unit_cuda_local \
	%D%/unit_cuda_nvrtc \
	%D%/unit_cuda_eager

# These run on NVIDIA's driver; planted is for sanitizer.sh.
check_PROGRAMS += $(cuda_tests) %D%/api_cuda_one %D%/api_cuda_two %D%/planted \
	%D%/calls/api_cuda_lapack
TESTS += $(cuda_tests) %D%/api_cuda_one %D%/api_cuda_two %D%/sanitizer.sh \
	%D%/calls/api_cuda_lapack
%C%_planted_CPPFLAGS = $(AM_CPPFLAGS)
%C%_planted_LDADD = libdpr.la

%C%_api_cuda_bench_SOURCES = %D%/api_cuda_bench.c \
	$(bench_baselines) tools/bench/bench_cuda.c
%C%_api_cuda_bench_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_cuda_bench_LDADD = tools/libtools.la $(api_ldadd)
%C%_api_cuda_faults_CPPFLAGS = $(api_cppflags)
%C%_api_cuda_faults_LDADD = $(api_ldadd)
%C%_api_cuda_memory_CPPFLAGS = $(api_cppflags)
%C%_api_cuda_memory_LDADD = $(api_ldadd)
%C%_api_cuda_native_CPPFLAGS = $(api_cppflags)
%C%_api_cuda_native_LDADD = $(api_ldadd)
%C%_api_cuda_one_SOURCES = %D%/api_cuda_one.c
%C%_api_cuda_one_CPPFLAGS = $(api_cppflags) -DON_MOCK=0
%C%_api_cuda_one_LDADD = $(api_ldadd)
%C%_api_cuda_one_mock_SOURCES = %D%/api_cuda_one.c
%C%_api_cuda_one_mock_CPPFLAGS = $(api_cppflags) -DON_MOCK=1
%C%_api_cuda_one_mock_LDADD = $(api_ldadd)
%C%_api_cuda_order_CPPFLAGS = $(api_cppflags)
%C%_api_cuda_order_LDADD = $(api_ldadd)
%C%_api_cuda_programs_CPPFLAGS = $(api_cppflags)
%C%_api_cuda_programs_LDADD = $(api_ldadd)
%C%_api_cuda_states_CPPFLAGS = $(api_cppflags)
%C%_api_cuda_states_LDADD = $(api_ldadd)
%C%_api_cuda_two_SOURCES = %D%/api_cuda_two.c
%C%_api_cuda_two_CPPFLAGS = $(api_cppflags) -DON_MOCK=0
%C%_api_cuda_two_LDADD = $(api_ldadd)
%C%_api_cuda_two_mock_SOURCES = %D%/api_cuda_two.c
%C%_api_cuda_two_mock_CPPFLAGS = $(api_cppflags) -DON_MOCK=1
%C%_api_cuda_two_mock_LDADD = $(api_ldadd)
%C%_calls_api_cuda_lapack_SOURCES = %D%/calls/api_cuda_lapack.c
%C%_calls_api_cuda_lapack_CPPFLAGS = $(api_cppflags) -DON_MOCK=0
%C%_calls_api_cuda_lapack_LDADD = $(api_ldadd) -lm
%C%_calls_api_cuda_lapack_mock_SOURCES = %D%/calls/api_cuda_lapack.c
%C%_calls_api_cuda_lapack_mock_CPPFLAGS = $(api_cppflags) -DON_MOCK=1
%C%_calls_api_cuda_lapack_mock_LDADD = $(api_ldadd) -lm
%C%_calls_unit_cuda_blas_CPPFLAGS = $(api_cppflags)
%C%_calls_unit_cuda_blas_LDADD = $(api_ldadd) -lm
%C%_calls_unit_cuda_blas_faults_SOURCES = %D%/calls/unit_cuda_blas_faults.c \
	tests/support/backend_host_table.c
%C%_calls_unit_cuda_blas_faults_CPPFLAGS = $(api_cppflags)
%C%_calls_unit_cuda_blas_faults_LDADD = $(api_ldadd) -lm
%C%_calls_unit_cuda_lapack_SOURCES = %D%/calls/unit_cuda_lapack.c \
	tests/support/backend_host_table.c
%C%_calls_unit_cuda_lapack_CPPFLAGS = $(api_cppflags)
%C%_calls_unit_cuda_lapack_LDADD = $(api_ldadd) -lm
%C%_unit_cuda_drivers_SOURCES = %D%/unit_cuda_drivers.c \
	tests/support/backend_host_table.c
%C%_unit_cuda_drivers_CPPFLAGS = $(api_cppflags)
%C%_unit_cuda_drivers_LDADD = $(api_ldadd)
%C%_calls_unit_cuda_matmul_CPPFLAGS = $(unit_cppflags)
%C%_calls_unit_cuda_matmul_LDADD = $(unit_ldadd)
%C%_unit_cuda_schedules_CPPFLAGS = $(unit_cppflags)
%C%_unit_cuda_schedules_LDADD = $(unit_ldadd)
%C%_unit_cuda_hot_CPPFLAGS = $(unit_cppflags)
%C%_unit_cuda_hot_LDADD = $(unit_ldadd)
%C%_unit_cuda_local_SOURCES = %D%/unit_cuda_local.c \
	tests/support/backend_host_table.c
%C%_unit_cuda_local_CPPFLAGS = $(api_cppflags)
%C%_unit_cuda_local_LDADD = backends/cuda/librewrite.la $(api_ldadd)
%C%_unit_cuda_nvrtc_SOURCES = %D%/unit_cuda_nvrtc.c \
	tests/support/backend_host_table.c
%C%_unit_cuda_nvrtc_CPPFLAGS = $(api_cppflags)
%C%_unit_cuda_nvrtc_LDADD = $(api_ldadd)
%C%_unit_cuda_eager_CPPFLAGS = $(unit_cppflags)
%C%_unit_cuda_eager_LDADD = $(unit_ldadd)
%C%_cuda_mock_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
%C%_cuda_mock_LDADD = $(CHECK_LIBS) $(DPR_LIBS)
endif
