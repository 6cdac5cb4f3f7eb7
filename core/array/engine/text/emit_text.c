/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text.c - kernels as OpenCL C, which call the functions of emit_steps.h.
 * In the text i is the element in a loop.
 */
#include "core/array/engine/text/emit_text.h"

#include <dpr/dtype.h>

#include "core/array/engine/stages_plan.h"
#include "core/array/engine/text/emit_chunk.h"
#include "core/array/engine/text/emit_steps.h"
#include "core/array/engine/text/emit_text_fold.h"
#include "core/array/engine/text/emit_text_stages.h"
#include "core/array/engine/text/emit_text_teams.h"
#include "kernels/images.h"

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

/* TILE: the extent of a square. */
static int tile_of(const struct emission *e)
{
	return frame_tile_extent(e->graph, e->frame);
}

/* How far apart the rows of a turned square of input @k are.  With a line
   between them a column has not all of its lines in the same places of the
   cache. */
static int pitch_of(const struct emission *e, int k)
{
	return tile_of(e) + (int)(FRAME_STREAM_LINE / stored_size(e, k));
}

/* Whether input @k is turned in a square. */
static bool is_turned(const struct emission *e, int k)
{
	return e->frame->kind == FRAME_TILE &&
	       e->frame->inner[k] == FRAME_TURNED;
}

/* Whether no operation's value is an operand of another step: then storing it
   is what rounds it. */
static bool is_stored(const struct graph *graph)
{
	for (int i = 0; i < graph->n_steps; i++)
		for (int k = 0; k < graph->step[i].n; k++)
			if (graph->step[graph->step[i].x[k]].kind ==
			    GRAPH_OPERATION)
				return false;
	return true;
}

/* Whether input @k is brought together in private memory, run by run. */
static bool is_collected(const struct emission *e, int k)
{
	return e->frame->kind == FRAME_STRIDED && !is_result(e, k) &&
	       e->frame->inner[k] == FRAME_ANY && emit_steps_has_memory(e, k);
}

static bool collects(const struct emission *e)
{
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (is_collected(e, k))
			return true;
	return false;
}

/* Where the kernel finds operand @k in a loop over elements i. */
enum place {
	PLACE_NEXT,  /* the elements lie one after the other */
	PLACE_INNER, /* they are apart as the frame says of axis 0 */
	PLACE_PACK, /* in a pack that was loaded, or will be stored, or a single
		       element for all of the pack */
	PLACE_CHUNK, /* in private memory that will be stored */
	PLACE_LINE,  /* the same, which begins with element `done` */
	PLACE_ONE,   /* a single element at a place of its own */
	PLACE_SQUARE /* in column `col` and row j of a square */
};

static void add_place(const struct emission *e, int k, int place)
{
	switch ((enum place)place) {
	case PLACE_NEXT: ADD(e, "x%d[i]", k); return;
	case PLACE_PACK:
		if (is_fixed(e, k))
			emit_steps_at(e, 'x', k, "at%d", k);
		else if (!emit_steps_has_memory(e, k))
			emit_steps_at(e, 'x', k, "at%d + i", k);
		else
			ADD(e, "pack%d.each[i]", k);
		return;
	case PLACE_CHUNK: ADD(e, "chunk%d.each[i]", k); return;
	case PLACE_LINE: ADD(e, "chunk%d.each[i - done]", k); return;
	case PLACE_ONE: emit_steps_at(e, 'x', k, "at%d", k); return;
	case PLACE_SQUARE:
		if (is_turned(e, k))
			ADD(e, "turned%d[col][j]", k);
		else
			emit_steps_at(e, 'x', k, "at%d + j * down%d", k, k);
		return;
	case PLACE_INNER: break;
	}
	switch ((enum frame_inner)e->frame->inner[k]) {
	case FRAME_FIXED:
		ADD(e, is_result(e, k) ? "x%d[0]" : "fixed%d", k);
		return;
	case FRAME_NEXT: emit_steps_at(e, 'x', k, "i"); return;
	case FRAME_ANY:
		if (e->frame->kind == FRAME_PERIOD || is_collected(e, k))
			ADD(e, "row%d[i]", k);
		else
			emit_steps_at(e, 'x', k, "i * step%d", k);
		return;
	case FRAME_TURNED:
		ADD(e, "turned%d.each[j * %d + i]", k, pitch_of(e, k));
		return;
	}
}

