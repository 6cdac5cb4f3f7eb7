/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text_fold.c - kernels as OpenCL C that reduce axes, and those of GPUs.
 *
 * There, a work-item loads the packs of all slots, computes their elements and
 * combines these with the values z that it has accumulated, in rounds.  In the
 * last round elements may be missing.  Then the work-items of a team combine
 * their values in local memory.  Work-items that have no result take part
 * there, since all must meet at barriers.
 */
#include "core/array/engine/text/emit_text_fold.h"

#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/text/emit_fold.h"
#include "core/array/engine/text/emit_text_lanes.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

/* --- GPUs ------------------------------------------------------------------
 */

static bool is_rows(const struct emission *e)
{
	return e->frame->kind == FRAME_FOLD_ROWS;
}

static int slots_of(const struct emission *e)
{
	return is_rows(e) ? FRAME_FOLD_ROW_SLOTS : FRAME_FOLD_COLUMN_SLOTS;
}

/* Whether operand @k has one value for all that an item reduces. */
static bool is_once(const struct emission *e, int k)
{
	return is_rows(e) && e->frame->inner[k] == FRAME_FIXED;
}

static bool is_packed(const struct emission *e, int k)
{
	return e->frame->pack > 1 && e->frame->inner[k] == FRAME_NEXT &&
	       emit_steps_has_memory(e, k);
}

enum place { PLACE_PACK, PLACE_ELEMENT };

static void add_place(const struct emission *e, int k, int place)
{
	if (is_once(e, k))
		ADD(e, "once%d", k);
	else if (place == PLACE_PACK && is_packed(e, k))
		ADD(e, "pack%d[s].each[i]", k);
	else if (is_rows(e))
		emit_steps_at(e, 'x', k, "at%d + (s * apart + i) * step%d", k,
			      k);
	else
		emit_steps_at(e, 'x', k, "at%d + s * step%d%s", k, k,
			      e->frame->inner[k] == FRAME_NEXT ? " + i" : "");
}

/* Load the packs of all slots. */
static void add_loads(const struct emission *e)
{
	for (int k = 1; k < frame_operands(e->graph); k++) {
		const unsigned dtype = frame_operand(e->graph, k);
		const int bytes =
			e->frame->pack * (int)dpr_dtype_size((dpr_dtype)dtype);
		const int unit = bytes < 16 ? bytes : 16;
		const char *type = unit == 16  ? "uint4"
				   : unit == 8 ? "uint2"
				   : unit == 4 ? "uint"
					       : "ushort";

		if (!is_packed(e, k))
			continue;
		ADD(e,
		    "\tunion { %s unit[%d]; %s each[%d]; } pack%d[%d];\n"
		    "\tUNROLL for (int s = 0; s < %d; s++)\n"
		    "\tUNROLL for (int i = 0; i < %d; i++)\n"
		    "\t\tpack%d[s].unit[i] = ((global const %s *)(x%d + at%d + "
		    "s * apart * step%d))[i];\n",
		    type, bytes / unit, emit_steps_stored(dtype),
		    e->frame->pack, k, slots_of(e), slots_of(e), bytes / unit,
		    k, type, k, k, k);
	}
}

/* Let the values of the next slot be the first ones; the first become the
   last.  All indices are constant, so that they stay in registers. */
static void add_turn(const struct emission *e)
{
	const char *type = emit_steps_computed(e->frame->sum);
	const int pack = e->frame->pack;
	const int last = (e->frame->lanes - 1) * pack;

	ADD(e,
	    "\t%s first[%d];\n"
	    "\tUNROLL for (int i = 0; i < %d; i++) first[i] = z[i];\n"
	    "\tUNROLL for (int i = 0; i < %d; i++) z[i] = z[i + %d];\n"
	    "\tUNROLL for (int i = 0; i < %d; i++) z[i + %d] = first[i];\n",
	    type, pack, pack, last, pack, pack, last);
}

/* Compute and combine the elements of all slots.  Those of long functions are
   written once for each element of a pack. */
