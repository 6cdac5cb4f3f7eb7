/* SPDX-License-Identifier: Apache-2.0 */
/* text_machine.c - the printer (machine.h) that writes OpenCL C. */
#include "core/array/engine/text/text_machine.h"

#include <dpr/dtype.h>

#include "core/array/engine/text/emit_reduce.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

static struct emission *emission_of(struct machine *m)
{
	return (struct emission *)(void *)m;
}

static uint32_t node(struct machine *m, enum text_number_kind kind, uint32_t a,
		     uint32_t b)
{
	return text_number_add(
		&emission_of(m)->numbers,
		&(struct text_number){ .kind = kind, .a = a, .b = b });
}

static void write(struct machine *m, uint32_t x, bool tight)
{
	struct emission *e = emission_of(m);

	text_number_write(&e->numbers, x, tight, e->out);
}

/* --- Numbers ------------------------------------------------------------ */

static uint32_t number(struct machine *m, uint64_t value)
{
	return text_number_constant(&emission_of(m)->numbers, value);
}

static uint32_t number_of(struct machine *m, struct machine_index at)
{
	if (!at.slot && !at.item)
		return number(m, at.n);
	return text_number_add(&emission_of(m)->numbers,
			       &(struct text_number){ .kind = TEXT_NUMBER_PLACE,
						      .a = at.n,
						      .b = at.slot,
						      .c = at.item });
}

static uint32_t word(struct machine *m, int at)
{
	return node(m, TEXT_NUMBER_WORD, (uint32_t)at, 0);
}

static uint32_t id(struct machine *m, enum machine_id which)
{
	return node(m, TEXT_NUMBER_ID, which, 0);
}

static uint32_t compute(struct machine *m, enum machine_operation op,
			uint32_t a, uint32_t b)
{
	static const enum text_number_kind kinds[] = {
		[MACHINE_SUM] = TEXT_NUMBER_SUM,
		[MACHINE_DIFFERENCE] = TEXT_NUMBER_DIFFERENCE,
		[MACHINE_PRODUCT] = TEXT_NUMBER_PRODUCT,
		[MACHINE_QUOTIENT] = TEXT_NUMBER_QUOTIENT,
		[MACHINE_BELOW] = TEXT_NUMBER_BELOW,
		[MACHINE_REACHES] = TEXT_NUMBER_REACHES,
	};

	return text_number_compute(&emission_of(m)->numbers, kinds[op], a, b);
}

static uint32_t choose(struct machine *m, uint32_t condition, uint32_t then,
		       uint32_t otherwise)
{
	return text_number_add(
		&emission_of(m)->numbers,
		&(struct text_number){ .kind = TEXT_NUMBER_CHOICE,
				       .a = condition,
				       .b = then,
				       .c = otherwise });
}

static uint32_t name(struct machine *m, const char *name, int k, uint32_t x)
{
	struct emission *e = emission_of(m);
	const bool is_condition = text_number_is_condition(&e->numbers, x);
	uint32_t made;

	if (text_number_is_plain(&e->numbers, x))
		return x;
	made = text_number_name(&e->numbers, name, k);
	ADD(e, "\tconst %s ", is_condition ? "int" : "long");
	write(m, made, false);
	ADD(e, " = ");
	write(m, x, false);
	ADD(e, ";\n");
	return made;
}

static uint32_t split(struct machine *m, bool small, uint32_t *rest, uint32_t n)
{
	struct text_numbers *all = &emission_of(m)->numbers;
	struct text_number node = {
		.kind = TEXT_NUMBER_REMAINDER, .a = *rest, .b = n, .c = small
	};
	uint32_t place;

	if (text_number_is_constant(all, n, 1))
		return number(m, 0);
	place = text_number_add(all, &node);
	node.kind = TEXT_NUMBER_QUOTIENT;
	*rest = text_number_add(all, &node);
	return place;
}

/* --- Loops and branches -------------------------------------------------- */

