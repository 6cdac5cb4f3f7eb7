/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_offers.c - the formats of a device, and the libraries that may have
   routines for it. */
#include "backends/opencl/calls/ocl_calls.h"

bool ocl_offers_cpu(dprp_device *device)
{
	return !library_calls_are_none(&device->instance->libraries) &&
	       ocl_trial_runs_here(device);
}

bool ocl_offers_clblast(dprp_device *device)
{
	return !library_is_none(device->instance->libraries.blas_option) &&
	       !ocl_trial_runs_here(device);
}

/* Whether a library may have routines for the device. */
static bool ocl_offers_calls(dprp_device *device)
{
	return ocl_offers_cpu(device) || ocl_offers_clblast(device);
}

void ocl_offers_formats(dprp_device *device, const char *formats[OCL_FORMATS])
{
	cl_bool compiler = CL_FALSE;
	size_t n = 0;

	device->instance->cl.clGetDeviceInfo(device->id,
					     CL_DEVICE_COMPILER_AVAILABLE,
					     sizeof(compiler), &compiler, NULL);
	if (ocl_trial_runs_here(device))
		formats[n++] = DPRP_NATIVE_FORMAT;
	if (compiler)
		formats[n++] = "opencl-c";
	if (compiler && ocl_facts_spirv(device))
		formats[n++] = "spirv";
	formats[n++] = "opencl-binary";
	if (ocl_offers_calls(device))
		formats[n++] = DPRP_CALLS_FORMAT;
	formats[n] = NULL;
}
