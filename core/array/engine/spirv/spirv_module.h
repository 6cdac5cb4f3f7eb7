/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_module.h - a SPIR-V module with one kernel, which calls functions of a
 * library.
 */
#ifndef ARRAY_SPIRV_MODULE_H
#define ARRAY_SPIRV_MODULE_H

#include "core/array/engine/spirv/spirv_library.h"

/* A module that is being written.  Ids from the library's bound on are its
   own. */
struct spirv_module {
	struct spirv_library library;
	struct text part[SPIRV_SECTIONS]; /* its own instructions */
	struct text variables, body;      /* of the kernel */
	uint32_t bound;                   /* above all ids */
	bool failed; /* the library lacks something, or is damaged */
};

/* Begin with the library's bytes, which must stay.  Returns false as
   spirv_library_read() does; fini it in any case. */
bool spirv_module_begin(struct spirv_module *module, const void *data,
			size_t size);
void spirv_module_fini(struct spirv_module *module);

/* Whether memory ran out, for the library or for any part. */
bool spirv_module_lacks_memory(const struct spirv_module *module);

/* A new id. */
uint32_t spirv_module_id(struct spirv_module *module);

/* Append an instruction to the body, which has a result of @type, or none. */
uint32_t spirv_module_make(struct spirv_module *module, enum spirv_op op,
			   uint32_t type, const uint32_t *operands, size_t n);
void spirv_module_do(struct spirv_module *module, enum spirv_op op,
		     const uint32_t *operands, size_t n);
#define SPIRV_WORDS(...)                   \
	(const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)
#define SPIRV_MAKE(module, op, type, ...) \
	spirv_module_make(module, SPIRV_##op, type, SPIRV_WORDS(__VA_ARGS__))
#define SPIRV_DO(module, op, ...) \
	spirv_module_do(module, SPIRV_##op, SPIRV_WORDS(__VA_ARGS__))

/* A type or constant: that of the library if there is one. @type is 0 for
   types. */
uint32_t spirv_module_global(struct spirv_module *module, enum spirv_op op,
			     uint32_t type, const uint32_t *operands, size_t n);
#define SPIRV_TYPE(module, op, ...)                     \
	spirv_module_global(module, SPIRV_TYPE_##op, 0, \
			    SPIRV_WORDS(__VA_ARGS__))

uint32_t spirv_module_integer(struct spirv_module *module, unsigned bits);
uint32_t spirv_module_float(struct spirv_module *module, unsigned bits);
uint32_t spirv_module_vector(struct spirv_module *module, uint32_t type,
			     unsigned n); /* @n 1: the type itself */
uint32_t spirv_module_pointer(struct spirv_module *module, unsigned class,
			      uint32_t type);
/* A constant of an integer type of 32 or 64 bits. */
uint32_t spirv_module_number(struct spirv_module *module, unsigned bits,
			     uint64_t value);

/* A variable of the kernel, of which @type is a pointer. */
uint32_t spirv_module_variable(struct spirv_module *module, uint32_t type,
			       unsigned alignment);

/* A variable in local memory, of @type. */
uint32_t spirv_module_local(struct spirv_module *module, uint32_t type,
			    unsigned alignment);

/* Decorate an id: @words are the id, the decoration and its words. */
void spirv_module_decorate(struct spirv_module *module, const uint32_t *words,
			   size_t n);

/* A variable that has what BuiltIn @which says, and its name. */
uint32_t spirv_module_built_in(struct spirv_module *module, unsigned which,
			       const char *name);

/* The function of the library with this name; 0, and the module has failed:
   there is none. */
uint32_t spirv_module_function(struct spirv_module *module, const char *name);

/* Append a call of a function of the library.  @result is the type of its
   result, that of void for none; arguments are ids and their types.  The module
   has failed if the function has another type. */
struct spirv_value {
	uint32_t id, type;
};
uint32_t spirv_module_call(struct spirv_module *module, uint32_t function,
			   uint32_t result, const struct spirv_value *x,
			   unsigned n);

/* Write the whole module: @parameters, of the kernel, have ids and types;
   @used are the built-in variables.  Returns false if it has failed. */
bool spirv_module_end(struct spirv_module *module, const char *kernel,
		      const struct spirv_value *parameters,
		      unsigned n_parameters, const uint32_t *used,
		      unsigned n_used, struct text *out);

#endif
