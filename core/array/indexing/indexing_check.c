/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indexing_check.c - tests whether indices are in range.
 *
 * A reduction tests an index array.  Only if an index is out of range, the
 * indices are read to find it.
 */
#include <stdio.h>
#include <string.h>

#include <dpr/creation.h>

#include "core/array/engine/operations.h"
#include "core/array/functions/reduce.h"
#include "core/array/indexing/indexing.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* --- Reductions ----------------------------------------------------------- */

/* A graph that tests each index. */
struct test {
	struct graph graph;
	const dpr_array *input;
	struct engine_scalar scalars[2];
};

static int add(struct graph *graph, unsigned operation, unsigned dtype, int a,
	       int b)
{
	return graph_operation(graph, operation, graph->step[a].dtype, dtype, 2,
			       (const int[]){ a, b });
}

static int add_number(struct test *t, uint64_t value)
{
	memcpy(t->scalars[t->graph.n_scalars].bytes, &value, sizeof(value));
	return graph_scalar(&t->graph, DPR_UINT64);
}

/* Make a graph that is true where an index is out of range.  Signed indices are
   in range from -n to n - 1, so i + n is less than 2n, as an unsigned number.
 */
static void make_test(struct test *t, const struct indexing_array *a)
{
	const bool has_sign = dpr_dtype_kind(a->array->dtype) == 'i';
	const uint64_t n = (uint64_t)a->length;
	struct graph *graph = &t->graph;
	int x;

	mem_zero(t, sizeof(*t));
	t->input = a->array;
	x = graph_input(graph, a->array->dtype);
	if (has_sign && a->array->dtype != DPR_INT64)
		x = graph_cast(graph, DPR_INT64, x);
	if (has_sign)
		x = graph_bits(graph, DPR_UINT64, x);
	else if (a->array->dtype != DPR_UINT64)
		x = graph_cast(graph, DPR_UINT64, x);
	if (has_sign)
		x = add(graph, OPERATION__add, DPR_UINT64, x, add_number(t, n));
	x = add(graph, OPERATION__greater_equal, DPR_BOOL, x,
		add_number(t, has_sign ? 2 * n : n));
	graph_result(graph, x);
}

/* Test an index array by one reduction. */
static dpr_status test_array(const struct indexing_array *a, bool *fails)
{
	const dpr_array *x = a->array;
	struct test t;
	struct reduce_source source = { .graph = &t.graph,
					.inputs = &t.input,
					.scalars = t.scalars };
	dpr_array *like = NULL, *any = NULL;
	int64_t value = 0;
	dpr_status status;

	make_test(&t, a);
	status = array_make(DPR_BOOL, x->rank, array_shape(x), NULL, 0, NULL,
			    x->queue, DPR_USM_HOST, &like);
	source.like = like;
	if (!status)
		status = reduce_source(REDUCTION__any, &source, NULL,
				       DPR_DTYPE_DEFAULT, &any);
	if (!status)
		status = dpr_array_item_int64(any, &value);
	*fails = value != 0;
	dpr_array_release(any);
	dpr_array_release(like);
	return status;
}

/* Test an index array by its smallest and its greatest element, on devices
   whose kernels compute one step. */
static dpr_status test_ends(const struct indexing_array *a, bool *fails)
{
	dpr_array *low = NULL, *high = NULL;
	dpr_operand least, most;
	dpr_status status = reduce_array(REDUCTION__min, a->array, NULL,
					 DPR_DTYPE_DEFAULT, &low);

	if (!status)
		status = reduce_array(REDUCTION__max, a->array, NULL,
				      DPR_DTYPE_DEFAULT, &high);
	if (!status)
		status = dpr_array_item(low, &least);
	if (!status)
		status = dpr_array_item(high, &most);
	if (!status)
		*fails = most.kind == DPR_OPERAND_UINT
				 ? most.as.u >= (uint64_t)a->length
				 : most.as.i >= a->length ||
					   least.as.i < -a->length;
	dpr_array_release(low);
	dpr_array_release(high);
	return status;
}

/* --- Errors --------------------------------------------------------------- */

/* Whether an index, as an array of int64 or uint64 has it, is out of range. */
static bool is_outside(const struct indexing_array *a, int64_t index)
{
	const bool has_sign = dpr_dtype_kind(a->array->dtype) == 'i';

	return has_sign ? index < -a->length || index >= a->length
			: (uint64_t)index >= (uint64_t)a->length;
}

static dpr_status fail_index(const struct indexing *ix,
			     const struct indexing_array *a, int64_t index,
			     int64_t at)
{
	const bool is_large =
		index < 0 && dpr_dtype_kind(a->array->dtype) == 'u';
	int64_t place[DPR_MAX_RANK];
	char text[256], number[24];

	for (int d = a->array->rank - 1; d >= 0; d--) {
		const int64_t n = array_shape(a->array)[d];

		place[d] = at % n;
		at /= n;
	}
	if (is_large)
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)index);
	else
		snprintf(number, sizeof(number), "%lld", (long long)index);
	return fail(
		DPR_ERROR_INDEX,
		"%s: index %s, at %s of the indices, is out of range for "
		"axis %d of extent %lld",
		ix->what, number,
		layout_shape_text(text, sizeof(text), a->array->rank, place),
		a->axis, (long long)a->length);
}

/* Find the first index out of range.  Returns DPR_OK if another thread has
   changed the indices, and there is none. */
static dpr_status find_index(const struct indexing *ix,
			     const struct indexing_array *a)
{
	const bool has_sign = dpr_dtype_kind(a->array->dtype) == 'i';
	const size_t size = (size_t)a->array->size * sizeof(int64_t);
	int64_t *list = mem_alloc(size), i = 0;
	dpr_array *wide = NULL;
	dpr_status status;

	if (!list)
		return fail_memory(ix->what);
	status = dpr_astype(a->array, has_sign ? DPR_INT64 : DPR_UINT64, &wide);
	if (!status)
		status = dpr_array_to_memory(wide, list, size, NULL);
	while (!status && i < wide->size && !is_outside(a, list[i]))
		i++;
	if (!status && i < wide->size)
		status = fail_index(ix, a, list[i], i);
	dpr_array_release(wide);
	mem_free(list);
	return status;
}

/* Whether the index arrays broadcast to no elements.  This is so if one of them
   has none: an extent of 0 broadcasts with 0 and 1 alone. */
static bool names_nothing(const struct indexing *ix)
{
	for (int i = 0; i < ix->n; i++)
		if (!ix->array[i].array->size)
			return true;
	return false;
}

dpr_status indexing_check(const struct indexing *indexing)
{
	if (indexing->bounds != DPR_BOUNDS_CHECK || names_nothing(indexing))
		return DPR_OK;
	for (int i = 0; i < indexing->n; i++) {
		const struct indexing_array *a = &indexing->array[i];
		bool fails = false;
		dpr_status status = test_array(a, &fails);

		if (status == DPR_ERROR_UNSUPPORTED)
			status = test_ends(a, &fails);
		if (!status && fails)
			status = find_index(indexing, a);
		if (status) {
			status_rename(indexing->what);
			return status;
		}
	}
	return DPR_OK;
}
