/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_masks.c - reductions with where= and initial= in expressions, and with
 * the members of dpr_axes in C, beside loops in C: masks of several shapes,
 * deferred masks, masks that choose nothing, small dtypes, and the texts of
 * errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define N0 4
#define N1 5
#define N2 6
#define N (N0 * N1 * N2)

/* The functions, with arguments.  PICK is the mask, and FROM the value with
   which a loop begins. */
enum { SUM, PROD, MEAN, MIN, MAX, ANY, ALL, VAR, STD };
static const struct {
	int of;
	double from;
	const char *text;
} functions[] = {
	{ SUM, 0, "sum(x, axis=%s, where=%s, keepdims=%s)" },
	{ MIN, 3, "min(x, axis=%s, where=%s, keepdims=%s, initial=3)" },
	{ STD, 1, "std(x, axis=%s, where=%s, keepdims=%s, correction=1)" },
	{ SUM, 7, "sum(x, axis=%s, where=%s, keepdims=%s, initial=7)" },
	{ PROD, 1, "prod(x, axis=%s, where=%s, keepdims=%s)" },
	{ PROD, 2, "prod(x, axis=%s, where=%s, keepdims=%s, initial=2)" },
	{ MEAN, 0, "mean(x, axis=%s, where=%s, keepdims=%s)" },
	{ MAX, -1, "max(x, axis=%s, where=%s, keepdims=%s, initial=-1)" },
	{ ANY, 0, "any(x, axis=%s, where=%s, keepdims=%s)" },
	{ ALL, 1, "all(x, axis=%s, where=%s, keepdims=%s)" },
	{ VAR, 0, "var(x, axis=%s, where=%s, keepdims=%s)" },
};
#define FUNCTIONS ((int)(sizeof(functions) / sizeof(functions[0])))

/* The function of the @n elements @v. */
static double of_elements(int f, const double *v, int n)
{
	double a = functions[f].from, sum = 0, apart = 0;

	for (int i = 0; i < n; i++)
		sum += v[i];
	for (int i = 0; i < n; i++)
		apart += (v[i] - sum / n) * (v[i] - sum / n);
	for (int i = 0; i < n; i++)
		switch (functions[f].of) {
		case SUM: a += v[i]; break;
		case PROD: a *= v[i]; break;
		case MIN: a = v[i] < a ? v[i] : a; break;
		case MAX: a = v[i] > a ? v[i] : a; break;
		case ANY: a = a || v[i] != 0; break;
		case ALL: a = a && v[i] != 0; break;
		}
	switch (functions[f].of) {
	case MEAN: return n ? sum / n : NAN;
	case VAR: return n ? apart / n : NAN;
	case STD: return n ? sqrt(apart / (n - 1 > 0 ? n - 1 : 0)) : NAN;
	}
	return a;
}

static const struct {
	const char *axis;
	int rank; /* of the result */
	bool reduced[3];
} axes[] = {
	{ "None", 0, { true, true, true } },
	{ "2", 2, { false, false, true } },
	{ "(0, 1)", 1, { true, true, false } },
	{ "-3", 2, { true, false, false } },
};

/* Apply function @f to the chosen elements.  Returns the number of results. */
static int loop(int f, int a, const double *v, const bool *chosen, double *out)
{
	const bool *reduced = axes[a].reduced;
	double part[N];
	int results = 0, n;

	for (int r = 0; r < N; r++) {
		const int at[] = { r / (N1 * N2), r / N2 % N1, r % N2 };

		/* The first element of each result stands for it. */
		if ((reduced[0] && at[0]) || (reduced[1] && at[1]) ||
		    (reduced[2] && at[2]))
			continue;
		n = 0;
		for (int i = 0; i < N; i++) {
			const int e[] = { i / (N1 * N2), i / N2 % N1, i % N2 };
			bool same = true;

			for (int d = 0; d < 3; d++)
				same &= reduced[d] || e[d] == at[d];
			if (same && chosen[i])
				part[n++] = v[i];
		}
		out[results++] = of_elements(f, part, n);
	}
	return results;
}

