/* SPDX-License-Identifier: Apache-2.0 */
/* emit_steps.c - writes the steps of a graph as OpenCL C: the functions of
   kernels/step.cl for each dtype in the graph, and calls of these functions. */
#include "core/array/engine/text/emit_steps.h"

#include <dpr/dtype.h>

#include "core/array/engine/operations.h"
#include "kernels/images.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

/* For each dtype, its types in kernels/types.cl: in memory, and for
   computing. */
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

const char *emit_steps_stored(unsigned dtype)
{
	return types[dtype].stored;
}

const char *emit_steps_computed(unsigned dtype)
{
	return types[dtype].computed;
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

/* Write the functions of the dtypes whose bits are set in @used.  Float64 and
   complex128 come first: the functions of other dtypes include casts to
   them. */
static void add_dtypes(struct text *out, uint32_t used)
{
	add_dtype(out, used, DPR_FLOAT64);
	add_dtype(out, used, DPR_COMPLEX128);
	for (unsigned dtype = DPR_BOOL; dtype < DPR_COMPLEX128; dtype++)
		if (dtype != DPR_FLOAT64)
			add_dtype(out, used, dtype);
}

uint32_t emit_steps_dtypes(const struct graph *graph)
{
	uint32_t used = 0;

	for (int i = 0; i < graph->n_steps; i++)
		used |= UINT32_C(1) << graph->step[i].dtype |
			UINT32_C(1) << graph->step[i].compute;
	return used;
}

void emit_steps_begin(uint32_t used, bool is_stored, struct text *out)
{
	if (is_stored)
		text_print(out, "#define STEP_STORED\n");
	add_dtypes(out, used);
}

/* --- Elements ----------------------------------------------------------- */

const char *emit_steps_element_type(const struct emission *e, int k)
{
	return types[machine_dtype(&e->machine, k)].stored;
}

static void write_at(const struct emission *e, uint32_t index)
{
	ADD(e, "[");
	text_number_write(&e->numbers, index, false, e->out);
	ADD(e, "]");
}

/* Write the value of step @i in the form that an array has in memory: bool as 0
   or 1, a 16-bit float as 16 bits. */
static void write_stored(const struct emission *e, int i)
{
	const unsigned dtype = e->machine.graph->step[i].dtype;

	if (dtype == DPR_BOOL)
		ADD(e, "v%d ? one : 0", i);
	else if (graph_keeps_stored(e->machine.graph, i))
		ADD(e, "h%d", i);
	else
		ADD(e, "store_%u(v%d)", dtype, i);
}

void emit_steps_element(const struct emission *e,
			const struct machine_element *x)
{
	const uint32_t handle = x->part[0];
	const struct text_number node = text_number_get(&e->numbers, handle);

	switch (node.kind) {
	case TEXT_NUMBER_LOAD:
		/* The operand has no memory: the value of an element is its
		   index, node.b. */
		if (!schedule_has_memory(e->machine.graph, (int)node.a)) {
			text_number_write(&e->numbers, node.b, true, e->out);
			return;
		}
		ADD(e, "x%u", node.a);
		write_at(e, node.b);
		return;
	case TEXT_NUMBER_LOCAL:
		text_number_write(&e->numbers, node.a, false, e->out);
		write_at(e, node.b);
		return;
	case TEXT_NUMBER_PACKED:
	case TEXT_NUMBER_VECTOR:
		ADD(e, "pack%u%s", node.a,
		    node.kind == TEXT_NUMBER_VECTOR ? ".each" : "");
		write_at(e, node.b);
		return;
	case TEXT_NUMBER_STORED: write_stored(e, (int)node.a); return;
	default: text_number_write(&e->numbers, handle, false, e->out);
	}
}

/* --- Steps -------------------------------------------------------------- */

/* Declare a variable for the value of step @i, a scalar. */
static void add_scalar(const struct emission *e, int i)
{
	const struct graph_step *step = &e->machine.graph->step[i];
	const int at = e->machine.words.scalar +
		       schedule_scalars_before(e->machine.graph, step->at);
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

void emit_steps_scalars(const struct emission *e)
{
	for (int i = 0; i < e->machine.graph->n_steps; i++)
		if (e->machine.graph->step[i].kind == GRAPH_SCALAR)
			add_scalar(e, i);
}

bool emit_steps_is_long(const struct graph *graph, uint64_t set)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (set >> i & 1 && graph->step[i].kind == GRAPH_OPERATION &&
		    operations_table[graph->step[i].at].family ==
			    OPERATIONS_MATH)
			return true;
	return false;
}

static void add_call(const struct emission *e, const struct graph_step *step)
{
	ADD(e, "%s_%d(", operations_table[step->at].name, step->compute);
	for (int k = 0; k < step->n; k++)
		ADD(e, "%sv%d", k ? ", " : "", step->x[k]);
	ADD(e, ")");
}

/* Begin the declaration of the value of step @i.  Afterwards the caller writes
   an expression for the bits to store, and calls end_value().  If the kernel
   keeps these bits (graph_keeps_stored()), they get a variable of their own: h3
   for step 3. */
static void begin_value(const struct emission *e, int i)
{
	const unsigned dtype = e->machine.graph->step[i].dtype;

	if (graph_keeps_stored(e->machine.graph, i))
		ADD(e, "\tconst %s h%d = ", types[dtype].stored, i);
	else
		ADD(e, "\tconst %s v%d = load_%u(", types[dtype].computed, i,
		    dtype);
}

static void end_value(const struct emission *e, int i)
{
	const unsigned dtype = e->machine.graph->step[i].dtype;

	if (graph_keeps_stored(e->machine.graph, i))
		ADD(e, ";\n\tconst %s v%d = load_%u(h%d);\n",
		    types[dtype].computed, i, dtype, i);
	else
		ADD(e, ");\n");
}

void emit_steps_take(const struct emission *e, int i,
		     const struct machine_element *x)
{
	begin_value(e, i);
	ADD(e, "(");
	emit_steps_element(e, x);
	ADD(e, ")");
	end_value(e, i);
}

/* Write an expression for a GRAPH_WHERE that chooses between the stored bits of
   16-bit floats. */
static void add_stored_where(const struct emission *e,
			     const struct graph_step *step)
{
	ADD(e, "v%d ? ", step->x[0]);
	write_stored(e, step->x[1]);
	ADD(e, " : ");
	write_stored(e, step->x[2]);
}

/* Write step @i by an expression for the bits to store: a GRAPH_CAST, a
   GRAPH_BITS, a GRAPH_GATHER, or a GRAPH_WHERE of stored bits. */
static void add_stored_step(const struct emission *e, int i)
{
	const struct graph_step *step = &e->machine.graph->step[i];

	begin_value(e, i);
	if (step->kind == GRAPH_CAST) {
		ADD(e, "cast_%d_%d(v%d)", step->compute, step->dtype,
		    step->x[0]);
	} else if (step->kind == GRAPH_WHERE) {
		add_stored_where(e, step);
	} else if (step->kind == GRAPH_GATHER) {
		const int k = e->machine.graph->n_results + step->at;

		ADD(e, "x%d[(long)w.w[%d] + v%d]", k,
		    e->machine.words.offset + k, step->x[0]);
	} else {
		ADD(e, "as_%s(", types[step->dtype].stored);
		write_stored(e, step->x[0]);
		ADD(e, ")");
	}
	end_value(e, i);
}

/* Write step @i, which is neither an input nor a scalar nor a GRAPH_PUT. */
static void add_step(const struct emission *e, int i)
{
	const struct graph_step *step = &e->machine.graph->step[i];

	if (step->kind == GRAPH_CAST || step->kind == GRAPH_BITS ||
	    step->kind == GRAPH_GATHER ||
	    graph_keeps_stored(e->machine.graph, i)) {
		add_stored_step(e, i);
		return;
	}
	ADD(e, "\tconst %s v%d = ", types[step->dtype].computed, i);
	switch ((enum graph_kind)step->kind) {
	case GRAPH_INPUT:
	case GRAPH_INDEX:
	case GRAPH_SCALAR:
	case GRAPH_CAST:
	case GRAPH_BITS:
	case GRAPH_GATHER:
	case GRAPH_PUT:
	case GRAPH_REDUCE: break;
	case GRAPH_OPERATION: add_call(e, step); break;
	case GRAPH_WHERE:
		ADD(e, "where_%d(v%d, v%d, v%d)", step->dtype, step->x[0],
		    step->x[1], step->x[2]);
		break;
	}
	ADD(e, ";\n");
}

void emit_steps_values(const struct emission *e, uint64_t set,
		       const struct machine_element *in)
{
	for (int i = 0; i < e->machine.graph->n_steps; i++) {
		const struct graph_step *step = &e->machine.graph->step[i];

		if (!(set >> i & 1))
			continue;
		if (graph_is_input(step) || (step->kind == GRAPH_GATHER &&
					     in[step->at].part[0]))
			emit_steps_take(e, i, &in[step->at]);
		else if (step->kind != GRAPH_SCALAR && step->kind != GRAPH_PUT)
			add_step(e, i);
	}
}

/* --- Results ------------------------------------------------------------ */

/* Declare the variable `one`, which is stored for true.  Its value is 1,
   because the launch has fewer than 2^63 elements, but the compiler does not
   know this.  With AVX-512, a constant 1 would be loaded from memory, and only
   for the elements that are true.  Such a load is slow if no element is true
   and the page of the constant is not in memory.  Every load then takes
   microseconds, and does not fetch the page. */
void emit_steps_one(const struct emission *e)
{
	for (int k = 0; k < e->machine.graph->n_results; k++)
		if (schedule_operand(e->machine.graph, k) == DPR_BOOL) {
			ADD(e,
			    "\tconst uchar one = (uchar)(1 + (w.w[%d] >> 63));\n",
			    e->machine.words.count);
			return;
		}
}

/* --- Axes --------------------------------------------------------------- */

/* Declare `i`, the index along axis @d.  In a kernel without gpu.open, on the
   last axis `i` is all of `rest`.  If gpu.open is set, a launch may have fewer
   axes than the kernel.  The missing axes come last, and `rest` is 0 there. */
static void add_place(const struct emission *e, const char *type, int d)
{
	const bool is_open = e->machine.schedule->gpu.open;

	if (!is_open && d == e->machine.schedule->rank - 1)
		ADD(e, "\t{ const long i = (long)rest;\n");
	else
		ADD(e,
		    "\t%s{ const %s extent = (%s)w.w[%d], "
		    "next = rest / extent;\n"
		    "\tconst long i = (long)(rest - next * extent);\n"
		    "\trest = next;\n",
		    is_open ? "if (rest) " : "", type, type,
		    e->machine.words.extent + d);
}

void emit_steps_axes(const struct emission *e, const char *type, int first,
		     const uint32_t *at)
{
	const int operands = schedule_operands(e->machine.graph);

	for (int d = first; d < e->machine.schedule->rank; d++) {
		add_place(e, type, d);
		for (int k = 0; k < operands; k++) {
			ADD(e, "\t");
			text_number_write(&e->numbers, at[k], false, e->out);
			ADD(e, " += i * (long)w.w[%d];\n",
			    e->machine.words.stride + d * operands + k);
		}
		ADD(e, "\t}\n");
	}
}
