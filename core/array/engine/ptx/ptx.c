/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx.c - writes what all kernels in PTX share: registers, loads and stores,
 * addresses, and steps.
 *
 * A pack of several blocks is computed in a loop over its blocks, which keeps
 * the text short.  PTX cannot index registers by a loop's counter.  So each
 * turn of the loop reads inputs from the cells of the pack's first block.  Each
 * turn writes results to the cells of the pack's last block.  Before a turn
 * computes, the results of earlier turns are copied to the cells one block
 * further down, towards the first block.  At the end of the turn, the inputs
 * are copied to the cells one block further down, too.
 *
 * The first turn copies cells that have no result yet.  The kernel sets these
 * cells to 0 before the loop.  Otherwise NVIDIA's assembler (CUDA 13.0)
 * computes wrong results where a result is a constant.
 */
#include "core/array/engine/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "kernels/templates.h"

/* --- Values and cells --------------------------------------------------- */

bool ptx_is_16_bit(unsigned dtype)
{
	return dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16;
}

unsigned ptx_computed(unsigned dtype)
{
	return ptx_is_16_bit(dtype) ? DPR_FLOAT32 : dtype;
}

int ptx_parts(unsigned dtype)
{
	return dtype == DPR_COMPLEX64 || dtype == DPR_COMPLEX128 ? 2 : 1;
}

int ptx_size(unsigned dtype)
{
	return (int)dpr_dtype_size((dpr_dtype)dtype);
}

int ptx_step(const struct ptx *e, int k)
{
	return schedule_has_memory(e->graph, k)
		       ? ptx_size(schedule_operand(e->graph, k))
		       : 1;
}

int ptx_bits(unsigned dtype)
{
	return ptx_size(dtype) / ptx_parts(dtype) == 8 ? 64 : 32;
}

/* Whether step @i has one value for all elements.  The registers of element 0
   have this value. */
static bool is_single(const struct ptx *e, int i)
{
	return e->graph->step[i].kind == GRAPH_SCALAR || e->uniform >> i & 1;
}

static bool is_left_out(const struct ptx *e, int i)
{
	return (e->uniform | e->left_out) >> i & 1;
}

struct ptx_register ptx_value(const struct ptx *e, int i, int part, int element)
{
	struct ptx_register reg;

	snprintf(reg.name, sizeof(reg.name), "%%v%dp%de%d", i, part,
		 is_single(e, i) ? 0 : element);
	return reg;
}

struct ptx_register ptx_stored(const struct ptx *e, int i, int element)
{
	struct ptx_register reg;

	snprintf(reg.name, sizeof(reg.name), "%%h%de%d", i,
		 is_single(e, i) ? 0 : element);
	return reg;
}

struct ptx_register ptx_cell(int k, int at)
{
	struct ptx_register reg;

	snprintf(reg.name, sizeof(reg.name), "%%c%de%d", k, at);
	return reg;
}

struct ptx_register ptx_address(int k)
{
	struct ptx_register reg;

	snprintf(reg.name, sizeof(reg.name), "%%a%d", k);
	return reg;
}

bool ptx_is_fixed(const struct ptx *e, int k)
{
	return (e->schedule->kind == SCHEDULE_ROWS ||
		schedule_reduces(e->schedule)) &&
	       e->schedule->inner[k] == SCHEDULE_FIXED;
}

bool ptx_is_shared(const struct ptx *e, int k)
{
	const bool apart = schedule_reduces(e->schedule) &&
			   e->schedule->inner[k] == SCHEDULE_ANY;

	return e->is_dense && !apart && !ptx_is_fixed(e, k) &&
	       ptx_size(schedule_operand(e->graph, k)) < 4;
}

int ptx_cells(const struct ptx *e, int k, int n)
{
	const unsigned dtype = schedule_operand(e->graph, k);

	if (ptx_is_fixed(e, k))
		return ptx_parts(dtype);
	if (!ptx_is_shared(e, k))
		return n * ptx_parts(dtype);
	return n * ptx_size(dtype) > 4 ? n * ptx_size(dtype) / 4 : 1;
}

