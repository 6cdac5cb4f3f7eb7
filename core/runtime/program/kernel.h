/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - the struct of a kernel. */
#ifndef RUNTIME_KERNEL_H
#define RUNTIME_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/kernel.h>
#include <dpr/program.h>

#include "core/runtime/program/program.h"

struct dpr_kernel {
	atomic_uint refs;
	dpr_program *program; /* holds a reference */
	dprp_kernel *handle;
	char *name;
	/* Bytes of local memory, apart from local arguments; 0 if the driver
	   does not report it. */
	uint64_t local_size;
	/* Whether the driver may compile it in a thread of its own when it is
	   launched.  Then `launched` notes the sizes of launches: the word is
	   chosen by a hash of the local size, the bit by the power of two of
	   the global size. */
	bool compiles_late;
	_Atomic uint64_t launched[16];
	bool params_known;
	uint32_t n_params;
	dprp_param *params;
};

/*
 * Whether @launch is the first of @kernel with its sizes, so that the driver
 * may compile.  Notes the sizes: the next launch with them is not the first.
 */
bool kernel_is_new(dpr_kernel *kernel, const dprp_launch *launch);

#endif
