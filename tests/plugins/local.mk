# SPDX-License-Identifier: Apache-2.0
# The mock backend, built three times; tests/plugins/mock.h says why.

noinst_HEADERS += %D%/mock.h %D%/mock_control.h

mock_sources = \
	%D%/mock/mock_arrays.c \
	%D%/mock/mock_control.c \
	%D%/mock/mock_device.c \
	%D%/mock/mock_event.c \
	%D%/mock/mock_reduce.c \
	%D%/mock/mock_reduce.h \
	%D%/mock/mock_impl.h \
	%D%/mock/mock_kernels.c \
	%D%/mock/mock_mem.c \
	%D%/mock/mock_module.c \
	%D%/mock/mock_plugin.c \
	%D%/mock/mock_queue.c \
	%D%/mock/mock_worker.c

check_LTLIBRARIES += \
	%D%/libdpr-mock.la \
	%D%/libdpr-mock2.la \
	%D%/libdpr-mock_bare.la

%C%_libdpr_mock_la_CPPFLAGS = $(plugin_cppflags)
%C%_libdpr_mock_la_LDFLAGS = $(test_plugin_ldflags)
%C%_libdpr_mock_la_LIBADD = $(plugin_libs)
%C%_libdpr_mock_la_SOURCES = $(mock_sources)

%C%_libdpr_mock2_la_CPPFLAGS = $(plugin_cppflags) \
	-DMOCK_NAME='"mock2"' -DMOCK_MINOR=1
%C%_libdpr_mock2_la_LDFLAGS = $(test_plugin_ldflags)
%C%_libdpr_mock2_la_LIBADD = $(plugin_libs)
%C%_libdpr_mock2_la_SOURCES = $(mock_sources)

%C%_libdpr_mock_bare_la_CPPFLAGS = $(plugin_cppflags) \
	-DMOCK_NAME='"mock_bare"' -DMOCK_BARE
%C%_libdpr_mock_bare_la_LDFLAGS = $(test_plugin_ldflags)
%C%_libdpr_mock_bare_la_LIBADD = $(plugin_libs)
%C%_libdpr_mock_bare_la_SOURCES = $(mock_sources)

# bad: a backend that breaks the rules on demand.  bad_plain: a library that is no
# backend.  bad_dependent: a library that is linked to a backend.  A search for
# plugins does not find them, since their names do not begin with libdpr-.
check_LTLIBRARIES += %D%/bad.la %D%/bad_plain.la %D%/bad_dependent.la

%C%_bad_la_CPPFLAGS = $(plugin_cppflags)
%C%_bad_la_LDFLAGS = $(test_plugin_ldflags)
%C%_bad_la_LIBADD = $(plugin_libs)
%C%_bad_la_SOURCES = %D%/bad.c

bad_other_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
%C%_bad_plain_la_CPPFLAGS = $(plugin_cppflags)
%C%_bad_plain_la_LDFLAGS = $(bad_other_ldflags)
%C%_bad_plain_la_SOURCES = %D%/bad_plain.c

%C%_bad_dependent_la_CPPFLAGS = $(plugin_cppflags)
%C%_bad_dependent_la_LDFLAGS = $(bad_other_ldflags) \
	-Wl,--no-as-needed,-rpath,'$$ORIGIN',%D%/.libs/bad.so
%C%_bad_dependent_la_DEPENDENCIES = %D%/bad.la
%C%_bad_dependent_la_SOURCES = %D%/bad_plain.c

# The smallest backends, under names that no search finds.
check_LTLIBRARIES += %D%/minimal.la %D%/minimal_kernels.la

%C%_minimal_la_CPPFLAGS = $(plugin_cppflags)
%C%_minimal_la_LDFLAGS = $(test_plugin_ldflags)
%C%_minimal_la_LIBADD = $(plugin_libs)
%C%_minimal_la_SOURCES = %D%/minimal.c
%C%_minimal_kernels_la_CPPFLAGS = $(plugin_cppflags) -DMINIMAL_KERNELS
%C%_minimal_kernels_la_LDFLAGS = $(test_plugin_ldflags)
%C%_minimal_kernels_la_LIBADD = $(plugin_libs)
%C%_minimal_kernels_la_SOURCES = %D%/minimal.c

# A backend that harms its process.
check_LTLIBRARIES += %D%/hostile.la

%C%_hostile_la_CPPFLAGS = $(plugin_cppflags)
%C%_hostile_la_CXXFLAGS = -std=c++17 -Wall -Wextra -pthread -fvisibility=hidden
%C%_hostile_la_LDFLAGS = $(test_plugin_ldflags)
%C%_hostile_la_LIBADD = $(plugin_libs)
%C%_hostile_la_SOURCES = %D%/hostile.cc
