/* SPDX-License-Identifier: Apache-2.0 */
/* builtins.c - the functions of expressions that are not elementwise. */
#include "core/array/expression/builtins.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/derived.h>
#include <dpr/reduce.h>

#include "core/array/engine/reduce_table.h"
#include "core/array/expression/calls/arguments.h"
#include "core/array/expression/calls/index_calls.h"
#include "core/array/expression/calls/linalg_calls.h"
#include "core/array/expression/calls/product_calls.h"
#include "core/array/expression/calls/shape_calls.h"
#include "core/array/expression/inner/positions.h"
#include "core/array/expression/number.h"
#include "core/array/functions/elementwise.h"
#include "core/array/functions/reduce.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/array/object/broadcast.h"

/* --- Reductions ---------------------------------------------------------- */

/* Reduce argument 0, an array or a number. */
static dpr_status reduce_argument(struct function_call *call,
				  enum reduction reduction,
				  const dpr_axes *axes, dpr_dtype dtype)
{
	dpr_array *x;
	dpr_status status = arguments_array(call, 0, &x);

	if (status)
		return status;
	return arguments_result(call, reduce_array(reduction, x, axes, dtype,
						   &call->result.array));
}

/* Reduce argument 0, a deferred array.  If possible, the kernel that computes
   the array also reduces it.  Otherwise the array is computed first. */
static dpr_status reduce_node(struct function_call *call,
			      enum reduction reduction, const dpr_axes *axes,
			      dpr_dtype dtype)
{
	struct value *value = &call->arguments[0];
	struct fusion_node *node = value->node;
	dpr_status status;

	if (fusion_reduce(call->fusion, node, call->again, reduction, axes,
			  dtype, &call->result.array, &status)) {
		call->result.kernel = call->fusion->kernels;
		return arguments_result(call, status);
	}
	status = fusion_make(call->fusion, &node, 1, NULL);
	if (status)
		return status;
	*call->fault = call->place;
	value->kind = VALUE_ARRAY;
	value->array = node->made;
	return reduce_argument(call, reduction, axes, dtype);
}

/* Defer the reduction if possible.  Returns false if the caller must reduce at
   once.  Otherwise sets *@status to DPR_OK or an error. */
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

static dpr_status reduce(struct function_call *call, enum reduction reduction,
			 const dpr_axes *axes, dpr_dtype dtype)
{
	dpr_status status;

	if (reduce_later(call, reduction, axes, dtype, &status))
		return status;
	return call->arguments[0].kind == VALUE_NODE
		       ? reduce_node(call, reduction, axes, dtype)
		       : reduce_argument(call, reduction, axes, dtype);
}

/* Whether the call would fail because it reduces an array that has no elements
   along @axes.  Then *@x is the array, and *@shape the shape of the result. */
static bool reduces_nothing(const struct function_call *call,
			    enum reduction reduction, const dpr_axes *axes,
			    dpr_operand *x, struct reduce_outcome *shape)
{
	const enum reduce_table_first first = reduce_table[reduction].first;

	return (first == REDUCE_TABLE_HIGHEST ||
		first == REDUCE_TABLE_LOWEST) &&
	       value_operand(&call->arguments[0], x) &&
	       x->kind == DPR_OPERAND_ARRAY &&
	       !reduce_shape(call->function->signature.name, x->as.array, axes,
			     shape) &&
	       shape->length == 0;
}

/* Combine call->result, an array or a node, with @number, as the reduction
   combines two elements. */
static dpr_status combine(struct function_call *call, enum reduction reduction,
			  dpr_operand number)
{
	const int op = (int)reduce_table[reduction].combine;
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
		status = arguments_result(
			call, elementwise_run(op, both, &call->result.array));
	}
	value_clear(&before);
	if (status)
		status_rename(reduce_table[reduction].name);
	return status;
}

/* Reduce, and combine the result with `initial`, the last argument of the call.
   */
