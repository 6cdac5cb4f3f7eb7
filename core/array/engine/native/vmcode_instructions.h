/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode_instructions.h - a graph as a list of instructions.
 *
 * An instruction computes, loads or stores a value, and becomes one step of the
 * program (struct vm_step).  Operands are values, of which there may be any
 * number; registers are assigned later.  16-bit floats are computed as float32,
 * with casts before and after.
 */
#ifndef ARRAY_VMCODE_INSTRUCTIONS_H
#define ARRAY_VMCODE_INSTRUCTIONS_H

#include <dpr/dtype.h>

#include "core/array/engine/schedule.h"
#include "kernels/vm_rows.h"

/* The most values that are spread over rows. */
#define VMCODE_SPREADS 24
/* The most values.  Each step has up to three: a stored value, the same as
   float32, and a value before rounding. */
#define VMCODE_VALUES (3 * GRAPH_STEPS + GRAPH_RESULTS + VMCODE_SPREADS)
/* The most instructions.  Each step has an instruction for each of its values,
   and a load. Each result is stored, and may have to be copied before. */
#define VMCODE_INSTRUCTIONS \
	(4 * GRAPH_STEPS + 2 * GRAPH_RESULTS + VMCODE_SPREADS)
_Static_assert(VMCODE_VALUES + SCHEDULE_OPERANDS < VM_NONE, "slots are bytes");

enum { NO_VALUE = -1, NO_OPERAND = -1 };
enum { NO_INSTRUCTION = VM_LINK + 1 }; /* follows the values of enum vm_kind */

struct value {
	uint8_t dtype;
	bool kept;   /* the register of the value has no other use */
	int operand; /* the operand in whose slot the value is, or NO_OPERAND */
	int last;    /* the last instruction that reads the value */
	int slot;    /* the register of the value */
	/* For programs that compute rows.  narrow: there is one element for
	   each row.  scalar: the value is a scalar.  whole: the value is in a
	   register for whole rows.  spread_of: the value that this value
	   spreads over its row, or NO_VALUE. */
	bool narrow, scalar, whole;
	int spread_of;
};

struct instruction {
	uint8_t kind, unit, code, n;
	int out; /* a value; for a store, a result */
	int x[3];
};

struct scalar {
	int value, at;
};

/* A program under construction. */
struct maker {
	const struct graph *graph;
	const struct schedule *schedule;
	struct schedule_words words;
	int n_values, n_instructions, n_scalars, n_registers;
	/* the values of each step, as stored and as float32 */
	int stored[GRAPH_STEPS], wide[GRAPH_STEPS];
	struct value value[VMCODE_VALUES];
	struct instruction instruction[VMCODE_INSTRUCTIONS];
	struct scalar scalar[2 * GRAPH_SCALARS];
	/* For each register: the logarithm of its elements' size, and whether
	   it is in use. */
	uint8_t shift[VMCODE_VALUES];
	bool busy[VMCODE_VALUES];
	/* For programs that compute rows: the reductions, the number of spread
	   values, and the number of registers for whole rows.  overflows: a
	   limit of the program is exceeded. */
	struct vm_reducing reduce[VM_ROWS_REDUCTIONS];
	int n_reductions, n_spreads, n_whole;
	bool overflows;
};

static inline uint8_t vmcode_instructions_shift(unsigned dtype)
{
	return (uint8_t)__builtin_ctz(
		(unsigned)dpr_dtype_size((dpr_dtype)dtype));
}

static inline bool vmcode_instructions_is_half(unsigned dtype)
{
	return dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16;
}

/* Add a value, or an instruction. */
int vmcode_instructions_value(struct maker *m, unsigned dtype);
struct instruction *vmcode_instructions_add(struct maker *m, enum vm_kind kind,
					    int out);

/* Make the instructions of @m->graph. */
void vmcode_instructions_make(struct maker *m);

/* Take a free register, if possible with elements of this size, or a new
   register. */
int vmcode_instructions_register(struct maker *m, uint8_t shift);

/* Give each value that keeps its register a register of its own. */
void vmcode_instructions_keep(struct maker *m);

/* Whether @instruction is the exponential of float32 or float64. */
bool vmcode_instructions_is_exp(const struct instruction *instruction);

/* The code of the pair of operations @first and @second.  The value of @first
   is operand @k of @second.  -1: there is no such pair. */
int vmcode_instructions_pair_of(unsigned first, unsigned second, int k);

/* Let sums of rows compute the products and squares that they add. */
void vmcode_instructions_sum_products(struct maker *m);

/* Join cheap instructions into pairs.  Calling the function of a cheap
   operation takes as long as the operation. */
void vmcode_instructions_pair(struct maker *m);

#endif
