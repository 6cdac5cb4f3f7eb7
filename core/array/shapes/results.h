/* SPDX-License-Identifier: Apache-2.0 */
/* results.h - functions that make several arrays. */
#ifndef ARRAY_RESULTS_H
#define ARRAY_RESULTS_H

#include <dpr/array.h>

#include "core/base/status.h"

/* Set the @count results at @out to NULL.  @out may be NULL. */
static inline void results_clear(dpr_array **out, size_t count)
{
	for (size_t i = 0; out && i < count; i++)
		out[i] = NULL;
}

/* End a function: if @status is a failure, release all results.  Returns
   @status. */
static inline dpr_status results_finish(const char *what, dpr_status status,
					dpr_array **out, size_t count)
{
	if (!status)
		return DPR_OK;
	for (size_t i = 0; i < count; i++)
		dpr_array_release(out[i]);
	results_clear(out, count);
	status_rename(what);
	return status;
}

#endif
