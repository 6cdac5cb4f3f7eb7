/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_spirv.c - kernels as SPIR-V: how work-items go over the elements.
 *
 * The functions of the steps are compiled when dpr is built; here are only
 * calls of them, accesses to memory, and what decides which elements.
 */
#include "core/array/engine/spirv/emit_spirv.h"

#include <dpr/dtype.h>

#include "core/array/engine/spirv/spirv_steps.h"
#include "kernels/images.h"

#define MOST_PACK 16 /* elements of a pack, or components */

/* A driver compiles the functions anew at each call.  If those of a pack would
   be longer than this, in words of SPIR-V, its elements go through a loop. */
#define LONG_PACK 6000

/* What is known where the kernel begins. */
struct item {
	uint32_t built_in[2], n_built_in;
	uint32_t count; /* the elements of all */
};

/* The components of the elements of a pack. */
struct pack {
	uint32_t part[MOST_PACK];
};

static size_t size_of(const struct spirv_steps *e, int k)
{
	return dpr_dtype_size((dpr_dtype)frame_operand(e->graph, k));
}

static uint32_t word_type(struct spirv_steps *e)
{
	return spirv_module_integer(&e->module, 64);
}

static uint32_t number(struct spirv_steps *e, uint64_t value)
{
	return spirv_module_number(&e->module, 64, value);
}

static uint32_t bool_type(struct spirv_steps *e)
{
	return spirv_module_global(&e->module, SPIRV_TYPE_BOOL, 0, NULL, 0);
}

/* The first component of a built-in variable. */
static uint32_t built_in(struct spirv_steps *e, struct item *item,
			 unsigned which, const char *name)
{
	struct spirv_module *m = &e->module;
	const uint32_t id = spirv_module_built_in(m, which, name);
	const uint32_t vector = spirv_module_vector(m, word_type(e), 3);
	const uint32_t all =
		SPIRV_MAKE(m, LOAD, vector, id, SPIRV_ACCESS_ALIGNED, 32);

	item->built_in[item->n_built_in++] = id;
	return SPIRV_MAKE(m, COMPOSITE_EXTRACT, word_type(e), all, 0);
}

static uint32_t global_id(struct spirv_steps *e, struct item *item)
{
	return built_in(e, item, SPIRV_BUILT_IN_GLOBAL,
			"__spirv_BuiltInGlobalInvocationId");
}

/* --- Control flow ----------------------------------------------------------
 */

static void label(struct spirv_steps *e, uint32_t id)
{
	spirv_code_add(&e->module.body, SPIRV_LABEL, 0, id, NULL, 0);
}

static void branch(struct spirv_steps *e, uint32_t to)
{
	SPIRV_DO(&e->module, BRANCH, to);
}

static void leave(struct spirv_steps *e)
{
	spirv_module_do(&e->module, SPIRV_RETURN, NULL, 0);
}

static uint32_t is_below(struct spirv_steps *e, uint32_t a, uint32_t b)
{
	return SPIRV_MAKE(&e->module, U_LESS_THAN, bool_type(e), a, b);
}

/* --- Memory ----------------------------------------------------------------
 */

/* Accesses to operand @k of @size bytes, which are seen as @type. */
struct access {
	uint32_t type, place;
	uint32_t size;
};

/* Access number @index from operand @k's pointer on. */
static struct access access_at(struct spirv_steps *e, int k, uint32_t type,
			       size_t size, uint32_t index)
{
	struct spirv_module *m = &e->module;
	const uint32_t pointer =
		spirv_module_pointer(m, SPIRV_CLASS_CROSS_WORKGROUP, type);
	uint32_t base = e->x[k].id;

	if (pointer != e->x[k].type)
		base = SPIRV_MAKE(m, BITCAST, pointer, base);
	return (struct access){ type,
				SPIRV_MAKE(m, INBOUNDS_PTR_ACCESS_CHAIN,
					   pointer, base, index),
				(uint32_t)size };
}

static uint32_t load(struct spirv_steps *e, struct access at)
{
	return SPIRV_MAKE(&e->module, LOAD, at.type, at.place,
			  SPIRV_ACCESS_ALIGNED, at.size);
}

static void store(struct spirv_steps *e, struct access at, uint32_t value)
{
	SPIRV_DO(&e->module, STORE, at.place, value, SPIRV_ACCESS_ALIGNED,
		 at.size);
}