/* Write all steps for element i. */
static void add_element(const struct emission *e, bool fast, enum place inputs,
			enum place results)
{
	emit_steps_values(e, EMIT_STEPS_ALL, fast, add_place, (int)inputs);
	for (int k = 0; k < e->graph->n_results; k++)
		emit_steps_store(e, k, add_place, (int)results);
}

/* --- CPUs ------------------------------------------------------------------
 */

/* Write a loop over the n elements of a run. */
static void add_run(const struct emission *e, const char *how, bool fast,
		    enum place inputs, enum place results)
{
	ADD(e, "\t%s for (int i = 0; i < n; i++) {\n", how);
	add_element(e, fast, inputs, results);
	ADD(e, "\t}\n");
}

/* The most elements of a run that goes through private memory. */
static int chunk_run(const struct emission *e)
{
	return e->frame->kind == FRAME_TILE ? tile_of(e) : FRAME_RUN;
}

/* Store result @k from its chunk. */
static void add_chunk_store(const struct emission *e, int k, enum place place)
{
	const int run = chunk_run(e);

	if (e->frame->stream) {
		ADD(e, "\tif (n == %d && BEGINS_LINE(x%d))\n", run, k);
		emit_chunk_stream(e, 'x', k, "0", run);
		ADD(e, "\telse\n");
	}
	ADD(e, "\tINDEPENDENT for (int i = 0; i < n; i++) ");
	add_place(e, k, place);
	ADD(e, " = chunk%d.each[i];\n", k);
}

/*
 * Write the steps for a run of up to chunk_run() elements through private
 * memory: either to store whole lines past the caches, or because a fast path
 * may turn out to be wrong for one of the elements.
 */
static void add_chunk(const struct emission *e, enum place place)
{
	const bool guarded = emit_steps_has_guards(e->graph, EMIT_STEPS_ALL);
	const int run = chunk_run(e);

	emit_steps_chunks(e, ~0u, run);
	if (guarded)
		ADD(e, "\tuchar any = 0;\n");
	add_run(e, emit_steps_loop(e->graph, EMIT_STEPS_ALL), guarded, place,
		PLACE_CHUNK);
	if (guarded) {
		ADD(e, "\tif (any)\n");
		add_run(e, "PLAIN", false, place, PLACE_CHUNK);
	}
	for (int k = 0; k < e->graph->n_results; k++)
		add_chunk_store(e, k, place);
}

/* Move the operands by @n elements. */
static void add_advance(const struct emission *e, const char *n,
			enum place place)
{
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (place == PLACE_NEXT || e->frame->inner[k] == FRAME_NEXT)
			ADD(e, "\tx%d += %s;\n", k, n);
		else if (e->frame->inner[k] == FRAME_ANY)
			ADD(e, "\tx%d += %s * step%d;\n", k, n, k);
}

/*
 * Write the steps of whole lines for as long as there are some in `all`, and
 * count in `done`.  What is computed of a line is one vector, which stays in
 * registers until it is stored past the caches.
 */
static void add_lines(const struct emission *e, int vector, enum place place)
{
	const int n = emit_chunk_lines(e);

	ADD(e, "\tif (BEGINS_LINE(x0)");
	for (int k = 1; k < e->graph->n_results; k++)
		ADD(e, " && BEGINS_LINE(x%d)", k);
	ADD(e, ") for (; done + %d <= all; done += %d) {\n", n, n);
	emit_steps_chunks(e, ~0u, n);
	ADD(e, "\tVECTOR(%d) for (int i = done; i < done + %d; i++) {\n",
	    vector, n);
	add_element(e, false, place, PLACE_LINE);
	ADD(e, "\t}\n");
	for (int k = 0; k < e->graph->n_results; k++)
		emit_chunk_stream(e, 'x', k, "done", n);
	ADD(e, "\t}\n");
	add_advance(e, "done", place);
}

