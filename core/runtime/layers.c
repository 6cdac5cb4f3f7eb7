/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - DPR_LAYERS. */
#include "core/runtime/layers.h"

#include <stdatomic.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/status.h"

static atomic_int sync_on;

dpr_status layers_read(void)
{
	const char *at = env_get("DPR_LAYERS");
	size_t n;

	for (; at && *at; at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		if (n == 4 && !memcmp(at, "sync", 4)) {
			atomic_store_explicit(&sync_on, 1,
					      memory_order_relaxed);
			continue;
		}
		env_note("DPR_LAYERS", "there is one layer: sync");
		return fail(DPR_ERROR_ENVIRONMENT,
			    "DPR_LAYERS: no layer \"%.*s\"; there is one: sync",
			    (int)n, at);
	}
	return DPR_OK;
}

int layers_sync(void)
{
	return atomic_load_explicit(&sync_on, memory_order_relaxed);
}