static void add_round(const struct emission *e, enum place place)
{
	const bool turns = emit_steps_is_long(e->graph, EMIT_STEPS_ALL);
	char value[16], to[40] = "z[i]";

	if (e->frame->lanes > 1 && !turns)
		snprintf(to, sizeof(to), "z[s * %d + i]", e->frame->pack);
	snprintf(value, sizeof(value), "v%d", e->graph->result[0]);
	ADD(e,
	    "\t%sfor (int s = 0; s < %d; s++) {\n"
	    "\tUNROLL for (int i = 0; i < %d; i++) {\n",
	    turns ? "" : "UNROLL ", slots_of(e), e->frame->pack);
	if (place == PLACE_ELEMENT)
		ADD(e, "\tif (s * apart%s < left) {\n",
		    is_rows(e) ? " + i" : "");
	emit_steps_values(e, EMIT_STEPS_ALL, false, add_place, (int)place);
	ADD(e, "\t\tconst %s u = ", emit_steps_computed(e->frame->sum));
	emit_fold_cast(e, emit_fold_value(e->graph), e->frame->sum, value);
	ADD(e, ";\n\t\t");
	emit_fold_combine(e, e->frame->sum, to, "u");
	ADD(e, place == PLACE_ELEMENT ? "\t}\n\t}\n" : "\t}\n");
	if (turns && e->frame->lanes > 1)
		add_turn(e);
	ADD(e, "\t}\n");
}

static void add_rounds(const struct emission *e)
{
	const int slots = slots_of(e);

	ADD(e, "\tfor (; left > %d * apart + %d; left -= %d * apart) {\n",
	    slots - 1, is_rows(e) ? e->frame->pack - 1 : 0, slots);
	add_loads(e);
	add_round(e, PLACE_PACK);
	for (int k = 1; k < frame_operands(e->graph); k++)
		ADD(e, "\tat%d += %d * apart * step%d;\n", k, slots, k);
	ADD(e, "\t}\n\tif (left > 0) {\n");
	add_round(e, PLACE_ELEMENT);
	ADD(e, "\t}\n");
}

/* Whether several work-items make a result, or may. */
static bool is_team(const struct emission *e)
{
	return e->frame->open || e->frame->team_bits;
}

/* Find the work-item's team and its place in it, and how many elements there
   are along the reduced axis from one slot to the next. */
static void add_lane(const struct emission *e)
{
	const int team = 1 << e->frame->team_bits;

	if (e->frame->open)
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
		    team, is_rows(e) ? team * e->frame->pack : 1, team - 1,
		    e->frame->team_bits);
	ADD(e, "\tconst int ok = id < w.w[%d];\n", e->words.count);
	if (!is_team(e))
		ADD(e, "\tif (!ok)\n\t\treturn;\n");
}

/* Find the team's part. */
static void add_part(const struct emission *e)
{
	const char *type = e->frame->small ? "uint" : "ulong";

	ADD(e,
	    "\t%s rest = (%s)(%s);\n"
	    "\tlong left = (long)w.w[%d], begin = 0;\n",
	    type, type, is_team(e) ? "ok ? id : 0" : "id", e->words.length);
	if (e->frame->cut)
		ADD(e,
		    "\tconst %s part = rest / (%s)w.w[%d];\n"
		    "\trest -= part * (%s)w.w[%d];\n"
		    "\tbegin = (long)part * (long)w.w[%d];\n"
		    "\tleft = min(left - begin, (long)w.w[%d]);\n",
		    type, type, e->words.rows, type, e->words.rows,
		    e->words.part, e->words.part);
	if (is_rows(e))
		ADD(e,
		    "\tbegin += lane * %d;\n"
		    "\tleft = %sleft - lane * %d%s;\n",
		    e->frame->pack, is_team(e) ? "ok ? " : "", e->frame->pack,
		    is_team(e) ? " : 0" : "");
	else
		ADD(e, "\trest *= %d;\n", e->frame->pack);
}

static void add_places(const struct emission *e)
{
	const char *type = e->frame->small ? "uint" : "ulong";

	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tlong at%d = (long)w.w[%d];\n", k,
		    e->words.offset + k);
	emit_steps_axes(e, type, 0, e->frame->rank);
	if (e->frame->open)
		ADD(e, "\tat0 += (long)part * (long)w.w[%d];\n", e->words.step);
	else if (!e->frame->result)
		ADD(e, "\tat0 = (long)w.w[%d] + (long)id * %d;\n",
		    e->words.offset, is_rows(e) ? 1 : e->frame->pack);
	for (int k = 1; k < frame_operands(e->graph); k++) {
		ADD(e,
		    "\tconst long step%d = (long)w.w[%d];\n"
		    "\tat%d += begin * step%d;\n",
		    k, e->words.step + k, k, k);
		if (is_once(e, k))
			emit_fold_once(e, k);
	}
}

