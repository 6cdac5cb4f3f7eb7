/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random expressions compared with calls of the functions one by one: both must
 * give the same status, or the same dtype, shape, queue, kind of memory and
 * bits, where a NaN equals every NaN.
 *
 * DPR_TEST_EXPRESSIONS: how many on each device (300 where code is native,
 * 30 where drivers compile; a third with DPR_TEST_SMALL, which also leaves
 * large arrays out); DPR_TEST_DEPTH: how deep they are at most (6; 2).
 * DPR_TEST_SEED repeats a run; DPR_TEST_DEVICES is a selector (default: all
 * devices).
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/operations_map.h"
#include "tests/support/bits.h"
#include "tests/support/devices.h"
#include "tests/support/random.h"

#define RENEW 40 /* expressions with the same operands */

static struct random rng;
static int most_depth;
static bool small;

/* --- Operands ------------------------------------------------------------ */

#define ARRAYS 12
static dpr_array *arrays[ARRAYS];
static char names[ARRAYS][16];

static int64_t below(int64_t n)
{
	return random_between(&rng, 0, n - 1);
}

/* Small numbers, whole or not, in half of the operands with some special and
   some extreme values. */
static void fill(double *values, int n)
{
	static const double special[] = { NAN,    INFINITY,      -INFINITY,
					  -0.0,   1e30,          0.5,
					  1e-40,  -3e-39,        3e38,
					  65504,  -2147483648.0, 9.2e18,
					  1.7e308 };
	const bool is_special = below(2);
	const int64_t parts = below(2) ? 1 : 1000;

	for (int i = 0; i < n; i++)
		values[i] = is_special && !below(6)
				    ? special[below(13)]
				    : (double)random_between(&rng, -4 * parts,
							     9 * parts) /
					      (double)parts;
}

/* How the elements of an operand lie in memory. */
enum lie { LIE_FLAT, LIE_TURNED, LIE_STEPS, LIE_BACK, LIE_LATE, LIES };

static dpr_status turn(const dpr_array *x, dpr_array **out)
{
	dpr_array *view, *copy = NULL;
	dpr_status status = dpr_matrix_transpose(x, &view);

	if (!status)
		status = dpr_copy(view, &copy);
	if (!status)
		status = dpr_matrix_transpose(copy, out);
	dpr_array_release(view);
	dpr_array_release(copy);
	return status;
}

/* Get @x, which has the elements of the operand and others beside them. */
static dpr_status lay(dpr_array *x, enum lie lie, dpr_array **out)
{
	switch (lie) {
	case LIE_TURNED: return turn(x, out);
	case LIE_STEPS:
		return dpr_array_view(x, out, DPR_ELLIPSIS,
				      DPR_SLICE(DPR_OPEN, DPR_OPEN, 2));
	case LIE_BACK:
		return dpr_array_view(x, out, DPR_ELLIPSIS,
				      DPR_SLICE(DPR_OPEN, DPR_OPEN, -1));
	case LIE_LATE:
		return dpr_array_view(x, out, DPR_ELLIPSIS,
				      DPR_SLICE(1, DPR_OPEN, 1));
	case LIE_FLAT:
	case LIES: break;
	}
	*out = dpr_array_retain(x);
	return DPR_OK;
}

/* The shapes of operands are parts of one of these. */
static const int64_t extents[][3] = {
	{ 2, 3, 4 }, { 2, 3, 4 }, { 2, 5, 100 }, { 1, 33, 70 }, { 3, 64, 40 },
};
#define EXTENTS (sizeof(extents) / sizeof(extents[0]))
#define MOST (2 * 3 * 64 * 40) /* elements, with those between */

