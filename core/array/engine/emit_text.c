/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text.c - kernels as OpenCL C: the functions of kernels/step.cl for each
 * dtype that the graph uses, then the kernel, which calls them.
 *
 * In the text x0, x1, ... are the pointers of the operands, first the results,
 * then the inputs; v0, v1, ... are the values of the steps; i is the element in
 * a loop, and w has the words of frame.h.
 */
#include "core/array/engine/emit_text.h"

#include <dpr/dtype.h>

#include "core/array/engine/operations.h"
#include "core/array/engine/singles.h"
#include "kernels/images.h"

/* A kernel being written. */
struct emission {
	const struct graph *graph;
	const struct frame *frame;
	struct frame_words words;
	struct text *out;
};

/* The types of kernels/types.cl by dtype: as stored, and as computed. */
static const struct {
	const char *stored, *computed;
} types[] = {
	[DPR_BOOL] = { "uchar", "uchar" },
	[DPR_INT8] = { "char", "char" },
	[DPR_INT16] = { "short", "short" },
	[DPR_INT32] = { "int", "int" },
	[DPR_INT64] = { "long", "long" },
	[DPR_UINT8] = { "uchar", "uchar" },
	[DPR_UINT16] = { "ushort", "ushort" },
	[DPR_UINT32] = { "uint", "uint" },
	[DPR_UINT64] = { "ulong", "ulong" },
	[DPR_FLOAT16] = { "ushort", "float" },
	[DPR_BFLOAT16] = { "ushort", "float" },
	[DPR_FLOAT32] = { "float", "float" },
	[DPR_FLOAT64] = { "double", "double" },
	[DPR_COMPLEX64] = { "cfloat", "cfloat" },
	[DPR_COMPLEX128] = { "cdouble", "cdouble" },
};

#define ADD(e, ...) text_print((e)->out, __VA_ARGS__)

const char *emit_text_type(unsigned dtype)
{
	return types[dtype].stored;
}

static const char *stored_type(const struct emission *e, int k)
{
	return emit_text_type(frame_operand(e->graph, k));
}

static size_t stored_size(const struct emission *e, int k)
{
	return dpr_dtype_size((dpr_dtype)frame_operand(e->graph, k));
}

static bool is_result(const struct emission *e, int k)
{
	return k < e->graph->n_results;
}

/* Whether input @k is the same for all elements of a row. */
static bool is_fixed(const struct emission *e, int k)
{
	return e->frame->kind == FRAME_ROWS &&
	       e->frame->inner[k] == FRAME_FIXED && !is_result(e, k);
}

/* --- The functions of the dtypes ------------------------------------------ */

static void add_dtype(struct text *out, uint32_t used, unsigned dtype)
{
	const struct image steps = images_steps();

	if (!(used >> dtype & 1))
		return;
	text_print(out, "#undef DPR_DTYPE\n#define DPR_DTYPE %u\n", dtype);
	text_add(out, steps.data, steps.size);
}

/* Write the functions of the dtypes whose bits are set in @used.  Those with
   doubles come first: the others then have casts to them. */
static void add_dtypes(struct text *out, uint32_t used)
{
	add_dtype(out, used, DPR_FLOAT64);
	add_dtype(out, used, DPR_COMPLEX128);
	for (unsigned dtype = DPR_BOOL; dtype < DPR_COMPLEX128; dtype++)
		if (dtype != DPR_FLOAT64)
			add_dtype(out, used, dtype);
}

/* Whether no operation's value is an operand of another step: then storing it
   is what rounds it. */
static bool is_stored(const struct graph *graph)
{
	for (int i = 0; i < graph->n_steps; i++)
		for (int k = 0; k < graph->step[i].n; k++)
			if (graph->step[graph->step[i].x[k]].kind ==
			    GRAPH_OPERATION)
				return false;
	return true;
}

