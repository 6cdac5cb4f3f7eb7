/* SPDX-License-Identifier: Apache-2.0 */
/* emit_text_lanes.h - kernels as OpenCL C that reduce axes on a CPU. */
#ifndef ARRAY_EMIT_TEXT_LANES_H
#define ARRAY_EMIT_TEXT_LANES_H

#include "core/array/engine/text/emit_steps.h"

/* The most columns of a team. */
#define EMIT_TEXT_LANES_COLUMNS 256

/* Write the body of a kernel. */
void emit_text_lanes(const struct emission *e);

#endif
