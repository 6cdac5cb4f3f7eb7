# SPDX-License-Identifier: Apache-2.0
# Tests of dpr check-plugin: the plugins of this tree are clean.  That each
# planted fault is found in its group is tested by make check-tree.

check_LTLIBRARIES += %D%/libdpr-faulty.la

%C%_libdpr_faulty_la_CPPFLAGS = $(plugin_cppflags)
%C%_libdpr_faulty_la_LDFLAGS = $(test_plugin_ldflags)
%C%_libdpr_faulty_la_LIBADD = %D%/libfaultymock.la $(plugin_libs) -lm
%C%_libdpr_faulty_la_SOURCES = \
	%D%/faulty.c %D%/faulty.h \
	%D%/faulty_arrays.c \
	%D%/faulty_calls.c \
	%D%/faulty_copies.c \
	%D%/faulty_descriptor.c \
	%D%/faulty_devices.c \
	%D%/faulty_events.c \
	%D%/faulty_exit.c \
	%D%/faulty_finish.c \
	%D%/faulty_host_alloc.c \
	%D%/faulty_info.c \
	%D%/faulty_kernels.c \
	%D%/faulty_loss.c \
	%D%/faulty_memory.c \
	%D%/faulty_modules.c \
	%D%/faulty_open.c \
	%D%/faulty_order.c \
	%D%/faulty_outputs.c \
	%D%/faulty_promptness.c \
	%D%/faulty_threads.c \
	%D%/lapack/faulty_lapack.c %D%/lapack/faulty_lapack.h \
	%D%/lapack/lapack_dense.c

# The mock, with its entry symbol under another name.
check_LTLIBRARIES += %D%/libfaultymock.la
%C%_libfaultymock_la_CPPFLAGS = $(plugin_cppflags) -DMOCK_NAME='"faulty"' \
	-Ddpr_plugin_abi1=faulty_mock_entry
%C%_libfaultymock_la_SOURCES = $(mock_sources)

dist_check_SCRIPTS += %D%/check-plugin.sh %D%/check-plugin-faults.sh \
	%D%/check-plugin-threads.sh
TESTS += %D%/check-plugin.sh %D%/check-plugin-threads.sh
tree_tests += %D%/check-plugin-faults.sh
EXTRA_DIST += %D%/faults.txt
