/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_teams.c - plans the passes of reductions by teams of work-items. */
#include "core/array/engine/reduce/reduce_teams.h"

#include "core/array/engine/kernel_files.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* MANY_GROUPS work-groups, or MANY_ITEMS work-items, keep a large device
   busy. */
#define MANY_GROUPS 16384
#define MANY_ITEMS 262144
/* In a sum of floats: the most elements that are added to the same accumulator.
   This limit keeps the rounding error small for any length. */
#define MOST_SUMMED 256
/* In SCHEDULE_REDUCE_COLUMNS: the fewest rows of elements in a part. */
#define LEAST_ROWS 64
/* If a last pass reduces at most this number of parts, small teams are faster.
   The accumulated values of a part are neighbours, one for each result.  So
   neighbouring teams read neighbouring values, and a group reads whole sectors
   of memory. */
#define FEW_PARTS 256
/* The longest part: kernels count its elements in 32 bits. */
#define LONGEST_PART (INT64_C(1) << 24)

static int64_t round_up(int64_t n, int64_t unit)
{
	return axes_divide_up(n, unit) * unit;
}

/* --- Schedules ---------------------------------------------------------- */

/* Whether each row of the values begins at a multiple of @pack elements, so
   that packs are aligned.  @at is the index of the first row's first element.
   */
static bool is_dense(const struct pass *p, const struct axes *kept, int64_t at,
		     int pack)
{
	return axes_begins(kept, PASS_VALUES, at, -1, pack) &&
	       (!reduce_pass_is_plain(p) ||
		axes_is_aligned(p->call->inputs[0]));
}

static void cut(struct pass *p, int64_t part, int64_t unit)
{
	const int64_t most = round_up(p->length, unit);

	part = round_up(part < 1 ? 1 : part, unit);
	p->part = part < most ? part : most;
	p->parts = p->is_last ? 1 : axes_divide_up(p->length, p->part);
	if (p->parts == 1)
		p->part = most;
}

/* The number of elements in a pack, if the layout of the inputs allows packs.
   The order in which values are combined depends on this number.  If the order
   can change the bits of a result, only the dtype of the values decides the
   number: a pack has 16 bytes, but two elements of complex128, because values
   of this dtype are often computed from smaller elements. */
static int whole_pack(const struct pass *p)
{
	const size_t size = dpr_dtype_size((dpr_dtype)reduce_pass_dtype(p));

	if (p->plan.schedule.gpu.open)
		return 1;
	if (reduce_table_is_exact(p->call->reduction, p->plan.schedule.sum))
		return schedule_reduced_pack(p->call->graph);
	return size > 8 ? 2 : (int)(16 / size);
}

int reduce_teams_bits(int64_t length, int pack)
{
	const int64_t round = (int64_t)SCHEDULE_REDUCE_ROW_SLOTS * pack;

	return length <= round         ? 0
	       : length <= 8 * round   ? 3
	       : length <= 128 * round ? 5
				       : 8;
}

static void plan_rows(struct pass *p, const struct axes *kept,
		      const struct axes *gone)
{
	const int64_t begin =
		kept->offset[PASS_VALUES] + gone->offset[PASS_VALUES];
	const int pack = whole_pack(p);
	struct schedule *schedule = &p->plan.schedule;
	int64_t round, part;

	schedule->kind = SCHEDULE_REDUCE_ROWS;
	schedule->gpu.pack = 1;
	if (gone->stride[PASS_VALUES][0] == 1 && is_dense(p, kept, begin, pack))
		schedule->gpu.pack = (uint8_t)pack;
	schedule->gpu.accumulators =
		reduce_table_is_exact(p->call->reduction, schedule->sum)
			? 1
			: SCHEDULE_REDUCE_ROW_SLOTS;
	round = (int64_t)SCHEDULE_REDUCE_ROW_SLOTS * schedule->gpu.pack;
	schedule->gpu.team_bits =
		(uint8_t)reduce_teams_bits(p->length, schedule->gpu.pack);
	if (p->is_last && p->count > 1 && p->length <= FEW_PARTS &&
	    schedule->gpu.team_bits > 3)
		schedule->gpu.team_bits = 3;
	round <<= schedule->gpu.team_bits;
	part = axes_divide_up(p->length, MANY_GROUPS) * p->count;
	if (p->count > MANY_GROUPS)
		part = p->length;
	if (schedule->gpu.accumulators > 1 && part > MOST_SUMMED * round)
		part = MOST_SUMMED * round;
	cut(p,
	    schedule->gpu.team_bits < 8 ? p->length
	    : part > LONGEST_PART       ? LONGEST_PART
					: part,
	    round);
}

