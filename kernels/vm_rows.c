/* SPDX-License-Identifier: Apache-2.0 */
/* vm_rows.c - runs programs that compute rows (vm_rows.h). */
#include "kernels/vm_rows.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/vm_chain.h"
#include "kernels/vm_lanes.h"
#include "kernels/vm_tables.h"

#define ROWS_SLOTS 256
/* The most bytes of memory that a work-item uses. */
#define ROWS_MEMORY                                                    \
	(VM_ARENA + VM_ROWS_WHOLE + VM_ROWS_VALUE * VM_LONG +          \
	 VM_ROWS_MOST * VM_ROWS_VALUE * (3 * VM_ROWS_REDUCTIONS + 1) + \
	 ROWS_SLOTS * 2 * VM_LINE)

struct vm_rows_operand {
	/* the allocation; NULL if the operand has no memory */
	unsigned char *base;
	unsigned char *buffer; /* the register of the operand */
	int64_t place; /* the position of the first element of the first row */
	unsigned char *at; /* the address of the first row's first element */
	/* the steps to the next element and to the next row, in elements */
	int64_t step, row;
	/* set if the elements of all rows of the work-item follow each other in
	   memory, without gaps; never set for an operand without memory */
	bool is_next;
};

/* The state of a work-group that runs. */
struct vm_rows_work {
	const struct vm_code *code;
	const struct vm_operand *kind;
	const struct vm_reducing *reducing;
	const struct vm_step *end;
	struct vm_words words;
	struct vm_rows cut;
	uint64_t index[VM_RANK]; /* the index of the first row, by axis */
	int64_t rows;            /* the number of rows of this work-item */
	int64_t elements;        /* the number of elements in these rows */
	int64_t done;            /* the number of elements before this block */
	int n, units; /* the number of elements, and of units, in this block */
	bool in_one;  /* set if one block has all elements */
	/* sums: the reduced value of each row.  transposed: room for a
	   transposed block */
	unsigned char *sums, *transposed;
	struct vm_lanes lanes[VM_ROWS_REDUCTIONS];
	/* the end of this section, and the test of its last reduction */
	const struct vm_step *section_end;
	struct vm_lanes_test test;
	/* is_first: set if the section only computes the minimum of where(c, x,
	   number), where x are positions that increase.  decided: set if a
	   block has decided this minimum. */
	bool is_first, decided;
	unsigned char *slot[ROWS_SLOTS];
	/* for each register with room for whole rows: the address of its memory
	 */
	unsigned char *whole[ROWS_SLOTS];
	struct vm_rows_operand operand[VM_OPERANDS];
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static size_t size_of(unsigned dtype)
{
	return (size_t)1 << vm_shift_of(dtype);
}

static int units_of(int64_t n)
{
	return (int)((n + VM_UNIT - 1) / VM_UNIT);
}

static unsigned char *advance(unsigned char *at, int64_t n, int shift)
{
	return at + n * ((int64_t)1 << shift);
}

static void call(const struct vm_rows_work *w, const struct vm_step *step,
		 int units)
{
	unsigned char *const *slot = w->slot;

	(*vm_tables_functions[step->unit])(step->code, units, slot[step->out],
					   slot[step->x[0]], slot[step->x[1]],
					   slot[step->x[2]]);
}

/* --- One value for each row --------------------------------------------- */

/* Copy elements of operand @k as @m says.  @place is the position of the first
   element.  For an operand without memory (GRAPH_INDEX) nothing is copied.
   Instead the position of each element is written, as the element's value. */
static void move(const struct vm_rows_work *w, int k, int64_t place,
		 const struct vm_move *m)
{
	if (w->kind[k].is_index)
		vm_tables_count(m, place);
	else
		vm_tables_move(w->kind[k].shift, m);
}

/* Copy one value for each row between operand @k and @block. */
static void move_values(const struct vm_rows_work *w, int k,
			unsigned char *block, bool store)
{
	const struct vm_rows_operand *o = &w->operand[k];

	move(w, k, o->place,
	     &(struct vm_move){ .to = store ? o->at : block,
				.from = store ? block : o->at,
				.n = { w->rows, 1 },
				.to_step = { store ? o->row : 1, 0 },
				.from_step = { store ? 1 : o->row, 0 } });
}

/* Run a VM_SPREAD: repeat the value of each row for all elements of the row, or
   for the elements of a block if the row has several blocks.  Does nothing if
   the step has VM_ROWS_ONE and there is only one row.  The step's code is the
   binary logarithm of an element's size. */
static void spread(const struct vm_rows_work *w, const struct vm_step *step)
{
	const int64_t n = w->in_one ? w->cut.length : w->code->run;
	const int shift = step->code;
	unsigned char *to = w->slot[step->out];

	if (w->rows == 1 && step->unit == VM_ROWS_ONE)
		return;
	vm_tables_move(shift, &(struct vm_move){ .to = to,
						 .from = w->slot[step->x[0]],
						 .n = { n, w->rows },
						 .to_step = { 1, n },
						 .from_step = { 0, 1 } });
	vm_tables_fill_unit(to, (int)(n * w->rows), shift);
}

/* Run the steps of a section that computes one value for each row.  Returns the
   end of the section. */
static const struct vm_step *run_values(struct vm_rows_work *w,
					const struct vm_step *step)
{
	for (; step < w->end && step->kind != VM_NEXT; step++) {
		const int k = step->out;

		if (step->kind == VM_CALL) {
			call(w, step, units_of(w->rows));
		} else if (step->kind == VM_SPREAD) {
			spread(w, step);
		} else if (step->kind == VM_STORE) {
			move_values(w, k, w->slot[step->x[0]], true);
		} else {
			w->slot[w->code->registers + k] = w->operand[k].buffer;
			move_values(w, k, w->operand[k].buffer, false);
			vm_tables_fill_unit(w->operand[k].buffer, (int)w->rows,
					    w->kind[k].shift);
		}
	}
	return step;
}

/* --- Blocks of elements ------------------------------------------------- */

/* Copy the block's elements between operand @k and @block. */
static void move_block(const struct vm_rows_work *w, int k,
		       unsigned char *block, bool store)
{
	const struct vm_rows_operand *o = &w->operand[k];
	const int shift = w->kind[k].shift;
	const int64_t row = w->in_one ? w->cut.length : w->n;
	unsigned char *memory =
		o->base ? advance(o->at, w->done * o->step, shift) : NULL;
	struct vm_move m = { .to = store ? memory : block,
			     .from = store ? block : memory,
			     .n = { row, w->rows } };
	int64_t *outside = store ? m.to_step : m.from_step;
	int64_t *inside = store ? m.from_step : m.to_step;

	outside[0] = o->step;
	outside[1] = o->row;
	inside[0] = 1;
	inside[1] = row;
	move(w, k, o->place + w->done * o->step, &m);
}

static bool is_in_place(const struct vm_rows_work *w, int k)
{
	return w->operand[k].is_next && w->n % VM_UNIT == 0;
}

static void load(struct vm_rows_work *w, int k)
{
	if (is_in_place(w, k))
		return;
	move_block(w, k, w->operand[k].buffer, false);
	vm_tables_fill_unit(w->operand[k].buffer, w->n, w->kind[k].shift);
}

static void store(struct vm_rows_work *w, int k, unsigned char *block)
{
	const struct vm_rows_operand *o = &w->operand[k];
	const int shift = w->kind[k].shift;
	unsigned char *to = advance(o->at, w->done, shift);

	if (o->is_next && block == to)
		return;
	if (!w->code->stream || !o->is_next ||
	    !vm_tables_stream(to, block, (size_t)w->n << shift))
		move_block(w, k, block, true);
}

/* Let the slots of registers for whole rows point to the elements of this
   block.  The slot of an operand that moves along the row points to the
   operand's memory or, if this is not possible, to the operand's register. */
static void place_slots(struct vm_rows_work *w)
{
	unsigned char **slot = w->slot + w->code->registers;
	const struct vm_code *code = w->code;

	w->units = units_of(w->n);
	for (int i = code->registers - code->whole; i < code->registers; i++)
		w->slot[i] =
			advance(w->whole[i], w->done, vm_registers(code)[i]);
	for (int k = 0; k < code->operands; k++) {
		const struct vm_rows_operand *o = &w->operand[k];
		const bool streams = code->stream && k < code->results &&
				     !w->kind[k].streams;

		if (o->step)
			slot[k] = is_in_place(w, k) && !streams
					  ? advance(o->at, w->done,
						    w->kind[k].shift)
					  : o->buffer;
	}
}

/* --- Reductions --------------------------------------------------------- */

/* Returns the values y if @step adds up products x * y or squares of x - y, and
   NULL if @step adds up elements.  Also sets `with_stays` of @lanes. */
static const unsigned char *with(const struct vm_rows_work *w,
				 struct vm_lanes *lanes,
				 const struct vm_step *step)
{
	const bool one = step->code == VM_ROWS_ONE && w->rows == 1;

	lanes->reduce.with_stays = one;
	return lanes->how->of == VM_ELEMENTS ? NULL
					     : w->slot[step->x[one ? 2 : 1]];
}

/* Returns the elements that @step reduces, for all rows of the block.  Products
   and squares are computed first. */
static const unsigned char *reduced_elements(const struct vm_rows_work *w,
					     struct vm_lanes *lanes,
					     const struct vm_step *step)
{
	const unsigned char *from = w->slot[step->x[0]];
	unsigned char *to = advance(w->transposed, w->cut.room, lanes->shift);

	if (lanes->how->of == VM_ELEMENTS)
		return from;
	vm_lanes_elements(lanes, from, with(w, lanes, step), w->n, to);
	return to;
}

static void reduce_columns(struct vm_rows_work *w, struct vm_lanes *lanes,
			   const struct vm_step *step)
{
	const int64_t rows = w->rows, length = w->cut.length;
	const unsigned char *from = reduced_elements(w, lanes, step);

	vm_tables_move(lanes->shift,
		       &(struct vm_move){ .to = w->transposed,
					  .from = from,
					  .n = { length, rows },
					  .to_step = { rows, 1 },
					  .from_step = { 1, length } });
	vm_lanes_begin(lanes, rows);
	vm_lanes_add(lanes, w->transposed, rows, length, rows);
	vm_lanes_end(lanes, w->sums, rows);
}

/* Write the reduced value of each row to @to, divided and cast as @how says. */
static void end_values(const struct vm_rows_work *w,
		       const struct vm_reducing *how, unsigned char *to)
{
	const int shift = vm_shift_of(how->result);
	const int64_t divisor = w->cut.step[w->code->operands + 2];
	const float single = (float)divisor;
	const double wide = (double)divisor;
	const size_t size = size_of(how->sum) / how->parts;

	if (how->divides)
		vm_lanes_divide(w->sums, w->rows * how->parts, size,
				size == sizeof(single) ? (const void *)&single
						       : &wide);
	if (how->result != how->sum)
		/* The result is a 16-bit float. */
		(*vm_tables_functions[VM_CAST + how->sum])(
			how->result, units_of(w->rows), to, w->sums, NULL,
			NULL);
	else
		memcpy(to, w->sums, (size_t)w->rows << shift);
	vm_tables_fill_unit(to, (int)w->rows, shift);
}

/* Reduce all rows of the work-item, which are in one block. */
static void reduce_all(struct vm_rows_work *w, const struct vm_step *step)
{
	struct vm_lanes *lanes = &w->lanes[step->unit];
	const struct vm_reducing *how = lanes->how;
	const unsigned char *from = w->slot[step->x[0]];
	const int64_t length = w->cut.length;
	const int64_t sum = (int64_t)size_of(how->sum);

	if (w->cut.columns)
		reduce_columns(w, lanes, step);
	else if (how->parts == 1)
		vm_lanes_short(lanes, from, with(w, lanes, step), length,
			       w->rows, length, w->sums);
	else
		for (int64_t i = 0; i < w->rows; i++) {
			vm_lanes_begin(lanes, vm_lanes_width(how));
			vm_lanes_take(lanes, from, NULL, length);
			vm_lanes_end(lanes, w->sums + i * sum, 1);
			from += length << lanes->shift;
		}
	end_values(w, how, w->slot[step->out]);
}

/* Combine the elements of this block, which is a part of a row, with the lanes.
 */
static void take(struct vm_rows_work *w, const struct vm_step *step)
{
	struct vm_lanes *lanes = &w->lanes[step->unit];

	vm_lanes_take(lanes, w->slot[step->x[0]], with(w, lanes, step), w->n);
}

/* Begin the reductions of the section that begins with @step, for rows of
   several blocks.  Pass @ends = true to end the reductions instead. */
static void around(struct vm_rows_work *w, const struct vm_step *step,
		   bool ends)
{
	for (; step < w->end && step->kind != VM_NEXT; step++) {
		struct vm_lanes *lanes;

		if (step->kind != VM_REDUCE)
			continue;
		lanes = &w->lanes[step->unit];
		if (!ends) {
			vm_lanes_begin(lanes, vm_lanes_width(lanes->how));
			continue;
		}
		vm_lanes_end(lanes, w->sums, 1);
		end_values(w, lanes->how, w->slot[step->out]);
	}
}

/* --- Sections ----------------------------------------------------------- */

/* Run the chain that begins with @step.  Returns the last link of the chain. */
static const struct vm_step *run_chain(const struct vm_rows_work *w,
				       const struct vm_step *step)
{
	const int operand = step[step->code].out - w->code->registers;
	unsigned how = w->rows == 1 ? VM_CHAIN_ONE_ROW : 0;

	if (operand < 0 || !is_in_place(w, operand))
		how |= VM_CHAIN_CACHED;
	return vm_chain_run(step, w->units, w->slot, how);
}

/* Whether the section that begins with @step only computes the minimum of
   where(c, x, number) (struct vm_lanes_test).  The elements of x must be
   positions that increase. */
static bool is_first(const struct vm_rows_work *w, const struct vm_step *step)
{
	const struct vm_step *last = w->section_end - 1;
	const int k = w->test.x - w->code->registers;

	for (; step < last; step++)
		if (vm_lanes_keeps(w->code, step))
			return false;
	return w->reducing[last->unit].what == VM_MIN && k >= 0 &&
	       w->kind[k].is_index && w->operand[k].step > 0;
}

/* Find the end and the test of the section that begins with @first.  If one
   block has all rows of the work-item, there is no test, because reduce_all()
   has to write the result of each row. */
static void find_test(struct vm_rows_work *w, const struct vm_step *first)
{
	const struct vm_step *end = first;

	while (end < w->end && end->kind != VM_NEXT)
		end++;
	w->section_end = end;
	w->test.at = NULL;
	w->decided = false;
	if (w->in_one || end == first || end[-1].kind != VM_REDUCE)
		return;
	w->test = vm_lanes_test(w->code, first, end - 1);
	w->is_first = w->test.at && is_first(w, first);
}

/* Find out whether the last reduction of the section needs this block
   (vm_lanes_look()). */
static enum vm_look look(const struct vm_rows_work *w)
{
	return vm_lanes_look(&w->lanes[w->section_end[-1].unit], &w->test,
			     w->slot, w->n);
}

/* Run the steps of a section for this block.  Returns the end of the
   section. */
static const struct vm_step *run_block(struct vm_rows_work *w,
				       const struct vm_step *step)
{
	place_slots(w);
	for (; step < w->end && step->kind != VM_NEXT; step++) {
		if (step == w->test.at) {
			const enum vm_look seen = look(w);

			if (seen == VM_MISSED)
				return w->section_end;
			w->decided = w->is_first && seen == VM_FOUND;
		}
		if (step->kind == VM_CALL)
			call(w, step, w->units);
		else if (step->kind == VM_LOAD)
			load(w, step->out);
		else if (step->kind == VM_STORE)
			store(w, step->out, w->slot[step->x[0]]);
		else if (step->kind == VM_CHAIN)
			step = run_chain(w, step);
		else if (w->in_one)
			reduce_all(w, step);
		else
			take(w, step);
	}
	return step;
}

static const struct vm_step *run_section(struct vm_rows_work *w,
					 const struct vm_step *first)
{
	const struct vm_step *end = first;

	find_test(w, first);
	if (!w->in_one)
		around(w, first, false);
	for (w->done = 0; w->done < w->elements && !w->decided;
	     w->done += w->n) {
		w->n = (int)least(w->code->run, w->elements - w->done);
		end = run_block(w, first);
	}
	if (!w->in_one)
		around(w, first, true);
	return end;
}

static void run_item(struct vm_rows_work *w)
{
	const struct vm_step *step =
		(const struct vm_step *)((const char *)w->code +
					 vm_head(w->code));

	for (;;) {
		step = run_values(w, step);
		if (step == w->end)
			return;
		step = run_section(w, step + 1);
		if (step == w->end)
			return;
		step++;
	}
}

/* Go to the rows of work-item @item. */
static void go_to(struct vm_rows_work *w, int64_t item)
{
	const struct vm_code *code = w->code;
	/* a single axis needs no slow divisions */
	const bool one_axis = code->rank == 1;
	const int64_t row =
		(one_axis ? item : item % w->cut.across) * w->cut.rows;
	int64_t rest = one_axis ? 0 : item / w->cut.across;

	w->rows = least(w->cut.rows, (int64_t)w->words.extent[0] - row);
	w->elements = w->rows * w->cut.length;
	w->in_one = w->elements <= code->run;
	for (int k = 0; k < code->operands; k++)
		w->operand[k].place =
			w->words.offset[k] + row * w->words.stride[k];
	for (int d = 1; d < code->rank; d++) {
		const int64_t extent = (int64_t)w->words.extent[d];
		const int64_t *stride = w->words.stride + d * code->operands;

		for (int k = 0; k < code->operands; k++)
			w->operand[k].place += rest % extent * stride[k];
		rest /= extent;
	}
	for (int k = 0; k < code->operands; k++) {
		struct vm_rows_operand *o = &w->operand[k];

		if (o->base)
			o->at = advance(o->base, o->place, w->kind[k].shift);
	}
}

/* --- Work-groups -------------------------------------------------------- */

static void prepare_operand(struct vm_rows_work *w, int k, void *base)
{
	struct vm_rows_operand *o = &w->operand[k];

	o->base = o->at = base;
	o->buffer =
		w->kind[k].slot == VM_NONE ? NULL : w->slot[w->kind[k].slot];
	o->step = w->cut.step[k];
	o->row = w->words.stride[k];
	o->is_next = base && o->step == 1 &&
		     (w->cut.rows == 1 || o->row == w->cut.length);
	w->slot[w->code->registers + k] = o->buffer;
}

/* Divide @memory into registers, lanes and buffers. */
static void prepare_memory(struct vm_rows_work *w, unsigned char *memory)
{
	const struct vm_code *code = w->code;
	const uint16_t *at = vm_registers(code);
	const int registers = code->registers - code->whole;

	for (int i = 0; i < registers; i++)
		w->slot[i] = memory + (size_t)at[i] * VM_LINE;
	memory += (size_t)code->arena * VM_LINE;
	for (int i = 0; i < code->reductions; i++) {
		w->lanes[i].how = &w->reducing[i];
		w->lanes[i].shift = w->reducing[i].shift;
		w->lanes[i].reduce.with_stays = 0;
		w->lanes[i].reduce.lane = memory;
		w->lanes[i].reduce.total = memory + w->cut.lanes;
		w->lanes[i].reduce.lost = memory + 2 * w->cut.lanes;
		memory += 3 * w->cut.lanes;
	}
	w->sums = memory;
	memory += VM_ROWS_MOST * VM_ROWS_VALUE;
	w->transposed = memory;
	if (w->cut.columns)
		memory += w->cut.room * VM_ROWS_VALUE;
	for (int i = registers; i < code->registers; i++) {
		w->whole[i] = memory;
		memory += vm_rows_register(code, i, w->cut.room);
	}
}

static void run_in(const void *const *args, int n, int64_t items,
		   uint64_t group, unsigned char *memory)
{
	const struct vm_code *code = args[n];
	int64_t first = (int64_t)group * items, last;
	struct vm_rows_work w;

	w.code = code;
	w.kind = (const struct vm_operand *)(code + 1);
	w.reducing = vm_reductions(code);
	w.end = (const struct vm_step *)((const char *)code + vm_head(code)) +
		code->steps;
	w.words = vm_words(code);
	w.cut = vm_rows(code);
	last = least(first + items, w.cut.items);
	if (first >= last)
		return;
	prepare_memory(&w, memory);
	for (int k = 0; k < code->operands; k++)
		prepare_operand(&w, k,
				w.kind[k].is_index ? NULL
						   : *(void *const *)*args++);
	vm_tables_fill_scalars(code, w.slot, code->run);
	for (; first < last; first++) {
		go_to(&w, first);
		run_item(&w);
	}
}

__attribute__((noinline)) static void run_much(const void *const *args, int n,
					       int64_t items, uint64_t group)
{
	unsigned char memory[ROWS_MEMORY] __attribute__((aligned(VM_LINE)));

	run_in(args, n, items, group, memory);
}

__attribute__((noinline)) static void run_little(const void *const *args, int n,
						 int64_t items, uint64_t group)
{
	unsigned char memory[VM_LITTLE] __attribute__((aligned(VM_LINE)));

	run_in(args, n, items, group, memory);
}

/* A brief launch may run in a thread of the application, whose stack may be
   small.  So run_much() is called only if the memory of run_little() is not
   enough. */
void vm_rows_group(const void *const *args, int n, uint64_t items,
		   uint64_t group)
{
	const struct vm_rows rows = vm_rows(args[n]);

	if (vm_rows_needs_little(args[n], &rows))
		run_little(args, n, (int64_t)items, group);
	else
		run_much(args, n, (int64_t)items, group);
}