static int64_t read_doubles(const dpr_array *x, double *out)
{
	float single[N];
	dpr_array *floats;

	CHECK_OK(dpr_astype(x, DPR_FLOAT32, &floats));
	CHECK_OK(dpr_array_to_memory(floats, single, sizeof(single), NULL));
	dpr_array_release(floats);
	for (int64_t i = 0; i < dpr_array_size(x); i++)
		out[i] = (double)single[i];
	return dpr_array_size(x);
}

static bool is_near(double have, double want)
{
	return have == want || (isnan(have) && isnan(want)) ||
	       fabs(have - want) <= 1e-4 * (1 + fabs(want));
}

/* The axes @a with the mask @where, for a call of function @f. */
static dpr_axes axes_of(int f, int a, bool keep, const dpr_array *where,
			int list[3])
{
	dpr_axes some = { .keepdims = keep, .axis = a ? list : NULL };

	for (int d = 0; a && d < 3; d++)
		if (axes[a].reduced[d])
			list[some.count++] = d;
	some.where = where;
	if (strstr(functions[f].text, "initial"))
		some.initial = dpr_operand_int((long long)functions[f].from);
	return some;
}

/* Call function @f in C: into *@out, or if @out is NULL, into @to. */
static dpr_status call(int f, const dpr_array *x, const dpr_axes *some,
		       dpr_array **out, dpr_array *to)
{
	switch (functions[f].of) {
#define CALL(NAME, name, ...)                                     \
	case NAME:                                                \
		return out ? dpr_##name(x, some, __VA_ARGS__ out) \
			   : dpr_##name##_into(x, some, __VA_ARGS__ to);
		CALL(SUM, sum, )
		CALL(PROD, prod, )
		CALL(MEAN, mean, )
		CALL(MIN, min, )
		CALL(MAX, max, )
		CALL(ANY, any, )
		CALL(ALL, all, )
		CALL(VAR, var, 0, )
		CALL(STD, std, 1, )
#undef CALL
	}
	return DPR_ERROR_INTERNAL;
}

/* Compare the calls of function @f in C with @y, the result of its text. */
static void check_calls(int f, int a, bool keep, const dpr_array *x,
			const dpr_array *where, const dpr_array *y)
{
	int list[3];
	const dpr_axes some = axes_of(f, a, keep, where, list);
	double want[N], have[N];
	const int64_t n = read_doubles(y, want);
	dpr_array *made;

	for (int into = 0; into < 2; into++) {
		if (into)
			CHECK_OK(dpr_empty(dpr_shape_of(dpr_array_rank(y),
							dpr_array_shape(y)),
					   DPR_FLOAT32, test_queue, &made));
		CHECK_OK(call(f, x, &some, into ? NULL : &made, made));
		ck_assert_int_eq(dpr_array_rank(made), dpr_array_rank(y));
		ck_assert(into || dpr_array_dtype(made) == dpr_array_dtype(y));
		ck_assert_int_eq(read_doubles(made, have), n);
		for (int64_t i = 0; i < n; i++)
			ck_assert_msg(is_near(have[i], want[i]),
				      "%s from C: %g, not %g",
				      functions[f].text, have[i], want[i]);
		dpr_array_release(made);
	}
}

