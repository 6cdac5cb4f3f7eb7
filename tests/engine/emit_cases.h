/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_cases.h - graphs and schedules to write kernels of: every step that
 * there is, and random lists of steps.
 */
#ifndef TESTS_EMIT_CASES_H
#define TESTS_EMIT_CASES_H

#include <string.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/schedule.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"
#include "tests/engine/bits_step.h"
#include "tests/support/random.h"

static const unsigned emit_dtypes[] = {
	DPR_BOOL,     DPR_INT8,    DPR_INT16,   DPR_INT32,     DPR_INT64,
	DPR_UINT8,    DPR_UINT16,  DPR_UINT32,  DPR_UINT64,    DPR_FLOAT16,
	DPR_BFLOAT16, DPR_FLOAT32, DPR_FLOAT64, DPR_COMPLEX64, DPR_COMPLEX128,
};
#define EMIT_DTYPES (sizeof(emit_dtypes) / sizeof(emit_dtypes[0]))

/* Choose the squares of SCHEDULE_TILE, and which inputs are transposed: at most
   as many as fit into 48 kB of local memory. */
static inline void emit_transposed(struct schedule *schedule,
				   const struct graph *graph)
{
	static const uint8_t ways[] = { SCHEDULE_TRANSPOSED, SCHEDULE_NEXT,
					SCHEDULE_TRANSPOSED, SCHEDULE_ANY,
					SCHEDULE_FIXED };
	int local = 0;

	schedule->gpu.tile =
		schedule_pack(graph) >= 4 && schedule_operands(graph) <= 4
			? SCHEDULE_TILE_LARGE
			: SCHEDULE_TILE_SMALL;
	for (int k = 0; k < schedule_operands(graph); k++) {
		const int size = (int)dpr_dtype_size(
			(dpr_dtype)schedule_operand(graph, k));

		schedule->inner[k] = k < graph->n_results
					     ? SCHEDULE_NEXT
					     : ways[(k - graph->n_results) % 5];
		if (schedule->inner[k] == SCHEDULE_TRANSPOSED &&
		    !schedule_has_memory(graph, k))
			schedule->inner[k] = SCHEDULE_NEXT;
		if (schedule->inner[k] != SCHEDULE_TRANSPOSED)
			continue;
		local += schedule_tile_bytes(schedule->gpu.tile, size);
		if (local > 48 * 1024)
			schedule->inner[k] = SCHEDULE_ANY;
	}
}

/* The schedules of a GPU: contiguous, with and without aligned operands,
   strided of rank 1, 3 and 8, rows where every second input is fixed, and
   squares of rank 2 and 4, with and without aligned rows, where inputs move in
   all ways.  A graph with a GRAPH_PUT has strided ones in place of the last
   three.
 */
#define EMIT_SCHEDULES 8
#define EMIT_LARGE 4 /* that with the most axes */
#define EMIT_ROWS 5
static inline struct schedule emit_schedule(int n, const struct graph *graph)
{
	static const struct schedule schedules[EMIT_SCHEDULES] = {
		{ .kind = SCHEDULE_FLAT, .gpu.aligned = 1 },
		{ .kind = SCHEDULE_FLAT },
		{ .kind = SCHEDULE_STRIDED, .rank = 1, .gpu.small = 1 },
		{ .kind = SCHEDULE_STRIDED, .rank = 3 },
		{ .kind = SCHEDULE_STRIDED, .rank = 8, .gpu.small = 1 },
		{ .kind = SCHEDULE_ROWS, .rank = 2, .gpu.small = 1 },
		{ .kind = SCHEDULE_TILE,
		  .rank = 2,
		  .gpu.small = 1,
		  .gpu.aligned = 1 },
		{ .kind = SCHEDULE_TILE, .rank = 4, .gpu.small = 1 },
	};
	const bool puts = graph_puts(graph);
	struct schedule schedule = schedules[n];

	if (puts && n >= EMIT_ROWS)
		schedule = schedules[n - EMIT_ROWS + 2];
	/* These have no place for an input without memory, and for a source. */
	if ((schedule.kind == SCHEDULE_FLAT &&
	     schedule_pointers(graph) < schedule_operands(graph)) ||
	    (graph_gathers(graph) && (schedule.kind == SCHEDULE_FLAT ||
				      schedule.kind == SCHEDULE_TILE)))
		schedule = schedules[puts ? EMIT_LARGE : EMIT_ROWS - n % 2];
	if (schedule.kind == SCHEDULE_TILE) {
		emit_transposed(&schedule, graph);
		return schedule;
	}
	for (int k = 0;
	     schedule.kind != SCHEDULE_FLAT && k < schedule_operands(graph);
	     k++)
		schedule.inner[k] =
			k < graph->n_results && graph_place(graph, k) >= 0
				? SCHEDULE_FIXED
			: schedule.kind == SCHEDULE_STRIDED ? SCHEDULE_ANY
			: k < graph->n_results ||
					((k - graph->n_results) % 2 == 0 &&
					 !schedule_is_source(graph, k))
				? SCHEDULE_NEXT
				: SCHEDULE_FIXED;
	if (schedule.kind == SCHEDULE_ROWS)
		schedule.gpu.pack = (uint8_t)schedule_pack(graph);
	return schedule;
}

