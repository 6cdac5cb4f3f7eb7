/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - the arguments of a kernel. */
#include "core/array/engine/frame.h"

#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/engine/reductions.h"

int frame_scalar_words(const struct graph *graph, int k)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_SCALAR &&
		    graph->step[i].at == k)
			return graph->step[i].dtype == DPR_COMPLEX128 ? 2 : 1;
	return 0;
}

int frame_scalars_before(const struct graph *graph, int k)
{
	int words = 0;

	for (int i = 0; i < k; i++)
		words += frame_scalar_words(graph, i);
	return words;
}

struct frame_words frame_words(const struct graph *graph,
			       const struct frame *frame)
{
	const int operands = frame_operands(graph);
	struct frame_words words = { .count = 0, .scalar = 1 };

	if (frame->kind != FRAME_FLAT) {
		words.rows = 1;
		words.extent = 2;
		words.offset = words.extent + frame->rank;
		words.stride = words.offset + operands;
		words.scalar = words.stride + frame->rank * operands;
	}
	if (frame_is_fold(frame)) {
		words.per_part = words.rows;
		words.rows = 0;
		words.step = words.next_part = words.columns = words.scalar;
		words.length = words.step + operands;
		words.part = words.length + 1;
		words.divisor = words.part + 1;
		words.scalar = words.divisor + 1;
		if (frame->gpu.open)
			words.team = words.scalar++;
	}
	words.n = words.scalar + frame_scalars_before(graph, graph->n_scalars);
	return words;
}

unsigned frame_operand(const struct graph *graph, int k)
{
	if (k < graph->n_results)
		return graph->step[graph->result[k]].dtype;
	for (int i = 0; i < graph->n_steps; i++)
		if (graph_is_input(&graph->step[i]) &&
		    graph->step[i].at == k - graph->n_results)
			return graph->step[i].dtype;
	return 0;
}

bool frame_has_memory(const struct graph *graph, int k)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_INDEX &&
		    graph->step[i].at == k - graph->n_results)
			return false;
	return true;
}

int frame_pointers(const struct graph *graph)
{
	int n = 0;

	for (int k = 0; k < frame_operands(graph); k++)
		n += frame_has_memory(graph, k);
	return n;
}

int frame_pack(const struct graph *graph)
{
	size_t largest = 1;

	for (int k = 0; k < frame_operands(graph); k++) {
		const size_t size =
			dpr_dtype_size((dpr_dtype)frame_operand(graph, k));

		if (size > largest && frame_has_memory(graph, k))
			largest = size;
	}
	return (int)(16 / largest);
}

int frame_tile_vector(const struct graph *graph, const struct frame *frame)
{
	const int most = frame->gpu.tile * frame->gpu.tile / FRAME_GROUP;
	const int pack = frame_pack(graph);

	return pack < most ? pack : most;
}

void frame_name(const struct graph *graph, const struct frame *frame,
		char name[GRAPH_NAME])
{
	char of[GRAPH_NAME];

	graph_name(graph, of);
	if (frame->kind == FRAME_STAGES)
		snprintf(name, GRAPH_NAME, "rows_%.40s", of);
	else if (!frame_is_fold(frame))
		snprintf(name, GRAPH_NAME, "%s", of);
	else
		snprintf(name, GRAPH_NAME, "%.12s_%.32s",
			 reductions_table[frame->reduction].name,
			 graph->n_steps == 1
				 ? dpr_dtype_name(graph->step[0].dtype)
				 : of);
}
