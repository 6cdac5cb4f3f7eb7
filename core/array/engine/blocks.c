/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.c - writes programs for the kernels of kernels/block.h.
 *
 * First the graph becomes a list of orders on values, of which there can be any
 * number; 16-bit floats are computed as float32 there, with casts around.  Then
 * each value gets a register from its order to the last one that reads it.
 */
#include "core/array/engine/blocks.h"

#include <stdio.h>
#include <string.h>

#include <dpr/dtype.h>

#include "core/array/engine/blocks_fold.h"
#include "core/array/engine/operations.h"
#include "kernels/block_program.h"

/* For each step: a value as stored, one as float32, and one before rounding. */
#define VALUES (3 * GRAPH_STEPS + GRAPH_RESULTS)
/* For each step: an order for each of its values, and a load.  Each result may
   have to be copied, and is stored. */
#define ORDERS (4 * GRAPH_STEPS + 2 * GRAPH_RESULTS)
_Static_assert(VALUES + FRAME_OPERANDS < BLOCK_NONE, "slots are bytes");
_Static_assert(OPERATION_COUNT <= BLOCK_PAIR_CODES, "codes are apart");
_Static_assert(FRAME_OPERANDS == BLOCK_OPERANDS && FRAME_RANK == BLOCK_RANK &&
		       FRAME_RUN == BLOCK_RUN &&
		       FRAME_FOLD_RANK == BLOCK_FOLD_RANK,
	       "kernels/block.h has the same");

/* The least that a group computes: elements; for a cheap program, bytes of the
   operand with the largest elements. */
#define LEAST_ELEMENTS 4096
#define CHEAP_BYTES 65536
#define MOST_ITEMS 1024

/* The weight of a call that is not cheap: of a function of mathematics, and of
   any other. */
#define MATH_WEIGHT 32
#define OTHER_WEIGHT 4

enum { NO_VALUE = -1, NO_OPERAND = -1 };
enum { NO_ORDER = BLOCK_REDUCE + 1 }; /* after enum block_kind */

struct value {
	uint8_t dtype;
	bool kept;   /* its register has no other use */
	int operand; /* whose slot it has, or NO_OPERAND */
	int last;    /* the last order that reads it */
	int slot;    /* its register */
};

struct order {
	uint8_t kind, unit, code, n;
	int out; /* a value; of a store, a result */
	int x[3];
};

struct scalar {
	int value, at;
};

/* A program being made. */
struct maker {
	const struct graph *graph;
	const struct frame *frame;
	struct frame_words words;
	int n_values, n_orders, n_scalars, n_registers;
	int stored[GRAPH_STEPS], wide[GRAPH_STEPS]; /* values of the steps */
	struct value value[VALUES];
	struct order order[ORDERS];
	struct scalar scalar[2 * GRAPH_SCALARS];
	/* Of each register: the logarithm of the size of its elements, and
	   whether it has a value now. */
	uint8_t shift[VALUES];
	bool busy[VALUES];
};

static uint8_t shift_of(unsigned dtype)
{
	return (uint8_t)__builtin_ctz(
		(unsigned)dpr_dtype_size((dpr_dtype)dtype));
}

static bool is_half(unsigned dtype)
{
	return dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16;
}

static bool is_double(unsigned dtype)
{
	return dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128;
}

/* --- Orders --------------------------------------------------------------- */

static int add_value(struct maker *m, unsigned dtype)
{
	m->value[m->n_values] = (struct value){ .dtype = (uint8_t)dtype,
						.operand = NO_OPERAND,
						.last = -1 };
	return m->n_values++;
}

static struct order *add_order(struct maker *m, enum block_kind kind, int out)
{
	m->order[m->n_orders] =
		(struct order){ .kind = (uint8_t)kind, .out = out };
	return &m->order[m->n_orders++];
}

static void add_operand(struct order *order, int value)
{
	order->x[order->n++] = value;
}

/* Call function @code of @unit, which makes a value of @dtype. */
static struct order *add_call(struct maker *m, unsigned unit, unsigned code,
			      unsigned dtype)
{
	struct order *order = add_order(m, BLOCK_CALL, add_value(m, dtype));

	order->unit = (uint8_t)unit;
	order->code = (uint8_t)code;
	return order;
}