/* The dtype of operation @op of operands of @dtype; 0 if it takes none or has
   no step for them. */
static inline unsigned emit_result(unsigned op, unsigned dtype)
{
	const struct operations_entry *entry = &operations_table[op];
	const char kind = dpr_dtype_kind((dpr_dtype)dtype);

	if (!strchr(entry->classes, kind) || strchr(entry->identity, kind))
		return 0;
	return operations_dtype(op, dtype);
}

/* Make the graph of one operation, whose last operand is a scalar if @scalar.
   Returns false if there is none. */
static inline bool emit_operation(struct graph *graph, unsigned op,
				  unsigned dtype, bool scalar)
{
	const unsigned result = emit_result(op, dtype);
	const int n = operations_table[op].n;
	int x[3];

	if (!result)
		return false;
	memset(graph, 0, sizeof(*graph));
	for (int i = 0; i < n; i++)
		x[i] = scalar && i == n - 1 ? graph_scalar(graph, dtype)
					    : graph_input(graph, dtype);
	return graph_result(graph,
			    graph_operation(graph, op, dtype, result, n, x));
}

static inline void emit_cast(struct graph *graph, unsigned from, unsigned to)
{
	memset(graph, 0, sizeof(*graph));
	graph_result(graph, graph_cast(graph, to, graph_input(graph, from)));
}

static inline void emit_where(struct graph *graph, unsigned dtype)
{
	int x[3];

	memset(graph, 0, sizeof(*graph));
	x[0] = graph_input(graph, DPR_BOOL);
	x[1] = graph_input(graph, dtype);
	x[2] = graph_input(graph, dtype);
	graph_result(graph, graph_where(graph, dtype, x));
}

static inline void emit_index(struct graph *graph, unsigned dtype)
{
	int x;

	memset(graph, 0, sizeof(*graph));
	x = graph_index(graph);
	graph_result(graph,
		     dtype == DPR_INT64 ? x : graph_cast(graph, dtype, x));
}

/* Returns false if the dtypes differ in size. */
static inline bool emit_bits(struct graph *graph, unsigned from, unsigned to)
{
	if (!bits_step_is(from, to))
		return false;
	memset(graph, 0, sizeof(*graph));
	return graph_result(graph,
			    graph_bits(graph, to, graph_input(graph, from)));
}

static inline void emit_gather(struct graph *graph, unsigned dtype)
{
	memset(graph, 0, sizeof(*graph));
	graph_result(graph,
		     graph_gather(graph, dtype, graph_input(graph, DPR_INT64)));
}

static inline void emit_put(struct graph *graph, unsigned dtype)
{
	int x;

	memset(graph, 0, sizeof(*graph));
	x = graph_input(graph, dtype);
	graph_result(graph, graph_put(graph, x, graph_input(graph, DPR_INT64)));
}

