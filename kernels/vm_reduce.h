/* SPDX-License-Identifier: Apache-2.0 */
/* vm_reduce.h - runs programs that end in a reduction (VM_REDUCE_LINES and
   VM_REDUCE_COLUMNS of vm_program.h). */
#ifndef KERNELS_VM_REDUCE_H
#define KERNELS_VM_REDUCE_H

#include "kernels/vm_program.h"

/* Run the work-items of work-group @group; the group has @items work-items, and
   each is a team.  args[@n] is the program.  The arguments before it point to
   the pointers of the operands. */
void vm_reduce_group(const void *const *args, int n, uint64_t items,
		     uint64_t group);

#endif
