/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_table.c - the table of reductions. */
#include "core/array/engine/reduce_table.h"

#include <string.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"

const struct reduce_table_entry reduce_table[REDUCTION_COUNT] = {
#define REDUCTION(name, combine, sum, first, finish, text) \
	{ #name, OPERATION__##combine, REDUCE_TABLE_##sum, \
	  REDUCE_TABLE_##first, REDUCE_TABLE_##finish },
#include "kernels/reductions.def"
#undef REDUCTION
};

static unsigned wide(unsigned dtype)
{
	switch (dpr_dtype_kind((dpr_dtype)dtype)) {
	case 'b':
	case 'i': return DPR_INT64;
	case 'u': return DPR_UINT64;
	}
	return dtype;
}

bool reduce_table_takes(enum reduction reduction, unsigned dtype)
{
	const struct reduce_table_entry *entry = &reduce_table[reduction];
	const char kind =
		dpr_dtype_kind((dpr_dtype)reduce_table_sum(reduction, dtype));

	if (entry->sum == REDUCE_TABLE_FLOAT && kind != 'f' && kind != 'c')
		return false;
	return strchr(operations_table[entry->combine].classes, kind) != NULL;
}

unsigned reduce_table_dtype(enum reduction reduction, unsigned dtype)
{
	switch (reduce_table[reduction].sum) {
	case REDUCE_TABLE_BOOL: return DPR_BOOL;
	case REDUCE_TABLE_WIDE: return wide(dtype);
	case REDUCE_TABLE_SAME:
	case REDUCE_TABLE_FLOAT: break;
	}
	return dtype;
}

unsigned reduce_table_sum(enum reduction reduction, unsigned dtype)
{
	const unsigned result = reduce_table_dtype(reduction, dtype);

	return result == DPR_FLOAT16 || result == DPR_BFLOAT16
		       ? (unsigned)DPR_FLOAT32
		       : result;
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

uint64_t reduce_table_first(enum reduction reduction, unsigned sum)
{
	const enum reduce_table_first first = reduce_table[reduction].first;
	const char kind = dpr_dtype_kind((dpr_dtype)sum);
	const bool single = dtype_part((dpr_dtype)sum) == DPR_FLOAT32;
	const uint64_t infinity =
		single ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);

	switch (first) {
	case REDUCE_TABLE_ZERO: break;
	case REDUCE_TABLE_ONE:
		if (kind != 'f' && kind != 'c')
			return 1;
		return single ? UINT64_C(0x3f800000)
			      : UINT64_C(0x3ff0000000000000);
	case REDUCE_TABLE_HIGHEST: return kind == 'f' ? infinity : largest(sum);
	case REDUCE_TABLE_LOWEST:
		if (kind == 'f')
			return infinity | UINT64_C(1) << (single ? 31 : 63);
		return kind == 'i' ? largest(sum) + 1 : 0;
	}
	return 0;
}

enum reduction reduce_table_twin(enum reduction reduction,
				 enum reduce_table_finish finish)
{
	const struct reduce_table_entry *one = &reduce_table[reduction];

	for (int r = 0; r < REDUCTION_COUNT && one->finish != finish; r++) {
		const struct reduce_table_entry *other = &reduce_table[r];

		if (other->combine == one->combine &&
		    other->first == one->first && other->finish == finish)
			return (enum reduction)r;
	}
	return reduction;
}

bool reduce_table_is_exact(enum reduction reduction, unsigned sum)
{
	const char kind = dpr_dtype_kind((dpr_dtype)sum);

	return reduce_table[reduction].sum == REDUCE_TABLE_BOOL ||
	       (kind != 'f' && kind != 'c');
}
