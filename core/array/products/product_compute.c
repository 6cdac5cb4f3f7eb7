/* SPDX-License-Identifier: Apache-2.0 */
/* product_compute.c - decides how a product of matrices is computed: by a
   routine of a library, else by dpr's own routine, else as a reduction. */
#include "core/array/products/product.h"

#include <dpr/queue.h>

#include "core/array/engine/target.h"

/* On a CPU dpr's own routine is faster than a library for this number of
   products and more, with matrices of these extents (doc/RATIONALE.md). */
#define MANY 16
#define SMALL_FLOAT32 8
#define SMALL_FLOAT64 4

static bool is_small(int64_t extent, int64_t most)
{
	return extent > 1 && extent <= most;
}

/* Whether these are many products of small matrices.  An axis does not count if
   an operand has only one matrix along it: a library may compute these products
   as a single larger product. */
static bool are_many_small(const struct product *p)
{
	const int64_t most = p->dtype == DPR_FLOAT32   ? SMALL_FLOAT32
			     : p->dtype == DPR_FLOAT64 ? SMALL_FLOAT64
						       : 0;
	int64_t n = 1;

	if (!is_small(p->m, most) || !is_small(p->n, most) ||
	    !is_small(p->k, most) ||
	    !target_of(dpr_queue_device(p->queue))->format->is_native)
		return false;
	for (int d = 0; n < MANY && d < p->n_batch; d++)
		if (p->a.batch[d] && p->b.batch[d])
			n *= p->batch[d];
	return n >= MANY;
}

bool product_compute_into(const struct product *p, dpr_array *out,
			  dpr_status *status)
{
	return (are_many_small(p) && product_own_may(p) &&
		product_own(p, out, status)) ||
	       (product_call_may(p) && product_call(p, out, status)) ||
	       (product_own_may(p) && product_own(p, out, status));
}

dpr_status product_compute(const struct product *p, dpr_array **out)
{
	dpr_array *made;
	dpr_status status;

	if (!product_call_may(p) && !product_own_may(p))
		return product_sum(p, out);
	status = array_new(p->what, p->dtype, p->rank, p->shape, p->queue,
			   p->kind, &made);
	if (status)
		return status;
	if (product_compute_into(p, made, &status))
		return array_finish(status, made, out);
	dpr_array_release(made);
	return product_sum(p, out);
}

dpr_status product_compute_as(const char *what, const dpr_array *x1,
			      const dpr_array *x2, dpr_dtype dtype,
			      dpr_array **out)
{
	struct product p;
	const dpr_status status = product_begin_as(what, x1, x2, dtype, &p);

	return status ? status : product_compute(&p, out);
}