static dpr_status make_operand(dpr_queue *queue, const int64_t *extent,
			       dpr_array **out)
{
	/* Which axes have their full length, and which have one element. */
	static const bool full[][3] = { { true, true, true },
					{ false, true, true },
					{ true, false, false },
					{ true, true, false } };
	static const dpr_dtype dtypes[] = {
		DPR_BOOL,    DPR_INT8,    DPR_INT16,     DPR_INT32,
		DPR_INT64,   DPR_UINT8,   DPR_UINT16,    DPR_UINT32,
		DPR_UINT64,  DPR_FLOAT16, DPR_BFLOAT16,  DPR_FLOAT32,
		DPR_FLOAT32, DPR_FLOAT64, DPR_COMPLEX64, DPR_COMPLEX128,
	};
	const int skip = below(8) ? (int)below(3) : 3, rank = 3 - skip;
	const int64_t which = below(12) ? below(4) : -1;
	const bool shared = !below(4) && dpr_device_has(dpr_queue_device(queue),
							"usm_shared");
	const dpr_usm_kind kind = shared ? DPR_USM_SHARED : DPR_USM_DEVICE;
	const dpr_dtype dtype = dtypes[below(16)];
	enum lie lie = below(2) && rank ? (enum lie)below(LIES) : LIE_FLAT;
	dpr_array *plain = NULL, *cast = NULL;
	static double values[MOST];
	int64_t dim[3];
	dpr_status status;

	if (lie == LIE_TURNED && rank < 2)
		lie = LIE_FLAT;
	for (int k = 0; k < 3; k++)
		dim[k] = which < 0 || full[which][k] ? extent[k] : 1;
	if (which < 0)
		dim[0] = 0;
	if (lie == LIE_STEPS)
		dim[2] *= 2;
	if (lie == LIE_LATE)
		dim[2]++;
	fill(values, MOST);
	*out = NULL;
	status = dpr_array_from_memory_on(values,
					  dpr_shape_of(rank, dim + skip), NULL,
					  DPR_FLOAT64, queue, kind, &plain);
	if (!status)
		status = dpr_astype(plain, dtype, &cast);
	if (!status)
		status = lay(cast, lie, out);
	dpr_array_release(plain);
	dpr_array_release(cast);
	return status;
}

/* --- Trees --------------------------------------------------------------- */

/* The value of a part of an expression: an array or a number. */
struct part {
	dpr_array *array; /* owned */
	dpr_operand number;
	dpr_status status;
};

static FILE *text; /* the expression, written here */

static dpr_operand operand(const struct part *part)
{
	return part->array ? dpr_operand_array(part->array) : part->number;
}

typedef dpr_status (*unary)(dpr_operand, dpr_array **);
typedef dpr_status (*binary)(dpr_operand, dpr_operand, dpr_array **);
typedef dpr_status (*ternary)(dpr_operand, dpr_operand, dpr_operand,
			      dpr_array **);

#define FIELD_1 one
#define FIELD_2 two
#define FIELD_3 three
static const struct operation {
	const char *name;
	int n;
	unary one;
	binary two;
	ternary three;
} operations[] = {
#define OPERATION(op, n_, family, result, classes, identity, guarded) \
	{ .name = #op, .n = n_, .FIELD_##n_ = (dpr_##op) },
	OPERATION_MAP(OPERATION)
};
#define N_OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static const struct {
	const char *text, *name;
} operators[] = {
	{ "+", "add" },
	{ "-", "subtract" },
	{ "*", "multiply" },
	{ "/", "divide" },
	{ "//", "floor_divide" },
	{ "%", "remainder" },
	{ "**", "pow" },
	{ "<", "less" },
	{ "==", "equal" },
	{ "&", "bitwise_and" },
	{ "|", "bitwise_or" },
	{ "^", "bitwise_xor" },
	{ "<<", "bitwise_left_shift" },
	{ ">>", "bitwise_right_shift" },
	{ ">=", "greater_equal" },
	{ "!=", "not_equal" },
};
#define N_OPERATORS (sizeof(operators) / sizeof(operators[0]))

static const struct operation *find(const char *name)
{
	size_t i = 0;

	while (strcmp(operations[i].name, name) != 0)
		i++;
	return &operations[i];
}

static void drop(struct part *part)
{
	dpr_array_release(part->array);
	part->array = NULL;
}

static struct part make(int depth);

static struct part make_array(void)
{
	const int64_t i = below(ARRAYS);

	fprintf(text, "%s", names[i]);
	return (struct part){ .array = dpr_array_retain(arrays[i]) };
}

static struct part make_number(void)
{
	const int64_t n = random_between(&rng, 0, 5);

	switch (below(4)) {
	case 0:
		fprintf(text, "%d.5", (int)n);
		return (struct part){ .number = dpr_operand_float((double)n +
								  0.5) };
	case 1:
		fprintf(text, "True");
		return (struct part){ .number = dpr_operand_bool(1) };
	case 2:
		fprintf(text, "%dj", (int)n);
		return (struct part){ .number = dpr_operand_complex_parts(
					      0, (double)n) };
	}
	fprintf(text, "%d", (int)n);
	return (struct part){ .number = dpr_operand_int(n) };
}

