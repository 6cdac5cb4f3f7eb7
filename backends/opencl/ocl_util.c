/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_util.c - memory, errors and lines for the log, by way of the core. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ocl.h"

void *ocl_util_alloc(const dprp_host *host, size_t count, size_t size)
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

void ocl_util_free(const dprp_host *host, void *block)
{
	if (block)
		host->free(host->self, block);
}

/* A formatted text in @small, or in memory of the host if it is longer.  What
   does not fit is cut when there is no memory. */
__attribute__((format(printf, 4, 0))) static char *ocl_format(
	const dprp_host *host, char *small, size_t size, const char *format,
	va_list args)
{
	va_list again;
	char *text = small;
	int length;

	va_copy(again, args);
	length = vsnprintf(small, size, format, args);
	if (length >= 0 && (size_t)length >= size) {
		text = ocl_util_alloc(host, (size_t)length + 1, 1);
		if (text)
			vsnprintf(text, (size_t)length + 1, format, again);
		else
			text = small;
	}
	va_end(again);
	return text;
}

dprp_rc ocl_util_fail(const dprp_host *host, dprp_rc rc, cl_int error,
		      const char *format, ...)
{
	char small[256], *text;
	va_list args;

	va_start(args, format);
	text = ocl_format(host, small, sizeof(small), format, args);
	va_end(args);
	host->set_error(host->self, rc, error, text);
	if (text != small)
		ocl_util_free(host, text);
	return rc;
}

void ocl_util_log(const dprp_host *host, int32_t level, const char *format, ...)
{
	char small[256], *text;
	va_list args;

	va_start(args, format);
	text = ocl_format(host, small, sizeof(small), format, args);
	va_end(args);
	host->log(host->self, level, text);
	if (text != small)
		ocl_util_free(host, text);
}

dprp_rc ocl_util_check(const dprp_host *host, cl_int error, const char *call)
{
	if (error == CL_SUCCESS)
		return DPR_RC_OK;
	return ocl_util_fail(host, ocl_error_rc(error), error, "%s: %s (%d)",
			     call, ocl_error_name(error), (int)error);
}

dprp_rc ocl_util_no_memory(const dprp_host *host, const char *what)
{
	return ocl_util_fail(host, DPR_RC_OOM_HOST, 0, "no host memory for %s",
			     what);
}
