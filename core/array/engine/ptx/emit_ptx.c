/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_ptx.c - writes kernels as PTX: the module around a kernel, and the body
 * of kernels of SCHEDULE_FLAT, SCHEDULE_STRIDED and SCHEDULE_ROWS.
 *
 * A work-item loads its elements of all inputs, computes the steps (ptx.h), and
 * stores the results.  Register %a3 has the address of the work-item's first
 * element in operand 3.
 */
#include "core/array/engine/ptx/emit_ptx.h"

#include <stdatomic.h>
#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/engine/operations.h"
#include "core/array/engine/ptx/ptx_axis.h"
#include "core/array/engine/ptx/ptx_declare.h"
#include "core/array/engine/ptx/ptx_pack.h"
#include "core/array/engine/ptx/ptx_reduce.h"
#include "core/array/engine/ptx/ptx_stages.h"
#include "core/array/engine/ptx/ptx_tile.h"
#include "kernels/templates.h"

/* The most bytes of templates (kernels/templates.h) for all elements of a
   work-item together.  If the templates are longer, the kernel has a loop over
   blocks of elements. */
#define UNROLLED 4096

/* A work-item takes two packs if the templates of the operations for one
   element together have at least LONG bytes.  A kernel of more than
   FEW_OPERANDS operands takes one pack, because two packs would need too many
   registers. */
#define LONG 1400
#define FEW_OPERANDS 4

/* A work-item takes several packs of a row if these have at most ROW_ELEMENTS
   elements, and if the templates for all of them have at most UNROLLED bytes. */
#define ROW_ELEMENTS 16

/* The bytes of the template of the operation @step, plus 1.  If the operation
   has a fast path, the template of the fast path counts.  Every launch asks for
   each step, so `known` keeps the answers.  0 in `known`: there is no answer
   yet. */
static size_t operation_size(const struct graph_step *step)
{
	static _Atomic uint16_t known[OPERATION_COUNT][DPR_COMPLEX128 + 1];
	const unsigned compute = ptx_computed(step->compute);
	_Atomic uint16_t *size = &known[step->at][compute];
	uint16_t bytes = atomic_load_explicit(size, memory_order_relaxed);
	struct template t = { 0 };
	char name[48];

	if (bytes)
		return bytes;
	snprintf(name, sizeof(name), "%s_fast_%u",
		 operations_table[step->at].name, compute);
	if (!templates_find(name, &t)) {
		snprintf(name, sizeof(name), "%s_%u",
			 operations_table[step->at].name, compute);
		(void)templates_find(name, &t);
	}
	bytes = (uint16_t)(t.size < UINT16_MAX ? t.size + 1 : UINT16_MAX);
	atomic_store_explicit(size, bytes, memory_order_relaxed);
	return bytes;
}

int emit_ptx_packs(const struct graph *graph)
{
	const size_t elements = 2 * (size_t)schedule_pack(graph);
	size_t size = 0;

	if (schedule_operands(graph) > FEW_OPERANDS ||
	    !schedule_takes_packs(graph))
		return 1;
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_OPERATION &&
		    graph->step[i].at < OPERATION_COUNT)
			size += operation_size(&graph->step[i]);
	return size >= LONG && size * elements <= PTX_TWO_PACKS ? 2 : 1;
}

/* --- Loads and stores --------------------------------------------------- */

/* The functions of this section choose the elements.  ptx_access() of ptx.c
   writes the instructions. */

/* The number of elements of a work-item that are neighbours in memory. */
static int run_of(const struct ptx *e)
{
	return e->is_dense ? e->pack / e->slots : 1;
}

/* The number of work-items whose runs are neighbours. */
static int team_of(const struct ptx *e)
{
	return e->schedule->kind == SCHEDULE_ROWS
		       ? 1 << e->schedule->gpu.team_bits
		       : EMIT_PTX_FLAT_GROUP;
}

/* The distance from the first element of a work-item to element @j, in elements
   of the array. */
static int distance(const struct ptx *e, int j)
{
	const int run = run_of(e);

	return j / run * team_of(e) * run + j % run;
}

/* Describe the access to element @j of the work-item's pack, in operand @k. */
static struct ptx_access access_at(const struct ptx *e, int k, int j)
{
	return (struct ptx_access){
		.operand = k,
		.is_store = k < e->graph->n_results,
		.guard = "",
		.space = ".global",
		.address = ptx_address(k),
		.bytes = distance(e, j) * ptx_step(e, k),
	};
}

