/* SPDX-License-Identifier: Apache-2.0 */
/* builtins.c - the functions of expressions that are not elementwise. */
#include "core/array/expression/builtins.h"

#include <limits.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/derived.h>
#include <dpr/reduce.h>
#include <dpr/shapes.h>

#include "core/array/engine/reduce_table.h"
#include "core/array/expression/inner/positions.h"
#include "core/array/expression/number.h"
#include "core/array/functions/elementwise.h"
#include "core/array/functions/reduce.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/broadcast.h"
#include "core/base/mem.h"

/* --- Arguments ----------------------------------------------------------- */

dpr_status builtins_fail(struct function_call *call, int i, const char *what)
{
	*call->fault = call->places[i];
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is %s",
		    call->function->signature.name,
		    call->function->signature.parameters[i], what);
}

static bool is_given(const struct function_call *call, int i)
{
	return call->arguments[i].kind != VALUE_EMPTY;
}

dpr_status builtins_array(struct function_call *call, int i, dpr_array **out)
{
	const struct value *value = &call->arguments[i];
	dpr_status status;

	*out = value->array;
	if (value->kind == VALUE_ARRAY)
		return DPR_OK;
	if (value->kind != VALUE_SCALAR)
		return builtins_fail(call, i, "not an array");
	status = dpr_full(DPR_SCALAR_SHAPE, value->scalar, DPR_DTYPE_DEFAULT,
			  call->queue, &call->made[i]);
	*out = call->made[i];
	return status;
}

static dpr_status get_operand(struct function_call *call, int i,
			      dpr_operand *out)
{
	return value_operand(&call->arguments[i], out)
		       ? DPR_OK
		       : builtins_fail(call, i, "not an array or number");
}

static bool scalar_as_int64(const struct value *value, int64_t *out)
{
	if (value->kind != VALUE_SCALAR ||
	    value->scalar.kind != DPR_OPERAND_INT)
		return false;
	*out = value->scalar.as.i;
	return true;
}

bool builtins_as_double(const struct value *value, double *out)
{
	const dpr_operand *scalar = &value->scalar;

	if (value->kind != VALUE_SCALAR || scalar->kind == DPR_OPERAND_ARRAY ||
	    scalar->kind == DPR_OPERAND_COMPLEX)
		return false;
	*out = scalar->kind == DPR_OPERAND_FLOAT ? scalar->as.f
	       : scalar->kind == DPR_OPERAND_INT ? (double)scalar->as.i
						 : (double)scalar->as.u;
	return true;
}

dpr_status builtins_integer(struct function_call *call, int i, int64_t *out)
{
	return scalar_as_int64(&call->arguments[i], out)
		       ? DPR_OK
		       : builtins_fail(call, i, "not an integer");
}

dpr_status builtins_bool(struct function_call *call, int i, bool *out)
{
	const struct value *value = &call->arguments[i];

	*out = false;
	if (value->kind == VALUE_EMPTY)
		return DPR_OK;
	if (value->kind != VALUE_SCALAR ||
	    value->scalar.kind != DPR_OPERAND_BOOL)
		return builtins_fail(call, i, "neither True nor False");
	*out = value->scalar.as.u != 0;
	return DPR_OK;
}

dpr_status builtins_dtype(struct function_call *call, int i, dpr_dtype *out)
{
	const struct value *value = &call->arguments[i];

	*out = DPR_DTYPE_DEFAULT;
	if (value->kind == VALUE_EMPTY || value->kind == VALUE_NONE)
		return DPR_OK;
	if (value->kind != VALUE_DTYPE)
		return builtins_fail(call, i, "not a dtype such as float32");
	*out = value->dtype;
	return DPR_OK;
}

/* Get argument @i, an integer or a tuple of integers. */
static dpr_status get_integers(struct function_call *call, int i,
			       int64_t out[DPR_MAX_RANK], int *count)
{
	const struct value *value = &call->arguments[i];
	size_t n;

	*count = 1;
	if (scalar_as_int64(value, &out[0]))
		return DPR_OK;
	if (value->kind != VALUE_TUPLE)
		return builtins_fail(call, i,
				     "neither an integer nor a tuple of "
				     "integers");
	if (value->count > DPR_MAX_RANK)
		return builtins_fail(call, i,
				     "longer than 32, the most axes of an "
				     "array");
	for (n = 0; n < value->count; n++)
		if (!scalar_as_int64(&value->items[n], &out[n]))
			return builtins_fail(call, i,
					     "not a tuple of integers");
	*count = (int)value->count;
	return DPR_OK;
}

