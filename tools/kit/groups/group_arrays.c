/* SPDX-License-Identifier: Apache-2.0 */
/* group_arrays.c - arrays on the devices of the plugin, through the public API:
   their values are those of plain C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/arrays.h"
#include "tools/kit/groups/groups.h"

typedef struct arrays_number number;

/* Not a multiple of a work-group, and several of them. */
#define COUNT 1003
/* Two axes, neither of which is a multiple of anything. */
#define ROWS 61
#define COLUMNS 47

static number real(double value)
{
	return (number){ value, 0 };
}

/* --- Memory of the host -----------------------------------------------------
 */

struct operand {
	dpr_dtype dtype;
	int salt;
	int64_t first, step; /* element i of a result is first + i * step */
};

static number same_value(int64_t i, const void *user)
{
	const struct operand *x = user;

	return arrays_value(x->dtype, x->first + i * x->step, x->salt);
}

/* Elements of every dtype come back as they were. */
static void host_on(const struct arrays *on)
{
	static const struct {
		dpr_dtype dtype;
		const char *name;
	} all[] = {
#define GROUP_ARRAYS__X(NAME, name, value, size, kind) { DPR_##NAME, #name },
		DPR_DTYPE_MAP(GROUP_ARRAYS__X)
#undef GROUP_ARRAYS__X
	};
	struct operand want = { DPR_DTYPE_DEFAULT, 3, 0, 1 };
	dpr_array *x;
	size_t i;

	for (i = 0; i < KIT_COUNT(all); i++) {
		want.dtype = all[i].dtype;
		x = arrays_make(on, want.dtype, DPR_SHAPE(COUNT), 3);
		arrays_step(on, "dpr_array_to_memory", "%s, %d elements",
			    all[i].name, COUNT);
		arrays_check(x, "Q8", 0, same_value, &want);
	}
}

static void host(struct kit *kit)
{
	arrays_each(kit, false, host_on);
}

/* Large arrays, which may take another way than small ones. */
static void large_on(const struct arrays *on)
{
	const int64_t count = (INT64_C(9) << 20) + 5;
	const struct operand want = { DPR_UINT8, 1, 0, 1 };
	dpr_array *x, *y;

	x = arrays_make(on, DPR_UINT8, DPR_SHAPE(count), 1);
	arrays_step(on, "dpr_array_to_memory", "uint8, %lld elements",
		    (long long)count);
	arrays_check(dpr_array_retain(x), "Q8", 0, same_value, &want);
	if (!note_found()) {
		ARRAYS_CALL(on, dpr_copy(x, &y), "dpr_copy",
			    "uint8, %lld elements", (long long)count);
		arrays_check(y, "Q9", 0, same_value, &want);
	}
	dpr_array_release(x);
}

static void large(struct kit *kit)
{
	arrays_each(kit, false, large_on);
}

static number constant(int64_t i, const void *user)
{
	(void)i;
	return *(const number *)user;
}

static number counted(int64_t i, const void *user)
{
	(void)user;
	return real(3 + 2 * (double)i);
}

static number diagonal(int64_t i, const void *user)
{
	(void)user;
	return real(i / COLUMNS + 2 == i % COLUMNS);
}

/* Arrays that the device fills itself. */
static void creation_on(const struct arrays *on)
{
	const number zero = { 0, 0 }, seven = { 7, 0 };
	dpr_array *x;

	ARRAYS_CALL(on, dpr_zeros(DPR_SHAPE(COUNT), DPR_INT16, on->queue, &x),
		    "dpr_zeros", "int16, %d elements", COUNT);
	arrays_check(x, "Q12", 0, constant, &zero);
	ARRAYS_CALL(on,
		    dpr_full(DPR_SHAPE(ROWS, COLUMNS), 7, DPR_FLOAT32,
			     on->queue, &x),
		    "dpr_full", "float32, shape (%d, %d)", ROWS, COLUMNS);
	arrays_check(x, "Q12", 0, constant, &seven);
	ARRAYS_CALL(on,
		    dpr_arange(3, 3 + 2 * COUNT, 2, DPR_INT32, on->queue, &x),
		    "dpr_arange", "int32, %d elements", COUNT);
	arrays_check(x, "Q10", 0, counted, NULL);
	ARRAYS_CALL(on, dpr_eye(ROWS, COLUMNS, 2, DPR_FLOAT32, on->queue, &x),
		    "dpr_eye", "float32, shape (%d, %d)", ROWS, COLUMNS);
	arrays_check(x, "Q10", 0, diagonal, NULL);
}

