/* SPDX-License-Identifier: Apache-2.0 */
/* einsum.c - dpr_einsum(). */
#include <dpr/products.h>

#include <dpr/creation.h>

#include "core/array/products/contraction.h"
#include "core/array/products/einsum_text.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* What is known of an index. */
struct index {
	char letter; /* 0: an axis of "..." */
	int uses;    /* the number of axes that have it */
	int owner;   /* the operand that the extent is of */
	int64_t extent;
};

struct einsum {
	struct einsum_text text;
	int n;
	struct index index[CONTRACTION_INDICES];
	/* The indices of "...", from the last axis on; those of letters are
	   found by their letter. */
	int n_dots;
	int dots[DPR_MAX_RANK];
	struct contraction c;
};

/* --- Indices -------------------------------------------------------------- */

static int find_letter(const struct einsum *e, char letter)
{
	for (int i = 0; i < e->n; i++)
		if (e->index[i].letter == letter)
			return i;
	return -1;
}

static dpr_status add_index(struct einsum *e, char letter, int *out)
{
	if (e->n == CONTRACTION_INDICES)
		return fail(DPR_ERROR_SHAPE,
			    "einsum: the operands have more than 64 different "
			    "indices");
	*out = e->n++;
	e->index[*out] = (struct index){ .letter = letter, .extent = -1 };
	return DPR_OK;
}

/* Get the index of a letter, a new one at its first use. */
static dpr_status get_letter(struct einsum *e, char letter, int *out)
{
	*out = find_letter(e, letter);
	return *out < 0 ? add_index(e, letter, out) : DPR_OK;
}

/* Get the index of axis @k from the end of "...". */
static dpr_status get_dots(struct einsum *e, int k, int *out)
{
	dpr_status status;

	while (e->n_dots <= k) {
		status = add_index(e, 0, &e->dots[e->n_dots]);
		if (status)
			return status;
		e->n_dots++;
	}
	*out = e->dots[k];
	return DPR_OK;
}

/* --- Operands ------------------------------------------------------------- */

static dpr_status fail_axes(const struct einsum_term *t, int operand, int rank)
{
	return fail(DPR_ERROR_SHAPE,
		    "einsum: x%d has %d axes, but its subscripts \"%.*s\" name "
		    "%d; %s",
		    operand + 1, rank, t->length, t->begin, t->n,
		    rank > t->n ? "write \"...\" for the others"
				: "write a letter for each axis");
}

/* Get the index of each axis of an operand. */
static dpr_status get_indices(struct einsum *e, int operand, int rank,
			      int *index)
{
	const struct einsum_term *t = &e->text.term[operand];
	const int n_dots = rank - t->n;
	const int before = t->dots < 0 ? t->n : t->dots;
	dpr_status status = DPR_OK;

	if (n_dots < 0 || (n_dots && t->dots < 0))
		return fail_axes(t, operand, rank);
	for (int d = 0; !status && d < rank; d++) {
		if (d >= before && d < before + n_dots)
			status =
				get_dots(e, before + n_dots - 1 - d, &index[d]);
		else
			status = get_letter(
				e, t->letter[d < before ? d : d - n_dots],
				&index[d]);
	}
	return status;
}

static dpr_status fail_extents(const struct index *i, int operand,
			       int64_t extent)
{
	const char name[] = { i->letter, 0 };

	return fail(DPR_ERROR_SHAPE,
		    "einsum: the index %s has the extent %lld in x%d and %lld "
		    "in x%d; they must be the same, or 1 in one operand",
		    i->letter ? name : "of an axis of \"...\"",
		    (long long)i->extent, i->owner + 1, (long long)extent,
		    operand + 1);
}

/* Note the extents of an operand.  Extent 1 is broadcast, but not along a
   diagonal. */
static dpr_status note_extents(struct einsum *e, int operand,
			       const dpr_array *x, const int *index)
{
	for (int d = 0; d < x->rank; d++) {
		struct index *i = &e->index[index[d]];

		for (int k = 0; k < d; k++)
			if (index[k] == index[d] && x->dim[k] != x->dim[d])
				return fail(
					DPR_ERROR_SHAPE,
					"einsum: the index %c has the extents "
					"%lld and %lld in x%d; the axes of a "
					"diagonal must be equally long",
					i->letter, (long long)x->dim[k],
					(long long)x->dim[d], operand + 1);
		i->uses++;
		if (i->extent < 0 || (i->extent == 1 && x->dim[d] != 1)) {
			i->extent = x->dim[d];
			i->owner = operand;
		}
		if (x->dim[d] != 1 && x->dim[d] != i->extent)
			return fail_extents(i, operand, x->dim[d]);
	}
	return DPR_OK;
}