static dpr_status get_axes(struct function_call *call, int i,
			   int out[DPR_MAX_RANK], int *count)
{
	int64_t axes[DPR_MAX_RANK];
	dpr_status status = get_integers(call, i, axes, count);

	for (int n = 0; !status && n < *count; n++) {
		if (axes[n] < INT_MIN || axes[n] > INT_MAX)
			return builtins_fail(call, i, "out of range");
		out[n] = (int)axes[n];
	}
	return status;
}

static dpr_status get_axis(struct function_call *call, int i, int *out)
{
	int axes[DPR_MAX_RANK], count;
	dpr_status status = get_axes(call, i, axes, &count);

	if (!status && count != 1)
		return builtins_fail(call, i, "not one integer");
	if (!status)
		*out = axes[0];
	return status;
}

dpr_status builtins_result(struct function_call *call, dpr_status status)
{
	if (!status)
		call->result.kind = VALUE_ARRAY;
	return status;
}

dpr_status builtins_reduced(struct function_call *call, bool keepdims,
			    struct builtins_axes *to)
{
	const struct value *value = &call->arguments[1];
	int count = 0;
	dpr_status status;

	to->axes = (dpr_axes){ .keepdims = keepdims };
	to->list = keepdims ? &to->axes : NULL;
	if (value->kind == VALUE_EMPTY || value->kind == VALUE_NONE)
		return DPR_OK;
	to->list = &to->axes;
	if (value->kind == VALUE_AXES) {
		to->axes.count = value->axes->count;
		to->axes.axis = value->axes->axis;
		return DPR_OK;
	}
	status = get_axes(call, 1, to->axis, &count);
	to->axes.count = count;
	to->axes.axis = to->axis;
	return status;
}

/* --- Reductions ---------------------------------------------------------- */

/* A reduction and its public functions. */
struct reducing {
	enum reduction reduction;
	dpr_status (*call)(const dpr_array *, const dpr_axes *, dpr_array **);
	/* the function that also takes a dtype; NULL if there is none */
	dpr_status (*call_as)(const dpr_array *, const dpr_axes *, dpr_dtype,
			      dpr_array **);
};

/* Reduce argument 0, an array or a number. */
static dpr_status reduce_argument(struct function_call *call,
				  const struct reducing *r,
				  const dpr_axes *axes, dpr_dtype dtype)
{
	dpr_array *x;
	dpr_status status = builtins_array(call, 0, &x);

	if (status)
		return status;
	return builtins_result(
		call, dtype ? r->call_as(x, axes, dtype, &call->result.array)
			    : r->call(x, axes, &call->result.array));
}

/* Reduce argument 0, a deferred array.  If possible, the kernel that computes
   the array also reduces it.  Otherwise the array is computed first. */
static dpr_status reduce_node(struct function_call *call,
			      const struct reducing *r, const dpr_axes *axes,
			      dpr_dtype dtype)
{
	struct value *value = &call->arguments[0];
	struct fusion_node *node = value->node;
	dpr_status status;

	if (fusion_reduce(call->fusion, node, call->again, r->reduction, axes,
			  dtype, &call->result.array, &status)) {
		call->result.kernel = call->fusion->kernels;
		return builtins_result(call, status);
	}
	status = fusion_make(call->fusion, &node, 1, NULL);
	if (status)
		return status;
	*call->fault = call->place;
	value->kind = VALUE_ARRAY;
	value->array = node->made;
	return reduce_argument(call, r, axes, dtype);
}

/* Defer the reduction if possible.  Returns whether the reduction was
   deferred. */
static bool reduce_later(struct function_call *call, enum reduction reduction,
			 const dpr_axes *axes, dpr_dtype dtype,
			 dpr_status *status)
{
	const struct value *value = &call->arguments[0];
	const struct fusion_reduce_call later = { .reduction = reduction,
						  .axes = axes,
						  .as = dtype,
						  .place = call->place };
	struct fusion_operand x = { value->node, { 0 } };

	if ((value->kind != VALUE_ARRAY && value->kind != VALUE_NODE) ||
	    !value_operand(value, &x.value) ||
	    !fusion_reduce_later(call->fusion, &later, &x, &call->result.node,
				 status))
		return false;
	if (!*status)
		call->result.kind = VALUE_NODE;
	return true;
}

