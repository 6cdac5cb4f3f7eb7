/* SPDX-License-Identifier: Apache-2.0 */
/* formats.h - the formats in which kernels are made, and what each can do. */
#ifndef ARRAY_FORMATS_H
#define ARRAY_FORMATS_H

#include <dpr/status.h>

#include "core/array/engine/schedule.h"
#include "core/array/object/array.h"
#include "core/base/text.h"

/* The most bytes of a name, with its terminating 0. */
#define FORMATS_NAME 64

struct pass;

struct kernel_format {
	/* The name of the format's images.  NULL: the device has a format of
	   its own, or none. */
	const char *name;
	/* Options for the driver's compiler, or NULL. */
	const char *options;
	/* Make ready what write() reads.  NULL: it reads nothing. */
	dpr_status (*open)(void);
	/* Write a kernel for the driver's compiler, as emit_ptx_kernel() does.
	   NULL: the driver builds no kernels. */
	bool (*write)(const struct graph *graph,
		      const struct schedule *schedule, const char *name,
		      struct text *out);
	/* Kernels are programs of vmcode.h, interpreted by functions of this
	   process.  Schedules use the members of `cpu`. */
	bool is_native;
	/* Kernels of single steps are in files: kernel_files.h. */
	bool in_files;
	/* A kernel can compute what it reduces, and can compute rows in stages
	   (stages.h). */
	bool has_stages;
	/* SCHEDULE_TILE: a work-item loads and stores vectors.  In other
	   formats each element of a large square would be accessed on its own,
	   and Intel's compiler would run out of registers. */
	bool has_vector_tiles;
	/* SCHEDULE_STAGES: a work-item can hold its share of a row, so the code
	   depends on the packs of a row.  In other formats the code checks for
	   missing packs at the end of a row, also in SCHEDULE_REDUCE_ROWS. */
	bool holds_rows;
	/* A transposed array is read about as fast as a contiguous one. */
	bool reads_transposed;
	/* Choose the schedule and the parts of a reduction whose layouts are
	   described.  DPR_ERROR_UNSUPPORTED: no kernel can do it. */
	dpr_status (*plan_reduction)(struct pass *pass);
	/* Whether a reduction goes over each row element by element, in their
	   order.  Only the values and the results are described.  Sets the
	   number and the length of rows, and the parts. */
	bool (*foresee_rows)(struct pass *pass);
	/* Fill the words of a reduction's launch. */
	void (*fill_reduction)(struct pass *pass, const dpr_array *out,
			       int64_t elements);
};

/* The format of a device without kernels. */
extern const struct kernel_format formats_none;
extern const struct kernel_format formats_text, formats_native, formats_ptx,
	formats_spirv, formats_files;

/* The format for a device that takes the formats of @list: names that end with
   0, the best first, @size bytes in all.  @is_cpu: the device is a CPU. */
const struct kernel_format *formats_choose(const char *list, size_t size,
					   bool is_cpu);

#endif
