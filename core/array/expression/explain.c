/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - an expression's steps as text. */
#include "core/array/expression/explain.h"

#include <stdio.h>

#include <dpr/queue.h>

#include "core/array/expression/number.h"
#include "core/array/object/array.h"
#include "core/base/mem.h"
#include "core/base/text.h"

/* An explanation in progress. */
struct explanation {
	struct text lines;
	char **labels; /* how later lines name each step */
	size_t shown;  /* lines so far */
};

/* Print the arguments of a step, with the parameters' names where needed. */
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
		if (arguments[i] == PLAN_ABSENT)
			continue;
		text_print(text, "%s%s%s%s", first ? "" : ", ",
			   named ? s->parameters[i] : "", named ? "=" : "",
			   e->labels[arguments[i]]);
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

static char *value_label(const struct value *value)
{
	char number[NUMBER_TEXT];

	if (value->kind == VALUE_DTYPE)
		return mem_string(dpr_dtype_name(value->dtype));
	if (value->kind == VALUE_NONE)
		return mem_string("None");
	number_format(value->scalar, number);
	return mem_string(number);
}

/* Print the line of a call.  Returns its label, such as "#1". */
static char *show_call(struct explanation *e, const struct plan *plan,
		       const struct plan_step *step, const struct value *value)
{
	struct text call = { 0 }, shape = { 0 };
	long long bytes = 0;

	text_print(&call, "%s(", step->function->signature.name);
	print_arguments(e, plan, step, &call);
	text_print(&call, ")");
	if (value->kind == VALUE_ARRAY) {
		print_shape(value->array, &shape);
		bytes = (long long)value->array->size *
			(long long)dpr_array_itemsize(value->array);
	}
	text_print(&e->lines, "%4zu  %-32s %-10s %-14s %12lld  %s\n",
		   ++e->shown, text_get(&call),
		   value->kind == VALUE_ARRAY
			   ? dpr_dtype_name(value->array->dtype)
			   : "number",
		   text_get(&shape), bytes,
		   value->kind == VALUE_ARRAY ? "eager" : "eager, read back");
	e->lines.failed |= call.failed | shape.failed;
	text_fini(&call);
	text_fini(&shape);
	return text_format("#%zu", e->shown);
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

/* Show a step; called after it has run. */
static dpr_status watch_step(struct evaluation *ev, size_t index,
			     const struct value *value)
{
	const struct plan_step *step = &ev->plan->steps[index];
	struct explanation *e = ev->user;
	char **label = &e->labels[index];

	switch (step->kind) {
	case PLAN_OPERAND:
		*label = mem_string(ev->plan->operands[step->operand].name);
		break;
	case PLAN_VALUE: *label = value_label(value); break;
	case PLAN_TUPLE: *label = tuple_label(e, ev->plan, step); break;
	case PLAN_CALL:
		/* Operators between numbers are computed on the host. */
		*label = value->kind == VALUE_SCALAR && step->op != TOKEN_END
				 ? value_label(value)
				 : show_call(e, ev->plan, step, value);
		break;
	}
	return *label ? DPR_OK : fail_memory("expression");
}

static dpr_status explain_text(const struct evaluation *ev,
			       struct explanation *e, char **out)
{
	const struct plan *plan = ev->plan;
	struct text text = { 0 };

	text_print(&text,
		   "queue %s; steps: %zu, each a call\n"
		   "step  %-32s %-10s %-14s %12s  %s\n%s",
		   dpr_queue_name(ev->queue), e->shown, "call", "dtype",
		   "shape", "bytes", "path", text_get(&e->lines));
	for (size_t i = 0; i < plan->n_results; i++)
		text_print(&text, "result %zu is %s\n", i + 1,
			   e->labels[plan->results[i]]);
	text.failed |= e->lines.failed;
	*out = text_take(&text);
	return *out ? DPR_OK : fail_memory("expression");
}

dpr_status explain_run(struct evaluation *ev, char **text)
{
	const struct plan *plan = ev->plan;
	struct explanation e = { .labels = mem_array(plan->n_steps,
						     sizeof(*e.labels)) };
	dpr_array **results = mem_array(plan->n_results, sizeof(*results));
	dpr_status status;

	if (e.labels && results) {
		ev->watch = watch_step;
		ev->user = &e;
		status = evaluate_run(ev, results);
		if (!status)
			status = explain_text(ev, &e, text);
	} else {
		status = fail_memory("expression");
	}
	for (size_t i = 0; results && i < plan->n_results; i++)
		dpr_array_release(results[i]);
	for (size_t i = 0; e.labels && i < plan->n_steps; i++)
		mem_free(e.labels[i]);
	mem_free(results);
	mem_free(e.labels);
	text_fini(&e.lines);
	return status;
}
