/* SPDX-License-Identifier: Apache-2.0 */
/* vm_copy.h - runs programs that only copy an array or a scalar (VM_COPIES of
   vm_program.h).  The schedule of such a program is SCHEDULE_STRIDED. */
#ifndef KERNELS_VM_COPY_H
#define KERNELS_VM_COPY_H

#include "kernels/vm_program.h"

/* Run the work-items of work-group @group; the group has @items work-items.
   args[@n] is the program.  The arguments before it point to the pointers of
   the operands. */
void vm_copy_group(const void *const *args, int n, uint64_t items,
		   uint64_t group);

#endif
