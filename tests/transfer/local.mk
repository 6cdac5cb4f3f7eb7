# SPDX-License-Identifier: Apache-2.0
# Tests of core/runtime/transfer: copies between devices.

transfer_tests = %D%/api_copy_to %D%/api_host_path %D%/api_host_path_ends \
	%D%/api_no_bytes %D%/api_staging %D%/api_transfer \
	%D%/api_transfer_random %D%/unit_host_path_faults
check_PROGRAMS += $(transfer_tests)
TESTS += $(transfer_tests)

%C%_api_copy_to_CPPFLAGS = $(api_cppflags)
%C%_api_copy_to_LDADD = $(api_ldadd)
%C%_api_host_path_CPPFLAGS = $(api_cppflags)
%C%_api_host_path_LDADD = $(api_ldadd)
%C%_api_host_path_ends_CPPFLAGS = $(api_cppflags)
%C%_api_host_path_ends_LDADD = $(api_ldadd)
%C%_api_no_bytes_CPPFLAGS = $(api_cppflags)
%C%_api_no_bytes_LDADD = $(api_ldadd)
%C%_api_staging_CPPFLAGS = $(api_cppflags)
%C%_api_staging_LDADD = $(api_ldadd)
%C%_api_transfer_CPPFLAGS = $(api_cppflags)
%C%_api_transfer_LDADD = $(api_ldadd)
%C%_api_transfer_random_CPPFLAGS = $(api_cppflags)
%C%_api_transfer_random_LDADD = $(api_ldadd)
%C%_unit_host_path_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_host_path_faults_LDADD = $(unit_ldadd)