/* Keep the first failure: parts are computed in the order of the text. */
static void call_operation(const struct operation *o, struct part *x,
			   struct part *out)
{
	for (int i = 0; i < o->n; i++)
		if (!out->status)
			out->status = x[i].status;
	if (!out->status)
		out->status = o->n == 1 ? o->one(operand(&x[0]), &out->array)
			      : o->n == 2
				      ? o->two(operand(&x[0]), operand(&x[1]),
					       &out->array)
				      : o->three(operand(&x[0]), operand(&x[1]),
						 operand(&x[2]), &out->array);
	for (int i = 0; i < o->n; i++)
		drop(&x[i]);
}

/* Whether the sign of a NaN in operand @i decides the result.  A computed NaN
   can have either sign, so this operand is an array of the list. */
static bool shows_sign_of_nan(const struct operation *o, int i)
{
	return !strcmp(o->name, "signbit") ||
	       (i == 1 && !strcmp(o->name, "copysign"));
}

/* An operation with at least one array among its operands. */
static struct part make_operation(int depth)
{
	const bool sign = below(2);
	const size_t at = (size_t)below(N_OPERATORS);
	const struct operation *o = sign ? find(operators[at].name)
					 : &operations[below(N_OPERATIONS)];
	const int64_t number = below(3) ? -1 : below(o->n);
	struct part x[3], out = { 0 };

	fprintf(text, sign ? "(" : "%s(", o->name);
	for (int i = 0; i < o->n; i++) {
		if (i)
			fprintf(text, sign ? " %s " : ", ", operators[at].text);
		x[i] = o->n > 1 && i == number   ? make_number()
		       : shows_sign_of_nan(o, i) ? make_array()
						 : make(depth - 1);
	}
	fprintf(text, ")");
	call_operation(o, x, &out);
	return out;
}

static struct part make_reduction(int depth)
{
	static const struct {
		const char *name;
		dpr_status (*call)(const dpr_array *, const dpr_axes *,
				   dpr_array **);
	} reductions[] = {
#define REDUCTION(name, combine, sum, first, finish, text) \
	{ #name, dpr_##name },
#include "kernels/reductions.def"
#undef REDUCTION
	};
	const int64_t which = below(sizeof(reductions) / sizeof(reductions[0]));
	const int axis = (int)random_between(&rng, -2, 1);
	const bool all = below(2), keep = below(2);
	dpr_axes axes = { .count = !all,
			  .keepdims = keep,
			  .axis = all ? NULL : &axis };
	struct part x, out = { 0 };

	fprintf(text, "%s(", reductions[which].name);
	x = make(depth - 1);
	if (!all)
		fprintf(text, ", axis=%d", axis);
	fprintf(text, ", keepdims=%s)", keep ? "True" : "False");
	out.status =
		x.status ? x.status
			 : reductions[which].call(x.array, &axes, &out.array);
	drop(&x);
	return out;
}

/* A condition: a comparison, or anything cast to bool. */
static struct part make_condition(int depth)
{
	struct part x[2], out = { 0 };

	if (below(2)) {
		fprintf(text, "astype(");
		x[0] = make(depth - 1);
		fprintf(text, ", bool)");
		out.status = x[0].status ? x[0].status
					 : dpr_astype(x[0].array, DPR_BOOL,
						      &out.array);
		drop(&x[0]);
		return out;
	}
	x[0] = make(depth - 1);
	fprintf(text, " != ");
	x[1] = make_number();
	call_operation(find("not_equal"), x, &out);
	return out;
}

/* A choice between arrays or numbers. */
static struct part make_where(int depth)
{
	const int64_t number = below(4);
	struct part x[3], out = { 0 };

	fprintf(text, "where(");
	x[0] = make_condition(depth);
	for (int i = 1; i < 3; i++) {
		fprintf(text, ", ");
		x[i] = number == i || number == 3 ? make_number()
						  : make(depth - 1);
	}
	fprintf(text, ")");
	for (int i = 0; i < 3; i++)
		if (!out.status)
			out.status = x[i].status;
	if (!out.status)
		out.status = (dpr_where)(x[0].array, operand(&x[1]),
					 operand(&x[2]), &out.array);
	for (int i = 0; i < 3; i++)
		drop(&x[i]);
	return out;
}

/* The place along an axis, in the shape of an operand. */
static struct part make_index(void)
{
	const int64_t i = below(ARRAYS);
	const dpr_array *x = arrays[i];
	const int rank = dpr_array_rank(x);
	const int axis = rank ? (int)below(rank) : 0;
	static int64_t values[MOST];
	struct part out = { 0 };
	int64_t after = 1;

