/* SPDX-License-Identifier: Apache-2.0 */
/* namespace.h - what dpr can do with a device, as data: the
   __array_namespace_info__() of the array API standard 2024.12. */
#ifndef DPR_NAMESPACE_H
#define DPR_NAMESPACE_H

#include <dpr/device.h>
#include <dpr/dtype.h>

DPR_BEGIN_DECLS

/* What dpr can do.  No member is owned by anybody: free nothing. */
typedef struct dpr_namespace {
	/* The capabilities of the standard.  0 or 1: whether arrays can be
	   indexed by arrays of bool. */
	int32_t boolean_indexing;
	/* 0 or 1: whether there are functions whose result has a shape that
	   depends on the elements. */
	int32_t data_dependent_shapes;
	int32_t max_dimensions; /* the most axes of an array */
	dpr_dtype real_floating; /* of a float without a given dtype */
	dpr_dtype complex_floating; /* of a complex number without one */
	dpr_dtype integral; /* of an integer without one */
	dpr_dtype indexing; /* of indices */
	uint32_t n_dtypes;    /* the number of dtypes in the list */
	dpr_dtype dtypes[32]; /* those that the device computes; then 0 */
} dpr_namespace;

/*
 * Store in *@out what dpr can do with @device.  NULL is the default device, whose
 * driver may have to start, which blocks.  The list has the dtypes of @kind, a
 * word of dpr_isdtype(), or with NULL all dtypes.  Any thread may call it.
 * DPR_ERROR_INVALID_ARGUMENT: @out is NULL, or @kind is no such word.
 * Those of dpr_device_select(), with @device NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_namespace_info(
	dpr_device *device, const char *kind, dpr_namespace *out);

DPR_END_DECLS

#endif
