/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_ptx.c - kernels as PTX: a work-item loads all its elements, computes the
 * steps (ptx.h), and stores the results.  %a3 has the address of the first
 * element of operand 3.
 */
#include "core/array/engine/emit_ptx.h"

#include <dpr/dtype.h>

#include "core/array/engine/ptx.h"
#include "kernels/templates.h"

/* --- Loads and stores ------------------------------------------------------
 */

/* How far apart the elements of a work-item are. */
static int distance(const struct ptx *e)
{
	return e->is_dense ? 1 : FRAME_GROUP;
}

/* Write the braces of a vector of cells, or a single cell. */
static void add_cells(struct ptx *e, int k, int at, int n)
{
	PTX_ADD(e, "%s", n > 1 ? "{" : "");
	for (int c = 0; c < n; c++)
		PTX_ADD(e, "%s%s", c ? "," : "", ptx_cell(k, at + c).name);
	PTX_ADD(e, "%s", n > 1 ? "}" : "");
}

/* Load or store @n cells of operand @k from cell @at on, of @size bytes
   together, in one access at element @j. */
static void add_access(struct ptx *e, int k, int at, int n, int size, int j)
{
	const bool is_store = k < e->graph->n_results;
	const int bytes =
		j * distance(e) * ptx_size(frame_operand(e->graph, k));

	PTX_ADD(e, "%s.global%s.%c%d ", is_store ? "st" : "ld",
		n == 4   ? ".v4"
		: n == 2 ? ".v2"
			 : "",
		size / n < 4 ? 'u' : 'b', size / n * 8);
	if (is_store) {
		PTX_ADD(e, "[%%a%d+%d],", k, bytes);
		add_cells(e, k, at, n);
	} else {
		add_cells(e, k, at, n);
		PTX_ADD(e, ",[%%a%d+%d]", k, bytes);
	}
	PTX_ADD(e, ";\n");
}

/* Load or store the whole pack of operand @k, or the element that is in all of
   it. */
static void add_whole(struct ptx *e, int k)
{
	const int size = ptx_size(frame_operand(e->graph, k));
	const int cells = ptx_cells(e, k, 1);

	if (ptx_is_fixed(e, k)) {
		add_access(e, k, 0, cells, size, 0);
		return;
	}
	if (e->is_dense) {
		add_access(e, k, 0, ptx_cells(e, k, e->pack), e->pack * size,
			   0);
		return;
	}
	for (int j = 0; j < e->pack; j++)
		add_access(e, k, j * cells, cells, size, j);
}

/* Load or store those elements of operand @k that are before the end. */
static void add_rest(struct ptx *e, int k)
{
	const bool is_store = k < e->graph->n_results;
	const int size = ptx_size(frame_operand(e->graph, k));
	const int cells = ptx_cells(e, k, 1);

	for (int c = 0; !is_store && c < ptx_cells(e, k, e->pack); c++)
		PTX_ADD(e, "mov.b%d %s,0;\n",
			ptx_bits(frame_operand(e->graph, k)),
			ptx_cell(k, c).name);
	for (int j = 0; j < e->pack; j++) {
		int below, at;

		PTX_ADD(e, "setp.gt.u64 %%q,%%left,%d;\n", j * distance(e));
		if (!ptx_is_shared(e, k)) {
			PTX_ADD(e, "@%%q ");
			add_access(e, k, j * cells, cells, size, j);
			continue;
		}
		at = ptx_shared_cell(e, k, j, &below);
		if (is_store)
			PTX_ADD(e,
				"shr.u32 %%t32,%s,%d;\n"
				"@%%q st.global.u%d [%%a%d+%d],%%t32;\n",
				ptx_cell(k, at).name, below * 8, size * 8, k,
				j * size);
		else
			PTX_ADD(e,
				"mov.u32 %%t32,0;\n"
				"@%%q ld.global.u%d %%t32,[%%a%d+%d];\n"
				"shl.b32 %%t32,%%t32,%d;\n"
				"or.b32 %s,%s,%%t32;\n",
				size * 8, k, j * size, below * 8,
				ptx_cell(k, at).name, ptx_cell(k, at).name);
	}
}

