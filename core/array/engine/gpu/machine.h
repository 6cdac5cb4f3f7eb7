/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - an abstract machine for GPU kernels: numbers, branches, loops,
 * memory and accumulators.
 *
 * The files of this folder write the loops and the accesses of kernels as
 * operations of this machine.  A printer is a table of functions that write
 * each operation as code: spirv/ writes SPIR-V, text/ writes OpenCL C.
 *
 * A number has 64 bits.  The printer gives out a handle for each number and
 * each condition, and no handle is 0.  A handle names a value in the kernel,
 * not in this process.  An index is a number that counts elements of an
 * operand.
 *
 * In a kernel that reduces, a work-item takes its elements in rounds
 * (gpu_rounds.h).  In any other kernel it takes them in a run (gpu_run.h).
 */
#ifndef ARRAY_MACHINE_H
#define ARRAY_MACHINE_H

#include "core/array/engine/schedule.h"

#define MACHINE_PARTS 2 /* the most components of an element */
#define MACHINE_RUN 16  /* the most elements or components of a run */
/* The most elements of a round, and the most accumulators. */
#define MACHINE_ROUND (SCHEDULE_REDUCE_COLUMN_SLOTS * MACHINE_RUN)

struct machine;

/* The index of a register in an array: n + slot * s + item * i.  s and i are
   the counters of loops in the kernel that machine_printer.each() writes: s
   over the slots of a round, and i over the elements of a pack.  If the printer
   repeats the bodies of these loops instead, slot and item are 0. */
struct machine_index {
	unsigned n, slot, item;
};
enum machine_each { MACHINE_SLOT, MACHINE_ROLLED_SLOT, MACHINE_ITEM };
typedef void machine_body(void *context, struct machine_index at);

/* An element in its stored form. */
struct machine_element {
	uint32_t part[MACHINE_PARTS];
};

/* An array of elements in registers. */
struct machine_pack {
	int k;      /* the operand of the elements */
	unsigned n; /* the number of elements */
	/* the number of elements in an access of load_pack() or store_pack();
	   0: neither is used */
	unsigned vector;
	unsigned name; /* the printer's own name of the array */
	struct machine_element at[MACHINE_ROUND];
};

/* How the code of the steps is written.  TOGETHER: for each element of a round
   or a run.  BY_SLOT: for each element of a slot, in a loop over slots.
   BY_ELEMENT: for one element, in a loop over elements. */
enum machine_way { MACHINE_TOGETHER, MACHINE_BY_SLOT, MACHINE_BY_ELEMENT };

enum machine_operation {
	MACHINE_SUM,
	MACHINE_DIFFERENCE,
	MACHINE_PRODUCT,
	MACHINE_QUOTIENT,
	MACHINE_BELOW /* whether a < b */
};

/* The number of the work-item, of its group, and of the work-item in the group.
   A kernel asks for at most two of these, each once. */
enum machine_id { MACHINE_GLOBAL, MACHINE_GROUP, MACHINE_LOCAL };

/* A branch and a loop.  Their members are handles that the printer sets.  Other
   files read only `at`, the counter of a loop. */
struct machine_if {
	uint32_t then, otherwise, end;
};
struct machine_loop {
	uint32_t at;   /* the counter */
	uint32_t step; /* of the counter */
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
	/* Divide *@rest by @n, and return the remainder.  @small: all numbers
	   are less than 2^31, so that a division of 32 bits, which is faster,
	   will do. */
	uint32_t (*split)(struct machine *m, bool small, uint32_t *rest,
			  uint32_t n);
	/* Compute @x at this point of the kernel, and not where it is used.  In
	   OpenCL C @x becomes a variable with the name @name.  If @k is not -1,
	   it is the number of an operand and is added to the name. */
	uint32_t (*name)(struct machine *m, const char *name, int k,
			 uint32_t x);

