/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_steps.c - writes the steps of kernels in SPIR-V, as calls of the
   functions of kernels/step.cl. */
#include "core/array/engine/spirv/spirv_steps.h"

#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"

#define MOST_NAME 64 /* the most bytes of a function's name */

/* --- Types -------------------------------------------------------------- */

static bool is_complex(unsigned dtype)
{
	return dtype == DPR_COMPLEX64 || dtype == DPR_COMPLEX128;
}

/* Whether values are stored in 16 bits and computed as float32. */
static bool is_short(unsigned dtype)
{
	return dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16;
}

unsigned spirv_steps_parts(unsigned dtype)
{
	return is_complex(dtype) ? 2 : 1;
}

unsigned spirv_steps_part_size(unsigned dtype)
{
	return (unsigned)dpr_dtype_size((dpr_dtype)dtype) /
	       spirv_steps_parts(dtype);
}

uint32_t spirv_steps_part_type(struct spirv_steps *e, unsigned dtype)
{
	const unsigned bits = spirv_steps_part_size(dtype) * 8;

	return dtype >= DPR_FLOAT32 ? spirv_module_float(&e->module, bits)
				    : spirv_module_integer(&e->module, bits);
}

/* The type of an element in memory.  The types of complex numbers are structs
   of kernels/types.cl. */
uint32_t spirv_steps_type(struct spirv_steps *e, unsigned dtype)
{
	uint32_t id;

	if (!is_complex(dtype))
		return spirv_steps_part_type(e, dtype);
	id = spirv_library_find(&e->module.library, SPIRV_TYPE_STRUCT,
				dtype == DPR_COMPLEX64 ? "struct.cfloat"
						       : "struct.cdouble");
	e->module.failed |= !id;
	return id;
}

/* The type of the value of a step. */
static uint32_t value_type(struct spirv_steps *e, unsigned dtype)
{
	if (is_short(dtype))
		return spirv_module_float(&e->module, 32);
	if (!is_complex(dtype))
		return spirv_steps_part_type(e, dtype);
	return spirv_module_pointer(&e->module, SPIRV_CLASS_FUNCTION,
				    spirv_steps_type(e, dtype));
}

/* --- Functions ---------------------------------------------------------- */

static uint32_t find(struct spirv_steps *e, const char *name, const char *path,
		     unsigned dtype)
{
	char full[MOST_NAME];

	snprintf(full, sizeof(full), "%.40s%.8s_%u", name, path, dtype);
	return spirv_module_function(&e->module, full);
}

static bool is_guarded(const struct graph_step *step)
{
	return step->kind == GRAPH_OPERATION &&
	       operations_is_guarded(step->at, step->compute);
}

bool spirv_steps_is_guarded(const struct spirv_steps *e)
{
	for (int i = 0; i < e->machine.graph->n_steps; i++)
		if (is_guarded(&e->machine.graph->step[i]))
			return true;
	return false;
}

static void find_step(struct spirv_steps *e, int i)
{
	const struct graph_step *step = &e->machine.graph->step[i];
	struct spirv_steps_functions *f = &e->functions[i];
	char name[MOST_NAME];

	switch ((enum graph_kind)step->kind) {
	case GRAPH_INPUT:
	case GRAPH_INDEX:
	case GRAPH_SCALAR:
	case GRAPH_BITS:
	case GRAPH_GATHER:
	case GRAPH_PUT:
	case GRAPH_REDUCE: break;
	case GRAPH_OPERATION:
		f->plain = find(e, operations_table[step->at].name, "",
				step->compute);
		if (!is_guarded(step))
			break;
		f->fast = find(e, operations_table[step->at].name, "_fast",
			       step->compute);
		f->guard = find(e, operations_table[step->at].name, "_guard",
				step->compute);
		break;
	case GRAPH_WHERE:
		/* Where graph_keeps_stored() holds, where() chooses between the
		   stored bits of two values, which are 16-bit integers. */
		f->plain = find(e, "where", "",
				graph_keeps_stored(e->machine.graph, i)
					? DPR_UINT16
					: step->dtype);
		break;
	case GRAPH_CAST:
		snprintf(name, sizeof(name), "cast_%u", step->compute);
		f->plain = find(e, name, "", step->dtype);
		break;
	}
}

