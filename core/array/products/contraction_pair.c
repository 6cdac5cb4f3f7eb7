/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contraction_pair.c - the sum of products of two arrays over any axes.
 *
 * Both become batches of matrices, which are multiplied.  If no axis is summed,
 * the elements are multiplied instead.  If both have the same axes, and
 * the same axis is innermost in memory, their products are added without a copy.
 */
#include "core/array/products/contraction.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>

#include "core/array/layout/layout.h"
#include "core/array/products/product.h"
#include "core/base/status.h"

/* A pair of operands, and their indices.  Both operands have the indices of the
   batch and the summed indices.  Only a has the indices of the rows, and only b
   has the indices of the columns. */
struct pair {
	const struct contraction *c;
	const struct contraction_term *a, *b;
	struct contraction_list batch, rows, columns, summed;
};

/* --- Indices -------------------------------------------------------------- */

/* List the indices @set in the order of the result; the others come last. */
static void list_as_result(const struct contraction *c, uint64_t set,
			   struct contraction_list *out)
{
	out->n = 0;
	for (int d = 0; d < c->result.n; d++) {
		const int i = c->result.index[d];

		if (set & contraction_bit(i))
			out->index[out->n++] = i;
		set &= ~contraction_bit(i);
	}
	for (; set; set &= set - 1)
		out->index[out->n++] = __builtin_ctzll(set);
}

static int64_t step_of(const struct contraction_term *t, int index)
{
	return layout_magnitude(
		array_strides(t->x)[contraction_axis(t, index)]);
}

/* List the indices @set of @t by their strides, the largest first, so that they
   can be joined to one axis without a copy. */
static void list_by_strides(const struct contraction_term *t, uint64_t set,
			    struct contraction_list *out)
{
	out->n = 0;
	for (int d = 0; d < t->axes.n; d++) {
		const int i = t->axes.index[d];
		int at;

		if (!(set & contraction_bit(i)))
			continue;
		for (at = out->n++;
		     at && step_of(t, out->index[at - 1]) < step_of(t, i); at--)
			out->index[at] = out->index[at - 1];
		out->index[at] = i;
	}
}

/* Whether the rows of the second operand come first in the result. */
static bool is_reversed(const struct contraction *c,
			const struct contraction_term *a,
			const struct contraction_term *b, uint64_t keep)
{
	struct contraction_list order;

	list_as_result(c, (a->set ^ b->set) & keep, &order);
	return order.n && !(a->set & contraction_bit(order.index[0]));
}

/* Find the parts of a pair. */
static void set_parts(struct pair *p, uint64_t keep)
{
	const uint64_t both = p->a->set & p->b->set;

	list_as_result(p->c, both & keep, &p->batch);
	list_by_strides(p->a, p->a->set & ~both, &p->rows);
	list_by_strides(p->b, p->b->set & ~both, &p->columns);
	/* The strides of the larger operand decide the order of the summed
	   indices.  So if only one operand has to be copied, the smaller
	   operand is copied. */
	list_by_strides(p->a->x->size < p->b->x->size ? p->b : p->a,
			both & ~keep, &p->summed);
}

static void append(struct contraction_list *to,
		   const struct contraction_list *from)
{
	memcpy(to->index + to->n, from->index,
	       (size_t)from->n * sizeof(from->index[0]));
	to->n += from->n;
}

/* --- Views ---------------------------------------------------------------- */

/* A view of @t with the axes @list, broadcast along the axes that @t lacks. */
static dpr_status make_view(const struct contraction *c,
			    const struct contraction_term *t,
			    const struct contraction_list *list,
			    dpr_array **out)
{
	struct layout layout = { .rank = list->n, .offset = t->x->offset };

	for (int d = 0; d < list->n; d++) {
		const int at = contraction_axis(t, list->index[d]);

		layout.dim[d] = c->extent[list->index[d]];
		layout.stride[d] = at < 0 ? 0 : array_strides(t->x)[at];
	}
	return array_view(t->x, &layout, out);
}

/* The extent of an axis that joins the axes of @list. */
static int64_t joined(const struct contraction *c,
		      const struct contraction_list *list)
{
	int64_t extent = 1;

	for (int d = 0; d < list->n; d++)
		extent *= c->extent[list->index[d]];
	return extent;
}

/* Make a batch of matrices of @t.  They are a view if the strides allow it. */
static dpr_status make_matrices(const struct pair *p,
				const struct contraction_term *t,
				const struct contraction_list *rows,
				const struct contraction_list *columns,
				dpr_array **out)
{
	struct contraction_list all = p->batch;
	const int rank = all.n + 2;
	int64_t dim[DPR_MAX_RANK];
	dpr_array *view;
	dpr_status status;

	for (int d = 0; d < all.n; d++)
		dim[d] = p->c->extent[all.index[d]];
	dim[rank - 2] = joined(p->c, rows);
	dim[rank - 1] = joined(p->c, columns);
	append(&all, rows);
	append(&all, columns);
	status = make_view(p->c, t, &all, &view);
	if (status)
		return status;
	status = dpr_reshape(view, dpr_shape_of(rank, dim), out);
	dpr_array_release(view);
	return status;
}

/* --- Products ------------------------------------------------------------- */

/* Whether the axis with the smallest stride has the same index in both
   operands. */
