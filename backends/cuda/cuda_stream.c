/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_stream.c - making streams, and waiting for one after a failure. */
#include "cuda_objects.h"

/* The driver's number for a priority.  The driver's lowest and default is 0, so
   "low" is the same as "normal". */
static int to_priority(const struct cuda_api *cu, int32_t priority)
{
	int lowest = 0, highest = 0;

	if (priority != 1 || cu->cuCtxGetStreamPriorityRange(&lowest, &highest))
		return 0;
	return highest;
}

dprp_rc cuda_stream_make(struct cuda_scope *scope, int32_t priority,
			 CUstream *out)
{
	dprp_device *device = scope->device;
	const struct cuda_api *cu = &device->instance->cu;
	int number;
	bool entered;
	dprp_rc rc = cuda_error_check_device(
		device,
		cuda_context_enter(cu, scope->context->scope.cu, &entered),
		"cuCtxPushCurrent");

	if (rc)
		return rc;
	number = to_priority(cu, priority);
	if (scope->green)
		rc = CUDA_TRY_ON(device, cuGreenCtxStreamCreate, out,
				 scope->green, CU_STREAM_NON_BLOCKING, number);
	else
		rc = CUDA_TRY_ON(device, cuStreamCreateWithPriority, out,
				 CU_STREAM_NON_BLOCKING, number);
	cuda_context_leave(cu, entered);
	return rc;
}

void cuda_stream_settle(const struct cuda_api *cu, CUstream stream)
{
	CUstreamCaptureMode mode = cuda_capture_ignore(cu);

	cu->cuStreamSynchronize(stream);
	cuda_capture_heed(cu, mode);
}
