# SPDX-License-Identifier: Apache-2.0
# Tests of core/runtime/device: selection, sub-devices, native handles.

device_tests = %D%/api_devices %D%/api_native %D%/api_parts %D%/api_wrapped \
	%D%/api_wrapped_queue
check_PROGRAMS += $(device_tests)
TESTS += $(device_tests)

%C%_api_devices_CPPFLAGS = $(api_cppflags)
%C%_api_devices_LDADD = $(api_ldadd)
%C%_api_native_CPPFLAGS = $(api_cppflags)
%C%_api_native_LDADD = $(api_ldadd)
%C%_api_parts_CPPFLAGS = $(api_cppflags)
%C%_api_parts_LDADD = $(api_ldadd)
%C%_api_wrapped_CPPFLAGS = $(api_cppflags)
%C%_api_wrapped_LDADD = $(api_ldadd)
%C%_api_wrapped_queue_CPPFLAGS = $(api_cppflags)
%C%_api_wrapped_queue_LDADD = $(api_ldadd)
