/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_spirv.c - kernels as SPIR-V: how work-items go over the elements.
 *
 * The functions of the steps are compiled when dpr is built; here are only
 * calls of them, accesses to memory, and what decides which elements.
 */
#include "core/array/engine/spirv/emit_spirv.h"

#include "core/array/engine/spirv/spirv_fold.h"
#include "core/array/engine/spirv/spirv_run.h"
#include "core/array/engine/spirv/spirv_stages.h"
#include "core/array/engine/spirv/spirv_tile.h"
#include "core/array/engine/stages_plan.h"
#include "kernels/images.h"

/* --- FRAME_FLAT ------------------------------------------------------------
 */

/* Packs begin at multiples of their size.  Else a work-item takes elements that
   are a group apart, so that the accesses of neighbours are side by side. */
static void add_flat(struct spirv_steps *e)
{
	const unsigned n = (unsigned)frame_pack(e->graph);
	const bool packed = e->frame->gpu.aligned &&
			    spirv_run_is_short(e, SPIRV_STEPS_ALL, n, true);
	struct spirv_run run = { .n = n, .step = packed ? 1 : FRAME_GROUP };
	const uint32_t count = spirv_steps_word(e, e->words.count);
	const uint32_t all = spirv_access_number(e, (uint64_t)n * run.step);
	uint32_t last;

	if (packed) {
		run.begin =
			spirv_access_product(e, spirv_access_global_id(e), all);
	} else {
		run.begin =
			spirv_access_product(e, spirv_access_group_id(e), all);
		run.begin = spirv_access_sum(e, run.begin,
					     spirv_access_local_id(e));
	}
	last = spirv_access_sum(
		e, run.begin,
		spirv_access_number(e, (uint64_t)(n - 1) * run.step));
	run.whole = spirv_access_is_below(e, last, count);
	/* The first one that is not its own, or that is not there. */
	run.end = SPIRV_MAKE(&e->module, SELECT, spirv_access_number_type(e),
			     run.whole, spirv_access_sum(e, run.begin, all),
			     count);
	for (int k = 0; packed && k < frame_operands(e->graph); k++)
		run.place[k].way = SPIRV_RUN_PACK;
	spirv_run_add(e, &run);
}

/* --- FRAME_STRIDED and FRAME_ROWS ------------------------------------------
 */

/* A work-item takes one element, or a pack of a row. */
static void add_strided(struct spirv_steps *e)
{
	struct spirv_module *m = &e->module;
	const unsigned n = e->frame->kind == FRAME_ROWS
				   ? (unsigned)frame_pack(e->graph)
				   : 1;
	struct spirv_run run = { .n = n, .step = 1 };
	const uint32_t inside = spirv_module_id(m), end = spirv_module_id(m);
	const uint32_t count = spirv_steps_word(e, e->words.count);
	const uint32_t id = spirv_access_product(e, spirv_access_global_id(e),
						 spirv_access_number(e, n));
	uint32_t at[FRAME_OPERANDS];

	spirv_access_branch_if(e, spirv_access_is_below(e, id, count), inside,
			       end);
	spirv_access_label(e, end);
	spirv_access_leave(e);
	spirv_access_label(e, inside);
	spirv_access_begin(e, at);
	spirv_access_axes(e, 0, id, at);
	run.begin = spirv_access_number(e, 0);
	run.end = spirv_access_number(e, n);
	for (int k = 0; k < frame_operands(e->graph); k++) {
		const bool fixed = n == 1 || e->frame->inner[k] == FRAME_FIXED;

		run.place[k] =
			(struct spirv_run_place){ .way = fixed ? SPIRV_RUN_FIXED
							       : SPIRV_RUN_PACK,
						  .origin = at[k] };
	}
	spirv_run_add(e, &run);
}

/* --- Kernels ---------------------------------------------------------------
 */

/* The struct of words, by value: as clang writes the parameter. */
static struct spirv_value words_parameter(struct spirv_steps *e)
{
	struct spirv_module *m = &e->module;
	const uint32_t n = spirv_module_number(m, 64, (uint64_t)e->words.n);
	const uint32_t array =
		SPIRV_TYPE(m, ARRAY, spirv_access_number_type(e), n);
	const uint32_t all = SPIRV_TYPE(m, STRUCT, array);
	const struct spirv_value x = { spirv_module_id(m),
				       spirv_module_pointer(
					       m, SPIRV_CLASS_FUNCTION, all) };

