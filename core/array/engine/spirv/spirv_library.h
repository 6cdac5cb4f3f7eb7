/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_library.h - a SPIR-V module of functions, from which others take what
 * they need.
 *
 * The module need not be trusted: a damaged one is refused, or gives another
 * damaged one.  Nothing of it is read beyond its end.
 */
#ifndef ARRAY_SPIRV_LIBRARY_H
#define ARRAY_SPIRV_LIBRARY_H

#include "core/array/engine/spirv/spirv_code.h"

/* The parts of a module, in their order. */
enum spirv_section {
	SPIRV_CAPABILITIES,
	SPIRV_IMPORTS,
	SPIRV_MODEL, /* memory model, then entry points and their modes */
	SPIRV_NAMES,
	SPIRV_DECORATIONS,
	SPIRV_GLOBALS, /* types, constants, variables */
	SPIRV_FUNCTIONS,
	SPIRV_SECTIONS
};

struct spirv_library {
	const uint32_t *words; /* borrowed */
	size_t n_words;
	size_t globals, functions; /* where these sections begin */
	uint32_t bound;
	uint32_t *at;        /* by id: where it is defined; 0: nowhere */
	unsigned char *used; /* by id */
	uint32_t *queue;     /* globals and functions that are used */
	size_t n_queued, n_seen;
	size_t used_words; /* of all functions that are used */
	bool failed;       /* memory ran out */
};

/* Read a module, which must stay.  Returns false if it is damaged, has an
   instruction that is not in spirv_code.h, or memory runs out; fini it in any
   case. */
bool spirv_library_read(struct spirv_library *library, const void *data,
			size_t size);
void spirv_library_fini(struct spirv_library *library);

/* The id that has a name and is defined by @op; 0: there is none. */
uint32_t spirv_library_find(const struct spirv_library *library,
			    enum spirv_op op, const char *name);

/* The operands of the function's type: its result's type, then those of its
   parameters.  Returns their number; 0: there is no such function. */
unsigned spirv_library_signature(const struct spirv_library *library,
				 uint32_t function, const uint32_t **types);

/* The type or constant among these instructions that is equal to this; 0: there
   is none. */
uint32_t spirv_library_equal(const uint32_t *words, size_t n, enum spirv_op op,
			     uint32_t type, const uint32_t *operands,
			     size_t n_operands);

/* Mark @id, and all that it needs, as used.  Other ids than the library's are
   left out. */
void spirv_library_use(struct spirv_library *library, uint32_t id);
/* Mark all ids that these instructions have. */
void spirv_library_use_all(struct spirv_library *library, const uint32_t *words,
			   size_t n);

/* Mark nothing as used again. */
void spirv_library_forget(struct spirv_library *library);

/* Append what is used of a section.  Linkage is left out. */
void spirv_library_copy(const struct spirv_library *library,
			enum spirv_section section, struct text *to);

#endif
