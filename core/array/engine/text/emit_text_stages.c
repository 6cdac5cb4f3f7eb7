/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text_stages.c - kernels as OpenCL C that compute rows on a CPU.
 *
 * A work-item goes over each of its rows once for each stage (stages_plan.h):
 * inputs are read again, from the cache, and so are values that are kept, which
 * lie in private memory.  Each reduction has the lanes, blocks and totals that
 * it has alone (emit_text_lanes.c), so that its bits are the same.
 *
 * In the text i is an element of the row, p1 points to the row of input 1, q0
 * to that of result 0, and keep3 has the values of step 3.
 */
#include "core/array/engine/text/emit_text_stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/stages_plan.h"
#include "core/array/engine/text/emit_chunk.h"
#include "core/array/engine/text/emit_fold.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

/* The elements of a chunk.  Whole chunks are computed without a loop, and those
   of a result are whole lines of a cache. */
#define CHUNK 64
/* Bytes of the values that are kept of a row.  They stay in a core's second
   cache. */
#define MOST_KEPT (256 << 10)

struct stages {
	const struct emission *e;
	struct stages_plan plan;
	uint64_t known; /* steps that earlier stages have computed and kept */
	int64_t room;   /* elements of a row whose values can be kept */
};

/* --- Plans -----------------------------------------------------------------
 */

/* Long functions are dear.  All else is as fast as reading what is kept. */
static bool is_dear(const struct stages_plan *plan, uint64_t set, void *context)
{
	(void)context;
	return emit_steps_is_long(plan->graph, set);
}

static size_t kept_size(const struct stages *s, int i)
{
	const dpr_dtype dtype = (dpr_dtype)s->plan.graph->step[i].dtype;
	const size_t size = dpr_dtype_size(dtype);

	return size < sizeof(float) && dpr_dtype_kind(dtype) == 'f'
		       ? sizeof(float)
		       : size;
}

/* How long the frame's rows may be (reduction_text_rows()). */
static int64_t longest_of(const struct frame *frame)
{
	return frame->team_bits == 0               ? EMIT_FOLD_LEAST
	       : frame->team_bits < EMIT_FOLD_LONG ? EMIT_FOLD_SHORT
						   : INT64_MAX;
}

static void make_plan(struct stages *s, const struct graph *graph,
		      const struct frame *frame)
{
	size_t size = 0;

	*s = (struct stages){ .room = longest_of(frame) };
	stages_plan_begin(&s->plan, graph, frame);
	stages_plan_keep(&s->plan, is_dear, NULL);
	for (int i = 0; i < graph->n_steps; i++)
		size += s->plan.kept >> i & 1 ? kept_size(s, i) : 0;
	if (size && (int64_t)(MOST_KEPT / size) < s->room)
		s->room = (int64_t)(MOST_KEPT / size);
}

int64_t emit_text_stages_longest(const struct graph *graph,
				 const struct frame *frame)
{
	struct stages s;

	make_plan(&s, graph, frame);
	return s.room;
}

/* The dtype of the values of reduction @at. */
static unsigned value_of(const struct stages_plan *plan, int at)
{
	const struct graph *graph = plan->graph;

	return graph->step[graph->step[plan->reduce[at]].x[0]].dtype;
}

void emit_text_stages_begin(const struct graph *graph,
			    const struct frame *frame, struct text *out)
{
	uint32_t used = emit_steps_dtypes(graph), sums = 0;
	struct stages s;

	make_plan(&s, graph, frame);
	for (int at = 0; at < s.plan.n; at++) {
		const struct frame of = stages_plan_frame(&s.plan, at);

		used |= UINT32_C(1)
			<< emit_fold_lane(&of, value_of(&s.plan, at));
		if (emit_fold_rounds(&of))
			sums |= UINT32_C(1) << dtype_part((dpr_dtype)of.sum);
	}
	emit_steps_begin(used, false, out);
	for (unsigned dtype = DPR_FLOAT32; dtype <= DPR_FLOAT64; dtype++)
		if (sums >> dtype & 1)
			emit_fold_careful(out, dtype);
}

/* --- Elements --------------------------------------------------------------
 */

enum place {
	PLACE_ROW,  /* element i of the row */
	PLACE_ONCE, /* the element that there is for the row */
	PLACE_CHUNK /* element j of a chunk */
};

