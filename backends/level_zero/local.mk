# SPDX-License-Identifier: Apache-2.0
# The Level Zero backend.  The loader is opened at run time; its header is
# needed to build.

ze_sources = \
	%D%/ze_child.c \
	%D%/ze_clock.c \
	%D%/ze_compile.c \
	%D%/ze_context.c \
	%D%/ze_copy.c \
	%D%/ze_device.c \
	%D%/ze_driver.c \
	%D%/ze_driver.h \
	%D%/ze_entries.def \
	%D%/ze_error.c \
	%D%/ze_event.c \
	%D%/ze_info.c \
	%D%/ze_kernel.c \
	%D%/ze_launch.c \
	%D%/ze_list.c \
	%D%/ze_mem.c \
	%D%/ze_module.c \
	%D%/ze_native.c \
	%D%/ze_objects.h \
	%D%/ze_part.c \
	%D%/ze_plugin.c \
	%D%/ze_programs.h \
	%D%/ze_queue.c \
	%D%/ze_submit.c

EXTRA_DIST += $(ze_sources)

# The readers of SPIR-V and of our binaries take bytes alone, without the loader's
# header.  So tests have these files wherever the library is built.
noinst_LTLIBRARIES += %D%/libzespirv.la
%C%_libzespirv_la_SOURCES = \
	%D%/spirv/ze_binary.c \
	%D%/spirv/ze_binary.h \
	%D%/spirv/ze_spirv.c \
	%D%/spirv/ze_spirv.h
%C%_libzespirv_la_CPPFLAGS = $(plugin_cppflags)

if HAVE_LEVEL_ZERO_BACKEND
pkglib_LTLIBRARIES += backends/libdpr-level_zero.la
backends_libdpr_level_zero_la_SOURCES = $(ze_sources)
backends_libdpr_level_zero_la_CPPFLAGS = $(plugin_cppflags) \
	$(LEVEL_ZERO_CPPFLAGS) -DZE_PLUGIN_VERSION='"$(VERSION)"'
backends_libdpr_level_zero_la_LDFLAGS = $(plugin_ldflags)
backends_libdpr_level_zero_la_LIBADD = %D%/libzespirv.la $(plugin_libs)
endif