	spirv_module_decorate(m, SPIRV_WORDS(x.id, SPIRV_DECORATION_PARAMETER,
					     SPIRV_PARAMETER_BY_VALUE));
	spirv_module_decorate(m,
			      SPIRV_WORDS(x.id, SPIRV_DECORATION_ALIGNMENT, 8));
	return x;
}

static void add_parameters(struct spirv_steps *e)
{
	struct spirv_module *m = &e->module;
	const int operands = frame_operands(e->graph);

	for (int k = 0; k < operands; k++) {
		const uint32_t type =
			spirv_steps_type(e, spirv_access_dtype(e, k));

		if (!frame_has_memory(e->graph, k))
			continue;
		e->x[k].id = spirv_module_id(m);
		e->x[k].type = spirv_module_pointer(
			m, SPIRV_CLASS_CROSS_WORKGROUP, type);
		spirv_module_decorate(
			m, SPIRV_WORDS(e->x[k].id, SPIRV_DECORATION_ALIGNMENT,
				       (uint32_t)spirv_access_size(e, k)));
	}
	e->x[operands] = words_parameter(e);
}

/* Vectors of 8 and 16 components want a capability. */
static void add_capabilities(struct spirv_steps *e)
{
	const unsigned pack = frame_is_fold(e->frame)
				      ? e->frame->gpu.pack
				      : (unsigned)frame_pack(e->graph);

	if (pack > 4)
		spirv_code_add(&e->module.part[SPIRV_CAPABILITIES],
			       SPIRV_CAPABILITY, 0, 0,
			       SPIRV_WORDS(SPIRV_CAPABILITY_VECTOR16));
}

/* Append the kernel's body.  Returns false for a frame that only exists in
   text, and if the kernel would be too long. */
static bool add_frame(struct spirv_steps *e)
{
	spirv_steps_scalars(e);
	switch ((enum frame_kind)e->frame->kind) {
	case FRAME_FLAT: add_flat(e); return true;
	case FRAME_STRIDED:
	case FRAME_ROWS: add_strided(e); return true;
	case FRAME_TILE: spirv_tile_add(e); return true;
	case FRAME_FOLD_ROWS:
	case FRAME_FOLD_COLUMNS: spirv_fold_add(e); return true;
	case FRAME_STAGES:
		if (stages_plan_is_long(e->graph, e->frame))
			return false;
		spirv_stages_add(e);
		return true;
	}
	return false;
}

static bool emit(struct spirv_steps *e, const char *name, struct text *out)
{
	struct spirv_value parameters[FRAME_OPERANDS + 1];
	unsigned n = 0;

	if (!spirv_steps_find(e))
		return false;
	add_parameters(e);
	if (!add_frame(e))
		return false;
	add_capabilities(e);
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (frame_has_memory(e->graph, k))
			parameters[n++] = e->x[k];
	parameters[n++] = e->x[frame_operands(e->graph)];
	return spirv_module_end(&e->module, name, parameters, n, e->built_in,
				e->n_built_in, out);
}

bool emit_spirv_with(const void *functions, size_t size,
		     const struct graph *graph, const struct frame *frame,
		     const char *name, struct text *out)
{
	struct spirv_steps e = { .graph = graph,
				 .frame = frame,
				 .words = frame_words(graph, frame) };
	const bool done = spirv_module_begin(&e.module, functions, size) &&
			  emit(&e, name, out);

	if (!done && spirv_module_lacks_memory(&e.module))
		out->failed = true;
	spirv_module_fini(&e.module);
	return done;
}

bool emit_spirv_kernel(const struct graph *graph, const struct frame *frame,
		       const char *name, struct text *out)
{
	const struct image functions = images_steps_spirv();

	return emit_spirv_with(functions.data, functions.size, graph, frame,
			       name, out);
}

bool emit_spirv_is_there(void)
{
	return images_steps_spirv().data != NULL;
}