/* Write loads or stores of all elements of operand @k.  A SCHEDULE_FIXED operand
   has one element for the whole pack. */
static void add_whole(struct ptx *e, int k)
{
	const int size = ptx_size(schedule_operand(e->graph, k));
	const struct ptx_access first = access_at(e, k, 0);
	const int run = run_of(e), cells = ptx_cells(e, k, run);

	if (ptx_is_fixed(e, k)) {
		ptx_access(e, &first, 0, ptx_cells(e, k, 1), size);
		return;
	}
	for (int slot = 0; e->is_dense && slot < e->slots; slot++) {
		const struct ptx_access a = access_at(e, k, slot * run);

		ptx_access(e, &a, slot * cells, cells, run * size);
	}
	if (e->is_dense)
		return;
	for (int j = 0; j < e->pack; j++) {
		const struct ptx_access a = access_at(e, k, j);

		ptx_element(e, &a, j);
	}
}

/* Write loads or stores of operand @k at the end of the array: only of the
   elements before the end.  %left is the number of elements from the
   work-item's first one to the end. */
static void add_rest(struct ptx *e, int k)
{
	if (k >= e->graph->n_results)
		ptx_clear(e, k);
	for (int j = 0; j < e->pack; j++) {
		struct ptx_access a = access_at(e, k, j);

		a.guard = "@%q ";
		PTX_ADD(e, "setp.gt.u64 %%q,%%left,%d;\n", distance(e, j));
		ptx_element(e, &a, j);
	}
}

/* Write a store of result @k, which a GRAPH_PUT stores.  The value of step
   @place says how many elements behind the address register the element is
   stored.  The pack has one element. */
static void add_put(struct ptx *e, int k, int place)
{
	const struct ptx_register at = ptx_value(e, place, 0, 0);
	struct ptx_access a = access_at(e, k, 0);

	a.guard = "@%q ";
	PTX_ADD(e,
		"setp.ge.s64 %%q,%s,0;\n"
		"mad.lo.u64 %%a%d,%s,%d,%%a%d;\n",
		at.name, k, at.name, ptx_step(e, k), k);
	ptx_element(e, &a, 0);
}

/* add_inputs(): load all inputs with @add, which is add_whole() or add_rest().
   add_results(): store all results with @add. */
static void add_inputs(struct ptx *e, void (*add)(struct ptx *e, int k))
{
	for (int k = e->graph->n_results; k < schedule_operands(e->graph); k++)
		if (!schedule_is_source(e->graph, k))
			add(e, k);
}

static void add_results(struct ptx *e, void (*add)(struct ptx *e, int k))
{
	for (int k = 0; k < e->graph->n_results; k++) {
		const int place = graph_place(e->graph, k);

		if (place >= 0)
			add_put(e, k, place);
		else
			add(e, k);
	}
}

/* --- Schedules ---------------------------------------------------------- */

/* Write code that moves the address of each operand to the work-item's first
   element.  The distance that all work-items of a group have in common is added
   first: NVIDIA's assembler computes this sum once for a warp. */
static void add_addresses(struct ptx *e)
{
	for (int k = 0; k < schedule_operands(e->graph); k++) {
		const int size = ptx_size(schedule_operand(e->graph, k));

		if (k < e->graph->n_results && graph_place(e->graph, k) >= 0)
			continue;
		PTX_ADD(e,
			"mul.wide.u32 %%t64,%%group,%d;\n"
			"add.u64 %%a%d,%%a%d,%%t64;\n"
			"mul.lo.u32 %%t32,%%item,%d;\n"
			"cvt.u64.u32 %%t64,%%t32;\n"
			"add.u64 %%a%d,%%a%d,%%t64;\n",
			EMIT_PTX_FLAT_GROUP * e->pack * size, k, k,
			run_of(e) * size, k, k);
	}
}

/* Write the body of a kernel of SCHEDULE_FLAT.  %whole is set if all elements
   of the group's packs are before the end of the arrays.  If not, %left becomes
   the number of elements from the work-item's first one to the end. */
