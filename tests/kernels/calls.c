/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - array functions by name, and the accuracy of each. */
#include "calls.h"

#include <math.h>
#include <string.h>

#include "core/array/engine/operations_map.h"

/* --- The functions ------------------------------------------------------- */

static const struct operation operations[] = {
#define FIELD_1 unary
#define FIELD_1_into unary_into
#define FIELD_2 binary
#define FIELD_2_into binary_into
#define FIELD_3 ternary
#define FIELD_3_into ternary_into
#define OPERATION(op, n, family, result, classes, identity, guarded) \
	{ .name = #op,                                               \
	  .arity = n,                                                \
	  .FIELD_##n = (dpr_##op),                                   \
	  .FIELD_##n##_into = (dpr_##op##_into) },
	OPERATION_MAP(OPERATION)
};

#define N_OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static dpr_status where_array(dpr_operand condition, dpr_operand x1,
			      dpr_operand x2, dpr_array **out)
{
	return (dpr_where)(condition.as.array, x1, x2, out);
}

static dpr_status where_array_into(dpr_operand condition, dpr_operand x1,
				   dpr_operand x2, dpr_array *out)
{
	return (dpr_where_into)(condition.as.array, x1, x2, out);
}

const struct operation *calls_find(const char *name)
{
	static const struct operation where = { .name = "where",
						.arity = 3,
						.ternary = where_array,
						.ternary_into =
							where_array_into };
	size_t i;

	for (i = 0; i < N_OPERATIONS; i++)
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	return strcmp(name, "where") ? NULL : &where;
}

dpr_status calls_apply(const struct operation *op, dpr_array *const *x,
		       dpr_array **out)
{
	switch (op->arity) {
	case 1: return op->unary(dpr_operand_array(x[0]), out);
	case 2:
		return op->binary(dpr_operand_array(x[0]),
				  dpr_operand_array(x[1]), out);
	default:
		return op->ternary(dpr_operand_array(x[0]),
				   dpr_operand_array(x[1]),
				   dpr_operand_array(x[2]), out);
	}
}

dpr_status calls_apply_into(const struct operation *op, dpr_array *const *x,
			    dpr_array *out)
{
	switch (op->arity) {
	case 1: return op->unary_into(dpr_operand_array(x[0]), out);
	case 2:
		return op->binary_into(dpr_operand_array(x[0]),
				       dpr_operand_array(x[1]), out);
	default:
		return op->ternary_into(dpr_operand_array(x[0]),
					dpr_operand_array(x[1]),
					dpr_operand_array(x[2]), out);
	}
}

const struct operation *calls_at(size_t i)
{
	return i < N_OPERATIONS ? &operations[i] : NULL;
}