/*
 * The graphs of one step by number: each operation for each dtype, then each
 * operation with a scalar, casts, choices, inputs without memory that are cast,
 * bits, elements whose place is an input, and results with such places. Returns
 * false where there is none.
 */
#define EMIT_CAST (2 * OPERATION_COUNT * (int)EMIT_DTYPES)
#define EMIT_WHERE (EMIT_CAST + (int)(EMIT_DTYPES * EMIT_DTYPES))
#define EMIT_INDEX (EMIT_WHERE + (int)EMIT_DTYPES)
#define EMIT_BITS (EMIT_INDEX + (int)EMIT_DTYPES)
#define EMIT_GATHER (EMIT_BITS + (int)(EMIT_DTYPES * EMIT_DTYPES))
#define EMIT_PUT (EMIT_GATHER + (int)EMIT_DTYPES)
#define EMIT_STEPS (EMIT_PUT + (int)EMIT_DTYPES)
static inline bool emit_step(struct graph *graph, int n)
{
	const int dtypes = (int)EMIT_DTYPES;
	const unsigned dtype = emit_dtypes[n % dtypes];

	if (n < EMIT_CAST) {
		const int op = n / dtypes % OPERATION_COUNT;
		const bool scalar = n / dtypes >= OPERATION_COUNT;

		return (!scalar || operations_table[op].n > 1) &&
		       emit_operation(graph, (unsigned)op, dtype, scalar);
	}
	if (n < EMIT_WHERE)
		emit_cast(graph, dtype, emit_dtypes[(n - EMIT_CAST) / dtypes]);
	else if (n < EMIT_INDEX)
		emit_where(graph, dtype);
	else if (n < EMIT_BITS)
		emit_index(graph, dtype);
	else if (n < EMIT_GATHER)
		return emit_bits(graph, dtype,
				 emit_dtypes[(n - EMIT_BITS) / dtypes]);
	else if (n < EMIT_PUT)
		emit_gather(graph, dtype);
	else
		emit_put(graph, dtype);
	return true;
}

/* A step of dtype @dtype, or one that is made so by a cast. */
static inline int emit_some(struct graph *graph, struct random *r,
			    unsigned dtype)
{
	int i = (int)random_between(r, 0, graph->n_steps - 1);

	for (int tries = 0; tries < 4; tries++)
		if (graph->step[i].dtype != dtype)
			i = (int)random_between(r, 0, graph->n_steps - 1);
	return graph->step[i].dtype == dtype ? i : graph_cast(graph, dtype, i);
}

/* Add a step of an operation, a choice or a cast. */
static inline void emit_add(struct graph *graph, struct random *r,
			    const unsigned *dtypes, int n_dtypes)
{
	const unsigned dtype = dtypes[random_between(r, 0, n_dtypes - 1)];
	const unsigned op = (unsigned)random_between(r, 0, OPERATION_COUNT + 3);
	int x[3];

	if (op >= OPERATION_COUNT) {
		x[0] = emit_some(graph, r, DPR_BOOL);
		x[1] = emit_some(graph, r, dtype);
		x[2] = emit_some(graph, r, dtype);
		graph_where(graph, dtype, x);
		return;
	}
	if (!emit_result(op, dtype))
		return;
	for (int i = 0; i < operations_table[op].n; i++)
		x[i] = emit_some(graph, r, dtype);
	graph_operation(graph, op, dtype, emit_result(op, dtype),
			operations_table[op].n, x);
}

/* Add a step with the bits of some other step. */
static inline void emit_add_bits(struct graph *graph, struct random *r)
{
	const int i = (int)random_between(r, 0, graph->n_steps - 1);
	const unsigned to = bits_step_any(r, graph->step[i].dtype);

	if (to)
		graph_bits(graph, to, i);
}

/* Add a step that reads an element at the place that some other step gives. */
static inline void emit_add_gather(struct graph *graph, struct random *r,
				   unsigned dtype)
{
	const int place = emit_some(graph, r, DPR_INT64);

	if (place >= 0)
		graph_gather(graph, dtype, place);
}