static void creation(struct kit *kit)
{
	arrays_each(kit, true, creation_on);
}

/* --- Elementwise functions --------------------------------------------------
 */

static number add_values(int64_t i, const void *user)
{
	const dpr_dtype dtype = *(const dpr_dtype *)user;
	const number x = arrays_value(dtype, i, 0);
	const number y = arrays_value(dtype, i, 1);

	if (dpr_dtype_kind(dtype) == 'b')
		return real(x.re || y.re);
	return (number){ x.re + y.re, x.im + y.im };
}

static number multiply_values(int64_t i, const void *user)
{
	const dpr_dtype dtype = *(const dpr_dtype *)user;
	const number x = arrays_value(dtype, i, 0);
	const number y = arrays_value(dtype, i, 1);

	return (number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

static number equal_values(int64_t i, const void *user)
{
	const dpr_dtype dtype = *(const dpr_dtype *)user;
	const number x = arrays_value(dtype, i, 0);
	const number y = arrays_value(dtype, i, 1);

	return real(x.re == y.re && x.im == y.im);
}

/* Functions that every dtype has, on whole numbers. */
static void functions_of_dtype(const struct arrays *on, dpr_dtype dtype)
{
	const char *name = dpr_dtype_name(dtype);
	dpr_array *x, *y, *z;

	x = arrays_make(on, dtype, DPR_SHAPE(COUNT), 0);
	y = arrays_make(on, dtype, DPR_SHAPE(COUNT), 1);
	ARRAYS_CALL(on, dpr_add(x, y, &z), "dpr_add", "%s, %d elements", name,
		    COUNT);
	arrays_check(z, "Q10", 0, add_values, &dtype);
	ARRAYS_CALL(on, dpr_multiply(x, y, &z), "dpr_multiply",
		    "%s, %d elements", name, COUNT);
	arrays_check(z, "Q10", 0, multiply_values, &dtype);
	dpr_array_release(x);
	dpr_array_release(y);
}

/* Each family of functions and each dtype has a module of its own, which takes
   long to compile: so not all dtypes are compared. */
static void comparison(const struct arrays *on, dpr_dtype dtype)
{
	dpr_array *x, *y, *z;

	x = arrays_make(on, dtype, DPR_SHAPE(COUNT), 0);
	y = arrays_make(on, dtype, DPR_SHAPE(COUNT), 1);
	ARRAYS_CALL(on, dpr_equal(x, y, &z), "dpr_equal", "%s, %d elements",
		    dpr_dtype_name(dtype), COUNT);
	arrays_check(z, "Q10", 0, equal_values, &dtype);
	dpr_array_release(x);
	dpr_array_release(y);
}

/* The dtypes from @first to @last. */
static void dtypes_on(const struct arrays *on, dpr_dtype first, dpr_dtype last)
{
	dpr_dtype dtype;

	for (dtype = first; dtype <= last; dtype++)
		if (dpr_dtype_computes(on->device, dtype))
			functions_of_dtype(on, dtype);
}

static void integers_on(const struct arrays *on)
{
	dtypes_on(on, DPR_BOOL, DPR_UINT64);
	comparison(on, DPR_UINT8);
}

static void integers(struct kit *kit)
{
	arrays_each(kit, true, integers_on);
}

static void floats_on(const struct arrays *on)
{
	dtypes_on(on, DPR_FLOAT16, DPR_COMPLEX128);
	comparison(on, DPR_FLOAT32);
}

static void floats(struct kit *kit)
{
	arrays_each(kit, true, floats_on);
}

/* --- Functions that are not exact -------------------------------------------
 */

/* Positive numbers that float32 holds. */
static double argument(int64_t i, int salt)
{
	return 0.25 + (double)((i * 7 + salt * 31) % 97) * 0.125;
}

struct function {
	const char *name;
	dpr_status (*one)(dpr_operand x, dpr_array **out);
	dpr_status (*two)(dpr_operand x, dpr_operand y, dpr_array **out);
	double (*c_one)(double x);
	double (*c_two)(double x, double y);
	double ulps;
};

static double quotient(double x, double y)
{
	return x / y;
}

/* OpenCL allows 3 ulp for a square root in float32, and 2.5 for a quotient. */
static const struct function functions[] = {
	{ "dpr_sqrt", dpr_sqrt, NULL, sqrt, NULL, 3 },
	{ "dpr_floor", dpr_floor, NULL, floor, NULL, 0 },
	{ "dpr_round", dpr_round, NULL, rint, NULL, 0 },
	{ "dpr_exp", dpr_exp, NULL, exp, NULL, 4 },
	{ "dpr_log", dpr_log, NULL, log, NULL, 4 },
	{ "dpr_sin", dpr_sin, NULL, sin, NULL, 4 },
	{ "dpr_cos", dpr_cos, NULL, cos, NULL, 4 },
	{ "dpr_tanh", dpr_tanh, NULL, tanh, NULL, 4 },
	{ "dpr_divide", NULL, dpr_divide, NULL, quotient, 3 },
	{ "dpr_maximum", NULL, dpr_maximum, NULL, fmax, 0 },
	{ "dpr_pow", NULL, dpr_pow, NULL, pow, 4 },
	{ "dpr_hypot", NULL, dpr_hypot, NULL, hypot, 4 },
	{ "dpr_atan2", NULL, dpr_atan2, NULL, atan2, 4 },
};

static number function_value(int64_t i, const void *user)
{
	const struct function *f = user;
	const double x = argument(i, 0);

	return real(f->one ? f->c_one(x) : f->c_two(x, argument(i, 1)));
}

static dpr_array *arguments(const struct arrays *on, dpr_dtype dtype, int salt)
{
	void *bytes = arrays_bytes(COUNT * dpr_dtype_size(dtype));
	dpr_array *x;
	int64_t i;

	for (i = 0; i < COUNT; i++)
		arrays_store(dtype, bytes, i, real(argument(i, salt)));
	ARRAYS_CALL(on,
		    dpr_array_from_memory(bytes, DPR_SHAPE(COUNT), NULL, dtype,
					  on->queue, &x),
		    "dpr_array_from_memory", "%s", dpr_dtype_name(dtype));
	free(bytes);
	return x;
}

static void functions_on(const struct arrays *on)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_FLOAT64 };
	dpr_array *x, *y, *z;
	size_t i, k;

	for (k = 0; k < KIT_COUNT(dtypes); k++) {
		if (!dpr_dtype_computes(on->device, dtypes[k]))
			continue;
		x = arguments(on, dtypes[k], 0);
		y = arguments(on, dtypes[k], 1);
		for (i = 0; i < KIT_COUNT(functions); i++) {
			const struct function *f = &functions[i];

			ARRAYS_CALL(on,
				    f->one ? f->one(DPR_OPERAND(x), &z)
					   : f->two(DPR_OPERAND(x),
						    DPR_OPERAND(y), &z),
				    f->name, "%s", dpr_dtype_name(dtypes[k]));
			arrays_check(z, "Q10", f->ulps, function_value, f);
		}
		dpr_array_release(x);
		dpr_array_release(y);
	}
}

