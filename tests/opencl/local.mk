# SPDX-License-Identifier: Apache-2.0
# Tests of the OpenCL backend: the plugin alone, without libdpr.

opencl_test_common = \
	tests/support/backend_host_table.c \
	tests/support/backend_host_table.h \
	%D%/opencl_support.c %D%/opencl_support.h
opencl_mock = %D%/opencl_mock.h %D%/icd/mock_icd.h $(opencl_test_common)
opencl_test_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
opencl_test_ldadd = $(CHECK_LIBS) $(DPR_LIBS)

dist_check_SCRIPTS += %D%/calls/clblast.sh %D%/cold-exit.sh %D%/cpu-libraries.sh
EXTRA_DIST += $(opencl_mock)
dist_check_SCRIPTS += %D%/cold-exit.sh
clblast_test = %D%/calls/clblast_test.h %D%/calls/fake_clblast.h \
	tests/support/gemm_values.h

EXTRA_DIST += $(opencl_mock) $(clblast_test)

if HAVE_OPENCL_BACKEND
opencl_tests = \
	%D%/calls/api_clblast \
	%D%/calls/opencl_clblast \
	%D%/calls/opencl_mock_clblast \
	%D%/opencl_devices \
	%D%/opencl_intel \
	%D%/opencl_kernels \
	%D%/opencl_memory \
	%D%/opencl_mock_calls \
	%D%/opencl_mock_icd \
	%D%/opencl_mock_native \
	%D%/opencl_mock_programs \
	%D%/opencl_native \
	%D%/opencl_oclgrind \
	%D%/opencl_options \
	%D%/opencl_queues

check_PROGRAMS += $(opencl_tests)
TESTS += $(opencl_tests)

# Six times, a program that ends while the driver compiles or computes, with empty
# caches.
check_PROGRAMS += %D%/cold_exit
TESTS += %D%/cold-exit.sh
%C%_cold_exit_CPPFLAGS = $(AM_CPPFLAGS)
%C%_cold_exit_LDADD = libdpr.la

# The programs of other folders, with the libraries of a CPU.
TESTS += %D%/calls/clblast.sh %D%/cpu-libraries.sh

%C%_opencl_devices_SOURCES = %D%/opencl_devices.c $(opencl_test_common)
%C%_opencl_devices_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_devices_LDADD = $(opencl_test_ldadd)

%C%_opencl_intel_SOURCES = %D%/opencl_intel.c $(opencl_test_common)
%C%_opencl_intel_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_intel_LDADD = $(opencl_test_ldadd)

%C%_opencl_kernels_SOURCES = %D%/opencl_kernels.c $(opencl_test_common)
%C%_opencl_kernels_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_kernels_LDADD = $(opencl_test_ldadd)

%C%_opencl_memory_SOURCES = %D%/opencl_memory.c $(opencl_test_common)
%C%_opencl_memory_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_memory_LDADD = $(opencl_test_ldadd)

%C%_opencl_native_SOURCES = %D%/opencl_native.c $(opencl_test_common)
%C%_opencl_native_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_native_LDADD = $(opencl_test_ldadd)

%C%_opencl_oclgrind_SOURCES = %D%/opencl_oclgrind.c $(opencl_test_common)
%C%_opencl_oclgrind_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_oclgrind_LDADD = $(opencl_test_ldadd)

%C%_opencl_options_SOURCES = %D%/opencl_options.c $(opencl_test_common)
%C%_opencl_options_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_options_LDADD = $(opencl_test_ldadd)

%C%_opencl_queues_SOURCES = %D%/opencl_queues.c $(opencl_test_common)
%C%_opencl_queues_CPPFLAGS = $(opencl_test_cppflags)
%C%_opencl_queues_LDADD = $(opencl_test_ldadd)

# With the library tests/functions/fake_cblas.c.
%C%_opencl_mock_calls_SOURCES = %D%/opencl_mock_calls.c $(opencl_mock)
%C%_opencl_mock_calls_CPPFLAGS = $(opencl_test_cppflags) \
	$(OPENCL_CPPFLAGS)
%C%_opencl_mock_calls_LDADD = $(opencl_test_ldadd)

%C%_opencl_mock_icd_SOURCES = %D%/opencl_mock_icd.c $(opencl_mock)
%C%_opencl_mock_icd_CPPFLAGS = $(opencl_test_cppflags) \
	$(OPENCL_CPPFLAGS)