/* Load the inputs, or store the results: with @add_whole or @add_rest. */
static void add_inputs(struct ptx *e, void (*add)(struct ptx *e, int k))
{
	for (int k = e->graph->n_results; k < frame_operands(e->graph); k++)
		add(e, k);
}

static void add_results(struct ptx *e, void (*add)(struct ptx *e, int k))
{
	for (int k = 0; k < e->graph->n_results; k++)
		add(e, k);
}

/* --- Frames ----------------------------------------------------------------
 */

/* Move the address of each operand on to element %begin. */
static void add_addresses(struct ptx *e)
{
	for (int k = 0; k < frame_operands(e->graph); k++)
		PTX_ADD(e, "mad.lo.u64 %%a%d,%%begin,%d,%%a%d;\n", k,
			ptx_size(frame_operand(e->graph, k)), k);
}

/* Find the elements of a work-item, which begin at %begin; %left are there from
   that on, and %whole tells whether all of them are. */
static void add_flat(struct ptx *e)
{
	PTX_ADD(e,
		"mul.wide.u32 %%begin,%%group,%d;\n"
		"cvt.u64.u32 %%t64,%%item;\n"
		"mad.lo.u64 %%begin,%%t64,%d,%%begin;\n"
		"setp.ge.u64 %%q,%%begin,%%count;\n"
		"@%%q ret;\n"
		"sub.u64 %%left,%%count,%%begin;\n"
		"setp.gt.u64 %%whole,%%left,%d;\n",
		FRAME_GROUP * e->pack, e->is_dense ? e->pack : 1,
		(e->pack - 1) * distance(e));
	add_addresses(e);
	PTX_ADD(e, "@!%%whole bra F_rest;\n");
	add_inputs(e, add_whole);
	PTX_ADD(e, "bra.uni F_body;\nF_rest:\n");
	add_inputs(e, add_rest);
	PTX_ADD(e, "F_body:\n");
	ptx_steps(e);
	PTX_ADD(e, "@!%%whole bra F_end;\n");
	add_results(e, add_whole);
	PTX_ADD(e, "ret;\nF_end:\n");
	add_results(e, add_rest);
	PTX_ADD(e, "ret;\n");
}

/* Divide what is left of an element's number by the extent of axis @d: the rest
   is its place along this axis, %i64. */
static void add_axis(struct ptx *e, int d)
{
	const bool is_last = d == e->frame->rank - 1;
	const int extent = 8 * (e->words.extent + d);

	if (is_last && e->frame->small)
		PTX_ADD(e, "cvt.u64.u32 %%i64,%%rest;\n");
	else if (is_last)
		PTX_ADD(e, "mov.b64 %%i64,%%rest64;\n");
	else if (e->frame->small)
		PTX_ADD(e,
			"ld.param.u32 %%i32,[w+%d];\n"
			"div.u32 %%next,%%rest,%%i32;\n"
			"mul.lo.u32 %%i32,%%next,%%i32;\n"
			"sub.u32 %%i32,%%rest,%%i32;\n"
			"mov.u32 %%rest,%%next;\n"
			"cvt.u64.u32 %%i64,%%i32;\n",
			extent);
	else
		PTX_ADD(e,
			"ld.param.u64 %%extent,[w+%d];\n"
			"div.u64 %%next64,%%rest64,%%extent;\n"
			"mul.lo.u64 %%i64,%%next64,%%extent;\n"
			"sub.u64 %%i64,%%rest64,%%i64;\n"
			"mov.u64 %%rest64,%%next64;\n",
			extent);
}

/* One element, or a pack of a row: where it is in each operand follows from its
   number. */