static dpr_status reduce(struct function_call *call, const struct reducing *r,
			 const dpr_axes *axes, dpr_dtype dtype)
{
	dpr_status status;

	if (reduce_later(call, r->reduction, axes, dtype, &status))
		return status;
	return call->arguments[0].kind == VALUE_NODE
		       ? reduce_node(call, r, axes, dtype)
		       : reduce_argument(call, r, axes, dtype);
}

/* Whether a reduction, which fails without elements, reduces none of @x, an
   array.  Then *@shape is the shape of the result. */
static bool reduces_nothing(const struct function_call *call,
			    const struct reducing *r, const dpr_axes *axes,
			    dpr_operand *x, struct reduce_outcome *shape)
{
	const enum reduce_table_first first = reduce_table[r->reduction].first;

	return (first == REDUCE_TABLE_HIGHEST ||
		first == REDUCE_TABLE_LOWEST) &&
	       value_operand(&call->arguments[0], x) &&
	       x->kind == DPR_OPERAND_ARRAY &&
	       !reduce_shape(call->function->signature.name, x->as.array, axes,
			     shape) &&
	       shape->length == 0;
}

/* Combine the result, an array or a node, with a number. */
static dpr_status combine(struct function_call *call, const struct reducing *r,
			  dpr_operand number)
{
	const int op = (int)reduce_table[r->reduction].combine;
	const struct fusion_call later = { .kind = FUSION_OPERATION,
					   .op = op,
					   .place = call->place };
	struct value before = call->result;
	struct fusion_operand x[] = { { before.node, { 0 } }, { 0 }, { 0 } };
	dpr_operand both[FUSION_OPERANDS] = { { 0 }, number };
	dpr_status status;

	(void)value_operand(&before, &both[0]);
	x[0].value = both[0];
	x[1].value = number;
	call->result = (struct value){ 0 };
	if (call->fusion->format) {
		status =
			fusion_add(call->fusion, &later, x, &call->result.node);
		call->result.kind = status ? VALUE_EMPTY : VALUE_NODE;
	} else {
		status = builtins_result(
			call, elementwise_run(op, both, &call->result.array));
	}
	value_clear(&before);
	if (status)
		status_rename(reduce_table[r->reduction].name);
	return status;
}

/* Reduce with `initial`, the last argument. */
static dpr_status reduce_from_initial(struct function_call *call,
				      const struct reducing *r,
				      const dpr_axes *axes, dpr_dtype dtype)
{
	const int last = call->function->signature.n - 1;
	const dpr_operand initial = call->arguments[last].scalar;
	struct reduce_outcome shape;
	dpr_operand x;
	dpr_status status;

	if (call->arguments[last].kind != VALUE_SCALAR)
		return builtins_fail(call, last, "not a number");
	if (reduces_nothing(call, r, axes, &x, &shape))
		status = builtins_result(
			call, dpr_full(dpr_shape_of(shape.rank, shape.shape),
				       initial, x.as.array->dtype, call->queue,
				       &call->result.array));
	else
		status = reduce(call, r, axes, dtype);
	if (status)
		return status;
	(void)value_operand(&call->result, &x);
	if (number_is_kind_of(initial, x.as.array->dtype))
		return combine(call, r, initial);
	dtype = x.as.array->dtype;
	value_clear(&call->result);
	*call->fault = call->places[last];
	return fail(DPR_ERROR_DTYPE,
		    "%s: initial is no %s, which the result is; cast x to a "
		    "dtype that has it",
		    call->function->signature.name, dpr_dtype_name(dtype));
}

static dpr_status run_reduction(struct function_call *call,
				const struct reducing *r)
{
	dpr_dtype dtype = DPR_DTYPE_DEFAULT;
	struct builtins_axes given;
	dpr_status status;
	bool keepdims;

	if ((status = builtins_bool(call, 2, &keepdims)) ||
	    (r->call_as && (status = builtins_dtype(call, 3, &dtype))) ||
	    (status = builtins_reduced(call, keepdims, &given)))
		return status;
	return is_given(call, call->function->signature.n - 1)
		       ? reduce_from_initial(call, r, given.list, dtype)
		       : reduce(call, r, given.list, dtype);
}

#define REDUCTION(name, combine, sum, first, finish, text)                \
	static dpr_status run_##name(struct function_call *call)          \
	{                                                                 \
		static const struct reducing reducing = {                 \
			.reduction = REDUCTION__##name,                   \
			.call = dpr_##name,                               \
			REDUCE_TABLE_AS_##sum(.call_as = dpr_##name##_as) \
		};                                                        \
                                                                          \
		return run_reduction(call, &reducing);                    \
	}
