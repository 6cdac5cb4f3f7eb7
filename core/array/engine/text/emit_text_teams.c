/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text_teams.c - writes kernels that reduce, as OpenCL C.
 *
 * In each round a work-item loads the packs of all slots, computes their
 * elements, and combines them with its accumulated values z.  In the last round
 * elements may be missing.  Then the work-items of a team combine their values
 * in local memory.  Work-items without a result take part, since all must meet
 * at barriers.
 *
 * A kernel of FRAME_STAGES does this once for each reduction.  Then it goes
 * over the row once more to store results.  Values that several stages need are
 * loaded and computed again.  Each reduction has the same packs, lanes and team
 * as if it were alone, so that its bits are the same.
 */
#include "core/array/engine/text/emit_text_teams.h"

#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/stages_plan.h"
#include "core/array/engine/text/emit_fold.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

/* The computation for each element, in one pass over the elements. */
struct pass {
	const struct emission *e;
	uint64_t set; /* the steps to compute */
	/* the step whose value is combined; -1: results are stored */
	int value;
};

static bool is_columns(const struct emission *e)
{
	return e->frame->kind == FRAME_FOLD_COLUMNS;
}

static int slots_of(const struct emission *e)
{
	return is_columns(e) ? FRAME_FOLD_COLUMN_SLOTS : FRAME_FOLD_ROW_SLOTS;
}

/* Whether operand @k has one value for all elements of an item. */
static bool is_once(const struct emission *e, int k)
{
	return !is_columns(e) && e->frame->inner[k] == FRAME_FIXED;
}

static bool is_packed(const struct emission *e, int k)
{
	return e->frame->gpu.pack > 1 && e->frame->inner[k] == FRAME_NEXT &&
	       emit_steps_has_memory(e, k);
}

static bool is_result(const struct emission *e, int k)
{
	return k < e->graph->n_results;
}

/* Whether the pass moves along operand @k. */
static bool is_moved(const struct pass *p, int k)
{
	const struct graph *graph = p->e->graph;

	if (is_once(p->e, k))
		return false;
	if (is_result(p->e, k))
		return p->value < 0;
	for (int i = 0; i < graph->n_steps; i++)
		if (p->set >> i & 1 && graph_is_input(&graph->step[i]) &&
		    graph->step[i].at == k - graph->n_results)
			return true;
	return false;
}

/* --- Elements --------------------------------------------------------------
 */

enum place {
	PLACE_PACK, /* element i of the pack of slot s */
	PLACE_SOME, /* the same element; the whole pack may be missing */
	/* the same element in memory; any element may be missing */
	PLACE_ELEMENT,
	PLACE_ONCE /* the only element for the row */
};

static void add_place(const struct emission *e, int k, int place)
{
	if (place == PLACE_ONCE && is_result(e, k))
		emit_steps_at(e, k, "at%d", k);
	else if (is_once(e, k))
		ADD(e, "once%d", k);
	else if (place != PLACE_ELEMENT && is_packed(e, k))
		ADD(e, is_result(e, k) ? "pack%d.each[i]" : "pack%d[s].each[i]",
		    k);
	else if (!is_columns(e))
		emit_steps_at(e, k, "at%d + (s * apart + i) * step%d", k, k);
	else
		emit_steps_at(e, k, "at%d + s * step%d%s", k, k,
			      e->frame->inner[k] == FRAME_NEXT ? " + i" : "");
}

/* Declare the packs of operand @k, as arrays of units.  A unit is accessed at
   once.  Returns the number of units in a pack. */
static int add_pack(const struct emission *e, int k, const char **type)
{
	const unsigned dtype = frame_operand(e->graph, k);
	const int bytes =
		e->frame->gpu.pack * (int)dpr_dtype_size((dpr_dtype)dtype);
	const int unit = bytes < 16 ? bytes : 16;

	*type = unit == 16  ? "uint4"
		: unit == 8 ? "uint2"
		: unit == 4 ? "uint"
			    : "ushort";
	ADD(e, "\tunion { %s unit[%d]; %s each[%d]; } pack%d", *type,
	    bytes / unit, emit_steps_stored(dtype), e->frame->gpu.pack, k);
	return bytes / unit;
}