static void each(struct machine *m, unsigned n, enum machine_each which,
		 machine_body *body, void *context)
{
	const bool is_item = which == MACHINE_ITEM;
	const char at = is_item ? 'i' : 's';

	if (n == 1) {
		body(context, machine_at(0));
		return;
	}
	ADD(emission_of(m), "\t%sfor (int %c = 0; %c < %u; %c++) {\n",
	    which == MACHINE_ROLLED_SLOT ? "" : "UNROLL ", at, at, n, at);
	body(context,
	     (struct machine_index){ .slot = !is_item, .item = is_item });
	ADD(emission_of(m), "\t}\n");
}

static void begin_needed(struct machine *m, uint32_t condition)
{
	ADD(emission_of(m), "\tif (");
	write(m, condition, false);
	ADD(emission_of(m), ") {\n");
}

static void end_needed(struct machine *m)
{
	ADD(emission_of(m), "\t}\n");
}

static void begin_if(struct machine *m, struct machine_if *f,
		     uint32_t condition)
{
	(void)f;
	if (condition)
		begin_needed(m, condition);
	else
		ADD(emission_of(m), "\t{\n");
}

static void begin_else(struct machine *m, struct machine_if *f)
{
	(void)f;
	ADD(emission_of(m), "\t} else {\n");
}

static void end_if(struct machine *m, struct machine_if *f)
{
	(void)f;
	end_needed(m);
}

static void begin_loop(struct machine *m, struct machine_loop *loop,
		       uint32_t begin, uint32_t end, uint32_t step)
{
	struct emission *e = emission_of(m);

	end = name(m, "end", -1, end);
	loop->step = step;
	loop->at = text_number_name(&e->numbers, "j", -1);
	ADD(e, "\tlong ");
	write(m, loop->at, false);
	ADD(e, " = ");
	write(m, begin, false);
	ADD(e, ";\n\tfor (; ");
	write(m, loop->at, false);
	ADD(e, " < ");
	write(m, end, false);
	ADD(e, "; ");
	write(m, loop->at, false);
	ADD(e, " += ");
	write(m, step, false);
	ADD(e, ") {\n");
}

static void end_loop(struct machine *m, struct machine_loop *loop)
{
	(void)loop;
	end_needed(m);
}

static uint32_t next(struct machine *m, const struct machine_loop *loop)
{
	(void)m;
	return loop->at;
}

static void leave(struct machine *m)
{
	ADD(emission_of(m), "\treturn;\n");
}

static void leave_unless(struct machine *m, uint32_t condition)
{
	ADD(emission_of(m), "\tif (!");
	write(m, condition, true);
	ADD(emission_of(m), ")\n\t\treturn;\n");
}

static void barrier(struct machine *m)
{
	ADD(emission_of(m), "\tbarrier(CLK_LOCAL_MEM_FENCE);\n");
}

/* --- Memory ------------------------------------------------------------- */

static struct machine_element element(uint32_t x)
{
	return (struct machine_element){ { x } };
}

static struct machine_element load(struct machine *m, int k, uint32_t at)
{
	return element(node(m, TEXT_NUMBER_LOAD, (uint32_t)k, at));
}

static void store(struct machine *m, int k, uint32_t at,
		  const struct machine_element *x)
{
	struct emission *e = emission_of(m);

	ADD(e, "\tx%d[", k);
	write(m, at, false);
	ADD(e, "] = ");
	emit_steps_element(e, x);
	ADD(e, ";\n");
}

static struct machine_element keep(struct machine *m, int k,
				   const struct machine_element *x)
{
	struct emission *e = emission_of(m);
	const uint32_t made = text_number_name(&e->numbers, "once", k);

	ADD(e, "\tconst %s ", emit_steps_element_type(e, k));
	write(m, made, false);
	ADD(e, " = ");
	emit_steps_element(e, x);
	ADD(e, ";\n");
	return element(made);
}

/* The type of OpenCL C for an access of @size bytes, 1 to 16. */
static const char *access_type(size_t size)
{
	return size == 16  ? "uint4"
	       : size == 8 ? "uint2"
	       : size == 4 ? "uint"
	       : size == 2 ? "ushort"
			   : "uchar";
}

