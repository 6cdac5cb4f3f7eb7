/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_cliffs.c - dpr bench --cliffs: every function, dtype and layout beside
 * an addition.
 *
 * A row is an expression.  Its time per byte read and written is compared with
 * the time of x + y of contiguous float32 arrays, measured beside it.  Rows
 * with an expression that a dtype does not have are left out.
 */
#include "tools/bench/bench_cliffs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/shared/progress_line.h"
#include "tools/shared/seconds.h"

/* A row should not be slower per byte than an addition by more than this. */
#define LIMIT 8
#define LIMIT_LONG 15 /* transcendental functions of float64 and complex */

#define COLUMNS 1024
#define DEPTH 10
#define DEEP_EXTENT 4 /* of each axis but the first */
#define LEAST_ROUNDS 3
#define MOST_ROUNDS 15
#define ENOUGH_SECONDS 0.2 /* for all rounds of a row */

/* How the operand x lies in memory; y is always contiguous. */
enum form {
	FORM_PLAIN,
	FORM_OFFSET,   /* from the second element on */
	FORM_STEP,     /* every second element */
	FORM_REVERSED, /* from the last element to the first */
	FORM_TURNED,   /* a square matrix by columns */
	FORM_ROW,      /* one row, for all rows of y */
	FORM_COLUMN,   /* one column, for all columns of y */
	FORM_MATRIX,   /* rows of COLUMNS elements */
	FORM_ROW_OF_3, /* one row of three elements, for all rows of y */
	FORM_THREES,   /* rows of three elements */
	FORM_WIDE,     /* three rows, by columns */
	FORM_DEEP      /* DEPTH axes */
};

/* What is computed of x and y, for every dtype. */
struct function {
	const char *name, *text;
	enum form form;
	bool is_long; /* a transcendental function */
};

