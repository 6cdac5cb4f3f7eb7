/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates.h - the functions of kernels/step.cl in PTX, to be pasted into
 * kernels.
 *
 * A template is the body of one of these functions: a block in braces, with
 * registers and labels of its own.  The names of these registers begin with %_.
 * Placeholders stand for the registers of values:
 *
 *  ?0 ?1      the first operand, and its imaginary part
 *  ?2 ?3      the second operand
 *  ?4 ?5      the third operand
 *  ?r ?i      the result, and its imaginary part
 *
 * The registers of values have 32 or 64 bits.  An integer of 8 or 16 bits is in
 * the low bits of a register, and the other bits may have any value.  A
 * template does not change operands.  A template may read tables of constants,
 * which the module must declare before the kernels.
 */
#ifndef KERNELS_TEMPLATES_H
#define KERNELS_TEMPLATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/status.h>

/* Where a template is in the text of templates_text(), in bytes. */
struct template
{
	size_t at, size;
	uint64_t tables; /* bit n is set if the template reads table n */
};

/* Whether this build of the library has templates. */
bool templates_are_there(void);

/* Get the text of all templates and tables, which is valid until
   dpr_finalize(). *@out is NULL if this build has none.  The errors are those
   of embed_get(). */
dpr_status templates_text(const char **out);

/* Find the template of a function by its name in step.cl, such as "add_12".
   Returns false if there is none. */
bool templates_find(const char *name, struct template *out);

/* Where the declaration of table @n is in the text. */
struct template templates_table(int n);

#endif
