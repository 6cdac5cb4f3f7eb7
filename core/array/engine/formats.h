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
	/* The name of the format, as in dpr_image.  NULL: the device has a
	   format of its own (formats_files), or none (formats_none). */
	const char *name;
	/* Options for the driver's compiler, or NULL. */
	const char *options;
	/* Load the data that write() needs.  NULL: write() needs no data. */
	dpr_status (*open)(void);
	/* Write a kernel for the driver's compiler, as emit_ptx_kernel() does.
	   NULL: the driver builds no kernels. */
	bool (*write)(const struct graph *graph,
		      const struct schedule *schedule, const char *name,
		      struct text *out);
	/* Set if kernels are programs (vmcode.h) that functions of this library
	   interpret.  Their schedules use the members of `cpu`. */
	bool is_native;
	/* Set if each kernel computes a single step, and is in a file
	   (kernel_files.h). */
	bool in_files;
	/* The number of work-items in a work-group of a SCHEDULE_FLAT kernel.
	   Native code ignores this number (send.h). */
	unsigned flat_group;
	/* The number of packs that a work-item of a SCHEDULE_FLAT kernel takes
	   if operands are aligned.  NULL: one. */
	int (*flat_packs)(const struct graph *graph);
	/* The most packs that a work-item of a SCHEDULE_ROWS kernel takes.
	   NULL: several if a pack has one element and the kernel reads rows of
	   its sources, otherwise one.  If this is set,
	   a kernel computes a step that has one value for a row once for all
	   elements of a work-item. */
	int (*row_packs)(const struct graph *graph,
			 const struct schedule *schedule);
	/* Set if a kernel can compute the values that it reduces.  Kernels of
	   this format can then also reduce rows and go on with the results
	   (stages.h). */
	bool has_stages;
	/* Set if in SCHEDULE_TILE a work-item loads and stores vectors.  If not
	   set, a work-item accesses single elements and takes small tiles: with
	   large tiles, Intel's compiler would run out of registers. */
	bool has_vector_tiles;
	/* Set if in SCHEDULE_STAGES a work-item can hold its share of a row in
	   registers.  The code then depends on the number of packs in a row.
	   If not set, the same code works for rows of any length. */
	bool holds_rows;
	/* Set if kernels of this format read a transposed array about as fast
	   as a contiguous array. */
	bool reads_transposed;
	/* Choose the schedule of a pass (reduce_pass.h), and the number of
	   parts into which the reduced axis is cut.  The layouts of the pass
	   must be set.  DPR_ERROR_UNSUPPORTED: no kernel can reduce these
	   layouts. */
	dpr_status (*plan_reduction)(struct pass *pass);
	/* Find out whether a pass combines the elements of each row in the
	   order of the row.  Sets the number and the length of the rows, and
	   the number of parts of a row.  The caller must have set the layouts
	   of the values and of the results; no other layouts are needed. */
	bool (*foresee_rows)(struct pass *pass);
	/* Fill in the words (schedule.h) for the launch of a pass.  @elements
	   is the divisor of a mean. */
	void (*fill_reduction)(struct pass *pass, const dpr_array *out,
			       int64_t elements);
};

/* formats_none: the format of a device without kernels. */
extern const struct kernel_format formats_none;
extern const struct kernel_format formats_text, formats_native, formats_ptx,
	formats_spirv, formats_files;

/* Whether @list has the format @name.  The list has @size bytes: names that each
   end with a zero byte. */
bool formats_has(const char *list, size_t size, const char *name);

/* Whether @list has OpenCL C before SPIR-V and PTX.  If so, the driver compiles
   OpenCL C itself.  A device whose compiler is in another library, which may be
   missing, lists OpenCL C behind these formats. */
bool formats_prefers_text(const char *list, size_t size);

/* Choose the format for a device that takes the formats of @list.  The list has
   @size bytes: names that each end with a zero byte, the best first.  Pass
   @is_cpu = true if the device is a CPU. */
const struct kernel_format *formats_choose(const char *list, size_t size,
					   bool is_cpu);

#endif
