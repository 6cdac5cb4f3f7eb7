/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_steps.h - the steps of a graph as OpenCL C, for the other files of this
 * folder.
 *
 * In the text x0, x1, ... are the pointers of the operands, first the results,
 * then the inputs; v0, v1, ... are the values of the steps, and w has the words
 * of frame.h.
 */
#ifndef ARRAY_EMIT_STEPS_H
#define ARRAY_EMIT_STEPS_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/* A kernel being written. */
struct emission {
	const struct graph *graph;
	const struct frame *frame;
	struct frame_words words;
	struct text *out;
};

#define EMIT_STEPS(e, ...) text_print((e)->out, __VA_ARGS__)

/* The types of @dtype in the text: of an array's elements, and of values. */
const char *emit_steps_stored(unsigned dtype);
const char *emit_steps_computed(unsigned dtype);

/* The dtypes that the graph uses, as a set of bits. */
uint32_t emit_steps_dtypes(const struct graph *graph);

/* Write what stands before the first kernel: the functions of the dtypes @used,
   which round no values if @is_stored. */
void emit_steps_begin(uint32_t used, bool is_stored, struct text *out);

/* Whether operand @k has memory.  One that has none is a number where others
   are pointers. */
static inline bool emit_steps_has_memory(const struct emission *e, int k)
{
	return frame_has_memory(e->graph, k);
}

/* Declare the numbers x of the operands without memory. */
void emit_steps_numbers(const struct emission *e);

/* Write the type of a pointer to operand @k, an input. */
void emit_steps_pointer(const struct emission *e, int k);

/* Write element @index of the pointer with this name, x or p, of operand @k. */
__attribute__((format(printf, 4, 5))) void emit_steps_at(
	const struct emission *e, char name, int k, const char *index, ...);

/* Declare the values of the scalars. */
void emit_steps_scalars(const struct emission *e);

/* A set of steps has a bit for each; all of them. */
#define EMIT_STEPS_ALL (~UINT64_C(0))

/* Whether a step of @set has a fast path that some elements must not take. */
bool emit_steps_has_guards(const struct graph *graph, uint64_t set);

/* Whether an operation of @set is of the family of long functions. */
bool emit_steps_is_long(const struct graph *graph, uint64_t set);

/* How to begin a loop on a CPU that computes the steps @set for elements, and
   whose iterations touch different ones. */
const char *emit_steps_loop(const struct graph *graph, uint64_t set);

/* The elements, up to @n, of which a loop on a CPU should make one vector that
   stays in registers; 0: leave that to the compiler. */
int emit_steps_vector(const struct graph *graph, int n);

/* Begin a kernel, up to its parameters. */
void emit_steps_head(const struct emission *e, const char *name);

/* Writes where operand @k is, @place being as the caller likes. */
typedef void emit_steps_place(const struct emission *e, int k, int place);

/* Write the steps @set for one element, but for its scalars.  @fast: take the
   fast paths, and note in `any` whether one must not be taken. */
void emit_steps_values(const struct emission *e, uint64_t set, bool fast,
		       emit_steps_place *add_place, int place);

/* Declare what emit_steps_store() stores for true. */
void emit_steps_one(const struct emission *e);

/* Store the value of result @k. */
void emit_steps_store(const struct emission *e, int k,
		      emit_steps_place *add_place, int place);

/* Declare chunk0, chunk1, ...: private memory for up to @run elements of each
   result that is in @set, which has a bit for each. */
void emit_steps_chunks(const struct emission *e, unsigned set, int run);

/* Move the operands to where `rest` is along the axes from @first on, before
   @last.  @type: that of `rest`.  The indices are signed: at0, at1, ... move.
 */
void emit_steps_axes(const struct emission *e, const char *type, int first,
		     int last);

#endif
