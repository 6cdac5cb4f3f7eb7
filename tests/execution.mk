# SPDX-License-Identifier: Apache-2.0
# Tests of queues, events and memory.

noinst_HEADERS += %D%/faults.h %D%/leaks.h %D%/pool_test.h %D%/runtime_test.h
exec_tests = %D%/api_allocator \
	%D%/api_contract \
	%D%/api_event \
	%D%/api_exit \
	%D%/api_find \
	%D%/api_forked \
	%D%/api_held \
	%D%/api_held_chains \
	%D%/api_launch \
	%D%/api_layers \
	%D%/api_life \
	%D%/api_local \
	%D%/api_order \
	%D%/api_order_random \
	%D%/api_overlap \
	%D%/api_pool \
	%D%/api_pool_driver \
	%D%/api_pool_limit \
	%D%/api_pool_order \
	%D%/api_queue \
	%D%/api_threads \
	%D%/api_spoiled \
	%D%/api_spoiled_parts \
	%D%/api_staging \
	%D%/api_transfer \
	%D%/api_transfer_random \
	%D%/api_usm \
	%D%/unit_access \
	%D%/unit_exec_faults \
	%D%/unit_faults \
	%D%/unit_faults_arrays \
	%D%/unit_hot \
	%D%/unit_pool \
	%D%/unit_spoil
check_PROGRAMS += $(exec_tests)
TESTS += $(exec_tests) %D%/api_forked.sh
dist_check_SCRIPTS += %D%/api_forked.sh
%C%_api_contract_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_contract_LDADD = $(api_ldadd)
%C%_api_event_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_event_LDADD = $(api_ldadd)
%C%_api_exit_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_exit_LDADD = $(api_ldadd)
%C%_api_find_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_find_LDADD = $(api_ldadd)
%C%_api_forked_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_forked_LDADD = $(api_ldadd)
%C%_api_held_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_held_LDADD = $(api_ldadd)
%C%_api_held_chains_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_held_chains_LDADD = $(api_ldadd)
%C%_api_layers_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_layers_LDADD = $(api_ldadd)
%C%_api_launch_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_launch_LDADD = $(api_ldadd)
%C%_api_life_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_life_LDADD = $(api_ldadd)
%C%_api_order_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_order_LDADD = $(api_ldadd)
%C%_api_order_random_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_order_random_LDADD = $(api_ldadd)
%C%_api_allocator_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_allocator_LDADD = $(api_ldadd)
%C%_api_pool_driver_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_pool_driver_LDADD = $(api_ldadd)
%C%_api_pool_limit_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_pool_limit_LDADD = $(api_ldadd)
%C%_api_overlap_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_overlap_LDADD = $(api_ldadd)
%C%_api_pool_order_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_pool_order_LDADD = $(api_ldadd)
%C%_api_pool_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_pool_LDADD = $(api_ldadd)
%C%_api_queue_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_queue_LDADD = $(api_ldadd)
noinst_HEADERS += %D%/threads.h
%C%_api_threads_SOURCES = %D%/api_threads.c %D%/threads_pool.c
%C%_api_threads_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_threads_LDADD = $(api_ldadd)
%C%_api_spoiled_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_spoiled_LDADD = $(api_ldadd)
%C%_api_spoiled_parts_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_spoiled_parts_LDADD = $(api_ldadd)
%C%_api_staging_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_staging_LDADD = $(api_ldadd)
%C%_api_transfer_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_transfer_LDADD = $(api_ldadd)
%C%_api_transfer_random_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_transfer_random_LDADD = $(api_ldadd)
%C%_api_usm_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_usm_LDADD = $(api_ldadd)
%C%_unit_access_CPPFLAGS = $(unit_cppflags)
%C%_unit_access_LDADD = $(unit_ldadd)
%C%_unit_exec_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_exec_faults_LDADD = $(unit_ldadd)
%C%_unit_hot_CPPFLAGS = $(unit_cppflags)
%C%_unit_hot_LDADD = $(unit_ldadd)
%C%_unit_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_LDADD = $(unit_ldadd)
%C%_unit_faults_arrays_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_arrays_LDADD = $(unit_ldadd)

# Two libraries that use dpr, for a program that does not link it.  They are not
# linked with libdpr.la: where the name of the build folder has a space, libtool
# cannot link a library with another one of the same build.
noinst_HEADERS += %D%/local_user.h
check_LTLIBRARIES += %D%/local_one.la %D%/local_two.la
local_user_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)
local_user_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere -Wl,.libs/libdpr.so '-Wl,-rpath,$$ORIGIN/../../.libs'
%C%_local_one_la_SOURCES = %D%/local_user.c
%C%_local_one_la_CPPFLAGS = $(local_user_cppflags)
%C%_local_one_la_LDFLAGS = $(local_user_ldflags)
%C%_local_one_la_DEPENDENCIES = libdpr.la
%C%_local_two_la_SOURCES = %D%/local_user.c
%C%_local_two_la_CPPFLAGS = $(local_user_cppflags)
%C%_local_two_la_LDFLAGS = $(local_user_ldflags)
%C%_local_two_la_DEPENDENCIES = libdpr.la
%C%_api_local_CPPFLAGS = $(backend_cppflags)
%C%_api_local_LDADD = $(backend_ldadd)
%C%_unit_spoil_CPPFLAGS = $(unit_cppflags)
%C%_unit_spoil_LDADD = $(unit_ldadd)
%C%_unit_pool_CPPFLAGS = $(unit_cppflags)
%C%_unit_pool_LDADD = $(unit_ldadd)

# Eight threads that do everything, for a minute, with a seed of the clock's.
check-threads: %D%/api_threads $(check_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) DPR_TEST_SECONDS=$${DPR_TEST_SECONDS-60} \
	%D%/api_threads
.PHONY: check-threads
