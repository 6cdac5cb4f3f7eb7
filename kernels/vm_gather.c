/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_gather.c - runs programs that only read elements at places (vm_gather.h).
 *
 * A work-item fills a box of the result: a rectangle of elements along axes 0
 * and 1.  The place of an element is an int64_t of an array, plus the position
 * of an operand without memory, if there is one.
 */
#include "kernels/vm_gather.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/vm_tables.h"
#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"
#include "kernels/vm_fetch.h"

#define ROWS_AHEAD 8 /* the number of rows to prefetch ahead */
#define FETCHED 512  /* the most bytes of a row that are prefetched */

/* The operands. */
enum role { RESULT, PLACES, POSITION, ROLES };

/* The state of a work-group that runs. */
struct vm_gather_work {
	const struct vm_code *code;
	struct vm_words words;
	struct vm_boxes boxes;
	int shift;
	int operand[ROLES]; /* the number of each operand; -1: there is none */
	unsigned char *result;
	const int64_t *places;
	const unsigned char *source; /* the source's first element */
	/* the strides along axes 0 and 1 */
	int64_t step[2][ROLES];
};

static int64_t stride(const struct vm_gather_work *w, int axis, enum role role)
{
	const int n = w->code->operands, k = w->operand[role];

	return axis < w->code->rank && k >= 0 ? w->words.stride[n * axis + k]
					      : 0;
}

/* Move @at by @i elements along axis @axis. */
static void move(const struct vm_gather_work *w, int axis, uint64_t i,
		 int64_t *at)
{
	for (int r = 0; r < ROLES; r++)
		at[r] += (int64_t)i * stride(w, axis, (enum role)r);
}

/* Find the operands, and the pointers among the arguments. */
static void take_operands(struct vm_gather_work *w, const void *const *args)
{
	const struct vm_operand *kind = (const void *)(w->code + 1);

	w->operand[POSITION] = -1;
	for (int k = 0; k < w->code->operands; k++) {
		const bool is_source = k && kind[k].slot == VM_NONE;

		if (kind[k].is_index) {
			w->operand[POSITION] = k;
			continue;
		}
		if (k == 0)
			w->result = *(void *const *)args[0];
		else if (is_source)
			w->source =
				(const unsigned char *)*(void *const *)*args +
				w->words.offset[k] * ((int64_t)1 << w->shift);
		else
			w->places = *(void *const *)*args;
		if (!is_source)
			w->operand[k ? PLACES : RESULT] = k;
		args++;
	}
	for (int d = 0; d < 2; d++)
		for (int r = 0; r < ROLES; r++)
			w->step[d][r] = stride(w, d, (enum role)r);
}

/* Copy @n elements one by one.  @at has the position of the first element, and
   w->step[0] the distance between elements, for each role. */
static void read_each(const struct vm_gather_work *w, const int64_t *at,
		      int64_t n)
{
	const size_t size = (size_t)1 << w->shift;
	const int64_t *step = w->step[0];

	for (int64_t i = 0; i < n; i++) {
		const int64_t place = w->places[at[PLACES] + i * step[PLACES]] +
				      at[POSITION] + i * step[POSITION];
		unsigned char *to =
			w->result +
			(at[RESULT] + i * step[RESULT]) * (int64_t)size;
		const unsigned char *from = w->source + place * (int64_t)size;

		switch (w->shift) {
		case 0: *to = *from; break;
		case 1: memcpy(to, from, 2); break;
		case 2: memcpy(to, from, 4); break;
		case 3: memcpy(to, from, 8); break;
		case 4: memcpy(to, from, 16); break;
		}
	}
}

/* Whether elements that are neighbours along axis 0 of the result are also
   neighbours in the source. */
static bool reads_rows(const struct vm_gather_work *w)
{
	return w->step[0][RESULT] == 1 && w->step[0][PLACES] == 0 &&
	       w->step[0][POSITION] == 1;
}

/* Prefetch the beginning of the row of @n elements that comes ROWS_AHEAD rows
   after @at.  Processors cannot prefetch the row themselves, because its place
   is read from memory.  The function must be inlined, as vm_fetch(). */
__attribute__((always_inline)) static inline void fetch_row(
	const struct vm_gather_work *w, const int64_t *at, int64_t n)
{
	const int64_t place =
		w->places[at[PLACES] + ROWS_AHEAD * w->step[1][PLACES]] +
		at[POSITION] + ROWS_AHEAD * w->step[1][POSITION];
	const unsigned char *row = w->source + place * ((int64_t)1 << w->shift);
	const int64_t bytes = n << w->shift;

	vm_fetch(row, bytes < FETCHED ? bytes : FETCHED);
}

/* Read @n elements along axis 0.  If only the position moves, the elements are
   neighbours.  If only the places move, the block function reads whole
   units. */
static void read_row(const struct vm_gather_work *w, const int64_t *at,
		     int64_t n)
{
	const int64_t size = (int64_t)1 << w->shift, *step = w->step[0];
	const int64_t whole = n / VM_UNIT * VM_UNIT;
	unsigned char *to = w->result + at[RESULT] * size;
	const int64_t rest[ROLES] = { at[RESULT] + whole, at[PLACES] + whole,
				      at[POSITION] };

	if (reads_rows(w)) {
		memcpy(to,
		       w->source +
			       (w->places[at[PLACES]] + at[POSITION]) * size,
		       (size_t)(n * size));
		return;
	}
	if (step[RESULT] != 1 || step[PLACES] != 1 || step[POSITION] != 0) {
		read_each(w, at, n);
		return;
	}
	if (whole)
		(*vm_tables_functions[VM_MOVE + w->shift])(
			VM_GATHER, (int)(whole / VM_UNIT), to,
			w->places + at[PLACES], w->source + at[POSITION] * size,
			NULL);
	read_each(w, rest, n - whole);
}

static void read_box(const struct vm_gather_work *w, uint64_t item)
{
	int64_t at[ROLES] = { w->words.offset[0] }, n[2];
	uint64_t rest = item;

	at[PLACES] = w->words.offset[w->operand[PLACES]];
	if (w->operand[POSITION] >= 0)
		at[POSITION] = w->words.offset[w->operand[POSITION]];
	for (int d = 0; d < 2; d++) {
		const uint64_t begin =
			rest % w->boxes.count[d] * w->boxes.size[d];
		const uint64_t left = w->boxes.extent[d] - begin;

		n[d] = (int64_t)(left < w->boxes.size[d] ? left
							 : w->boxes.size[d]);
		move(w, d, begin, at);
		rest /= w->boxes.count[d];
	}
	for (int d = 2; d < w->code->rank; d++) {
		move(w, d, rest % w->words.extent[d], at);
		rest /= w->words.extent[d];
	}
	for (int64_t j = 0; j < n[1]; j++) {
		if (reads_rows(w) && j + ROWS_AHEAD < n[1])
			fetch_row(w, at, n[0]);
		read_row(w, at, n[0]);
		move(w, 1, 1, at);
	}
}

void vm_gather_group(const void *const *args, int n, uint64_t items,
		     uint64_t group)
{
	const struct vm_code *code = args[n];
	struct vm_gather_work w = {
		.code = code,
		.words = vm_words(code),
		.shift = ((const struct vm_operand *)(code + 1))->shift
	};
	uint64_t item = group * items, last = item + items;

	w.boxes = vm_boxes(code, &w.words);
	take_operands(&w, args);
	last = last < w.boxes.items ? last : w.boxes.items;
	for (; item < last; item++)
		read_box(&w, item);
}