/* How the last round accesses its elements, some of which are missing. */
static enum place last_place(const struct emission *e)
{
	return e->frame->gpu.missing == FRAME_PACKS ? PLACE_SOME
						    : PLACE_ELEMENT;
}

/* Load the packs of all slots.  With PLACE_SOME packs may be missing: then the
   first pack is loaded instead, so that there are no branches. */
static void add_loads(const struct pass *p, enum place place)
{
	const struct emission *e = p->e;
	const char *slot =
		place == PLACE_SOME ? "(s * apart < left ? s : 0)" : "s";
	const int slots = slots_of(e);

	for (int k = e->graph->n_results; k < frame_operands(e->graph); k++) {
		const char *type;
		int units;

		if (!is_packed(e, k) || !is_moved(p, k))
			continue;
		units = add_pack(e, k, &type);
		ADD(e,
		    "[%d];\n"
		    "\tUNROLL for (int s = 0; s < %d; s++)\n"
		    "\tUNROLL for (int i = 0; i < %d; i++)\n"
		    "\t\tpack%d[s].unit[i] = ((global const %s *)(x%d + at%d + "
		    "%s * apart * step%d))[i];\n",
		    slots, slots, units, k, type, k, k, slot, k);
	}
}

/* --- Rounds ----------------------------------------------------------------
 */

/* Rotate the accumulated values by one slot.  All indices are constant, so the
   values stay in registers. */
static void add_turn(const struct emission *e)
{
	const char *type = emit_steps_computed(e->frame->sum);
	const int pack = e->frame->gpu.pack;
	const int last = (e->frame->gpu.lanes - 1) * pack;

	ADD(e,
	    "\t%s first[%d];\n"
	    "\tUNROLL for (int i = 0; i < %d; i++) first[i] = z[i];\n"
	    "\tUNROLL for (int i = 0; i < %d; i++) z[i] = z[i + %d];\n"
	    "\tUNROLL for (int i = 0; i < %d; i++) z[i + %d] = first[i];\n",
	    type, pack, pack, last, pack, pack, last);
}

/* Combine the value of an element with an accumulated value.  @turns: the
   accumulated values are rotated, so the first ones are used. */
static void add_combine(const struct pass *p, bool turns)
{
	const struct emission *e = p->e;
	const unsigned dtype = e->graph->step[p->value].dtype;
	char value[16], to[40] = "z[i]";

	if (e->frame->gpu.lanes > 1 && !turns)
		snprintf(to, sizeof(to), "z[s * %d + i]", e->frame->gpu.pack);
	snprintf(value, sizeof(value), "v%d", p->value);
	ADD(e, "\t\tconst %s u = ", emit_steps_computed(e->frame->sum));
	emit_fold_cast(e, dtype, e->frame->sum, value);
	ADD(e, ";\n\t\t");
	emit_fold_combine(e, e->frame->sum, to, "u");
}

/* Store the packs of slot s. */
static void store_packs(const struct pass *p, const char *const *type,
			const int *units)
{
	for (int k = 0; k < p->e->graph->n_results; k++)
		if (units[k])
			ADD(p->e,
			    "\tUNROLL for (int i = 0; i < %d; i++)\n"
			    "\t\t((global %s *)(x%d + at%d + "
			    "s * apart * step%d))[i] = pack%d.unit[i];\n",
			    units[k], type[k], k, k, k, k);
}

/* Compute the elements of all slots, and combine or store them.  With long
   functions the slots are a loop, so that the text has each function only once
   for an element of a pack. */