static uint32_t used_dtypes(const struct graph *graph)
{
	uint32_t used = 0;

	for (int i = 0; i < graph->n_steps; i++)
		used |= UINT32_C(1) << graph->step[i].dtype |
			UINT32_C(1) << graph->step[i].compute;
	return used;
}

/* --- Steps -----------------------------------------------------------------
 */

/* Declare a scalar's value, which does not change from element to element. */
static void add_scalar(const struct emission *e, int i)
{
	const struct graph_step *step = &e->graph->step[i];
	const int at =
		e->words.scalar + frame_scalars_before(e->graph, step->at);
	const char *type = types[step->dtype].computed;

	ADD(e, "\tconst %s v%d = ", type, i);
	switch (step->dtype) {
	case DPR_FLOAT16:
	case DPR_BFLOAT16:
	case DPR_FLOAT32: ADD(e, "as_float((uint)w.w[%d]);\n", at); break;
	case DPR_FLOAT64: ADD(e, "as_double(w.w[%d]);\n", at); break;
	case DPR_COMPLEX64:
		ADD(e,
		    "convert_parts(as_float((uint)w.w[%d]), "
		    "as_float((uint)(w.w[%d] >> 32)));\n",
		    at, at);
		break;
	case DPR_COMPLEX128:
		ADD(e,
		    "convert_double_parts(as_double(w.w[%d]), "
		    "as_double(w.w[%d]));\n",
		    at, at + 1);
		break;
	default: ADD(e, "(%s)w.w[%d];\n", type, at); break;
	}
}

static void add_scalars(const struct emission *e)
{
	for (int i = 0; i < e->graph->n_steps; i++)
		if (e->graph->step[i].kind == GRAPH_SCALAR)
			add_scalar(e, i);
}

/*
 * Declare what is stored for true: 1, since a count is less than 2^63, but the
 * compiler does not know that.  With
 * AVX-512 it would load a constant under the mask of the comparison, and if no
 * element is true, such a load takes microseconds for as long as its page is
 * not there, and does not fetch it.
 */
static void add_one(const struct emission *e)
{
	for (int k = 0; k < e->graph->n_results; k++)
		if (frame_operand(e->graph, k) == DPR_BOOL) {
			ADD(e,
			    "\tconst uchar one = (uchar)(1 + (w.w[%d] >> 63));\n",
			    e->words.count);
			return;
		}
}

static bool is_guarded(const struct graph_step *step)
{
	return step->kind == GRAPH_OPERATION &&
	       operations_is_guarded(step->at, step->compute);
}

static bool has_guards(const struct emission *e)
{
	for (int i = 0; i < e->graph->n_steps; i++)
		if (is_guarded(&e->graph->step[i]))
			return true;
	return false;
}

/* Whether results are written past the caches: that does not pay behind long
   steps. */
static bool is_streamed(const struct emission *e)
{
	for (int i = 0; i < e->graph->n_steps; i++)
		if (e->graph->step[i].kind == GRAPH_OPERATION &&
		    operations_table[e->graph->step[i].at].family ==
			    OPERATIONS_MATH)
			return false;
	return e->frame->stream;
}

static void add_call(const struct emission *e, const struct graph_step *step,
		     const char *path)
{
	ADD(e, "%s%s_%d(", operations_table[step->at].name, path,
	    step->compute);
	for (int k = 0; k < step->n; k++)
		ADD(e, "%sv%d", k ? ", " : "", step->x[k]);
	ADD(e, ")");
}

/* Where the kernel finds operand @k in a loop over elements i. */
enum place {
	PLACE_NEXT,  /* the elements lie one after the other */
	PLACE_INNER, /* they are apart as the frame says of axis 0 */
	PLACE_PACK, /* in a pack that was loaded, or will be stored, or a single
		       element for all of the pack */
	PLACE_CHUNK, /* in private memory that will be stored */
	PLACE_ONE    /* a single element at a place of its own */
};

