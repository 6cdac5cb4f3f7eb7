/* SPDX-License-Identifier: Apache-2.0 */
/* vm_copy.h - runs programs that only copy an array or a scalar, where the
   elements are not contiguous. */
#ifndef KERNELS_VM_COPY_H
#define KERNELS_VM_COPY_H

#include "kernels/vm_program.h"

/* Run @items work-items: those of group @group.  args[@n] is the program. */
void vm_copy_group(const void *const *args, int n, uint64_t items,
		   uint64_t group);

#endif
