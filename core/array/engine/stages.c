/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c - launches kernels that compute rows in stages. */
#include "core/array/engine/stages.h"

#include <string.h>

#include "core/array/engine/native/vmcode.h"
#include "core/array/engine/one_kernel.h"
#include "core/array/engine/launch_plan.h"
#include "core/array/engine/reduce/reduce_launch.h"
#include "core/array/engine/reduce/reduce_teams.h"
#include "core/array/layout/layout.h"
#include "core/base/status.h"

/* Kernels count the elements of a row in 32 bits. */
#define LONGEST_ROW (INT64_C(1) << 24)

/* A part of the call's graph: a graph made of some of its steps, and the
   operands of these steps. */
struct stages_piece {
	const struct stages_call *call;
	struct graph graph;
	/* made[i]: the number, in `graph`, of the copy of step i of the call's
	   graph */
	uint16_t made[GRAPH_STEPS];
	const dpr_array *input[GRAPH_INPUTS];
	struct engine_scalar scalar[GRAPH_SCALARS];
	uint32_t narrow; /* bit k is set if input k lacks the reduced axes */
};

/* --- Axes --------------------------------------------------------------- */

static int64_t row_count(const struct launch_plan *p)
{
	return axes_count(&p->kept, 0);
}

/* Begin a plan for a kernel that computes @graph: the graph of the call, or the
   graph of a piece. */
static void begin_rows(struct launch_plan *p, const struct stages_call *call,
		       const struct graph *graph,
		       const struct engine_scalar *scalars)
{
	dpr_queue *queue = call->results[0]->queue;

	launch_plan_begin(p, call->what, graph, scalars, queue,
			  target_of(dpr_queue_device(queue)));
	p->schedule.kind = SCHEDULE_STAGES;
}

static void begin_axes(struct launch_plan *p, const struct stages_call *call)
{
	p->kept.rank = p->gone.rank = 0;
	for (int d = 0; d < call->rank; d++) {
		struct axes *axes = call->reduced[d] ? &p->gone : &p->kept;

		axes->dim[axes->rank++] = call->shape[d];
	}
	layout_c_strides(p->kept.rank, p->kept.dim, p->kept.stride[0]);
	layout_c_strides(p->gone.rank, p->gone.dim, p->gone.stride[0]);
	p->kept.offset[0] = p->gone.offset[0] = 0;
}

/* Set operand @k to array @x, broadcast to the call's shape.  Pass @is_narrow =
   true to broadcast @x to the kept axes only. */
static dpr_status add_operand(struct launch_plan *p,
			      const struct stages_call *call, int k,
			      const dpr_array *x, bool is_narrow)
{
	int64_t all[DPR_MAX_RANK], *kept = p->kept.stride[k + 1];
	int64_t *gone = p->gone.stride[k + 1];
	struct layout layout;
	bool fits;

	array_layout(x, &layout);
	p->array[k] = x;
	p->kept.offset[k + 1] = layout.offset;
	p->gone.offset[k + 1] = 0;
	if (is_narrow) {
		fits = layout_expand(&layout, p->kept.rank, p->kept.dim, kept);
		for (int d = 0; fits && d < p->gone.rank; d++)
			gone[d] = 0;
	} else {
		fits = layout_expand(&layout, call->rank, call->shape, all);
		for (int d = 0; fits && d < call->rank; d++)
			*(call->reduced[d] ? gone++ : kept++) = all[d];
	}
	return fits ? DPR_OK
		    : fail(DPR_ERROR_SHAPE,
			   "%s: operand %d does not fit the shape", p->what, k);
}

/* Merge axes: the reduced axes become one axis, and the kept axes as few as
   possible.  Fails if the strides do not allow this, or if rows are too long.
   */
static dpr_status end_axes(struct launch_plan *p)
{
	axes_collapse(&p->kept, 0, p->n);
	axes_collapse(&p->gone, 0, p->n);
	p->schedule.rank = (uint8_t)p->kept.rank;
	if (p->gone.rank > 1 || p->kept.rank > SCHEDULE_RANK)
		return one_kernel_refuse(
			p->what,
			"the operands have too many axes of different strides");
	if (p->gone.dim[0] > LONGEST_ROW)
		return one_kernel_refuse(p->what, "the rows are too long");
	return DPR_OK;
}