static void add_place(const struct emission *e, int k, enum place place)
{
	switch (place) {
	case PLACE_NEXT: ADD(e, "x%d[i]", k); return;
	case PLACE_PACK:
		if (is_fixed(e, k))
			ADD(e, "x%d[at%d]", k, k);
		else
			ADD(e, "pack%d.each[i]", k);
		return;
	case PLACE_CHUNK: ADD(e, "chunk%d.each[i]", k); return;
	case PLACE_ONE: ADD(e, "x%d[at%d]", k, k); return;
	case PLACE_INNER: break;
	}
	switch ((enum frame_inner)e->frame->inner[k]) {
	case FRAME_FIXED:
		ADD(e, is_result(e, k) ? "x%d[0]" : "fixed%d", k);
		return;
	case FRAME_NEXT: ADD(e, "x%d[i]", k); return;
	case FRAME_ANY:
	case FRAME_TURNED: ADD(e, "x%d[i * step%d]", k, k); return;
	}
}

/* Write step @i, whose input is at @place.  @fast: take the fast path, and note
   in `any` whether it must not be taken. */
static void add_step(const struct emission *e, int i, bool fast,
		     enum place place)
{
	const struct graph_step *step = &e->graph->step[i];
	const char *path = fast && is_guarded(step) ? "_fast" : "";

	if (step->kind == GRAPH_SCALAR)
		return;
	ADD(e, "\t\tconst %s v%d = ", types[step->dtype].computed, i);
	switch ((enum graph_kind)step->kind) {
	case GRAPH_SCALAR:
	case GRAPH_REDUCE: break;
	case GRAPH_INPUT:
		ADD(e, "load_%d(", step->dtype);
		add_place(e, e->graph->n_results + step->at, place);
		ADD(e, ")");
		break;
	case GRAPH_OPERATION: add_call(e, step, path); break;
	case GRAPH_WHERE:
		ADD(e, "where_%d(v%d, v%d, v%d)", step->dtype, step->x[0],
		    step->x[1], step->x[2]);
		break;
	case GRAPH_CAST:
		ADD(e, "load_%d(cast_%d_%d(v%d))", step->dtype, step->compute,
		    step->dtype, step->x[0]);
		break;
	}
	ADD(e, ";\n");
	if (*path) {
		ADD(e, "\t\tany |= ");
		add_call(e, step, "_guard");
		ADD(e, ";\n");
	}
}

/* Write all steps for element i. */
static void add_element(const struct emission *e, bool fast, enum place inputs,
			enum place results)
{
	for (int i = 0; i < e->graph->n_steps; i++)
		add_step(e, i, fast, inputs);
	for (int k = 0; k < e->graph->n_results; k++) {
		const unsigned dtype = frame_operand(e->graph, k);

		ADD(e, "\t\t");
		add_place(e, k, results);
		if (dtype == DPR_BOOL)
			ADD(e, " = v%d ? one : 0;\n", e->graph->result[k]);
		else
			ADD(e, " = store_%u(v%d);\n", dtype,
			    e->graph->result[k]);
	}
}

/* --- CPUs ------------------------------------------------------------------
 */

/* Write a loop over the n elements of a run. */
static void add_run(const struct emission *e, const char *how, bool fast,
		    enum place inputs, enum place results)
{
	ADD(e, "\t%s for (int i = 0; i < n; i++) {\n", how);
	add_element(e, fast, inputs, results);
	ADD(e, "\t}\n");
}

/* Store result @k from its chunk. */
static void add_chunk_store(const struct emission *e, int k, enum place place)
{
	if (is_streamed(e))
		ADD(e,
		    "\tif (n == %d && BEGINS_LINE(x%d)) {\n"
		    "\t\tglobal STREAM_UNIT *to = (global STREAM_UNIT *)x%d;\n"
		    "\t\tfor (int i = 0; i < CHUNK_UNITS(%zu); i++)\n"
		    "\t\t\tSTREAM(chunk%d.unit[i], to + i);\n"
		    "\t} else\n",
		    FRAME_RUN, k, k, stored_size(e, k), k);
	ADD(e, "\tINDEPENDENT for (int i = 0; i < n; i++) ");
	add_place(e, k, place);
	ADD(e, " = chunk%d.each[i];\n", k);
}

