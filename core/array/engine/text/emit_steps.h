/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_steps.h - writes the steps of a graph as OpenCL C, for the other files
 * of this folder.
 *
 * In the text x0, x1, ...  are the pointers of the operands: first the results,
 * then the inputs.  v0, v1, ...  are the values of the steps, and w has the
 * words of frame.h.
 */
#ifndef ARRAY_EMIT_STEPS_H
#define ARRAY_EMIT_STEPS_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/* A kernel under construction. */
struct emission {
	const struct graph *graph;
	const struct frame *frame;
	struct frame_words words;
	struct text *out;
};

#define EMIT_STEPS(e, ...) text_print((e)->out, __VA_ARGS__)

/* The types of @dtype in the text: of stored elements, and of values. */
const char *emit_steps_stored(unsigned dtype);
const char *emit_steps_computed(unsigned dtype);

/* The dtypes that the graph uses, as a set of bits. */
uint32_t emit_steps_dtypes(const struct graph *graph);

/* Write the text before the first kernel: the functions of the dtypes @used.
   With @is_stored these functions do not round. */
void emit_steps_begin(uint32_t used, bool is_stored, struct text *out);

/* Whether operand @k has memory.  In the text, an operand without memory is a
   number instead of a pointer. */
static inline bool emit_steps_has_memory(const struct emission *e, int k)
{
	return frame_has_memory(e->graph, k);
}

/* Declare the numbers x of the operands without memory. */
void emit_steps_numbers(const struct emission *e);

/* Write element @index of operand @k. */
__attribute__((format(printf, 3, 4))) void emit_steps_at(
	const struct emission *e, int k, const char *index, ...);

/* Declare the values of the scalars. */
void emit_steps_scalars(const struct emission *e);

/* The set of all steps.  A set has a bit for each step. */
#define EMIT_STEPS_ALL (~UINT64_C(0))

/* Whether any operation of @set is a long function. */
bool emit_steps_is_long(const struct graph *graph, uint64_t set);

/* Begin a kernel, up to its parameters. */
void emit_steps_head(const struct emission *e, const char *name);

/* Writes the place of operand @k.  The caller defines the meaning of @place. */
typedef void emit_steps_place(const struct emission *e, int k, int place);

/* Write the steps @set for one element, except the scalars. */
void emit_steps_values(const struct emission *e, uint64_t set,
		       emit_steps_place *add_place, int place);

/* Declare the value that emit_steps_store() stores for true. */
void emit_steps_one(const struct emission *e);

/* Store the value of result @k. */
void emit_steps_store(const struct emission *e, int k,
		      emit_steps_place *add_place, int place);

/* Move the operands at0, at1, ...  by the indices of `rest` along the axes from
   @first to @last - 1.  @type: the type of `rest`.  The indices are signed. */
void emit_steps_axes(const struct emission *e, const char *type, int first,
		     int last);

#endif