static bool is_chunked(const struct emission *e)
{
	return emit_steps_has_guards(e->graph, EMIT_STEPS_ALL) ||
	       e->frame->stream;
}

/* Write the steps of a run of n elements. */
static void add_cpu_run(const struct emission *e, enum place place)
{
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (is_collected(e, k))
			ADD(e,
			    "\t%s row%d[%d];\n"
			    "\tcollect_%u(row%d, x%d, step%d, n);\n",
			    stored_type(e, k), k, FRAME_RUN,
			    frame_operand(e->graph, k), k, k, k);
	if (is_chunked(e))
		add_chunk(e, place);
	else
		add_run(e, emit_steps_loop(e->graph, EMIT_STEPS_ALL), false,
			place, place);
}

/* Write the loops over the elements of a work-item: @most at most, and as many
   as there are in `left`. */
static void add_cpu_elements(const struct emission *e, int most,
			     enum place place)
{
	const bool one_run = most == FRAME_RUN || !is_chunked(e);
	const int vector =
		e->frame->stream && !collects(e)
			? emit_steps_vector(e->graph, emit_chunk_lines(e))
			: 0;

	ADD(e, "\tconst int %s = left < %d ? (int)left : %d;\n",
	    one_run && !vector ? "n" : "all", most, most);
	if (vector) {
		ADD(e, "\tint done = 0;\n");
		add_lines(e, vector, place);
		ADD(e, "\tconst int n = all - done;\n");
		add_run(e, emit_steps_loop(e->graph, EMIT_STEPS_ALL), false,
			place, place);
	} else if (one_run) {
		add_cpu_run(e, place);
	} else {
		ADD(e,
		    "\tfor (int done = 0; done < all; done += %d) {\n"
		    "\tconst int n = all - done < %d ? all - done : %d;\n",
		    FRAME_RUN, FRAME_RUN, FRAME_RUN);
		add_cpu_run(e, place);
		add_advance(e, "n", place);
		ADD(e, "\t}\n");
	}
}

static void add_cpu_flat(const struct emission *e)
{
	ADD(e,
	    "\tconst ulong begin = get_global_id(0) * %d;\n"
	    "\tconst ulong left = w.w[%d] - begin;\n",
	    FRAME_FLAT_RUN, e->words.count);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tx%d += begin;\n", k);
	add_cpu_elements(e, FRAME_FLAT_RUN, PLACE_NEXT);
}

/* Load the element of input @k that is the same for a run. */
static void add_fixed(const struct emission *e, int k)
{
	if (e->frame->inner[k] != FRAME_FIXED || is_result(e, k))
		return;
	ADD(e, "\tconst %s fixed%d = ", stored_type(e, k), k);
	emit_steps_at(e, 'x', k, "0");
	ADD(e, ";\n");
}

static void add_cpu_strided(const struct emission *e)
{
	const int operands = frame_operands(e->graph);
	const int run = frame_strided_run(e->frame);

	ADD(e,
	    "\tconst ulong chunks = (w.w[%d] + %d) / %d;\n"
	    "\tconst ulong id = get_global_id(0);\n"
	    "\tulong rest = w.w[%d] == 1 ? 0 : id / chunks;\n"
	    "\tconst ulong begin = (id - rest * chunks) * %d;\n"
	    "\tif (rest >= w.w[%d] || begin >= w.w[%d])\n\t\treturn;\n"
	    "\tconst ulong left = w.w[%d] - begin;\n",
	    e->words.extent, run - 1, run, e->words.rows, run, e->words.rows,
	    e->words.extent, e->words.extent);
	for (int k = 0; k < operands; k++)
		ADD(e,
		    "\tconst long step%d = (long)w.w[%d];\n"
		    "\tlong at%d = (long)w.w[%d] + (long)begin * step%d;\n",
		    k, e->words.stride + k, k, e->words.offset + k, k);
	emit_steps_axes(e, "ulong", 1, e->frame->rank);
	for (int k = 0; k < operands; k++) {
		ADD(e, "\tx%d += at%d;\n", k, k);
		add_fixed(e, k);
	}
	add_cpu_elements(e, run, PLACE_INNER);
}

