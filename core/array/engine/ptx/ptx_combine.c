/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_combine.c - writes the code that combines values in reductions, in PTX.
 */
#include "core/array/engine/ptx/ptx_combine.h"

#include <inttypes.h>
#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"

#define WARP 32

/* --- Registers ---------------------------------------------------------- */

struct ptx_pair ptx_combine_pair(char name, int at)
{
	struct ptx_pair pair;

	for (int part = 0; part < 2; part++)
		snprintf(pair.part[part].name, sizeof(pair.part[part].name),
			 "%%%c%de%d", name, part, at);
	return pair;
}

int ptx_combine_team(const struct ptx *e)
{
	return 1 << e->schedule->gpu.team_bits;
}

unsigned ptx_combine_result(const struct ptx *e)
{
	return e->schedule->result ? e->schedule->result : e->schedule->sum;
}

static void add_pairs(struct ptx *e, char name, unsigned dtype, int n)
{
	for (int part = 0; part < ptx_parts(dtype); part++)
		PTX_ADD(e, ".reg .b%d %%%c%de<%d>;\n", ptx_bits(dtype), name,
			part, n);
}

void ptx_combine_registers(struct ptx *e)
{
	const unsigned sum = e->schedule->sum;

	add_pairs(e, 'z', sum, e->schedule->gpu.accumulators * e->pack);
	add_pairs(e, 'm', sum, 1);
	add_pairs(e, 'x', sum, 1);
	add_pairs(e, 'y', sum, 1);
	add_pairs(e, 'w', sum, e->pack);
	add_pairs(e, 'o', ptx_combine_result(e), 1);
	PTX_ADD(e, ".reg .b32 %%low,%%high;\n.reg .b%d %%divisor;\n",
		ptx_bits(sum));
}

void ptx_combine_tree(struct ptx *e, int tree)
{
	if (ptx_combine_team(e) > WARP)
		PTX_ADD(e, ".shared .align 16 .b8 F_team%d[%d];\n", tree,
			16 * SCHEDULE_GROUP / WARP);
}

/* --- Combining ---------------------------------------------------------- */

void ptx_combine_copy(struct ptx *e, const struct ptx_pair *to,
		      const struct ptx_pair *from, bool checked)
{
	const unsigned sum = e->schedule->sum;

	for (int part = 0; part < ptx_parts(sum); part++)
		PTX_ADD(e, "%smov.b%d %s,%s;\n", checked ? "@%q " : "",
			ptx_bits(sum), to->part[part].name,
			from->part[part].name);
}

void ptx_combine_value(struct ptx *e, int at, const struct ptx_pair *value,
		       bool checked)
{
	const struct ptx_pair z = ptx_combine_pair('z', at);
	const struct ptx_pair x = ptx_combine_pair('x', 0);
	const struct ptx_register in[6] = { value->part[0], value->part[1],
					    z.part[0], z.part[1] };
	char name[48];

	snprintf(name, sizeof(name), "%s_%u",
		 operations_table[reduce_table[e->schedule->reduction].combine]
			 .name,
		 e->schedule->sum);
	ptx_paste(e, name, in, x.part);
	ptx_combine_copy(e, &z, &x, checked);
}

void ptx_combine_first(struct ptx *e)
{
	const unsigned sum = e->schedule->sum;
	uint64_t first =
		reduce_table_first((enum reduction)e->schedule->reduction, sum);

	/* The register of an int8 has 32 bits, and its upper bits repeat the
	   sign (ptx.h). */
	if (sum == DPR_INT8)
		first = (uint32_t)(int8_t)first;
	for (int at = 0; at < e->schedule->gpu.accumulators * e->pack; at++)
		for (int part = 0; part < ptx_parts(sum); part++)
			PTX_ADD(e, "mov.b%d %s,%" PRIu64 ";\n", ptx_bits(sum),
				ptx_combine_pair('z', at).part[part].name,
				part ? 0 : first);
}

struct ptx_pair ptx_combine_cast(struct ptx *e, int step, int j)
{
	const unsigned from = ptx_computed(e->graph->step[step].dtype);
	const struct ptx_pair value = { { ptx_value(e, step, 0, j),
					  ptx_value(e, step, 1, j) } };
	const struct ptx_pair cast = ptx_combine_pair('m', 0);
	char name[48];

	if (from == e->schedule->sum)
		return value;
	snprintf(name, sizeof(name), "cast_%u_%u", from, e->schedule->sum);
	ptx_paste(e, name, value.part, cast.part);
	return cast;
}

/* The tree combines the upper half of the accumulators with the lower half.
   Then it combines the upper half of the outcomes with the lower half, and so
   on. */
void ptx_combine_halves(struct ptx *e, int n, int apart, int at)
{
	for (n /= 2; n > 0; n /= 2)
		for (int i = 0; i < n; i++) {
			const struct ptx_pair other =
				ptx_combine_pair('z', at + (i + n) * apart);

			ptx_combine_value(e, at + i * apart, &other, false);
		}
}

/* --- Teams -------------------------------------------------------------- */

/* Write code that copies accumulator 0 of another work-item of the warp to @to.
   The code uses the PTX instruction shfl with the operands @way and @clamp.
   "down": the other work-item is @from places further.  "idx": @clamp cuts the
   warp into segments of equal size.  The other work-item is number @from of
   this work-item's own segment. */