#include "kernels/reductions.def"
#undef REDUCTION

/* --- Conversion and choice ----------------------------------------------- */

static dpr_status run_astype(struct function_call *call)
{
	dpr_dtype dtype;
	dpr_array *x;
	dpr_status status;

	if ((status = builtins_array(call, 0, &x)) ||
	    (status = builtins_dtype(call, 1, &dtype)))
		return status;
	if (!dtype)
		return builtins_fail(call, 1, "not a dtype such as float32");
	return builtins_result(call, dpr_astype(x, dtype, &call->result.array));
}

static dpr_status run_where(struct function_call *call)
{
	dpr_operand x1, x2;
	dpr_array *condition;
	dpr_status status;

	if ((status = builtins_array(call, 0, &condition)) ||
	    (status = get_operand(call, 1, &x1)) ||
	    (status = get_operand(call, 2, &x2)))
		return status;
	return builtins_result(
		call, dpr_where(condition, x1, x2, &call->result.array));
}

static dpr_status run_concat(struct function_call *call)
{
	const struct value *list = &call->arguments[0];
	const dpr_array **arrays;
	dpr_status status;
	int axis = 0;

	if (list->kind != VALUE_TUPLE || !list->count)
		return builtins_fail(call, 0,
				     "not a tuple of arrays such as (x, y)");
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind != VALUE_ARRAY)
			return builtins_fail(call, 0, "not a tuple of arrays");
	if (is_given(call, 1) && (status = get_axis(call, 1, &axis)))
		return status;
	arrays = mem_array(list->count, sizeof(*arrays));
	if (!arrays)
		return fail_memory("concat");
	for (size_t i = 0; i < list->count; i++)
		arrays[i] = list->items[i].array;
	status = dpr_concat(arrays, list->count, axis, &call->result.array);
	mem_free(arrays);
	return builtins_result(call, status);
}

/* Get argument @i as an array.  NULL: it is missing, or None. */
static dpr_status get_optional(struct function_call *call, int i,
			       dpr_array **out)
{
	*out = NULL;
	return is_given(call, i) && call->arguments[i].kind != VALUE_NONE
		       ? builtins_array(call, i, out)
		       : DPR_OK;
}

static dpr_status run_diff(struct function_call *call)
{
	dpr_array *x, *prepend, *append;
	int64_t n = 1;
	int axis = -1;
	dpr_status status = builtins_array(call, 0, &x);

	if (!status && is_given(call, 1))
		status = get_axis(call, 1, &axis);
	if (!status && is_given(call, 2))
		status = builtins_integer(call, 2, &n);
	if (status || (status = get_optional(call, 3, &prepend)) ||
	    (status = get_optional(call, 4, &append)))
		return status;
	return builtins_result(call, dpr_diff(x, axis, n, prepend, append,
					      &call->result.array));
}

/* --- Shapes -------------------------------------------------------------- */

typedef dpr_status (*shaping)(const dpr_array *, dpr_shape, dpr_array **);

static dpr_status run_shaping(struct function_call *call, shaping function)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_status status;
	dpr_array *x;
	int rank;

	if ((status = builtins_array(call, 0, &x)) ||
	    (status = get_integers(call, 1, shape, &rank)))
		return status;
	return builtins_result(call, function(x, dpr_shape_of(rank, shape),
					      &call->result.array));
}

static dpr_status run_reshape(struct function_call *call)
{
	return run_shaping(call, dpr_reshape);
}

static dpr_status run_broadcast_to(struct function_call *call)
{
	return run_shaping(call, dpr_broadcast_to);
}

static dpr_status run_permute_dims(struct function_call *call)
{
	int axes[DPR_MAX_RANK], count;
	dpr_status status;
	dpr_array *x;

	if ((status = builtins_array(call, 0, &x)) ||
	    (status = get_axes(call, 1, axes, &count)))
		return status;
	if (count != dpr_array_rank(x))
		return builtins_fail(call, 1,
				     "not one axis for each axis of "
				     "x");
	return builtins_result(call,
			       dpr_permute_dims(x, axes, &call->result.array));
}

static dpr_status run_matrix_transpose(struct function_call *call)
{
	dpr_array *x;
	dpr_status status = builtins_array(call, 0, &x);

	if (status)
		return status;
	return builtins_result(call,
			       dpr_matrix_transpose(x, &call->result.array));
}