/* Compute function @f with the mask @mask, a text. */
static void check(int f, int a, const char *mask, dpr_array *x, dpr_array *m,
		  const bool *chosen, const double *v)
{
	const bool keep = (f + a) % 2;
	const bool takes_m = strchr(mask, 'm') != NULL;
	double want[N], have[N];
	const int n = loop(f, a, v, chosen, want);
	char text[200];
	dpr_array *y, *where = NULL;
	int far = 0;

	/* The format is one of the table. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), functions[f].text, axes[a].axis, mask,
		 keep ? "True" : "False");
#pragma GCC diagnostic pop
	if (takes_m)
		CHECK_OK(dpr_evaluate(text, NULL, &y, "x", x, "m", m));
	else
		CHECK_OK(dpr_evaluate(text, NULL, &y, "x", x));
	ck_assert_int_eq(dpr_array_rank(y), keep ? 3 : axes[a].rank);
	ck_assert_msg(read_doubles(y, have) == n, "%s", text);
	for (int i = 0; i < n; i++)
		far += !is_near(have[i], want[i]);
	ck_assert_msg(!far, "%s: %g, not %g", text, have[0], want[0]);
	/* Without a mask all elements are chosen. */
	if (takes_m)
		CHECK_OK(dpr_evaluate(mask, NULL, &where, "m", m));
	else if (strchr(mask, 'x'))
		CHECK_OK(dpr_evaluate(mask, NULL, &where, "x", x));
	check_calls(f, a, keep, x, where, y);
	dpr_array_release(where);
	dpr_array_release(y);
}

/* The elements, of which some are 0. */
static dpr_array *make_x(double *v)
{
	float single[N];
	dpr_array *x;

	for (int i = 0; i < N; i++)
		v[i] = single[i] = (float)(i * 37 % 23) / 8 - 1;
	CHECK_OK(dpr_array_from_memory(single, DPR_SHAPE(N0, N1, N2), NULL,
				       DPR_FLOAT32, test_queue, &x));
	return x;
}

/* Masks as arrays of three shapes, and masks that a kernel computes. */
START_TEST(masks)
{
	bool all[N], chosen[N];
	double v[N];
	dpr_array *x, *m, *column, *row;

	if (leaves_out(_i, 4))
		return;
	x = make_x(v);
	for (int i = 0; i < N; i++)
		all[i] = i * 7 % 5 < 2 && i / N2 != 3;
	CHECK_OK(dpr_array_from_memory(all, DPR_SHAPE(N0, N1, N2), NULL,
				       DPR_BOOL, test_queue, &m));
	CHECK_OK(dpr_array_from_memory(all, DPR_SHAPE(N1, 1), NULL, DPR_BOOL,
				       test_queue, &column));
	CHECK_OK(dpr_array_from_memory(all, DPR_SHAPE(N2), NULL, DPR_BOOL,
				       test_queue, &row));
	for (int a = 0; a < 4; a++) {
		check(_i, a, "m", x, m, all, v);
		for (int i = 0; i < N; i++)
			chosen[i] = all[i % N2];
		check(_i, a, "m", x, row, chosen, v);
		if (takes_few())
			continue;
		check(_i, a, "~~m", x, row, chosen, v);
		for (int i = 0; i < N; i++)
			chosen[i] = all[i / N2 % N1];
		check(_i, a, "m", x, column, chosen, v);
		for (int i = 0; i < N; i++)
			chosen[i] = v[i] > 0.5;
		check(_i, a, "x > 0.5", x, m, chosen, v);
		memset(chosen, 1, sizeof(chosen));
		check(_i, a, "True", x, m, chosen, v);
		memset(chosen, 0, sizeof(chosen));
		check(_i, a, "x > 100", x, m, chosen, v);
	}
	dpr_array_release(row);
	dpr_array_release(column);
	dpr_array_release(m);
	dpr_array_release(x);
}
END_TEST

/* --- Dtypes -------------------------------------------------------------- */

