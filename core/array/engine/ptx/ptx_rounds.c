/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_rounds.c - writes, in PTX, the loop of a kernel over the reduced axis, or
   over a row. */
#include "core/array/engine/ptx/ptx_rounds.h"

#include "core/array/engine/ptx/ptx_slot.h"
#include "core/array/engine/ptx/ptx_combine.h"

void ptx_rounds_step(struct ptx *e, int k, int word, int size)
{
	PTX_ADD(e,
		"ld.param.u64 %%d%d,[w+%d];\n"
		"mul.lo.u64 %%d%d,%%d%d,%d;\n",
		k, 8 * word, k, k, size);
}

void ptx_rounds_begin(struct ptx *e, int k)
{
	PTX_ADD(e, "mad.lo.u64 %%a%d,%%begin,%%d%d,%%a%d;\n", k, k, k);
}

void ptx_rounds_add(struct ptx *e, const struct ptx_rounds *rounds)
{
	const int slots = e->slots, round = ptx_slot_distance(e, slots, 0);

	PTX_ADD(e,
		"F_round:\nsetp.gt.s32 %%whole,%%left32,%d;\n"
		"@!%%whole bra F_last;\n",
		ptx_slot_distance(e, slots - 1, e->pack - 1));
	rounds->add(rounds->context, SCHEDULE_NOTHING);
	for (int k = 0; k < schedule_operands(e->graph); k++)
		if (rounds->moves >> k & 1)
			PTX_ADD(e, "mad.lo.u64 %%a%d,%%d%d,%d,%%a%d;\n", k, k,
				round, k);
	PTX_ADD(e,
		"sub.s32 %%left32,%%left32,%d;\nbra.uni F_round;\nF_last:\n"
		"setp.gt.s32 %%q,%%left32,0;\n@!%%q bra F_all;\n",
		round);
	rounds->add(rounds->context, rounds->last);
	PTX_ADD(e, "F_all:\n");
}

void ptx_rounds_combine(struct ptx *e, int step, int slot, int begin,
			enum schedule_missing missing)
{
	const int first = slot % e->schedule->gpu.accumulators * e->pack;

	for (int j = 0; j < e->block; j++) {
		const struct ptx_pair value = ptx_combine_cast(e, step, j);

		if (missing)
			ptx_slot_check(e, slot,
				       missing == SCHEDULE_PACKS ? 0
								 : begin + j);
		ptx_combine_value(e, first + begin + j, &value, missing);
	}
}