static const struct function functions[] = {
	{ "add", "x + y", FORM_PLAIN, false },
	{ "subtract", "x - y", FORM_PLAIN, false },
	{ "multiply", "x * y", FORM_PLAIN, false },
	{ "divide", "x / y", FORM_PLAIN, false },
	{ "floor_divide", "x // y", FORM_PLAIN, false },
	{ "remainder", "x % y", FORM_PLAIN, false },
	{ "pow", "x ** y", FORM_PLAIN, true },
	{ "gcd", "gcd(x, y)", FORM_PLAIN, true },
	{ "lcm", "lcm(x, y)", FORM_PLAIN, true },
	{ "divmod", "q, r = divmod(x, y); q - r", FORM_PLAIN, false },
	{ "modf", "f, w = modf(x); f - w", FORM_PLAIN, false },
	{ "frexp", "m, k = frexp(x); m - k", FORM_PLAIN, false },
	{ "hypot", "hypot(x, y)", FORM_PLAIN, false },
	{ "atan2", "atan2(x, y)", FORM_PLAIN, true },
	{ "minimum", "minimum(x, y)", FORM_PLAIN, false },
	{ "maximum", "maximum(x, y)", FORM_PLAIN, false },
	{ "bitwise_and", "bitwise_and(x, y)", FORM_PLAIN, false },
	{ "bitwise_or", "bitwise_or(x, y)", FORM_PLAIN, false },
	{ "bitwise_xor", "bitwise_xor(x, y)", FORM_PLAIN, false },
	{ "bitwise_left_shift", "x << y", FORM_PLAIN, false },
	{ "bitwise_right_shift", "x >> y", FORM_PLAIN, false },
	{ "multiply_add", "multiply_add(x, y, x)", FORM_PLAIN, false },
	{ "clip", "clip(x, y, x)", FORM_PLAIN, false },
	{ "equal", "x == y", FORM_PLAIN, false },
	{ "not_equal", "x != y", FORM_PLAIN, false },
	{ "less", "x < y", FORM_PLAIN, false },
	{ "less_equal", "x <= y", FORM_PLAIN, false },
	{ "greater", "x > y", FORM_PLAIN, false },
	{ "greater_equal", "x >= y", FORM_PLAIN, false },
	{ "logical_and", "logical_and(x, y)", FORM_PLAIN, false },
	{ "logical_or", "logical_or(x, y)", FORM_PLAIN, false },
	{ "logical_xor", "logical_xor(x, y)", FORM_PLAIN, false },
	{ "logical_not", "logical_not(x)", FORM_PLAIN, false },
	{ "isnan", "isnan(x)", FORM_PLAIN, false },
	{ "isinf", "isinf(x)", FORM_PLAIN, false },
	{ "isfinite", "isfinite(x)", FORM_PLAIN, false },
	{ "signbit", "signbit(x)", FORM_PLAIN, false },
	{ "copysign", "copysign(x, y)", FORM_PLAIN, false },
	{ "nan_to_num", "nan_to_num(x)", FORM_PLAIN, false },
	{ "nextafter", "nextafter(x, y)", FORM_PLAIN, false },
	{ "abs", "abs(x)", FORM_PLAIN, false },
	{ "negative", "-x", FORM_PLAIN, false },
	{ "positive", "+x", FORM_PLAIN, false },
	{ "sign", "sign(x)", FORM_PLAIN, false },
	{ "square", "square(x)", FORM_PLAIN, false },
	{ "sqrt", "sqrt(x)", FORM_PLAIN, false },
	{ "floor", "floor(x)", FORM_PLAIN, false },
	{ "ceil", "ceil(x)", FORM_PLAIN, false },
	{ "trunc", "trunc(x)", FORM_PLAIN, false },
	{ "round", "round(x)", FORM_PLAIN, false },
	{ "real", "real(x)", FORM_PLAIN, false },
	{ "imag", "imag(x)", FORM_PLAIN, false },
	{ "conj", "conj(x)", FORM_PLAIN, false },
	{ "proj", "proj(x)", FORM_PLAIN, false },
	{ "angle", "angle(x)", FORM_PLAIN, true },
	{ "complex", "complex(x, y)", FORM_PLAIN, false },
	{ "ldexp", "ldexp(x, 3)", FORM_PLAIN, true },
	{ "sinc", "sinc(x)", FORM_PLAIN, true },
	{ "gamma", "gamma(x)", FORM_PLAIN, true },
	{ "lgamma", "lgamma(x)", FORM_PLAIN, true },
	{ "bitwise_invert", "bitwise_invert(x)", FORM_PLAIN, false },
	{ "exp", "exp(x)", FORM_PLAIN, true },
	{ "log", "log(x)", FORM_PLAIN, true },
	{ "sin", "sin(x)", FORM_PLAIN, true },
	{ "cos", "cos(x)", FORM_PLAIN, true },
	{ "tanh", "tanh(x)", FORM_PLAIN, true },
	{ "exp2", "exp2(x)", FORM_PLAIN, true },
	{ "expm1", "expm1(x)", FORM_PLAIN, true },
	{ "log2", "log2(x)", FORM_PLAIN, true },
	{ "log10", "log10(x)", FORM_PLAIN, true },
	{ "log1p", "log1p(x)", FORM_PLAIN, true },
	{ "tan", "tan(x)", FORM_PLAIN, true },
	{ "asin", "asin(x)", FORM_PLAIN, true },
	{ "acos", "acos(x)", FORM_PLAIN, true },
	{ "atan", "atan(x)", FORM_PLAIN, true },
	{ "sinh", "sinh(x)", FORM_PLAIN, true },
	{ "cosh", "cosh(x)", FORM_PLAIN, true },
	{ "asinh", "asinh(x)", FORM_PLAIN, true },
	{ "acosh", "acosh(x)", FORM_PLAIN, true },
	{ "atanh", "atanh(x)", FORM_PLAIN, true },
	{ "cbrt", "cbrt(x)", FORM_PLAIN, true },
	{ "erf", "erf(x)", FORM_PLAIN, true },
	{ "erfc", "erfc(x)", FORM_PLAIN, true },
	{ "fmod", "fmod(x, y)", FORM_PLAIN, true },
	{ "fmin", "fmin(x, y)", FORM_PLAIN, false },
	{ "fmax", "fmax(x, y)", FORM_PLAIN, false },
	{ "heaviside", "heaviside(x, y)", FORM_PLAIN, false },
	{ "reciprocal", "reciprocal(x)", FORM_PLAIN, false },
	{ "rsqrt", "rsqrt(x)", FORM_PLAIN, false },
	{ "deg2rad", "deg2rad(x)", FORM_PLAIN, false },
	{ "rad2deg", "rad2deg(x)", FORM_PLAIN, false },
	{ "isposinf", "isposinf(x)", FORM_PLAIN, false },
	{ "isneginf", "isneginf(x)", FORM_PLAIN, false },
	{ "logaddexp", "logaddexp(x, y)", FORM_PLAIN, true },
	{ "where", "where(y > 2, x, y)", FORM_PLAIN, false },
	{ "square-add", "x*x + y*y", FORM_PLAIN, false },
	{ "add/offset", "x + y", FORM_OFFSET, false },
	{ "add/step", "x + y", FORM_STEP, false },
	{ "add/reversed", "x + y", FORM_REVERSED, false },
	{ "add/turned", "x + y", FORM_TURNED, false },
	{ "add/row", "x + y", FORM_ROW, false },
	{ "add/column", "x + y", FORM_COLUMN, false },
	{ "add/row-of-3", "x + y", FORM_ROW_OF_3, false },
	{ "copy/turned", "+x", FORM_TURNED, false },
	{ "copy/wide", "+x", FORM_WIDE, false },
	{ "roll", "roll(x, 1)", FORM_PLAIN, false },
	{ "roll/axis-1", "roll(x, 1, axis=1)", FORM_MATRIX, false },
	{ "tile/axis-1", "tile(x, (1, 2))", FORM_MATRIX, false },
	{ "repeat", "repeat(x, 2)", FORM_PLAIN, false },
	{ "tril/axis-1", "tril(x)", FORM_MATRIX, false },
	{ "take", "take(x, index(0)*7)", FORM_PLAIN, false },
	{ "take/axis-0", "take(x, index(0, x[:, 0]), axis=0)", FORM_MATRIX,
	  false },
	{ "take/axis-1", "take(x, index(0, x[0]), axis=1)", FORM_MATRIX,
	  false },
	{ "sum", "sum(x)", FORM_PLAIN, false },
	{ "prod", "prod(x)", FORM_PLAIN, false },
	{ "mean", "mean(x)", FORM_PLAIN, false },
	{ "max", "max(x)", FORM_PLAIN, false },
	{ "min", "min(x)", FORM_PLAIN, false },
	{ "any", "any(x)", FORM_PLAIN, false },
	{ "all", "all(x)", FORM_PLAIN, false },
	{ "count_nonzero", "count_nonzero(x)", FORM_PLAIN, false },
	{ "reduce_hypot", "reduce_hypot(x)", FORM_PLAIN, false },
	{ "logsumexp", "logsumexp(x)", FORM_PLAIN, true },
	{ "var", "var(x)", FORM_PLAIN, false },
	{ "std", "std(x)", FORM_PLAIN, false },
	{ "ptp", "ptp(x)", FORM_PLAIN, false },
	{ "nansum", "nansum(x)", FORM_PLAIN, false },
	{ "nanmean", "nanmean(x)", FORM_PLAIN, false },
	{ "nanmin", "nanmin(x)", FORM_PLAIN, false },
	{ "nanmax", "nanmax(x)", FORM_PLAIN, false },
	{ "argmax", "argmax(x)", FORM_PLAIN, false },
	{ "argmin", "argmin(x)", FORM_PLAIN, false },
	{ "softmax", "softmax(x)", FORM_PLAIN, true },
	{ "log_softmax", "log_softmax(x)", FORM_PLAIN, true },
	{ "nanvar", "nanvar(x)", FORM_PLAIN, false },
	{ "nanstd", "nanstd(x)", FORM_PLAIN, false },
	{ "isclose", "isclose(x, y)", FORM_PLAIN, false },
	{ "allclose", "allclose(x, y)", FORM_PLAIN, false },
	{ "vecdot", "vecdot(x, y)", FORM_PLAIN, false },
	{ "vector_norm", "vector_norm(x)", FORM_PLAIN, false },
	{ "vector_norm-1", "vector_norm(x, ord=1)", FORM_PLAIN, false },
	{ "vector_norm-3", "vector_norm(x, ord=3)", FORM_PLAIN, true },
	{ "average", "average(x, weights=y)", FORM_PLAIN, false },
	{ "diff", "diff(x)", FORM_PLAIN, false },
	{ "cross/rows-of-3", "cross(x, y)", FORM_THREES, false },
	{ "sum/step", "sum(x)", FORM_STEP, false },
	{ "sum/axis-0", "sum(x, axis=0)", FORM_MATRIX, false },
	{ "sum/axis-1", "sum(x, axis=1)", FORM_MATRIX, false },
	{ "max/axis-0", "max(x, axis=0)", FORM_MATRIX, false },
	{ "max/axis-1", "max(x, axis=1)", FORM_MATRIX, false },
	{ "argmax/axis-0", "argmax(x, axis=0)", FORM_MATRIX, false },
	{ "argmax/axis-1", "argmax(x, axis=1)", FORM_MATRIX, false },
	{ "sum/rows-of-3", "sum(x, axis=1)", FORM_THREES, false },
	{ "sum/alternate", "sum(x, axis=(0, 2, 4, 6, 8))", FORM_DEEP, false },
	{ "sum-of-squares", "sum((x - y)**2)", FORM_PLAIN, false },
};
#define N_FUNCTIONS (sizeof(functions) / sizeof(*functions))

