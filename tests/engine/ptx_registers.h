/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_registers.h - whether a kernel in PTX reads a register before it is
 * written.  Assemblers may compute anything from such a value, even where the
 * kernel then does not use it.
 */
#ifndef TESTS_PTX_REGISTERS_H
#define TESTS_PTX_REGISTERS_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A set of names, which lie in the text. */
#define PTX_NAMES 8192 /* a power of two */

struct ptx_names {
	const char *at[PTX_NAMES];
	size_t size[PTX_NAMES];
	int n;
};

static inline size_t ptx_names_find(const struct ptx_names *names,
				    const char *name, size_t size)
{
	size_t i = 5381;

	for (size_t k = 0; k < size; k++)
		i = i * 33 + (unsigned char)name[k];
	i %= PTX_NAMES;
	while (names->at[i] && (names->size[i] != size ||
				memcmp(names->at[i], name, size) != 0))
		i = (i + 1) % PTX_NAMES;
	return i;
}

/* The size of the register's name at @c, or 0: no register of a frame.
   Registers of templates begin with %_, those of the machine have a point. */
static inline size_t ptx_register_size(const char *c)
{
	size_t size = 1;

	if (*c != '%' || c[1] == '_')
		return 0;
	while (isalnum((unsigned char)c[size]) || c[size] == '_')
		size++;
	return c[size] == '.' ? 0 : size;
}

/* Whether the instruction at @c writes its first operand. */
static inline bool ptx_writes(const char *c)
{
	static const char *const others[] = { "st.",  "bra", "bar",
					      "red.", "ret", "membar" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(c, others[i], strlen(others[i])))
			return false;
	return true;
}

/* Read the instruction from @c to @end.  Returns a register that it reads and
   that is not in @written, or NULL.  Adds what it writes, unless it does so
   under a condition. */
static inline const char *ptx_instruction(const char *c, const char *end,
					  struct ptx_names *written)
{
	const bool is_guarded = *c == '@';
	const char *first, *operands, *bad = NULL;
	size_t size;

	for (const char *p = c; is_guarded && *p != ' '; p++) {
		size = ptx_register_size(p);
		if (size && !written->at[ptx_names_find(written, p, size)])
			return p;
	}
	first = is_guarded ? (const char *)strchr(c, ' ') + 1 : c;
	operands = first;
	while (operands < end && *operands != ' ' && *operands != '\t')
		operands++;
	while (operands < end && (*operands == ' ' || *operands == '\t'))
		operands++;
	/* Results end at the first comma that is outside of braces. */
	first = ptx_writes(first) ? operands : NULL;
	for (const char *p = operands; first && p < end; p++) {
		if (*p == '{')
			p = strchr(p, '}');
		if (*p == ',') {
			operands = p;
			break;
		}
	}
	for (const char *p = operands; p < end && !bad; p++) {
		size = ptx_register_size(p);
		if (size && !written->at[ptx_names_find(written, p, size)])
			bad = p;
	}
	for (const char *p = first; p && p < operands && !is_guarded; p++) {
		size_t i;

		size = ptx_register_size(p);
		if (!size)
			continue;
		i = ptx_names_find(written, p, size);
		written->n += !written->at[i];
		written->at[i] = p;
		written->size[i] = size;
	}
	return bad;
}

/* The place in @module, a kernel, of a register that is read before an
   instruction above writes it, or NULL. */
static inline const char *ptx_unwritten(const char *module)
{
	struct ptx_names *written = calloc(1, sizeof(*written));
	const char *bad = written ? NULL : module, *end;

	for (const char *c = strstr(module, ")\n{"); c && *c && !bad; c = end) {
		while (*c && strchr(" \t\n;{})", *c))
			c++;
		end = c + strcspn(c, ";\n");
		/* A label ends in a colon, a declaration begins with a dot. */
		if (*c && *c != '.' && end[-1] != ':')
			bad = ptx_instruction(c, end, written);
		if (written->n > PTX_NAMES / 2)
			bad = c;
	}
	free(written);
	return bad;
}

#endif
