/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h - computes a graph for all elements of arrays, in one launch. */
#ifndef ARRAY_ENGINE_H
#define ARRAY_ENGINE_H

#include "core/array/engine/call.h"

/* Whether one kernel on @device can compute an operation and also cast its
   operands and results.  Kernels in files (kernel_files.h) cannot. */
bool engine_casts(dpr_device *device);

/* The name of the format in which kernels are made for @device.  The library
   owns the string.  NULL: the device takes no format of dpr, and engine_run()
   fails. */
const char *engine_format(dpr_device *device);

/* Compute @call, without waiting for it.  The first use of a kernel builds the
   kernel.  DPR_ERROR_UNSUPPORTED: the device takes none of the formats of
   formats.h, or its format cannot express the graph, or the kernel's file is
   missing.  Other errors are errors of building (DPR_ERROR_BUILD) and
   launching.  If nothing was launched, the results are unchanged. */
dpr_status engine_run(const struct engine_call *call);

#endif
