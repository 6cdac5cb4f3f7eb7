/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_emit.c - the target of fuzz for the writers of kernels: random lists of
 * steps and random schedules become PTX, SPIR-V and OpenCL C, and SPIR-V is
 * also made of damaged functions.  The input only chooses the random numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array/engine/ptx/emit_ptx.h"
#include "core/array/engine/spirv/emit_spirv.h"
#include "core/array/engine/spirv/spirv_code.h"
#include "core/array/engine/text/emit_text.h"
#include "kernels/images.h"
#include "tests/engine/emit_random.h"
#include "tests/engine/ptx_registers.h"
#include "tests/tools/fuzz.h"

static struct random rng;

static int below(int n)
{
	return emit_below(&rng, n);
}

/* Now and then give a step an unknown operation or dtype.  Then no kernel is
   written, or a kernel that a compiler would refuse. */
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

/* --- Checks ------------------------------------------------------------- */

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
static void check_refusal(const struct text *text,
			  const struct schedule *schedule)
{
	CHECK(!text->failed);
	CHECK(!is_sound || schedule->kind == SCHEDULE_STAGES);
}

static void check_ptx(const struct graph *graph,
		      const struct schedule *schedule)
{
	struct text text = { 0 }, again = { 0 };

	if (!emit_ptx_is_there())
		return;
	if (emit_ptx_kernel(graph, schedule, "k", &text)) {
		CHECK(is_balanced(text_get(&text)));
		/* A spoilt step may have a dtype with parts that its function
		   does not write. */
		CHECK(!is_sound || !ptx_unwritten(text_get(&text)));
		CHECK(emit_ptx_kernel(graph, schedule, "k", &again));
		CHECK(!strcmp(text_get(&text), text_get(&again)));
	} else {
		check_refusal(&text, schedule);
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

static void check_spirv(const struct graph *graph,
			const struct schedule *schedule)
{
	struct text text = { 0 };

	if (!emit_spirv_is_there())
		return;
	if (emit_spirv_kernel(graph, schedule, "k", &text))
		check_words(&text);
	else
		check_refusal(&text, schedule);
	text_fini(&text);
}

/* The same with functions that are damaged or cut.  The copy ends where they
   do, so that reading on is noticed. */
static void check_damaged(const struct graph *graph,
			  const struct schedule *schedule)
{
	struct image image;
	size_t size;
	uint32_t *copy;
	struct text text = { 0 };

	CHECK(!images_steps_spirv(&image));
	size = image.size;
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
	if (emit_spirv_with(copy, size, graph, schedule, "k", &text))
		check_words(&text);
	else
		CHECK(!text.failed);
	text_fini(&text);
	free(copy);
}

static void check_text(const struct graph *graph,
		       const struct schedule *schedule)
{
	struct text text = { 0 };

	if (emit_text_kernel(graph, schedule, "k", &text)) {
		CHECK(is_balanced(text_get(&text)));
		CHECK(strstr(text_get(&text), "kernel"));
	} else {
		check_refusal(&text, schedule);
	}
	text_fini(&text);
}

/* --- The target --------------------------------------------------------- */

void fuzz_emit(char *input, size_t size)
{
	struct graph graph;
	const struct graph *made = &graph;
	struct schedule schedule;

	rng.state = 0xcbf29ce484222325;
	for (size_t i = 0; i < size; i++)
		rng.state =
			(rng.state ^ (unsigned char)input[i]) * 0x100000001b3 +
			1;
	rng.state |= 1;
	switch (below(4)) {
	case 0:
		if (!emit_random_reduce(&graph, &schedule, &rng))
			return;
		break;
	case 1:
		emit_random_stages(&graph, &rng, below(2));
		schedule = emit_random_rows(made, &rng);
		break;
	default:
		emit_random(&graph, &rng, (enum emit_moves)below(3));
		if (!below(4))
			emit_add_puts(&graph, &rng);
		schedule = emit_random_schedule(made, &rng);
	}
	is_sound = below(8) || !spoil_graph(&graph);
	check_ptx(made, &schedule);
	/* Each reads all functions, which takes milliseconds. */
	if (!below(3))
		check_spirv(made, &schedule);
	if (!below(6))
		check_damaged(made, &schedule);
	if (is_sound)
		check_text(made, &schedule);
}
