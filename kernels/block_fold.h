/* SPDX-License-Identifier: Apache-2.0 */
/* block_fold.h - runs programs with a reduction of computed elements. */
#ifndef KERNELS_BLOCK_FOLD_H
#define KERNELS_BLOCK_FOLD_H

#include "kernels/block_program.h"

/* Run the work-items of a group.  Each work-item is a team.  args[@n] is the
   program. */
void block_fold_group(const void *const *args, int n, uint64_t items,
		      uint64_t group);

#endif
