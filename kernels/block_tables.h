/* SPDX-License-Identifier: Apache-2.0 */
/* block_tables.h - the functions of block.h by number, for the files that run
   programs. */
#ifndef KERNELS_BLOCK_TABLES_H
#define KERNELS_BLOCK_TABLES_H

#include <stdbool.h>

#include "kernels/block_program.h"

/* The functions, each behind a pointer. */
extern block_function *const *const block_tables_functions[BLOCK_UNITS];

/* Move elements.  @shift is the logarithm of an element's size. */
void block_tables_move(int shift, const struct block_move *m);
/* Move a box, which may be transposed or stored past the caches. */
void block_tables_move_lines(int shift, const struct block_move *m);
/* Write positions of elements, as int64_t.  The first position is @first. */
void block_tables_count(const struct block_move *m, int64_t first);

/* Repeat the last of @n elements at @to, up to the end of its unit. */
void block_tables_fill_unit(unsigned char *to, int n, int shift);

/* Copy whole lines past the caches.  Returns false, and does nothing, if @to,
   @from or @bytes are not whole lines. */
bool block_tables_stream(void *to, const void *from, size_t bytes);

/* Fill the registers of the scalars, for blocks of up to @n elements. */
void block_tables_fill_scalars(const struct block_code *code,
			       unsigned char *const *slot, int n);

/* Do a step of a reduction, with the function of @dtype. */
void block_tables_fold(unsigned dtype, const struct block_fold *fold);

#endif