static dpr_status add_operands(struct einsum *e,
			       const dpr_array *const *operands)
{
	int index[DPR_MAX_RANK];
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < e->text.n; i++) {
		status = get_indices(e, i, operands[i]->rank, index);
		if (!status)
			status = note_extents(e, i, operands[i], index);
		if (!status)
			status = contraction_add(&e->c, operands[i], index);
	}
	return status;
}

/* --- Result --------------------------------------------------------------- */

static dpr_status add_to_result(struct einsum *e, int index)
{
	struct contraction_list *result = &e->c.result;

	if (result->n == DPR_MAX_RANK)
		return fail(DPR_ERROR_SHAPE,
			    "einsum: the result has more than 32 axes");
	result->index[result->n++] = index;
	return DPR_OK;
}

static dpr_status add_dots(struct einsum *e)
{
	dpr_status status = DPR_OK;

	for (int k = e->n_dots - 1; !status && k >= 0; k--)
		status = add_to_result(e, e->dots[k]);
	return status;
}

/* Without "->" the result has "...", then the letters that come once, sorted.
 */
static dpr_status set_usual_result(struct einsum *e)
{
	dpr_status status = add_dots(e);

	for (int c = 'A'; !status && c <= 'z'; c++) {
		const int at = find_letter(e, (char)c);

		if (at >= 0 && e->index[at].uses == 1)
			status = add_to_result(e, at);
	}
	return status;
}

static dpr_status add_letter(struct einsum *e, char letter)
{
	const int at = find_letter(e, letter);

	if (at < 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "einsum: the result has the index %c, which no "
			    "operand has",
			    letter);
	for (int d = 0; d < e->c.result.n; d++)
		if (e->c.result.index[d] == at)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "einsum: the result has the index %c "
				    "twice; name it once",
				    letter);
	return add_to_result(e, at);
}

static dpr_status set_result(struct einsum *e)
{
	const struct einsum_term *t = &e->text.result;
	dpr_status status = DPR_OK;

	if (!e->text.has_result)
		return set_usual_result(e);
	if (t->dots < 0 && e->n_dots)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "einsum: \"...\" of the operands stands for %d "
			    "axes, but the result \"%.*s\" has no \"...\"",
			    e->n_dots, t->length, t->begin);
	for (int i = 0; !status && i <= t->n; i++) {
		if (i == t->dots)
			status = add_dots(e);
		if (!status && i < t->n)
			status = add_letter(e, t->letter[i]);
	}
	return status;
}

/* If the subscripts sum over an index, the result is always a new array.  If
   all summed indices have the extent 1, the result may still be a view of @x,
   which is copied here. */
static dpr_status own_sum(const struct einsum *e, const dpr_array *x,
			  dpr_array **out)
{
	dpr_array *view = *out;
	dpr_status status;

	if (e->n == e->c.result.n || view->usm != x->usm)
		return DPR_OK;
	*out = NULL;
	status = dpr_copy(view, out);
	dpr_array_release(view);
	if (status)
		status_rename("einsum");
	return status;
}

static dpr_status check_call(const char *subscripts,
			     const dpr_array *const *operands, size_t count)
{
	if (!subscripts)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "einsum: subscripts is NULL; pass a text such as "
			    "\"ij,jk->ik\"");
	if (!operands || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "einsum: there are no operands");
	if (count > CONTRACTION_OPERANDS)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "einsum: %zu operands are more than %d, the most "
			    "of one call; multiply some of them first",
			    count, CONTRACTION_OPERANDS);
	return DPR_OK;
}

dpr_status dpr_einsum(const char *subscripts, const dpr_array *const *operands,
		      size_t count, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_arrays(operands, count), out);
	struct einsum e;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "einsum: out is NULL");
	*out = NULL;
	status = check_call(subscripts, operands, count);
	if (!status)
		status =
			contraction_begin("einsum", operands, (int)count, &e.c);
	if (!status)
		status = einsum_text_read(subscripts, count, &e.text);
	if (status)
		return status;
	e.n = 0;
	e.n_dots = 0;
	status = add_operands(&e, operands);
	if (!status)
		status = set_result(&e);
	if (!status)
		status = contraction_run(&e.c, out);
	if (!status)
		status = own_sum(&e, operands[0], out);
	contraction_end(&e.c);
	return status;
}
