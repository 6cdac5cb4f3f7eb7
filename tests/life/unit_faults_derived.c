/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults_derived.c - the functions of dpr/derived.h and dpr/products.h
   with faults. */
#include <math.h>

#include <dpr/derived.h>

#include "tests/support/faults.h"

/* Check that the only element of @x, or the sum of all, is @want, and release
   @x. */
static dpr_status sums_to(dpr_status status, dpr_array *x, double want)
{
	dpr_array *sum = NULL;
	double have;

	MADE(status, x);
	if (!status)
		status = dpr_sum(x, NULL, &sum);
	if (!status)
		status = dpr_array_item_double(sum, &have);
	if (!status)
		ck_assert(fabs(have - want) < 1e-6 * want + 1e-9);
	dpr_array_release(sum);
	dpr_array_release(x);
	return status;
}

/* The vector 0, 1, 2 in float32. */
static dpr_status make_vector(dpr_array **out)
{
	return dpr_arange(0, 3, 1, DPR_FLOAT32, q1, out);
}

#define WITH_VECTOR(name, call, want)                \
	static dpr_status try_##name(void)           \
	{                                            \
		dpr_array *v = NULL, *x = NULL;      \
		dpr_status status = make_vector(&v); \
                                                     \
		if (!status)                         \
			status = call;               \
		status = sums_to(status, x, want);   \
		dpr_array_release(v);                \
		return status;                       \
	}

WITH_VECTOR(isclose, dpr_isclose(v, 1, 0, 0.5, 0, &x), 1)
WITH_VECTOR(isclose_nan, dpr_isclose(v, v, 0, 0, 1, &x), 3)
WITH_VECTOR(allclose, dpr_allclose(v, v, 0, 0, 0, &x), 1)
WITH_VECTOR(vecdot, dpr_vecdot(v, v, -1, &x), 5)
WITH_VECTOR(cross, dpr_cross(v, v, -1, &x), 0)
WITH_VECTOR(outer, dpr_outer(v, v, &x), 9)
WITH_VECTOR(matmul, dpr_matmul(v, v, &x), 5)
WITH_VECTOR(matmul_promoted,
	    dpr_evaluate("v @ m[0:3]", NULL, &x, "v", v, "m", matrix), 308)
WITH_VECTOR(matvec, dpr_matvec(matrix, matrix, &x), 106911)
WITH_VECTOR(vecmat, dpr_vecmat(transposed, matrix, &x), 165571)
WITH_VECTOR(vecmat_complex,
	    dpr_evaluate("abs(vecmat(m[0]*1j, 1j*t))", NULL, &x, "m", matrix,
			 "t", transposed),
	    2751)
WITH_VECTOR(tensordot, dpr_tensordot(matrix, transposed, 1, &x), 106911)
WITH_VECTOR(tensordot_axes,
	    dpr_tensordot_axes(matrix, transposed, DPR_AXES(1, 0),
			       DPR_AXES(0, 1), &x),
	    23821)
WITH_VECTOR(kron, dpr_kron(v, v, &x), 9)
WITH_VECTOR(largest, dpr_vector_norm(v, NULL, INFINITY, &x), 2)
WITH_VECTOR(counted, dpr_vector_norm(matrix, NULL, 0, &x), 41)
WITH_VECTOR(average, dpr_average(matrix, NULL, matrix, &x), 83.0 / 3)
WITH_VECTOR(average_plain, dpr_average(v, DPR_AXES(0), NULL, &x), 1)
WITH_VECTOR(masked, dpr_max(matrix, DPR_INITIAL(100, NULL), &x), 100)
WITH_VECTOR(trace, dpr_trace(matrix, 1, DPR_DTYPE_DEFAULT, &x), 126)
WITH_VECTOR(one_hot, dpr_one_hot(matrix, 2, DPR_INT32, &x), 2)
WITH_VECTOR(diff, dpr_diff(v, 0, 1, v, NULL, &x), 2)

/* Power @n of a corner of the matrix. */
static dpr_status try_power_of(int64_t n, double want)
{
	dpr_array *corner = NULL, *x = NULL;
	dpr_status status = dpr_array_index(
		matrix, (dpr_index[]){ DPR_SLICE(0, 3, 1), DPR_SLICE(0, 3, 1) },
		2, &corner);

	if (!status)
		status = dpr_matrix_power(corner, n, &x);
	dpr_array_release(corner);
	return sums_to(status, x, want);
}

static dpr_status try_power(void)
{
	return try_power_of(3, 47520);
}

static dpr_status try_power_of_none(void)
{
	return try_power_of(0, 3);
}

static dpr_status try_multi_dot(void)
{
	const dpr_array *const arrays[] = { matrix, transposed, matrix };
	dpr_array *x = NULL;
	const dpr_status status = dpr_multi_dot(arrays, 3, &x);

	return sums_to(status, x, 20509881);
}