	fprintf(text, "index(%d, %s)", below(2) ? axis : axis - rank, names[i]);
	if (!rank) {
		out.status = DPR_ERROR_INDEX;
		return out;
	}
	for (int d = axis + 1; d < rank; d++)
		after *= dpr_array_shape(x)[d];
	for (int64_t k = 0; k < dpr_array_size(x); k++)
		values[k] = k / after % dpr_array_shape(x)[axis];
	out.status = dpr_array_from_memory_on(
		values, dpr_shape_of(rank, dpr_array_shape(x)), NULL, DPR_INT64,
		dpr_array_queue(x), dpr_array_kind(x), &out.array);
	return out;
}

/* Print a bound of a slice and a colon.  Returns the bound, which may be left
   out. */
static int64_t make_bound(int64_t extent)
{
	const int64_t bound =
		below(3) ? DPR_OPEN
			 : random_between(&rng, -extent - 2, extent + 2);

	if (bound != DPR_OPEN)
		fprintf(text, "%d", (int)bound);
	fprintf(text, ":");
	return bound;
}

/* Print an index of an axis.  Most keep the axis as it is, or make its extent
   1, so that others still match. */
static dpr_index make_axis(int64_t extent)
{
	static const int64_t steps[] = { -1, -1, 2, -3 };
	int64_t at, stop, step;

	switch (below(8)) {
	case 0: /* one element, rarely outside */
		at = random_between(&rng, -extent,
				    extent - (extent && below(6)));
		fprintf(text, "%d", (int)at);
		return DPR_AT(at);
	case 1: /* the same as a slice */
		at = below(extent + 1);
		fprintf(text, "%d:%d", (int)at, (int)at + 1);
		return DPR_SLICE(at, at + 1, DPR_OPEN);
	case 2:
		step = steps[below(4)];
		at = make_bound(extent);
		stop = make_bound(extent);
		fprintf(text, "%d", (int)step);
		return DPR_SLICE(at, stop, step);
	case 3: fprintf(text, "::-1"); return DPR_SLICE(DPR_OPEN, DPR_OPEN, -1);
	}
	fprintf(text, ":");
	return DPR_ALL;
}

/* Print random indices of @x between brackets.  Returns how many there are. */
static size_t make_indices(const dpr_array *x, dpr_index *out)
{
	const int rank = x ? dpr_array_rank(x) : 0;
	const int some = rank ? (int)below(rank + 1) : 0;
	const bool late = below(2);
	size_t n = 0;

	fprintf(text, "[");
	if (!below(3)) {
		fprintf(text, "None, ");
		out[n++] = DPR_NEW_AXIS;
	}
	if (late) {
		fprintf(text, "..., ");
		out[n++] = DPR_ELLIPSIS;
	}
	for (int k = 0; k < some; k++) {
		const int axis = late ? rank - some + k : k;

		out[n++] = make_axis(dpr_array_shape(x)[axis]);
		fprintf(text, ", ");
	}
	if (!late) {
		fprintf(text, "...");
		out[n++] = DPR_ELLIPSIS;
	}
	fprintf(text, "]");
	return n;
}

static struct part make_slice(int depth)
{
	struct part x = make(depth - 1), out = { 0 };
	dpr_index indices[DPR_MAX_RANK + 2];
	const size_t n = make_indices(x.array, indices);

	out.status = x.status
			     ? x.status
			     : dpr_array_index(x.array, indices, n, &out.array);
	drop(&x);
	return out;
}

static struct part make_cast(int depth, dpr_dtype dtype)
{
	struct part x, out = { 0 };

	fprintf(text, "astype(");
	x = make(depth - 1);
	fprintf(text, ", %s)", dpr_dtype_name(dtype));
	out.status =
		x.status ? x.status : dpr_astype(x.array, dtype, &out.array);
	drop(&x);
	return out;
}

/* Elements along an axis, by indices. */
static struct part make_taken(int depth)
{
	static const dpr_dtype dtypes[] = { DPR_INT8, DPR_INT32, DPR_INT64,
					    DPR_UINT16, DPR_UINT64 };
	const dpr_bounds bounds = below(2) ? DPR_BOUNDS_WRAP : DPR_BOUNDS_CLIP;
	const int axis = (int)random_between(&rng, -2, 1);
	struct part x, i, out = { 0 };

