/* SPDX-License-Identifier: Apache-2.0 */
/* library_gemm.c - the values of gemm: what is valid, and where the matrices of
   a batch are. */
#include "backends/library/library_values.h"

bool library_gemm_is_valid(const dprp_gemm *v)
{
	const int64_t flags = DPRP_GEMM_A_TRANSPOSED | DPRP_GEMM_B_TRANSPOSED;
	int64_t count = 1;

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		if (v->batch[d] < 1 ||
		    __builtin_mul_overflow(count, v->batch[d], &count))
			return false;
	return v->m > 0 && v->n > 0 && v->k > 0 && !(v->flags & ~flags) &&
	       v->lda >= (v->flags & DPRP_GEMM_A_TRANSPOSED ? v->m : v->k) &&
	       v->ldb >= (v->flags & DPRP_GEMM_B_TRANSPOSED ? v->k : v->n) &&
	       v->ldc >= v->n;
}

int64_t library_gemm_count(const dprp_gemm *v)
{
	int64_t count = 1;

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		count *= v->batch[d];
	return count;
}

int64_t library_gemm_place(const dprp_gemm *v, const int64_t *stride,
			   int64_t offset, int64_t i)
{
	for (int d = DPRP_GEMM_BATCHES - 1; d >= 0; d--) {
		offset += i % v->batch[d] * stride[d];
		i /= v->batch[d];
	}
	return offset;
}