/*
 * Write the steps for a run of up to FRAME_RUN elements through private memory:
 * either to store whole lines past the caches, or because a fast path may turn
 * out to be wrong for one of the elements.
 */
static void add_chunk(const struct emission *e, enum place place)
{
	const bool guarded = has_guards(e);

	for (int k = 0; k < e->graph->n_results; k++)
		ADD(e,
		    "\tunion { STREAM_UNIT unit[CHUNK_UNITS(%zu)]; "
		    "%s each[%d]; } chunk%d;\n",
		    stored_size(e, k), stored_type(e, k), FRAME_RUN, k);
	if (guarded)
		ADD(e, "\tuchar any = 0;\n");
	add_run(e, "INDEPENDENT", guarded, place, PLACE_CHUNK);
	if (guarded) {
		ADD(e, "\tif (any)\n");
		add_run(e, "PLAIN", false, place, PLACE_CHUNK);
	}
	for (int k = 0; k < e->graph->n_results; k++)
		add_chunk_store(e, k, place);
}

/* Write the loops over the elements of a work-item: @most at most, and as many
   as there are in `left`. */
static void add_cpu_elements(const struct emission *e, int most,
			     enum place place)
{
	const bool chunked = has_guards(e) || is_streamed(e);

	if (!chunked || most <= FRAME_RUN) {
		ADD(e, "\tconst int n = left < %d ? (int)left : %d;\n", most,
		    most);
		if (chunked)
			add_chunk(e, place);
		else
			add_run(e, "INDEPENDENT", false, place, place);
		return;
	}
	ADD(e,
	    "\tconst int all = left < %d ? (int)left : %d;\n"
	    "\tfor (int done = 0; done < all; done += %d) {\n"
	    "\tconst int n = all - done < %d ? all - done : %d;\n",
	    most, most, FRAME_RUN, FRAME_RUN, FRAME_RUN);
	add_chunk(e, place);
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (place == PLACE_NEXT || e->frame->inner[k] == FRAME_NEXT)
			ADD(e, "\tx%d += %d;\n", k, FRAME_RUN);
		else if (e->frame->inner[k] == FRAME_ANY)
			ADD(e, "\tx%d += %d * step%d;\n", k, FRAME_RUN, k);
	ADD(e, "\t}\n");
}

static void add_cpu_flat(const struct emission *e)
{
	ADD(e,
	    "\tconst ulong begin = get_global_id(0) * %d;\n"
	    "\tconst ulong left = w.w[%d] - begin;\n",
	    FRAME_FLAT_RUN, e->words.count);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tx%d += begin;\n", k);
	add_cpu_elements(e, FRAME_FLAT_RUN, PLACE_NEXT);
}

/* Move the operands to where row `rest` begins, by the axes from 1 on. */
static void add_outer_axes(const struct emission *e, const char *type,
			   int first)
{
	const int operands = frame_operands(e->graph);

	for (int d = first; d < e->frame->rank; d++) {
		/* Behind the axes that there are, nothing is left. */
		ADD(e,
		    "\t%s{ const %s extent = (%s)w.w[%d], "
		    "next = rest / extent;\n"
		    "\tconst long i = (long)(rest - next * extent);\n"
		    "\trest = next;\n",
		    e->frame->open ? "if (rest) " : "", type, type,
		    e->words.extent + d);
		for (int k = 0; k < operands; k++)
			ADD(e, "\tat%d += i * (long)w.w[%d];\n", k,
			    e->words.stride + d * operands + k);
		ADD(e, "\t}\n");
	}
}

