/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode_instructions.h - a graph as a list of instructions.
 *
 * An instruction computes, loads or stores a value: a block of elements.  Each
 * instruction becomes a step of the program (struct vm_step).  Values have no
 * registers at first: vmcode.c and vmcode_rows.c assign registers to values
 * later.  16-bit floats are computed as float32, with casts before and after.
 */
#ifndef ARRAY_VMCODE_INSTRUCTIONS_H
#define ARRAY_VMCODE_INSTRUCTIONS_H

#include <dpr/dtype.h>

#include "core/array/engine/schedule.h"
#include "kernels/vm_rows.h"

/* The most spread values.  A spread value repeats a value of the row for each
   element of the row (struct vmcode_value). */
#define VMCODE_SPREADS 24
/* The most values.  Each step of a graph has up to three: a value in its stored
   form, the same value as float32, and a value before rounding. */
#define VMCODE_VALUES (3 * GRAPH_STEPS + GRAPH_RESULTS + VMCODE_SPREADS)
/* The most instructions.  Each step of a graph has an instruction for each of
   its values, and a load.  Each result is stored, and may be copied before. */
#define VMCODE_INSTRUCTIONS \
	(4 * GRAPH_STEPS + 2 * GRAPH_RESULTS + VMCODE_SPREADS)
_Static_assert(VMCODE_VALUES + SCHEDULE_OPERANDS < VM_NONE, "slots are bytes");

enum { NO_VALUE = -1, NO_OPERAND = -1 };
enum { NO_INSTRUCTION = VM_PUT + 1 }; /* follows the values of enum vm_kind */

struct vmcode_value {
	uint8_t dtype;
	/* set if no other value may use the register of this value */
	bool kept;
	/* the operand in whose memory the value lies, or NO_OPERAND */
	int operand;
	int last; /* the last instruction that reads the value, or -1 */
	int slot; /* the register of the value, or -1 */
	/* scalar: set if the value is a scalar.  narrow, whole and spread_of
	   are for programs that compute rows.  narrow: set if the value has
	   only one element for each row.  whole: set if a later section needs
	   the value; its register then has room for whole rows.  spread_of: the
	   narrow value that this value repeats for each element of a row, or
	   NO_VALUE. */
	bool narrow, scalar, whole;
	int spread_of;
};

/* An instruction.  Its kind, unit and code are those of struct vm_step. */
struct instruction {
	uint8_t kind, unit, code, n;
	bool single; /* see struct vm_step */
	/* the value that the instruction computes; for a VM_STORE and a VM_PUT,
	   the number of the result */
	int out;
	int x[3]; /* the operands: the numbers of n values */
};

/* A scalar of the graph: its number `at`, and the number of its value in the
   program. */
struct scalar {
	int value, at;
};

/* A program under construction. */
struct maker {
	const struct graph *graph;
	const struct schedule *schedule;
	struct schedule_words words;
	int n_values, n_instructions, n_scalars, n_registers;
	/* stored[i]: the value of step i, with elements as an array stores
	   them.  wide[i]: if step i is a 16-bit float, its value as float32.
	   NO_VALUE: the value has not been added so far. */
	int stored[GRAPH_STEPS], wide[GRAPH_STEPS];
	struct vmcode_value value[VMCODE_VALUES];
	struct instruction instruction[VMCODE_INSTRUCTIONS];
	struct scalar scalar[2 * GRAPH_SCALARS];
	/* For each register: the binary logarithm of an element's size in
	   bytes, and whether the register is in use. */
	uint8_t shift[VMCODE_VALUES];
	bool busy[VMCODE_VALUES];
	/* For programs that compute rows: the reductions, their number, the
	   number of spread values, and the number of registers for whole rows.
	   overflows: set if a limit of the program is exceeded. */
	struct vm_reducing reduce[VM_ROWS_REDUCTIONS];
	int n_reductions, n_spreads, n_whole;
	bool overflows;
};

/* The binary logarithm of the size of an element in bytes. */
static inline uint8_t vmcode_instructions_shift(unsigned dtype)
{
	return (uint8_t)__builtin_ctz(
		(unsigned)dpr_dtype_size((dpr_dtype)dtype));
}

static inline bool vmcode_instructions_is_half(unsigned dtype)
{
	return dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16;
}

/* vmcode_instructions_value(): add a value of @dtype, and return its number.
   vmcode_instructions_add(): add an instruction with result @out, without
   operands. */
int vmcode_instructions_value(struct maker *m, unsigned dtype);
struct instruction *vmcode_instructions_add(struct maker *m, enum vm_kind kind,
					    int out);

/* Make the instructions of @m->graph. */
void vmcode_instructions_make(struct maker *m);

/* Take a free register, or add a register if none is free.  A free register
   whose elements have the size 2^@shift is preferred.  Returns the number of
   the register. */
int vmcode_instructions_register(struct maker *m, uint8_t shift);

/* Give each value that is `kept` a register. */
void vmcode_instructions_keep(struct maker *m);

/* Whether @instruction computes exp() of float32 or float64. */
bool vmcode_instructions_is_exp(const struct instruction *instruction);

/* A pair is a function that computes two operations on a block (kernels/vm.h).
   Returns the code of the pair in which the value of operation @first is
   operand @k of operation @second.  -1: there is no such pair.  If @second is a
   square root, @first may be a pair itself. */
int vmcode_instructions_pair_of(unsigned first, unsigned second, int k);

/* Let sums of rows compute the products and squares that they add up.  The
   instructions that computed these products and squares are dropped. */
void vmcode_instructions_sum_products(struct maker *m);

/* Join cheap instructions into pairs, because calling the function of a cheap
   operation takes as long as the operation. */
void vmcode_instructions_pair(struct maker *m);

#endif
