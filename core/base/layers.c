/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - DPR_LAYERS. */
#include "core/base/layers.h"

#include <stdatomic.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"

static atomic_int sync_on;

/* Whether the word of @n letters at @at is @name. */
static int is(const char *name, const char *at, size_t n)
{
	return strlen(name) == n && !memcmp(name, at, n);
}

static dpr_status start_trace(void)
{
	const char *file = env_get("DPR_TRACE");

	if (!file) {
		env_note("DPR_LAYERS", "trace needs a file: set DPR_TRACE");
		return fail(DPR_ERROR_ENVIRONMENT,
			    "DPR_LAYERS has the layer trace, but DPR_TRACE is "
			    "not set: set it to the absolute name of the file "
			    "to write");
	}
	return trace_start(file);
}

dpr_status layers_read(void)
{
	const char *at = env_get("DPR_LAYERS");
	int trace = 0;
	size_t n;

	for (; at; at = at[n] ? at + n + 1 : NULL) {
		n = strcspn(at, ",");
		if (is("sync", at, n)) {
			atomic_store_explicit(&sync_on, 1,
					      memory_order_relaxed);
		} else if (is("trace", at, n)) {
			trace = 1;
		} else {
			env_note("DPR_LAYERS",
				 "no such layer; there are two: sync, trace");
			return fail(DPR_ERROR_ENVIRONMENT,
				    "DPR_LAYERS: no layer \"%s\"; there are "
				    "two: sync, trace",
				    text_quote_part(at, n).bytes);
		}
	}
	if (trace)
		return start_trace();
	trace_decline();
	env_note("DPR_TRACE", "none: DPR_LAYERS does not have trace");
	return DPR_OK;
}

int layers_sync(void)
{
	return atomic_load_explicit(&sync_on, memory_order_relaxed);
}
