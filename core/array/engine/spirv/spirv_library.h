/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_library.h - a library: a SPIR-V module with functions, which are copied
 * into the modules of kernels.
 *
 * The library need not be trusted: nothing is read beyond its end.  A damaged
 * library is refused, or the damage is copied into the modules of kernels.
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
	/* the index of the word where each of these sections begins */
	size_t globals, functions;
	uint32_t bound;
	/* for each id the index of the word where it is defined; 0: nowhere */
	uint32_t *at;
	unsigned char *used; /* for each id whether a kernel uses it */
	/* The used globals and functions, n_queued in all.  Everything that the
	   first n_seen of them need has been marked as used. */
	uint32_t *queue;
	size_t n_queued, n_seen;
	size_t used_words; /* the number of words of all used functions */
	bool failed;       /* memory ran out */
};

/* Read a library, whose memory must stay valid.  Returns false if it is
   damaged, has an instruction that is not in spirv_code.h, or memory runs out.
   The caller must call spirv_library_fini() in any case. */
bool spirv_library_read(struct spirv_library *library, const void *data,
			size_t size);
void spirv_library_fini(struct spirv_library *library);

/* Find the id with the name @name that an instruction @op defines.  0: there is
   none. */
uint32_t spirv_library_find(const struct spirv_library *library,
			    enum spirv_op op, const char *name);

/* Set *@types to the types of a function: the type of its result, then those of
   its parameters.  Returns the number of types.  0: there is no such function.
   */
unsigned spirv_library_signature(const struct spirv_library *library,
				 uint32_t function, const uint32_t **types);

/* Find an instruction with this operation, type and operands among the @n words
   at @words.  Returns the id that it defines; 0: there is none. */
uint32_t spirv_library_equal(const uint32_t *words, size_t n, enum spirv_op op,
			     uint32_t type, const uint32_t *operands,
			     size_t n_operands);

/* Mark @id and everything that it needs as used.  Unknown ids are ignored. */
void spirv_library_use(struct spirv_library *library, uint32_t id);
/* Mark everything that the instructions in these @n words use. */
void spirv_library_use_all(struct spirv_library *library, const uint32_t *words,
			   size_t n);

/* Mark everything as unused. */
void spirv_library_forget(struct spirv_library *library);

/* Append the used instructions of @section to @to, without the decorations for
   linkage. */
void spirv_library_copy(const struct spirv_library *library,
			enum spirv_section section, struct text *to);

#endif