/* The number of bytes of @n elements of the pack. */
static size_t bytes_of(struct machine *m, const struct machine_pack *pack,
		       unsigned n)
{
	return n * dpr_dtype_size((dpr_dtype)machine_dtype(m, pack->k));
}

static bool is_vectors(struct machine *m, const struct machine_pack *pack)
{
	return pack->vector && schedule_has_memory(m->graph, pack->k);
}

/* A pack of several elements becomes an array in the kernel.  A pack of one
   element needs none. */
static void begin_pack(struct machine *m, struct machine_pack *pack)
{
	struct emission *e = emission_of(m);
	const char *type = emit_steps_element_type(e, pack->k);
	const unsigned n = pack->n;
	size_t unit;

	if (n == 1)
		return;
	pack->name = ++e->packs;
	if (!is_vectors(m, pack)) {
		ADD(e, "\t%s pack%u[%u];\n", type, pack->name, n);
		return;
	}
	unit = bytes_of(m, pack, pack->vector);
	ADD(e, "\tunion { %s unit[%u]; %s each[%u]; } pack%u;\n",
	    access_type(unit), n / pack->vector, type, n, pack->name);
}

static struct machine_element get(struct machine *m,
				  const struct machine_pack *pack,
				  struct machine_index at)
{
	if (pack->n == 1)
		return pack->at[0];
	return element(node(m,
			    is_vectors(m, pack) ? TEXT_NUMBER_VECTOR
						: TEXT_NUMBER_PACKED,
			    pack->name, number_of(m, at)));
}

static void put(struct machine *m, struct machine_pack *pack,
		struct machine_index at, const struct machine_element *x)
{
	struct emission *e = emission_of(m);
	const struct machine_element to = get(m, pack, at);

	if (pack->n == 1) {
		pack->at[0] = *x;
		return;
	}
	ADD(e, "\t");
	emit_steps_element(e, &to);
	ADD(e, " = ");
	emit_steps_element(e, x);
	ADD(e, ";\n");
}

/* Write the name of the vector that has elements @at to @at + @n - 1 of a pack.
   A pack of vectors is a union of two arrays: `unit` has the vectors, and
   `each` has the elements. */
static void write_unit(struct machine *m, const struct machine_pack *pack,
		       struct machine_index at, unsigned n)
{
	ADD(emission_of(m), "pack%u.unit[", pack->name);
	write(m,
	      number_of(m, (struct machine_index){ at.n / n, at.slot / n,
						   at.item / n }),
	      false);
	ADD(emission_of(m), "]");
}

/* Write an expression for a vector in the memory of the pack's operand: @n
   elements from index @at on. */
static void write_memory(struct machine *m, const struct machine_pack *pack,
			 unsigned n, uint32_t at)
{
	ADD(emission_of(m), "*(global %s%s *)(x%d + ",
	    pack->k < m->graph->n_results ? "" : "const ",
	    access_type(bytes_of(m, pack, n)), pack->k);
	write(m, at, false);
	ADD(emission_of(m), ")");
}

/* Write a loop that sets the elements of a pack of an operand without memory.
   The value of each of the @n elements is its index, from @from on. */
static void load_places(struct machine *m, const struct machine_pack *pack,
			struct machine_index at, unsigned n, uint32_t from)
{
	struct emission *e = emission_of(m);

	/* The name "nth" differs from all other variables of a kernel. */
	ADD(e, "\tUNROLL for (int nth = 0; nth < %u; nth++)\n\t\tpack%u[", n,
	    pack->name);
	write(m, number_of(m, at), false);
	ADD(e, " + nth] = ");
	write(m, from, true);
	ADD(e, " + nth;\n");
}

static void load_pack(struct machine *m, struct machine_pack *pack,
		      struct machine_index at, unsigned n, uint32_t from)
{
	if (pack->n == 1) {
		pack->at[0] = load(m, pack->k, from);
		return;
	}
	if (!is_vectors(m, pack)) {
		load_places(m, pack, at, n, from);
		return;
	}
	ADD(emission_of(m), "\t");
	write_unit(m, pack, at, n);
	ADD(emission_of(m), " = ");
	write_memory(m, pack, n, from);
	ADD(emission_of(m), ";\n");
}

