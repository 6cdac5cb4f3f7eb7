/* SPDX-License-Identifier: Apache-2.0 */
/* call_stack.c - the public functions that each thread is in. */
#include "core/base/call_stack.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

/* innermost: this thread's innermost call.  kept: the number of
   call_stack_restore() calls that are due.  kept_for: the innermost call when
   call_stack_keep() was called, while any are due. */
static _Thread_local struct call *innermost;
static _Thread_local struct call *kept_for;
static _Thread_local int kept;

/* See call_stack_depth(). */
static _Thread_local int depth;

atomic_int call_stack_layers = CALL_STACK_TRACE | CALL_STACK_HANDLES;

void call_stack_unwatch(enum call_stack_layer layer)
{
	atomic_fetch_and_explicit(&call_stack_layers, ~(int)layer,
				  memory_order_relaxed);
}

int call_stack_depth(void)
{
	return depth;
}

int call_stack_go_in(void)
{
	return depth++;
}

int call_stack_go_out(void)
{
	const int before = depth;

	depth = 0;
	return before;
}

void call_stack_go_back(int before)
{
	depth = before;
}

/* Forget earlier failures.  A later call or submission means that the program
   has handled them. */
static void forget_failures(void)
{
	struct call *call;

	for (call = innermost; call && call != kept_for; call = call->outer)
		call->failures = 0;
}

void call_stack_push(struct call *call, const char *name)
{
	call->name = name;
	call->outer = innermost;
	call->status = DPR_OK;
	call->failures = call->submissions = 0;
	call->moved = 0;
	call->is_whole = false;
	call->n_notes = 0;
	call->leave = NULL;
	innermost = call;
	depth++;
	forget_failures();
}

void call_stack_pop(struct call *call)
{
	innermost = call->outer;
	depth--;
	if (call->leave)
		call->leave(call);
}

const struct call *call_stack_top(void)
{
	return innermost;
}

void call_stack_failed(dpr_status status)
{
	struct call *call;

	for (call = innermost; call && call != kept_for; call = call->outer) {
		call->failures++;
		call->status = status;
	}
}

void call_stack_keep(void)
{
	if (kept++ == 0)
		kept_for = innermost;
}

void call_stack_restore(void)
{
	if (--kept == 0)
		kept_for = NULL;
}

/* Whether @call has a note under @key. */
static bool has_note(const struct call *call, const char *key)
{
	char wanted[40];
	const int n = snprintf(wanted, sizeof(wanted), ",\"%s\":", key);

	return memmem(call->notes, call->n_notes, wanted, (size_t)n) != NULL;
}

/* Add a note if it is new and fits. */
static void add_note(struct call *call, const char *key, const char *value,
		     size_t size)
{
	const size_t n = strlen(key) + 4;

	if (call->n_notes + n + size > sizeof(call->notes) ||
	    has_note(call, key))
		return;
	snprintf(call->notes + call->n_notes, n + 1, ",\"%s\":", key);
	memcpy(call->notes + call->n_notes + n, value, size);
	call->n_notes += n + size;
}

void call_stack_note(bool all, const char *key, const char *text)
{
	struct call *call;
	char value[96];
	size_t size;

	value[0] = '"';
	size = 1 + text_escape(value + 1, sizeof(value) - 2, text);
	value[size++] = '"';
	for (call = innermost; call; call = all ? call->outer : NULL)
		add_note(call, key, value, size);
}

void call_stack_whole(void)
{
	if (innermost)
		innermost->is_whole = true;
}

void call_stack_submitted(uint64_t bytes)
{
	struct call *call;

	forget_failures();
	for (call = innermost; call; call = call->outer) {
		call->submissions++;
		call->moved += bytes;
	}
}

/* --- Titles ----------------------------------------------------------------
 */

static _Thread_local const char *title;

bool call_stack_title_begin(const char *name)
{
	if (title)
		return false;
	title = name;
	return true;
}

void call_stack_title_end(bool began)
{
	if (began)
		title = NULL;
}

const char *call_stack_title_or(const char *name)
{
	return title ? title : name;
}
