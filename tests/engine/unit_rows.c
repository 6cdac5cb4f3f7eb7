/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_rows.c - expressions that reduce rows have the same bits as their calls
 * one after the other.  They compute something before, between and after the
 * reductions.  The rows have various lengths, numbers and layouts.
 *
 * usage: unit_rows [FIRST EVERY]: only length FIRST and every EVERY-th after it
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl).  DPR_TEST_ALL takes
 * more lengths and all dtypes; DPR_TEST_SMALL leaves large arrays out.  Where a
 * driver compiles each kernel, only samples are taken.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/engine.h"
#include "core/array/engine/schedule.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce/reduce_launch.h"
#include "core/array/engine/stages.h"
#include "core/array/engine/target.h"
#include "core/base/mem.h"
#include "tests/support/bits.h"
#include "tests/engine/sweep.h"

static long together, into_turn;
/* One of so many results goes into an array of another layout, too. */
static long into_each = 1;
static bool whole, small;
/* Kernels are native code. */
static bool on_cpu;

/* --- Expressions -------------------------------------------------------- */

#define MOST_STEPS 14

/* An expression of x, of rows w and b, of a column c, and of v with one element
   for each row; and the same as calls, each of which makes the array of the
   letter before it.  Results are the letters of `results`. */
static const struct form {
	const char *name, *text, *kinds; /* of dtypes */
	const char *step[MOST_STEPS];
	const char *results;
	bool any_rank; /* x may have any number of axes */
} forms[] = {
	{ "softmax",
	  "e = exp(x - max(x, axis=-1, keepdims=True));"
	  "e / sum(e, axis=-1, keepdims=True)",
	  "f",
	  { "m max(x, axis=-1, keepdims=True)", "d x - m", "e exp(d)",
	    "s sum(e, axis=-1, keepdims=True)", "r e / s" },
	  "r",
	  true },
	{ "norm",
	  "d = x - mean(x, axis=-1, keepdims=True);"
	  "d / sqrt(mean(d*d, axis=-1, keepdims=True) + 0.125) * w + b",
	  "fc",
	  { "m mean(x, axis=-1, keepdims=True)", "d x - m", "q d * d",
	    "v mean(q, axis=-1, keepdims=True)", "a v + 0.125", "s sqrt(a)",
	    "n d / s", "p n * w", "r p + b" },
	  "r",
	  true },
	{ "length",
	  "x / sqrt(sum(x*x, axis=-1, keepdims=True))",
	  "fc",
	  { "q x * x", "s sum(q, axis=-1, keepdims=True)", "l sqrt(s)",
	    "r x / l" },
	  "r",
	  true },
	{ "logsum",
	  "m = max(x, axis=-1, keepdims=True);"
	  "log(sum(exp(x - m), axis=-1, keepdims=True)) + m, m",
	  "f",
	  { "m max(x, axis=-1, keepdims=True)", "d x - m", "e exp(d)",
	    "s sum(e, axis=-1, keepdims=True)", "l log(s)", "r l + m" },
	  "rm",
	  true },
	{ "narrow",
	  "sqrt(sum(x*c, axis=-1)) * v",
	  "fc",
	  { "q x * c", "s sum(q, axis=-1)", "l sqrt(s)", "r l * v" },
	  "r",
	  false },
	{ "shared",
	  "t = v + v; sum(x, axis=-1) + t, t",
	  "iufc",
	  { "t v + v", "s sum(x, axis=-1)", "r s + t" },
	  "rt",
	  false },
	{ "choice",
	  "where(any(x == w, axis=-1, keepdims=True), x, w) + "
	  "sum(x, axis=-1, keepdims=True)",
	  "iufc",
	  { "q x == w", "a any(q, axis=-1, keepdims=True)", "k where(a, x, w)",
	    "s sum(x, axis=-1, keepdims=True)", "r k + s" },
	  "r",
	  false },
	{ "range",
	  "h = max(x, axis=-1, keepdims=True);"
	  "l = min(x, axis=-1, keepdims=True); x - l, h - l, h",
	  "iuf",
	  { "h max(x, axis=-1, keepdims=True)",
	    "l min(x, axis=-1, keepdims=True)", "r x - l", "d h - l" },
	  "rdh",
	  true },
	{ "cast",
	  "abs(sum(x, axis=-1, keepdims=True, dtype=float64) - x)",
	  "iuf",
	  { "s sum(x, axis=-1, keepdims=True, dtype=float64)", "d s - x",
	    "r abs(d)" },
	  "r",
	  true },
	{ "all",
	  "sqrt(sum((x - w)*(x - w)))",
	  "fc",
	  { "d x - w", "q d * d", "s sum(q)", "r sqrt(s)" },
	  "r",
	  false },
	{ "middle",
	  "m = mean(x, axis=(-2, -1), keepdims=True);"
	  "d = x - m; d / (max(d, axis=(-2, -1), keepdims=True) - m), m",
	  "f",
	  { "m mean(x, axis=(-2, -1), keepdims=True)", "d x - m",
	    "h max(d, axis=(-2, -1), keepdims=True)", "q h - m", "r d / q" },
	  "rm",
	  true },
	{ "pair",
	  "s = sum(x, axis=-1, keepdims=True); a = x*s; t = sum(a*w, "
	  "axis=-1, keepdims=True); (a - t)*b, all(x != b, axis=-1, "
	  "keepdims=True), s + t",
	  "iufc",
	  { "s sum(x, axis=-1, keepdims=True)", "a x * s", "q a * w",
	    "t sum(q, axis=-1, keepdims=True)", "d a - t", "r d * b",
	    "e x != b", "l all(e, axis=-1, keepdims=True)", "h s + t" },
	  "rlh",
	  true },
	{ "squares",
	  "d = x - mean(x, axis=-1, keepdims=True); e = x - c; d - "
	  "mean(square(d), axis=-1, keepdims=True), sum(e*e, axis=-1, "
	  "keepdims=True), sum(x*d, axis=-1, keepdims=True)",
	  "fc",
	  { "m mean(x, axis=-1, keepdims=True)", "d x - m", "q square(d)",
	    "v mean(q, axis=-1, keepdims=True)", "r d - v", "e x - c",
	    "p e * e", "s sum(p, axis=-1, keepdims=True)", "o x * d",
	    "t sum(o, axis=-1, keepdims=True)" },
	  "rst",
	  false },
	{ "product",
	  "p = prod(x, axis=-1, keepdims=True); x * p, p",
	  "iufc",
	  { "p prod(x, axis=-1, keepdims=True)", "r x * p" },
	  "rp",
	  true },
	{ "counted",
	  "x - sum(x * index(-1), axis=-1, keepdims=True) + index(-2)",
	  "f",
	  { "i index(-1, x)", "p x * i", "s sum(p, axis=-1, keepdims=True)",
	    "d x - s", "j index(-2, x)", "r d + j" },
	  "r",
	  false },
	{ "columns",
	  "sqrt(sum(x*x, axis=0)) + w",
	  "fc",
	  { "q x * x", "s sum(q, axis=0)", "l sqrt(s)", "r l + w" },
	  "r",
	  false },
	{ "sine",
	  "s = sin(x); s * max(s, axis=-1, keepdims=True)",
	  "f",
	  { "s sin(x)", "m max(s, axis=-1, keepdims=True)", "r s * m" },
	  "r",
	  true },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* --- Arrays ------------------------------------------------------------- */

enum { PLAIN, SHIFTED, STEPS, PADDED, TRANSPOSED, BACKWARDS, LAYOUTS };
static const char *const layouts[] = { "plain",  "shifted",    "steps",
				       "padded", "transposed", "backwards" };

/* Values of all sizes, with rows that have what is special. */
static dpr_array *new_numbers(dpr_dtype dtype, int64_t n)
{
	static const float special[] = { NAN, INFINITY, -INFINITY, -0.0f, 0 };
	float *values = malloc((size_t)n * sizeof(*values));
	dpr_array *from, *out, *odd, *both;

	if (!values)
		exit(99);
	for (int64_t i = 0; i < n; i++)
		values[i] = random_between(&rng, 0, 9999)
				    ? (float)random_between(&rng, -9999, 9999) /
					      2048
				    : special[random_between(&rng, 0, 4)];
	MUST(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_FLOAT32,
				   queue, &from));
	free(values);
	MUST(dpr_astype(from, dtype, &out));
	dpr_array_release(from);
	if (dpr_dtype_kind(dtype) != 'c')
		return out;
	MUST(dpr_sqrt(out, &odd));
	MUST(dpr_add(out, odd, &both));
	dpr_array_release(out);
	dpr_array_release(odd);
	return both;
}

