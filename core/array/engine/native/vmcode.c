/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode.c - writes programs for the kernels of kernels/vm.h.
 *
 * First the graph becomes a list of instructions on values
 * (vmcode_instructions.h).  Then each value gets a register: a buffer for one
 * block of elements.  The register is in use from the instruction that computes
 * the value to the last instruction that reads the value.  Finally each
 * instruction becomes a step of the program.
 */
#include "core/array/engine/native/vmcode.h"

#include <stdio.h>
#include <string.h>

#include "core/array/engine/native/vmcode_brief.h"
#include "core/array/engine/native/vmcode_chain.h"
#include "core/array/engine/native/vmcode_instructions.h"
#include "core/array/engine/native/vmcode_reduce.h"
#include "core/array/engine/native/vmcode_rows.h"
#include "core/array/engine/operations.h"
#include "kernels/vm_chain.h"

_Static_assert(SCHEDULE_OPERANDS == VM_OPERANDS && SCHEDULE_RANK == VM_RANK &&
		       SCHEDULE_RUN == VM_RUN &&
		       SCHEDULE_REDUCE_RANK == VM_REDUCE_RANK,
	       "kernels/vm.h has the same");

/* A work-group computes at least LEAST_ELEMENTS elements.  If the program is
   cheap (is_cheap()), a work-group instead has at least CHEAP_BYTES bytes of
   the operand with the largest elements.  A work-group has at most MOST_ITEMS
   work-items. */
#define LEAST_ELEMENTS 4096
#define CHEAP_BYTES 65536
#define MOST_ITEMS 1024
#define LONG_ROW 16 /* the fewest elements of a long row */
/* the weight (find_weight()) of storing an element in a place of its own */
#define PUT_WEIGHT 8

/* --- Registers ------------------------------------------------------------ */

/* Set `last` of each value: the last instruction that reads the value.  Returns
   the last instruction that reads an input; -1: no instruction does. */
static int find_last(struct maker *m)
{
	int last = -1;

	for (int i = 0; i < m->n_instructions; i++)
		for (int k = 0; k < m->instruction[i].n; k++) {
			struct vmcode_value *x =
				&m->value[m->instruction[i].x[k]];

			x->last = vmcode_chain_end_of_read(m, i, x);
			if (x->operand != NO_OPERAND)
				last = i;
		}
	return last;
}

/* Let instructions compute results directly in the memory of the results, where
   possible.  An instruction that does so must come after all reads of inputs,
   because a result may share memory with an input. */
static void place_results(struct maker *m, int last_input)
{
	int instruction = m->n_instructions - m->graph->n_results;

	if (vmcode_reduce_is_end(m->schedule))
		return;
	for (int k = 0; k < m->graph->n_results; k++, instruction++) {
		const int value = m->instruction[instruction].x[0];
		int made = 0;

		if (m->instruction[instruction].kind == VM_PUT)
			continue;
		while (!vmcode_chain_computes(&m->instruction[made]) ||
		       m->instruction[made].out != value)
			made++;
		if (made >= last_input && m->value[value].operand == NO_OPERAND)
			m->value[value].operand = k;
	}
}

/* Free the registers of those operands of instruction @i that no later
   instruction reads.  Kept values keep their registers.  If @out is not NULL,
   free only registers whose elements are as large as those of @out. */
static void free_registers(struct maker *m, int i,
			   const struct vmcode_value *out)
{
	for (int k = 0; k < m->instruction[i].n; k++) {
		const struct vmcode_value *x =
			&m->value[m->instruction[i].x[k]];

		if (x->last == i && !x->kept && x->slot >= 0 &&
		    (!out || vmcode_instructions_shift(x->dtype) ==
				     vmcode_instructions_shift(out->dtype)))
			m->busy[x->slot] = false;
	}
}

