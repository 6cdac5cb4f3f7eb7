/* SPDX-License-Identifier: Apache-2.0 */
/* vm_fetch.h - prefetching what a program will read soon.  Include
   kernels/types.cl before. */
#ifndef KERNELS_VM_FETCH_H
#define KERNELS_VM_FETCH_H

#include "kernels/vm_program.h"

/* Prefetch @bytes bytes at @at.  The function must be inlined: gcc drops calls
   of a function that only prefetches. */
__attribute__((always_inline)) static inline void vm_fetch(
	const unsigned char *at, int64_t bytes)
{
	for (int64_t i = 0; i < bytes; i += VM_LINE)
		PREFETCH(at + i);
}

/* Whether an operand of a strided program has more than VM_NEAR_BYTES bytes: it
   is then far away, behind the cache of a core. */
#define VM_NEAR_BYTES ((int64_t)2 << 20)
static inline bool vm_is_far(const struct vm_code *code,
			     const struct vm_words *words)
{
	const struct vm_operand *operand = (const void *)(code + 1);

	for (int k = code->results; k < code->operands; k++) {
		int64_t bytes = (int64_t)1 << operand[k].shift;

		if (operand[k].is_index)
			continue;
		for (int d = 0; d < code->rank; d++)
			if (words->stride[d * code->operands + k])
				bytes *= (int64_t)words->extent[d];
		if (bytes > VM_NEAR_BYTES)
			return true;
	}
	return false;
}

#endif
