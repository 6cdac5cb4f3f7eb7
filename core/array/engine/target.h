/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - what array kernels need to know about a device. */
#ifndef ARRAY_TARGET_H
#define ARRAY_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/device.h>

#define TARGET_FORMAT 64

struct target {
	bool is_known; /* false: memory ran out when the device was asked */
	/* Whether kernels are native code: on CPUs that take it, and on devices
	   of any type that list native code before the other formats of
	   kernels.  Native code is functions that this machine's CPU calls. */
	bool is_cpu;
	bool takes_text, takes_native, takes_ptx, takes_spirv;
	/* The first format that the device lists, if it takes none of these:
	   kernels come in files (kernel_files.h).  Else "". */
	char own_format[TARGET_FORMAT];
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
