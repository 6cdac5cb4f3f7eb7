/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_reduce.c - runs programs that end in a reduction.
 *
 * A team, which is a single work-item here, goes over the elements of its
 * results in blocks.  After the program's steps have run for a block, the
 * elements of the block are combined with lanes (vm_lanes.h).  The lanes stay
 * in the first-level cache.  The lane of an element depends only on the number
 * of the element.  It does not depend on where blocks begin, or on how operands
 * lie in memory.  So the bits of a result are the same for all blocks and
 * layouts.
 */
#include "kernels/vm_reduce.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/vm_chain.h"
#include "kernels/vm_lanes.h"
#include "kernels/vm_tables.h"

#define REDUCE_SLOTS 256
/* VM_ANY and VM_ALL may stop early.  Whether they can stop is tested once for
   each REDUCE_LOOK elements. */
#define REDUCE_LOOK 4096
/* move() swaps its two loops if the outer loop would read at least this number
   of contiguous elements.  It also swaps them if the inner loop is shorter than
   this number and shorter than the outer loop. */
#define LEAST_TRANSPOSED 8
#define REDUCE_LINE \
	(VM_REDUCE_ROWS * VM_LANES) /* the most elements of a short row */

struct operand {
	unsigned char *base;   /* the allocation */
	unsigned char *buffer; /* the register of the operand */
	int64_t at;            /* the position of the team's first element */
	/* The axes over which a team goes, the innermost first: their number,
	   extents and steps.  Neighbouring axes are merged if the strides of
	   this operand allow this. */
	int axes;
	int64_t extent[VM_REDUCE_RANK + 1], step[VM_REDUCE_RANK + 1];
	/* the address of the element whose copies fill the register, or NULL */
	const unsigned char *kept;
};

/* The state of a work-group that runs. */
struct work {
	const struct vm_code *code;
	const struct vm_operand *kind;
	const struct vm_step *step;
	struct vm_words words;
	struct vm_reduce_words sizes;
	/* is_plain: set if the program only loads an input and reduces it.
	   is_short: set if is_plain is set, and vm_lanes_short() can reduce the
	   rows. */
	bool is_plain, is_short;
	/* the number of kept axes, which are the inner ones */
	int kept;
	/* the index of the team's first result, for each axis */
	uint64_t column[VM_REDUCE_RANK];
	int64_t number; /* the number of the team's next element or row */
	/* Results wait to be stored.  first: the number of the first waiting
	   result.  waiting: the number of waiting results.  room: the most. */
	int64_t first, waiting, room;
	struct vm_lanes lanes;
	struct vm_lanes_test test;
	/* For VM_ANY and VM_ALL.  A deciding element decides the result: a true
	   element for VM_ANY, a false element for VM_ALL.  stops: set if a
	   deciding element may end the reduction.  open: the content of lanes
	   that have seen no deciding element.  decided: set if a lane has seen
	   a deciding element, or if a block has decided the result (is_first).
	   */
	uint64_t open;
	bool stops, decided;
	/* set if the reduction is the minimum of positions that increase.  Then
	   the first block that `test` does not leave out decides the result. */
	bool is_first;
	/* results: the waiting results.  stored: room for the same results as
	   16-bit floats. */
	unsigned char *results, *stored;
	unsigned char *slot[REDUCE_SLOTS];
	struct operand operand[VM_OPERANDS];
};