static const dpr_dtype dtypes[] = {
#define CLIFFS__X(NAME, lower, value, size, kind) DPR_##NAME,
	DPR_DTYPE_MAP(CLIFFS__X)
#undef CLIFFS__X
};
#define N_DTYPES (sizeof(dtypes) / sizeof(*dtypes))

/* What is measured on one device. */
struct cliffs {
	const struct bench_cliffs *options;
	const struct bench *bench;
	dpr_expression *add;  /* x + y */
	dpr_array *one, *two; /* float32, for the addition */
	dpr_array *x, *y;     /* contiguous, of the dtype of the rows */
	int rows, steep;
	size_t done, total; /* rows that are wanted: so far, and all */
};

/* One row. */
struct row {
	char name[48], text[48];
	enum form form;
	double limit;
};

/* --- Operands --------------------------------------------------------------
 */

/* Make small whole numbers but 0, which every dtype holds. */
static bool make_elements(const struct cliffs *c, dpr_dtype dtype, int step,
			  dpr_array **out, struct message *message)
{
	const size_t n = c->bench->bytes / dpr_dtype_size(dtype);
	float *values = malloc(n * sizeof(*values));
	dpr_array *numbers = NULL;
	dpr_status status;

	if (!values)
		return message_set(message, "no memory for an operand");
	for (size_t i = 0; i < n; i++)
		values[i] = (float)(i * (size_t)step % 7 + 1);
	status = dpr_array_from_memory(values, DPR_SHAPE((int64_t)n), NULL,
				       DPR_FLOAT32, c->bench->queue, &numbers);
	free(values);
	if (!status)
		status = dpr_astype(numbers, dtype, out);
	dpr_array_release(numbers);
	return status ? bench_side_failed(message) : true;
}