bool spirv_steps_find(struct spirv_steps *e)
{
	for (int i = 0; i < e->machine.graph->n_steps; i++)
		find_step(e, i);
	for (unsigned i = 0; i < 2; i++) {
		if (!graph_uses(e->machine.graph, DPR_FLOAT16 + i))
			continue;
		e->load[i] = find(e, "load", "", DPR_FLOAT16 + i);
		e->store[i] = find(e, "store", "", DPR_FLOAT16 + i);
	}
	return !e->module.failed;
}

/* --- Values ------------------------------------------------------------- */

struct spirv_value spirv_steps_variable(struct spirv_steps *e, unsigned dtype)
{
	const uint32_t type = value_type(e, dtype);

	/* The functions of kernels/step.cl expect the alignment of
	   kernels/types.cl. */
	return (struct spirv_value){ spirv_module_variable(
					     &e->module, type,
					     (unsigned)dpr_dtype_size(
						     (dpr_dtype)dtype)),
				     type };
}

/* The variable of step @i, whose value is complex.  The variable is declared
   when it is first used. */
static struct spirv_value variable_of(struct spirv_steps *e, int i)
{
	if (!e->variable[i].id)
		e->variable[i] = spirv_steps_variable(
			e, e->machine.graph->step[i].dtype);
	return e->variable[i];
}

/* The address of part @p (0: real, 1: imaginary) of a complex variable. */
static uint32_t part_of(struct spirv_steps *e, unsigned dtype,
			uint32_t variable, unsigned p)
{
	const uint32_t type =
		spirv_module_pointer(&e->module, SPIRV_CLASS_FUNCTION,
				     spirv_steps_part_type(e, dtype));

	return SPIRV_MAKE(&e->module, INBOUNDS_PTR_ACCESS_CHAIN, type, variable,
			  spirv_module_number(&e->module, 32, 0),
			  spirv_module_number(&e->module, 32, p));
}

void spirv_steps_put(struct spirv_steps *e, unsigned dtype,
		     struct spirv_value variable, const uint32_t *part)
{
	for (unsigned p = 0; p < 2; p++)
		SPIRV_DO(&e->module, STORE, part_of(e, dtype, variable.id, p),
			 part[p], SPIRV_ACCESS_ALIGNED,
			 spirv_steps_part_size(dtype));
}

void spirv_steps_get(struct spirv_steps *e, unsigned dtype,
		     struct spirv_value value, uint32_t *part)
{
	part[0] = value.id;
	for (unsigned p = 0; is_complex(dtype) && p < 2; p++)
		part[p] = SPIRV_MAKE(
			&e->module, LOAD, spirv_steps_part_type(e, dtype),
			part_of(e, dtype, value.id, p), SPIRV_ACCESS_ALIGNED,
			spirv_steps_part_size(dtype));
}

void spirv_steps_take(struct spirv_steps *e, int i, const uint32_t *part)
{
	const unsigned dtype = e->machine.graph->step[i].dtype;
	const struct spirv_value stored = { part[0],
					    spirv_steps_part_type(e, dtype) };

	if (is_short(dtype)) {
		e->stored[i] = part[0];
		e->value[i].type = value_type(e, dtype);
		e->value[i].id = spirv_module_call(
			&e->module, e->load[dtype - DPR_FLOAT16],
			e->value[i].type, &stored, 1);
		return;
	}
	e->value[i] = stored;
	if (!is_complex(dtype))
		return;
	e->value[i] = variable_of(e, i);
	spirv_steps_put(e, dtype, e->value[i], part);
}

void spirv_steps_give(struct spirv_steps *e, int i, uint32_t *part)
{
	const unsigned dtype = e->machine.graph->step[i].dtype;

	if (graph_keeps_stored(e->machine.graph, i))
		part[0] = e->stored[i];
	else if (is_short(dtype))
		part[0] = spirv_module_call(
			&e->module, e->store[dtype - DPR_FLOAT16],
			spirv_steps_part_type(e, dtype), &e->value[i], 1);
	else
		spirv_steps_get(e, dtype, e->value[i], part);
}

