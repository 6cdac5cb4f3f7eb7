/* SPDX-License-Identifier: Apache-2.0 */
/* pool_limit.c - DPR_POOL_LIMIT. */
#include <string.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/memory/pool.h"

/* Read once, before there is a device; written before it is read. */
static uint64_t limit_bytes = UINT64_MAX;
static unsigned limit_percent;

/* From "1%" to "100%". */
static int read_percent(const char *text)
{
	unsigned percent = 0;

	for (; *text >= '0' && *text <= '9' && percent <= 100; text++)
		percent = 10 * percent + (unsigned)(*text - '0');
	if (percent < 1 || percent > 100 || strcmp(text, "%"))
		return 0;
	limit_percent = percent;
	return 1;
}

static int parse(const char *text)
{
	uint64_t bytes;

	if (!env_bytes(text, &bytes))
		return read_percent(text);
	limit_bytes = bytes ? bytes : UINT64_MAX;
	return 1;
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
		"\"1073741824\", \"512M\" or \"4G\" (K, M, G or T, of 1024; 0: no "
		"limit), nor a percentage of the device's memory from \"1%%\" to "
		"\"100%%\"",
		text_quote(text).bytes);
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
	if (status || !memory) {
		log_post(DPR_LOG_WARN,
			 "DPR_POOL_LIMIT: no limit on %s, which does not tell "
			 "how much memory it has",
			 root->selector);
		return UINT64_MAX;
	}
	return memory / 100 * limit_percent +
	       memory % 100 * limit_percent / 100;
}