/* The components of a vector of @n, or the one component. */
static void take_apart(struct spirv_steps *e, uint32_t type, unsigned n,
		       uint32_t all, uint32_t *part)
{
	part[0] = all;
	for (unsigned i = 0; n > 1 && i < n; i++)
		part[i] =
			SPIRV_MAKE(&e->module, COMPOSITE_EXTRACT, type, all, i);
}

/* By insertions, as clang makes vectors: not every driver's reader knows
   OpCompositeConstruct. */
static uint32_t put_together(struct spirv_steps *e, uint32_t vector, unsigned n,
			     const uint32_t *part)
{
	uint32_t all;

	if (n == 1)
		return part[0];
	all = spirv_module_global(&e->module, SPIRV_UNDEF, vector, NULL, 0);
	for (unsigned i = 0; i < n; i++)
		all = SPIRV_MAKE(&e->module, COMPOSITE_INSERT, vector, part[i],
				 all, i);
	return all;
}

/* The access to element @index of operand @k. */
static struct access element_at(struct spirv_steps *e, int k, uint32_t index)
{
	const unsigned dtype = frame_operand(e->graph, k);
	const uint32_t type =
		spirv_module_vector(&e->module, spirv_steps_part_type(e, dtype),
				    spirv_steps_parts(dtype));

	return access_at(e, k, type, size_of(e, k), index);
}

static void load_element(struct spirv_steps *e, int k, uint32_t index,
			 uint32_t *part)
{
	const unsigned dtype = frame_operand(e->graph, k);

	take_apart(e, spirv_steps_part_type(e, dtype), spirv_steps_parts(dtype),
		   load(e, element_at(e, k, index)), part);
}

static void store_element(struct spirv_steps *e, int k, uint32_t index,
			  const uint32_t *part)
{
	const struct access at = element_at(e, k, index);

	store(e, at,
	      put_together(e, at.type,
			   spirv_steps_parts(frame_operand(e->graph, k)),
			   part));
}

/* The access to pack @index of @n elements of operand @k, in words of 32 bits
   if it is as large. */
static struct access pack_at(struct spirv_steps *e, int k, unsigned n,
			     uint32_t index)
{
	const unsigned size = n * (unsigned)size_of(e, k);
	const uint32_t unit =
		spirv_module_integer(&e->module, size < 4 ? size * 8 : 32);
	const uint32_t type =
		spirv_module_vector(&e->module, unit, size > 4 ? size / 4 : 1);

	return access_at(e, k, type, size, index);
}

/* The type of the components of a pack. */
static uint32_t pack_type(struct spirv_steps *e, int k, unsigned n)
{
	const unsigned dtype = frame_operand(e->graph, k);

	return spirv_module_vector(&e->module, spirv_steps_part_type(e, dtype),
				   n * spirv_steps_parts(dtype));
}

static uint32_t as_type(struct spirv_steps *e, uint32_t from, uint32_t to,
			uint32_t value)
{
	return from == to ? value : SPIRV_MAKE(&e->module, BITCAST, to, value);
}

static void load_pack(struct spirv_steps *e, int k, unsigned n, uint32_t index,
		      struct pack *pack)
{
	const unsigned dtype = frame_operand(e->graph, k);
	const struct access at = pack_at(e, k, n, index);

	take_apart(e, spirv_steps_part_type(e, dtype),
		   n * spirv_steps_parts(dtype),
		   as_type(e, at.type, pack_type(e, k, n), load(e, at)),
		   pack->part);
}

static void store_pack(struct spirv_steps *e, int k, unsigned n, uint32_t index,
		       const struct pack *pack)
{
	const unsigned parts =
		n * spirv_steps_parts(frame_operand(e->graph, k));
	const struct access at = pack_at(e, k, n, index);
	const uint32_t type = pack_type(e, k, n);

	store(e, at,
	      as_type(e, type, at.type,
		      put_together(e, type, parts, pack->part)));
}

/* --- One element -----------------------------------------------------------
 */

