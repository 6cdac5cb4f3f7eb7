/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - DPR_LAYERS. */
#include "core/base/layers.h"

#include <stdatomic.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"

static atomic_bool sync_on;

/* Whether the word of @n letters at @at is @name. */
static bool is_word(const char *name, const char *at, size_t n)
{
	return strlen(name) == n && !memcmp(name, at, n);
}

static dpr_status start_trace(void)
{
	const char *file = env_get("DPR_TRACE");

	if (!file) {
		return env_refuse("DPR_LAYERS",
				  "the layer trace needs a file: set DPR_TRACE "
				  "to the absolute name of the file to write");
	}
	return trace_start(file);
}

dpr_status layers_read(void)
{
	const char *at = env_get("DPR_LAYERS");
	bool trace = false;
	size_t n;

	for (; at; at = at[n] ? at + n + 1 : NULL) {
		n = strcspn(at, ",");
		if (is_word("sync", at, n)) {
			atomic_store_explicit(&sync_on, true,
					      memory_order_relaxed);
		} else if (is_word("trace", at, n)) {
			trace = true;
		} else {
			return env_refuse("DPR_LAYERS",
					  "there is no layer \"%s\"; accepted: "
					  "sync, trace",
					  text_quote_part(at, n).bytes);
		}
	}
	if (trace)
		return start_trace();
	trace_file_decline();
	env_note("DPR_TRACE", "not used: DPR_LAYERS does not have trace");
	return DPR_OK;
}

bool layers_sync(void)
{
	return atomic_load_explicit(&sync_on, memory_order_relaxed);
}