/* Combine values @n to 2 * @n - 1 with those before them, and so on; they are
   groups of @pack. */
static void add_halves(const struct emission *e, int n, int pack)
{
	for (n /= 2; n > 0; n /= 2) {
		char from[40];

		snprintf(from, sizeof(from), "z[i + %d]", n * pack);
		ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) ", n * pack);
		emit_fold_combine(e, e->frame->sum, "z[i]", from);
	}
}

/* The first item of each team gets the value of all. */
static void add_gather(const struct emission *e)
{
	if (!is_team(e))
		return;
	ADD(e, "\tconst int me = (int)get_local_id(0);\n"
	       "\tshared[me] = z[0];\n"
	       "\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
	       "\tfor (int half_of = team / 2; half_of > 0; half_of /= 2) {\n"
	       "\t\tif (lane < half_of)\n\t\t\t");
	emit_fold_combine(e, e->frame->sum, "shared[me]",
			  "shared[me + half_of]");
	ADD(e, "\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n\t}\n"
	       "\tz[0] = shared[me];\n"
	       "\tif (lane > 0 || !ok)\n\t\treturn;\n");
}

static void add_gpu(const struct emission *e)
{
	const char *type = emit_steps_computed(e->frame->sum);
	const int pack = e->frame->pack, values = e->frame->lanes * pack;

	if (is_team(e))
		ADD(e, "\tlocal %s shared[%d];\n", type, FRAME_GROUP);
	add_lane(e);
	add_part(e);
	add_places(e);
	ADD(e,
	    "\t%s z[%d];\n\tUNROLL for (int i = 0; i < %d; i++) z[i] = ", type,
	    values, values);
	emit_fold_first(e, e->frame->sum);
	ADD(e, ";\n");
	add_rounds(e);
	add_halves(e, is_rows(e) ? values : e->frame->lanes,
		   is_rows(e) ? 1 : pack);
	if (is_rows(e)) {
		add_gather(e);
		ADD(e, "\tx0[at0] = ");
		emit_fold_finish(e, "z[0]");
		ADD(e, ";\n");
		return;
	}
	ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) x0[at0 + i", pack);
	if (e->frame->result)
		ADD(e, " * (long)w.w[%d]", e->words.stride);
	ADD(e, "] = ");
	emit_fold_finish(e, "z[i]");
	ADD(e, ";\n");
}

/* --- Kernels ---------------------------------------------------------------
 */

void emit_text_fold_parameters(const struct graph *graph,
			       const struct frame *frame, struct text *out)
{
	text_print(out, "global %s *x0, ",
		   emit_steps_stored(emit_fold_result(frame)));
	for (int k = 1; k < frame_operands(graph); k++)
		if (frame_has_memory(graph, k))
			text_print(out, "global const %s *x%d, ",
				   emit_steps_stored(frame_operand(graph, k)),
				   k);
	text_print(out, "const words w");
}

bool emit_text_fold(const struct graph *graph, const struct frame *frame,
		    const char *name, bool is_cpu, struct text *out)
{
	const struct emission e = { .graph = graph,
				    .frame = frame,
				    .words = frame_words(graph, frame),
				    .out = out };
	uint32_t used = emit_steps_dtypes(graph) | UINT32_C(1) << frame->sum;

	if (is_cpu)
		used |= UINT32_C(1)
			<< emit_fold_lane(frame, emit_fold_value(graph));
	/* A 16-bit value is rounded before it is accumulated. */
	emit_steps_begin(used, false, out);
	if (is_cpu && emit_fold_rounds(frame))
		emit_fold_careful(out,
				  (unsigned)dtype_part((dpr_dtype)frame->sum));
	emit_steps_head(&e, name);
	emit_text_fold_parameters(graph, frame, out);
	ADD(&e, ")\n{\n");
	emit_steps_numbers(&e);
	emit_steps_scalars(&e);
	emit_fold_divisor(&e);
	if (is_cpu)
		emit_text_lanes(&e);
	else
		add_gpu(&e);
	ADD(&e, "}\n");
	return !out->failed;
}
