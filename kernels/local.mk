# SPDX-License-Identifier: Apache-2.0
# Array kernels.  The tables and the .cl files give the headers
# dpr/elementwise.h and dpr/reductions.h, the table in C, and the kernels as
# text and as C for this machine.  Where the compilers are installed, or in a
# release, they also give the kernels as SPIR-V and PTX.

kernel_table = $(top_srcdir)/%D%/operations.def
kernel_sources = %D%/classes.cl %D%/complex.cl %D%/complex_inverse.cl \
	%D%/convert.cl %D%/elementary.cl %D%/gamma.cl %D%/math.cl %D%/step.cl \
	%D%/transpose.cl %D%/types.cl
EXTRA_DIST += $(kernel_sources) %D%/routine_matmul.cl %D%/README.md %D%/vm.cl %D%/chain.cl %D%/reduce.cl %D%/operations.def %D%/ops.awk \
	%D%/composed.def %D%/derived.def %D%/reductions.awk %D%/reductions.def %D%/text.awk \
	%D%/build-routines.sh %D%/build-spirv-steps.sh %D%/build-templates.sh %D%/try-compilers.sh \
	%D%/native-source.sh %D%/planes.sh %D%/templates.awk

# The files that ops.awk and reductions.awk write.
kernel_generated = include/dpr/elementwise.h include/dpr/reductions.h \
	core/array/engine/operations_map.h %D%/operations.cl %D%/operations.list %D%/steps.cl
BUILT_SOURCES += $(kernel_generated)
CLEANFILES += $(kernel_generated)
nodist_dprinclude_HEADERS += include/dpr/elementwise.h \
	include/dpr/reductions.h
