/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_declare.c - declares the registers of kernels in PTX, and loads their
   scalars. */
#include "core/array/engine/ptx/ptx_declare.h"

#include <dpr/dtype.h>

void ptx_declare_registers(struct ptx *e)
{
	PTX_ADD(e, ".reg .pred %%q,%%whole;\n"
		   ".reg .b32 %%n,%%turn,%%any,%%g,%%t32,%%group,%%item,%%rest,"
		   "%%next,%%i32;\n"
		   ".reg .b64 %%t64,%%count,%%begin,%%left,%%extent,%%rest64,"
		   "%%next64,%%i64,%%stride;\n");
	for (int k = 0; k < schedule_operands(e->graph); k++)
		PTX_ADD(e, ".reg .b64 %%a%d;\n.reg .b%d %%c%de<%d>;\n", k,
			ptx_bits(schedule_operand(e->graph, k)), k,
			e->cells[k] ? e->cells[k] : ptx_cells(e, k, e->pack));
	for (int i = 0; i < e->graph->n_steps; i++) {
		const struct graph_step *step = &e->graph->step[i];

		for (int part = 0; part < ptx_parts(step->dtype); part++)
			PTX_ADD(e, ".reg .b%d %%v%dp%de<%d>;\n",
				ptx_bits(step->dtype), i, part, e->block);
		if (ptx_is_16_bit(step->dtype))
			PTX_ADD(e, ".reg .b32 %%h%de<%d>;\n", i, e->block);
	}
}

/* The type of the PTX instruction that loads a scalar of @dtype, or a part of a
   complex scalar, from the words. */
static const char *load_type(unsigned dtype)
{
	if (ptx_size(dtype) == 1)
		return dtype == DPR_INT8 ? "s8" : "u8";
	return ptx_bits(dtype) == 64 ? "b64" : "b32";
}

void ptx_declare_scalars(struct ptx *e)
{
	for (int i = 0; i < e->graph->n_steps; i++) {
		const struct graph_step *step = &e->graph->step[i];
		const int bits = ptx_bits(step->dtype);

		if (step->kind != GRAPH_SCALAR)
			continue;
		for (int part = 0; part < ptx_parts(step->dtype); part++)
			PTX_ADD(e, "ld.param.%s %s,[w+%d];\n",
				load_type(step->dtype),
				ptx_value(e, i, part, 0).name,
				8 * (e->words.scalar +
				     schedule_scalars_before(e->graph,
							     step->at)) +
					part * bits / 8);
		if (ptx_is_16_bit(step->dtype))
			ptx_store_value(e, i, 0);
	}
}
