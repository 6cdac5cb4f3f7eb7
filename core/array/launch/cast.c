/* SPDX-License-Identifier: Apache-2.0 */
/* cast.c - casts, copies and fills on the device. */
#include "core/array/launch/cast.h"

#include <string.h>

#include <dpr/queue.h>

#include "core/array/element/scalar.h"
#include "core/array/launch/cast_copy_fill.h"
#include "core/base/status.h"

static bool is_double(dpr_dtype dtype)
{
	return dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128;
}

dpr_status cast_check_computes(const char *what, const dpr_array *x,
			       dpr_dtype dtype)
{
	const dpr_device *device = dpr_queue_device(x->queue);

	if (dpr_dtype_computes(device, dtype))
		return DPR_OK;
	return fail(DPR_ERROR_UNSUPPORTED,
		    "%s: %s cannot be computed on %s, which has no double "
		    "precision; use %s, or another device",
		    what, dpr_dtype_name(dtype), dpr_queue_name(x->queue),
		    dtype == DPR_FLOAT64 ? "float32" : "complex64");
}

static dpr_status copy_same(const dpr_array *x, dpr_array *out)
{
	const size_t item = dpr_dtype_size(x->dtype);

	/* dpr_usm_copy() refuses a copy of memory onto itself. */
	if (array_same_layout(x, out))
		return DPR_OK;
	if (x->contiguous && out->contiguous)
		return dpr_usm_copy(out->queue, out->usm,
				    (size_t)out->offset * item, x->usm,
				    (size_t)x->offset * item,
				    (size_t)out->size * item, NULL, NULL);
	return cast_copy_fill_copy(x, out);
}

dpr_status cast_check(const dpr_array *x, dpr_dtype dtype)
{
	if (x->dtype == dtype || x->size == 0)
		return DPR_OK;
	return cast_check_computes("cast", x,
				   is_double(x->dtype) ? x->dtype : dtype);
}

dpr_status cast_into(const dpr_array *x, dpr_array *out)
{
	dpr_status status;

	if (out->size == 0)
		return DPR_OK;
	if (x->dtype == out->dtype)
		return copy_same(x, out);
	status = cast_check(x, out->dtype);
	return status ? status : cast_copy_fill_cast(x, out);
}

dpr_status cast_part(const dpr_array *x, const struct layout *from,
		     const dpr_array *out, const struct layout *to)
{
	dpr_array *source = NULL, *target = NULL;
	dpr_status status = array_view(x, from, &source);

	if (!status)
		status = array_view(out, to, &target);
	if (!status)
		status = cast_into(source, target);
	dpr_array_release(source);
	dpr_array_release(target);
	return status;
}

dpr_status cast_new(const char *what, const dpr_array *x, dpr_dtype dtype,
		    dpr_usm_kind kind, dpr_array **out)
{
	dpr_array *made;
	dpr_status status;

	status = array_new(what, dtype, x->rank, array_shape(x), x->queue, kind,
			   &made);
	if (status)
		return status;
	status = cast_into(x, made);
	if (status)
		status_prefix("%s", what);
	return array_finish(status, made, out);
}

dpr_status cast_fill(dpr_array *out, dpr_operand value)
{
	const size_t item = dpr_dtype_size(out->dtype);
	struct engine_scalar bits;
	dpr_status status;

	status = scalar_store("fill", value, out->dtype, bits.bytes);
	if (status || out->size == 0)
		return status;
	if (out->contiguous)
		return dpr_usm_fill(out->queue, out->usm,
				    (size_t)out->offset * item, bits.bytes,
				    item, (size_t)out->size * item, NULL, NULL);
	return cast_copy_fill_fill(out, &bits);
}
