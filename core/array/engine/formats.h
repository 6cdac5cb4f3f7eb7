/* SPDX-License-Identifier: Apache-2.0 */
/* formats.h - the formats in which kernels are made, and what each can do. */
#ifndef ARRAY_FORMATS_H
#define ARRAY_FORMATS_H

#include "core/array/engine/frame.h"
#include "core/array/object/array.h"
#include "core/base/text.h"

/* The bytes of a name, with its last 0. */
#define FORMATS_NAME 64

struct pass;

struct kernel_format {
	/* The name of the format's images.  NULL: a format of the device's own,
	   or none. */
	const char *name;
	/* Options for the driver's compiler, or NULL. */
	const char *options;
	/* Write a kernel that the driver builds, as emit_ptx_kernel() does.
	   NULL: the driver builds none. */
	bool (*write)(const struct graph *graph, const struct frame *frame,
		      const char *name, struct text *out);
	/* Kernels are programs of blocks.h, which functions of this process
	   interpret.  A frame has the members `cpu`. */
	bool is_native;
	/* Kernels of one step are in files: kernel_files.h. */
	bool in_files;
	/* Kernels compute what they reduce, and rows in stages (stages.h). */
	bool has_stages;
	/* FRAME_TILE: a work-item loads and stores vectors.  Elsewhere each
	   element of a large square would be an access of its own, and Intel's
	   compiler would run out of registers. */
	bool has_vector_tiles;
	/* FRAME_STAGES: a work-item can hold its share of a row, so the code
	   depends on the packs of a row.  Elsewhere the code asks at the end of
	   a row for packs that are missing, in FRAME_FOLD_ROWS, too. */
	bool holds_rows;
	/* A transposed array is read about as fast as a contiguous one. */
	bool reads_transposed;
	/* Choose the frame and the parts of a reduction whose layouts are
	   described.  DPR_ERROR_UNSUPPORTED: no kernel can do it. */
	dpr_status (*plan_reduction)(struct pass *pass);
	/* Whether a reduction of which only values and results are described
	   takes each row element by element, in their order.  Sets the number
	   and the length of rows, and the parts. */
	bool (*foresee_rows)(struct pass *pass);
	/* Fill the words of a reduction's launch. */
	void (*fill_reduction)(struct pass *pass, const dpr_array *out,
			       int64_t elements);
};

/* There are no kernels. */
extern const struct kernel_format formats_none;
extern const struct kernel_format formats_text, formats_native, formats_ptx,
	formats_spirv, formats_files;

/* The format for a device that takes the formats of @list: names that end with
   0, the best first, @size bytes in all.  @is_cpu: the device is a CPU. */
const struct kernel_format *formats_choose(const char *list, size_t size,
					   bool is_cpu);

#endif
