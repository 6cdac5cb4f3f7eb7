# SPDX-License-Identifier: Apache-2.0
# The software Level Zero driver, and its own tests: see README.md.

EXTRA_DIST += %D%/README.md
noinst_HEADERS += %D%/zecpu.h %D%/zecpu_test.h

if HAVE_ZE_LOADER
check_LTLIBRARIES += %D%/driver/libzecpu.la
%C%_driver_libzecpu_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) \
	-I$(top_srcdir)/%D%/driver -DZECPU_LLVM=$(ZECPU_LLVM) \
	-DZECPU_CACHE_FOLDER='"$(abs_top_builddir)/tests/cache/zecpu"'
%C%_driver_libzecpu_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
%C%_driver_libzecpu_la_LDFLAGS = $(AM_LDFLAGS) -module -shared -avoid-version \
	-rpath /nowhere $(DPR_Z_DEFS) $(DPR_Z_NODELETE)
%C%_driver_libzecpu_la_LIBADD = $(DPR_LIBS)
%C%_driver_libzecpu_la_SOURCES = \
	%D%/driver/zecpu_check.c \
	%D%/driver/zecpu_context.c \
	%D%/driver/zecpu_control.c \
	%D%/driver/zecpu_device.c \
	%D%/driver/zecpu_driver.c \
	%D%/driver/zecpu_empty.c \
	%D%/driver/zecpu_engine.c \
	%D%/driver/zecpu_entries.h \
	%D%/driver/zecpu_event.c \
	%D%/driver/zecpu_exec.c \
	%D%/driver/zecpu_impl.h \
	%D%/driver/zecpu_ipc.c \
	%D%/driver/zecpu_kernel.c \
	%D%/driver/zecpu_list.c \
	%D%/driver/zecpu_memory.c \
	%D%/driver/zecpu_module.c \
	%D%/driver/zecpu_queue.c \
	%D%/driver/zecpu_report.c \
	%D%/driver/zecpu_run.c \
	%D%/driver/zecpu_spirv.c

zecpu_tests = %D%/zecpu_client %D%/zecpu_knobs %D%/zecpu_misuse \
	%D%/zecpu_modules %D%/zecpu_threads
check_PROGRAMS += $(zecpu_tests)
TESTS += $(zecpu_tests) %D%/zecpu_layers.sh

%C%_zecpu_client_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS) \
	-DZECPU_LLVM=$(ZECPU_LLVM)
%C%_zecpu_client_LDADD = -lze_loader $(CHECK_LIBS) $(DPR_LIBS)
%C%_zecpu_knobs_CPPFLAGS = $(%C%_zecpu_client_CPPFLAGS)
%C%_zecpu_knobs_LDADD = $(%C%_zecpu_client_LDADD)
%C%_zecpu_misuse_CPPFLAGS = $(%C%_zecpu_client_CPPFLAGS)
%C%_zecpu_misuse_LDADD = $(%C%_zecpu_client_LDADD)
%C%_zecpu_modules_CPPFLAGS = $(%C%_zecpu_client_CPPFLAGS)
%C%_zecpu_modules_LDADD = $(%C%_zecpu_client_LDADD)
%C%_zecpu_threads_CPPFLAGS = $(%C%_zecpu_client_CPPFLAGS)
%C%_zecpu_threads_LDADD = $(%C%_zecpu_client_LDADD)
endif
dist_check_SCRIPTS += %D%/zecpu_layers.sh
