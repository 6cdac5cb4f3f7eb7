/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_steps.h - the steps of a kernel as SPIR-V.
 *
 * An element that is stored has components: one number, or the two parts of a
 * complex number.  The value of a step is a number, or the address of a
 * variable with a complex one, since that is how clang passes them.
 */
#ifndef ARRAY_SPIRV_STEPS_H
#define ARRAY_SPIRV_STEPS_H

#include <dpr/dtype.h>

#include "core/array/engine/gpu/machine.h"
#include "core/array/engine/spirv/spirv_module.h"

#define SPIRV_STEPS_BUILT_IN 2 /* the most built-in variables */

/* The functions of step.cl that a step calls; 0: it does not. */
struct spirv_steps_functions {
	uint32_t plain, fast, guard;
};

/* A kernel being written. */
struct spirv_steps {
	struct machine machine; /* the first member */
	struct spirv_module module;
	struct spirv_steps_functions functions[GRAPH_STEPS];
	uint32_t load[2], store[2]; /* of float16 and bfloat16 */
	struct spirv_value value[GRAPH_STEPS];
	struct spirv_value variable[GRAPH_STEPS]; /* of a complex value; id 0:
						     not yet */
	/* The pointers of the operands that have memory, each in its place,
	   then that of the words. */
	struct spirv_value x[FRAME_OPERANDS + 1];
	uint32_t built_in[SPIRV_STEPS_BUILT_IN]; /* variables that it reads */
	unsigned n_built_in;
	uint32_t local[DPR_COMPLEX128 + 1]; /* spirv_sum.c: the array in local
					       memory of each dtype; 0: not
					       yet */
	uint32_t any;  /* whether a fast path must not be taken; 0: never */
	bool has_left; /* the block has ended with OpReturn */
	struct spirv_sum *sum; /* what is accumulated */
};

static inline struct spirv_steps *spirv_steps_of(struct machine *m)
{
	return (struct spirv_steps *)(void *)m;
}

/* Find the functions of all steps.  Returns false if one is missing. */
bool spirv_steps_find(struct spirv_steps *e);

/* Whether a step has a fast path. */
bool spirv_steps_is_guarded(const struct spirv_steps *e);

/* How many components an element has, and their type as stored and size. */
unsigned spirv_steps_parts(unsigned dtype);
uint32_t spirv_steps_part_type(struct spirv_steps *e, unsigned dtype);
unsigned spirv_steps_part_size(unsigned dtype);

/* The type of an element as stored. */
uint32_t spirv_steps_type(struct spirv_steps *e, unsigned dtype);

/* A new variable for a value of a complex dtype; set it to components. */
struct spirv_value spirv_steps_variable(struct spirv_steps *e, unsigned dtype);
void spirv_steps_put(struct spirv_steps *e, unsigned dtype,
		     struct spirv_value variable, const uint32_t *part);
/* The components of a value of any dtype, but of 16-bit floats. */
void spirv_steps_get(struct spirv_steps *e, unsigned dtype,
		     struct spirv_value value, uint32_t *part);

/* Call a function on @n values, at most 3.  @variable: where it puts a complex
   result; its id is 0 if the result is of @type. */
uint32_t spirv_steps_call(struct spirv_steps *e, uint32_t function,
			  uint32_t type, struct spirv_value variable,
			  const struct spirv_value *x, int n);

/* Load word @at of the kernel's words; the low bits of a word, as a number of
   @type, which has @bits. */
uint32_t spirv_steps_word(struct spirv_steps *e, int at);
uint32_t spirv_steps_low_bits(struct spirv_steps *e, uint32_t word,
			      uint32_t type, unsigned bits);

/* Append the values of all scalars: once, where the kernel begins. */
void spirv_steps_scalars(struct spirv_steps *e);

/* Set the value of step @i to a stored element, or get it as one. */
void spirv_steps_take(struct spirv_steps *e, int i, const uint32_t *part);
void spirv_steps_give(struct spirv_steps *e, int i, uint32_t *part);

/*
 * Append the steps @set for one element, and set `value` of each.  @in: the
 * components of inputs as stored.  With @fast each step that has a fast path
 * takes it, and `any` tells whether that was wrong, for this element or an
 * earlier one.
 */
void spirv_steps_values(struct spirv_steps *e, uint64_t set, bool fast,
			const struct machine_element *in);

#endif