static void store_pack(struct machine *m, const struct machine_pack *pack,
		       struct machine_index at, unsigned n, uint32_t to)
{
	if (pack->n == 1) {
		store(m, pack->k, to, &pack->at[0]);
		return;
	}
	ADD(emission_of(m), "\t");
	write_memory(m, pack, n, to);
	ADD(emission_of(m), " = ");
	write_unit(m, pack, at, n);
	ADD(emission_of(m), ";\n");
}

static uint32_t local(struct machine *m, int k, unsigned n)
{
	struct emission *e = emission_of(m);
	const uint32_t made = text_number_name(&e->numbers, "transposed", k);

	text_print(&e->locals, "\tlocal %s ", emit_steps_element_type(e, k));
	text_number_write(&e->numbers, made, false, &e->locals);
	text_print(&e->locals, "[%u];\n", n);
	return made;
}

static struct machine_element load_local(struct machine *m, int k,
					 uint32_t array, uint32_t at)
{
	(void)k;
	return element(node(m, TEXT_NUMBER_LOCAL, array, at));
}

static void store_local(struct machine *m, int k, uint32_t array, uint32_t at,
			const struct machine_element *x)
{
	struct emission *e = emission_of(m);
	const struct machine_element to = load_local(m, k, array, at);

	ADD(e, "\t");
	emit_steps_element(e, &to);
	ADD(e, " = ");
	emit_steps_element(e, x);
	ADD(e, ";\n");
}

static void begin(struct machine *m, uint32_t *at)
{
	struct emission *e = emission_of(m);

	for (int k = 0; k < schedule_operands(m->graph); k++) {
		at[k] = text_number_name(&e->numbers, "at", k);
		ADD(e, "\tlong ");
		write(m, at[k], false);
		ADD(e, " = (long)w.w[%d];\n", m->words.offset + k);
	}
}

/* Write code that takes @rest apart into an index along each axis, and moves
   the indices @at by index times stride. */
static void axes(struct machine *m, int first, uint32_t rest, uint32_t *at)
{
	struct emission *e = emission_of(m);
	const char *type = m->schedule->gpu.small ? "uint" : "ulong";

	ADD(e, "\t%s rest = (%s)", type, type);
	write(m, rest, true);
	ADD(e, ";\n");
	emit_steps_axes(e, type, first, at);
}

/* --- Steps -------------------------------------------------------------- */

/* A run has few elements, which are computed together.  A round has many
   elements, so a long function is written once, in a loop over slots. */
static enum machine_way way(struct machine *m, uint64_t set, unsigned n,
			    bool fast)
{
	return fast || n == 1 || !emit_steps_is_long(m->graph, set)
		       ? MACHINE_TOGETHER
		       : MACHINE_BY_SLOT;
}

static void steps(struct machine *m, uint64_t set, bool fast,
		  const struct machine_element *in)
{
	(void)fast;
	emit_steps_values(emission_of(m), set, in);
}

/* In OpenCL C the function of a step chooses its fast path by itself. */
static bool is_guarded(struct machine *m)
{
	(void)m;
	return false;
}

static void take(struct machine *m, int i, const struct machine_element *x)
{
	emit_steps_take(emission_of(m), i, x);
}

static struct machine_element give(struct machine *m, int i)
{
	return element(node(m, TEXT_NUMBER_STORED, (uint32_t)i, 0));
}

static uint32_t value(struct machine *m, int i)
{
	return text_number_name(&emission_of(m)->numbers, "v", i);
}

/* --- Accumulators ------------------------------------------------------- */

