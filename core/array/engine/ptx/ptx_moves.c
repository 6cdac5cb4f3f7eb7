/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_moves.c - writes the steps of kernels in PTX that only move bits. */
#include "core/array/engine/ptx/ptx_moves.h"

#include <dpr/dtype.h>

void ptx_moves_bits(struct ptx *e, int i, int j)
{
	const struct graph_step *step = &e->graph->step[i];
	const struct ptx_register from =
		ptx_is_16_bit(step->compute) ? ptx_stored(e, step->x[0], j)
					     : ptx_value(e, step->x[0], 0, j);
	const struct ptx_register to = ptx_is_16_bit(step->dtype)
					       ? ptx_stored(e, i, j)
					       : ptx_value(e, i, 0, j);

	/* A byte is extended to 32 bits as its new dtype requires. */
	if (ptx_size(step->dtype) == 1)
		PTX_ADD(e, "bfe.%c32 %s,%s,0,8;\n",
			step->dtype == DPR_INT8 ? 's' : 'u', to.name,
			from.name);
	else
		PTX_ADD(e, "mov.b%d %s,%s;\n", ptx_bits(step->dtype), to.name,
			from.name);
	if (ptx_is_16_bit(step->dtype))
		ptx_load_value(e, i, j);
}

void ptx_moves_gather(struct ptx *e, int i, int j)
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

void ptx_moves_where(struct ptx *e, int i, int j)
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
