/* SPDX-License-Identifier: Apache-2.0 */
/* iota.c - arrays of equal steps. */
#include "core/array/launch/iota.h"

#include <stddef.h>
#include <string.h>

#include "core/array/engine/target.h"
#include "core/array/launch/modules.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* How many elements a work-item takes on a CPU, as in kernels/types.cl. */
#define RUN 256
#define CPU_GROUP 16
#define GPU_GROUP 256

/* The most elements that are written in a microsecond or two. */
#define BRIEF_ELEMENTS 1024

#define FLAG_LAST 4u

/* The last parameter of the kernel, as in kernels/iota.cl. */
struct words {
	int32_t dtype, rank;
	uint32_t scalars, flags;
	int64_t rows, count;
	struct engine_scalar value[3];
	int64_t offset[4], shape[8], stride[4][8];
};
_Static_assert(sizeof(struct words) == 432, "kernels/iota.cl has the same");

static dpr_range range_of(const dpr_array *out, bool is_cpu)
{
	const uint64_t group = is_cpu ? CPU_GROUP : GPU_GROUP;
	const uint64_t count = (uint64_t)out->size;
	const uint64_t items = is_cpu ? (count + RUN - 1) / RUN : count;
	dpr_range range = dpr_range1((items + group - 1) / group * group);

	if (out->size <= BRIEF_ELEMENTS)
		range.flags = DPR_RANGE_BRIEF;
	return dpr_range_local(range, group, 1, 1);
}

dpr_status iota_launch(const char *what, const struct iota *iota,
		       dpr_array *out)
{
	const bool is_double =
		out->dtype == DPR_FLOAT64 || out->dtype == DPR_COMPLEX128;
	const struct target *target = target_of(dpr_queue_device(out->queue));
	struct words words = { .dtype = (int32_t)out->dtype,
			       .rank = 1,
			       .rows = 1,
			       .count = out->size,
			       .value = { iota->start, iota->step, iota->last },
			       .offset = { out->offset },
			       .shape = { out->size },
			       .stride = { { 1 } } };
	dpr_arg args[2];
	dpr_kernel *kernel;
	dpr_status status;

	if (out->size == 0)
		return DPR_OK;
	if (!target->is_known)
		return fail_memory(what);
	words.flags = iota->has_last ? FLAG_LAST : 0;
	status = modules_kernel(out->queue, IMAGES_IOTA,
				is_double ? DPR_FLOAT64 : DPR_FLOAT32,
				MODULES_iota, &kernel);
	if (status)
		return status;
	args[0] = dpr_arg_usm_use(out->usm, 0,
				  array_write_access(out, out->size));
	args[1] = dpr_arg_bytes(&words, sizeof(words));
	return dpr_kernel_launch_usm(out->queue, kernel,
				     range_of(out, target->is_cpu), NULL, NULL,
				     args, 2);
}

dpr_status iota_index(const char *what, const dpr_array *index, dpr_array *out)
{
	struct graph graph;
	const struct engine_call call = {
		.what = what, .graph = &graph, .results = &out, .inputs = &index
	};

	mem_zero(&graph, offsetof(struct graph, step));
	graph_result(&graph, graph_index(&graph));
	return engine_run(&call);
}