/* Repeat the row of input @k over a run. */
static void add_repeated_row(const struct emission *e, int k)
{
	ADD(e,
	    "\t%s row%d[%d];\n"
	    "\tx%d += w.w[%d];\n"
	    "\tfor (int i = 0, at = 0; i < run; i++) {\n"
	    "\t\trow%d[i] = x%d[at * (long)w.w[%d]];\n"
	    "\t\tat = at + 1 == row ? 0 : at + 1;\n\t}\n",
	    stored_type(e, k), k, FRAME_RUN, k, e->words.offset + k, k, k,
	    e->words.stride + k);
}

static void add_cpu_period(const struct emission *e)
{
	const int operands = frame_operands(e->graph);

	ADD(e,
	    "\tconst int row = (int)w.w[%d], run = %d / row * row;\n"
	    "\tconst ulong begin = get_global_id(0) * (ulong)(run * %d);\n"
	    "\tif (begin >= w.w[%d])\n\t\treturn;\n"
	    "\tconst ulong left = w.w[%d] - begin;\n"
	    "\tconst int all = left < run * %d ? (int)left : run * %d;\n",
	    e->words.extent, FRAME_RUN, FRAME_PERIODS, e->words.count,
	    e->words.count, FRAME_PERIODS, FRAME_PERIODS);
	for (int k = 0; k < operands; k++)
		if (e->frame->inner[k] == FRAME_NEXT)
			ADD(e, "\tx%d += w.w[%d] + begin;\n", k,
			    e->words.offset + k);
		else
			add_repeated_row(e, k);
	ADD(e, "\tfor (int done = 0; done < all; done += run) {\n"
	       "\tconst int n = all - done < run ? all - done : run;\n");
	if (emit_steps_has_guards(e->graph, EMIT_STEPS_ALL))
		add_chunk(e, PLACE_INNER);
	else
		add_run(e, emit_steps_loop(e->graph, EMIT_STEPS_ALL), false,
			PLACE_INNER, PLACE_INNER);
	for (int k = 0; k < operands; k++)
		if (e->frame->inner[k] == FRAME_NEXT)
			ADD(e, "\tx%d += run;\n", k);
	ADD(e, "\t}\n");
}

/* --- GPUs ------------------------------------------------------------------
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

/* Where the pack of operand @k is in memory. */
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

/* Load the packs, compute their elements and store them. */
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
	add_element(e, false, PLACE_PACK, PLACE_PACK);
	ADD(e, "\t}\n");
	for (int k = 0; k < e->graph->n_results; k++) {
		ADD(e, "\t");
		add_pack(e, k);
		ADD(e, " = pack%d.all;\n", k);
	}
}

/* Each operand of a work-item is one access, if all of it is inside. */
static void add_gpu_flat(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	ADD(e,
	    "\tconst ulong begin = get_global_id(0) * %d;\n"
	    "\tif (begin + %d <= w.w[%d]) {\n",
	    n, n, e->words.count);
	add_packs(e);
	ADD(e, "\t} else for (ulong i = begin; i < w.w[%d]; i++) {\n",
	    e->words.count);
	add_element(e, false, PLACE_NEXT, PLACE_NEXT);
	ADD(e, "\t}\n");
}

/* A work-item takes elements that are a group apart, so that the accesses of
   neighbours are side by side whatever the alignment. */