static bool is_aligned(const struct pair *p)
{
	struct contraction_list a, b;

	list_by_strides(p->a, p->a->set, &a);
	list_by_strides(p->b, p->b->set, &b);
	return a.n && b.n && a.index[a.n - 1] == b.index[b.n - 1];
}

/* Multiply operands that both have all indices, and add the products.  No
   operand is copied. */
static dpr_status sum_elements(const struct pair *p,
			       struct contraction_term *out)
{
	struct contraction_list all = p->batch;
	int axis[DPR_MAX_RANK];
	const dpr_axes axes = { .count = p->summed.n, .axis = axis };
	struct product_elements e = { .what = p->c->what,
				      .kind = p->c->kind,
				      .dtype = p->c->dtype,
				      .axes = &axes };
	dpr_array *a = NULL, *b = NULL;
	dpr_status status;

	append(&all, &p->summed);
	for (int d = 0; d < p->summed.n; d++)
		axis[d] = p->batch.n + d;
	status = make_view(p->c, p->a, &all, &a);
	if (!status)
		status = make_view(p->c, p->b, &all, &b);
	e.x[0] = a;
	e.x[1] = b;
	out->axes = p->batch;
	if (!status)
		status = product_sum_elements(&e, &out->x);
	dpr_array_release(a);
	dpr_array_release(b);
	return status;
}

/* Multiply matrices.  For a row times a column, a routine of a library has
   little to do, so such a product is a reduction. */
static dpr_status multiply_matrices(const struct pair *p, const dpr_array *a,
				    const dpr_array *b, dpr_array **out)
{
	struct product product;
	const dpr_status status =
		product_begin_as(p->c->what, a, b, p->c->dtype, &product);

	if (status)
		return status;
	return p->rows.n || p->columns.n ? product_compute(&product, out)
					 : product_sum(&product, out);
}

/* Set @out to the product @made of matrices, with an axis for each index. */
static dpr_status split_axes(const struct pair *p, const dpr_array *made,
			     struct contraction_term *out)
{
	struct layout layout = { .offset = made->offset };

	out->axes = p->batch;
	append(&out->axes, &p->rows);
	append(&out->axes, &p->columns);
	layout.rank = out->axes.n;
	for (int d = 0; d < layout.rank; d++)
		layout.dim[d] = p->c->extent[out->axes.index[d]];
	layout_c_strides(layout.rank, layout.dim, layout.stride);
	return array_view(made, &layout, &out->x);
}

static dpr_status sum_products(const struct pair *p,
			       struct contraction_term *out)
{
	dpr_array *a = NULL, *b = NULL, *made = NULL;
	dpr_status status = make_matrices(p, p->a, &p->rows, &p->summed, &a);

	if (!status)
		status = make_matrices(p, p->b, &p->summed, &p->columns, &b);
	if (!status)
		status = multiply_matrices(p, a, b, &made);
	if (!status)
		status = split_axes(p, made, out);
	dpr_array_release(made);
	dpr_array_release(a);
	dpr_array_release(b);
	return status;
}

/* A view of @t with the axes @list, in the dtype of the result. */
static dpr_status make_factor(const struct contraction *c,
			      const struct contraction_term *t,
			      const struct contraction_list *list,
			      dpr_array **out)
{
	struct contraction_term cast = *t;
	dpr_status status =
		dpr_asarray(t->x, c->dtype, DPR_COPY_IF_NEEDED, &cast.x);

	if (status)
		return status;
	status = make_view(c, &cast, list, out);
	dpr_array_release(cast.x);
	return status;
}

/* Multiply elements, without sums. */
static dpr_status multiply_elements(const struct pair *p,
				    struct contraction_term *out)
{
	dpr_array *a = NULL, *b = NULL;
	dpr_status status;

	list_as_result(p->c, p->a->set | p->b->set, &out->axes);
	status = make_factor(p->c, p->a, &out->axes, &a);
	if (!status)
		status = make_factor(p->c, p->b, &out->axes, &b);
	if (!status)
		status = (dpr_multiply)(dpr_operand_array(a),
					dpr_operand_array(b), &out->x);
	dpr_array_release(a);
	dpr_array_release(b);
	return status;
}

static dpr_status check_rank(const struct pair *p)
{
	const struct contraction *c = p->c;

	if (p->batch.n + p->rows.n + p->columns.n > DPR_MAX_RANK ||
	    (p->summed.n && p->batch.n + 3 > DPR_MAX_RANK))
		return fail(DPR_ERROR_SHAPE,
			    "%s: a product of two operands has more than 32 "
			    "axes, or more than 29 that both have; join some "
			    "with dpr_reshape()",
			    c->what);
	return DPR_OK;
}

dpr_status contraction_pair(const struct contraction *c,
			    const struct contraction_term *first,
			    const struct contraction_term *second,
			    uint64_t keep, struct contraction_term *out)
{
	const bool reversed = is_reversed(c, first, second, keep);
	struct pair p = { .c = c,
			  .a = reversed ? second : first,
			  .b = reversed ? first : second };
	dpr_status status;

	set_parts(&p, keep);
	out->set = keep;
	status = check_rank(&p);
	if (status)
		return status;
	if (!p.summed.n)
		return multiply_elements(&p, out);
	if (!p.rows.n && !p.columns.n && is_aligned(&p))
		return sum_elements(&p, out);
	return sum_products(&p, out);
}
