/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_module.c - modules: tables of functions for this CPU that were compiled
 * elsewhere.
 */
#include "host.h"

dprp_rc host_module_pick(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best)
{
	const dprp_host *host = &device->instance->host;
	dprp_rc rc = dprh_native_pick(host, images, n, best);

	if (!rc)
		return rc;
	return dprh_fail(
		host, rc, 0,
		"host: module: this backend has no compiler and takes " DPRP_NATIVE_FORMAT
		"; give your kernels as a native image, too (dpr/native.h), or "
		"use an OpenCL driver of the CPU, such as PoCL, for OpenCL C");
}

dprp_rc host_module_create(dprp_context *context, dprp_device *device,
			   const dprp_module_desc *theirs, dprp_module **out)
{
	dprp_instance *instance = context->instance;
	const dprp_native_module *native;
	dprp_rc rc;

	(void)device;
	*out = NULL;
	rc = dprh_native_module(&instance->host, theirs, &native);
	if (rc)
		return rc;
	*out = host_util_alloc(instance, sizeof(**out));
	if (!*out)
		return DPR_RC_OOM_HOST;
	(*out)->instance = instance;
	(*out)->native = native;
	return DPR_RC_OK;
}

void host_module_destroy(dprp_module *module)
{
	dprh_free(&module->instance->host, module);
}

dprp_rc host_module_kernel(dprp_module *module, const char *name,
			   dprp_kernel **out)
{
	const dprp_native_kernel *native;
	dprp_rc rc;

	*out = NULL;
	rc = dprh_native_kernel(&module->instance->host, module->native, name,
				&native);
	if (rc)
		return rc;
	*out = host_util_alloc(module->instance, sizeof(**out));
	if (!*out)
		return DPR_RC_OOM_HOST;
	(*out)->instance = module->instance;
	(*out)->native = native;
	return DPR_RC_OK;
}

void host_module_kernel_destroy(dprp_kernel *kernel)
{
	dprh_free(&kernel->instance->host, kernel);
}

dprp_rc host_module_kernel_info(dprp_kernel *kernel, dprp_device *device,
				uint32_t key, void *buffer, size_t capacity,
				size_t *need)
{
	(void)device;
	return dprh_native_info(&kernel->instance->host, kernel->native,
				HOST_MAX_WORK_GROUP, key, buffer, capacity,
				need);
}
