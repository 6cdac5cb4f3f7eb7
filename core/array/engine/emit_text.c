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

/* --- The functions of the dtypes ------------------------------------------ */

static void add_dtype(const struct emission *e, unsigned dtype)
{
	const struct image steps = images_steps();

	if (!graph_uses(e->graph, dtype))
		return;
	ADD(e, "#undef DPR_DTYPE\n#define DPR_DTYPE %u\n", dtype);
	text_add(e->out, steps.data, steps.size);
}

/* The dtypes with doubles come first: the others then have casts to them. */
static void add_dtypes(const struct emission *e)
{
	add_dtype(e, DPR_FLOAT64);
	add_dtype(e, DPR_COMPLEX128);
	for (unsigned dtype = DPR_BOOL; dtype < DPR_COMPLEX128; dtype++)
		if (dtype != DPR_FLOAT64)
			add_dtype(e, dtype);
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
	PLACE_PACK,  /* in a pack that was loaded, or will be stored */
	PLACE_CHUNK, /* in private memory that will be stored */
	PLACE_ONE    /* a single element at a place of its own */
};

static void add_place(const struct emission *e, int k, enum place place)
{
	switch (place) {
	case PLACE_NEXT: ADD(e, "x%d[i]", k); return;
	case PLACE_PACK: ADD(e, "pack%d.each[i]", k); return;
	case PLACE_CHUNK: ADD(e, "chunk%d.each[i]", k); return;
	case PLACE_ONE: ADD(e, "x%d[at%d]", k, k); return;
	case PLACE_INNER: break;
	}
	switch ((enum frame_inner)e->frame->inner[k]) {
	case FRAME_FIXED: ADD(e, "x%d[0]", k); return;
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
	case GRAPH_SCALAR: break;
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
		ADD(e, "\t\t");
		add_place(e, k, results);
		ADD(e, " = store_%u(v%d);\n", frame_operand(e->graph, k),
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
	if (e->frame->stream)
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

static void add_cpu_flat(const struct emission *e)
{
	const bool chunked = has_guards(e) || e->frame->stream;
	const int operands = frame_operands(e->graph);

	ADD(e,
	    "\tconst ulong begin = get_global_id(0) * %d;\n"
	    "\tconst ulong left = w.w[%d] - begin;\n",
	    FRAME_FLAT_RUN, e->words.count);
	for (int k = 0; k < operands; k++)
		ADD(e, "\tx%d += begin;\n", k);
	if (!chunked) {
		ADD(e, "\tconst int n = left < %d ? (int)left : %d;\n",
		    FRAME_FLAT_RUN, FRAME_FLAT_RUN);
		add_run(e, "INDEPENDENT", false, PLACE_NEXT, PLACE_NEXT);
		return;
	}
	ADD(e,
	    "\tconst int all = left < %d ? (int)left : %d;\n"
	    "\tfor (int done = 0; done < all; done += %d) {\n"
	    "\tconst int n = all - done < %d ? all - done : %d;\n",
	    FRAME_FLAT_RUN, FRAME_FLAT_RUN, FRAME_RUN, FRAME_RUN, FRAME_RUN);
	add_chunk(e, PLACE_NEXT);
	for (int k = 0; k < operands; k++)
		ADD(e, "\tx%d += %d;\n", k, FRAME_RUN);
	ADD(e, "\t}\n");
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

	ADD(e,
	    "\tconst ulong chunks = (w.w[%d] + %d) / %d;\n"
	    "\tconst ulong id = get_global_id(0);\n"
	    "\tulong rest = id / chunks;\n"
	    "\tconst ulong begin = (id - rest * chunks) * %d;\n"
	    "\tif (rest >= w.w[%d])\n\t\treturn;\n"
	    "\tconst ulong left = w.w[%d] - begin;\n"
	    "\tconst int n = left < %d ? (int)left : %d;\n",
	    e->words.extent, FRAME_RUN - 1, FRAME_RUN, FRAME_RUN, e->words.rows,
	    e->words.extent, FRAME_RUN, FRAME_RUN);
	for (int k = 0; k < operands; k++)
		ADD(e,
		    "\tconst long step%d = (long)w.w[%d];\n"
		    "\tlong at%d = (long)w.w[%d] + (long)begin * step%d;\n",
		    k, e->words.stride + k, k, e->words.offset + k, k);
	add_outer_axes(e, "ulong", 1);
	for (int k = 0; k < operands; k++)
		ADD(e, "\tx%d += at%d;\n", k, k);
	if (has_guards(e))
		add_chunk(e, PLACE_INNER);
	else
		add_run(e, "INDEPENDENT", false, PLACE_INNER, PLACE_INNER);
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

/* Each operand of a work-item is one access, if all of it is inside. */
static void add_packs(const struct emission *e)
{
	const int n = frame_pack(e->graph);

	ADD(e,
	    "\tconst ulong id = get_global_id(0), begin = id * %d;\n"
	    "\tif (begin + %d <= w.w[%d]) {\n",
	    n, n, e->words.count);
	for (int k = 0; k < frame_operands(e->graph); k++) {
		const char *all = access_type((size_t)n * stored_size(e, k));

		ADD(e, "\tunion { %s all; %s each[%d]; } pack%d;\n", all,
		    stored_type(e, k), n, k);
		if (!is_result(e, k))
			ADD(e, "\tpack%d.all = ((global const %s *)x%d)[id];\n",
			    k, all, k);
	}
	ADD(e, "\tUNROLL for (int i = 0; i < %d; i++) {\n", n);
	add_element(e, false, PLACE_PACK, PLACE_PACK);
	ADD(e, "\t}\n");
	for (int k = 0; k < e->graph->n_results; k++)
		ADD(e, "\t((global %s *)x%d)[id] = pack%d.all;\n",
		    access_type((size_t)n * stored_size(e, k)), k, k);
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

static void add_gpu_strided(const struct emission *e)
{
	const char *type = e->frame->small ? "uint" : "ulong";

	ADD(e,
	    "\tif (get_global_id(0) >= w.w[%d])\n\t\treturn;\n"
	    "\t%s rest = (%s)get_global_id(0);\n",
	    e->words.count, type, type);
	for (int k = 0; k < frame_operands(e->graph); k++)
		ADD(e, "\tlong at%d = (long)w.w[%d];\n", k,
		    e->words.offset + k);
	add_outer_axes(e, type, 0);
	add_element(e, false, PLACE_ONE, PLACE_ONE);
}

/* --- Kernels ---------------------------------------------------------------
 */

static void add_head(const struct emission *e, const char *name)
{
	ADD(e,
	    "#define CHUNK_UNITS(size) "
	    "((int)(%d * (size) / sizeof(STREAM_UNIT)))\n"
	    "typedef struct { ulong w[%d]; } words;\n"
	    "kernel void %s(",
	    FRAME_RUN, e->words.n, name);
	emit_text_parameters(e->graph, e->out);
	ADD(e, ")\n{\n");
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

bool emit_text_kernel(const struct graph *graph, const struct frame *frame,
		      const char *name, bool is_cpu, struct text *out)
{
	const struct emission e = { .graph = graph,
				    .frame = frame,
				    .words = frame_words(graph, frame),
				    .out = out };

	add_dtypes(&e);
	add_head(&e, name);
	if (frame->kind == FRAME_FLAT && is_cpu)
		add_cpu_flat(&e);
	else if (is_cpu)
		add_cpu_strided(&e);
	else if (frame->kind == FRAME_STRIDED)
		add_gpu_strided(&e);
	else if (frame->aligned)
		add_packs(&e);
	else
		add_interleaved(&e);
	ADD(&e, "}\n");
	return !out->failed;
}
