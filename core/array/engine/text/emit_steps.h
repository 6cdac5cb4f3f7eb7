/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_steps.h - writes the steps of a graph as OpenCL C, for the other files
 * of this folder.
 *
 * In a kernel the variables x0, x1 and so on are the pointers of the operands:
 * first the results, then the inputs.  The variables v0, v1 and so on have the
 * values of the steps.  The variable w has the words of schedule.h.
 */
#ifndef ARRAY_EMIT_STEPS_H
#define ARRAY_EMIT_STEPS_H

#include "core/array/engine/text/text_number.h"
#include "core/base/text.h"

/* A kernel that is being written. */
struct emission {
	struct machine machine; /* must come first: text_machine.c casts it */
	struct text_numbers numbers;
	struct text *out;   /* the kernel's body */
	struct text locals; /* declarations of local memory */
	/* the number of arrays that begin_pack() has declared so far */
	unsigned packs;
	/* sum: the number of the current array of accumulators; the first
	   reduction of a kernel has number 1.  values: the number of
	   accumulators in this array.  summed: the step that is reduced. */
	unsigned sum, values;
	int summed;
	/* bit i is set if dtype i has an array in local memory, for join() */
	uint32_t shared;
};

#define EMIT_STEPS(e, ...) text_print((e)->out, __VA_ARGS__)

/* The types of @dtype in OpenCL C.  emit_steps_stored(): the type of elements
   in memory.  emit_steps_computed(): the type of values of steps. */
const char *emit_steps_stored(unsigned dtype);
const char *emit_steps_computed(unsigned dtype);

/* The dtypes that the graph uses: bit i stands for dtype i. */
uint32_t emit_steps_dtypes(const struct graph *graph);

/* Write the functions of kernels/step.cl for the dtypes @used (bit i stands for
   dtype i).  The functions come before the kernel.  Pass @is_stored = true if
   every value is stored, and so rounded: the functions then need not round. */
void emit_steps_begin(uint32_t used, bool is_stored, struct text *out);

/* emit_steps_element(): write an expression for element @x.
   emit_steps_element_type(): the type of elements of operand @k in memory. */
void emit_steps_element(const struct emission *e,
			const struct machine_element *x);
const char *emit_steps_element_type(const struct emission *e, int k);

/* Declare a variable for the value of each scalar. */
void emit_steps_scalars(const struct emission *e);

/* Whether any step of @set is an operation with a long function, of the family
   `math` (operations.h). */
bool emit_steps_is_long(const struct graph *graph, uint64_t set);

/* emit_steps_values(): write the steps @set for one element, except scalars.
   in[i] is the element of input i.  emit_steps_take(): element @x becomes the
   value of step @i. */
void emit_steps_values(const struct emission *e, uint64_t set,
		       const struct machine_element *in);
void emit_steps_take(const struct emission *e, int i,
		     const struct machine_element *x);

/* If a result is a bool, declare the variable `one`, which is stored for
   true. */
void emit_steps_one(const struct emission *e);

/* Write code that takes the variable `rest` apart into an index along each axis
   from @first on.  The code adds index times stride to the index @at[k] of each
   operand k.  @type is the type of `rest`.  The indices are signed. */
void emit_steps_axes(const struct emission *e, const char *type, int first,
		     const uint32_t *at);

#endif
