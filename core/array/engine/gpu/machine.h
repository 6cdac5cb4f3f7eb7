/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - an abstract machine.  The files of this folder compose kernels
 * for GPUs from its operations.
 *
 * A printer is a struct machine_printer, a table of functions.  Each function
 * appends one operation to a kernel, such as an addition, a branch or a load.
 * There are two printers: spirv/ writes the operations as SPIR-V, and text/
 * writes them as OpenCL C.
 *
 * A function such as compute() returns a handle, which is not 0.  The handle
 * names a value that the kernel has when it runs.  A handle stands for a number
 * of 64 bits, or for a condition (true or false).  An index is a number that
 * counts elements of an operand.
 *
 * In a kernel that reduces, a work-item takes its elements in rounds
 * (gpu_rounds.h).  In any other kernel a work-item takes a run of elements
 * (gpu_run.h).
 */
#ifndef ARRAY_MACHINE_H
#define ARRAY_MACHINE_H

#include "core/array/engine/schedule.h"

#define MACHINE_PARTS 2 /* most components of an element: 2 if complex */
#define MACHINE_RUN 16  /* the most components of all elements of a run */
/* The most elements of a work-item in a round, and the most accumulators of a
   work-item. */
#define MACHINE_ROUND (SCHEDULE_REDUCE_COLUMN_SLOTS * MACHINE_RUN)

struct machine;

/* An index into an array of registers: n + slot * s + item * i.  s and i are
   the counters of loops that machine_printer.each() writes into the kernel.  s
   counts the slots of a round, and i counts the elements of a pack.  If the
   printer writes the bodies of these loops several times instead, slot and item
   are 0. */
struct machine_index {
	unsigned n, slot, item;
};
enum machine_each { MACHINE_SLOT, MACHINE_ROLLED_SLOT, MACHINE_ITEM };
typedef void machine_body(void *context, struct machine_index at);

/* An element as it is in memory.  SPIR-V has a handle for each component.
   OpenCL C has one handle, part[0], for the whole element. */
struct machine_element {
	uint32_t part[MACHINE_PARTS];
};

/* Elements of an operand, in an array of registers of a work-item. */
struct machine_pack {
	int k;      /* the number of the operand */
	unsigned n; /* the number of elements */
	/* the number of elements that load_pack() or store_pack() copies in a
	   call; 0: neither function is called */
	unsigned vector;
	unsigned name; /* a number by which the printer knows the array */
	struct machine_element at[MACHINE_ROUND];
};

/* How the code of the steps is written.  MACHINE_TOGETHER: for all elements of
   a round or a run, in loops that are unrolled.  MACHINE_BY_SLOT: for the
   elements of one slot, in a loop over slots.  MACHINE_BY_ELEMENT: for one
   element, in a loop over elements. */
enum machine_way { MACHINE_TOGETHER, MACHINE_BY_SLOT, MACHINE_BY_ELEMENT };

enum machine_operation {
	MACHINE_SUM,
	MACHINE_DIFFERENCE,
	MACHINE_PRODUCT,
	MACHINE_QUOTIENT,
	MACHINE_BELOW,  /* the condition a < b */
	MACHINE_REACHES /* the condition a >= b of signed numbers */
};

/* The global number of a work-item, the number of its group, and its number in
   the group.  A kernel asks for at most two of the three numbers, and for each
   number only once. */
enum machine_id { MACHINE_GLOBAL, MACHINE_GROUP, MACHINE_LOCAL };

/* The state of a branch or a loop that is being written.  The printer sets the
   members.  Other files read only machine_loop.at. */
struct machine_if {
	uint32_t then, otherwise, end;
};
struct machine_loop {
	uint32_t at;   /* the loop's counter, a number */
	uint32_t step; /* added to the counter in each turn */
	uint32_t variable, head, more, end;
};

struct machine_printer {
	/* --- Numbers --- */
	uint32_t (*number)(struct machine *m, uint64_t value);
	uint32_t (*index)(struct machine *m, struct machine_index at);
	uint32_t (*word)(struct machine *m, int at);
	uint32_t (*id)(struct machine *m, enum machine_id which);
	uint32_t (*compute)(struct machine *m, enum machine_operation op,
			    uint32_t a, uint32_t b);
	uint32_t (*choose)(struct machine *m, uint32_t condition, uint32_t then,
			   uint32_t otherwise);
	/* Write a division of *@rest by @n.  *@rest becomes the quotient, and
	   the remainder is returned.  Pass @small = true if all numbers are
	   less than 2^31: a division of 32 bits is then enough, and is
	   faster. */
	uint32_t (*split)(struct machine *m, bool small, uint32_t *rest,
			  uint32_t n);
	/* Have the kernel compute @x here, and only here.  Returns the handle
	   to use from now on.  In OpenCL C @x becomes a variable called @name;
	   without a variable the text of @x is repeated at each use.  If @k is
	   not -1, the number @k of an operand is appended to @name. */
	uint32_t (*name)(struct machine *m, const char *name, int k,
			 uint32_t x);

