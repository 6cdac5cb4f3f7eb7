/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - describes an expression's steps as text. */
#include "core/array/expression/explain.h"

#include <stdio.h>

#include <dpr/queue.h>

#include "core/array/expression/calls/linalg_calls.h"
#include "core/array/expression/inner/inner.h"
#include "core/array/expression/names.h"
#include "core/array/expression/number.h"
#include "core/array/linalg/linalg.h"
#include "core/array/object/array.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/trace.h"

/* The line that describes a step. */
struct explained {
	char *label; /* the name of the step in later lines */
	/* the line without the path; NULL if the step has no line */
	char *line;
	/* how the step was computed; NULL: see `kernel` and `node` */
	const char *path;
	size_t kernel;  /* the number of the kernel; 0: see `node` */
	uint64_t bytes; /* the size of the step's array */
	bool is_view;   /* set if the array lies in the memory of an argument */
	struct fusion_node *node; /* owned */
};

/* An explanation in progress. */
struct explanation {
	struct explained *steps;
	size_t shown; /* the number of lines so far */
	/* the number of kernels that the evaluation has launched */
	uint64_t launches;
	struct linalg_runs runs; /* before the next step */
};

/* Print the arguments of a step, with names where a call needs names. */
static void print_arguments(const struct explanation *e,
			    const struct plan *plan,
			    const struct plan_step *step, struct text *text)
{
	const struct signature *s =
		step->function ? &step->function->signature : NULL;
	const size_t *arguments = plan->arguments + step->first;
	bool named = false, first = true;

	for (size_t i = 0; i < step->n; i++) {
		named |= s && (arguments[i] == PLAN_ABSENT ||
			       i >= (size_t)s->positional);
		/* A step that was not chosen has no label. */
		if (arguments[i] == PLAN_ABSENT ||
		    !e->steps[arguments[i]].label)
			continue;
		text_print(text, "%s%s%s%s", first ? "" : ", ",
			   named ? s->parameters[i] : "", named ? "=" : "",
			   e->steps[arguments[i]].label);
		first = false;
	}
}

static void print_shape(const dpr_array *x, struct text *text)
{
	text_print(text, "(");
	for (int k = 0; k < x->rank; k++)
		text_print(text, "%s%lld", k ? ", " : "",
			   (long long)array_shape(x)[k]);
	text_print(text, x->rank == 1 ? ",)" : ")");
}

/* Print a bound or step of a slice, unless it was left out. */
static void print_bound(int64_t bound, struct text *text)
{
	if (bound != DPR_OPEN)
		text_print(text, "%lld", (long long)bound);
}

static void print_index(const dpr_index *index, struct text *text)
{
	switch (index->kind) {
	case DPR_INDEX_INTEGER: print_bound(index->start, text); break;
	case DPR_INDEX_SLICE:
		print_bound(index->start, text);
		text_print(text, ":");
		print_bound(index->stop, text);
		if (index->step == DPR_OPEN)
			break;
		text_print(text, ":");
		print_bound(index->step, text);
		break;
	case DPR_INDEX_NEW_AXIS: text_print(text, "None"); break;
	case DPR_INDEX_ELLIPSIS: text_print(text, "..."); break;
	}
}

/* Print a step that indexes its argument, such as "x[1:, 0]". */
static void print_view(const struct explanation *e, const struct plan *plan,
		       const struct plan_step *step, struct text *text)
{
	text_print(text, "%s[", e->steps[plan->arguments[step->first]].label);
	for (size_t i = 0; i < step->n_indices; i++) {
		const dpr_index *index =
			&plan->indices[step->first_index + i];
		const size_t *arguments = plan->arguments + step->first;

		text_print(text, "%s", i ? ", " : "");
		/* `reserved` is the number of the argument with the indices. */
		if (index->reserved)
			text_print(text, "%s",
				   e->steps[arguments[index->reserved]].label);
		else
			print_index(index, text);
	}
	text_print(text, "]");
}

static char *view_label(const struct explanation *e, const struct plan *plan,
			const struct plan_step *step)
{
	struct text text = { 0 };

	print_view(e, plan, step, &text);
	return text_take(&text);
}

static char *value_label(const struct value *value)
{
	char number[NUMBER_TEXT];

	if (names_string(value))
		return text_format("\"%s\"", names_string(value));
	if (value->kind == VALUE_DTYPE)
		return mem_string(dpr_dtype_name(value->dtype));
	if (value->kind == VALUE_NONE)
		return mem_string("None");
	number_format(value->scalar, number);
	return mem_string(number);
}