static int add_cast(struct maker *m, unsigned from, unsigned to, int x)
{
	const unsigned unit =
		is_double(to) && !is_double(from) ? BLOCK_CAST64 : BLOCK_CAST;
	struct order *order = add_call(m, unit + from, to, to);

	add_operand(order, x);
	return order->out;
}

static int add_scalar(struct maker *m, unsigned dtype, int at)
{
	const int value = add_value(m, dtype);

	m->value[value].kept = true;
	m->scalar[m->n_scalars++] = (struct scalar){ value, at };
	return value;
}

static int add_input(struct maker *m, const struct graph_step *step)
{
	const int k = m->graph->n_results + step->at;
	const int value = add_value(m, step->dtype);

	m->value[value].operand = k;
	m->value[value].kept = m->frame->kind != FRAME_FLAT &&
			       m->frame->inner[k] == FRAME_FIXED;
	add_order(m, BLOCK_LOAD, value);
	return value;
}

/* The value of step @i as it is stored. */
static int stored_value(struct maker *m, int i)
{
	const struct graph_step *step = &m->graph->step[i];

	if (m->stored[i] == NO_VALUE)
		m->stored[i] = step->kind == GRAPH_SCALAR
				       ? add_scalar(m, step->dtype, step->at)
				       : add_input(m, step);
	return m->stored[i];
}

/* The value of step @i, a 16-bit float, as float32. */
static int wide_value(struct maker *m, int i)
{
	const struct graph_step *step = &m->graph->step[i];

	if (m->wide[i] == NO_VALUE)
		m->wide[i] = step->kind == GRAPH_SCALAR
				     ? add_scalar(m, DPR_FLOAT32, step->at)
				     : add_cast(m, step->dtype, DPR_FLOAT32,
						stored_value(m, i));
	return m->wide[i];
}

/* The block function of operation @op. */
static unsigned unit_of(unsigned op, unsigned dtype)
{
	return dtype + (operations_table[op].family == OPERATIONS_MATH
				? BLOCK_MATH
				: BLOCK_OPERATION);
}

static int add_operation(struct maker *m, const struct graph_step *step)
{
	const bool half = is_half(step->compute);
	const bool narrow = half && is_half(step->dtype);
	struct order *order;
	int x[3];

	for (int k = 0; k < step->n; k++)
		x[k] = half ? wide_value(m, step->x[k])
			    : stored_value(m, step->x[k]);
	order = add_call(
		m,
		unit_of(step->at, half ? (unsigned)DPR_FLOAT32 : step->compute),
		step->at, narrow ? (unsigned)DPR_FLOAT32 : step->dtype);
	for (int k = 0; k < step->n; k++)
		add_operand(order, x[k]);
	return narrow ? add_cast(m, DPR_FLOAT32, step->dtype, order->out)
		      : order->out;
}

static int add_where(struct maker *m, const struct graph_step *step)
{
	struct order *order;
	int x[3];

	for (int k = 0; k < 3; k++)
		x[k] = stored_value(m, step->x[k]);
	order = add_call(m, BLOCK_MOVE + shift_of(step->dtype), BLOCK_WHERE,
			 step->dtype);
	for (int k = 0; k < 3; k++)
		add_operand(order, x[k]);
	return order->out;
}

static void add_step(struct maker *m, int i)
{
	const struct graph_step *step = &m->graph->step[i];

	switch ((enum graph_kind)step->kind) {
	case GRAPH_INPUT:
	case GRAPH_SCALAR: break; /* when a step needs it */
	case GRAPH_REDUCE: break; /* only in FRAME_STAGES */
	case GRAPH_OPERATION: m->stored[i] = add_operation(m, step); break;
	case GRAPH_WHERE: m->stored[i] = add_where(m, step); break;
	case GRAPH_CAST:
		m->stored[i] = add_cast(m, step->compute, step->dtype,
					stored_value(m, step->x[0]));
		break;
	}
}

/*
 * A result that is an input or a scalar is copied first, so that all results
 * are computed.  They are stored at the end, where no input is read any more: a
 * result may be an input.
 */
