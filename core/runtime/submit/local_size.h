/* SPDX-License-Identifier: Apache-2.0 */
/* local_size.h - the local size of a launch that gives none. */
#ifndef RUNTIME_LOCAL_SIZE_H
#define RUNTIME_LOCAL_SIZE_H

#include <dpr/launch.h>

#include "core/runtime/program/kernel.h"

/*
 * Choose a local size that divides @global, whose @dims sizes are at least 1
 * and have a product of 64 bits, and is within @limits: of each dimension a
 * power of two where possible, for native code a large divisor.  Returns the
 * number of work-items in a group; or 0 if no size is admissible, with the
 * dimension in *@which.
 */
uint64_t local_size_choose(const struct kernel_limits *limits, uint32_t dims,
			   const uint64_t global[3], uint64_t local[3],
			   uint32_t *which);

/*
 * Give @range, which is not empty, such a local size.  Says once per kernel in
 * the log that its groups are small.
 * DPR_ERROR_INVALID_ARGUMENT: no local size is admissible.
 */
dpr_status local_size_set(dpr_kernel *kernel, dpr_range *range);

#endif