static void function(struct kit *kit)
{
	arrays_each(kit, true, functions_on);
}

/* --- Casts ------------------------------------------------------------------
 */

static number cast_value(int64_t i, const void *user)
{
	const dpr_dtype *dtype = user;
	number x = arrays_value(dtype[0], i, 2);

	if (dpr_dtype_kind(dtype[1]) == 'b')
		return real(x.re != 0);
	return x;
}

/* From each dtype to the next that holds its values, and from int32 to all. */
static void casts_on(const struct arrays *on)
{
	static const dpr_dtype pairs[][2] = {
		{ DPR_INT32, DPR_BOOL },      { DPR_INT32, DPR_INT8 },
		{ DPR_INT32, DPR_FLOAT16 },   { DPR_INT32, DPR_FLOAT32 },
		{ DPR_INT32, DPR_COMPLEX64 }, { DPR_BOOL, DPR_INT64 },
		{ DPR_INT8, DPR_INT64 },

		{ DPR_FLOAT16, DPR_FLOAT32 }, { DPR_BFLOAT16, DPR_FLOAT32 },
		{ DPR_FLOAT32, DPR_INT32 },   { DPR_FLOAT32, DPR_BFLOAT16 },
		{ DPR_FLOAT32, DPR_FLOAT64 }, { DPR_FLOAT64, DPR_INT16 },
		{ DPR_UINT64, DPR_FLOAT64 },
	};
	dpr_array *x, *y;
	size_t i;

	for (i = 0; i < KIT_COUNT(pairs); i++) {
		if (!dpr_dtype_computes(on->device, pairs[i][0]) ||
		    !dpr_dtype_computes(on->device, pairs[i][1]))
			continue;
		x = arrays_make(on, pairs[i][0], DPR_SHAPE(COUNT), 2);
		ARRAYS_CALL(on, dpr_astype(x, pairs[i][1], &y), "dpr_astype",
			    "%s to %s", dpr_dtype_name(pairs[i][0]),
			    dpr_dtype_name(pairs[i][1]));
		arrays_check(y, "Q10", 0, cast_value, pairs[i]);
		dpr_array_release(x);
	}
}

