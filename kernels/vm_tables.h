/* SPDX-License-Identifier: Apache-2.0 */
/* vm_tables.h - the functions of vm.h by number, for the files that run
   programs. */
#ifndef KERNELS_VM_TABLES_H
#define KERNELS_VM_TABLES_H

#include <stdbool.h>

#include "kernels/vm_program.h"

/* The functions, each behind a pointer. */
extern vm_function *const *const vm_tables_functions[VM_UNITS];

/* Move elements.  @shift is the logarithm of an element's size. */
void vm_tables_move(int shift, const struct vm_move *m);
/* Move a box, which may be transposed or stored past the caches. */
void vm_tables_move_lines(int shift, const struct vm_move *m);
/* Write positions of elements, as int64_t, along the steps of @m.  The first
   position is @first. */
void vm_tables_count(const struct vm_move *m, int64_t first);

/* Repeat the last of @n elements at @to, up to the end of its unit. */
void vm_tables_fill_unit(unsigned char *to, int n, int shift);

/* Copy whole lines past the caches.  Returns false, and does nothing, if @to,
   @from or @bytes are not whole lines. */
bool vm_tables_stream(void *to, const void *from, size_t bytes);

/* Fill the registers of the scalars, for blocks of up to @n elements. */
void vm_tables_fill_scalars(const struct vm_code *code,
			    unsigned char *const *slot, int n);

/* Do a step of a reduction, with the function of @dtype. */
void vm_tables_reduce(unsigned dtype, const struct vm_reduce *reduce);

#endif