/* --- Scalars ------------------------------------------------------------ */

uint32_t spirv_steps_word(struct spirv_steps *e, int at)
{
	struct spirv_module *m = &e->module;
	const uint32_t type = spirv_module_integer(m, 64);
	const uint32_t zero = spirv_module_number(m, 32, 0);
	const uint32_t pointer =
		spirv_module_pointer(m, SPIRV_CLASS_FUNCTION, type);
	const uint32_t place =
		SPIRV_MAKE(m, INBOUNDS_PTR_ACCESS_CHAIN, pointer,
			   e->x[schedule_operands(e->machine.graph)].id, zero,
			   zero, spirv_module_number(m, 64, (uint64_t)at));

	return SPIRV_MAKE(m, LOAD, type, place, SPIRV_ACCESS_ALIGNED, 8);
}

uint32_t spirv_steps_low_bits(struct spirv_steps *e, uint32_t word,
			      uint32_t type, unsigned bits)
{
	const uint32_t integer = spirv_module_integer(&e->module, bits);
	uint32_t id = word;

	if (bits < 64)
		id = SPIRV_MAKE(&e->module, U_CONVERT, integer, id);
	if (integer != type)
		id = SPIRV_MAKE(&e->module, BITCAST, type, id);
	return id;
}

static void add_scalar(struct spirv_steps *e, int i)
{
	const unsigned dtype = e->machine.graph->step[i].dtype;
	const int at = e->machine.words.scalar +
		       schedule_scalars_before(e->machine.graph,
					       e->machine.graph->step[i].at);
	const unsigned bits =
		is_short(dtype) ? 32 : spirv_steps_part_size(dtype) * 8;
	const uint32_t type = is_complex(dtype)
				      ? spirv_steps_part_type(e, dtype)
				      : value_type(e, dtype);
	uint32_t part[MACHINE_PARTS], word = spirv_steps_word(e, at);

	part[0] = spirv_steps_low_bits(e, word, type, bits);
	e->value[i] = (struct spirv_value){ part[0], type };
	if (!is_complex(dtype))
		return;
	if (dtype == DPR_COMPLEX64)
		word = SPIRV_MAKE(&e->module, SHIFT_RIGHT_LOGICAL,
				  spirv_module_integer(&e->module, 64), word,
				  spirv_module_number(&e->module, 64, 32));
	else
		word = spirv_steps_word(e, at + 1);
	part[1] = spirv_steps_low_bits(e, word, type, bits);
	spirv_steps_take(e, i, part);
}

void spirv_steps_scalars(struct spirv_steps *e)
{
	for (int i = 0; i < e->machine.graph->n_steps; i++)
		if (e->machine.graph->step[i].kind == GRAPH_SCALAR)
			add_scalar(e, i);
}

/* --- Steps -------------------------------------------------------------- */

uint32_t spirv_steps_call(struct spirv_steps *e, uint32_t function,
			  uint32_t type, struct spirv_value variable,
			  const struct spirv_value *x, int n)
{
	struct spirv_value all[4];
	unsigned used = 0;

	if (variable.id) {
		all[used++] = variable;
		type = spirv_module_global(&e->module, SPIRV_TYPE_VOID, 0, NULL,
					   0);
	}
	for (int k = 0; k < n; k++)
		all[used++] = x[k];
	return spirv_module_call(&e->module, function, type, all, used);
}

/* Write a call of @function on the operands of step @i. */
static uint32_t call(struct spirv_steps *e, int i, uint32_t function,
		     uint32_t type, struct spirv_value variable)
{
	const struct graph_step *step = &e->machine.graph->step[i];
	struct spirv_value x[3];

	for (int k = 0; k < step->n; k++)
		x[k] = e->value[step->x[k]];
	return spirv_steps_call(e, function, type, variable, x, step->n);
}

/* Write a call of the guard of step @i.  The value e->any of the kernel becomes
   nonzero if the guard finds the fast path wrong. */