/* einsum with an index of one operand and an index of all operands summed;
   without a sum; and with a diagonal. */
static dpr_status try_einsum(void)
{
	const dpr_array *operands[] = { matrix, transposed, matrix };
	dpr_array *x = NULL;
	const dpr_status status = dpr_einsum("ij,jk,lj->ik", operands, 3, &x);

	return sums_to(status, x, 13398021);
}

static dpr_status try_einsum_elements(void)
{
	const dpr_array *operands[] = { matrix, NULL };
	dpr_array *x = NULL, *v = NULL;
	dpr_status status = dpr_arange(0, 7, 1, DPR_FLOAT32, q1, &v);

	operands[1] = v;
	if (!status)
		status = dpr_einsum("ij,j->ji", operands, 2, &x);
	dpr_array_release(v);
	return sums_to(status, x, 2751);
}

static dpr_status try_einsum_view(void)
{
	const dpr_array *const operands[] = { matrix };
	dpr_array *x = NULL;
	const dpr_status status = dpr_einsum("ij->ji", operands, 1, &x);

	return sums_to(status, x, 861);
}

static dpr_status try_einsum_copy(void)
{
	dpr_array *corner = NULL, *x = NULL;
	const dpr_array *operands[] = { NULL };
	dpr_status status = dpr_array_index(
		matrix, (dpr_index[]){ DPR_ALL, DPR_SLICE(2, 3, 1) }, 2,
		&corner);

	operands[0] = corner;
	if (!status)
		status = dpr_einsum("ij->i", operands, 1, &x);
	dpr_array_release(corner);
	return sums_to(status, x, 117);
}

static dpr_status try_einsum_of_none(void)
{
	const dpr_array *operands[] = { NULL };
	dpr_array *x = NULL, *v = NULL;
	dpr_status status = dpr_zeros(DPR_SHAPE(0, 3), DPR_INT32, q1, &v);

	operands[0] = v;
	if (!status)
		status = dpr_einsum("ij->j", operands, 1, &x);
	dpr_array_release(v);
	return sums_to(status, x, 0);
}

/* A function with two results makes both or neither. */
static dpr_status sum_of_two(dpr_status status, dpr_array *x, dpr_array *y,
			     double want)
{
	dpr_array *both = NULL;

	MADE(status, x);
	MADE(status, y);
	if (!status)
		status = dpr_add(x, y, &both);
	dpr_array_release(x);
	dpr_array_release(y);
	return sums_to(status, both, want);
}

static dpr_status try_divmod(void)
{
	dpr_array *x, *y;
	const dpr_status status = dpr_divmod(matrix, 7, &x, &y);

	return sum_of_two(status, x, y, 105 + 126);
}

static dpr_status try_modf(void)
{
	dpr_array *x, *y, *v;
	dpr_status status = make_vector(&v);

	if (status)
		return status;
	status = dpr_modf(v, &x, &y);
	dpr_array_release(v);
	return sum_of_two(status, x, y, 3);
}

/* The mantissas of 0, 1 and 2 are 0, 0.5 and 0.5, the exponents 0, 1 and 2. */
static dpr_status try_frexp(void)
{
	dpr_array *x, *y, *v;
	dpr_status status = make_vector(&v);

	if (status)
		return status;
	status = dpr_frexp(v, &x, &y);
	dpr_array_release(v);
	return sum_of_two(status, x, y, 4);
}

static const struct attempt list[] = {
	{ "isclose", try_isclose },
	{ "isclose, equal_nan", try_isclose_nan },
	{ "allclose", try_allclose },
	{ "vecdot", try_vecdot },
	{ "cross", try_cross },
	{ "outer", try_outer },
	{ "matmul", try_matmul },
	{ "matmul, promoted", try_matmul_promoted },
	{ "matvec", try_matvec },
	{ "vecmat", try_vecmat },
	{ "vecmat, complex", try_vecmat_complex },
	{ "tensordot", try_tensordot },
	{ "tensordot, axes", try_tensordot_axes },
	{ "kron", try_kron },
	{ "matrix_power", try_power },
	{ "matrix_power, 0", try_power_of_none },
	{ "multi_dot", try_multi_dot },
	{ "einsum", try_einsum },
	{ "einsum, elements", try_einsum_elements },
	{ "einsum, view", try_einsum_view },
	{ "einsum, copy", try_einsum_copy },
	{ "einsum, no elements", try_einsum_of_none },
	{ "vector_norm, inf", try_largest },
	{ "vector_norm, 0", try_counted },
	{ "average", try_average },
	{ "average, no weights", try_average_plain },
	{ "max, initial", try_masked },
	{ "trace", try_trace },
	{ "one_hot", try_one_hot },
	{ "diff", try_diff },
	{ "divmod", try_divmod },
	{ "modf", try_modf },
	{ "frexp", try_frexp },
};

int main(void)
{
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
