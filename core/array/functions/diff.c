/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c - the differences of neighbours along an axis. */
#include <dpr/creation.h>
#include <dpr/derived.h>

#include "core/array/functions/elementwise.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Compute each element less the element before, along axis @at.  For bool,
   compute whether the two elements differ. */
static dpr_status differences(const dpr_array *x, int at, dpr_array **out)
{
	const int op = x->dtype == DPR_BOOL ? OPERATION__not_equal
					    : OPERATION__subtract;
	dpr_array *first = NULL, *second = NULL;
	dpr_index index[DPR_MAX_RANK];
	const size_t n = (size_t)at + 1;
	dpr_status status;

	for (int k = 0; k < at; k++)
		index[k] = DPR_ALL;
	index[at] = DPR_SLICE(DPR_OPEN, -1, 1);
	status = dpr_array_index(x, index, n, &first);
	index[at] = DPR_SLICE(1, DPR_OPEN, 1);
	if (!status)
		status = dpr_array_index(x, index, n, &second);
	if (!status)
		status = elementwise_run(
			op,
			(dpr_operand[]){ dpr_operand_array(second),
					 dpr_operand_array(first) },
			out);
	dpr_array_release(first);
	dpr_array_release(second);
	return status;
}

/* Join @prepend, @x and @append along axis @at.  @prepend and @append may be
   NULL.  If both are NULL, the result is @x itself. */
static dpr_status join_ends(const dpr_array *x, int at,
			    const dpr_array *prepend, const dpr_array *append,
			    dpr_array **out)
{
	const dpr_array *list[3];
	static const char *const names[] = { "prepend", "append" };
	const dpr_array *const ends[] = { prepend, append };
	size_t n = 0;

	for (int i = 0; i < 2; i++) {
		if (!ends[i])
			continue;
		if (ends[i]->rank != x->rank)
			return fail(DPR_ERROR_SHAPE,
				    "diff: %s has %d axes, but x has %d",
				    names[i], ends[i]->rank, x->rank);
		for (int d = 0; d < x->rank; d++)
			if (d != at && ends[i]->dim[d] != x->dim[d])
				return fail(DPR_ERROR_SHAPE,
					    "diff: axis %d has the extent %lld "
					    "in %s, but %lld in x",
					    d, (long long)ends[i]->dim[d],
					    names[i], (long long)x->dim[d]);
	}
	if (prepend)
		list[n++] = prepend;
	list[n++] = x;
	if (append)
		list[n++] = append;
	if (n > 1)
		return dpr_concat(list, n, at, out);
	*out = dpr_array_retain((dpr_array *)(uintptr_t)x);
	return DPR_OK;
}

static dpr_status diff_run(const dpr_array *x, int at, int64_t n,
			   const dpr_array *prepend, const dpr_array *append,
			   dpr_array **out)
{
	dpr_array *from, *made = NULL;
	dpr_status status = join_ends(x, at, prepend, append, &from);

	/* If n is the extent or larger, the result has no elements. */
	if (!status && n > from->dim[at])
		n = from->dim[at];
	if (!status && !n) {
		status = dpr_copy(from, out);
		dpr_array_release(from);
		return status;
	}
	while (!status && n--) {
		status = differences(from, at, &made);
		dpr_array_release(from);
		from = made;
	}
	if (!status)
		*out = from;
	return status;
}

dpr_status dpr_diff(const dpr_array *x, int axis, int64_t n,
		    const dpr_array *prepend, const dpr_array *append,
		    dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, prepend, append, out);
	dpr_status status;
	int at;

	if (out)
		*out = NULL;
	if (!x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "diff: %s is NULL",
			    x ? "out" : "x");
	status = process_check("diff");
	if (!status)
		status = array_axis("diff", x, axis, &at);
	if (!status && n < 0)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "diff: n is %lld, but must be 0 or more",
			      (long long)n);
	if (status)
		return status;
	array_trace(x->dtype, x->rank, array_shape(x));
	call_stack_whole();
	status = diff_run(x, at, n, prepend, append, out);
	if (status)
		status_rename("diff");
	return status;
}
