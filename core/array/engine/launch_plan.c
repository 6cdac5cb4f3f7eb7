/* SPDX-License-Identifier: Apache-2.0 */
/* launch_plan.c - the words, the arguments and the range of a launch. */
#include "core/array/engine/launch_plan.h"

#include <string.h>

#include "core/array/engine/send.h"
#include "core/base/mem.h"
#include "core/base/status.h"

void launch_plan_begin(struct launch_plan *p, const char *what,
		       const struct graph *graph,
		       const struct engine_scalar *scalars, dpr_queue *queue,
		       const struct target *target)
{
	p->what = what;
	p->graph = graph;
	p->scalars = scalars;
	p->queue = queue;
	p->target = target;
	p->n = schedule_operands(graph);
	p->gathers = graph_gathers(graph);
	p->rest = false;
	p->whole = 0;
	p->unread = 0;
	mem_zero(&p->schedule, sizeof(p->schedule));
}

/* The index of operand @k's first element in its allocation. */
static int64_t first_place(const struct launch_plan *p, int k)
{
	return p->kept.offset[k + 1] +
	       (schedule_reduces(&p->schedule) ? p->gone.offset[k + 1] : 0);
}

bool launch_plan_is_packs(const struct launch_plan *p, int k, int along,
			  int64_t pack)
{
	return !schedule_has_memory(p->graph, k) ||
	       (axes_is_aligned(p->array[k]) &&
		axes_begins(&p->kept, k + 1, first_place(p, k), along, pack));
}

/* --- Words -------------------------------------------------------------- */

static void fill_scalars(struct launch_plan *p, int at)
{
	for (int k = 0; k < p->graph->n_scalars; k++) {
		const int n = schedule_scalar_words(p->graph, k);

		memcpy(&p->words[at], p->scalars[k].bytes,
		       (size_t)n * sizeof(p->words[0]));
		at += n;
	}
}

/* Fill in the extent and the strides of axis @i of the schedule.  The schedule
   counts axes from the innermost, struct axes from the outermost.  An axis
   outside axis @first gets extent 1: a launch has a single index along this
   axis (launch_parts() of engine.c). */
static void fill_axis(struct launch_plan *p, int i, int first)
{
	const int d = p->kept.rank - 1 - i;

	p->words[p->at.extent + i] = d < first ? 1 : (uint64_t)p->kept.dim[d];
	for (int k = 0; k < p->n && d >= first; k++)
		p->words[p->at.stride + i * p->n + k] =
			(uint64_t)p->kept.stride[k + 1][d];
}

void launch_plan_words(struct launch_plan *p, int first)
{
	const struct schedule_words at = schedule_words(p->graph, &p->schedule);
	const int64_t count = axes_count(&p->kept, first);

	p->at = at;
	mem_zero(p->words, (size_t)at.n * sizeof(p->words[0]));
	p->words[at.count] = (uint64_t)count;
	fill_scalars(p, at.scalar);
	if (p->schedule.kind == SCHEDULE_FLAT)
		return;
	if (at.rows)
		p->words[at.rows] =
			(uint64_t)(count / p->kept.dim[p->kept.rank - 1]);
	for (int k = 0; k < p->n; k++)
		p->words[at.offset + k] = (uint64_t)first_place(p, k);
	for (int i = 0; i < p->schedule.rank; i++)
		fill_axis(p, i, first);
	for (int k = 0; k < p->n && at.step; k++)
		p->words[at.step + k] = (uint64_t)p->gone.stride[k + 1][0];
}

dpr_status launch_plan_check_size(const struct launch_plan *p)
{
	const struct schedule_words at = schedule_words(p->graph, &p->schedule);

	if ((uint64_t)(at.n + p->n) * sizeof(p->words[0]) <=
	    p->target->parameter_bytes)
		return DPR_OK;
	return fail(DPR_ERROR_UNSUPPORTED,
		    "%s: the kernel would have more than the %llu bytes of "
		    "arguments that %s takes; use fewer operands at a time",
		    p->what, (unsigned long long)p->target->parameter_bytes,
		    dpr_queue_name(p->queue));
}