/* The first elements of @x in @rank axes, by columns if @turned. */
static dpr_status shape_part(const dpr_array *x, int rank, const int64_t *dim,
			     bool turned, dpr_array **out)
{
	dpr_array *part = NULL, *shaped = NULL;
	dpr_status status;
	int64_t n = 1;

	for (int d = 0; d < rank; d++)
		n *= dim[d];
	status = dpr_array_view(x, &part, DPR_SLICE(0, n, 1));
	if (!status)
		status = dpr_reshape(part, dpr_shape_of(rank, dim), &shaped);
	if (!status && turned)
		status = dpr_matrix_transpose(shaped, out);
	else
		*out = dpr_array_retain(shaped);
	dpr_array_release(part);
	dpr_array_release(shaped);
	return status;
}

static int64_t square_side(int64_t n)
{
	int64_t side = 1;

	while ((side + 1) * (side + 1) <= n)
		side++;
	return side;
}

/* The extents of y in a form in which x and y have several axes.  x has the
   same extents, unless it is broadcast.  Returns the rank. */
static int find_extents(enum form form, int64_t n, int64_t *dim)
{
	dim[0] = n / COLUMNS;
	dim[1] = COLUMNS;
	switch (form) {
	case FORM_TURNED: dim[0] = dim[1] = square_side(n); break;
	case FORM_ROW_OF_3:
	case FORM_THREES:
	case FORM_WIDE:
		dim[0] = n / 3;
		dim[1] = 3;
		break;
	case FORM_DEEP:
		for (int d = DEPTH - 1; d > 0; d--, n /= DEEP_EXTENT)
			dim[d] = DEEP_EXTENT;
		dim[0] = n;
		return DEPTH;
	default: break;
	}
	return 2;
}

