# SPDX-License-Identifier: Apache-2.0
# Tests of the whole runtime: the end of a process, forks, threads, faults.

life_tests = %D%/api_exit %D%/api_forked %D%/api_life %D%/api_local \
	%D%/api_process %D%/api_threads %D%/unit_exec_faults %D%/unit_faults \
	%D%/unit_faults_arrays %D%/unit_faults_derived \
	%D%/unit_faults_expressions %D%/unit_faults_files \
	%D%/unit_faults_linalg \
	%D%/unit_faults_shapes %D%/unit_faults_spacing
check_PROGRAMS += $(life_tests)
TESTS += $(life_tests)
TESTS += %D%/api_forked.sh
dist_check_SCRIPTS += %D%/api_forked.sh
noinst_HEADERS += %D%/threads.h

%C%_api_exit_CPPFLAGS = $(api_cppflags)
%C%_api_exit_LDADD = $(api_ldadd)
%C%_api_forked_CPPFLAGS = $(api_cppflags)
%C%_api_forked_LDADD = $(api_ldadd)
%C%_api_life_CPPFLAGS = $(api_cppflags)
%C%_api_life_LDADD = $(api_ldadd)
%C%_api_local_CPPFLAGS = $(backend_cppflags)
%C%_api_local_LDADD = $(backend_ldadd)
%C%_api_process_CPPFLAGS = $(api_cppflags)
%C%_api_process_LDADD = $(api_ldadd)
%C%_api_threads_SOURCES = %D%/api_threads.c %D%/threads_pool.c
%C%_api_threads_CPPFLAGS = $(api_cppflags)
%C%_api_threads_LDADD = $(api_ldadd)
%C%_unit_exec_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_exec_faults_LDADD = $(unit_ldadd)
%C%_unit_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_LDADD = $(unit_ldadd)
%C%_unit_faults_arrays_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_arrays_LDADD = $(unit_ldadd)
%C%_unit_faults_derived_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_derived_LDADD = $(unit_ldadd)
%C%_unit_faults_expressions_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_expressions_LDADD = $(unit_ldadd)
%C%_unit_faults_files_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_files_LDADD = $(unit_ldadd)
%C%_unit_faults_linalg_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_linalg_LDADD = $(unit_ldadd) -lm
%C%_unit_faults_shapes_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_shapes_LDADD = $(unit_ldadd)
%C%_unit_faults_spacing_CPPFLAGS = $(unit_cppflags)
%C%_unit_faults_spacing_LDADD = $(unit_ldadd)

# Two libraries that use dpr.  The program that opens them is not linked to dpr.
# They are not linked with libdpr.la: if the name of the build folder has a space,
# libtool cannot link a library with another one of the same build.
noinst_HEADERS += %D%/local_user.h
check_LTLIBRARIES += %D%/local_one.la %D%/local_two.la
local_user_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)
local_user_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere -Wl,.libs/libdpr.so '-Wl,-rpath,$$ORIGIN/../../../.libs'
%C%_local_one_la_SOURCES = %D%/local_user.c
%C%_local_one_la_CPPFLAGS = $(local_user_cppflags)
%C%_local_one_la_LDFLAGS = $(local_user_ldflags)
%C%_local_one_la_DEPENDENCIES = libdpr.la
%C%_local_two_la_SOURCES = %D%/local_user.c
%C%_local_two_la_CPPFLAGS = $(local_user_cppflags)
%C%_local_two_la_LDFLAGS = $(local_user_ldflags)
%C%_local_two_la_DEPENDENCIES = libdpr.la

# Eight threads do all kinds of jobs for a minute, with a seed from the clock.
check-threads: %D%/api_threads $(check_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) DPR_TEST_SECONDS=$${DPR_TEST_SECONDS-60} \
	%D%/api_threads
.PHONY: check-threads
