/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.c - runs programs that neither only copy nor reduce (vm_program.h).
 *
 * The work-items of a work-group run one after the other, in a loop.  Data that
 * all of them use, such as registers of scalars, is prepared once.
 */
#include "kernels/vm_put.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/vm_chain.h"
#include "kernels/vm_tables.h"
#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"
#include "kernels/vm_fetch.h"

#define VM_SLOTS 256
#define VM_ROWS_AHEAD 6
#define VM_LEAST_ROW 256 /* see takes_each_row() */
#define LINES __attribute__((aligned(VM_LINE)))

/* How the elements of an operand lie in memory. */
enum lie {
	LIE_FLAT, /* contiguous over all axes */
	LIE_ROW,  /* contiguous along axis 0 */
	LIE_SAME, /* the same element for a whole row */
	/* contiguous along axis 1; read from a transposed copy */
	LIE_TILE,
	LIE_ANY
};

struct vm_block_operand {
	/* the address of this block's first element, or NULL */
	unsigned char *at;
	/* if `at` is NULL: the position of this block's first element */
	int64_t place;
	int64_t row; /* the position of the first element of this row */
	/* the allocation, and the operand's first element in it, or NULL */
	unsigned char *base, *first;
	int64_t step;          /* the step between elements along axis 0 */
	unsigned char *buffer; /* the register, or `first` if there is none */
	/* the address of the element whose copies fill the register, or NULL */
	const unsigned char *kept;
	int kept_units; /* the number of units that have these copies */
	enum lie lie;
	unsigned char *tile;
	/* whether steps can work on whole units in the operand's memory */
	bool direct;
	/* whether steps work on this block in the operand's memory */
	bool in_place;
};

/* The state of a work-group that runs. */
struct vm_work {
	const struct vm_code *code;
	const struct vm_operand *kind;
	const struct vm_scalar *scalar;
	const struct vm_step *step;
	struct vm_words words;
	struct vm_cut cut;
	/* the index of this row; axis 0 is not used */
	uint64_t index[VM_RANK];
	int n, units; /* the number of elements, and of units, in this block */
	int64_t rows; /* the number of rows in this block */
	/* the number of the row, in each tile, that this block reads */
	int64_t tile_row;
	int tiles; /* the number of operands with a tile */
	/* set if elements may be computed twice, because no result shares
	   memory with an input */
	bool repeats;
	/* call: the step of a program that is a single call or a single chain,
	   and works in the operands' memory; NULL for any other program.
	   filled: set if a register that the call reads is filled with copies
	   of one value.  The call then takes at most one block at a time. */
	const struct vm_step *call;
	bool filled;
	/* VM_ONE_X or VM_ONE_Y if the call takes a single element for x or y */
	unsigned ones;
	unsigned char *slot[VM_SLOTS];
	struct vm_block_operand operand[VM_OPERANDS];
};

static int64_t stride(const struct vm_work *w, int axis, int k)
{
	return w->words.stride[axis * w->code->operands + k];
}

/* --- Moving elements ------------------------------------------------------ */

static void swap(int64_t *pair)
{
	const int64_t first = pair[0];

	pair[0] = pair[1];
	pair[1] = first;
}

/* Set the source and the target of a copy between @block and operand @k.  @at
   is the position in the operand of the first element to copy. */
static void set_ends(const struct vm_work *w, int k, struct vm_move *m,
		     int64_t at, unsigned char *block, bool store)
{
	const struct vm_block_operand *o = &w->operand[k];
	unsigned char *memory =
		o->base ? o->base + at * ((int64_t)1 << w->kind[k].shift)
			: NULL;

	m->to = store ? memory : block;
	m->from = store ? block : memory;
}

/* Copy elements of operand @k as @m says.  @at is the position of the first
   element.  The elements of an operand without memory are their positions. */
static void move(const struct vm_work *w, int k, const struct vm_move *m,
		 int64_t at)
{
	if (w->kind[k].is_index)
		vm_tables_count(m, at);
	else
		vm_tables_move(w->kind[k].shift, m);
}

