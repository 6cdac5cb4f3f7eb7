/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_pack.c - writes the steps of a pack: of its only block, or in a loop over
   its blocks, which ptx.c explains. */
#include "core/array/engine/ptx/ptx_pack.h"

/* Write code that copies the cells of operands @begin to @end - 1 down by one
   block: the cells of block 1 are copied to block 0, and so on.  The steps load
   the cells of a source, one block at a time. */
static void move_cells(struct ptx *e, int begin, int end)
{
	for (int k = begin; k < end; k++)
		for (int c = 0; !ptx_is_fixed(e, k) &&
				!schedule_is_source(e->graph, k) &&
				c < ptx_cells(e, k, e->pack - e->block);
		     c++)
			PTX_ADD(e, "mov.b%d %s,%s;\n",
				ptx_bits(schedule_operand(e->graph, k)),
				ptx_cell(k, c).name,
				ptx_cell(k, c + ptx_cells(e, k, e->block))
					.name);
}

void ptx_pack_steps(struct ptx *e)
{
	const int turns = e->pack / e->block;

	if (turns == 1) {
		ptx_block(e);
		return;
	}
	for (int k = 0; k < e->graph->n_results; k++)
		ptx_clear(e, k);
	PTX_ADD(e, "mov.u32 %%turn,0;\nF_block:\n.pragma \"nounroll\";\n");
	/* ptx_block() writes results to the cells of the pack's last block.
	   First copy the results of earlier turns out of these cells, down by
	   one block. */
	move_cells(e, 0, e->graph->n_results);
	ptx_block(e);
	move_cells(e, e->graph->n_results, schedule_operands(e->graph));
	PTX_ADD(e,
		"add.u32 %%turn,%%turn,1;\nsetp.lt.u32 %%q,%%turn,%d;\n"
		"@%%q bra F_block;\n",
		turns);
}
