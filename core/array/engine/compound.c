/* SPDX-License-Identifier: Apache-2.0 */
/* compound.c - operations that are computed in several steps. */
#include "core/array/engine/compound.h"

int compound_steps(unsigned op)
{
	switch (op) {
	case OPERATION__signbit: return 3;
	case OPERATION__copysign: return 6;
	case OPERATION__nextafter: return 22;
	case OPERATION__nan_to_num: return 4;
	}
	return 0;
}

dpr_dtype compound_integer(dpr_dtype dtype)
{
	switch (dpr_dtype_size(dtype)) {
	case 2: return DPR_INT16;
	case 4: return DPR_INT32;
	}
	return DPR_INT64;
}

bool compound_number(unsigned op, dpr_dtype compute, int i, dpr_operand *number,
		     dpr_dtype *dtype)
{
	dpr_float_limits limits;

	if (op == OPERATION__nan_to_num && i < COMPOUND_NUMBERS &&
	    !dpr_finfo(compute, &limits)) {
		const double numbers[COMPOUND_NUMBERS] = { limits.max,
							   -limits.max, 0 };

		*dtype = compute;
		*number = dpr_operand_float(numbers[i]);
		return true;
	}
	if ((op != OPERATION__copysign && op != OPERATION__nextafter) || i)
		return false;
	*dtype = compound_integer(compute);
	/* An integer in which only the sign bit is set. */
	*number = dpr_operand_int(*dtype == DPR_INT16   ? INT16_MIN
				  : *dtype == DPR_INT32 ? INT32_MIN
							: INT64_MIN);
	return true;
}

/* Add a step that reads the bits of the float @x as a signed integer. */
static int add_integer(struct graph *graph, int x)
{
	return graph_bits(graph,
			  compound_integer((dpr_dtype)graph->step[x].dtype), x);
}

static int add_unary(struct graph *graph, unsigned op, int x)
{
	const unsigned dtype = x < 0 ? 0 : graph->step[x].dtype;

	return x < 0 ? -1 : graph_operation(graph, op, dtype, dtype, 1, &x);
}

static int add_binary(struct graph *graph, unsigned op, int x, int y)
{
	unsigned dtype;

	if (x < 0 || y < 0)
		return -1;
	dtype = graph->step[x].dtype;
	return graph_operation(graph, op, dtype, dtype, 2,
			       (const int[]){ x, y });
}

/* Compare two steps of one dtype. */
static int add_compare(struct graph *graph, unsigned op, int x, int y)
{
	if (x < 0 || y < 0)
		return -1;
	return graph_operation(graph, op, graph->step[x].dtype, DPR_BOOL, 2,
			       (const int[]){ x, y });
}

static int add_where(struct graph *graph, int condition, int x, int y)
{
	if (condition < 0 || x < 0 || y < 0)
		return -1;
	return graph_where(graph, graph->step[x].dtype,
			   (const int[]){ condition, x, y });
}

static int add_signbit(struct graph *graph, int x)
{
	if (dpr_dtype_kind((dpr_dtype)graph->step[x].dtype) == 'f')
		x = add_integer(graph, x);
	return x < 0 ? -1 : graph_sign(graph, true, x);
}

/* Add the steps of copysign(x[0], x[1]): invert the sign bit of x[0] if the
   signs differ.  Step x[2] is an integer in which only the sign bit is set. */
static int add_copysign(struct graph *graph, const int *x)
{
	const int to = add_integer(graph, x[0]);
	const int from = add_integer(graph, x[1]);
	int step = add_binary(graph, OPERATION__bitwise_xor, to, from);

	step = add_binary(graph, OPERATION__bitwise_and, step, x[2]);
	step = add_binary(graph, OPERATION__bitwise_xor, to, step);
	return step < 0 ? -1 : graph_bits(graph, graph->step[x[0]].dtype, step);
}

/*
 * Add the steps of nextafter(x[0], x[1]) for operands that are not NaN.  If the
 * bits of a float are read as an integer, adding 1 gives the next float away
 * from 0, and subtracting 1 gives the next float towards 0.  If x[0] is a zero,
 * it first gets the sign of x[1].  Step x[2] is an integer in which only the
 * sign bit is set.
 */
static int add_neighbour(struct graph *graph, const int *x)
{
	const int from = add_integer(graph, x[0]);
	const int to = add_integer(graph, x[1]);
	int bits = add_binary(graph, OPERATION__bitwise_or, from, x[2]);
	int is_away, plus_1, minus_1, step;

	bits = add_compare(graph, OPERATION__equal, bits, x[2]);
	step = add_binary(graph, OPERATION__bitwise_and, to, x[2]);
	bits = add_where(graph, bits, step, from);
	is_away = bits < 0 ? -1 : graph_sign(graph, true, bits);
	is_away = add_compare(graph, OPERATION__not_equal, is_away,
			      add_compare(graph, OPERATION__less, x[0], x[1]));
	/* Neither sum needs a constant 1: -~v is v + 1, and ~-v is v - 1. */
	plus_1 = add_unary(graph, OPERATION__bitwise_invert, bits);
	plus_1 = add_unary(graph, OPERATION__negative, plus_1);
	minus_1 = add_unary(graph, OPERATION__negative, bits);
	minus_1 = add_unary(graph, OPERATION__bitwise_invert, minus_1);
	step = add_where(graph, is_away, plus_1, minus_1);
	/* If x[0] equals x[1], the result is x[1]. */
	step = add_where(graph,
			 add_compare(graph, OPERATION__equal, x[0], x[1]), to,
			 step);
	return step < 0 ? -1 : graph_bits(graph, graph->step[x[0]].dtype, step);
}

static int add_nextafter(struct graph *graph, const int *x)
{
	const int step = add_neighbour(graph, x);
	/* The maximum is NaN if x[0] or x[1] is NaN. */
	const int nan = add_binary(graph, OPERATION__maximum, x[0], x[1]);

	return add_where(graph, add_compare(graph, OPERATION__equal, nan, nan),
			 step, nan);
}

/* Add the steps of nan_to_num(x[0]).  The steps x[1], x[2] and x[3] are the
   largest number of the dtype, the lowest number, and 0. */
static int add_nan_to_num(struct graph *graph, const int *x)
{
	int step = add_binary(graph, OPERATION__minimum, x[0], x[1]);

	step = add_binary(graph, OPERATION__maximum, step, x[2]);
	return add_where(graph,
			 add_compare(graph, OPERATION__equal, x[0], x[0]), step,
			 x[3]);
}

int compound_add(struct graph *graph, unsigned op, const int *x)
{
	switch (op) {
	case OPERATION__signbit: return add_signbit(graph, x[0]);
	case OPERATION__copysign: return add_copysign(graph, x);
	case OPERATION__nan_to_num: return add_nan_to_num(graph, x);
	}
	return add_nextafter(graph, x);
}
