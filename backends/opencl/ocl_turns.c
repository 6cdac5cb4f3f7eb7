/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_turns.c - launches that PoCL 4 and 5 must not run at the same time.
 *
 * PoCL keeps a work-group function for each kernel, local size and (up to some
 * width) global size, and counts the users of each.  In these versions, a
 * command that ends decrements the count of the first entry with its kernel and
 * local size, whatever the width (pocl_release_dlhandle_cache).  If two
 * commands that differ only in width run at the same time, one count is
 * decremented twice: an assertion ends the process, or code is unloaded while
 * it runs.  PoCL 6 counts correctly; versions before 4 count too high, which
 * does no harm.
 *
 * So a launch waits for launches of other queues that differ from it in this
 * way, and for no others.  A launch waits only for launches that were enqueued
 * before it, and all are enqueued under one lock, so two launches never wait
 * for each other.  If a launch that is waited for fails, this launch fails,
 * too.
 */
#include <stdlib.h>
#include <string.h>

#include "ocl.h"

/* Record at least this many launches before asking which of them are over. */
#define LEAST_ASKED 64

/* A launch that may be under way. */
struct ocl_turn {
	struct ocl_turn *next;
	dprp_queue *queue; /* a reference */
	cl_context context;
	cl_event cl; /* a reference */
	uint64_t name;
	size_t width, local[3];
};

/* A number for a kernel's name.  PoCL compares program and name of kernels, but
   here the name is enough: waiting too often does no harm. */
static uint64_t ocl_turn_name(const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return hash;
}

static bool ocl_turn_over(const struct ocl_api *cl, const struct ocl_turn *turn)
{
	cl_int state = CL_QUEUED;

	return cl->clGetEventInfo(turn->cl, CL_EVENT_COMMAND_EXECUTION_STATUS,
				  sizeof(state), &state, NULL) ||
	       state <= CL_COMPLETE;
}

static void ocl_turn_drop(dprp_instance *instance, struct ocl_turn **at)
{
	struct ocl_turn *turn = *at;

	*at = turn->next;
	instance->n_turns--;
	instance->cl.clReleaseEvent(turn->cl);
	ocl_queue_unref(turn->queue);
	dprh_free(instance->host, turn);
}

void ocl_turns_free(dprp_instance *instance)
{
	while (instance->turns)
		ocl_turn_drop(instance, &instance->turns);
}

static bool ocl_turn_same(const struct ocl_turn *a, const struct ocl_turn *b)
{
	return a->name == b->name &&
	       !memcmp(a->local, b->local, sizeof(a->local));
}

/* Make the queue of @turn wait for @other. */
static cl_int ocl_turn_wait(const struct ocl_api *cl,
			    const struct ocl_turn *turn,
			    const struct ocl_turn *other)
{
	cl_int err = cl->clFlush(other->queue->cl);

	if (err)
		return err;
	if (turn->context == other->context)
		return cl->clEnqueueBarrierWithWaitList(turn->queue->cl, 1,
							&other->cl, NULL);
	/* A command cannot wait for an event of another context, so the thread
	   waits. */
	err = cl->clWaitForEvents(1, &other->cl);
	return err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? CL_SUCCESS
								   : err;
}

/* Wait for the launches that must not run at the same time as @turn.  Drop
   those that are complete already and, if many launches are recorded, every
   complete launch. */
static cl_int ocl_turns_clear(dprp_instance *instance,
			      const struct ocl_turn *turn)
{
	const bool ask_all = instance->n_turns >= instance->turns_limit;
	struct ocl_turn **at = &instance->turns, *other;
	cl_int err = CL_SUCCESS;

	while ((other = *at) && !err) {
		const bool own =
			other->queue == turn->queue && turn->queue->in_order;
		const bool same = ocl_turn_same(turn, other);
		const bool apart = same && other->width != turn->width && !own;

		if ((ask_all || apart) && ocl_turn_over(&instance->cl, other)) {
			ocl_turn_drop(instance, at);
			continue;
		}
		if (apart)
			err = ocl_turn_wait(&instance->cl, turn, other);
		at = &other->next;
	}
	if (ask_all)
		instance->turns_limit = 2 * instance->n_turns + LEAST_ASKED;
	return err;
}

/* Record @turn.  On an in-order queue it replaces an earlier launch of the same
   kind, which is complete when @turn is. */
static void ocl_turns_add(dprp_instance *instance, struct ocl_turn *turn)
{
	struct ocl_turn **at = &instance->turns, *other;

	while ((other = *at)) {
		if (turn->queue->in_order && other->queue == turn->queue &&
		    other->width == turn->width && ocl_turn_same(turn, other)) {
			ocl_turn_drop(instance, at);
			break;
		}
		at = &other->next;
	}
	turn->next = instance->turns;
	instance->turns = turn;
	instance->n_turns++;
}

cl_int ocl_turns_launch(struct ocl_submit *s, const dprp_kernel *kernel,
			cl_kernel cl_kernel, cl_uint dims, const size_t *global,
			const size_t *local)
{
	dprp_instance *instance = s->queue->instance;
	const struct ocl_api *cl = &instance->cl;
	struct ocl_turn *turn = dprh_alloc(instance->host, 1, sizeof(*turn));
	cl_event made = NULL;
	cl_event *event = s->event ? s->event : &made;
	cl_uint i;
	cl_int err;

	if (!turn)
		return CL_OUT_OF_HOST_MEMORY;
	turn->queue = s->queue;
	turn->context = s->queue->context->cl;
	turn->name = ocl_turn_name(kernel->name);
	for (i = 0; i < 3; i++)
		turn->local[i] = i < dims ? local[i] : 1;
	/* The width does not depend on the third dimension. */
	turn->width = dims > 1 && global[1] > global[0] ? global[1] : global[0];

	pthread_mutex_lock(&instance->lock);
	err = ocl_turns_clear(instance, turn);
	if (!err)
		err = cl->clEnqueueNDRangeKernel(s->queue->cl, cl_kernel, dims,
						 NULL, global, local, s->n,
						 s->list, event);
	if (!err) {
		turn->cl = *event;
		if (event != &made)
			cl->clRetainEvent(turn->cl);
		atomic_fetch_add(&s->queue->refs, 1);
		ocl_turns_add(instance, turn);
	}
	pthread_mutex_unlock(&instance->lock);
	if (err)
		dprh_free(instance->host, turn);
	return err;
}