static void plan_columns(struct pass *p)
{
	const int64_t most = SCHEDULE_REDUCE_COLUMN_SLOTS * MOST_SUMMED / 2;
	const int64_t items = axes_divide_up(p->count, whole_pack(p));
	int64_t part =
		axes_divide_up(p->length, axes_divide_up(MANY_ITEMS, items));

	p->plan.schedule.kind = SCHEDULE_REDUCE_COLUMNS;
	p->plan.schedule.gpu.accumulators =
		reduce_table_is_exact(p->call->reduction, p->plan.schedule.sum)
			? 1
			: SCHEDULE_REDUCE_COLUMN_SLOTS;
	p->plan.schedule.gpu.team_bits = 0;
	part = part < LEAST_ROWS ? LEAST_ROWS : part;
	if (p->plan.schedule.gpu.accumulators > 1 && part > most)
		part = most;
	cut(p, part > LONGEST_PART ? LONGEST_PART : part,
	    SCHEDULE_REDUCE_COLUMN_SLOTS);
}

/* Choose the schedule and the parts by the layout of the values alone. */
static dpr_status plan_pass(struct pass *p)
{
	struct axes kept, gone;
	int64_t step, inner;

	reduce_pass_axes(p, false, 2, &kept);
	reduce_pass_axes(p, true, 1, &gone);
	if (gone.rank > 1)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the reduced axes are not one after the other",
			    p->call->what);
	p->count = axes_count(&kept, 0);
	p->length = gone.dim[0];
	step = gone.stride[PASS_VALUES][0];
	inner = kept.rank - 1;
	if (kept.stride[PASS_VALUES][inner] == 1 && kept.dim[inner] >= 8 &&
	    step != 1 && p->length > 1 && !p->is_last)
		plan_columns(p);
	else
		plan_rows(p, &kept, &gone);
	return DPR_OK;
}

/* In SCHEDULE_REDUCE_COLUMNS: whether every input can be loaded in packs along
   kept axis 0, the innermost. */
static bool is_packs(const struct launch_plan *p, int pack)
{
	const int inner = p->kept.rank - 1;

	if (p->kept.dim[inner] % pack != 0)
		return false;
	for (int k = 1; k < p->n; k++) {
		const int64_t stride = p->kept.stride[k + 1][inner];

		if (stride == 0 ||
		    (stride == 1 && !schedule_has_memory(p->graph, k)))
			continue;
		if (stride != 1 || !launch_plan_is_packs(p, k, inner, pack) ||
		    p->gone.stride[k + 1][0] % pack != 0)
			return false;
	}
	return true;
}

/* How operand @k moves along the reduced axis.  SCHEDULE_NEXT is returned only
   if the operand's packs are aligned. */
static enum schedule_inner inner_of(const struct launch_plan *p, int k)
{
	const int64_t step = p->gone.stride[k + 1][0];

	if (step == 0)
		return SCHEDULE_FIXED;
	return step == 1 && launch_plan_is_packs(p, k, -1, p->schedule.gpu.pack)
		       ? SCHEDULE_NEXT
		       : SCHEDULE_ANY;
}

/* Describe all operands along the merged axes.  Fails if too many axes are
   left. */
static dpr_status find_axes(struct pass *p)
{
	reduce_pass_axes(p, false, p->n, &p->plan.kept);
	reduce_pass_axes(p, true, p->n, &p->plan.gone);
	if (p->plan.gone.rank > 1 || p->plan.kept.rank > SCHEDULE_RANK)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the operands have too many axes of different "
			    "strides for one kernel",
			    p->call->what);
	return DPR_OK;
}

