/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_submit.c - one submission: wait list, event, failure; barriers. */
#include "ocl.h"

/* Check the dependencies and put their cl_events into the submission. */
static dprp_rc ocl_submit_list(struct ocl_submit *submit,
			       const dprp_deps *theirs)
{
	dprp_queue *queue = submit->queue;
	const dprp_host *host = queue->instance->host;
	cl_event *list = submit->few;
	dprp_deps deps;
	dprp_rc rc = dprh_take_deps(host, theirs, &deps);
	uint32_t i;

	if (rc != DPR_RC_OK)
		return rc;
	for (i = 0; i < deps.count; i++)
		if (deps.events[i]->context != queue->context->cl)
			return dprh_fail(
				host, dprh_cannot_wait(host), 0,
				"OpenCL cannot wait for an event of another "
				"context");
	if (deps.count > sizeof(submit->few) / sizeof(submit->few[0])) {
		list = dprh_alloc(host, deps.count, sizeof(*list));
		if (!list)
			return dprh_no_memory(host, "a wait list");
		submit->many = list;
	}
	for (i = 0; i < deps.count; i++) {
		/* Flush the queues of the dependencies, so that they complete
		   without a further call. */
		if (deps.events[i]->queue != queue)
			ocl_event_flush(deps.events[i]);
		list[i] = deps.events[i]->cl;
	}
	submit->n = deps.count;
	submit->list = submit->n ? list : NULL;
	return DPR_RC_OK;
}

dprp_rc ocl_submit_begin(struct ocl_submit *submit, dprp_queue *queue,
			 const dprp_deps *deps, dprp_event **event)
{
	dprp_instance *instance = queue->instance;
	dprp_rc rc;

	submit->queue = queue;
	submit->n = 0;
	submit->list = NULL;
	submit->event = NULL;
	submit->made = NULL;
	submit->out = event;
	submit->many = NULL;
	if (event)
		*event = NULL;
	if (deps) {
		rc = ocl_submit_list(submit, deps);
		if (rc != DPR_RC_OK)
			return rc;
	}
	if (event) {
		submit->made =
			ocl_event_new(instance, queue->context->cl, queue);
		if (!submit->made) {
			dprh_free(instance->host, submit->many);
			return dprh_no_memory(instance->host, "an event");
		}
		submit->event = &submit->made->cl;
	}
	return DPR_RC_OK;
}

dprp_rc ocl_submit_end(struct ocl_submit *submit, cl_int error,
		       const char *call)
{
	const dprp_host *host = submit->queue->instance->host;

	dprh_free(host, submit->many);
	if (error) {
		if (submit->made) {
			submit->made->cl = NULL;
			ocl_event_destroy(submit->made);
		}
		return ocl_error_check_queue(submit->queue, error, call);
	}
	if (submit->out)
		*submit->out = submit->made;
	return DPR_RC_OK;
}

/* Enqueue a command that completes as soon as earlier barriers have.  A marker
   will not do: without a list it waits for all earlier commands, and with PoCL
   even with a list.  A barrier with a list waits for nothing else, so it gets a
   list with a completed event. */
static cl_int ocl_submit_at_once(struct ocl_submit *submit, const char **call)
{
	const struct ocl_api *cl = &submit->queue->instance->cl;
	cl_int err = CL_SUCCESS;
	cl_event over;

	*call = "clCreateUserEvent";
	over = cl->clCreateUserEvent(submit->queue->context->cl, &err);
	if (err)
		return err;
	*call = "clSetUserEventStatus";
	err = cl->clSetUserEventStatus(over, CL_COMPLETE);
	if (!err) {
		*call = "clEnqueueBarrierWithWaitList";
		err = cl->clEnqueueBarrierWithWaitList(submit->queue->cl, 1,
						       &over, submit->event);
	}
	cl->clReleaseEvent(over);
	return err;
}

dprp_rc ocl_submit_nothing(dprp_queue *queue, const dprp_deps *deps,
			   dprp_event **event)
{
	const char *call = "clEnqueueMarkerWithWaitList";
	struct ocl_submit s;
	cl_int err = CL_SUCCESS;
	dprp_rc rc;

	/* The core waits for the dependencies and calls again without them. */
	if (deps && deps->count && queue->device->platform->marks_all) {
		if (event)
			*event = NULL;
		return dprh_cannot_wait(queue->instance->host);
	}
	rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	if (s.n)
		err = queue->instance->cl.clEnqueueMarkerWithWaitList(
			queue->cl, s.n, s.list, s.event);
	else if (event)
		err = ocl_submit_at_once(&s, &call);
	return ocl_submit_end(&s, err, call);
}

dprp_rc ocl_submit_barrier(dprp_queue *queue, const dprp_deps *deps,
			   dprp_event **event)
{
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc = ocl_submit_begin(&s, queue, deps, event);

	if (rc != DPR_RC_OK)
		return rc;
	err = queue->instance->cl.clEnqueueBarrierWithWaitList(queue->cl, s.n,
							       s.list, s.event);
	return ocl_submit_end(&s, err, "clEnqueueBarrierWithWaitList");
}
