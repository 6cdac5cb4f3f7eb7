/* SPDX-License-Identifier: Apache-2.0 */
/* pool_limit.c - what DPR_POOL_LIMIT means for a device. */
#include "core/runtime/memory/pool_limit.h"

#include "core/base/log.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/runtime/device/device.h"

uint64_t pool_limit_default(dpr_device *root)
{
	unsigned percent = settings_pool_percent();
	uint64_t memory = 0;
	dpr_status status;
	char *text;

	if (!percent)
		return settings_pool_bytes();
	/* The caller must not get an error if the driver does not report its
	   memory. */
	text = status_keep();
	status = dpr_device_info_u64(root, DPR_INFO_GLOBAL_MEM_SIZE, &memory);
	status_restore(text);
	if (status || !memory) {
		log_post(
			DPR_LOG_WARN,
			"DPR_POOL_LIMIT: no limit on %s, which does not report "
			"how much memory it has",
			root->selector);
		return UINT64_MAX;
	}
	return memory / 100 * percent + memory % 100 * percent / 100;
}
