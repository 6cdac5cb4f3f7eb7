/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_stages.h - writes kernels in PTX that compute rows in stages. */
#ifndef ARRAY_PTX_STAGES_H
#define ARRAY_PTX_STAGES_H

#include "core/array/engine/ptx/ptx.h"

/* Choose the slots and cells of a kernel of SCHEDULE_STAGES. */
void ptx_stages_begin(struct ptx *e);

/* Write the body of a kernel of SCHEDULE_STAGES.  The caller must have written
   the declarations of the kernel's registers, and code that sets addresses,
   %count, %group, %item and scalars. */
void ptx_stages(struct ptx *e);

#endif
