/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - the values of DPR_* variables. */
#include "core/base/settings.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/handles/handles.h"
#include "core/base/log.h"
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

/* The layers named by DPR_LAYERS. */
static struct {
	atomic_bool sync, check, fault, handles;
	atomic_uint seconds; /* from DPR_CHECK_SECONDS */
} on;

#define DEFAULT_SECONDS 10
#define MOST_SECONDS 86400

/* Whether the word of @n letters at @at is @name. */
static bool is_word(const char *name, const char *at, size_t n)
{
	return strlen(name) == n && !memcmp(name, at, n);
}

static void turn_on(atomic_bool *layer)
{
	atomic_store_explicit(layer, true, memory_order_relaxed);
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

/* Turn on a layer without a file.  False: there is no layer of this name. */
static bool read_layer(const char *at, size_t n)
{
	if (is_word("sync", at, n))
		turn_on(&on.sync);
	else if (is_word("check", at, n))
		turn_on(&on.check);
	else if (is_word("fault", at, n))
		turn_on(&on.fault);
	else if (is_word("handles", at, n))
		turn_on(&on.handles);
	else
		return false;
	return true;
}

static dpr_status no_log(const char *layer)
{
	return env_refuse("DPR_LAYERS",
			  "the layer %s writes to the log: set DPR_LOG, for "
			  "instance to \"warn:/dev/stderr\"",
			  layer);
}

/* Read the settings of the layer "check". */
static dpr_status start_check(void)
{
	const char *text = env_get("DPR_CHECK_SECONDS");
	uint64_t seconds = DEFAULT_SECONDS;

	if (!settings_check()) {
		env_note("DPR_CHECK_SECONDS",
			 "not used, because DPR_LAYERS does not name check");
		return DPR_OK;
	}
	if (text && (text[strspn(text, "0123456789")] ||
		     !env_bytes(text, &seconds) || seconds > MOST_SECONDS))
		return env_refuse("DPR_CHECK_SECONDS",
				  "accepted: a number of seconds up to %d; 0: "
				  "never",
				  MOST_SECONDS);
	atomic_store_explicit(&on.seconds, (unsigned)seconds,
			      memory_order_relaxed);
	if (!log_wants(DPR_LOG_ERROR))
		return no_log("check");
	return DPR_OK;
}

static dpr_status start_handles(void)
{
	const bool wanted =
		atomic_load_explicit(&on.handles, memory_order_relaxed);

	if (wanted && !log_wants(DPR_LOG_ERROR))
		return no_log("handles");
	handles_start(wanted);
	return DPR_OK;
}

dpr_status settings_layers_read(void)
{
	const char *at = env_get("DPR_LAYERS");
	bool trace = false;
	dpr_status status;
	size_t n;

	for (; at; at = at[n] ? at + n + 1 : NULL) {
		n = strcspn(at, ",");
		if (is_word("trace", at, n)) {
			trace = true;
		} else if (!read_layer(at, n)) {
			return env_refuse("DPR_LAYERS",
					  "unknown layer \"%s\"; accepted: "
					  "sync, trace, check, fault, "
					  "handles",
					  text_quote_part(at, n).bytes);
		}
	}
	status = start_check();
	if (!status)
		status = start_handles();
	if (status)
		return status;
	if (trace)
		return start_trace();
	trace_file_decline();
	env_note("DPR_TRACE",
		 "not used, because DPR_LAYERS does not name trace");
	return DPR_OK;
}

bool settings_sync(void)
{
	return atomic_load_explicit(&on.sync, memory_order_relaxed);
}

bool settings_check(void)
{
	return atomic_load_explicit(&on.check, memory_order_relaxed);
}

bool settings_fault(void)
{
	return atomic_load_explicit(&on.fault, memory_order_relaxed);
}

uint64_t settings_check_seconds(void)
{
	return atomic_load_explicit(&on.seconds, memory_order_relaxed);
}
