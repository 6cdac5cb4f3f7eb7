/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_calls_cpu.c - the CBLAS and the LAPACK of a CPU, on devices that run
 * functions of this process.  A launch is a native kernel (ocl_cpu.c).
 */
#include "backends/opencl/calls/ocl_calls.h"

static dprp_rc ocl_calls_cpu_find(dprp_context *context, dprp_device *device,
				  const dprp_image *image, struct ocl_call *out)
{
	const cl_uint units = ocl_facts_units(device);
	dprp_rc rc =
		library_calls_find(&context->instance->libraries, image,
				   units ? units : UINT32_MAX, &out->u.cpu);

	if (rc)
		return rc;
	out->native = out->u.cpu.routine->module;
	out->is_here = true;
	out->text = out->u.cpu.library->text;
	return DPR_RC_OK;
}

const struct ocl_library ocl_calls_cpu = { ocl_offers_cpu, ocl_calls_cpu_find,
					   ocl_cpu_send };
