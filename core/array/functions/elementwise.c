/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.c - the functions of the operation table. */
#include "core/array/functions/elementwise.h"

#include <stddef.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>

#include "core/array/element/dtype.h"
#include "core/array/element/scalar.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/panels.h"
#include "core/array/object/broadcast.h"
#include "core/array/object/execution.h"
#include "core/base/status.h"
#include "core/base/trace.h"

const struct elementwise_operation elementwise_operations[] = {
#define ELEMENTWISE__X(name, n, family, result, classes, identity)      \
	{ #name,   n,       ELEMENTWISE_##family, ELEMENTWISE_##result, \
	  classes, identity },
	OPERATION_MAP(ELEMENTWISE__X)
#undef ELEMENTWISE__X
};

static const char *const operand_names[] = { "x1", "x2", "x3", "out" };

/* The contiguous and the strided kernel of an operation. */
struct kernel_pair {
	enum modules_kernel flat, strided;
};

#define PAIR(name)                                     \
	(struct kernel_pair)                           \
	{                                              \
		MODULES_##name##_c, MODULES_##name##_s \
	}

/* The kernels of an operation by its family and its number of operands.
   @is_part: the result is a part of complex numbers. */
static struct kernel_pair find_kernels(const struct elementwise_operation *o,
				       bool is_part)
{
	if (o->family == ELEMENTWISE_COMPARE)
		return o->n == 1 ? PAIR(compare1b) : PAIR(compare2b);
	if (o->family == ELEMENTWISE_MATH)
		return o->n == 1 ? PAIR(math1t) : PAIR(math2t);
	if (is_part)
		return PAIR(arith1r);
	return o->n == 1   ? PAIR(arith1t)
	       : o->n == 2 ? PAIR(arith2t)
			   : PAIR(arith3t);
}

static const dpr_array *first_array(const dpr_operand *operands, int n)
{
	for (int i = 0; i < n; i++)
		if (operands[i].kind == DPR_OPERAND_ARRAY)
			return operands[i].as.array;
	return NULL;
}

dpr_status elementwise_dtypes(int op, const dpr_operand *operands,
			      dpr_dtype *compute, dpr_dtype *result)
{
	const struct elementwise_operation *o = &elementwise_operations[op];
	const dpr_array *first = first_array(operands, o->n);
	dpr_dtype dtype;
	dpr_status status;

	status = dpr_result_type(operands, (size_t)o->n, &dtype);
	if (status) {
		status_prefix("%s", o->name);
		return status;
	}
	if (!strchr(o->classes, dpr_dtype_kind(dtype))) {
		if (o->result != ELEMENTWISE_FLOAT ||
		    dpr_dtype_kind(dtype) == 'c')
			return fail(DPR_ERROR_DTYPE, "%s: does not take %s",
				    o->name, dpr_dtype_name(dtype));
		dtype = dpr_dtype_default(dpr_queue_device(first->queue), 'f');
	}
	*compute = dtype;
	*result = o->result == ELEMENTWISE_BOOL   ? DPR_BOOL
		  : o->result == ELEMENTWISE_REAL ? dtype_part(dtype)
						  : dtype;
	return cast_check_computes(o->name, first, dtype);
}

static bool stores_other(dpr_dtype from, dpr_dtype to)
{
	static const char order[] = "biufc";
	const long a = strchr(order, dpr_dtype_kind(from)) - order;
	const long b = strchr(order, dpr_dtype_kind(to)) - order;

	/* Signed and unsigned integers are one kind. */
	return a <= b || (a == 2 && b == 1);
}

bool elementwise_stores(dpr_dtype from, dpr_dtype to)
{
	return from == to || stores_other(from, to);
}

dpr_status elementwise_value(const char *what, dpr_operand value,
			     dpr_dtype dtype, struct walk_scalar *out)
{
	dpr_status status;

	memset(out, 0, sizeof(*out));
	status = scalar_store(what, value, dtype, out->bytes);
	if (status || (dtype != DPR_FLOAT16 && dtype != DPR_BFLOAT16))
		return status;
	/* Rounded as an element of the array would be. */
	return scalar_store(what, scalar_load(out->bytes, dtype), DPR_FLOAT32,
			    out->bytes);
}

