/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_table.h - the table of reductions, from kernels/reductions.def. */
#ifndef ARRAY_REDUCE_TABLE_H
#define ARRAY_REDUCE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum reduction {
#define REDUCTION(name, combine, sum, first, finish, text) REDUCTION__##name,
#include "kernels/reductions.def"
#undef REDUCTION
	REDUCTION_COUNT
};

/* The values of the columns of kernels/reductions.def. */
enum reduce_table_sum {
	REDUCE_TABLE_BOOL,
	REDUCE_TABLE_SAME,
	REDUCE_TABLE_WIDE,
	REDUCE_TABLE_FLOAT
};
enum reduce_table_first {
	REDUCE_TABLE_ZERO,
	REDUCE_TABLE_ONE,
	REDUCE_TABLE_HIGHEST,
	REDUCE_TABLE_LOWEST
};
enum reduce_table_finish { REDUCE_TABLE_NOTHING, REDUCE_TABLE_DIVIDE };

struct reduce_table_entry {
	const char *name;
	/* the operation that combines two values, an index into
	   operations_table */
	unsigned combine;
	enum reduce_table_sum sum;
	enum reduce_table_first first;
	enum reduce_table_finish finish;
};

/* Indexed by enum reduction. */
extern const struct reduce_table_entry reduce_table[REDUCTION_COUNT];

/* REDUCE_TABLE_AS_##sum(...) expands to its arguments if the API has a function
   dpr_NAME_as() for the reduction, else to nothing. */
#define REDUCE_TABLE_AS_BOOL(...)
#define REDUCE_TABLE_AS_SAME(...)
#define REDUCE_TABLE_AS_WIDE(...) __VA_ARGS__
#define REDUCE_TABLE_AS_FLOAT(...)

/* Whether the reduction takes elements of @dtype.  A reduction with
   REDUCE_TABLE_FLOAT takes no bool and no integers: the caller casts these
   first. */
bool reduce_table_takes(enum reduction reduction, unsigned dtype);

/* The dtype of the result for elements of @dtype. */
unsigned reduce_table_dtype(enum reduction reduction, unsigned dtype);

/* The dtype in which elements of @dtype are accumulated. */
unsigned reduce_table_sum(enum reduction reduction, unsigned dtype);

/* The bits of the value with which a reduction in dtype @sum begins.  For a
   complex dtype these are the bits of the real part, and the imaginary part is
   0. */
uint64_t reduce_table_first(enum reduction reduction, unsigned sum);

/* The reduction that combines values in the same way and begins with the same
   value, but ends with @finish.  For example, a mean and a sum are twins.
   Returns @reduction itself if it ends with @finish already, or has no twin. */
enum reduction reduce_table_twin(enum reduction reduction,
				 enum reduce_table_finish finish);

/* Whether combining elements of dtype @sum in any order gives the same bits. */
bool reduce_table_is_exact(enum reduction reduction, unsigned sum);

#endif