	fprintf(text, "take_along_axis(");
	x = make(depth - 1);
	fprintf(text, ", ");
	i = make_cast(depth, dtypes[below(5)]);
	fprintf(text, ", axis=%d, mode=\"%s\")", axis,
		bounds == DPR_BOUNDS_WRAP ? "wrap" : "clip");
	out.status = x.status ? x.status : i.status;
	if (!out.status)
		out.status = dpr_take_along_axis(x.array, i.array, axis, bounds,
						 &out.array);
	drop(&x);
	drop(&i);
	return out;
}

static struct part make_once(int depth)
{
	if (depth == 0 || below(8) == 0)
		return below(6) ? make_array() : make_index();
	switch (below(11)) {
	case 0:
	case 1: return make_reduction(depth);
	case 2: return make_where(depth);
	case 3:
		return make_cast(depth,
				 (dpr_dtype)random_between(&rng, DPR_BOOL,
							   DPR_COMPLEX128));
	case 4: return make_slice(depth);
	case 5: return make_taken(depth);
	}
	return make_operation(depth);
}

/* Make a part that is an array.  Most parts that the functions refuse are made
   anew, less deep, so that deep expressions are computed. */
static struct part make(int depth)
{
	const long begin = ftell(text);
	struct part part = make_once(depth);