/* Append the steps for the element whose index in operand @k is @index[k]. */
static void add_element(struct spirv_steps *e, const uint32_t *index)
{
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];
	uint32_t out[GRAPH_RESULTS][SPIRV_STEPS_PARTS];
	const int results = e->graph->n_results;

	for (int k = 0; k < e->graph->n_inputs; k++)
		load_element(e, results + k, index[results + k], in[k]);
	spirv_steps_element(e, false, in, out);
	for (int k = 0; k < results; k++)
		store_element(e, k, index[k], out[k]);
}

/* --- FRAME_FLAT ------------------------------------------------------------
 */

/* The elements of a work-item: n of them, `apart` from each other. */
struct run {
	unsigned n, apart;
	uint32_t id;    /* of the work-item */
	uint32_t begin; /* the first element */
	uint32_t next;  /* the first one that is not its own, or @count */
	uint32_t whole; /* whether all n are there */
};

/* Packs begin at multiples of their size.  Else a work-item takes elements that
   are a group apart, so that the accesses of neighbours are side by side. */
static struct run begin_run(struct spirv_steps *e, struct item *item,
			    bool packed)
{
	struct spirv_module *m = &e->module;
	const uint32_t type = word_type(e);
	struct run run = { .n = (unsigned)frame_pack(e->graph),
			   .apart = packed ? 1 : FRAME_GROUP };
	uint32_t group, last;

	if (packed) {
		run.id = global_id(e, item);
		run.begin =
			SPIRV_MAKE(m, I_MUL, type, run.id, number(e, run.n));
	} else {
		group = built_in(e, item, SPIRV_BUILT_IN_GROUP,
				 "__spirv_BuiltInWorkgroupId");
		run.id = built_in(e, item, SPIRV_BUILT_IN_LOCAL,
				  "__spirv_BuiltInLocalInvocationId");
		group = SPIRV_MAKE(m, I_MUL, type, group,
				   number(e, run.n * run.apart));
		run.begin = SPIRV_MAKE(m, I_ADD, type, group, run.id);
	}
	item->count = spirv_steps_word(e, e->words.count);
	last = SPIRV_MAKE(m, I_ADD, type, run.begin,
			  number(e, (run.n - 1) * run.apart));
	run.whole = is_below(e, last, item->count);
	run.next = SPIRV_MAKE(m, I_ADD, type, run.begin,
			      number(e, run.n * run.apart));
	run.next =
		SPIRV_MAKE(m, SELECT, type, run.whole, run.next, item->count);
	return run;
}

/* Load all inputs of a run. */
static void load_run(struct spirv_steps *e, const struct run *run,
		     const uint32_t *index, struct pack *in)
{
	for (int k = 0; k < e->graph->n_inputs; k++) {
		const int operand = e->graph->n_results + k;
		const unsigned parts =
			spirv_steps_parts(frame_operand(e->graph, operand));

		if (run->apart == 1) {
			load_pack(e, operand, run->n, run->id, &in[k]);
			continue;
		}
		for (unsigned j = 0; j < run->n; j++)
			load_element(e, operand, index[j],
				     &in[k].part[j * parts]);
	}
}

static void store_run(struct spirv_steps *e, const struct run *run,
		      const uint32_t *index, const struct pack *out)
{
	for (int k = 0; k < e->graph->n_results; k++) {
		const unsigned parts =
			spirv_steps_parts(frame_operand(e->graph, k));

		if (run->apart == 1) {
			store_pack(e, k, run->n, run->id, &out[k]);
			continue;
		}
		for (unsigned j = 0; j < run->n; j++)
			store_element(e, k, index[j], &out[k].part[j * parts]);
	}
}

/* Append the steps for element @j of a run. */
static void add_run_element(struct spirv_steps *e, unsigned j, bool fast,
			    const struct pack *all_in, struct pack *all_out)
{
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];
	uint32_t out[GRAPH_RESULTS][SPIRV_STEPS_PARTS];
	unsigned parts;

	for (int k = 0; k < e->graph->n_inputs; k++) {
		parts = spirv_steps_parts(
			frame_operand(e->graph, e->graph->n_results + k));
		for (unsigned p = 0; p < parts; p++)
			in[k][p] = all_in[k].part[j * parts + p];
	}
	spirv_steps_element(e, fast, in, out);
	for (int k = 0; k < e->graph->n_results; k++) {
		parts = spirv_steps_parts(frame_operand(e->graph, k));
		for (unsigned p = 0; p < parts; p++)
			all_out[k].part[j * parts + p] = out[k][p];
	}
}

