/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text_lanes.c - kernels as OpenCL C that reduce axes on a CPU.
 *
 * Which lane an element goes to depends on its number alone, and not on how
 * operands lie in memory.  Lanes accumulate a block of elements; then what they
 * have goes to the totals, those of sums of floats with a second sum of what
 * rounding lost, so that the error hardly grows with the length.
 *
 * FRAME_FOLD_ROWS     the elements of a line go to the lanes in turn.  Those of
 *                     frame.pack neighbours lie between each other.
 * FRAME_FOLD_COLUMNS  each column has a lane.
 */
#include "core/array/engine/text/emit_text_lanes.h"

#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/engine/text/emit_fold.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

/* Elements that are computed, or brought together, before lanes take them. */
#define CHUNK 512
/* Columns take AT_ONCE rows at a time where these are FAR apart or elements are
   SMALL, but one of a kernel with more than FEW_STEPS. */
#define FEW_STEPS 8
#define AT_ONCE 4
#define FAR 2048 /* bytes from a row to the next */
#define SMALL 2  /* bytes of an element */

static unsigned lane_dtype(const struct emission *e)
{
	return emit_fold_lane(e->frame, emit_fold_value(e->graph));
}

static bool is_lines(const struct emission *e)
{
	return e->frame->kind == FRAME_FOLD_ROWS;
}

static int kept_axes(const struct emission *e)
{
	return e->frame->rank - e->frame->lanes;
}

static size_t operand_size(const struct emission *e, int k)
{
	return dpr_dtype_size((dpr_dtype)frame_operand(e->graph, k));
}

static int at_once(const struct emission *e)
{
	return e->graph->n_steps > FEW_STEPS ? 1 : AT_ONCE;
}

/* --- Elements --------------------------------------------------------------
 */

/* Whether lanes take input @k from private memory, where it is brought
   together. */
static bool is_collected(const struct emission *e, int k)
{
	return e->frame->inner[k] == FRAME_ANY && emit_steps_has_memory(e, k);
}

enum place { PLACE_LINE, PLACE_RUN, PLACE_COLUMN, PLACE_LINEAR };

static void add_place(const struct emission *e, int k, int place)
{
	const enum frame_inner inner = (enum frame_inner)e->frame->inner[k];

	switch ((enum place)place) {
	case PLACE_LINE:
	case PLACE_RUN: break;
	case PLACE_LINEAR:
		emit_steps_at(e, 'x', k, "row%d[r] + column%d[j]", k, k);
		return;
	case PLACE_COLUMN:
		if (inner == FRAME_FIXED)
			emit_steps_at(e, 'x', k, "row%d[r]", k);
		else if (inner == FRAME_NEXT)
			emit_steps_at(e, 'x', k, "row%d[r] + j", k);
		else if (is_collected(e, k))
			ADD(e, "near%d[r - done][j]", k);
		else
			emit_steps_at(e, 'x', k, "row%d[r] + j * step%d", k, k);
		return;
	}
	if (inner == FRAME_FIXED)
		ADD(e, "once%d", k);
	else if (place == PLACE_LINE && is_collected(e, k))
		ADD(e, "row%d[i]", k);
	else if (inner == FRAME_NEXT)
		emit_steps_at(e, 'p', k, "i");
	else
		emit_steps_at(e, 'p', k, "i * step%d", k);
}

/* Compute u, the value of an element in the dtype of the lanes. */
static void add_value(const struct emission *e, bool fast, enum place place)
{
	char value[16];

	snprintf(value, sizeof(value), "v%d", e->graph->result[0]);
	emit_steps_values(e, EMIT_STEPS_ALL, fast, add_place, (int)place);
	ADD(e, "\t\tconst %s u = ", emit_steps_computed(lane_dtype(e)));
	emit_fold_cast(e, emit_fold_value(e->graph), lane_dtype(e), value);
	ADD(e, ";\n");
}

