/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_work.c - what the launches of all routines do. */
#include "backends/cuda/calls/cuda_calls.h"

dprp_rc cuda_work_refuse_part(const dprp_instance *instance,
			      const struct cuda_routine *routine)
{
	return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
			 "%s is not used on a part of a device",
			 routine->library);
}

uintptr_t cuda_work_address(const dprp_launch *launch, uint32_t index)
{
	const dprp_arg *arg = &launch->args[index];

	if (arg->kind != DPRP_ARG_MEM || !arg->u.m.mem)
		return 0;
	return (uintptr_t)(arg->u.m.mem->address + arg->u.m.offset);
}

dprp_rc cuda_work_run(dprp_queue *queue, const struct cuda_routine *routine,
		      cuda_work_submit submit_work, void *work,
		      const dprp_deps *deps, dprp_event **event)
{
	const struct cuda_api *cu = &queue->instance->cu;
	struct cuda_submit submit;
	CUresult error;
	bool entered;
	dprp_rc rc;

	if (queue->scope->green)
		return cuda_work_refuse_part(queue->instance, routine);
	rc = cuda_submit_begin(&submit, queue, deps, event);
	if (rc)
		return rc;
	error = cuda_context_enter(cu, queue->scope->cu, &entered);
	rc = error ? cuda_error_check_device(queue->device, error,
					     "cuCtxPushCurrent")
		   : submit_work(work, queue->scope, submit.stream);
	cuda_context_leave(cu, entered);
	if (!rc)
		return cuda_submit_end(&submit, CUDA_SUCCESS, routine->name);
	cuda_submit_drop(&submit);
	return rc;
}