/* Let some results be stored where a random step says. */
static inline void emit_add_puts(struct graph *graph, struct random *r)
{
	int place[GRAPH_RESULTS];

	for (int k = 0; k < graph->n_results; k++)
		place[k] = random_between(r, 0, 1)
				   ? emit_some(graph, r, DPR_INT64)
				   : -1;
	for (int k = 0; k < graph->n_results; k++) {
		if (place[k] >= 0)
			place[k] = graph_put(graph, graph->result[k], place[k]);
		if (place[k] >= 0)
			graph->result[k] = (uint16_t)place[k];
	}
}

/* Copy the steps of @from that results need. */
static inline void emit_needed(const struct graph *from, struct graph *to)
{
	bool needed[GRAPH_STEPS] = { false };
	int made[GRAPH_STEPS];

	memset(to, 0, sizeof(*to));
	for (int k = 0; k < from->n_results; k++)
		needed[from->result[k]] = true;
	for (int i = from->n_steps - 1; i >= 0; i--)
		for (int k = 0; needed[i] && k < from->step[i].n; k++)
			needed[from->step[i].x[k]] = true;
	for (int i = 0; i < from->n_steps; i++) {
		const struct graph_step *step = &from->step[i];
		int x[3] = { 0 };

		if (!needed[i])
			continue;
		for (int k = 0; k < step->n; k++)
			x[k] = made[step->x[k]];
		made[i] = graph_like(to, step, x);
	}
	for (int k = 0; k < from->n_results; k++)
		graph_result(to, made[from->result[k]]);
}

/* A random graph of up to 40 steps on up to 16 inputs of a few dtypes, some of
   them without memory, with up to 4 results. */
enum emit_moves {
	EMIT_NO_MOVES,
	EMIT_MOVES_BITS, /* some steps take bits */
	EMIT_MOVES_ALL   /* others read elements at places, too */
};
static inline void emit_random(struct graph *graph, struct random *r,
			       enum emit_moves moves)
{
	struct graph all = { 0 };
	unsigned dtypes[3];
	const int inputs = (int)random_between(r, 1, GRAPH_INPUTS);
	const int steps = (int)random_between(r, inputs + 2, 40);
	const int results = (int)random_between(r, 1, GRAPH_RESULTS);

	for (int i = 0; i < 3; i++)
		dtypes[i] = emit_dtypes[random_between(r, 0, EMIT_DTYPES - 1)];
	for (int i = 0; i < inputs; i++)
		if (random_between(r, 0, 7))
			graph_input(&all, dtypes[random_between(r, 0, 2)]);
		else
			graph_index(&all);
	for (int i = (int)random_between(r, 0, 4); i > 0; i--)
		graph_scalar(&all, dtypes[random_between(r, 0, 2)]);
	for (int i = 0; i < 100 && all.n_steps < steps; i++)
		if (moves && random_between(r, 0, 3) == 0)
			emit_add_bits(&all, r);
		else if (moves == EMIT_MOVES_ALL &&
			 random_between(r, 0, 5) == 0)
			emit_add_gather(&all, r, dtypes[0]);
		else
			emit_add(&all, r, dtypes, 3);
	for (int k = 0; k < results && k < all.n_steps; k++)
		graph_result(&all, all.n_steps - 1 - k);
	emit_needed(&all, graph);
}

/*
 * Reductions by number: each reduction of each dtype in each shape of its
 * schedules, of an input or, with @random, of what random steps compute.
 * Returns false where there is none.
 */
#define EMIT_REDUCE_SHAPES 9
#define EMIT_REDUCTIONS \
	((int)(REDUCTION_COUNT * EMIT_DTYPES) * EMIT_REDUCE_SHAPES)