static void casts(struct kit *kit)
{
	arrays_each(kit, true, casts_on);
}

/* --- Layouts ----------------------------------------------------------------
 */

/* Element (@row, @column) of an operand of ROWS x COLUMNS. */
static double cell(int64_t row, int64_t column, int salt)
{
	return arrays_value(DPR_FLOAT32, row * COLUMNS + column, salt).re;
}

static number turned_sum(int64_t i, const void *user)
{
	const int64_t row = i / ROWS, column = i % ROWS;

	(void)user;
	return real(cell(column, row, 0) + arrays_value(DPR_FLOAT32, i, 1).re);
}

/* A transposed operand beside one that is not. */
static void turned(const struct arrays *on)
{
	dpr_array *x, *y, *t, *z;

	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, COLUMNS), 0);
	y = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(COLUMNS, ROWS), 1);
	arrays_need(dpr_matrix_transpose(x, &t));
	ARRAYS_CALL(on, dpr_add(t, y, &z), "dpr_add",
		    "float32, a transposed operand, shape (%d, %d)", COLUMNS,
		    ROWS);
	arrays_check(z, "Q10", 0, turned_sum, NULL);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(t);
}

enum { VIEW_ROWS = 28, VIEW_COLUMNS = 15 };

static number view_value(int64_t i, const void *user)
{
	const int64_t row = i / VIEW_COLUMNS, column = i % VIEW_COLUMNS;

	(void)user;
	return real(-cell(56 - 2 * row, 2 + 3 * column, 0));
}

static number view_as_is(int64_t i, const void *user)
{
	return real(-view_value(i, user).re);
}

/* Every second row backwards, and every third column from the third on. */
static void stepped(const struct arrays *on)
{
	dpr_array *x, *view, *z;

	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, COLUMNS), 0);
	arrays_need(dpr_array_view(x, &view, DPR_SLICE(56, 0, -2),
				   DPR_SLICE(2, DPR_OPEN, 3)));
	ARRAYS_CALL(on, dpr_negative(view, &z), "dpr_negative",
		    "float32, x[56:0:-2, 2::3] of shape (%d, %d)", ROWS,
		    COLUMNS);
	arrays_check(z, "Q10", 0, view_value, NULL);
	arrays_step(on, "dpr_array_to_memory", "float32, x[56:0:-2, 2::3]");
	arrays_check(view, "Q8", 0, view_as_is, NULL);
	dpr_array_release(x);
}

static number written_value(int64_t i, const void *user)
{
	const int64_t row = i / COLUMNS, column = i % COLUMNS;
	const bool inside =
		row >= 5 && row < 50 && !((row - 5) % 4) && column >= 1;

	(void)user;
	return real(inside ? 100 : cell(row, column, 0));
}

