/* SPDX-License-Identifier: Apache-2.0 */
/* step_by_step.h - graphs on devices that have no kernel for a whole graph. */
#ifndef ARRAY_STEP_BY_STEP_H
#define ARRAY_STEP_BY_STEP_H

#include "core/array/engine/call.h"

/* Compute @call, which has one result, in one launch.  Where kernels have one
   step only, compute the steps one after the other, with arrays in between.
   Errors as engine_run(). */
dpr_status step_by_step_run(const struct engine_call *call);

#endif
