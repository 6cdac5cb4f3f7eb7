/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contraction.c - sums of products of several arrays: their operands, and the
 * order in which they are multiplied.
 */
#include "core/array/products/contraction.h"

#include <string.h>

#include <dpr/creation.h>

#include "core/array/functions/reduce.h"
#include "core/array/layout/layout.h"
#include "core/array/object/execution.h"
#include "core/array/products/product.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* --- Operands ------------------------------------------------------------- */

dpr_status contraction_begin(const char *what, const dpr_array *const *operands,
			     int n, struct contraction *c)
{
	dpr_status status;

	c->what = what;
	c->n = 0;
	c->result.n = 0;
	for (int i = 0; i < n; i++)
		if (!operands[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s: x%d is NULL", what, i + 1);
	array_trace(operands[0]->dtype, operands[0]->rank,
		    array_shape(operands[0]));
	for (int i = 0; i < CONTRACTION_INDICES; i++)
		c->extent[i] = 1;
	c->kind = array_result_kind(operands, (size_t)n);
	status = execution_queue(what, operands, NULL, (size_t)n, 0, &c->queue);
	return status ? status : product_dtype(what, operands, n, &c->dtype);
}

dpr_status contraction_add(struct contraction *c, const dpr_array *x,
			   const int *index)
{
	struct contraction_term *t = &c->term[c->n];
	struct layout from, to = { .offset = x->offset };
	dpr_status status;

	array_layout(x, &from);
	t->set = 0;
	t->axes.n = 0;
	for (int d = 0; d < from.rank; d++) {
		const int i = index[d];
		int at;

		if (from.dim[d] == 1)
			continue;
		c->extent[i] = from.dim[d];
		at = contraction_axis(t, i);
		if (at < 0) {
			at = t->axes.n++;
			t->axes.index[at] = i;
			t->set |= contraction_bit(i);
			to.dim[at] = from.dim[d];
			to.stride[at] = 0;
		}
		/* Axes with one index are a diagonal. */
		to.stride[at] += from.stride[d];
	}
	to.rank = t->axes.n;
	status = array_view(x, &to, &t->x);
	c->n += !status;
	return status;
}

void contraction_end(struct contraction *c)
{
	for (int i = 0; i < c->n; i++)
		dpr_array_release(c->term[i].x);
	c->n = 0;
}

/* The indices of the result as bits. */
static uint64_t result_set(const struct contraction *c)
{
	uint64_t set = 0;

	for (int d = 0; d < c->result.n; d++)
		set |= contraction_bit(c->result.index[d]);
	return set;
}

/* Sum @t over the indices that are not in @keep. */
static dpr_status sum_alone(const struct contraction *c,
			    struct contraction_term *t, uint64_t keep)
{
	int axis[DPR_MAX_RANK], left = 0;
	dpr_axes axes = { .axis = axis };
	dpr_array *sum;
	dpr_status status;

	if (!(t->set & ~keep))
		return DPR_OK;
	for (int d = 0; d < t->axes.n; d++)
		if (!(keep & contraction_bit(t->axes.index[d])))
			axis[axes.count++] = d;
	status = reduce_array(REDUCTION__sum, t->x, &axes, c->dtype, &sum);
	if (status)
		return status;
	dpr_array_release(t->x);
	t->x = sum;
	t->set &= keep;
	for (int d = 0; d < t->axes.n; d++)
		if (keep & contraction_bit(t->axes.index[d]))
			t->axes.index[left++] = t->axes.index[d];
	t->axes.n = left;
	return DPR_OK;
}

/* Sum each operand over the indices that only it has. */
static dpr_status sum_each(struct contraction *c)
{
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < c->n; i++) {
		uint64_t keep = result_set(c);

		for (int k = 0; k < c->n; k++)
			keep |= k == i ? 0 : c->term[k].set;
		status = sum_alone(c, &c->term[i], keep);
	}
	return status;
}

/* --- Order ---------------------------------------------------------------- */

/* The cheapest way to multiply a subset of the operands. */
struct contraction_way {
	uint64_t set;   /* the indices of the product */
	double cost;    /* in multiplications */
	unsigned first; /* the operands of the first factor, as bits */
};

/* The number of multiplications for a pair that has the indices @set. */
static double size_of(const struct contraction *c, uint64_t set)
{
	double size = 1;

	for (; set; set &= set - 1)
		size *= (double)c->extent[__builtin_ctzll(set)];
	return size;
}

/* Find the indices of the product of the operands @subset: an index stays if
   the result or an operand outside @subset has it. */
static uint64_t product_set(const struct contraction *c, unsigned subset)
{
	uint64_t inside = 0, outside = result_set(c);

	for (int i = 0; i < c->n; i++)
		if (subset & 1U << i)
			inside |= c->term[i].set;
		else
			outside |= c->term[i].set;
	return inside & outside;
}

/* Find the cheapest way to multiply @subset.  The ways for all subsets with
   smaller numbers must be known. */
static void find_way(const struct contraction *c, struct contraction_way *ways,
		     unsigned subset)
{
	const unsigned lowest = subset & -subset;
	struct contraction_way *way = &ways[subset];

	way->set = product_set(c, subset);
	if (subset == lowest)
		return;
	way->cost = -1;
	for (unsigned first = (subset - 1) & subset; first;
	     first = (first - 1) & subset) {
		const struct contraction_way *a = &ways[first],
					     *b = &ways[subset ^ first];
		double cost;

		/* Try each pair of factors once: `first` is the factor that has
		   the lowest operand. */
		if (!(first & lowest))
			continue;
		cost = a->cost + b->cost;
		if (way->cost >= 0 && cost >= way->cost)
			continue;
		cost += size_of(c, a->set | b->set);
		if (way->cost < 0 || cost < way->cost) {
			way->cost = cost;
			way->first = first;
		}
	}
}

/* Multiply the operands @subset.  Their terms are used up. */
static dpr_status multiply_subset(struct contraction *c,
				  const struct contraction_way *ways,
				  unsigned subset, struct contraction_term *out)
{
	const unsigned first = ways[subset].first;
	struct contraction_term a, b;
	dpr_status status;

	if (!first) {
		struct contraction_term *t = &c->term[__builtin_ctz(subset)];

		*out = *t;
		t->x = NULL;
		return DPR_OK;
	}
	status = multiply_subset(c, ways, first, &a);
	if (status)
		return status;
	status = multiply_subset(c, ways, subset ^ first, &b);
	if (!status) {
		status = contraction_pair(c, &a, &b, ways[subset].set, out);
		dpr_array_release(b.x);
	}
	dpr_array_release(a.x);
	return status;
}

static dpr_status multiply_all(struct contraction *c,
			       struct contraction_term *out)
{
	const unsigned all = (1U << c->n) - 1;
	struct contraction_way *ways =
		mem_array((size_t)all + 1, sizeof(*ways));
	dpr_status status;

	if (!ways)
		return fail_memory(c->what);
	for (unsigned subset = 1; subset <= all; subset++)
		find_way(c, ways, subset);
	status = multiply_subset(c, ways, all, out);
	mem_free(ways);
	return status;
}

/* --- Result --------------------------------------------------------------- */

/* A view of @t with the axes of the result. */
static dpr_status order_axes(const struct contraction *c,
			     const struct contraction_term *t, dpr_array **out)
{
	struct layout layout = { .rank = c->result.n, .offset = t->x->offset };

	for (int d = 0; d < layout.rank; d++) {
		const int at = contraction_axis(t, c->result.index[d]);

		layout.dim[d] = at < 0 ? 1 : t->x->dim[at];
		layout.stride[d] = at < 0 ? 1 : array_strides(t->x)[at];
	}
	return array_view(t->x, &layout, out);
}

/* A result without elements, or of sums without elements. */
static dpr_status make_zeros(const struct contraction *c, dpr_array **out)
{
	int64_t dim[DPR_MAX_RANK];

	for (int d = 0; d < c->result.n; d++)
		dim[d] = c->extent[c->result.index[d]];
	return dpr_zeros_on(dpr_shape_of(c->result.n, dim), c->dtype, c->queue,
			    c->kind, out);
}

static bool has_elements(const struct contraction *c)
{
	for (int i = 0; i < CONTRACTION_INDICES; i++)
		if (!c->extent[i])
			return false;
	return true;
}

dpr_status contraction_run(struct contraction *c, dpr_array **out)
{
	struct contraction_term t;
	dpr_status status;

	if (!has_elements(c)) {
		status = make_zeros(c, out);
	} else {
		status = sum_each(c);
		if (!status)
			status = multiply_all(c, &t);
		if (!status) {
			status = order_axes(c, &t, out);
			dpr_array_release(t.x);
		}
	}
	if (status)
		status_rename(c->what);
	return status;
}