static void add_cpu_strided(const struct emission *e)
{
	const int operands = frame_operands(e->graph);
	const int run = frame_strided_run(e->frame);

	ADD(e,
	    "\tconst ulong chunks = (w.w[%d] + %d) / %d;\n"
	    "\tconst ulong id = get_global_id(0);\n"
	    "\tulong rest = w.w[%d] == 1 ? 0 : id / chunks;\n"
	    "\tconst ulong begin = (id - rest * chunks) * %d;\n"
	    "\tif (rest >= w.w[%d] || begin >= w.w[%d])\n\t\treturn;\n"
	    "\tconst ulong left = w.w[%d] - begin;\n",
	    e->words.extent, run - 1, run, e->words.rows, run, e->words.rows,
	    e->words.extent, e->words.extent);
	for (int k = 0; k < operands; k++)
		ADD(e,
		    "\tconst long step%d = (long)w.w[%d];\n"
		    "\tlong at%d = (long)w.w[%d] + (long)begin * step%d;\n",
		    k, e->words.stride + k, k, e->words.offset + k, k);
	add_outer_axes(e, "ulong", 1);
	for (int k = 0; k < operands; k++) {
		ADD(e, "\tx%d += at%d;\n", k, k);
		if (e->frame->inner[k] == FRAME_FIXED && !is_result(e, k))
			ADD(e, "\tconst %s fixed%d = x%d[0];\n",
			    stored_type(e, k), k, k);
	}
	add_cpu_elements(e, run, PLACE_INNER);
}

/* --- GPUs ------------------------------------------------------------------
 */

/* The type of an access of @size bytes. */
static const char *access_type(size_t size)
{
	return size == 16  ? "uint4"
	       : size == 8 ? "uint2"
	       : size == 4 ? "uint"
	       : size == 2 ? "ushort"
			   : "uchar";
}

/* Where the pack of operand @k is in memory. */
static void add_pack(const struct emission *e, int k)
{
	const int n = frame_pack(e->graph);

	ADD(e, "*(global %s%s *)(x%d + %s", is_result(e, k) ? "" : "const ",
	    access_type((size_t)n * stored_size(e, k)), k,
	    e->frame->kind == FRAME_ROWS ? "at" : "begin");
	if (e->frame->kind == FRAME_ROWS)
		ADD(e, "%d", k);
	ADD(e, ")");
}

/* Load the packs, compute their elements and store them. */
static void add_packs(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	for (int k = 0; k < frame_operands(e->graph); k++) {
		if (is_fixed(e, k))
			continue;
		ADD(e, "\tunion { %s all; %s each[%d]; } pack%d;\n",
		    access_type((size_t)n * stored_size(e, k)),
		    stored_type(e, k), n, k);
		if (is_result(e, k))
			continue;
		ADD(e, "\tpack%d.all = ", k);
		add_pack(e, k);
		ADD(e, ";\n");
	}
	ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) {\n", n);
	add_element(e, false, PLACE_PACK, PLACE_PACK);
	ADD(e, "\t}\n");
	for (int k = 0; k < e->graph->n_results; k++) {
		ADD(e, "\t");
		add_pack(e, k);
		ADD(e, " = pack%d.all;\n", k);
	}
}

/* Each operand of a work-item is one access, if all of it is inside. */
static void add_gpu_flat(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	ADD(e,
	    "\tconst ulong begin = get_global_id(0) * %d;\n"
	    "\tif (begin + %d <= w.w[%d]) {\n",
	    n, n, e->words.count);
	add_packs(e);
	ADD(e, "\t} else for (ulong i = begin; i < w.w[%d]; i++) {\n",
	    e->words.count);
	add_element(e, false, PLACE_NEXT, PLACE_NEXT);
	ADD(e, "\t}\n");
}

/* A work-item takes elements that are a group apart, so that the accesses of
   neighbours are side by side whatever the alignment. */
