/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text.c - writes kernels as OpenCL C.  They call the functions of
 * emit_steps.h.  In the text, i is the element in a loop.
 */
#include "core/array/engine/text/emit_text.h"

#include <dpr/dtype.h>

#include "core/array/engine/stages_plan.h"
#include "core/array/engine/text/emit_steps.h"
#include "core/array/engine/text/emit_text_fold.h"
#include "core/array/engine/text/emit_text_teams.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

static const char *stored_type(const struct emission *e, int k)
{
	return emit_steps_stored(frame_operand(e->graph, k));
}

static size_t stored_size(const struct emission *e, int k)
{
	return dpr_dtype_size((dpr_dtype)frame_operand(e->graph, k));
}

static bool is_result(const struct emission *e, int k)
{
	return k < e->graph->n_results;
}

/* Whether input @k is the same for all elements of a row. */
static bool is_fixed(const struct emission *e, int k)
{
	return e->frame->kind == FRAME_ROWS &&
	       e->frame->inner[k] == FRAME_FIXED && !is_result(e, k);
}

/* Whether input @k is transposed in a square. */
static bool is_turned(const struct emission *e, int k)
{
	return e->frame->kind == FRAME_TILE &&
	       e->frame->inner[k] == FRAME_TURNED;
}

/* Whether no step uses the value of an operation.  Then the value is rounded
   when it is stored. */
static bool is_stored(const struct graph *graph)
{
	for (int i = 0; i < graph->n_steps; i++)
		for (int k = 0; k < graph->step[i].n; k++)
			if (graph->step[graph->step[i].x[k]].kind ==
			    GRAPH_OPERATION)
				return false;
	return true;
}

/* The place of an operand in the kernel. */
enum place {
	PLACE_NEXT, /* at i: the elements are contiguous */
	/* in a pack in registers; or a single element, for the whole pack */
	PLACE_PACK,
	PLACE_ONE,   /* a single element at its own place */
	PLACE_SQUARE /* in column `col` and row j of a square */
};

static void add_place(const struct emission *e, int k, int place)
{
	switch ((enum place)place) {
	case PLACE_NEXT: ADD(e, "x%d[i]", k); return;
	case PLACE_PACK:
		if (is_fixed(e, k))
			emit_steps_at(e, k, "at%d", k);
		else if (!emit_steps_has_memory(e, k))
			emit_steps_at(e, k, "at%d + i", k);
		else
			ADD(e, "pack%d.each[i]", k);
		return;
	case PLACE_ONE: emit_steps_at(e, k, "at%d", k); return;
	case PLACE_SQUARE:
		if (is_turned(e, k))
			ADD(e, "turned%d[col][j]", k);
		else
			emit_steps_at(e, k, "at%d + j * down%d", k, k);
		return;
	}
}

/* Write all steps for an element whose operands are at @place. */
static void add_element(const struct emission *e, enum place place)
{
	emit_steps_values(e, EMIT_STEPS_ALL, add_place, (int)place);
	for (int k = 0; k < e->graph->n_results; k++)
		emit_steps_store(e, k, add_place, (int)place);
}

/* --- Elements --------------------------------------------------------------
 */

/* The type of an access of @size bytes. */
static const char *access_type(size_t size)
{
	return size == 16  ? "uint4"
	       : size == 8 ? "uint2"
	       : size == 4 ? "uint"
	       : size == 2 ? "ushort"
			   : "uchar";
}

/* Write the place in memory of the pack of operand @k. */
static void add_pack(const struct emission *e, int k)
{
	const int n = frame_pack(e->graph);

	ADD(e, "*(global %s%s *)(x%d + %s", is_result(e, k) ? "" : "const ",
	    access_type((size_t)n * stored_size(e, k)), k,
	    e->frame->kind == FRAME_ROWS ? "at" : "begin");
	if (e->frame->kind == FRAME_ROWS)
		ADD(e, "%d", k);
	ADD(e, ")");
}