static dpr_status run_expand_dims(struct function_call *call)
{
	dpr_status status;
	dpr_array *x;
	int axis;

	if ((status = builtins_array(call, 0, &x)) ||
	    (status = get_axis(call, 1, &axis)))
		return status;
	return builtins_result(call,
			       dpr_expand_dims(x, axis, &call->result.array));
}

static dpr_status run_squeeze(struct function_call *call)
{
	int axes[DPR_MAX_RANK], count;
	dpr_status status;
	dpr_array *x;

	if ((status = builtins_array(call, 0, &x)) ||
	    (status = get_axes(call, 1, axes, &count)))
		return status;
	return builtins_result(
		call,
		dpr_squeeze(x,
			    &(const dpr_axes){ .count = count, .axis = axes },
			    &call->result.array));
}

/* --- Creation ------------------------------------------------------------ */

typedef dpr_status (*creation)(dpr_shape, dpr_dtype, dpr_queue *, dpr_array **);

static dpr_status run_creation(struct function_call *call, creation function)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_status status;
	dpr_dtype dtype;
	int rank;

	if ((status = get_integers(call, 0, shape, &rank)) ||
	    (status = builtins_dtype(call, 1, &dtype)))
		return status;
	return builtins_result(call,
			       function(dpr_shape_of(rank, shape), dtype,
					call->queue, &call->result.array));
}

static dpr_status run_zeros(struct function_call *call)
{
	return run_creation(call, dpr_zeros);
}

static dpr_status run_ones(struct function_call *call)
{
	return run_creation(call, dpr_ones);
}

static dpr_status run_full(struct function_call *call)
{
	int64_t shape[DPR_MAX_RANK];
	dpr_operand value;
	dpr_status status;
	dpr_dtype dtype;
	int rank;

	if ((status = get_integers(call, 0, shape, &rank)) ||
	    (status = get_operand(call, 1, &value)) ||
	    (status = builtins_dtype(call, 2, &dtype)))
		return status;
	if (value.kind == DPR_OPERAND_ARRAY)
		return builtins_fail(call, 1, "not a number");
	return builtins_result(call,
			       dpr_full(dpr_shape_of(rank, shape), value, dtype,
					call->queue, &call->result.array));
}

static dpr_status run_arange(struct function_call *call)
{
	dpr_operand part[3] = { dpr_operand_int(0), dpr_operand_int(0),
				dpr_operand_int(1) };
	/* As in Python, a single number is the end of the range. */
	const bool one =
		!is_given(call, 1) || call->arguments[1].kind == VALUE_NONE;
	dpr_status status;
	dpr_dtype dtype;

	status = get_operand(call, 0, &part[one ? 1 : 0]);
	if (!status && !one)
		status = get_operand(call, 1, &part[1]);
	if (!status && is_given(call, 2))
		status = get_operand(call, 2, &part[2]);
	if (!status)
		status = builtins_dtype(call, 3, &dtype);
	if (status)
		return status;
	return builtins_result(call,
			       dpr_arange(part[0], part[1], part[2], dtype,
					  call->queue, &call->result.array));
}

static dpr_status get_double(struct function_call *call, int i, double *out)
{
	const struct value *value = &call->arguments[i];

	*out = 0;
	return value->scalar.kind != DPR_OPERAND_BOOL &&
			       builtins_as_double(value, out)
		       ? DPR_OK
		       : builtins_fail(call, i, "not a real number");
}

static dpr_status run_linspace(struct function_call *call)
{
	double start, stop;
	dpr_status status;
	dpr_dtype dtype;
	int64_t count;

	if ((status = get_double(call, 0, &start)) ||
	    (status = get_double(call, 1, &stop)) ||
	    (status = builtins_integer(call, 2, &count)) ||
	    (status = builtins_dtype(call, 3, &dtype)))
		return status;
	return builtins_result(call,
			       dpr_linspace(start, stop, count, dtype,
					    call->queue, &call->result.array));
}

static dpr_status run_eye(struct function_call *call)
{
	int64_t rows, columns, k = 0;
	dpr_dtype dtype;
	dpr_status status = builtins_integer(call, 0, &rows);

	if (status)
		return status;
	columns = rows;
	if (is_given(call, 1))
		status = builtins_integer(call, 1, &columns);
	if (!status && is_given(call, 2))
		status = builtins_integer(call, 2, &k);
	if (!status)
		status = builtins_dtype(call, 3, &dtype);
	if (status)
		return status;
	return builtins_result(call, dpr_eye(rows, columns, k, dtype,
					     call->queue, &call->result.array));
}