/* Copy the block's elements of operand @k between the operand's memory and
   @block, row by row. */
static void move_rows(struct vm_work *w, int k, unsigned char *block,
		      bool store)
{
	const int shift = w->kind[k].shift, rank = w->code->rank;
	const int64_t row = (int64_t)w->words.extent[0];
	int64_t at = w->operand[k].row, left = w->rows, steps[2], i;
	uint64_t index[VM_RANK];
	struct vm_move m = { .n = { row, 1 } };

	memcpy(index, w->index, sizeof(index));
	steps[0] = stride(w, 0, k);
	steps[1] = rank > 1 ? stride(w, 1, k) : 0;
	while (left) {
		i = rank > 1 ? (int64_t)(w->words.extent[1] - index[1]) : 1;
		m.n[1] = i < left ? i : left;
		set_ends(w, k, &m, at, block, store);
		memcpy(store ? m.to_step : m.from_step, steps, sizeof(steps));
		memcpy(store ? m.from_step : m.to_step,
		       (const int64_t[]){ 1, row }, sizeof(steps));
		block += (m.n[1] * row) << shift;
		left -= m.n[1];
		if (row < 16 && m.n[1] > row) {
			/* Let the inner loop go along the longer axis. */
			swap(m.n);
			swap(m.to_step);
			swap(m.from_step);
			move(w, k, &m, at);
			m.n[0] = row;
		} else {
			move(w, k, &m, at);
		}
		if (!left)
			return;
		at -= (int64_t)index[1] * steps[1];
		index[1] = 0;
		for (int d = 2; d < rank; d++) {
			at += stride(w, d, k);
			if (++index[d] < w->words.extent[d])
				break;
			at -= (int64_t)index[d] * stride(w, d, k);
			index[d] = 0;
		}
	}
}

static void move_block(struct vm_work *w, int k, unsigned char *block,
		       bool store)
{
	const struct vm_block_operand *o = &w->operand[k];
	const int64_t step = o->lie == LIE_FLAT ? 1 : o->step;

	if (w->rows > 1 && o->lie != LIE_FLAT) {
		move_rows(w, k, block, store);
		return;
	}
	move(w, k,
	     &(struct vm_move){ .to = store ? o->at : block,
				.from = store ? block : o->at,
				.n = { w->n, 1 },
				.to_step = { store ? step : 1, 0 },
				.from_step = { store ? 1 : step, 0 } },
	     o->place);
}

static void load(struct vm_work *w, int k)
{
	struct vm_block_operand *o = &w->operand[k];

	if (o->in_place)
		return;
	if (w->kind[k].kept && o->lie == LIE_SAME && w->rows == 1 && o->at) {
		if (o->kept == o->at && o->kept_units >= w->units)
			return;
		o->kept = o->at;
		o->kept_units = w->units;
	}
	move_block(w, k, o->buffer, false);
	vm_tables_fill_unit(o->buffer, w->n, w->kind[k].shift);
}

/* Store the block past the CPU's caches, if the program asks for this and the
   block is contiguous in memory.  Returns whether the block was stored. */
static bool stream(const struct vm_work *w, int k, const unsigned char *block)
{
	const bool contiguous = w->rows == 1 || w->operand[k].lie == LIE_FLAT;

	return w->code->stream && contiguous &&
	       vm_tables_stream(w->operand[k].at, block,
				(size_t)w->n << w->kind[k].shift);
}

static void store(struct vm_work *w, int k, unsigned char *block)
{
	if (block == w->operand[k].at && w->operand[k].in_place)
		return;
	if (!stream(w, k, block))
		move_block(w, k, block, true);
}

/* Store the elements @block of a block in operand @k, as a VM_PUT does.  @at
   says how far behind its place each element is stored.  Pass @single = true if
   at[0] is for all elements. */
