/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - what array kernels need to know about a device. */
#ifndef ARRAY_TARGET_H
#define ARRAY_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/device.h>

#include "core/array/engine/formats.h"

struct target {
	bool is_known; /* false: memory ran out when the device was asked */
	/* The format in which kernels are made.  Never NULL. */
	const struct kernel_format *format;
	/* Its name; formats_files: the first one that the device lists.  "":
	   there are no kernels. */
	char format_name[FORMATS_NAME];
	/* Whether a kernel's pointer may point anywhere into an allocation that
	   has an address.  If not, only to the first byte. */
	bool binds_anywhere;
	uint64_t flags; /* enum dpr_build_flags, of all its programs */
	uint64_t cores; /* compute units of the device; 1 if unknown */
	uint64_t parameter_bytes; /* the most that a launch may pass */
	uint64_t local_bytes;     /* local memory of a group */
	int64_t stream_bytes;     /* see target_streams() */
};

/* What is known about @device; valid until dpr_finalize(). */
const struct target *target_of(dpr_device *device);

/* Whether the results of native code should go past the CPU's caches: with all
   operands it has @bytes, too many for results to be there still when they are
   read. */
bool target_streams(const struct target *target, int64_t bytes);
/* Tests only: let every device stream from @bytes on; 0: each one decides by
   its own cache again. */
void target_stream_from(int64_t bytes);

#endif
