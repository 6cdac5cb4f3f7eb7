/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - the struct of a program. */
#ifndef RUNTIME_PROGRAM_H
#define RUNTIME_PROGRAM_H

#include <stdbool.h>

#include <dpr/program.h>

#include "core/base/refs.h"
#include "core/runtime/device/device.h"
#include "core/runtime/queue/reap.h"

struct dpr_program {
	struct refs refs;
	dpr_device *device;
	dprp_module *handle;
	bool is_native; /* the program is made of functions of this process */
	char *log;
	char *binary_format;
	struct reap_node reaped;
};

#endif
