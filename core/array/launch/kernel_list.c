/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_list.c - lists the kernels of devices whose kernels come in files
   (kernel_files.h), and writes their sources.  The author of a plugin compiles
   these files. */
#include <dpr/array_kernels.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <dpr/version.h>

#include "core/array/engine/engine.h"
#include "core/array/engine/kernel_files.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/text/emit_text.h"
#include "core/array/launch/whole.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* A kernel of the list. */
struct listed {
	char name[KERNEL_FILES_NAME];
	struct graph graph;
	struct schedule schedule;
};

/* Called for each kernel; returns true to end the walk. */
typedef bool visit_fn(void *user, const struct listed *kernel);

/* A walk over all kernels. */
struct visit {
	visit_fn *call;
	void *user;
	enum schedule_kind kind;
	struct listed listed;
};

/* --- All kernels -------------------------------------------------------- */

static bool visit_step(struct visit *visit, const struct graph_step *step)
{
	struct listed *l = &visit->listed;

	kernel_files_graph(step, &l->graph);
	l->schedule = kernel_files_schedule(visit->kind);
	kernel_files_name(&l->graph, &l->schedule, l->name);
	return visit->call(visit->user, l);
}

static bool visit_operation(struct visit *visit, unsigned op, unsigned dtype)
{
	const struct operations_entry *o = &operations_table[op];
	const char kind = dpr_dtype_kind((dpr_dtype)dtype);
	const struct graph_step step = { .kind = GRAPH_OPERATION,
					 .n = (uint8_t)o->n,
					 .dtype = (uint8_t)operations_dtype(
						 op, dtype),
					 .compute = (uint8_t)dtype,
					 .at = (uint16_t)op };

	if (!strchr(o->classes, kind) || strchr(o->identity, kind))
		return false;
	/* An OPERATIONS_FIRST operation computes 16-bit floats in float32. */
	if (o->result == OPERATIONS_FIRST &&
	    dpr_dtype_size((dpr_dtype)dtype) == 2)
		return false;
	return visit_step(visit, &step);
}

static bool visit_operations(struct visit *visit)
{
	for (unsigned op = 0; op < OPERATION_COUNT; op++)
		for (unsigned dtype = DPR_BOOL; dtype <= DPR_COMPLEX128;
		     dtype++)
			if (visit_operation(visit, op, dtype))
				return true;
	return false;
}

static bool visit_casts(struct visit *visit)
{
	struct graph_step step = { .kind = GRAPH_CAST, .n = 1 };

	for (unsigned from = DPR_BOOL; from <= DPR_COMPLEX128; from++)
		for (unsigned to = DPR_BOOL; to <= DPR_COMPLEX128; to++) {
			step.compute = (uint8_t)from;
			step.dtype = (uint8_t)to;
			if (from != to && visit_step(visit, &step))
				return true;
		}
	return false;
}

/* Visit the kernel that stores the positions of elements (GRAPH_INDEX). */
static bool visit_index(struct visit *visit)
{
	const struct graph_step step = { .kind = GRAPH_INDEX,
					 .dtype = DPR_INT64,
					 .compute = DPR_INT64 };

	return visit_step(visit, &step);
}

/* Visit the kernels that only move elements, one for each size of elements.
   For contiguous arrays there are only the kernels of where() and put(): the
   driver copies and fills contiguous arrays. */
