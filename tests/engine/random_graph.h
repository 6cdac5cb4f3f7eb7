/* SPDX-License-Identifier: Apache-2.0 */
/* random_graph.h - graphs of the kernel engine for tests: one step of each
   kind, and random ones; and values of every dtype. */
#ifndef TESTS_RANDOM_GRAPH_H
#define TESTS_RANDOM_GRAPH_H

#include <stdbool.h>
#include <string.h>

#include <check.h>
#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/schedule.h"
#include "core/array/engine/operations.h"
#include "tests/engine/bits_step.h"
#include "tests/support/random.h"

/* --- Graphs of one step ------------------------------------------------- */

/* Whether the operation has kernels for @dtype, and a function that takes
   arrays of it. */
static inline bool graph_has(unsigned op, unsigned dtype)
{
	const char kind = dpr_dtype_kind((dpr_dtype)dtype);

	return operations_takes_computed(op) &&
	       strchr(operations_table[op].classes, kind) &&
	       !strchr(operations_table[op].identity, kind);
}

static inline struct graph graph_of_operation(unsigned op, unsigned dtype)
{
	const int n = operations_table[op].n;
	struct graph graph = { 0 };
	int x[3] = { 0 };

	for (int k = 0; k < n; k++)
		x[k] = graph_input(&graph, dtype);
	graph_result(&graph,
		     graph_operation(&graph, op, dtype,
				     operations_dtype(op, dtype), n, x));
	return graph;
}

static inline struct graph graph_of_cast(unsigned from, unsigned to)
{
	struct graph graph = { 0 };
	const int x = graph_input(&graph, from);

	graph_result(&graph, graph_cast(&graph, to, x));
	return graph;
}

static inline struct graph graph_of_where(unsigned dtype)
{
	struct graph graph = { 0 };
	int x[3];

	x[0] = graph_input(&graph, DPR_BOOL);
	x[1] = graph_input(&graph, dtype);
	x[2] = graph_input(&graph, dtype);
	graph_result(&graph, graph_where(&graph, dtype, x));
	return graph;
}

/* --- Random graphs ------------------------------------------------------ */

/* A graph being made: the steps that nothing uses yet. */
struct random_graph {
	struct graph graph;
	struct random *rng;
	bool used[GRAPH_STEPS];
};

static inline unsigned random_below(struct random *rng, unsigned n)
{
	return (unsigned)random_between(rng, 0, (int64_t)n - 1);
}

/* Choose a step of @dtype, or of any dtype if @dtype is 0.  Steps that nothing
   uses are preferred.  -1: there is none. */
static inline int random_step(const struct random_graph *g, unsigned dtype)
{
	const int n = g->graph.n_steps;
	int first = n ? (int)random_below(g->rng, (unsigned)n) : 0;

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n; i++) {
			const int at = (first + i) % n;

			if (dtype && g->graph.step[at].dtype != dtype)
				continue;
			if (pass || !g->used[at])
				return at;
		}
	return -1;
}

/* A step of @dtype: one that is there, or a cast, an input or a scalar. */
static inline int random_operand(struct random_graph *g, unsigned dtype)
{
	int at = random_step(g, dtype);

	if (at < 0 || random_below(g->rng, 8) == 0)
		at = -1;
	if (at < 0 && random_below(g->rng, 2))
		at = random_below(g->rng, 3) ? graph_input(&g->graph, dtype)
					     : graph_scalar(&g->graph, dtype);
	if (at < 0) {
		at = random_step(g, 0);
		if (at >= 0 && g->graph.step[at].dtype != dtype) {
			g->used[at] = true;
			at = graph_cast(&g->graph, dtype, at);
		}
	}
	return at < 0 ? graph_input(&g->graph, dtype) : at;
}

/* Add the bits of a step that nothing uses. */
static inline void random_bits(struct random_graph *g)
{
	const int x = random_step(g, 0);
	const unsigned dtype =
		x < 0 ? 0 : bits_step_any(g->rng, g->graph.step[x].dtype);

	if (dtype && bits_step_is_exact(&g->graph, x) &&
	    graph_bits(&g->graph, dtype, x) >= 0)
		g->used[x] = true;
}