/* Load the packs, compute their elements, and store them. */
static void add_packs(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	for (int k = 0; k < frame_operands(e->graph); k++) {
		if (is_fixed(e, k) || !emit_steps_has_memory(e, k))
			continue;
		ADD(e, "\tunion { %s all; %s each[%d]; } pack%d;\n",
		    access_type((size_t)n * stored_size(e, k)),
		    stored_type(e, k), n, k);
		if (is_result(e, k))
			continue;
		ADD(e, "\tpack%d.all = ", k);
		add_pack(e, k);
		ADD(e, ";\n");
	}
	ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) {\n", n);
	add_element(e, PLACE_PACK);
	ADD(e, "\t}\n");
	for (int k = 0; k < e->graph->n_results; k++) {
		ADD(e, "\t");
		add_pack(e, k);
		ADD(e, " = pack%d.all;\n", k);
	}
}

/* A work-item takes a pack.  If the whole pack is inside the arrays, each
   operand is one access. */
static void add_flat(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	ADD(e,
	    "\tconst ulong begin = get_global_id(0) * %d;\n"
	    "\tif (begin + %d <= w.w[%d]) {\n",
	    n, n, e->words.count);
	add_packs(e);
	ADD(e, "\t} else for (ulong i = begin; i < w.w[%d]; i++) {\n",
	    e->words.count);
	add_element(e, PLACE_NEXT);
	ADD(e, "\t}\n");
}

/* A work-item takes elements that are a group apart.  So neighbouring
   work-items access neighbouring elements, for any alignment. */
static void add_interleaved(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	ADD(e,
	    "\tulong i = get_group_id(0) * %d + get_local_id(0);\n"
	    "\tfor (int j = 0; j < %d && i < w.w[%d]; j++, i += %d) {\n",
	    n * FRAME_GROUP, n, e->words.count, FRAME_GROUP);
	add_element(e, PLACE_NEXT);
	ADD(e, "\t}\n");
}

/* A work-item takes one element, or in FRAME_ROWS a pack of a row. */
static void add_strided(const struct emission *e)
{
	const char *type = e->frame->gpu.small ? "uint" : "ulong";
	const bool is_rows = e->frame->kind == FRAME_ROWS;
	const int n = is_rows ? frame_pack(e->graph) : 1;

	ADD(e,
	    "\tconst ulong first = get_global_id(0) * %d;\n"
	    "\tif (first >= w.w[%d])\n\t\treturn;\n"
	    "\t%s rest = (%s)first;\n",
	    n, e->words.count, type, type);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tlong at%d = (long)w.w[%d];\n", k,
		    e->words.offset + k);
	emit_steps_axes(e, type, 0, e->frame->rank);
	if (is_rows)
		add_packs(e);
	else
		add_element(e, PLACE_ONE);
}

/* --- Squares ---------------------------------------------------------------
 */

/*
 * Find the square: where it begins along axes 0 and 1, and its extents n and m
 * there.  Then find the first element of each operand, and its steps along both
 * axes.
 */
static void add_square(const struct emission *e)
{
	const int operands = frame_operands(e->graph),
		  tile = e->frame->gpu.tile;
	const int extent = e->words.extent, stride = e->words.stride;

	ADD(e,
	    "\tconst ulong across = (w.w[%d] + %d) / %d;\n"
	    "\tconst ulong deep = (w.w[%d] + %d) / %d;\n"
	    "\tconst ulong id = get_group_id(0);\n"
	    "\tulong rest = id / (across * deep);\n"
	    "\tconst long begin = (long)(id %% across) * %d;\n"
	    "\tconst long top = (long)(id / across %% deep) * %d;\n"
	    "\tconst long left = (long)w.w[%d] - begin;\n"
	    "\tconst long below = (long)w.w[%d] - top;\n"
	    "\tconst int n = left < %d ? (int)left : %d;\n"
	    "\tconst int m = below < %d ? (int)below : %d;\n",
	    extent, tile - 1, tile, extent + 1, tile - 1, tile, tile, tile,
	    extent, extent + 1, tile, tile, tile, tile);
	for (int k = 0; k < operands; k++)
		ADD(e,
		    "\tconst long step%d = (long)w.w[%d], "
		    "down%d = (long)w.w[%d];\n"
		    "\tlong at%d = (long)w.w[%d] + begin * step%d + "
		    "top * down%d;\n",
		    k, stride + k, k, stride + operands + k, k,
		    e->words.offset + k, k, k);
	emit_steps_axes(e, "ulong", 2, e->frame->rank);
}

