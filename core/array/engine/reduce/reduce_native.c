/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_native.c - how reductions in native code go over their elements.
 *
 * In native code a team is a single work-item.  In SCHEDULE_REDUCE_ROWS a team
 * reduces a line: the elements of one result, or of up to MOST_NEAR
 * neighbouring results together.  In SCHEDULE_REDUCE_COLUMNS a team reduces
 * columns: it keeps many neighbouring results, and adds a row of elements to
 * these results at a time.  If the axes are cut into parts, a team does this
 * for one part.
 *
 * The schedule and the parts decide the order of additions.  Both follow from
 * the layout of the values alone, so that a result has the same bits whether or
 * not the kernel also computes the values.  The number of columns of a team
 * does not change this order.
 */
#include "core/array/engine/reduce/reduce_native.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "kernels/vm_rows.h"

/* If fewer elements than this are reduced to each of several results, the
   schedule is SCHEDULE_REDUCE_COLUMNS. */
#define LEAST_LINE VM_ROWS_LINE
/* In SCHEDULE_REDUCE_ROWS a team reduces at most MOST_NEAR neighbouring results
   together. */
#define MOST_NEAR 16
/* Axes are cut into parts until there are ENOUGH_TEAMS.  A part has at least
   LEAST_PART elements of a line, or LEAST_ROWS rows of columns. */
#define ENOUGH_TEAMS 512
#define LEAST_PART 65536
#define LEAST_ROWS 64
/* The length of a part of a line is a multiple of LINE_UNIT elements.  Native
   code combines this number of elements at a time (kernels/vm.h). */
#define LINE_UNIT (VM_REDUCE_ROWS * VM_LANES)

/* The most columns of a team.  A team that reads contiguous elements takes
   WIDE_BYTES bytes of each row.  Here an element counts as at least 8 bytes, so
   the team has at most WIDE_COLUMNS columns.  If the elements are computed or
   not contiguous, a team has at most COLUMNS columns.  If the innermost kept
   axis has fewer than LEAST_COLUMNS elements, the columns of a team continue
   along the next axes. */
#define WIDE_COLUMNS 1024
#define WIDE_BYTES 8192
#define COLUMNS VM_RUN
#define LEAST_COLUMNS 32
/* When axes are cut into parts, a team counts as if it had this number of
   columns.  So the parts do not depend on the real number of columns. */
#define FEW_COLUMNS 128
/* The fewest rows for which choose_half() lets a pass reduce the outer axes
   alone.  With fewer rows, the last pass would have too much work. */
#define HALF_ROWS 16

static void cut(struct pass *p, int64_t part, int64_t unit)
{
	part = axes_divide_up(part, unit) * unit;
	p->part = part < p->length && !p->is_last ? part : p->length;
	p->parts = axes_divide_up(p->length, p->part);
}

static void cut_lines(struct pass *p)
{
	const int64_t teams = p->count / p->plan.schedule.cpu.near;
	const int64_t least = LEAST_PART / p->plan.schedule.cpu.near;
	const int64_t part =
		axes_divide_up(p->length, axes_divide_up(ENOUGH_TEAMS, teams));

	cut(p, part > least ? part : least, LINE_UNIT);
}

static void cut_columns(struct pass *p)
{
	const int64_t teams = axes_divide_up(p->count, FEW_COLUMNS);
	const int64_t part =
		axes_divide_up(p->length, axes_divide_up(ENOUGH_TEAMS, teams));

	cut(p, part > LEAST_ROWS ? part : LEAST_ROWS, VM_REDUCE_ROWS);
}

/* Let this pass reduce only the axes before @axis, into a new array.  The last
   pass then reduces the other axes. */
static void leave_axes(struct pass *p, int axis)
{
	struct pass_side *result = &p->layout[PASS_RESULT];
	const int rank = p->call->rank;

	p->is_half = true;
	p->half.rank = rank;
	p->half.offset = result->offset;
	memcpy(p->half.stride, result->stride, sizeof(p->half.stride));
	for (int d = 0; d < rank; d++) {
		p->reduced[d] = p->reduced[d] && d < axis;
		p->half.dim[d] = p->reduced[d] ? 1 : p->call->shape[d];
	}
	layout_c_strides(rank, p->half.dim, result->stride);
}