/* Whether @x lies in the memory of an argument of @step. */
static bool is_view(const struct evaluation *ev, const struct plan_step *step,
		    const dpr_array *x)
{
	const size_t *arguments = ev->plan->arguments + step->first;

	for (size_t i = 0; x->usm && i < step->n; i++) {
		const struct value *value = arguments[i] == PLAN_ABSENT
						    ? NULL
						    : &ev->values[arguments[i]];
		const dpr_array *from = !value ? NULL
					: value->kind == VALUE_NODE
						? value->node->made
						: value->array;

		if (from && from->usm == x->usm)
			return true;
	}
	return false;
}

/* Whether the view @step reads elements: one of its indices is an array. */
static bool reads_elements(const struct evaluation *ev,
			   const struct plan_step *step)
{
	const size_t *arguments = ev->plan->arguments + step->first;
	bool reads = false;

	for (size_t i = 1; i < step->n; i++)
		reads |= ev->values[arguments[i]].kind != VALUE_SCALAR;
	return reads;
}

/* The bytes of @x.  A value that stays inside a kernel may be larger than any
   memory: 0 for a size that does not fit into 64 bits. */
static uint64_t bytes_of(const dpr_array *x)
{
	const int64_t item = (int64_t)dpr_array_itemsize(x);

	return x->size <= INT64_MAX / item ? (uint64_t)(x->size * item) : 0;
}

/* Write the line of a call that has several results, the tuple @value, and its
   label. */
static void show_several(struct explanation *e, const struct evaluation *ev,
			 size_t index, const struct value *value)
{
	const struct plan_step *step = &ev->plan->steps[index];
	struct explained *out = &e->steps[index];
	struct text call = { 0 };

	text_print(&call, "%s(", step->function->signature.name);
	print_arguments(e, ev->plan, step, &call);
	text_print(&call, ")");
	for (size_t i = 0; i < value->count; i++)
		out->bytes += bytes_of(value->items[i].array);
	if (!call.failed)
		out->line = text_format("%4zu  %-32s %-10s %-14s %12llu",
					++e->shown, text_get(&call), "results",
					"", (unsigned long long)out->bytes);
	out->path = "eager";
	if (out->line)
		out->label = text_format("#%zu", e->shown);
	text_fini(&call);
}

/* The label of one result of a call that has several, such as "#1[0]". */
static char *part_label(const struct explanation *e, const struct plan *plan,
			const struct plan_step *step)
{
	const size_t *arguments = plan->arguments + step->first;

	return text_format("%s[%s]", e->steps[arguments[0]].label,
			   e->steps[arguments[1]].label);
}

/* Write the line of the call that is step @index, and its label, such as "#1".
 */
static void show_call(struct explanation *e, const struct evaluation *ev,
		      size_t index, const struct value *value)
{
	const struct plan *plan = ev->plan;
	const struct plan_step *step = &plan->steps[index];
	struct explained *out = &e->steps[index];
	struct text call = { 0 }, shape = { 0 };
	const dpr_array *x =
		value->kind == VALUE_NODE ? value->node->header : value->array;

	if (step->kind == PLAN_VIEW) {
		print_view(e, plan, step, &call);
	} else {
		text_print(&call, "%s(", step->function->signature.name);
		print_arguments(e, plan, step, &call);
		text_print(&call, ")");
	}
	if (x) {
		print_shape(x, &shape);
		out->bytes = bytes_of(x);
		out->is_view = is_view(ev, step, x);
	}
	if (!call.failed && !shape.failed)
		out->line = text_format("%4zu  %-32s %-10s %-14s %12llu",
					++e->shown, text_get(&call),
					x ? dpr_dtype_name(x->dtype) : "number",
					text_get(&shape),
					(unsigned long long)out->bytes);
	out->path = x ? "eager" : "eager, read back";
	if (!x && step->function && inner_is(step->function))
		out->path = "from the shape";
	out->kernel = value->kernel;
	if (out->kernel)
		out->path = NULL;
	if (value->kind == VALUE_NODE) {
		out->path = NULL;
		out->node = node_watch(value->node);
	}
	if (out->line)
		out->label = text_format("#%zu", e->shown);
	text_fini(&call);
	text_fini(&shape);
}

static char *tuple_label(const struct explanation *e, const struct plan *plan,
			 const struct plan_step *step)
{
	struct text text = { 0 };

	text_print(&text, "(");
	print_arguments(e, plan, step, &text);
	text_print(&text, step->n == 1 ? ",)" : ")");
	return text_take(&text);
}

/* The path of a step that has called a LAPACK, else NULL. */
static const char *lapack_path(struct explanation *e)
{
	const struct linalg_runs before = e->runs;

	e->runs = linalg_runs();
	if (e->runs.away != before.away)
		return "eager, LAPACK through host memory";
	return e->runs.at_home != before.at_home ? "eager, LAPACK" : NULL;
}

