# SPDX-License-Identifier: Apache-2.0
# Tests of the mock and of the host backend through the ABI alone.  The contract
# of all plugins is in tools/kit, and tests/kit runs it.

backend_tests = %D%/backend_here %D%/backend_host %D%/backend_mock

check_PROGRAMS += $(backend_tests)
TESTS += $(backend_tests)

backend_rig = %D%/backend_rig.c %D%/backend_rig.h %D%/backend_kernels.c

%C%_backend_here_CPPFLAGS = $(backend_cppflags)
%C%_backend_here_LDADD = $(backend_ldadd)
%C%_backend_here_SOURCES = %D%/backend_here.c $(backend_rig)

%C%_backend_host_CPPFLAGS = $(backend_cppflags)
%C%_backend_host_LDADD = $(backend_ldadd)
%C%_backend_host_SOURCES = %D%/backend_host.c $(backend_rig)

%C%_backend_mock_CPPFLAGS = $(backend_cppflags)
%C%_backend_mock_LDADD = $(backend_ldadd)
%C%_backend_mock_SOURCES = %D%/backend_mock.c $(backend_rig)