/* Write a loop that computes the values of up to @most elements into `to`. */
static void add_values(const struct emission *e, const char *index,
		       const char *most, enum place place)
{
	const bool guarded = emit_steps_has_guards(e->graph, EMIT_STEPS_ALL);

	if (guarded)
		ADD(e, "\tuchar any = 0;\n");
	for (int slow = !guarded; slow < 2; slow++) {
		if (guarded && slow)
			ADD(e, "\tif (any)\n");
		ADD(e, "\t%s for (int %s = 0; %s < %s; %s++) {\n",
		    guarded && slow ? "PLAIN"
				    : emit_steps_loop(e->graph, EMIT_STEPS_ALL),
		    index, index, most, index);
		add_value(e, !slow, place);
		ADD(e, "\t\tto[%s] = u;\n\t}\n", index);
	}
}

/* --- Teams -----------------------------------------------------------------
 */

/* Store the first @n totals, at @place. */
static void add_store(const struct emission *e, const char *n,
		      const char *place)
{
	ADD(e, "\tfor (int j = 0; j < %s; j++) {\n\t\t", n);
	emit_fold_join(e);
	ADD(e, "\t\tx0[at0%s] = ", place);
	emit_fold_finish(e, "total[j]");
	ADD(e, ";\n\t}\n");
}

/* Begin the loop over the teams of a work-item.  `rest` is the number of the
   team in its part, which has n elements along the axes that are reduced. */
static void begin_teams(const struct emission *e)
{
	ADD(e,
	    "\tconst ulong first = get_global_id(0) * w.w[%d];\n"
	    "\tconst ulong last = min(first + w.w[%d], w.w[%d]);\n"
	    "\tconst long results = 1",
	    e->words.step + 1, e->words.step + 1, e->words.count);
	for (int d = 0; d < kept_axes(e); d++)
		ADD(e, " * (long)w.w[%d]", e->words.extent + d);
	ADD(e,
	    ";\n\tfor (ulong team = first; team < last; team++) {\n"
	    "\tconst ulong part = team / w.w[%d];\n"
	    "\tulong rest = team - part * w.w[%d];\n"
	    "\tconst long begin = (long)(part * w.w[%d]);\n"
	    "\tconst long n = min((long)w.w[%d] - begin, (long)w.w[%d]);\n",
	    e->words.rows, e->words.rows, e->words.part, e->words.length,
	    e->words.part);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tlong at%d = (long)w.w[%d]%s;\n", k,
		    e->words.offset + k, k ? "" : " + (long)part * results");
}

/* The word with operand @k's stride along axis @d. */
static int stride_word(const struct emission *e, int d, int k)
{
	return e->words.stride + d * frame_operands(e->graph) + k;
}

/* --- Lines -----------------------------------------------------------------
 */

static int line_width(const struct emission *e)
{
	return e->frame->pack << e->frame->team_bits;
}

/* The elements that are computed or brought together before lanes take them. */
static int chunk_of(const struct emission *e)
{
	const int width = line_width(e);

	return width > CHUNK ? width : CHUNK / width * width;
}

/* The axis along which a line goes first. */
static int line_axis(const struct emission *e)
{
	return e->frame->pack > 1 ? 0 : kept_axes(e);
}

/* Whether lanes can take elements from where they are. */
static bool is_direct(const struct emission *e)
{
	bool runs = e->frame->lanes == 1;

	for (int k = 1; k < frame_operands(e->graph); k++)
		if (e->frame->inner[k] == FRAME_ANY && e->frame->pack > 1)
			runs = false;
	return runs && !emit_steps_is_long(e->graph, EMIT_STEPS_ALL);
}

/* Begin a loop over parts of the m elements, of which inputs that are apart are
   brought together first.  Returns false if there are none. */
static bool begin_collecting(const struct emission *e)
{
	const int chunk = chunk_of(e);
	bool any = false;

	for (int k = 1; k < frame_operands(e->graph); k++) {
		if (!is_collected(e, k))
			continue;
		if (!any)
			ADD(e,
			    "\tfor (int have = 0, size; have < m; "
			    "have += size) {\n"
			    "\tsize = m - have < %d ? m - have : %d;\n",
			    chunk, chunk);
		any = true;
		ADD(e,
		    "\t%s row%d[%d];\n"
		    "\tcollect_%u(row%d, p%d, step%d, size);\n",
		    emit_steps_stored(frame_operand(e->graph, k)), k, chunk,
		    frame_operand(e->graph, k), k, k, k);
	}
	return any;
}

