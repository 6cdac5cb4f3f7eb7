/* SPDX-License-Identifier: Apache-2.0 */
/* emit_stages.h - kernels of several stages, for tests of what writes them. */
#ifndef TESTS_EMIT_STAGES_H
#define TESTS_EMIT_STAGES_H

#include "tests/engine/emit_cases.h"

/* What the kernels compute of a row x: softmax; (x - mean) / sqrt(var + eps)
   scaled and moved by two more rows; x over its length; the logarithm of a sum
   of exponents; x where any element is larger than y; the largest and smallest
   element beside x over their distance. */
enum emit_stages_form {
	EMIT_SOFTMAX,
	EMIT_NORM,
	EMIT_LENGTH,
	EMIT_LOGSUM,
	EMIT_ANY,
	EMIT_RANGE,
	EMIT_STAGES_FORMS
};

static inline int emit_call(struct graph *graph, unsigned operation,
			    unsigned dtype, int a, int b)
{
	return graph_operation(
		graph, operation, dtype, emit_result(operation, dtype),
		operations_table[operation].n, (const int[]){ a, b });
}

static inline int emit_reduce(struct graph *graph, enum reduction reduction,
			      int x)
{
	const unsigned dtype = graph->step[x].dtype;
	const unsigned sum = reduce_table_sum(reduction, dtype);
	const bool rounds = sum == DPR_FLOAT32;

	return graph_reduce(graph, reduction, sum, rounds ? dtype : sum, x);
}

/* The exponents of a row without its largest element: *@largest. */
static inline int emit_exponents(struct graph *g, unsigned d, int x,
				 int *largest)
{
	*largest = emit_reduce(g, REDUCTION__max, x);
	return emit_call(g, OPERATION__exp, d,
			 emit_call(g, OPERATION__subtract, d, x, *largest), 0);
}

static inline void emit_norm(struct graph *g, unsigned d, int x)
{
	const int scale = graph_input(g, d), by = graph_input(g, d);
	const int eps = graph_scalar(g, d);
	const int apart = emit_call(g, OPERATION__subtract, d, x,
				    emit_reduce(g, REDUCTION__mean, x));
	int v = emit_reduce(g, REDUCTION__mean,
			    emit_call(g, OPERATION__multiply, d, apart, apart));

	v = emit_call(g, OPERATION__sqrt, d,
		      emit_call(g, OPERATION__add, d, v, eps), 0);
	v = emit_call(g, OPERATION__divide, d, apart, v);
	v = emit_call(g, OPERATION__multiply, d, v, scale);
	graph_result(g, emit_call(g, OPERATION__add, d, v, by));
}

static inline void emit_range(struct graph *g, unsigned d, int x)
{
	const int high = emit_reduce(g, REDUCTION__max, x);
	const int low = emit_reduce(g, REDUCTION__min, x);
	const int range = emit_call(g, OPERATION__subtract, d, high, low);

	graph_result(g, emit_call(g, OPERATION__divide, d, x, range));
	graph_result(g, high);
	graph_result(g, low);
}

/* Returns false if there is no such graph of @d. */
static inline bool emit_stages_graph(struct graph *g, unsigned d,
				     enum emit_stages_form form)
{
	const char kind = dpr_dtype_kind((dpr_dtype)d);
	const bool orders = form == EMIT_SOFTMAX || form == EMIT_LOGSUM ||
			    form == EMIT_RANGE;
	int x, y, sum;

	if (form != EMIT_ANY &&
	    (!strchr("fc", kind) || (orders && kind == 'c')))
		return false;
	memset(g, 0, sizeof(*g));
	x = graph_input(g, d);
	switch (form) {
	case EMIT_SOFTMAX:
	case EMIT_LOGSUM:
		x = emit_exponents(g, d, x, &y);
		sum = emit_reduce(g, REDUCTION__sum, x);
		x = form == EMIT_SOFTMAX
			    ? emit_call(g, OPERATION__divide, d, x, sum)
			    : emit_call(g, OPERATION__add, d,
					emit_call(g, OPERATION__log, d, sum, 0),
					y);
		return graph_result(g, x);
	case EMIT_NORM: emit_norm(g, d, x); return true;
	case EMIT_RANGE: emit_range(g, d, x); return true;
	case EMIT_LENGTH:
		sum = emit_reduce(g, REDUCTION__sum,
				  emit_call(g, OPERATION__square, d, x, 0));
		return graph_result(
			g, emit_call(g, OPERATION__divide, d, x,
				     emit_call(g, OPERATION__sqrt, d, sum, 0)));
	case EMIT_ANY:
		y = graph_input(g, d);
		sum = emit_call(g, OPERATION__not_equal, d, x, y);
		sum = emit_reduce(g, REDUCTION__any, sum);
		return graph_result(
			g, graph_where(g, d, (const int[]){ sum, x, y }));
	case EMIT_STAGES_FORMS: break;
	}
	return false;
}