/* Choose how the kernel loads each input. */
static dpr_status place_pass(struct pass *p)
{
	/* The order does not depend on the pack of columns.  So columns of an
	   array are loaded 16 bytes at a time. */
	const int pack = reduce_pass_is_plain(p) ? schedule_pack(p->call->graph)
						 : whole_pack(p);
	struct schedule *schedule = &p->plan.schedule;
	dpr_status status = find_axes(p);

	if (status)
		return status;
	if (schedule->kind == SCHEDULE_REDUCE_COLUMNS)
		schedule->gpu.pack =
			is_packs(&p->plan, pack) ? (uint8_t)pack : 1;
	for (int k = 2; k < p->n; k++) {
		const int64_t stride =
			p->plan.kept.stride[k][p->plan.kept.rank - 1];

		if (schedule->kind == SCHEDULE_REDUCE_ROWS)
			schedule->inner[k - 1] =
				(uint8_t)inner_of(&p->plan, k - 1);
		else
			schedule->inner[k - 1] = schedule->gpu.pack == 1
							 ? SCHEDULE_ANY
						 : stride ? SCHEDULE_NEXT
							  : SCHEDULE_FIXED;
	}
	if (schedule->kind == SCHEDULE_REDUCE_ROWS &&
	    !p->plan.target->format->holds_rows)
		schedule->gpu.missing = p->length % schedule->gpu.pack
						? SCHEDULE_ELEMENTS
						: SCHEDULE_PACKS;
	schedule->rank = (uint8_t)p->plan.kept.rank;
	schedule->gpu.cut = p->parts > 1;
	schedule->gpu.small =
		p->count < INT32_MAX && p->parts < INT32_MAX / p->count;
	return launch_plan_check_size(&p->plan);
}

dpr_status reduce_teams_plan(struct pass *p)
{
	const dpr_status status = plan_pass(p);

	return status ? status : place_pass(p);
}

bool reduce_teams_foresee(struct pass *p)
{
	return plan_pass(p) == DPR_OK &&
	       p->plan.schedule.kind == SCHEDULE_REDUCE_ROWS;
}

/* Kernels in files have only one schedule, which is like SCHEDULE_REDUCE_ROWS.
   So these kernels reduce a column as a row, with a team of a single work-item.
   */
dpr_status reduce_teams_plan_file(struct pass *p)
{
	dpr_status status;

	p->plan.schedule.gpu.open = 1;
	status = plan_pass(p);
	if (!status && !reduce_pass_is_plain(p))
		status = fail(DPR_ERROR_UNSUPPORTED,
			      "%s: %s has kernels of one step only",
			      p->call->what, dpr_queue_name(p->plan.queue));
	if (!status)
		status = find_axes(p);
	if (status)
		return status;
	p->team_bits = p->plan.schedule.gpu.team_bits;
	p->plan.schedule =
		kernel_files_reduce(p->call->reduction, reduce_pass_dtype(p));
	return launch_plan_check_size(&p->plan);
}

/* --- Launches ----------------------------------------------------------- */

void reduce_teams_words(struct pass *p, const dpr_array *out, int64_t elements)
{
	const struct schedule *schedule = &p->plan.schedule;
	const int64_t per = schedule->kind == SCHEDULE_REDUCE_ROWS
				    ? p->count
				    : p->count / schedule->gpu.pack;

	reduce_pass_words(p, out, elements);
	p->plan.words[p->plan.at.count] = (uint64_t)(per * p->parts);
	p->plan.words[p->plan.at.per_part] = (uint64_t)per;
}

void reduce_teams_file_words(struct pass *p, const dpr_array *out,
			     int64_t elements)
{
	const enum reduce_table_finish finish =
		reduce_table[p->call->reduction].finish;
	uint64_t *words = p->plan.words;

	reduce_teams_words(p, out, elements);
	words[p->plan.at.next_part] = (uint64_t)p->count;
	words[p->plan.at.team] = UINT64_C(1) << p->team_bits;
	if (p->is_first || finish != REDUCE_TABLE_DIVIDE)
		words[p->plan.at.divisor] = 0;
}
