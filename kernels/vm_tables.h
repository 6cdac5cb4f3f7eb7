/* SPDX-License-Identifier: Apache-2.0 */
/* vm_tables.h - the functions of vm.h by number, for the files that run
   programs. */
#ifndef KERNELS_VM_TABLES_H
#define KERNELS_VM_TABLES_H

#include <stdbool.h>

#include "kernels/vm_program.h"

/* The functions of vm.h by number.  Each entry points to a pointer to the
   function. */
extern vm_function *const *const vm_tables_functions[VM_UNITS];

/* Copy elements as @m says.  @shift is the binary logarithm of an element's
   size. */
void vm_tables_move(int shift, const struct vm_move *m);
/* Copy a box (struct vm_boxes).  The copy may transpose the box, or bypass the
   caches, as @m says. */
void vm_tables_move_lines(int shift, const struct vm_move *m);
/* For an operand without memory: write its elements, which are positions, as
   int64_t.  @first is the position of the first element, and m->from_step has
   the distances between positions. */
void vm_tables_count(const struct vm_move *m, int64_t first);

/* Repeat the last of @n elements at @to, up to the end of its unit. */
void vm_tables_fill_unit(unsigned char *to, int n, int shift);

/* Copy whole cache lines past the caches.  Returns false, and does nothing, if
   @to, @from or @bytes are not multiples of a line. */
bool vm_tables_stream(void *to, const void *from, size_t bytes);

/* Fill the register of each scalar with copies of its value, for blocks of up
   to @n elements. */
void vm_tables_fill_scalars(const struct vm_code *code,
			    unsigned char *const *slot, int n);

/* Do the step reduce->code of a reduction, with the function for @dtype. */
void vm_tables_reduce(unsigned dtype, const struct vm_reduce *reduce);

#endif