/* Add an operation, a choice or bits. */
static inline void random_add(struct random_graph *g, bool doubles)
{
	const unsigned op = random_below(g->rng, OPERATION_COUNT + 12);
	const bool choice = op >= OPERATION_COUNT;
	const int n = choice ? 3 : operations_table[op].n;
	unsigned dtype = random_below(g->rng, DPR_COMPLEX128) + 1;
	int x[3] = { 0 }, made;

	if (op >= OPERATION_COUNT + 2) {
		random_bits(g);
		return;
	}
	if ((!choice && !graph_has(op, dtype)) ||
	    (!doubles && (dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128)))
		return;
	for (int k = 0; k < n; k++) {
		x[k] = random_operand(g, choice && !k ? DPR_BOOL : dtype);
		if (x[k] < 0)
			return;
	}
	made = choice ? graph_where(&g->graph, dtype, x)
		      : graph_operation(&g->graph, op, dtype,
					operations_dtype(op, dtype), n, x);
	for (int k = 0; made >= 0 && k < n; k++)
		g->used[x[k]] = true;
}

/* Replace two unused steps by a step that compares them. */
static inline void random_join(struct random_graph *g, int a, int b)
{
	const unsigned dtype = g->graph.step[a].dtype;
	int x[2] = { a, b };

	g->used[a] = g->used[b] = true;
	if (g->graph.step[b].dtype != dtype) {
		x[1] = graph_cast(&g->graph, dtype, b);
		g->used[x[1]] = true;
	}
	ck_assert_int_ge(graph_operation(&g->graph, OPERATION__not_equal, dtype,
					 DPR_BOOL, 2, x),
			 0);
}

/* The steps that nothing uses.  Returns their number. */
static inline int random_unused(const struct random_graph *g, int *list)
{
	int n = 0;

	for (int i = 0; i < g->graph.n_steps; i++)
		if (!g->used[i])
			list[n++] = i;
	return n;
}

/* A random graph of up to about @steps steps, at most 40; without @doubles it
   does not use double. */
static inline struct graph graph_random(struct random *rng, int steps,
					bool doubles)
{
	struct random_graph g = { .rng = rng };
	int list[GRAPH_STEPS], n;

	while (!g.graph.n_steps || g.graph.n_steps < steps)
		random_add(&g, doubles);
	while ((n = random_unused(&g, list)) > GRAPH_RESULTS)
		random_join(&g, list[n - 2], list[n - 1]);
	for (int i = 0; i < n; i++)
		graph_result(&g.graph, list[i]);
	return g.graph;
}

/* --- Values ------------------------------------------------------------- */

/* One part of a value, of @size bytes: special, small, or any bits. */
static inline void random_part(struct random *rng, char kind, size_t size,
			       unsigned char *to)
{
	static const float specials[] = { 0.0f,      -0.0f,    1.0f,      -1.0f,
					  0.5f,      2.0f,     1e-40f,    1e30f,
					  -70000.0f, INFINITY, -INFINITY, NAN };
	const unsigned how = random_below(rng, 4);
	const uint64_t any = random_next(rng);
	const float f = how ? (float)random_between(rng, -99, 99) / 8.0f
			    : specials[random_below(rng, 12)];
	const double d = f;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	if (how == 3)
		memcpy(to, &any, size);
	else if (kind == 'f' || kind == 'c')
		/* The upper half is right for bfloat16, and some float16. */
		memcpy(to,
		       size == 8   ? (const void *)&d
		       : size == 4 ? (const void *)&f
				   : (const void *)((char *)&bits + 2),
		       size);
	else
		for (size_t i = 0; i < size; i++)
			to[i] = how == 0   ? (i + 1 < size ? 0 : 0x80)
				: how == 1 ? (i ? 0 : (unsigned char)(any & 7))
					   : 0xff;
}

/* Fill @n values of @dtype. */
static inline void random_fill(struct random *rng, unsigned dtype, size_t n,
			       unsigned char *to)
{
	const char kind = dpr_dtype_kind((dpr_dtype)dtype);
	const size_t parts = kind == 'c' ? 2 : 1;
	const size_t size = dpr_dtype_size((dpr_dtype)dtype) / parts;

	for (size_t i = 0; i < n * parts; i++) {
		random_part(rng, kind, size, to + i * size);
		if (kind == 'b')
			to[i] &= 1;
	}
}

#endif
