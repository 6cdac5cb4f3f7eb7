# SPDX-License-Identifier: Apache-2.0
# Tests of plugins through the ABI alone: the mock, host, CUDA, OpenCL and Level
# Zero backends, and, with DPR_TEST_BACKENDS, any other.

backend_tests = \
	%D%/backend_device \
	%D%/backend_event \
	%D%/backend_host \
	%D%/backend_life \
	%D%/backend_memory \
	%D%/backend_mock \
	%D%/backend_module \
	%D%/backend_queue

check_PROGRAMS += $(backend_tests)
TESTS += $(backend_tests)
dist_check_SCRIPTS += %D%/backend-cuda.sh %D%/backend-level-zero.sh \
	%D%/backend-opencl.sh
TESTS += %D%/backend-cuda.sh %D%/backend-level-zero.sh %D%/backend-opencl.sh

backend_rig = %D%/backend_rig.c %D%/backend_rig.h %D%/backend_kernels.c

%C%_backend_device_CPPFLAGS = $(backend_cppflags)
%C%_backend_device_LDADD = $(backend_ldadd)
%C%_backend_device_SOURCES = %D%/backend_device.c $(backend_rig)

%C%_backend_event_CPPFLAGS = $(backend_cppflags)
%C%_backend_event_LDADD = $(backend_ldadd)
%C%_backend_event_SOURCES = %D%/backend_event.c $(backend_rig)

%C%_backend_life_CPPFLAGS = $(backend_cppflags)
%C%_backend_life_LDADD = $(backend_ldadd)
%C%_backend_life_SOURCES = %D%/backend_life.c $(backend_rig)

%C%_backend_memory_CPPFLAGS = $(backend_cppflags)
%C%_backend_memory_LDADD = $(backend_ldadd)
%C%_backend_memory_SOURCES = %D%/backend_memory.c $(backend_rig)

%C%_backend_module_CPPFLAGS = $(backend_cppflags)
%C%_backend_module_LDADD = $(backend_ldadd)
%C%_backend_module_SOURCES = %D%/backend_module.c $(backend_rig)

%C%_backend_queue_CPPFLAGS = $(backend_cppflags)
%C%_backend_queue_LDADD = $(backend_ldadd)
%C%_backend_queue_SOURCES = %D%/backend_queue.c $(backend_rig)

%C%_backend_host_CPPFLAGS = $(backend_cppflags)
%C%_backend_host_LDADD = $(backend_ldadd)
%C%_backend_host_SOURCES = %D%/backend_host.c $(backend_rig)

%C%_backend_mock_CPPFLAGS = $(backend_cppflags)
%C%_backend_mock_LDADD = $(backend_ldadd)
%C%_backend_mock_SOURCES = %D%/backend_mock.c $(backend_rig)
