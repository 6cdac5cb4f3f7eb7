/* SPDX-License-Identifier: Apache-2.0 */
/* eager_call.c - common elementwise calls, with few checks and no copies. */
#include "core/array/functions/eager_call.h"

#include "core/array/element/scalar.h"
#include "core/array/engine/eager_cache.h"
#include "core/array/engine/operations.h"
#include "core/base/trace.h"

struct eager_call {
	const struct eager_kernel *slot;
	const dpr_array *x[SLOTS_OPERANDS]; /* the operands that are arrays */
	/* the operands that are numbers */
	struct engine_scalar value[SLOTS_OPERANDS];
};

static bool has_number(unsigned numbers, int k)
{
	return numbers >> k & 1;
}

/* Whether @b is contiguous, and has the queue and the shape of @a. */
static bool is_like(const dpr_array *a, const dpr_array *b)
{
	return b->queue == a->queue && b->contiguous && array_same_shape(a, b);
}

/* Whether @number is computed in @dtype, the dtype of the arrays. */
static bool is_weak(const dpr_operand *number, dpr_dtype dtype)
{
	const char kind = dpr_dtype_kind(dtype);

	switch (number->kind) {
	case DPR_OPERAND_INT:
	case DPR_OPERAND_UINT: return kind != 'b';
	case DPR_OPERAND_FLOAT: return kind == 'f' || kind == 'c';
	case DPR_OPERAND_COMPLEX: return kind == 'c';
	}
	return false;
}

/* Store the numbers.  Returns false if a number does not fit: the regular
   function then reports the error. */
static bool take_numbers(struct eager_call *q, int op,
			 const dpr_operand *operands, unsigned numbers)
{
	const struct operations_entry *o = &operations_table[op];
	const dpr_dtype dtype = q->x[0]->dtype;
	int n = 0;

	for (int k = 0; k < o->n; k++)
		if (has_number(numbers, k) &&
		    (!is_weak(&operands[k], dtype) ||
		     scalar_store_computed(o->name, operands[k], dtype,
					   q->value[n++].bytes)))
			return false;
	return true;
}

static bool find(struct eager_call *q, int op, const dpr_operand *operands)
{
	const int n = operations_table[op].n;
	unsigned numbers = 0;
	int arrays = 0;

	if (trace_on() || !operations_takes_computed((unsigned)op))
		return false;
	for (int k = 0; k < n; k++) {
		const dpr_array *x = operands[k].as.array;

		if (operands[k].kind != DPR_OPERAND_ARRAY) {
			numbers |= 1u << k;
			continue;
		}
		if (!x ||
		    (arrays ? x->dtype != q->x[0]->dtype || !is_like(q->x[0], x)
			    : !x->contiguous || !x->size))
			return false;
		q->x[arrays++] = x;
	}
	/* pow() is another operation for some exponents. */
	if (!arrays || (numbers && op == OPERATION__pow))
		return false;
	q->slot = eager_cache_find(dpr_queue_device(q->x[0]->queue),
				   (unsigned)op, q->x[0]->dtype, numbers);
	return q->slot && (!numbers || take_numbers(q, op, operands, numbers));
}

/* Whether the kernel may write @out while it reads the arrays. */
static bool can_write(const struct eager_call *q, const dpr_array *out)
{
	for (int k = 0; k < q->slot->n_arrays; k++) {
		const dpr_array *x = q->x[k];

		if (x->usm == out->usm
			    ? x->offset != out->offset ||
				      q->slot->size != q->slot->result_size
			    : array_may_overlap(x, out))
			return false;
	}
	return !dpr_usm_is_read_only(out->usm);
}

bool eager_call_run(int op, const dpr_operand *operands, dpr_array **out,
		    dpr_status *status)
{
	struct eager_call q;
	dpr_array *made;

	if (!out || !find(&q, op, operands))
		return false;
	*out = NULL;
	*status = array_new(operations_table[op].name, q.slot->result,
			    q.x[0]->rank, array_shape(q.x[0]), q.x[0]->queue,
			    array_result_kind(q.x, q.slot->n_arrays), &made);
	if (*status)
		return true;
	if (!eager_cache_launch(operations_table[op].name, q.slot, made, q.x,
				q.value, status)) {
		dpr_array_release(made);
		return false;
	}
	*status = array_finish(*status, made, out);
	return true;
}

bool eager_call_run_into(int op, const dpr_operand *operands, dpr_array *out,
			 dpr_status *status)
{
	struct eager_call q;

	return out && find(&q, op, operands) && out->dtype == q.slot->result &&
	       is_like(q.x[0], out) && can_write(&q, out) &&
	       eager_cache_launch(operations_table[op].name, q.slot, out, q.x,
				  q.value, status);
}