static void add_round(const struct pass *p, enum place place)
{
	const struct emission *e = p->e;
	const bool turns = emit_steps_is_long(e->graph, p->set);
	const char *type[GRAPH_RESULTS];
	int units[GRAPH_RESULTS] = { 0 };

	ADD(e, "\t%sfor (int s = 0; s < %d; s++) {\n", turns ? "" : "UNROLL ",
	    slots_of(e));
	if (place == PLACE_SOME)
		ADD(e, "\tif (s * apart < left) {\n");
	for (int k = 0; k < e->graph->n_results && place != PLACE_ELEMENT; k++)
		if (is_packed(e, k) && is_moved(p, k)) {
			units[k] = add_pack(e, k, &type[k]);
			ADD(e, ";\n");
		}
	ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) {\n", e->frame->gpu.pack);
	if (place == PLACE_ELEMENT)
		ADD(e, "\tif (s * apart%s < left) {\n",
		    is_columns(e) ? "" : " + i");
	emit_steps_values(e, p->set, add_place, (int)place);
	if (p->value >= 0)
		add_combine(p, turns);
	for (int k = 0; k < e->graph->n_results; k++)
		if (is_moved(p, k))
			emit_steps_store(e, k, add_place, (int)place);
	ADD(e, place == PLACE_ELEMENT ? "\t}\n\t}\n" : "\t}\n");
	store_packs(p, type, units);
	if (place == PLACE_SOME)
		ADD(e, "\t}\n");
	if (p->value >= 0 && turns && e->frame->gpu.lanes > 1)
		add_turn(e);
	ADD(e, "\t}\n");
}

static void add_rounds(const struct pass *p)
{
	const struct emission *e = p->e;
	const enum place last = last_place(e);
	const int slots = slots_of(e);

	ADD(e, "\tfor (; left > %d * apart + %d; left -= %d * apart) {\n",
	    slots - 1, is_columns(e) ? 0 : e->frame->gpu.pack - 1, slots);
	add_loads(p, PLACE_PACK);
	add_round(p, PLACE_PACK);
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (is_moved(p, k))
			ADD(e, "\tat%d += %d * apart * step%d;\n", k, slots, k);
	ADD(e, "\t}\n\tif (left > 0) {\n");
	if (last == PLACE_SOME)
		add_loads(p, last);
	add_round(p, last);
	ADD(e, "\t}\n");
}

/* --- Places ----------------------------------------------------------------
 */

/* Whether several work-items compute a result together, or may do so. */
static bool is_team(const struct emission *e)
{
	return e->frame->gpu.open || e->frame->gpu.team_bits;
}

/* Find the work-item's team, and its number in the team.  `apart` is the
   distance between slots, in elements along the reduced axis. */
static void add_lane(const struct emission *e)
{
	const int team = 1 << e->frame->gpu.team_bits;

	if (e->frame->gpu.open)
		ADD(e,
		    "\tconst int team = (int)w.w[%d], apart = team;\n"
		    "\tconst int lane = (int)get_local_id(0) & (team - 1);\n"
		    "\tconst ulong id = get_group_id(0) * (%d / team) + "
		    "get_local_id(0) / team;\n",
		    e->words.team, FRAME_GROUP);
	else
		ADD(e,
		    "\tconst int team = %d, apart = %d;\n"
		    "\tconst int lane = (int)get_local_id(0) & %d;\n"
		    "\tconst ulong id = get_global_id(0) >> %d;\n",
		    team, is_columns(e) ? 1 : team * e->frame->gpu.pack,
		    team - 1, e->frame->gpu.team_bits);
	ADD(e, "\tconst int ok = id < w.w[%d];\n", e->words.count);
	if (!is_team(e))
		ADD(e, "\tif (!ok)\n\t\treturn;\n");
}

/* Find the team's part. */
static void add_part(const struct emission *e)
{
	const char *type = e->frame->gpu.small ? "uint" : "ulong";

	ADD(e,
	    "\t%s rest = (%s)(%s);\n"
	    "\tlong left = (long)w.w[%d], begin = 0;\n",
	    type, type, is_team(e) ? "ok ? id : 0" : "id", e->words.length);
	if (e->frame->gpu.cut)
		ADD(e,
		    "\tconst %s part = rest / (%s)w.w[%d];\n"
		    "\trest -= part * (%s)w.w[%d];\n"
		    "\tbegin = (long)part * (long)w.w[%d];\n"
		    "\tleft = min(left - begin, (long)w.w[%d]);\n",
		    type, type, e->words.per_part, type, e->words.per_part,
		    e->words.part, e->words.part);
	if (is_columns(e))
		ADD(e, "\trest *= %d;\n", e->frame->gpu.pack);
	else
		ADD(e,
		    "\tbegin += lane * %d;\n"
		    "\tleft = %sleft - lane * %d%s;\n",
		    e->frame->gpu.pack, is_team(e) ? "ok ? " : "",
		    e->frame->gpu.pack, is_team(e) ? " : 0" : "");
}