static void add_interleaved(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	ADD(e,
	    "\tulong i = get_group_id(0) * %d + get_local_id(0);\n"
	    "\tfor (int j = 0; j < %d && i < w.w[%d]; j++, i += %d) {\n",
	    n * FRAME_GROUP, n, e->words.count, FRAME_GROUP);
	add_element(e, false, PLACE_NEXT, PLACE_NEXT);
	ADD(e, "\t}\n");
}

/* One element, or in FRAME_ROWS a pack of a row. */
static void add_gpu_strided(const struct emission *e)
{
	const char *type = e->frame->small ? "uint" : "ulong";
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
		add_element(e, false, PLACE_ONE, PLACE_ONE);
}

/* --- Squares ---------------------------------------------------------------
 */

/*
 * Find the square: where it begins along axis 0 and 1, its extents n and m
 * there, and for each operand the place of its first element and the steps to
 * the next one along both axes.
 */
static void add_square(const struct emission *e, const char *id)
{
	const int operands = frame_operands(e->graph), tile = tile_of(e);
	const int extent = e->words.extent, stride = e->words.stride;

	ADD(e,
	    "\tconst ulong across = (w.w[%d] + %d) / %d;\n"
	    "\tconst ulong deep = (w.w[%d] + %d) / %d;\n"
	    "\tconst ulong id = %s;\n"
	    "\tulong rest = id / (across * deep);\n"
	    "\tconst long begin = (long)(id %% across) * %d;\n"
	    "\tconst long top = (long)(id / across %% deep) * %d;\n"
	    "\tconst long left = (long)w.w[%d] - begin;\n"
	    "\tconst long below = (long)w.w[%d] - top;\n"
	    "\tconst int n = left < %d ? (int)left : %d;\n"
	    "\tconst int m = below < %d ? (int)below : %d;\n",
	    extent, tile - 1, tile, extent + 1, tile - 1, tile, id, tile, tile,
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

/* Turn the square of input @k in registers, into private memory. */
static void add_turning(const struct emission *e, int k)
{
	const int pitch = pitch_of(e, k), room = tile_of(e) * pitch;
	const size_t size = stored_size(e, k);

	ADD(e,
	    "\tunion { turn_item_%zu item[%d]; %s each[%d]; } turned%d "
	    "__attribute__((aligned(%d)));\n"
	    "\tturn_%zu(turned%d.item, %d, "
	    "(global const turn_item_%zu *)x%d, step%d, n, m);\n",
	    size, room, stored_type(e, k), room, k, FRAME_STREAM_LINE, size, k,
	    pitch, size, k, k);
}

/* Fetch the row that comes TURN_AHEAD rows later: of this square, or of the
   next one along axis 0, where the next work-item most likely continues. */
static void add_fetches(const struct emission *e)
{
	for (int k = e->graph->n_results; k < frame_operands(e->graph); k++)
		if (e->frame->inner[k] == FRAME_NEXT &&
		    emit_steps_has_memory(e, k))
			ADD(e,
			    "\tfetch_%zu((global const turn_item_%zu *)x%d + "
			    "(j + TURN_AHEAD < m ? TURN_AHEAD * down%d : "
			    "(TURN_AHEAD - m) * down%d + %d), n);\n",
			    stored_size(e, k), stored_size(e, k), k, k, k,
			    tile_of(e));
}

/* A work-item takes a square, row by row. */
static void add_cpu_tile(const struct emission *e)
{
	const int operands = frame_operands(e->graph);

	add_square(e, "get_global_id(0)");
	for (int k = 0; k < operands; k++) {
		ADD(e, "\tx%d += at%d;\n", k, k);
		if (is_turned(e, k))
			add_turning(e, k);
	}
	ADD(e, "\tfor (int j = 0; j < m; j++) {\n");
	for (int k = 0; k < operands; k++)
		add_fixed(e, k);
	if (emit_steps_has_guards(e->graph, EMIT_STEPS_ALL) || e->frame->stream)
		add_chunk(e, PLACE_INNER);
	else
		add_run(e, emit_steps_loop(e->graph, EMIT_STEPS_ALL), false,
			PLACE_INNER, PLACE_INNER);
	add_fetches(e);
	for (int k = 0; k < operands; k++)
		if (!is_turned(e, k))
			ADD(e, "\tx%d += down%d;\n", k, k);
	ADD(e, "\t}\n");
}

/* A group takes a square.  It reads what is turned along axis 1 into local
   memory, with a column more than the square has, so that work-items that read
   a column use all banks; then it goes along axis 0. */
static void add_gpu_tile(const struct emission *e)
{
	const int operands = frame_operands(e->graph), tile = tile_of(e);

	for (int k = 0; k < operands; k++)
		if (is_turned(e, k))
			ADD(e, "\tlocal %s turned%d[%d][%d];\n",
			    stored_type(e, k), k, tile, tile + 1);
	add_square(e, "get_group_id(0)");
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
	add_element(e, false, PLACE_SQUARE, PLACE_SQUARE);
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
		       const char *name, bool is_cpu, struct text *out)
{
	const struct emission e = { .graph = graph,
				    .frame = frame,
				    .words = frame_words(graph, frame),
				    .out = out };

	add_head(&e, name);
	if (frame->kind == FRAME_STAGES)
		(is_cpu ? emit_text_stages : emit_text_teams_stages)(&e);
	else if (frame->kind == FRAME_FLAT && is_cpu)
		add_cpu_flat(&e);
	else if (frame->kind == FRAME_TILE)
		(is_cpu ? add_cpu_tile : add_gpu_tile)(&e);
	else if (frame->kind == FRAME_PERIOD)
		add_cpu_period(&e);
	else if (is_cpu)
		add_cpu_strided(&e);
	else if (frame->kind != FRAME_FLAT)
		add_gpu_strided(&e);
	else if (frame->aligned)
		add_gpu_flat(&e);
	else
		add_interleaved(&e);
	ADD(&e, "}\n");
}

/* Write the functions that turn elements of the sizes whose bits are set. */
static void add_turns(struct text *out, unsigned sizes)
{
	const struct image turn = images_turn();

	for (unsigned size = 1; size <= 16; size *= 2)
		if (sizes & size) {
			text_print(out,
				   "#undef TURN_ITEM\n#define TURN_ITEM %u\n",
				   size);
			text_add(out, turn.data, turn.size);
		}
}

/* The sizes of the inputs that are turned or fetched on a CPU. */
static unsigned turned_sizes(const struct graph *graph,
			     const struct frame *frame)
{
	unsigned sizes = 0;

	if (frame->kind != FRAME_TILE)
		return 0;
	for (int k = graph->n_results; k < frame_operands(graph); k++)
		if (frame_has_memory(graph, k) &&
		    (frame->inner[k] == FRAME_TURNED ||
		     frame->inner[k] == FRAME_NEXT))
			sizes |= (unsigned)dpr_dtype_size(
				(dpr_dtype)frame_operand(graph, k));
	return sizes;
}

bool emit_text_kernel(const struct graph *graph, const struct frame *frame,
		      const char *name, bool is_cpu, struct text *out)
{
	if (frame->kind == FRAME_STAGES) {
		if (is_cpu)
			emit_text_stages_begin(graph, frame, out);
		else if (stages_plan_is_long(graph, frame))
			return false;
		else
			emit_steps_begin(emit_steps_dtypes(graph), false, out);
		add_kernel(graph, frame, name, is_cpu, out);
		return !out->failed;
	}
	if (frame_is_fold(frame))
		return emit_text_fold(graph, frame, name, is_cpu, out);
	emit_steps_begin(emit_steps_dtypes(graph), is_stored(graph), out);
	if (is_cpu)
		add_turns(out, turned_sizes(graph, frame));
	add_kernel(graph, frame, name, is_cpu, out);
	return !out->failed;
}
