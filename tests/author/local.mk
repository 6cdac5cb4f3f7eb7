# SPDX-License-Identifier: Apache-2.0
# Tests of what is installed for authors of backends.

author_tests = %D%/api_formats %D%/api_minimal %D%/unit_abi %D%/unit_help \
	%D%/unit_help_faults %D%/unit_help_faults_pool %D%/unit_help_pool \
	%D%/unit_help_queue %D%/unit_help_queue_pool %D%/unit_help_team \
	%D%/unit_kernel_files %D%/unit_kernel_products %D%/unit_kernel_puts \
	%D%/unit_kernel_reductions
check_PROGRAMS += $(author_tests)
author_scripts = %D%/check-abi.sh %D%/check-abi-doc.sh %D%/released.sh
dist_check_SCRIPTS += $(author_scripts)
TESTS += $(author_tests) $(author_scripts)

%C%_api_formats_CPPFLAGS = $(api_cppflags)
%C%_api_formats_LDADD = $(api_ldadd)
%C%_api_minimal_CPPFLAGS = $(api_cppflags)
%C%_api_minimal_LDADD = $(api_ldadd)

noinst_HEADERS += %D%/abi_entries.def %D%/abi_plugin.def %D%/abi_public.def
%C%_unit_abi_CPPFLAGS = $(backend_cppflags)
%C%_unit_abi_LDADD = $(CHECK_LIBS)

author_host = tests/support/backend_host_table.c \
	tests/support/backend_host_table.h

%C%_unit_kernel_files_CPPFLAGS = $(unit_cppflags)
%C%_unit_kernel_files_LDADD = $(unit_ldadd)
%C%_unit_kernel_puts_CPPFLAGS = $(unit_cppflags)
%C%_unit_kernel_puts_LDADD = $(unit_ldadd)
%C%_unit_kernel_products_CPPFLAGS = $(unit_cppflags)
%C%_unit_kernel_products_LDADD = $(unit_ldadd)
%C%_unit_kernel_reductions_CPPFLAGS = $(unit_cppflags)
%C%_unit_kernel_reductions_LDADD = $(unit_ldadd)

%C%_unit_help_CPPFLAGS = $(backend_cppflags)
%C%_unit_help_LDADD = $(backend_ldadd)
%C%_unit_help_SOURCES = %D%/unit_help.c $(author_host)

%C%_unit_help_team_CPPFLAGS = $(backend_cppflags)
%C%_unit_help_team_LDADD = $(backend_ldadd)
%C%_unit_help_team_SOURCES = %D%/unit_help_team.c $(author_host)
# The queues of <dpr/backend-help.h>: with a thread each, and on a pool.
noinst_HEADERS += %D%/help_steps.h
%C%_unit_help_pool_CPPFLAGS = $(backend_cppflags)
%C%_unit_help_pool_LDADD = $(backend_ldadd)
%C%_unit_help_pool_SOURCES = %D%/unit_help_pool.c $(author_host)
%C%_unit_help_queue_pool_CPPFLAGS = $(backend_cppflags) -DON_POOL
%C%_unit_help_queue_pool_LDADD = $(backend_ldadd)
%C%_unit_help_queue_pool_SOURCES = %D%/unit_help_queue.c $(author_host)
%C%_unit_help_faults_pool_CPPFLAGS = $(backend_cppflags) -DON_POOL
%C%_unit_help_faults_pool_LDADD = $(backend_ldadd)
%C%_unit_help_faults_pool_SOURCES = %D%/unit_help_faults.c $(author_host)
%C%_unit_help_faults_CPPFLAGS = $(backend_cppflags)
%C%_unit_help_faults_LDADD = $(backend_ldadd)
%C%_unit_help_faults_SOURCES = %D%/unit_help_faults.c $(author_host)
%C%_unit_help_queue_CPPFLAGS = $(backend_cppflags)
%C%_unit_help_queue_LDADD = $(backend_ldadd)
%C%_unit_help_queue_SOURCES = %D%/unit_help_queue.c $(author_host)