static void assign_registers(struct maker *m)
{
	vmcode_instructions_keep(m);
	for (int i = 0; i < m->n_instructions; i++) {
		struct vmcode_value *out = &m->value[m->instruction[i].out];

		if (m->instruction[i].kind == VM_LINK &&
		    !vmcode_chain_ends(&m->instruction[i])) {
			free_registers(m, i, NULL);
			continue;
		}
		if ((m->instruction[i].kind >= VM_STORE &&
		     m->instruction[i].kind != VM_LINK) ||
		    out->kept)
			continue;
		/* A function may write its value over an operand whose elements
		   have the same size.  So the registers of such operands are
		   freed first. */
		free_registers(m, i, out);
		out->slot = vmcode_instructions_register(
			m, vmcode_instructions_shift(out->dtype));
		free_registers(m, i, NULL);
		m->busy[out->slot] = true;
	}
}

/* The slot of a value: the number by which a step names a register or an
   operand (kernels/vm_program.h). */
static uint8_t slot_of(const struct maker *m, int value)
{
	const struct vmcode_value *v = &m->value[value];

	return (uint8_t)(v->operand == NO_OPERAND
				 ? v->slot
				 : m->n_registers + v->operand);
}

/* --- Single values -------------------------------------------------------- */

/* Whether all operands of @instruction have one value for a whole row.
   @same[i] is set if value i has one. */
static bool is_same(const struct maker *m,
		    const struct instruction *instruction, const bool *same)
{
	const struct vmcode_value *out = &m->value[instruction->out];
	bool all = instruction->kind == VM_CALL;

	if (instruction->kind == VM_LOAD)
		return m->schedule->inner[out->operand] == SCHEDULE_FIXED;
	for (int k = 0; k < instruction->n; k++)
		all &= same[instruction->x[k]];
	return all;
}

/* If a result is a GRAPH_PUT, set `single` of each instruction (struct
   vm_step). */
static void find_singles(struct maker *m)
{
	bool same[VMCODE_VALUES], whole[VMCODE_VALUES] = { false };

	if (!graph_puts(m->graph) || m->schedule->kind == SCHEDULE_FLAT)
		return;
	for (int i = 0; i < m->n_values; i++)
		same[i] = m->value[i].scalar;
	for (int i = 0; i < m->n_instructions; i++)
		if (m->instruction[i].kind <= VM_CALL)
			same[m->instruction[i].out] =
				is_same(m, &m->instruction[i], same);
	/* All elements of a value are needed if an instruction that is not
	   single reads them, or if a VM_PUT stores them. */
	for (int i = m->n_instructions - 1; i >= 0; i--) {
		struct instruction *one = &m->instruction[i];

		one->single = one->kind == VM_PUT ? same[one->x[1]]
						  : one->kind <= VM_CALL &&
							    same[one->out] &&
							    !whole[one->out];
		for (int k = 0; k < one->n; k++)
			whole[one->x[k]] |=
				!one->single || (one->kind == VM_PUT && k == 0);
	}
}

/* --- Programs ------------------------------------------------------------- */

/* Find the only call of the program.  NULL: there are several calls, or a
   chain. */
static const struct instruction *find_call(const struct maker *m)
{
	const struct instruction *call = NULL;

	for (int i = 0; i < m->n_instructions; i++) {
		if (m->instruction[i].kind == VM_CHAIN)
			return NULL;
		if (m->instruction[i].kind == VM_CALL) {
			if (call)
				return NULL;
			call = &m->instruction[i];
		}
	}
	return call;
}

/* Whether @call is cheap: most of its time goes to reading and writing memory.
   A function with a fast path is not cheap.  It reads a block twice, first to
   test all elements, so the block should stay in the cache. */
static bool is_cheap(const struct instruction *call)
{
	if (call->unit >= VM_MATH && call->unit < VM_CAST)
		return false;
	return call->unit >= VM_CAST || call->code >= VM_PAIR_CODES ||
	       !operations_is_guarded(call->code, call->unit - VM_OPERATION);
}

/* Whether @call, which must be cheap, can read a single element in place of an
   operand (VM_ONE_X and VM_ONE_Y). */