static void add_place(const struct emission *e, int k, int place)
{
	const enum frame_inner inner = (enum frame_inner)e->frame->inner[k];
	const char name = k < e->graph->n_results ? 'q' : 'p';

	if (place == PLACE_CHUNK)
		ADD(e, "chunk%d.each[j]", k);
	else if (place == PLACE_ONCE && name == 'q')
		ADD(e, "q%d[0]", k);
	else if (inner == FRAME_FIXED)
		ADD(e, "once%d", k);
	else if (inner == FRAME_NEXT)
		emit_steps_at(e, name, k, "i");
	else
		emit_steps_at(e, name, k, "i * step%d", k);
}

/* The steps that stage @at computes for an element. */
static uint64_t computed_in(const struct stages *s, int at)
{
	return s->plan.need[at] & ~(s->plan.kept & s->known);
}

/* Write the values that stage @at needs of element i, and keep those that a
   later one needs. */
static void add_values(const struct stages *s, int at, bool fast)
{
	const struct emission *e = s->e;
	const uint64_t need = s->plan.need[at], kept = need & s->plan.kept;

	for (int i = 0; i < e->graph->n_steps; i++)
		if ((kept & s->known) >> i & 1)
			ADD(e, "\t\tconst %s v%d = keep%d[i];\n",
			    emit_steps_computed(e->graph->step[i].dtype), i, i);
	emit_steps_values(e, computed_in(s, at), fast, add_place, PLACE_ROW);
	for (int i = 0; i < e->graph->n_steps; i++)
		if ((kept & ~s->known) >> i & 1)
			ADD(e, "\t\tkeep%d[i] = v%d;\n", i, i);
}

/* Begin a loop over j, for element i at `done` and j. */
static void begin_loop(const struct stages *s, const char *how, const char *n)
{
	ADD(s->e,
	    "\t%s for (int j = 0; j < %s; j++) {\n"
	    "\t\tconst int i = done + j;\n",
	    how, n);
}

/* Write what is done with each element. */
typedef void add_use(const struct stages *s, int at);

/* The dtype of the largest elements that the steps @set compute, at least
   float32. */
static unsigned widest_of(const struct graph *graph, uint64_t set)
{
	unsigned widest = DPR_FLOAT32;

	for (int i = 0; i < graph->n_steps; i++)
		if (set >> i & 1 &&
		    dpr_dtype_size((dpr_dtype)graph->step[i].dtype) >
			    dpr_dtype_size((dpr_dtype)widest))
			widest = graph->step[i].dtype;
	return widest;
}

/*
 * How to begin a loop over @n elements of stage @at; 0: any number.  A long
 * function takes 64 bytes at a time on every processor: two vectors of 32 bytes
 * are two chains of operations, and share the loads of their constants.
 */
static void choose_loop(const struct stages *s, int at, int n,
			char loop[EMIT_FOLD_LOOP])
{
	const struct graph *graph = s->e->graph;
	const uint64_t set = computed_in(s, at);
	const char *how = emit_steps_loop(graph, set);

	if (n && !strncmp(how, "WIDE(", 5))
		snprintf(loop, EMIT_FOLD_LOOP, "STRAIGHT(%d, 1)",
			 atoi(how + 5));
	else if (n && !strcmp(how, "INDEPENDENT") &&
		 !emit_steps_is_long(graph, set))
		emit_fold_straight(loop, widest_of(graph, set), n);
	else
		snprintf(loop, EMIT_FOLD_LOOP, "%s", how);
}

/* Write a loop over the @n elements from `done` on, or `size` elements if @n is
   0. */
static void add_guarded(const struct stages *s, int at, int n, add_use *use)
{
	const bool guarded =
		emit_steps_has_guards(s->e->graph, computed_in(s, at));
	char loop[EMIT_FOLD_LOOP], count[16] = "size";

	if (n)
		snprintf(count, sizeof(count), "%d", n);
	choose_loop(s, at, n, loop);
	if (guarded)
		ADD(s->e, "\tuchar any = 0;\n");
	for (int slow = !guarded; slow < 2; slow++) {
		if (guarded && slow)
			ADD(s->e, "\tif (any)\n");
		begin_loop(s, guarded && slow ? "PLAIN" : loop, count);
		add_values(s, at, !slow);
		use(s, at);
		ADD(s->e, "\t}\n");
	}
}

/* --- Reductions ------------------------------------------------------------
 */

static unsigned lane_dtype(const struct stages *s, int at)
{
	return emit_fold_lane(s->e->frame, value_of(&s->plan, at));
}

static int line_width(const struct stages *s)
{
	const struct frame *frame = s->e->frame;
	const int bits = emit_fold_line(frame->sum, 1);

	return 1 << (bits < frame->team_bits ? bits : frame->team_bits);
}

/* Elements that are computed apart before lanes take them: whole rows of
   lanes. */
