/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_emit.c - the target of fuzz for what writes kernels: random lists of
 * steps and random frames become PTX, SPIR-V and OpenCL C, and SPIR-V is also
 * made of damaged functions.  The input only chooses the random numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array/engine/ptx/emit_ptx.h"
#include "core/array/engine/spirv/emit_spirv.h"
#include "core/array/engine/spirv/spirv_code.h"
#include "core/array/engine/text/emit_text.h"
#include "kernels/images.h"
#include "tests/engine/emit_stages.h"
#include "tests/engine/ptx_registers.h"
#include "tests/tools/fuzz.h"

static struct random rng;

static int below(int n)
{
	return (int)random_between(&rng, 0, n - 1);
}

/* --- Graphs ----------------------------------------------------------------
 */

/* Reduce a row of some step's values, and use that in another step.  Returns
   false if that is not possible. */
static bool add_reduction(struct graph *graph)
{
	const enum reduction reduction = (enum reduction)below(REDUCTION_COUNT);
	const int x = below(graph->n_steps);
	const unsigned dtype = graph->step[x].dtype;
	const unsigned sum = reductions_sum(reduction, dtype);
	int pair[2], made;

	if (!reductions_takes(reduction, dtype))
		return false;
	pair[0] = graph_reduce(graph, reduction, sum,
			       sum == DPR_FLOAT32 ? dtype : sum, x);
	if (pair[0] < 0)
		return false;
	pair[1] = emit_some(graph, &rng, graph->step[pair[0]].dtype);
	if (pair[1] < 0)
		return false;
	made = graph_operation(graph, OPERATION__not_equal,
			       graph->step[pair[0]].dtype, DPR_BOOL, 2, pair);
	return made >= 0;
}

/* A graph with reductions of rows. */
static void make_stages(struct graph *graph)
{
	struct graph all;
	int made = 0;

	emit_random(&all, &rng);
	for (int i = 0; i < 6 && all.n_steps < GRAPH_STEPS - 6 && made < 3; i++)
		made += add_reduction(&all);
	all.n_results = 0;
	for (int k = below(GRAPH_RESULTS); k >= 0; k--)
		if (k < all.n_steps)
			graph_result(&all, all.n_steps - 1 - k);
	emit_needed(&all, graph);
}

/* Now and then a step of an operation or a dtype for which nothing is known:
   then no kernel is written, or one that a compiler would refuse. */
static bool spoil_graph(struct graph *graph)
{
	struct graph_step *step = &graph->step[below(graph->n_steps)];
	const unsigned op = (unsigned)below(OPERATION_COUNT);

	if (step->kind != GRAPH_OPERATION ||
	    operations_table[op].n != step->n || below(2))
		return false;
	step->at = (uint16_t)op;
	return true;
}

/* --- Frames ----------------------------------------------------------------
 */

static void set_inner(const struct graph *graph, struct frame *frame)
{
	for (int k = 0; k < frame_operands(graph); k++)
		frame->inner[k] =
			(uint8_t)(k < graph->n_results ? FRAME_NEXT
						       : below(FRAME_ANY + 1));
}

/* How a GPU goes over the elements of a graph without reductions. */
static struct frame elements_frame(const struct graph *graph)
{
	struct frame frame = emit_frame(below(EMIT_FRAMES), graph);

	if (frame.kind == FRAME_FLAT) {
		frame.aligned = (uint8_t)below(2);
		return frame;
	}
	frame.rank =
		(uint8_t)(frame.kind == FRAME_TILE ? 2 + below(FRAME_RANK - 1)
						   : 1 + below(FRAME_RANK));
	if (frame.kind == FRAME_TILE) {
		frame.aligned = (uint8_t)below(2);
		return frame;
	}
	frame.small = (uint8_t)below(2);
	if (frame.kind == FRAME_ROWS)
		for (int k = graph->n_results; k < frame_operands(graph); k++)
			frame.inner[k] = below(2) ? FRAME_NEXT : FRAME_FIXED;
	return frame;
}

/* How it reduces.  Returns false if it cannot. */
static bool fold_frame(struct graph *graph, struct frame *frame)
{
	if (!emit_fold(graph, frame, below(EMIT_FOLDS), &rng))
		return false;
	frame->rank = (uint8_t)(1 + below(FRAME_RANK));
	frame->small = (uint8_t)below(2);
	frame->cut = (uint8_t)below(2);
	if (frame->kind == FRAME_FOLD_ROWS)
		frame->team_bits = (uint8_t)below(9);
	return true;
}

/* How it goes over rows in stages. */
static struct frame stages_frame(const struct graph *graph)
{
	const unsigned dtype = frame_operand(graph, 0);
	struct frame frame =
		emit_stages_frame(graph, dtype, below(EMIT_STAGES_SHAPES));

