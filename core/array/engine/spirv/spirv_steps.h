/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_steps.h - writes the steps of kernels in SPIR-V.
 *
 * An element in memory has components: one number, or the two parts of a
 * complex number.  A real value is the id of a number.  A complex value is the
 * id of a variable, because the functions of kernels/step.cl take complex
 * numbers by address: clang compiles these functions so.
 */
#ifndef ARRAY_SPIRV_STEPS_H
#define ARRAY_SPIRV_STEPS_H

#include <dpr/dtype.h>

#include "core/array/engine/gpu/machine.h"
#include "core/array/engine/spirv/spirv_module.h"

#define SPIRV_STEPS_BUILT_IN 2 /* the most built-in variables */

/* The ids of the functions of kernels/step.cl that a step calls; 0: there is
   none.  `plain` is right for every value.  `fast` is shorter, but wrong for a
   few values.  `guard` tells whether `fast` would be wrong. */
struct spirv_steps_functions {
	uint32_t plain, fast, guard;
};

/* A kernel that is being written. */
struct spirv_steps {
	struct machine machine; /* must come first: spirv_steps_of() */
	struct spirv_module module;
	struct spirv_steps_functions functions[GRAPH_STEPS];
	/* functions that load and store float16 and bfloat16 */
	uint32_t load[2], store[2];
	struct spirv_value value[GRAPH_STEPS];
	/* the 16 bits of each value for which graph_keeps_stored() holds */
	uint32_t stored[GRAPH_STEPS];
	/* the variables of complex values; an id of 0: not declared yet */
	struct spirv_value variable[GRAPH_STEPS];
	/* x[k] is the pointer of operand k, if the operand has memory.  The
	   pointer of the words follows those of all operands. */
	struct spirv_value x[SCHEDULE_OPERANDS + 1];
	/* the built-in variables that the kernel reads */
	uint32_t built_in[SPIRV_STEPS_BUILT_IN];
	unsigned n_built_in;
	/* for spirv_combine.c: for each dtype an array in local memory; 0: not
	   declared yet */
	uint32_t local[DPR_COMPLEX128 + 1];
	/* The id of a value of the kernel, which is not 0 if a fast path was
	   wrong.  If the id itself is 0, no step has taken a fast path. */
	uint32_t any;
	/* set if the current basic block has ended with OpReturn */
	bool has_left;
	struct spirv_combine *sum; /* the accumulators */
};

static inline struct spirv_steps *spirv_steps_of(struct machine *m)
{
	return (struct spirv_steps *)(void *)m;
}

/* Find the functions of all steps.  Returns false if a function is missing. */
bool spirv_steps_find(struct spirv_steps *e);

/* Whether any step has a fast path. */
bool spirv_steps_is_guarded(const struct spirv_steps *e);

/* spirv_steps_parts(): the number of components of an element, 1 or 2.
   spirv_steps_part_type(), spirv_steps_part_size(): the type of a component in
   memory, and its size in bytes. */
unsigned spirv_steps_parts(unsigned dtype);
uint32_t spirv_steps_part_type(struct spirv_steps *e, unsigned dtype);
unsigned spirv_steps_part_size(unsigned dtype);

/* The type of an element in memory. */
uint32_t spirv_steps_type(struct spirv_steps *e, unsigned dtype);

/* spirv_steps_variable(): declare a variable for a value of a complex dtype.
   spirv_steps_put(): set this variable to the components @part. */
struct spirv_value spirv_steps_variable(struct spirv_steps *e, unsigned dtype);
void spirv_steps_put(struct spirv_steps *e, unsigned dtype,
		     struct spirv_value variable, const uint32_t *part);
/* Write code that gets the components of @value.  @part gets their ids.  @dtype
   must not be a 16-bit float. */
void spirv_steps_get(struct spirv_steps *e, unsigned dtype,
		     struct spirv_value value, uint32_t *part);

/* Write a call of a function on @n values, at most 3.  If the result is
   complex, the function puts it into @variable.  Otherwise the id of @variable
   must be 0, and @type is the type of the result.  Returns the id of the
   result. */
uint32_t spirv_steps_call(struct spirv_steps *e, uint32_t function,
			  uint32_t type, struct spirv_value variable,
			  const struct spirv_value *x, int n);

/* spirv_steps_word(): load the word with index @at (schedule.h).
   spirv_steps_low_bits(): take the low @bits bits of a word, as a number of
   @type. */
uint32_t spirv_steps_word(struct spirv_steps *e, int at);
uint32_t spirv_steps_low_bits(struct spirv_steps *e, uint32_t word,
			      uint32_t type, unsigned bits);

/* Write loads of the values of all scalars.  This is done once, at the
   beginning of the kernel. */
void spirv_steps_scalars(struct spirv_steps *e);

/* spirv_steps_take(): the element with components @part becomes the value of
   step @i.  spirv_steps_give(): get the components of the value, as they are
   stored. */
void spirv_steps_take(struct spirv_steps *e, int i, const uint32_t *part);
void spirv_steps_give(struct spirv_steps *e, int i, uint32_t *part);

/*
 * Write the steps @set for one element, and set e->value of each step.  in[i]
 * has the components of input i.  Pass @fast = true to take the fast paths of
 * the steps.  Then e->any says whether a fast path was wrong for this element
 * or an earlier one.
 */
void spirv_steps_values(struct spirv_steps *e, uint64_t set, bool fast,
			const struct machine_element *in);

#endif