	/* --- Where to go on --- */
	/* Call @body to write code for each of @n registers: once inside a loop
	   of the kernel, or @n times.  The driver's compiler is told to unroll
	   the loop, except for MACHINE_ROLLED_SLOT. */
	void (*each)(struct machine *m, unsigned n, enum machine_each which,
		     machine_body *body, void *context);
	/* Begin code for an element or a pack that may be missing.  The code up
	   to end_needed() runs only if @condition holds.  NULL: the format has
	   no such branches.  Its kernels compute missing elements, too, and
	   add() drops their values. */
	void (*begin_needed)(struct machine *m, uint32_t condition);
	void (*end_needed)(struct machine *m);
	/* Begin a branch: the code up to end_if() runs if @condition holds; 0:
	   always. */
	void (*begin_if)(struct machine *m, struct machine_if *f,
			 uint32_t condition);
	void (*begin_else)(struct machine *m, struct machine_if *f);
	void (*end_if)(struct machine *m, struct machine_if *f);
	/* Begin a loop that counts from @begin on in steps of @step, below
	   @end. */
	void (*begin_loop)(struct machine *m, struct machine_loop *loop,
			   uint32_t begin, uint32_t end, uint32_t step);
	void (*end_loop)(struct machine *m, struct machine_loop *loop);
	/* The value of the counter after the loop has ended. */
	uint32_t (*next)(struct machine *m, const struct machine_loop *loop);
	/* End the work-item: always, or unless @condition holds. */
	void (*leave)(struct machine *m);
	void (*leave_unless)(struct machine *m, uint32_t condition);
	/* Wait for the other work-items of the group, and for their stores to
	   local memory. */
	void (*barrier)(struct machine *m);

	/* --- Memory --- */
	/* load(): element @index of operand @k.  If the operand has no memory,
	   the element is @index itself.  store(): store such an element. */
	struct machine_element (*load)(struct machine *m, int k,
				       uint32_t index);
	void (*store)(struct machine *m, int k, uint32_t index,
		      const struct machine_element *x);
	/* Have the kernel load element @x at this point, not at its first use.
	 */
	struct machine_element (*keep)(struct machine *m, int k,
				       const struct machine_element *x);
	/* begin_pack() declares an array of registers.  put() sets one of its
	   elements, and get() returns one. */
	void (*begin_pack)(struct machine *m, struct machine_pack *pack);
	void (*put)(struct machine *m, struct machine_pack *pack,
		    struct machine_index at, const struct machine_element *x);
	struct machine_element (*get)(struct machine *m,
				      const struct machine_pack *pack,
				      struct machine_index at);
	/* load_pack(): copy @n contiguous elements of an operand, from @index
	   on, to the elements of the pack from @at on.  store_pack(): copy them
	   back.  Each is a single aligned access of up to 16 bytes. */
	void (*load_pack)(struct machine *m, struct machine_pack *pack,
			  struct machine_index at, unsigned n, uint32_t index);
	void (*store_pack)(struct machine *m, const struct machine_pack *pack,
			   struct machine_index at, unsigned n, uint32_t index);
	/* local(): declare an array of @n elements of operand @k in local
	   memory.  load_local() and store_local() access it. */
	uint32_t (*local)(struct machine *m, int k, unsigned n);
	struct machine_element (*load_local)(struct machine *m, int k,
					     uint32_t array, uint32_t index);
	void (*store_local)(struct machine *m, int k, uint32_t array,
			    uint32_t index, const struct machine_element *x);
	/* begin() sets at[k] to the offset of operand k.  axes() takes the
	   number @rest apart into indices along the axes from @first on, and
	   adds index times stride to each at[k]. */
	void (*begin)(struct machine *m, uint32_t *at);
	void (*axes)(struct machine *m, int first, uint32_t rest, uint32_t *at);