static void put(const struct vm_work *w, int k, const unsigned char *block,
		const unsigned char *at, bool single)
{
	const struct vm_block_operand *o = &w->operand[k];

	vm_put(&(struct vm_put){ .code = w->code,
				 .words = &w->words,
				 .k = k,
				 .index = w->index,
				 .base = o->base,
				 .first = o->at,
				 .row = o->row,
				 .step = o->step,
				 .n = w->n,
				 .rows = w->rows,
				 .single = single,
				 .block = block,
				 .at = (const int64_t *)(const void *)at });
}

/* --- One block ------------------------------------------------------------ */

/* Let the slots of operands point to the operands' memory, or to registers. */
static void place_operands(struct vm_work *w)
{
	const bool whole = w->n % VM_UNIT == 0;

	w->units = (w->n + VM_UNIT - 1) / VM_UNIT;
	for (int k = 0; k < w->code->operands; k++) {
		struct vm_block_operand *o = &w->operand[k];

		o->in_place = whole && o->direct &&
			      (o->lie != LIE_ROW || w->rows == 1);
		w->slot[w->code->registers + k] =
			o->in_place ? o->at : o->buffer;
	}
}

/* Load only the first element of operand @k, for a whole unit. */
static void load_single(struct vm_work *w, int k)
{
	const int n = w->n, units = w->units;

	w->n = w->units = 1;
	load(w, k);
	w->n = n;
	w->units = units;
}

static void run_block(struct vm_work *w)
{
	const struct vm_step *step = w->step, *end = step + w->code->steps;
	unsigned char *const *slot = w->slot;

	place_operands(w);
	for (; step < end; step++) {
		const bool single = step->single && w->rows == 1;

		if (step->kind == VM_CALL)
			(*vm_tables_functions[step->unit])(
				step->code, single ? 1 : w->units,
				slot[step->out], slot[step->x[0]],
				slot[step->x[1]], slot[step->x[2]]);
		else if (step->kind == VM_LOAD && single)
			load_single(w, step->out);
		else if (step->kind == VM_LOAD)
			load(w, step->out);
		else if (step->kind == VM_STORE)
			store(w, step->out, slot[step->x[0]]);
		else if (step->kind == VM_PUT)
			put(w, step->out, slot[step->x[0]], slot[step->x[1]],
			    single);
		else
			step = vm_chain_run(step, w->units, slot, 0);
	}
}

/* Advance the operands by @n elements along axis 0. */
static void advance(struct vm_work *w, int64_t n)
{
	for (int k = 0; k < w->code->operands; k++) {
		struct vm_block_operand *o = &w->operand[k];

		if (o->base)
			o->at += n * o->step * ((int64_t)1 << w->kind[k].shift);
		else
			o->place += n * o->step;
	}
}

/* Advance by @n elements the slots that point to operands' memory. */
static void move_slots(struct vm_work *w, int64_t n)
{
	unsigned char **slot = w->slot + w->code->registers;

	for (int k = 0; k < w->code->operands; k++)
		if (w->operand[k].direct)
			slot[k] += n * ((int64_t)1 << w->kind[k].shift);
}

/* Compute @n elements by w->call.  @n must be a multiple of VM_UNIT. */
static void call(const struct vm_work *w, int64_t n)
{
	const struct vm_step *step = w->call;

	if (step->kind == VM_CHAIN) {
		vm_chain_run(step, (int)(n / VM_UNIT), w->slot, 0);
		return;
	}
	(*vm_tables_functions[step->unit])(
		step->code | w->ones, (int)(n / VM_UNIT), w->slot[step->out],
		w->slot[step->x[0]], w->slot[step->x[1]], w->slot[step->x[2]]);
}

/* Set the slots of the operands for a call on @n elements.  A slot points to
   memory, or to a register filled with copies of one value. */
