/* SPDX-License-Identifier: Apache-2.0 */
/* reductions.c - the table of reductions. */
#include "core/array/engine/reductions.h"

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"

const struct reductions_entry reductions_table[REDUCTION_COUNT] = {
#define REDUCTION(name, combine, sum, first, finish)                         \
	{ #name, OPERATION__##combine, REDUCTIONS_##sum, REDUCTIONS_##first, \
	  REDUCTIONS_##finish },
#include "kernels/reductions.def"
#undef REDUCTION
};

unsigned reductions_sum(enum reduction reduction, unsigned dtype)
{
	const enum reductions_sum sum = reductions_table[reduction].sum;

	if (sum == REDUCTIONS_BOOL)
		return DPR_BOOL;
	if (dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16)
		return DPR_FLOAT32;
	switch (sum == REDUCTIONS_WIDE ? dpr_dtype_kind((dpr_dtype)dtype) : 0) {
	case 'b':
	case 'i': return DPR_INT64;
	case 'u': return DPR_UINT64;
	}
	return dtype;
}

/* The largest value of an integer dtype or bool. */
static uint64_t largest(unsigned sum)
{
	const unsigned bits = 8 * (unsigned)dpr_dtype_size((dpr_dtype)sum);

	switch (dpr_dtype_kind((dpr_dtype)sum)) {
	case 'b': return 1;
	case 'i': return (UINT64_C(1) << (bits - 1)) - 1;
	}
	return ~UINT64_C(0) >> (64 - bits);
}

uint64_t reductions_first(enum reduction reduction, unsigned sum)
{
	const enum reductions_first first = reductions_table[reduction].first;
	const char kind = dpr_dtype_kind((dpr_dtype)sum);
	const bool single = dtype_part((dpr_dtype)sum) == DPR_FLOAT32;
	const uint64_t infinity =
		single ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);

	switch (first) {
	case REDUCTIONS_ZERO: break;
	case REDUCTIONS_ONE:
		if (kind != 'f' && kind != 'c')
			return 1;
		return single ? UINT64_C(0x3f800000)
			      : UINT64_C(0x3ff0000000000000);
	case REDUCTIONS_HIGHEST: return kind == 'f' ? infinity : largest(sum);
	case REDUCTIONS_LOWEST:
		if (kind == 'f')
			return infinity | UINT64_C(1) << (single ? 31 : 63);
		return kind == 'i' ? largest(sum) + 1 : 0;
	}
	return 0;
}

bool reductions_is_exact(enum reduction reduction, unsigned sum)
{
	const char kind = dpr_dtype_kind((dpr_dtype)sum);

	return reductions_table[reduction].sum == REDUCTIONS_BOOL ||
	       (kind != 'f' && kind != 'c');
}