int ptx_shared_cell(const struct ptx *e, int k, int j, int *below)
{
	const int at = j * ptx_size(schedule_operand(e->graph, k));

	*below = at % 4;
	return at / 4;
}

/* --- Memory ------------------------------------------------------------- */

/* Write the registers of an access: @n cells of operand @k, from cell @at on.
   Several registers are put in braces. */
static void add_cells(struct ptx *e, int k, int at, int n)
{
	PTX_ADD(e, "%s", n > 1 ? "{" : "");
	for (int c = 0; c < n; c++)
		PTX_ADD(e, "%s%s", c ? "," : "", ptx_cell(k, at + c).name);
	PTX_ADD(e, "%s", n > 1 ? "}" : "");
}

/* Write additions that give the values of @n elements of an operand without
   memory.  The value of an element is its position.  The address register has
   the position of the first element. */
static void add_addresses(struct ptx *e, const struct ptx_access *a, int at,
			  int n)
{
	for (int c = 0; c < n; c++)
		PTX_ADD(e, "%sadd.u64 %s,%s,%d;\n", a->guard,
			ptx_cell(a->operand, at + c).name, a->address.name,
			a->bytes + c);
}

void ptx_access(struct ptx *e, const struct ptx_access *a, int at, int n,
		int size)
{
	if (!schedule_has_memory(e->graph, a->operand)) {
		add_addresses(e, a, at, n);
		return;
	}
	PTX_ADD(e, "%s%s%s%s.%c%d ", a->guard, a->is_store ? "st" : "ld",
		a->space,
		n == 4   ? ".v4"
		: n == 2 ? ".v2"
			 : "",
		size / n < 4 ? 'u' : 'b', size / n * 8);
	if (a->is_store) {
		PTX_ADD(e, "[%s+%d],", a->address.name, a->bytes);
		add_cells(e, a->operand, at, n);
	} else {
		add_cells(e, a->operand, at, n);
		PTX_ADD(e, ",[%s+%d]", a->address.name, a->bytes);
	}
	PTX_ADD(e, ";\n");
}

void ptx_clear(struct ptx *e, int k)
{
	for (int c = 0; c < ptx_cells(e, k, e->pack); c++)
		PTX_ADD(e, "mov.b%d %s,0;\n",
			ptx_bits(schedule_operand(e->graph, k)),
			ptx_cell(k, c).name);
}

void ptx_element(struct ptx *e, const struct ptx_access *a, int j)
{
	const int k = a->operand;
	const int size = ptx_size(schedule_operand(e->graph, k));
	const int cells = ptx_cells(e, k, 1);
	int below, at;

	if (!ptx_is_shared(e, k)) {
		ptx_access(e, a, j * cells, cells, size);
		return;
	}
	at = ptx_shared_cell(e, k, j, &below);
	if (a->is_store)
		PTX_ADD(e,
			"shr.u32 %%t32,%s,%d;\n"
			"%sst%s.u%d [%s+%d],%%t32;\n",
			ptx_cell(k, at).name, below * 8, a->guard, a->space,
			size * 8, a->address.name, a->bytes);
	else
		PTX_ADD(e,
			"mov.u32 %%t32,0;\n"
			"%sld%s.u%d %%t32,[%s+%d];\n"
			"shl.b32 %%t32,%%t32,%d;\n"
			"or.b32 %s,%s,%%t32;\n",
			a->guard, a->space, size * 8, a->address.name, a->bytes,
			below * 8, ptx_cell(k, at).name, ptx_cell(k, at).name);
}

/* --- Templates ---------------------------------------------------------- */

/* Find the template @name, a function of kernels/step.cl.  If there is none,
   the kernel cannot be written.  The tables of constants that the template
   reads will be added to the module. */
static bool find(struct ptx *e, struct template *out, const char *name)
{
	if (!templates_find(name, out)) {
		e->is_absent = true;
		return false;
	}
	e->tables |= out->tables;
	return true;
}