static void add_flat(struct ptx *e)
{
	const int group = EMIT_PTX_FLAT_GROUP * e->pack;

	PTX_ADD(e,
		"mad.wide.s32 %%left,%%group,%d,%%count;\n"
		"setp.ge.s64 %%whole,%%left,%d;\n",
		-group, group);
	add_addresses(e);
	PTX_ADD(e, "@!%%whole bra F_rest;\n");
	add_inputs(e, add_whole);
	PTX_ADD(e,
		"bra.uni F_body;\nF_rest:\n"
		"mad.wide.s32 %%left,%%item,%d,%%left;\n"
		"setp.le.s64 %%q,%%left,0;\n@%%q ret;\n",
		-run_of(e));
	add_inputs(e, add_rest);
	PTX_ADD(e, "F_body:\n");
	ptx_pack_steps(e);
	PTX_ADD(e, "@!%%whole bra F_end;\n");
	add_results(e, add_whole);
	PTX_ADD(e, "ret;\nF_end:\n");
	add_results(e, add_rest);
	PTX_ADD(e, "ret;\n");
}

/* Write code that sets %rest64 to the number of the work-item's first element.
   A team of 2^team_bits work-items takes neighbouring packs in each slot. */
static void add_number(struct ptx *e)
{
	const int bits = e->schedule->gpu.team_bits, run = run_of(e);

	PTX_ADD(e,
		"mul.wide.u32 %%rest64,%%group,%d;\n"
		"cvt.u64.u32 %%t64,%%item;\n"
		"mad.lo.u64 %%rest64,%%t64,%d,%%rest64;\n",
		SCHEDULE_GROUP * e->pack, run);
	if (e->slots > 1)
		PTX_ADD(e,
			"shr.u32 %%t32,%%item,%d;\n"
			"mul.wide.u32 %%t64,%%t32,%d;\n"
			"add.u64 %%rest64,%%rest64,%%t64;\n",
			bits, (e->pack - run) << bits);
	PTX_ADD(e, "setp.ge.u64 %%q,%%rest64,%%count;\n"
		   "@%%q ret;\n"
		   "cvt.u32.u64 %%rest,%%rest64;\n");
}

/* Write the body of a kernel of SCHEDULE_STRIDED, where a work-item takes one
   element, or of SCHEDULE_ROWS, where a work-item takes packs of a row.  The
   number of the work-item's first element is taken apart into an index along
   each axis, and each index moves the addresses. */
static void add_strided(struct ptx *e)
{
	const int operands = schedule_operands(e->graph);

	add_number(e);
	for (int k = 0; k < operands; k++)
		ptx_axis_begin(e, k);
	for (int d = 0; d < e->schedule->rank; d++) {
		ptx_axis(e, d);
		for (int k = 0; k < operands; k++) {
			if ((d == 0 &&
			     e->schedule->inner[k] == SCHEDULE_FIXED) ||
			    schedule_is_source(e->graph, k))
				continue;
			if (d == 0 && e->schedule->inner[k] == SCHEDULE_NEXT)
				PTX_ADD(e, "mad.lo.u64 %%a%d,%%i64,%d,%%a%d;\n",
					k, ptx_step(e, k), k);
			else
				ptx_axis_move(e, k, d);
		}
	}
	add_inputs(e, add_whole);
	for (int i = 0; i < e->graph->n_steps; i++)
		if (e->uniform >> i & 1)
			ptx_single(e, i);
	ptx_pack_steps(e);
	add_results(e, add_whole);
	PTX_ADD(e, "ret;\n");
}

/* Find the steps of a kernel of SCHEDULE_ROWS that have one value for all
   elements of a work-item.  Such a step is an input that does not move along the
   row, or reads only scalars and other such steps.  Bit i of the result stands
   for step i. */
static uint64_t find_uniform(const struct ptx *e)
{
	uint64_t found = 0;

	for (int i = 0; i < e->graph->n_steps; i++) {
		const struct graph_step *step = &e->graph->step[i];
		bool uniform = !graph_is_leaf(step);

		if (graph_is_input(step))
			uniform =
				ptx_is_fixed(e, e->graph->n_results + step->at);
		for (int k = 0; k < step->n; k++) {
			const int x = step->x[k];

			uniform &= e->graph->step[x].kind == GRAPH_SCALAR ||
				   found >> x & 1;
		}
		found |= (uint64_t)uniform << i;
	}
	return found;
}

int emit_ptx_row_packs(const struct graph *graph,
		       const struct schedule *schedule)
{
	const struct ptx e = { .graph = graph, .schedule = schedule };
	const uint64_t uniform = find_uniform(&e);
	size_t size = 0;
	int packs = ROW_ELEMENTS / schedule->gpu.pack;

	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_OPERATION &&
		    !(uniform >> i & 1))
			size += operation_size(&graph->step[i]);
	while (packs > 1 &&
	       size * schedule->gpu.pack * (size_t)packs > UNROLLED)
		packs /= 2;
	return packs;
}