	/* --- Where to go on --- */
	/* Write code for each of @n slots or elements, as @which says.  SPIR-V
	   calls @body @n times.  OpenCL C writes a loop, and calls @body once
	   to write the loop's body.  A pragma has the driver's compiler unroll
	   this loop, unless @which is MACHINE_ROLLED_SLOT. */
	void (*each)(struct machine *m, unsigned n, enum machine_each which,
		     machine_body *body, void *context);
	/* Begin code for an element or a pack that may be beyond the end of the
	   row.  The code up to end_needed() runs only if @condition holds.  In
	   SPIR-V both functions are NULL: kernels also compute elements beyond
	   the end, and add() leaves their values out. */
	void (*begin_needed)(struct machine *m, uint32_t condition);
	void (*end_needed)(struct machine *m);
	/* Begin a branch.  The code up to begin_else() or end_if() runs if
	   @condition holds.  If @condition is 0, this code always runs. */
	void (*begin_if)(struct machine *m, struct machine_if *f,
			 uint32_t condition);
	void (*begin_else)(struct machine *m, struct machine_if *f);
	void (*end_if)(struct machine *m, struct machine_if *f);
	/* Begin a loop.  Its counter has the values @begin, @begin + @step and
	   so on, as long as they are less than @end. */
	void (*begin_loop)(struct machine *m, struct machine_loop *loop,
			   uint32_t begin, uint32_t end, uint32_t step);
	void (*end_loop)(struct machine *m, struct machine_loop *loop);
	/* Return the value of the counter after the loop. */
	uint32_t (*next)(struct machine *m, const struct machine_loop *loop);
	/* leave(): return from the kernel.  leave_unless(): return from the
	   kernel unless @condition holds. */
	void (*leave)(struct machine *m);
	void (*leave_unless)(struct machine *m, uint32_t condition);
	/* A barrier: all work-items of the group wait here for each other.
	   Then each sees what the others have stored in local memory. */
	void (*barrier)(struct machine *m);

	/* --- Memory --- */
	/* load(): load element @index of operand @k.  The element of an operand
	   without memory is @index itself.  store(): store element @x. */
	struct machine_element (*load)(struct machine *m, int k,
				       uint32_t index);
	void (*store)(struct machine *m, int k, uint32_t index,
		      const struct machine_element *x);
	/* Have the kernel load element @x of operand @k here.  Without this
	   call, OpenCL C loads the element again at each use. */
	struct machine_element (*keep)(struct machine *m, int k,
				       const struct machine_element *x);
	/* begin_pack() declares the registers of @pack.  put() sets element @at
	   of @pack to @x, and get() returns element @at. */
	void (*begin_pack)(struct machine *m, struct machine_pack *pack);
	void (*put)(struct machine *m, struct machine_pack *pack,
		    struct machine_index at, const struct machine_element *x);
	struct machine_element (*get)(struct machine *m,
				      const struct machine_pack *pack,
				      struct machine_index at);
	/* load_pack(): copy @n contiguous elements of the pack's operand, from
	   @index on, to the elements of @pack from @at on.  store_pack(): copy
	   from the elements of @pack to memory.  Each is a single aligned
	   access of up to 16 bytes. */
	void (*load_pack)(struct machine *m, struct machine_pack *pack,
			  struct machine_index at, unsigned n, uint32_t index);
	void (*store_pack)(struct machine *m, const struct machine_pack *pack,
			   struct machine_index at, unsigned n, uint32_t index);
	/* local(): declare an array in local memory, for @n elements of operand
	   @k.  Returns the handle of the array.  load_local() and store_local()
	   access element @index of @array. */
	uint32_t (*local)(struct machine *m, int k, unsigned n);
	struct machine_element (*load_local)(struct machine *m, int k,
					     uint32_t array, uint32_t index);
	void (*store_local)(struct machine *m, int k, uint32_t array,
			    uint32_t index, const struct machine_element *x);
	/* at[k] is an index in operand k.  begin() sets at[k] to the offset of
	   the operand.  @rest is the number of an element, counted along axis
	   @first, then along the next axis, and so on.  axes() takes @rest
	   apart into an index along each of these axes, and adds index times
	   stride to each at[k]. */
	void (*begin)(struct machine *m, uint32_t *at);
	void (*axes)(struct machine *m, int first, uint32_t rest, uint32_t *at);