void ptx_paste(struct ptx *e, const char *name, const struct ptx_register *in,
	       const struct ptx_register *out)
{
	struct template t;
	const char *from, *end;

	if (!find(e, &t, name))
		return;
	from = e->templates + t.at;
	end = from + t.size;
	while (from < end) {
		const char *mark = memchr(from, '?', (size_t)(end - from));
		const struct ptx_register *reg;

		text_add(&e->text, from, (size_t)((mark ? mark : end) - from));
		if (!mark)
			return;
		reg = mark[1] == 'r'   ? &out[0]
		      : mark[1] == 'i' ? &out[1]
				       : &in[mark[1] - '0'];
		text_add(&e->text, reg->name, strlen(reg->name));
		from = mark + 2;
	}
}

/* Whether @step has a template "_short": a shorter template for 16-bit floats
   alone, which need less precision than float32. */
static bool is_short(const struct graph_step *step, const char *path)
{
	struct template t;
	char name[48];

	if (path[0] || !ptx_is_16_bit(step->compute))
		return false;
	snprintf(name, sizeof(name), "%s_short_%u",
		 operations_table[step->at].name, ptx_computed(step->compute));
	return templates_find(name, &t);
}

/* Write the name of the template of @step.  An operation with a fast path has
   three templates, and @path chooses between them.  "_fast" is short code that
   is wrong for a few values.  "_guard" finds out whether the fast path was
   wrong.  "" is right for every value. */
static void step_name(const struct graph_step *step, const char *path,
		      char name[48])
{
	const unsigned compute = ptx_computed(step->compute);

	switch ((enum graph_kind)step->kind) {
	case GRAPH_OPERATION:
		snprintf(name, 48, "%s%s_%u", operations_table[step->at].name,
			 is_short(step, path) ? "_short" : path, compute);
		return;
	case GRAPH_WHERE:
		snprintf(name, 48, "where_%u", ptx_computed(step->dtype));
		return;
	case GRAPH_CAST:
		snprintf(name, 48, "cast_%u_%u", compute, step->dtype);
		return;
	case GRAPH_INPUT:
	case GRAPH_INDEX:
	case GRAPH_SCALAR:
	case GRAPH_BITS:
	case GRAPH_GATHER:
	case GRAPH_PUT:
	case GRAPH_REDUCE: snprintf(name, 48, "load_%u", step->dtype); return;
	}
}

/* Whether step @i is a GRAPH_WHERE that chooses between the stored bits of
   16-bit floats, not between their float32 values. */
static bool is_stored_where(const struct ptx *e, int i)
{
	return e->graph->step[i].kind == GRAPH_WHERE &&
	       graph_keeps_stored(e->graph, i);
}

static bool has_template(const struct ptx *e, int i)
{
	const struct graph_step *step = &e->graph->step[i];

	return !graph_is_leaf(step) && step->kind != GRAPH_REDUCE &&
	       step->kind != GRAPH_BITS && step->kind != GRAPH_GATHER &&
	       step->kind != GRAPH_PUT &&
	       !is_stored_where(e, i);
}

/* Whether @step takes a fast path (step_name()).  A fast path saves time only
   if a block has several elements.  The template that is right for every value
   is then pasted once, into a loop (add_guarded()). */
static bool is_guarded(const struct ptx *e, const struct graph_step *step)
{
	struct template t;
	char name[48];

	if (e->block == 1 || step->kind != GRAPH_OPERATION ||
	    !operations_is_guarded(step->at, step->compute))
		return false;
	step_name(step, "_guard", name);
	return templates_find(name, &t);
}

static bool is_long(struct ptx *e, int i)
{
	const struct graph_step *step = &e->graph->step[i];
	struct template t;
	char name[48];

	if (e->block == 1 || !has_template(e, i))
		return false;
	step_name(step, "", name);
	return find(e, &t, name) && t.size * (size_t)e->block > ptx_longest(e);
}

size_t ptx_steps_size(struct ptx *e)
{
	size_t size = 0;

	for (int i = 0; i < e->graph->n_steps; i++) {
		struct template t;
		char name[48];

		if (!has_template(e, i) || is_left_out(e, i))
			continue;
		step_name(&e->graph->step[i], "", name);
		size += find(e, &t, name) ? t.size : 0;
	}
	return size;
}

