# SPDX-License-Identifier: Apache-2.0
# core/array/engine: kernels made of steps, and how they go over arrays.

core_libdprcore_la_SOURCES += \
	%D%/blocks.c %D%/blocks.h \
	%D%/emit_ptx.c %D%/emit_ptx.h \
	%D%/emit_spirv.c %D%/emit_spirv.h \
	%D%/emit_text.c %D%/emit_text.h \
	%D%/engine.c %D%/engine.h \
	%D%/frame.c %D%/frame.h \
	%D%/graph.c %D%/graph.h \
	%D%/kernel_files.c %D%/kernel_files.h \
	%D%/kernel_store.c %D%/kernel_store.h \
	%D%/operations.c %D%/operations.h \
	%D%/ptx.c %D%/ptx.h \
	%D%/ptx_tile.c %D%/ptx_tile.h \
	%D%/send.c %D%/send.h \
	%D%/slots.c %D%/slots.h \
	%D%/ptx_fold.c %D%/ptx_fold.h \
	%D%/reduction.c %D%/reduction.h \
	%D%/reductions.c %D%/reductions.h \
	%D%/spirv_code.c %D%/spirv_code.h \
	%D%/spirv_library.c %D%/spirv_library.h \
	%D%/spirv_module.c %D%/spirv_module.h \
	%D%/spirv_steps.c %D%/spirv_steps.h \
	%D%/target.c %D%/target.h
