/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.c - decides whether layouts have a byte in common. */
#include "core/array/layout/overlap.h"

#include <stdlib.h>
#include <string.h>

/*
 * Overlap is a question about integers: is there a solution of
 *
 *   sum of term[k].step * x[k] == target,   0 <= x[k] <= term[k].limit
 *
 * with steps > 0?  Each axis of both layouts is a term, and so are the bytes of
 * an element.  The terms of the second layout are subtracted; add_term() makes
 * their steps positive.
 */
struct term {
	int64_t step, limit;
	/* the greatest common divisor of this step and the later ones */
	int64_t gcd;
	int64_t reach; /* the largest sum of this term and the later ones */
};

struct question {
	struct term term[2 * DPR_MAX_RANK + 2];
	int n;
	int64_t target;
	int budget; /* the number of search steps left */
};

/* Add the term @c * x, with 0 <= x <= @limit.  The term is rewritten to have a
   positive step. */
static void add_term(struct question *q, int64_t c, int64_t limit)
{
	if (!c || !limit)
		return;
	if (c < 0) {
		q->target -= c * limit;
		c = -c;
	}
	for (int k = 0; k < q->n; k++)
		if (q->term[k].step == c) {
			q->term[k].limit += limit;
			return;
		}
	q->term[q->n].step = c;
	q->term[q->n++].limit = limit;
}

static void add_layout(struct question *q, const struct layout *x, int64_t size,
		       int sign)
{
	/* The stride of an axis with extent 1 is never used, and could overflow
	   here. */
	for (int k = 0; k < x->rank; k++)
		if (x->dim[k] > 1)
			add_term(q, sign * x->stride[k] * size, x->dim[k] - 1);
	add_term(q, sign, size - 1);
}

static int compare_terms(const void *a, const void *b)
{
	const struct term *x = a, *y = b;

	return (x->step < y->step) - (x->step > y->step);
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static void prepare_question(struct question *q)
{
	int64_t gcd = 0, reach = 0;

	qsort(q->term, (size_t)q->n, sizeof(q->term[0]), compare_terms);
	for (int k = q->n - 1; k >= 0; k--) {
		gcd = greatest_divisor(q->term[k].step, gcd);
		reach += q->term[k].step * q->term[k].limit;
		q->term[k].gcd = gcd;
		q->term[k].reach = reach;
	}
}

/* Whether the terms from @k on can add up to @target.  Also true if the budget
   runs out first. */
static bool is_solvable(struct question *q, int k, int64_t target)
{
	const struct term *t = &q->term[k];
	int64_t rest, least, most;

	if (!target)
		return true;
	if (k == q->n || target < 0 || target > t->reach || target % t->gcd)
		return false;
	rest = t->reach - t->step * t->limit;
	least = target > rest ? (target - rest - 1) / t->step + 1 : 0;
	most = target / t->step < t->limit ? target / t->step : t->limit;
	for (int64_t x = most; x >= least; x--) {
		if (q->budget-- <= 0 ||
		    is_solvable(q, k + 1, target - x * t->step))
			return true;
	}
	return false;
}

/* Get the range of bytes with the elements, from *@begin up to *@end.  False:
   there are no elements. */
static bool byte_range(const struct layout *x, int64_t size, int64_t *begin,
		       int64_t *end)
{
	int64_t low, high;

	layout_bounds(x->rank, x->dim, x->stride, &low, &high);
	*begin = (x->offset + low) * size;
	*end = (x->offset + high + 1) * size;
	return high >= low;
}

bool overlap_layouts(const struct layout *a, size_t a_size,
		     const struct layout *b, size_t b_size)
{
	int64_t na = (int64_t)a_size, nb = (int64_t)b_size;
	int64_t a_begin, a_end, b_begin, b_end;
	struct question q;

	if (!byte_range(a, na, &a_begin, &a_end) ||
	    !byte_range(b, nb, &b_begin, &b_end) || a_end <= b_begin ||
	    b_end <= a_begin)
		return false;
	q.n = 0;
	q.budget = 4096;
	q.target = b->offset * nb - a->offset * na;
	add_layout(&q, a, na, 1);
	add_layout(&q, b, nb, -1);
	prepare_question(&q);
	return is_solvable(&q, 0, q.target);
}

bool overlap_is_distinct(const struct layout *x)
{
	int64_t dim[DPR_MAX_RANK], stride[1][DPR_MAX_RANK], offset = 0;
	int64_t reach = 0;
	int rank;

	memcpy(dim, x->dim, (size_t)x->rank * sizeof(dim[0]));
	memcpy(stride[0], x->stride, (size_t)x->rank * sizeof(stride[0][0]));
	rank = layout_collapse(1, x->rank, dim, stride, &offset, true);
	/* Go from the smallest stride to the largest.  Each stride must go
	   beyond all elements that the smaller strides reach. */
	for (int k = rank - 1; k >= 0; k--) {
		if (layout_magnitude(stride[0][k]) <= reach && dim[k] > 1)
			return false;
		reach += layout_magnitude(stride[0][k]) * (dim[k] - 1);
	}
	return true;
}