static bool takes_one(const struct instruction *call)
{
	return call->n == 2 && call->unit < VM_MATH &&
	       call->code < VM_PAIR_CODES && call->x[0] != call->x[1];
}

/* The weight (see weight_of()) of a function of the family math.  @kind is
   dpr_dtype_kind().  @wide is 2 for elements of 8 bytes, else 1.  A function
   with a fast path has a greater weight, because the slow path takes longer. */
static unsigned math_weight(const struct instruction *call, char kind,
			    unsigned wide)
{
	const unsigned dtype = call->unit - VM_MATH;

	if (kind == 'c')
		return 96;
	if (call->code >= VM_PAIR_CODES)
		return 12 * wide;
	switch (call->code) {
	case OPERATION__gamma: return 112 * wide;
	case OPERATION__lgamma: return 64 * wide;
	}
	if (kind != 'f' || operations_is_guarded(call->code, dtype))
		return 24 * wide;
	return 12 * wide;
}

/*
 * The weight of @call: its time for one element, as a number of additions of
 * float32.  The numbers are from "dpr bench --cliffs" on x86-64.
 */
static unsigned weight_of(const struct instruction *call)
{
	const unsigned dtype = call->unit % VM_MATH;
	unsigned wide;
	char kind;

	if (call->unit >= VM_MOVE)
		return call->code == VM_GATHER ? 8 : 2;
	if (call->unit >= VM_CAST)
		return 8;
	kind = dpr_dtype_kind((dpr_dtype)dtype);
	wide = dpr_dtype_size((dpr_dtype)dtype) < 8 ? 1 : 2;
	if (call->unit >= VM_MATH)
		return math_weight(call, kind, wide);
	if (call->code >= VM_PAIR_CODES)
		return 4 * wide;
	switch (call->code) {
	case OPERATION__divide:
	case OPERATION__sqrt: return kind == 'c' ? 40 : 3 * wide;
	case OPERATION__abs:
	case OPERATION__sign: return kind == 'c' ? 40 : wide;
	}
	if (operations_is_guarded(call->code, dtype))
		return 24 * wide;
	return kind == 'c' ? 6 : wide;
}

/* The weight of the program for one element: the sum of the weights of all
   calls, 1 for each link of a chain, PUT_WEIGHT for each VM_PUT, and the time
   to read or write one element of the operand with the largest elements. */
static uint16_t find_weight(const struct maker *m)
{
	uint16_t weight = 1;

	for (int i = 0; i < m->n_values; i++) {
		const size_t size =
			dpr_dtype_size((dpr_dtype)m->value[i].dtype);

		if (m->value[i].operand != NO_OPERAND && weight < size / 4)
			weight = (uint16_t)(size / 4);
	}
	for (int i = 0; i < m->n_instructions; i++)
		weight += m->instruction[i].kind == VM_CALL
				  ? weight_of(&m->instruction[i])
			  : m->instruction[i].kind == VM_PUT
				  ? PUT_WEIGHT
				  : m->instruction[i].kind == VM_LINK;
	return weight;
}

/*
 * Place the registers one after another in the kernel's buffer.  at[i] becomes
 * the offset of register i, in cache lines (VM_LINE).  If register i has room
 * for whole rows, at[i] becomes the binary logarithm of the size of an element
 * instead.  *@end becomes the end of the last register.
 *
 * Two unused lines follow each register.  Without them, registers that are used
 * together would compete for the same places in the cache.
 *
 * Returns the number of elements in a block: @run, or less if there are many
 * registers.
 */
static uint16_t place_registers(const struct maker *m, size_t run, uint16_t *at,
				uint16_t *end)
{
	const size_t lines = VM_ARENA / VM_LINE;
	const size_t little = VM_LITTLE / VM_LINE;
	const int n = m->n_registers - m->n_whole;
	size_t next;

	for (int i = n; i < m->n_registers; i++)
		at[i] = m->shift[i];

	for (;; run /= 2) {
		next = 0;
		for (int i = 0; i < n; i++) {
			at[i] = (uint16_t)next;
			next += ((run << m->shift[i]) + VM_LINE - 1) / VM_LINE +
				2;
		}
		*end = (uint16_t)next;
		if (next <= (run > VM_RUN ? little : lines) || run == VM_UNIT)
			return (uint16_t)run;
	}
}