static void add_results(struct maker *m)
{
	int made[GRAPH_RESULTS];

	if (frame_is_fold(m->frame)) {
		const int i = m->graph->result[0];

		made[0] = is_half(m->graph->step[i].dtype) ? wide_value(m, i)
							   : stored_value(m, i);
		add_operand(add_order(m, BLOCK_REDUCE, 0), made[0]);
		return;
	}
	for (int k = 0; k < m->graph->n_results; k++) {
		const int i = m->graph->result[k];
		const struct graph_step *step = &m->graph->step[i];
		struct order *order;

		made[k] = stored_value(m, i);
		if (step->kind != GRAPH_INPUT && step->kind != GRAPH_SCALAR)
			continue;
		order = add_call(m, BLOCK_MOVE + shift_of(step->dtype),
				 BLOCK_COPY, step->dtype);
		add_operand(order, made[k]);
		made[k] = order->out;
	}
	for (int k = 0; k < m->graph->n_results; k++)
		add_operand(add_order(m, BLOCK_STORE, k), made[k]);
}

/* --- Pairs ----------------------------------------------------------------
 */

/* What an operation is as the first step of a pair, or -1. */
static int first_of(unsigned op)
{
	switch (op) {
	case OPERATION__add: return BLOCK_ADD;
	case OPERATION__subtract: return BLOCK_SUBTRACT;
	case OPERATION__multiply:
	case OPERATION__square: return BLOCK_MULTIPLY;
	}
	return -1;
}

/* And as the second one, if the value of the first is its operand @k; or -1. */
static int second_of(unsigned op, int k)
{
	switch (op) {
	case OPERATION__add: return BLOCK_PLUS;
	case OPERATION__subtract: return k ? BLOCK_FROM : BLOCK_MINUS;
	case OPERATION__multiply: return BLOCK_TIMES;
	case OPERATION__divide: return k ? BLOCK_UNDER : BLOCK_OVER;
	case OPERATION__sqrt: return BLOCK_ROOT;
	}
	return -1;
}

/* The code of @first and then @second, whose operand @k is what @first makes;
   -1: there is none. */
static int pair_of(unsigned first, unsigned second, int k)
{
	const int form = second_of(second, k);
	int pair;

	if (form < 0)
		return -1;
	if (first < BLOCK_PAIR_CODES)
		return first_of(first) < 0 ? -1
					   : BLOCK_PAIR(first_of(first), form);
	pair = (int)first - BLOCK_PAIR_CODES;
	if (form != BLOCK_ROOT || pair % BLOCK_SECONDS > BLOCK_FROM)
		return -1;
	return (int)first + BLOCK_ROOT_PLUS - BLOCK_PLUS;
}

static bool has_pairs(const struct order *order)
{
	return order->kind == BLOCK_CALL &&
	       (order->unit == BLOCK_OPERATION + DPR_FLOAT32 ||
		order->unit == BLOCK_OPERATION + DPR_FLOAT64);
}

/* The order that makes @value, if it can be the first step of a pair, and
   nothing else reads @value. */
static struct order *find_first(struct maker *m, int value)
{
	struct order *made = NULL;
	int reads = 0;

	for (int i = 0; i < m->n_orders; i++) {
		if (has_pairs(&m->order[i]) && m->order[i].out == value)
			made = &m->order[i];
		for (int k = 0; k < m->order[i].n; k++)
			reads += m->order[i].x[k] == value;
	}
	return reads == 1 ? made : NULL;
}

/* If it can be, let @second take over what @first does for its operand @k, and
   drop @first. */
static bool make_pair(struct order *first, struct order *second, int k)
{
	const int code = pair_of(first->code, second->code, k);
	const int other = second->x[1 - k];

	if (code < 0)
		return false;
	if (first->code == OPERATION__square)
		add_operand(first, first->x[0]);
	if (second->n == 2)
		add_operand(first, other);
	second->code = (uint8_t)code;
	second->n = first->n;
	memcpy(second->x, first->x, sizeof(first->x));
	first->kind = NO_ORDER;
	first->n = 0;
	return true;
}

/* To call the function of a cheap step takes as long as the step: make pairs of
   them. */
static void make_pairs(struct maker *m)
{
	int left = 0;

	for (int i = 0; i < m->n_orders; i++) {
		struct order *second = &m->order[i];
		bool joined = !has_pairs(second);

		for (int k = 0; !joined && k < second->n; k++) {
			struct order *first = find_first(m, second->x[k]);

			joined = first && make_pair(first, second, k);
		}
	}
	for (int i = 0; i < m->n_orders; i++)
		if (m->order[i].kind != NO_ORDER)
			m->order[left++] = m->order[i];
	m->n_orders = left;
}