static void place_call(struct vm_work *w, int64_t n)
{
	unsigned char **slot = w->slot + w->code->registers;

	w->n = (int)n;
	w->units = w->n / VM_UNIT;
	for (int k = 0; k < w->code->operands; k++) {
		struct vm_block_operand *o = &w->operand[k];

		o->in_place = o->direct || w->ones;
		slot[k] = o->in_place ? o->at : o->buffer;
		if (!o->in_place)
			load(w, k);
	}
}

/* Compute @n elements along axis 0 by w->call, directly in the operands'
   memory.  @n must be at least VM_UNIT. */
static void call_span(struct vm_work *w, int64_t n)
{
	const int64_t rest = n % VM_UNIT;
	const int64_t most = w->filled ? (int64_t)w->cut.run : n - rest;
	int64_t left = n - rest, some = left < most ? left : most;

	place_call(w, some);
	for (;;) {
		call(w, some);
		left -= some;
		if (!left)
			break;
		move_slots(w, some);
		some = left < most ? left : most;
	}
	if (!rest)
		return;
	move_slots(w, some + rest - VM_UNIT);
	call(w, VM_UNIT);
}

/*
 * Compute @n elements along axis 0, in blocks of whole units.  The elements
 * after the last whole unit are computed together with the elements before
 * them, as one more unit, if elements may be computed twice.
 */
static void run_span(struct vm_work *w, uint64_t n)
{
	uint64_t done = 0;

	if (w->call && n >= VM_UNIT && (w->repeats || n % VM_UNIT == 0)) {
		call_span(w, (int64_t)n);
		return;
	}
	while (n - done >= VM_UNIT) {
		const uint64_t left = (n - done) & ~(uint64_t)(VM_UNIT - 1);

		w->n = (int)(left < w->cut.run ? left : w->cut.run);
		run_block(w);
		advance(w, w->n);
		done += (uint64_t)w->n;
	}
	if (done == n)
		return;
	w->n = (int)(n - done);
	if (done && w->repeats) {
		advance(w, w->n - VM_UNIT);
		w->n = VM_UNIT;
	}
	run_block(w);
}

/* --- Work-items ----------------------------------------------------------- */

static void run_flat(struct vm_work *w, uint64_t first, uint64_t last)
{
	const uint64_t run = w->cut.run, begin = first * run, end = last * run;

	for (int k = 0; k < w->code->operands; k++)
		w->operand[k].at = w->operand[k].base;
	advance(w, (int64_t)begin);
	run_span(w, (end < w->words.count ? end : w->words.count) - begin);
}

/* Go to row @row. */
static void go_to_row(struct vm_work *w, uint64_t row)
{
	uint64_t rest = row;

	for (int k = 0; k < w->code->operands; k++)
		w->operand[k].row = w->words.offset[k];
	for (int d = 1; d < w->code->rank; d++) {
		w->index[d] = rest % w->words.extent[d];
		rest /= w->words.extent[d];
		for (int k = 0; k < w->code->operands; k++)
			w->operand[k].row +=
				(int64_t)w->index[d] * stride(w, d, k);
	}
}

static void next_row(struct vm_work *w)
{
	for (int d = 1; d < w->code->rank; d++) {
		const bool ends = ++w->index[d] == w->words.extent[d];
		const int64_t back = ends ? (int64_t)w->index[d] : 0;

		for (int k = 0; k < w->code->operands; k++)
			w->operand[k].row += (1 - back) * stride(w, d, k);
		if (!ends)
			return;
		w->index[d] = 0;
	}
}

/* The distance in elements between rows of the tile of operand @k.  An unused
   cache line follows each row.  Otherwise all lines of a column would compete
   for the same places in the cache. */
static int64_t tile_pitch(const struct vm_work *w, int k)
{
	return VM_TILE_COLUMNS + (VM_LINE >> w->kind[k].shift);
}

