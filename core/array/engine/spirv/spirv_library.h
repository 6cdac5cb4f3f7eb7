/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_library.h - a SPIR-V module of functions.  The modules of kernels get
 * copies of its functions.
 *
 * The module need not be trusted: nothing is read beyond its end.  A damaged
 * module is refused, or the damage is copied into the modules of kernels.
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
	const uint32_t *words; /* borrowed */
	size_t n_words;
	size_t globals, functions; /* the words where these sections begin */
	uint32_t bound;
	uint32_t *at; /* for each id the word where it is defined; 0: nowhere */
	unsigned char *used; /* for each id whether it is used */
	/* ids of used globals and functions, n_queued in all; what the first
	   n_seen need has been marked */
	uint32_t *queue;
	size_t n_queued, n_seen;
	size_t used_words; /* the number of words of all used functions */
	bool failed;       /* memory ran out */
};

/* Read a module, whose memory must stay valid.  Returns false if the module is
   damaged, has an instruction that is not in spirv_code.h, or memory runs out.
   The caller must call spirv_library_fini() in any case. */
bool spirv_library_read(struct spirv_library *library, const void *data,
			size_t size);
void spirv_library_fini(struct spirv_library *library);

/* The id that is called @name and is defined by @op.  0: there is none. */
uint32_t spirv_library_find(const struct spirv_library *library,
			    enum spirv_op op, const char *name);

/* The types of a function: first of its result, then of each parameter.
   Returns the number of types.  0: there is no such function. */
unsigned spirv_library_signature(const struct spirv_library *library,
				 uint32_t function, const uint32_t **types);

/* Find the id of a type or constant equal to the given one, among the @n words
   at @words.  0: there is none. */
uint32_t spirv_library_equal(const uint32_t *words, size_t n, enum spirv_op op,
			     uint32_t type, const uint32_t *operands,
			     size_t n_operands);

/* Mark @id and everything that it needs as used.  Unknown ids are ignored. */
void spirv_library_use(struct spirv_library *library, uint32_t id);
/* Mark everything that these instructions use. */
void spirv_library_use_all(struct spirv_library *library, const uint32_t *words,
			   size_t n);

/* Mark everything as unused. */
void spirv_library_forget(struct spirv_library *library);

/* Append the used instructions of a section, without linkage. */
void spirv_library_copy(const struct spirv_library *library,
			enum spirv_section section, struct text *to);

#endif