/* --- Registers ------------------------------------------------------------ */

/* Set which orders read each value last.  Returns the last order that reads an
   input. */
static int find_last(struct maker *m)
{
	int last = -1;

	for (int i = 0; i < m->n_orders; i++)
		for (int k = 0; k < m->order[i].n; k++) {
			struct value *x = &m->value[m->order[i].x[k]];

			x->last = i;
			if (x->operand != NO_OPERAND)
				last = i;
		}
	return last;
}

/* Compute results where they are stored, if no input is read afterwards. */
static void place_results(struct maker *m, int last_input)
{
	int order = m->n_orders - m->graph->n_results;

	if (frame_is_fold(m->frame))
		return;
	for (int k = 0; k < m->graph->n_results; k++, order++) {
		const int value = m->order[order].x[0];
		int made = 0;

		while (m->order[made].kind != BLOCK_CALL ||
		       m->order[made].out != value)
			made++;
		if (made >= last_input && m->value[value].operand == NO_OPERAND)
			m->value[value].operand = k;
	}
}

/* A free register, best one that has the size, or a new one. */
static int take_register(struct maker *m, uint8_t shift)
{
	int best = -1;

	for (int i = 0; i < m->n_registers; i++)
		if (!m->busy[i] && (best < 0 || m->shift[i] == shift))
			best = i;
	if (best < 0) {
		best = m->n_registers++;
		m->shift[best] = 0;
	}
	m->busy[best] = true;
	if (m->shift[best] < shift)
		m->shift[best] = shift;
	return best;
}

/* Free the registers of what order @i reads last: of the values with elements
   of the size of @out's, or of all. */
static void free_registers(struct maker *m, int i, const struct value *out)
{
	for (int k = 0; k < m->order[i].n; k++) {
		const struct value *x = &m->value[m->order[i].x[k]];

		if (x->last == i && !x->kept &&
		    (!out || shift_of(x->dtype) == shift_of(out->dtype)))
			m->busy[x->slot] = false;
	}
}

static void assign_registers(struct maker *m)
{
	for (int i = 0; i < m->n_values; i++)
		if (m->value[i].kept)
			m->value[i].slot =
				take_register(m, shift_of(m->value[i].dtype));
	for (int i = 0; i < m->n_orders; i++) {
		struct value *out = &m->value[m->order[i].out];

		if (m->order[i].kind >= BLOCK_STORE || out->kept)
			continue;
		/* A function may write where it reads, if the sizes agree. */
		free_registers(m, i, out);
		out->slot = take_register(m, shift_of(out->dtype));
		free_registers(m, i, NULL);
		m->busy[out->slot] = true;
	}
}

/* The slot in which orders find a value. */
static uint8_t slot_of(const struct maker *m, int value)
{
	const struct value *v = &m->value[value];

	return (uint8_t)(v->operand == NO_OPERAND
				 ? v->slot
				 : m->n_registers + v->operand);
}

/* --- Programs ------------------------------------------------------------- */

/* The only call of the program, or NULL. */
static const struct order *find_call(const struct maker *m)
{
	const struct order *call = NULL;

	for (int i = 0; i < m->n_orders; i++)
		if (m->order[i].kind == BLOCK_CALL) {
			if (call)
				return NULL;
			call = &m->order[i];
		}
	return call;
}

/* A function with a fast path is not cheap: it first looks at all elements of a
   block, which should stay in the cache meanwhile. */
static bool is_cheap(const struct order *call)
{
	if (call->unit >= BLOCK_MATH && call->unit < BLOCK_CAST)
		return false;
	return call->unit >= BLOCK_CAST || call->code >= BLOCK_PAIR_CODES ||
	       !operations_is_guarded(call->code, call->unit - BLOCK_OPERATION);
}

/* Whether an operand of a cheap call may be a single element. */
static bool takes_one(const struct order *call)
{
	return call->n == 2 && call->unit < BLOCK_MATH &&
	       call->code < BLOCK_PAIR_CODES && call->x[0] != call->x[1];
}