/* A view is written; what is between its elements stays. */
static void written(const struct arrays *on)
{
	dpr_array *x, *view;

	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, COLUMNS), 0);
	arrays_need(dpr_array_view(x, &view, DPR_SLICE(5, 50, 4),
				   DPR_SLICE(1, DPR_OPEN, 1)));
	ARRAYS_CALL(on, dpr_copy_into(view, 100), "dpr_copy_into",
		    "float32, x[5:50:4, 1:] = 100");
	dpr_array_release(view);
	arrays_check(x, "Q10", 0, written_value, NULL);
}

static number spread_product(int64_t i, const void *user)
{
	(void)user;
	return real(arrays_value(DPR_FLOAT32, i / COLUMNS, 0).re *
		    arrays_value(DPR_FLOAT32, i % COLUMNS, 1).re);
}

static void spread(const struct arrays *on)
{
	dpr_array *x, *y, *z;

	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, 1), 0);
	y = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(COLUMNS), 1);
	ARRAYS_CALL(on, dpr_multiply(x, y, &z), "dpr_multiply",
		    "float32, shapes (%d, 1) and (%d)", ROWS, COLUMNS);
	arrays_check(z, "Q10", 0, spread_product, NULL);
	dpr_array_release(x);
	dpr_array_release(y);
}

/* A view of single bytes, whose start is aligned to nothing. */
static void odd_start(const struct arrays *on)
{
	const struct operand want = { DPR_UINT8, 0, 3, 2 };
	dpr_array *x, *view, *z;

	x = arrays_make(on, DPR_UINT8, DPR_SHAPE(COUNT), 0);
	arrays_need(dpr_array_view(x, &view, DPR_SLICE(3, DPR_OPEN, 2)));
	ARRAYS_CALL(on, dpr_add(view, 0, &z), "dpr_add", "uint8, x[3::2] + 0");
	arrays_check(z, "Q10", 0, same_value, &want);
	dpr_array_release(view);
	dpr_array_release(x);
}

static number chosen(int64_t i, const void *user)
{
	(void)user;
	if (arrays_value(DPR_BOOL, i, 2).re)
		return real(arrays_value(DPR_FLOAT32, i / COLUMNS, 0).re);
	return real(2.5);
}

static void where(const struct arrays *on)
{
	dpr_array *condition, *x, *z;

	condition = arrays_make(on, DPR_BOOL, DPR_SHAPE(ROWS, COLUMNS), 2);
	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, 1), 0);
	ARRAYS_CALL(on, dpr_where(condition, x, 2.5, &z), "dpr_where",
		    "bool of shape (%d, %d), float32 of (%d, 1), 2.5", ROWS,
		    COLUMNS, ROWS);
	arrays_check(z, "Q10", 0, chosen, NULL);
	dpr_array_release(condition);
	dpr_array_release(x);
}

static void layouts_on(const struct arrays *on)
{
	turned(on);
	stepped(on);
	written(on);
	spread(on);
	odd_start(on);
	where(on);
}

static void layouts(struct kit *kit)
{
	arrays_each(kit, true, layouts_on);
}

/* --- Reductions -------------------------------------------------------------
 */

static number row_sum(int64_t i, const void *user)
{
	double sum = 0;
	int64_t k;

	(void)user;
	for (k = 0; k < COLUMNS; k++)
		sum += cell(i, k, 0);
	return real(sum);
}

static number column_sum(int64_t i, const void *user)
{
	double sum = 0;
	int64_t k;

	(void)user;
	for (k = 0; k < ROWS; k++)
		sum += cell(k, i, 0);
	return real(sum);
}

#define MANY 100003

static number whole_sum(int64_t i, const void *user)
{
	double sum = 0;
	int64_t k;

	(void)i;
	(void)user;
	for (k = 0; k < MANY; k++)
		sum += arrays_value(DPR_INT32, k, 0).re;
	return real(sum);
}

