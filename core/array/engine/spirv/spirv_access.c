/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_access.c - writes, in SPIR-V, the arithmetic of indices and counts, and
   the memory accesses of kernels. */
#include "core/array/engine/spirv/spirv_access.h"

#include <dpr/dtype.h>

/* --- Numbers ------------------------------------------------------------ */

uint32_t spirv_access_number_type(struct spirv_steps *e)
{
	return spirv_module_integer(&e->module, 64);
}

uint32_t spirv_access_number(struct spirv_steps *e, uint64_t value)
{
	return spirv_module_number(&e->module, 64, value);
}

uint32_t spirv_access_bool_type(struct spirv_steps *e)
{
	return spirv_module_global(&e->module, SPIRV_TYPE_BOOL, 0, NULL, 0);
}

uint32_t spirv_access_sum(struct spirv_steps *e, uint32_t a, uint32_t b)
{
	return SPIRV_MAKE(&e->module, I_ADD, spirv_access_number_type(e), a, b);
}

uint32_t spirv_access_product(struct spirv_steps *e, uint32_t a, uint32_t b)
{
	return SPIRV_MAKE(&e->module, I_MUL, spirv_access_number_type(e), a, b);
}

uint32_t spirv_access_is_below(struct spirv_steps *e, uint32_t a, uint32_t b)
{
	return SPIRV_MAKE(&e->module, U_LESS_THAN, spirv_access_bool_type(e), a,
			  b);
}

uint32_t spirv_access_choose(struct spirv_steps *e, uint32_t condition,
			     uint32_t then, uint32_t otherwise)
{
	return SPIRV_MAKE(&e->module, SELECT, spirv_access_number_type(e),
			  condition, then, otherwise);
}

/* Write a load of component 0 of a built-in variable of SPIR-V: the value along
   axis 0, such as the number of the work-item.  @which: SPIRV_BUILT_IN_*. */
static uint32_t built_in(struct spirv_steps *e, unsigned which,
			 const char *name)
{
	struct spirv_module *m = &e->module;
	const uint32_t type = spirv_access_number_type(e);
	const uint32_t id = spirv_module_built_in(m, which, name);
	const uint32_t all =
		SPIRV_MAKE(m, LOAD, spirv_module_vector(m, type, 3), id,
			   SPIRV_ACCESS_ALIGNED, 32);

	e->built_in[e->n_built_in++] = id;
	return SPIRV_MAKE(m, COMPOSITE_EXTRACT, type, all, 0);
}

uint32_t spirv_access_id(struct spirv_steps *e, enum machine_id which)
{
	switch (which) {
	case MACHINE_GLOBAL:
		return built_in(e, SPIRV_BUILT_IN_GLOBAL,
				"__spirv_BuiltInGlobalInvocationId");
	case MACHINE_GROUP:
		return built_in(e, SPIRV_BUILT_IN_GROUP,
				"__spirv_BuiltInWorkgroupId");
	case MACHINE_LOCAL: break;
	}
	return built_in(e, SPIRV_BUILT_IN_LOCAL,
			"__spirv_BuiltInLocalInvocationId");
}

/* --- Memory ------------------------------------------------------------- */

/* An access of `size` bytes at the address with id `place`, as a value of the
   type with id `type`. */
struct access {
	uint32_t type, place, size;
};

size_t spirv_access_size(const struct spirv_steps *e, int k)
{
	return dpr_dtype_size((dpr_dtype)machine_dtype(&e->machine, k));
}

static unsigned parts_of(const struct spirv_steps *e, int k)
{
	return spirv_steps_parts(machine_dtype(&e->machine, k));
}

/* The type of a vector with all components of @n elements. */
static uint32_t elements_type(struct spirv_steps *e, unsigned dtype, unsigned n)
{
	return spirv_module_vector(&e->module, spirv_steps_part_type(e, dtype),
				   n * spirv_steps_parts(dtype));
}

static uint32_t load(struct spirv_steps *e, struct access at)
{
	return SPIRV_MAKE(&e->module, LOAD, at.type, at.place,
			  SPIRV_ACCESS_ALIGNED, at.size);
}

static void store(struct spirv_steps *e, struct access at, uint32_t value)
{
	SPIRV_DO(&e->module, STORE, at.place, value, SPIRV_ACCESS_ALIGNED,
		 at.size);
}

/* Write code that extracts the @n components of the vector @all.  @type is the
   type of a component.  If @n is 1, @all is the component itself. */
static void take_apart(struct spirv_steps *e, uint32_t type, unsigned n,
		       uint32_t all, uint32_t *part)
{
	part[0] = all;
	for (unsigned i = 0; n > 1 && i < n; i++)
		part[i] =
			SPIRV_MAKE(&e->module, COMPOSITE_EXTRACT, type, all, i);
}

/* Write code that makes a vector of @n components by insertions, as clang does.
   Some drivers do not know OpCompositeConstruct. */
