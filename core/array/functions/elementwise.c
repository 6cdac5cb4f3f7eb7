/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.c - the functions of the operation table. */
#include "core/array/functions/elementwise.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/element/scalar.h"
#include "core/array/engine/compound.h"
#include "core/array/functions/compare.h"
#include "core/array/functions/eager_call.h"
#include "core/array/launch/apply.h"
#include "core/array/launch/cast.h"
#include "core/array/object/broadcast.h"
#include "core/array/object/execution.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"

static const char *const operand_names[] = { "x1", "x2", "x3", "out" };

static const dpr_array *first_array(const dpr_operand *operands, int n)
{
	for (int i = 0; i < n; i++)
		if (operands[i].kind == DPR_OPERAND_ARRAY)
			return operands[i].as.array;
	return NULL;
}

/* Find the dtype of an operation that computes in a complex dtype
   (OPERATIONS_COMPLEX).  The caller sets *@dtype to the dtype to which the
   operands are promoted.  The operands must be real. */
static dpr_status find_complex(const struct operations_entry *o,
			       const dpr_operand *operands, dpr_queue *queue,
			       dpr_dtype *dtype)
{
	const char kind = dpr_dtype_kind(*dtype);

	for (int i = 0; i < o->n; i++)
		if (operands[i].kind == DPR_OPERAND_COMPLEX ||
		    (operands[i].kind == DPR_OPERAND_ARRAY &&
		     dpr_dtype_kind(operands[i].as.array->dtype) == 'c'))
			return fail(DPR_ERROR_DTYPE,
				    "%s: operand %s is complex, and must be "
				    "real; real() and imag() give the parts",
				    o->name, operand_names[i]);
	*dtype = kind == 'f' ? dtype_promote(*dtype, DPR_COMPLEX64)
			     : dpr_dtype_default(dpr_queue_device(queue), 'c');
	return DPR_OK;
}

/* Find the dtypes of an operation whose result has the dtype of x1. */
static dpr_status find_first(const struct operations_entry *o,
			     const dpr_operand *operands, dpr_queue *queue,
			     dpr_dtype *compute, dpr_dtype *result)
{
	dpr_dtype dtype[3];
	char kind;

	/* Numbers count as the default dtype of their kind. */
	for (int i = 0; i < o->n; i++) {
		const dpr_operand *x = &operands[i];

		kind = x->kind == DPR_OPERAND_COMPLEX ? 'c'
		       : x->kind == DPR_OPERAND_FLOAT ? 'f'
						      : 'i';
		dtype[i] = x->kind == DPR_OPERAND_ARRAY
				   ? x->as.array->dtype
				   : dpr_dtype_default(dpr_queue_device(queue),
						       kind);
		kind = dpr_dtype_kind(dtype[i]);
		if (kind == 'c' || (i && kind == 'f'))
			return fail(DPR_ERROR_DTYPE,
				    "%s: operand %s is of %s, and must be "
				    "%s; astype() makes another dtype",
				    o->name, operand_names[i],
				    dpr_dtype_name(dtype[i]),
				    i ? "an integer" : "real");
	}
	*result = dpr_dtype_kind(dtype[0]) == 'f'
			  ? dtype[0]
			  : dpr_dtype_default(dpr_queue_device(queue), 'f');
	*compute = dpr_dtype_size(*result) == 2 ? DPR_FLOAT32 : *result;
	return DPR_OK;
}

dpr_status elementwise_dtypes(int op, const dpr_operand *operands,
			      dpr_dtype *compute, dpr_dtype *result)
{
	const struct operations_entry *o = &operations_table[op];
	const dpr_array *first = first_array(operands, o->n);
	dpr_dtype dtype;
	dpr_status status;

	status = dpr_result_type(operands, (size_t)o->n, &dtype);
	if (status) {
		status_prefix("%s", o->name);
		return status;
	}
	if (compare_is_mixed(op, operands)) {
		*compute = DPR_UINT64;
		*result = DPR_BOOL;
		return DPR_OK;
	}
	if (o->result == OPERATIONS_FIRST) {
		status = find_first(o, operands, first->queue, compute, result);
		return status ? status
			      : cast_check_computes(o->name, first, *compute);
	}
	if (o->result == OPERATIONS_COMPLEX) {
		status = find_complex(o, operands, first->queue, &dtype);
		if (status)
			return status;
	} else if (!strchr(o->classes, dpr_dtype_kind(dtype))) {
		if ((o->result != OPERATIONS_FLOAT &&
		     o->result != OPERATIONS_PART) ||
		    dpr_dtype_kind(dtype) == 'c')
			return fail(DPR_ERROR_DTYPE, "%s: does not take %s",
				    o->name, dpr_dtype_name(dtype));
		dtype = dpr_dtype_default(dpr_queue_device(first->queue), 'f');
	}
	*compute = dtype;
	*result = (dpr_dtype)operations_dtype((unsigned)op, dtype);
	return cast_check_computes(o->name, first, dtype);
}