static int chunk_of(const struct stages *s)
{
	const int width = line_width(s);

	return width > CHUNK ? width : CHUNK;
}

/* Let lane j take what @value names. */
static void add_take(const struct stages *s, int at, const char *value)
{
	const unsigned lane = lane_dtype(s, at);

	ADD(s->e, "\t\tconst %s u = ", emit_steps_computed(lane));
	emit_fold_cast(s->e, value_of(&s->plan, at), lane, value);
	ADD(s->e, ";\n\t\t");
	emit_fold_combine(s->e, lane, "lane[j]", "u");
}

/* The step that reduction @at reduces. */
static int reduced_by(const struct stages *s, int at)
{
	return s->e->graph->step[s->plan.reduce[at]].x[0];
}

/* Let lanes take elements from where they are.  Whole rows of lanes have a
   constant length. */
static void add_direct(const struct stages *s, int at)
{
	const int width = line_width(s);
	char value[16], n[16], loop[EMIT_FOLD_LOOP];

	snprintf(value, sizeof(value), "v%d", reduced_by(s, at));
	snprintf(n, sizeof(n), "%d", width);
	ADD(s->e, "\tfor (; done + %d <= end; done += %d)\n", width, width);
	for (int rest = 0; rest < 1 + (width > 1); rest++) {
		choose_loop(s, at, rest ? 0 : width, loop);
		begin_loop(s, width > 1 ? loop : "", rest ? "end - done" : n);
		add_values(s, at, false);
		add_take(s, at, value);
		ADD(s->e, "\t}\n");
	}
}

static void use_nothing(const struct stages *s, int at)
{
	(void)s;
	(void)at;
}

static void use_to(const struct stages *s, int at)
{
	ADD(s->e, "\t\tto[j] = v%d;\n", reduced_by(s, at));
}

/* Let lanes take @n elements of a chunk, those from @first on. */
static void take_chunk(const struct stages *s, int at, const char *loop,
		       const char *n, const char *first)
{
	const int step = reduced_by(s, at);
	char value[48];

	if (s->plan.kept >> step & 1)
		snprintf(value, sizeof(value), "keep%d[done + %s + j]", step,
			 first);
	else
		snprintf(value, sizeof(value), "to[%s + j]", first);
	ADD(s->e, "\t%s for (int j = 0; j < %s; j++) {\n", loop, n);
	add_take(s, at, value);
	ADD(s->e, "\t}\n");
}

/* Compute a chunk of @chunk elements, or `size` if it is 0, which lanes take
   then. */
static void add_chunk(const struct stages *s, int at, int chunk)
{
	const int step = reduced_by(s, at), width = line_width(s);
	const bool is_kept = s->plan.kept >> step & 1;
	char first[16], n[16], loop[EMIT_FOLD_LOOP];

	if (!is_kept)
		ADD(s->e, "\t%s to[%d];\n",
		    emit_steps_computed(s->e->graph->step[step].dtype),
		    chunk_of(s));
	add_guarded(s, at, chunk, is_kept ? use_nothing : use_to);
	emit_fold_straight(loop, lane_dtype(s, at), width);
	snprintf(n, sizeof(n), "%d", width);
	for (int k = 0; k < chunk; k += width) {
		snprintf(first, sizeof(first), "%d", k);
		take_chunk(s, at, loop, n, first);
	}
	if (chunk)
		return;
	ADD(s->e, "\tint k = 0;\n\tfor (; k + %d <= size; k += %d)\n", width,
	    width);
	take_chunk(s, at, width > 1 ? loop : "", n, "k");
	if (width > 1)
		take_chunk(s, at, "INDEPENDENT", "size - k", "k");
}

/* Compute elements apart, in chunks. */
static void add_chunks(const struct stages *s, int at)
{
	const int chunk = chunk_of(s);

	ADD(s->e, "\tfor (; done + %d <= end; done += %d) {\n", chunk, chunk);
	add_chunk(s, at, chunk);
	ADD(s->e, "\t}\n\tif (done < end) {\n"
		  "\tconst int size = end - done;\n");
	add_chunk(s, at, 0);
	ADD(s->e, "\t}\n");
}

/* Write the lanes of a block of m elements from b on. */
static void add_block(const struct stages *s, int at)
{
	const unsigned lane = lane_dtype(s, at);
	const int width = line_width(s);
	const uint64_t set = computed_in(s, at);
	char all[16], loop[EMIT_FOLD_LOOP];

	snprintf(all, sizeof(all), "%d", width);
	ADD(s->e, "\tint done = b;\n\tconst int end = b + m;\n\t%s lane[%d];\n",
	    emit_steps_computed(lane), width);
	emit_fold_straight(loop, lane, width);
	ADD(s->e, "\t%s", loop);
	emit_fold_fill(s->e, "lane", all, lane);
	if (emit_steps_is_long(s->e->graph, set))
		add_chunks(s, at);
	else
		add_direct(s, at);
	emit_fold_halves(s->e, lane, width, 1);
}