/* A computation under way: the operands as arrays of the dtype computed in. */
struct computation {
	const struct elementwise_operation *o;
	int op, n_arrays;
	const dpr_array *array[4]; /* the array operands */
	const char *name[4];
	dpr_array *temporary[3]; /* casts, to be released */
	dpr_queue *queue;
	dpr_dtype compute, result;
	struct walk_call call;
	int rank;
	int64_t shape[DPR_MAX_RANK]; /* the first `rank` are set */
};

static dpr_status check_operands(struct computation *work, int op,
				 const dpr_operand *operands)
{
	const struct elementwise_operation *o = &elementwise_operations[op];
	dpr_status status;

	memset(work, 0, offsetof(struct computation, shape));
	work->o = o;
	work->op = op;
	status =
		elementwise_dtypes(op, operands, &work->compute, &work->result);
	if (status)
		return status;
	for (int i = 0; i < o->n; i++) {
		if (operands[i].kind != DPR_OPERAND_ARRAY)
			continue;
		work->name[work->n_arrays] = operand_names[i];
		work->array[work->n_arrays++] = operands[i].as.array;
	}
	status = broadcast_shapes(o->name, work->array, (size_t)work->n_arrays,
				  &work->rank, work->shape);
	if (!status)
		array_trace(work->result, work->rank, work->shape);
	return status;
}

/* Bring the operands into the call: arrays in the dtype computed in, and
   scalars as its values. */
static dpr_status take_operands(struct computation *work,
				const dpr_operand *operands)
{
	struct walk_call *call = &work->call;
	dpr_status status;

	call->n = work->o->n;
	for (int i = 0; i < call->n; i++) {
		const dpr_array *x = operands[i].as.array;

		if (operands[i].kind != DPR_OPERAND_ARRAY) {
			status = elementwise_value(work->o->name, operands[i],
						   work->compute,
						   &call->value[i]);
			if (status)
				return status;
			continue;
		}
		call->x[i] = x;
		if (x->dtype == work->compute)
			continue;
		status = array_new(work->o->name, work->compute, x->rank,
				   array_shape(x), x->queue, DPR_USM_DEVICE,
				   &work->temporary[i]);
		if (status)
			return status;
		status = cast_into(x, work->temporary[i]);
		if (status)
			return status;
		call->x[i] = work->temporary[i];
	}
	return DPR_OK;
}

/* Compute into @out, which has the result's dtype and shape. */
static dpr_status compute_into(struct computation *work, dpr_array *out)
{
	const struct elementwise_operation *o = work->o;
	const char kind = dpr_dtype_kind(work->compute);
	struct walk_call *call = &work->call;
	struct kernel_pair kernels;

	if (strchr(o->identity, kind))
		return call->x[0] ? cast_into(call->x[0], out) : DPR_OK;
	call->what = o->name;
	call->family = o->family == ELEMENTWISE_ARITH  ? IMAGES_ARITH
		       : o->family == ELEMENTWISE_MATH ? IMAGES_MATH
						       : IMAGES_COMPARE;
	call->type = work->compute;
	kernels = find_kernels(o, o->result == ELEMENTWISE_REAL && kind == 'c');
	call->flat = kernels.flat;
	call->strided = kernels.strided;
	call->operation = work->op;
	call->out = out;
	return panels_launch(call);
}

static void release_work(struct computation *work)
{
	for (int i = 0; i < 3; i++)
		dpr_array_release(work->temporary[i]);
}

static dpr_status new_result(const struct computation *work, dpr_array **out)
{
	return array_new(work->o->name, work->result, work->rank, work->shape,
			 work->queue,
			 array_result_kind(work->array, (size_t)work->n_arrays),
			 out);
}