/* Packs are whole where `pack` is 2. */
static const struct schedule emit_reduce_shapes[EMIT_REDUCE_SHAPES] = {
	{ .kind = SCHEDULE_REDUCE_ROWS,
	  .gpu.pack = 2,
	  .gpu.team_bits = 8,
	  .gpu.cut = 1,
	  .gpu.small = 1,
	  .rank = 1 },
	{ .kind = SCHEDULE_REDUCE_ROWS,
	  .gpu.pack = 2,
	  .gpu.team_bits = 5,
	  .result = 1,
	  .gpu.small = 1,
	  .rank = 2 },
	{ .kind = SCHEDULE_REDUCE_ROWS, .gpu.pack = 2, .result = 1, .rank = 1 },
	{ .kind = SCHEDULE_REDUCE_ROWS,
	  .gpu.pack = 1,
	  .gpu.team_bits = 3,
	  .result = 1,
	  .gpu.small = 1,
	  .rank = 1 },
	{ .kind = SCHEDULE_REDUCE_ROWS,
	  .gpu.pack = 1,
	  .gpu.team_bits = 8,
	  .gpu.cut = 1,
	  .rank = 8 },
	{ .kind = SCHEDULE_REDUCE_ROWS,
	  .gpu.pack = 2,
	  .gpu.team_bits = 8,
	  .result = 1,
	  .gpu.cut = 1,
	  .rank = 3 },
	{ .kind = SCHEDULE_REDUCE_COLUMNS,
	  .gpu.pack = 2,
	  .gpu.cut = 1,
	  .gpu.small = 1,
	  .rank = 1 },
	{ .kind = SCHEDULE_REDUCE_COLUMNS,
	  .gpu.pack = 2,
	  .result = 1,
	  .rank = 2 },
	{ .kind = SCHEDULE_REDUCE_COLUMNS,
	  .gpu.pack = 1,
	  .result = 1,
	  .gpu.small = 1,
	  .rank = 1 },
};

/* How the inputs move: in packs, not at all, and in other ways. */
static inline void emit_reduce_inner(const struct graph *graph,
				     struct schedule *schedule)
{
	const bool is_columns = schedule->kind == SCHEDULE_REDUCE_COLUMNS;

	for (int k = 1; k < schedule_operands(graph); k++)
		if (is_columns && schedule->gpu.pack == 1)
			schedule->inner[k] = SCHEDULE_ANY;
		else if (k % 3 == 2)
			schedule->inner[k] = SCHEDULE_FIXED;
		else
			schedule->inner[k] = k % 3 == 1 || is_columns
						     ? SCHEDULE_NEXT
						     : SCHEDULE_ANY;
}

static inline bool emit_reduction(struct graph *graph,
				  struct schedule *schedule, int n,
				  struct random *random)
{
	const int dtypes = (int)EMIT_DTYPES;
	const int number = n / EMIT_REDUCE_SHAPES / dtypes;
	const enum reduction reduction = (enum reduction)number;
	unsigned dtype = emit_dtypes[n / EMIT_REDUCE_SHAPES % dtypes];
	bool is_exact;

	memset(graph, 0, sizeof(*graph));
	if (random)
		emit_random(graph, random, EMIT_NO_MOVES);
	else
		graph_result(graph, graph_input(graph, dtype));
	graph->n_results = 1;
	dtype = graph->step[graph->result[0]].dtype;
	*schedule = emit_reduce_shapes[n % EMIT_REDUCE_SHAPES];
	schedule->reduction = (uint8_t)reduction;
	schedule->sum = (uint8_t)reduce_table_sum(reduction, dtype);
	if (!reduce_table_takes(reduction, dtype))
		return false;
	if (schedule->result)
		schedule->result = schedule->sum == DPR_FLOAT32 ? (uint8_t)dtype
								: schedule->sum;
	is_exact = reduce_table_is_exact(reduction, schedule->sum);
	if (schedule->gpu.pack == 2)
		schedule->gpu.pack =
			(uint8_t)(is_exact ? schedule_pack(graph)
					   : 16 / (int)dpr_dtype_size(
							  (dpr_dtype)dtype));
	schedule->gpu.accumulators = is_exact ? 1
				     : schedule->kind == SCHEDULE_REDUCE_ROWS
					     ? SCHEDULE_REDUCE_ROW_SLOTS
					     : SCHEDULE_REDUCE_COLUMN_SLOTS;
	emit_reduce_inner(graph, schedule);
	return true;
}

#endif