/* Whether a block has a whole row. */
static bool is_one_block(const struct stages *s)
{
	return s->e->frame->team_bits < EMIT_FOLD_LONG;
}

/*
 * Reduce the row, in blocks, after each of which the total takes what the lanes
 * have.  A sum of one block is exactly what the lanes have: nothing is lost
 * that would have to be added.
 */
static void add_blocks(const struct stages *s, int at)
{
	const struct emission *e = s->e;

	ADD(e, is_one_block(s) ? "\t{ const int b = 0, m = n;\n"
			       : "\tfor (int b = 0, m; b < n; b += m) {\n");
	if (!is_one_block(s))
		ADD(e, "\tm = min(n - b, %d);\n",
		    line_width(s) * emit_fold_block(e->frame));
	add_block(s, at);
	if (is_one_block(s) && emit_fold_rounds(e->frame))
		emit_fold_combine(e, e->frame->sum, "total[0]", "lane[0]");
	else
		emit_fold_empty(e, lane_dtype(s, at), "1");
	ADD(e, "\t}\n");
	if (is_one_block(s))
		return;
	ADD(e, "\t{ const int j = 0;\n\t");
	emit_fold_join(e);
	ADD(e, "\t}\n");
}

static void add_reduction(const struct stages *whole, int at)
{
	const struct frame frame = stages_plan_frame(&whole->plan, at);
	const int i = whole->plan.reduce[at];
	const unsigned dtype = whole->e->graph->step[i].dtype;
	struct emission e = *whole->e;
	struct stages s = *whole;

	e.frame = &frame;
	s.e = &e;
	ADD(&e, "\t%s v%d;\n\t{\n", emit_steps_computed(dtype), i);
	emit_fold_divisor(&e);
	emit_fold_totals(&e, 1);
	emit_fold_begin(&e, "1");
	add_blocks(&s, at);
	ADD(&e, "\tv%d = load_%u(", i, dtype);
	emit_fold_finish(&e, "total[0]");
	ADD(&e, ");\n\t}\n");
}

/* --- Results ---------------------------------------------------------------
 */

/* The results that have an element for each of the row, as a set. */
static unsigned row_results(const struct stages *s)
{
	unsigned set = 0;

	for (int k = 0; k < s->e->graph->n_results; k++)
		set |= stages_plan_is_row(&s->plan, k) ? 1u << k : 0;
	return set;
}

static void store_elements(const struct stages *s, enum place place)
{
	for (int k = 0; k < s->e->graph->n_results; k++)
		if (stages_plan_is_row(&s->plan, k))
			emit_steps_store(s->e, k, add_place, (int)place);
}

static void use_results(const struct stages *s, int at)
{
	(void)at;
	store_elements(s, PLACE_ROW);
}

static void use_chunks(const struct stages *s, int at)
{
	(void)at;
	store_elements(s, PLACE_CHUNK);
}

/* Whether result @k may be stored past the caches. */
static bool is_streamed(const struct stages *s, int k)
{
	return s->e->frame->stream && s->e->frame->inner[k] == FRAME_NEXT;
}

/* Store the chunk of result @k: of CHUNK elements if it is @whole, past the
   caches, or of `size`. */
static void store_chunk(const struct stages *s, int k, bool whole)
{
	const struct emission *e = s->e;
	const unsigned dtype = frame_operand(e->graph, k);
	char n[16] = "size", loop[EMIT_FOLD_LOOP] = "INDEPENDENT";

	if (whole) {
		snprintf(n, sizeof(n), "%d", CHUNK);
		emit_fold_straight(loop, dtype, CHUNK);
	}
	if (whole && is_streamed(s, k)) {
		ADD(e, "\tif (BEGINS_LINE(q%d + done))\n", k);
		emit_chunk_stream(e, 'q', k, "done", CHUNK);
		ADD(e, "\telse\n");
	}
	begin_loop(s, loop, n);
	ADD(e, "\t\t");
	add_place(e, k, PLACE_ROW);
	ADD(e, " = chunk%d.each[j];\n\t}\n", k);
}

