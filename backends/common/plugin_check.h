/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_check.h - checks of the core's structs that all plugins make. */
#ifndef PLUGIN_CHECK_H
#define PLUGIN_CHECK_H

#include "backends/common/plugin_util.h"

/* Refuse @ext, an extension of a @what ("queue"): the plugin supports none.
   NULL is accepted. */
static inline dprp_rc plugin_check_ext(const dprp_host *host, const char *what,
				       const dprp_ext *ext)
{
	if (!ext)
		return DPR_RC_OK;
	return plugin_util_fail(host, DPR_RC_UNSUPPORTED, 0,
				"unknown %s extension \"%s\"", what,
				ext->name ? ext->name : "");
}

/* Refuse a queue whose flags, extension or priority the ABI does not define. */
static inline dprp_rc plugin_check_queue(const dprp_host *host,
					 const dprp_queue_desc *desc)
{
	const uint64_t known = DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING;

	if (desc->flags & ~known)
		return plugin_util_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"queue flags %#llx are unknown",
			(unsigned long long)(desc->flags & ~known));
	if (desc->priority < -1 || desc->priority > 1)
		return plugin_util_fail(host, DPR_RC_UNSUPPORTED, 0,
					"queue priority %d is not -1, 0 or 1",
					(int)desc->priority);
	return plugin_check_ext(host, "queue", desc->ext);
}

/* Refuse a copy of @size bytes between ranges that overlap. */
static inline dprp_rc plugin_check_copy(const dprp_host *host, uint64_t to,
					uint64_t from, uint64_t size)
{
	if (to >= from + size || from >= to + size)
		return DPR_RC_OK;
	return plugin_util_fail(host, DPR_RC_INVALID, 0,
				"the ranges of a copy overlap");
}

/* Refuse memory whose flags or extension the ABI does not define, that has no
   bytes, or whose alignment is not a power of two. */
static inline dprp_rc plugin_check_mem(const dprp_host *host,
				       const dprp_mem_desc *desc)
{
	if (desc->flags)
		return plugin_util_fail(host, DPR_RC_UNSUPPORTED, 0,
					"memory flags %#x are unknown",
					(unsigned)desc->flags);
	if (!desc->size)
		return plugin_util_fail(host, DPR_RC_INVALID, 0,
					"an allocation cannot have 0 bytes");
	if (desc->align & (desc->align - 1))
		return plugin_util_fail(host, DPR_RC_INVALID, 0,
					"an alignment of %llu bytes is not a "
					"power of two",
					(unsigned long long)desc->align);
	return plugin_check_ext(host, "memory", desc->ext);
}

/* Refuse build flags that the ABI does not define. */
static inline dprp_rc plugin_check_build_flags(const dprp_host *host,
					       uint64_t flags)
{
	const uint64_t known = DPRP_BUILD_ROUNDED | DPRP_BUILD_LARGE;

	if (!(flags & ~known))
		return DPR_RC_OK;
	return plugin_util_fail(host, DPR_RC_UNSUPPORTED, 0,
				"build flags %#llx are unknown",
				(unsigned long long)(flags & ~known));
}

#endif