static void add_strided(struct ptx *e)
{
	const int operands = frame_operands(e->graph);

	PTX_ADD(e,
		"mul.wide.u32 %%rest64,%%group,%d;\n"
		"cvt.u64.u32 %%t64,%%item;\n"
		"mad.lo.u64 %%rest64,%%t64,%d,%%rest64;\n"
		"setp.ge.u64 %%q,%%rest64,%%count;\n"
		"@%%q ret;\n"
		"cvt.u32.u64 %%rest,%%rest64;\n",
		FRAME_GROUP * e->pack, e->pack);
	for (int k = 0; k < operands; k++)
		PTX_ADD(e,
			"ld.param.u64 %%begin,[w+%d];\n"
			"mad.lo.u64 %%a%d,%%begin,%d,%%a%d;\n",
			8 * (e->words.offset + k), k,
			ptx_size(frame_operand(e->graph, k)), k);
	for (int d = 0; d < e->frame->rank; d++) {
		add_axis(e, d);
		for (int k = 0; k < operands; k++) {
			const int size = ptx_size(frame_operand(e->graph, k));

			if (d == 0 && e->frame->inner[k] == FRAME_FIXED)
				continue;
			if (d == 0 && e->frame->inner[k] == FRAME_NEXT)
				PTX_ADD(e, "mad.lo.u64 %%a%d,%%i64,%d,%%a%d;\n",
					k, size, k);
			else
				PTX_ADD(e,
					"ld.param.u64 %%stride,[w+%d];\n"
					"mul.lo.u64 %%stride,%%stride,%%i64;\n"
					"mad.lo.u64 %%a%d,%%stride,%d,%%a%d;\n",
					8 * (e->words.stride + d * operands +
					     k),
					k, size, k);
		}
	}
	add_inputs(e, add_whole);
	ptx_steps(e);
	add_results(e, add_whole);
	PTX_ADD(e, "ret;\n");
}

/* --- Kernels ---------------------------------------------------------------
 */

static void add_kernel(struct ptx *e, const char *name)
{
	const int operands = frame_operands(e->graph);

	PTX_ADD(e, ".visible .entry %s(", name);
	for (int k = 0; k < operands; k++)
		PTX_ADD(e, ".param .u64 p%d,", k);
	PTX_ADD(e, ".param .align 8 .b8 w[%d])\n{\n", 8 * e->words.n);
	ptx_registers(e);
	for (int k = 0; k < operands; k++)
		PTX_ADD(e,
			"ld.param.u64 %%a%d,[p%d];\n"
			"cvta.to.global.u64 %%a%d,%%a%d;\n",
			k, k, k, k);
	PTX_ADD(e, "ld.param.u64 %%count,[w];\n"
		   "mov.u32 %%group,%%ctaid.x;\nmov.u32 %%item,%%tid.x;\n");
	ptx_scalars(e);
	if (e->frame->kind == FRAME_FLAT)
		add_flat(e);
	else
		add_strided(e);
	PTX_ADD(e, "}\n");
}

static void add_module(const struct ptx *e, struct text *out)
{
	text_print(out, ".version 6.0\n.target sm_60\n.address_size 64\n");
	for (int n = 0; n < 64; n++)
		if (e->tables >> n & 1) {
			const struct template table = templates_table(n);

			text_add(out, table.text, table.size);
		}
	text_add(out, text_get(&e->text), e->text.size);
}

bool emit_ptx_is_there(void)
{
	return templates_are_there();
}

bool emit_ptx_kernel(const struct graph *graph, const struct frame *frame,
		     const char *name, struct text *out)
{
	struct ptx e = {
		.graph = graph,
		.frame = frame,
		.words = frame_words(graph, frame),
		.pack = frame->kind == FRAME_STRIDED ? 1 : frame_pack(graph),
		.is_dense = frame->kind == FRAME_ROWS ||
			    (frame->kind == FRAME_FLAT && frame->aligned),
	};

	if (!templates_are_there())
		return false;
	e.block = e.pack < PTX_BLOCK ? e.pack : PTX_BLOCK;
	add_kernel(&e, name);
	if (!e.is_absent && !e.text.failed)
		add_module(&e, out);
	out->failed |= e.text.failed;
	text_fini(&e.text);
	return !e.is_absent && !out->failed;
}
