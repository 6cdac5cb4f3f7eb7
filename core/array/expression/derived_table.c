/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived_table.c - the table of the functions of kernels/derived.def.
 *
 * The text of a function is parsed when the function is first used, and kept
 * until dpr_finalize().
 */
#include "core/array/expression/derived_table.h"

#include <math.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/expression/fusion.h"
#include "core/array/expression/node.h"
#include "core/array/functions/reduce.h"
#include "core/array/object/array.h"
#include "core/base/mem.h"
#include "core/base/status.h"

#define PARAMETERS_REDUCES "x, axis, keepdims"
#define PARAMETERS_CORRECTS "x, axis, correction, keepdims"
#define PARAMETERS_ALONG "x, axis"
#define ARGUMENTS_REDUCES "x, axis, keepdims=True"
#define ARGUMENTS_CORRECTS "x, axis, correction=correction, keepdims=True"
#define ARGUMENTS_ALONG "x, axis"
#define LIST_REDUCES "x", "axis", "keepdims"
#define LIST_CORRECTS "x", "axis", "correction", "keepdims"
#define LIST_ALONG "x", "axis"
#define LIST(...) ((const char *const[]){ __VA_ARGS__ })
#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

const struct function derived_table[] = {
#define DERIVED(name_, form_, expression_, text_)                           \
	{ .signature = { .name = #name_,                                    \
			 .required = 1,                                     \
			 .positional = 2,                                   \
			 .n = COUNT(LIST(LIST_##form_)),                    \
			 .parameters = LIST(LIST_##form_) },                \
	  .derived = &(const struct derived){                               \
		  .form = DERIVED_##form_,                                  \
		  .definition =                                             \
			  #name_ "(" PARAMETERS_##form_ ") = " expression_, \
		  .call = #name_ "(" ARGUMENTS_##form_ ")" } },
#include "kernels/derived.def"
#undef DERIVED
};
const size_t derived_table_count =
	sizeof(derived_table) / sizeof(derived_table[0]);

struct value derived_table_default(const char *parameter)
{
	struct value value = { .kind = VALUE_SCALAR,
			       .scalar = dpr_operand_int(0) };

	if (!strcmp(parameter, "axis"))
		value.kind = VALUE_NONE;
	else if (!strcmp(parameter, "keepdims"))
		value.scalar = dpr_operand_bool(0);
	return value;
}

/* --- Definitions --------------------------------------------------------- */

/* Parse the definition of @function. */
static dpr_status read_definition(const struct function *function,
				  struct definition **out)
{
	struct parser_head head;
	struct place fault;
	struct tree tree;
	dpr_status status = parser_definition(function->derived->definition,
					      &head, &tree, &fault);

	if (status)
		return status;
	*out = definitions_new(&head, &tree);
	mem_free(head.parameters);
	return *out ? DPR_OK : fail_memory(function->signature.name);
}

dpr_status derived_table_definition(const struct function *function,
				    struct definition **out)
{
	const char *name = function->signature.name;
	struct definition *made;
	dpr_status status;

	*out = definitions_find(DEFINITIONS_DERIVED, name, strlen(name));
	if (*out)
		return DPR_OK;
	status = read_definition(function, &made);
	if (status)
		return status;
	/* Another thread may have added the same one. */
	if (!definitions_add(DEFINITIONS_DERIVED, made)) {
		*out = definitions_find(DEFINITIONS_DERIVED, name,
					strlen(name));
		if (*out) {
			definitions_release(made);
			return DPR_OK;
		}
	}
	*out = made;
	return DPR_OK;
}

/* --- Functions that only these texts call --------------------------------- */

/* Get argument @i, of which only shape and dtype are needed.  So its elements
   may be deferred.  A number becomes a 0-d array. */
static dpr_status get_shape_of(struct function_call *call, int i,
			       const dpr_array **out)
{
	dpr_operand x;
	dpr_array *made;
	dpr_status status;

	if (value_operand(&call->arguments[i], &x) &&
	    x.kind == DPR_OPERAND_ARRAY) {
		*out = x.as.array;
		return DPR_OK;
	}
	status = builtins_array(call, i, &made);
	*out = made;
	return status;
}

static dpr_status get_shape(struct function_call *call, const dpr_array **out)
{
	return get_shape_of(call, 0, out);
}

/* Find the axes of argument 0 that argument 1 names. */
static dpr_status find_reduced(struct function_call *call, const dpr_array **x,
			       struct reduce_outcome *out)
{
	struct builtins_axes given;
	dpr_status status;

	if ((status = get_shape(call, x)) ||
	    (status = builtins_reduced(call, false, &given)))
		return status;
	return reduce_shape(call->function->signature.name, *x, given.list,
			    out);
}

static dpr_status set_dtype(struct function_call *call, dpr_dtype dtype)
{
	call->result.kind = VALUE_DTYPE;
	call->result.dtype = dtype;
	return DPR_OK;
}

static dpr_status run_dtype_of(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status = get_shape(call, &x);

	return status ? status : set_dtype(call, x->dtype);
}

/* The result is argument 0, in @dtype: itself if it has this dtype already.  @x
   is its array, or the header of its node. */
static dpr_status cast_argument(struct function_call *call, const dpr_array *x,
				dpr_dtype dtype)
{
	const struct value *value = &call->arguments[0];
	const struct fusion_call cast = { .kind = FUSION_CAST,
					  .dtype = dtype,
					  .place = call->place };
	const struct fusion_operand operand = { value->node,
						dpr_operand_array(x) };
	dpr_status status;

	if (value->kind != VALUE_SCALAR && x->dtype == dtype) {
		call->result = value_share(value);
		return DPR_OK;
	}
	if (value->kind == VALUE_SCALAR || !call->fusion->format)
		return builtins_result(
			call, dpr_astype(x, dtype, &call->result.array));
	status = fusion_add(call->fusion, &cast, &operand, &call->result.node);
	if (!status)
		call->result.kind = VALUE_NODE;
	return status;
}

static dpr_status run_work(struct function_call *call)
{
	const dpr_array *x;
	dpr_status status;
	dpr_dtype dtype;

	value_settle(&call->arguments[0]);
	status = get_shape(call, &x);
	if (status)
		return status;
	dtype = x->dtype;
	if (dtype_level(dtype) < 2)
		dtype = dpr_dtype_default(dpr_queue_device(call->queue), 'f');
	else if (dpr_dtype_size(dtype) == 2)
		dtype = DPR_FLOAT32;
	return cast_argument(call, x, dtype);
}

static dpr_status run_as_result(struct function_call *call)
{
	const dpr_array *value, *x;
	dpr_status status;

	value_settle(&call->arguments[0]);
	if ((status = get_shape_of(call, 0, &value)) ||
	    (status = get_shape_of(call, 1, &x)))
		return status;
	return cast_argument(call, value,
			     dtype_level(x->dtype) == 2 &&
					     dpr_dtype_size(x->dtype) == 2
				     ? x->dtype
				     : value->dtype);
}

/* The smallest or the largest value of the dtype of argument 0. */
static dpr_status set_limit(struct function_call *call, bool largest)
{
	dpr_integer_limits limits;
	const dpr_array *x;
	dpr_status status = get_shape(call, &x);

	if (status)
		return status;
	call->result.kind = VALUE_SCALAR;
	if (dtype_level(x->dtype) != 1)
		call->result.scalar =
			dpr_operand_float(largest ? INFINITY : -INFINITY);
	else if (!(status = dpr_iinfo(x->dtype, &limits)))
		call->result.scalar = largest ? dpr_operand_uint(limits.max)
					      : dpr_operand_int(limits.min);
	return status;
}

static dpr_status run_largest(struct function_call *call)
{
	return set_limit(call, true);
}

static dpr_status run_smallest(struct function_call *call)
{
	return set_limit(call, false);
}

static dpr_status run_divisor(struct function_call *call)
{
	struct reduce_outcome outcome;
	const dpr_array *x;
	double n;
	dpr_status status = find_reduced(call, &x, &outcome);

	if (status)
		return status;
	if (!builtins_as_double(&call->arguments[2], &n))
		return builtins_fail(call, 2, "not a real number");
	n = (double)outcome.length - n;
	call->result.kind = VALUE_SCALAR;
	call->result.scalar = dpr_operand_float(n > 0 || n != n ? n : 0);
	return DPR_OK;
}

static dpr_status run_drop_axes(struct function_call *call)
{
	dpr_index index[DPR_MAX_RANK];
	struct reduce_outcome outcome;
	const dpr_array *x;
	bool keepdims;
	dpr_status status;

	if ((status = find_reduced(call, &x, &outcome)) ||
	    (status = builtins_bool(call, 2, &keepdims)))
		return status;
	for (int d = 0; d < x->rank; d++)
		index[d] =
			outcome.reduced[d] && !keepdims ? DPR_AT(0) : DPR_ALL;
	return builtins_result(call, dpr_array_index(x, index, (size_t)x->rank,
						     &call->result.array));
}

/* Of the arguments of OF_SHAPE functions only shapes and dtypes are needed. */
#define FUNCTION(name_, n_, of_shape, ...)                        \
	{                                                         \
		.signature = { .name = #name_,                    \
			       .required = n_,                    \
			       .positional = n_,                  \
			       .n = n_,                           \
			       .parameters = LIST(__VA_ARGS__) }, \
		.run = run_##name_, .reduces = of_shape           \
	}

static const struct function parts[] = {
	FUNCTION(as_result, 2, true, "value", "x"),
	FUNCTION(divisor, 3, true, "x", "axis", "correction"),
	FUNCTION(drop_axes, 3, false, "x", "axis", "keepdims"),
	FUNCTION(dtype_of, 1, true, "x"),
	FUNCTION(largest, 1, true, "x"),
	FUNCTION(smallest, 1, true, "x"),
	FUNCTION(work, 1, true, "x"),
};

const struct function *derived_table_inner(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strlen(parts[i].signature.name) == length &&
		    !memcmp(parts[i].signature.name, name, length))
			return &parts[i];
	return NULL;
}

bool derived_table_is_inner(const struct function *function)
{
	return derived_table_inner(function->signature.name,
				   strlen(function->signature.name)) ==
	       function;
}
