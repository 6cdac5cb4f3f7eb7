/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_launch.h - the checks of a launch, and the choice of a local size. */
#ifndef PLUGIN_LAUNCH_H
#define PLUGIN_LAUNCH_H

#include <stdbool.h>

#include "backends/common/plugin_check.h"

/* Refuse a launch of the kernel @name that has an extension, or a range that
   does not have 1 to 3 dimensions. */
static inline dprp_rc plugin_launch_check(const dprp_host *host,
					  const char *name,
					  const dprp_launch *launch)
{
	dprp_rc rc = plugin_check_ext(host, "launch", launch->ext);

	if (!rc && (launch->dims < 1 || launch->dims > 3))
		rc = plugin_util_fail(
			host, DPR_RC_INVALID, 0,
			"kernel %s: a range has 1 to 3 dimensions, not %u",
			name, (unsigned)launch->dims);
	return rc;
}

/* Refuse a launch of the kernel @name that does not have @n_params arguments.
 */
static inline dprp_rc plugin_launch_check_args(const dprp_host *host,
					       const char *name,
					       const dprp_launch *launch,
					       uint32_t n_params)
{
	if (launch->n_args == n_params)
		return DPR_RC_OK;
	return plugin_util_fail(host, DPR_RC_INVALID, 0,
				"kernel %s has %u parameters, not %u", name,
				(unsigned)n_params, (unsigned)launch->n_args);
}

/* Whether the range has no work-items. */
static inline bool plugin_launch_is_empty(const dprp_launch *launch)
{
	uint32_t i;

	for (i = 0; i < launch->dims && i < 3; i++)
		if (!launch->global[i])
			return true;
	return false;
}

/*
 * Choose a local size for each of the ranges of one, two and three dimensions:
 * 256 work-items, at least 32 of them along the first dimension, or fewer if
 * @most (the limit for each dimension) or @max_group (the limit for the whole
 * group) is smaller.  If the kernel requires a local size, it is in @required
 * and is chosen; if not, @required[0] is 0.
 */
static inline void plugin_launch_choose(uint32_t choice[3][3],
					const uint64_t required[3],
					const uint32_t most[3],
					uint32_t max_group)
{
	static const uint32_t shapes[3][3] = { { 256, 1, 1 },
					       { 32, 8, 1 },
					       { 32, 4, 2 } };
	uint32_t dims, i, *size;

	for (dims = 0; dims < 3; dims++) {
		size = choice[dims];
		for (i = 0; i < 3; i++) {
			size[i] = required[0] ? (uint32_t)required[i]
					      : shapes[dims][i];
			while (!required[0] && size[i] > 1 && size[i] > most[i])
				size[i] /= 2;
		}
		for (i = 3; i-- > 0 && !required[0];)
			while (size[i] > 1 &&
			       size[0] * size[1] * size[2] > max_group)
				size[i] /= 2;
	}
}

#endif
