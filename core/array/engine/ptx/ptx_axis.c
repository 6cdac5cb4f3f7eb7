/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_axis.c - writes code that finds the place of an element along axes. */
#include "core/array/engine/ptx/ptx_axis.h"

void ptx_axis(struct ptx *e, int d)
{
	const bool is_last = d == e->schedule->rank - 1;
	const int extent = 8 * (e->words.extent + d);

	if (is_last && e->schedule->gpu.small)
		PTX_ADD(e, "cvt.u64.u32 %%i64,%%rest;\n");
	else if (is_last)
		PTX_ADD(e, "mov.b64 %%i64,%%rest64;\n");
	else if (e->schedule->gpu.small)
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

void ptx_axis_begin(struct ptx *e, int k)
{
	PTX_ADD(e,
		"ld.param.u64 %%begin,[w+%d];\n"
		"mad.lo.u64 %%a%d,%%begin,%d,%%a%d;\n",
		8 * (e->words.offset + k), k, ptx_step(e, k), k);
}

void ptx_axis_move(struct ptx *e, int k, int d)
{
	PTX_ADD(e,
		"ld.param.u64 %%stride,[w+%d];\n"
		"mul.lo.u64 %%stride,%%stride,%%i64;\n"
		"mad.lo.u64 %%a%d,%%stride,%d,%%a%d;\n",
		8 * (e->words.stride + d * schedule_operands(e->graph) + k), k,
		ptx_step(e, k), k);
}
