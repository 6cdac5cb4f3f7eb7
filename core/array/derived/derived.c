/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived.c - the C functions of kernels/derived.def.
 *
 * The plan of a function is made when the function is first called, and kept
 * with its definition.  The result of a text keeps the reduced axes.  The
 * functions here make a view without these axes.
 */
#include "core/array/derived/derived.h"

#include <string.h>

#include <dpr/reduce.h>

#include "core/array/expression/evaluate.h"
#include "core/array/object/array.h"
#include "core/array/object/axis_list.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* --- Plans --------------------------------------------------------------- */

static void free_plan(void *plan)
{
	plan_free(plan);
	mem_free(plan);
}

/* Get the plan of @call, a text that calls a function whose definition is
   @definition.  The definition keeps the plan. */
static dpr_status find_plan(const char *call, struct definition *definition,
			    struct plan **out)
{
	struct plan *made;
	struct place fault;
	dpr_status status;

	*out = definitions_kept(definition);
	if (*out)
		return DPR_OK;
	made = mem_alloc(sizeof(*made));
	if (!made)
		return fail_memory(definition->signature.name);
	status = plan_make(call, NULL, made, &fault);
	if (status)
		mem_free(made);
	else
		*out = definitions_keep(definition, made, free_plan);
	return status;
}

dpr_status derived_compute(const struct function *function,
			   enum derived_call_kind kind, const char *name,
			   const struct value *given, dpr_array *into,
			   dpr_array **out)
{
	struct evaluation ev = { .name = name,
				 .given = given,
				 .into = into ? &into : NULL };
	struct definition *definition;
	struct plan *plan;
	dpr_status status =
		derived_table_definition(function, kind, &definition);

	if (!status)
		status = find_plan(derived_table_call(function, kind),
				   definition, &plan);
	if (!status) {
		ev.plan = plan;
		status = evaluate_run(&ev, out);
	}
	if (status)
		status_rename(name);
	definitions_release(definition);
	return status;
}

/* --- Calls --------------------------------------------------------------- */

static bool has_parameter(const struct function *function, const char *name)
{
	const struct signature *s = &function->signature;

	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->parameters[i], name))
			return true;
	return false;
}

enum derived_call_kind derived_kind(const struct function *function,
				    const dpr_axes *axes)
{
	if (axes && axes->where && has_parameter(function, "where"))
		return DERIVED_CALL_MASKED;
	if (axes && axis_list_has_initial(axes) &&
	    has_parameter(function, "initial"))
		return DERIVED_CALL_INITIAL;
	return DERIVED_CALL_PLAIN;
}

/* Compute a call with an initial number and no mask. */
static dpr_status run_initial(const struct derived_call *call, dpr_array *into,
			      dpr_array **out)
{
	const dpr_axes *axes = call->axes;
	/* The operands of the text, in its order. */
	const struct value given[] = {
		{ .kind = VALUE_ARRAY,
		  .array = (dpr_array *)(uintptr_t)call->x },
		{ .kind = axes->axis ? VALUE_AXES : VALUE_NONE, .axes = axes },
		{ .kind = VALUE_SCALAR, .scalar = axes->initial },
		{ .kind = call->dtype ? VALUE_DTYPE : VALUE_NONE,
		  .dtype = call->dtype },
	};

	return derived_compute(call->function, call->kind, call->name, given,
			       into, out);
}

/* Compute a call with a mask. */
static dpr_status run_masked(const struct derived_call *call, dpr_array *into,
			     dpr_array **out)
{
	const dpr_axes *axes = call->axes;
	const bool corrects = call->function->derived &&
			      call->function->derived->form == DERIVED_CORRECTS;
	/* The operands of the text, in its order. */
	struct value given[] = {
		{ .kind = VALUE_ARRAY,
		  .array = (dpr_array *)(uintptr_t)call->x },
		{ .kind = axes->axis ? VALUE_AXES : VALUE_NONE, .axes = axes },
		{ .kind = VALUE_ARRAY,
		  .array = (dpr_array *)(uintptr_t)axes->where },
		{ .kind = VALUE_EMPTY },
		{ .kind = call->dtype ? VALUE_DTYPE : VALUE_NONE,
		  .dtype = call->dtype },
	};

	if (corrects || axis_list_has_initial(axes)) {
		given[3].kind = VALUE_SCALAR;
		given[3].scalar = corrects ? dpr_operand_float(call->number)
					   : axes->initial;
	}
	return derived_compute(call->function, call->kind, call->name, given,
			       into, out);
}

/* Compute the result with all axes into @into, or, if @into is NULL, into a new
   array *@out. */
