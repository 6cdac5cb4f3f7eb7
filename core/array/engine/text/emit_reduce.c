/* SPDX-License-Identifier: Apache-2.0 */
/* emit_reduce.c - writes the code that combines values in reductions, in OpenCL
   C. */
#include "core/array/engine/text/emit_reduce.h"

#include <inttypes.h>
#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

static const struct reduce_table_entry *entry_of(const struct emission *e)
{
	return &reduce_table[e->machine.schedule->reduction];
}

/* Whether the result is divided by the number of elements, as in a mean. */
static bool divides(const struct schedule *schedule)
{
	return schedule->result &&
	       reduce_table[schedule->reduction].finish == REDUCE_TABLE_DIVIDE;
}

void emit_reduce_first(const struct emission *e, unsigned sum)
{
	const uint64_t bits = reduce_table_first(
		(enum reduction)e->machine.schedule->reduction, sum);
	const char *type = emit_steps_computed(sum);

	switch (sum) {
	case DPR_FLOAT32: ADD(e, "as_float((uint)%" PRIu64 ")", bits); return;
	case DPR_FLOAT64: ADD(e, "as_double((ulong)%" PRIu64 ")", bits); return;
	case DPR_COMPLEX64:
		ADD(e, "convert_parts(as_float((uint)%" PRIu64 "), 0.0f)",
		    bits);
		return;
	case DPR_COMPLEX128:
		ADD(e,
		    "convert_double_parts(as_double((ulong)%" PRIu64 "), 0.0)",
		    bits);
		return;
	}
	ADD(e, "(%s)%" PRIu64 "ul", type, bits);
}

/* --- Combining ---------------------------------------------------------- */

/* The most bytes of the name of an accumulator, or of the cast of a value. */
#define ROOM (TEXT_NUMBER_ROOM + 16)

static void value_at(const struct emission *e, struct machine_index at,
		     char to[ROOM])
{
	char place[TEXT_NUMBER_ROOM];

	text_number_place(at, place);
	snprintf(to, ROOM, "z%u[%s]", e->sum, place);
}

/* Write "to = combine(from, to);", where combine is the function of the
   reduction, such as an addition. */
static void combine(const struct emission *e, const char *to, const char *from)
{
	ADD(e, "%s = %s_%u(%s, %s);\n", to,
	    operations_table[entry_of(e)->combine].name,
	    e->machine.schedule->sum, from, to);
}

void emit_reduce_add(const struct emission *e, struct machine_index at)
{
	const unsigned from = e->machine.graph->step[e->summed].dtype;
	const unsigned to = e->machine.schedule->sum;
	const bool is_same =
		from == to || (to == DPR_FLOAT32 &&
			       (from == DPR_FLOAT16 || from == DPR_BFLOAT16));
	char value[ROOM], z[ROOM];

	if (is_same)
		snprintf(value, sizeof(value), "v%d", e->summed);
	else
		snprintf(value, sizeof(value), "cast_%u_%u(v%d)", from, to,
			 e->summed);
	value_at(e, at, z);
	combine(e, z, value);
}

/* Write the name of accumulator @at + j * @apart to @to, where j is the counter
   of a loop in the kernel. */
static void value_of(const struct emission *e, struct machine_index at,
		     unsigned apart, char to[2 * ROOM])
{
	char place[TEXT_NUMBER_ROOM], by[16] = "";

	text_number_place(at, place);
	if (apart > 1)
		snprintf(by, sizeof(by), " * %u", apart);
	if (machine_is_zero(at))
		snprintf(to, 2 * ROOM, "z%u[j%s]", e->sum, by);
	else
		snprintf(to, 2 * ROOM, "z%u[j%s + %s]", e->sum, by, place);
}

void emit_reduce_halves(const struct emission *e, unsigned n, unsigned apart,
			struct machine_index at)
{
	const struct machine_index far =
		machine_place(machine_at(n), apart, at);
	char to[2 * ROOM], from[2 * ROOM];

