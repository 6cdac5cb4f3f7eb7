/* SPDX-License-Identifier: Apache-2.0 */
/* reductions.h - the table of reductions, from kernels/reductions.def. */
#ifndef ARRAY_REDUCTIONS_H
#define ARRAY_REDUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum reduction {
#define REDUCTION(name, combine, sum, first, finish, text) REDUCTION__##name,
#include "kernels/reductions.def"
#undef REDUCTION
	REDUCTION_COUNT
};

/* The columns of kernels/reductions.def. */
enum reductions_sum {
	REDUCTIONS_BOOL,
	REDUCTIONS_SAME,
	REDUCTIONS_WIDE,
	REDUCTIONS_FLOAT
};
enum reductions_first {
	REDUCTIONS_ZERO,
	REDUCTIONS_ONE,
	REDUCTIONS_HIGHEST,
	REDUCTIONS_LOWEST
};
enum reductions_finish { REDUCTIONS_NOTHING, REDUCTIONS_DIVIDE };

struct reductions_entry {
	const char *name;
	/* the operation that combines, an index into operations_table */
	unsigned combine;
	enum reductions_sum sum;
	enum reductions_first first;
	enum reductions_finish finish;
};

/* Indexed by enum reduction. */
extern const struct reductions_entry reductions_table[REDUCTION_COUNT];

/* REDUCTIONS_AS_##sum(...)  expands to its arguments for a reduction with
   dpr_NAME_as(), and to nothing for others. */
#define REDUCTIONS_AS_BOOL(...)
#define REDUCTIONS_AS_SAME(...)
#define REDUCTIONS_AS_WIDE(...) __VA_ARGS__
#define REDUCTIONS_AS_FLOAT(...)

/* Whether the reduction takes elements of @dtype.  Bool and integers are cast
   before a reduction with FLOAT, so it does not take them. */
bool reductions_takes(enum reduction reduction, unsigned dtype);

/* The dtype of the result for elements of @dtype. */
unsigned reductions_dtype(enum reduction reduction, unsigned dtype);

/* The dtype in which elements of @dtype are accumulated. */
unsigned reductions_sum(enum reduction reduction, unsigned dtype);

/* The bits of the first value in dtype @sum.  For a complex dtype these are the
   bits of the real part, and the imaginary part is 0. */
uint64_t reductions_first(enum reduction reduction, unsigned sum);

/* The reduction that combines in the same way, from the same first value, but
   finishes with @finish.  @reduction itself, if there is none. */
enum reduction reductions_twin(enum reduction reduction,
			       enum reductions_finish finish);

/* Whether the bits of the result do not depend on the order in which elements
   of @sum are combined. */
bool reductions_is_exact(enum reduction reduction, unsigned sum);

#endif
