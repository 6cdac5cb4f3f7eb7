/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_module.h - writes a SPIR-V module with one kernel, which calls
 * functions of a library (spirv_library.h).
 */
#ifndef ARRAY_SPIRV_MODULE_H
#define ARRAY_SPIRV_MODULE_H

#include "core/array/engine/spirv/spirv_library.h"

/* A module that is being written.  Ids less than the library's `bound` belong
   to the library.  All other ids are new. */
struct spirv_module {
	struct spirv_library library;
	/* for each section of the module (enum spirv_section): the instructions
	   to add to those of the library */
	struct text part[SPIRV_SECTIONS];
	/* the variables and the body of the kernel */
	struct text variables, body;
	uint32_t bound; /* greater than all ids */
	bool failed;    /* set if the library lacks a function, or is damaged */
};

/* Begin a module.  The library is the @size bytes at @data, which must stay
   valid.  Returns false if spirv_library_read() refuses the library.  The
   caller must call spirv_module_fini() in any case. */
bool spirv_module_begin(struct spirv_module *module, const void *data,
			size_t size);
void spirv_module_fini(struct spirv_module *module);

/* Whether memory ran out, for the library or for any section. */
bool spirv_module_lacks_memory(const struct spirv_module *module);

/* Return a new id. */
uint32_t spirv_module_id(struct spirv_module *module);

/* Append an instruction with @n operands to the body of the kernel.
   spirv_module_make(): the instruction has a result of type @type; returns the
   id of the result.  spirv_module_do(): the instruction has no result. */
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

/* Return the id of a type or a constant.  The type or constant is added to the
   module unless the library or the module already has an equal one.  @op and
   @operands are the instruction that defines the type or constant.  @type is
   the type of a constant, and 0 for a type. */
uint32_t spirv_module_global(struct spirv_module *module, enum spirv_op op,
			     uint32_t type, const uint32_t *operands, size_t n);
#define SPIRV_TYPE(module, op, ...)                     \
	spirv_module_global(module, SPIRV_TYPE_##op, 0, \
			    SPIRV_WORDS(__VA_ARGS__))

uint32_t spirv_module_integer(struct spirv_module *module, unsigned bits);
uint32_t spirv_module_float(struct spirv_module *module, unsigned bits);
uint32_t spirv_module_vector(struct spirv_module *module, uint32_t type,
			     unsigned n); /* returns @type if @n is 1 */
uint32_t spirv_module_pointer(struct spirv_module *module, unsigned class,
			      uint32_t type);
/* Return the id of a constant of an integer type with @bits bits, 32 or 64. */
uint32_t spirv_module_number(struct spirv_module *module, unsigned bits,
			     uint64_t value);

/* Declare a variable of the kernel, and return its id.  @type is the type of a
   pointer to the variable.  @alignment is in bytes. */
uint32_t spirv_module_variable(struct spirv_module *module, uint32_t type,
			       unsigned alignment);

/* Declare a variable of @type in local memory, and return its id.  @alignment
   is in bytes. */
uint32_t spirv_module_local(struct spirv_module *module, uint32_t type,
			    unsigned alignment);

/* Add a decoration, which is a property of an id.  @words are the id, the
   decoration and its operands. */
void spirv_module_decorate(struct spirv_module *module, const uint32_t *words,
			   size_t n);

/* Declare the built-in variable @which (SPIRV_BUILT_IN_*), called @name, and
   return its id. */
uint32_t spirv_module_built_in(struct spirv_module *module, unsigned which,
			       const char *name);

/* Return the id of the library's function called @name.  If there is no such
   function, return 0, and set module->failed. */
uint32_t spirv_module_function(struct spirv_module *module, const char *name);

/* A value: its id, and the id of its type. */
struct spirv_value {
	uint32_t id, type;
};

/* Append a call of function @function of the library, and return the id of the
   function's result.  @result is the type of the result, or void.  @x has the
   @n arguments.  If the function takes or returns values of other types,
   module->failed is set. */
uint32_t spirv_module_call(struct spirv_module *module, uint32_t function,
			   uint32_t result, const struct spirv_value *x,
			   unsigned n);

/* Write the whole module to @out.  @kernel is the kernel's name, and
   @parameters are its parameters.  @used: the ids of the built-in variables.
   Returns false if module->failed is set, or if memory runs out. */
bool spirv_module_end(struct spirv_module *module, const char *kernel,
		      const struct spirv_value *parameters,
		      unsigned n_parameters, const uint32_t *used,
		      unsigned n_used, struct text *out);

#endif
