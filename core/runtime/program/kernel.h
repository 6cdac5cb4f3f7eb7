/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - the struct of a kernel. */
#ifndef RUNTIME_KERNEL_H
#define RUNTIME_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/kernel.h>
#include <dpr/program.h>

#include "core/base/refs.h"
#include "core/runtime/program/program.h"
#include "core/runtime/queue/reap.h"

/* What limits the local size of a launch.  UINT64_MAX: no limit. */
struct kernel_limits {
	uint64_t groups[3]; /* the most work-groups per dimension */
	uint64_t local[3];  /* the largest local size per dimension */
	uint64_t group;     /* the most work-items of a work-group */
	/* The local size that the kernel requires; zeros: none. */
	uint64_t required[3];
	/* Whether each local size costs time, because the driver compiles the
	   kernel for it. */
	bool compiles;
	/* Of a kernel that is native code: the threads of the device, at least
	   1.  0 of others. */
	uint64_t threads;
};

struct dpr_kernel {
	struct refs refs;
	dpr_program *program; /* with a reference */
	dprp_kernel *handle;
	char *name;
	/* Bytes of local memory, apart from local arguments; 0 if the driver
	   does not report it. */
	uint64_t local_size;
	/* Whether the driver may compile the kernel when it is launched, in a
	   thread of its own.  If so, `launched` notes the sizes of launches: a
	   hash of the local size chooses the word, the power of two of the
	   global size the bit. */
	bool compiles_late;
	bool exit_waits; /* exit() waits for each launch that is not brief */
	_Atomic uint64_t launched[16];
	struct kernel_limits limits;
	/* Whether the log has said that its work-groups are small. */
	atomic_bool told_small;
	bool params_known;
	uint32_t n_params;
	dprp_param *params;
	struct reap_node reaped;
};

/* Release one reference.  Calls no driver: releasing the last one leaves the
   kernel to reap(). */
void kernel_release_later(dpr_kernel *kernel);

/*
 * Whether exit() must wait for @launch.  With `exit_waits` it waits for each
 * launch that is not brief.  With `compiles_late` it waits for the first launch
 * with these sizes, and this call records the sizes.
 */
bool kernel_exit_waits(dpr_kernel *kernel, const dprp_launch *launch);

#endif