	if (n == 1) {
		value_at(e, at, to);
		value_at(e, far, from);
		ADD(e, "\t");
	} else {
		value_of(e, at, apart, to);
		value_of(e, far, apart, from);
		ADD(e, "\tUNROLL for (int j = 0; j < %u; j++)\n\t\t", n);
	}
	combine(e, to, from);
}

static void write_number(const struct emission *e, uint32_t x)
{
	text_number_write(&e->numbers, x, false, e->out);
}

void emit_reduce_join(struct emission *e, unsigned team, uint32_t item,
		      uint32_t member)
{
	const unsigned sum = e->machine.schedule->sum;
	const char *const wait = "\tbarrier(CLK_LOCAL_MEM_FENCE);\n";
	char here[ROOM], there[ROOM];

	/* If an earlier reduction has used the same local memory, wait until
	   all work-items have read its values. */
	if (e->shared >> sum & 1)
		ADD(e, "%s", wait);
	else
		text_print(&e->locals, "\tlocal %s shared%u[%d];\n",
			   emit_steps_computed(sum), sum, SCHEDULE_GROUP);
	if (!e->shared)
		ADD(e, "\tint me, half_of;\n");
	e->shared |= UINT32_C(1) << sum;
	ADD(e, "\tme = (int)");
	write_number(e, item);
	ADD(e, ";\n\tshared%u[me] = z%u[0];\n%s", sum, e->sum, wait);
	if (team)
		ADD(e, "\tfor (half_of = %u; ", team / 2);
	else
		ADD(e, "\tfor (half_of = (int)w.w[%d] / 2; ",
		    e->machine.words.team);
	ADD(e, "half_of > 0; half_of /= 2) {\n\t\tif (");
	write_number(e, member);
	ADD(e, " < half_of)\n\t\t\t");
	snprintf(here, sizeof(here), "shared%u[me]", sum);
	snprintf(there, sizeof(there), "shared%u[me + half_of]", sum);
	combine(e, here, there);
	ADD(e, "\t%s\t}\n", wait);
}

/* --- Results ------------------------------------------------------------ */

void emit_reduce_finish(const struct emission *e, struct machine_index at)
{
	const unsigned sum = e->machine.schedule->sum;
	const unsigned result = machine_result(e->machine.schedule);
	const bool is_double = dtype_part((dpr_dtype)sum) == DPR_FLOAT64;
	const bool is_mean = divides(e->machine.schedule);
	char z[ROOM];

	value_at(e, at, z);
	if (result != sum)
		ADD(e, "cast_%u_%u(", sum, result);
	if (is_mean && e->machine.schedule->gpu.open)
		ADD(e, "divisor%u == 0 ? %s : ", e->sum, z);
	if (!is_mean)
		ADD(e, "%s", z);
	else if (dpr_dtype_kind((dpr_dtype)sum) == 'c')
		ADD(e, "%s(%s.re / divisor%u, %s.im / divisor%u)",
		    is_double ? "convert_double_parts" : "convert_parts", z,
		    e->sum, z, e->sum);
	else
		ADD(e, "%s / divisor%u", z, e->sum);
	if (result != sum)
		ADD(e, ")");
}

void emit_reduce_divisor(const struct emission *e)
{
	const bool is_double =
		dtype_part((dpr_dtype)e->machine.schedule->sum) == DPR_FLOAT64;
	const char *type = is_double ? "double" : "float";
	const int at = e->machine.words.divisor;

	if (!divides(e->machine.schedule))
		return;
	ADD(e, "\tconst %s divisor%u = ", type, e->sum);
	if (e->machine.schedule->kind == SCHEDULE_STAGES)
		ADD(e, "(%s)(long)w.w[%d];\n", type, at);
	else if (is_double)
		ADD(e, "as_double(w.w[%d]);\n", at);
	else
		ADD(e, "as_float((uint)w.w[%d]);\n", at);
}