/* Let lanes take m elements from where they are, in their order.  A
   processor fetches ahead best so.  Whole rows of lanes have a constant length.
 */
static void add_direct(const struct emission *e)
{
	const char *how = emit_steps_loop(e->graph, EMIT_STEPS_ALL);
	const int width = line_width(e);

	if (!begin_collecting(e))
		ADD(e, "\t{ const int size = m;\n");
	ADD(e, "\tint done = 0;\n");
	for (int whole = 1; whole >= 0; whole--) {
		if (whole)
			ADD(e,
			    "\tfor (; done + %d <= size; done += %d)\n"
			    "\t%s for (int j = 0; j < %d; j++) {\n",
			    width, width, how, width);
		else
			ADD(e, "\t%s for (int j = 0; j < size - done; j++) {\n",
			    how);
		ADD(e, "\t\tconst int i = done + j;\n");
		add_value(e, false, PLACE_LINE);
		ADD(e, "\t\t");
		emit_fold_combine(e, lane_dtype(e), "lane[j]", "u");
		ADD(e, "\t}\n");
	}
	for (int k = 1; k < frame_operands(e->graph); k++)
		if (e->frame->inner[k] == FRAME_NEXT)
			ADD(e, "\tp%d += size;\n", k);
		else if (e->frame->inner[k] == FRAME_ANY)
			ADD(e, "\tp%d += size * step%d;\n", k, k);
	ADD(e, "\t}\n");
}

/* Move the operands by @times the stride of axis @d, and more by what @sign
   says. */
static void add_moves(const struct emission *e, const char *sign, int d,
		      const char *times)
{
	for (int k = 1; k < frame_operands(e->graph); k++)
		ADD(e, "\tat%d %s= %s * (long)w.w[%d];\n", k, sign, times,
		    stride_word(e, d, k));
}

/* Go on along the next axes where the place along one is at its end. */
static void add_carries(const struct emission *e)
{
	int d = line_axis(e), open = 0;
	char extent[40];

	/* Behind the axis of neighbours, those that are reduced come. */
	for (int next = e->frame->pack > 1 ? kept_axes(e) : d + 1;
	     next < e->frame->rank; next++, open++) {
		snprintf(extent, sizeof(extent), "(long)w.w[%d]",
			 e->words.extent + d);
		ADD(e, "\tif (place%d == %s) {\n\tplace%d = 0;\n", d, extent,
		    d);
		add_moves(e, "-", d, extent);
		ADD(e, "\tplace%d++;\n", next);
		add_moves(e, "+", next, "1");
		d = next;
	}
	while (open--)
		ADD(e, "\t}\n");
}

/* Find the place of the part's first element along the axes of a line. */
static void begin_places(const struct emission *e)
{
	if (e->frame->pack > 1)
		ADD(e, "\tlong place0 = 0;\n");
	ADD(e, "\trest = (ulong)begin;\n");
	for (int d = kept_axes(e); d < e->frame->rank; d++) {
		ADD(e,
		    "\tlong place%d = (long)(rest %% w.w[%d]);\n"
		    "\trest /= w.w[%d];\n",
		    d, e->words.extent + d, e->words.extent + d);
		for (int k = 1; k < frame_operands(e->graph); k++)
			ADD(e, "\tat%d += place%d * (long)w.w[%d];\n", k, d,
			    stride_word(e, d, k));
	}
}

