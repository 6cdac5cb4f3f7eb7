/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates.h - the functions of kernels/step.cl in PTX, to be pasted into
 * kernels.
 *
 * A template is a block, `{ ... }`, with registers and labels of its own: these
 * registers begin with %_.  In place of the registers of a value it has
 *
 *	?0 ?1      the first operand, and its imaginary part
 *	?2 ?3      the second operand
 *	?4 ?5      the third operand
 *	?r ?i      the result, and its imaginary part
 *
 * which have 32 or 64 bits.  Of an integer of 8 or 16 bits the low bits count,
 * and the others may have any value.  Operands are not changed.  A template may
 * read tables, which the module has to declare before its kernels.
 */
#ifndef KERNELS_TEMPLATES_H
#define KERNELS_TEMPLATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lent until the process ends. */
struct template
{
	const char *text;
	size_t size;
	uint64_t tables; /* bit n: it reads table n */
};

/* Whether this build of the library has templates. */
bool templates_are_there(void);

/* Find the template of a function, by its name in step.cl ("add_12").  Returns
   false if there is none. */
bool templates_find(const char *name, struct template *out);

/* The declaration of table @n, which some template reads. */
struct template templates_table(int n);

#endif
