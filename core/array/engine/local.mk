# SPDX-License-Identifier: Apache-2.0
# core/array/engine: kernels made of steps, and how they go over arrays.

core_libdprcore_la_SOURCES += \
	%D%/blocks.c %D%/blocks.h \
	%D%/blocks_fold.c %D%/blocks_fold.h \
	%D%/emit_text.c %D%/emit_text.h \
	%D%/engine.c %D%/engine.h \
	%D%/failures.c %D%/failures.h \
	%D%/frame.c %D%/frame.h \
	%D%/graph.c %D%/graph.h \
	%D%/kernel_files.c %D%/kernel_files.h \
	%D%/kernel_store.c %D%/kernel_store.h \
	%D%/operations.c %D%/operations.h \
	%D%/ptx/emit_ptx.c %D%/ptx/emit_ptx.h \
	%D%/ptx/ptx.c %D%/ptx/ptx.h \
	%D%/ptx/ptx_fold.c %D%/ptx/ptx_fold.h \
	%D%/ptx/ptx_slot.c %D%/ptx/ptx_slot.h \
	%D%/ptx/ptx_stages.c %D%/ptx/ptx_stages.h \
	%D%/ptx/ptx_sum.c %D%/ptx/ptx_sum.h \
	%D%/ptx/ptx_tile.c %D%/ptx/ptx_tile.h \
	%D%/reduction.c %D%/reduction.h \
	%D%/reduction_blocks.c %D%/reduction_blocks.h \
	%D%/reduction_pass.c %D%/reduction_pass.h \
	%D%/reductions.c %D%/reductions.h \
	%D%/send.c %D%/send.h \
	%D%/singles.c %D%/singles.h \
	%D%/slots.c %D%/slots.h \
	%D%/spirv/emit_spirv.c %D%/spirv/emit_spirv.h \
	%D%/spirv/spirv_access.c %D%/spirv/spirv_access.h \
	%D%/spirv/spirv_code.c %D%/spirv/spirv_code.h \
	%D%/spirv/spirv_library.c %D%/spirv/spirv_library.h \
	%D%/spirv/spirv_module.c %D%/spirv/spirv_module.h \
	%D%/spirv/spirv_run.c %D%/spirv/spirv_run.h \
	%D%/spirv/spirv_steps.c %D%/spirv/spirv_steps.h \
	%D%/spirv/spirv_tile.c %D%/spirv/spirv_tile.h \
	%D%/stages.c %D%/stages.h \
	%D%/target.c %D%/target.h