/* How many additions of an element take as long as all calls do, at most. */
static uint16_t find_weight(const struct maker *m)
{
	uint16_t weight = 1;

	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];

		if (order->kind == BLOCK_CALL)
			weight += is_cheap(order)             ? 1
				  : order->unit >= BLOCK_MATH ? MATH_WEIGHT
							      : OTHER_WEIGHT;
	}
	return weight;
}

/* Where the registers begin, and, in @at[their number], where they end, in
   lines.  Two lines between them keep what is read and written together from
   having the same place in the cache.  Returns the number of elements of a
   block: fewer than @run, if there are many registers. */
static uint16_t place_registers(const struct maker *m, size_t run, uint16_t *at)
{
	const size_t lines = BLOCK_ARENA / BLOCK_LINE;
	size_t next;

	for (;; run /= 2) {
		next = 0;
		for (int i = 0; i < m->n_registers; i++) {
			at[i] = (uint16_t)next;
			next += ((run << m->shift[i]) + BLOCK_LINE - 1) /
					BLOCK_LINE +
				2;
		}
		at[m->n_registers] = (uint16_t)next;
		if (next <= lines || run == BLOCK_UNIT)
			return (uint16_t)run;
	}
}

static void write_operands(const struct maker *m, struct text *out)
{
	for (int k = 0; k < frame_operands(m->graph); k++) {
		struct block_operand operand = {
			.shift = shift_of(frame_operand(m->graph, k)),
			.slot = BLOCK_NONE
		};

		if (k == 0 && frame_is_fold(m->frame))
			operand.shift = shift_of(blocks_fold_dtype(m->graph));
		for (int i = 0; i < m->n_values; i++)
			if (m->value[i].operand == k) {
				operand.slot = (uint8_t)m->value[i].slot;
				operand.kept = m->value[i].kept;
			}
		text_add(out, (const char *)&operand, sizeof(operand));
	}
}

static void write_scalars(const struct maker *m, struct text *out)
{
	for (int i = 0; i < m->n_scalars; i++) {
		const struct value *value = &m->value[m->scalar[i].value];
		const int before =
			frame_scalars_before(m->graph, m->scalar[i].at);
		const struct block_scalar scalar = {
			.slot = (uint8_t)value->slot,
			.dtype = value->dtype,
			.word = (uint16_t)(m->words.scalar + before)
		};

		text_add(out, (const char *)&scalar, sizeof(scalar));
	}
}

static void write_steps(const struct maker *m, struct text *out)
{
	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];
		struct block_step step = { .kind = order->kind,
					   .unit = order->unit,
					   .code = order->code };

		step.out = order->kind >= BLOCK_STORE ? (uint8_t)order->out
			   : order->kind == BLOCK_LOAD
				   ? (uint8_t)m->value[order->out].operand
				   : slot_of(m, order->out);
		for (int k = 0; k < order->n; k++)
			step.x[k] = slot_of(m, order->x[k]);
		text_add(out, (const char *)&step, sizeof(step));
	}
}

/* The elements of a block of contiguous arrays: small ones are many in a cheap
   program, which does not compute for long on each. */
static uint16_t flat_run(const struct maker *m, const struct block_code *code)
{
	unsigned run = BLOCK_LONG;

	for (int k = 0; k < code->operands; k++) {
		const unsigned fit =
			BLOCK_LONG >> shift_of(frame_operand(m->graph, k));

		run = fit < run ? fit : run;
	}
	run = code->is_cheap && run > BLOCK_RUN ? run : BLOCK_RUN;
	return run < code->run ? (uint16_t)run : code->run;
}

/* Stores past the caches wait for memory, which costs time where there is much
   to compute meanwhile. */
static bool is_bound_by_memory(const struct maker *m)
{
	for (int i = 0; i < m->n_orders; i++)
		if (m->order[i].kind == BLOCK_CALL &&
		    m->order[i].unit >= BLOCK_MATH &&
		    m->order[i].unit < BLOCK_CAST)
			return false;
	return true;
}

/* Whether the kernel only copies an input, or a scalar whose bits are those of
   an element. */
static bool is_copy(const struct maker *m)
{
	const struct graph *graph = m->graph;
	const struct graph_step *step = &graph->step[graph->result[0]];

	return m->frame->kind == FRAME_STRIDED && graph->n_results == 1 &&
	       ((step->kind == GRAPH_INPUT && graph->n_inputs == 1) ||
		(step->kind == GRAPH_SCALAR && graph->n_inputs == 0 &&
		 graph->n_scalars == 1 && !is_half(step->dtype)));
}