/* --- Schedules ---------------------------------------------------------- */

/* Choose the number of elements in a pack, if no reduction of the call asks for
   a certain number. */
static int free_pack(const struct launch_plan *p)
{
	const int pack = schedule_pack(p->graph);

	for (int k = 0; k < p->n; k++)
		if (p->gone.stride[k + 1][0] == 1 &&
		    !launch_plan_is_packs(p, k, -1, pack))
			return 1;
	return pack;
}

/* Choose the schedule of native code, which takes rows of any layout. */
static void choose_native(struct launch_plan *p)
{
	struct schedule *schedule = &p->schedule;
	int64_t bytes = 0;

	for (int k = 0; k < p->n; k++) {
		schedule->inner[k] = axes_inner(p->gone.stride[k + 1][0]);
		if (schedule_has_memory(p->graph, k))
			bytes += p->array[k]->size *
				 (int64_t)dpr_dtype_size(p->array[k]->dtype);
	}
	schedule->cpu.stream = target_streams(p->target, bytes);
}

static void choose_schedule(struct launch_plan *p, int pack, int team_bits)
{
	const bool holds = p->target->format->holds_rows;
	const int64_t share = (int64_t)pack << team_bits;
	const int64_t slots = axes_divide_up(p->gone.dim[0], share);
	struct schedule *schedule = &p->schedule;

	schedule->gpu.pack = (uint8_t)pack;
	schedule->gpu.accumulators = SCHEDULE_REDUCE_ROW_SLOTS;
	schedule->gpu.team_bits = (uint8_t)team_bits;
	if (holds && slots <= SCHEDULE_STAGES_SLOTS)
		schedule->gpu.slots = (uint8_t)slots;
	if (!holds || p->gone.dim[0] % share != 0)
		schedule->gpu.missing = p->gone.dim[0] % pack
						? SCHEDULE_ELEMENTS
						: SCHEDULE_PACKS;
	schedule->gpu.small = row_count(p) < INT32_MAX;
	for (int k = 0; k < p->n; k++) {
		const int64_t step = p->gone.stride[k + 1][0];

		schedule->inner[k] =
			step == 0 || p->gone.dim[0] == 1 ? SCHEDULE_FIXED
			: step == 1 && launch_plan_is_packs(p, k, -1, pack)
				? SCHEDULE_NEXT
				: SCHEDULE_ANY;
	}
}

/* --- Launches ----------------------------------------------------------- */

/* Fill the words.  @elements is the divisor of a mean. */
static void fill_words(struct launch_plan *p, int64_t elements)
{
	uint64_t *words = p->words;

	launch_plan_words(p, 0);
	words[p->at.per_part] = words[p->at.count];
	words[p->at.length] = words[p->at.part] = (uint64_t)p->gone.dim[0];
	words[p->at.divisor] = (uint64_t)elements;
}

/* The number of elements in the longest row that kernel @made can compute. */
static int64_t longest_row(const struct launch_plan *p,
			   const struct kernel_store_kernel *made)
{
	return p->target->format->is_native
		       ? vmcode_longest_row(made->code.bytes)
		       : LONGEST_ROW;
}

static dpr_status launch(struct launch_plan *p, int64_t elements)
{
	const struct kernel_store_kernel *made;
	dpr_status status = launch_plan_check_size(p);

	if (!status)
		status = kernel_store_get(p->queue, p->target, p->graph,
					  &p->schedule, &made);
	if (status)
		return status;
	fill_words(p, elements);
	status = p->gone.dim[0] > longest_row(p, made)
			 ? one_kernel_refuse(p->what, "the rows are too long")
			 : launch_plan_send(p, made);
	kernel_store_put(made);
	return status;
}

/* --- One launch --------------------------------------------------------- */