static dpr_status make_shaped(const struct cliffs *c, enum form form,
			      dpr_array **x, dpr_array **y)
{
	const bool turned = form == FORM_TURNED || form == FORM_WIDE;
	int64_t dim[DEPTH];
	int rank = find_extents(form, dpr_array_size(c->x), dim);
	dpr_status status;

	status = shape_part(c->y, rank, dim, false, y);
	if (form == FORM_ROW || form == FORM_ROW_OF_3)
		dim[0] = 1;
	if (form == FORM_COLUMN)
		dim[1] = 1;
	return status ? status : shape_part(c->x, rank, dim, turned, x);
}

/* Make views of c->x and c->y as @form says. */
static dpr_status make_views(const struct cliffs *c, enum form form,
			     dpr_array **x, dpr_array **y)
{
	const dpr_index last = DPR_SLICE(DPR_OPEN, -1, 1);
	const dpr_index half = DPR_SLICE(0, (dpr_array_size(c->x) + 1) / 2, 1);
	dpr_index of_x = DPR_ALL, of_y = DPR_ALL;
	dpr_status status;

	switch (form) {
	case FORM_PLAIN: break;
	case FORM_OFFSET:
		of_x = DPR_SLICE(1, DPR_OPEN, 1);
		of_y = last;
		break;
	case FORM_STEP:
		of_x = DPR_SLICE(DPR_OPEN, DPR_OPEN, 2);
		of_y = half;
		break;
	case FORM_REVERSED: of_x = DPR_SLICE(DPR_OPEN, DPR_OPEN, -1); break;
	default: return make_shaped(c, form, x, y);
	}
	status = dpr_array_view(c->x, x, of_x);
	return status ? status : dpr_array_view(c->y, y, of_y);
}

/* --- Times -----------------------------------------------------------------
 */

/* An expression and its operands. */
struct call {
	const struct bench *bench;
	dpr_expression *e;
	dpr_binding bindings[2];
	size_t n;
	double bytes; /* read and written; 0: not known yet */
};

static double array_bytes(const dpr_array *x)
{
	return (double)dpr_array_size(x) * (double)dpr_array_itemsize(x);
}

/* Bind as many operands as the expression has: x, or x and y. */
static void set_call(struct call *call, const struct bench *bench,
		     dpr_expression *e, dpr_array *x, dpr_array *y)
{
	const dpr_expression_operand *operands;
	size_t n;

	call->bench = bench;
	call->e = e;
	call->bindings[0] = (dpr_binding){ "x", DPR_OPERAND(x) };
	call->bindings[1] = (dpr_binding){ "y", DPR_OPERAND(y) };
	call->n = 0;
	operands = dpr_expression_operands(e, &n);
	for (size_t i = 0; i < n; i++)
		call->n += operands[i].required != 0;
	call->bytes = 0;
}

/* Call the expression as often as a batch has, and wait.  *@seconds gets the
   time of one call. */