/* Compute a chunk of the results @set, and store it. */
static void add_stored(const struct stages *s, unsigned set, bool whole)
{
	emit_steps_chunks(s->e, set, CHUNK);
	add_guarded(s, s->plan.n, whole ? CHUNK : 0, use_chunks);
	for (int k = 0; k < s->e->graph->n_results; k++)
		if (set >> k & 1)
			store_chunk(s, k, whole);
}

/* Compute the results of a row. */
static void add_results(const struct stages *s)
{
	const struct emission *e = s->e;
	const int at = s->plan.n;
	const unsigned set = row_results(s);
	const bool guarded =
		emit_steps_has_guards(e->graph, computed_in(s, at));
	const bool streams = is_streamed(s, 0);
	const int item =
		(int)dpr_dtype_size((dpr_dtype)frame_operand(e->graph, 0));

	if (!set)
		return;
	ADD(e, "\tfor (int done = 0, size; done < n; done += size) {\n"
	       "\tsize = n - done;\n");
	if (streams)
		ADD(e,
		    "\tif (!BEGINS_LINE(q0 + done))\n"
		    "\t\tsize = min(size, (int)(%d - (ulong)q0 %% %d) / %d);\n"
		    "\telse\n",
		    FRAME_STREAM_LINE + item - 1, FRAME_STREAM_LINE, item);
	if (streams || guarded) {
		ADD(e, "\tfor (; size >= %d; size -= %d, done += %d) {\n",
		    CHUNK, CHUNK, CHUNK);
		add_stored(s, set, true);
		ADD(e, "\t}\n");
	}
	if (guarded)
		add_stored(s, set, false);
	else
		add_guarded(s, at, 0, use_results);
	ADD(e, "\t}\n");
}

/* --- Kernels ---------------------------------------------------------------
 */

/* The word with operand @k's stride along axis @d. */
static int stride_word(const struct emission *e, int d, int k)
{
	return e->words.stride + d * frame_operands(e->graph) + k;
}

/* Begin the loop over the rows of a work-item. */
static void begin_rows(const struct emission *e)
{
	const int last = e->frame->rank - 1;

	ADD(e,
	    "\tconst ulong first = get_global_id(0) * w.w[%d];\n"
	    "\tconst ulong last = min(first + w.w[%d], w.w[%d]);\n"
	    "\tconst int n = (int)w.w[%d];\n"
	    "\tfor (ulong row = first; row < last; row++) {\n"
	    "\tulong rest = row;\n",
	    e->words.rows, e->words.rows, e->words.count, e->words.length);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tlong at%d = (long)w.w[%d];\n", k,
		    e->words.offset + k);
	emit_steps_axes(e, "ulong", 0, last);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tat%d += (long)rest * (long)w.w[%d];\n", k,
		    stride_word(e, last, k));
}

/* Find the row of operand @k. */
static void add_row(const struct stages *s, int k)
{
	const struct emission *e = s->e;
	const bool is_result = k < e->graph->n_results;

	if (is_result)
		ADD(e, "\tglobal %s *q%d = x%d + at%d;\n",
		    emit_steps_stored(frame_operand(e->graph, k)), k, k, k);
	else if (!stages_plan_is_row(&s->plan, k))
		emit_fold_once(e, k);
	else
		emit_steps_pointer(e, k);
	if (!is_result && stages_plan_is_row(&s->plan, k))
		ADD(e, "p%d = x%d + at%d;\n", k, k, k);
	if (e->frame->inner[k] == FRAME_ANY)
		ADD(e, "\tconst long step%d = (long)w.w[%d];\n", k,
		    e->words.step + k);
}

void emit_text_stages(const struct emission *e)
{
	struct stages s;

	make_plan(&s, e->graph, e->frame);
	s.e = e;
	for (int i = 0; i < e->graph->n_steps; i++)
		if (s.plan.kept >> i & 1)
			ADD(e, "\t%s keep%d[%d];\n",
			    emit_steps_computed(e->graph->step[i].dtype), i,
			    (int)s.room);
	begin_rows(e);
	for (int k = 0; k < frame_operands(e->graph); k++)
		add_row(&s, k);
	emit_steps_values(e, stages_plan_singles(&s.plan, -1), false, add_place,
			  PLACE_ONCE);
	for (int at = 0; at < s.plan.n; at++) {
		add_reduction(&s, at);
		s.known |= s.plan.need[at] & s.plan.kept;
		emit_steps_values(e, stages_plan_singles(&s.plan, at), false,
				  add_place, PLACE_ONCE);
	}
	add_results(&s);
	for (int k = 0; k < e->graph->n_results; k++)
		if (!stages_plan_is_row(&s.plan, k))
			emit_steps_store(e, k, add_place, PLACE_ONCE);
	ADD(e, "\t}\n");
}