static const struct {
	const char *text;
	dpr_dtype x, result; /* result: DEFAULT is the device's float */
	double want;
} typed[] = {
	/* The elements are 0, 1, ... 11. */
	{ "sum(x, where=x > 5)", DPR_INT8, DPR_INT64, 51 },
	{ "sum(x, initial=300)", DPR_UINT8, DPR_UINT64, 366 },
	{ "sum(x, where=x > 5, dtype=float32, initial=0.5)", DPR_INT8,
	  DPR_FLOAT32, 51.5 },
	{ "min(x, where=x > 5, initial=9)", DPR_INT16, DPR_INT16, 6 },
	{ "max(x, where=x > 50, initial=-9)", DPR_INT16, DPR_INT16, -9 },
	{ "max(x, initial=inf)", DPR_FLOAT16, DPR_FLOAT16, INFINITY },
	{ "mean(x, where=x > 5)", DPR_UINT8, DPR_DTYPE_DEFAULT, 8.5 },
	{ "mean(x, where=x > 5)", DPR_FLOAT16, DPR_FLOAT16, 8.5 },
	{ "var(x, where=x > 9)", DPR_FLOAT16, DPR_FLOAT16, 0.25 },
	{ "std(x, where=x > 9)", DPR_INT32, DPR_DTYPE_DEFAULT, 0.5 },
	{ "nanvar(where(x > 7, x, nan), where=x != 8)", DPR_FLOAT32,
	  DPR_FLOAT32, 2 / 3.0 },
	{ "nanstd(where(x > 9, x, nan), where=x > 2)", DPR_FLOAT32, DPR_FLOAT32,
	  0.5 },
	{ "nansum(where(x > 7, x, nan), where=x != 9)", DPR_FLOAT32,
	  DPR_FLOAT32, 8 + 10 + 11 },
	{ "nanmean(where(x > 7, x, nan), where=x != 8)", DPR_FLOAT16,
	  DPR_FLOAT16, 10 },
	{ "nanmin(where(x > 7, x, nan), where=x != 8)", DPR_FLOAT32,
	  DPR_FLOAT32, 9 },
	{ "nanmax(where(x > 7, nan, x), where=x != 7)", DPR_FLOAT32,
	  DPR_FLOAT32, 6 },
	{ "nanmax(x, where=x > 20)", DPR_INT32, DPR_DTYPE_DEFAULT, NAN },
	{ "nansum(x, where=x > 9)", DPR_INT32, DPR_INT64, 21 },
	{ "any(x, where=x == 0)", DPR_INT32, DPR_BOOL, 0 },
	{ "all(x, where=x > 0)", DPR_BOOL, DPR_BOOL, 1 },
	{ "sum(x, where=x)", DPR_BOOL, DPR_INT64, 11 },
	{ "real(mean(x, where=real(x) > 5))", DPR_COMPLEX64, DPR_FLOAT32, 8.5 },
	{ "var(x*1j, where=real(x) > 9)", DPR_COMPLEX64, DPR_FLOAT32, 0.25 },
	{ "astype(sum(3, where=True), float32) + x[0]", DPR_FLOAT32,
	  DPR_FLOAT32, 3 },
	{ "sum(sum(x, where=x > 9), where=x[1] > 0)", DPR_FLOAT32, DPR_FLOAT32,
	  21 },
	{ "d = where(x > 9, x, nan); sum(d, where=d == d)", DPR_FLOAT32,
	  DPR_FLOAT32, 21 },
};
#define TYPED ((int)(sizeof(typed) / sizeof(typed[0])))

static dpr_array *count_to(int n, dpr_dtype dtype)
{
	dpr_array *numbers, *x;

	CHECK_OK(dpr_arange(0, n, 1, DPR_INT32, test_queue, &numbers));
	CHECK_OK(dpr_astype(numbers, dtype, &x));
	dpr_array_release(numbers);
	return x;
}