kernel_ops = $(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(AWK) -f $(top_srcdir)/%D%/ops.awk

include/dpr/elementwise.h: %D%/operations.def %D%/ops.awk
	$(kernel_ops) -v output=header $(kernel_table) >$@.tmp && mv $@.tmp $@
core/array/engine/operations_map.h: %D%/operations.def %D%/ops.awk
	$(kernel_ops) -v output=table $(kernel_table) >$@.tmp && mv $@.tmp $@
%D%/operations.cl: %D%/operations.def %D%/ops.awk
	$(kernel_ops) -v output=cases $(kernel_table) >$@.tmp && mv $@.tmp $@
%D%/steps.cl: %D%/operations.def %D%/ops.awk
	$(kernel_ops) -v output=steps $(kernel_table) >$@.tmp && mv $@.tmp $@
%D%/operations.list: %D%/operations.def %D%/ops.awk
	$(kernel_ops) -v output=list $(kernel_table) >$@.tmp && mv $@.tmp $@
include/dpr/reductions.h: %D%/reductions.def %D%/derived.def \
	%D%/reductions.awk %D%/operations.list
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -v operations=%D%/operations.list \
	-f $(top_srcdir)/%D%/reductions.awk $(top_srcdir)/%D%/reductions.def \
	$(top_srcdir)/%D%/derived.def >$@.tmp && mv $@.tmp $@

# The texts that drivers compile.  Each is several files, one after the other.
kernel_s = $(top_srcdir)/%D%
# The text that a kernel of the engine needs for one of its dtypes.
text_steps = $(kernel_s)/types.cl $(kernel_s)/math.cl \
	$(kernel_s)/elementary.cl $(kernel_s)/gamma.cl $(kernel_s)/complex.cl \
	$(kernel_s)/complex_inverse.cl $(kernel_s)/convert.cl \
	$(kernel_s)/step.cl %D%/steps.cl

kernel_texts = %D%/text_steps.c %D%/text_matmul.c
CLEANFILES += $(kernel_texts)

# The texts and the compiled kernels are embedded in the library.  In a release
# the compiled kernels may be in the source folder.
noinst_LTLIBRARIES += %D%/libimages.la
nodist_%C%_libimages_la_SOURCES = $(kernel_texts) %D%/images_unit.c \
	%D%/templates_unit.c
%C%_libimages_la_SOURCES = %D%/embed.c %D%/embed.h
%C%_libimages_la_CPPFLAGS = $(core_cppflags) -Wa,-I$(top_srcdir)
core_libdprcore_la_LIBADD += %D%/libimages.la
if HAVE_KERNEL_IMAGES
kernel_images = %D%/spirv_steps.bin %D%/routines_ptx.bin \
	%D%/routines_spirv.bin %D%/routines.def
kernel_templates = %D%/templates.ptx %D%/templates.def
EXTRA_DIST += $(kernel_images) $(kernel_templates)
endif
# A release has these files without compression: only the build knows whether zlib
# is there.
if EMBED_DEFLATED
embedded_images = %D%/spirv_steps.bin.gz %D%/routines_ptx.bin.gz \
	%D%/routines_spirv.bin.gz
embedded_templates = %D%/templates.ptx.gz
CLEANFILES += $(embedded_images) $(embedded_templates)
kernel_gzip = $(AM_V_GEN)$(MKDIR_P) $(@D) && from=$(@:.gz=) && \
	{ test -f $$from || from=$(srcdir)/$$from; } && \
	$(KERNEL_GZIP) -9n <$$from >$@.tmp && mv $@.tmp $@
# SPIR-V deflates better in planes.
kernel_planes = $(AM_V_GEN)$(MKDIR_P) $(@D) && from=$(@:.gz=) && \
	{ test -f $$from || from=$(srcdir)/$$from; } && \
	AWK='$(AWK)' $(SHELL) $(top_srcdir)/%D%/planes.sh $$from >$@.planes && \
	$(KERNEL_GZIP) -9n <$@.planes >$@.tmp && rm -f $@.planes && mv $@.tmp $@
%D%/spirv_steps.bin.gz: %D%/spirv_steps.bin %D%/planes.sh
	$(kernel_planes)
%D%/routines_ptx.bin.gz: %D%/routines_ptx.bin
	$(kernel_gzip)
%D%/routines_spirv.bin.gz: %D%/routines_spirv.bin %D%/planes.sh
	$(kernel_planes)
%D%/templates.ptx.gz: %D%/templates.ptx
	$(kernel_gzip)
endif
# Compile again when the embedded files have changed.
CLEANFILES += %D%/images_unit.c %D%/templates_unit.c
EXTRA_DIST += %D%/images.c %D%/images.h %D%/templates.c %D%/templates.h
%D%/images_unit.c: $(kernel_images) $(embedded_images) %D%/images.c
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	echo '#include "kernels/images.c"' >$@.tmp && mv $@.tmp $@
%D%/templates_unit.c: $(kernel_templates) $(embedded_templates) %D%/templates.c
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	echo '#include "kernels/templates.c"' >$@.tmp && mv $@.tmp $@
if HAVE_KERNEL_COMPILERS
MAINTAINERCLEANFILES += $(kernel_images) $(kernel_templates)
%D%/spirv_steps.bin: $(kernel_sources) %D%/operations.def %D%/ops.awk \
	%D%/build-spirv-steps.sh
	$(AM_V_GEN)$(MAKE) $(AM_MAKEFLAGS) %D%/steps.cl && \
	KERNEL_CLANG='$(KERNEL_CLANG)' KERNEL_OPT='$(KERNEL_OPT)' \
	LLVM_SPIRV='$(LLVM_SPIRV)' SPIRV_VAL='$(SPIRV_VAL)' \
	$(SHELL) $(top_srcdir)/%D%/build-spirv-steps.sh $(top_srcdir)/%D% %D%
%D%/templates.ptx: $(text_steps) %D%/build-templates.sh %D%/templates.awk
	$(AM_V_GEN)KERNEL_CLANG='$(KERNEL_CLANG)' LIBCLC_DIR='$(LIBCLC_DIR)' \
	AWK='$(AWK)' $(SHELL) $(top_srcdir)/%D%/build-templates.sh \
	$(top_srcdir)/%D% %D%
%D%/templates.def: %D%/templates.ptx
%D%/routines_spirv.bin: %D%/types.cl %D%/routine_matmul.cl %D%/build-routines.sh
	$(AM_V_GEN)KERNEL_CLANG='$(KERNEL_CLANG)' KERNEL_OPT='$(KERNEL_OPT)' \
	LLVM_SPIRV='$(LLVM_SPIRV)' SPIRV_VAL='$(SPIRV_VAL)' \
	LIBCLC_DIR='$(LIBCLC_DIR)' \
	$(SHELL) $(top_srcdir)/%D%/build-routines.sh $(top_srcdir)/%D% %D%
# The script has written these files, too.  A rule without commands would not see
# that they are new.
%D%/routines_ptx.bin %D%/routines.def: %D%/routines_spirv.bin
	@:
endif

kernel_text = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(kernel_s)/text.awk

%D%/text_matmul.c: %D%/types.cl %D%/routine_matmul.cl %D%/text.awk
	$(kernel_text) -v name=matmul $(kernel_s)/types.cl \
	$(kernel_s)/routine_matmul.cl >$@.tmp && mv $@.tmp $@

%D%/text_steps.c: $(kernel_sources) %D%/steps.cl %D%/text.awk
	$(kernel_text) -v name=steps $(text_steps) >$@.tmp && mv $@.tmp $@

# The .cl files, compiled as C for CPUs.  Their loops must be vectorised to be
# fast, so these files are compiled with DPR_NATIVE_CFLAGS, too.
native_units = %D%/native_dtype_1.c %D%/native_dtype_2.c \
	%D%/native_dtype_3.c %D%/native_dtype_4.c %D%/native_dtype_5.c \
	%D%/native_dtype_6.c %D%/native_dtype_7.c %D%/native_dtype_8.c \
	%D%/native_dtype_9.c %D%/native_dtype_10.c %D%/native_dtype_11.c \
	%D%/native_dtype_12.c %D%/native_dtype_13.c %D%/native_dtype_14.c \
	%D%/native_dtype_15.c %D%/native_cast64_1.c %D%/native_cast64_2.c \
	%D%/native_cast64_3.c %D%/native_cast64_4.c %D%/native_cast64_5.c \
	%D%/native_cast64_6.c %D%/native_cast64_7.c %D%/native_cast64_8.c \
	%D%/native_cast64_9.c %D%/native_cast64_10.c %D%/native_cast64_11.c \
	%D%/native_cast64_12.c %D%/native_cast64_14.c %D%/native_move_1.c \
	%D%/native_move_2.c %D%/native_move_4.c %D%/native_move_8.c \
	%D%/native_move_16.c
CLEANFILES += $(native_units)
$(native_units): %D%/native-source.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(top_srcdir)/%D%/native-source.sh $@ >$@.tmp && mv $@.tmp $@

noinst_LTLIBRARIES += %D%/libnative.la
nodist_%C%_libnative_la_SOURCES = $(native_units)
%C%_libnative_la_SOURCES = %D%/vm.c %D%/vm.h \
	%D%/vm_chain.c %D%/vm_chain.h \
	%D%/vm_copy.c %D%/vm_copy.h \
	%D%/vm_fetch.h %D%/vm_gather.c %D%/vm_gather.h \
	%D%/vm_module.c %D%/vm_put.c %D%/vm_put.h \
	%D%/vm_reduce.c %D%/vm_reduce.h \
	%D%/vm_reduce_load.c %D%/vm_reduce_load.h %D%/vm_half.h \
	%D%/vm_lanes.c %D%/vm_lanes.h \
	%D%/vm_rows.c %D%/vm_rows.h \
	%D%/vm_tables.c %D%/vm_tables.h \
	%D%/vm_program.h %D%/libraries.h %D%/native.h %D%/native_unit.h
%C%_libnative_la_CPPFLAGS = $(core_cppflags)
%C%_libnative_la_CFLAGS = $(AM_CFLAGS) $(DPR_NATIVE_CFLAGS) \
	$(DPR_NO_UNWIND_CFLAGS)
core_libdprcore_la_LIBADD += %D%/libnative.la

# Routines: kernels that are written whole.  Here the compiler may fuse a product
# and an addition, where the CPU has an instruction for both.
noinst_LTLIBRARIES += %D%/libroutines.la
%C%_libroutines_la_SOURCES = %D%/routine_matmul.c %D%/routine_matmul.h \
	%D%/routine_matmul_block.h
%C%_libroutines_la_CPPFLAGS = $(core_cppflags)
%C%_libroutines_la_CFLAGS = $(AM_CFLAGS) $(DPR_NATIVE_CFLAGS) \
	$(DPR_FUSED_CFLAGS) $(DPR_NO_UNWIND_CFLAGS)
core_libdprcore_la_LIBADD += %D%/libroutines.la
