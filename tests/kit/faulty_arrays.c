/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_arrays.c - faults that only the work of arrays shows: large arguments,
   ranges of many groups, large copies. */
#include <string.h>

#include "tests/kit/faulty.h"

enum { MOST_ARGS = 16, FEW_BYTES = 64, MUCH = 4 << 20 };

/* What a fault does to the arguments of a launch, which are a copy. */
static void (*change)(dprp_launch *launch, dprp_arg *args);

static dprp_rc changed_launch(dprp_queue *queue, dprp_kernel *kernel,
			      const dprp_launch *launch, const dprp_deps *deps,
			      dprp_event **event)
{
	dprp_launch changed = *launch;
	dprp_arg args[MOST_ARGS];

	if (launch->n_args > MOST_ARGS)
		return faulty_fail(DPR_RC_INVALID);
	memcpy(args, launch->args, launch->n_args * sizeof(args[0]));
	changed.args = args;
	change(&changed, args);
	return faulty.mock->queue->launch(queue, kernel, &changed, deps, event);
}

static void plant_launch(void (*with)(dprp_launch *launch, dprp_arg *args))
{
	change = with;
	faulty.queue.launch = changed_launch;
}

/* Of a large value only the first bytes arrive. */
static void cut_value(dprp_launch *launch, dprp_arg *args)
{
	static _Thread_local unsigned char bytes[4096];
	dprp_arg *last = &args[launch->n_args - 1];

	if (!launch->n_args || last->kind != DPRP_ARG_VALUE ||
	    last->size <= FEW_BYTES || last->size > sizeof(bytes))
		return;
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, last->u.value, FEW_BYTES);
	last->u.value = bytes;
}

static void cuts_values(void)
{
	plant_launch(cut_value);
}

static void drop_group(dprp_launch *launch, dprp_arg *args)
{
	(void)args;
	if (launch->local[0] && launch->global[0] > launch->local[0])
		launch->global[0] -= launch->local[0];
}

static void drops_group(void)
{
	plant_launch(drop_group);
}

/* Take the last memory argument for the first. */
static void turn_args(dprp_launch *launch, dprp_arg *args)
{
	dprp_arg first;
	uint32_t i, last = 0;

	for (i = 0; i < launch->n_args; i++)
		if (args[i].kind == DPRP_ARG_MEM)
			last = i;
	if (!last || args[0].kind != DPRP_ARG_MEM)
		return;
	first = args[0];
	args[0] = args[last];
	args[last] = first;
}

static void turns_args(void)
{
	plant_launch(turn_args);
}

static void cut_offsets(dprp_launch *launch, dprp_arg *args)
{
	uint32_t i;

	for (i = 0; i < launch->n_args; i++)
		if (args[i].kind == DPRP_ARG_MEM)
			args[i].u.m.offset &= 1023;
}

static void cuts_offsets(void)
{
	plant_launch(cut_offsets);
}

static dprp_rc some_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
			 void *to, uint64_t size, const dprp_deps *deps,
			 dprp_event **event)
{
	return faulty.mock->queue->read(queue, from, offset, to,
					size > MUCH ? MUCH : size, deps, event);
}

static void reads_some(void)
{
	faulty.queue.read = some_read;
}

static dprp_rc some_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			 dprp_mem *from, uint64_t from_offset, uint64_t size,
			 const dprp_deps *deps, dprp_event **event)
{
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size > MUCH ? MUCH : size, deps, event);
}

static void copies_some(void)
{
	faulty.queue.copy = some_copy;
}

const struct fault faulty_arrays_faults[] = {
	{ "cuts_values", cuts_values },
	{ "drops_group", drops_group },
	{ "turns_args", turns_args },
	{ "cuts_offsets", cuts_offsets },
	{ "reads_some", reads_some },
	{ "copies_some", copies_some },
	{ NULL, NULL },
};