	frame.rank = (uint8_t)(1 + below(FRAME_RANK));
	frame.small = (uint8_t)below(2);
	frame.team_bits = (uint8_t)below(9);
	frame.slots = (uint8_t)(below(3) ? below(FRAME_STAGES_SLOTS) + 1 : 0);
	frame.missing = (uint8_t)below(FRAME_ELEMENTS + 1);
	set_inner(graph, &frame);
	return frame;
}

/* --- Checks ----------------------------------------------------------------
 */

static bool is_balanced(const char *text)
{
	int depth = 0;

	for (; *text && depth >= 0; text++)
		depth += (*text == '{') - (*text == '}');
	return depth == 0;
}

/* Whether a kernel must be written: nothing was spoilt. */
static bool is_sound;

/* Memory did not run out.  Rows in stages may be too long. */
static void check_refusal(const struct text *text, const struct frame *frame)
{
	CHECK(!text->failed);
	CHECK(!is_sound || frame->kind == FRAME_STAGES);
}

static void check_ptx(const struct graph *graph, const struct frame *frame)
{
	struct text text = { 0 }, again = { 0 };

	if (!emit_ptx_is_there())
		return;
	if (emit_ptx_kernel(graph, frame, "k", &text)) {
		CHECK(is_balanced(text_get(&text)));
		/* A spoilt step may have a dtype with parts that its function
		   does not write. */
		CHECK(!is_sound || !ptx_unwritten(text_get(&text)));
		CHECK(emit_ptx_kernel(graph, frame, "k", &again));
		CHECK(!strcmp(text_get(&text), text_get(&again)));
	} else {
		check_refusal(&text, frame);
	}
	text_fini(&text);
	text_fini(&again);
}

static void check_words(const struct text *module)
{
	const uint32_t *words = (const uint32_t *)(const void *)module->bytes;
	const size_t n = module->size / 4;
	struct spirv_code code;

	CHECK(module->size % 4 == 0 && n > SPIRV_HEADER);
	for (size_t at = SPIRV_HEADER; at < n; at += code.n)
		CHECK(spirv_code_read(words + at, n - at, &code));
}

static void check_spirv(const struct graph *graph, const struct frame *frame)
{
	struct text text = { 0 };

	if (!emit_spirv_is_there())
		return;
	if (emit_spirv_kernel(graph, frame, "k", &text))
		check_words(&text);
	else
		check_refusal(&text, frame);
	text_fini(&text);
}

/* The same with functions that are damaged or cut.  The copy ends where they
   do, so that reading on is noticed. */
static void check_damaged(const struct graph *graph, const struct frame *frame)
{
	const struct image image = images_steps_spirv();
	size_t size = image.size;
	uint32_t *copy;
	struct text text = { 0 };

	if (!image.data)
		return;
	if (!below(4))
		size = (size_t)random_between(&rng, 0, (int64_t)size - 1);
	copy = malloc(size + 1);
	CHECK(copy);
	memcpy(copy, image.data, size);
	for (int i = below(4); i >= 0 && size >= 4; i--) {
		const size_t n = size / 4;
		const size_t at =
			(size_t)random_between(&rng, 0, (int64_t)n - 1);

		copy[at] = below(2) ? (uint32_t)random_next(&rng)
				    : copy[random_next(&rng) % n];
	}
	if (emit_spirv_with(copy, size, graph, frame, "k", &text))
		check_words(&text);
	else
		CHECK(!text.failed);
	text_fini(&text);
	free(copy);
}

static void check_text(const struct graph *graph, const struct frame *frame)
{
	struct text text = { 0 };

	if (emit_text_kernel(graph, frame, "k", &text)) {
		CHECK(is_balanced(text_get(&text)));
		CHECK(strstr(text_get(&text), "kernel"));
	} else {
		check_refusal(&text, frame);
	}
	text_fini(&text);
}

/* --- The target ------------------------------------------------------------
 */

void fuzz_emit(char *input, size_t size)
{
	struct graph graph;
	const struct graph *made = &graph;
	struct frame frame;

	rng.state = 0xcbf29ce484222325;
	for (size_t i = 0; i < size; i++)
		rng.state =
			(rng.state ^ (unsigned char)input[i]) * 0x100000001b3 +
			1;
	rng.state |= 1;
	switch (below(4)) {
	case 0:
		if (!fold_frame(&graph, &frame))
			return;
		break;
	case 1:
		make_stages(&graph);
		frame = stages_frame(made);
		break;
	default: emit_random(&graph, &rng); frame = elements_frame(made);
	}
	is_sound = below(8) || !spoil_graph(&graph);
	check_ptx(made, &frame);
	/* Each reads all functions, which takes milliseconds. */
	if (!below(3))
		check_spirv(made, &frame);
	if (!below(6))
		check_damaged(made, &frame);
	if (is_sound)
		check_text(made, &frame);
}
