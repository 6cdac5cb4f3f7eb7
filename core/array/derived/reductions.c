/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reductions.c - the C functions of kernels/reductions.def.
 *
 * A call without a mask and an initial number reduces at once.  Any other call
 * is computed by the text that expressions have for it.
 */
#include <dpr/reduce.h>

#include "core/array/derived/derived.h"
#include "core/array/functions/reduce.h"
#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The functions of expressions begin with the reductions. */
static struct derived_call call_of(enum reduction reduction, const dpr_array *x,
				   const dpr_axes *axes, dpr_dtype dtype)
{
	return (struct derived_call){ .function = &builtins_list[reduction],
				      .name = reduce_table[reduction].name,
				      .x = x,
				      .axes = axes,
				      .dtype = dtype };
}

static dpr_status reduce_new(enum reduction reduction, const dpr_array *x,
			     const dpr_axes *axes, dpr_dtype dtype,
			     dpr_array **out)
{
	struct derived_call call = call_of(reduction, x, axes, dtype);

	return derived_kind(call.function, axes)
		       ? derived_new(&call, out)
		       : reduce_array(reduction, x, axes, dtype, out);
}

/* Reduce with a dtype that the caller gave. */
static dpr_status reduce_as(enum reduction reduction, const dpr_array *x,
			    const dpr_axes *axes, dpr_dtype dtype,
			    dpr_array **out)
{
	if (dtype != DPR_DTYPE_DEFAULT && !dpr_dtype_size(dtype)) {
		if (out)
			*out = NULL;
		return fail(DPR_ERROR_DTYPE, "%s: %d is not a dtype",
			    reduce_table[reduction].name, (int)dtype);
	}
	return reduce_new(reduction, x, axes, dtype, out);
}

static dpr_status reduce_into(enum reduction reduction, const dpr_array *x,
			      const dpr_axes *axes, dpr_array *out)
{
	struct derived_call call =
		call_of(reduction, x, axes, DPR_DTYPE_DEFAULT);

	return derived_kind(call.function, axes)
		       ? derived_into(&call, out)
		       : reduce_array_into(reduction, x, axes, out);
}

#define REDUCTION(name, combine, sum, first, finish, text)                     \
	dpr_status dpr_##name(const dpr_array *x, const dpr_axes *axis,        \
			      dpr_array **out)                                 \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(x, axis, out);                                         \
		return reduce_new(REDUCTION__##name, x, axis,                  \
				  DPR_DTYPE_DEFAULT, out);                     \
	}                                                                      \
	dpr_status dpr_##name##_into(const dpr_array *x, const dpr_axes *axis, \
				     dpr_array *out)                           \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(x, axis, out);                                         \
		return reduce_into(REDUCTION__##name, x, axis, out);           \
	}                                                                      \
	REDUCE_TABLE_AS_##sum(dpr_status dpr_##name##_as(                      \
		const dpr_array *x, const dpr_axes *axis, dpr_dtype dtype,     \
		dpr_array **out) {                                             \
		TRACE_CALL;                                                    \
		HANDLES(x, axis, out);                                         \
		return reduce_as(REDUCTION__##name, x, axis, dtype, out);      \
	})
#include "kernels/reductions.def"
#undef REDUCTION