/* Let the next block begin at element @begin of this row. */
static void begin_at(struct vm_work *w, uint64_t begin)
{
	for (int k = 0; k < w->code->operands; k++) {
		struct vm_block_operand *o = &w->operand[k];
		const int64_t size = (int64_t)1 << w->kind[k].shift;

		if (o->lie == LIE_TILE)
			o->at = o->tile + w->tile_row * tile_pitch(w, k) * size;
		else if (!o->base)
			o->place = o->row + (int64_t)begin * o->step;
		else
			o->at = o->base +
				(o->row + (int64_t)begin * o->step) * size;
	}
}

/* The number of elements from @begin to the end of the row, at most @most. */
static uint64_t row_left(const struct vm_work *w, uint64_t begin, uint64_t most)
{
	const uint64_t left = w->words.extent[0] - begin;

	return left < most ? left : most;
}

/* Run work-items @first to @last - 1.  Each is a chunk of a row.  Neighbouring
   chunks of a row are computed together. */
static void run_rows(struct vm_work *w, uint64_t first, uint64_t last)
{
	const uint64_t chunks = w->cut.chunks, run = w->cut.run;
	uint64_t chunk = first % chunks, n;

	go_to_row(w, first / chunks);
	for (; first < last; first += n) {
		n = chunks - chunk < last - first ? chunks - chunk
						  : last - first;
		begin_at(w, chunk * run);
		run_span(w, row_left(w, chunk * run, n * run));
		chunk = 0;
		next_row(w);
	}
}

/* Fill the tiles with @n elements of each of @rows rows, from element @begin of
   a row on.  Each cache line of an operand is read only once. */
static void fill_tiles(struct vm_work *w, int64_t rows, uint64_t begin,
		       uint64_t n)
{
	for (int k = 0; k < w->code->operands; k++) {
		const struct vm_block_operand *o = &w->operand[k];
		const int shift = w->kind[k].shift;
		const int64_t step = stride(w, 0, k);
		struct vm_move m = { .to = o->tile,
				     .n = { rows, (int64_t)n },
				     .to_step = { tile_pitch(w, k), 1 },
				     .from_step = { 1, step } };

		if (o->lie != LIE_TILE)
			continue;
		m.from = o->base + (o->row + (int64_t)begin * step) *
					   ((int64_t)1 << shift);
		vm_tables_move(shift, &m);
	}
}

/*
 * Prefetch @n elements of the row that comes VM_ROWS_AHEAD rows later, for
 * inputs that are contiguous along rows.  The processor does not prefetch this
 * row itself.  The function must be inlined, as vm_fetch().
 */
__attribute__((always_inline)) static inline void fetch_row(
	const struct vm_work *w, uint64_t n)
{
	for (int k = w->code->results; k < w->code->operands; k++) {
		const struct vm_block_operand *o = &w->operand[k];
		const int shift = w->kind[k].shift;
		const int64_t ahead = VM_ROWS_AHEAD * stride(w, 1, k);

		if (o->lie != LIE_FLAT && o->lie != LIE_ROW)
			continue;
		vm_fetch(o->at + ahead * ((int64_t)1 << shift),
			 (int64_t)(n << shift));
	}
}

/* Run work-items that read transposed inputs through tiles.  Each block is in
   one row. */
static void run_tiles(struct vm_work *w, uint64_t first, uint64_t last)
{
	const uint64_t across = w->cut.chunks, tile = w->cut.tile;
	const uint64_t extent = w->words.extent[1];
	const uint64_t down = (extent + tile - 1) / tile;

	for (; first < last; first++) {
		const uint64_t row = first / across % down * tile;
		const uint64_t left = extent - row;
		const int64_t rows = (int64_t)(left < tile ? left : tile);
		const uint64_t begin = first % across * VM_TILE_COLUMNS;
		const uint64_t n = row_left(w, begin, VM_TILE_COLUMNS);

		go_to_row(w, first / across / down * extent + row);
		fill_tiles(w, rows, begin, n);
		for (w->tile_row = 0; w->tile_row < rows; w->tile_row++) {
			begin_at(w, begin);
			fetch_row(w, n);
			run_span(w, n);
			next_row(w);
		}
	}
}

