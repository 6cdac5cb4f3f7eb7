/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_calls_cpu.c - the CBLAS and the LAPACK of a CPU, on devices that run
 * functions of this process.  A launch is a native kernel (ocl_cpu.c).
 */
#include "backends/opencl/calls/ocl_calls.h"

static dprp_rc ocl_calls_cpu_find(dprp_context *context, dprp_device *device,
				  const dprp_image *image, struct ocl_call *out)
{
	dprp_instance *instance = context->instance;
	cl_uint units = 0;
	dprp_rc rc = OCL_TRY(instance, clGetDeviceInfo, device->id,
			     CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units,
			     NULL);

	if (!rc)
		rc = library_calls_find(&instance->libraries, image, units,
					&out->u.cpu);
	if (rc)
		return rc;
	out->native = out->u.cpu.routine->module;
	out->text = out->u.cpu.library->text;
	return DPR_RC_OK;
}

const struct ocl_library ocl_calls_cpu = { ocl_offers_cpu, ocl_calls_cpu_find,
					   ocl_cpu_send };
