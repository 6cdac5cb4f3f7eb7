# SPDX-License-Identifier: Apache-2.0
# Tests of the OpenCL backend: the plugin alone, without libdpr.

opencl_test_common = \
	%D%/backend_host_table.c %D%/backend_host_table.h \
	%D%/opencl_support.c %D%/opencl_support.h
opencl_test_cppflags = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
opencl_test_ldadd = $(CHECK_LIBS) $(DPR_LIBS)

EXTRA_DIST += $(opencl_test_common)

if HAVE_OPENCL_BACKEND
opencl_tests = \
	%D%/opencl_devices \
	%D%/opencl_kernels \
	%D%/opencl_memory \
	%D%/opencl_queues

check_PROGRAMS += $(opencl_tests)
TESTS += $(opencl_tests)

%C%_opencl_devices_SOURCES = %D%/opencl_devices.c $(opencl_test_common)
%C%_opencl_devices_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_devices_LDADD = $(opencl_test_ldadd)

%C%_opencl_kernels_SOURCES = %D%/opencl_kernels.c $(opencl_test_common)
%C%_opencl_kernels_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_kernels_LDADD = $(opencl_test_ldadd)

%C%_opencl_memory_SOURCES = %D%/opencl_memory.c $(opencl_test_common)
%C%_opencl_memory_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_memory_LDADD = $(opencl_test_ldadd)

%C%_opencl_queues_SOURCES = %D%/opencl_queues.c $(opencl_test_common)
%C%_opencl_queues_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_queues_LDADD = $(opencl_test_ldadd)
endif