/* Where `pack` is 2, packs are whole.  Every third input is fixed, and the
   others are packs or not. */
#define EMIT_STAGES_SHAPES 8
static inline struct schedule emit_stages_schedule(const struct graph *graph,
						   unsigned dtype, int n)
{
	static const struct schedule schedules[EMIT_STAGES_SHAPES] = {
		{ .gpu.pack = 2,
		  .gpu.team_bits = 8,
		  .gpu.slots = 4,
		  .gpu.small = 1 },
		{ .gpu.pack = 2,
		  .gpu.team_bits = 8,
		  .gpu.slots = 3,
		  .gpu.missing = SCHEDULE_PACKS,
		  .gpu.small = 1 },
		{ .gpu.pack = 1,
		  .gpu.team_bits = 5,
		  .gpu.slots = 16,
		  .gpu.missing = SCHEDULE_ELEMENTS,
		  .rank = 2 },
		{ .gpu.pack = 2,
		  .gpu.team_bits = 3,
		  .gpu.slots = 2,
		  .gpu.missing = SCHEDULE_ELEMENTS,
		  .rank = 3 },
		{ .gpu.pack = 1,
		  .gpu.slots = 1,
		  .gpu.missing = SCHEDULE_ELEMENTS },
		{ .gpu.pack = 2,
		  .gpu.team_bits = 8,
		  .gpu.missing = SCHEDULE_PACKS,
		  .gpu.small = 1 },
		{ .gpu.pack = 2, .gpu.team_bits = 5, .gpu.slots = 16 },
		{ .gpu.pack = 1,
		  .gpu.team_bits = 8,
		  .gpu.missing = SCHEDULE_ELEMENTS,
		  .rank = 8 },
	};
	const int operands = schedule_operands(graph);
	struct schedule schedule = schedules[n];

	schedule.kind = SCHEDULE_STAGES;
	schedule.rank = schedule.rank ? schedule.rank : 1;
	schedule.gpu.accumulators = SCHEDULE_REDUCE_ROW_SLOTS;
	if (schedule.gpu.pack == 2)
		schedule.gpu.pack =
			(uint8_t)(16 / dpr_dtype_size((dpr_dtype)dtype));
	for (int k = 0; k < operands; k++)
		schedule.inner[k] =
			schedule.gpu.pack == 1 ? SCHEDULE_ANY : SCHEDULE_NEXT;
	if (n % 2 && operands > 0)
		schedule.inner[operands - 1] = SCHEDULE_ANY;
	if (graph->n_inputs > 1 && n % 3 == 2)
		schedule.inner[graph->n_results + 1] = SCHEDULE_FIXED;
	/* The results after the division have one element for a row. */
	for (int k = 1; k < graph->n_results; k++)
		schedule.inner[k] = SCHEDULE_FIXED;
	if (graph->n_results == 1 &&
	    graph->step[graph->result[0]].x[0] == graph->n_steps - 2 &&
	    graph->step[graph->n_steps - 2].kind == GRAPH_OPERATION &&
	    graph->step[graph->n_steps - 2].at == OPERATION__log)
		schedule.inner[0] = SCHEDULE_FIXED;
	return schedule;
}

/* The kernels by number.  Returns false where there is none. */
#define EMIT_STAGES (EMIT_STAGES_FORMS * (int)EMIT_DTYPES * EMIT_STAGES_SHAPES)
static inline bool emit_stages(struct graph *graph, struct schedule *schedule,
			       int n)
{
	const int dtypes = (int)EMIT_DTYPES;
	const unsigned dtype = emit_dtypes[n / EMIT_STAGES_SHAPES % dtypes];
	const int form = n / EMIT_STAGES_SHAPES / dtypes;

	if (!emit_stages_graph(graph, dtype, (enum emit_stages_form)form))
		return false;
	*schedule = emit_stages_schedule(graph, dtype, n % EMIT_STAGES_SHAPES);
	return true;
}

#endif
