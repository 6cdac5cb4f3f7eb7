# SPDX-License-Identifier: Apache-2.0
# Tests of core/runtime/memory: allocations, their uses, and pools.

memory_tests = %D%/api_allocator %D%/api_find %D%/api_pool \
	%D%/api_ipc %D%/api_pool_driver %D%/api_pool_limit %D%/api_pool_order \
	%D%/api_usm %D%/unit_origin %D%/unit_pool %D%/unit_uses
check_PROGRAMS += $(memory_tests)
TESTS += $(memory_tests)

%C%_api_allocator_CPPFLAGS = $(api_cppflags)
%C%_api_allocator_LDADD = $(api_ldadd)
%C%_api_find_CPPFLAGS = $(api_cppflags)
%C%_api_find_LDADD = $(api_ldadd)
%C%_api_ipc_CPPFLAGS = $(api_cppflags)
%C%_api_ipc_LDADD = $(api_ldadd)
%C%_api_pool_CPPFLAGS = $(api_cppflags)
%C%_api_pool_LDADD = $(api_ldadd)
%C%_api_pool_driver_CPPFLAGS = $(api_cppflags)
%C%_api_pool_driver_LDADD = $(api_ldadd)
%C%_api_pool_limit_CPPFLAGS = $(api_cppflags)
%C%_api_pool_limit_LDADD = $(api_ldadd)
%C%_api_pool_order_CPPFLAGS = $(api_cppflags)
%C%_api_pool_order_LDADD = $(api_ldadd)
%C%_api_usm_CPPFLAGS = $(api_cppflags)
%C%_api_usm_LDADD = $(api_ldadd)
%C%_unit_origin_CPPFLAGS = $(unit_cppflags)
%C%_unit_origin_LDADD = $(unit_ldadd)
%C%_unit_uses_CPPFLAGS = $(unit_cppflags)
%C%_unit_uses_LDADD = $(unit_ldadd)
%C%_unit_pool_CPPFLAGS = $(unit_cppflags)
%C%_unit_pool_LDADD = $(unit_ldadd)