static int64_t stride(const struct work *w, int axis, int k)
{
	return w->words.stride[axis * w->code->operands + k];
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static unsigned char *address(const struct work *w, int k, int64_t at)
{
	unsigned char *base = w->operand[k].base;

	return base ? base + at * ((int64_t)1 << w->kind[k].shift) : NULL;
}

static size_t sum_size(const struct work *w)
{
	return (size_t)1 << vm_shift_of(w->code->reduce.sum);
}

/* --- Axes --------------------------------------------------------------- */

/* Set the index of element number @rest along the @n axes from axis @axis on.
   The first of these axes is the innermost. */
static void set_place(const struct work *w, int axis, int n, uint64_t rest,
		      uint64_t *index)
{
	for (int d = axis; d < axis + n; d++) {
		index[d] = rest % w->words.extent[d];
		rest /= w->words.extent[d];
	}
}

/* Returns the position in operand @k of the team's element or row with number
   @number.  Sets the index along each axis of the operand. */
static int64_t find_place(const struct work *w, int k, int64_t number,
			  int64_t *index)
{
	const struct operand *o = &w->operand[k];
	int64_t at = o->at;
	int i = 0;

	for (; i + 1 < o->axes; i++) {
		index[i] = (int64_t)((uint64_t)number % (uint64_t)o->extent[i]);
		number = (int64_t)((uint64_t)number / (uint64_t)o->extent[i]);
		at += index[i] * o->step[i];
	}
	index[i] = number;
	return at + number * o->step[i];
}

/* Set the position of each input to its first element that is reduced to the
   result with index w->column. */
static void place_operands(struct work *w)
{
	for (int k = 1; k < w->code->operands; k++) {
		w->operand[k].at = w->words.offset[k];
		for (int d = 0; d < w->kept; d++)
			w->operand[k].at +=
				(int64_t)w->column[d] * stride(w, d, k);
	}
}

/* --- Loads -------------------------------------------------------------- */

/* Copy elements of operand @k as @m says.  @at is the position of the first
   element.  The two loops are swapped if this makes the inner loop longer, or
   lets it read memory in order. */
static void move(const struct work *w, int k, int64_t at, struct vm_move *m)
{
	const bool transposed =
		m->from_step[1] == 1 && m->n[1] >= LEAST_TRANSPOSED;

	if (m->n[1] > 1 && m->from_step[0] != 1 &&
	    (transposed || (m->n[0] < LEAST_TRANSPOSED && m->n[1] > m->n[0])))
		*m = (struct vm_move){
			.to = m->to,
			.from = m->from,
			.n = { m->n[1], m->n[0] },
			.to_step = { m->to_step[1], m->to_step[0] },
			.from_step = { m->from_step[1], m->from_step[0] }
		};
	if (w->kind[k].is_index)
		vm_tables_count(m, at);
	else
		vm_tables_move(w->kind[k].shift, m);
}

/* If the index along axis @i is at its end, set it to 0 and advance along the
   next axis, and so on. */
static void carry(const struct operand *o, int i, int64_t *index)
{
	for (; i + 1 < o->axes && index[i] == o->extent[i]; i++) {
		index[i] = 0;
		index[i + 1]++;
	}
}

static int64_t offset_of(const struct operand *o, const int64_t *index)
{
	int64_t at = o->at;

	for (int i = 0; i < o->axes; i++)
		at += index[i] * o->step[i];
	return at;
}

/* For VM_REDUCE_LINES: copy the next @n elements of operand @k to @to. */
static void gather(const struct work *w, int k, int64_t n, unsigned char *to)
{
	const struct operand *o = &w->operand[k];
	const int64_t extent = o->extent[0];
	const int shift = w->kind[k].shift;
	const bool deep = o->axes > 1;
	int64_t index[VM_REDUCE_RANK + 1], rows, across;

	find_place(w, k, w->number, index);
	for (; n; n -= across * rows) {
		const int64_t at = offset_of(o, index);
		struct vm_move m = { .to = to,
				     .from = address(w, k, at),
				     .from_step = { o->step[0],
						    deep ? o->step[1] : 0 } };

		across = least(n, extent - index[0]);
		rows = 1;
		if (deep && across == extent)
			rows = least(n / extent, o->extent[1] - index[1]);
		m.n[0] = across;
		m.n[1] = rows;
		m.to_step[0] = 1;
		m.to_step[1] = across;
		move(w, k, at, &m);
		to += (across * rows) << shift;
		if (rows > 1) {
			index[1] += rows;
			carry(o, 1, index);
		} else {
			index[0] += across;
			carry(o, 0, index);
		}
	}
}

/* For VM_REDUCE_COLUMNS: copy the elements of the next @rows rows to @to, for
   all columns of the team.  The rows follow each other along the first of the
   operand's axes, and the first element has position @at. */
static void gather_rows(const struct work *w, int k, int64_t rows, int64_t at,
			unsigned char *to)
{
	const int64_t extent = (int64_t)w->words.extent[0];
	const int shift = w->kind[k].shift;
	uint64_t column[VM_REDUCE_RANK];
	int64_t n;

	memcpy(column, w->column, sizeof(column));
	for (int64_t done = 0; done < w->lanes.width; done += n) {
		struct vm_move m = { .to = to + (done << shift),
				     .from = address(w, k, at),
				     .to_step = { 1, w->lanes.width },
				     .from_step = { stride(w, 0, k),
						    w->operand[k].step[0] } };

		n = least(w->lanes.width - done, extent - (int64_t)column[0]);
		m.n[0] = n;
		m.n[1] = rows;
		move(w, k, at, &m);
		at += n * stride(w, 0, k);
		column[0] += (uint64_t)n;
		for (int d = 0;
		     d + 1 < w->kept && column[d] == w->words.extent[d]; d++) {
			at += stride(w, d + 1, k) -
			      (int64_t)column[d] * stride(w, d, k);
			column[d] = 0;
			column[d + 1]++;
		}
	}
}

static void gather_columns(const struct work *w, int k, int64_t rows,
			   unsigned char *to)
{
	const struct operand *o = &w->operand[k];
	int64_t index[VM_REDUCE_RANK + 1], n;

	find_place(w, k, w->number, index);
	for (; rows; rows -= n) {
		n = least(rows, o->extent[0] - index[0]);
		gather_rows(w, k, n, offset_of(o, index), to);
		to += (n * w->lanes.width) << w->kind[k].shift;
		index[0] += n;
		carry(o, 0, index);
	}
}

/* The number of elements (or rows) of operand @k, from number w->number on,
   that are @step elements apart in memory: at least 1, at most @n. */
static int64_t follow(const struct work *w, int k, int64_t n, int64_t step)
{
	const struct operand *o = &w->operand[k];
	const int64_t at = o->axes == 1 ? w->number
					: (int64_t)((uint64_t)w->number %
						    (uint64_t)o->extent[0]);

	return o->step[0] == step ? least(n, o->extent[0] - at) : 1;
}

/* Whether the next @n elements of operand @k lie in memory without gaps, in the
   order of a block. */
static bool is_in_place(const struct work *w, int k, int64_t n)
{
	if (w->kind[k].is_index)
		return false;
	if (w->code->reduce.kind == VM_REDUCE_LINES)
		return follow(w, k, n, 1) >= n;
	return stride(w, 0, k) == 1 &&
	       (int64_t)w->column[0] + w->lanes.width <=
		       (int64_t)w->words.extent[0] &&
	       follow(w, k, n / w->lanes.width, w->lanes.width) >=
		       n / w->lanes.width;
}

/* Let the slot of operand @k point to the next @n elements: in the operand's
   memory or, where needed, in the operand's register, to which they are copied.
   The register of a `kept` operand is filled with copies of a single element.
   */
static void load(struct work *w, int k, int64_t n)
{
	const bool kept = w->kind[k].kept;
	unsigned char **slot = &w->slot[w->code->registers + k];
	struct operand *o = &w->operand[k];

	*slot = o->buffer;
	if (kept) {
		const unsigned char *value = address(w, k, o->at);

		if (value && o->kept == value)
			return;
		o->kept = value;
		move(w, k, o->at,
		     &(struct vm_move){ .to = o->buffer,
					.from = value,
					.n = { w->code->run, 1 },
					.to_step = { 1, 0 },
					.from_step = { 0, 0 } });
		return;
	}
	if ((w->is_plain || n % VM_UNIT == 0) && is_in_place(w, k, n)) {
		int64_t index[VM_REDUCE_RANK + 1];

		*slot = address(w, k, find_place(w, k, w->number, index));
		return;
	}
	if (w->code->reduce.kind == VM_REDUCE_COLUMNS)
		gather_columns(w, k, n / w->lanes.width, o->buffer);
	else
		gather(w, k, n, o->buffer);
	if (!w->is_plain)
		vm_tables_fill_unit(o->buffer, (int)n, w->kind[k].shift);
}

/* Run the program for the next @n elements.  Returns the address of the
   elements to reduce.  NULL: these elements change no result. */
static const unsigned char *compute(struct work *w, int64_t n)
{
	const struct vm_step *step = w->step;
	const int units = (int)((n + VM_UNIT - 1) / VM_UNIT);
	unsigned char *const *slot = w->slot;

	for (; step->kind != VM_REDUCE; step++) {
		if (step == w->test.at) {
			const enum vm_look seen =
				vm_lanes_look(&w->lanes, &w->test, slot, n);

			if (seen == VM_MISSED)
				return NULL;
			w->decided = w->is_first && seen == VM_FOUND;
		}
		if (step->kind == VM_LOAD)
			load(w, step->out, n);
		else if (step->kind == VM_CHAIN)
			step = vm_chain_run(step, units, slot, 0);
		else
			(*vm_tables_functions[step->unit])(
				step->code, units, slot[step->out],
				slot[step->x[0]], slot[step->x[1]],
				slot[step->x[2]]);
	}
	return slot[step->x[0]];
}

/* --- Lanes -------------------------------------------------------------- */

static void begin_lanes(struct work *w, int64_t width)
{
	vm_lanes_begin(&w->lanes, width);
	w->decided = false;
	memcpy(&w->open, w->lanes.reduce.lane, sizeof(w->open));
}

/* Whether a lane has seen a deciding element (struct work).  More elements of
   the result then change nothing.  @begin is the number of the last block's
   first element.  The lanes are only tested after a block that reached a
   multiple of REDUCE_LOOK. */
static bool is_decided(const struct work *w, int64_t begin)
{
	const int shift = w->kind[0].shift < 3 ? w->kind[0].shift : 3;
	const size_t bytes = (size_t)w->lanes.width << shift;
	const unsigned char *lane = w->lanes.reduce.lane;
	uint64_t differs = 0, word;

	if (!w->stops || begin / REDUCE_LOOK == w->number / REDUCE_LOOK)
		return false;
	for (size_t i = 0; i < bytes; i += sizeof(word)) {
		memcpy(&word, lane + i, sizeof(word));
		differs |= word ^ w->open;
	}
	return differs != 0;
}

/* --- Results ------------------------------------------------------------ */

static void divide(const struct work *w)
{
	const int64_t n = w->waiting * w->code->reduce.parts;
	float *single = (float *)(void *)w->results, by;
	double *wide = (double *)(void *)w->results, by_wide;

	memcpy(&by, w->sizes.divisor, sizeof(by));
	memcpy(&by_wide, w->sizes.divisor, sizeof(by_wide));
	if (sum_size(w) / w->code->reduce.parts == sizeof(by))
		for (int64_t i = 0; i < n; i++)
			single[i] /= by;
	else
		for (int64_t i = 0; i < n; i++)
			wide[i] /= by_wide;
}

/* Store the waiting results, which are at @from, along the kept axes.  @shift
   is the binary logarithm of a result's size. */
static void scatter(const struct work *w, const unsigned char *from, int shift)
{
	const int64_t extent = (int64_t)w->words.extent[0];
	uint64_t index[VM_REDUCE_RANK];
	int64_t n;

	set_place(w, 0, w->kept, (uint64_t)w->first, index);
	for (int64_t left = w->waiting; left; left -= n) {
		int64_t at = w->words.offset[0];

		n = least(left, extent - (int64_t)index[0]);
		for (int d = 0; d < w->kept; d++)
			at += (int64_t)index[d] * stride(w, d, 0);
		vm_tables_move(shift, &(struct vm_move){
					      .to = w->operand[0].base +
						    at * ((int64_t)1 << shift),
					      .from = from,
					      .n = { n, 1 },
					      .to_step = { stride(w, 0, 0), 0 },
					      .from_step = { 1, 0 } });
		from += n << shift;
		index[0] += (uint64_t)n;
		for (int d = 0;
		     d + 1 < w->kept && index[d] == w->words.extent[d]; d++) {
			index[d] = 0;
			index[d + 1]++;
		}
	}
}

static void store_results(struct work *w)
{
	const struct vm_reducing *f = &w->code->reduce;
	const unsigned char *from = w->results;
	const int64_t size = (int64_t)sum_size(w);
	int shift = __builtin_ctzll((unsigned long long)size);

	if (!w->waiting)
		return;
	if (!f->result) {
		memcpy(w->operand[0].base +
			       (w->words.offset[0] + w->first) * size,
		       from, (size_t)(w->waiting * size));
		w->waiting = 0;
		return;
	}
	if (f->divides)
		divide(w);
	if (f->result != f->sum) {
		/* The result is a 16-bit float. */
		(*vm_tables_functions[VM_CAST + f->sum])(
			f->result, (int)((w->waiting + VM_UNIT - 1) / VM_UNIT),
			w->stored, from, NULL, NULL);
		from = w->stored;
		shift = 1;
	}
	scatter(w, from, shift);
	w->waiting = 0;
}

/* Returns the address for the next @n results, from result number @first on.
   The waiting results are stored first if result @first does not follow them,
   or if there is no room for @n more results. */
static void *room_for(struct work *w, int64_t first, int64_t n)
{
	if (w->waiting &&
	    (w->first + w->waiting != first || w->waiting + n > w->room))
		store_results(w);
	if (!w->waiting)
		w->first = first;
	return w->results + w->waiting * (int64_t)sum_size(w);
}

/* Combine the lanes into @n results, from result number @first on. */
static void end_lanes(struct work *w, int64_t first, int64_t n)
{
	vm_lanes_end(&w->lanes, room_for(w, first, n), n);
	w->waiting += n;
}

/* --- Lines -------------------------------------------------------------- */

/* The number of elements in the next block, at most @left.  Except at the end,
   this is a multiple of the number of lanes.  If the program only loads and
   reduces (is_plain), a block of contiguous elements may be longer than a
   register: its elements are not copied. */
static int64_t next_block(const struct work *w, int64_t left)
{
	const int64_t most =
		least(left, vm_lanes_left(&w->lanes) * w->lanes.width);
	const int64_t run = w->code->run / w->lanes.width * w->lanes.width;

	if (w->is_plain) {
		int64_t n = follow(w, 1, most, 1);

		n = n < left ? n / w->lanes.width * w->lanes.width : n;
		if (n > 0)
			return n;
	}
	return least(most, run);
}

static void reduce_line(struct work *w, int64_t begin, int64_t left)
{
	w->number = begin;
	begin_lanes(w, vm_lanes_width(&w->code->reduce));
	while (left && !w->decided) {
		const int64_t n = next_block(w, left);
		const unsigned char *from = compute(w, n);

		if (from)
			vm_lanes_take(&w->lanes, from, NULL, n);
		w->number += n;
		left -= n;
		w->decided |= is_decided(w, w->number - n);
	}
}

/* Reduce up to @most short rows, each to a result.  The rows are read directly
   from the operand's memory.  Returns the number of rows. */
static int64_t reduce_short(struct work *w, int64_t first, int64_t most)
{
	int64_t n = least(most, (int64_t)(w->words.extent[0] - w->column[0]));
	void *to = room_for(w, first, 1);

	n = least(n, w->room - w->waiting);
	vm_lanes_short(&w->lanes, address(w, 1, w->operand[1].at), NULL,
		       w->sizes.length, n, stride(w, 0, 1), to);
	w->waiting += n;
	return n;
}

static void run_lines(struct work *w, uint64_t team, uint64_t last)
{
	const int near = w->code->reduce.near;
	uint64_t n = 1;

	for (; team < last; team += n) {
		const int64_t part = (int64_t)(team / w->words.rows);
		const uint64_t line = team % w->words.rows;
		const int64_t begin = part * w->sizes.part;
		const int64_t rows =
			least(w->sizes.part, w->sizes.length - begin);

		w->column[0] = 0;
		set_place(w, near > 1, w->kept - (near > 1), line, w->column);
		place_operands(w);
		if (w->is_short) {
			n = (uint64_t)reduce_short(w, (int64_t)team,
						   (int64_t)(last - team));
			continue;
		}
		/* If there is a single result, and a part of the row has
		   decided this result, the other parts need not be read. */
		if (!w->decided || w->words.rows > 1)
			reduce_line(w, begin * near, rows * near);
		end_lanes(w, (int64_t)team * near, near);
	}
}

/* --- Columns ------------------------------------------------------------ */

/* Combine up to @left rows with the lanes, directly from the operand's memory.
   Returns the number of rows. */
static int64_t reduce_direct(struct work *w, int64_t left)
{
	const int64_t step = w->operand[1].step[0];
	const int64_t n =
		follow(w, 1, least(left, vm_lanes_left(&w->lanes)), step);
	int64_t index[VM_REDUCE_RANK + 1];

	vm_lanes_add(&w->lanes,
		     address(w, 1, find_place(w, 1, w->number, index)),
		     w->lanes.width, n, step);
	return n;
}

static int64_t reduce_block(struct work *w, int64_t left)
{
	const int64_t most = w->code->run / w->lanes.width;
	const int64_t n = least(least(left, vm_lanes_left(&w->lanes)), most);

	const unsigned char *from = compute(w, n * w->lanes.width);

	if (from)
		vm_lanes_add(&w->lanes, from, w->lanes.width, n,
			     w->lanes.width);
	return n;
}

static void reduce_columns(struct work *w, int64_t begin, int64_t left)
{
	const bool direct =
		w->is_plain && !w->sizes.linear && stride(w, 0, 1) == 1;

	w->number = begin;
	while (left) {
		const int64_t n =
			direct ? reduce_direct(w, left) : reduce_block(w, left);

		w->number += n;
		left -= n;
	}
}

static void run_columns(struct work *w, uint64_t team, uint64_t last)
{
	const uint64_t extent = w->words.extent[0];
	const uint64_t most = (uint64_t)w->sizes.columns;
	const uint64_t across =
		w->sizes.linear ? 1 : (extent + most - 1) / most;
	uint64_t kept = 1;

	for (int d = 0; d < w->kept; d++)
		kept *= w->words.extent[d];
	for (; team < last; team++) {
		const uint64_t part = team / w->words.rows;
		const uint64_t chunk = team % w->words.rows;
		const int64_t begin = (int64_t)part * w->sizes.part;
		const uint64_t first = w->sizes.linear
					       ? chunk * most
					       : chunk / across * extent +
							 chunk % across * most;
		const uint64_t end =
			w->sizes.linear ? kept : (chunk / across + 1) * extent;

		set_place(w, 0, w->kept, first, w->column);
		place_operands(w);
		begin_lanes(w, least((int64_t)most, (int64_t)(end - first)));
		reduce_columns(w, begin,
			       least(w->sizes.part, w->sizes.length - begin));
		end_lanes(w, (int64_t)(part * kept + first), w->lanes.width);
		store_results(w);
	}
}

/* --- Work-groups -------------------------------------------------------- */

/* Add axis @axis to the axes over which a team goes in operand @k. */
static void add_axis(const struct work *w, int axis, int k, struct operand *o)
{
	const int64_t extent = (int64_t)w->words.extent[axis];
	const int64_t step = stride(w, axis, k);

	if (o->axes && o->step[o->axes - 1] * o->extent[o->axes - 1] == step) {
		o->extent[o->axes - 1] *= extent;
		return;
	}
	o->extent[o->axes] = extent;
	o->step[o->axes++] = step;
}

static void prepare_operand(struct work *w, int k, void *base)
{
	struct operand *o = &w->operand[k];

	o->base = base;
	o->kept = NULL;
	o->buffer =
		w->kind[k].slot == VM_NONE ? NULL : w->slot[w->kind[k].slot];
	o->axes = 0;
	if (w->code->reduce.near > 1)
		add_axis(w, 0, k, o);
	for (int d = w->kept; d < w->code->rank; d++)
		add_axis(w, d, k, o);
}

/* Whether the program takes the minimum of each line (VM_REDUCE_LINES) of
   operand @k, whose elements are positions that increase. */
static bool is_first(const struct work *w, int k)
{
	const struct vm_reducing *how = &w->code->reduce;

	return how->kind == VM_REDUCE_LINES && how->near == 1 &&
	       how->what == VM_MIN && k >= 0 && w->kind[k].is_index &&
	       w->operand[k].axes == 1 && w->operand[k].step[0] > 0;
}

static void prepare(struct work *w, const void *const *args,
		    unsigned char *arena)
{
	const struct vm_code *code = w->code;
	const uint16_t *at;

	w->kind = (const struct vm_operand *)(code + 1);
	at = (const uint16_t *)(vm_scalars(code) + code->scalars);
	w->step = (const struct vm_step *)((const char *)code + vm_head(code));
	w->words = vm_words(code);
	w->sizes = vm_reduce_words(code);
	w->kept = code->rank - code->reduce.gone;
	for (int i = 0; i < code->registers; i++)
		w->slot[i] = arena + (size_t)at[i] * VM_LINE;
	for (int k = 0; k < code->operands; k++)
		prepare_operand(w, k,
				w->kind[k].is_index ? NULL
						    : *(void *const *)*args++);
	w->test = vm_lanes_test(code, w->step, w->step + code->steps - 1);
	w->is_first = w->test.at && is_first(w, w->test.x - code->registers);
	w->waiting = 0;
	w->decided = false;
	w->stops = code->reduce.near == 1 &&
		   (code->reduce.what == VM_ANY || code->reduce.what == VM_ALL);
	w->is_plain = code->steps == 2 && w->step->kind == VM_LOAD &&
		      !w->kind[1].is_index;
	w->is_short = w->is_plain && code->reduce.near == 1 &&
		      code->reduce.parts == 1 && w->operand[1].axes == 1 &&
		      w->operand[1].step[0] == 1 &&
		      w->sizes.part >= w->sizes.length &&
		      w->sizes.length <= REDUCE_LINE;
}

/* Run the teams of work-group @group, which has @items teams.  @memory is for
   the registers, then lanes, totals and results. */
static void reduce_in(const void *const *args, int n, uint64_t items,
		      uint64_t group, unsigned char *memory)
{
	uint64_t first = group * items, last = first + items;
	struct work w;
	size_t bytes;

	w.code = args[n];
	prepare(&w, args, memory);
	last = last < w.words.count ? last : w.words.count;
	if (first >= last)
		return;
	bytes = vm_reduce_bytes(w.code);
	memory += (size_t)w.code->arena * VM_LINE;
	w.lanes = (struct vm_lanes){ .how = &w.code->reduce,
				     .shift = w.kind[0].shift };
	w.lanes.reduce.lane = memory;
	w.lanes.reduce.total = memory + bytes;
	w.lanes.reduce.lost = memory + 2 * bytes;
	w.results = memory + 3 * bytes;
	w.stored = memory + 4 * bytes;
	w.room = (int64_t)(bytes / sum_size(&w));
	vm_tables_fill_scalars(w.code, w.slot, w.code->run);
	if (w.code->reduce.kind == VM_REDUCE_LINES)
		run_lines(&w, first, last);
	else
		run_columns(&w, first, last);
	store_results(&w);
}

__attribute__((noinline)) static void reduce_much(const void *const *args,
						  int n, uint64_t items,
						  uint64_t group)
{
	unsigned char memory[VM_ARENA + VM_REDUCE_BUFFERS * VM_REDUCE_BYTES]
		__attribute__((aligned(VM_LINE)));

	reduce_in(args, n, items, group, memory);
}

__attribute__((noinline)) static void reduce_little(const void *const *args,
						    int n, uint64_t items,
						    uint64_t group)
{
	unsigned char memory[VM_LITTLE] __attribute__((aligned(VM_LINE)));

	reduce_in(args, n, items, group, memory);
}

/* A brief launch may run in a thread of the application, whose stack may be
   small.  So reduce_much() is called only if the memory of reduce_little() is
   not enough. */
void vm_reduce_group(const void *const *args, int n, uint64_t items,
		     uint64_t group)
{
	if (vm_reduce_needs_little(args[n]))
		reduce_little(args, n, items, group);
	else
		reduce_much(args, n, items, group);
}