/* Find the places of the operands.  Only rows in stages have a result for each
   element. */
static void add_places(const struct emission *e)
{
	const char *type = e->frame->gpu.small ? "uint" : "ulong";
	const int first = e->frame->kind == FRAME_STAGES ? 0 : 1;

	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tlong at%d = (long)w.w[%d];\n", k,
		    e->words.offset + k);
	emit_steps_axes(e, type, 0, e->frame->rank);
	if (e->frame->gpu.open)
		ADD(e, "\tat0 += (long)part * (long)w.w[%d];\n",
		    e->words.next_part);
	else if (!e->frame->result && e->frame->kind != FRAME_STAGES)
		ADD(e, "\tat0 = (long)w.w[%d] + (long)id * %d;\n",
		    e->words.offset, is_columns(e) ? e->frame->gpu.pack : 1);
	for (int k = first; k < frame_operands(e->graph); k++) {
		ADD(e,
		    "\tconst long step%d = (long)w.w[%d];\n"
		    "\tat%d += begin * step%d;\n",
		    k, e->words.step + k, k, k);
		if (is_once(e, k) && !is_result(e, k))
			emit_fold_once(e, k);
	}
}

/* Combine each of the values @n / 2 to @n - 1 with a value of the first half,
   and go on with the first half until one is left.  A value is a group of
   @pack. */
static void add_halves(const struct emission *e, int n, int pack)
{
	for (n /= 2; n > 0; n /= 2) {
		char from[40];

		snprintf(from, sizeof(from), "z[i + %d]", n * pack);
		ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) ", n * pack);
		emit_fold_combine(e, e->frame->sum, "z[i]", from);
	}
}

/* Combine the first values of each team's items, in local memory. */
static void add_tree(const struct emission *e)
{
	ADD(e, "\tconst int me = (int)get_local_id(0);\n"
	       "\tshared[me] = z[0];\n"
	       "\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
	       "\tfor (int half_of = team / 2; half_of > 0; half_of /= 2) {\n"
	       "\t\tif (lane < half_of)\n\t\t\t");
	emit_fold_combine(e, e->frame->sum, "shared[me]",
			  "shared[me + half_of]");
	ADD(e, "\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n\t}\n");
}

/* Reduce the elements of a pass to one value for each team, or for each
   neighbour in a pack. */
static void add_values(const struct pass *p)
{
	const struct emission *e = p->e;
	const int pack = e->frame->gpu.pack,
		  values = e->frame->gpu.lanes * pack;

	ADD(e, "\t%s z[%d];\n\tUNROLL for (int i = 0; i < %d; i++) z[i] = ",
	    emit_steps_computed(e->frame->sum), values, values);
	emit_fold_first(e, e->frame->sum);
	ADD(e, ";\n");
	add_rounds(p);
	add_halves(e, is_columns(e) ? e->frame->gpu.lanes : values,
		   is_columns(e) ? pack : 1);
	if (is_team(e))
		add_tree(e);
}

/* --- Reductions alone ------------------------------------------------------
 */

void emit_text_teams_fold(const struct emission *e)
{
	const struct pass pass = { e, EMIT_STEPS_ALL, e->graph->result[0] };

	if (is_team(e))
		ADD(e, "\tlocal %s shared[%d];\n",
		    emit_steps_computed(e->frame->sum), FRAME_GROUP);
	add_lane(e);
	add_part(e);
	add_places(e);
	add_values(&pass);
	if (is_columns(e)) {
		ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) x0[at0 + i",
		    e->frame->gpu.pack);
		if (e->frame->result)
			ADD(e, " * (long)w.w[%d]", e->words.stride);
		ADD(e, "] = ");
		emit_fold_finish(e, "z[i]");
		ADD(e, ";\n");
		return;
	}
	if (is_team(e))
		ADD(e, "\tz[0] = shared[me];\n"
		       "\tif (lane > 0 || !ok)\n\t\treturn;\n");
	ADD(e, "\tx0[at0] = ");
	emit_fold_finish(e, "z[0]");
	ADD(e, ";\n");
}

