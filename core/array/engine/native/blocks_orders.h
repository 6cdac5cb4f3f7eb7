/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks_orders.h - a graph as a list of orders on values, of which there can
 * be any number; 16-bit floats are computed as float32 there, with casts
 * around.
 */
#ifndef ARRAY_BLOCKS_ORDERS_H
#define ARRAY_BLOCKS_ORDERS_H

#include <dpr/dtype.h>

#include "core/array/engine/frame.h"
#include "kernels/block_rows.h"

/* Values that are spread over rows. */
#define BLOCKS_SPREADS 24
/* For each step: a value as stored, one as float32, and one before rounding. */
#define BLOCKS_VALUES (3 * GRAPH_STEPS + GRAPH_RESULTS + BLOCKS_SPREADS)
/* For each step: an order for each of its values, and a load.  Each result may
   have to be copied, and is stored. */
#define BLOCKS_ORDERS (4 * GRAPH_STEPS + 2 * GRAPH_RESULTS + BLOCKS_SPREADS)
_Static_assert(BLOCKS_VALUES + FRAME_OPERANDS < BLOCK_NONE, "slots are bytes");

enum { NO_VALUE = -1, NO_OPERAND = -1 };
enum { NO_ORDER = BLOCK_LINK + 1 }; /* after enum block_kind */

struct value {
	uint8_t dtype;
	bool kept;   /* its register has no other use */
	int operand; /* whose slot it has, or NO_OPERAND */
	int last;    /* the last order that reads it */
	int slot;    /* its register */
	/* Of rows: one element for each row, or a scalar; it is in a register
	   for whole rows; the value that is spread, or NO_VALUE. */
	bool narrow, scalar, whole;
	int spread_of;
};

struct order {
	uint8_t kind, unit, code, n;
	int out; /* a value; of a store, a result */
	int x[3];
};

struct scalar {
	int value, at;
};

/* A program being made. */
struct maker {
	const struct graph *graph;
	const struct frame *frame;
	struct frame_words words;
	int n_values, n_orders, n_scalars, n_registers;
	int stored[GRAPH_STEPS], wide[GRAPH_STEPS]; /* values of the steps */
	struct value value[BLOCKS_VALUES];
	struct order order[BLOCKS_ORDERS];
	struct scalar scalar[2 * GRAPH_SCALARS];
	/* Of each register: the logarithm of the size of its elements, and
	   whether it has a value now. */
	uint8_t shift[BLOCKS_VALUES];
	bool busy[BLOCKS_VALUES];
	/* Of rows: the reductions, the registers for whole rows, and whether
	   there are too many of anything. */
	struct block_folding fold[BLOCK_ROWS_FOLDS];
	int n_folds, n_spreads, n_whole;
	bool overflows;
};

static inline uint8_t blocks_orders_shift(unsigned dtype)
{
	return (uint8_t)__builtin_ctz(
		(unsigned)dpr_dtype_size((dpr_dtype)dtype));
}

static inline bool blocks_orders_is_half(unsigned dtype)
{
	return dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16;
}

/* Add a value, or an order. */
int blocks_orders_value(struct maker *m, unsigned dtype);
struct order *blocks_orders_add(struct maker *m, enum block_kind kind, int out);

/* Make the orders of @m->graph. */
void blocks_orders_make(struct maker *m);

/* A free register, best one that has the size, or a new one. */
int blocks_orders_register(struct maker *m, uint8_t shift);

/* The code of the pair of operation @first and then @second, whose operand @k is
   what @first makes; -1: there is none. */
int blocks_orders_pair_of(unsigned first, unsigned second, int k);

/* Make pairs of cheap steps: to call the function of one takes as long as the
   step. */
void blocks_orders_pair(struct maker *m);

#endif