static bool visit_moves(struct visit *visit)
{
	static const uint8_t dtypes[] = { DPR_UINT8, DPR_UINT16, DPR_UINT32,
					  DPR_UINT64, DPR_COMPLEX128 };
	const bool is_flat = visit->kind == SCHEDULE_FLAT;

	for (size_t i = 0; i < sizeof(dtypes); i++) {
		struct graph_step step = { .kind = GRAPH_WHERE,
					   .n = 3,
					   .dtype = dtypes[i],
					   .compute = dtypes[i] };

		if (visit_step(visit, &step))
			return true;
		step.n = 2;
		step.kind = GRAPH_PUT;
		if (visit_step(visit, &step))
			return true;
		step.n = 0;
		step.kind = GRAPH_INPUT;
		if (!is_flat && visit_step(visit, &step))
			return true;
		step.kind = GRAPH_SCALAR;
		if (!is_flat && visit_step(visit, &step))
			return true;
		step.n = 1;
		step.kind = GRAPH_GATHER;
		step.compute = DPR_INT64;
		if (!is_flat && visit_step(visit, &step))
			return true;
	}
	return !is_flat && visit_index(visit);
}

static void visit_reductions(struct visit *visit)
{
	struct listed *l = &visit->listed;

	for (int r = 0; r < REDUCTION_COUNT; r++)
		for (unsigned dtype = DPR_BOOL; dtype <= DPR_COMPLEX128;
		     dtype++) {
			const struct graph_step step = {
				.kind = GRAPH_INPUT, .dtype = (uint8_t)dtype
			};

			if (!kernel_files_reduces((enum reduction)r, dtype))
				continue;
			kernel_files_graph(&step, &l->graph);
			l->schedule =
				kernel_files_reduce((enum reduction)r, dtype);
			kernel_files_name(&l->graph, &l->schedule, l->name);
			if (visit->call(visit->user, l))
				return;
		}
}

/* Call @call for each kernel, until @call returns true. */
static void visit_all(visit_fn *call, void *user)
{
	static const enum schedule_kind kinds[] = { SCHEDULE_FLAT,
						    SCHEDULE_STRIDED };
	struct visit visit = { .call = call, .user = user };

	for (int i = 0; i < 2; i++) {
		visit.kind = kinds[i];
		if (visit_operations(&visit) || visit_casts(&visit) ||
		    visit_moves(&visit))
			return;
	}
	visit_reductions(&visit);
}

/* --- Descriptions ------------------------------------------------------- */

/* Describe the words (the 8-byte arguments) of a kernel, in the order of
   schedule.h. */
static void add_words(const struct listed *l, struct text *out)
{
	const struct graph *graph = &l->graph;
	const struct graph_step *step = &graph->step[graph->result[0]];
	const int n = schedule_operands(graph);
	/* The index of the first parameter that a number may replace, such as 1
	   for x1.  The word of the number is called number1 then. */
	const int first = step->kind == GRAPH_WHERE ? 2 : 1;

	text_print(out, "count");
	if (l->schedule.kind != SCHEDULE_FLAT)
		text_print(out,
			   ", rows, extent[%d], offset[%d], stride[%d][%d]",
			   l->schedule.rank, n, l->schedule.rank, n);
	if (schedule_reduces(&l->schedule))
		text_print(out, ", step[%d], length, part, divisor, team", n);
	if (step->kind == GRAPH_SCALAR)
		text_print(out, ", number");
	else
		for (int k = 0; k < graph->n_scalars; k++)
			text_print(out, ", %snumber%d", k % 2 ? "" : "is_",
				   first + k / 2);
	if (graph->n_scalars && step->compute == DPR_COMPLEX128)
		text_print(out, " (a number has 2 words)");
}

static uint32_t items_of(const struct listed *l)
{
	if (schedule_reduces(&l->schedule))
		return 0;
	return l->schedule.kind == SCHEDULE_FLAT
		       ? (uint32_t)schedule_pack(&l->graph)
		       : 1;
}

/* --- The list ----------------------------------------------------------- */

struct listing {
	/* each string of an entry has its own allocation */
	dpr_array_kernel *list;
	size_t n;
	bool failed;
};

/* Add an entry.  Takes over @parameters and @words, which are NULL if memory ran
   out. */