/* Let the lanes take m elements, which are computed in chunks. */
static void add_chunks(const struct emission *e)
{
	const int d = line_axis(e), width = line_width(e);
	const int chunk = chunk_of(e);
	const char *type = emit_steps_computed(lane_dtype(e));

	ADD(e,
	    "\tfor (int done = 0, size; done < m; done += size) {\n"
	    "\t%s chunk[%d];\n"
	    "\tsize = m - done < %d ? m - done : %d;\n"
	    "\tfor (int have = 0, run; have < size; have += run) {\n"
	    "\tconst long there = (long)w.w[%d] - place%d;\n"
	    "\trun = there < size - have ? (int)there : size - have;\n"
	    "\t%s *to = chunk + have;\n",
	    type, chunk, chunk, chunk, e->words.extent + d, d, type);
	for (int k = 1; k < frame_operands(e->graph); k++)
		if (e->frame->inner[k] != FRAME_FIXED) {
			emit_steps_pointer(e, k);
			ADD(e, "p%d = x%d + at%d;\n", k, k, k);
		}
	add_values(e, "i", "run", PLACE_RUN);
	ADD(e, "\tplace%d += run;\n", d);
	add_moves(e, "+", d, "run");
	add_carries(e);
	ADD(e,
	    "\t}\n"
	    "\tfor (int i = 0; i < size; i += %d) {\n"
	    "\tconst int some = size - i < %d ? size - i : %d;\n"
	    "\tINDEPENDENT for (int j = 0; j < some; j++) ",
	    width, width, width);
	emit_fold_combine(e, lane_dtype(e), "lane[j]", "chunk[i + j]");
	ADD(e, "\t}\n\t}\n");
}

static void begin_line(const struct emission *e)
{
	const int axis = line_axis(e);

	emit_steps_axes(e, "ulong", e->frame->pack > 1, kept_axes(e));
	for (int k = 1; k < frame_operands(e->graph); k++) {
		if (e->frame->inner[k] == FRAME_FIXED)
			emit_fold_once(e, k);
		else
			ADD(e, "\tconst long step%d = (long)w.w[%d];\n", k,
			    stride_word(e, axis, k));
		if (!is_direct(e) || e->frame->inner[k] == FRAME_FIXED)
			continue;
		emit_steps_pointer(e, k);
		ADD(e, "p%d = x%d + at%d + begin * %d * step%d;\n", k, k, k,
		    e->frame->pack, k);
	}
	if (!is_direct(e))
		begin_places(e);
}

static void add_lines(const struct emission *e)
{
	const int near = e->frame->pack, width = line_width(e);
	const int block = width * emit_fold_block(e->frame);
	char n[16], all[16], place[48] = "";

	snprintf(n, sizeof(n), "%d", near);
	snprintf(all, sizeof(all), "%d", width);
	begin_line(e);
	emit_fold_totals(e, near);
	emit_fold_begin(e, n);
	ADD(e,
	    "\tint m;\n"
	    "\tfor (long left = n * %d; left > 0; left -= m) {\n"
	    "\t%s lane[%d];\n"
	    "\tm = left < %d ? (int)left : %d;\n",
	    near, emit_steps_computed(lane_dtype(e)), width, block, block);
	emit_fold_fill(e, "lane", all, lane_dtype(e));
	if (is_direct(e))
		add_direct(e);
	else
		add_chunks(e);
	emit_fold_halves(e, lane_dtype(e), width, near);
	emit_fold_empty(e, lane_dtype(e), n);
	ADD(e, "\t}\n");
	if (near > 1)
		snprintf(place, sizeof(place), " + j * (long)w.w[%d]",
			 stride_word(e, 0, 0));
	add_store(e, n, place);
}

/* --- Columns ---------------------------------------------------------------
 */

/* Find the team's columns along kept axis 0: `width` of them. */
static void begin_straight(const struct emission *e)
{
	ADD(e,
	    "\tconst long extent = (long)w.w[%d], most = (long)w.w[%d];\n"
	    "\tconst long across = (extent + most - 1) / most;\n"
	    "\tconst long chunk = (long)rest %% across * most;\n"
	    "\tconst int width = (int)min(most, extent - chunk);\n"
	    "\trest /= (ulong)across;\n",
	    e->words.extent, e->words.step);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e,
		    "\tconst long step%d = (long)w.w[%d];\n"
		    "\tat%d += chunk * step%d;\n",
		    k, stride_word(e, 0, k), k, k);
	emit_steps_axes(e, "ulong", 1, kept_axes(e));
}