static dpr_status reduce_from_initial(struct function_call *call,
				      enum reduction reduction,
				      const dpr_axes *axes, dpr_dtype dtype)
{
	const int last = call->function->signature.n - 1;
	const dpr_operand initial = call->arguments[last].scalar;
	struct reduce_outcome shape;
	dpr_operand x;
	dpr_status status;

	if (call->arguments[last].kind != VALUE_SCALAR)
		return arguments_fail(call, last, "not a number");
	if (reduces_nothing(call, reduction, axes, &x, &shape))
		status = arguments_result(
			call,
			dpr_full_on(dpr_shape_of(shape.rank, shape.shape),
				    initial, x.as.array->dtype, call->queue,
				    x.as.array->kind, &call->result.array));
	else
		status = reduce(call, reduction, axes, dtype);
	if (status)
		return status;
	(void)value_operand(&call->result, &x);
	if (number_is_kind_of(initial, x.as.array->dtype))
		return combine(call, reduction, initial);
	dtype = x.as.array->dtype;
	value_clear(&call->result);
	*call->fault = call->places[last];
	return fail(DPR_ERROR_DTYPE,
		    "%s: initial is no %s, which the result is; cast x to a "
		    "dtype that has it",
		    call->function->signature.name, dpr_dtype_name(dtype));
}

static dpr_status run_reduction(struct function_call *call,
				enum reduction reduction)
{
	dpr_dtype dtype = DPR_DTYPE_DEFAULT;
	struct arguments_reduction given;
	dpr_status status;
	bool keepdims;

	if ((status = arguments_bool(call, 2, &keepdims)) ||
	    (reduce_table[reduction].sum == REDUCE_TABLE_WIDE &&
	     (status = arguments_dtype(call, 3, &dtype))) ||
	    (status = arguments_reduced(call, keepdims, &given)))
		return status;
	return arguments_given(call, call->function->signature.n - 1)
		       ? reduce_from_initial(call, reduction, given.list, dtype)
		       : reduce(call, reduction, given.list, dtype);
}

#define REDUCTION(name, combine, sum, first, finish, text)       \
	static dpr_status run_##name(struct function_call *call) \
	{                                                        \
		return run_reduction(call, REDUCTION__##name);   \
	}
#include "kernels/reductions.def"
#undef REDUCTION

/* --- Conversion and choice ----------------------------------------------- */

static dpr_status run_astype(struct function_call *call)
{
	dpr_dtype dtype;
	dpr_array *x;
	dpr_status status;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_dtype(call, 1, &dtype)))
		return status;
	if (!dtype)
		return arguments_fail(call, 1, "not a dtype such as float32");
	return arguments_result(call,
				dpr_astype(x, dtype, &call->result.array));
}

static dpr_status run_where(struct function_call *call)
{
	dpr_operand x1, x2;
	dpr_array *condition;
	dpr_status status;

	if ((status = arguments_array(call, 0, &condition)) ||
	    (status = arguments_operand(call, 1, &x1)) ||
	    (status = arguments_operand(call, 2, &x2)))
		return status;
	return arguments_result(
		call, dpr_where(condition, x1, x2, &call->result.array));
}

/* Get argument @i as an array.  *@out is NULL if the argument is missing or
   None. */
static dpr_status get_optional(struct function_call *call, int i,
			       dpr_array **out)
{
	*out = NULL;
	return arguments_given(call, i) && call->arguments[i].kind != VALUE_NONE
		       ? arguments_array(call, i, out)
		       : DPR_OK;
}