/* The most elements of a block for which registers get room. */
static size_t most_elements(const struct maker *m, const struct order *call)
{
	if (frame_is_fold(m->frame))
		return m->graph->n_steps == 1 ? BLOCK_LONG : BLOCK_RUN;
	return call && is_cheap(call) ? BLOCK_LONG : BLOCK_RUN;
}

/* Returns false if registers have too little room. */
static bool write_program(const struct maker *m, const uint64_t *words,
			  struct text *out)
{
	static const char nothing[8];
	struct block_code code = {
		.results = (uint8_t)m->graph->n_results,
		.operands = (uint8_t)frame_operands(m->graph),
		.scalars = (uint8_t)m->n_scalars,
		.registers = (uint8_t)m->n_registers,
		.steps = (uint16_t)m->n_orders,
		.strided = m->frame->kind != FRAME_FLAT,
		.stream = m->frame->stream && is_bound_by_memory(m),
		.rank = m->frame->rank
	};
	const struct order *call = find_call(m);
	uint16_t at[VALUES + 1];
	uint32_t head;

	head = block_head(&code);
	code.is_copy = is_copy(m);
	code.is_one_call = call != NULL && !frame_is_fold(m->frame);
	code.is_cheap = code.is_one_call && is_cheap(call);
	code.takes_one = code.is_cheap && takes_one(call);
	if (frame_is_fold(m->frame))
		code.fold = blocks_fold_kind(m->graph, m->frame);
	code.run = place_registers(m, most_elements(m, call), at);
	code.arena = at[m->n_registers];
	code.weight = find_weight(m);
	code.flat_run = flat_run(m, &code);
	code.words = head + code.steps * (uint32_t)sizeof(struct block_step);
	text_add(out, (const char *)&code, sizeof(code));
	write_operands(m, out);
	write_scalars(m, out);
	text_add(out, (const char *)at, (size_t)m->n_registers * sizeof(*at));
	if (!out->failed)
		text_add(out, nothing, head - out->size);
	write_steps(m, out);
	for (int i = 0; i < m->words.n; i++)
		text_add(out, words ? (const char *)&words[i] : nothing,
			 sizeof(*words));
	return !frame_is_fold(m->frame) || code.run >= BLOCK_RUN;
}

bool blocks_program(const struct graph *graph, const struct frame *frame,
		    const uint64_t *words, struct text *out)
{
	struct maker m;

	m.graph = graph;
	m.frame = frame;
	m.words = frame_words(graph, frame);
	m.n_values = m.n_orders = m.n_scalars = m.n_registers = 0;
	for (int i = 0; i < graph->n_steps; i++)
		m.stored[i] = m.wide[i] = NO_VALUE;
	for (int i = 0; i < graph->n_steps; i++)
		add_step(&m, i);
	add_results(&m);
	make_pairs(&m);
	place_results(&m, find_last(&m));
	assign_registers(&m);
	return write_program(&m, words, out) && !out->failed;
}

/* --- Launches ------------------------------------------------------------- */

struct image blocks_image(void)
{
	const struct image image = { &block_module, sizeof(block_module) };

	return image;
}

void blocks_name(const struct graph *graph, char name[BLOCKS_NAME])
{
	snprintf(name, BLOCKS_NAME, "blocks_%d", frame_operands(graph));
}

/* The least work-items of a group, so that starting it is cheap beside them. */
static uint64_t least_items(const struct block_code *code,
			    const struct block_cut *cut)
{
	const struct block_operand *operand = (const void *)(code + 1);
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

/* Whether the launch takes a few microseconds and little stack. */
static bool is_brief(const struct block_code *code, uint64_t count)
{
	return count <= BLOCKS_BRIEF / code->weight && block_needs_little(code);
}

static dpr_range step_range(const struct block_code *code, uint64_t cores)
{
	const struct block_words words = block_words(code);
	const struct block_cut cut = block_cut(code, &words);
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

/* Several groups for each core, so that cores end together. */
dpr_range blocks_range(const void *program, uint64_t cores)
{
	const struct block_code *code = program;

	return code->fold.kind ? blocks_fold_range(code, cores)
			       : step_range(code, cores);
}