static dpr_status elementwise_new(int op, const dpr_operand *operands,
				  dpr_array **out)
{
	struct computation work;
	dpr_array *made = NULL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    elementwise_operations[op].name);
	*out = NULL;
	status = check_operands(&work, op, operands);
	if (status)
		return status;
	status = execution_queue(work.o->name, work.array, work.name,
				 (size_t)work.n_arrays, &work.queue);
	if (status)
		return status;
	status = take_operands(&work, operands);
	if (!status)
		status = new_result(&work, &made);
	if (!status)
		status = compute_into(&work, made);
	release_work(&work);
	if (status) {
		dpr_array_release(made);
		return status;
	}
	*out = made;
	return DPR_OK;
}

static dpr_status check_out(struct computation *work, dpr_array *out)
{
	const char *what = work->o->name;
	dpr_status status;

	work->array[work->n_arrays] = out;
	work->name[work->n_arrays] = "out";
	status = execution_queue(what, work->array, work->name,
				 (size_t)work->n_arrays + 1, &work->queue);
	if (status)
		return status;
	if (out->rank != work->rank ||
	    (out->rank && memcmp(array_shape(out), work->shape,
				 sizeof(int64_t) * (size_t)out->rank) != 0))
		return fail(DPR_ERROR_SHAPE,
			    "%s: out has another shape than the operands "
			    "broadcast to",
			    what);
	if (!elementwise_stores(work->result, out->dtype))
		return fail(DPR_ERROR_DTYPE,
			    "%s: the result is %s, which out's dtype %s does "
			    "not take; cast it with dpr_astype()",
			    what, dpr_dtype_name(work->result),
			    dpr_dtype_name(out->dtype));
	return array_check_output(what, out);
}

/* Whether the kernel may write @out while it reads the operands: each operand
   is either @out's elements in the same places, or does not overlap it. */
static bool writes_in_place(const struct computation *work,
			    const dpr_array *out)
{
	if (out->dtype != work->result)
		return false;
	for (int i = 0; i < work->o->n; i++) {
		const dpr_array *x = work->call.x[i];

		if (x && !array_same_layout(x, out) &&
		    array_may_overlap(x, out))
			return false;
	}
	return true;
}

static dpr_status elementwise_into(int op, const dpr_operand *operands,
				   dpr_array *out)
{
	struct computation work;
	dpr_array *apart = NULL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    elementwise_operations[op].name);
	status = check_operands(&work, op, operands);
	if (!status)
		status = check_out(&work, out);
	if (status)
		return status;
	status = take_operands(&work, operands);
	if (status)
		goto out;
	if (writes_in_place(&work, out)) {
		status = compute_into(&work, out);
		goto out;
	}
	status = new_result(&work, &apart);
	if (!status)
		status = compute_into(&work, apart);
	if (!status)
		status = cast_into(apart, out);
out:
	dpr_array_release(apart);
	release_work(&work);
	return status;
}

#define OPERANDS_1 x
#define OPERANDS_2 x1, x2
#define OPERANDS_3 x1, x2, x3
#define PARAMETERS_1 dpr_operand x
#define PARAMETERS_2 dpr_operand x1, dpr_operand x2
#define PARAMETERS_3 dpr_operand x1, dpr_operand x2, dpr_operand x3

#define ELEMENTWISE__X(name, n, family, result, classes, identity)         \
	dpr_status(dpr_##name)(PARAMETERS_##n, dpr_array * *out)           \
	{                                                                  \
		TRACE_CALL;                                                \
		const dpr_operand operands[] = { OPERANDS_##n };           \
		return elementwise_new(OPERATION__##name, operands, out);  \
	}                                                                  \
	dpr_status(dpr_##name##_into)(PARAMETERS_##n, dpr_array * out)     \
	{                                                                  \
		TRACE_CALL;                                                \
		const dpr_operand operands[] = { OPERANDS_##n };           \
		return elementwise_into(OPERATION__##name, operands, out); \
	}
OPERATION_MAP(ELEMENTWISE__X)