static bool add_entry(struct listing *listing, const char *name,
		      char *parameters, char *words, uint32_t items)
{
	dpr_array_kernel *made = mem_append(&listing->list, &listing->n);

	if (made) {
		made->name = mem_string(name);
		made->parameters = parameters;
		made->words = words;
		made->per_item = items;
	} else {
		mem_free(parameters);
		mem_free(words);
	}
	listing->failed = !made || !made->name || !parameters || !words;
	return listing->failed;
}

static bool add_kernel(void *user, const struct listed *l)
{
	struct text parameters = { 0 }, words = { 0 };
	char *first, *second;

	emit_text_parameters(&l->graph, &l->schedule, &parameters);
	add_words(l, &words);
	first = text_take(&parameters);
	second = text_take(&words);
	return add_entry(user, l->name, first, second, items_of(l));
}

static void add_routines(struct listing *listing)
{
	struct whole_file file;

	for (size_t i = 0; !listing->failed && whole_file(i, &file); i++)
		(void)add_entry(listing, file.name,
				mem_string(file.parameters),
				mem_string(file.words), 0);
}

static void free_listing(struct listing *listing)
{
	for (size_t i = 0; i < listing->n; i++) {
		mem_free((void *)(uintptr_t)listing->list[i].name);
		mem_free((void *)(uintptr_t)listing->list[i].parameters);
		mem_free((void *)(uintptr_t)listing->list[i].words);
	}
	mem_free(listing->list);
}

dpr_status dpr_array_kernels(dpr_array_kernel **list, size_t *count)
{
	TRACE_CALL;
	static const size_t strings[] = {
		offsetof(dpr_array_kernel, name),
		offsetof(dpr_array_kernel, parameters),
		offsetof(dpr_array_kernel, words),
	};
	struct listing listing = { 0 };

	if (list)
		*list = NULL;
	if (count)
		*count = 0;
	if (!list || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "array kernels: list and count must not be NULL");
	visit_all(add_kernel, &listing);
	add_routines(&listing);
	if (!listing.failed)
		*list = text_pack(listing.list, listing.n, sizeof(**list),
				  strings, sizeof(strings) / sizeof(*strings));
	if (*list)
		*count = listing.n;
	free_listing(&listing);
	return *list ? DPR_OK : fail_memory("array kernels");
}

/* --- Sources ------------------------------------------------------------ */

struct search {
	const char *name;
	struct text source;
	bool found;
};

/* Whether @name is the one to find.  If so, begin its source. */
static bool begin_source(struct search *search, const char *name)
{
	if (strcmp(name, search->name) != 0)
		return false;
	search->found = true;
	text_print(&search->source,
		   "/* SPDX-License-Identifier: Apache-2.0 */\n"
		   "/* %s, an array kernel of dpr %s */\n",
		   name, dpr_version());
	return true;
}

static bool write_source(void *user, const struct listed *l)
{
	struct search *search = user;

	if (!begin_source(search, l->name))
		return false;
	emit_text_kernel(&l->graph, &l->schedule, l->name, &search->source);
	return true;
}

static void write_routine(struct search *search)
{
	struct whole_file file;

	for (size_t i = 0; !search->found && whole_file(i, &file); i++)
		if (begin_source(search, file.name))
			whole_source(&file, &search->source);
}

dpr_status dpr_array_kernel_source(const char *name, char **source)
{
	TRACE_CALL;
	struct search search = { .name = name };

	if (source)
		*source = NULL;
	if (!name || !source)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "array kernel: name and source must not be NULL");
	visit_all(write_source, &search);
	write_routine(&search);
	if (!search.found)
		return fail(DPR_ERROR_NOT_FOUND,
			    "array kernel: there is no kernel %s; dpr kernels "
			    "lists them",
			    text_quote(name).bytes);
	*source = text_take(&search.source);
	return *source ? DPR_OK : fail_memory("array kernel");
}

const char *dpr_array_kernel_format(dpr_device *device)
{
	HANDLES_GET(device);
	return device ? engine_format(device) : NULL;
}