/* An elementwise call in progress. */
struct computation {
	const char *what; /* the function that was called */
	const struct operations_entry *o;
	int op, n_arrays;
	const dpr_array *array[4]; /* the operands that are arrays */
	const char *name[4];
	dpr_array *temporary[3]; /* casts, which are released at the end */
	dpr_queue *queue;
	dpr_dtype compute, result;
	int n;         /* the number of operands of `op` */
	bool is_root;  /* pow() of one operand: the exponent is one half */
	bool is_mixed; /* compare_is_mixed() is true */
	struct apply_call call;
	int rank;
	int64_t shape[DPR_MAX_RANK]; /* only the first `rank` extents are set */
};

static dpr_status check_operands(struct computation *work, int op,
				 const dpr_operand *operands)
{
	const struct operations_entry *o = &operations_table[op];
	dpr_status status;

	mem_zero(work, offsetof(struct computation, shape));
	work->what = o->name;
	work->o = o;
	work->op = op;
	work->n = o->n;
	status =
		elementwise_dtypes(op, operands, &work->compute, &work->result);
	if (status)
		return status;
	work->is_mixed = compare_is_mixed(op, operands);
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

/* Get a real number as a double.  Returns false for any other operand. */
static bool real_number(dpr_operand x, double *out)
{
	switch (x.kind) {
	case DPR_OPERAND_INT: *out = (double)x.as.i; return true;
	case DPR_OPERAND_UINT: *out = (double)x.as.u; return true;
	case DPR_OPERAND_FLOAT: *out = x.as.f; return true;
	}
	return false;
}

/* Whether the kernel casts the operands.  Then no array needs a cast of its
   own, and the kernel has several steps. */
static bool casts(const struct computation *work)
{
	dpr_device *device = dpr_queue_device(work->queue);

	return engine_format(device) && engine_casts(device);
}

/*
 * Replace pow() by a cheaper operation for some exponents: by x, x * x, or for
 * floats 1 / x.  The results are the same.  @operands become the operands of
 * the new operation.
 *
 * With the exponent 3, pow() becomes pow() of one operand, x * x * x.  Each
 * product is rounded to the dtype, so the error is within 1.5 ulp.  With the
 * exponent 0.5, pow() of floats becomes the root of graph_power().  pow() of
 * complex numbers stays, because its special values differ.
 */
static void shorten_pow(struct computation *work, dpr_operand *operands)
{
	const char kind = dpr_dtype_kind(work->compute);
	double exponent;

	if (work->op != OPERATION__pow || kind == 'c' ||
	    operands[0].kind != DPR_OPERAND_ARRAY ||
	    !real_number(operands[1], &exponent))
		return;
	if (exponent == 1) {
		work->op = OPERATION__positive;
	} else if (exponent == 2) {
		work->op = OPERATION__square;
	} else if (exponent == -1 && kind == 'f') {
		work->op = OPERATION__divide;
		operands[1] = operands[0];
		operands[0] = dpr_operand_int(1);
	} else if ((exponent == 3 || (exponent == 0.5 && kind == 'f')) &&
		   casts(work)) {
		work->n = 1;
		work->is_root = exponent != 3;
		return;
	}
	work->o = &operations_table[work->op];
	work->n = work->o->n;
}

/* Replace an operation with numbers by another operation with the same result.
   Replaced are pow(), and comparisons with a number that no element can be. */
static void shorten(struct computation *work, dpr_operand *operands)
{
	if (compare_shorten(&work->op, operands, work->compute)) {
		work->o = &operations_table[work->op];
		work->n = work->o->n;
	}
	shorten_pow(work, operands);
}

/* Put the operands into the call.  Arrays are cast to the dtype of the
   computation, unless the kernel casts. */
static dpr_status take_operands(struct computation *work,
				const dpr_operand *operands)
{
	struct apply_call *call = &work->call;
	dpr_status status;

	call->n = work->n;
	call->is_root = work->is_root;
	call->is_mixed = work->is_mixed;
	for (int i = 0; i < call->n; i++) {
		const dpr_array *x = operands[i].as.array;

		if (operands[i].kind != DPR_OPERAND_ARRAY) {
			status = scalar_store_computed(work->what, operands[i],
						       work->compute,
						       call->value[i].bytes);
			if (status)
				return status;
			continue;
		}
		call->x[i] = x;
		if (x->dtype == work->compute || work->is_mixed || casts(work))
			continue;
		status = cast_new(work->what, x, work->compute, DPR_USM_DEVICE,
				  &work->temporary[i]);
		if (status)
			return status;
		call->x[i] = work->temporary[i];
	}
	return DPR_OK;
}

/* --- Several kernels of one step ---------------------------------------- */

/* Compute graph_compare() into the result, an array of bool.  One comparison
   with a number finds a sign, for which a graph has two steps. */
static dpr_status run_compare(const struct apply_call *call)
{
	const dpr_array *const *x = call->x;
	const int s = x[0]->dtype == DPR_UINT64;
	const bool below = graph_compare_below(call->operation, s);
	dpr_operand sign[] = { dpr_operand_array(x[s]), dpr_operand_int(0) };
	dpr_operand values[] = { dpr_operand_array(x[0]),
				 dpr_operand_array(x[1]) };
	dpr_operand parts[2];
	dpr_array *whole = NULL, *first = NULL, *second = NULL;
	dpr_status status;

	status = cast_new(call->what, x[s], DPR_UINT64, DPR_USM_DEVICE, &whole);
	values[s] = dpr_operand_array(whole);
	if (!status)
		status = elementwise_run(below ? OPERATION__less
					       : OPERATION__greater_equal,
					 sign, &first);
	if (!status)
		status = elementwise_run((int)call->operation, values, &second);
	parts[0] = dpr_operand_array(first);
	parts[1] = dpr_operand_array(second);
	if (!status)
		status = elementwise_run_into(below ? OPERATION__bitwise_or
						    : OPERATION__bitwise_and,
					      parts, call->out);
	dpr_array_release(whole);
	dpr_array_release(first);
	dpr_array_release(second);
	return status;
}

static dpr_status run_signbit(const struct apply_call *call)
{
	const char kind = dpr_dtype_kind(call->compute);
	dpr_operand x[] = { dpr_operand_array(call->x[0]), dpr_operand_int(0) };
	dpr_array *bits = NULL;
	dpr_status status = DPR_OK;

	if (kind == 'f') {
		status = array_bits(call->x[0],
				    compound_integer(call->compute), &bits);
		x[0] = dpr_operand_array(bits);
	} else if (kind != 'i') {
		x[1] = x[0]; /* no element is less than itself */
	}
	if (!status)
		status = elementwise_run_into(OPERATION__less, x, call->out);
	dpr_array_release(bits);
	return status;
}

/* --- Calls -------------------------------------------------------------- */

/* Replace bounds of clip() that are None by the limits of the dtype to which
   the other operands are promoted.  Operands of other operations do not change.
   */
static void fill_bounds(int op, dpr_operand *operands)
{
	dpr_integer_limits limits = { .max = 1 };
	dpr_operand given[3];
	dpr_dtype dtype;
	size_t n = 0;

	if (op != OPERATION__clip || (operands[1].kind != DPR_OPERAND_NONE &&
				      operands[2].kind != DPR_OPERAND_NONE))
		return;
	for (int i = 0; i < 3; i++)
		if (operands[i].kind != DPR_OPERAND_NONE)
			given[n++] = operands[i];
	/* If the other operands are wrong, check_operands() fails later. */
	if (dpr_result_type(given, n, &dtype))
		dtype = DPR_BOOL;
	for (int i = 1; i < 3; i++) {
		const bool low = i == 1;

		if (operands[i].kind != DPR_OPERAND_NONE)
			continue;
		if (dtype_level(dtype) > 1)
			operands[i] =
				dpr_operand_float(low ? -INFINITY : INFINITY);
		else if (dtype == DPR_BOOL)
			operands[i] = dpr_operand_bool(!low);
		else if (!dpr_iinfo(dtype, &limits))
			operands[i] = low ? dpr_operand_int(limits.min)
					  : dpr_operand_uint(limits.max);
	}
}

/* Compute @call in an array of @dtype, the dtype that the kernel writes, and
   cast this array to the result. */
static dpr_status run_with_cast(const struct apply_call *call, dpr_dtype dtype)
{
	const dpr_array *out = call->out;
	struct apply_call inner = *call;
	dpr_array *made = NULL;
	dpr_status status =
		array_new(call->what, dtype, out->rank, array_shape(out),
			  out->queue, DPR_USM_DEVICE, &made);

	inner.out = made;
	inner.result = dtype;
	if (!status)
		status = apply_launch(&inner);
	if (!status)
		status = cast_into(made, call->out);
	dpr_array_release(made);
	return status;
}

/* Compute into @out, which has the dtype and shape of the result. */
static dpr_status compute_into(struct computation *work, dpr_array *out)
{
	const struct operations_entry *o = work->o;
	const char kind = dpr_dtype_kind(work->compute);
	struct apply_call *call = &work->call;
	dpr_dtype dtype;

	if (strchr(o->identity, kind) &&
	    (!call->x[0] || call->x[0]->dtype == work->compute))
		return call->x[0] ? cast_into(call->x[0], out) : DPR_OK;
	call->what = work->what;
	call->compute = work->compute;
	call->result = work->result;
	call->operation = (unsigned)work->op;
	call->out = out;
	if (!casts(work) && work->is_mixed)
		return run_compare(call);
	if (!casts(work) && call->operation == OPERATION__signbit)
		return run_signbit(call);
	dtype = (dpr_dtype)operations_dtype(call->operation, call->compute);
	return dtype == call->result || casts(work)
		       ? apply_launch(call)
		       : run_with_cast(call, dtype);
}

static void release_work(struct computation *work)
{
	for (int i = 0; i < 3; i++)
		dpr_array_release(work->temporary[i]);
}

static dpr_status new_result(const struct computation *work, dpr_array **out)
{
	return array_new(
		work->what, work->result, work->rank, work->shape, work->queue,
		array_result_kind(work->array, (size_t)work->n_arrays), out);
}

dpr_status elementwise_foresee(int op, dpr_operand *operands,
			       struct elementwise_outcome *out)
{
	struct computation work;
	unsigned char bytes[16];
	dpr_status status;

	fill_bounds(op, operands);
	status = check_operands(&work, op, operands);
	if (!status)
		status = execution_queue(work.o->name, work.array, work.name,
					 (size_t)work.n_arrays, 0, &work.queue);
	if (status)
		return status;
	shorten(&work, operands);
	/* The operation would refuse a number that does not fit. */
	for (int i = 0; i < work.n; i++) {
		if (operands[i].kind == DPR_OPERAND_ARRAY)
			continue;
		status = scalar_store_computed(work.what, operands[i],
					       work.compute, bytes);
		if (status)
			return status;
	}
	out->op = work.op;
	out->n = work.n;
	out->is_root = work.is_root;
	out->is_mixed = work.is_mixed;
	out->compute = work.compute;
	out->result = work.result;
	out->queue = work.queue;
	out->kind = array_result_kind(work.array, (size_t)work.n_arrays);
	out->rank = work.rank;
	memcpy(out->shape, work.shape,
	       sizeof(out->shape[0]) * (size_t)work.rank);
	return DPR_OK;
}

dpr_status elementwise_run(int op, dpr_operand *operands, dpr_array **out)
{
	struct computation work;
	dpr_array *made = NULL;
	dpr_status status;

	if (eager_call_run(op, operands, out, &status))
		return status;
	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    operations_table[op].name);
	*out = NULL;
	fill_bounds(op, operands);
	status = check_operands(&work, op, operands);
	if (status)
		return status;
	status = execution_queue(work.o->name, work.array, work.name,
				 (size_t)work.n_arrays, 0, &work.queue);
	if (status)
		return status;
	shorten(&work, operands);
	status = take_operands(&work, operands);
	if (!status)
		status = new_result(&work, &made);
	if (!status)
		status = compute_into(&work, made);
	release_work(&work);
	return array_finish(status, made, out);
}

