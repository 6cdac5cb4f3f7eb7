/* SPDX-License-Identifier: Apache-2.0 */
/* compound.c - operations that are computed in several steps. */
#include "core/array/engine/compound.h"

int compound_steps(unsigned op)
{
	switch (op) {
	case OPERATION__signbit: return 3;
	case OPERATION__copysign: return 6;
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

bool compound_number(unsigned op, dpr_dtype compute, dpr_operand *number,
		     dpr_dtype *dtype)
{
	if (op != OPERATION__copysign)
		return false;
	*dtype = compound_integer(compute);
	/* An integer in which only the sign bit is set. */
	*number = dpr_operand_int(*dtype == DPR_INT16   ? INT16_MIN
				  : *dtype == DPR_INT32 ? INT32_MIN
							: INT64_MIN);
	return true;
}

/* Add a step that takes the bits of @x, a float, as a signed integer. */
static int add_integer(struct graph *graph, int x)
{
	return graph_bits(graph,
			  compound_integer((dpr_dtype)graph->step[x].dtype), x);
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

int compound_add(struct graph *graph, unsigned op, const int *x)
{
	return op == OPERATION__signbit ? add_signbit(graph, x[0])
					: add_copysign(graph, x);
}
