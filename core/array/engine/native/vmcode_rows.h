/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_rows.h - programs that reduce rows and go on with the results
   (SCHEDULE_STAGES). */
#ifndef ARRAY_VMCODE_ROWS_H
#define ARRAY_VMCODE_ROWS_H

#include <dpr/launch.h>

#include "core/array/engine/native/vmcode_instructions.h"

/* Put the instructions of @m into sections (kernels/vm_rows.h), make chains and
   pairs of them, and assign registers to their values.  Returns false if a
   limit of the program is exceeded. */
bool vmcode_rows_arrange(struct maker *m);

/* The range of a launch of the program @code on a device with @cores cores.
   @code must end with the words of the launch. */
dpr_range vmcode_rows_range(const struct vm_code *code, uint64_t cores);

#endif