	/* --- Steps --- */
	/* Choose how to write the steps @set for @n elements.  Pass @fast =
	   true if the elements are a run whose steps take their fast paths. */
	enum machine_way (*way)(struct machine *m, uint64_t set, unsigned n,
				bool fast);
	/* Write the steps @set for one element.  in[i] is the element of input
	   i.  If the input is a source and in[i] is all zeros, the step loads
	   the element itself.  Pass @fast = true to take the fast paths of
	   steps that have one.  A fast path is short code that is wrong for a
	   few values (kernels/step.cl). */
	void (*steps)(struct machine *m, uint64_t set, bool fast,
		      const struct machine_element *in);
	/* is_guarded(): whether any step has a fast path.  check_fast(): call
	   this after steps() with @fast set.  If a fast path was wrong, the
	   kernel jumps to the end of the branch @f.  The caller writes the slow
	   form after that branch. */
	bool (*is_guarded)(struct machine *m);
	void (*check_fast)(struct machine *m, const struct machine_if *f);
	/* take(): element @x becomes the value of step @i.  give(): the value
	   of step @i becomes an element.  value(): return the handle of the
	   number that is the value of step @i, an int64. */
	void (*take)(struct machine *m, int i, const struct machine_element *x);
	struct machine_element (*give)(struct machine *m, int i);
	uint32_t (*value)(struct machine *m, int i);

	/* --- Accumulators of the schedule's reduction --- */
	/* Make @n accumulators, and set them to the value with which the
	   reduction begins, such as 0 for a sum.  Later calls of add() combine
	   the values of step @step with the accumulators. */
	void (*begin_values)(struct machine *m, int step, unsigned n);
	/* Call load_values() before code that uses the first @n accumulators,
	   and store_values() after code that changes them. */
	void (*load_values)(struct machine *m, unsigned n);
	void (*store_values)(struct machine *m, unsigned n);
	/* Combine the value of the step with accumulator @at.  If @condition is
	   not 0, the kernel does so only if @condition holds. */
	void (*add)(struct machine *m, struct machine_index at,
		    uint32_t condition);
	/* Rotate the accumulators: number @by becomes number 0, number @by + 1
	   becomes number 1, and so on. */
	void (*rotate)(struct machine *m, unsigned by);
	/* Combine @n accumulators in a binary tree.  Their numbers are @at, @at
	   + @apart and so on, and @n is a power of two.  The outcome is in
	   accumulator @at. */
	void (*halves)(struct machine *m, unsigned n, unsigned apart,
		       struct machine_index at);
	/*
	 * join() combines accumulator 0 of all work-items of a team, in local
	 * memory.  @team is the number of work-items in a team; 0: the launch
	 * passes this number as a word.  All work-items of the group must
	 * execute the code.  @item is the number of the work-item in the group,
	 * and @member is its number in the team.
	 *
	 * A call of joined() or share() must follow.  joined() gives the
	 * outcome to accumulator 0 of a team's first work-item.  share() gives
	 * the outcome to accumulator 0 of all work-items.
	 */
	void (*join)(struct machine *m, unsigned team, uint32_t item,
		     uint32_t member);
	void (*joined)(struct machine *m, uint32_t item);
	void (*share)(struct machine *m, uint32_t item, uint32_t member);
	/* Make a result of accumulator @at.  If the reduction is a mean, the
	   sum is divided by the number of elements.  Then the value is cast to
	   the dtype of the results.  Returns the element to store. */
	struct machine_element (*finish)(struct machine *m,
					 struct machine_index at);
};

/* A kernel that is being written.  `as` is its printer. */
struct machine {
	const struct machine_printer *as;
	const struct graph *graph;
	const struct schedule *schedule;
	struct schedule_words words;
};

/* The set of all steps.  A set of steps is a mask in which bit i stands for
   step i. */
#define MACHINE_ALL (~UINT64_C(0))

static inline uint32_t machine_sum(struct machine *m, uint32_t a, uint32_t b)
{
	return m->as->compute(m, MACHINE_SUM, a, b);
}

static inline uint32_t machine_product(struct machine *m, uint32_t a,
				       uint32_t b)
{
	return m->as->compute(m, MACHINE_PRODUCT, a, b);
}

static inline uint32_t machine_is_below(struct machine *m, uint32_t a,
					uint32_t b)
{
	return m->as->compute(m, MACHINE_BELOW, a, b);
}

/* The stride of operand @k along axis @d, in elements. */
static inline uint32_t machine_stride(struct machine *m, int k, int d)
{
	return m->as->word(m, m->words.stride +
				      d * schedule_operands(m->graph) + k);
}

static inline struct machine_index machine_at(unsigned n)
{
	return (struct machine_index){ .n = n };
}

/* The index @a * @by + @b into an array of registers. */
static inline struct machine_index machine_place(struct machine_index a,
						 unsigned by,
						 struct machine_index b)
{
	return (struct machine_index){ a.n * by + b.n, a.slot * by + b.slot,
				       a.item * by + b.item };
}

static inline bool machine_is_zero(struct machine_index at)
{
	return !(at.n | at.slot | at.item);
}

/* The dtype of the elements that a reduction stores.  The first of two passes
   stores accumulated values. */
static inline unsigned machine_result(const struct schedule *schedule)
{
	return schedule->result ? schedule->result : schedule->sum;
}

/* The dtype of operand @k in memory. */
static inline unsigned machine_dtype(const struct machine *m, int k)
{
	return k > 0 || !schedule_reduces(m->schedule) ||
			       m->schedule->kind == SCHEDULE_STAGES
		       ? schedule_operand(m->graph, k)
		       : machine_result(m->schedule);
}

#endif
