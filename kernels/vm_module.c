/* SPDX-License-Identifier: Apache-2.0 */
/* vm_module.c - the kernels that run programs (vm_program.h), as a module. */
#include "kernels/vm_copy.h"
#include "kernels/vm_gather.h"
#include "kernels/vm_reduce.h"
#include "kernels/vm_rows.h"

static void start_group(const void *const *args, int n, uint64_t items,
			uint64_t group)
{
	const struct vm_code *code = args[n];

	if (code->reductions)
		vm_rows_group(args, n, items, group);
	else if (code->reduce.kind)
		vm_reduce_group(args, n, items, group);
	else if (code->is_copy == VM_GATHERS)
		vm_gather_group(args, n, items, group);
	else if (code->is_copy)
		vm_copy_group(args, n, items, group);
	else
		vm_group(args, n, items, group);
}

/* clang-format off */
#define VM_KERNELS(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) \
	X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)
/* clang-format on */

/* The parameters of a kernel: its pointers, and then the program.  A kernel
   with N pointers uses the last N + 1 entries. */
#define VM_PARAM(N) { DPRP_ARG_MEM, 0, 0 },
static const dprp_param params[VM_OPERANDS + 1] = { VM_KERNELS(VM_PARAM){
	DPRP_ARG_VALUE, 0, 0 } };

#define VM_ENTRY(N)                                                       \
	static void run_##N(const void *const *args, const uint64_t *all, \
			    const uint64_t *items, const uint64_t *group) \
	{                                                                 \
		(void)all;                                                \
		start_group(args, N, items[0], group[0]);                 \
	}
VM_KERNELS(VM_ENTRY)

static const dprp_native_kernel kernels[] = {
#define VM_KERNEL(N) \
	{ "vmcode_" #N, run_##N, N + 1, 0, params + VM_OPERANDS - N },
	VM_KERNELS(VM_KERNEL)
};

const dprp_native_module vm_module = { sizeof(dprp_native_module),
				       sizeof(kernels) / sizeof(kernels[0]), 0,
				       kernels };
