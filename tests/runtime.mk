# SPDX-License-Identifier: Apache-2.0
# Tests of the runtime.

check_PROGRAMS += tests/api_kernel
TESTS += tests/api_kernel
tests_api_kernel_CPPFLAGS = $(api_cppflags)
tests_api_kernel_LDADD = $(api_ldadd)

check_PROGRAMS += tests/api_kernel_cache
TESTS += tests/api_kernel_cache
tests_api_kernel_cache_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
tests_api_kernel_cache_LDADD = $(api_ldadd)

# The driver's own handles.
check_PROGRAMS += tests/api_native tests/api_wrapped
TESTS += tests/api_native tests/api_wrapped
tests_api_native_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
tests_api_native_LDADD = $(api_ldadd)
tests_api_wrapped_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
tests_api_wrapped_LDADD = $(api_ldadd)

include $(top_srcdir)/tests/execution.mk

# Loader, devices, selectors.
noinst_HEADERS += %D%/device_select.h %D%/loader_files.h
loader_tests = %D%/api_damaged %D%/api_devices %D%/api_echo \
	%D%/api_loader %D%/api_parts %D%/api_process %D%/unit_loader
check_PROGRAMS += $(loader_tests)
TESTS += $(loader_tests)
%C%_api_damaged_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_damaged_LDADD = $(api_ldadd)
%C%_api_devices_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_devices_LDADD = $(api_ldadd)
%C%_api_echo_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_echo_LDADD = $(api_ldadd)
%C%_api_loader_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_loader_LDADD = $(api_ldadd)
%C%_api_parts_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_parts_LDADD = $(api_ldadd)
%C%_api_process_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_process_LDADD = $(api_ldadd)
%C%_unit_loader_CPPFLAGS = $(unit_cppflags)
%C%_unit_loader_LDADD = $(unit_ldadd)

# dpr devices and dpr doctor, on the test plugins.
dist_check_SCRIPTS += %D%/check-drivers.sh %D%/check-tools.sh
TESTS += %D%/check-drivers.sh %D%/check-tools.sh
