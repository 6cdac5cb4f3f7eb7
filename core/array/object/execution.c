/* SPDX-License-Identifier: Apache-2.0 */
/* execution.c - compute follows data: one queue for the operands. */
#include "core/array/object/execution.h"

#include <dpr/device.h>
#include <dpr/placement.h>
#include <dpr/queue.h>

#include "core/array/object/array.h"
#include "core/base/status.h"
#include "core/base/text.h"

/* Add the name of operand @i: the given one, else "x1", "x2", ... */
static void add_name(struct text *text, const char *const *names, size_t i)
{
	if (names && names[i])
		text_print(text, "%s", names[i]);
	else
		text_print(text, "x%zu", i + 1);
}

/* Name a call that moves operand @first to the queue of operand @other; or the
   other way round, if only @first is on a canonical queue. */
static void add_cure(struct text *text, const dpr_array *const *operands,
		     const char *const *names, size_t first, size_t other)
{
	size_t from = first, to = other;

	if (!dpr_queue_is_canonical(operands[to]->queue) &&
	    dpr_queue_is_canonical(operands[from]->queue)) {
		from = other;
		to = first;
	}
	text_print(text, "; move one with ");
	if (dpr_queue_is_canonical(operands[to]->queue)) {
		text_print(text, "dpr_array_to_device(");
		add_name(text, names, from);
		text_print(text, ", <%s>, &moved)",
			   dpr_device_selector(
				   dpr_queue_device(operands[to]->queue)));
		return;
	}
	text_print(text, "dpr_array_to_queue(");
	add_name(text, names, from);
	text_print(text, ", dpr_array_queue(");
	add_name(text, names, to);
	text_print(text, "), &moved)");
}

static dpr_status fail_placement(const char *what,
				 const dpr_array *const *operands,
				 const char *const *names, size_t n,
				 size_t other)
{
	struct text text = { 0 };
	dpr_status status = DPR_ERROR_EXECUTION_PLACEMENT;

	for (size_t i = 0; i < n; i++) {
		if (!operands[i])
			continue;
		text_print(&text, text.size ? ", " : "");
		add_name(&text, names, i);
		text_print(&text, " on %s", dpr_queue_name(operands[i]->queue));
	}
	for (size_t first = 0; first < n; first++)
		if (operands[first]) {
			add_cure(&text, operands, names, first, other);
			break;
		}
	status = fail(status, "%s: operands are on different queues: %s", what,
		      text_get(&text));
	text_fini(&text);
	return status;
}

dpr_status execution_queue(const char *what, const dpr_array *const *operands,
			   const char *const *names, size_t n, dpr_queue **out)
{
	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		if (!operands[i])
			continue;
		if (!*out)
			*out = operands[i]->queue;
		if (operands[i]->queue == *out)
			continue;
		*out = NULL;
		return fail_placement(what, operands, names, n, i);
	}
	if (!*out)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"%s: none of the operands is an array; make an array "
			"from a number with dpr_full()",
			what);
	return DPR_OK;
}

dpr_status dpr_execution_queue(const dpr_array *const *arrays, size_t count,
			       dpr_queue **out)
{
	if (out)
		*out = NULL;
	if (!out || !arrays)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "execution queue: %s is NULL",
			    out ? "the list of arrays" : "out");
	for (size_t i = 0; i < count; i++)
		if (!arrays[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "execution queue: array x%zu is NULL",
				    i + 1);
	return execution_queue("execution queue", arrays, NULL, count, out);
}