static dpr_status derived_run(const struct derived_call *call, dpr_array *into,
			      dpr_array **out)
{
	/* The operands of the text, in the order of the parameters. */
	const struct value given[] = {
		{ .kind = VALUE_ARRAY,
		  .array = (dpr_array *)(uintptr_t)call->x },
		{ .kind = call->axes && call->axes->axis ? VALUE_AXES
							 : VALUE_NONE,
		  .axes = call->axes },
		{ .kind = VALUE_SCALAR,
		  .scalar = dpr_operand_float(call->number) },
	};

	if (call->kind == DERIVED_CALL_MASKED)
		return run_masked(call, into, out);
	if (call->kind == DERIVED_CALL_INITIAL)
		return run_initial(call, into, out);
	return derived_compute(call->function, call->kind, call->name, given,
			       into, out);
}

/* Check the arguments.  @out: an argument that must not be NULL. */
static dpr_status derived_begin(struct derived_call *call, const void *out)
{
	dpr_status status = process_check(call->name);
	dpr_axes axes;

	if (status)
		return status;
	if (!call->x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL",
			    call->name, call->x ? "out" : "the array");
	array_trace(call->x->dtype, call->x->rank, array_shape(call->x));
	call_stack_whole();
	call->kind = derived_kind(call->function, call->axes);
	if (call->kind == DERIVED_CALL_PLAIN)
		return reduce_shape(call->name, call->x, call->axes,
				    &call->shape);
	/* What the function does not take is refused with the axes. */
	axes = *call->axes;
	if (has_parameter(call->function, "where"))
		axes.where = NULL;
	if (has_parameter(call->function, "initial"))
		axes.initial = (dpr_operand){ 0 };
	if (call->axes->initial.kind > DPR_OPERAND_COMPLEX ||
	    (call->axes->initial.kind == DPR_OPERAND_ARRAY &&
	     call->axes->initial.as.array))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: initial is not a number", call->name);
	return reduce_shape(call->name, call->x, &axes, &call->shape);
}

/* Whether the result has the shape of the argument. */
static bool is_along(const struct derived_call *call)
{
	return call->function->derived &&
	       call->function->derived->form == DERIVED_ALONG;
}

/* Whether the result lacks axes of the argument. */
static bool drops_axes(const struct derived_call *call)
{
	return !is_along(call) && call->shape.rank < call->x->rank;
}

/* Make the view @out of @x, in which each reduced axis of the argument is
   indexed with @index. */
static dpr_status view_axes(const struct derived_call *call, const dpr_array *x,
			    dpr_index index, dpr_array **out)
{
	dpr_index indices[DPR_MAX_RANK];

	for (int d = 0; d < call->x->rank; d++)
		indices[d] = call->shape.reduced[d] ? index : DPR_ALL;
	return dpr_array_index(x, indices, (size_t)call->x->rank, out);
}

dpr_status derived_new(struct derived_call *call, dpr_array **out)
{
	dpr_array *whole = NULL;
	dpr_status status;

	if (out)
		*out = NULL;
	status = derived_begin(call, out);
	if (!status)
		status = derived_run(call, NULL, &whole);
	if (status)
		return status;
	if (!drops_axes(call)) {
		*out = whole;
		return DPR_OK;
	}
	status = view_axes(call, whole, DPR_AT(0), out);
	dpr_array_release(whole);
	return status;
}

dpr_status derived_into(struct derived_call *call, dpr_array *out)
{
	const bool along = is_along(call);
	dpr_array *whole = NULL;
	dpr_status status = derived_begin(call, out);

	if (!status)
		status = array_check_result(
			call->name, out,
			along ? call->x->rank : call->shape.rank,
			along ? array_shape(call->x) : call->shape.shape,
			out->dtype);
	if (status || !drops_axes(call))
		return status ? status : derived_run(call, out, NULL);
	status = view_axes(call, out, DPR_NEW_AXIS, &whole);
	if (!status)
		status = derived_run(call, whole, NULL);
	dpr_array_release(whole);
	return status;
}

#define CALL(name_, ...)                                                       \
	(&(struct derived_call){ .function = &derived_table[DERIVED__##name_], \
				 .name = #name_,                               \
				 __VA_ARGS__ })

/* MORE: the parameters between `axis` and `out`.  GIVEN: the members of the
   call that the parameters set. */
#define MORE_REDUCES
#define MORE_CHOOSES
#define MORE_CORRECTS double correction,
#define MORE_ALONG
#define GIVEN_REDUCES .x = x, .axes = axis
#define GIVEN_CHOOSES .x = x, .axes = axis
#define GIVEN_CORRECTS .x = x, .axes = axis, .number = correction
#define GIVEN_ALONG .x = x, .axes = axis

#define DERIVED(name, form, expression, text)                                  \
	dpr_status dpr_##name(const dpr_array *x, const dpr_axes *axis,        \
			      MORE_##form dpr_array **out)                     \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(x, axis, out);                                         \
		return derived_new(CALL(name, GIVEN_##form), out);             \
	}                                                                      \
	dpr_status dpr_##name##_into(const dpr_array *x, const dpr_axes *axis, \
				     MORE_##form dpr_array *out)               \
	{                                                                      \
		TRACE_CALL;                                                    \
		HANDLES(x, axis, out);                                         \
		return derived_into(CALL(name, GIVEN_##form), out);            \
	}
#include "kernels/derived.def"
#undef DERIVED
