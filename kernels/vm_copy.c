/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_copy.c - runs programs that only copy (vm_copy.h).
 *
 * A work-item copies a box: a rectangle of elements along axes 0 and 1.
 */
#include "kernels/vm_copy.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/vm_tables.h"

#define SHORT_ROW 16 /* the length of a short row, in elements */

/* The state of a work-group that runs. */
struct vm_copy_work {
	const struct vm_code *code;
	struct vm_words words;
	struct vm_boxes boxes;
	int shift;
	unsigned char *result;
	const unsigned char *source;
	uint64_t box[2];         /* the number of this box along axes 0 and 1 */
	uint64_t index[VM_RANK]; /* the index along the other axes */
	/* the position of the first element with this index: at[0] in the
	   result, and at[1] in the source */
	int64_t at[2];
};

static int64_t stride(const struct vm_copy_work *w, int axis, int k)
{
	const int n = w->code->operands;

	return axis < w->code->rank && k < n ? w->words.stride[n * axis + k]
					     : 0;
}

/* Go to the box of work-item @item. */
static void go_to(struct vm_copy_work *w, uint64_t item)
{
	uint64_t rest = item;

	for (int d = 0; d < 2; d++) {
		w->box[d] = rest % w->boxes.count[d];
		rest /= w->boxes.count[d];
	}
	for (int k = 0; k < 2; k++)
		w->at[k] = k < w->code->operands ? w->words.offset[k] : 0;
	for (int d = 2; d < w->code->rank; d++) {
		w->index[d] = rest % w->words.extent[d];
		rest /= w->words.extent[d];
		for (int k = 0; k < 2; k++)
			w->at[k] += (int64_t)w->index[d] * stride(w, d, k);
	}
}

static void go_on(struct vm_copy_work *w)
{
	for (int d = 0; d < 2; d++) {
		if (++w->box[d] < w->boxes.count[d])
			return;
		w->box[d] = 0;
	}
	for (int d = 2; d < w->code->rank; d++) {
		const bool ends = ++w->index[d] == w->words.extent[d];
		const int64_t back = ends ? (int64_t)w->index[d] : 0;

		for (int k = 0; k < 2; k++)
			w->at[k] += (1 - back) * stride(w, d, k);
		if (!ends)
			return;
		w->index[d] = 0;
	}
}

static void swap(int64_t *pair)
{
	const int64_t first = pair[0];

	pair[0] = pair[1];
	pair[1] = first;
}

static void copy_box(const struct vm_copy_work *w)
{
	struct vm_move m = { .past_caches = w->code->stream,
			     .transposed = w->boxes.transposed };
	int64_t at[2] = { w->at[0], w->at[1] };

	for (int d = 0; d < 2; d++) {
		const uint64_t begin = w->box[d] * w->boxes.size[d];
		const uint64_t left = w->boxes.extent[d] - begin;

		m.n[d] = (int64_t)(left < w->boxes.size[d] ? left
							   : w->boxes.size[d]);
		m.to_step[d] = stride(w, d, 0);
		m.from_step[d] = stride(w, d, 1);
		at[0] += (int64_t)begin * m.to_step[d];
		at[1] += (int64_t)begin * m.from_step[d];
	}
	m.to = w->result + at[0] * ((int64_t)1 << w->shift);
	m.from = w->source + at[1] * ((int64_t)1 << w->shift);
	m.next = w->box[0] + 2 < w->boxes.count[0];
	if (m.transposed || m.past_caches) {
		vm_tables_move_lines(w->shift, &m);
		return;
	}
	/* Make the longer axis the inner loop: short loops are slow. */
	if (m.n[0] < SHORT_ROW && m.n[1] > m.n[0]) {
		swap(m.n);
		swap(m.to_step);
		swap(m.from_step);
	}
	vm_tables_move(w->shift, &m);
}

void vm_copy_group(const void *const *args, int n, uint64_t items,
		   uint64_t group)
{
	const struct vm_code *code = args[n];
	const struct vm_operand *kind = (const void *)(code + 1);
	struct vm_copy_work w = { .code = code,
				  .words = vm_words(code),
				  .shift = kind[0].shift };
	uint64_t item = group * items, last = item + items;
	/* a copy of the scalar, aligned for 16 bytes: the program's words are
	   aligned to 8 bytes only */
	_Alignas(16) unsigned char scalar[16];

	w.boxes = vm_boxes(code, &w.words);
	last = last < w.boxes.items ? last : w.boxes.items;
	if (item >= last)
		return;
	w.result = *(void *const *)args[0];
	if (n < 2)
		w.source = memcpy(scalar,
				  (const char *)code + code->words +
					  sizeof(uint64_t) *
						  vm_scalars(code)->word,
				  (size_t)1 << w.shift);
	else
		w.source = *(void *const *)args[1];
	for (go_to(&w, item); item < last; item++, go_on(&w))
		copy_box(&w);
}