/* --- Kernels ------------------------------------------------------------ */

static void add_kernel(struct ptx *e, const char *name)
{
	const int operands = schedule_operands(e->graph);

	PTX_ADD(e, ".visible .entry %s(", name);
	for (int k = 0; k < operands; k++)
		if (schedule_has_memory(e->graph, k))
			PTX_ADD(e, ".param .u64 p%d,", k);
	PTX_ADD(e, ".param .align 8 .b8 w[%d])\n{\n", 8 * e->words.n);
	ptx_declare_registers(e);
	for (int k = 0; k < operands; k++)
		if (schedule_has_memory(e->graph, k))
			PTX_ADD(e,
				"ld.param.u64 %%a%d,[p%d];\n"
				"cvta.to.global.u64 %%a%d,%%a%d;\n",
				k, k, k, k);
		else
			PTX_ADD(e, "mov.u64 %%a%d,0;\n", k);
	PTX_ADD(e, "ld.param.u64 %%count,[w];\n"
		   "mov.u32 %%group,%%ctaid.x;\nmov.u32 %%item,%%tid.x;\n");
	ptx_declare_scalars(e);
	switch ((enum schedule_kind)e->schedule->kind) {
	case SCHEDULE_FLAT: add_flat(e); break;
	case SCHEDULE_STRIDED:
	case SCHEDULE_ROWS: add_strided(e); break;
	case SCHEDULE_TILE: ptx_tile(e); break;
	case SCHEDULE_REDUCE_ROWS:
	case SCHEDULE_REDUCE_COLUMNS: ptx_reduce(e); break;
	case SCHEDULE_STAGES: ptx_stages(e); break;
	}
	PTX_ADD(e, "}\n");
}

static void add_module(const struct ptx *e, struct text *out)
{
	text_print(out, ".version 6.0\n.target sm_60\n.address_size 64\n");
	for (int n = 0; n < 64; n++)
		if (e->tables >> n & 1) {
			const struct template table = templates_table(n);

			text_add(out, e->templates + table.at, table.size);
		}
	text_add(out, text_get(&e->text), e->text.size);
}

bool emit_ptx_is_there(void)
{
	return templates_are_there();
}

dpr_status emit_ptx_open(void)
{
	const char *text;

	return templates_text(&text);
}

bool emit_ptx_kernel(const struct graph *graph, const struct schedule *schedule,
		     const char *name, struct text *out)
{
	struct ptx e = {
		.graph = graph,
		.schedule = schedule,
		.words = schedule_words(graph, schedule),
		.pack = schedule_reduces(schedule) ? schedule->gpu.pack
			: schedule->kind == SCHEDULE_STRIDED
				? 1
				: schedule_items(graph, schedule),
		.slots = !schedule_reduces(schedule) && schedule->gpu.slots
				 ? schedule->gpu.slots
				 : 1,
		.is_dense = schedule->kind >= SCHEDULE_ROWS ||
			    (schedule->kind == SCHEDULE_FLAT &&
			     schedule->gpu.aligned),
	};

	if (!templates_are_there())
		return false;
	if (templates_text(&e.templates)) {
		out->failed = true;
		return false;
	}
	if (schedule->kind == SCHEDULE_ROWS)
		e.uniform = find_uniform(&e);
	if (schedule->kind == SCHEDULE_TILE)
		e.pack = schedule->gpu.tile * schedule->gpu.tile /
			 SCHEDULE_GROUP;
	e.block = e.pack < PTX_BLOCK ? e.pack : PTX_BLOCK;
	if (!schedule_reduces(schedule) && schedule->kind != SCHEDULE_TILE &&
	    (e.slots > 1 || ptx_steps_size(&e) * (size_t)e.pack <= UNROLLED))
		e.block = e.pack;
	if (schedule->kind == SCHEDULE_STAGES)
		ptx_stages_begin(&e);
	else if (schedule_reduces(schedule))
		ptx_reduce_begin(&e);
	add_kernel(&e, name);
	if (!e.is_absent && !e.text.failed)
		add_module(&e, out);
	out->failed |= e.text.failed;
	text_fini(&e.text);
	return !e.is_absent && !out->failed;
}