static void write_operands(const struct maker *m, bool streams,
			   struct text *out)
{
	for (int k = 0; k < schedule_operands(m->graph); k++) {
		struct vm_operand operand = {
			.shift = vmcode_instructions_shift(
				schedule_operand(m->graph, k)),
			.slot = VM_NONE,
			.is_index = !schedule_has_memory(m->graph, k),
			.is_put = k < m->graph->n_results &&
				  graph_place(m->graph, k) >= 0
		};

		if (k == 0 && vmcode_reduce_is_end(m->schedule))
			operand.shift = vmcode_instructions_shift(
				vmcode_reduce_dtype(m->graph));
		for (int i = 0; i < m->n_instructions; i++)
			operand.streams |=
				streams &&
				vmcode_chain_ends(&m->instruction[i]) &&
				m->value[m->instruction[i].out].operand == k;
		for (int i = 0; i < m->n_values; i++)
			if (m->value[i].operand == k) {
				operand.slot = (uint8_t)m->value[i].slot;
				operand.kept = m->value[i].kept;
			}
		text_add(out, (const char *)&operand, sizeof(operand));
	}
}

/* The number of copies of scalar @value that its register needs: the most
   elements of the register that a step reads.  A chain reads one tile,
   VM_CHAIN_TILE elements.  A call that computes one value for each row reads
   one element for each row.  Other steps may read a whole block: UINT16_MAX. */
static uint16_t most_of_scalar(const struct maker *m, int value)
{
	_Static_assert(VM_ROWS_MOST <= VM_CHAIN_TILE, "rows are fewer");

	for (int i = 0; i < m->n_instructions; i++)
		for (int k = 0; k < m->instruction[i].n; k++)
			if (m->instruction[i].x[k] == value &&
			    m->instruction[i].kind != VM_LINK &&
			    !(m->instruction[i].kind == VM_CALL &&
			      m->value[m->instruction[i].out].narrow))
				return UINT16_MAX;
	return VM_CHAIN_TILE;
}

static void write_scalars(const struct maker *m, struct text *out)
{
	for (int i = 0; i < m->n_scalars; i++) {
		const struct vmcode_value *value =
			&m->value[m->scalar[i].value];
		const int before =
			schedule_scalars_before(m->graph, m->scalar[i].at);
		const struct vm_scalar scalar = {
			.slot = (uint8_t)value->slot,
			.dtype = value->dtype,
			.word = (uint16_t)(m->words.scalar + before),
			.most = most_of_scalar(m, m->scalar[i].value)
		};

		text_add(out, (const char *)&scalar, sizeof(scalar));
	}
}

/* The member `out` of the step that @instruction becomes. */
static uint8_t out_of(const struct maker *m,
		      const struct instruction *instruction)
{
	switch (instruction->kind) {
	case VM_LOAD: return (uint8_t)m->value[instruction->out].operand;
	case VM_STORE:
	case VM_PUT: return (uint8_t)instruction->out;
	case VM_REDUCE:
		return m->n_reductions ? slot_of(m, instruction->out)
				       : (uint8_t)instruction->out;
	case VM_NEXT:
	case VM_CHAIN: return 0;
	case VM_LINK:
		if (instruction->n)
			return slot_of(m, instruction->x[0]);
		return vmcode_chain_ends(instruction)
			       ? slot_of(m, instruction->out)
			       : 0;
	}
	return slot_of(m, instruction->out);
}

/* The member `code` of the step that @instruction becomes.  Pass @streams =
   true if chains store results past the caches. */
static uint8_t code_of(const struct maker *m,
		       const struct instruction *instruction, bool streams)
{
	return streams && vmcode_chain_ends(instruction) &&
			       m->value[instruction->out].operand != NO_OPERAND
		       ? VM_LINK(VM_LINK_STREAM, 0)
		       : instruction->code;
}