static void sums(const struct arrays *on)
{
	dpr_array *x, *z;

	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, COLUMNS), 0);
	ARRAYS_CALL(on, dpr_sum(x, DPR_AXES(1), &z), "dpr_sum",
		    "float32, shape (%d, %d), axis 1", ROWS, COLUMNS);
	arrays_check(z, "Q10", 0, row_sum, NULL);
	ARRAYS_CALL(on, dpr_sum(x, DPR_AXES(0), &z), "dpr_sum",
		    "float32, shape (%d, %d), axis 0", ROWS, COLUMNS);
	arrays_check(z, "Q10", 0, column_sum, NULL);
	dpr_array_release(x);
	x = arrays_make(on, DPR_INT32, DPR_SHAPE(MANY), 0);
	ARRAYS_CALL(on, dpr_sum(x, NULL, &z), "dpr_sum", "int32, %d elements",
		    MANY);
	arrays_check(z, "Q10", 0, whole_sum, NULL);
	dpr_array_release(x);
}

static void extremes(const struct arrays *on)
{
	const number least = { -5, 0 }, most = { 6, 0 }, one = { 1, 0 },
		     zero = { 0, 0 };
	dpr_array *x, *z;

	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, COLUMNS), 0);
	ARRAYS_CALL(on, dpr_min(x, NULL, &z), "dpr_min", "float32");
	arrays_check(z, "Q10", 0, constant, &least);
	ARRAYS_CALL(on, dpr_max(x, DPR_AXES(0), &z), "dpr_max",
		    "float32, axis 0");
	arrays_check(z, "Q10", 0, constant, &most);
	ARRAYS_CALL(on, dpr_any(x, NULL, &z), "dpr_any", "float32");
	arrays_check(z, "Q10", 0, constant, &one);
	ARRAYS_CALL(on, dpr_all(x, NULL, &z), "dpr_all", "float32");
	arrays_check(z, "Q10", 0, constant, &zero);
	dpr_array_release(x);
}

static void reductions_on(const struct arrays *on)
{
	sums(on);
	extremes(on);
}

static void reductions(struct kit *kit)
{
	arrays_each(kit, true, reductions_on);
}

/* --- Expressions ------------------------------------------------------------
 */

static number formula(int64_t i, const void *user)
{
	const double x = arrays_value(DPR_FLOAT32, i, 0).re;
	const double y = arrays_value(DPR_FLOAT32, i, 1).re;

	(void)user;
	return real(fmax(x * y + 2, x - y) * fmin(x, y) + fabs(x));
}

static number spread_sum(int64_t i, const void *user)
{
	double sum = 0;
	int64_t k;

	(void)user;
	for (k = 0; k < ROWS; k++)
		sum += (cell(k, i, 0) - 1) * (cell(k, i, 0) - 1);
	return real(sum);
}

static void expressions_on(const struct arrays *on)
{
	dpr_array *x, *y, *z;

	x = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, COLUMNS), 0);
	y = arrays_make(on, DPR_FLOAT32, DPR_SHAPE(ROWS, COLUMNS), 1);
	ARRAYS_CALL(on,
		    dpr_evaluate("maximum(x*y + 2, x - y) * where(x < y, x, y) "
				 "+ abs(x)",
				 NULL, &z, "x", x, "y", y),
		    "dpr_evaluate",
		    "maximum(x*y + 2, x - y) * where(x < y, x, y) + abs(x)");
	arrays_check(z, "Q10", 0, formula, NULL);
	ARRAYS_CALL(
		on,
		dpr_evaluate("d = x - 1; sum(d*d, axis=0)", NULL, &z, "x", x),
		"dpr_evaluate", "d = x - 1; sum(d*d, axis=0)");
	arrays_check(z, "Q10", 0, spread_sum, NULL);
	dpr_array_release(x);
	dpr_array_release(y);
}

static void expressions(struct kit *kit)
{
	arrays_each(kit, true, expressions_on);
}

static const struct kit_check checks[] = {
	{ "host", host, KIT_CLOSED },
	{ "large", large, KIT_CLOSED },
	{ "creation", creation, KIT_CLOSED },
	{ "integers", integers, KIT_CLOSED },
	{ "floats", floats, KIT_CLOSED },
	{ "functions", function, KIT_CLOSED },
	{ "casts", casts, KIT_CLOSED },
	{ "layouts", layouts, KIT_CLOSED },
	{ "reductions", reductions, KIT_CLOSED },
	{ "expressions", expressions, KIT_CLOSED },
};

const struct kit_group group_arrays = {
	"arrays", "arrays through the public API, compared with plain C",
	checks, KIT_COUNT(checks)
};
