/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_library.h - reads a library: a SPIR-V module with functions, which are
 * copied into the modules of kernels.
 *
 * Reading a damaged library is safe: nothing beyond its end is read.  Either
 * the library is refused, or the damage is copied into the modules of kernels.
 */
#ifndef ARRAY_SPIRV_LIBRARY_H
#define ARRAY_SPIRV_LIBRARY_H

#include "core/array/engine/spirv/spirv_code.h"

/* The sections of a module, in their order. */
enum spirv_section {
	SPIRV_CAPABILITIES,
	SPIRV_IMPORTS,
	SPIRV_MODEL, /* memory model, entry points and execution modes */
	SPIRV_NAMES,
	SPIRV_DECORATIONS,
	SPIRV_GLOBALS, /* types, constants and variables */
	SPIRV_FUNCTIONS,
	SPIRV_SECTIONS
};

struct spirv_library {
	const uint32_t *words; /* the caller owns this memory */
	size_t n_words;
	/* the index of the first word of the section SPIRV_GLOBALS, and of
	   SPIRV_FUNCTIONS */
	size_t globals, functions;
	uint32_t bound;
	/* for each id: the index of the word where it is defined; 0: nowhere */
	uint32_t *at;
	unsigned char *used; /* for each id: whether a kernel uses it */
	/* The ids of the used globals and functions, n_queued in all.  The
	   first n_seen entries are done: all ids to which these globals and
	   functions refer have been marked as used, too. */
	uint32_t *queue;
	size_t n_queued, n_seen;
	size_t used_words; /* the number of words of all used functions */
	bool failed;       /* set if memory ran out */
};

/* Read a library of @size bytes at @data.  This memory must stay valid.
   Returns false if the library is damaged, if it has an instruction that is not
   in spirv_code.h, or if memory runs out.  The caller must call
   spirv_library_fini() in any case. */
bool spirv_library_read(struct spirv_library *library, const void *data,
			size_t size);
void spirv_library_fini(struct spirv_library *library);

/* Return the id called @name, which must be defined by an instruction @op.  0:
   there is no such id. */
uint32_t spirv_library_find(const struct spirv_library *library,
			    enum spirv_op op, const char *name);

/* Set *@types to the types of a function: first the type of its result, then
   the types of its parameters.  Returns the number of types.  0: there is no
   such function. */
unsigned spirv_library_signature(const struct spirv_library *library,
				 uint32_t function, const uint32_t **types);

/* Find an instruction that has the operation @op, the type @type and the
   operands @operands, among the @n words at @words.  Returns the id of its
   result.  0: there is no such instruction. */
uint32_t spirv_library_equal(const uint32_t *words, size_t n, enum spirv_op op,
			     uint32_t type, const uint32_t *operands,
			     size_t n_operands);

/* Mark @id as used, and all ids to which its definition refers, directly or
   through other ids.  Unknown ids are ignored. */
void spirv_library_use(struct spirv_library *library, uint32_t id);
/* Call spirv_library_use() for each id to which the instructions in the @n
   words at @words refer. */
void spirv_library_use_all(struct spirv_library *library, const uint32_t *words,
			   size_t n);

/* Mark all ids as unused. */
void spirv_library_forget(struct spirv_library *library);

/* Append the used instructions of @section to @to.  Decorations for linkage are
   left out, because the functions become part of the kernel's module. */
void spirv_library_copy(const struct spirv_library *library,
			enum spirv_section section, struct text *to);

#endif