/* --- Arguments ---------------------------------------------------------- */

/* How the kernel accesses operand @k: DPR_READ, or DPR_WRITE.  An input that
   the kernel does not use (`unread`) may be passed the array of the result.
   This array counts as written, not as read, so that the new result does not
   depend on the old elements.  DPR_WRITE_ALL instead of DPR_WRITE: the launch
   writes the whole allocation.  A GRAPH_PUT may leave elements as they are. */
static uint32_t find_access(const struct launch_plan *p, int k)
{
	const int input = k - p->graph->n_results;
	const dpr_array *x = p->array[k];

	if (input >= 0)
		return p->unread >> input & 1 && x == p->array[0]
			       ? (uint32_t)DPR_WRITE
			       : (uint32_t)DPR_READ;
	return p->rest || graph_place(p->graph, k) >= 0
		       ? (uint32_t)DPR_WRITE
		       : array_write_access(x, p->whole ? p->whole : x->size);
}

/* Fill the arguments, and return their number. */
static size_t fill_arguments(const struct launch_plan *p, dpr_arg *args)
{
	size_t n = 0;

	for (int k = 0; k < p->n; k++) {
		const dpr_array *x = p->array[k];
		const size_t offset = (size_t)p->kept.offset[k + 1] *
				      dpr_dtype_size(x->dtype);

		if (schedule_has_memory(p->graph, k))
			args[n++] = dpr_arg_usm_use(
				x->usm,
				p->schedule.kind == SCHEDULE_FLAT ? offset : 0,
				find_access(p, k));
	}
	return n;
}

/* The number of tiles of SCHEDULE_TILE. */
static int64_t count_squares(const struct launch_plan *p)
{
	const int64_t x = (int64_t)p->words[p->at.extent];
	const int64_t y = (int64_t)p->words[p->at.extent + 1];
	const int64_t tile = p->schedule.gpu.tile;

	return (int64_t)p->words[p->at.count] / x / y *
	       axes_divide_up(x, tile) * axes_divide_up(y, tile);
}

/* The global and local size of a kernel that a driver builds.  Native code
   ignores this range (send.h). */
static dpr_range choose_range(const struct launch_plan *p)
{
	int64_t items = (int64_t)p->words[p->at.count];
	unsigned group = SCHEDULE_GROUP;

	switch ((enum schedule_kind)p->schedule.kind) {
	case SCHEDULE_FLAT:
		group = p->target->format->flat_group;
		items = axes_divide_up(items,
				       schedule_items(p->graph, &p->schedule));
		break;
	case SCHEDULE_ROWS:
		items /= schedule_items(p->graph, &p->schedule);
		break;
	case SCHEDULE_STRIDED: break;
	case SCHEDULE_TILE: items = count_squares(p) * SCHEDULE_GROUP; break;
	case SCHEDULE_REDUCE_ROWS:
	case SCHEDULE_REDUCE_COLUMNS:
	case SCHEDULE_STAGES:
		items = p->schedule.gpu.open
				? items * (int64_t)p->words[p->at.team]
				: items << p->schedule.gpu.team_bits;
		break;
	}
	return send_range((uint64_t)items, group);
}

dpr_status launch_plan_send(struct launch_plan *p,
			    const struct kernel_store_kernel *made)
{
	dpr_arg args[SCHEDULE_OPERANDS + 1];
	const struct send send = { .what = p->what,
				   .queue = p->queue,
				   .target = p->target,
				   .made = made,
				   .args = args,
				   .n_args = fill_arguments(p, args),
				   .words = p->words,
				   .n_words = (size_t)p->at.n };
	const dpr_range range = choose_range(p);

	return send_launch(&send, &range);
}