%C%_opencl_mock_icd_LDADD = $(opencl_test_ldadd)

%C%_opencl_mock_native_SOURCES = %D%/opencl_mock_native.c $(opencl_mock)
%C%_opencl_mock_native_CPPFLAGS = $(opencl_test_cppflags) \
	$(OPENCL_CPPFLAGS)
%C%_opencl_mock_native_LDADD = $(opencl_test_ldadd)

%C%_opencl_mock_programs_SOURCES = %D%/opencl_mock_programs.c $(opencl_mock)
%C%_opencl_mock_programs_CPPFLAGS = $(opencl_test_cppflags) \
	$(OPENCL_CPPFLAGS)
%C%_opencl_mock_programs_LDADD = $(opencl_test_ldadd)

# Products by CLBlast, and a library in place of CLBlast.
%C%_calls_opencl_clblast_SOURCES = %D%/calls/opencl_clblast.c \
	$(opencl_test_common) $(clblast_test)
%C%_calls_opencl_clblast_CPPFLAGS = $(opencl_test_cppflags) \
	$(OPENCL_CPPFLAGS)
%C%_calls_opencl_clblast_LDADD = libdpr.la $(opencl_test_ldadd) -lm
%C%_calls_opencl_mock_clblast_SOURCES = %D%/calls/opencl_mock_clblast.c \
	$(opencl_mock) $(clblast_test)
%C%_calls_opencl_mock_clblast_CPPFLAGS = $(opencl_test_cppflags) \
	$(OPENCL_CPPFLAGS)
%C%_calls_opencl_mock_clblast_LDADD = libdpr.la $(opencl_test_ldadd) -lm
%C%_calls_api_clblast_CPPFLAGS = $(api_cppflags)
%C%_calls_api_clblast_LDADD = $(api_ldadd) -lm
check_LTLIBRARIES += %D%/calls/fake_clblast.la
%C%_calls_fake_clblast_la_SOURCES = %D%/calls/fake_clblast.c \
	%D%/calls/fake_clblast.h
%C%_calls_fake_clblast_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) \
	$(OPENCL_CPPFLAGS)
%C%_calls_fake_clblast_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-shared -rpath /nowhere
%C%_calls_fake_clblast_la_LIBADD = $(DPR_LIBS)

# A mock OpenCL driver, loaded by the real ICD loader.
check_LTLIBRARIES += %D%/icd/mock_icd.la
%C%_icd_mock_icd_la_SOURCES = %D%/icd/mock_icd.c %D%/icd/mock_icd.h \
	%D%/icd/mock_icd_kernels.c %D%/icd/mock_icd_run.c \
	%D%/icd/mock_objects.h
%C%_icd_mock_icd_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
%C%_icd_mock_icd_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere

# Oclgrind as a driver, and the tests that run on it.
check_LTLIBRARIES += %D%/icd/watch_icd.la
%C%_icd_watch_icd_la_SOURCES = %D%/icd/watch_icd.c
%C%_icd_watch_icd_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
%C%_icd_watch_icd_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere
%C%_icd_watch_icd_la_LIBADD = $(DPR_LIBS)

check_PROGRAMS += %D%/api_oclgrind
%C%_api_oclgrind_CPPFLAGS = $(api_cppflags)
%C%_api_oclgrind_LDADD = $(api_ldadd)

# Intel's driver without a GPU.  All modules, which take minutes, only by hand.
TESTS += %D%/intel-driver.sh
intel_tests += %D%/intel-driver.sh %D%/opencl_intel
check-intel-whole: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(AM_TESTS_ENVIRONMENT) $(SHELL) \
		$(top_srcdir)/%D%/intel-driver.sh whole || test $$? -eq 77

# Array kernels of all kinds on Oclgrind, for minutes.  Exit status 77
# means that something is missing, and the script has printed what.
check-oclgrind: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/%D%/oclgrind.sh \
		|| test $$? -eq 77
check-oclgrind-layouts: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/%D%/oclgrind.sh layouts \
		|| test $$? -eq 77
else
check-oclgrind check-oclgrind-layouts check-intel-whole:
	@echo "skipped: the OpenCL backend is left out"
endif
.PHONY: check-intel-whole check-oclgrind check-oclgrind-layouts
dist_check_SCRIPTS += %D%/intel-driver.sh %D%/oclgrind.sh