static dpr_status run_diff(struct function_call *call)
{
	dpr_array *x, *prepend, *append;
	int64_t n = 1;
	int axis = -1;
	dpr_status status = arguments_array(call, 0, &x);

	if (!status && arguments_given(call, 1))
		status = arguments_axis(call, 1, &axis);
	if (!status && arguments_given(call, 2))
		status = arguments_integer(call, 2, &n);
	if (status || (status = get_optional(call, 3, &prepend)) ||
	    (status = get_optional(call, 4, &append)))
		return status;
	return arguments_result(call, dpr_diff(x, axis, n, prepend, append,
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

	if ((status = arguments_integers(call, 0, shape, &rank)) ||
	    (status = arguments_dtype(call, 1, &dtype)))
		return status;
	return arguments_result(call,
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

	if ((status = arguments_integers(call, 0, shape, &rank)) ||
	    (status = arguments_operand(call, 1, &value)) ||
	    (status = arguments_dtype(call, 2, &dtype)))
		return status;
	if (value.kind == DPR_OPERAND_ARRAY)
		return arguments_fail(call, 1, "not a number");
	return arguments_result(call, dpr_full(dpr_shape_of(rank, shape), value,
					       dtype, call->queue,
					       &call->result.array));
}

/* Get the arguments of zeros_like() or a similar function: the array, and the
   dtype, which is argument @at.  *@x is the header of the array if the array is
   deferred. */
static dpr_status get_like(struct function_call *call, int at,
			   const dpr_array **x, dpr_dtype *dtype)
{
	dpr_operand like;
	dpr_array *made;
	dpr_status status = arguments_dtype(call, at, dtype);

	if (status)
		return status;
	if (value_operand(&call->arguments[0], &like) &&
	    like.kind == DPR_OPERAND_ARRAY) {
		*x = like.as.array;
		return DPR_OK;
	}
	status = arguments_array(call, 0, &made);
	*x = made;
	return status;
}

static dpr_status run_zeros_like(struct function_call *call)
{
	const dpr_array *x;
	dpr_dtype dtype;
	const dpr_status status = get_like(call, 1, &x, &dtype);

	return status ? status
		      : arguments_result(
				call,
				dpr_zeros_like(x, dtype, &call->result.array));
}

static dpr_status run_ones_like(struct function_call *call)
{
	const dpr_array *x;
	dpr_dtype dtype;
	const dpr_status status = get_like(call, 1, &x, &dtype);

	return status ? status
		      : arguments_result(
				call,
				dpr_ones_like(x, dtype, &call->result.array));
}

static dpr_status run_full_like(struct function_call *call)
{
	const dpr_array *x;
	dpr_operand value;
	dpr_dtype dtype;
	dpr_status status = get_like(call, 2, &x, &dtype);

	if (!status)
		status = arguments_operand(call, 1, &value);
	if (status)
		return status;
	if (value.kind == DPR_OPERAND_ARRAY)
		return arguments_fail(call, 1, "not a number");
	return arguments_result(
		call, dpr_full_like(x, value, dtype, &call->result.array));
}

static dpr_status run_arange(struct function_call *call)
{
	dpr_operand part[3] = { dpr_operand_int(0), dpr_operand_int(0),
				dpr_operand_int(1) };
	/* As in Python, a single number is the end of the range. */
	const bool one = !arguments_given(call, 1) ||
			 call->arguments[1].kind == VALUE_NONE;
	dpr_status status;
	dpr_dtype dtype;

	status = arguments_operand(call, 0, &part[one ? 1 : 0]);
	if (!status && !one)
		status = arguments_operand(call, 1, &part[1]);
	if (!status && arguments_given(call, 2))
		status = arguments_operand(call, 2, &part[2]);
	if (!status)
		status = arguments_dtype(call, 3, &dtype);
	if (status)
		return status;
	return arguments_result(call,
				dpr_arange(part[0], part[1], part[2], dtype,
					   call->queue, &call->result.array));
}

/* The arguments of linspace, logspace and geomspace. */
struct spacing {
	dpr_operand start, stop;
	int64_t num;
	bool endpoint;
	dpr_dtype dtype;
};

/* Get the arguments of linspace(), logspace() or geomspace().  Argument
   @at_endpoint is `endpoint`, and argument @at_dtype is `dtype`. */
static dpr_status get_spacing(struct function_call *call, int at_endpoint,
			      int at_dtype, struct spacing *to)
{
	dpr_status status;

	to->endpoint = true;
	if ((status = arguments_operand(call, 0, &to->start)) ||
	    (status = arguments_operand(call, 1, &to->stop)) ||
	    (status = arguments_integer(call, 2, &to->num)) ||
	    (status = arguments_dtype(call, at_dtype, &to->dtype)))
		return status;
	return arguments_given(call, at_endpoint)
		       ? arguments_bool(call, at_endpoint, &to->endpoint)
		       : DPR_OK;
}

static dpr_status run_linspace(struct function_call *call)
{
	struct spacing s;
	const dpr_status status = get_spacing(call, 4, 3, &s);

	return status ? status
		      : arguments_result(call,
					 dpr_linspace_on(s.start, s.stop, s.num,
							 s.endpoint, s.dtype,
							 call->queue,
							 DPR_USM_DEVICE,
							 &call->result.array));
}

static dpr_status run_logspace(struct function_call *call)
{
	dpr_operand base = dpr_operand_int(10);
	struct spacing s;
	dpr_status status = get_spacing(call, 3, 5, &s);

	if (!status && arguments_given(call, 4))
		status = arguments_operand(call, 4, &base);
	if (status)
		return status;
	return arguments_result(
		call, dpr_logspace_on(s.start, s.stop, s.num, s.endpoint, base,
				      s.dtype, call->queue, DPR_USM_DEVICE,
				      &call->result.array));
}

static dpr_status run_geomspace(struct function_call *call)
{
	struct spacing s;
	const dpr_status status = get_spacing(call, 3, 4, &s);

	return status ? status
		      : arguments_result(call,
					 dpr_geomspace_on(s.start, s.stop,
							  s.num, s.endpoint,
							  s.dtype, call->queue,
							  DPR_USM_DEVICE,
							  &call->result.array));
}

static dpr_status run_eye(struct function_call *call)
{
	int64_t rows, columns, k = 0;
	dpr_dtype dtype;
	dpr_status status = arguments_integer(call, 0, &rows);

	if (status)
		return status;
	columns = rows;
	if (arguments_given(call, 1))
		status = arguments_integer(call, 1, &columns);
	if (!status && arguments_given(call, 2))
		status = arguments_integer(call, 2, &k);
	if (!status)
		status = arguments_dtype(call, 3, &dtype);
	if (status)
		return status;
	return arguments_result(call,
				dpr_eye(rows, columns, k, dtype, call->queue,
					&call->result.array));
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

	if (arguments_given(call, 1)) {
		dpr_array *x;

		status = arguments_array(call, 1, &x);
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
	if (status && !arguments_given(call, 1))
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

	if ((status = arguments_axis(call, 0, &axis)) ||
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
		(const char *const[]){ __VA_ARGS__ } }
#define FUNCTION(name, ...) \
	{ SIGNATURE(name, __VA_ARGS__), .run = run_##name }
#define LIKE(name, ...) \
	{ SIGNATURE(name, __VA_ARGS__), .run = run_##name, .deferred = 1 }
#define SHAPE(name, ...) \
	{ SIGNATURE(name, __VA_ARGS__), .run = shape_calls_##name }
#define PRODUCT(name, ...) \
	{ SIGNATURE(name, __VA_ARGS__), .run = product_calls_##name }
#define LINALG(name, ...) \
	{ SIGNATURE(name, __VA_ARGS__), .run = linalg_calls_##name }
#define SEVERAL(name, results_, ...) \
	{ SIGNATURE(name, __VA_ARGS__), .run = linalg_calls_##name, \
		.results = results_ }
#define TAKE(name, ...) \
	{ SIGNATURE(name, __VA_ARGS__), .run = index_calls_##name, \
		.deferred = 2 }
#define FUSED(kind, name, n, ...) \
	{ SIGNATURE(name, n, n, __VA_ARGS__), .run = run_##name, \
		.fuses = FUSION_##kind }
#define REDUCTION(name, combine, sum, first, finish, text) \
	{ SIGNATURE(name, 1, 2, "x", "axis", "keepdims" \
		REDUCE_TABLE_AS_##sum(, "dtype"), LAST_##sum), \
		.run = run_##name, .deferred = 1 },

/* plan.c substitutes a text for a call with `where`.  So in run_reduction() the
   last argument is `initial`, or is missing. */
#define LAST_BOOL "where"
#define LAST_SAME "where", "initial"
#define LAST_WIDE "where", "initial"
#define LAST_FLOAT "where"

const struct function builtins_list[] = {
#include "kernels/reductions.def"
#undef REDUCTION
	FUNCTION(arange, 1, 3, "start", "stop", "step", "dtype"),
	FUSED(CAST, astype, 2, "x", "dtype"),
	SHAPE(atleast_1d, 1, 1, "x"),
	SHAPE(atleast_2d, 1, 1, "x"),
	SHAPE(atleast_3d, 1, 1, "x"),
	SHAPE(broadcast_to, 2, 2, "x", "shape"),
	LINALG(cholesky, 1, 1, "x", "upper"),
	SHAPE(concat, 1, 1, "arrays", "axis"),
	LINALG(cond, 1, 2, "x", "ord"),
	LINALG(det, 1, 1, "x"),
	SHAPE(diagonal, 1, 1, "x", "offset"),
	FUNCTION(diff, 1, 1, "x", "axis", "n", "prepend", "append"),
	SEVERAL(eig, 2, 1, 1, "x"),
	SEVERAL(eigh, 2, 1, 1, "x", "upper"),
	LINALG(eigvals, 1, 1, "x"),
	LINALG(eigvalsh, 1, 1, "x", "upper"),
	SHAPE(expand_dims, 2, 2, "x", "axis"),
	FUNCTION(eye, 1, 2, "n_rows", "n_cols", "k", "dtype"),
	SHAPE(flip, 1, 1, "x", "axis"),
	FUNCTION(full, 2, 2, "shape", "fill_value", "dtype"),
	LIKE(full_like, 2, 2, "x", "fill_value", "dtype"),
	FUNCTION(geomspace, 3, 4, "start", "stop", "num", "endpoint", "dtype"),
	FUNCTION(index, 1, 2, "axis", "x"),
	LINALG(inv, 1, 1, "x"),
	PRODUCT(kron, 2, 2, "x1", "x2"),
	FUNCTION(linspace, 3, 3, "start", "stop", "num", "dtype", "endpoint"),
	FUNCTION(logspace, 3, 5, "start", "stop", "num", "endpoint", "base",
		"dtype"),
	SEVERAL(lstsq, 3, 2, 3, "x1", "x2", "rtol"),
	SEVERAL(lu, 3, 1, 1, "x"),
	PRODUCT(matmul, 2, 2, "x1", "x2"),
	LINALG(matrix_norm, 1, 2, "x", "ord", "keepdims"),
	PRODUCT(matrix_power, 2, 2, "x", "n"),
	LINALG(matrix_rank, 1, 2, "x", "rtol"),
	SHAPE(matrix_transpose, 1, 1, "x"),
	PRODUCT(matvec, 2, 2, "x1", "x2"),
	SHAPE(moveaxis, 3, 3, "x", "source", "destination"),
	PRODUCT(multi_dot, 1, 1, "arrays"),
	FUNCTION(ones, 1, 1, "shape", "dtype"),
	LIKE(ones_like, 1, 1, "x", "dtype"),
	SHAPE(permute_dims, 2, 2, "x", "axes"),
	LINALG(pinv, 1, 2, "x", "rtol"),
	SEVERAL(qr, 2, 1, 2, "x", "mode"),
	SHAPE(repeat, 2, 2, "x", "repeats", "axis"),
	SHAPE(reshape, 2, 2, "x", "shape"),
	SHAPE(roll, 2, 2, "x", "shift", "axis"),
	SHAPE(rot90, 1, 3, "x", "k", "axes"),
	SEVERAL(slogdet, 2, 1, 1, "x"),
	LINALG(solve, 2, 2, "x1", "x2"),
	LINALG(solve_triangular, 2, 2, "x1", "x2", "upper",
		"unit"),
	SHAPE(squeeze, 1, 2, "x", "axis"),
	SHAPE(stack, 1, 1, "arrays", "axis"),
	SEVERAL(svd, 3, 1, 2, "x", "full_matrices"),
	LINALG(svdvals, 1, 1, "x"),
	SHAPE(swapaxes, 3, 3, "x", "axis1", "axis2"),
	TAKE(take, 2, 3, "x", "indices", "axis", "mode"),
	TAKE(take_along_axis, 2, 3, "x", "indices", "axis", "mode"),
	PRODUCT(tensordot, 2, 3, "x1", "x2", "axes"),
	SHAPE(tile, 2, 2, "x", "repetitions"),
	SHAPE(tril, 1, 1, "x", "k"),
	SHAPE(triu, 1, 1, "x", "k"),
	PRODUCT(vecmat, 2, 2, "x1", "x2"),
	FUSED(WHERE, where, 3, "condition", "x1", "x2"),
	FUNCTION(zeros, 1, 1, "shape", "dtype"),
	LIKE(zeros_like, 1, 1, "x", "dtype"),
};
/* clang-format on */

const size_t builtins_count = sizeof(builtins_list) / sizeof(builtins_list[0]);
