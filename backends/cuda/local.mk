# SPDX-License-Identifier: Apache-2.0
# The CUDA backend.  NVIDIA's driver is opened at run time; the toolkit's
# headers are used where they are, else cuda_declarations.h.

cuda_sources = \
	%D%/calls/cuda_blas.c \
	%D%/calls/cuda_blas.h \
	%D%/calls/cuda_calls.c \
	%D%/calls/cuda_calls.h \
	%D%/calls/cuda_gemm.c \
	%D%/calls/cuda_lapack.c \
	%D%/calls/cuda_lapack.h \
	%D%/calls/cuda_lapack_call.c \
	%D%/calls/cuda_lapack_help.c \
	%D%/calls/cuda_solver.c \
	%D%/calls/cuda_solver.h \
	%D%/calls/cuda_vendor.c \
	%D%/calls/cuda_vendor.h \
	%D%/calls/cuda_work.c \
	%D%/cuda_compile.c \
	%D%/cuda_context.c \
	%D%/cuda_copy.c \
	%D%/cuda_declarations.h \
	%D%/cuda_device.c \
	%D%/cuda_driver.c \
	%D%/cuda_driver.h \
	%D%/cuda_entries.def \
	%D%/cuda_error.c \
	%D%/cuda_event.c \
	%D%/cuda_host.c \
	%D%/cuda_info.c \
	%D%/cuda_kernel.c \
	%D%/cuda_launch.c \
	%D%/cuda_mem.c \
	%D%/cuda_module.c \
	%D%/cuda_native.c \
	%D%/cuda_notify.c \
	%D%/cuda_objects.h \
	%D%/cuda_part.c \
	%D%/cuda_plugin.c \
	%D%/cuda_programs.h \
	%D%/cuda_queue.c \
	%D%/cuda_stream.c \
	%D%/cuda_submit.c

EXTRA_DIST += $(cuda_sources)

# OpenCL C as CUDA C++, and what PTX and our binaries say: texts alone, without
# the driver, so that tests have them wherever the library is built.
noinst_LTLIBRARIES += %D%/librewrite.la
%C%_librewrite_la_SOURCES = \
	%D%/rewrite/cuda_lexer.c \
	%D%/rewrite/cuda_lexer.h \
	%D%/rewrite/cuda_macros.c \
	%D%/rewrite/cuda_macros.h \
	%D%/rewrite/cuda_options.c \
	%D%/rewrite/cuda_options.h \
	%D%/rewrite/cuda_prelude.h \
	%D%/rewrite/cuda_ptx.c \
	%D%/rewrite/cuda_ptx.h \
	%D%/rewrite/cuda_rewrite.c \
	%D%/rewrite/cuda_rewrite.h \
	%D%/rewrite/cuda_signature.c \
	%D%/rewrite/cuda_signature.h \
	%D%/rewrite/cuda_strings.c \
	%D%/rewrite/cuda_strings.h \
	%D%/rewrite/cuda_table.c \
	%D%/rewrite/cuda_table.h \
	%D%/rewrite/cuda_text.c \
	%D%/rewrite/cuda_text.h \
	%D%/rewrite/cuda_words.c \
	%D%/rewrite/cuda_words.h
nodist_%C%_librewrite_la_SOURCES = %D%/rewrite/cuda_prelude.c \
	%D%/calls/cuda_text.c
%C%_librewrite_la_CPPFLAGS = $(plugin_cppflags)

# What the words of OpenCL C mean, as one text.
cuda_prelude = %D%/rewrite/prelude_types.cuh %D%/rewrite/prelude_items.cuh \
	%D%/rewrite/prelude_math.cuh
EXTRA_DIST += $(cuda_prelude)
CLEANFILES += %D%/rewrite/cuda_prelude.c
%D%/rewrite/cuda_prelude.c: $(cuda_prelude) kernels/text.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(top_srcdir)/kernels/text.awk \
		-v name=prelude $(top_srcdir)/%D%/rewrite/prelude_types.cuh \
		$(top_srcdir)/%D%/rewrite/prelude_items.cuh \
		$(top_srcdir)/%D%/rewrite/prelude_math.cuh | \
		$(SED) 's/images_text_/cuda_/' >$@.tmp && mv $@.tmp $@

# Our own kernels around the calls of libraries.
EXTRA_DIST += %D%/calls/calls.ptx
CLEANFILES += %D%/calls/cuda_text.c
%D%/calls/cuda_text.c: %D%/calls/calls.ptx kernels/text.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) -e 's,//.*,,' \
		-e 's/^[	 ]*//' -e 's/[	 ]*$$//' -e '/^$$/d' \
		$(top_srcdir)/%D%/calls/calls.ptx | \
		$(AWK) -v name=calls -f $(top_srcdir)/kernels/text.awk | \
		$(SED) 's/images_text_/cuda_text_/' >$@.tmp && mv $@.tmp $@

if HAVE_CUDA_BACKEND
pkglib_LTLIBRARIES += backends/libdpr-cuda.la
backends_libdpr_cuda_la_SOURCES = $(cuda_sources)
backends_libdpr_cuda_la_CPPFLAGS = $(plugin_cppflags) $(CUDA_CPPFLAGS) \
	-DCUDA_PLUGIN_VERSION='"$(VERSION)"'
backends_libdpr_cuda_la_LDFLAGS = $(plugin_ldflags)
backends_libdpr_cuda_la_LIBADD = %D%/librewrite.la \
	backends/library/libvalues.la $(plugin_libs)
endif