static dpr_status run_whole(const struct stages_call *call,
			    const struct reduce_shape *shape)
{
	const int n_results = call->graph->n_results;
	struct launch_plan p;
	dpr_status status = DPR_OK;
	int pack, team_bits;

	begin_rows(&p, call, call->graph, call->scalars);
	begin_axes(&p, call);
	for (int k = 0; !status && k < p.n; k++)
		status =
			add_operand(&p, call, k,
				    k < n_results ? call->results[k]
						  : call->inputs[k - n_results],
				    call->narrow >> k & 1);
	if (!status)
		status = end_axes(&p);
	if (!status)
		status = one_kernel_check(&p);
	if (status)
		return status;
	if (p.target->format->is_native) {
		choose_native(&p);
		return launch(&p, p.gone.dim[0]);
	}
	pack = shape->pack ? shape->pack : free_pack(&p);
	team_bits = shape->pack ? shape->team_bits
				: reduce_teams_bits(p.gone.dim[0], pack);
	choose_schedule(&p, pack, team_bits);
	return launch(&p, p.gone.dim[0]);
}

/* --- Parts -------------------------------------------------------------- */

/* Add a copy of step @i of the call's graph to the piece.  The operands of step
   @i must have been copied before. */
static void copy_step(struct stages_piece *piece, int i)
{
	const struct stages_call *call = piece->call;
	const struct graph_step *step = &call->graph->step[i];
	struct graph *graph = &piece->graph;
	int x[3] = { 0 };

	for (int k = 0; k < step->n; k++)
		x[k] = piece->made[step->x[k]];
	if (graph_is_input(step)) {
		if (call->narrow >> (call->graph->n_results + step->at) & 1)
			piece->narrow |= 1u << graph->n_inputs;
		piece->input[graph->n_inputs] = call->inputs[step->at];
	} else if (step->kind == GRAPH_SCALAR) {
		piece->scalar[graph->n_scalars] = call->scalars[step->at];
	}
	piece->made[i] = (uint16_t)graph_like(graph, step, x);
}

/* Copy step @last and all steps that it needs.  Step @from has been copied
   before, so the steps that only @from needs are left out.  Pass @from = -1 if
   no step has been copied. */
static void copy_needed(struct stages_piece *piece, int last, int from)
{
	const struct graph *graph = piece->call->graph;
	bool needed[GRAPH_STEPS] = { false };

	needed[last] = true;
	for (int i = last; i >= 0; i--)
		for (int k = 0; needed[i] && i != from && k < graph->step[i].n;
		     k++)
			needed[graph->step[i].x[k]] = true;
	for (int i = 0; i <= last; i++)
		if (needed[i] && i != from)
			copy_step(piece, i);
}

/* The only GRAPH_REDUCE step of @graph; -1: there is none, or there are
   several. */
static int only_reduction(const struct graph *graph)
{
	int only = -1;

	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_REDUCE) {
			if (only >= 0)
				return -1;
			only = i;
		}
	return only;
}

/* The first of two launches: reduce parts of rows, as reduction @step of the
   call does.  Sets *@partial to the accumulated values, and *@parts to the
   number of parts. */
static dpr_status accumulate(const struct stages_call *call, int step,
			     dpr_array **partial, int64_t *parts)
{
	const struct graph_step *reduce = &call->graph->step[step];
	struct stages_piece piece = { .call = call };
	const struct reduce_call first = {
		.what = call->what,
		.reduction = (enum reduction)reduce->at,
		.graph = &piece.graph,
		.inputs = piece.input,
		.scalars = piece.scalar,
		.rank = call->rank,
		.shape = call->shape,
		.reduced = call->reduced,
		.out = call->results[0],
	};

	copy_needed(&piece, reduce->x[0], -1);
	graph_result(&piece.graph, piece.made[reduce->x[0]]);
	return piece.narrow
		       ? one_kernel_refuse(call->what, "an operand has no rows")
		       : reduce_launch_accumulate(&first, partial, parts);
}

/* Describe the operands of the second launch.  This launch reduces rows of
   @parts elements: row i has the accumulated values of row i of the call. */
static dpr_status take_parts(struct launch_plan *p,
			     const struct stages_call *call,
			     const struct stages_piece *piece, int64_t parts)
{
	dpr_status status = DPR_OK;

	begin_axes(p, call);
	for (int k = 0; !status && k < p->n; k++) {
		const int input = k - 1;

		if (input == 0)
			continue;
		status = add_operand(p, call, k,
				     input < 0 ? call->results[0]
					       : piece->input[input],
				     input < 0 ? call->narrow & 1
					       : piece->narrow >> input & 1);
	}
	p->gone.rank = 1;
	p->gone.dim[0] = parts;
	for (int k = 0; k <= p->n; k++) {
		p->gone.stride[k][0] = k == 0 ? 1 : k == 2 ? row_count(p) : 0;
		p->gone.offset[k] = 0;
	}
	p->array[1] = piece->input[0];
	layout_c_strides(p->kept.rank, p->kept.dim, p->kept.stride[2]);
	p->kept.offset[2] = piece->input[0]->offset;
	return status ? status : end_axes(p);
}

