/* SPDX-License-Identifier: Apache-2.0 */
/* vm_put.c - stores the elements of a block at places that another array
   gives. */
#include "kernels/vm_put.h"

#include <string.h>

#include "kernels/vm_tables.h"

/* Store the @n elements @elements.  Element i becomes element i * step + at[i]
   of @memory, unless at[i] is negative.  Several work-groups may store to one
   place, so an element of up to 8 bytes is stored atomically. */
#define PUT_AS(name, T, STORE_ONE)                                         \
	static void name(void *memory, int64_t step, const void *elements, \
			 const int64_t *at, int64_t n)                     \
	{                                                                  \
		const T *from = elements;                                  \
		T *to = memory;                                            \
                                                                           \
		for (int64_t i = 0; i < n; i++)                            \
			if (at[i] >= 0)                                    \
				STORE_ONE(to + i * step + at[i], from[i]); \
	}
#define STORE(to, value) __atomic_store_n(to, value, __ATOMIC_RELAXED)
#define STORE_WIDE(to, value) (*(to) = (value))
/* An element of 16 bytes, aligned to 8 bytes. */
typedef unsigned char wide_bits
	__attribute__((vector_size(16), aligned(8), may_alias));

PUT_AS(put_1, uint8_t, STORE)
PUT_AS(put_2, uint16_t, STORE)
PUT_AS(put_4, uint32_t, STORE)
PUT_AS(put_8, uint64_t, STORE)
PUT_AS(put_16, wide_bits, STORE_WIDE)

static void put_span(int shift, void *to, int64_t step, const void *from,
		     const int64_t *at, int64_t n)
{
	static void (*const puts[])(
		void *to, int64_t step, const void *from, const int64_t *at,
		int64_t n) = { put_1, put_2, put_4, put_8, put_16 };

	puts[shift](to, step, from, at, n);
}

static int64_t stride(const struct vm_put *p, int axis)
{
	return p->words->stride[axis * p->code->operands + p->k];
}

/* Store a block whose elements are all equally far behind their places. */
static void put_single(const struct vm_put *p, int shift)
{
	if (p->at[0] >= 0)
		vm_tables_move(shift,
			       &(struct vm_move){
				       .to = p->first +
					     p->at[0] * ((int64_t)1 << shift),
				       .from = p->block,
				       .n = { p->n, 1 },
				       .to_step = { p->step, 0 },
				       .from_step = { 1, 0 } });
}

void vm_put(const struct vm_put *p)
{
	const int shift =
		((const struct vm_operand *)(p->code + 1))[p->k].shift;
	const unsigned char *block = p->block;
	const int64_t *at = p->at;
	uint64_t index[VM_RANK];
	int64_t row = p->row, extent;

	if (p->single) {
		put_single(p, shift);
		return;
	}
	if (p->rows == 1) {
		put_span(shift, p->first, p->step, block, at, p->n);
		return;
	}
	extent = (int64_t)p->words->extent[0];
	memcpy(index, p->index, sizeof(index));
	for (int64_t r = 0; r < p->rows; r++) {
		put_span(shift, p->base + row * ((int64_t)1 << shift), p->step,
			 block, at, extent);
		block += extent << shift;
		at += extent;
		for (int d = 1; d < p->code->rank; d++) {
			row += stride(p, d);
			if (++index[d] < p->words->extent[d])
				break;
			row -= (int64_t)index[d] * stride(p, d);
			index[d] = 0;
		}
	}
}