size_t ptx_block_size(struct ptx *e)
{
	size_t size = 0;

	for (int i = 0; i < e->graph->n_steps; i++) {
		const struct graph_step *step = &e->graph->step[i];
		const size_t block = (size_t)e->block;
		struct template t;
		char name[48];

		if (!has_template(e, i) || is_left_out(e, i))
			continue;
		step_name(step, "", name);
		if (!find(e, &t, name))
			continue;
		size += is_guarded(e, step) || is_long(e, i) ? t.size
							     : t.size * block;
		if (!is_guarded(e, step))
			continue;
		step_name(step, "_fast", name);
		size += find(e, &t, name) ? t.size * block : 0;
	}
	return size;
}

/* --- Steps -------------------------------------------------------------- */

void ptx_load_value(struct ptx *e, int i, int j)
{
	const struct ptx_register in = ptx_stored(e, i, j),
				  out = ptx_value(e, i, 0, j);
	char name[16];

	snprintf(name, sizeof(name), "load_%d", e->graph->step[i].dtype);
	ptx_paste(e, name, &in, &out);
}

void ptx_store_value(struct ptx *e, int i, int j)
{
	const struct ptx_register in = ptx_value(e, i, 0, j),
				  out = ptx_stored(e, i, j);
	char name[16];

	snprintf(name, sizeof(name), "store_%d", e->graph->step[i].dtype);
	ptx_paste(e, name, &in, &out);
}

/* Write step @i, a GRAPH_OPERATION, GRAPH_WHERE or GRAPH_CAST.  The step reads
   element @from of its operands, and computes element @to of its value.  @path:
   see step_name(). */
static void add_step(struct ptx *e, int i, const char *path, int from, int to)
{
	const struct graph_step *step = &e->graph->step[i];
	const bool rounded = ptx_is_16_bit(step->dtype);
	struct ptx_register in[6], out[2];
	char name[48];

	for (int k = 0; k < 3; k++) {
		in[2 * k] = ptx_value(e, step->x[k], 0, from);
		in[2 * k + 1] = ptx_value(e, step->x[k], 1, from);
	}
	out[0] = ptx_value(e, i, 0, to);
	out[1] = ptx_value(e, i, 1, to);
	if (rounded && step->kind == GRAPH_CAST)
		out[0] = ptx_stored(e, i, to);
	step_name(step, path, name);
	ptx_paste(e, name, in, out);
	if (rounded && step->kind != GRAPH_CAST)
		ptx_store_value(e, i, to);
	if (rounded)
		ptx_load_value(e, i, to);
}

static bool is_byte(unsigned dtype)
{
	return ptx_size(dtype) == 1;
}

/* The selector with which the PTX instruction prmt extracts byte @at of a cell,
   and extends this byte to 32 bits. */
static int byte_selector(unsigned dtype, int at)
{
	return dtype == DPR_INT8 ? 0x8880 + 0x1111 * at : 0x4440 + at;
}

/* Write step @i, a GRAPH_BITS, for element @j.  The bits of the operand become
   the value of the step. */
static void add_bits(struct ptx *e, int i, int j)
{
	const struct graph_step *step = &e->graph->step[i];
	const struct ptx_register from =
		ptx_is_16_bit(step->compute) ? ptx_stored(e, step->x[0], j)
					     : ptx_value(e, step->x[0], 0, j);
	const struct ptx_register to = ptx_is_16_bit(step->dtype)
					       ? ptx_stored(e, i, j)
					       : ptx_value(e, i, 0, j);

	/* A byte is extended to 32 bits as its new dtype requires. */
	if (is_byte(step->dtype))
		PTX_ADD(e, "bfe.%c32 %s,%s,0,8;\n",
			step->dtype == DPR_INT8 ? 's' : 'u', to.name,
			from.name);
	else
		PTX_ADD(e, "mov.b%d %s,%s;\n", ptx_bits(step->dtype), to.name,
			from.name);
	if (ptx_is_16_bit(step->dtype))
		ptx_load_value(e, i, j);
}