/* Find how reduce_launch_run() would reduce the results of the parts in its
   last pass.  The second launch must combine the results of the parts in the
   order of that pass.  With another order the bits of the results would
   differ. */
static bool foresee_last(const struct launch_plan *p, enum reduction reduction,
			 int64_t parts, struct reduce_shape *out)
{
	const bool reduced[2] = { true };
	const int64_t shape[2] = { parts, row_count(p) };
	struct layout layout = { .rank = 2, .dim = { parts, row_count(p) } };
	struct reduce_values values = { .reduction = reduction,
					.dtype = p->array[1]->dtype,
					.rank = 2,
					.shape = shape,
					.reduced = reduced,
					.is_last = true,
					.format = p->target->format };
	dpr_array *view;
	bool found;

	layout_c_strides(2, layout.dim, layout.stride);
	layout.offset = p->array[1]->offset;
	if (array_view(p->array[1], &layout, &view))
		return false;
	values.plain = view;
	found = reduce_launch_foresee(&values, out);
	dpr_array_release(view);
	return found;
}

/* The second of two launches: reduce the results of the parts, and compute the
   steps that follow. */
static dpr_status run_last(const struct stages_call *call, int step,
			   const dpr_array *partial, int64_t parts)
{
	const struct graph_step *reduce = &call->graph->step[step];
	struct stages_piece piece = { .call = call, .input = { partial } };
	struct reduce_shape shape;
	struct launch_plan p;
	int64_t elements = 1;
	dpr_status status;

	piece.made[step] = (uint16_t)graph_reduce(
		&piece.graph, reduce->at, reduce->compute, reduce->dtype,
		graph_input(&piece.graph, reduce->compute));
	copy_needed(&piece, call->graph->result[0], step);
	graph_result(&piece.graph, piece.made[call->graph->result[0]]);
	begin_rows(&p, call, &piece.graph, piece.scalar);
	status = take_parts(&p, call, &piece, parts);
	if (status)
		return status;
	if (!foresee_last(&p, (enum reduction)reduce->at, parts, &shape))
		return one_kernel_refuse(call->what,
					 "the parts cannot be reduced");
	for (int d = 0; d < call->rank; d++)
		elements *= call->reduced[d] ? call->shape[d] : 1;
	choose_schedule(&p, shape.pack, shape.team_bits);
	return launch(&p, elements);
}

/* Whether two launches can compute the call: it has one reduction, and one
   result with one element for each row. */
static bool is_tail(const struct stages_call *call)
{
	const dpr_array *x = call->results[0];
	int64_t count = 1;

	for (int d = 0; d < call->rank; d++)
		count *= call->reduced[d] ? 1 : call->shape[d];
	return call->graph->n_results == 1 && x->size == count &&
	       only_reduction(call->graph) >= 0;
}

/* --- Calls -------------------------------------------------------------- */

dpr_status stages_run(const struct stages_call *call)
{
	struct reduce_shape shape;
	dpr_array *partial = NULL;
	dpr_status status;
	int64_t parts = 1;
	enum one_kernel how;
	int step = -1;

	if (graph_gathers(call->graph))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: no kernel reads by indices and reduces",
			    call->what);
	how = one_kernel_find_shape(call, &shape);
	if (how == ONE_KERNEL_WHOLE)
		return run_whole(call, &shape);
	if (how == ONE_KERNEL_CUT && is_tail(call))
		step = only_reduction(call->graph);
	if (step < 0)
		return one_kernel_refuse(call->what,
					 "rows are reduced in parts, or in "
					 "several ways,");
	status = accumulate(call, step, &partial, &parts);
	if (!status)
		status = run_last(call, step, partial, parts);
	dpr_array_release(partial);
	return status;
}
