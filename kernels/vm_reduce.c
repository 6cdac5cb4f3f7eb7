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
#include "kernels/vm_reduce_load.h"
#include "kernels/vm_tables.h"
#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"
#include "kernels/vm_fetch.h"

/* VM_ANY and VM_ALL may stop early.  Whether they can stop is tested once for
   each REDUCE_LOOK elements. */
#define REDUCE_LOOK 4096
#define REDUCE_LINE \
	(VM_REDUCE_ROWS * VM_LANES) /* the most elements of a short row */

static size_t sum_size(const struct vm_reduce_work *w)
{
	return (size_t)1 << vm_shift_of(w->code->reduce.sum);
}

/* --- Axes --------------------------------------------------------------- */

/* Set the index of element number @rest along the @n axes from axis @axis on.
   The first of these axes is the innermost. */
static void set_place(const struct vm_reduce_work *w, int axis, int n,
		      uint64_t rest, uint64_t *index)
{
	for (int d = axis; d < axis + n; d++) {
		index[d] = rest % w->words.extent[d];
		rest /= w->words.extent[d];
	}
}

/* Set the position of each input to its first element that is reduced to the
   result with index w->column. */
static void place_operands(struct vm_reduce_work *w)
{
	for (int k = 1; k < w->code->operands; k++) {
		w->operand[k].at = w->words.offset[k];
		for (int d = 0; d < w->kept; d++)
			w->operand[k].at += (int64_t)w->column[d] *
					    vm_reduce_load_stride(w, d, k);
	}
}

/* Run the program for the next @n elements.  Returns the address of the
   elements to reduce.  NULL: these elements change no result. */
static const unsigned char *compute(struct vm_reduce_work *w, int64_t n)
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
			vm_reduce_load(w, step->out, n);
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

static void begin_lanes(struct vm_reduce_work *w, int64_t width)
{
	vm_lanes_begin(&w->lanes, width);
	w->decided = false;
	memcpy(&w->open, w->lanes.reduce.lane, sizeof(w->open));
}

/* Whether a lane has seen a deciding element (struct vm_reduce_work).  More
   elements of the result then change nothing.  @begin is the number of the last
   block's first element.  The lanes are only tested after a block that reached
   a multiple of REDUCE_LOOK. */
static bool is_decided(const struct vm_reduce_work *w, int64_t begin)
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

/* Store the waiting results, which are at @from, along the kept axes.  @shift
   is the binary logarithm of a result's size. */