	/* --- Steps --- */
	/* Choose how to write the steps @set for @n elements of a round or a
	   run.  @fast: the steps of a run take their fast paths. */
	enum machine_way (*way)(struct machine *m, uint64_t set, unsigned n,
				bool fast);
	/* Compute the steps @set for an element whose inputs are @in.  If @fast
	   is set, the steps take their fast paths, which give wrong values for
	   a few operands (kernels/step.cl). */
	void (*steps)(struct machine *m, uint64_t set, bool fast,
		      const struct machine_element *in);
	/* is_guarded(): whether any step has a fast path.  check_fast(): after
	   steps() with @fast set, jump to the end of @f if a fast path gave a
	   wrong value. */
	bool (*is_guarded)(struct machine *m);
	void (*check_fast)(struct machine *m, const struct machine_if *f);
	/* take() makes @x the value of step @i.  give() returns the value of
	   step @i as an element. */
	void (*take)(struct machine *m, int i, const struct machine_element *x);
	struct machine_element (*give)(struct machine *m, int i);

	/* --- Accumulators of the schedule's reduction --- */
	/* Set @n accumulators to the value with which the reduction begins.
	   Later calls of add() combine the values of step @step with them. */
	void (*begin_values)(struct machine *m, int step, unsigned n);
	/* load_values() comes before code that changes the first @n
	   accumulators, and store_values() after it. */
	void (*load_values)(struct machine *m, unsigned n);
	void (*store_values)(struct machine *m, unsigned n);
	/* Combine the value of the step with accumulator @at.  If @condition is
	   not 0, do so only where @condition holds. */
	void (*add)(struct machine *m, struct machine_index at,
		    uint32_t condition);
	/* Rotate the accumulators, so that accumulator @by becomes the first.
	 */
	void (*rotate)(struct machine *m, unsigned by);
	/* Combine @n accumulators in a tree, by halves, into the first of them,
	   accumulator @at.  Their numbers are @apart apart. */
	void (*halves)(struct machine *m, unsigned n, unsigned apart,
		       struct machine_index at);
	/*
	 * join() combines accumulator 0 of all work-items of a team, in local
	 * memory.  @team is the number of work-items in a team; 0: the number
	 * is a word of the launch.  All work-items of the group must execute
	 * this code.  @item is the number of the work-item in the group, and
	 * @member its number in the team.  Afterwards joined() sets accumulator
	 * 0 of a team's first work-item to the outcome, and share() sets it in
	 * all work-items.
	 */
	void (*join)(struct machine *m, unsigned team, uint32_t item,
		     uint32_t member);
	void (*joined)(struct machine *m, uint32_t item);
	void (*share)(struct machine *m, uint32_t item, uint32_t member);
	/* Turn accumulator @at into a result: divide a sum if the reduction is
	   a mean, and cast to the dtype of the results. */
	struct machine_element (*finish)(struct machine *m,
					 struct machine_index at);
};

/* A kernel under construction. */
struct machine {
	const struct machine_printer *as;
	const struct graph *graph;
	const struct schedule *schedule;
	struct schedule_words words;
};

/* The set of all steps.  In a set of steps, bit i stands for step i. */
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

/* The stride of operand @k along axis @d. */
static inline uint32_t machine_stride(struct machine *m, int k, int d)
{
	return m->as->word(m, m->words.stride +
				      d * schedule_operands(m->graph) + k);
}

static inline struct machine_index machine_at(unsigned n)
{
	return (struct machine_index){ .n = n };
}

/* The index @a * @by + @b. */
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

/* The dtype of the results of a schedule that reduces. */
static inline unsigned machine_result(const struct schedule *schedule)
{
	return schedule->result ? schedule->result : schedule->sum;
}

/* The dtype of operand @k. */
static inline unsigned machine_dtype(const struct machine *m, int k)
{
	return k > 0 || !schedule_reduces(m->schedule) ||
			       m->schedule->kind == SCHEDULE_STAGES
		       ? schedule_operand(m->graph, k)
		       : machine_result(m->schedule);
}

#endif
