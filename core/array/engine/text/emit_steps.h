/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_steps.h - writes the steps of a graph as OpenCL C, for the other files
 * of this folder.
 *
 * In the text x0, x1, ... are the pointers of the operands: first the results,
 * then the inputs.  v0, v1, ... are the values of the steps, and w has the
 * words of schedule.h.
 */
#ifndef ARRAY_EMIT_STEPS_H
#define ARRAY_EMIT_STEPS_H

#include "core/array/engine/text/text_number.h"
#include "core/base/text.h"

/* A kernel under construction. */
struct emission {
	struct machine machine; /* the first member */
	struct text_numbers numbers;
	struct text *out;   /* the body */
	struct text locals; /* declarations of local memory */
	/* the number of packs that the text declares so far */
	unsigned packs;
	/* sum: the number of the array of accumulators; the arrays of a kernel
	   are numbered from 1.  values: how many accumulators the array has.
	   summed: the step that is reduced. */
	unsigned sum, values;
	int summed;
	/* bit i is set if dtype i has an array in local memory */
	uint32_t shared;
};

#define EMIT_STEPS(e, ...) text_print((e)->out, __VA_ARGS__)

/* The types of @dtype in OpenCL C: of elements in memory, and of values of
   steps. */
const char *emit_steps_stored(unsigned dtype);
const char *emit_steps_computed(unsigned dtype);

/* The dtypes that the graph uses: bit i stands for dtype i. */
uint32_t emit_steps_dtypes(const struct graph *graph);

/* Write the functions of the dtypes @used, which come before the kernel.  If
   @is_stored is set, these functions do not round, because storing a value
   rounds it. */
void emit_steps_begin(uint32_t used, bool is_stored, struct text *out);

/* emit_steps_element() writes an element.  emit_steps_element_type() is the
   type of elements of operand @k. */
void emit_steps_element(const struct emission *e,
			const struct machine_element *x);
const char *emit_steps_element_type(const struct emission *e, int k);

/* Declare the values of the scalars. */
void emit_steps_scalars(const struct emission *e);

/* Whether any operation of @set is a long function (the family `math`). */
bool emit_steps_is_long(const struct graph *graph, uint64_t set);

/* emit_steps_values() writes the steps @set for one element with the inputs
   @in, except the scalars.  emit_steps_take() sets the value of step @i to the
   element @x. */
void emit_steps_values(const struct emission *e, uint64_t set,
		       const struct machine_element *in);
void emit_steps_take(const struct emission *e, int i,
		     const struct machine_element *x);

/* Declare the variable for the value that is stored for true. */
void emit_steps_one(const struct emission *e);

/* Write code that takes the variable `rest` apart into indices along the axes
   from @first on, and moves the index @at of each operand by these indices.
   @type is the type of `rest`.  The indices are signed. */
void emit_steps_axes(const struct emission *e, const char *type, int first,
		     const uint32_t *at);

#endif
