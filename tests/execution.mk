# SPDX-License-Identifier: Apache-2.0
# Tests of queues, events and memory.

noinst_HEADERS += %D%/runtime_test.h
exec_tests = %D%/api_event \
	%D%/api_exit \
	%D%/api_held \
	%D%/api_life \
	%D%/api_order \
	%D%/api_queue \
	%D%/api_threads \
	%D%/api_transfer \
	%D%/api_usm \
	%D%/unit_access \
	%D%/unit_exec_faults \
	%D%/unit_hot
check_PROGRAMS += $(exec_tests)
TESTS += $(exec_tests)
%C%_api_event_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_event_LDADD = $(api_ldadd)
%C%_api_exit_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_exit_LDADD = $(api_ldadd)
%C%_api_held_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_held_LDADD = $(api_ldadd)
%C%_api_life_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_life_LDADD = $(api_ldadd)
%C%_api_order_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_order_LDADD = $(api_ldadd)
%C%_api_queue_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_queue_LDADD = $(api_ldadd)
%C%_api_threads_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_threads_LDADD = $(api_ldadd)
%C%_api_transfer_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_transfer_LDADD = $(api_ldadd)
%C%_api_usm_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_usm_LDADD = $(api_ldadd)
%C%_unit_access_CPPFLAGS = $(unit_cppflags)
%C%_unit_access_LDADD = $(unit_ldadd)
%C%_unit_exec_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_exec_faults_LDADD = $(unit_ldadd)
%C%_unit_hot_CPPFLAGS = $(unit_cppflags)
%C%_unit_hot_LDADD = $(unit_ldadd)