static void begin_values(struct machine *m, int step, unsigned n)
{
	struct emission *e = emission_of(m);

	e->summed = step;
	e->values = n;
	e->sum++;
	emit_reduce_divisor(e);
	ADD(e, "\t%s z%u[%u];\n\tUNROLL for (int i = 0; i < %u; i++)\n\t\t",
	    emit_steps_computed(m->schedule->sum), e->sum, n, n);
	ADD(e, "z%u[i] = ", e->sum);
	emit_reduce_first(e, m->schedule->sum);
	ADD(e, ";\n");
}

static void move_values(struct machine *m, unsigned n)
{
	(void)m, (void)n; /* accumulators are always in an array */
}

static void add(struct machine *m, struct machine_index at, uint32_t condition)
{
	struct emission *e = emission_of(m);

	if (condition) {
		ADD(e, "\tif (");
		write(m, condition, false);
		ADD(e, ")\n\t");
	}
	ADD(e, "\t");
	emit_reduce_add(e, at);
}

/* The compiler unrolls these loops.  So all indices become constants, and the
   accumulators stay in registers. */
static void rotate(struct machine *m, unsigned by)
{
	struct emission *e = emission_of(m);
	const unsigned z = e->sum, last = e->values - by;

	ADD(e,
	    "\t%s first[%u];\n"
	    "\tUNROLL for (int i = 0; i < %u; i++)\n"
	    "\t\tfirst[i] = z%u[i];\n"
	    "\tUNROLL for (int i = 0; i < %u; i++)\n"
	    "\t\tz%u[i] = z%u[i + %u];\n"
	    "\tUNROLL for (int i = 0; i < %u; i++)\n"
	    "\t\tz%u[i + %u] = first[i];\n",
	    emit_steps_computed(m->schedule->sum), by, by, z, last, z, z, by,
	    by, z, last);
}

static void halves(struct machine *m, unsigned n, unsigned apart,
		   struct machine_index at)
{
	for (n /= 2; n > 0; n /= 2)
		emit_reduce_halves(emission_of(m), n, apart, at);
}

static void join(struct machine *m, unsigned team, uint32_t item,
		 uint32_t member)
{
	emit_reduce_join(emission_of(m), team, item, member);
}

static void joined(struct machine *m, uint32_t item)
{
	struct emission *e = emission_of(m);

	ADD(e, "\tz%u[0] = shared%u[", e->sum, m->schedule->sum);
	write(m, item, false);
	ADD(e, "];\n");
}

static void share(struct machine *m, uint32_t item, uint32_t member)
{
	joined(m, compute(m, MACHINE_DIFFERENCE, item, member));
}

static struct machine_element finish(struct machine *m, struct machine_index at)
{
	struct emission *e = emission_of(m);
	const uint32_t made = text_number_name(&e->numbers, "total", -1);

	ADD(e, "\tconst %s ", emit_steps_stored(machine_result(m->schedule)));
	write(m, made, false);
	ADD(e, " = ");
	emit_reduce_finish(e, at);
	ADD(e, ";\n");
	return element(made);
}

const struct machine_printer text_machine = {
	.number = number,
	.index = number_of,
	.word = word,
	.id = id,
	.compute = compute,
	.choose = choose,
	.split = split,
	.name = name,
	.each = each,
	.begin_needed = begin_needed,
	.end_needed = end_needed,
	.begin_if = begin_if,
	.begin_else = begin_else,
	.end_if = end_if,
	.begin_loop = begin_loop,
	.end_loop = end_loop,
	.next = next,
	.leave = leave,
	.leave_unless = leave_unless,
	.barrier = barrier,
	.load = load,
	.store = store,
	.keep = keep,
	.begin_pack = begin_pack,
	.put = put,
	.get = get,
	.load_pack = load_pack,
	.store_pack = store_pack,
	.local = local,
	.load_local = load_local,
	.store_local = store_local,
	.begin = begin,
	.axes = axes,
	.way = way,
	.steps = steps,
	.is_guarded = is_guarded,
	.take = take,
	.give = give,
	.value = value,
	.begin_values = begin_values,
	.load_values = move_values,
	.store_values = move_values,
	.add = add,
	.rotate = rotate,
	.halves = halves,
	.join = join,
	.joined = joined,
	.share = share,
	.finish = finish,
};