/* Run work-items that take a block of several short rows each. */
static void run_short_rows(struct vm_work *w, uint64_t first, uint64_t last)
{
	const uint64_t rows = w->cut.rows;

	for (; first < last; first++) {
		const uint64_t left = w->words.rows - first * rows;

		go_to_row(w, first * rows);
		w->rows = (int64_t)(left < rows ? left : rows);
		w->n = (int)w->rows * (int)w->words.extent[0];
		begin_at(w, 0);
		run_block(w);
	}
}

/* Whether to compute row by row in the operands' memory, although several rows
   fit into a block.  Copying long rows into a block would take longer. */
static bool takes_each_row(const struct vm_work *w)
{
	return w->call && !w->filled && w->words.extent[0] >= VM_LEAST_ROW;
}

/* Run work-items of several rows, row by row. */
static void run_each_row(struct vm_work *w, uint64_t first, uint64_t last)
{
	const uint64_t rows = w->cut.rows, end = last * rows;

	run_rows(w, first * rows, end < w->words.rows ? end : w->words.rows);
}

/* --- Work-groups ---------------------------------------------------------- */

static enum lie find_lie(const struct vm_work *w, int k)
{
	int64_t next = 1;
	int d = 0;

	if (w->kind[k].is_put)
		return LIE_ANY;
	if (!w->code->strided)
		return LIE_FLAT;
	if (w->kind[k].is_index)
		return stride(w, 0, k) ? LIE_ANY : LIE_SAME;
	while (d < w->code->rank && stride(w, d, k) == next)
		next *= (int64_t)w->words.extent[d++];
	if (d == w->code->rank)
		return LIE_FLAT;
	if (w->cut.tile && w->tiles < VM_TILES &&
	    vm_is_transposed(w->code, &w->words, k))
		return LIE_TILE;
	return stride(w, 0, k) == 1   ? LIE_ROW
	       : stride(w, 0, k) == 0 ? LIE_SAME
				      : LIE_ANY;
}

/* Whether no result shares memory with an input.  Arrays that share memory have
   one layout (struct engine_call), and so the same first element. */
static bool can_repeat(const struct vm_work *w)
{
	for (int r = 0; r < w->code->results; r++)
		for (int k = w->code->results; k < w->code->operands; k++)
			if (w->operand[r].first == w->operand[k].first)
				return false;
	return true;
}

/* Whether all elements of slot @x of the call are equal for a whole row.  The
   call reads only registers of scalars, which have equal elements. */
static bool is_fixed(const struct vm_work *w, int x)
{
	const int k = x - w->code->registers;

	return k < 0 || (w->operand[k].lie == LIE_SAME && w->kind[k].kept);
}

/* Let the call read an operand with one value for a row as a single element
   (VM_ONE_X or VM_ONE_Y).  Otherwise the call would read a register full of
   copies. */
static void take_ones(struct vm_work *w)
{
	const bool x = is_fixed(w, w->call->x[0]);
	const bool y = is_fixed(w, w->call->x[1]);

	if (!w->code->takes_one || x == y)
		return;
	w->ones = x ? VM_ONE_X : VM_ONE_Y;
	w->filled = false;
}

/* Set w->call and w->filled.  A call reads scalars from registers full of
   copies, so it takes one block at a time.  A chain reads only the first
   copies, and has no such limit. */
static void find_call(struct vm_work *w)
{
	const struct vm_step *call = w->step;

	w->call = NULL;
	w->ones = 0;
	if (!w->code->is_one_call || w->code->results > 1)
		return;
	while (call->kind == VM_LOAD)
		call++;
	w->filled = call->kind == VM_CALL &&
		    (w->code->scalars > 0 || !w->code->is_cheap);
	for (int k = 0; k < w->code->operands; k++) {
		const int slot = w->code->registers + k;

		if (!w->operand[k].direct && !is_fixed(w, slot))
			return;
		w->filled |= !w->operand[k].direct;
	}
	w->call = call;
	take_ones(w);
}