/* The member x[0] of the step of a link.  VM_LINK_SCALAR: operand y of the link
   is a scalar.  VM_LINK_SPREAD: operand y is a spread value.  0: neither. */
static uint8_t link_reads(const struct maker *m,
			  const struct instruction *instruction)
{
	const int k = vmcode_chain_one(instruction);

	if (k < 0)
		return m->value[instruction->x[0]].scalar ? VM_LINK_SCALAR : 0;
	if (m->value[instruction->x[k]].scalar)
		return VM_LINK_SCALAR;
	return instruction->n == k + 2 ? VM_LINK_SPREAD : 0;
}

static void write_steps(const struct maker *m, bool streams, struct text *out)
{
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];
		struct vm_step step = { .kind = instruction->kind,
					.unit = instruction->unit,
					.code = code_of(m, instruction,
							streams) };

		step.out = out_of(m, instruction);
		step.single = instruction->single;
		for (int k = 0; k < instruction->n; k++)
			step.x[k] = slot_of(m, instruction->x[k]);
		if (instruction->kind == VM_LINK && instruction->n)
			step.x[0] = link_reads(m, instruction);
		text_add(out, (const char *)&step, sizeof(step));
	}
}

/* The number of elements in a block of contiguous arrays.  A cheap program
   spends little time on each element, so its block has at most VM_LONG bytes of
   each operand, but at least VM_RUN elements. */
static uint16_t flat_run(const struct maker *m, const struct vm_code *code)
{
	unsigned run = VM_LONG;

	if (!code->is_cheap)
		return code->run;
	for (int k = 0; k < code->operands; k++) {
		const unsigned fit =
			VM_LONG >> vmcode_instructions_shift(
					   schedule_operand(m->graph, k));

		run = fit < run ? fit : run;
	}
	run = run > VM_RUN ? run : VM_RUN;
	return run < code->run ? (uint16_t)run : code->run;
}

/* Whether the program spends most of its time on memory.  In any other program
   stores past the caches lose time, because such stores wait for memory. */
static bool is_bound_by_memory(const struct maker *m)
{
	/* In programs that compute rows, stores past the caches lose no time:
	   the processor stores a row while it computes the next rows. */
	if (m->schedule->kind == SCHEDULE_STAGES)
		return true;
	for (int i = 0; i < m->n_instructions; i++)
		if (m->instruction[i].kind == VM_CALL &&
		    m->instruction[i].unit >= VM_MATH &&
		    m->instruction[i].unit < VM_CAST)
			return false;
	return true;
}

/* Whether all operands of the program have memory that is read and written
   along the axes, and nothing is reduced. */
static bool is_in_memory(const struct maker *m)
{
	return !schedule_reduces(m->schedule) && !graph_gathers(m->graph) &&
	       !graph_puts(m->graph) &&
	       schedule_pointers(m->graph) == schedule_operands(m->graph);
}

/* Whether the program only copies an input or a scalar.  A scalar of a 16-bit
   float does not count: a launch passes a float32, and the program must cast
   it. */
static bool is_copy(const struct maker *m)
{
	const struct graph *graph = m->graph;
	const struct graph_step *step = &graph->step[graph->result[0]];

	return m->schedule->kind == SCHEDULE_STRIDED && graph->n_results == 1 &&
	       ((step->kind == GRAPH_INPUT && graph->n_inputs == 1) ||
		(step->kind == GRAPH_SCALAR && graph->n_inputs == 0 &&
		 graph->n_scalars == 1 &&
		 !vmcode_instructions_is_half(step->dtype)));
}

/* Whether the program only reads elements at the places of an input, to which
   the positions of another input may be added. */
