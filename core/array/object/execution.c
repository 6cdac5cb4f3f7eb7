/* SPDX-License-Identifier: Apache-2.0 */
/* execution.c - finds the queue that all operands share, since compute follows
   data. */
#include "core/array/object/execution.h"

#include <dpr/device.h>
#include <dpr/placement.h>
#include <dpr/queue.h>

#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"

/* Add the name of operand @i to the text: the given name, or "x1", "x2", ... */
static void add_name(struct text *text, const char *const *names, size_t i)
{
	if (names && names[i])
		text_print(text, "%s", names[i]);
	else
		text_print(text, "x%zu", i + 1);
}

/* Suggest a call that moves operand @from to the queue of operand @to. */
static void add_move(struct text *text, const dpr_array *const *operands,
		     const char *const *names, size_t from, size_t to)
{
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

/* Suggest how to bring operand @first and operand @other to one queue. */
static void add_cure(struct text *text, const dpr_array *const *operands,
		     const char *const *names, size_t first, size_t other)
{
	const bool swapped = !dpr_queue_is_canonical(operands[other]->queue) &&
			     dpr_queue_is_canonical(operands[first]->queue);

	add_move(text, operands, names, swapped ? other : first,
		 swapped ? first : other);
}

/* Suggest how to bring the inputs to the queue of the written operands, which
   begin with @result. */
static void add_cure_to(struct text *text, const dpr_array *const *operands,
			const char *const *names, size_t n, size_t result)
{
	const dpr_queue *queue = operands[result]->queue;
	size_t input = 0;

	for (size_t i = result; i < n; i++)
		if (operands[i]->queue != queue) {
			text_print(text, "; arrays that are written must be on "
					 "one queue");
			return;
		}
	while (!operands[input] || operands[input]->queue == queue)
		input++;
	text_print(text, "; ");
	add_name(text, names, result);
	text_print(text, " stays where it is, because the call writes it");
	add_move(text, operands, names, input, result);
}

static dpr_status fail_placement(const char *what,
				 const dpr_array *const *operands,
				 const char *const *names, size_t n,
				 size_t written, size_t other)
{
	struct text text = { 0 };
	dpr_status status = DPR_ERROR_EXECUTION_PLACEMENT;
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		if (!operands[i])
			continue;
		text_print(&text, text.size ? ", " : "");
		add_name(&text, names, i);
		text_print(&text, " on %s", dpr_queue_name(operands[i]->queue));
	}
	while (!operands[first])
		first++;
	if (written)
		add_cure_to(&text, operands, names, n, n - written);
	else
		add_cure(&text, operands, names, first, other);
	status = fail(status, "%s: operands are on different queues: %s", what,
		      text_get(&text));
	text_fini(&text);
	return status;
}

dpr_status execution_queue(const char *what, const dpr_array *const *operands,
			   const char *const *names, size_t n, size_t written,
			   dpr_queue **out)
{
	dpr_status status = process_check(what);

	*out = NULL;
	if (status)
		return status;
	for (size_t i = 0; i < n; i++) {
		if (!operands[i])
			continue;
		if (!*out)
			*out = operands[i]->queue;
		if (operands[i]->queue == *out)
			continue;
		*out = NULL;
		return fail_placement(what, operands, names, n, written, i);
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
	TRACE_CALL;
	HANDLES(handle_arrays(arrays, count), handle_queue_lent(out));
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
	return execution_queue("execution queue", arrays, NULL, count, 0, out);
}
