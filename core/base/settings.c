/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - the values of DPR_* variables. */
#include "core/base/settings.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/base/status.h"

#define DEFAULT_LIMIT (UINT64_C(256) << 20)

/* Written once, before any device exists. */
static uint64_t limit_bytes = UINT64_MAX;
static unsigned limit_percent;

/* Read "1%" to "100%" into limit_percent. */
static bool read_percent(const char *text)
{
	unsigned percent = 0;

	for (; *text >= '0' && *text <= '9' && percent <= 100; text++)
		percent = 10 * percent + (unsigned)(*text - '0');
	if (percent < 1 || percent > 100 || strcmp(text, "%"))
		return false;
	limit_percent = percent;
	return true;
}

static bool read_limit(const char *text)
{
	uint64_t bytes;

	if (!env_bytes(text, &bytes))
		return read_percent(text);
	limit_bytes = bytes ? bytes : UINT64_MAX;
	return true;
}

dpr_status settings_pool_limit_read(void)
{
	const char *text = env_get("DPR_POOL_LIMIT");

	limit_bytes = UINT64_MAX;
	limit_percent = 0;
	if (!text || read_limit(text))
		return DPR_OK;
	return env_refuse(
		"DPR_POOL_LIMIT",
		"accepted: a number of bytes, as in \"1073741824\", "
		"\"512M\" or \"4G\" (K, M, G, T: powers of 1024; 0: "
		"no limit), or a percentage of the device's memory from "
		"\"1%%\" to \"100%%\"");
}

uint64_t settings_pool_bytes(void)
{
	return limit_bytes;
}

unsigned settings_pool_percent(void)
{
	return limit_percent;
}

dpr_status settings_cache_read(void)
{
	const char *dir = env_get("DPR_CACHE_DIR");
	const char *limit = env_get("DPR_CACHE_LIMIT");
	uint64_t bytes;

	if (dir && *dir != '/' && strcmp(dir, "off"))
		return env_refuse("DPR_CACHE_DIR",
				  "accepted: an absolute directory, or off");
	if (limit && !env_bytes(limit, &bytes))
		return env_refuse("DPR_CACHE_LIMIT",
				  "accepted: a number of bytes, optionally "
				  "followed by K, M, G or T; 0 keeps nothing");
	return DPR_OK;
}

uint64_t settings_cache_limit(void)
{
	const char *word = env_get("DPR_CACHE_LIMIT");
	uint64_t bytes;

	return word && env_bytes(word, &bytes) ? bytes : DEFAULT_LIMIT;
}

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

dpr_status settings_layers_read(void)
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
					  "unknown layer \"%s\"; accepted: "
					  "sync, trace",
					  text_quote_part(at, n).bytes);
		}
	}
	if (trace)
		return start_trace();
	trace_file_decline();
	env_note("DPR_TRACE",
		 "not used, because DPR_LAYERS does not name trace");
	return DPR_OK;
}

bool settings_sync(void)
{
	return atomic_load_explicit(&sync_on, memory_order_relaxed);
}
