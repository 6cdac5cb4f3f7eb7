/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_work.c - memory that a command needs while it runs.
 *
 * A native command has no way to fail.  So its memory is allocated before, and
 * the command frees it at its end.  A command whose dependency fails never
 * runs. Then its memory is freed when the next block is made: each block has
 * the event of its command.
 */
#include "backends/opencl/ocl.h"

struct ocl_work {
	struct ocl_work *next;
	cl_event event; /* a reference */
	_Atomic(void *) block;
};

static void ocl_work_free(dprp_instance *instance, struct ocl_work *work)
{
	ocl_work_end(instance->host, work);
	if (work->event)
		instance->cl.clReleaseEvent(work->event);
	dprh_free(instance->host, work);
}

/* Take the commands that are over out of the list. */
static struct ocl_work *ocl_work_reap(dprp_instance *instance)
{
	struct ocl_work **at = &instance->works, *work, *over = NULL;

	pthread_mutex_lock(&instance->lock);
	while ((work = *at)) {
		cl_int state = CL_QUEUED;

		if (instance->cl.clGetEventInfo(
			    work->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
			    sizeof(state), &state, NULL) ||
		    state > CL_COMPLETE) {
			at = &work->next;
			continue;
		}
		*at = work->next;
		work->next = over;
		over = work;
	}
	pthread_mutex_unlock(&instance->lock);
	return over;
}

static void ocl_work_free_list(dprp_instance *instance, struct ocl_work *list)
{
	struct ocl_work *work;

	while ((work = list)) {
		list = work->next;
		ocl_work_free(instance, work);
	}
}

dprp_rc ocl_work_make(dprp_instance *instance, size_t size,
		      struct ocl_work **out)
{
	const dprp_host *host = instance->host;
	struct ocl_work *work;

	*out = NULL;
	ocl_work_free_list(instance, ocl_work_reap(instance));
	work = dprh_alloc(host, 1, sizeof(*work));
	if (work)
		atomic_init(&work->block,
			    host->alloc(host->self, size + DPRH_ALIGN));
	if (!work || !atomic_load(&work->block)) {
		dprh_free(host, work);
		return dprh_no_memory(host, "the workspace of a routine");
	}
	*out = work;
	return DPR_RC_OK;
}

void *ocl_work_memory(struct ocl_work *work)
{
	return (void *)dprh_round_up((uintptr_t)atomic_load(&work->block),
				     DPRH_ALIGN);
}

void ocl_work_end(const dprp_host *host, struct ocl_work *work)
{
	dprh_free(host, atomic_exchange(&work->block, NULL));
}

void ocl_work_drop(dprp_instance *instance, struct ocl_work *work)
{
	if (work)
		ocl_work_free(instance, work);
}

void ocl_work_keep(dprp_instance *instance, struct ocl_work *work,
		   cl_event event)
{
	work->event = event;
	pthread_mutex_lock(&instance->lock);
	work->next = instance->works;
	instance->works = work;
	pthread_mutex_unlock(&instance->lock);
}

void ocl_work_free_all(dprp_instance *instance)
{
	ocl_work_free_list(instance, instance->works);
	instance->works = NULL;
}
