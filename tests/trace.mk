# SPDX-License-Identifier: Apache-2.0
# Tests of the layer "trace".

noinst_HEADERS += %D%/trace_file.h
trace_tests = %D%/api_trace %D%/unit_trace
check_PROGRAMS += $(trace_tests)
TESTS += $(trace_tests)
%C%_api_trace_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_trace_LDADD = $(api_ldadd)
%C%_unit_trace_CPPFLAGS = $(unit_cppflags)
%C%_unit_trace_LDADD = $(unit_ldadd)

# Every public function has its line, and the dpr program makes such a file.
TESTS += %D%/api_trace.sh
dist_check_SCRIPTS += %D%/api_trace.sh
