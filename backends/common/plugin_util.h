/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_util.h - helpers for every plugin: the core's memory, errors and log,
 * and a clock.
 */
#ifndef PLUGIN_UTIL_H
#define PLUGIN_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <dpr/backend.h>

/* CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t plugin_util_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Sleep between two checks of something that began @passed ns ago: a 64th of
   that time, at least 10 us, at most 1 ms, and at most @left ns. */
static inline void plugin_util_nap(uint64_t passed, uint64_t left)
{
	const uint64_t least = 10000, most = 1000000;
	uint64_t nap = passed / 64;
	struct timespec ts = { 0 };

	if (nap < least)
		nap = least;
	if (nap > most)
		nap = most;
	if (nap > left)
		nap = left;
	ts.tv_nsec = (long)nap;
	nanosleep(&ts, NULL);
}

/* Allocate zeroed memory of the host.  Returns NULL if memory runs out, or
   if count * size overflows. */
static inline void *plugin_util_alloc(const dprp_host *host, size_t count,
				      size_t size)
{
	size_t bytes;
	void *block;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	block = host->alloc(host->self, bytes ? bytes : 1);
	if (block)
		memset(block, 0, bytes);
	return block;
}

/* Free memory of the host; @block may be NULL. */
static inline void plugin_util_free(const dprp_host *host, void *block)
{
	if (block)
		host->free(host->self, block);
}

/* Format a text into @small, or into memory of the host if it is longer.
   Without such memory the text is cut off. */
__attribute__((format(printf, 4, 0), noinline, unused)) static char *
plugin_util_format(const dprp_host *host, char *small, size_t size,
		   const char *format, va_list args)
{
	va_list again;
	char *text = small;
	int length;

	va_copy(again, args);
	length = vsnprintf(small, size, format, args);
	if (length >= 0 && (size_t)length >= size) {
		text = plugin_util_alloc(host, (size_t)length + 1, 1);
		if (text)
			vsnprintf(text, (size_t)length + 1, format, again);
		else
			text = small;
	}
	va_end(again);
	return text;
}

/* Report a failure to the host, with the driver's own code.  Returns @rc. */
__attribute__((format(printf, 4, 5), noinline, unused)) static dprp_rc
plugin_util_fail(const dprp_host *host, dprp_rc rc, int64_t native,
		 const char *format, ...)
{
	char small[256], *text;
	va_list args;

	va_start(args, format);
	text = plugin_util_format(host, small, sizeof(small), format, args);
	va_end(args);
	host->set_error(host->self, rc, native, text);
	if (text != small)
		plugin_util_free(host, text);
	return rc;
}

/* Fail with OOM_HOST and a text that names what the memory was for. */
static inline dprp_rc plugin_util_no_memory(const dprp_host *host,
					    const char *what)
{
	return plugin_util_fail(host, DPR_RC_OOM_HOST, 0,
				"no host memory for %s", what);
}

/* Write a line to the log. */
__attribute__((format(printf, 3, 4), noinline, unused)) static void
plugin_util_log(const dprp_host *host, int32_t level, const char *format, ...)
{
	char small[256], *text;
	va_list args;

	va_start(args, format);
	text = plugin_util_format(host, small, sizeof(small), format, args);
	va_end(args);
	host->log(host->self, level, text);
	if (text != small)
		plugin_util_free(host, text);
}

#endif
