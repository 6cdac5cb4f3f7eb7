/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_spirv.c - writes kernels as SPIR-V: the module and the kernel's
 * parameters.  gpu/ writes the body of a kernel.
 *
 * The functions that compute steps are compiled when dpr is built.  A kernel
 * only calls them.
 */
#include "core/array/engine/spirv/emit_spirv.h"

#include "core/array/engine/gpu/gpu.h"
#include "core/array/engine/spirv/spirv_access.h"
#include "core/array/engine/spirv/spirv_combine.h"
#include "core/array/engine/spirv/spirv_machine.h"
#include "kernels/images.h"

/* Make the kernel's last parameter: a struct of all words (schedule.h), which
   is passed by value.  clang declares such a parameter in the same form. */
static struct spirv_value words_parameter(struct spirv_steps *e)
{
	struct spirv_module *m = &e->module;
	const uint32_t n =
		spirv_module_number(m, 64, (uint64_t)e->machine.words.n);
	const uint32_t array =
		SPIRV_TYPE(m, ARRAY, spirv_access_number_type(e), n);
	const uint32_t all = SPIRV_TYPE(m, STRUCT, array);
	const struct spirv_value x = { spirv_module_id(m),
				       spirv_module_pointer(
					       m, SPIRV_CLASS_FUNCTION, all) };

	spirv_module_decorate(m, SPIRV_WORDS(x.id, SPIRV_DECORATION_PARAMETER,
					     SPIRV_PARAMETER_BY_VALUE));
	spirv_module_decorate(m,
			      SPIRV_WORDS(x.id, SPIRV_DECORATION_ALIGNMENT, 8));
	return x;
}

static void add_parameters(struct spirv_steps *e)
{
	struct spirv_module *m = &e->module;
	const int operands = schedule_operands(e->machine.graph);

	for (int k = 0; k < operands; k++) {
		const uint32_t type =
			spirv_steps_type(e, machine_dtype(&e->machine, k));

		if (!schedule_has_memory(e->machine.graph, k))
			continue;
		e->x[k].id = spirv_module_id(m);
		e->x[k].type = spirv_module_pointer(
			m, SPIRV_CLASS_CROSS_WORKGROUP, type);
		spirv_module_decorate(
			m, SPIRV_WORDS(e->x[k].id, SPIRV_DECORATION_ALIGNMENT,
				       (uint32_t)spirv_access_size(e, k)));
	}
	e->x[operands] = words_parameter(e);
}

/* Vectors of 8 and of 16 components need a capability. */
static void add_capabilities(struct spirv_steps *e)
{
	const unsigned pack =
		e->machine.schedule->gpu.pack
			? e->machine.schedule->gpu.pack
			: (unsigned)schedule_pack(e->machine.graph);

	if (pack > 4)
		spirv_code_add(&e->module.part[SPIRV_CAPABILITIES],
			       SPIRV_CAPABILITY, 0, 0,
			       SPIRV_WORDS(SPIRV_CAPABILITY_VECTOR16));
}

static bool emit(struct spirv_steps *e, const char *name, struct text *out)
{
	struct spirv_value parameters[SCHEDULE_OPERANDS + 1];
	struct spirv_combine sum;
	unsigned n = 0;

	if (!spirv_steps_find(e))
		return false;
	add_parameters(e);
	e->sum = &sum;
	spirv_steps_scalars(e);
	if (!gpu_add(&e->machine))
		return false;
	if (!e->has_left)
		e->machine.as->leave(&e->machine);
	add_capabilities(e);
	for (int k = 0; k < schedule_operands(e->machine.graph); k++)
		if (schedule_has_memory(e->machine.graph, k))
			parameters[n++] = e->x[k];
	parameters[n++] = e->x[schedule_operands(e->machine.graph)];
	return spirv_module_end(&e->module, name, parameters, n, e->built_in,
				e->n_built_in, out);
}

bool emit_spirv_with(const void *functions, size_t size,
		     const struct graph *graph, const struct schedule *schedule,
		     const char *name, struct text *out)
{
	struct spirv_steps e = { .machine = { .as = &spirv_machine,
					      .graph = graph,
					      .schedule = schedule,
					      .words = schedule_words(
						      graph, schedule) } };
	const bool done = spirv_module_begin(&e.module, functions, size) &&
			  emit(&e, name, out);

	if (!done && spirv_module_lacks_memory(&e.module))
		out->failed = true;
	spirv_module_fini(&e.module);
	return done;
}

bool emit_spirv_kernel(const struct graph *graph,
		       const struct schedule *schedule, const char *name,
		       struct text *out)
{
	struct image functions;

	if (images_steps_spirv(&functions)) {
		out->failed = true;
		return false;
	}
	return emit_spirv_with(functions.data, functions.size, graph, schedule,
			       name, out);
}

bool emit_spirv_is_there(void)
{
	return images_have_spirv();
}

dpr_status emit_spirv_open(void)
{
	struct image functions;

	return images_steps_spirv(&functions);
}
