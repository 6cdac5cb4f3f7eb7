# SPDX-License-Identifier: Apache-2.0
# The OpenCL backend.  The ICD loader is opened at run time; only its headers
# are needed.

opencl_sources = \
	%D%/calls/ocl_alias.c \
	%D%/calls/ocl_calls.c \
	%D%/calls/ocl_calls.h \
	%D%/calls/ocl_calls_clblast.c \
	%D%/calls/ocl_calls_cpu.c \
	%D%/calls/ocl_clblast.c \
	%D%/calls/ocl_clblast.h \
	%D%/calls/ocl_offers.c \
	%D%/calls/ocl_work.c \
	%D%/ocl.h \
	%D%/ocl_context.c \
	%D%/ocl_copy.c \
	%D%/ocl_cpu.c \
	%D%/ocl_device.c \
	%D%/ocl_driver.c \
	%D%/ocl_driver.h \
	%D%/ocl_error.c \
	%D%/ocl_event.c \
	%D%/ocl_facts.c \
	%D%/ocl_info.c \
	%D%/ocl_kernel.c \
	%D%/ocl_launch.c \
	%D%/ocl_mem.c \
	%D%/ocl_module.c \
	%D%/ocl_native.c \
	%D%/ocl_options.c \
	%D%/ocl_plugin.c \
	%D%/ocl_queue.c \
	%D%/ocl_submit.c \
	%D%/ocl_symbols.def \
	%D%/ocl_trial.c \
	%D%/ocl_turns.c

EXTRA_DIST += $(opencl_sources)

if HAVE_OPENCL_BACKEND
pkglib_LTLIBRARIES += backends/libdpr-opencl.la
backends_libdpr_opencl_la_SOURCES = $(opencl_sources)
backends_libdpr_opencl_la_CPPFLAGS = $(plugin_cppflags) $(OPENCL_CPPFLAGS) \
	-DOCL_PLUGIN_VERSION='"$(VERSION)"'
backends_libdpr_opencl_la_LDFLAGS = $(plugin_ldflags)
backends_libdpr_opencl_la_LIBADD = backends/library/libcalls.la $(plugin_libs)
endif