static void add_move(struct ptx *e, const struct ptx_pair *to, const char *way,
		     int from, int clamp)
{
	const struct ptx_pair z = ptx_combine_pair('z', 0);

	for (int part = 0; part < ptx_parts(e->schedule->sum); part++) {
		const char *x = z.part[part].name, *y = to->part[part].name;

		if (ptx_bits(e->schedule->sum) == 32)
			PTX_ADD(e, "shfl.sync.%s.b32 %s,%s,%d,%d,0xffffffff;\n",
				way, y, x, from, clamp);
		else
			PTX_ADD(e,
				"mov.b64 {%%low,%%high},%s;\n"
				"shfl.sync.%s.b32 %%low,%%low,%d,%d,"
				"0xffffffff;\n"
				"shfl.sync.%s.b32 %%high,%%high,%d,%d,"
				"0xffffffff;\n"
				"mov.b64 %s,{%%low,%%high};\n",
				x, way, from, clamp, way, from, clamp, y);
	}
}

/* Write code that combines accumulator 0 of this work-item with accumulator 0
   of the work-item @half places further in the warp. */
static void add_shuffle(struct ptx *e, int half)
{
	const struct ptx_pair y = ptx_combine_pair('y', 0);

	add_move(e, &y, "down", half, WARP - 1);
	ptx_combine_value(e, 0, &y, false);
}

/* Write an exchange between the warps of a group.  The first work-item of each
   warp stores accumulator 0 in local memory.  After a barrier work-item i of
   every warp loads the value of warp i modulo the number of warps. */
static void add_exchange(struct ptx *e, int tree)
{
	const int bits = ptx_bits(e->schedule->sum);
	const int parts = ptx_parts(e->schedule->sum);
	const struct ptx_pair z = ptx_combine_pair('z', 0);

	PTX_ADD(e,
		"and.b32 %%t32,%%item,31;\nsetp.eq.u32 %%q,%%t32,0;\n"
		"shr.u32 %%t32,%%item,5;\nmul.wide.u32 %%t64,%%t32,16;\n"
		"mov.u64 %%i64,F_team%d;\nadd.u64 %%t64,%%t64,%%i64;\n",
		tree);
	for (int part = 0; part < parts; part++)
		PTX_ADD(e, "@%%q st.shared.b%d [%%t64+%d],%s;\n", bits,
			part * bits / 8, z.part[part].name);
	PTX_ADD(e,
		"bar.sync 0;\nand.b32 %%t32,%%item,%d;\n"
		"mul.wide.u32 %%t64,%%t32,16;\nadd.u64 %%t64,%%t64,%%i64;\n",
		SCHEDULE_GROUP / WARP - 1);
	for (int part = 0; part < parts; part++)
		PTX_ADD(e, "ld.shared.b%d %s,[%%t64+%d];\n", bits,
			z.part[part].name, part * bits / 8);
}

void ptx_combine_gather(struct ptx *e, int tree)
{
	const int team = ptx_combine_team(e);
	int half = team < WARP ? team : WARP;

	for (half /= 2; half > 0; half /= 2)
		add_shuffle(e, half);
	if (team <= WARP)
		return;
	add_exchange(e, tree);
	for (half = SCHEDULE_GROUP / WARP / 2; half > 0; half /= 2)
		add_shuffle(e, half);
}

/* If a team is larger than a warp, the first work-item of each of its warps has
   the outcome already.  So each warp copies the outcome within the warp. */
void ptx_combine_share(struct ptx *e)
{
	const struct ptx_pair z = ptx_combine_pair('z', 0);
	const int team = ptx_combine_team(e);

	if (team > 1)
		add_move(e, &z, "idx", 0,
			 (team < WARP ? WARP - team : 0) << 8 | (WARP - 1));
}

/* --- Results ------------------------------------------------------------ */

/* Write code that sets %divisor to the number of elements, by which a mean
   divides.  In SCHEDULE_STAGES the launch passes this number as an integer,
   because reductions in several dtypes use the same word. */
static void add_divisor(struct ptx *e)
{
	const int bits = ptx_bits(e->schedule->sum);

	if (e->schedule->kind == SCHEDULE_STAGES)
		PTX_ADD(e,
			"ld.param.u64 %%t64,[w+%d];\n"
			"cvt.rn.f%d.u64 %%divisor,%%t64;\n",
			8 * e->words.divisor, bits);
	else
		PTX_ADD(e, "ld.param.b%d %%divisor,[w+%d];\n", bits,
			8 * e->words.divisor);
}

/* Write code that divides accumulator @at by the number of elements. */
static void add_divide(struct ptx *e, int at)
{
	const unsigned sum = e->schedule->sum;
	const struct ptx_pair z = ptx_combine_pair('z', at);
	const struct ptx_pair x = ptx_combine_pair('x', 0);
	char name[24];

	snprintf(name, sizeof(name), "divide_%u",
		 (unsigned)dtype_part((dpr_dtype)sum));
	add_divisor(e);
	for (int part = 0; part < ptx_parts(sum); part++) {
		const struct ptx_register in[6] = { z.part[part],
						    { "" },
						    { "%divisor" } };

		ptx_paste(e, name, in, &x.part[part]);
	}
	ptx_combine_copy(e, &z, &x, false);
}

struct ptx_pair ptx_combine_finish(struct ptx *e, int at)
{
	const enum reduce_table_finish finish =
		reduce_table[e->schedule->reduction].finish;
	const unsigned sum = e->schedule->sum, result = ptx_combine_result(e);
	const struct ptx_pair z = ptx_combine_pair('z', at);
	const struct ptx_pair cast = ptx_combine_pair('o', 0);
	char name[24];

	if (e->schedule->result && finish == REDUCE_TABLE_DIVIDE)
		add_divide(e, at);
	if (result == sum)
		return z;
	snprintf(name, sizeof(name), "cast_%u_%u", sum, result);
	ptx_paste(e, name, z.part, cast.part);
	return cast;
}