static uint32_t put_together(struct spirv_steps *e, uint32_t vector, unsigned n,
			     const uint32_t *part)
{
	uint32_t all;

	if (n == 1)
		return part[0];
	all = spirv_module_global(&e->module, SPIRV_UNDEF, vector, NULL, 0);
	for (unsigned i = 0; i < n; i++)
		all = SPIRV_MAKE(&e->module, COMPOSITE_INSERT, vector, part[i],
				 all, i);
	return all;
}

static void load_parts(struct spirv_steps *e, unsigned dtype, struct access at,
		       uint32_t *part)
{
	take_apart(e, spirv_steps_part_type(e, dtype), spirv_steps_parts(dtype),
		   load(e, at), part);
}

static void store_parts(struct spirv_steps *e, unsigned dtype, struct access at,
			const uint32_t *part)
{
	store(e, at, put_together(e, at.type, spirv_steps_parts(dtype), part));
}

/* Write a cast of the pointer @x, to global memory, to a pointer to @type. */
static uint32_t as_pointer(struct spirv_steps *e, struct spirv_value x,
			   uint32_t type)
{
	const uint32_t pointer = spirv_module_pointer(
		&e->module, SPIRV_CLASS_CROSS_WORKGROUP, type);

	return pointer == x.type
		       ? x.id
		       : SPIRV_MAKE(&e->module, BITCAST, pointer, x.id);
}

/* Describe the access to element @index of operand @k. */
static struct access element_at(struct spirv_steps *e, int k, uint32_t index)
{
	const uint32_t type =
		elements_type(e, machine_dtype(&e->machine, k), 1);
	const uint32_t pointer = spirv_module_pointer(
		&e->module, SPIRV_CLASS_CROSS_WORKGROUP, type);
	const uint32_t base = as_pointer(e, e->x[k], type);

	return (struct access){ type,
				SPIRV_MAKE(&e->module,
					   INBOUNDS_PTR_ACCESS_CHAIN, pointer,
					   base, index),
				(uint32_t)spirv_access_size(e, k) };
}

static bool has_memory(const struct spirv_steps *e, int k)
{
	return schedule_has_memory(e->machine.graph, k);
}

void spirv_access_load(struct spirv_steps *e, int k, uint32_t index,
		       uint32_t *part)
{
	if (has_memory(e, k))
		load_parts(e, machine_dtype(&e->machine, k),
			   element_at(e, k, index), part);
	else
		part[0] = index;
}

void spirv_access_store(struct spirv_steps *e, int k, uint32_t index,
			const uint32_t *part)
{
	store_parts(e, machine_dtype(&e->machine, k), element_at(e, k, index),
		    part);
}

/* --- Places ------------------------------------------------------------- */

void spirv_access_begin(struct spirv_steps *e, uint32_t *at)
{
	for (int k = 0; k < schedule_operands(e->machine.graph); k++)
		at[k] = spirv_steps_word(e, e->machine.words.offset + k);
}

/* How operand @k moves along axis @d, as an enum schedule_inner. */
static unsigned inner_of(const struct spirv_steps *e, int k, int d)
{
	const unsigned kind = e->machine.schedule->kind;

	/* The schedule's `inner` describes axis 0, with two exceptions.  In
	   schedules that reduce rows, `inner` describes the reduced axis.  In
	   SCHEDULE_REDUCE_COLUMNS, `inner` does not describe the result. */
	if (d > 0 || kind == SCHEDULE_REDUCE_ROWS || kind == SCHEDULE_STAGES ||
	    (kind == SCHEDULE_REDUCE_COLUMNS && k == 0))
		return SCHEDULE_ANY;
	return e->machine.schedule->inner[k];
}

/* Write code that moves the index at[k] of each operand k by @i elements along
   axis @d. */
static void add_axis(struct spirv_steps *e, int d, uint32_t i, uint32_t *at)
{
	for (int k = 0; k < schedule_operands(e->machine.graph); k++) {
		const unsigned inner = inner_of(e, k, d);
		uint32_t way = i;

		if (inner == SCHEDULE_FIXED ||
		    schedule_is_source(e->machine.graph, k))
			continue;
		if (inner != SCHEDULE_NEXT)
			way = spirv_access_product(
				e, i, machine_stride(&e->machine, k, d));
		at[k] = spirv_access_sum(e, at[k], way);
	}
}

uint32_t spirv_access_split(struct spirv_steps *e, bool small, uint32_t *rest,
			    uint32_t n)
{
	struct spirv_module *m = &e->module;
	const uint32_t wide = spirv_access_number_type(e);
	const uint32_t type = small ? spirv_module_integer(m, 32) : wide;
	uint32_t all = *rest, i;

	if (small) {
		all = SPIRV_MAKE(m, U_CONVERT, type, all);
		n = SPIRV_MAKE(m, U_CONVERT, type, n);
	}
	*rest = SPIRV_MAKE(m, U_DIV, type, all, n);
	i = SPIRV_MAKE(m, I_MUL, type, *rest, n);
	i = SPIRV_MAKE(m, I_SUB, type, all, i);
	if (!small)
		return i;
	*rest = SPIRV_MAKE(m, U_CONVERT, wide, *rest);
	return SPIRV_MAKE(m, U_CONVERT, wide, i);
}