START_TEST(dtypes)
{
	const dpr_dtype result = typed[_i].result
					 ? typed[_i].result
					 : dpr_dtype_default(test_device, 'f');
	dpr_array *x, *y;
	double have;

	if (leaves_out(_i, 4))
		return;
	x = count_to(12, typed[_i].x);
	CHECK_OK(dpr_evaluate(typed[_i].text, NULL, &y, "x", x));
	ck_assert_int_eq(dpr_array_dtype(y), result);
	ck_assert_int_eq(read_doubles(y, &have), 1);
	ck_assert_msg(is_near(have, typed[_i].want), "%s: %g, not %g",
		      typed[_i].text, have, typed[_i].want);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* Without elements, the result is `initial`. */
START_TEST(initial_of_nothing)
{
	static const char *const texts[] = {
		"min(x, axis=1, initial=7)",
		"max(x, axis=1, initial=7, where=x > 1)",
		"sum(x, axis=1, initial=7)",
		"prod(x, axis=1, initial=7)",
	};
	dpr_array *x, *y;
	double have[3];

	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 0), DPR_FLOAT32, test_queue, &x));
	for (int i = 0; i < 4; i++) {
		CHECK_OK(dpr_evaluate(texts[i], NULL, &y, "x", x));
		ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
		ck_assert_int_eq(dpr_array_rank(y), 1);
		ck_assert_int_eq(read_doubles(y, have), 3);
		ck_assert(have[0] == 7 && have[2] == 7);
		dpr_array_release(y);
	}
	dpr_array_release(x);
}
END_TEST

/* --- Errors -------------------------------------------------------------- */

static const struct {
	const char *text;
	dpr_status status;
	const char *says; /* behind "expression, " */
} faults[] = {
	{ "min(x, where=x > 3)", DPR_ERROR_INVALID_ARGUMENT,
	  "column 1: min: a call with where needs initial, the result where no "
	  "element is chosen" },
	{ "sum(x, where=x)", DPR_ERROR_DTYPE,
	  "column 1: sum: where is int16, not bool; write where=(m != 0)" },
	{ "mean(x, where=None)", DPR_ERROR_INVALID_ARGUMENT,
	  "column 1: mean: where is not an array of bool" },
	{ "std(x[0], where=x > 1)", DPR_ERROR_SHAPE,
	  "column 1: std: broadcast to: shape (12,) does not broadcast to (); "
	  "where must broadcast to the shape of x" },
	{ "1 + sum(x, where=x > 1, axis=3)", DPR_ERROR_INDEX,
	  "column 5: sum: there is no axis 3 in an array of 1 axes" },
	{ "sum(x, initial=0.5)", DPR_ERROR_DTYPE,
	  "column 16: sum: initial is no int64, which the result is; cast x to "
	  "a dtype that has it" },
	{ "min(x, initial=100000)", DPR_ERROR_OVERFLOW,
	  "column 1: min: 100000 is out of the range of int16" },
	{ "max(x, initial=x[0])", DPR_ERROR_INVALID_ARGUMENT,
	  "column 17: max: initial is not a number" },
	{ "any(x, initial=3)", DPR_ERROR_INVALID_ARGUMENT,
	  "column 8: any has no argument 'initial'; its arguments: x, axis, "
	  "keepdims, where" },
	{ "ptp(x, where=x > 1)", DPR_ERROR_INVALID_ARGUMENT,
	  "column 8: ptp has no argument 'where'; its arguments: x, axis, "
	  "keepdims" },
	{ "inside(x > 1, x)", DPR_ERROR_INVALID_ARGUMENT, "column 1: " },
};
#define FAULTS ((int)(sizeof(faults) / sizeof(faults[0])))

START_TEST(errors)
{
	dpr_array *x = count_to(12, DPR_INT16), *y = x;

	for (int i = 0; i < FAULTS; i++) {
		const char *text = dpr_last_error();
		const dpr_status status =
			dpr_evaluate(faults[i].text, NULL, &y, "x", x);

		text = dpr_last_error();
		ck_assert_msg(status == faults[i].status &&
				      !strncmp(text, "expression, ", 12) &&
				      !strncmp(text + 12, faults[i].says,
					       strlen(faults[i].says)),
			      "%s: %s: %s", faults[i].text,
			      dpr_status_name(status), text);
		ck_assert_ptr_null(y);
	}
	dpr_array_release(x);
}
END_TEST

