/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults_expressions.c - expressions with faults. */
#include "tests/support/faults.h"

/* Check that @x has the elements first + step * i in C order, and release
   it. */
static dpr_status steps(dpr_status status, dpr_array *const *x, int64_t first,
			int64_t step)
{
	int32_t have[42];

	MADE(status, *x);
	if (!status) {
		ck_assert_int_le(dpr_array_size(*x), 42);
		status = dpr_array_to_memory(*x, have, sizeof(have), NULL);
	}
	for (int64_t i = 0; !status && i < dpr_array_size(*x); i++)
		ck_assert_int_eq(have[i], first + step * i);
	dpr_array_release(*x);
	return status;
}

static dpr_status try_evaluate(void)
{
	const dpr_binding one[] = { { "x", DPR_OPERAND(matrix) } };
	dpr_array *x;
	dpr_status status;

	status = dpr_evaluate_with("x*2 + 1", one, 1, NULL, &x);
	status = steps(status, &x, 1, 2);
	if (status)
		return status;
	status = dpr_evaluate("x + astype(maximum(a, 3), int32) - abs(-3)", NULL, &x,
			      "x", matrix, "a", 3);
	return steps(status, &x, 0, 1);
}

/* Functions that are not elementwise. */
static dpr_status try_functions(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_evaluate(
		"y = concat((x, x), axis=0); s = sum(y*0, axis=(0, 1)); "
		"astype(where(x >= 0, index(1) + index(0, x)*7, -1) + s, "
		"'int32')", NULL,
		&x, "x", matrix);
	return steps(status, &x, 0, 1);
}

/* Views of an operand, of a deferred value and of a stored one. */
static dpr_status try_slices(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_evaluate("d = x*2; e = (d + x)[1:] - x[None, 1:][0]*2; "
			      "e + astype(sum((d - 2*x)[0]), int32)", NULL,
			      &x, "x", matrix);
	return steps(status, &x, 7, 1);
}

static dpr_status try_into(void)
{
	dpr_array *x;
	dpr_status status = dpr_copy(matrix, &x);

	MADE(status, x);
	if (!status)
		status = dpr_evaluate_into("x + 1", x, "x", x);
	if (status) {
		dpr_array_release(x);
		return status;
	}
	return steps(status, &x, 1, 1);
}

/* Into an array of a higher dtype. */
static dpr_status try_into_higher(void)
{
	dpr_array *x, *back;
	dpr_status status = dpr_zeros_like(matrix, DPR_INT64, &x);

	MADE(status, x);
	if (!status)
		status = dpr_evaluate_into("x*2 + 1", x, "x", matrix);
	if (!status) {
		status = dpr_astype(x, DPR_INT32, &back);
		MADE(status, back);
	}
	dpr_array_release(x);
	return status ? status : steps(status, &back, 1, 2);
}

/* Compute two results into new arrays, then into the arrays that the first call
   has made. */
static dpr_status apply_twice(const dpr_expression *e)
{
	const dpr_binding two[] = { { "x", DPR_OPERAND(matrix) },
				    { "y", dpr_operand_float(2.0) } };
	dpr_array *made[2];
	dpr_status status;

	status = dpr_expression_apply(e, two, 2, NULL, made, 2);
	MADE(status, made[0]);
	MADE(status, made[1]);
	if (!status)
		status = dpr_expression_apply_into(e, two, 2, made, 2);
	dpr_array_release(made[0]);
	return status ? (dpr_array_release(made[1]), status)
		      : steps(status, &made[1], 0, 3);
}

static dpr_status try_apply(void)
{
	dpr_expression *e;
	dpr_status status;

	status = dpr_expression_create("a = x*y; a + 1, x*3", &e);
	MADE(status, e);
	if (!status)
		status = apply_twice(e);
	dpr_expression_release(e);
	return status;
}

static dpr_status try_explain(void)
{
	const dpr_binding one[] = { { "x", DPR_OPERAND(matrix) } };
	dpr_expression *e = NULL;
	char *text = NULL;
	dpr_status status;

	status = dpr_expression_create(
		"concat((x, x), axis=0) * 1.5e0, reshape(x, (42,))", &e);
	MADE(status, e);
	if (!status) {
		status = dpr_expression_explain(e, one, 1, NULL, &text);
		MADE(status, text);
	}
	if (!status)
		ck_assert_ptr_nonnull(strstr(text, "concat((x, x), axis=0)"));
	dpr_free(text);
	dpr_expression_release(e);
	return status;
}