static dpr_status time_call(struct call *call, double *seconds)
{
	const int batch = call->bench->batch;
	const double begin = seconds_now();
	dpr_array *out = NULL;
	dpr_status status = DPR_OK;

	for (int i = 0; i < batch && !status; i++) {
		dpr_array_release(out);
		status = dpr_expression_apply(call->e, call->bindings, call->n,
					      NULL, &out, 1);
	}
	if (!status)
		status = dpr_queue_wait(call->bench->queue);
	*seconds = (seconds_now() - begin) / batch;
	if (!status && call->bytes == 0) {
		call->bytes = array_bytes(out);
		for (size_t i = 0; i < call->n; i++)
			call->bytes +=
				array_bytes(call->bindings[i].value.as.array);
	}
	dpr_array_release(out);
	return status;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), compare_doubles);
	return values[n / 2];
}

/* Time @row and @add in turns.  *@seconds gets the median time of the row,
 *@ratio that of the ratios of their times per byte. */
static dpr_status time_both(struct call *row, struct call *add, double *seconds,
			    double *ratio)
{
	double times[MOST_ROUNDS], ratios[MOST_ROUNDS], begin, ours, theirs;
	const int least = row->bench->quick ? 1 : LEAST_ROUNDS;
	dpr_status status = time_call(row, &ours);
	int n = 0;

	if (!status)
		status = time_call(add, &theirs);
	begin = seconds_now();
	while (!status && n < MOST_ROUNDS &&
	       (n < least || seconds_now() - begin < ENOUGH_SECONDS)) {
		status = time_call(row, &ours);
		if (!status)
			status = time_call(add, &theirs);
		times[n] = ours;
		ratios[n++] = ours / row->bytes / (theirs / add->bytes);
		if (row->bench->quick)
			break;
	}
	if (status)
		return status;
	*seconds = median_of(times, n);
	*ratio = median_of(ratios, n);
	return DPR_OK;
}

/* --- Rows ------------------------------------------------------------------
 */

static void show_row(struct cliffs *c, const struct row *row, double seconds,
		     double bytes, double ratio)
{
	const bool is_steep = ratio > row->limit;
	struct json *json = c->options->json;

	progress_line_end();
	c->rows++;
	c->steep += is_steep;
	if (!json) {
		printf("%-28s %-14s %10.3f ms %8.2f GB/s %7.2f  <= %2g  %s\n",
		       row->name, dpr_device_selector(c->bench->device),
		       seconds * 1e3, bytes / seconds * 1e-9, ratio, row->limit,
		       is_steep ? "NO" : "yes");
		fflush(stdout);
		return;
	}
	json_open(json, NULL, '{');
	json_string(json, "name", row->name);
	json_string(json, "text", row->text);
	json_string(json, "device", dpr_device_selector(c->bench->device));
	json_real(json, "ms", seconds * 1e3);
	json_real(json, "bytes", bytes);
	json_real(json, "ratio", ratio);
	json_real(json, "limit", row->limit);
	json_bool(json, "met", !is_steep);
	json_close(json, '}');
}

/* Whether an expression cannot be computed in the dtype of its operands. */
static bool is_left_out(dpr_status status)
{
	return status == DPR_ERROR_DTYPE || status == DPR_ERROR_UNSUPPORTED;
}

static bool run_row(struct cliffs *c, const struct row *row,
		    struct message *message)
{
	dpr_array *x = NULL, *y = NULL;
	dpr_expression *e = NULL;
	double seconds = 0, ratio = 0;
	struct call ours, add;
	dpr_status status;

	if (!bench_side_wants(c->options->rows, row->name))
		return true;
	progress_line_show("%zu of %zu: %s on %s", ++c->done, c->total,
			   row->name, dpr_device_selector(c->bench->device));
	status = dpr_expression_create(row->text, &e);
	if (!status)
		status = make_views(c, row->form, &x, &y);
	if (!status) {
		set_call(&ours, c->bench, e, x, y);
		set_call(&add, c->bench, c->add, c->one, c->two);
		status = time_both(&ours, &add, &seconds, &ratio);
	}
	if (!status)
		show_row(c, row, seconds, ours.bytes, ratio);
	dpr_expression_release(e);
	dpr_array_release(x);
	dpr_array_release(y);
	if (!status || is_left_out(status))
		return true;
	return message_set(message, "%s: %s", row->name, dpr_last_error());
}