/* --- Stages ----------------------------------------------------------------
 */

/* Begin a pass at the beginning of the row. */
static void begin_pass(const struct pass *p)
{
	ADD(p->e, "\tlong left = all;\n");
	for (int k = 0; k < frame_operands(p->e->graph); k++)
		if (is_moved(p, k))
			ADD(p->e, "\tlong at%d = from%d;\n", k, k);
}

/* Write the reduction @at.  Every item of the team gets its value. */
static void add_reduction(const struct emission *whole,
			  const struct stages_plan *plan, int at)
{
	const struct frame frame = stages_plan_frame(plan, at);
	const int i = plan->reduce[at];
	const unsigned dtype = plan->graph->step[i].dtype;
	struct emission e = *whole;
	const struct pass pass = { &e, plan->need[at],
				   plan->graph->step[i].x[0] };

	e.frame = &frame;
	ADD(&e, "\t%s v%d;\n\t{\n", emit_steps_computed(dtype), i);
	if (is_team(&e))
		ADD(&e, "\tlocal %s *const shared = (local %s *)room;\n%s",
		    emit_steps_computed(frame.sum),
		    emit_steps_computed(frame.sum),
		    at ? "\tbarrier(CLK_LOCAL_MEM_FENCE);\n" : "");
	emit_fold_divisor(&e);
	begin_pass(&pass);
	add_values(&pass);
	if (is_team(&e))
		ADD(&e, "\tz[0] = shared[me - lane];\n");
	ADD(&e, "\tv%d = load_%u(", i, dtype);
	emit_fold_finish(&e, "z[0]");
	ADD(&e, ");\n\t}\n");
}

/* Declare local memory for the largest values. */
static void add_room(const struct emission *e, const struct stages_plan *plan)
{
	size_t most = 0;

	for (int at = 0; at < plan->n; at++) {
		const unsigned sum =
			plan->graph->step[plan->reduce[at]].compute;
		const size_t size = dpr_dtype_size((dpr_dtype)sum);

		most = size > most ? size : most;
	}
	ADD(e, "\tlocal ulong2 room[%d];\n",
	    (int)((FRAME_GROUP * most + 15) / 16));
}

/* Store the results that have one element for a row. */
static void store_once(const struct emission *e)
{
	ADD(e, "\tif (lane == 0) {\n");
	for (int k = 0; k < e->graph->n_results; k++)
		if (is_once(e, k))
			emit_steps_store(e, k, add_place, PLACE_ONCE);
	ADD(e, "\t}\n");
}

void emit_text_teams_stages(const struct emission *e)
{
	struct stages_plan plan;
	struct pass last = { .e = e, .value = -1 };

	stages_plan_begin(&plan, e->graph, e->frame);
	last.set = plan.need[plan.n];
	if (is_team(e))
		add_room(e, &plan);
	add_lane(e);
	add_part(e);
	add_places(e);
	ADD(e, "\tconst long all = left;\n");
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (!is_once(e, k))
			ADD(e, "\tconst long from%d = at%d;\n", k, k);
	emit_steps_values(e, stages_plan_singles(&plan, -1), add_place,
			  PLACE_ONCE);
	for (int at = 0; at < plan.n; at++) {
		add_reduction(e, &plan, at);
		emit_steps_values(e, stages_plan_singles(&plan, at), add_place,
				  PLACE_ONCE);
	}
	if (is_team(e))
		ADD(e, "\tif (!ok)\n\t\treturn;\n");
	if (plan.end[plan.n]) {
		ADD(e, "\t{\n");
		begin_pass(&last);
		add_rounds(&last);
		ADD(e, "\t}\n");
	}
	store_once(e);
}