/* Write step @i, a GRAPH_WHERE for which is_stored_where() holds, for element
   @j. */
static void add_stored_where(struct ptx *e, int i, int j)
{
	const struct graph_step *step = &e->graph->step[i];

	/* %t32 is minus the condition: -1 for true, 0 for false.  slct gives
	   its second value, x[1], if %t32 is negative, else its first value,
	   x[2]. */
	PTX_ADD(e, "neg.s32 %%t32,%s;\nslct.b32.s32 %s,%s,%s,%%t32;\n",
		ptx_value(e, step->x[0], 0, j).name, ptx_stored(e, i, j).name,
		ptx_stored(e, step->x[2], j).name,
		ptx_stored(e, step->x[1], j).name);
	ptx_load_value(e, i, j);
}

/* Write step @i, an input: element @j of the block is taken out of the
   operand's cells. */
static void add_input(struct ptx *e, int i, int j)
{
	const struct graph_step *step = &e->graph->step[i];
	const int k = e->graph->n_results + step->at;
	const int parts = ptx_parts(step->dtype);
	const bool rounded = ptx_is_16_bit(step->dtype);

	for (int part = 0; part < parts; part++) {
		const struct ptx_register to =
			rounded ? ptx_stored(e, i, j)
				: ptx_value(e, i, part, j);
		int below = 0, at = part;

		if (ptx_is_shared(e, k))
			at = ptx_shared_cell(e, k, j, &below);
		else if (!ptx_is_fixed(e, k))
			at += j * parts;
		at += e->base[k];
		if (is_byte(step->dtype))
			PTX_ADD(e, "prmt.b32 %s,%s,0,%d;\n", to.name,
				ptx_cell(k, at).name,
				byte_selector(step->dtype, below));
		else if (below)
			PTX_ADD(e, "shr.u32 %s,%s,%d;\n", to.name,
				ptx_cell(k, at).name, below * 8);
		else
			PTX_ADD(e, "mov.b%d %s,%s;\n", ptx_bits(step->dtype),
				to.name, ptx_cell(k, at).name);
	}
	if (rounded)
		ptx_load_value(e, i, j);
}

/* Write step @i, a GRAPH_GATHER, for element @j.  The address register of the
   source has the address of its first element.  The source is read in packs:
   the cells are loaded for the first element of a pack, and all elements are
   taken out of them. */
static void add_packed_gather(struct ptx *e, int i, int j)
{
	const struct graph_step *step = &e->graph->step[i];
	const int k = e->graph->n_results + step->at;
	const int run = e->pack / e->slots;
	const int n = run < e->block ? run : e->block;
	const int cells = ptx_cells(e, k, n);
	const struct ptx_access a = { .operand = k,
				      .guard = "",
				      .space = ".global",
				      .address = { "%t64" } };

	if (j % n == 0) {
		PTX_ADD(e, "mad.lo.s64 %%t64,%s,%d,%s;\n",
			ptx_value(e, step->x[0], 0, j).name,
			ptx_size(step->dtype), ptx_address(k).name);
		ptx_access(e, &a, j / n * cells, cells,
			   n * ptx_size(step->dtype));
	}
	add_input(e, i, j);
}

/* Write step @i, an input whose elements are loaded one by one, for element @j
   of the block. */
static void add_single_gather(struct ptx *e, int i, int j)
{
	const struct graph_step *step = &e->graph->step[i];
	const int size = ptx_size(step->dtype), parts = ptx_parts(step->dtype);
	const struct ptx_register to = ptx_is_16_bit(step->dtype)
					       ? ptx_stored(e, i, j)
					       : ptx_value(e, i, 0, j);

	PTX_ADD(e, "mad.lo.s64 %%t64,%s,%d,%s;\nld.global",
		ptx_value(e, step->x[0], 0, j).name, size,
		ptx_address(e->graph->n_results + step->at).name);
	if (parts == 2)
		PTX_ADD(e, ".v2.b%d {%s,%s}", size * 4, to.name,
			ptx_value(e, i, 1, j).name);
	else
		PTX_ADD(e, ".%c%d %s", step->dtype == DPR_INT8 ? 's' : 'u',
			size * 8, to.name);
	PTX_ADD(e, ",[%%t64];\n");
	if (ptx_is_16_bit(step->dtype))
		ptx_load_value(e, i, j);
}