/* Whether the values lie in memory in C order, perhaps with gaps.  If so,
   columns have the same order as the results. */
static bool is_in_order(const struct pass *p)
{
	const int64_t *stride = p->layout[PASS_VALUES].stride;
	int64_t last = 0;

	for (int d = p->call->rank - 1; d >= 0; d--) {
		if (p->call->shape[d] == 1)
			continue;
		if (stride[d] <= last)
			return false;
		last = stride[d];
	}
	return true;
}

/*
 * Let this pass reduce only the outer axes, where two passes are faster than
 * one.  This is so if kept axes lie between reduced axes, and the innermost
 * kept axis is so short that a team would read only a few neighbouring elements
 * at a time.  In a pass over the outer axes alone, all elements of the inner
 * axes are columns, and are read in the order of memory.
 */
static void choose_half(struct pass *p)
{
	const struct reduce_call *call = p->call;
	const int64_t *stride = p->layout[PASS_VALUES].stride;
	int64_t wide = 1, rows = 1, near = 1;
	int axis = call->rank, last = axis - 1;
	bool changes = false;

	if (p->is_last || call->rank > SCHEDULE_REDUCE_RANK || !is_in_order(p))
		return;
	for (int d = axis - 1; d >= 0; d--) {
		const int64_t dim = call->shape[d];

		if (dim > 1 && (stride[d] != wide || dim > WIDE_COLUMNS / wide))
			break;
		axis = d;
		if (dim == 1)
			continue;
		changes |= wide > 1 && call->reduced[d] != call->reduced[last];
		wide *= dim;
		near = changes ? near : wide;
		last = d;
	}
	for (int d = 0; d < axis; d++)
		rows *= call->reduced[d] ? call->shape[d] : 1;
	if (changes && near < FEW_COLUMNS && rows >= HALF_ROWS)
		leave_axes(p, axis);
}

/* Choose the schedule and the parts by the layout of the values alone. */
static void choose_schedule(struct pass *p)
{
	struct axes kept, gone;
	int64_t across, along, near;

	reduce_pass_axes(p, false, 2, &kept);
	reduce_pass_axes(p, true, 1, &gone);
	p->count = axes_count(&kept, 0);
	p->length = axes_count(&gone, 0);
	across = llabs(kept.stride[PASS_VALUES][kept.rank - 1]);
	along = llabs(gone.stride[PASS_VALUES][gone.rank - 1]);
	near = kept.dim[kept.rank - 1];
	p->plan.schedule.kind = SCHEDULE_REDUCE_ROWS;
	p->plan.schedule.cpu.near = 1;
	if (p->count > 1 && p->length < LEAST_LINE)
		p->plan.schedule.kind = SCHEDULE_REDUCE_COLUMNS;
	else if (across && across < along && near > MOST_NEAR)
		p->plan.schedule.kind = SCHEDULE_REDUCE_COLUMNS;
	else if (across && across < along)
		p->plan.schedule.cpu.near = (uint8_t)near;
	if (p->plan.schedule.kind == SCHEDULE_REDUCE_ROWS)
		cut_lines(p);
	else
		cut_columns(p);
}

/* Choose the number of columns of a team. */
static void choose_columns(struct pass *p)
{
	const int inner = p->plan.kept.rank - 1;
	const int64_t dim = p->plan.kept.dim[inner];
	const dpr_dtype dtype = (dpr_dtype)reduce_pass_dtype(p);
	const int64_t size = (int64_t)dpr_dtype_size(dtype);
	int64_t most = WIDE_BYTES / (size < 8 ? 8 : size);

	p->linear = dim < LEAST_COLUMNS;
	p->columns = COLUMNS;
	if (p->linear)
		return;
	if (!reduce_pass_is_plain(p) || p->plan.kept.stride[2][inner] != 1)
		most = COLUMNS;
	/* All teams get about the same number of columns, a multiple of
	   VM_LANES. */
	most = axes_divide_up(dim, axes_divide_up(dim, most));
	p->columns = axes_divide_up(most, VM_LANES) * VM_LANES;
}

