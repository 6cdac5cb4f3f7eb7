/* SPDX-License-Identifier: Apache-2.0 */
/* vm_gather.h - runs programs that only read elements at places. */
#ifndef KERNELS_VM_GATHER_H
#define KERNELS_VM_GATHER_H

#include "kernels/vm_program.h"

/* Run the work-items of work-group @group; the group has @items work-items.
   args[@n] is the program.  The arguments before it point to the pointers of
   the operands. */
void vm_gather_group(const void *const *args, int n, uint64_t items,
		     uint64_t group);

#endif
