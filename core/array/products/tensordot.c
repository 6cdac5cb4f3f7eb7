/* SPDX-License-Identifier: Apache-2.0 */
/* tensordot.c - dpr_tensordot() and dpr_tensordot_axes(). */
#include <dpr/products.h>

#include "core/array/object/axis_list.h"
#include "core/array/products/contraction.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The axes that are summed: axis first.axis[i] of x1 goes with second.axis[i]
   of x2. */
struct summed {
	struct axis_list first, second;
};

static dpr_status check_extents(const dpr_array *x1, const dpr_array *x2,
				const struct summed *axes)
{
	for (int i = 0; i < axes->first.n; i++) {
		const int a = axes->first.axis[i], b = axes->second.axis[i];

		if (x1->dim[a] != x2->dim[b])
			return fail(
				DPR_ERROR_SHAPE,
				"tensordot: axis %d of x1 has the extent %lld, "
				"and axis %d of x2, which goes with it, %lld; "
				"they must be equally long",
				a, (long long)x1->dim[a], b,
				(long long)x2->dim[b]);
	}
	return DPR_OK;
}

/* Give an operand's axes their indices.  The axes of @list get 0, 1 and so on.
   The others get @next and the numbers behind it, and come into the result. */
static void number_axes(const dpr_array *x, const struct axis_list *list,
			int next, struct contraction *c, int *index)
{
	for (int d = 0; d < x->rank; d++)
		index[d] = -1;
	for (int i = 0; i < list->n; i++)
		index[list->axis[i]] = i;
	for (int d = 0; d < x->rank; d++) {
		if (index[d] >= 0)
			continue;
		index[d] = next++;
		c->result.index[c->result.n++] = index[d];
	}
}

static dpr_status contract(struct contraction *c, const dpr_array *x1,
			   const dpr_array *x2, const struct summed *axes,
			   dpr_array **out)
{
	int first[DPR_MAX_RANK], second[DPR_MAX_RANK];
	dpr_status status = check_extents(x1, x2, axes);

	if (status)
		return status;
	if (x1->rank + x2->rank - 2 * axes->first.n > DPR_MAX_RANK)
		return fail(DPR_ERROR_SHAPE,
			    "tensordot: the result has %d axes, but an array "
			    "has at most 32; join some with dpr_reshape()",
			    x1->rank + x2->rank - 2 * axes->first.n);
	number_axes(x1, &axes->first, axes->first.n, c, first);
	number_axes(x2, &axes->second, x1->rank, c, second);
	status = contraction_add(c, x1, first);
	if (!status)
		status = contraction_add(c, x2, second);
	if (!status)
		status = contraction_run(c, out);
	contraction_end(c);
	return status;
}

static dpr_status begin(const dpr_array *x1, const dpr_array *x2,
			struct contraction *c, dpr_array **out)
{
	const dpr_array *const operands[] = { x1, x2 };

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "tensordot: out is NULL");
	*out = NULL;
	return contraction_begin("tensordot", operands, 2, c);
}

dpr_status dpr_tensordot(const dpr_array *x1, const dpr_array *x2, int axes,
			 dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	struct contraction c;
	struct summed summed = { .first.n = axes, .second.n = axes };
	dpr_status status = begin(x1, x2, &c, out);

	if (status)
		return status;
	if (axes < 0 || axes > x1->rank || axes > x2->rank)
		return fail(DPR_ERROR_INDEX,
			    "tensordot: x1 has %d axes and x2 has %d, so that "
			    "axes cannot be %d; pass a number from 0 to %d",
			    x1->rank, x2->rank, axes,
			    x1->rank < x2->rank ? x1->rank : x2->rank);
	for (int i = 0; i < axes; i++) {
		summed.first.axis[i] = x1->rank - axes + i;
		summed.second.axis[i] = i;
	}
	return contract(&c, x1, x2, &summed, out);
}

dpr_status dpr_tensordot_axes(const dpr_array *x1, const dpr_array *x2,
			      const dpr_axes *axes1, const dpr_axes *axes2,
			      dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x1, x2, out);
	struct contraction c;
	struct summed summed;
	dpr_status status = begin(x1, x2, &c, out);

	if (!status)
		status = axis_list_get("tensordot: x1", x1, axes1,
				       &summed.first);
	if (!status)
		status = axis_list_get("tensordot: x2", x2, axes2,
				       &summed.second);
	if (status)
		return status;
	if (summed.first.n != summed.second.n)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "tensordot: axes1 names %d axes, and axes2 names "
			    "%d; name equally many",
			    summed.first.n, summed.second.n);
	return contract(&c, x1, x2, &summed, out);
}
