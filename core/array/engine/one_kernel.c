/* SPDX-License-Identifier: Apache-2.0 */
/* one_kernel.c - decides whether rows are computed in one kernel. */
#include "core/array/engine/one_kernel.h"

#include <string.h>

#include "core/array/layout/layout.h"
#include "core/base/status.h"

/* If the rows have more than MANY_ELEMENTS elements in all, and neighbours in a
   row are at least FAR_APART bytes apart, it is faster to copy the operand
   first, transposed, in a kernel of its own. */
#define FAR_APART 64
#define MANY_ELEMENTS 65536
/* On a CPU: the fewest rows for each core, if the rows have more than
   MANY_ELEMENTS elements in all. */
#define ROWS_OF_CORE 4

dpr_status one_kernel_refuse(const char *what, const char *why)
{
	return fail(DPR_ERROR_UNSUPPORTED, "%s: %s for one kernel", what, why);
}

/* --- Operands ----------------------------------------------------------- */

static int64_t elements(const struct launch_plan *p)
{
	return axes_count(&p->kept, 0) * p->gone.dim[0];
}

/* Whether neighbours in a row of some operand are so far apart that reading the
   operand is slow. */
static bool is_far(const struct launch_plan *p)
{
	for (int k = 0; k < p->n; k++)
		if (schedule_has_memory(p->graph, k) &&
		    layout_magnitude(p->gone.stride[k + 1][0]) *
				    (int64_t)dpr_dtype_size(
					    p->array[k]->dtype) >=
			    FAR_APART &&
		    axes_count(&p->kept, 0) > 1 && elements(p) > MANY_ELEMENTS)
			return true;
	return false;
}

/* On a CPU: whether there are so few rows that some cores would have no work.
 */
static bool is_lonely(const struct launch_plan *p)
{
	return p->target->format->is_native && elements(p) > MANY_ELEMENTS &&
	       axes_count(&p->kept, 0) <
		       ROWS_OF_CORE * (int64_t)p->target->cores;
}

dpr_status one_kernel_check(const struct launch_plan *p)
{
	if (is_far(p))
		return one_kernel_refuse(
			p->what,
			"reading the transposed operand would be slow");
	if (is_lonely(p))
		return one_kernel_refuse(p->what, "there are too few rows");
	return DPR_OK;
}

/* --- Reductions --------------------------------------------------------- */

static const struct target *target_of_call(const struct stages_call *call)
{
	return target_of(dpr_queue_device(call->results[0]->queue));
}

/* Find how reduction @step of the call goes over rows.  Returns false if the
   reduction does not combine the elements of each row in the order of the row,
   or if the order is not known. */
static bool foresee(const struct stages_call *call, int step,
		    struct reduce_shape *out)
{
	const struct graph_step *reduce = &call->graph->step[step];
	const struct graph_step *x = &call->graph->step[reduce->x[0]];
	const struct reduce_values values = {
		.reduction = (enum reduction)reduce->at,
		.dtype = x->dtype,
		.rank = call->rank,
		.shape = call->shape,
		.reduced = call->reduced,
		.plain = x->kind == GRAPH_INPUT ? call->inputs[x->at] : NULL,
		.format = target_of_call(call)->format,
	};

	/* The array of a broadcast input has fewer elements than the values
	   have.  So its layout says nothing about the values. */
	if (values.plain && (values.plain->rank != call->rank ||
			     memcmp(array_shape(values.plain), call->shape,
				    (size_t)call->rank * sizeof(int64_t)) != 0))
		return false;
	return reduce_launch_foresee(&values, out);
}

enum one_kernel one_kernel_find_shape(const struct stages_call *call,
				      struct reduce_shape *out)
{
	bool known = false;

	for (int i = 0; i < call->graph->n_steps; i++) {
		struct reduce_shape shape;

		if (call->graph->step[i].kind != GRAPH_REDUCE)
			continue;
		/* ONE_KERNEL_CUT needs a second kernel, which reduces the
		   results of the parts.  run_last() of stages.c plans this
		   kernel for GPUs only. */
		if (!foresee(call, i, &shape) || shape.parts > 1)
			return target_of_call(call)->format->is_native
				       ? ONE_KERNEL_DIFFERS
				       : ONE_KERNEL_CUT;
		if (shape.is_exact)
			continue;
		if (known && (shape.pack != out->pack ||
			      shape.team_bits != out->team_bits))
			return ONE_KERNEL_DIFFERS;
		*out = shape;
		known = true;
	}
	if (!known)
		out->pack = 0;
	return ONE_KERNEL_WHOLE;
}