/* Append straight-line code for a whole run.  If one of its elements must not
   take the fast path, go to @slow before anything is stored. */
static void add_whole_run(struct spirv_steps *e, const struct run *run,
			  uint32_t slow)
{
	const bool guarded = spirv_steps_is_guarded(e);
	struct pack in[GRAPH_INPUTS], out[GRAPH_RESULTS];
	uint32_t index[MOST_PACK] = { run->begin }, any, stores;

	for (unsigned j = 1; run->apart > 1 && j < run->n; j++)
		index[j] = SPIRV_MAKE(&e->module, I_ADD, word_type(e),
				      run->begin, number(e, j * run->apart));
	load_run(e, run, index, in);
	for (unsigned j = 0; j < run->n; j++)
		add_run_element(e, j, guarded, in, out);
	if (guarded) {
		stores = spirv_module_id(&e->module);
		any = SPIRV_MAKE(
			&e->module, I_NOT_EQUAL, bool_type(e), e->any,
			spirv_module_global(&e->module, SPIRV_CONSTANT,
					    spirv_module_integer(&e->module, 8),
					    SPIRV_WORDS(0)));
		SPIRV_DO(&e->module, BRANCH_CONDITIONAL, any, slow, stores);
		label(e, stores);
	}
	store_run(e, run, index, out);
	leave(e);
}

/* Append a loop over the elements of a run; @i is its variable. */
static void add_loop(struct spirv_steps *e, const struct run *run, uint32_t i)
{
	struct spirv_module *m = &e->module;
	const uint32_t type = word_type(e);
	const uint32_t head = spirv_module_id(m), test = spirv_module_id(m),
		       body = spirv_module_id(m), more = spirv_module_id(m),
		       end = spirv_module_id(m);
	uint32_t index[FRAME_OPERANDS], at, next;

	branch(e, head);
	label(e, head);
	SPIRV_DO(m, LOOP_MERGE, end, more, SPIRV_LOOP_ROLLED);
	branch(e, test);
	label(e, test);
	at = SPIRV_MAKE(m, LOAD, type, i, SPIRV_ACCESS_ALIGNED, 8);
	SPIRV_DO(m, BRANCH_CONDITIONAL, is_below(e, at, run->next), body, end);
	label(e, body);
	for (int k = 0; k < frame_operands(e->graph); k++)
		index[k] = at;
	add_element(e, index);
	branch(e, more);
	label(e, more);
	next = SPIRV_MAKE(m, I_ADD, type, at, number(e, run->apart));
	SPIRV_DO(m, STORE, i, next, SPIRV_ACCESS_ALIGNED, 8);
	branch(e, head);
	label(e, end);
	leave(e);
}

/* The number of words of all functions that the steps of a run call. */
static size_t words_of_steps(struct spirv_steps *e)
{
	struct spirv_library *library = &e->module.library;
	size_t words;

	for (int i = 0; i < e->graph->n_steps; i++) {
		const struct spirv_steps_functions *f = &e->functions[i];

		spirv_library_use(library, f->fast ? f->fast : f->plain);
		spirv_library_use(library, f->guard);
	}
	words = library->used_words;
	spirv_library_forget(library);
	return words;
}

static void add_flat(struct spirv_steps *e, struct item *item)
{
	struct spirv_module *m = &e->module;
	const bool unrolled =
		words_of_steps(e) * (size_t)frame_pack(e->graph) <= LONG_PACK;
	const struct run run =
		begin_run(e, item, unrolled && e->frame->aligned);
	const uint32_t i = spirv_module_variable(
		m, spirv_module_pointer(m, SPIRV_CLASS_FUNCTION, word_type(e)),
		8);
	const uint32_t straight = spirv_module_id(m), rest = spirv_module_id(m);

	spirv_steps_scalars(e);
	SPIRV_DO(m, STORE, i, run.begin, SPIRV_ACCESS_ALIGNED, 8);
	if (unrolled) {
		SPIRV_DO(m, BRANCH_CONDITIONAL, run.whole, straight, rest);
		label(e, straight);
		add_whole_run(e, &run, rest);
		label(e, rest);
		/* Without a guard, of one element nothing is left. */
		if (run.n == 1 && !spirv_steps_is_guarded(e)) {
			leave(e);
			return;
		}
	}
	add_loop(e, &run, i);
}

