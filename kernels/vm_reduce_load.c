/* SPDX-License-Identifier: Apache-2.0 */
/* vm_reduce_load.c - loads the operands of programs that end in a reduction. */
#include "kernels/vm_reduce_load.h"

#include <string.h>

#include "kernels/vm_tables.h"
#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"
#include "kernels/vm_fetch.h"

/* move() swaps its two loops if the outer loop would read at least this number
   of contiguous elements.  It also swaps them if the inner loop is shorter than
   this number and shorter than the outer loop. */
#define LEAST_TRANSPOSED 8

int64_t vm_reduce_load_place(const struct vm_reduce_work *w, int k,
			     int64_t number, int64_t *index)
{
	const struct vm_reduce_operand *o = &w->operand[k];
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

/* Copy elements of operand @k as @m says.  @at is the position of the first
   element.  The two loops are swapped if this makes the inner loop longer, or
   lets it read memory in order. */
static void move(const struct vm_reduce_work *w, int k, int64_t at,
		 struct vm_move *m)
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
static void carry(const struct vm_reduce_operand *o, int i, int64_t *index)
{
	for (; i + 1 < o->axes && index[i] == o->extent[i]; i++) {
		index[i] = 0;
		index[i + 1]++;
	}
}

static int64_t offset_of(const struct vm_reduce_operand *o,
			 const int64_t *index)
{
	int64_t at = o->at;

	for (int i = 0; i < o->axes; i++)
		at += index[i] * o->step[i];
	return at;
}

/* For VM_REDUCE_LINES: copy the next @n elements of operand @k to @to. */
static void gather(const struct vm_reduce_work *w, int k, int64_t n,
		   unsigned char *to)
{
	const struct vm_reduce_operand *o = &w->operand[k];
	const int64_t extent = o->extent[0];
	const int shift = w->kind[k].shift;
	const bool deep = o->axes > 1;
	int64_t index[VM_REDUCE_RANK + 1], rows, across;

	vm_reduce_load_place(w, k, w->number, index);
	for (; n; n -= across * rows) {
		const int64_t at = offset_of(o, index);
		struct vm_move m = { .to = to,
				     .from = vm_reduce_load_address(w, k, at),
				     .from_step = { o->step[0],
						    deep ? o->step[1] : 0 } };

		across = vm_reduce_load_least(n, extent - index[0]);
		rows = 1;
		if (deep && across == extent)
			rows = vm_reduce_load_least(n / extent,
						    o->extent[1] - index[1]);
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
static void gather_rows(const struct vm_reduce_work *w, int k, int64_t rows,
			int64_t at, unsigned char *to)
{
	const int64_t extent = (int64_t)w->words.extent[0];
	const int shift = w->kind[k].shift;
	uint64_t column[VM_REDUCE_RANK];
	int64_t n;

	memcpy(column, w->column, sizeof(column));
	for (int64_t done = 0; done < w->lanes.width; done += n) {
		struct vm_move m = { .to = to + (done << shift),
				     .from = vm_reduce_load_address(w, k, at),
				     .to_step = { 1, w->lanes.width },
				     .from_step = {
					     vm_reduce_load_stride(w, 0, k),
					     w->operand[k].step[0] } };

		n = vm_reduce_load_least(w->lanes.width - done,
					 extent - (int64_t)column[0]);
		m.n[0] = n;
		m.n[1] = rows;
		move(w, k, at, &m);
		at += n * vm_reduce_load_stride(w, 0, k);
		column[0] += (uint64_t)n;
		for (int d = 0;
		     d + 1 < w->kept && column[d] == w->words.extent[d]; d++) {
			at += vm_reduce_load_stride(w, d + 1, k) -
			      (int64_t)column[d] *
				      vm_reduce_load_stride(w, d, k);
			column[d] = 0;
			column[d + 1]++;
		}
	}
}

static void gather_columns(const struct vm_reduce_work *w, int k, int64_t rows,
			   unsigned char *to)
{
	const struct vm_reduce_operand *o = &w->operand[k];
	int64_t index[VM_REDUCE_RANK + 1], n;

	vm_reduce_load_place(w, k, w->number, index);
	for (; rows; rows -= n) {
		n = vm_reduce_load_least(rows, o->extent[0] - index[0]);
		gather_rows(w, k, n, offset_of(o, index), to);
		to += (n * w->lanes.width) << w->kind[k].shift;
		index[0] += n;
		carry(o, 0, index);
	}
}

int64_t vm_reduce_load_follow(const struct vm_reduce_work *w, int k, int64_t n,
			      int64_t step)
{
	const struct vm_reduce_operand *o = &w->operand[k];
	const int64_t at = o->axes == 1 ? w->number
					: (int64_t)((uint64_t)w->number %
						    (uint64_t)o->extent[0]);

	return o->step[0] == step ? vm_reduce_load_least(n, o->extent[0] - at)
				  : 1;
}

/* Whether the next @n elements of operand @k lie in memory without gaps, in the
   order of a block. */
static bool is_in_place(const struct vm_reduce_work *w, int k, int64_t n)
{
	if (w->kind[k].is_index)
		return false;
	if (w->code->reduce.kind == VM_REDUCE_LINES)
		return vm_reduce_load_follow(w, k, n, 1) >= n;
	return vm_reduce_load_stride(w, 0, k) == 1 &&
	       (int64_t)w->column[0] + w->lanes.width <=
		       (int64_t)w->words.extent[0] &&
	       vm_reduce_load_follow(w, k, n / w->lanes.width,
				     w->lanes.width) >= n / w->lanes.width;
}

void vm_reduce_load(struct vm_reduce_work *w, int k, int64_t n)
{
	const bool kept = w->kind[k].kept;
	unsigned char **slot = &w->slot[w->code->registers + k];
	struct vm_reduce_operand *o = &w->operand[k];

	*slot = o->buffer;
	if (kept) {
		const unsigned char *value =
			vm_reduce_load_address(w, k, o->at);

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

		*slot = vm_reduce_load_address(
			w, k, vm_reduce_load_place(w, k, w->number, index));
		if (w->fetches)
			vm_fetch(*slot + (n << w->kind[k].shift),
				 n << w->kind[k].shift);
		return;
	}
	if (w->code->reduce.kind == VM_REDUCE_COLUMNS)
		gather_columns(w, k, n / w->lanes.width, o->buffer);
	else
		gather(w, k, n, o->buffer);
	if (!w->is_plain)
		vm_tables_fill_unit(o->buffer, (int)n, w->kind[k].shift);
}