/* Whether side @k, an input, has one value for all elements that are reduced to
   a result. */
static bool is_fixed(const struct pass *p, int k)
{
	for (int d = 0; d < p->plan.gone.rank; d++)
		if (p->plan.gone.stride[k][d])
			return false;
	return true;
}

dpr_status reduce_native_plan(struct pass *p)
{
	struct schedule *schedule = &p->plan.schedule;

	choose_half(p);
	choose_schedule(p);
	reduce_pass_axes(p, false, p->n, &p->plan.kept);
	reduce_pass_axes(p, true, p->n, &p->plan.gone);
	if (p->plan.kept.rank + p->plan.gone.rank > SCHEDULE_REDUCE_RANK ||
	    (schedule->cpu.near > 1 &&
	     p->plan.kept.dim[p->plan.kept.rank - 1] != schedule->cpu.near))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the operands have too many axes of different "
			    "strides for one kernel",
			    p->call->what);
	schedule->rank = (uint8_t)(p->plan.kept.rank + p->plan.gone.rank);
	schedule->cpu.reduced = (uint8_t)p->plan.gone.rank;
	for (int k = 2; k < p->n; k++)
		schedule->inner[k - 1] =
			schedule->kind == SCHEDULE_REDUCE_ROWS &&
					schedule->cpu.near == 1 &&
					is_fixed(p, k)
				? SCHEDULE_FIXED
				: SCHEDULE_ANY;
	if (schedule->kind == SCHEDULE_REDUCE_COLUMNS)
		choose_columns(p);
	return DPR_OK;
}

bool reduce_native_foresee(struct pass *p)
{
	struct axes gone;
	bool columns;

	choose_half(p);
	choose_schedule(p);
	reduce_pass_axes(p, true, 1, &gone);
	columns = p->plan.schedule.kind == SCHEDULE_REDUCE_COLUMNS;
	return !p->is_half && gone.rank == 1 &&
	       p->plan.schedule.cpu.near == 1 &&
	       columns == (p->count > 1 && p->length < LEAST_LINE);
}

/* The number of teams that one part has.  Each of these teams reduces the part
   for its own results. */
static int64_t count_teams(const struct pass *p)
{
	const int64_t dim = p->plan.kept.dim[p->plan.kept.rank - 1];

	if (p->plan.schedule.kind == SCHEDULE_REDUCE_ROWS)
		return p->count / p->plan.schedule.cpu.near;
	return p->linear ? axes_divide_up(p->count, p->columns)
			 : p->count / dim * axes_divide_up(dim, p->columns);
}

void reduce_native_words(struct pass *p, const dpr_array *out, int64_t elements)
{
	const int64_t per = count_teams(p);
	struct launch_plan *plan = &p->plan;
	const struct schedule_words *at = &plan->at;
	uint64_t *words = plan->words;

	reduce_pass_words(p, out, elements);
	words[at->count] = (uint64_t)(per * p->parts);
	words[at->per_part] = (uint64_t)per;
	for (int i = 0; i < plan->gone.rank; i++) {
		const int d = plan->gone.rank - 1 - i;
		const int axis = plan->kept.rank + i;

		words[at->extent + axis] = (uint64_t)plan->gone.dim[d];
		for (int k = 0; k < plan->n; k++)
			words[at->stride + axis * plan->n + k] =
				(uint64_t)plan->gone.stride[k + 1][d];
	}
	for (int k = 0; k < plan->n; k++)
		words[at->step + k] = 0;
	words[at->columns] =
		(uint64_t)p->columns | (p->linear ? VM_REDUCE_LINEAR : 0);
}