void spirv_access_axes(struct spirv_steps *e, int first, uint32_t rest,
		       uint32_t *at)
{
	for (int d = first; d < e->machine.schedule->rank; d++) {
		uint32_t i = rest;

		if (d + 1 < e->machine.schedule->rank)
			i = spirv_access_split(
				e, e->machine.schedule->gpu.small, &rest,
				spirv_steps_word(e,
						 e->machine.words.extent + d));
		add_axis(e, d, i, at);
	}
}

/* --- Packs -------------------------------------------------------------- */

/* Describe the access to @n neighbouring elements of operand @k, from @index
   on.  The elements are accessed as a vector of 32-bit integers, or as one
   integer if they have fewer than 32 bits in all. */
static struct access pack_at(struct spirv_steps *e, int k, unsigned n,
			     uint32_t index)
{
	const struct access first = element_at(e, k, index);
	const unsigned size = n * (unsigned)spirv_access_size(e, k);
	const uint32_t unit =
		spirv_module_integer(&e->module, size < 4 ? size * 8 : 32);
	const uint32_t type =
		spirv_module_vector(&e->module, unit, size > 4 ? size / 4 : 1);
	const struct spirv_value place = {
		first.place,
		spirv_module_pointer(&e->module, SPIRV_CLASS_CROSS_WORKGROUP,
				     first.type)
	};

	return (struct access){ type, as_pointer(e, place, type), size };
}

static uint32_t as_type(struct spirv_steps *e, uint32_t from, uint32_t to,
			uint32_t value)
{
	return from == to ? value : SPIRV_MAKE(&e->module, BITCAST, to, value);
}

/* Copy the ids of all components of @n elements of the pack, from element @at
   on, to @part.  An element has @parts components. */
static void take_parts(const struct machine_pack *pack, unsigned at, unsigned n,
		       unsigned parts, uint32_t *part)
{
	for (unsigned i = 0; i < n * parts; i++)
		part[i] = pack->at[at + i / parts].part[i % parts];
}

void spirv_access_load_pack(struct spirv_steps *e, struct machine_pack *pack,
			    unsigned first, unsigned n, uint32_t index)
{
	const int k = pack->k;
	const unsigned dtype = machine_dtype(&e->machine, k);
	const unsigned parts = parts_of(e, k);
	uint32_t part[MACHINE_RUN];
	struct access at;

	if (!has_memory(e, k)) {
		pack->at[first].part[0] = index;
		for (unsigned j = 1; j < n; j++)
			pack->at[first + j].part[0] = spirv_access_sum(
				e, index, spirv_access_number(e, j));
		return;
	}
	at = pack_at(e, k, n, index);
	take_apart(e, spirv_steps_part_type(e, dtype), n * parts,
		   as_type(e, at.type, elements_type(e, dtype, n), load(e, at)),
		   part);
	for (unsigned i = 0; i < n * parts; i++)
		pack->at[first + i / parts].part[i % parts] = part[i];
}

void spirv_access_store_pack(struct spirv_steps *e,
			     const struct machine_pack *pack, unsigned first,
			     unsigned n, uint32_t index)
{
	const int k = pack->k;
	const struct access at = pack_at(e, k, n, index);
	const uint32_t type =
		elements_type(e, machine_dtype(&e->machine, k), n);
	uint32_t part[MACHINE_RUN];

	take_parts(pack, first, n, parts_of(e, k), part);
	store(e, at,
	      as_type(e, type, at.type,
		      put_together(e, type, n * parts_of(e, k), part)));
}

/* --- Local memory ------------------------------------------------------- */

uint32_t spirv_access_local(struct spirv_steps *e, unsigned dtype, unsigned n)
{
	struct spirv_module *m = &e->module;
	const uint32_t array = SPIRV_TYPE(m, ARRAY, elements_type(e, dtype, 1),
					  spirv_module_number(m, 32, n));

	return spirv_module_local(m, array,
				  (unsigned)dpr_dtype_size((dpr_dtype)dtype));
}

static struct access local_at(struct spirv_steps *e, unsigned dtype,
			      uint32_t array, uint32_t index)
{
	struct spirv_module *m = &e->module;
	const uint32_t type = elements_type(e, dtype, 1);
	const uint32_t pointer =
		spirv_module_pointer(m, SPIRV_CLASS_WORKGROUP, type);

	return (struct access){ type,
				SPIRV_MAKE(m, INBOUNDS_PTR_ACCESS_CHAIN,
					   pointer, array,
					   spirv_access_number(e, 0), index),
				(uint32_t)dpr_dtype_size((dpr_dtype)dtype) };
}

void spirv_access_load_local(struct spirv_steps *e, unsigned dtype,
			     uint32_t array, uint32_t index, uint32_t *part)
{
	load_parts(e, dtype, local_at(e, dtype, array, index), part);
}

void spirv_access_store_local(struct spirv_steps *e, unsigned dtype,
			      uint32_t array, uint32_t index,
			      const uint32_t *part)
{
	store_parts(e, dtype, local_at(e, dtype, array, index), part);
}