static void prepare_operand(struct vm_work *w, int k, void *base,
			    unsigned char *tiles)
{
	const struct vm_code *code = w->code;
	struct vm_block_operand *o = &w->operand[k];
	const int64_t first = code->strided ? w->words.offset[k] : 0;

	o->base = o->first = o->at = base;
	if (base)
		o->first += first * ((int64_t)1 << w->kind[k].shift);
	o->buffer = w->kind[k].slot == VM_NONE ? o->first
					       : w->slot[w->kind[k].slot];
	o->kept = NULL;
	o->lie = find_lie(w, k);
	o->step = !code->strided ? !w->kind[k].is_put
		  : o->lie == LIE_FLAT || o->lie == LIE_TILE ? 1
							     : stride(w, 0, k);
	if (o->lie == LIE_TILE)
		o->tile = tiles + VM_TILE * w->tiles++;
	o->direct =
		!(code->stream && k < code->results && !w->kind[k].streams) &&
		(o->lie <= LIE_ROW || o->lie == LIE_TILE);
}

static void prepare(struct vm_work *w, const void *const *args,
		    unsigned char *arena, unsigned char *tiles)
{
	const struct vm_code *code = w->code;
	const uint16_t *at;

	w->kind = (const struct vm_operand *)(code + 1);
	w->scalar = (const struct vm_scalar *)(w->kind + code->operands);
	at = (const uint16_t *)(w->scalar + code->scalars);
	w->step = (const struct vm_step *)((const char *)code + vm_head(code));
	w->words = vm_words(code);
	w->cut = vm_cut(code, &w->words);
	w->rows = 1;
	w->index[1] = 0;
	w->tiles = 0;
	for (int i = 0; i < code->registers; i++)
		w->slot[i] = arena + (size_t)at[i] * VM_LINE;
	for (int k = 0; k < code->operands; k++)
		prepare_operand(w, k,
				w->kind[k].is_index ? NULL
						    : *(void *const *)*args++,
				tiles);
	w->repeats = can_repeat(w);
	find_call(w);
}

/* Run the work-items of work-group @group; the group has @items work-items.
   args[@n] is the program.  The arguments before it point to the pointers of
   the operands.  @arena is for the registers, @tiles for VM_TILES tiles. */
static void run_in(const void *const *args, int n, uint64_t items,
		   uint64_t group, unsigned char *arena, unsigned char *tiles)
{
	uint64_t first = group * items, last = first + items, units;
	struct vm_work w;

	w.code = args[n];
	prepare(&w, args, arena, tiles);
	last = last < w.cut.items ? last : w.cut.items;
	if (first >= last)
		return;
	units = (w.words.count + VM_UNIT - 1) / VM_UNIT * VM_UNIT;
	vm_tables_fill_scalars(w.code, w.slot,
			       (int)(units < w.cut.run ? units : w.cut.run));
	if (!w.code->strided)
		run_flat(&w, first, last);
	else if (w.cut.tile)
		run_tiles(&w, first, last);
	else if (w.cut.rows > 1 && takes_each_row(&w))
		run_each_row(&w, first, last);
	else if (w.cut.rows > 1)
		run_short_rows(&w, first, last);
	else
		run_rows(&w, first, last);
}

__attribute__((noinline)) static void run_much(const void *const *args, int n,
					       uint64_t items, uint64_t group)
{
	unsigned char arena[VM_ARENA] LINES;
	unsigned char tiles[VM_TILES * VM_TILE] LINES;

	run_in(args, n, items, group, arena, tiles);
}

/* A brief launch may run in a thread of the application, whose stack may be
   small.  So run_much() is called only if VM_LITTLE bytes are not enough. */
void vm_group(const void *const *args, int n, uint64_t items, uint64_t group)
{
	unsigned char arena[VM_LITTLE] LINES;

	if (vm_needs_little(args[n]))
		run_in(args, n, items, group, arena, NULL);
	else
		run_much(args, n, items, group);
}