/* Describe a step after it has run. */
static dpr_status watch_step(struct evaluation *ev, size_t index,
			     const struct value *value)
{
	const struct plan_step *step = &ev->plan->steps[index];
	struct explanation *e = ev->user;
	const char *lapack = lapack_path(e);
	char **label = &e->steps[index].label;

	switch (step->kind) {
	case PLAN_OPERAND:
		*label = mem_string(ev->plan->operands[step->operand].name);
		break;
	case PLAN_VALUE: *label = value_label(value); break;
	case PLAN_TUPLE: *label = tuple_label(e, ev->plan, step); break;
	case PLAN_VIEW:
		/* A view of an array computes nothing. */
		if (value->kind == VALUE_ARRAY && !reads_elements(ev, step))
			*label = view_label(e, ev->plan, step);
		else
			show_call(e, ev, index, value);
		break;
	case PLAN_CALL:
		/* Operators between numbers are computed on the host. */
		if (value->kind == VALUE_SCALAR && step->op != TOKEN_END)
			*label = value_label(value);
		else if (value->kind == VALUE_TUPLE)
			show_several(e, ev, index, value);
		else if (step->function == &linalg_calls_part)
			*label = part_label(e, ev->plan, step);
		else
			show_call(e, ev, index, value);
		break;
	case PLAN_RESULTS: break; /* not evaluated */
	}
	if (lapack)
		e->steps[index].path = lapack;
	return *label ? DPR_OK : fail_memory("expression");
}

/* Whether the value of a step never leaves the kernels that compute it. */
static bool is_inside(const struct explained *step)
{
	return !step->path && step->node && !step->node->was_made;
}

/* The total size of the values that are stored but are not results. */
static uint64_t bytes_between(const struct plan *plan,
			      const struct explained *steps)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < plan->n_steps; i++) {
		bool left_out = !steps[i].line || steps[i].is_view ||
				is_inside(&steps[i]);

		for (size_t k = 0; k < plan->n_results; k++)
			left_out |= plan->results[k] == i;
		bytes += left_out ? 0 : steps[i].bytes;
	}
	return bytes;
}

/* Print the last column of a step's line: how the step was computed. */
static void print_path(const struct evaluation *ev,
		       const struct explained *step, struct text *text)
{
	const struct fusion_node *node = step->node;
	const size_t kernel = node ? node->kernel : step->kernel;

	if (step->path)
		text_print(text, "  %s\n", step->path);
	else if (is_inside(step) && !kernel)
		text_print(text, "  inside its slices\n");
	else if (is_inside(step))
		text_print(text, "  inside kernel %zu\n", kernel);
	else if (kernel)
		text_print(text, "  kernel %zu, %s\n", kernel,
			   ev->fusion.format);
	else
		text_print(text, "  eager\n");
}

static dpr_status explain_text(const struct evaluation *ev,
			       const struct explanation *e, char **out)
{
	const struct plan *plan = ev->plan;
	struct text text = { 0 };

	text_print(&text,
		   "queue %s; steps: %zu; kernels of several steps: %zu\n"
		   "step  %-32s %-10s %-14s %12s  %s\n",
		   dpr_queue_name(ev->queue), e->shown, ev->fusion.kernels,
		   "call", "dtype", "shape", "bytes", "path");
	for (size_t i = 0; i < plan->n_steps; i++) {
		if (!e->steps[i].line)
			continue;
		text_print(&text, "%s", e->steps[i].line);
		print_path(ev, &e->steps[i], &text);
	}
	for (size_t i = 0; i < plan->n_results; i++)
		text_print(&text, "result %zu is %s\n", i + 1,
			   e->steps[plan->results[i]].label);
	text_print(&text, "%llu launch%s, %llu bytes in between\n",
		   (unsigned long long)e->launches,
		   e->launches == 1 ? "" : "es",
		   (unsigned long long)bytes_between(plan, e->steps));
	*out = text_take(&text);
	return *out ? DPR_OK : fail_memory("expression");
}

static void explain_end(const struct plan *plan, struct explained *steps)
{
	for (size_t i = 0; steps && i < plan->n_steps; i++) {
		mem_free(steps[i].label);
		mem_free(steps[i].line);
		node_unwatch(steps[i].node);
	}
	mem_free(steps);
}

dpr_status explain_run(struct evaluation *ev, char **text)
{
	const struct plan *plan = ev->plan;
	struct explanation e = { .steps = mem_array(plan->n_steps,
						    sizeof(*e.steps)) };
	dpr_array **results = mem_array(plan->n_results, sizeof(*results));
	dpr_status status;

	if (e.steps && results) {
		ev->watch = watch_step;
		ev->user = &e;
		e.launches = trace_launches();
		e.runs = linalg_runs();
		status = evaluate_run(ev, results);
		e.launches = trace_launches() - e.launches;
		if (!status)
			status = explain_text(ev, &e, text);
	} else {
		status = fail_memory("expression");
	}
	for (size_t i = 0; results && i < plan->n_results; i++)
		dpr_array_release(results[i]);
	mem_free(results);
	explain_end(plan, e.steps);
	return status;
}