/* --- Positions ----------------------------------------------------------- */

/* Get the shape and the kind of memory for index().  The shape is that of the
   second argument.  Without a second argument it is the shape to which all
   operands broadcast. */
static dpr_status index_shape(struct function_call *call, int *rank,
			      int64_t *dim, dpr_usm_kind *kind)
{
	const dpr_array *const *list = call->operands;
	size_t n = call->n_operands;
	const dpr_array *like;
	dpr_status status;

	if (is_given(call, 1)) {
		dpr_array *x;

		status = builtins_array(call, 1, &x);
		if (status)
			return status;
		like = x;
		list = &like;
		n = 1;
	}
	if (!n)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "index: the expression has no array to take the "
			    "shape from; name one: index(axis, x)");
	*kind = array_result_kind(list, n);
	status = broadcast_shapes("index", list, n, rank, dim);
	if (status && !is_given(call, 1))
		status_append("; name the array: index(axis, x)");
	return status;
}

static dpr_status run_index(struct function_call *call)
{
	bool counted[DPR_MAX_RANK] = { false };
	int64_t dim[DPR_MAX_RANK];
	dpr_usm_kind kind;
	dpr_status status;
	int axis, rank;

	if ((status = get_axis(call, 0, &axis)) ||
	    (status = index_shape(call, &rank, dim, &kind)))
		return status;
	if (axis < -rank || axis >= rank)
		return fail(DPR_ERROR_INDEX,
			    "index: axis %d is out of range for %d axes", axis,
			    rank);
	counted[axis < 0 ? axis + rank : axis] = true;
	return positions_new(call->fusion, call->queue, call->place, rank, dim,
			     counted, kind, &call->result);
}

/* --- The table ----------------------------------------------------------- */

/* clang-format off */
#define SIGNATURE(name, required, positional, ...) \
	.signature = { #name, required, positional, \
		sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), \
		(const char *const[]){ __VA_ARGS__ } }, .run = run_##name
#define FUNCTION(...) { SIGNATURE(__VA_ARGS__) }
#define FUSED(kind, name, n, ...) \
	{ SIGNATURE(name, n, n, __VA_ARGS__), .fuses = FUSION_##kind }
#define REDUCTION(name, combine, sum, first, finish, text) \
	{ SIGNATURE(name, 1, 2, "x", "axis", "keepdims" \
		REDUCE_TABLE_AS_##sum(, "dtype"), LAST_##sum), .deferred = 1 },

/* A call with `where` is written out: so run_reduction() is not given any, and
   the last argument can only be `initial`. */
#define LAST_BOOL "where"
#define LAST_SAME "where", "initial"
#define LAST_WIDE "where", "initial"
#define LAST_FLOAT "where"

const struct function builtins_list[] = {
#include "kernels/reductions.def"
#undef REDUCTION
	FUNCTION(arange, 1, 3, "start", "stop", "step", "dtype"),
	FUSED(CAST, astype, 2, "x", "dtype"),
	FUNCTION(broadcast_to, 2, 2, "x", "shape"),
	FUNCTION(concat, 1, 1, "arrays", "axis"),
	FUNCTION(diff, 1, 1, "x", "axis", "n", "prepend", "append"),
	FUNCTION(expand_dims, 2, 2, "x", "axis"),
	FUNCTION(eye, 1, 2, "n_rows", "n_cols", "k", "dtype"),
	FUNCTION(full, 2, 2, "shape", "fill_value", "dtype"),
	FUNCTION(index, 1, 2, "axis", "x"),
	FUNCTION(linspace, 3, 3, "start", "stop", "num", "dtype"),
	FUNCTION(matrix_transpose, 1, 1, "x"),
	FUNCTION(ones, 1, 1, "shape", "dtype"),
	FUNCTION(permute_dims, 2, 2, "x", "axes"),
	FUNCTION(reshape, 2, 2, "x", "shape"),
	FUNCTION(squeeze, 2, 2, "x", "axis"),
	FUSED(WHERE, where, 3, "condition", "x1", "x2"),
	FUNCTION(zeros, 1, 1, "shape", "dtype"),
};
/* clang-format on */

const size_t builtins_count = sizeof(builtins_list) / sizeof(builtins_list[0]);