static void add_gather(struct ptx *e, int i, int j)
{
	const int k = e->graph->n_results + e->graph->step[i].at;

	if (e->schedule->kind == SCHEDULE_ROWS &&
	    e->schedule->inner[k] == SCHEDULE_NEXT)
		add_packed_gather(e, i, j);
	else
		add_single_gather(e, i, j);
}

void ptx_result(struct ptx *e, int k, int j)
{
	const int i = graph_stored(e->graph, k);
	const unsigned dtype = schedule_operand(e->graph, k);
	const int parts = ptx_parts(dtype);
	const int block =
		schedule_reduces(e->schedule)
			? 0
			: ptx_cells(e, k, e->pack) - ptx_cells(e, k, e->block);
	/* bytes[below] is the selector with which the PTX instruction prmt
	   replaces byte `below` of the cell by the element. */
	static const int bytes[4] = { 0, 0x3240, 0x3410, 0x4210 };

	for (int part = 0; part < parts; part++) {
		const struct ptx_register from =
			ptx_is_16_bit(dtype) ? ptx_stored(e, i, j)
					     : ptx_value(e, i, part, j);
		int below = 0, at = j * parts + part;
		struct ptx_register to;

		if (ptx_is_shared(e, k))
			at = ptx_shared_cell(e, k, j, &below);
		to = ptx_cell(k, block + at);
		if (below)
			PTX_ADD(e, "prmt.b32 %s,%s,%s,%d;\n", to.name, to.name,
				from.name,
				ptx_size(dtype) == 2 ? 0x5410 : bytes[below]);
		else
			PTX_ADD(e, "mov.b%d %s,%s;\n", ptx_bits(dtype), to.name,
				from.name);
	}
}

/* Write step @i for element @j. */
static void add_element(struct ptx *e, int i, int j)
{
	if (graph_is_input(&e->graph->step[i]))
		add_input(e, i, j);
	else if (e->graph->step[i].kind == GRAPH_BITS)
		add_bits(e, i, j);
	else if (e->graph->step[i].kind == GRAPH_GATHER)
		add_gather(e, i, j);
	else if (is_stored_where(e, i))
		add_stored_where(e, i, j);
	else if (has_template(e, i))
		add_step(e, i, "", j, j);
}

void ptx_single(struct ptx *e, int i)
{
	add_element(e, i, 0);
}

/* Write the steps from @begin up to @end - 1 for each element of the block.
   None of these steps needs a loop.  If @end is past the last step, also copy
   the results to their cells, unless the kernel reduces. */
static void add_short_steps(struct ptx *e, int begin, int end)
{
	for (int j = 0; j < e->block; j++) {
		for (int i = begin; i < end; i++)
			if (!is_left_out(e, i))
				add_element(e, i, j);
		if (end < e->graph->n_steps || schedule_reduces(e->schedule))
			continue;
		for (int k = 0; k < e->graph->n_results; k++)
			ptx_result(e, k, j);
	}
}

/* Write code that copies the values of step @i down by one element: the value
   of element 1 goes to element 0, and so on.  Pass @around = true to copy the
   value of element 0 to the last element, too. */
