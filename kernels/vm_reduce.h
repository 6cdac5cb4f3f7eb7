/* SPDX-License-Identifier: Apache-2.0 */
/* vm_reduce.h - runs programs that end in a reduction (VM_REDUCE_LINES and
   VM_REDUCE_COLUMNS of vm_program.h). */
#ifndef KERNELS_VM_REDUCE_H
#define KERNELS_VM_REDUCE_H

#include "kernels/vm_program.h"

/* Run @items work-items: those of group @group.  Each work-item is a team.
   args[@n] is the program. */
void vm_reduce_group(const void *const *args, int n, uint64_t items,
		     uint64_t group);

#endif