static const struct {
	const char *name;
	calls_reduction function;
} reductions[] = {
#define REDUCTION(name, combine, sum, first, finish, text) \
	{ #name, dpr_##name },
#include "kernels/reductions.def"
#undef REDUCTION
};

#define N_REDUCTIONS (sizeof(reductions) / sizeof(reductions[0]))

const char *calls_reduction_at(size_t i)
{
	return i < N_REDUCTIONS ? reductions[i].name : NULL;
}

calls_reduction calls_find_reduction(const char *name)
{
	for (size_t i = 0; i < N_REDUCTIONS; i++)
		if (!strcmp(reductions[i].name, name))
			return reductions[i].function;
	return NULL;
}

/* Parse "all" or a list like "0,2"; count every second axis from the end. */
void calls_parse_axes(const char *text, dpr_axes *axes, int list[3])
{
	axes->count = 0;
	axes->axis = list;
	for (; *text >= '0' && *text <= '9'; text += text[1] == ',' ? 2 : 1) {
		list[axes->count] = *text - '0';
		if (axes->count % 2)
			list[axes->count] -= 3;
		axes->count++;
	}
}

/* --- How near ------------------------------------------------------------ */

/*
 * The allowed error in units in the last place.  Functions that are not listed
 * are exact: integers, bool, comparisons, and what IEEE 754 rounds once.  Our
 * own functions promise 2 where division and square root are correctly rounded;
 * some have wider limits, those of OpenCL C.  logaddexp loses bits where its
 * result is near 0.  The expected
 * value itself is rounded, which adds half a unit.  float16 is computed in
 * float32 and then rounded, so its error is at most 1.
 */
static const struct {
	const char *name;
	double single, twofold; /* float32 and float64 */
} accuracies[] = {
	{ "exp", 2.5, 3.5 },   { "log", 2.5, 3.5 },   { "sin", 2.5, 4.5 },
	{ "cos", 2.5, 4.5 },   { "tanh", 2.5, 5.5 },  { "pow", 16.5, 16.5 },
	{ "hypot", 4.5, 4.5 }, { "atan2", 6.5, 6.5 },
	{ "angle", 2.5, 2.5 }, { "sinc", 2.5, 2.5 },
	{ "gamma", 2.5, 2.5 },
	{ "lgamma", 2.5, 2.5 },
	{ "cbrt", 2.5, 2.5 },
	{ "rsqrt", 6.5, 2.5 },
	{ "deg2rad", 2.5, 2.5 },
	{ "rad2deg", 2.5, 2.5 },
	{ "logaddexp", 16.5, 16.5 },
	{ "exp2", 2.5, 2.5 },
	{ "expm1", 2.5, 2.5 },
	{ "log2", 2.5, 2.5 },
	{ "log10", 2.5, 2.5 },
	{ "log1p", 2.5, 2.5 },
	{ "tan", 2.5, 2.5 },
	{ "asin", 2.5, 2.5 },
	{ "acos", 2.5, 2.5 },
	{ "atan", 2.5, 2.5 },
	{ "sinh", 2.5, 2.5 },
	{ "cosh", 2.5, 2.5 },
	{ "asinh", 2.5, 2.5 },
	{ "acosh", 2.5, 2.5 },
	{ "atanh", 2.5, 2.5 },
	{ "erf", 2.5, 2.5 },
	{ "erfc", 2.5, 3 },
};

/* For complex numbers, in units of the larger part.  They take several float
   operations, each with its own rounding.  In multiply_add, two products and a
   number can cancel except for their last bits. */
static const struct {
	const char *name;
	double single, twofold;
} complex_accuracies[] = {
	{ "multiply", 2, 2 }, { "square", 2, 2 },
	{ "divide", 6, 6 },   { "multiply_add", 64, 64 },
	{ "sqrt", 6, 6 },     { "exp", 12, 12 },
	{ "log", 6, 8 },      { "sin", 8, 12 },
	{ "cos", 8, 12 },     { "tanh", 12, 16 },
	{ "pow", 300, 1000 }, { "reciprocal", 6, 6 },
	{ "expm1", 12, 12 },  { "log1p", 8, 8 },
	{ "log2", 8, 8 },     { "log10", 8, 8 },
	{ "sinh", 8, 12 },    { "cosh", 8, 12 },
	{ "tan", 12, 16 },    { "exp2", 6, 6 },
	{ "asin", 6, 6 },     { "acos", 6, 6 },
	{ "atan", 6, 6 },     { "asinh", 6, 6 },
	{ "acosh", 6, 6 },    { "atanh", 6, 6 },
	{ "abs", 4.5, 4.5 },
	{ "angle", 6.5, 6.5 },
	{ "sign", 6, 6 },
};

static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name))
		list++;
	return *list;
}

struct tolerance calls_tolerance(const char *function, dpr_dtype in,
				 dpr_dtype out, bool rounds)
{
	struct tolerance t = { 0, 0, false, false };
	bool half = out == DPR_FLOAT16 || out == DPR_BFLOAT16, single;
	size_t i;

	if (dpr_dtype_kind(out) != 'f' && dpr_dtype_kind(out) != 'c')
		return t;
	single = out == DPR_FLOAT32 || out == DPR_COMPLEX64;
	if (dpr_dtype_kind(in) == 'c') {
		for (i = 0; i < sizeof(complex_accuracies) /
					sizeof(complex_accuracies[0]);
		     i++)
			if (!strcmp(complex_accuracies[i].name, function)) {
				t.ulp = single ? complex_accuracies[i].single
					       : complex_accuracies[i].twofold;
				/* Implementations do not agree on which part of
				   a complex number becomes infinite or NaN. */
				t.any_overflow = true;
			}
		return t;
	}
	for (i = 0; i < sizeof(accuracies) / sizeof(accuracies[0]); i++)
		if (!strcmp(accuracies[i].name, function))
			t.ulp = half     ? 1
				: single ? accuracies[i].single
					 : accuracies[i].twofold;
	/* At its zeros below 0 the result is a difference. */
	t.size = !strcmp(function, "lgamma") ? 0.5 : 0;
	/* The array API leaves the sign of a zero open here. */
	t.any_zero = is_one_of(function, (const char *const[]){
						 "minimum", "maximum", "fmin",
						 "fmax", "clip", NULL });
	/* OpenCL allows larger errors for these in float32. */
	if (!rounds && single &&
	    is_one_of(function, (const char *const[]){ "sqrt", "divide",
						       "reciprocal", NULL }))
		t.ulp = 3;
	return t;
}

bool calls_round(dpr_device *device)
{
	uint64_t config;

	return dpr_device_info_u64(device, DPR_INFO_SINGLE_FP_CONFIG,
				   &config) == DPR_OK &&
	       config & DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}