static bool is_gather(const struct maker *m)
{
	const struct graph_step *step = m->graph->step;
	const struct graph_step *gather = &step[m->graph->result[0]];
	const struct graph_step *place = &step[gather->x[0]];

	if (m->schedule->kind != SCHEDULE_STRIDED || m->graph->n_results != 1 ||
	    gather->kind != GRAPH_GATHER)
		return false;
	if (m->graph->n_steps == 2)
		return place->kind == GRAPH_INPUT;
	return m->graph->n_steps == 4 && place->kind == GRAPH_OPERATION &&
	       place->at == OPERATION__add &&
	       step[place->x[0]].kind + step[place->x[1]].kind ==
		       GRAPH_INPUT + GRAPH_INDEX;
}

/* The number of chains in the program, or 0 if there are calls besides chains.
 */
static int count_only_chains(const struct maker *m)
{
	int chains = 0;

	for (int i = 0; i < m->n_instructions; i++) {
		if (m->instruction[i].kind == VM_CALL)
			return 0;
		chains += m->instruction[i].kind == VM_CHAIN;
	}
	return chains;
}

/* The most elements of a block. */
static size_t most_elements(const struct maker *m)
{
	if (vmcode_reduce_is_end(m->schedule))
		return m->graph->n_steps > 1 ? VM_RUN : VM_LONG;
	/* A VM_PUT comes after the calls that compute the places.  In short
	   blocks the processor goes on prefetching the places and values of the
	   next block while it stores. */
	if (graph_puts(m->graph))
		return VM_RUN;
	/* If operands come from memory, long blocks help only programs of
	   chains, because a chain reads memory while it computes.  While a call
	   computes a long block, the processor prefetches less than the next
	   block. */
	return m->schedule->cpu.stream &&
			       m->schedule->kind != SCHEDULE_STAGES &&
			       !count_only_chains(m)
		       ? VM_RUN
		       : VM_LONG;
}

/* Write the program.  Returns false if a program that reduces has so many
   registers that blocks of VM_RUN elements do not fit. */
static bool write_program(const struct maker *m, const uint64_t *words,
			  struct text *out)
{
	static const char nothing[8];
	struct vm_code code = {
		.results = (uint8_t)m->graph->n_results,
		.operands = (uint8_t)schedule_operands(m->graph),
		.scalars = (uint8_t)m->n_scalars,
		.registers = (uint8_t)m->n_registers,
		.steps = (uint16_t)m->n_instructions,
		.strided = m->schedule->kind != SCHEDULE_FLAT,
		.stream = m->schedule->cpu.stream && is_bound_by_memory(m),
		.rank = m->schedule->rank,
		.reductions = (uint8_t)m->n_reductions,
		.whole = (uint8_t)m->n_whole
	};
	const struct instruction *call = find_call(m);
	uint16_t at[VMCODE_VALUES];
	uint32_t head;

	head = vm_head(&code);
	code.is_copy = is_copy(m) ? VM_COPIES : is_gather(m) ? VM_GATHERS : 0;
	code.is_one_call =
		(call != NULL || count_only_chains(m) == 1) && is_in_memory(m);
	code.is_cheap = code.is_one_call && call && is_cheap(call);
	code.takes_one = code.is_cheap && takes_one(call);
	if (vmcode_reduce_is_end(m->schedule))
		code.reduce = vmcode_reduce_kind(m->graph, m->schedule);
	code.run = place_registers(m, most_elements(m), at, &code.arena);
	code.weight = find_weight(m);
	code.flat_run = flat_run(m, &code);
	code.words = head + code.steps * (uint32_t)sizeof(struct vm_step);
	text_add(out, (const char *)&code, sizeof(code));
	write_operands(m, code.stream, out);
	write_scalars(m, out);
	text_add(out, (const char *)m->reduce,
		 (size_t)m->n_reductions * sizeof(m->reduce[0]));
	text_add(out, (const char *)at, (size_t)m->n_registers * sizeof(*at));
	if (!out->failed)
		text_add(out, nothing, head - out->size);
	write_steps(m, code.stream, out);
	for (int i = 0; i < m->words.n; i++)
		text_add(out, words ? (const char *)&words[i] : nothing,
			 sizeof(*words));
	return !schedule_reduces(m->schedule) || code.run >= VM_RUN;
}

