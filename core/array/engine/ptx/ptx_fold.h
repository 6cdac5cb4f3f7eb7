/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_fold.h - writes kernels in PTX that reduce an axis. */
#ifndef ARRAY_PTX_FOLD_H
#define ARRAY_PTX_FOLD_H

#include "core/array/engine/ptx/ptx.h"

/* Choose the cells of a kernel of SCHEDULE_FOLD_ROWS or
   SCHEDULE_FOLD_COLUMNS. */
void ptx_fold_begin(struct ptx *e);

/* Write the body of such a kernel, after its registers, addresses, %count,
   %group, %item and scalars. */
void ptx_fold(struct ptx *e);

#endif