/* Each attempt needs a new name, in case an earlier one has defined it. */
static dpr_status try_define(void)
{
	static unsigned n;
	char text[100], call[100];
	dpr_array *x;
	dpr_status status;

	snprintf(text, sizeof(text), "twice_%u(a, b) = a + b*1", n);
	snprintf(call, sizeof(call), "twice_%u(x, x)", n++);
	status = dpr_expression_define(text);
	if (status) {
		ck_assert_int_eq(status, DPR_ERROR_OUT_OF_MEMORY);
		return status;
	}
	status = dpr_evaluate(call, NULL, &x, "x", matrix);
	return steps(status, &x, 0, 2);
}

/* Functions of the expression's own. */
static dpr_status try_own(void)
{
	static const char *const texts[] = { "own(a) = b = a + a; b - 1",
					     "both(a, b) = own(a) + own(b)" };
	const dpr_expression_options options = { sizeof(options), texts, 2 };
	dpr_expression *e;
	dpr_status status;

	status = dpr_expression_create_with("both(x, own(x))", &options, &e);
	MADE(status, e);
	if (status)
		ck_assert_int_eq(status, DPR_ERROR_OUT_OF_MEMORY);
	dpr_expression_release(e);
	return status;
}

/* Each function that an expression computes. */
#define GIVEN_REDUCES matrix, DPR_AXES(1)
#define GIVEN_CHOOSES matrix, DPR_AXES(1)
#define GIVEN_CORRECTS matrix, DPR_AXES(1), 1
#define GIVEN_ALONG matrix, DPR_AXES(1)
#define DERIVED(name, form, expression, text)                     \
	static dpr_status try_##name(void)                        \
	{                                                         \
		dpr_array *x;                                     \
		dpr_status status = dpr_##name(GIVEN_##form, &x); \
                                                                  \
		MADE(status, x);                                  \
		dpr_array_release(x);                             \
		return status;                                    \
	}
#include "kernels/derived.def"
#undef DERIVED

/* Reductions with a mask and a first value. */
static dpr_status try_masked(void)
{
	dpr_array *x;
	dpr_status status = dpr_evaluate(
		"min(x, where=x[0] > 0, initial=2) + std(x, where=x > 1)", NULL,
		&x, "x", matrix);

	MADE(status, x);
	dpr_array_release(x);
	return status;
}

static dpr_status try_std_into(void)
{
	dpr_array *x;
	dpr_status status =
		dpr_zeros(DPR_SCALAR_SHAPE, DPR_FLOAT32, q1, &x);

	if (status)
		return status;
	status = dpr_std_into(matrix, NULL, 0, x);
	dpr_array_release(x);
	return status;
}

/* A call that is written out, in a call of a function of the program. */
static dpr_status try_written_out(void)
{
	static const char *const definition = "f(x) = ptp(x) + nansum(x)";
	const dpr_expression_options options = { .struct_size = sizeof(options),
						 .definitions = &definition,
						 .n_definitions = 1 };
	dpr_expression *x;
	dpr_status status =
		dpr_expression_create_with("f(x) + f(x)", &options, &x);

	MADE(status, x);
	dpr_expression_release(x);
	return status;
}

/* A refusal keeps its status, unless memory runs out before it is known. */
static dpr_status try_refusals(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_evaluate("x + y", NULL, &x, "x", matrix, "y", far);
	ck_assert_ptr_null(x);
	if (status == DPR_ERROR_OUT_OF_MEMORY)
		return status;
	ck_assert_int_eq(status, DPR_ERROR_EXECUTION_PLACEMENT);
	status = dpr_evaluate("x + yy", NULL, &x, "x", matrix, "y", matrix);
	ck_assert_ptr_null(x);
	if (status == DPR_ERROR_OUT_OF_MEMORY)
		return status;
	ck_assert_int_eq(status, DPR_ERROR_INVALID_ARGUMENT);
	status = dpr_evaluate("x + sqrtt(x)", NULL, &x, "x", matrix);
	if (status == DPR_ERROR_OUT_OF_MEMORY)
		return status;
	ck_assert_int_eq(status, DPR_ERROR_INVALID_ARGUMENT);
	return DPR_OK;
}

static const struct attempt list[] = {
	{ "evaluate", try_evaluate },
	{ "functions", try_functions },
	{ "into", try_into },
	{ "apply", try_apply },
	{ "explain", try_explain },
	{ "define", try_define },
	{ "own functions", try_own },
	{ "refusals", try_refusals },
	{ "into higher", try_into_higher },
	{ "slices", try_slices },
#define DERIVED(name, form, expression, text) { #name, try_##name },
#include "kernels/derived.def"
#undef DERIVED
	{ "masked", try_masked },
	{ "std into", try_std_into },
	{ "written out", try_written_out },
};

int main(void)
{
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
