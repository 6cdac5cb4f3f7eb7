/* SPDX-License-Identifier: Apache-2.0 */
/* multi_dot.c - dpr_multi_dot(). */
#include <dpr/products.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/execution.h"
#include "core/array/products/product.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The most arrays of a call.  The time to find the order grows with the cube of
   the number of arrays.  For MOST_ARRAYS it is some milliseconds. */
#define MOST_ARRAYS 256

/* The cheapest way to multiply some arrays that follow each other. */
struct multi_dot_way {
	double cost; /* in multiplications */
	int last;    /* the last array of the first factor */
};

struct chain {
	const dpr_array *const *arrays;
	int n;
	dpr_dtype dtype;
	/* Array i has extent[i] rows and extent[i + 1] columns. */
	int64_t extent[MOST_ARRAYS + 1];
	struct multi_dot_way *ways; /* ways[i * n + k]: for arrays i to k */
};

/* --- Operands ------------------------------------------------------------- */

static dpr_status check_extent(const struct chain *c, int i)
{
	const dpr_array *x = c->arrays[i], *y = c->arrays[i + 1];
	char first[160], second[160];

	if (x->dim[x->rank - 1] == y->dim[0])
		return DPR_OK;
	return fail(DPR_ERROR_SHAPE,
		    "multi_dot: x%d of shape %s and x%d of shape %s: the last "
		    "axis of one must be as long as the first of the next",
		    i + 1,
		    layout_shape_text(first, sizeof(first), x->rank, x->dim),
		    i + 2,
		    layout_shape_text(second, sizeof(second), y->rank, y->dim));
}

static dpr_status set_extents(struct chain *c)
{
	dpr_status status = DPR_OK;

	for (int i = 0; i < c->n; i++) {
		const dpr_array *x = c->arrays[i];
		const bool ends = i == 0 || i == c->n - 1;

		if (x->rank != 2 && !(ends && x->rank == 1))
			return fail(DPR_ERROR_SHAPE,
				    "multi_dot: x%d has %d axes; %s", i + 1,
				    x->rank,
				    ends ? "the first and the last array have "
					   "1 or 2"
					 : "the arrays between the first and "
					   "the last are matrices, of 2");
		c->extent[i] = x->rank == 2 || i ? x->dim[0] : 1;
		c->extent[i + 1] = x->rank == 2 || !i ? x->dim[x->rank - 1] : 1;
	}
	for (int i = 0; !status && i + 1 < c->n; i++)
		status = check_extent(c, i);
	return status;
}

static dpr_status begin(struct chain *c, size_t count)
{
	dpr_queue *queue;
	dpr_status status;

	if (!c->arrays || count < 2)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "multi_dot: pass two arrays at least");
	if (count > MOST_ARRAYS)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "multi_dot: %zu arrays are more than %d, the most "
			    "of one call; multiply some of them first",
			    count, MOST_ARRAYS);
	c->n = (int)count;
	for (int i = 0; i < c->n; i++)
		if (!c->arrays[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "multi_dot: x%d is NULL", i + 1);
	array_trace(c->arrays[0]->dtype, c->arrays[0]->rank,
		    array_shape(c->arrays[0]));
	status =
		execution_queue("multi_dot", c->arrays, NULL, count, 0, &queue);
	if (!status)
		status = product_dtype("multi_dot", c->arrays, c->n, &c->dtype);
	return status ? status : set_extents(c);
}

/* --- Order ---------------------------------------------------------------- */

/* Find the cheapest way to multiply arrays @i to @k.  The ways for fewer arrays
   must be known. */
static void find_way(const struct chain *c, int i, int k)
{
	struct multi_dot_way *best = &c->ways[i * c->n + k];

	best->cost = -1;
	for (int last = i; last < k; last++) {
		const double cost = c->ways[i * c->n + last].cost +
				    c->ways[(last + 1) * c->n + k].cost +
				    (double)c->extent[i] *
					    (double)c->extent[last + 1] *
					    (double)c->extent[k + 1];

		if (best->cost >= 0 && cost >= best->cost)
			continue;
		best->cost = cost;
		best->last = last;
	}
}

/* Multiply arrays @i to @k. */
static dpr_status multiply(const struct chain *c, int i, int k, dpr_array **out)
{
	const int last = c->ways[i * c->n + k].last;
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;

	if (i == k) {
		*out = dpr_array_retain((dpr_array *)(uintptr_t)c->arrays[i]);
		return DPR_OK;
	}
	status = multiply(c, i, last, &x);
	if (!status)
		status = multiply(c, last + 1, k, &y);
	if (!status)
		status = product_compute_as("multi_dot", x, y, c->dtype, out);
	dpr_array_release(x);
	dpr_array_release(y);
	return status;
}

dpr_status dpr_multi_dot(const dpr_array *const *arrays, size_t count,
			 dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_arrays(arrays, count), out);
	struct chain c = { .arrays = arrays };
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "multi_dot: out is NULL");
	*out = NULL;
	status = begin(&c, count);
	if (status)
		return status;
	c.ways = mem_array(count * count, sizeof(*c.ways));
	if (!c.ways)
		return fail_memory("multi_dot");
	for (int more = 1; more < c.n; more++)
		for (int i = 0; i + more < c.n; i++)
			find_way(&c, i, i + more);
	status = multiply(&c, 0, c.n - 1, out);
	mem_free(c.ways);
	return status;
}