/* The macros of dpr/reduce.h, and calls that only C has. */
START_TEST(in_c)
{
	dpr_array *x = count_to(12, DPR_INT8), *mask, *y, *sum;
	const dpr_axes zeros = { .keepdims = 1 };
	double have[12];

	CHECK_OK(dpr_greater(x, 7, &mask));
	CHECK_OK(dpr_sum(x, DPR_WHERE(mask, NULL), &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 8 + 9 + 10 + 11);
	ck_assert_int_eq(dpr_array_rank(y), 0);
	dpr_array_release(y);
	CHECK_OK(dpr_max(x, DPR_WHERE(mask, DPR_INITIAL(100, DPR_AXES_KEPT(0))),
			 &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 100);
	ck_assert_int_eq(dpr_array_rank(y), 1);
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT8);
	dpr_array_release(y);
	CHECK_OK(dpr_min(x, DPR_INITIAL(-5, DPR_AXES(-1)), &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == -5);
	dpr_array_release(y);
	CHECK_OK(dpr_sum_as(x, DPR_INITIAL(0.5, DPR_AXES_KEPT(0)), DPR_FLOAT32,
			    &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 66.5);
	ck_assert_int_eq(dpr_array_rank(y), 1);
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	CHECK_OK(dpr_sum_into(x, DPR_INITIAL(2, DPR_ALL_KEPT), y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 68);
	dpr_array_release(y);
	CHECK_OK(dpr_array_view(x, &sum, DPR_SLICE(4, 4, 1)));
	CHECK_OK(dpr_max(sum, DPR_INITIAL(3, NULL), &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 3);
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT8);
	dpr_array_release(y);
	dpr_array_release(sum);
	CHECK_OK(dpr_prod(x, DPR_WHERE(mask, DPR_ALL_KEPT), &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 7920);
	ck_assert_int_eq(dpr_array_rank(y), 1);
	dpr_array_release(y);
	CHECK_OK(dpr_sum_as(x, DPR_WHERE(mask, DPR_INITIAL(0.5, NULL)),
			    DPR_FLOAT32, &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 38.5);
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	dpr_array_release(y);
	CHECK_OK(dpr_sum(x, &zeros, &y));
	ck_assert(read_doubles(y, have) == 1 && have[0] == 66);
	dpr_array_release(y);
	/* The result may be the argument of the call, or its mask. */
	CHECK_OK(dpr_array_view(x, &y, DPR_SLICE(3, 4, 1)));
	CHECK_OK(dpr_sum_into(x, DPR_WHERE(mask, DPR_ALL_KEPT), y));
	ck_assert_int_eq(read_doubles(x, have), 12);
	ck_assert(have[3] == 38 && have[4] == 4);
	dpr_array_release(y);
	CHECK_OK(dpr_array_view(mask, &sum, DPR_AT(0)));
	CHECK_OK(dpr_any_into(x, DPR_WHERE(mask, NULL), sum));
	ck_assert(read_doubles(mask, have) == 12 && have[0] == 1);
	dpr_array_release(sum);
	dpr_array_release(mask);
	dpr_array_release(x);
}
END_TEST

/* Fails with @says. */
static void expect_fault(dpr_status have, dpr_status want, const char *says)
{
	ck_assert_msg(have == want && !strcmp(dpr_last_error(), says), "%s: %s",
		      dpr_status_name(have), dpr_last_error());
}

START_TEST(errors_in_c)
{
	dpr_array *x = count_to(12, DPR_INT16), *m, *y = x;
	const dpr_axes array = { .initial = dpr_operand_array(x) };
	const dpr_status bad = DPR_ERROR_INVALID_ARGUMENT;

	CHECK_OK(dpr_greater(x, 7, &m));
	expect_fault(dpr_argmax(x, DPR_WHERE(m, NULL), &y), bad,
		     "argmax: does not take a mask; axis->where must be NULL");
	ck_assert_ptr_null(y);
	expect_fault(dpr_softmax(x, DPR_WHERE(m, NULL), &y), bad,
		     "softmax: does not take a mask; axis->where must be NULL");
	expect_fault(dpr_vector_norm(x, DPR_WHERE(m, NULL), 2, &y), bad,
		     "vector_norm: does not take a mask; axis->where must be "
		     "NULL");
	expect_fault(dpr_average(x, DPR_WHERE(m, NULL), NULL, &y), bad,
		     "average: does not take a mask; axis->where must be NULL");
	expect_fault(dpr_squeeze(x, DPR_WHERE(m, NULL), &y), bad,
		     "squeeze: does not take a mask; axis->where must be NULL");
	expect_fault(dpr_any(x, DPR_INITIAL(1, NULL), &y), bad,
		     "any: does not take an initial number; axis->initial must "
		     "be zeros");
	expect_fault(dpr_var(x, DPR_WHERE(m, DPR_INITIAL(1, NULL)), 0, &y), bad,
		     "var: does not take an initial number; axis->initial must "
		     "be zeros");
	expect_fault(dpr_sum(x, &array, &y), bad,
		     "sum: initial is not a number");
	expect_fault(dpr_min(x, DPR_WHERE(m, NULL), &y), bad,
		     "min: a call with where needs initial, the result where "
		     "no element is chosen");
	expect_fault(dpr_sum(x, DPR_WHERE(x, NULL), &y), DPR_ERROR_DTYPE,
		     "sum: where is int16, not bool; write where=(m != 0)");
	expect_fault(dpr_sum(x, DPR_WHERE(m, DPR_AXES(1)), &y), DPR_ERROR_INDEX,
		     "sum: there is no axis 1 in an array of 1 axes");
	expect_fault(dpr_sum(x, DPR_INITIAL(0.5, NULL), &y), DPR_ERROR_DTYPE,
		     "sum: initial is no int64, which the result is; cast x to "
		     "a dtype that has it");
	expect_fault(dpr_sum_into(NULL, DPR_WHERE(m, NULL), x), bad,
		     "sum: the array is NULL");
	expect_fault(dpr_sum_as(x, DPR_WHERE(m, NULL), (dpr_dtype)99, &y),
		     DPR_ERROR_DTYPE, "sum: 99 is not a dtype");
	ck_assert_ptr_null(y);
	dpr_array_release(m);
	dpr_array_release(x);
}
END_TEST

/* A function of the program may take a mask. */
START_TEST(in_definitions)
{
	dpr_array *x = count_to(12, DPR_FLOAT32), *y;
	double have;

	CHECK_OK(dpr_expression_define(
		"centre(x, where) = x - mean(x, where=where)"));
	CHECK_OK(dpr_evaluate("max(centre(x, x > 5), where=x < 8, initial=-9)",
			      NULL, &y, "x", x));
	CHECK_OK(dpr_expression_undefine("centre"));
	ck_assert_int_eq(read_doubles(y, &have), 1);
	ck_assert(have == -1.5);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* A value that an earlier step has computed is used, not computed again. */
START_TEST(computed_before)
{
	dpr_array *x = count_to(12, DPR_FLOAT32), *y;
	double have;

	CHECK_OK(dpr_evaluate("e = exp(x - 11); r = reshape(e + 1, 12);"
			      "m = e > 0.1; q = reshape(~m, 12);"
			      "sum(r, where=q) + 0*var(e, where=m) + 0*std(e)",
			      NULL, &y, "x", x));
	ck_assert_int_eq(read_doubles(y, &have), 1);
	ck_assert_msg(is_near(have, 9 + 0.0787), "%g", have);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

static Suite *masked(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("masked");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, masks, 0, FUNCTIONS);
	tcase_add_loop_test(tcase, dtypes, 0, TYPED);
	tcase_add_test(tcase, initial_of_nothing);
	tcase_add_test(tcase, errors);
	tcase_add_test(tcase, in_c);
	tcase_add_test(tcase, errors_in_c);
	tcase_add_test(tcase, in_definitions);
	tcase_add_test(tcase, computed_before);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	int failed = run_on_selected(masked, NULL);

	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}