static void scatter(const struct vm_reduce_work *w, const unsigned char *from,
		    int shift)
{
	const int64_t extent = (int64_t)w->words.extent[0];
	uint64_t index[VM_REDUCE_RANK];
	int64_t n;

	set_place(w, 0, w->kept, (uint64_t)w->first, index);
	for (int64_t left = w->waiting; left; left -= n) {
		int64_t at = w->words.offset[0];

		n = vm_reduce_load_least(left, extent - (int64_t)index[0]);
		for (int d = 0; d < w->kept; d++)
			at += (int64_t)index[d] *
			      vm_reduce_load_stride(w, d, 0);
		vm_tables_move(
			shift,
			&(struct vm_move){
				.to = w->operand[0].base +
				      at * ((int64_t)1 << shift),
				.from = from,
				.n = { n, 1 },
				.to_step = { vm_reduce_load_stride(w, 0, 0),
					     0 },
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

static void store_results(struct vm_reduce_work *w)
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
		vm_lanes_divide(w->results, w->waiting * f->parts,
				sum_size(w) / f->parts, w->sizes.divisor);
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
static void *room_for(struct vm_reduce_work *w, int64_t first, int64_t n)
{
	if (w->waiting &&
	    (w->first + w->waiting != first || w->waiting + n > w->room))
		store_results(w);
	if (!w->waiting)
		w->first = first;
	return w->results + w->waiting * (int64_t)sum_size(w);
}

/* Combine the lanes into @n results, from result number @first on. */
static void end_lanes(struct vm_reduce_work *w, int64_t first, int64_t n)
{
	vm_lanes_end(&w->lanes, room_for(w, first, n), n);
	w->waiting += n;
}

/* --- Lines -------------------------------------------------------------- */

/* The number of elements in the next block, at most @left.  Except at the end,
   this is a multiple of the number of lanes.  If the program only loads and
   reduces (is_plain), a block of contiguous elements may be longer than a
   register: its elements are not copied. */
static int64_t next_block(const struct vm_reduce_work *w, int64_t left)
{
	const int64_t most = vm_reduce_load_least(
		left, vm_lanes_left(&w->lanes) * w->lanes.width);
	const int64_t run = w->code->run / w->lanes.width * w->lanes.width;

	if (w->is_plain) {
		int64_t n = vm_reduce_load_follow(w, 1, most, 1);

		n = n < left ? n / w->lanes.width * w->lanes.width : n;
		if (n > 0)
			return n;
	}
	return vm_reduce_load_least(most, run);
}

static void reduce_line(struct vm_reduce_work *w, int64_t begin, int64_t left)
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
static int64_t reduce_short(struct vm_reduce_work *w, int64_t first,
			    int64_t most)
{
	int64_t n = vm_reduce_load_least(
		most, (int64_t)(w->words.extent[0] - w->column[0]));
	void *to = room_for(w, first, 1);

	n = vm_reduce_load_least(n, w->room - w->waiting);
	vm_lanes_short(&w->lanes,
		       vm_reduce_load_address(w, 1, w->operand[1].at), NULL,
		       w->sizes.length, n, vm_reduce_load_stride(w, 0, 1), to);
	w->waiting += n;
	return n;
}

/* Compute and reduce up to @most short rows, each to a result.  Returns the
   number of rows. */
static int64_t reduce_together(struct vm_reduce_work *w, int64_t first,
			       int64_t most)
{
	const int64_t length = w->sizes.length;
	int64_t n = vm_reduce_load_least(
		most, (int64_t)(w->words.extent[0] - w->column[0]));
	void *to = room_for(w, first, 1);

	n = vm_reduce_load_least(vm_reduce_load_least(n, w->together),
				 w->room - w->waiting);
	w->number = 0;
	vm_lanes_short(&w->lanes, compute(w, n * length), NULL, length, n,
		       length, to);
	w->waiting += n;
	return n;
}

static void run_lines(struct vm_reduce_work *w, uint64_t team, uint64_t last)
{
	const int near = w->code->reduce.near;
	uint64_t n = 1;

	for (; team < last; team += n) {
		const int64_t part = (int64_t)(team / w->words.rows);
		const uint64_t line = team % w->words.rows;
		const int64_t begin = part * w->sizes.part;
		const int64_t rows = vm_reduce_load_least(
			w->sizes.part, w->sizes.length - begin);

		w->column[0] = 0;
		set_place(w, near > 1, w->kept - (near > 1), line, w->column);
		place_operands(w);
		if (w->is_short) {
			n = (uint64_t)reduce_short(w, (int64_t)team,
						   (int64_t)(last - team));
			continue;
		}
		if (w->together) {
			n = (uint64_t)reduce_together(w, (int64_t)team,
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
static int64_t reduce_direct(struct vm_reduce_work *w, int64_t left)
{
	const int64_t step = w->operand[1].step[0];
	const int64_t n = vm_reduce_load_follow(
		w, 1, vm_reduce_load_least(left, vm_lanes_left(&w->lanes)),
		step);
	int64_t index[VM_REDUCE_RANK + 1];

	vm_lanes_add(
		&w->lanes,
		vm_reduce_load_address(
			w, 1, vm_reduce_load_place(w, 1, w->number, index)),
		w->lanes.width, n, step);
	return n;
}

static int64_t reduce_block(struct vm_reduce_work *w, int64_t left)
{
	const int64_t most = w->code->run / w->lanes.width;
	const int64_t n = vm_reduce_load_least(
		vm_reduce_load_least(left, vm_lanes_left(&w->lanes)), most);

	const unsigned char *from = compute(w, n * w->lanes.width);

	if (from)
		vm_lanes_add(&w->lanes, from, w->lanes.width, n,
			     w->lanes.width);
	return n;
}

static void reduce_columns(struct vm_reduce_work *w, int64_t begin,
			   int64_t left)
{
	const bool direct = w->is_plain && !w->sizes.linear &&
			    vm_reduce_load_stride(w, 0, 1) == 1;

	w->number = begin;
	while (left) {
		const int64_t n =
			direct ? reduce_direct(w, left) : reduce_block(w, left);

		w->number += n;
		left -= n;
	}
}

static void run_columns(struct vm_reduce_work *w, uint64_t team, uint64_t last)
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
		begin_lanes(w, vm_reduce_load_least((int64_t)most,
						    (int64_t)(end - first)));
		reduce_columns(w, begin,
			       vm_reduce_load_least(w->sizes.part,
						    w->sizes.length - begin));
		end_lanes(w, (int64_t)(part * kept + first), w->lanes.width);
		store_results(w);
	}
}

/* --- Work-groups -------------------------------------------------------- */

/* Add axis @axis to the axes over which a team goes in operand @k. */
static void add_axis(const struct vm_reduce_work *w, int axis, int k,
		     struct vm_reduce_operand *o)
{
	const int64_t extent = (int64_t)w->words.extent[axis];
	const int64_t step = vm_reduce_load_stride(w, axis, k);

	if (o->axes && o->step[o->axes - 1] * o->extent[o->axes - 1] == step) {
		o->extent[o->axes - 1] *= extent;
		return;
	}
	o->extent[o->axes] = extent;
	o->step[o->axes++] = step;
}

static void prepare_operand(struct vm_reduce_work *w, int k, void *base)
{
	struct vm_reduce_operand *o = &w->operand[k];

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

/* Let blocks take several rows together, if rows are short enough.  The program
   must compute each element from elements alone: an operand that stays the same
   along a row (`kept`) is another value in the next row. */
static void take_rows_together(struct vm_reduce_work *w)
{
	const struct vm_reducing *how = &w->code->reduce;
	const int64_t length = w->sizes.length, run = w->code->run;
	bool good = how->kind == VM_REDUCE_LINES && how->near == 1 &&
		    how->parts == 1 && !w->is_short && !w->test.at &&
		    !w->stops && w->kept && length && length <= run / 2 &&
		    w->sizes.part >= length;

	for (int k = 1; good && k < w->code->operands; k++)
		good = !w->kind[k].kept && !w->kind[k].is_index;
	if (!good)
		return;
	for (int k = 1; k < w->code->operands; k++)
		add_axis(w, 0, k, &w->operand[k]);
	w->together = run / length;
	/* Operands are not copied if their rows together are whole units. */
	for (int64_t n = w->together; n; n--)
		if (n * length % VM_UNIT == 0) {
			w->together = n;
			break;
		}
}

/* Whether the program takes the minimum of each line (VM_REDUCE_LINES) of
   operand @k, whose elements are positions that increase. */
static bool is_first(const struct vm_reduce_work *w, int k)
{
	const struct vm_reducing *how = &w->code->reduce;

	return how->kind == VM_REDUCE_LINES && how->near == 1 &&
	       how->what == VM_MIN && k >= 0 && w->kind[k].is_index &&
	       w->operand[k].axes == 1 && w->operand[k].step[0] > 0;
}

static void prepare(struct vm_reduce_work *w, const void *const *args,
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
	w->fetches = !w->is_plain && vm_is_far(code, &w->words);
	w->is_short = w->is_plain && code->reduce.near == 1 &&
		      code->reduce.parts == 1 && w->operand[1].axes == 1 &&
		      w->operand[1].step[0] == 1 &&
		      w->sizes.part >= w->sizes.length &&
		      w->sizes.length <= REDUCE_LINE;
	w->together = 0;
	take_rows_together(w);
}

/* Run the teams of work-group @group, which has @items teams.  @memory is for
   the registers, then lanes, totals and results. */
static void reduce_in(const void *const *args, int n, uint64_t items,
		      uint64_t group, unsigned char *memory)
{
	uint64_t first = group * items, last = first + items;
	struct vm_reduce_work w;
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
