# SPDX-License-Identifier: Apache-2.0
# Tests of core/runtime/queue: queues, events, and what failed.

queue_tests = %D%/api_event %D%/api_lost %D%/api_queue %D%/api_spoiled \
	%D%/api_spoiled_parts %D%/api_times %D%/api_wait_rule %D%/api_waits \
	%D%/unit_spoil
check_PROGRAMS += $(queue_tests)
TESTS += $(queue_tests)

%C%_api_event_CPPFLAGS = $(api_cppflags)
%C%_api_event_LDADD = $(api_ldadd)
%C%_api_lost_CPPFLAGS = $(api_cppflags)
%C%_api_lost_LDADD = $(api_ldadd)
%C%_api_queue_CPPFLAGS = $(api_cppflags)
%C%_api_queue_LDADD = $(api_ldadd)
%C%_api_spoiled_CPPFLAGS = $(api_cppflags)
%C%_api_spoiled_LDADD = $(api_ldadd)
%C%_api_spoiled_parts_CPPFLAGS = $(api_cppflags)
%C%_api_spoiled_parts_LDADD = $(api_ldadd)
%C%_api_times_CPPFLAGS = $(api_cppflags)
%C%_api_times_LDADD = $(api_ldadd)
%C%_api_wait_rule_CPPFLAGS = $(api_cppflags)
%C%_api_wait_rule_LDADD = $(api_ldadd)
%C%_api_waits_CPPFLAGS = $(api_cppflags)
%C%_api_waits_LDADD = $(api_ldadd)
%C%_unit_spoil_CPPFLAGS = $(unit_cppflags)
%C%_unit_spoil_LDADD = $(unit_ldadd)
