/* SPDX-License-Identifier: Apache-2.0 */
/* pool_limit.c - DPR_POOL_LIMIT. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/status.h"
#include "core/runtime/pool.h"

/* Read once, before there is a device; written before it is read. */
static uint64_t limit_bytes = UINT64_MAX;
static unsigned limit_percent;

/* The factor of a unit, or 0. */
static uint64_t unit_of(const char *text)
{
	static const char letters[] = "KMGT";
	const char *at;

	if (!*text)
		return 1;
	/* A blank would become the end of @letters. */
	at = *text & ~0x20 ? strchr(letters, *text & ~0x20) : NULL;
	if (!at)
		return 0;
	text++;
	if (*text == 'i')
		text++;
	if (*text == 'B')
		text++;
	return *text ? 0 : UINT64_C(1) << 10 * (at - letters + 1);
}

static int parse(const char *text)
{
	unsigned long long number;
	uint64_t unit;
	char *end;

	/* strtoull() takes signs and spaces, we do not. */
	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return 0;
	if (!strcmp(end, "%")) {
		limit_percent = (unsigned)number;
		return number >= 1 && number <= 100;
	}
	unit = unit_of(end);
	return number && unit &&
	       !__builtin_mul_overflow((uint64_t)number, unit, &limit_bytes);
}

dpr_status pool_limit_read(void)
{
	const char *text = env_get("DPR_POOL_LIMIT");

	limit_bytes = UINT64_MAX;
	limit_percent = 0;
	if (!text || parse(text))
		return DPR_OK;
	env_note("DPR_POOL_LIMIT", "it is neither bytes nor a percentage");
	return fail(
		DPR_ERROR_ENVIRONMENT,
		"DPR_POOL_LIMIT: \"%s\" is neither a number of bytes, as in "
		"\"1073741824\", \"512M\" or \"4G\" (K, M, G or T, of 1024), nor a "
		"percentage of the device's memory from \"1%%\" to \"100%%\"",
		text);
}

uint64_t pool_limit_default(dpr_device *root)
{
	uint64_t memory = 0;
	dpr_status status;
	char *text;

	if (!limit_percent)
		return limit_bytes;
	/* A driver that does not tell is no failure of the caller. */
	text = status_keep();
	status = dpr_device_info_u64(root, DPR_INFO_GLOBAL_MEM_SIZE, &memory);
	status_restore(text);
	if (status || !memory)
		return UINT64_MAX;
	return memory / 100 * limit_percent +
	       memory % 100 * limit_percent / 100;
}
