# SPDX-License-Identifier: Apache-2.0
# Tests of core/runtime/plugin: finding, loading and trusting plugin files.

plugin_tests = %D%/api_check %D%/api_contract %D%/api_damaged %D%/api_echo \
	%D%/api_fault %D%/api_guard %D%/api_loader \
	%D%/api_rank %D%/unit_layer %D%/unit_loader
check_PROGRAMS += $(plugin_tests)
TESTS += $(plugin_tests)

# Tests of other folders with the layer "check".
dist_check_SCRIPTS += %D%/layer-suite.sh
TESTS += %D%/layer-suite.sh

%C%_api_check_CPPFLAGS = $(api_cppflags)
%C%_api_check_LDADD = $(api_ldadd)
%C%_api_contract_CPPFLAGS = $(api_cppflags)
%C%_api_contract_LDADD = $(api_ldadd)
%C%_api_damaged_CPPFLAGS = $(api_cppflags)
%C%_api_damaged_LDADD = $(api_ldadd)
%C%_api_echo_CPPFLAGS = $(api_cppflags)
%C%_api_echo_LDADD = $(api_ldadd)
%C%_api_fault_CPPFLAGS = $(api_cppflags)
%C%_api_fault_LDADD = $(api_ldadd)
%C%_api_guard_CPPFLAGS = $(api_cppflags)
%C%_api_guard_LDADD = $(api_ldadd)
%C%_api_loader_CPPFLAGS = $(api_cppflags)
%C%_api_loader_LDADD = $(api_ldadd)
%C%_api_rank_CPPFLAGS = $(api_cppflags)
%C%_api_rank_LDADD = $(api_ldadd)
%C%_unit_layer_CPPFLAGS = $(unit_cppflags)
%C%_unit_layer_LDADD = $(unit_ldadd)
%C%_unit_loader_CPPFLAGS = $(unit_cppflags)
%C%_unit_loader_LDADD = $(unit_ldadd)
