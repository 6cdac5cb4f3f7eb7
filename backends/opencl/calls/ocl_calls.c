/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_calls.c - the list of libraries, and which of them has a routine. */
#include "backends/opencl/calls/ocl_calls.h"

#include <string.h>

/* The first library that has a routine is taken. */
static const struct ocl_library *const ocl_libraries[] = { &ocl_calls_cpu,
							   &ocl_calls_clblast };

#define OCL_LIBRARIES (sizeof(ocl_libraries) / sizeof(ocl_libraries[0]))

/* Whether the module is a routine of a library, and the device may have it. */
static bool ocl_calls_are_meant(dprp_device *device,
				const dprp_module_desc *theirs)
{
	if (!theirs->n_images ||
	    strcmp(theirs->images[0]->format, DPRP_CALLS_FORMAT) != 0)
		return false;
	for (size_t i = 0; i < OCL_LIBRARIES; i++)
		if (ocl_libraries[i]->offers(device))
			return true;
	return false;
}

/* Ask each library that is for the device. */
static dprp_rc ocl_calls_find(dprp_context *context, dprp_device *device,
			      const dprp_image *image, struct ocl_call *out)
{
	dprp_rc rc = DPR_RC_UNSUPPORTED;

	for (size_t i = 0; i < OCL_LIBRARIES && rc == DPR_RC_UNSUPPORTED; i++) {
		if (!ocl_libraries[i]->offers(device))
			continue;
		rc = ocl_libraries[i]->find(context, device, image, out);
		out->library = ocl_libraries[i];
	}
	return rc;
}

dprp_rc ocl_calls_module(dprp_context *context, dprp_device *device,
			 const dprp_module_desc *theirs, dprp_module **out)
{
	const dprp_host *host = context->instance->host;
	struct ocl_call call = { .library = NULL };
	dprp_module_desc desc;
	dprp_image image;
	dprp_rc rc;

	if (!ocl_calls_are_meant(device, theirs))
		return ocl_cpu_module(context, device, theirs, out);
	*out = NULL;
	rc = dprh_take_module(host, theirs, &desc, &image);
	if (!rc && (desc.n_spec || desc.flags))
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			       "a routine of a library has no specialization "
			       "constants and build flags");
	if (!rc)
		rc = ocl_calls_find(context, device, &image, &call);
	if (!rc)
		rc = ocl_module_over(context, device, NULL, out);
	if (rc)
		return rc;
	(*out)->native = call.native;
	(*out)->call = call;
	if (desc.log.write)
		desc.log.write(desc.log.user, call.text, strlen(call.text));
	return DPR_RC_OK;
}

dprp_rc ocl_calls_launch(dprp_queue *queue, dprp_kernel *kernel,
			 const dprp_launch *theirs, const dprp_deps *deps,
			 dprp_event **event)
{
	dprp_launch launch;
	dprp_rc rc;

	if (!kernel->call.library)
		return ocl_cpu_launch(queue, kernel, theirs, deps, event);
	if (event)
		*event = NULL;
	rc = dprh_take(queue->instance->host, "dprp_launch", &launch,
		       sizeof(launch), theirs);
	if (!rc)
		rc = kernel->call.library->launch(queue, kernel, &launch, deps,
						  event);
	return rc;
}