/* Go on from a column to the next one along all kept axes. */
static void add_next_column(const struct emission *e)
{
	const int operands = frame_operands(e->graph), axes = kept_axes(e);

	for (int k = 0; k < operands; k++)
		ADD(e, "\tcolumn%d[j] = next%d;\n\tnext%d += (long)w.w[%d];\n",
		    k, k, k, stride_word(e, 0, k));
	ADD(e, "\tplace0++;\n");
	for (int d = 0; d + 1 < axes; d++) {
		ADD(e, "\tif (place%d == (long)w.w[%d]) {\n\tplace%d = 0;\n", d,
		    e->words.extent + d, d);
		for (int k = 0; k < operands; k++)
			ADD(e,
			    "\tnext%d += (long)w.w[%d] - (long)w.w[%d] * "
			    "(long)w.w[%d];\n",
			    k, stride_word(e, d + 1, k), e->words.extent + d,
			    stride_word(e, d, k));
		ADD(e, "\tplace%d++;\n", d + 1);
	}
	for (int d = 0; d + 1 < axes; d++)
		ADD(e, "\t}\n");
}

/* Find the team's columns along all kept axes: column1[j] is where operand 1
   has column j, beside at1. */
static void begin_linear(const struct emission *e)
{
	ADD(e,
	    "\tconst long chunk = (long)rest * (long)w.w[%d];\n"
	    "\tconst int width = (int)min((long)w.w[%d], results - chunk);\n"
	    "\trest = (ulong)chunk;\n",
	    e->words.step, e->words.step);
	for (int d = 0; d < kept_axes(e); d++)
		ADD(e,
		    "\tlong place%d = (long)(rest %% w.w[%d]);\n"
		    "\trest /= w.w[%d];\n",
		    d, e->words.extent + d, e->words.extent + d);
	for (int k = 0; k < frame_operands(e->graph); k++) {
		ADD(e, "\tlong column%d[%d], next%d = 0", k,
		    EMIT_TEXT_LANES_COLUMNS, k);
		for (int d = 0; d < kept_axes(e); d++)
			ADD(e, " + place%d * (long)w.w[%d]", d,
			    stride_word(e, d, k));
		ADD(e, ";\n");
	}
	ADD(e, "\tfor (int j = 0; j < width; j++) {\n");
	add_next_column(e);
	ADD(e, "\t}\n");
}

/* Find where the operands have the m rows of a block. */
static void add_row_places(const struct emission *e)
{
	const int operands = frame_operands(e->graph);

	for (int k = 1; k < operands; k++)
		ADD(e, "\tlong row%d[%d];\n", k, EMIT_FOLD_BLOCK);
	ADD(e, "\tfor (int r = 0; r < m; r++) {\n\trest = (ulong)(b + r);\n");
	for (int k = 1; k < operands; k++)
		ADD(e, "\trow%d[r] = at%d;\n", k, k);
	for (int d = kept_axes(e); d < e->frame->rank; d++) {
		const bool last = d + 1 == e->frame->rank;

		if (last)
			ADD(e, "\t{ const long i = (long)rest;\n");
		else
			ADD(e,
			    "\t{ const ulong next = rest / w.w[%d];\n"
			    "\tconst long i = (long)(rest - next * w.w[%d]);\n"
			    "\trest = next;\n",
			    e->words.extent + d, e->words.extent + d);
		for (int k = 1; k < operands; k++)
			ADD(e, "\trow%d[r] += i * (long)w.w[%d];\n", k,
			    stride_word(e, d, k));
		ADD(e, "\t}\n");
	}
	ADD(e, "\t}\n");
}

/* Let `far` say whether rows are apart in memory: then each of several is a
   stream of its own, that a processor fetches ahead.  Rows of SMALL elements
   are always taken so: one by one, they would mostly move lanes. */
static void add_far(const struct emission *e)
{
	bool small = true;

	for (int k = 1; k < frame_operands(e->graph); k++)
		small &= operand_size(e, k) <= SMALL;
	ADD(e, "\tconst int far = %d", small);
	for (int k = 1; k < frame_operands(e->graph); k++)
		ADD(e, " || abs((long)w.w[%d]) >= %d",
		    stride_word(e, kept_axes(e), k),
		    FAR / (int)operand_size(e, k));
	ADD(e, ";\n");
}

