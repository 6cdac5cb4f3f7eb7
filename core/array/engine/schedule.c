/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.c - the words of a kernel, its operands and its name. */
#include "core/array/engine/schedule.h"

#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/engine/reduce_table.h"

int schedule_scalar_words(const struct graph *graph, int k)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_SCALAR &&
		    graph->step[i].at == k)
			return graph->step[i].dtype == DPR_COMPLEX128 ? 2 : 1;
	return 0;
}

int schedule_scalars_before(const struct graph *graph, int k)
{
	int words = 0;

	for (int i = 0; i < k; i++)
		words += schedule_scalar_words(graph, i);
	return words;
}

struct schedule_words schedule_words(const struct graph *graph,
				     const struct schedule *schedule)
{
	const int operands = schedule_operands(graph);
	struct schedule_words words = { .count = 0, .scalar = 1 };

	if (schedule->kind != SCHEDULE_FLAT) {
		words.rows = 1;
		words.extent = 2;
		words.offset = words.extent + schedule->rank;
		words.stride = words.offset + operands;
		words.scalar = words.stride + schedule->rank * operands;
	}
	if (schedule_reduces(schedule)) {
		words.per_part = words.rows;
		words.rows = 0;
		words.step = words.next_part = words.columns = words.scalar;
		words.length = words.step + operands;
		words.part = words.length + 1;
		words.divisor = words.part + 1;
		words.scalar = words.divisor + 1;
		if (schedule->gpu.open)
			words.team = words.scalar++;
	}
	words.n =
		words.scalar + schedule_scalars_before(graph, graph->n_scalars);
	return words;
}

unsigned schedule_operand(const struct graph *graph, int k)
{
	if (k < graph->n_results)
		return graph->step[graph->result[k]].dtype;
	for (int i = 0; i < graph->n_steps; i++)
		if (graph_reads_input(&graph->step[i]) &&
		    graph->step[i].at == k - graph->n_results)
			return graph->step[i].dtype;
	return 0;
}

/* Whether a step of @kind reads operand @k. */
static bool is_read_by(const struct graph *graph, int k, enum graph_kind kind)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == kind &&
		    graph->step[i].at == k - graph->n_results)
			return true;
	return false;
}

bool schedule_has_memory(const struct graph *graph, int k)
{
	return !is_read_by(graph, k, GRAPH_INDEX);
}

bool schedule_is_source(const struct graph *graph, int k)
{
	return is_read_by(graph, k, GRAPH_GATHER);
}

int schedule_pointers(const struct graph *graph)
{
	int n = 0;

	for (int k = 0; k < schedule_operands(graph); k++)
		n += schedule_has_memory(graph, k);
	return n;
}

/* The size of an element of operand @k in bytes if the kernel accesses the
   operand in packs.  0: the kernel accesses no pack of the operand. */
static int packed_size(const struct graph *graph, int k)
{
	const dpr_dtype dtype = (dpr_dtype)schedule_operand(graph, k);

	return schedule_has_memory(graph, k) && !schedule_is_source(graph, k)
		       ? (int)dpr_dtype_size(dtype)
		       : 0;
}

/* The number of elements with which the largest operand from @first on fills 16
   bytes. */
static int pack_from(const struct graph *graph, int first)
{
	int largest = 1;

	for (int k = first; k < schedule_operands(graph); k++)
		if (packed_size(graph, k) > largest)
			largest = packed_size(graph, k);
	return 16 / largest;
}

int schedule_pack(const struct graph *graph)
{
	return graph_puts(graph) ? 1 : pack_from(graph, 0);
}

int schedule_reduced_pack(const struct graph *graph)
{
	const int most = SCHEDULE_WIDE_PACKS * schedule_pack(graph);
	const int pack = pack_from(graph, graph->n_results);

	return pack < most ? pack : most;
}

bool schedule_takes_packs(const struct graph *graph)
{
	for (int k = 0; k < schedule_operands(graph); k++)
		if (schedule_pack(graph) * packed_size(graph, k) % 4)
			return false;
	return !graph_puts(graph);
}

bool schedule_takes_slots(const struct graph *graph,
			  const struct schedule *schedule)
{
	for (int k = 0; k < schedule_operands(graph); k++) {
		const unsigned dtype = schedule_operand(graph, k);

		if (schedule->inner[k] == SCHEDULE_NEXT &&
		    schedule->gpu.pack * dpr_dtype_size((dpr_dtype)dtype) % 4)
			return false;
	}
	return true;
}

int schedule_items(const struct graph *graph, const struct schedule *schedule)
{
	const int packs = schedule->gpu.slots ? schedule->gpu.slots : 1;

	return packs * (schedule->kind == SCHEDULE_ROWS ? schedule->gpu.pack
							: schedule_pack(graph));
}

int schedule_tile_vector(const struct graph *graph,
			 const struct schedule *schedule)
{
	const int most =
		schedule->gpu.tile * schedule->gpu.tile / SCHEDULE_GROUP;
	const int pack = schedule_pack(graph);

	return pack < most ? pack : most;
}

void schedule_name(const struct graph *graph, const struct schedule *schedule,
		   char name[GRAPH_NAME])
{
	char of[GRAPH_NAME];

	graph_name(graph, of);
	if (schedule->kind == SCHEDULE_STAGES)
		snprintf(name, GRAPH_NAME, "rows_%.40s", of);
	else if (!schedule_reduces(schedule))
		snprintf(name, GRAPH_NAME, "%s", of);
	else
		snprintf(name, GRAPH_NAME, "%.12s_%.32s",
			 reduce_table[schedule->reduction].name,
			 graph->n_steps == 1
				 ? dpr_dtype_name(graph->step[0].dtype)
				 : of);
}