/* A group takes a square.  It first reads transposed operands along axis 1 into
   local memory, and then goes along axis 0.  The square in local memory has a
   spare column, so that work-items that read a column use different banks. */
static void add_tile(const struct emission *e)
{
	const int operands = frame_operands(e->graph),
		  tile = e->frame->gpu.tile;

	for (int k = 0; k < operands; k++)
		if (is_turned(e, k))
			ADD(e, "\tlocal %s turned%d[%d][%d];\n",
			    stored_type(e, k), k, tile, tile + 1);
	add_square(e);
	ADD(e,
	    "\tconst int col = (int)get_local_id(0) %% %d, "
	    "line = (int)get_local_id(0) / %d;\n",
	    tile, tile);
	for (int k = 0; k < operands; k++)
		if (is_turned(e, k))
			ADD(e,
			    "\tUNROLL for (int i = line; i < %d; i += %d)\n"
			    "\t\tif (i < n && col < m)\n"
			    "\t\t\tturned%d[i][col] = "
			    "x%d[at%d + i * step%d + col];\n",
			    tile, FRAME_GROUP / tile, k, k, k, k);
		else
			ADD(e, "\tat%d += col * step%d;\n", k, k);
	ADD(e,
	    "\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
	    "\tUNROLL for (int j = line; j < %d; j += %d)\n"
	    "\tif (j < m && col < n) {\n",
	    tile, FRAME_GROUP / tile);
	add_element(e, PLACE_SQUARE);
	ADD(e, "\t}\n");
}

/* --- Kernels ---------------------------------------------------------------
 */

static void add_head(const struct emission *e, const char *name)
{
	emit_steps_head(e, name);
	emit_text_parameters(e->graph, e->frame, e->out);
	ADD(e, ")\n{\n");
	emit_steps_numbers(e);
	emit_steps_one(e);
	emit_steps_scalars(e);
}

void emit_text_parameters(const struct graph *graph, const struct frame *frame,
			  struct text *out)
{
	if (frame_is_fold(frame) && frame->kind != FRAME_STAGES) {
		emit_text_fold_parameters(graph, frame, out);
		return;
	}
	for (int k = 0; k < frame_operands(graph); k++)
		if (frame_has_memory(graph, k))
			text_print(out, "global %s%s *x%d, ",
				   k < graph->n_results ? "" : "const ",
				   emit_steps_stored(frame_operand(graph, k)),
				   k);
	text_print(out, "const words w");
}

static void add_kernel(const struct graph *graph, const struct frame *frame,
		       const char *name, struct text *out)
{
	const struct emission e = { .graph = graph,
				    .frame = frame,
				    .words = frame_words(graph, frame),
				    .out = out };

	add_head(&e, name);
	if (frame->kind == FRAME_STAGES)
		emit_text_teams_stages(&e);
	else if (frame->kind == FRAME_TILE)
		add_tile(&e);
	else if (frame->kind != FRAME_FLAT)
		add_strided(&e);
	else if (frame->gpu.aligned)
		add_flat(&e);
	else
		add_interleaved(&e);
	ADD(&e, "}\n");
}

bool emit_text_kernel(const struct graph *graph, const struct frame *frame,
		      const char *name, struct text *out)
{
	const bool is_stages = frame->kind == FRAME_STAGES;

	if (frame_is_fold(frame) && !is_stages)
		return emit_text_fold(graph, frame, name, out);
	if (is_stages && stages_plan_is_long(graph, frame))
		return false;
	emit_steps_begin(emit_steps_dtypes(graph),
			 !is_stages && is_stored(graph), out);
	add_kernel(graph, frame, name, out);
	return !out->failed;
}