static void add_interleaved(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	ADD(e,
	    "\tulong i = get_group_id(0) * %d + get_local_id(0);\n"
	    "\tfor (int j = 0; j < %d && i < w.w[%d]; j++, i += %d) {\n",
	    n * FRAME_GROUP, n, e->words.count, FRAME_GROUP);
	add_element(e, false, PLACE_NEXT, PLACE_NEXT);
	ADD(e, "\t}\n");
}

/* One element, or in FRAME_ROWS a pack of a row. */
static void add_gpu_strided(const struct emission *e)
{
	const char *type = e->frame->small ? "uint" : "ulong";
	const bool is_rows = e->frame->kind == FRAME_ROWS;
	const int n = is_rows ? frame_pack(e->graph) : 1;

	ADD(e,
	    "\tconst ulong first = get_global_id(0) * %d;\n"
	    "\tif (first >= w.w[%d])\n\t\treturn;\n"
	    "\t%s rest = (%s)first;\n",
	    n, e->words.count, type, type);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tlong at%d = (long)w.w[%d];\n", k,
		    e->words.offset + k);
	add_outer_axes(e, type, 0);
	if (is_rows)
		add_packs(e);
	else
		add_element(e, false, PLACE_ONE, PLACE_ONE);
}

/* --- Kernels ---------------------------------------------------------------
 */

static void add_head(const struct emission *e, const char *name)
{
	ADD(e,
	    "typedef struct { ulong w[%d]; } words;\n"
	    "kernel void %s(",
	    e->words.n, name);
	emit_text_parameters(e->graph, e->out);
	ADD(e, ")\n{\n");
	add_one(e);
	add_scalars(e);
}

void emit_text_parameters(const struct graph *graph, struct text *out)
{
	for (int k = 0; k < frame_operands(graph); k++)
		text_print(out, "global %s%s *x%d, ",
			   k < graph->n_results ? "" : "const ",
			   emit_text_type(frame_operand(graph, k)), k);
	text_print(out, "const words w");
}

static void add_kernel(const struct graph *graph, const struct frame *frame,
		       const char *name, bool is_cpu, struct text *out)
{
	const struct emission e = { .graph = graph,
				    .frame = frame,
				    .words = frame_words(graph, frame),
				    .out = out };

	add_head(&e, name);
	if (frame->kind == FRAME_FLAT && is_cpu)
		add_cpu_flat(&e);
	else if (is_cpu)
		add_cpu_strided(&e);
	else if (frame->kind != FRAME_FLAT)
		add_gpu_strided(&e);
	else if (frame->aligned)
		add_gpu_flat(&e);
	else
		add_interleaved(&e);
	ADD(&e, "}\n");
}

/* Write what stands before the first kernel. */
static void add_begin(uint32_t used, bool is_stored, struct text *out)
{
	if (is_stored)
		text_print(out, "#define STEP_STORED\n");
	add_dtypes(out, used);
	text_print(out,
		   "#define CHUNK_UNITS(size) "
		   "((int)(%d * (size) / sizeof(STREAM_UNIT)))\n",
		   FRAME_RUN);
}

bool emit_text_kernel(const struct graph *graph, const struct frame *frame,
		      const char *name, bool is_cpu, struct text *out)
{
	add_begin(used_dtypes(graph), is_stored(graph), out);
	add_kernel(graph, frame, name, is_cpu, out);
	return !out->failed;
}

bool emit_text_singles(unsigned dtype, int n, const struct frame *frame,
		       bool is_cpu, struct text *out)
{
	struct singles_walk walk = { 0 };
	char name[GRAPH_NAME];
	uint32_t used = 0;

	while (singles_next(&walk, dtype, n))
		used |= used_dtypes(&walk.graph);
	add_begin(used, true, out);
	walk.next = 0;
	while (singles_next(&walk, dtype, n)) {
		singles_name(&walk.single, name);
		text_print(out, "#undef words\n#define words words_%s\n", name);
		add_kernel(&walk.graph, frame, name, is_cpu, out);
	}
	return !out->failed;
}
