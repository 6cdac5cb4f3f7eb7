/* SPDX-License-Identifier: Apache-2.0 */
/* namespace.c - what dpr can do with a device, as data. */
#include <dpr/namespace.h>

#include <string.h>

#include <dpr/array.h>

#include "core/base/handles/handles.h"
#include "core/base/status.h"
#include "core/base/trace.h"

static const dpr_dtype dtypes[] = {
#define DTYPE(NAME, lower, value, size, kind) DPR_##NAME,
	DPR_DTYPE_MAP(DTYPE)
#undef DTYPE
};
#define N_DTYPES (sizeof(dtypes) / sizeof(dtypes[0]))

/* List the dtypes of @kind that @device computes.  Returns false if @kind is no
   word for dtypes. */
static bool list_dtypes(const dpr_device *device, const char *kind,
			dpr_namespace *out)
{
	bool known = false;

	for (size_t i = 0; i < N_DTYPES; i++) {
		if (kind && !dpr_isdtype(dtypes[i], kind))
			continue;
		known = true;
		if (dpr_dtype_computes(device, dtypes[i]))
			out->dtypes[out->n_dtypes++] = dtypes[i];
	}
	return known;
}

dpr_status dpr_namespace_info(dpr_device *device, const char *kind,
			      dpr_namespace *out)
{
	TRACE_CALL;
	HANDLES(device);
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "namespace info: out is NULL");
	memset(out, 0, sizeof(*out));
	if (!device) {
		status = dpr_device_select(NULL, &device);
		if (status)
			return status;
	}
	if (!list_dtypes(device, kind, out))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "namespace info: there is no kind '%s'; the words "
			    "are those of dpr_isdtype()",
			    kind);
	out->max_dimensions = DPR_MAX_RANK;
	out->real_floating = dpr_dtype_default(device, 'f');
	out->complex_floating = dpr_dtype_default(device, 'c');
	out->integral = out->indexing = dpr_dtype_default(device, 'i');
	return DPR_OK;
}