/* Bring the columns together of inputs that have them apart, in @rows rows. */
static void add_near(const struct emission *e, int rows)
{
	for (int k = 1; k < frame_operands(e->graph); k++)
		if (!e->frame->linear && is_collected(e, k))
			ADD(e,
			    "\t%s near%d[%d][%d];\n"
			    "\tfor (int r = done; r < done + %d; r++)\n"
			    "\t\tcollect_%u(near%d[r - done], x%d + row%d[r], "
			    "step%d, width);\n",
			    emit_steps_stored(frame_operand(e->graph, k)), k,
			    rows, EMIT_TEXT_LANES_COLUMNS, rows,
			    frame_operand(e->graph, k), k, k, k, k);
}

/* Let lanes take @rows rows at a time. */
static void add_column_rows(const struct emission *e, int rows)
{
	const char *type = emit_steps_computed(lane_dtype(e));

	ADD(e, "\tfor (; %sdone + %d <= m; done += %d) {\n",
	    rows > 1 ? "far && " : "", rows, rows);
	add_near(e, rows);
	ADD(e,
	    "\t%s for (int j = 0; j < width; j++) {\n"
	    "\t%s z = lane[j];\n"
	    "\tUNROLL for (int r = done; r < done + %d; r++) {\n",
	    emit_steps_loop(e->graph, EMIT_STEPS_ALL), type, rows);
	add_value(e, false, e->frame->linear ? PLACE_LINEAR : PLACE_COLUMN);
	ADD(e, "\t\t");
	emit_fold_combine(e, lane_dtype(e), "z", "u");
	ADD(e, "\t}\n\tlane[j] = z;\n\t}\n\t}\n");
}

/* Compute rows apart, of functions that have fast paths. */
static void add_guarded_rows(const struct emission *e)
{
	ADD(e,
	    "\tfor (int done = 0; done < m; done++) {\n"
	    "\tconst int r = done;\n"
	    "\t%s to[%d];\n",
	    emit_steps_computed(lane_dtype(e)), EMIT_TEXT_LANES_COLUMNS);
	add_near(e, 1);
	add_values(e, "j", "width",
		   e->frame->linear ? PLACE_LINEAR : PLACE_COLUMN);
	ADD(e, "\tINDEPENDENT for (int j = 0; j < width; j++) ");
	emit_fold_combine(e, lane_dtype(e), "lane[j]", "to[j]");
	ADD(e, "\t}\n");
}

static void add_columns(const struct emission *e)
{
	if (e->frame->linear)
		begin_linear(e);
	else
		begin_straight(e);
	emit_fold_totals(e, EMIT_TEXT_LANES_COLUMNS);
	emit_fold_begin(e, "width");
	ADD(e,
	    "\tfor (long b = begin; b < begin + n; b += %d) {\n"
	    "\t%s lane[%d];\n"
	    "\tconst int m = (int)min(begin + n - b, (long)%d);\n",
	    EMIT_FOLD_BLOCK, emit_steps_computed(lane_dtype(e)),
	    EMIT_TEXT_LANES_COLUMNS, EMIT_FOLD_BLOCK);
	add_row_places(e);
	emit_fold_fill(e, "lane", "width", lane_dtype(e));
	if (emit_steps_has_guards(e->graph, EMIT_STEPS_ALL)) {
		add_guarded_rows(e);
	} else {
		ADD(e, "\tint done = 0;\n");
		if (at_once(e) > 1) {
			add_far(e);
			add_column_rows(e, at_once(e));
		}
		add_column_rows(e, 1);
	}
	emit_fold_empty(e, lane_dtype(e), "width");
	ADD(e, "\t}\n");
	add_store(e, "width",
		  e->frame->linear ? " + column0[j]" : " + j * step0");
}

void emit_text_lanes(const struct emission *e)
{
	begin_teams(e);
	if (is_lines(e))
		add_lines(e);
	else
		add_columns(e);
	ADD(e, "\t}\n");
}