static double limit_of(const struct function *f, dpr_dtype dtype)
{
	const bool is_wide =
		dtype == DPR_FLOAT64 || dpr_dtype_kind(dtype) == 'c';

	return f->is_long && is_wide ? LIMIT_LONG : LIMIT;
}

/* The row of function @k for @dtype; the casts follow the functions.  Returns
   false if there is none. */
static bool find_row(size_t k, dpr_dtype dtype, struct row *row)
{
	const char *name = dpr_dtype_name(dtype), *to;

	if (k < N_FUNCTIONS) {
		const struct function *f = &functions[k];

		snprintf(row->name, sizeof(row->name), "%s/%s", f->name, name);
		snprintf(row->text, sizeof(row->text), "%s", f->text);
		row->form = f->form;
		row->limit = limit_of(f, dtype);
		return true;
	}
	k -= N_FUNCTIONS;
	if (k >= N_DTYPES)
		return false;
	to = dpr_dtype_name(dtypes[k]);
	snprintf(row->name, sizeof(row->name), "cast/%s/%s", name, to);
	snprintf(row->text, sizeof(row->text), "astype(x, %s)", to);
	row->form = FORM_PLAIN;
	row->limit = LIMIT;
	return true;
}

/* How many rows are wanted of @dtype; 0 if the device does not compute it. */
static size_t count_wanted(const struct cliffs *c, dpr_dtype dtype)
{
	struct row row;
	size_t n = 0;

	if (!dpr_dtype_computes(c->bench->device, dtype))
		return 0;
	for (size_t k = 0; find_row(k, dtype, &row); k++)
		n += bench_side_wants(c->options->rows, row.name);
	return n;
}

static bool run_dtype(struct cliffs *c, dpr_dtype dtype,
		      struct message *message)
{
	struct row row;
	bool ok;

	if (!count_wanted(c, dtype))
		return true;
	ok = make_elements(c, dtype, 3, &c->x, message) &&
	     make_elements(c, dtype, 5, &c->y, message);
	for (size_t k = 0; ok && find_row(k, dtype, &row); k++)
		ok = run_row(c, &row, message);
	dpr_array_release(c->x);
	dpr_array_release(c->y);
	c->x = c->y = NULL;
	return ok;
}

int bench_cliffs_list(void)
{
	struct row row;

	for (size_t i = 0; i < N_DTYPES; i++)
		for (size_t k = 0; find_row(k, dtypes[i], &row); k++)
			printf("%-28s %s\n", row.name, row.text);
	return 0;
}

void bench_cliffs_head(void)
{
	printf("%-28s %-14s %10s    %8s      %7s  %5s  %s\n", "name", "device",
	       "time", "rate", "times", "limit", "met");
}

bool bench_cliffs_run(const struct bench_cliffs *options,
		      const struct bench *bench, int *rows, int *steep,
		      struct message *message)
{
	struct cliffs c = { .options = options, .bench = bench };
	bool ok = make_elements(&c, DPR_FLOAT32, 3, &c.one, message) &&
		  make_elements(&c, DPR_FLOAT32, 5, &c.two, message);

	if (ok && dpr_expression_create("x + y", &c.add))
		ok = bench_side_failed(message);
	for (size_t i = 0; i < N_DTYPES; i++)
		c.total += count_wanted(&c, dtypes[i]);
	for (size_t i = 0; ok && i < N_DTYPES; i++)
		ok = run_dtype(&c, dtypes[i], message);
	progress_line_end();
	*rows += c.rows;
	*steep += c.steep;
	dpr_expression_release(c.add);
	dpr_array_release(c.one);
	dpr_array_release(c.two);
	return ok;
}