bool vmcode_program(const struct graph *graph, const struct schedule *schedule,
		    const uint64_t *words, struct text *out)
{
	struct maker m;

	m.graph = graph;
	m.schedule = schedule;
	m.words = schedule_words(graph, schedule);
	m.n_values = m.n_instructions = m.n_scalars = m.n_registers = 0;
	m.n_reductions = m.n_whole = 0;
	m.overflows = false;
	vmcode_instructions_make(&m);
	if (schedule->kind == SCHEDULE_STAGES) {
		if (!vmcode_rows_arrange(&m))
			return false;
	} else {
		vmcode_chain_make(&m);
		vmcode_instructions_pair(&m);
		find_singles(&m);
		place_results(&m, find_last(&m));
		assign_registers(&m);
	}
	return write_program(&m, words, out) && !out->failed;
}

/* --- Launches ------------------------------------------------------------- */

struct image vmcode_image(void)
{
	const struct image image = { &vm_module, sizeof(vm_module) };

	return image;
}

void vmcode_name(const struct graph *graph, char name[VMCODE_NAME])
{
	snprintf(name, VMCODE_NAME, "vmcode_%d", schedule_pointers(graph));
}

/* The least size of a group, in work-items.  A smaller group would take too
   little time, compared with the time to start it. */
static uint64_t least_items(const struct vm_code *code,
			    const struct vm_cut *cut)
{
	const struct vm_operand *operand = (const void *)(code + 1);
	uint64_t item = 1, elements;

	for (int k = 0; k < code->operands; k++)
		if (item < UINT64_C(1) << operand[k].shift)
			item = UINT64_C(1) << operand[k].shift;
	if (cut->tile)
		return 1;
	elements = code->is_cheap ? CHEAP_BYTES / item : LEAST_ELEMENTS;
	elements = (elements + cut->run - 1) / cut->run;
	return elements < MOST_ITEMS ? elements : MOST_ITEMS;
}

/* Whether rows have at least LONG_ROW elements, and each operand is contiguous
   along a row or has a single element for the row. */
static bool is_in_rows(const struct vm_code *code)
{
	const struct vm_operand *operand = (const void *)(code + 1);
	const struct vm_words words = vm_words(code);

	for (int k = 0; k < code->operands; k++)
		if (!operand[k].is_index && words.stride[k] != 0 &&
		    words.stride[k] != 1)
			return false;
	return words.extent[0] >= LONG_ROW;
}

/* Whether a launch of a program without reductions takes only a few
   microseconds and needs little stack.  The launch computes @count elements. */
static bool is_brief(const struct vm_code *code, uint64_t count)
{
	const uint64_t most = !code->strided     ? VMCODE_BRIEF
			      : is_in_rows(code) ? vmcode_brief_strided(code)
						 : VMCODE_BRIEF_APART;

	return count <= most / code->weight && vm_needs_little(code);
}

static dpr_range step_range(const struct vm_code *code, uint64_t cores)
{
	const struct vm_words words = vm_words(code);
	const struct vm_cut cut = vm_cut(code, &words);
	const uint64_t least = least_items(code, &cut);
	uint64_t group = cut.items / (cores * 16);

	group = group < least ? least : group > MOST_ITEMS ? MOST_ITEMS : group;
	return (dpr_range){
		.dims = 1,
		.flags = is_brief(code, words.count) ? DPR_RANGE_BRIEF : 0,
		.global = { (cut.items + group - 1) / group * group, 1, 1 },
		.local = { group, 1, 1 }
	};
}

int64_t vmcode_longest_row(const void *program)
{
	return vm_rows_longest(program);
}

/* The range has several groups for each core, so that all cores end at about
   the same time. */
dpr_range vmcode_range(const void *program, uint64_t cores)
{
	const struct vm_code *code = program;

	return code->reductions    ? vmcode_rows_range(code, cores)
	       : code->reduce.kind ? vmcode_reduce_range(code, cores)
				   : step_range(code, cores);
}
