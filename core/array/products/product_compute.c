/* SPDX-License-Identifier: Apache-2.0 */
/* product_compute.c - decides how a product of matrices is computed: by a
   routine of a library, else by dpr's own routine, else as a reduction. */
#include "core/array/products/product.h"

bool product_compute_into(const struct product *p, dpr_array *out,
			  dpr_status *status)
{
	return (product_call_may(p) && product_call(p, out, status)) ||
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