/* --- FRAME_STRIDED ---------------------------------------------------------
 */

/* Divide @rest by the extents in turn, and add each axis' part of the way to
   the operands' indices @at. */
static void add_axes(struct spirv_steps *e, uint32_t rest, uint32_t *at)
{
	struct spirv_module *m = &e->module;
	const bool small = e->frame->small;
	const uint32_t type = spirv_module_integer(m, small ? 32 : 64);
	const uint32_t wide = word_type(e);
	const int operands = frame_operands(e->graph);
	uint32_t extent, next, i;

	for (int d = 0; d < e->frame->rank; d++) {
		i = rest;
		if (d + 1 < e->frame->rank) {
			extent = spirv_steps_word(e, e->words.extent + d);
			if (small)
				extent = SPIRV_MAKE(m, U_CONVERT, type, extent);
			next = SPIRV_MAKE(m, U_DIV, type, rest, extent);
			i = SPIRV_MAKE(m, I_MUL, type, next, extent);
			i = SPIRV_MAKE(m, I_SUB, type, rest, i);
			rest = next;
		}
		if (small)
			i = SPIRV_MAKE(m, U_CONVERT, wide, i);
		for (int k = 0; k < operands; k++) {
			const int word = e->words.stride + d * operands + k;

			next = SPIRV_MAKE(m, I_MUL, wide, i,
					  spirv_steps_word(e, word));
			at[k] = SPIRV_MAKE(m, I_ADD, wide, at[k], next);
		}
	}
}

static void add_strided(struct spirv_steps *e, struct item *item)
{
	struct spirv_module *m = &e->module;
	const uint32_t inside = spirv_module_id(m), end = spirv_module_id(m);
	uint32_t at[FRAME_OPERANDS], id = global_id(e, item);

	item->count = spirv_steps_word(e, e->words.count);
	SPIRV_DO(m, BRANCH_CONDITIONAL, is_below(e, id, item->count), inside,
		 end);
	label(e, inside);
	spirv_steps_scalars(e);
	for (int k = 0; k < frame_operands(e->graph); k++)
		at[k] = spirv_steps_word(e, e->words.offset + k);
	if (e->frame->small)
		id = SPIRV_MAKE(m, U_CONVERT, spirv_module_integer(m, 32), id);
	add_axes(e, id, at);
	add_element(e, at);
	branch(e, end);
	label(e, end);
	leave(e);
}

/* --- Kernels ---------------------------------------------------------------
 */

/* The struct of words, by value: as clang writes the parameter. */
static struct spirv_value words_parameter(struct spirv_steps *e)
{
	struct spirv_module *m = &e->module;
	const uint32_t n = spirv_module_number(m, 64, (uint64_t)e->words.n);
	const uint32_t array = SPIRV_TYPE(m, ARRAY, word_type(e), n);
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
			spirv_steps_type(e, frame_operand(e->graph, k));

		e->x[k].id = spirv_module_id(m);
		e->x[k].type = spirv_module_pointer(
			m, SPIRV_CLASS_CROSS_WORKGROUP, type);
		spirv_module_decorate(m, SPIRV_WORDS(e->x[k].id,
						     SPIRV_DECORATION_ALIGNMENT,
						     (uint32_t)size_of(e, k)));
	}
	e->x[operands] = words_parameter(e);
}

/* Vectors of 8 and 16 components want a capability. */
static void add_capabilities(struct spirv_steps *e)
{
	spirv_code_add(&e->module.part[SPIRV_CAPABILITIES], SPIRV_CAPABILITY, 0,
		       0, SPIRV_WORDS(SPIRV_CAPABILITY_VECTOR16));
}

static bool emit(struct spirv_steps *e, const char *name, struct text *out)
{
	struct item item = { .n_built_in = 0 };

	if (!spirv_steps_find(e))
		return false;
	add_parameters(e);
	if (e->frame->kind == FRAME_STRIDED)
		add_strided(e, &item);
	else
		add_flat(e, &item);
	if (e->frame->kind == FRAME_FLAT && frame_pack(e->graph) > 4)
		add_capabilities(e);
	return spirv_module_end(&e->module, name, e->x,
				(unsigned)frame_operands(e->graph) + 1,
				item.built_in, item.n_built_in, out);
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
