/* SPDX-License-Identifier: Apache-2.0 */
/* product_loops.h - a sum of products by loops, beside which results are
   tested, and operands in several layouts. */
#ifndef TESTS_PRODUCT_LOOPS_H
#define TESTS_PRODUCT_LOOPS_H

#include "tests/functions/product_values.h"

#define LETTERS 6
#define OPERANDS 5

/* Arrays with the letters of their axes, and those of the result. */
struct sum {
	int n;
	char letters[OPERANDS][LETTERS + 1];
	dpr_array *x[OPERANDS];
	char result[LETTERS + 1];
};

/* The position of an element in C order.  An extent of 1 is broadcast. */
static inline int64_t position(const char *letters, const int64_t *dim,
			       const int64_t *at)
{
	int64_t p = 0;

	for (int d = 0; letters[d]; d++)
		p = p * dim[d] + (dim[d] == 1 ? 0 : at[letters[d] - 'a']);
	return p;
}

/* Find the extents of the letters, those of the result, and its size. */
static inline int64_t find_extents(const struct sum *s, int64_t *extent,
				   int64_t *result)
{
	int64_t size = 1;

	for (int i = 0; i < LETTERS; i++)
		extent[i] = 1;
	for (int i = 0; i < s->n; i++)
		for (int d = 0; s->letters[i][d]; d++) {
			const int64_t n = dpr_array_shape(s->x[i])[d];

			if (n != 1)
				extent[s->letters[i][d] - 'a'] = n;
		}
	for (int d = 0; s->result[d]; d++) {
		result[d] = extent[s->result[d] - 'a'];
		size *= result[d];
	}
	return size;
}

/* Step to the next indices, the last one first.  Returns false behind the last
   ones. */
static inline bool step(int64_t *at, const int64_t *extent)
{
	for (int i = LETTERS - 1; i >= 0; i--) {
		if (++at[i] < extent[i])
			return true;
		at[i] = 0;
	}
	return false;
}

/* Compute the sum of products; the caller frees it. */
static inline double complex *add_products(const struct sum *s,
					   const int64_t *extent,
					   const int64_t *result, int64_t size)
{
	double complex *sum = calloc((size_t)size + 1, sizeof(*sum));
	float complex *v[OPERANDS];
	int64_t at[LETTERS] = { 0 };
	bool any = true;

	ck_assert_ptr_nonnull(sum);
	for (int i = 0; i < s->n; i++)
		v[i] = elements(s->x[i]);
	for (int i = 0; i < LETTERS; i++)
		any = any && extent[i];
	while (any) {
		double complex product = 1;

		for (int i = 0; i < s->n; i++)
			product *= (double complex)v[i][position(
				s->letters[i], dpr_array_shape(s->x[i]), at)];
		sum[position(s->result, result, at)] += product;
		any = step(at, extent);
	}
	for (int i = 0; i < s->n; i++)
		free(v[i]);
	return sum;
}

/* Check @y, the sum @s in @dtype, and release it. */
static inline void check_sum(const struct sum *s, dpr_array *y, dpr_dtype dtype,
			     const char *what)
{
	int64_t extent[LETTERS], result[LETTERS], wrong = -1;
	const int64_t size = find_extents(s, extent, result);
	double complex *sum = add_products(s, extent, result, size);
	float complex *have = elements(y);

	ck_assert_msg(dpr_array_dtype(y) == dtype, "%s: %s, not %s", what,
		      dpr_dtype_name(dpr_array_dtype(y)),
		      dpr_dtype_name(dtype));
	ck_assert_msg(dpr_array_rank(y) == (int)strlen(s->result) &&
			      !memcmp(dpr_array_shape(y), result,
				      strlen(s->result) * sizeof(result[0])),
		      "%s: another shape", what);
	for (int64_t i = 0; i < size; i++) {
		const float complex want = wrapped(sum[i], dtype);

		if (!(cabsf(have[i] - want) <=
		      2 * (float)near_of(dtype) * (1 + cabsf(want))))
			wrong = i;
	}
	ck_assert_msg(wrong < 0, "%s, %s: element %lld is %g, not %g", what,
		      dpr_dtype_name(dtype), (long long)wrong,
		      (double)crealf(have[wrong]), creal(sum[wrong]));
	free(have);
	free(sum);
	dpr_array_release(y);
}

/* --- Operands ------------------------------------------------------------- */

/* The axes in reverse order. */
static inline dpr_array *reversed(dpr_array *x)
{
	int order[DPR_MAX_RANK];
	dpr_array *y;

	for (int d = 0; d < dpr_array_rank(x); d++)
		order[d] = dpr_array_rank(x) - 1 - d;
	CHECK_OK(dpr_permute_dims(x, order, &y));
	dpr_array_release(x);
	return y;
}

static inline dpr_array *copied(dpr_array *x)
{
	dpr_array *y;

	CHECK_OK(dpr_copy(x, &y));
	dpr_array_release(x);
	return y;
}

static inline dpr_array *flipped(dpr_array *x)
{
	dpr_array *y;

	CHECK_OK(dpr_flip(x, NULL, &y));
	dpr_array_release(x);
	return y;
}

/* Every second element along the last axis. */
static inline dpr_array *spread(dpr_array *x)
{
	dpr_array *y, *z;

	if (!dpr_array_rank(x))
		return x;
	CHECK_OK(dpr_repeat(x, 2, -1, &y));
	dpr_array_release(x);
	CHECK_OK(dpr_array_index(
		y,
		(dpr_index[]){ DPR_ELLIPSIS, DPR_SLICE(DPR_OPEN, DPR_OPEN, 2) },
		2, &z));
	dpr_array_release(y);
	return z;
}

/* The elements of numbers(), in layout @way. */
#define WAYS 4
static inline dpr_array *laid_out(const int64_t *dim, int rank, dpr_dtype dtype,
				  int seed, int way)
{
	dpr_array *x = numbers(dpr_shape_of(rank, dim), dtype, seed);

	switch (way) {
	case 1: return reversed(copied(reversed(x)));
	case 2: return flipped(copied(flipped(x)));
	case 3: return spread(x);
	default: return x;
	}
}

static inline void release(struct sum *s)
{
	for (int i = 0; i < s->n; i++)
		dpr_array_release(s->x[i]);
}

/* A dtype that @i chooses, which the device computes. */
static inline dpr_dtype dtype_of(int i)
{
	const dpr_dtype dtype = dtypes[i % DTYPES];

	return computes(dtype) && dtype != DPR_BOOL ? dtype : DPR_FLOAT32;
}

#endif
