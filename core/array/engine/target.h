/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - facts about a device that array kernels depend on. */
#ifndef ARRAY_TARGET_H
#define ARRAY_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/device.h>

#include "core/array/engine/formats.h"

struct target {
	bool is_known; /* not set if memory ran out when the device was asked */
	/* The format in which kernels are made.  Never NULL. */
	const struct kernel_format *format;
	/* The name of the format.  In formats_files this is the first format
	   that the device lists.  "": there are no kernels. */
	char format_name[FORMATS_NAME];
	/* Set if the device may have routines of libraries (kernels/libraries.h). */
	bool has_calls;
	/* Set if the device's driver compiles OpenCL C itself
	   (formats_prefers_text()).  Kernels may be made in another format. */
	bool takes_text;
	/* Set if a kernel's argument may point to any byte of an allocation
	   that has an address (dpr_usm_address()).  Otherwise an argument may
	   only point to the first byte. */
	bool binds_anywhere;
	/* the flags (enum dpr_build_flags) of all programs of the device */
	uint64_t flags;
	uint64_t cores; /* compute units of the device; 1 if unknown */
	uint64_t parameter_bytes; /* the most bytes of arguments for a launch */
	uint64_t local_bytes;     /* bytes of local memory of a group */
	int64_t stream_bytes;     /* see target_streams() */
};

/* The facts about @device; valid until dpr_finalize(). */
const struct target *target_of(dpr_device *device);

/* Whether native code should write its results past the CPU's caches.  @bytes
   is the size of all operands together.  If this size is large, the caches
   would not keep the results until another kernel reads them. */
bool target_streams(const struct target *target, int64_t bytes);
/* Tests only: on every device, let target_streams() be true from @bytes on.  0:
   the cache of each device decides again. */
void target_stream_from(int64_t bytes);

#endif