/* Take @n elements of @base and give them a shape of 1 or 2 axes. */
static dpr_array *new_part(const dpr_array *base, int64_t begin, int64_t rows,
			   int64_t columns, int rank)
{
	const int64_t dim[] = { rows, columns };
	dpr_array *flat, *out;

	MUST(dpr_array_view(base, &flat,
			    DPR_SLICE(begin, begin + rows * columns, 1)));
	MUST(dpr_reshape(flat, dpr_shape_of(rank, rank == 2 ? dim : dim + 1),
			 &out));
	dpr_array_release(flat);
	return out;
}

static dpr_array *new_rows(const dpr_array *base, int64_t rows, int64_t columns,
			   int layout)
{
	dpr_array *a, *b;

	switch (layout) {
	case SHIFTED: return new_part(base, 1, rows, columns, 2);
	case STEPS:
		a = new_part(base, 0, rows, columns * 2, 2);
		MUST(dpr_array_view(a, &b, DPR_ALL,
				    DPR_SLICE(DPR_OPEN, DPR_OPEN, 2)));
		break;
	case PADDED:
		a = new_part(base, 0, rows, columns + 16, 2);
		MUST(dpr_array_view(a, &b, DPR_ALL,
				    DPR_SLICE(8, 8 + columns, 1)));
		break;
	case TRANSPOSED:
		a = new_part(base, 0, columns, rows, 2);
		MUST(dpr_matrix_transpose(a, &b));
		break;
	case BACKWARDS:
		a = new_part(base, 0, rows, columns, 2);
		MUST(dpr_array_view(a, &b, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
				    DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
		break;
	default: return new_part(base, 0, rows, columns, 2);
	}
	dpr_array_release(a);
	return b;
}

/* --- Comparing ---------------------------------------------------------- */

/* The arrays by their letters. */
static dpr_array *known[128];

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

/* The bindings of the letters that @text names. */
static size_t bind_letters(const char *text, dpr_binding *bindings)
{
	static const char letters[26][2] = { "a", "b", "c", "d", "e", "f", "g",
					     "h", "i", "j", "k", "l", "m", "n",
					     "o", "p", "q", "r", "s", "t", "u",
					     "v", "w", "x", "y", "z" };
	bool named[26] = { false }, made[26] = { false };
	size_t n = 0;

	for (const char *c = text; *c; c++) {
		if (!is_letter(*c) || is_letter(c[1]) ||
		    (c != text && is_letter(c[-1])))
			continue;
		named[*c - 'a'] = true;
		made[*c - 'a'] |= c[1] == ' ' && c[2] == '=' && c[3] == ' ';
	}
	for (int i = 0; i < 26; i++)
		if (named[i] && !made[i] && known['a' + i])
			bindings[n++] = (dpr_binding){
				letters[i], dpr_operand_array(known['a' + i])
			};
	return n;
}

static void set_known(char letter, dpr_array *x)
{
	dpr_array_release(known[(int)letter]);
	known[(int)letter] = x;
}

/* Call the functions one after the other. */
static void run_steps(const struct form *form)
{
	for (int i = 0; i < MOST_STEPS && form->step[i]; i++) {
		const char *text = form->step[i] + 2;
		dpr_binding bindings[26];
		const size_t n = bind_letters(text, bindings);
		dpr_array *out;

		stop_on(dpr_evaluate_with(text, bindings, n, NULL, &out), text);
		set_known(form->step[i][0], out);
	}
}

static void print_difference(const dpr_array *have, const dpr_array *want)
{
	dpr_array *a, *b;
	float *x, *y;
	int shown = 0;

	if (dpr_dtype_kind(have->dtype) == 'c' || have->size != want->size)
		return;
	x = malloc((size_t)have->size * 4);
	y = malloc((size_t)have->size * 4);
	MUST(dpr_astype(have, DPR_FLOAT32, &a));
	MUST(dpr_astype(want, DPR_FLOAT32, &b));
	MUST(dpr_array_to_memory(a, x, dpr_array_nbytes(a), NULL));
	MUST(dpr_array_to_memory(b, y, dpr_array_nbytes(b), NULL));
	for (int64_t i = 0; x && y && i < have->size && shown < 2; i++)
		if (memcmp(&x[i], &y[i], 4)) {
			printf("   element %lld of %lld: %a, not %a\n",
			       (long long)i, (long long)have->size,
			       (double)x[i], (double)y[i]);
			shown++;
		}
	free(x);
	free(y);
	dpr_array_release(a);
	dpr_array_release(b);
}

static void expect(const struct form *form, const dpr_array *have, char letter,
		   const char *what)
{
	const dpr_array *want = known[(int)letter];

	checks++;
	if (have->rank == want->rank && bits_equal(have, want))
		return;
	if (wrong++ >= 12)
		return;
	printf("%s: %s: other bits of %c\n", form->name, what, letter);
	print_difference(have, want);
}

/* Whether the plan has one kernel for all. */
static bool is_together(const struct form *form, const dpr_expression *x,
			const dpr_binding *bindings, size_t n)
{
	char *text;
	bool one;

	MUST(dpr_expression_explain(x, bindings, n, NULL, &text));
	one = strstr(text, "kernels of several steps: 1\n") &&
	      !strstr(text, "  eager\n");
	if (getenv("DPR_TEST_PLANS"))
		printf("%s\n%s", form->name, text);
	dpr_free(text);
	return one;
}

/* Whether CPUs compute the form in one kernel where x is contiguous. */
static bool is_one_kernel(const struct form *form)
{
	static const char *const others[] = { "all",  "columns", "middle",
					      "pair", "range",   "squares" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(form->name, others[i]))
			return false;
	return true;
}

static void check_form(const struct form *form, const char *what, bool one)
{
	const size_t n_results = strlen(form->results);
	dpr_array *have[4] = { NULL }, *into, *v = dpr_array_retain(known['v']);
	dpr_array *b = dpr_array_retain(known['b']);
	dpr_binding bindings[26];
	dpr_expression *x;
	size_t n;

	n = bind_letters(form->text, bindings);
	MUST(dpr_expression_create(form->text, &x));
	stop_on(dpr_expression_apply(x, bindings, n, NULL, have, n_results),
		form->name);
	if (is_together(form, x, bindings, n)) {
		together++;
	} else if (one && wrong++ < 12) {
		printf("%s: %s: not one kernel\n", form->name, what);
	}
	run_steps(form);
	for (size_t i = 0; i < n_results; i++)
		expect(form, have[i], form->results[i], what);
	/* Into an array that has another layout. */
	if (n_results == 1 && have[0]->rank == 2 &&
	    into_turn++ % into_each == 0) {
		const int64_t *dim = array_shape(have[0]);
		dpr_array *wide;

		MUST(dpr_zeros(DPR_SHAPE(dim[0], dim[1] * 2 + 1),
			       have[0]->dtype, queue, &wide));
		MUST(dpr_array_view(wide, &into, DPR_ALL,
				    DPR_SLICE(1, DPR_OPEN, 2)));
		set_known('v', dpr_array_retain(v));
		set_known('b', dpr_array_retain(b));
		MUST(dpr_expression_apply_into(x, bindings, n, &into, 1));
		expect(form, into, form->results[0], "into steps");
		dpr_array_release(wide);
		dpr_array_release(into);
	}
	for (size_t i = 0; i < n_results; i++)
		dpr_array_release(have[i]);
	set_known('v', v);
	set_known('b', b);
	dpr_expression_release(x);
}

/* Make the operands, and say what they are. */
static void set_rows(const dpr_array *base, int64_t rows, int64_t columns,
		     int layout, char what[96])
{
	snprintf(what, 96, "%s, %lld rows of %lld, %s",
		 dpr_dtype_name(base->dtype), (long long)rows,
		 (long long)columns, layouts[layout]);
	set_known('x', new_rows(base, rows, columns, layout));
	set_known('w', new_part(base, 3, 1, columns, 1));
	set_known('b', new_part(base, columns / 2, 1, columns, 1));
	set_known('c', new_part(base, 5, rows, 1, 2));
	set_known('v', new_part(base, 7, 1, rows, 1));
}

static void check_rows(const dpr_array *base, int64_t rows, int64_t columns,
		       int layout)
{
	const char kind = dpr_dtype_kind(base->dtype);
	char what[96];

	set_rows(base, rows, columns, layout, what);
	for (size_t f = 0; f < FORMS; f++)
		if (strchr(forms[f].kinds, kind) &&
		    (whole || layout == PLAIN || random_between(&rng, 0, 1)))
			check_form(&forms[f], what, false);
}

/* The result goes to an operand that all rows read. */
static void check_in_place(const dpr_array *base, int64_t n)
{
	static const struct form form = { .name = "in place",
					  .text = "sum(x*w, axis=1) + v" };
	dpr_binding bindings[26];
	dpr_array *part = new_part(base, 3, 1, n, 1), *w, *want;
	size_t count;

	set_known('x', new_rows(base, n, n, PLAIN));
	/* The operand has memory of its own. */
	MUST(dpr_copy(part, &w));
	dpr_array_release(part);
	set_known('w', w);
	set_known('v', new_part(base, 7, 1, n, 1));
	count = bind_letters(form.text, bindings);
	stop_on(dpr_evaluate_with(form.text, bindings, count, NULL, &want),
		form.text);
	set_known('r', want);
	stop_on(dpr_evaluate_with_into(form.text, bindings, count,
				       known[(int)'w']),
		form.text);
	expect(&form, known[(int)'w'], 'r', dpr_dtype_name(base->dtype));
}

/* Rows of arrays with more axes, in any order; one or two axes are reduced.
   For the forms that have an operand x and rows w and b alone. */
static void check_axes(const dpr_array *base, int64_t length, const int *order,
		       const struct form *form)
{
	const int64_t dim[] = { 3, 5, 4, length };
	const int64_t n = 60 * length;
	dpr_array *flat, *x;
	char what[96];

	snprintf(what, sizeof(what), "%s, axes %d %d %d %d, rows of %lld",
		 dpr_dtype_name(base->dtype), order[0], order[1], order[2],
		 order[3], (long long)length);
	MUST(dpr_array_view(base, &flat, DPR_SLICE(11, 11 + n, 1)));
	MUST(dpr_reshape(flat, dpr_shape_of(4, dim), &x));
	dpr_array_release(flat);
	MUST(dpr_permute_dims(x, order, &flat));
	dpr_array_release(x);
	set_known('w', new_part(base, 3, 1, array_shape(flat)[3], 1));
	set_known('b', new_part(base, 5, 1, array_shape(flat)[3], 1));
	set_known('x', flat);
	check_form(form, what, false);
}

static void check_all_axes(const dpr_array *base)
{
	static const int orders[][4] = { { 0, 1, 2, 3 }, { 1, 0, 2, 3 },
					 { 2, 0, 1, 3 }, { 2, 1, 0, 3 },
					 { 0, 3, 1, 2 }, { 3, 2, 1, 0 } };
	static const int64_t lengths[] = { 6, 37, 1500 };
	const char kind = dpr_dtype_kind(base->dtype);

	for (size_t f = 0; f < FORMS; f++)
		for (size_t i = 0; i < 6 && strchr(forms[f].kinds, kind); i++)
			for (size_t k = 0; k < 3; k++)
				if (forms[f].any_rank)
					check_axes(base, lengths[k], orders[i],
						   &forms[f]);
}

/* A result goes to an input that another one reads after it. */
static void check_shared_input(dpr_dtype dtype, int64_t rows, int64_t n)
{
	static const struct form form = { .name = "shared input" };
	static const bool reduced[] = { false, true };
	const int64_t shape[] = { rows, n };
	dpr_array *base, *x, *in, *s, *r[2];
	struct graph graph = { 0 };
	struct stages_call call = { .what = "rows",
				    .graph = &graph,
				    .rank = 2,
				    .shape = shape,
				    .reduced = reduced };
	int y[2];

	base = new_numbers(dtype, rows * n);
	x = new_rows(base, rows, n, PLAIN);
	MUST(dpr_copy(x, &in));
	MUST(dpr_sum(x, DPR_AXES_KEPT(-1), &s));
	MUST(dpr_divide(x, s, &r[0]));
	set_known('r', r[0]);
	MUST(dpr_minimum(x, s, &r[1]));
	set_known('s', r[1]);
	dpr_array_release(s);
	MUST(dpr_empty_like(x, DPR_DTYPE_DEFAULT, &r[1]));
	r[0] = in;
	y[0] = graph_input(&graph, dtype);
	y[1] = graph_reduce(&graph, REDUCTION__sum, dtype, dtype, y[0]);
	graph_result(&graph, graph_operation(&graph, OPERATION__divide, dtype,
					     dtype, 2, y));
	graph_result(&graph, graph_operation(&graph, OPERATION__minimum, dtype,
					     dtype, 2, y));
	call.inputs = (const dpr_array *const[]){ in };
	call.results = r;
	stop_on(stages_run(&call), form.name);
	expect(&form, in, 'r', "first");
	expect(&form, r[1], 's', "second");
	dpr_array_release(base);
	dpr_array_release(x);
	dpr_array_release(in);
	dpr_array_release(r[1]);
}

/* --- Devices ------------------------------------------------------------ */

static const int64_t lengths[] = {
	1,    2,    3,    4,    5,     7,     8,     15,    16,    17,    31,
	33,   64,   100,  127,  128,   129,   300,   511,   512,   513,   640,
	1000, 1023, 1024, 1025, 2047,  2048,  2049,  2052,  3000,  4092,  4095,
	4096, 4097, 5000, 8192, 12289, 16384, 16388, 20000, 33333, 65536, 99999
};
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* A GPU does not cut so many rows into parts. */
#define MANY 16400

static size_t first, every = 1;

static void run_dtype(dpr_dtype dtype)
{
	const int64_t most = small ? 1 << 18 : 1 << 21;
	/* A CPU cuts no rows, however few there are. */
	const bool is_wide = dtype == DPR_FLOAT32 && !small && !on_cpu;
	const int64_t wide = is_wide ? most * 33 : most;
	dpr_array *base = new_numbers(dtype, 2 * wide + 200100);
	const size_t step = sweep_again ? every * SWEEP_AGAIN : every;
	size_t i = first;

	for (; i < LENGTHS; i += step) {
		const int64_t length = lengths[i];
		const int64_t rows[] = { 1, 5, 67, MANY };

		for (size_t r = 0; r < 4; r++) {
			const int layout =
				r == 3 ? PLAIN
				       : (int)random_between(&rng, 0,
							     LAYOUTS - 1);

			if (rows[r] * (length + 16) > (r < 3 ? most : wide))
				continue;
			if (r == 3 && length > 3000 && i % 3 == 2)
				continue;
			check_rows(base, rows[r], length, PLAIN);
			if (layout != PLAIN)
				check_rows(base, rows[r], length, layout);
		}
	}
	if (dpr_dtype_kind(dtype) == 'f') {
		check_in_place(base, 5);
		check_in_place(base, 300);
	}
	check_all_axes(base);
	dpr_array_release(base);
}

/*
 * Samples of float32 and others: form `first` and each `step`-th after that.
 * The lanes of a row depend on the number of its elements, from 32 and 1024 on,
 * and so do blocks, from 16384 on.  Those of 65536 are what can be kept.
 */
static const struct sample {
	dpr_dtype dtype;
	int64_t rows, columns;
	int layout;
	size_t first, step;
	bool streams; /* results are stored past the caches */
} samples[] = {
	{ DPR_FLOAT32, 67, 640, PLAIN, 0, 1, false },
	{ DPR_FLOAT32, 67, 640, SHIFTED, 2, FORMS, true },
	{ DPR_FLOAT32, 67, 333, PLAIN, 0, 9, true },
	{ DPR_FLOAT32, 67, 333, STEPS, 1, 12, true },
	{ DPR_FLOAT32, 67, 19, PLAIN, 0, 6, false },
	{ DPR_FLOAT32, 67, 45, PADDED, 1, FORMS, false },
	{ DPR_FLOAT32, 67, 3000, PLAIN, 0, 6, false },
	{ DPR_FLOAT32, 9, 40000, PLAIN, 1, 12, true },
	{ DPR_FLOAT32, 9, 65536, PLAIN, 0, FORMS, false },
	{ DPR_FLOAT32, 9, 65540, PLAIN, 0, FORMS, false },
	{ DPR_FLOAT32, 5, 1, PLAIN, 1, FORMS, false },
	{ DPR_FLOAT32, 1, 700, PLAIN, 0, FORMS, false },
	{ DPR_FLOAT32, 67, 300, BACKWARDS, 2, FORMS, false },
	{ DPR_FLOAT64, 67, 333, PLAIN, 1, 12, true },
	{ DPR_FLOAT64, 67, 20000, PLAIN, 0, FORMS, false },
	{ DPR_FLOAT16, 67, 333, PLAIN, 0, FORMS, false },
	{ DPR_INT32, 67, 333, PLAIN, 6, FORMS, false },
	{ DPR_COMPLEX64, 67, 333, PLAIN, 1, FORMS, true },
	{ DPR_INT8, 67, 3000, PLAIN, 7, FORMS, false },
};

/* Whether a kernel for rows leaves no core without work (stages.c). */
static bool has_rows_for_all(const struct sample *sample)
{
	return sample->rows * sample->columns <= 65536 ||
	       sample->rows >=
		       4 * (int64_t)target_of(dpr_queue_device(queue))->cores;
}

static void check_sample(const struct sample *sample)
{
	const int64_t n = sample->rows * (sample->columns + 16) * 2;
	const char kind = dpr_dtype_kind(sample->dtype);
	dpr_array *base = new_numbers(sample->dtype, n + sample->columns * 2);
	char what[96];

	set_rows(base, sample->rows, sample->columns, sample->layout, what);
	target_stream_from(sample->streams);
	for (size_t f = sample->first; f < FORMS; f += sample->step)
		if (strchr(forms[f].kinds, kind) && !sweep_leaves_out())
			check_form(&forms[f], what,
				   on_cpu && sample->layout == PLAIN &&
					   sample->columns > 1 &&
					   sample->columns <= 65536 &&
					   has_rows_for_all(sample) &&
					   is_one_kernel(&forms[f]));
	target_stream_from(0);
	dpr_array_release(base);
}

/* Rows with more than a kernel of native code can keep of them. */
static void check_long(void)
{
	const int64_t rows = 16, columns = 40000;
	dpr_array *base =
		new_numbers(DPR_COMPLEX128, rows * (columns + 16) + columns);

	check_rows(base, rows, columns, PLAIN);
	dpr_array_release(base);
}

/* Each allocation fails in turn: then the call fails, or does what it
   should. */
static void check_failures(void)
{
	dpr_array *x, *out = NULL;
	uint64_t turn = 0;
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;

	MUST(dpr_full(DPR_SHAPE(7, 512), 0.5, DPR_FLOAT32, queue, &x));
	for (; status && turn < 4000; turn++) {
		const dpr_binding binding = { "x", dpr_operand_array(x) };

		mem_fault_once(turn);
		status = dpr_evaluate_with(forms[2].text, &binding, 1, NULL,
					   &out);
		mem_fault_clear();
	}
	checks++;
	wrong += status != DPR_OK;
	if (status)
		printf("with memory it fails: %s\n", dpr_last_error());
	dpr_array_release(out);
	dpr_array_release(x);
}

static void run_device(dpr_device *device)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32,   DPR_FLOAT16,
					    DPR_INT32,     DPR_FLOAT64,
					    DPR_COMPLEX64, DPR_BFLOAT16,
					    DPR_INT8,      DPR_UINT16,
					    DPR_COMPLEX128 };
	const char *format = engine_format(device);
	const bool is_built = format && (!strcmp(format, "opencl-c") ||
					 !strcmp(format, "spirv"));

	MUST(dpr_device_queue(device, &queue));
	on_cpu = target_of(device)->format->is_native;
	into_each = is_built ? 4 : 1;
	sweep_thin(device, 19);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (dpr_dtype_computes(device, samples[i].dtype))
			check_sample(&samples[i]);
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (dpr_dtype_computes(device, dtypes[i]) &&
		    (whole || (i < 4 && !is_built)))
			run_dtype(dtypes[i]);
	if (dpr_dtype_computes(device, DPR_COMPLEX128) && (whole || !is_built))
		check_long();
	for (int i = 0; i < 2 && reduce_launch_computes(device); i++) {
		const dpr_dtype dtype = i ? DPR_FLOAT64 : DPR_FLOAT32;

		if (!dpr_dtype_computes(device, dtype))
			continue;
		check_shared_input(dtype, MANY, 640);
		if (on_cpu)
			check_shared_input(dtype, 3, 5000);
	}
	/* Each time a kernel would be compiled. */
	if (whole || !is_built)
		check_failures();
	for (int c = 'a'; c <= 'z'; c++)
		set_known((char)c, NULL);
	printf("%s: %ld comparisons so far, %ld wrong, %ld expressions in one "
	       "kernel\n",
	       dpr_device_selector(device), checks, wrong, together);
	if ((on_cpu || reduce_launch_computes(device)) && !together) {
		printf("no expression was computed in one kernel\n");
		wrong++;
	}
}

static bool is_for(dpr_device *device)
{
	return !exact_memory(device);
}

int main(int argc, char **argv)
{
	whole = getenv("DPR_TEST_ALL") != NULL;
	small = getenv("DPR_TEST_SMALL") != NULL;
	if (argc == 3) {
		first = (size_t)atoi(argv[1]);
		every = (size_t)atoi(argv[2]);
	}
	if (!every)
		return 2;
	return sweep("host,opencl", is_for, run_device, "no device");
}
