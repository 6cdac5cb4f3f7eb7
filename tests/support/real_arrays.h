/* SPDX-License-Identifier: Apache-2.0 */
/* real_arrays.h - arrays of every dtype from doubles, and their elements as
   doubles, beside what a test has computed. */
#ifndef TESTS_REAL_ARRAYS_H
#define TESTS_REAL_ARRAYS_H

#include <math.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/elements.h"

/* The most elements. */
#define MOST 720

static const dpr_dtype dtypes[] = {
#define DTYPE(NAME, lower, value, size, kind) DPR_##NAME,
	DPR_DTYPE_MAP(DTYPE)
#undef DTYPE
};
#define DTYPES ((int)(sizeof(dtypes) / sizeof(dtypes[0])))

static inline bool computes(dpr_dtype dtype)
{
	return dpr_dtype_computes(test_device, dtype);
}

/* An array of @dtype with the values @v, in a shape. */
static inline dpr_array *array_in(const double *v, dpr_shape shape,
				  dpr_dtype dtype)
{
	float single[MOST];
	dpr_array *x;
	int64_t n = 1;

	for (int d = 0; d < shape.rank; d++)
		n *= shape.dim[d];
	for (int64_t i = 0; i < n; i++)
		single[i] = (float)v[i];
	CHECK_OK(dpr_array_from_memory(single, shape, NULL, DPR_FLOAT32,
				       test_queue, &x));
	return cast(x, dtype);
}

/* Get the elements of a real array. */
static inline int64_t read_real(const dpr_array *x, double *out)
{
	const bool is_double = computes(DPR_FLOAT64);
	const int64_t n = dpr_array_size(x);
	float single[MOST];
	dpr_array *all;

	CHECK_OK(dpr_astype(x, is_double ? DPR_FLOAT64 : DPR_FLOAT32, &all));
	if (is_double)
		CHECK_OK(dpr_array_to_memory(all, out, dpr_array_nbytes(all),
					     NULL));
	else
		CHECK_OK(dpr_array_to_memory(all, single, dpr_array_nbytes(all),
					     NULL));
	for (int64_t i = 0; !is_double && i < n; i++)
		out[i] = (double)single[i];
	dpr_array_release(all);
	return n;
}

/* Check a result of @n values, and release it.  @parts: 2 of complex numbers,
   whose parts then follow each other. */
static inline void expect_near(dpr_array *y, dpr_dtype dtype,
			       const double *want, int64_t n, int parts,
			       double allowed, const char *what)
{
	double have[MOST];
	dpr_array *part;

	ck_assert_msg(dpr_array_dtype(y) == dtype, "%s: %s, not %s", what,
		      dpr_dtype_name(dpr_array_dtype(y)),
		      dpr_dtype_name(dtype));
	for (int k = 0; k < parts; k++) {
		int far = -1;

		CHECK_OK(k ? dpr_imag(y, &part) : dpr_real(y, &part));
		ck_assert_int_eq(read_real(part, have), n);
		for (int64_t i = 0; i < n; i++) {
			const double w = want[i * parts + k];

			if (!(fabs(have[i] - w) <= allowed * (1 + fabs(w))) &&
			    have[i] != w && !(isnan(have[i]) && isnan(w)))
				far = (int)i;
		}
		ck_assert_msg(far < 0, "%s, element %d: %.9g, not %.9g", what,
			      far, have[far], want[far * parts + k]);
		dpr_array_release(part);
	}
	dpr_array_release(y);
}

static inline void expect_text(const char *text)
{
	ck_assert_str_eq(dpr_last_error(), text);
}

/* How far results of @dtype may be off. */
static inline double near_of(dpr_dtype dtype)
{
	switch (dpr_dtype_size(dtype) /
		(dpr_dtype_kind(dtype) == 'c' ? 2 : 1)) {
	case 2: return dtype == DPR_BFLOAT16 ? 1e-2 : 2e-3;
	case 8: return 1e-13;
	}
	return 2e-6;
}

static inline dpr_dtype default_float(void)
{
	return dpr_dtype_default(test_device, 'f');
}

/* The float dtype of results of arrays of @dtype. */
static inline dpr_dtype float_of(dpr_dtype dtype)
{
	switch (dtype) {
	case DPR_COMPLEX64: return DPR_FLOAT32;
	case DPR_COMPLEX128: return DPR_FLOAT64;
	default: break;
	}
	return dpr_dtype_kind(dtype) == 'f' ? dtype : default_float();
}

/* Whether two arrays have the same dtype, shape and elements. */
static inline void expect_same(dpr_array *a, dpr_array *b, const char *what)
{
	const int rank = dpr_array_rank(a);
	static char first[MOST * 16], second[MOST * 16];

	ck_assert_msg(rank == dpr_array_rank(b) &&
			      dpr_array_dtype(a) == dpr_array_dtype(b) &&
			      !memcmp(dpr_array_shape(a), dpr_array_shape(b),
				      (size_t)rank * sizeof(int64_t)),
		      "%s: another shape or dtype", what);
	CHECK_OK(dpr_array_to_memory(a, first, dpr_array_nbytes(a), NULL));
	CHECK_OK(dpr_array_to_memory(b, second, dpr_array_nbytes(b), NULL));
	ck_assert_msg(!memcmp(first, second, dpr_array_nbytes(a)),
		      "%s: other elements", what);
	dpr_array_release(a);
	dpr_array_release(b);
}

/* The elements of complex arrays are v + i * w. */
static inline dpr_array *complex_in(const double *v, const double *w,
				    dpr_shape shape, dpr_dtype dtype)
{
	dpr_array *re = array_in(v, shape, DPR_FLOAT32), *im, *out;

	if (dpr_dtype_kind(dtype) != 'c')
		return cast(re, dtype);
	im = array_in(w, shape, DPR_FLOAT32);
	CHECK_OK(dpr_evaluate("re + 1j*im", NULL, &out, "re", re, "im", im));
	dpr_array_release(re);
	dpr_array_release(im);
	return cast(out, dtype);
}

#endif
