/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_reduce.h - writes kernels in PTX that reduce an axis:
   SCHEDULE_REDUCE_*. */
#ifndef ARRAY_PTX_REDUCE_H
#define ARRAY_PTX_REDUCE_H

#include "core/array/engine/ptx/ptx.h"

/* Choose the slots and cells of a kernel of SCHEDULE_REDUCE_ROWS or
   SCHEDULE_REDUCE_COLUMNS. */
void ptx_reduce_begin(struct ptx *e);

/* Write the body of a kernel of SCHEDULE_REDUCE_ROWS or
   SCHEDULE_REDUCE_COLUMNS.  The caller must have written the declarations of
   the kernel's registers, and code that sets addresses, %count, %group, %item
   and scalars. */
void ptx_reduce(struct ptx *e);

#endif