	for (int turn = 0; part.status && turn < 8 && below(16); turn++) {
		fseek(text, begin, SEEK_SET);
		if (depth > 0)
			depth--;
		part = make_once(depth);
	}
	return part;
}

/* --- Comparing ----------------------------------------------------------- */

static bool same_array(const dpr_array *a, const dpr_array *b)
{
	bool same = dpr_array_dtype(a) == dpr_array_dtype(b) &&
		    dpr_array_rank(a) == dpr_array_rank(b) &&
		    dpr_array_queue(a) == dpr_array_queue(b) &&
		    dpr_array_kind(a) == dpr_array_kind(b);

	for (int k = 0; same && k < dpr_array_rank(a); k++)
		same = dpr_array_shape(a)[k] == dpr_array_shape(b)[k];
	return same && bits_equal(a, b);
}

/* Bind the operands that occur in the text. */
static dpr_status apply(const char *expression, dpr_array **out)
{
	const dpr_expression_operand *operands;
	dpr_binding bindings[ARRAYS];
	dpr_expression *e;
	dpr_status status;
	size_t n, bound = 0;

	*out = NULL;
	status = dpr_expression_create(expression, &e);
	if (status)
		return status;
	operands = dpr_expression_operands(e, &n);
	for (size_t i = 0; i < n; i++) {
		/* Operands that are not required are names of dtypes. */
		if (!operands[i].required)
			continue;
		bindings[bound].name = operands[i].name;
		bindings[bound++].value =
			dpr_operand_array(arrays[atoi(operands[i].name + 1)]);
	}
	status = dpr_expression_apply(e, bindings, bound, NULL, out, 1);
	dpr_expression_release(e);
	return status;
}

/* The results of an expression: from the functions, and from applying it. */
struct turn {
	struct part want;
	dpr_array *have;
	dpr_status status;
};

static void take_turn(int depth, char **expression, struct turn *turn)
{
	size_t size;

	text = open_memstream(expression, &size);
	turn->want = make(depth);
	fclose(text);
	(*expression)[size] = 0;
	turn->status = apply(*expression, &turn->have);
}

static void drop_turn(struct turn *turn)
{
	dpr_array_release(turn->have);
	drop(&turn->want);
}

static bool agrees(const struct turn *turn)
{
	return turn->status == turn->want.status &&
	       (turn->status || same_array(turn->have, turn->want.array));
}

/* Compare the status and the bits with those of an earlier turn. */
static const char *repeats(dpr_status s, const dpr_array *x, dpr_status before,
			   const dpr_array *y)
{
	return s == before && (s || same_array(x, y)) ? "as before"
						      : "otherwise";
}

static void tell(const char *who, dpr_status status, const dpr_array *x)
{
	printf("    %s: %s %s\n", who, dpr_status_name(status),
	       status ? dpr_last_error() : dpr_dtype_name(dpr_array_dtype(x)));
	if (!status && dpr_array_print(x, stdout))
		printf("%s\n", dpr_last_error());
	printf("\n");
}

/* Returns whether the expression could be computed.  Adds to *wrong if the
   results differ.  Then both are computed once more, from the same random
   numbers: what a kernel does wrong comes again. */
static bool try_one(int *wrong)
{
	const int depth = (int)random_between(&rng, 1, most_depth);
	const struct random before = rng;
	struct turn turn, again;
	char *expression;
	bool ok;

	take_turn(depth, &expression, &turn);
	if (!agrees(&turn)) {
		printf("%s\n", expression);
		tell("the expression", turn.status, turn.have);
		tell("the functions", turn.want.status, turn.want.array);
		free(expression);
		rng = before;
		take_turn(depth, &expression, &again);
		printf("    once more: the expression %s, the functions %s\n",
		       repeats(again.status, again.have, turn.status,
			       turn.have),
		       repeats(again.want.status, again.want.array,
			       turn.want.status, turn.want.array));
		drop_turn(&again);
		++*wrong;
	}
	ok = !turn.status;
	drop_turn(&turn);
	free(expression);
	return ok;
}

/* A result that is constant, of a kernel that works through its elements in
   several blocks. */
static int constant_result(dpr_device *device)
{
	static uint16_t values[2310];
	dpr_array *x = NULL, *y = NULL;
	dpr_queue *queue;
	int wrong = 0;

	if (dpr_device_queue(device, &queue) ||
	    dpr_zeros_on(DPR_SHAPE(33, 70), DPR_FLOAT16, queue, DPR_USM_DEVICE,
			 &x) ||
	    dpr_evaluate("imag(abs(cos(x)))", NULL, &y, "x", x) ||
	    dpr_array_to_memory(y, values, sizeof(values), NULL)) {
		printf("%s\n", dpr_last_error());
		wrong = 1;
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		wrong += values[i] != 0;
	if (wrong)
		printf("imag(abs(cos(x))): %d elements are not 0\n", wrong);
	dpr_array_release(x);
	dpr_array_release(y);
	return wrong;
}

static bool renew_operands(dpr_queue *queue)
{
	const int64_t *extent = extents[small ? 0 : below(EXTENTS)];

	for (int i = 0; i < ARRAYS; i++) {
		snprintf(names[i], sizeof(names[i]), "v%d", i);
		dpr_array_release(arrays[i]);
		if (make_operand(queue, extent, &arrays[i])) {
			printf("%s\n", dpr_last_error());
			return false;
		}
	}
	return true;
}

static int run_device(dpr_device *device, long count)
{
	int wrong = 0, computed = 0;
	dpr_queue *queue;

	if (dpr_device_queue(device, &queue)) {
		printf("%s\n", dpr_last_error());
		return 1;
	}
	for (long i = 0; i < count; i++) {
		if (i % RENEW == 0 && !renew_operands(queue))
			return 1;
		computed += try_one(&wrong);
	}
	printf("%s: %ld expressions, of which %d are computed, %d wrong\n",
	       dpr_device_selector(device), count, computed, wrong);
	for (int i = 0; i < ARRAYS; i++) {
		dpr_array_release(arrays[i]);
		arrays[i] = NULL;
	}
	/* If less than a quarter could be computed, this tests too little. */
	return wrong || computed * 4 < count;
}

int main(void)
{
	const char *more = getenv("DPR_TEST_EXPRESSIONS");
	const char *seed = getenv("DPR_TEST_SEED");
	const char *depth = getenv("DPR_TEST_DEPTH");
	dpr_device *devices[MAX_DEVICES];
	int failed = 0;
	size_t n;

	small = getenv("DPR_TEST_SMALL") != NULL;
	rng.state = seed && atoll(seed) ? (uint64_t)atoll(seed) : 20250611;
	printf("seed %llu\n", (unsigned long long)rng.state);
	if (dpr_device_enumerate(getenv("DPR_TEST_DEVICES"), devices,
				 MAX_DEVICES, &n) ||
	    !n) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	for (size_t i = 0; i < n && i < MAX_DEVICES; i++) {
		const char *format = dpr_array_kernel_format(devices[i]);
		const bool is_native = format && !strncmp(format, "native-", 7);
		const long count = (is_native ? 300 : 30) / (small ? 3 : 1);

		most_depth = depth && atoi(depth) > 0 ? atoi(depth)
			     : is_native              ? 6
						      : 2;
		failed |= exact_memory(devices[i]) ||
			  constant_result(devices[i]) ||
			  run_device(devices[i], more ? atol(more) : count);
	}
	if (dpr_finalize()) {
		printf("%s\n", dpr_last_error());
		failed = 1;
	}
	return failed;
}