static dpr_status check_out(struct computation *work, dpr_array *out)
{
	const char *what = work->o->name;
	dpr_status status;

	work->array[work->n_arrays] = out;
	work->name[work->n_arrays] = "out";
	status = execution_queue(what, work->array, work->name,
				 (size_t)work->n_arrays + 1, 1, &work->queue);
	return status ? status
		      : array_check_result(what, out, work->rank, work->shape,
					   work->result);
}

dpr_status elementwise_run_into(int op, dpr_operand *operands, dpr_array *out)
{
	struct computation work;
	dpr_array *apart = NULL;
	dpr_status status;

	if (eager_call_run_into(op, operands, out, &status))
		return status;
	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: out is NULL",
			    operations_table[op].name);
	fill_bounds(op, operands);
	status = check_operands(&work, op, operands);
	if (!status)
		status = check_out(&work, out);
	if (status)
		return status;
	shorten(&work, operands);
	status = take_operands(&work, operands);
	if (status)
		goto out;
	if ((out->dtype == work.result || casts(&work)) &&
	    apply_can_write(&work.call, out)) {
		status = cast_check(out, work.result);
		if (!status)
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

#define ELEMENTWISE__X(name, n, family, result, classes, identity, guarded)    \
	dpr_status(dpr_##name)(PARAMETERS_##n, dpr_array * *out)               \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(OPERANDS_##n, out);                                    \
		dpr_operand operands[] = { OPERANDS_##n };                     \
		return elementwise_run(OPERATION__##name, operands, out);      \
	}                                                                      \
	dpr_status(dpr_##name##_into)(PARAMETERS_##n, dpr_array * out)         \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(OPERANDS_##n, out);                                    \
		dpr_operand operands[] = { OPERANDS_##n };                     \
		return elementwise_run_into(OPERATION__##name, operands, out); \
	}
OPERATION_MAP(ELEMENTWISE__X)
