/* SPDX-License-Identifier: Apache-2.0 */
/* where.c - chooses between two values by a condition. */
#include "core/array/functions/where.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/element/scalar.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/cast_copy_fill.h"
#include "core/array/object/broadcast.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* A choice in progress. */
struct where_choice {
	/* the arrays among the condition, x1, x2 and out */
	const dpr_array *array[4];
	const char *name[4];
	size_t n;
	dpr_array *temporary[2];
	dpr_dtype dtype;
	dpr_queue *queue;
	/* the kernel casts, so that no array needs a cast of its own */
	bool casts;
	int rank;
	int64_t shape[DPR_MAX_RANK];
	struct apply_call call;
};

static void add_array(struct where_choice *c, const char *name,
		      const dpr_array *x)
{
	c->name[c->n] = name;
	c->array[c->n++] = x;
}

/* The dtype of the result.  Two scalars count as arrays of the default dtypes
   of their kinds. */
static dpr_status value_dtype(const dpr_array *condition,
			      const dpr_operand *values, dpr_dtype *out)
{
	const dpr_operand all[] = { values[0], values[1],
				    dpr_operand_array(condition) };
	const bool arrays = values[0].kind == DPR_OPERAND_ARRAY ||
			    values[1].kind == DPR_OPERAND_ARRAY;
	dpr_status status = dpr_result_type(all, arrays ? 2 : 3, out);

	/* As in dpr_full(), an integer outside of int64 makes the result
	   uint64. */
	if (!status && !arrays && *out == DPR_INT64 &&
	    (scalar_is_outside(values[0], DPR_INT64) ||
	     scalar_is_outside(values[1], DPR_INT64)))
		*out = DPR_UINT64;
	return status;
}

static dpr_status choice_begin(struct where_choice *c,
			       const dpr_array *condition,
			       const dpr_operand *values, dpr_array *out)
{
	static const char *const names[] = { "x1", "x2" };
	dpr_status status;

	memset(c, 0, sizeof(*c));
	if (!condition)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "where: the condition is NULL");
	if (condition->dtype != DPR_BOOL)
		return fail(DPR_ERROR_DTYPE,
			    "where: the condition is %s but must be bool; use "
			    "dpr_not_equal() to compare it with 0",
			    dpr_dtype_name(condition->dtype));
	status = value_dtype(condition, values, &c->dtype);
	if (status) {
		status_prefix("where");
		return status;
	}
	add_array(c, "condition", condition);
	for (int i = 0; i < 2; i++)
		if (values[i].kind == DPR_OPERAND_ARRAY)
			add_array(c, names[i], values[i].as.array);
	status = broadcast_shapes("where", c->array, c->n, &c->rank, c->shape);
	if (status)
		return status;
	if (out)
		add_array(c, "out", out);
	status = execution_queue("where", c->array, c->name, c->n, out != NULL,
				 &c->queue);
	if (status)
		return status;
	c->casts = engine_casts(dpr_queue_device(c->queue));
	return DPR_OK;
}

dpr_status where_foresee(const dpr_array *condition, const dpr_operand *values,
			 struct elementwise_outcome *out)
{
	unsigned char bytes[16];
	struct where_choice c;
	dpr_status status = choice_begin(&c, condition, values, NULL);

	for (int i = 0; !status && i < 2; i++) {
		if (values[i].kind != DPR_OPERAND_ARRAY) {
			status = scalar_store("where", values[i], c.dtype,
					      bytes);
			continue;
		}
		status = cast_check(values[i].as.array, c.dtype);
		if (status)
			status_prefix("where");
	}
	if (status)
		return status;
	out->op = 0;
	out->compute = out->result = c.dtype;
	out->queue = c.queue;
	out->kind = array_result_kind(c.array, c.n);
	out->rank = c.rank;
	for (int d = 0; d < c.rank; d++)
		out->shape[d] = c.shape[d];
	return DPR_OK;
}

/* Take the array @x as value @i.  The array is cast if needed, unless the
   kernel casts. */
static dpr_status choice_take_array(struct where_choice *c, int i,
				    const dpr_array *x)
{
	dpr_status status;

	c->call.x[i + 1] = x;
	if (x->dtype == c->dtype)
		return DPR_OK;
	if (c->casts) {
		status = cast_check(x, c->dtype);
		if (status)
			status_prefix("where");
		return status;
	}
	status = cast_new("where", x, c->dtype, DPR_USM_DEVICE,
			  &c->temporary[i]);
	c->call.x[i + 1] = c->temporary[i];
	return status;
}

static dpr_status choice_take_values(struct where_choice *c,
				     const dpr_operand *values)
{
	struct apply_call *call = &c->call;
	dpr_status status = DPR_OK;

	call->what = "where";
	call->n = 3;
	call->x[0] = c->array[0];
	for (int i = 0; !status && i < 2; i++)
		status = values[i].kind == DPR_OPERAND_ARRAY
				 ? choice_take_array(c, i, values[i].as.array)
				 : scalar_store("where", values[i], c->dtype,
						call->value[i + 1].bytes);
	return status;
}

static void choice_end(struct where_choice *c)
{
	dpr_array_release(c->temporary[0]);
	dpr_array_release(c->temporary[1]);
}

dpr_status(dpr_where)(const dpr_array *condition, dpr_operand x1,
		      dpr_operand x2, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(condition, x1, x2, out);
	const dpr_operand values[] = { x1, x2 };
	struct where_choice c;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "where: out is NULL");
	*out = NULL;
	status = choice_begin(&c, condition, values, NULL);
	if (status)
		return status;
	status = choice_take_values(&c, values);
	if (!status)
		status =
			array_new("where", c.dtype, c.rank, c.shape, c.queue,
				  array_result_kind(c.array, c.n), &c.call.out);
	if (!status)
		status = cast_copy_fill_where(&c.call, c.dtype);
	choice_end(&c);
	return array_finish(status, c.call.out, out);
}

dpr_status(dpr_where_into)(const dpr_array *condition, dpr_operand x1,
			   dpr_operand x2, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(condition, x1, x2, out);
	const dpr_operand values[] = { x1, x2 };
	struct where_choice c;
	dpr_array *apart = NULL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "where into: out is NULL");
	status = choice_begin(&c, condition, values, out);
	if (!status)
		status = array_check_result("where", out, c.rank, c.shape,
					    c.dtype);
	if (status)
		return status;
	status = choice_take_values(&c, values);
	if (status)
		goto out;
	c.call.out = out;
	if (c.casts && out->dtype != c.dtype)
		status = cast_check(out, c.dtype);
	if (status)
		goto out;
	if ((!c.casts && out->dtype != c.dtype) ||
	    !apply_can_write(&c.call, out)) {
		status = array_new("where", c.dtype, c.rank, c.shape, c.queue,
				   DPR_USM_DEVICE, &apart);
		if (status)
			goto out;
		c.call.out = apart;
	}
	status = cast_copy_fill_where(&c.call, c.dtype);
	if (!status && apart)
		status = cast_into(apart, out);
out:
	dpr_array_release(apart);
	choice_end(&c);
	return status;
}
