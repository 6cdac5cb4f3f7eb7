# SPDX-License-Identifier: Apache-2.0
# The host backend: the CPU, without any driver.

EXTRA_DIST += %D%/README.md

if HAVE_HOST_BACKEND
pkglib_LTLIBRARIES += backends/libdpr-host.la
backends_libdpr_host_la_CPPFLAGS = $(plugin_cppflags) \
	-DHOST_VERSION='"$(VERSION)"'
backends_libdpr_host_la_LDFLAGS = $(plugin_ldflags)
backends_libdpr_host_la_LIBADD = backends/library/libcalls.la $(plugin_libs)
backends_libdpr_host_la_SOURCES = \
	%D%/host.h \
	%D%/host_context.c \
	%D%/host_copy.c \
	%D%/host_cpu.c \
	%D%/host_device.c \
	%D%/host_event.c \
	%D%/host_here.c \
	%D%/host_info.c \
	%D%/host_launch.c \
	%D%/host_mem.c \
	%D%/host_module.c \
	%D%/host_plugin.c \
	%D%/host_queue.c \
	%D%/host_util.c \
	%D%/host_work.c
endif