static void add_move(struct ptx *e, int i, bool around)
{
	const struct graph_step *step = &e->graph->step[i];
	const int last = e->block - 1, bits = ptx_bits(step->dtype);

	for (int part = 0; part < ptx_parts(step->dtype); part++) {
		if (around)
			PTX_ADD(e, "mov.b%d %%t%d,%s;\n", bits, bits,
				ptx_value(e, i, part, 0).name);
		for (int j = 0; j < last; j++)
			PTX_ADD(e, "mov.b%d %s,%s;\n", bits,
				ptx_value(e, i, part, j).name,
				ptx_value(e, i, part, j + 1).name);
		if (around)
			PTX_ADD(e, "mov.b%d %s,%%t%d;\n", bits,
				ptx_value(e, i, part, last).name, bits);
	}
	for (int j = 0; ptx_is_16_bit(step->dtype) && !around && j < last; j++)
		PTX_ADD(e, "mov.b32 %s,%s;\n", ptx_stored(e, i, j).name,
			ptx_stored(e, i, j + 1).name);
}

/* Write code that sets to 0 the values of step @i which the first turn of the
   step's loop copies.  The top of this file says why. */
static void add_zeros(struct ptx *e, int i)
{
	const struct graph_step *step = &e->graph->step[i];

	for (int j = 1; j < e->block; j++) {
		for (int part = 0; part < ptx_parts(step->dtype); part++)
			PTX_ADD(e, "mov.b%d %s,0;\n", ptx_bits(step->dtype),
				ptx_value(e, i, part, j).name);
		if (ptx_is_16_bit(step->dtype))
			PTX_ADD(e, "mov.b32 %s,0;\n", ptx_stored(e, i, j).name);
	}
}

/* Write step @i as a loop over the block.  Each turn first moves the values of
   earlier turns down by one element.  Then the turn computes the value of the
   block's last element from element 0 of each operand.  At the end of the turn
   the elements of each operand move down by one, and element 0 moves to the
   end.  So after the last turn every value and every operand is in its
   place. */
static void add_loop(struct ptx *e, int i)
{
	const struct graph_step *step = &e->graph->step[i];

	add_zeros(e, i);
	PTX_ADD(e, "mov.u32 %%n,0;\nF_step%d:\n.pragma \"nounroll\";\n", i);
	add_move(e, i, false);
	add_step(e, i, "", 0, e->block - 1);
	for (int k = 0; k < step->n; k++) {
		bool again = is_single(e, step->x[k]);

		for (int before = 0; before < k; before++)
			again |= step->x[before] == step->x[k];
		if (!again)
			add_move(e, step->x[k], true);
	}
	PTX_ADD(e,
		"add.u32 %%n,%%n,1;\nsetp.lt.u32 %%q,%%n,%d;\n"
		"@%%q bra F_step%d;\n",
		e->block, i);
}

/* Write step @i with its fast path for the whole block.  If the fast path was
   wrong for any element, the kernel computes the whole block again, without the
   fast path. */
static void add_guarded(struct ptx *e, int i)
{
	PTX_ADD(e, "mov.u32 %%any,0;\n");
	for (int j = 0; j < e->block; j++) {
		const struct graph_step *step = &e->graph->step[i];
		const struct ptx_register guard = { "%g" };
		struct ptx_register in[6];
		char name[48];

		add_step(e, i, "_fast", j, j);
		for (int k = 0; k < 3; k++)
			in[2 * k] = ptx_value(e, step->x[k], 0, j);
		step_name(step, "_guard", name);
		ptx_paste(e, name, in, &guard);
		PTX_ADD(e, "or.b32 %%any,%%any,%%g;\n");
	}
	PTX_ADD(e,
		"and.b32 %%any,%%any,255;\nsetp.eq.u32 %%q,%%any,0;\n"
		"@%%q bra F_fast%d;\n",
		i);
	add_loop(e, i);
	PTX_ADD(e, "F_fast%d:\n", i);
}

void ptx_block(struct ptx *e)
{
	int begin = 0;

	for (int i = 0; i < e->graph->n_steps; i++) {
		const struct graph_step *step = &e->graph->step[i];
		const bool guarded = is_guarded(e, step);

		if (is_left_out(e, i) || (!guarded && !is_long(e, i)))
			continue;
		add_short_steps(e, begin, i);
		if (guarded)
			add_guarded(e, i);
		else
			add_loop(e, i);
		begin = i + 1;
	}
	add_short_steps(e, begin, e->graph->n_steps);
}