static void add_guard(struct spirv_steps *e, int i)
{
	const struct spirv_value none = { 0, 0 };
	const uint32_t type = spirv_module_integer(&e->module, 8);
	const uint32_t id = call(e, i, e->functions[i].guard, type, none);

	e->any = e->any ? SPIRV_MAKE(&e->module, BITWISE_OR, type, e->any, id)
			: id;
}

/* Write step @i, a GRAPH_WHERE that chooses between the stored bits of 16-bit
   floats. */
static void add_stored_where(struct spirv_steps *e, int i)
{
	const struct graph_step *step = &e->machine.graph->step[i];
	const struct spirv_value none = { 0, 0 };
	const uint32_t type = spirv_steps_part_type(e, step->dtype);
	struct spirv_value x[3] = { e->value[step->x[0]] };
	uint32_t id;

	for (int k = 1; k < 3; k++) {
		x[k].type = type;
		spirv_steps_give(e, step->x[k], &x[k].id);
	}
	id = spirv_steps_call(e, e->functions[i].plain, type, none, x, 3);
	spirv_steps_take(e, i, &id);
}

static void add_bits(struct spirv_steps *e, int i)
{
	const struct graph_step *step = &e->machine.graph->step[i];
	const uint32_t from = spirv_steps_part_type(e, step->compute);
	const uint32_t to = spirv_steps_part_type(e, step->dtype);
	uint32_t id;

	spirv_steps_give(e, step->x[0], &id);
	/* In SPIR-V an integer has no sign, so `to` and `from` may be one
	   type. */
	if (to != from)
		id = SPIRV_MAKE(&e->module, BITCAST, to, id);
	spirv_steps_take(e, i, &id);
}

static void add_gather(struct spirv_steps *e, int i)
{
	struct machine *m = &e->machine;
	const struct graph_step *step = &m->graph->step[i];
	const int k = m->graph->n_results + step->at;
	const struct machine_element x =
		m->as->load(m, k,
			    machine_sum(m, m->as->word(m, m->words.offset + k),
					e->value[step->x[0]].id));

	spirv_steps_take(e, i, x.part);
}

/* Write step @i, a GRAPH_OPERATION, GRAPH_WHERE or GRAPH_CAST, as a call. */
static void add_call(struct spirv_steps *e, int i, bool fast)
{
	const struct graph_step *step = &e->machine.graph->step[i];
	const struct spirv_steps_functions *f = &e->functions[i];
	const bool is_fast = fast && f->fast;
	/* A function that casts to a 16-bit float returns the stored bits.  Any
	   other function of 16-bit floats returns a float32. */
	const bool stored = step->kind == GRAPH_CAST && is_short(step->dtype);
	struct spirv_value variable = { 0, 0 };
	uint32_t type, id;

	type = stored ? spirv_steps_part_type(e, step->dtype)
		      : value_type(e, step->dtype);
	if (is_complex(step->dtype))
		variable = variable_of(e, i);
	id = call(e, i, is_fast ? f->fast : f->plain, type, variable);
	if (is_fast)
		add_guard(e, i);
	if (stored)
		spirv_steps_take(e, i, &id);
	else
		e->value[i] = variable.id ? variable
					  : (struct spirv_value){ id, type };
}

static void add_step(struct spirv_steps *e, int i, bool fast)
{
	const struct graph_step *step = &e->machine.graph->step[i];

	if (step->kind == GRAPH_BITS)
		add_bits(e, i);
	else if (step->kind == GRAPH_GATHER)
		add_gather(e, i);
	else if (step->kind == GRAPH_WHERE &&
		 graph_keeps_stored(e->machine.graph, i))
		add_stored_where(e, i);
	else
		add_call(e, i, fast);
}

void spirv_steps_values(struct spirv_steps *e, uint64_t set, bool fast,
			const struct machine_element *in)
{
	for (int i = 0; i < e->machine.graph->n_steps; i++) {
		const struct graph_step *step = &e->machine.graph->step[i];

		if (!(set >> i & 1))
			continue;
		if (graph_is_input(step) || (step->kind == GRAPH_GATHER &&
					     in[step->at].part[0]))
			spirv_steps_take(e, i, in[step->at].part);
		else if (step->kind != GRAPH_SCALAR && step->kind != GRAPH_PUT)
			add_step(e, i, fast);
	}
}
